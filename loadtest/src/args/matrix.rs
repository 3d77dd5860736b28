//! The flags of `matrix` and of the plain server.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use hashlane_engine::Algorithm;
use serde::Serialize;

use super::load::{ClientName, LoadArgs};
use super::rounds::RoundsArgs;
use super::values::{CHUNK_BYTES_MAX, CONNECTIONS_MAX, STREAMS_MAX, bounded, shown_by_name, sized};
use crate::load::sizes::PartSizes;
use crate::system::cpus::Cpus;

/// Parts of a call that all parts of its stream share: more than a window sees.
const PARTS_PER_CALL: u32 = 1_000_000;

/// A part that takes longer is an error.
const PART_TIMEOUT: Duration = Duration::from_secs(60);

/// `--brief`, in the defaults of other flags.
const BRIEF: &str = "brief";

/// The flags of `matrix`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("rounds", |arg| arg.default_value("3").default_value_if(BRIEF, "true", "1")))]
#[command(mut_arg("round_seconds", |arg| arg.default_value("0.5").default_value_if(BRIEF, "true", "0.2")))]
#[command(mut_arg("warmup_seconds", |arg| arg.default_value("0.25").default_value_if(BRIEF, "true", "0.1")))]
#[command(mut_arg("frame_size", |arg| arg.default_value("16KiB")))]
pub struct MatrixArgs {
    /// The children and the rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,

    /// Numbers of streams
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "1,2,4,8,16,32,64,256",
        default_value_if(BRIEF, "true", "1,64"),
        value_parser = bounded(1, STREAMS_MAX)
    )]
    pub streams: Vec<usize>,

    /// Sizes of a part
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "1KiB,4KiB,16KiB,64KiB,1MiB,8MiB",
        default_value_if(BRIEF, "true", "4KiB,64KiB"),
        value_parser = sized::<u64>(1, 1 << 30)
    )]
    pub part_bytes: Vec<u64>,

    /// RPCs of a stream's parts
    #[arg(
        long = "rpc",
        value_name = "LIST",
        value_delimiter = ',',
        value_enum,
        default_value = "shared,fresh"
    )]
    pub calls: Vec<Calls>,

    /// Algorithms, of those that the plain server has: sha256 and md5
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "sha256,md5",
        value_parser = algorithm
    )]
    pub algorithms: Vec<Algorithm>,

    /// Connections to the server; of a lone stream one
    #[arg(long, default_value_t = 2, value_parser = bounded(1, CONNECTIONS_MAX))]
    pub connections: usize,

    /// Bytes of data in one message
    #[arg(long, default_value = "64KiB", value_parser = sized::<usize>(1, CHUNK_BYTES_MAX))]
    pub chunk_size: usize,

    /// The client
    #[arg(long, value_enum, default_value_t = ClientName::Prepared)]
    pub client: ClientName,

    /// CPUs for the client, as in 1 or 0,2-3 [default: the second]
    #[arg(long, value_name = "CPUS")]
    pub pin_client: Option<Cpus>,

    /// How the client's sockets control congestion, as in cubic or reno
    #[arg(long, value_name = "NAME", default_value = "reno")]
    pub tcp_congestion: String,

    /// Seed of payloads and of the order of parts
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// A few cells, one short round: to see that it works
    #[arg(long)]
    pub brief: bool,
}

/// The RPCs of a stream's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Calls {
    /// One RPC for all parts, one after the other.
    Shared,
    /// A fresh RPC for every part.
    Fresh,
}

shown_by_name!(Calls);

/// One load of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// Digests of every part.
    #[serde(serialize_with = "by_name")]
    pub algorithm: Algorithm,
    /// RPCs.
    pub calls: Calls,
    /// Bytes of a part.
    pub part_bytes: u64,
    /// Streams over all connections.
    pub streams: usize,
}

fn by_name<S: serde::Serializer>(algorithm: &Algorithm, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(algorithm.name())
}

