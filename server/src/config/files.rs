//! Files that settings name. Errors name the setting, the file and the line.

use std::fmt::Display;
use std::io::Read as _;
use std::path::Path;

/// Why a file that a setting names cannot be used, in one line.
pub(crate) fn wrong_file(
    setting: &str,
    place: impl Display,
    reason: impl Display,
) -> anyhow::Error {
    let text = format!("setting {setting}: {place}: {reason}");
    anyhow::Error::msg(text.replace('\n', " "))
}

/// The same for a line of the file.
pub(super) fn wrong_line(setting: &str, path: &Path, line: usize, reason: &str) -> anyhow::Error {
    wrong_file(setting, format_args!("{}:{line}", path.display()), reason)
}

/// The text of a file of at most `max` bytes.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn read(setting: &str, path: &Path, max: u64) -> anyhow::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(max + 1).read_to_string(&mut text))
        .map_err(|error| wrong_file(setting, path.display(), error))?;
    if text.len() as u64 > max {
        let reason = format_args!("larger than {max} bytes");
        return Err(wrong_file(setting, path.display(), reason));
    }
    Ok(text)
}
