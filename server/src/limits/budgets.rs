//! Every bound of the process, and the resource that it protects.
//!
//! ```text
//! process (Budget) ── shared by all workers
//!    └─ client (Budget::share) ── at most client_share of it
//!          └─ Permit ── held as long as the resource, given back on drop
//! ```
//!
//! | bound | unit | protects | beyond it |
//! |---|---|---|---|
//! | `connections_max` | connections | descriptors, buffers | closed at once |
//! | `tls.handshakes_max` | handshakes | CPU time, buffers | closed at once |
//! | `receive_windows_bytes_max` | bytes | data received and not hashed | closed at once |
//! | `streams_max` | calls | a call's state | RESOURCE_EXHAUSTED |
//! | `parts_max` | KiB of state | a part's digests | RESOURCE_EXHAUSTED |
//! | `unary_bytes_max` | bytes | whole messages and their answers | RESOURCE_EXHAUSTED |
//! | `held_bytes_max` | bytes | the reorder buffer of the decoder | RESOURCE_EXHAUSTED |
//! | `shared_memory_bytes_max` | bytes | memory shared with clients of the Unix socket | refused |
//! | [`MEMORY_REGIONS_MAX`] | regions | descriptors, mappings | refused |
//! | `unread_bytes_max` | bytes | answers that clients do not read | closes connections of the client that holds most |
//! | [`Backlog`] of a worker | bytes | the cache: waiting bytes stay in L2 | not read |
//! | the same | chunks, parts | memory of small frames in addition to their bytes | not read |
//! | `clients.bytes_per_second` | bytes of a client's calls | other clients' throughput | window and the call's end wait, then RESOURCE_EXHAUSTED |
//! | `client_connections_per_second` | connections | CPU time of acceptor and workers | served later, then closed at once |
//! | [`SPANS_MAX`] | spans | memory while the collector accepts none | lost, and counted |
//! | [`clients::REMEMBERED_MAX`] | clients | 1 KiB for each disconnected client | forgotten |
//!
//! | file | |
//! |---|---|
//! | clients.rs | all known clients |
//! | shares.rs | the clients' shares of the budgets |
//! | windows.rs | HTTP/2 windows of all connections |
//! | unread.rs | answers that clients do not read, and which connections are closed for them |
//! | backlog.rs | the backlog of a worker's engine |
//! | memory.rs | memory of all bounds |

pub(crate) mod backlog;
mod clients;
mod memory;
mod shares;
pub(crate) mod unread;
pub(crate) mod windows;

use std::sync::{Arc, Mutex};

pub(crate) use self::backlog::Backlog;
use self::clients::Clients;
pub(crate) use self::memory::{
    BUFFER_BYTES, BUFFERS_MAX, COPY_BUFFERS_MAX, DIGEST_STATE_BYTES, LEFT_BYTES_MAX,
    MEMORY_REGIONS_MAX, READ_BYTES_MIN, SPANS_BATCH_MAX, SPANS_MAX, UNARY_CALL_BYTES, part_units,
};
use self::memory::{PROBES_MAX, part_units_max, unary_bytes_min};
pub use self::memory::{memory_table, worst_bytes};
use self::unread::Unread;
use self::windows::Windows;
use crate::config::Settings;
pub(crate) use crate::limiter::{Budget, Permit};

/// The process's budgets.
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) connections: Arc<Budget>,
    pub(crate) handshakes: Arc<Budget>,
    pub(crate) windows: Windows,
    pub(crate) streams: Arc<Budget>,
    pub(crate) probes: Arc<Budget>,
    pub(crate) parts: Arc<Budget>,
    pub(crate) unary_bytes: Arc<Budget>,
    pub(crate) held_bytes: Arc<Budget>,
    pub(crate) memory_bytes: Arc<Budget>,
    pub(crate) memory_regions: Arc<Budget>,
    pub(crate) unread: Arc<Unread>,
    share_percent: usize,
    /// The least that any client gets: one message and its answer.
    unary_bytes_min: usize,
    held_bytes_min: usize,
    connections_per_second: u32,
    clients: Mutex<Clients>,
}

impl Limits {
    pub(crate) fn new(settings: &Settings) -> Arc<Self> {
        let unary_bytes_min = unary_bytes_min(settings);
        Arc::new(Self {
            connections: Budget::new(settings.connections_max),
            handshakes: Budget::new(settings.tls.handshakes_max),
            windows: Windows::new(
                settings.receive_windows_bytes_max,
                settings.http2.connection_window_bytes,
            ),
            streams: Budget::new(settings.streams_max),
            probes: Budget::new(PROBES_MAX),
            parts: Budget::new(settings.parts_max.max(part_units_max())),
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
            + of(&self.windows.budget, 1)
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
            ("receive_windows_bytes", &self.windows.budget),
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
