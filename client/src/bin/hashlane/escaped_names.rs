//! File names in checksum files, as written by GNU coreutils 9: a name with a newline, carriage
//! return or backslash is escaped, and its line begins with a backslash.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::PathBuf;

/// The name, escaped if it needs to be.
pub(crate) fn escape(name: &[u8]) -> Cow<'_, [u8]> {
    if !name
        .iter()
        .any(|byte| matches!(byte, b'\n' | b'\r' | b'\\'))
    {
        return Cow::Borrowed(name);
    }
    let mut escaped = Vec::with_capacity(name.len() + 8);
    for &byte in name {
        match byte {
            b'\n' => escaped.extend_from_slice(b"\\n"),
            b'\r' => escaped.extend_from_slice(b"\\r"),
            b'\\' => escaped.extend_from_slice(b"\\\\"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// Undoes [`escape`]. `None` if a backslash is not part of an escape.
pub(crate) fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(name.len());
    let mut bytes = name.iter();
    while let Some(&byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            },
            other => other,
        });
    }
    Some(plain)
}

/// The bytes of a name. On Unix they are exactly those in the file system.
pub(crate) fn bytes(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// The path that these bytes name.
#[cfg(unix)]
pub(crate) fn path(name: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(std::ffi::OsString::from_vec(name).into())
}

/// The path that these bytes name, if they are UTF-8.
#[cfg(not(unix))]
pub(crate) fn path(name: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(name).ok().map(PathBuf::from)
}

/// The name for a message: one line, no control characters, and never empty.
pub(crate) fn shown(name: &OsStr) -> String {
    if name.is_empty() {
        return "''".to_owned();
    }
    let mut shown = String::new();
    for character in name.to_string_lossy().chars() {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_the_round_trip() {
        for name in [
            &b"plain"[..],
            b"",
            b" a b ",
            b"new\nline",
            b"\\",
            b"c\rr\\n\n",
            b"\xff\xfe",
        ] {
            assert_eq!(unescape(&escape(name)).as_deref(), Some(name));
        }
        assert_eq!(&*escape(b"a\nb\\c\rd"), b"a\\nb\\\\c\\rd");
    }

    #[test]
    fn unknown_escapes_are_refused() {
        assert_eq!(unescape(b"a\\tb"), None);
        assert_eq!(unescape(b"a\\"), None);
    }

    #[test]
    fn messages_keep_to_one_line() {
        assert_eq!(shown(OsStr::new("a\nb\u{7f}c d")), "a\\nb\\u{7f}c d");
        assert_eq!(shown(OsStr::new("")), "''");
    }
}
