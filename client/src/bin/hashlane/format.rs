//! The lines that `hashlane sum` prints.
//!
//! ```text
//! DIGEST  NAME                   one algorithm, as sha256sum has it
//! SHA256 (NAME) = DIGEST         several, as `cksum` has it
//! SHA256-COMPOSITE (NAME) = ...  of a file in parts
//! {"digests": {"sha256": ...}}   JSON, a line for each file
//! ```

use std::ffi::OsStr;
use std::num::NonZeroU64;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use hashlane_client::{Algorithm, AlgorithmDigest};
use hashlane_engine::encoding::Encoding;
use serde_json::{Map, Value, json};

use crate::args::Sum;
use crate::parts::Parts;
use crate::tasks::Digested;
use crate::{algorithms, escaped_names, values};

/// The form of the lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    encoding: Encoding,
    style: Style,
    /// The part size of COMPOSITE values.
    part_bytes: Option<NonZeroU64>,
    zero: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// As in sha256sum.
    Plain,
    /// A BSD-style line per digest, which names the algorithm.
    Tagged,
    Json,
}

impl Format {
    /// The format that the arguments request, or an error if it is not possible.
    pub(crate) fn of(arguments: &Sum, algorithms: &[Algorithm]) -> Result<Self, String> {
        algorithms::named_twice("--algorithm", algorithms.iter().copied())?;
        let encoding = arguments.encoding;
        for algorithm in algorithms {
            let zeros = vec![0; algorithm.digest_bytes()];
            let digest = AlgorithmDigest::new(*algorithm, &zeros);
            let digest = digest.map_err(|error| error.to_string())?;
            if values::encode(encoding, &digest).is_none() {
                return Err(format!("--encoding {encoding} has no name for {algorithm}"));
            }
        }
        let is_labelled = values::is_labelled(encoding);
        let has_parts = arguments.part_size.is_some();
        for (option, is_given) in [
            ("--tag", arguments.tag),
            ("--part-size", has_parts && !arguments.json),
        ] {
            if is_given && is_labelled {
                return Err(format!(
                    "{option} goes with --encoding hex and base64: {encoding} names the \
                     algorithm itself"
                ));
            }
        }
        if has_parts {
            for algorithm in algorithms {
                let engine = algorithms::of_engine(*algorithm);
                let engine = engine.ok_or_else(|| format!("{algorithm} is not built in"))?;
                Parts::check(engine).map_err(|e| format!("--part-size: {algorithm}: {e}"))?;
            }
        }
        let is_tagged = arguments.tag || has_parts || (algorithms.len() > 1 && !is_labelled);
        Ok(Self {
            encoding,
            style: match (arguments.json, is_tagged) {
                (true, _) => Style::Json,
                (false, true) => Style::Tagged,
                (false, false) => Style::Plain,
            },
            part_bytes: arguments.part_size,
            zero: arguments.zero,
        })
    }

    /// The lines for one file.
    pub(crate) fn lines(self, digested: &Digested, name: &OsStr) -> Vec<u8> {
        let bytes = escaped_names::bytes(name);
        let digests = digested.digests.iter();
        let texts: Vec<(Algorithm, String)> = digests
            .map(|digest| {
                let text = values::encode(self.encoding, digest);
                let text = text.expect("looked at before the first file");
                (digest.algorithm(), text)
            })
            .collect();
        let mut lines = Vec::new();
        match self.style {
            Style::Json => return self.json(digested, &texts, name),
            Style::Tagged => {
                for (algorithm, text) in &texts {
                    self.line(Some(&algorithms::tag(*algorithm)), text, bytes, &mut lines);
                }
                for ((algorithm, _), value) in texts.iter().zip(&digested.composites) {
                    let tag = format!("{}-COMPOSITE", algorithms::tag(*algorithm));
                    self.line(Some(&tag), value, bytes, &mut lines);
                }
            }
            Style::Plain => {
                let texts = texts.into_iter().map(|(_, text)| text);
                let separator = match self.encoding {
                    // Both encodings can list several digests.
                    Encoding::Sri => Some(" "),
                    Encoding::Rfc9530 => Some(", "),
                    _ => None,
                };
                let texts: Vec<String> = match separator {
                    Some(separator) => vec![texts.collect::<Vec<_>>().join(separator)],
                    None => texts.collect(),
                };
                for text in &texts {
                    self.line(None, text, bytes, &mut lines);
                }
            }
        }
        lines
    }

