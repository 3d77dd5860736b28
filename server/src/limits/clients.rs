//! All known clients.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use crate::client::{Client, ClientId, Quotas};

/// Maximum of clients without a connection that are remembered because their next connection or
/// call must wait.
pub(super) const REMEMBERED_MAX: usize = 10_000;

/// With fewer clients than this, none is forgotten.
const CLIENTS_MIN: usize = 64;

/// Clients that have a connection, and remembered clients.
#[derive(Debug, Default)]
pub(super) struct Clients {
    pub(super) by_id: HashMap<ClientId, Arc<Client>>,
    pub(super) quotas: Arc<Quotas>,
    /// With this many clients, a new client triggers the removal of those that need not be
    /// remembered.
    enough: usize,
    pub(super) next_number: u64,
}

impl Clients {
    /// Forgets clients without a connection, if there are enough clients.
    pub(super) fn forget(&mut self, now: Instant) {
        if self.by_id.len() < self.enough {
            return;
        }
        let is_here = |client: &Arc<Client>| Arc::strong_count(client) > 1;
        self.by_id
            .retain(|_, client| is_here(client) || client.matters(now));
        let here = self.by_id.values().filter(|client| is_here(client));
        if self.by_id.len() - here.count() > REMEMBERED_MAX {
            self.by_id.retain(|_, client| is_here(client));
        }
        // So, amortised, each new client examines two others.
        self.enough = (2 * self.by_id.len()).max(CLIENTS_MIN);
    }
}
