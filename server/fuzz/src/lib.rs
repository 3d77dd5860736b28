//! What the targets `http1`, `http2` and `connection` do.
//!
//! The server keeps its modules to itself, so they are included as source; their paths begin
//! with `crate::`, so here is the root that they name.
//!
//! | file | |
//! |---|---|
//! | sent.rs | a client's bytes: how they are made up, and what they say |
//! | protocol.rs | HTTP/2 alone, against the same bytes whole |
//! | handshake.rs | requests for shared memory |
//! | connection.rs | a whole connection, against h2 alone |
//! | http1.rs | a connection of HTTP/1.1, against hyper alone |
//! | peer.rs | what its client does |
//! | pipe.rs | the socket of both, in memory |
//! | plain.rs | h2 alone |
#![allow(dead_code, reason = "the server's main.rs and tests are not here")]
#![allow(unexpected_cfgs, reason = "the server's features are not here")]
#![allow(unused_imports, reason = "the server's lib.rs exports more")]

#[path = "../../src/acceptor.rs"]
mod acceptor;
#[path = "../../src/admin/mod.rs"]
mod admin;
#[path = "../../src/call/mod.rs"]
mod call;
#[path = "../../src/client/mod.rs"]
mod client;
#[path = "../../src/config/mod.rs"]
mod config;
#[path = "../../src/cores.rs"]
mod cores;
#[path = "../../src/decode/mod.rs"]
mod decode;
#[path = "../../src/descriptors.rs"]
mod descriptors;
#[path = "../../src/drain.rs"]
mod drain;
#[path = "../../src/packet_filter.rs"]
mod packet_filter;
#[path = "../../src/hashing/mod.rs"]
mod hashing;
#[path = "../../src/http2/mod.rs"]
mod http2;
#[path = "../../src/socket_activation.rs"]
mod socket_activation;
#[path = "../../src/limiter/mod.rs"]
mod limiter;
#[path = "../../src/limits/mod.rs"]
mod limits;
#[path = "../../src/logging/mod.rs"]
mod logging;
#[path = "../../src/shared_memory/mod.rs"]
mod shared_memory;
#[path = "../../src/metrics/mod.rs"]
mod metrics;
#[path = "../../src/part/mod.rs"]
mod part;
#[path = "../../src/process.rs"]
mod process;
#[path = "../../src/put/mod.rs"]
mod put;
#[path = "../../src/read_buffers.rs"]
mod read_buffers;
#[path = "../../src/ready.rs"]
mod ready;
#[path = "../../src/reload.rs"]
mod reload;
#[path = "../../src/request_id.rs"]
mod request_id;
#[path = "../../src/router.rs"]
mod router;
#[path = "../../src/server.rs"]
mod server;
#[path = "../../src/socket.rs"]
mod socket;
#[path = "../../src/worker_state.rs"]
mod worker_state;
#[path = "../../src/status/mod.rs"]
mod status;
#[path = "../../src/supervisor.rs"]
mod supervisor;
#[path = "../../src/sd_notify.rs"]
mod sd_notify;
#[path = "../../src/timers.rs"]
mod timers;
#[path = "../../src/tls/mod.rs"]
mod tls;
#[path = "../../src/traces/mod.rs"]
mod traces;
#[path = "../../src/malloc_trim.rs"]
mod malloc_trim;
#[path = "../../src/unary/mod.rs"]
mod unary;
#[path = "../../src/unix_socket.rs"]
mod unix_socket;
#[path = "../../src/words.rs"]
mod words;
#[path = "../../src/worker/mod.rs"]
mod worker;

pub mod connection;
pub mod handshake;
pub mod http1;
mod peer;
mod pipe;
mod plain;
pub mod protocol;
pub mod sent;
