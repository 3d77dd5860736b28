//! A worker is one thread, pinned to a core. It does all work of its connections.
//!
//! ```text
//! acceptor ──sockets──> lifecycle.rs ─connections─> event_loop.rs ──> turns of connections (http2/)
//!                                              schedule.rs   ──> steps of the engine (hashing/)
//!                                              busy_poll.rs  ──> polls before a sleep
//! ```
//!
//! thread.rs starts the thread and restarts the worker.
//!
//! Why a worker does not hand hashing to an idle worker: the gain would be small. One connection of
//! 32 streams costs 0.55 CPU s/GB, of which receiving takes 0.37 and stays on its core
//! (docs/measurements.md, Alternatives that were measured). And every byte would move to another
//! core's cache. A client that needs more than one core opens a second connection.
//!
//! Why a worker restarts on its thread after a panic: on a machine with 128 cores, one chunk that
//! makes the engine panic would otherwise close the connections of 128 workers. The panic frees
//! what the worker held. thread.rs limits the rate of restarts.

mod busy_poll;
pub(crate) mod event_loop;
mod lifecycle;
mod schedule;
mod thread;

pub(crate) use self::lifecycle::Arrived;
pub(crate) use self::thread::{WorkerHandle, spawn};
