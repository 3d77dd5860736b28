//! The bounds of a client's calls.

use std::time::Duration;

use crate::retry::Limits;

/// The bounds of calls and of retries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) message_bytes: usize,
    pub(crate) buffer_bytes: usize,
    pub(crate) parts_max: usize,
    pub(crate) stall_timeout: Duration,
    pub(crate) call_timeout: Duration,
    pub(crate) retries: Limits,
}
