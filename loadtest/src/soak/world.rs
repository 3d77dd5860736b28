//! What the clients share.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Instant;

use bytes::Bytes;

/// Maximum of examples of faults.
const EXAMPLES_MAX: usize = 20;

/// Shared by all clients.
pub(super) struct World {
    pub(super) server: SocketAddr,
    pub(super) url: String,
    pub(super) pool: Bytes,
    pub(super) deadline: Instant,
    pub(super) tally: RefCell<Tally>,
}

impl World {
    pub(super) fn count(&self, what: &'static str) {
        *self.tally.borrow_mut().counts.entry(what).or_default() += 1;
    }

    /// Records a fault of the server, as clients see it.
    pub(super) fn fault(&self, text: String) {
        let mut tally = self.tally.borrow_mut();
        tally.faults += 1;
        if tally.examples.len() < EXAMPLES_MAX {
            tally.examples.push(text);
        }
    }
}

/// Actions and observations of the clients.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// By action: sessions, calls, parts.
    pub(super) counts: BTreeMap<&'static str, u64>,
    /// Answers whose digests or verdicts were compared, and their bytes.
    pub(super) checked: u64,
    pub(super) checked_bytes: u64,
    /// Wrong answers, and calls that ended unexpectedly.
    pub(super) faults: u64,
    pub(super) examples: Vec<String>,
}
