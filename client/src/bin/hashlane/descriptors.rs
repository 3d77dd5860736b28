//! How many files may be open.

use crate::args::JOBS_MAX;

/// Files open at a time: half of what the system lets the process open. The rest is for
/// folders, lists, connections, and what the process was started with.
pub(crate) fn files_max() -> usize {
    let half = limit().map_or(JOBS_MAX, |limit| {
        usize::try_from(limit / 2).unwrap_or(JOBS_MAX)
    });
    half.clamp(1, JOBS_MAX)
}

#[cfg(unix)]
fn limit() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current
}

#[cfg(not(unix))]
fn limit() -> Option<u64> {
    None
}
