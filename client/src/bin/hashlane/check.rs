//! Checksum files: lines in, entries out.

use std::io::{self, BufRead, Read as _};

use hashlane_client::{Digest, hex};

use crate::names;

/// The longest line that is looked at: a digest and the longest escaped path
/// that common systems take. The rest of a longer line is passed over, so that
/// a file without line ends is not loaded whole.
const LINE_BYTES_MAX: usize = 64 << 10;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Entry {
        digest: Digest,
        /// As it is in the file system.
        name: Vec<u8>,
    },
    /// A comment, or nothing.
    Blank,
    Improper,
}

/// Reads a line without its end into `line`. `None` at the end of the file;
/// `Some(false)` if the line was too long.
pub(crate) fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let mut limited = (&mut *reader).take(LINE_BYTES_MAX as u64);
    if limited.read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.pop_if(|byte| *byte == b'\n').is_none() && line.len() == LINE_BYTES_MAX {
        reader.skip_until(b'\n')?;
        return Ok(Some(false));
    }
    line.pop_if(|byte| *byte == b'\r');
    Ok(Some(true))
}

/// Parses a line without its end: `DIGEST  NAME`, `DIGEST *NAME` or
/// `SHA256 (NAME) = DIGEST`, each after white space, and after a backslash if
/// the name is escaped.
pub(crate) fn parse(line: &[u8]) -> Line {
    if line.is_empty() || line[0] == b'#' {
        return Line::Blank;
    }
    entry(line).unwrap_or(Line::Improper)
}

fn entry(line: &[u8]) -> Option<Line> {
    let start = line.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    let line = &line[start..];
    let (is_escaped, line) = match line.strip_prefix(b"\\") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let (digest, name) = match line.strip_prefix(b"SHA256 (") {
        Some(rest) => tagged(rest)?,
        None => plain(line)?,
    };
    let name = if is_escaped {
        names::unescape(name)?
    } else {
        name.to_vec()
    };
    // No file has such a name.
    if name.is_empty() || name.contains(&0) {
        return None;
    }
    Some(Line::Entry { digest, name })
}

fn plain(line: &[u8]) -> Option<(Digest, &[u8])> {
    let (digest, name) = line.split_at_checked(64)?;
    let name = name.strip_prefix(b" ")?;
    let name = name
        .strip_prefix(b" ")
        .or_else(|| name.strip_prefix(b"*"))?;
    Some((hex::decode_digest(digest)?, name))
}

fn tagged(rest: &[u8]) -> Option<(Digest, &[u8])> {
    // The name may hold the separator: the last one counts.
    let (rest, digest) = rest.split_at_checked(rest.len().checked_sub(64)?)?;
    Some((hex::decode_digest(digest)?, rest.strip_suffix(b") = ")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn name_of(line: &str) -> Option<String> {
        match parse(line.as_bytes()) {
            Line::Entry { digest, name } => {
                assert_eq!(hex::encode(&digest), HEX);
                Some(String::from_utf8(name).unwrap())
            }
            Line::Blank | Line::Improper => None,
        }
    }

    #[test]
    fn proper_lines_are_taken() {
        for (line, name) in [
            (format!("{HEX}  a"), "a"),
            (format!("{HEX} *a"), "a"),
            (format!(" \t{HEX}  a"), "a"),
            (format!("{HEX}   a "), " a "),
            (format!("{HEX}  *a"), "*a"),
            (format!("{}  a", HEX.to_uppercase()), "a"),
            (format!("{HEX}  a\\n"), "a\\n"),
            (format!("\\{HEX}  a\\nb\\\\c\\r"), "a\nb\\c\r"),
            (format!("SHA256 (a) = {HEX}"), "a"),
            (
                format!("SHA256 (a) = {HEX}) = {HEX}"),
                &format!("a) = {HEX}"),
            ),
            (format!("\\SHA256 (a\\\\) = {HEX}"), "a\\"),
        ] {
            assert_eq!(name_of(&line).as_deref(), Some(name), "{line}");
        }
    }

    #[test]
    fn improper_lines_are_not() {
        for line in [
            "bad".to_owned(),
            " ".to_owned(),
            HEX.to_owned(),
            format!("{HEX} "),
            format!("{HEX}  "),
            format!("{HEX} a"),
            format!("{HEX}\ta"),
            format!("{HEX}a  b"),
            format!("{}  a", &HEX[1..]),
            format!("{}g  a", &HEX[1..]),
            format!("\\{HEX}  a\\t"),
            format!("{HEX}  a\0b"),
            format!("SHA1 (a) = {HEX}"),
            format!("SHA256 (a) {HEX}"),
            format!("SHA256 () = {HEX}"),
            format!("SHA256 (a) = {}", &HEX[1..]),
        ] {
            assert_eq!(parse(line.as_bytes()), Line::Improper, "{line:?}");
        }
        assert_eq!(parse(b""), Line::Blank);
        assert_eq!(parse(b"# a comment"), Line::Blank);
    }

    #[test]
    fn lines_end_with_either_end_or_none_and_long_ones_are_passed_over() {
        let long = "x".repeat(LINE_BYTES_MAX);
        let text = format!("one\r\n\n{long}y\nlast");
        let mut reader = text.as_bytes();
        let mut line = Vec::new();
        let mut read = || {
            let proper = read_line(&mut reader, &mut line).unwrap();
            proper.map(|proper| (proper, String::from_utf8(line.clone()).unwrap()))
        };
        assert_eq!(read(), Some((true, "one".to_owned())));
        assert_eq!(read(), Some((true, String::new())));
        assert!(!read().unwrap().0);
        assert_eq!(read(), Some((true, "last".to_owned())));
        assert_eq!(read(), None);
    }
}
