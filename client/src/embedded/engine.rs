//! The engine of a client: its workers.

use std::thread;

use hashlane_engine::Shared;

use crate::error::{Error, Result};

/// The maximum number of workers.
const WORKERS_MAX: usize = 256;

/// The engine of a client. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Embedded {
    pub(super) shared: Shared,
    pub(super) workers: usize,
}

impl Embedded {
    /// Starts an engine with as many workers as `endpoint` says after `embedded:`.
    ///
    /// # Errors
    /// [`Error::Config`] if that is no number or out of bounds, [`Error::Connect`] if a thread
    /// cannot be started.
    pub(crate) fn start(endpoint: &str, workers: &str) -> Result<Self> {
        let workers = match workers {
            "" => workers_default(),
            number => number_of(number).ok_or_else(|| {
                Error::Config(format!(
                    "invalid endpoint {endpoint:?}: embedded:N has 1 to {WORKERS_MAX} workers; a \
                     server of this name is http://{endpoint}"
                ))
            })?,
        };
        let shared = Shared::new(workers).map_err(|error| Error::Connect {
            endpoint: endpoint.to_owned(),
            message: error.to_string(),
        })?;
        Ok(Self { shared, workers })
    }
}

fn number_of(workers: &str) -> Option<usize> {
    let is_number = workers.bytes().all(|digit| digit.is_ascii_digit());
    let number = workers.parse().ok().filter(|_| is_number)?;
    (1..=WORKERS_MAX).contains(&number).then_some(number)
}

/// A quarter of the CPUs that this process may use, at least one.
pub(super) fn workers_default() -> usize {
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    (cpus / 4).clamp(1, WORKERS_MAX)
}
