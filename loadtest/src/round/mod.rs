//! One round: a fresh server, a load, one measured window.
//!
//! ```text
//! setup            what all rounds share; runs a round and its server
//! window           the measured window of a running load
//! core_assignment  which CPUs and which client a comparison has
//! floor            a round of the mode `floor`, without a server, and its threads
//! ```

pub(crate) mod core_assignment;
mod floor;
mod setup;
mod window;

pub(crate) use setup::{Stand, rounds, server_executable};
pub(crate) use window::Window;
