//! Load generator for hashlane: drives a server with many simultaneous parts, checks every digest,
//! and reports the server's cost.
//!
//! ```text
//! args      flags, parsed once into bounded values
//!   |
//! payload   the parts: messages encoded once and shared, digests computed before the load starts
//!   |
//! driver    connections and streams on threads of their own; counts and latencies of a measured window;
//!           two clients: hyper's calls, and frames prepared at start-up (grpc)
//!   |
//! scrape    the server's counters, read at both ends of the window
//!   |
//! report    one table for people (standard error), one JSON line for programs (standard output)
//!
//! run       one load against a running server
//! compare   the same load against child processes (child), once per mode and round
//! matrix    hashlane and a plain server (plain), over many shapes of load
//! setup     its set-ups and clients by name; arrangement assigns cores
//! floor     the mode without a server: the lowest cost of the same bytes
//! disturb   the same load with and without slow streams (disturber)
//! flood     an honest client before and during floods of frames
//! hostile   the floods by name, and the connections that send them
//! soak      clients that work, cancel, corrupt and vanish at random; the server's memory and leaks
//! round     one window: server, load, figures; settings computes the memory that the server allows
//! algorithms  names and numbers of algorithms, and expected digests
//! cpus      keeps load and server on separate CPUs, if requested; cpu_model names the CPU
//! tls       the trusted roots of connections; a server certificate for a comparison
//! zero_windows  how often TCP closed a window meanwhile
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
pub mod child;
pub mod compare;
mod cpu_model;
pub mod cpus;
pub mod disturb;
mod disturber;
pub mod driver;
mod figures;
mod files;
pub mod flood;
mod floor;
mod grpc;
mod hostile;
pub mod matrix;
pub mod mode;
pub mod payload;
pub mod plain;
pub mod report;
mod round;
pub mod run;
pub mod scrape;
mod settings;
pub mod setup;
pub mod soak;
pub mod tls;
mod zero_windows;
