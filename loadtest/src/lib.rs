//! Load generator for hashlane: drives a server with many simultaneous parts, checks every digest,
//! and reports the server's cost.
//!
//! ```text
//! args      flags, parsed once into bounded values
//!   |
//! load      what is sent and when: parts, sizes, mixes, rates, schedules
//!   |
//! driver    sends it: connections and streams on separate threads; two clients
//! servers   the servers under load: child processes, modes, limits, counters; the plain server
//!   |
//! results   documents of runs, figures of windows, conditions on them, rows and tables
//!
//! subcommands
//! run       `run`, `search`, `demo`: one load against running servers
//! compare   `compare`: the same load on child processes, once per mode and round
//! matrix    `matrix`: hashlane and a plain server, over many shapes of load
//! hostile   `disturb`, `flood`: slow streams and floods
//! soak      `soak`: clients that work, cancel, corrupt and vanish at random; memory and leaks
//! model     `predict`: predicts by simulation what a load does
//! page      `report`: an HTML page about runs
//! merge     `merge`: joins the documents of several generators
//!
//! round     one round of compare, matrix and disturb: server, load, measured window
//! protocol  gRPC and TLS, for all connections
//! system    this process and its machine: CPUs, threads, sockets, files
//! ```
//!
//! Tests of the executable are in `tests/`, in files with the names of subcommands; shared_memory.rs
//! tests `run` with shared memory. `tests/support/` has fake servers.
//!
//! The client usually shares its cores with the measured server, so a byte must cost it almost
//! nothing: messages are encoded at start-up and handed to the transport as shared
//! [`bytes::Bytes`], and no digest is computed while the load runs.
#![forbid(unsafe_code)]

pub mod args;
pub mod compare;
mod driver;
pub mod hostile;
mod load;
pub mod matrix;
pub mod merge;
pub mod model;
pub mod page;
mod protocol;
pub mod results;
mod round;
pub mod run;
pub mod servers;
pub mod soak;
mod system;
