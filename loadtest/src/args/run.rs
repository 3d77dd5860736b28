//! The flags of `run`, `search` and `demo`.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, ensure};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::load::LoadArgs;
use super::values::{admin, bounded, bytes, duration, interval, parsed};
use crate::load::mix::Mix;
use crate::load::rate::Rate;
use crate::results::threshold::Condition;

/// The flags of `run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// The server's gRPC address; connections are dealt out to several
    #[arg(
        long,
        default_value = "http://127.0.0.1:50051",
        value_name = "URL",
        value_delimiter = ','
    )]
    pub server: Vec<String>,

    /// How data goes to the server: shared memory is for servers at unix:/path
    #[arg(long, value_enum, default_value_t = Transport::Auto)]
    pub transport: Transport,

    /// The admin address of each server, for its metrics; `off` leaves them out
    #[arg(
        long,
        default_value = "http://127.0.0.1:9464",
        value_name = "URL",
        value_delimiter = ',',
        value_parser = admin
    )]
    pub admin: Vec<std::option::Option<String>>,

    /// An open loop: parts start at this rate, whatever the server does, and latencies count from
    /// the intended start: 1000/s, 2GB/s, poisson:1000/s, 100/s@10s,200/s@10s (steps),
    /// 100..1000/s@30s (a ramp)
    #[arg(long, value_name = "RATE", value_parser = parsed::<Rate>, conflicts_with_all = ["schedule", "streams", "parts_per_stream"])]
    pub rate: Option<Rate>,

    /// An open loop with these starts: lines of TIME_S,SIZE,ALGORITHM
    #[arg(long, value_name = "FILE", conflicts_with_all = ["streams", "part_size", "mix", "parts_per_stream"])]
    pub schedule: Option<PathBuf>,

    /// The most parts of an open loop without an answer; starts beyond are missed, and counted
    #[arg(long, default_value_t = 4096, value_parser = bounded(1, 1_000_000))]
    pub in_flight_max: usize,

    /// RPCs and algorithms by weight, as in
    /// digest:sha256=70,verify:md5=20,batch:sha256=5,multiplexed:sha256=5
    #[arg(long, value_name = "MIX", value_parser = parsed::<Mix>, conflicts_with_all = ["rpc", "algorithms", "parts_per_stream"])]
    pub mix: Option<Mix>,

    /// Bandwidth of each call, as in 10MB/s
    #[arg(long, value_name = "BYTES/s", value_parser = bandwidth)]
    pub client_bandwidth: Option<u64>,

    /// The share of corrupted parts among those to verify, each of which must come back as a
    /// mismatch [default: one in sixteen]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub corrupt: Option<f64>,

    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,

    /// How long to measure [default: 10s, or the length of --rate or --schedule]
    #[arg(long, value_parser = duration, conflicts_with = "count")]
    pub duration: Option<Duration>,

    /// Parts to send, instead of --duration
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,

    /// Load before the measurement starts; none with --count, --schedule, steps and ramps
    #[arg(long, default_value = "500ms", value_parser = duration, conflicts_with = "count")]
    pub warmup: Duration,

    /// How long parts in flight may take to end after the measurement
    #[arg(long, default_value = "60s", value_parser = duration)]
    pub grace: Duration,

    /// Begins at this time, as other generators do: 2026-01-31T12:00:00Z, or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub start_at: Option<SystemTime>,

    /// Fails the run (exit status 1) if this holds: 'p99>50ms', 'errors>0', 'cpu_s_per_gb>0.4';
    /// repeatable
    #[arg(long, value_name = "CONDITION", value_parser = parsed::<Condition>)]
    pub fail_if: Vec<Condition>,

    /// Writes the JSON document to this file, and not to standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Writes a page about the run, as `report` does, to this file
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

    /// Writes the response times' distribution as a table of HdrHistogram
    #[arg(long, value_name = "FILE")]
    pub hgrm: Option<PathBuf>,

    /// A name for the run, for reports of several
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,

    /// PEM file of the roots that the certificate of an https server must lead to
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,

    /// PEM file of the client's certificate chain
    #[arg(long, value_name = "FILE", requires_all = ["ca", "client_key"])]
    pub client_certificate: Option<PathBuf>,

    /// PEM file of the certificate's key
    #[arg(long, value_name = "FILE", requires = "client_certificate")]
    pub client_key: Option<PathBuf>,

    /// File with the bearer token of every call
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
}

impl RunArgs {
    /// The load as it is sent. A part of an open loop goes out on any connection, so all are used.
    pub(crate) fn sent_load(&self) -> LoadArgs {
        let mut load = self.load.clone();
        if self.rate.is_some() || self.schedule.is_some() {
            load.streams = load.connections;
        }
        load
    }
}

