//! Where files are hashed: locally or on a server.

use indicatif::ProgressBar;

use crate::args::Place;
use crate::embedded::Embedded;
use crate::remote::Remote;
use crate::tasks::{Sink, Stop, Task};

/// One of the two ways of hashing.
pub(crate) enum Hasher {
    Embedded(Embedded),
    Remote(Remote),
}

impl Hasher {
    pub(crate) fn of(place: &Place, progress: &ProgressBar) -> Result<Self, Stop> {
        Ok(if place.server.urls.is_empty() {
            Self::Embedded(Embedded::new(place.jobs, place.mmap, progress.clone()))
        } else {
            Self::Remote(Remote::connect(place, progress.clone())?)
        })
    }

    /// Hashes all tasks. Each has a label, which is returned with its outcome.
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