impl MatrixArgs {
    /// All cells. Cells that send the same parts are adjacent.
    pub(crate) fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for &algorithm in &self.algorithms {
            for &calls in &self.calls {
                for &part_bytes in &self.part_bytes {
                    cells.extend(self.streams.iter().map(|&streams| Cell {
                        algorithm,
                        calls,
                        part_bytes,
                        streams,
                    }));
                }
            }
        }
        cells
    }

    /// The load of one cell.
    pub(crate) fn load(&self, cell: &Cell) -> LoadArgs {
        LoadArgs {
            connections: self.connections.min(cell.streams),
            streams: cell.streams,
            part_size: PartSizes::fixed(cell.part_bytes),
            chunk_size: self.chunk_size,
            // Messages need not name SHA-256.
            algorithms: match cell.algorithm {
                Algorithm::Sha256 => Vec::new(),
                other => vec![other],
            },
            parts_per_stream: match cell.calls {
                Calls::Shared => PARTS_PER_CALL,
                Calls::Fresh => 1,
            },
            seed: self.seed,
            pin_client: self.pin_client.clone(),
            tcp_congestion: Some(self.tcp_congestion.clone()),
            part_timeout: PART_TIMEOUT,
            ..LoadArgs::default()
        }
    }
}

fn algorithm(text: &str) -> Result<Algorithm> {
    let algorithm = text.parse()?;
    ensure!(
        matches!(algorithm, Algorithm::Sha256 | Algorithm::Md5),
        "the plain server has sha256 and md5 alone"
    );
    Ok(algorithm)
}

/// The flags of `plain-server`.
#[derive(Clone, Debug, Args)]
pub struct PlainServerArgs {
    /// The address of gRPC
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50051")]
    pub listen: SocketAddr,

    /// The address of /readyz and /metrics
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9464")]
    pub admin_listen: SocketAddr,

    /// Threads [default: one for every CPU that the process may use]
    #[arg(long, value_parser = bounded(1, 4096))]
    pub workers: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;

    fn args(flags: &str) -> Result<MatrixArgs, clap::Error> {
        let line = ["x", "matrix"].into_iter().chain(flags.split_whitespace());
        match Cli::try_parse_from(line)?.command {
            Some(Command::Matrix(args)) => Ok(args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_matrix_is_whole_unless_it_is_brief_or_restricted() {
        let whole = args("").unwrap();
        let cells = |args: &MatrixArgs| {
            let (streams, parts) = (args.streams.len(), args.part_bytes.len());
            streams * parts * args.calls.len() * args.algorithms.len()
        };
        assert_eq!((cells(&whole), whole.rounds.rounds), (192, 3));
        assert_eq!(whole.rounds.frame_size, Some(16 << 10));
        let brief = args("--brief --streams 8").unwrap();
        assert_eq!((cells(&brief), brief.rounds.rounds), (8, 1));
        assert!(brief.rounds.round_seconds < whole.rounds.round_seconds);
        assert_eq!(brief.streams, [8]);
        for flags in [
            "--algorithms sha1",
            "--part-bytes 0",
            "--rpc both",
            "--streams 0",
        ] {
            assert!(args(flags).is_err(), "{flags}");
        }
    }

    #[test]
    fn a_cell_is_a_load() {
        let args = args("--connections 2 --rpc fresh,shared").unwrap();
        let cell = Cell {
            algorithm: Algorithm::Md5,
            calls: args.calls[0],
            part_bytes: 4096,
            streams: 1,
        };
        let lone = args.load(&cell);
        assert_eq!((lone.connections, lone.parts_per_stream), (1, 1));
        assert_eq!(lone.algorithms, [Algorithm::Md5]);
        assert_eq!(lone.part_size.max_bytes(), 4096);
        let many = args.load(&Cell {
            algorithm: Algorithm::Sha256,
            calls: args.calls[1],
            streams: 64,
            ..cell
        });
        assert_eq!((many.connections, many.streams), (2, 64));
        assert!(many.parts_per_stream > 1000 && many.algorithms.is_empty());
    }
}
