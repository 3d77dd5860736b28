//! The flags of `soak`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::values::{Setting, bounded, bytes, seconds};

/// The flags of `soak`.
#[derive(Clone, Debug, Args)]
pub struct SoakArgs {
    /// The server's executable [default: hashlane-server beside this one]
    #[arg(long, value_name = "PATH")]
    pub server_bin: Option<PathBuf>,

    /// A setting for the server, as in http2.streams_max=100; may be given repeatedly
    #[arg(long, value_name = "NAME=VALUE")]
    pub server_set: Vec<Setting>,

    /// Seconds in which sessions begin
    #[arg(long, default_value = "10", value_parser = seconds)]
    pub seconds: Duration,

    /// Clients, each with one session at a time
    #[arg(long, default_value_t = 16, value_parser = bounded(1, 256))]
    pub clients: usize,

    /// Seed of all sessions
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// By how much the server's resident memory may grow over the last half
    #[arg(long, value_name = "SIZE", default_value = "4MiB", value_parser = bytes)]
    pub growth_max: u64,
}
