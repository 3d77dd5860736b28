//! Files that are written whole or not at all.

use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};

/// Writes a text to a file. A file that is there already stays as it is until the new one is
/// complete. Pipes and terminals are written to directly.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<()> {
    let written = if path.exists() && !path.is_file() {
        std::fs::write(path, text)
    } else {
        replace(path, text)
    };
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// A text file.
///
/// # Errors
/// Names the file that cannot be read.
pub(crate) fn read_whole(path: impl AsRef<Path>) -> Result<String> {
    let path = path.as_ref();
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let parent = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(parent.unwrap_or_else(|| Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        write_whole(&path, "one").unwrap();
        write_whole(&path, "two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

        let error = write_whole(&path.join("below"), "x").unwrap_err();
        assert!(
            format!("{error:#}").starts_with("cannot write"),
            "{error:#}"
        );
        write_whole(Path::new("/dev/null"), "x").unwrap();
    }
}
