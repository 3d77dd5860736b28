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
//! | clients.rs | all known clients, and their shares |
//! | windows.rs | HTTP/2 windows of all connections |
//! | unread.rs | answers that clients do not read, and which connections are closed for them |
//! | backlog.rs | the backlog of a worker's engine |
//! | memory.rs | memory of all bounds |

pub(crate) mod backlog;
mod clients;
mod memory;
pub(crate) mod unread;
pub(crate) mod windows;

use std::sync::{Arc, Mutex};

use hashlane_engine::Algorithm;

pub(crate) use self::backlog::Backlog;
use self::clients::Clients;
pub(crate) use self::memory::part_units;
use self::memory::part_units_max;
pub use self::memory::{memory_table, worst_bytes};
use self::unread::Unread;
use self::windows::Windows;
use crate::config::Settings;
pub(crate) use crate::limiter::{Budget, Permit};

/// Calls of the health service that are admitted beyond `streams_max`, so that a busy server does
/// not look dead.
const PROBES_MAX: usize = 64;

/// Bytes read from a connection's socket that HTTP/2 has not processed: four frames of 16 KiB, the
/// size that most clients send.
pub(crate) const AHEAD_BYTES: usize = 64 << 10;

/// Approximate bytes of one digest of a batch, from its job to its answer.
pub(crate) const DIGEST_STATE_BYTES: usize = 320;

/// Bytes that tonic takes for a call of one message, in addition to the message.
pub(crate) const UNARY_CALL_BYTES: usize = 2 << 10;

/// Spans waiting to be sent: a burst of some hundred calls.
pub(crate) const SPANS_MAX: usize = 2048;

/// Spans in one request to the collector.
pub(crate) const SPANS_BATCH_MAX: usize = 512;

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
            unread: Unread::new(settings.unread_bytes_max),
            share_percent: settings.client_share_percent,
            unary_bytes_min,
            held_bytes_min: settings.message_bytes_max,
            connections_per_second: settings.client_connections_per_second,
            clients: Mutex::default(),
        })
    }

    /// Approximate bytes that clients hold now.
    pub(crate) fn used_bytes(&self) -> usize {
        memory::used_bytes(self)
    }

    /// Each budget by its name, which ends with its unit.
    pub(crate) fn budgets(&self) -> [(&'static str, &Budget); 9] {
        [
            ("connections", &self.connections),
            ("handshakes", &self.handshakes),
            ("receive_windows_bytes", self.windows.budget()),
            ("streams", &self.streams),
            ("probes", &self.probes),
            ("parts", &self.parts),
            ("unary_bytes", &self.unary_bytes),
            ("held_bytes", &self.held_bytes),
            ("unread_bytes", self.unread.budget()),
        ]
    }
}

/// One whole message and its answer, and some calls.
fn unary_bytes_min(settings: &Settings) -> usize {
    let answer_bytes = settings.batch_blobs_max * DIGEST_STATE_BYTES;
    let blob_bytes: usize = Algorithm::all().map(Algorithm::state_bytes).sum();
    settings.message_bytes_max + answer_bytes + blob_bytes + 32 * UNARY_CALL_BYTES
}
