//! `hashlane sum`: digests in the format of sha256sum, md5sum and the like.

use std::path::PathBuf;
use std::sync::Arc;

use hashlane_client::{Algorithm, AlgorithmDigest};
use hashlane_engine::encoding::Encoding;

use crate::args::Sum;
use crate::names;
use crate::output::Output;
use crate::work::{Hasher, Outcome, Sink, Source, Stop, Task, Want, plain};
use crate::{algorithms, values};

/// Returns whether every file was digested.
pub(crate) fn run(arguments: &Sum, output: &mut Output) -> Result<bool, Stop> {
    let algorithms: Arc<[Algorithm]> = match arguments.algorithms.as_slice() {
        [] => [Algorithm::Sha256].into(),
        algorithms => algorithms.into(),
    };
    let format = Format::of(arguments, &algorithms);
    let format = format.map_err(|fault| Stop::Trouble(format!("sum: {fault}")))?;
    if arguments.place.progress {
        output.show_progress();
    }
    let hasher = Hasher::of(&arguments.place, output.progress())?;
    let mut lines = Lines {
        output,
        format,
        is_good: true,
    };
    let tasks = arguments.files.iter().map(|path| {
        let task = Task {
            source: Source::of(path.clone()),
            want: Want::Digests(Arc::clone(&algorithms)),
        };
        (task, path)
    });
    hasher.run(tasks, &mut lines)?;
    Ok(lines.is_good)
}

struct Lines<'a> {
    output: &'a mut Output,
    format: Format,
    is_good: bool,
}

impl Sink<&PathBuf> for Lines<'_> {
    fn done(&mut self, path: &PathBuf, outcome: Outcome) -> Result<(), Stop> {
        let name = path.as_os_str();
        let fault = match outcome {
            Outcome::Digests(digests) => {
                let lines = self.format.lines(&digests, names::bytes(name));
                return Ok(self.output.write(&lines)?);
            }
            Outcome::Verdict { .. } => unreachable!("no verdict was asked for"),
            Outcome::Unreadable(error) => plain(&error),
            Outcome::Refused(message) => message,
        };
        self.is_good = false;
        let name = names::shown(name);
        Ok(self.output.complain(format_args!("{name}: {fault}"))?)
    }

    fn flush(&mut self) -> Result<(), Stop> {
        Ok(self.output.flush()?)
    }
}

#[derive(Debug, Clone, Copy)]
struct Format {
    encoding: Encoding,
    /// Each digest in a line of BSD style, which names the algorithm.
    tag: bool,
    zero: bool,
}

impl Format {
    /// What was asked for, if it can be had.
    fn of(arguments: &Sum, algorithms: &[Algorithm]) -> Result<Self, String> {
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
        if arguments.tag && is_labelled {
            return Err(format!(
                "--tag goes with --encoding hex and base64: {encoding} names the algorithm itself"
            ));
        }
        Ok(Self {
            encoding,
            tag: arguments.tag || (algorithms.len() > 1 && !is_labelled),
            zero: arguments.zero,
        })
    }

    /// A file's lines.
    fn lines(self, digests: &[AlgorithmDigest], name: &[u8]) -> Vec<u8> {
        let texts = digests.iter().map(|digest| {
            let text = values::encode(self.encoding, digest);
            (digest, text.expect("looked at before the first file"))
        });
        let mut lines = Vec::new();
        let separator = match self.encoding {
            Encoding::Sri => " ",
            Encoding::Rfc9530 => ", ",
            _ => {
                for (digest, text) in texts {
                    let tag = self.tag.then(|| algorithms::tag(digest.algorithm()));
                    self.line(tag.as_deref(), &text, name, &mut lines);
                }
                return lines;
            }
        };
        // Both have a form for several at once.
        let texts: Vec<_> = texts.map(|(_, text)| text).collect();
        self.line(None, &texts.join(separator), name, &mut lines);
        lines
    }

    fn line(self, tag: Option<&str>, digest: &str, name: &[u8], line: &mut Vec<u8>) {
        let escaped = if self.zero {
            name.into()
        } else {
            names::escape(name)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(tag: bool, zero: bool, name: &str) -> String {
        let digest = AlgorithmDigest::sha256([0xab; 32]);
        let format = Format {
            encoding: Encoding::Hex,
            tag,
            zero,
        };
        String::from_utf8(format.lines(&[digest], name.as_bytes())).unwrap()
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
