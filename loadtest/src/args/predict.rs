//! The flags of `predict`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use hashlane_engine::Algorithm;

use super::values::{
    CHUNK_BYTES_MAX, CONNECTIONS_MAX, SweepPoint, bounded, interval, parsed, sized,
};
use crate::load::rate::Rate;
use crate::load::sizes::PartSizes;

/// The flags of `predict`.
#[derive(Clone, Debug, Args)]
pub struct PredictArgs {
    /// Closed loops: streams, and connections where they are given, as in 1,32,1000@10
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "1,2,4,8,16,32,64,128",
        conflicts_with = "rate"
    )]
    pub streams: Vec<SweepPoint>,

    /// Open loops, each at this rate, as with `run`; repeatable
    #[arg(long, value_name = "RATE", value_parser = parsed::<Rate>)]
    pub rate: Vec<Rate>,

    /// Connections to the server
    #[arg(long, default_value_t = 4, value_parser = bounded(1, CONNECTIONS_MAX))]
    pub connections: usize,

    /// Bytes of a part, as with `run`
    #[arg(long, visible_alias = "part-size", default_value = "8MiB", value_parser = parsed::<PartSizes>)]
    pub sizes: PartSizes,

    /// Bytes of data in one message
    #[arg(long, default_value = "64KiB", value_parser = sized::<usize>(1, CHUNK_BYTES_MAX))]
    pub chunk_size: usize,

    /// Digests of every part, as with `run`; those with lanes only [default: sha256]
    #[arg(long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<Algorithm>,

    /// Simulated time that is measured, after half a second
    #[arg(long, default_value = "2s", value_parser = interval)]
    pub duration: Duration,

    /// Seed of the order of parts and of the schedule
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// The costs of a CPU, as --fit prints them [default: those of a Zen 4]
    #[arg(long, value_name = "FILE")]
    pub costs: Option<PathBuf>,

    /// The kernels of another CPU: lines of KERNEL,RATE, as in sha256:avx512x16,4.05, with the GB/s
    /// of full lanes that its server logs when it starts [default: measured on this CPU]
    #[arg(long, value_name = "FILE")]
    pub kernel_rates: Option<PathBuf>,

    /// Prints predicted and measured figures of these documents of `run --json`
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = LOAD
    )]
    pub against: Vec<PathBuf>,

    /// Computes costs from these documents and prints them
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = LOAD,
        conflicts_with = "against"
    )]
    pub fit: Vec<PathBuf>,
}

/// The flags that a document's settings replace.
const LOAD: [&str; 8] = [
    "streams",
    "rate",
    "connections",
    "sizes",
    "chunk_size",
    "algorithms",
    "duration",
    "seed",
];
