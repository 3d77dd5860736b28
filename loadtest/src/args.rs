//! Flags, parsed once into values that are within bounds.
//!
//! values.rs parses values; run.rs, matrix.rs and predict.rs have the flags of `run`, `matrix` and
//! `predict`; load.rs and rounds.rs have those that subcommands share; documents.rs those of `report`
//! and `merge`.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::ArgPredicate;
use clap::{Args, Parser, Subcommand, ValueEnum};
use hashlane_engine::Algorithm;

use crate::hostile::Flood;
use crate::mode::Mode;
use crate::sizes::PartSizes;

mod documents;
mod load;
mod matrix;
mod predict;
mod rounds;
mod run;
mod values;

pub use documents::{MergeArgs, ReportArgs};
pub use load::{ClientName, LoadArgs, Rpc};
pub use matrix::{Calls, Cell, MatrixArgs, PlainServerArgs};
pub use predict::PredictArgs;
pub use rounds::RoundsArgs;
pub use run::{DemoArgs, RunArgs, SearchArgs, Transport};
pub(crate) use values::{Bytes, bytes, duration, one_of};
pub use values::{Setting, SweepPoint};
use values::{bounded, interval, seconds};

/// `hashlane-loadtest`.
#[derive(Debug, Parser)]
#[command(
    name = "hashlane-loadtest",
    version,
    about = "Loads a hashlane server, checks every digest, reports rate, latency and the server's CPU time",
    before_help = EXAMPLES,
    after_long_help = PartSizes::presets(),
    args_conflicts_with_subcommands = true
)]
pub struct Cli {
    /// What to do; `run` when left out.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The flags of `run`.
    #[command(flatten)]
    pub run: RunArgs,
}

/// What people do most.
const EXAMPLES: &str = "\
What MB/s and which latencies do 200 clients see?
  hashlane-loadtest run --server http://HOST:50051 --admin http://HOST:9464 --streams 200 --sizes 1MiB
And at a given rate, whatever the server does (an open loop)?
  hashlane-loadtest run --rate poisson:500/s --sizes s3-multipart --mix digest:sha256=70,verify:md5=30
How many cores do I need?
  hashlane-loadtest search --sizes s3-multipart --limit 'p99>50ms' --limit 'errors>0'
As a check in CI: exit status 1 if this holds
  hashlane-loadtest run --rate 200MB/s --fail-if 'p99>50ms' --fail-if 'errors>0' --json run.json
I am new here:
  hashlane-loadtest demo";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Loads a server that is already running
    #[command(after_long_help = PartSizes::presets())]
    Run(Box<RunArgs>),
    /// Finds the highest rate within limits, and how many cores a network needs
    Search(Box<SearchArgs>),
    /// Predicts by simulation what one worker does under a load, and checks that against runs
    #[command(after_long_help = PartSizes::presets())]
    Predict(Box<PredictArgs>),
    /// Starts a server, loads it for 20 seconds and tells what to see: for newcomers
    Demo(DemoArgs),
    /// Writes a page about runs, side by side, from their documents
    Report(ReportArgs),
    /// Merges the documents of load generators that began at one time
    Merge(MergeArgs),
    /// Starts the server in each hashing mode and compares its CPU time per byte and per part
    Compare(CompareArgs),
    /// Compares the server with a plain one, over many shapes of load
    Matrix(MatrixArgs),
    /// Measures honest streams with and without slow ones or floods beside them
    Disturb(DisturbArgs),
    /// Floods a server of this machine that is already running
    Flood(FloodArgs),
    /// Has clients work, cancel, corrupt and vanish at random, and looks at what is left of them
    Soak(SoakArgs),
    /// Serves Digest with nothing but tonic, sha2 and md-5: what `matrix` compares the server with
    PlainServer(PlainServerArgs),
}

