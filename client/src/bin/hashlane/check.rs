//! Checksum files: lines in, entries out.

use std::io::{self, BufRead, Read as _};

use hashlane_client::{Algorithm, AlgorithmDigest};

use crate::{algorithms, names, values};

/// The longest line that is looked at: a digest and the longest escaped path
/// that common systems take. The rest of a longer line is passed over, so that
/// a file without line ends is not loaded whole.
const LINE_BYTES_MAX: usize = 64 << 10;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Entry {
        /// At least one, each of another algorithm.
        digests: Vec<AlgorithmDigest>,
        /// The line is of BSD style: the next may have another digest of the same file.
        is_tagged: bool,
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
/// `ALGORITHM (NAME) = DIGEST`, each after white space, and after a backslash if
/// the name is escaped. Digests are in any encoding that [`values::parse`] reads; those
/// that name no algorithm are of `bare`.
pub(crate) fn parse(line: &[u8], bare: Algorithm) -> Line {
    if line.is_empty() || line[0] == b'#' {
        return Line::Blank;
    }
    entry(line, bare).unwrap_or(Line::Improper)
}

fn entry(line: &[u8], bare: Algorithm) -> Option<Line> {
    let start = line.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    let line = &line[start..];
    let (is_escaped, line) = match line.strip_prefix(b"\\") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let tagged = tagged(line);
    let is_tagged = tagged.is_some();
    let (digests, name) = match tagged {
        Some((digest, name)) => (vec![digest?], name),
        None => plain(line, bare)?,
    };
    let name = if is_escaped {
        names::unescape(name)?
    } else {
        name.to_vec()
    };
    let algorithms = digests.iter().map(AlgorithmDigest::algorithm);
    // No file has such a name, and two digests of one algorithm contradict each other.
    if name.is_empty() || name.contains(&0) || Algorithm::repeated(algorithms).is_some() {
        return None;
    }
    Some(Line::Entry {
        digests,
        is_tagged,
        name,
    })
}

fn plain(line: &[u8], bare: Algorithm) -> Option<(Vec<AlgorithmDigest>, &[u8])> {
    // No encoding has a star, or two spaces side by side.
    let mut pairs = line.windows(2);
    let end = pairs.position(|pair| pair == b"  " || pair == b" *")?;
    let (digests, name) = (&line[..end], &line[end + 2..]);
    let digests = values::parse(str::from_utf8(digests).ok()?, bare).ok()?;
    Some((digests, name))
}

/// The digest, if it is one, and the name of a line of BSD style.
fn tagged(line: &[u8]) -> Option<(Option<AlgorithmDigest>, &[u8])> {
    let tag = line.iter().position(|byte| *byte == b' ')?;
    let rest = line[tag..].strip_prefix(b" (")?;
    let algorithm = algorithms::of_tag(&line[..tag])?;
    // The name may hold the separator: the last one counts.
    let separator = rest.windows(4).rposition(|bytes| bytes == b") = ")?;
    let digest = str::from_utf8(&rest[separator + 4..]).ok();
    let digest = digest.and_then(|text| values::decode(text, algorithm).ok());
    Some((digest, &rest[..separator]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const BASE64: &str = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

    fn name_of(line: &str) -> Option<String> {
        match parse(line.as_bytes(), Algorithm::Sha256) {
            Line::Entry { digests, name, .. } => {
                assert_eq!(digests.len(), 1);
                assert_eq!(digests[0].to_string(), format!("sha256:{HEX}"));
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
            (format!("sha256:{HEX}  a"), "a"),
            (format!("{BASE64}  a"), "a"),
            (format!("SHA256 (a) = {BASE64}"), "a"),
            (format!("sha256-{BASE64}  a  b"), "a  b"),
            (format!("sha-256=:{BASE64}: *a"), "a"),
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
            format!("sha256 (a) = {HEX}"),
            format!("SHA257 (a) = {HEX}"),
            format!("md5:{HEX}  a"),
            format!("sha-256=:{BASE64}:, sha-256=:{BASE64}  a"),
            format!("SHA256 (a) {HEX}"),
            format!("SHA256 () = {HEX}"),
            format!("SHA256 (a) = {}", &HEX[1..]),
        ] {
            assert_eq!(
                parse(line.as_bytes(), Algorithm::Sha256),
                Line::Improper,
                "{line:?}"
            );
        }
        assert_eq!(parse(b"", Algorithm::Sha256), Line::Blank);
        assert_eq!(parse(b"# a comment", Algorithm::Sha256), Line::Blank);
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
