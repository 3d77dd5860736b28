//! The command line: subcommands and examples.

use clap::{Parser, Subcommand};

use super::compare::CompareArgs;
use super::documents::{MergeArgs, ReportArgs};
use super::hostile::{DisturbArgs, FloodArgs};
use super::matrix::{MatrixArgs, PlainServerArgs};
use super::predict::PredictArgs;
use super::run::{DemoArgs, RunArgs, SearchArgs};
use super::soak::SoakArgs;
use crate::load::sizes::PartSizes;

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

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use super::*;
    use crate::args::{Rpc, Setting, SweepPoint};

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
