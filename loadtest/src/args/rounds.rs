//! The flags of children and rounds.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::values::{FRAME_BYTES_MAX, FRAME_BYTES_MIN, Setting, bounded, seconds, sized};
use crate::system::cpus::Cpus;

/// The children and the rounds: what `compare`, `matrix` and `disturb` share.
#[derive(Clone, Debug, Args)]
pub struct RoundsArgs {
    /// The server's executable [default: hashlane-server beside this one]
    #[arg(long, value_name = "PATH")]
    pub server_bin: Option<PathBuf>,

    /// Rounds; each measures everything once
    #[arg(long, default_value_t = 5, value_parser = bounded(1, 1000))]
    pub rounds: usize,

    /// Seconds of each measurement
    #[arg(long, default_value = "3", value_parser = seconds)]
    pub round_seconds: Duration,

    /// Seconds of load before each measurement, once every stream sends
    #[arg(long, default_value = "0.5", value_parser = seconds)]
    pub warmup_seconds: Duration,

    /// Passed to the server as --workers
    #[arg(long, value_parser = bounded(1, 4096))]
    pub server_workers: Option<usize>,

    /// CPUs for the server, as in 0 or 0,2-3; it starts one worker for each
    #[arg(long, value_name = "CPUS")]
    pub pin_server: Option<Cpus>,

    /// The largest HTTP/2 frame the server accepts (its setting
    /// http2.frame_bytes_max): 16384 bytes to 16777215
    #[arg(long, value_parser = sized::<u32>(FRAME_BYTES_MIN, FRAME_BYTES_MAX))]
    pub frame_size: Option<u32>,

    /// A setting for the server, as in http2.streams_max=100; may be given repeatedly; every row
    /// has it
    #[arg(long, value_name = "NAME=VALUE")]
    pub server_set: Vec<Setting>,

    /// Further flags for the server, separated by blanks
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub server_args: Vec<String>,
}
