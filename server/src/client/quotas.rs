//! Quotas that the operator grants to single clients. config/clients.rs reads them from a file.

use std::collections::HashMap;

use super::id::ClientId;

/// The limits of one client. `None` means the default for all clients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) connections_max: Option<usize>,
    pub(crate) streams_max: Option<usize>,
    pub(crate) parts_max: Option<usize>,
    pub(crate) receive_windows_bytes_max: Option<usize>,
    /// `Some(None)` means no limit.
    pub(crate) bytes_per_second: Option<Option<u64>>,
}

/// The quotas of clients that have one, and the rate of all others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quotas {
    pub(crate) by_client: HashMap<ClientId, Quota>,
    /// Bytes per second of a client that has no rate in its quota.
    pub(crate) bytes_per_second: Option<u64>,
}

impl Quotas {
    /// The quota of `client`.
    pub(crate) fn of(&self, client: &ClientId) -> Quota {
        self.by_client.get(client).cloned().unwrap_or_default()
    }
}
