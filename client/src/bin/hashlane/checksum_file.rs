//! Parses the lines of checksum files.
//!
//! Why the rules of coreutils apply: scripts use `hashlane check` in place of `sha256sum -c`. The
//! first plain line of a run decides whether one or two characters separate digest and name.
//! Otherwise a list with both could hide another file behind a name that begins with a space or
//! `*`. deploy/tests/check.sh compares output and exit codes with coreutils.

use std::io::{self, BufRead, Read as _};

use hashlane_client::{Algorithm, AlgorithmDigest};

use crate::{algorithms, escaped_names, values};

/// Longest line that is parsed: a digest and the longest escaped path of common systems. Longer
/// lines are skipped, so that a file without line ends is not loaded whole.
const LINE_BYTES_MAX: usize = 64 << 10;

/// The contents of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Entry {
        /// At least one, each of a different algorithm.
        digests: Vec<AlgorithmDigest>,
        /// The line is BSD-style: the next one may have another digest of the same file.
        is_tagged: bool,
        /// The name as in the file system.
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

/// The separator between digest and name. The first plain line decides it for all others.
///
/// Usually it is two characters, of which the second is a space or `*`; some BSD tools write one. A
/// list with both could hide another file behind a name that begins with a space or `*`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Separator {
    #[default]
    Undecided,
    One,
    Two,
}

/// Parses a line without its end, as coreutils do:
///
/// ```text
/// DIGEST  NAME    DIGEST *NAME    DIGEST NAME
/// ALGORITHM (NAME) = DIGEST       ALGORITHM(NAME)= DIGEST
/// ```
///
/// White space, and a backslash if the name is escaped, may come first. Digests are in any encoding
/// that [`values::parse`] reads; digests without an algorithm use `bare`.
pub(crate) fn parse(line: &[u8], bare: Algorithm, separator: &mut Separator) -> Line {
    if line.is_empty() || line[0] == b'#' {
        return Line::Blank;
    }
    entry(line, bare, separator).unwrap_or(Line::Improper)
}

fn entry(line: &[u8], bare: Algorithm, separator: &mut Separator) -> Option<Line> {
    let start = line.iter().position(|byte| !is_white(*byte))?;
    let line = &line[start..];
    let (is_escaped, line) = match line.strip_prefix(b"\\") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let tagged = tagged(line);
    let is_tagged = tagged.is_some();
    let (digests, name) = match tagged {
        Some((digest, name)) => (vec![digest], name),
        None => plain(line, bare, separator)?,
    };
    let name = if is_escaped {
        escaped_names::unescape(name)?
    } else {
        name.to_vec()
    };
    let algorithms = digests.iter().map(AlgorithmDigest::algorithm);
    // No file has such a name, and two digests of one algorithm may contradict each other.
    if name.is_empty() || name.contains(&0) || Algorithm::repeated(algorithms).is_some() {
        return None;
    }
    Some(Line::Entry {
        digests,
        is_tagged,
        name,
    })
}

fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn plain<'a>(
    line: &'a [u8],
    bare: Algorithm,
    separator: &mut Separator,
) -> Option<(Vec<AlgorithmDigest>, &'a [u8])> {
    let (digests, rest) = digests(line, bare)?;
    let after_two = rest.strip_prefix(b" ").or(rest.strip_prefix(b"*"));
    let (found, name) = match after_two {
        Some(name) if !name.is_empty() => (Separator::Two, name),
        _ => (Separator::One, rest),
    };
    let name = match (*separator, found) {
        // A second separator character belongs to the name.
        (Separator::One, _) => rest,
        (Separator::Two, Separator::One) => return None,
        _ => {
            *separator = found;
            name
        }
    };
    Some((digests, name))
}

