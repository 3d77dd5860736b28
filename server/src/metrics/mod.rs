//! What is counted, and how it is written for Prometheus. admin/scrape/ reads it.
//!
//! | file | |
//! |---|---|
//! | counters.rs | what workers and the acceptor count |
//! | ends.rs | why connections end |
//! | tally.rs | what the parts of a call came to |
//! | grpc.rs | names of methods and codes |
//! | heartbeat.rs | whether a worker runs, hangs, or is starved of CPU time |
//! | thread.rs | what the kernel tells of a thread |
//! | process.rs | what the process takes |
//! | family.rs | makes metric families of numbers |

pub(crate) mod counters;
pub(crate) mod ends;
pub(crate) mod family;
pub(crate) mod grpc;
pub(crate) mod heartbeat;
pub(crate) mod process;
pub(crate) mod tally;
pub(crate) mod thread;