/// The flags of `compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArgs {
    /// The children and the rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,

    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,

    /// Cores and client: mixed is hyper and the server on all cores; saturated is the server alone
    /// on one core and the prepared client on another
    #[arg(long, value_enum, default_value_t = Setup::Mixed)]
    pub setup: Setup,

    /// The client [default: the set-up's]
    #[arg(long, value_enum)]
    pub client: Option<ClientName>,

    /// Modes, in the order of a round; every second round reverses it
    #[arg(
        long,
        value_parser = Mode::parser(),
        value_delimiter = ',',
        default_value = "lanes,inline,sink",
        default_value_if("setup", "saturated", "lanes,inline,sink,floor")
    )]
    pub modes: Vec<Mode>,

    /// Another server of the same contract, which has its turn after the modes; may be given
    /// repeatedly. The command is an executable and its flags, separated by blanks; it must also
    /// accept --listen and --admin-listen
    #[arg(long = "peer", value_name = "NAME=COMMAND", value_parser = Mode::peer)]
    pub peers: Vec<Mode>,

    /// In every round, also measures the first mode with these algorithms, and gives the ratio of
    /// --algorithm's cost to theirs
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub baseline: Vec<Algorithm>,

    /// A setting for the server of the baseline; may be given repeatedly. Measures the first
    /// mode with it too, in every round: what the other settings cost over it
    #[arg(long, value_name = "NAME=VALUE")]
    pub baseline_set: Vec<Setting>,

    /// Repeats the comparison for each number of streams, and of connections where it is given,
    /// as in 32,10000@1000; without a list for 1,4,16,32,128,1024,10000
    #[arg(
        long,
        value_name = "LIST",
        num_args = 0..=1,
        value_delimiter = ',',
        default_missing_value = SWEEP_STREAMS
    )]
    pub sweep_streams: Vec<SweepPoint>,
}

/// The set-up of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Setup {
    /// Client and server share all cores, as services do that share a machine.
    Mixed,
    /// The server has a core of its own, and the client, on another one, sends faster than the
    /// server can take it.
    Saturated,
}

/// A sweep from a lone client to more streams than any kernel has lanes for.
const SWEEP_STREAMS: &str = "1,4,16,32,128,1024,10000";

/// The flags of `disturb`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("connections", |arg| arg.default_value("16").default_value_if("flood", FLOODED, "1")))]
#[command(mut_arg("streams", |arg| arg.default_value("16").default_value_if("flood", FLOODED, "4")))]
#[command(mut_arg("part_size", |arg| arg.default_value_if("flood", FLOODED, "1MiB")))]
pub struct DisturbArgs {
    /// The children and the rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,

    /// The honest load.
    #[command(flatten)]
    pub load: LoadArgs,

    /// The server's hashing mode
    #[arg(long, value_parser = Mode::parser(), default_value = "lanes")]
    pub mode: Mode,

    /// Streams that send a few bytes at intervals and never end
    #[arg(long, default_value_t = 1000, value_parser = bounded(0, 100_000))]
    pub drip_streams: usize,

    /// Time between the drips of one stream
    #[arg(long, default_value = "1s", value_parser = interval)]
    pub drip_interval: Duration,

    /// Bytes of one drip, each in an HTTP/2 frame of its own
    #[arg(long, default_value_t = 1, value_parser = bounded(1, 1024))]
    pub drip_bytes: usize,

    /// Streams that send whole parts and never read an answer: some at once, then one every
    /// --drip-interval
    #[arg(long, default_value_t = 0, value_parser = bounded(0, 100_000))]
    pub unread_streams: usize,

    /// Streams that open a part and send nothing more
    #[arg(long, default_value_t = 0, value_parser = bounded(0, 100_000))]
    pub idle_streams: usize,

    /// Bytes that each idle stream sends first
    #[arg(long, default_value_t = 100, value_parser = bounded(1, 65_536))]
    pub idle_bytes: usize,

    /// Connections of the dripping and idle streams, and as many of those that never read; more
    /// are added where the server's streams per connection would not suffice
    #[arg(long, default_value_t = 1, value_parser = bounded(1, 4096))]
    pub disturb_connections: usize,

