//! What is counted, and how it is written for Prometheus. admin/scrape/ reads it.
//!
//! counters.rs has what workers and the acceptor count, grpc.rs the names of methods and codes,
//! heartbeat.rs tells whether a worker turns, ends.rs why connections end, process.rs what the
//! process takes, thread.rs what one thread does, tally.rs what one call came to, family.rs makes families of numbers.

pub(crate) mod counters;
pub(crate) mod ends;
pub(crate) mod family;
pub(crate) mod grpc;
pub(crate) mod heartbeat;
pub(crate) mod process;
pub(crate) mod tally;
pub(crate) mod thread;
