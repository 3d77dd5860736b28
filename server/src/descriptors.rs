//! File descriptors: the limit of the process, and the need of the settings.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Settings;
use crate::limits::MEMORY_REGIONS_MAX;

/// Descriptors of a connection: its socket.
const OF_CONNECTION: u64 = 1;

/// Descriptors of a worker: its runtime's, and the files of its thread's state.
const OF_WORKER: u64 = 6;

/// Descriptors of the process: listeners, admin connections, standard streams, and spare ones.
const OF_PROCESS: u64 = 128;

/// Raises the process's soft limit to its hard limit.
///
/// # Errors
/// The system does not allow it.
pub fn raise_descriptors() -> io::Result<()> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        let current = maximum;
        setrlimit(Resource::Nofile, Rlimit { current, maximum })?;
    }
    Ok(())
}

/// Warns if `workers` and their connections may need more than the limit.
pub(crate) fn warn_of_too_few(settings: &Settings, workers: usize) {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let regions = if settings.shares_memory() {
        MEMORY_REGIONS_MAX
    } else {
        0
    };
    let needed = needed(settings.connections_max, workers, regions);
    if limit < needed {
        tracing::warn!(
            limit,
            needed,
            connections_max = settings.connections_max,
            "the limit of file descriptors is too low for the settings: accepting will pause"
        );
    }
}

fn needed(connections_max: usize, workers: usize, regions: usize) -> u64 {
    regions as u64
        + OF_CONNECTION * connections_max as u64
        + OF_WORKER * workers as u64
        + OF_PROCESS
}