/// The digests at the start of a line, and the text after the separator's first character.
fn digests(line: &[u8], bare: Algorithm) -> Option<(Vec<AlgorithmDigest>, &[u8])> {
    // Several digests have spaces between them, so look for two characters first. No encoding
    // contains a star or two consecutive spaces.
    let is_end = |pair: &[u8]| is_white(pair[0]) && matches!(pair[1], b' ' | b'*');
    let two = line.windows(2).position(is_end);
    let one = line.iter().position(|byte| is_white(*byte));
    [two, one].into_iter().flatten().find_map(|end| {
        let text = str::from_utf8(&line[..end]).ok()?;
        Some((values::parse(text, bare).ok()?, &line[end + 1..]))
    })
}

/// The digest and the name of a line in BSD or OpenSSL style.
fn tagged(line: &[u8]) -> Option<(AlgorithmDigest, &[u8])> {
    let open = line.iter().position(|byte| *byte == b'(')?;
    let tag = line[..open].strip_suffix(b" ").unwrap_or(&line[..open]);
    let algorithm = algorithms::of_tag(tag)?;
    let rest = &line[open + 1..];
    // The name may contain a parenthesis, so the last one counts.
    let close = rest.iter().rposition(|byte| *byte == b')')?;
    let digest = trim(&rest[close + 1..]).strip_prefix(b"=")?;
    let digest = str::from_utf8(trim(digest)).ok()?;
    let digest = values::decode(digest, algorithm).ok()?;
    Some((digest, &rest[..close]))
}

/// Removes leading white space.
fn trim(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_white(*byte));
    &text[start.unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const BASE64: &str = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

    fn name_of(line: &str) -> Option<String> {
        match parse(
            line.as_bytes(),
            Algorithm::Sha256,
            &mut Separator::default(),
        ) {
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
            (format!("{HEX} a"), "a"),
            (format!("{HEX}\ta"), "a"),
            (format!("{HEX}\t a"), "a"),
            (format!("{HEX} a  b"), "a  b"),
            (format!("{HEX}  "), " "),
            (format!("{HEX} *"), "*"),
            (format!("sha256:{HEX} a  b"), "a  b"),
            (format!("SHA256(a)= {HEX}"), "a"),
            (format!("SHA2-256(a)= {HEX}"), "a"),
            (format!("SHA256 (a)={HEX}"), "a"),
            (format!("SHA256 (a)\t=\t {HEX}"), "a"),
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
            format!("SHA256  (a) = {HEX}"),
            format!("SHA256 (a) = {HEX} "),
            format!("SHA256 (a = {HEX}"),
            format!("SHA256 () = {HEX}"),
            format!("SHA256 (a) = {}", &HEX[1..]),
        ] {
            let parsed = parse(
                line.as_bytes(),
                Algorithm::Sha256,
                &mut Separator::default(),
            );
            assert_eq!(parsed, Line::Improper, "{line:?}");
        }
        for line in [&b""[..], b"# a comment"] {
            let parsed = parse(line, Algorithm::Sha256, &mut Separator::default());
            assert_eq!(parsed, Line::Blank);
        }
    }

    #[test]
    fn the_first_plain_line_decides_what_separates() {
        let (two, one) = (format!("{HEX}  a"), format!("{HEX} a"));
        let mut separator = Separator::default();
        let mut name = |line: &str| match parse(line.as_bytes(), Algorithm::Sha256, &mut separator)
        {
            Line::Entry { name, .. } => Some(String::from_utf8(name).unwrap()),
            _ => None,
        };
        assert_eq!(name(&format!("SHA256 (a) = {HEX}")).as_deref(), Some("a"));
        assert_eq!(name(&two).as_deref(), Some("a"));
        assert_eq!(name(&one), None);
        assert_eq!(name(&format!("{HEX} *a")).as_deref(), Some("a"));
        let mut separator = Separator::One;
        let second = parse(two.as_bytes(), Algorithm::Sha256, &mut separator);
        let Line::Entry { name, .. } = second else {
            panic!("{second:?}");
        };
        assert_eq!(name, b" a");
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