    /// Floods the server, in place of slow streams: kinds, or all of them without a list; always
    /// with `spins`, the control. Those of TLS need a --mode over TLS and are left out of the
    /// others, and the other way round
    #[arg(
        long,
        value_name = "LIST",
        num_args = 0..=1,
        value_delimiter = ',',
        default_missing_values = Flood::names(),
        value_parser = Flood::parser(),
        conflicts_with_all = ["drip_streams", "unread_streams", "idle_streams"]
    )]
    pub flood: Vec<Flood>,

    /// Hostile connections, each number in turn
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "1,8",
        value_parser = bounded(1, 256),
        requires = "flood"
    )]
    pub hostile: Vec<usize>,

    /// Addresses of the loopback that hostile connections come from, each in turn. The honest
    /// client's is 127.0.0.1; from the same one they share its bounds
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "127.0.0.2",
        requires = "flood"
    )]
    pub hostile_from: Vec<Ipv4Addr>,
}

/// The flags of `flood`.
#[derive(Clone, Debug, Args)]
pub struct FloodArgs {
    /// The server's gRPC port, on the loopback
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50051")]
    pub server: SocketAddr,

    /// That port has TLS; floods that do not fit it are left out
    #[arg(long)]
    pub tls: bool,

    /// Kinds of floods, one after the other [default: all]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_values = Flood::names(),
        hide_default_value = true,
        value_parser = Flood::parser()
    )]
    pub flood: Vec<Flood>,

    /// All of them at once, each from an address of its own: 127.0.1.1, 127.0.1.2 and so on
    #[arg(long)]
    pub together: bool,

    /// Connections of each
    #[arg(long, default_value_t = 16, value_parser = bounded(1, 256))]
    pub hostile: usize,

    /// The loopback's address that they come from
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.2",
        conflicts_with = "together"
    )]
    pub hostile_from: Ipv4Addr,

    /// Seconds of each, or of all together
    #[arg(long, default_value = "2", value_parser = seconds)]
    pub seconds: Duration,
}

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

