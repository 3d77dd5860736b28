//! What both ways of hashing take and give.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use hashlane_client::{Algorithm, AlgorithmDigest};
use indicatif::ProgressBar;

use crate::args::Place;
use crate::embedded::Embedded;
use crate::remote::Remote;

/// Where bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
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
}

/// One source to hash.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) source: Source,
    pub(crate) want: Want,
}

/// What is wanted of a source.
#[derive(Debug, Clone)]
pub(crate) enum Want {
    /// Digests, in this order.
    Digests(Arc<[Algorithm]>),
    /// Whether it has these digests.
    Verdict(Vec<AlgorithmDigest>),
}

impl Task {
    /// The algorithms to hash with, each once.
    pub(crate) fn algorithms(&self) -> Vec<Algorithm> {
        match &self.want {
            Want::Digests(algorithms) => algorithms.to_vec(),
            Want::Verdict(expected) => expected.iter().map(AlgorithmDigest::algorithm).collect(),
        }
    }

    /// The outcome of digests computed here, in the order of the algorithms.
    pub(crate) fn outcome(&self, digests: Vec<AlgorithmDigest>) -> Outcome {
        match &self.want {
            Want::Digests(_) => Outcome::Digests(digests),
            Want::Verdict(expected) => {
                let wrong = expected.iter().filter(|digest| !digests.contains(digest));
                Outcome::Verdict {
                    wrong: wrong.map(AlgorithmDigest::algorithm).collect(),
                }
            }
        }
    }
}

/// What became of a task.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    Digests(Vec<AlgorithmDigest>),
    Verdict {
        /// The algorithms whose digest is not the expected one.
        wrong: Vec<Algorithm>,
    },
    /// The source could not be opened or read.
    Unreadable(Arc<io::Error>),
    /// The server would not answer for this source, or the engine lacks an algorithm.
    Refused(String),
}

/// Why the whole run ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Standard output cannot be written.
    Output(io::Error),
    /// Nothing further can be hashed.
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
    /// Nothing more is ready right now.
    fn flush(&mut self) -> Result<(), Stop>;
}

/// One of the two ways of hashing.
pub(crate) enum Hasher {
    Embedded(Embedded),
    Remote(Remote),
}

impl Hasher {
    pub(crate) fn of(place: &Place, progress: &ProgressBar) -> Result<Self, Stop> {
        Ok(match &place.server.url {
            None => Self::Embedded(Embedded::new(place.jobs, progress.clone())),
            Some(url) => Self::Remote(Remote::connect(url, place, progress.clone())?),
        })
    }

    /// Hashes all tasks. Each has a label, which comes back with its outcome.
    pub(crate) fn run<L>(
        &self,
        tasks: impl Iterator<Item = (Task, L)>,
        sink: &mut impl Sink<L>,
    ) -> Result<(), Stop> {
        match self {
            Self::Embedded(embedded) => embedded.run(tasks, sink),
            Self::Remote(remote) => remote.run(tasks, sink),
        }
    }
}

/// An error of the system as other tools word it, without Rust's number.
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
