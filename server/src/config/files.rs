//! Reads files that settings name, within a size limit. Errors name the file and the line.

use std::io::Read as _;
use std::path::Path;

/// Why a file that a setting names cannot be used. Displays as one line.
#[derive(Debug, thiserror::Error)]
#[error("setting {setting}: {place}: {reason}")]
pub struct FileError {
    setting: &'static str,
    /// The file, and the line if the line is at fault.
    place: String,
    reason: String,
}

impl FileError {
    pub(crate) fn at(setting: &'static str, path: &Path, line: usize, reason: &str) -> Self {
        Self {
            setting,
            place: format!("{}:{line}", path.display()),
            // In one line.
            reason: reason.replace('\n', " "),
        }
    }

    /// The text of a file, or why it cannot be read.
    pub(crate) fn read(setting: &'static str, path: &Path, max: u64) -> Result<String, Self> {
        let wrong = |reason: String| Self {
            setting,
            place: path.display().to_string(),
            reason,
        };
        let mut text = String::new();
        std::fs::File::open(path)
            .and_then(|file| file.take(max + 1).read_to_string(&mut text))
            .map_err(|error| wrong(error.to_string()))?;
        if text.len() as u64 > max {
            return Err(wrong(format!("larger than {max} bytes")));
        }
        Ok(text)
    }
}