/// One honest client stands beside floods.
const FLOODED: ArgPredicate = ArgPredicate::IsPresent;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_alone_mean_run() {
        let cli = Cli::try_parse_from(["x", "--streams", "7", "--count", "3"]).unwrap();
        assert!(cli.command.is_none());
        assert_eq!((cli.run.load.streams, cli.run.count), (7, Some(3)));

        let cli = Cli::try_parse_from(["x", "run", "--part-size", "1KiB..2KiB", "--rpc", "verify"])
            .unwrap();
        let Some(Command::Run(run)) = cli.command else {
            panic!("not run")
        };
        assert_eq!(
            (run.load.rpc, run.load.part_size.max_bytes()),
            (Rpc::Verify, 2048)
        );

        let cli = Cli::try_parse_from([
            "x",
            "compare",
            "--sweep-streams",
            "1,4",
            "--frame-size",
            "64KiB",
        ])
        .unwrap();
        let Some(Command::Compare(compare)) = cli.command else {
            panic!("not compare")
        };
        let names: Vec<_> = compare.modes.iter().map(|mode| mode.name).collect();
        assert_eq!(names, ["lanes", "inline", "sink"]);
        assert_eq!(
            (compare.sweep_streams, compare.rounds.frame_size),
            (points(&[1, 4]), Some(65_536))
        );
        assert_eq!(compare.rounds.round_seconds, Duration::from_secs(3));
        assert_eq!((compare.load.streams, compare.load.connections), (32, 4));
    }

    fn points(streams: &[usize]) -> Vec<SweepPoint> {
        let point = |streams: &usize| streams.to_string().parse().unwrap();
        streams.iter().map(point).collect()
    }

    #[test]
    fn a_sweep_has_a_list_of_its_own() {
        let parse = |flags: &str| {
            let line = ["x", "compare"].into_iter().chain(flags.split_whitespace());
            let Some(Command::Compare(args)) = Cli::try_parse_from(line)?.command else {
                panic!("not compare")
            };
            Ok::<_, clap::Error>((args.sweep_streams, args.rounds.rounds))
        };
        let all = points(&[1, 4, 16, 32, 128, 1024, 10_000]);
        for (flags, expected) in [
            ("", (vec![], 5)),
            ("--sweep-streams", (all.clone(), 5)),
            ("--sweep-streams --rounds 3", (all.clone(), 3)),
            ("--rounds 3 --sweep-streams", (all, 3)),
            ("--sweep-streams 7", (points(&[7]), 5)),
            ("--sweep-streams=7,9 --rounds 3", (points(&[7, 9]), 3)),
        ] {
            assert_eq!(parse(flags).unwrap(), expected, "{flags}");
        }
        let (points, _) = parse("--sweep-streams 32,10000@1000").unwrap();
        assert_eq!(points[1].connections, Some(1000));
        assert_eq!(points[1].to_string(), "10000@1000");
        for flags in [
            "--sweep-streams 1@",
            "--sweep-streams 1@0",
            "--sweep-streams 1@5000",
            "--sweep-streams 0",
            "--sweep-streams 1,",
            "--sweep-streams 1 4",
        ] {
            assert!(parse(flags).is_err(), "{flags}");
        }
    }

    #[test]
    fn honest_streams_beside_disturbing_ones_have_connections_of_their_own() {
        let parse = |flags: &str| {
            let line = ["x", "disturb"].into_iter().chain(flags.split_whitespace());
            match Cli::try_parse_from(line).unwrap().command {
                Some(Command::Disturb(args)) => args,
                other => panic!("{other:?}"),
            }
        };
        let args = parse("");
        assert_eq!((args.load.streams, args.load.connections), (16, 16));
        assert_eq!((args.drip_streams, args.drip_bytes), (1000, 1));
        assert_eq!(args.drip_interval, Duration::from_secs(1));
        assert_eq!((args.idle_streams, args.disturb_connections), (0, 1));
        assert!(args.flood.is_empty());
        let args = parse("--flood ping,churn --hostile 2");
        assert_eq!((args.load.streams, args.load.connections), (4, 1));
        assert_eq!(args.load.part_size.to_string(), "1MiB");
        assert_eq!((args.flood.len(), args.hostile), (2, vec![2]));
        assert_eq!(args.hostile_from, [Ipv4Addr::new(127, 0, 0, 2)]);
        assert_eq!(parse("--flood").flood.len(), 34);
        let args = parse("--streams 3 --idle-streams 5 --server-set a.b=1 --server-set c=d=e");
        assert_eq!((args.load.streams, args.idle_streams), (3, 5));
        let settings: Vec<_> = args
            .rounds
            .server_set
            .iter()
            .map(Setting::to_string)
            .collect();
        assert_eq!(settings, ["a.b=1", "c=d=e"]);
    }

    #[test]
    fn values_out_of_bounds_are_refused() {
        for flags in [
            &["--streams", "0"][..],
            &["--algorithm", "md6"],
            &["compare", "--baseline", "sha256,md6"],
            &["--connections", "5000"],
            &["--chunk-size", "0"],
            &["--chunk-size", "17MiB"],
            &["--duration", "2days"],
            &["--duration", "1s", "--count", "1"],
            &["compare", "--frame-size", "1024"],
            &["compare", "--rounds", "0"],
            &["compare", "--round-seconds", "-1"],
            &["compare", "--modes", "lanes,other"],
            &["compare", "--server-set", "listen"],
            &["compare", "--peer", "listen"],
            &["disturb", "--drip-interval", "0s"],
            &["disturb", "--drip-bytes", "0"],
            &["disturb", "--idle-bytes", "0"],
            &["disturb", "--mode", "lanes,sink"],
            &["disturb", "--flood", "pong"],
            &["disturb", "--flood", "--drip-streams", "5"],
            &["disturb", "--hostile", "8"],
            &["disturb", "--hostile-from", "127.0.0.1"],
            &["disturb", "--flood", "--hostile-from", "here"],
        ] {
            let line = std::iter::once("x").chain(flags.iter().copied());
            assert!(Cli::try_parse_from(line).is_err(), "{flags:?}");
        }
    }
}
