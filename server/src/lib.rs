//! hashlane's server: digests and verdicts over streamed bytes, at the speed
//! of a multi-buffer engine.
//!
//! # The way of a byte
//!
//! ```text
//!  client
//!    │ TCP or Unix socket
//!    v
//!  acceptor.rs ── to the worker with the least open work ──┐
//!                                                          v
//!  ┌─ worker/ ── one thread, one core ──────────────────────────────────────┐
//!  │ connection.rs   HTTP/2 (hyper), owned by this worker for life          │
//!  │      │ DATA frame (Bytes)                                              │
//!  │      v                                                                 │
//!  │ wire/           gRPC prefix and protobuf fields, as they arrive        │
//!  │      │ chunk (a slice of the same Bytes)                               │
//!  │      v                                                                 │
//!  │ rpc/            session: which part, which jobs                        │
//!  │      │ push                              ^ digest                      │
//!  │      v                                   │                             │
//!  │ worker/lanes.rs ── engine: jobs ─> lanes ─> kernel                     │
//!  └────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! No queue between threads and no copy on the way. Backpressure runs the other
//! way: a stream with enough waiting is not read (worker/waiting.rs), so HTTP/2
//! flow control stops the client. intake/ decides what is read, and when.
//!
//! Around it: config/ (settings), cores.rs (which cores), unix.rs (the Unix
//! socket), drain.rs (the ordered shutdown), admin.rs and metrics/ (what
//! operators see), server.rs (all of it together, for main.rs and for tests).
#![forbid(unsafe_code)]

mod acceptor;
mod admin;
mod call;
mod config;
mod cores;
mod decode;
mod drain;
mod hashing;
mod http2;
mod limits;
mod metrics;
mod part;
mod server;
mod socket;
mod state;
mod status;
mod unary;
mod unix;
mod worker;

pub use admin::healthcheck;
pub use config::{
    CONFIG_VARIABLE, Change, Config, ConfigError, Effect, Hashing, Http2Settings, LogFormat, Pin,
    SettingFlags, Settings, settings_table,
};
pub use server::{Server, ServerError};
