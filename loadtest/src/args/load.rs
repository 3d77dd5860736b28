//! The flags of a load.

use std::fmt;
use std::time::Duration;

use clap::{Args, FromArgMatches as _, ValueEnum};
use hashlane_engine::Algorithm;
use serde::Serialize;
use serde_json::json;

use super::values::{
    Bytes, CHUNK_BYTES_MAX, CONNECTIONS_MAX, STREAMS_MAX, bounded, duration, parsed, shown_by_name,
    sized,
};
use crate::load::algorithms;
use crate::load::sizes::PartSizes;
use crate::results::Row;
use crate::system::cpus::Cpus;

/// The load itself: what all subcommands share.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct LoadArgs {
    /// Connections to the server
    #[arg(long, default_value_t = 4, value_parser = bounded(1, CONNECTIONS_MAX))]
    pub connections: usize,

    /// Streams over all connections; each sends a part when the one before was
    /// answered, so one stream alone is a lone client
    #[arg(long, default_value_t = 32, value_parser = bounded(1, STREAMS_MAX))]
    pub streams: usize,

    /// Bytes of a part: a size (8MiB), a list in equal shares (1KiB,64KiB), a log-uniform range
    /// (1KiB..1MiB), histogram:FILE (lines of SIZE,WEIGHT) or a preset
    #[arg(long, visible_alias = "sizes", default_value = "8MiB", value_parser = parsed::<PartSizes>)]
    pub part_size: PartSizes,

    /// Bytes of data in one message
    #[arg(long, default_value = "64KiB", value_parser = sized::<usize>(1, CHUNK_BYTES_MAX))]
    pub chunk_size: usize,

    /// Digests of every part; may be given repeatedly, or as a list with commas
    /// [default: sha256, which messages then do not name]
    #[arg(long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<Algorithm>,

    /// The RPC to call
    #[arg(long, value_enum, default_value_t = Rpc::Digest)]
    pub rpc: Rpc,

    /// Parts of a closed loop, sent one after the other on one RPC
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
    /// One part after the other on a call of `HashService/Digest`.
    Digest,
    /// The same with `HashService/Verify`. One part in sixteen is corrupted and must come back as
    /// a mismatch.
    Verify,
    /// `HashService/DigestBatch` with up to 16 blobs and 1 MiB; the request counts as one part.
    Batch,
    /// Many parts at once on one call of `HashService/Digest`, message by message in turn.
    Multiplexed,
}

/// The client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientName {
    /// hyper, as tonic's clients: any RPC, any server.
    Hyper,
    /// Frames prepared at start-up, over `writev`: only Digest, over TCP.
    Prepared,
}

shown_by_name!(Rpc, ClientName);

impl Default for LoadArgs {
    /// The load without flags.
    fn default() -> Self {
        let command = Self::augment_args(clap::Command::new("load"));
        Self::from_arg_matches(&command.get_matches_from([""])).expect("every flag has a default")
    }
}

impl LoadArgs {
    /// Connections with at least one stream.
    pub(crate) fn used_connections(&self) -> usize {
        self.connections.min(self.streams)
    }

    /// The digests of every part, in the order of requests.
    pub(crate) fn algorithm_names(&self) -> Vec<&'static str> {
        algorithms::names(&self.algorithms)
    }

    /// The load, as in every row.
    pub(crate) fn row(&self) -> Row {
        Row::of(json!({
            "rpc": self.rpc,
            "algorithms": self.algorithm_names(),
            "connections": self.used_connections(),
            "streams": self.streams,
            "part_size": self.part_size.to_string(),
            "chunk_bytes": self.chunk_size,
            "parts_per_stream": self.parts_per_stream,
            "seed": self.seed,
            "tcp_congestion": self.tcp_congestion,
        }))
    }
}

impl fmt::Display for LoadArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} streams on {} connections, parts of {}, chunks of {}",
            self.algorithm_names().join("+"),
            self.streams,
            self.used_connections(),
            self.part_size,
            Bytes(self.chunk_size as u64)
        )
    }
}
