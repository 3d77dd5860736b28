//! The bounds of a client's calls.

use std::time::Duration;

/// The bounds of calls and of retries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) message_bytes: usize,
    pub(crate) buffer_bytes: usize,
    pub(crate) parts_max: usize,
    pub(crate) stall_timeout: Duration,
    pub(crate) call_timeout: Duration,
    pub(crate) retries: Retries,
}

/// The bounds of a call's retries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retries {
    /// Calls of one operation, including the first.
    pub(crate) tries_max: u32,
    /// The time for retries, since the first failure.
    pub(crate) time: Duration,
}
