//! The budgets of the process.

use std::sync::{Arc, Mutex};

use super::clients::Clients;
use super::memory::{self, MEMORY_REGIONS_MAX, PROBES_MAX, unary_bytes_min};
use super::unread::Unread;
use crate::config::Settings;
use crate::limiter::Budget;

/// The process's budgets.
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) connections: Arc<Budget>,
    pub(crate) handshakes: Arc<Budget>,
    pub(crate) windows_bytes: Arc<Budget>,
    /// The window that a connection gets while half of them are free.
    pub(super) window_bytes: usize,
    pub(crate) streams: Arc<Budget>,
    pub(crate) probes: Arc<Budget>,
    pub(crate) parts: Arc<Budget>,
    pub(crate) unary_bytes: Arc<Budget>,
    pub(crate) held_bytes: Arc<Budget>,
    pub(crate) memory_bytes: Arc<Budget>,
    pub(crate) memory_regions: Arc<Budget>,
    pub(crate) unread: Arc<Unread>,
    pub(super) share_percent: usize,
    /// The least that any client gets: one message and its answer.
    pub(super) unary_bytes_min: usize,
    pub(super) held_bytes_min: usize,
    pub(super) connections_per_second: u32,
    pub(super) clients: Mutex<Clients>,
}

impl Limits {
    pub(crate) fn new(settings: &Settings) -> Arc<Self> {
        let unary_bytes_min = unary_bytes_min(settings);
        Arc::new(Self {
            connections: Budget::new(settings.connections_max),
            handshakes: Budget::new(settings.tls.handshakes_max),
            windows_bytes: Budget::new(settings.receive_windows_bytes_max),
            window_bytes: settings.http2.connection_window_bytes as usize,
            streams: Budget::new(settings.streams_max),
            probes: Budget::new(PROBES_MAX),
            parts: Budget::new(settings.parts_max),
            unary_bytes: Budget::new(settings.unary_bytes_max.max(unary_bytes_min)),
            held_bytes: Budget::new(settings.held_bytes_max.max(settings.message_bytes_max)),
            memory_bytes: Budget::new(settings.shared_memory_bytes_max),
            memory_regions: Budget::new(MEMORY_REGIONS_MAX),
            unread: Unread::new(settings.unread_bytes_max),
            share_percent: settings.client_share_percent,
            unary_bytes_min,
            held_bytes_min: settings.message_bytes_max,
            connections_per_second: settings.client_connections_per_second,
            clients: Mutex::default(),
        })
    }

    /// Approximate bytes that clients hold now: the used units of each budget times their cost.
    pub(crate) fn used_bytes(&self) -> usize {
        let of = |budget: &Budget, unit_bytes: usize| budget.used().saturating_mul(unit_bytes);
        of(&self.connections, memory::CONNECTION_BYTES)
            + of(&self.windows_bytes, 1)
            + of(&self.streams, memory::CALL_BYTES)
            + of(&self.parts, memory::PART_UNIT_BYTES)
            + of(&self.unary_bytes, 1)
            + of(&self.held_bytes, 1)
            + of(&self.memory_bytes, 1)
            + of(&self.unread.budget, 1)
    }

    /// Each budget by its name, which ends with its unit.
    pub(crate) fn budgets(&self) -> [(&'static str, &Budget); 11] {
        [
            ("connections", &self.connections),
            ("handshakes", &self.handshakes),
            ("receive_windows_bytes", &self.windows_bytes),
            ("streams", &self.streams),
            ("probes", &self.probes),
            ("parts", &self.parts),
            ("unary_bytes", &self.unary_bytes),
            ("held_bytes", &self.held_bytes),
            ("shared_memory_bytes", &self.memory_bytes),
            ("shared_memory_regions", &self.memory_regions),
            ("unread_bytes", &self.unread.budget),
        ]
    }
}
