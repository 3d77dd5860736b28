//! Drives the load: connections and streams on separate threads, which follow phases.
//!
//! ```text
//! load_threads     starts the threads, which follow phases, and collects their results
//! state            the load and its state, shared by its threads
//! target           where connections lead
//! hyper_client     any RPC, by hyper's calls
//! prepared_client  Digest over TCP at a low cost per byte: frames prepared at start-up
//! answer           checks answers
//! tally            counts answers and latencies
//! shared_memory    memory that a server on this machine shares
//! timer            waits until parts start, to the nanosecond
//! ```
//!
//! Why two clients: calls of hyper cost too much for `compare` and `matrix`, whose client must send
//! more from one core than a server on another core can take. CPU seconds of the client per GB, in
//! a closed loop of 32 streams over loopback (Zen 4, `compare --setup saturated --modes lanes`,
//! medians of 5 runs of each in alternation, other programs on the same two cores):
//!
//! | part    | hyper | prepared |
//! |---------|-------|----------|
//! | 64 KiB  | 0.850 | 0.403    |
//! | 8 MiB   | 0.429 | 0.343    |
//!
//! And `prepared_client` cannot replace hyper's calls: it knows Digest over TCP and nothing else.

mod answer;
mod hyper_client;
mod load_threads;
mod prepared_client;
mod shared_memory;
mod state;
mod tally;
mod target;
mod timer;

pub(crate) use answer::{Answer, Fault, Right};
pub(crate) use hyper_client::{Connection, Streamed, status_text, streamed};
pub(crate) use load_threads::Driver;
pub(crate) use shared_memory::{RANGE_BYTES_MAX, Region, Space, memory_path};
pub(crate) use state::{OpenLoop, Phase, Plan};
pub(crate) use tally::Tally;
pub(crate) use target::{Target, bearer};
