//! The set-ups and the clients of a comparison.

use clap::ValueEnum;
use serde::Serialize;

/// The set-up of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Setup {
    /// Client and server share all cores, like services on one machine.
    Mixed,
    /// Client and server have one core each, and the client sends faster than the server can
    /// receive.
    Saturated,
}

/// A client's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientName {
    /// hyper, like tonic's clients.
    Hyper,
    /// Prepared frames over `writev`.
    Prepared,
}
