//! Texts of several documents.

/// Different texts, in their order.
pub(super) fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut different = Vec::new();
    for text in texts {
        if !different.contains(&text) {
            different.push(text);
        }
    }
    different.join(" + ")
}
