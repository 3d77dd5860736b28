//! Tasks and their outcomes, as both ways of hashing use them.

use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;

use hashlane_client::{Algorithm, AlgorithmDigest};

/// Where bytes come from.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
    /// A regular file found in a folder.
    Found(PathBuf),
    /// An entry that could not be read.
    Lost(Arc<io::Error>),
}

impl Source {
    /// `-` is standard input.
    pub(crate) fn of(path: PathBuf) -> Self {
        if path.as_os_str() == "-" {
            Self::Stdin
        } else {
            Self::File(path)
        }
    }

    /// Whether a read may wait for another process, and each byte can be read only once: pipes,
    /// sockets, terminals. A directory or a missing file fails at once.
    pub(crate) fn may_wait(&self) -> bool {
        match self {
            Self::Stdin => true,
            Self::Found(_) | Self::Lost(_) => false,
            Self::File(path) => std::fs::metadata(path).is_ok_and(|metadata| {
                #[cfg(unix)]
                if std::os::unix::fs::FileTypeExt::is_block_device(&metadata.file_type()) {
                    return false;
                }
                !metadata.is_file() && !metadata.is_dir()
            }),
        }
    }

    /// Opens the file. Not for standard input.
    pub(crate) fn open(&self) -> io::Result<File> {
        match self {
            Self::File(path) | Self::Found(path) => File::open(path),
            Self::Lost(error) => Err(io::Error::new(error.kind(), Arc::clone(error))),
            Self::Stdin => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// One source to hash.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) source: Source,
    pub(crate) want: Want,
}

/// The result to compute for a source.
#[derive(Debug, Clone)]
pub(crate) enum Want {
    Digests(Arc<Wanted>),
    /// Whether the source has these digests.
    Verdict(Vec<AlgorithmDigest>),
}

/// The digests to compute.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// The algorithms, in the order of the output.
    pub(crate) algorithms: Vec<Algorithm>,
    /// Also S3's COMPOSITE of each, for an object in parts of this many bytes.
    pub(crate) part_bytes: Option<NonZeroU64>,
}

impl Task {
    /// The algorithms to hash with, each once.
    pub(crate) fn algorithms(&self) -> Vec<Algorithm> {
        match &self.want {
            Want::Digests(wanted) => wanted.algorithms.clone(),
            Want::Verdict(expected) => expected.iter().map(AlgorithmDigest::algorithm).collect(),
        }
    }

    /// The part size, if COMPOSITE values are wanted.
    pub(crate) fn part_bytes(&self) -> Option<NonZeroU64> {
        match &self.want {
            Want::Digests(wanted) => wanted.part_bytes,
            Want::Verdict(_) => None,
        }
    }

    /// The outcome of a task, from digests computed locally.
    pub(crate) fn outcome(&self, digested: Digested) -> Outcome {
        match &self.want {
            Want::Digests(_) => Outcome::Digests(digested),
            Want::Verdict(expected) => {
                let computed = &digested.digests;
                let wrong = expected.iter().filter(|digest| !computed.contains(digest));
                Outcome::Verdict {
                    wrong: wrong.map(AlgorithmDigest::algorithm).collect(),
                }
            }
        }
    }
}

/// The values computed from a source.
#[derive(Debug, Clone)]
pub(crate) struct Digested {
    pub(crate) size_bytes: u64,
    /// In the order of the algorithms.
    pub(crate) digests: Vec<AlgorithmDigest>,
    /// S3's COMPOSITE values, if requested, in the same order.
    pub(crate) composites: Vec<String>,
}

/// The outcome of a task.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    Digests(Digested),
    Verdict {
        /// The algorithms whose digest differs from the expected one.
        wrong: Vec<Algorithm>,
    },
    /// The source could not be opened or read.
    Unreadable(Arc<io::Error>),
    /// The server refused this source, or the engine lacks an algorithm.
    Refused(String),
}

/// The reason why the whole run ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Standard output cannot be written.
    Output(io::Error),
    /// No more sources can be hashed.
    Trouble(String),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<hashlane_client::Error> for Stop {
    fn from(error: hashlane_client::Error) -> Self {
        Self::Trouble(error.to_string())
    }
}

/// Takes outcomes in the order of the tasks.
pub(crate) trait Sink<L> {
    fn done(&mut self, label: L, outcome: Outcome) -> Result<(), Stop>;
    /// Called when no further outcome is ready.
    fn flush(&mut self) -> Result<(), Stop>;
}

/// The text of a system error without Rust's error number, as in other tools.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match error.raw_os_error() {
        None => text,
        Some(number) => text
            .strip_suffix(&format!(" (os error {number})"))
            .unwrap_or(&text)
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_errors_are_worded_plainly() {
        let error = std::fs::File::open("/no/such/file").unwrap_err();
        assert_eq!(plain(&error), "No such file or directory");
        assert_eq!(plain(&io::Error::other("odd")), "odd");
    }
}
