//! How many files may be open at a time.

use crate::args::JOBS_MAX;

/// Descriptors used by the process at its start, by connections to a server, and by the runtime.
const RESERVE: u64 = 16;

/// Files open at a time: half of what the system allows beyond [`RESERVE`]. The other half is for
/// folders and lists.
pub(crate) fn files_max() -> usize {
    limit().map_or(JOBS_MAX, |limit| {
        let half = limit.saturating_sub(RESERVE) / 2;
        usize::try_from(half).unwrap_or(JOBS_MAX).clamp(1, JOBS_MAX)
    })
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
