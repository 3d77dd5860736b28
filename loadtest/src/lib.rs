//! Load generator for hashlane: drives a server with many simultaneous parts, checks every digest,
//! and reports the server's cost.
//!
//! ```text
//! args      flags, parsed once into bounded values: rate, sizes, mix, threshold
//!   |
//! payload   the parts: messages encoded once and shared, digests computed before the load starts;
//! starts    when they start in an open loop
//!   |
//! driver    connections and streams on separate threads; counts and latencies of a window; two
//!           clients: hyper's calls, and frames prepared at start-up (grpc); timer for starts
//!   |
//! scrape    the server's counters, read at both ends of the window; lanes: how full lanes were
//!   |
//! figures   medians and ratios of windows
//!   |
//! document  the document of one run, as JSON; merge joins those of several generators, page makes
//!           the HTML report of them
//! report    tables for people on standard error, rows of JSON for programs on standard output
//!
//! run       one load against running servers; the search for the highest rate; the demo
//! model     predicts by simulation what a load does: `predict`
//! compare   the same load against child processes (child), once per mode and round
//! matrix    hashlane and a plain server (plain), over many shapes of load
//! hostile   slow streams and floods: disturb and flood
//! soak      clients that work, cancel, corrupt and vanish at random; the server's memory and leaks
//! round     one window: server, load, figures; settings computes the memory that the server allows
//! floor     the mode without a server: the lowest cost of the same bytes
//! arrangement  which CPUs and which client a comparison has
//! algorithms  names and numbers of algorithms, and expected digests
//! cpus      keeps load and server on separate CPUs, if requested; cpu_model names the CPU
//! cpu_time  CPU time of processes and threads
//! helper    a thread beside the load; sockets waits for sockets; runtime has the main thread's
//!           runtime and signals
//! tls       the trusted roots of connections; a server certificate for a comparison
//! zero_windows  how often TCP closed a window meanwhile
//! output    files that are written whole or not at all
//! files     lets both sides open as many sockets as the system allows
//! ```
//!
//! The client usually shares its cores with the measured server, so a byte must cost it almost
//! nothing: messages are encoded at start-up and handed to the transport as shared
//! [`bytes::Bytes`], and no digest is computed while the load runs.
#![forbid(unsafe_code)]

mod algorithms;
pub mod args;
mod arrangement;
mod child;
pub mod compare;
mod cpu_model;
mod cpu_time;
mod cpus;
pub mod document;
mod driver;
mod figures;
mod files;
mod floor;
mod grpc;
mod helper;
pub mod hostile;
mod lanes;
pub mod matrix;
pub mod merge;
mod mix;
mod mode;
pub mod model;
mod output;
pub mod page;
mod payload;
pub mod plain;
mod rate;
mod report;
mod round;
pub mod run;
mod runtime;
mod scrape;
mod settings;
mod sizes;
pub mod soak;
mod sockets;
mod starts;
mod threshold;
mod timer;
mod tls;
mod zero_windows;
