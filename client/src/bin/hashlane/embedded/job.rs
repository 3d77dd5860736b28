//! A source that is being hashed.

use hashlane_client::AlgorithmDigest;
use hashlane_engine::{Algorithm, Digest};

use crate::algorithms;
use crate::parts::Parts;
use crate::task_dispatch::{Numbered, Reported};
use crate::tasks::{Digested, Outcome, Task};

/// A task, and the state of its source.
pub(super) struct Job {
    pub(super) number: u64,
    pub(super) task: Task,
    /// The algorithms to hash with, each once.
    pub(super) algorithms: Vec<Algorithm>,
    size_bytes: u64,
    parts: Option<Parts>,
}

impl Job {
    /// Begins the task. Returns an outcome if the engine lacks one of its algorithms.
    pub(super) fn begin((number, task): Numbered) -> Result<Self, Reported> {
        let named = task.algorithms().into_iter().map(|name| {
            let refused = || {
                let why = format!("{name} is not built in; servers may have it");
                (number, Outcome::Refused(why))
            };
            algorithms::of_engine(name).ok_or_else(refused)
        });
        let algorithms: Vec<_> = named.collect::<Result<_, _>>()?;
        let part_bytes = task.part_bytes();
        Ok(Self {
            number,
            parts: part_bytes.map(|bytes| Parts::new(bytes, &algorithms)),
            task,
            algorithms,
            size_bytes: 0,
        })
    }

    /// Counts bytes that were read.
    pub(super) fn read(&mut self, data: &[u8]) {
        self.size_bytes += data.len() as u64;
        if let Some(parts) = &mut self.parts {
            parts.update(data);
        }
    }

    /// The outcome, from the digests of all bytes read.
    pub(super) fn finish(self, digests: &[(Algorithm, Digest)]) -> Reported {
        // In the order of the request.
        let of = |algorithm: &Algorithm| {
            let (_, digest) = digests.iter().find(|(name, _)| name == algorithm)?;
            algorithms::label(*algorithm, digest)
        };
        let digests: Vec<AlgorithmDigest> = self.algorithms.iter().filter_map(of).collect();
        let composites = self.parts.map(Parts::finish).transpose();
        let outcome = match composites {
            Err(error) => Outcome::Refused(error.to_string()),
            Ok(composites) => self.task.outcome(Digested {
                size_bytes: self.size_bytes,
                digests,
                composites: composites.unwrap_or_default(),
            }),
        };
        (self.number, outcome)
    }
}
