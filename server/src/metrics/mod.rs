//! Metrics, and how they are written for Prometheus. admin/scrape.rs reads them.
//!
//! | file | |
//! |---|---|
//! | counters.rs | counters of workers and of the acceptor |
//! | connection_ends.rs | why connections end |
//! | tally.rs | results of a call's parts |
//! | instruments.rs | counters and histograms that one thread writes |
//! | grpc.rs | names of methods and status codes |
//! | heartbeat.rs | whether a worker runs or hangs |
//! | thread.rs | the kernel's information about a thread |
//! | process.rs | CPU time, memory and descriptors of the process |
//! | metric_family.rs | builds metric families from numbers |

pub(crate) mod connection_ends;
pub(crate) mod counters;
pub(crate) mod grpc;
pub(crate) mod heartbeat;
pub(crate) mod instruments;
pub(crate) mod metric_family;
pub(crate) mod process;
pub(crate) mod tally;
pub(crate) mod thread;
