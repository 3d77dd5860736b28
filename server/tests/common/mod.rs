//! What tests start and ask.
//!
//! | file | |
//! |---|---|
//! | test_server.rs | a real server inside the test's process |
//! | program.rs | the server as a separate process, to measure its memory |
//! | metrics.rs | the admin port, and its metrics |
//! | calls.rs | calls of Digest and Verify, and their refusals |
//! | digests.rs | bytes to send, and their digests |
//! | h2_client.rs | HTTP/2 with h2, for requests that no gRPC client would send |
//! | frame_client.rs | HTTP/2 frame by frame, for frames that no HTTP/2 library would send |
//! | honest.rs | a well-behaved client next to hostile ones |
//! | shared_memory.rs | a client of shared memory |
//! | tls.rs | certificates, and clients that use TLS |
//! | collector.rs | a collector of spans |
#![allow(
    dead_code,
    unused_imports,
    reason = "each test file uses its own part of this"
)]

mod calls;
pub(crate) mod collector;
mod digests;
pub(crate) mod frame_client;
pub(crate) mod h2_client;
pub(crate) mod honest;
mod metrics;
pub(crate) mod program;
pub(crate) mod shared_memory;
mod test_server;
pub(crate) mod tls;

use std::time::Duration;

pub(crate) use calls::{
    all, asking, assert_refused, assert_refused_field, digest, digests, open_digest, sized,
    verdicts, verify,
};
pub(crate) use digests::{expected_digest, expected_digests, number, numbers, pattern, sha256};
pub(crate) use metrics::{Metrics, get};
pub(crate) use test_server::{Client, TestServer, connect};

/// An upper bound for every wait in these tests, on any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);
