//! hashlane's server: digests and verdicts over streamed bytes, with a multi-buffer hashing engine.
//!
//! # Path of a byte
//!
//! ```text
//!  client
//!    │ TCP, TLS or Unix socket
//!    v
//!  acceptor.rs ── to the worker with the least open work ──┐
//!                                                          v
//!  ┌─ worker/ ── one thread, one core, one event loop ──────────────────────┐
//!  │ http2/    frames off the socket; when to read, when to close           │
//!  │    │ bytes of a DATA frame, and the permit of their window             │
//!  │    v                                                                   │
//!  │ call/     admits and bounds a call                                     │
//!  │    │ Digest, Verify     router.rs: all others ──> unary/               │
//!  │    v                                                                   │
//!  │ decode/   gRPC prefix and protobuf fields, as they arrive              │
//!  │    │ head, data (a slice of the same bytes), end                       │
//!  │    v                                                                   │
//!  │ part/     the parts of a stream, their digests, their answers          │
//!  │    │ chunk: the slice with its permit      ^ digests, by mailbox       │
//!  │    v                                       │                           │
//!  │ hashing/  engine: jobs ─> lanes ─> kernel ─┘                           │
//!  │    └─ hashed: the chunk is dropped, which gives its window back        │
//!  │                                                                        │
//!  │ answers: part/ ──> call/ ──> http2/, as far as the client's windows go │
//!  └────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! There is no queue between threads. A chunk is a slice of what the socket was read into
//! (read_buffers.rs): nothing is copied, but small slices, data that other fields follow
//! (decode/held.rs) and ranges of shared memory (call/memory_ranges.rs). For backpressure, unhashed
//! bytes keep their window, so HTTP/2 flow control stops the client.
//!
//! Files do not import each other in a cycle; `.ci/check-imports` checks it.
//!
//! | | |
//! |---|---|
//! | the process | main.rs, server.rs (start to end), process.rs (what its threads share), drain.rs (the phases of its end), reload.rs |
//! | system resources | cores.rs, descriptors.rs, malloc_trim.rs (returns memory), unix_socket.rs |
//! | systemd | sd_notify.rs (notifications), socket_activation.rs (its sockets) |
//! | incoming connections | acceptor.rs, packet_filter.rs (addresses that connect too often) |
//! | workers | worker/; worker_state.rs (shared by its connections), socket.rs, read_buffers.rs (memory for reads), ready.rs (wakers) |
//! | workers that fail | supervisor.rs (hung), worker/thread.rs (restarts), fault_injection.rs (for tests) |
//! | TLS, between socket.rs and http2/ | tls/ |
//! | calls | router.rs, call/ (Digest, Verify), put/ (PUT /v1/digest), unary/ (all others), request_id.rs |
//! | memory that local clients share, instead of sending bytes | shared_memory/, call/memory_ranges.rs |
//! | client identity | client/ |
//! | bounds of the process, shares of clients | limits/, limiter/ |
//! | timers of a connection, of a call | timers.rs |
//! | refusals and their reasons | status/ |
//! | settings | config/, check.rs (the files that settings name, before the start) |
//! | counters; the port that shows them | metrics/; admin/ |
//! | words for values, in labels and settings | words.rs |
//! | log lines, traces | logging/, traces/ |
// malloc_trim.rs calls one function that has no safe wrapper.
#![deny(unsafe_code)]

mod acceptor;
mod admin;
mod call;
mod check;
mod client;
mod config;
mod cores;
mod decode;
mod descriptors;
mod drain;
#[cfg(feature = "faults")]
mod fault_injection;
mod hashing;
mod http2;
mod limiter;
mod limits;
mod logging;
mod malloc_trim;
mod metrics;
mod packet_filter;
mod part;
mod process;
mod put;
mod read_buffers;
mod ready;
mod reload;
mod request_id;
mod router;
mod sd_notify;
mod server;
mod shared_memory;
mod socket;
mod socket_activation;
mod status;
mod supervisor;
mod timers;
mod tls;
mod traces;
mod unary;
mod unix_socket;
mod words;
mod worker;
mod worker_state;

pub use admin::healthcheck;
pub use check::check_files;
pub use client::TrustedProxy;
pub use config::{
    AdminSettings, CONFIG_VARIABLE, ClientCertificates, ClientsSettings, Config, Effect, Hashing,
    Http2Settings, LogFormat, MemoryFit, Pin, SettingFlags, Settings, TlsSettings, TracesSettings,
    settings_table,
};
pub use descriptors::raise_descriptors;
#[cfg(feature = "faults")]
pub use fault_injection::{Fault, Faults};
pub use limits::{memory_table, worst_bytes};
pub use logging::Log;
pub use reload::Reload;
pub use sd_notify::{NotifyState, notify};
pub use server::Server;
pub use socket_activation::Inherited;
pub use tls::CertificateWatch;
