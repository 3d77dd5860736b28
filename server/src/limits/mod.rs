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
//! | `unary_bytes_max` | bytes | whole messages, decoded too, and their answers | RESOURCE_EXHAUSTED |
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
//! | budgets.rs | the budgets of the process |
//! | clients.rs | all known clients |
//! | shares.rs | the clients' shares of the budgets, and the windows of their connections |
//! | unread.rs | answers that clients do not read, and which connections are closed for them |
//! | backlog.rs | the backlog of a worker's engine |
//! | memory.rs | memory of all bounds |

pub(crate) mod backlog;
mod budgets;
mod clients;
mod memory;
mod shares;
pub(crate) mod unread;

pub(crate) use self::backlog::Backlog;
pub(crate) use self::budgets::Limits;
pub(crate) use self::memory::{
    BUFFER_BYTES, BUFFERS_MAX, COMPOSE_BYTES, COPY_BUFFERS_MAX, DECODED_FIELD_BYTES,
    DECODED_NUMBER_BYTES, DIGEST_STATE_BYTES, LEFT_BYTES_MAX, MEMORY_REGIONS_MAX, READ_BYTES_MIN,
    SPANS_BATCH_MAX, SPANS_MAX, UNARY_CALL_BYTES, part_units,
};
pub use self::memory::{memory_table, worst_bytes};
