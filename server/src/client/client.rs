//! One client: its shares, rates and shared memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::arrivals::Arrivals;
use super::id::ClientId;
use super::throttle::Throttle;
use crate::limiter::Budget;
use crate::shared_memory::Regions;

/// One client: its shares of the process's budgets, and its rates.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) id: ClientId,
    /// Unique among all clients.
    pub(crate) number: u64,
    pub(crate) connections: Arc<Budget>,
    pub(crate) handshakes: Arc<Budget>,
    pub(crate) windows_bytes: Arc<Budget>,
    pub(crate) streams: Arc<Budget>,
    pub(crate) parts: Arc<Budget>,
    pub(crate) unary_bytes: Arc<Budget>,
    pub(crate) held_bytes: Arc<Budget>,
    /// Shared memory: its bytes, how many regions, and the regions themselves.
    pub(crate) memory_bytes: Arc<Budget>,
    pub(crate) memory_regions: Arc<Budget>,
    pub(crate) regions: Regions,
    pub(crate) arrivals: Mutex<Arrivals>,
    pub(crate) throttle: Throttle,
}

impl Client {
    pub(crate) fn arrivals(&self) -> MutexGuard<'_, Arrivals> {
        // No code panics under the lock.
        self.arrivals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a new client would have better rates than this one.
    pub(crate) fn matters(&self, now: Instant) -> bool {
        self.arrivals().matters(now) || self.throttle.matters(now)
    }
}
