//! The flags of a load.

use std::time::Duration;

use clap::{Args, ValueEnum};
use hashlane_engine::Algorithm;
use serde::Serialize;

use super::values::{CONNECTIONS_MAX, PartSizes, STREAMS_MAX, bounded, chunk_size, duration};
use crate::cpus::Cpus;

/// The load itself: what all subcommands share.
#[derive(Clone, Debug, Args)]
pub struct LoadArgs {
    /// Connections to the server
    #[arg(long, default_value_t = 4, value_parser = bounded(1, CONNECTIONS_MAX))]
    pub connections: usize,

    /// Streams over all connections; each sends a part when the one before was
    /// answered, so one stream alone is a lone client
    #[arg(long, default_value_t = 32, value_parser = bounded(1, STREAMS_MAX))]
    pub streams: usize,

    /// Bytes of a part: a size (8MiB), a list taken in turn (1KiB,64KiB) or a
    /// log-uniform range (1KiB..1MiB)
    #[arg(long, default_value = "8MiB")]
    pub part_size: PartSizes,

    /// Bytes of data in one message
    #[arg(long, default_value = "64KiB", value_parser = chunk_size)]
    pub chunk_size: usize,

    /// Digests of every part; may be given repeatedly, or as a list with commas
    /// [default: sha256, which messages then do not name]
    #[arg(long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<Algorithm>,

    /// The RPC to call
    #[arg(long, value_enum, default_value_t = Rpc::Digest)]
    pub rpc: Rpc,

    /// Parts sent one after the other on one RPC
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub parts_per_stream: u32,

    /// Seed of payloads and of the order of parts
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Threads of the client; connections are dealt out to them
    #[arg(long, default_value_t = 1, value_parser = bounded(1, 64))]
    pub threads: usize,

    /// CPUs for the client's threads, as in 1 or 0,2-3
    #[arg(long, value_name = "CPUS")]
    pub pin_client: Option<Cpus>,

    /// How the client's sockets control congestion, as in cubic or reno
    /// [default: the system's]
    #[arg(long, value_name = "NAME")]
    pub tcp_congestion: Option<String>,

    /// A part that takes longer is an error
    #[arg(long, default_value = "300s", value_parser = duration)]
    pub part_timeout: Duration,

    /// Errors after which the run ends
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub errors_max: u64,
}

/// The RPC under load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Rpc {
    /// `HashService/Digest`.
    Digest,
    /// `HashService/Verify`. One part in sixteen is sent with a wrong
    /// expectation and must come back as a mismatch.
    Verify,
}
