//! The set-ups and the clients of a comparison.

use clap::ValueEnum;
use serde::Serialize;

/// The set-up of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Setup {
    /// Client and server share all cores, as services do that share a machine.
    Mixed,
    /// The server has a core of its own, and the client, on another one, sends faster than the
    /// server can take it.
    Saturated,
}

/// A client's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientName {
    /// hyper, as tonic's clients.
    Hyper,
    /// Prepared frames over `writev`.
    Prepared,
}