    /// The line for a file that could not be digested, if the format has one.
    pub(crate) fn fault(self, name: &OsStr, fault: &str) -> Option<Vec<u8>> {
        let mut object = json_name(name);
        object.insert("error".to_owned(), fault.into());
        (self.style == Style::Json).then(|| format!("{}\n", Value::Object(object)).into_bytes())
    }

    fn json(self, digested: &Digested, texts: &[(Algorithm, String)], name: &OsStr) -> Vec<u8> {
        let by_name = |values: &[String]| -> Map<String, Value> {
            let algorithms = texts
                .iter()
                .map(|(algorithm, _)| algorithm.name().to_owned());
            algorithms
                .zip(values.iter().map(|v| v.as_str().into()))
                .collect()
        };
        let digests: Vec<String> = texts.iter().map(|(_, text)| text.clone()).collect();
        let mut object = json_name(name);
        object.insert("size_bytes".to_owned(), digested.size_bytes.into());
        object.insert("digests".to_owned(), by_name(&digests).into());
        if let Some(part_bytes) = self.part_bytes {
            object.insert("part_size_bytes".to_owned(), json!(part_bytes));
            object.insert(
                "composites".to_owned(),
                by_name(&digested.composites).into(),
            );
        }
        format!("{}\n", Value::Object(object)).into_bytes()
    }

    fn line(self, tag: Option<&str>, digest: &str, name: &[u8], line: &mut Vec<u8>) {
        let escaped = if self.zero {
            name.into()
        } else {
            escaped_names::escape(name)
        };
        if escaped.len() != name.len() {
            line.push(b'\\');
        }
        if let Some(tag) = tag {
            line.extend_from_slice(tag.as_bytes());
            line.extend_from_slice(b" (");
            line.extend_from_slice(&escaped);
            line.extend_from_slice(b") = ");
            line.extend_from_slice(digest.as_bytes());
        } else {
            line.extend_from_slice(digest.as_bytes());
            line.extend_from_slice(b"  ");
            line.extend_from_slice(&escaped);
        }
        line.push(if self.zero { 0 } else { b'\n' });
    }
}

/// The name: as text, or in base64 if it is not UTF-8.
fn json_name(name: &OsStr) -> Map<String, Value> {
    let (key, value) = match name.to_str() {
        Some(name) => ("file", name.to_owned()),
        None => {
            let bytes = escaped_names::bytes(name);
            ("file_base64", BASE64.encode(bytes))
        }
    };
    [(key.to_owned(), value.into())].into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(tag: bool, zero: bool, name: &str) -> String {
        let format = Format {
            encoding: Encoding::Hex,
            style: if tag { Style::Tagged } else { Style::Plain },
            part_bytes: None,
            zero,
        };
        let digested = Digested {
            size_bytes: 1,
            digests: vec![AlgorithmDigest::sha256([0xab; 32])],
            composites: Vec::new(),
        };
        String::from_utf8(format.lines(&digested, OsStr::new(name))).unwrap()
    }

    #[test]
    fn lines_are_those_of_sha256sum() {
        let digest = "ab".repeat(32);
        assert_eq!(line(false, false, "a b"), format!("{digest}  a b\n"));
        assert_eq!(line(false, false, "a\nb"), format!("\\{digest}  a\\nb\n"));
        assert_eq!(line(true, false, "a"), format!("SHA256 (a) = {digest}\n"));
        assert_eq!(
            line(true, false, "\\"),
            format!("\\SHA256 (\\\\) = {digest}\n")
        );
        assert_eq!(line(false, true, "a\nb"), format!("{digest}  a\nb\0"));
    }
}
