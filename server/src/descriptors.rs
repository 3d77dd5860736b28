//! File descriptors: the limit of the process, and the need of the settings.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Settings;
use crate::limits::MEMORY_REGIONS_MAX;

/// Descriptors of a worker: its runtime's, and the files of its thread's state.
const OF_WORKER: u64 = 6;

/// Descriptors of the process: listeners, admin connections, standard streams, connections that are
/// being accepted or refused, and files that are being read.
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

/// Lowers `connections_max` if `workers` and as many connections may need more than the limit. So
/// the admin port always has descriptors, and accepting need not pause.
pub(crate) fn fit(settings: &mut Settings, workers: usize) {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let regions = if settings.shares_memory() {
        MEMORY_REGIONS_MAX as u64
    } else {
        0
    };
    let others = OF_WORKER * workers as u64 + regions + OF_PROCESS;
    let fitting = usize::try_from(limit.saturating_sub(others)).unwrap_or(usize::MAX);
    let fitting = fitting.max(1);
    if fitting < settings.connections_max {
        tracing::warn!(
            limit,
            connections_max = fitting,
            "the limit of file descriptors allows fewer connections than connections_max"
        );
        settings.connections_max = fitting;
    }
}
