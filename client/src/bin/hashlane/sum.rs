//! `hashlane sum`: digests in sha256sum's format.

use std::path::PathBuf;

use hashlane_client::{Digest, hex};

use crate::args::Sum;
use crate::names;
use crate::output::Output;
use crate::work::{Hasher, Outcome, Sink, Source, Stop, Task, plain};

/// Returns whether every file was digested.
pub(crate) fn run(arguments: &Sum, output: &mut Output) -> Result<bool, Stop> {
    if arguments.place.progress {
        output.show_progress();
    }
    let hasher = Hasher::of(&arguments.place, output.progress())?;
    let mut lines = Lines {
        output,
        format: Format {
            tag: arguments.tag,
            zero: arguments.zero,
        },
        is_good: true,
    };
    let tasks = arguments.files.iter().map(|path| {
        let task = Task {
            source: Source::of(path.clone()),
            expected: None,
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
            Outcome::Digest(digest) => {
                let line = self.format.line(&digest, names::bytes(name));
                return Ok(self.output.write(&line)?);
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
    tag: bool,
    zero: bool,
}

impl Format {
    fn line(self, digest: &Digest, name: &[u8]) -> Vec<u8> {
        let digest = hex::encode(digest);
        let escaped = if self.zero {
            name.into()
        } else {
            names::escape(name)
        };
        let mut line = Vec::with_capacity(escaped.len() + 80);
        if escaped.len() != name.len() {
            line.push(b'\\');
        }
        if self.tag {
            line.extend_from_slice(b"SHA256 (");
            line.extend_from_slice(&escaped);
            line.extend_from_slice(b") = ");
            line.extend_from_slice(digest.as_bytes());
        } else {
            line.extend_from_slice(digest.as_bytes());
            line.extend_from_slice(b"  ");
            line.extend_from_slice(&escaped);
        }
        line.push(if self.zero { 0 } else { b'\n' });
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(tag: bool, zero: bool, name: &str) -> String {
        let format = Format { tag, zero };
        String::from_utf8(format.line(&[0xab; 32], name.as_bytes())).unwrap()
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