/// How data goes to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// As the Rust client: in shared memory if every server offers it, else through sockets.
    Auto,
    /// Messages carry the data.
    Socket,
    /// In shared memory, or not at all. Data below 16 KiB of a message goes through the socket all
    /// the same, as the Rust client sends it.
    Memory,
}

/// The flags of `search`.
#[derive(Clone, Debug, Args)]
pub struct SearchArgs {
    /// The load. `--rate` is the first rate [default: 100/s]; `--duration` is that of a step
    /// [default: 5s]
    #[command(flatten)]
    pub run: RunArgs,

    /// A rate is too high if one of these holds
    #[arg(
        long,
        value_name = "CONDITION",
        value_parser = parsed::<Condition>,
        default_values = ["p99>100ms", "errors>0", "missed_starts>0"]
    )]
    pub limit: Vec<Condition>,

    /// Ends when the bracket of the knee is this narrow
    #[arg(long, value_name = "PERCENT", default_value = "4%", value_parser = precision)]
    pub precision: f64,

    /// Measures both ends of the bracket this often again, for its confidence
    #[arg(long, default_value_t = 2, value_parser = bounded(0, 100))]
    pub repeats: usize,

    /// Time without load between two steps
    #[arg(long, default_value = "500ms", value_parser = interval)]
    pub pause: Duration,

    /// Networks of which to tell the cores that they need, in Gbit/s
    #[arg(
        long,
        value_name = "LIST",
        default_value = "10,25,100",
        value_delimiter = ','
    )]
    pub gbit_per_s: Vec<f64>,
}

/// The flags of `demo`.
#[derive(Clone, Debug, Args)]
pub struct DemoArgs {
    /// The server's executable [default: hashlane-server beside this one]
    #[arg(long, value_name = "PATH")]
    pub server_bin: Option<PathBuf>,

    /// How long to measure
    #[arg(long, default_value = "20s", value_parser = interval)]
    pub duration: Duration,

    /// The folder for what it writes
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,
}

/// `10MB/s`.
fn bandwidth(text: &str) -> Result<u64> {
    let per_second = text.strip_suffix("/s");
    let bytes = bytes(per_second.context("it is not of the form 10MB/s")?)?;
    ensure!(bytes > 0, "a bandwidth is more than zero");
    Ok(bytes)
}

/// `1%`, as a share of 1.
fn percent(text: &str) -> Result<f64> {
    let number = text.strip_suffix('%').context("it is not of the form 1%")?;
    let percent: f64 = number.parse()?;
    ensure!((0.0..=100.0).contains(&percent), "0% to 100% are allowed");
    Ok(percent / 100.0)
}

/// A share above zero, or a search has no end.
fn precision(text: &str) -> Result<f64> {
    let share = percent(text)?;
    ensure!(share >= 0.001, "0.1% to 100% are allowed");
    Ok(share)
}

/// RFC 3339 in UTC, or seconds since 1970.
fn time(text: &str) -> Result<SystemTime> {
    if let Ok(seconds) = text.parse::<f64>() {
        let since = Duration::try_from_secs_f64(seconds)?;
        let time = SystemTime::UNIX_EPOCH.checked_add(since);
        return time.context("that time is too far away");
    }
    Ok(humantime::parse_rfc3339(text)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::Parser as _;

    #[test]
    fn shares_bandwidths_and_times() {
        assert_eq!(percent("1%").unwrap(), 0.01);
        assert_eq!(bandwidth("10MB/s").unwrap(), 10_000_000);
        let at = time("2026-01-31T12:00:00Z").unwrap();
        let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(time(&since.as_secs_f64().to_string()).unwrap(), at);
        assert!(percent("1").is_err() && percent("101%").is_err() && percent("-1%").is_err());
        assert!(bandwidth("0MB/s").is_err() && bandwidth("10MB").is_err());
        assert!(time("noon").is_err() && time("-1").is_err());
    }

    #[test]
    fn flags_that_exclude_each_other_are_refused() {
        for flags in [
            "--rate 0/s",
            "--rate 1/s --streams 4",
            "--rate 1/s --schedule x",
            "--schedule x --part-size 1KiB",
            "--rate 1/s --parts-per-stream 2",
            "--schedule x --parts-per-stream 2",
            "--mix digest=1 --rpc verify",
            "--client-certificate x --ca y",
            "--fail-if p98>1ms",
            "--sizes histogram:/nowhere/file",
            "--in-flight-max 0",
        ] {
            let line = std::iter::once("x").chain(flags.split_whitespace());
            assert!(Cli::try_parse_from(line).is_err(), "{flags}");
        }
    }
}
