//! What the operator grants single clients. config/clients.rs reads it from a file.

use std::collections::HashMap;

use super::id::ClientId;

/// What one client may have. What is `None` is as for any client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) connections_max: Option<usize>,
    pub(crate) streams_max: Option<usize>,
    pub(crate) parts_max: Option<usize>,
    pub(crate) receive_windows_bytes_max: Option<usize>,
    /// `Some(None)` is no bound.
    pub(crate) bytes_per_second: Option<Option<u64>>,
}

/// The quotas of clients that have one, and the rate of all others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quotas {
    pub(crate) by_client: HashMap<ClientId, Quota>,
    /// Bytes a second of a client without a rate of its own.
    pub(crate) bytes_per_second: Option<u64>,
}

impl Quotas {
    /// The quota of `client`.
    pub(crate) fn of(&self, client: &ClientId) -> Quota {
        self.by_client.get(client).cloned().unwrap_or_default()
    }
}
