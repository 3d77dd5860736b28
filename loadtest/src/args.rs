//! Flags, parsed once into values that are within bounds.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Serialize;

use crate::cpus::Cpus;

/// Largest part: the digest of every distinct part is computed before the load
/// starts, at some 2 GB/s.
pub const PART_BYTES_MAX: u64 = 16 << 30;

/// Largest chunk: gRPC servers commonly refuse messages above 4 MiB.
pub const CHUNK_BYTES_MAX: u64 = 16 << 20;

/// Longest duration of any flag.
const DURATION_MAX: Duration = Duration::from_secs(24 * 3600);

/// `hashlane-loadtest`.
#[derive(Debug, Parser)]
#[command(
    name = "hashlane-loadtest",
    version,
    about = "Loads a hashlane server, checks every digest, reports rate, latency and what the server paid",
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

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Loads a server that is already running
    Run(RunArgs),
    /// Starts the server in each hashing mode and compares what a byte costs it
    Compare(CompareArgs),
}

/// The load itself: what both subcommands share.
#[derive(Clone, Debug, Args)]
pub struct LoadArgs {
    /// Connections to the server
    #[arg(long, default_value_t = 4, value_parser = bounded(1, 4096))]
    pub connections: usize,

    /// Streams over all connections; each carries one part at a time
    #[arg(long, default_value_t = 32, value_parser = bounded(1, 100_000))]
    pub streams: usize,

    /// Bytes of a part: a size (8MiB), a list taken in turn (1KiB,64KiB) or a
    /// log-uniform range (1KiB..1MiB)
    #[arg(long, default_value = "8MiB")]
    pub part_size: PartSizes,

    /// Bytes of data in one message
    #[arg(long, default_value = "64KiB", value_parser = chunk_size)]
    pub chunk_size: usize,

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

    /// A part that takes longer is an error
    #[arg(long, default_value = "300s", value_parser = duration)]
    pub part_timeout: Duration,

    /// Errors after which the run is given up
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub errors_max: u64,
}

/// The flags of `run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// The server's gRPC address
    #[arg(long, default_value = "http://127.0.0.1:50051", value_name = "URL")]
    pub server: String,

    /// The server's admin address, for its metrics; `off` leaves them out
    #[arg(long, default_value = "http://127.0.0.1:9464", value_name = "URL")]
    pub admin: Admin,

    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,

    /// How long to measure [default: 10s]
    #[arg(long, value_parser = duration, conflicts_with = "count")]
    pub duration: Option<Duration>,

    /// How many parts to send instead, over all streams
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,

    /// Load before the measurement starts; with --count there is none
    #[arg(long, default_value = "500ms", value_parser = duration, conflicts_with = "count")]
    pub warmup: Duration,

    /// How long parts in flight may take to end after the measurement
    #[arg(long, default_value = "60s", value_parser = duration)]
    pub grace: Duration,
}

/// The flags of `compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArgs {
    /// The server's executable [default: hashlane-server beside this one]
    #[arg(long, value_name = "PATH")]
    pub server_bin: Option<PathBuf>,

    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,

    /// Hashing modes, in the order they take turns
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "lanes,inline,sink"
    )]
    pub modes: Vec<Mode>,

    /// Rounds: every mode is measured once in each
    #[arg(long, default_value_t = 5, value_parser = bounded(1, 1000))]
    pub rounds: usize,

    /// Seconds measured per mode and round
    #[arg(long, default_value = "3", value_parser = seconds)]
    pub round_seconds: Duration,

    /// Seconds of load before each measurement
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
    #[arg(long, value_parser = frame_size)]
    pub frame_size: Option<u32>,

    /// Further flags for the server, separated by blanks
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub server_args: Vec<String>,

    /// Repeats the comparison for each number of streams
    #[arg(long, value_delimiter = ',', value_parser = bounded(1, 100_000))]
    pub sweep_streams: Vec<usize>,
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

/// The server's hashing modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The multi-buffer engine.
    Lanes,
    /// One stream at a time, in the handler.
    Inline,
    /// No hashing: digests are not checked.
    Sink,
}

impl Mode {
    /// The value of the server's `--hashing`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lanes => "lanes",
            Self::Inline => "inline",
            Self::Sink => "sink",
        }
    }
}

/// Where the server's metrics are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admin {
    /// No metrics are read.
    Off,
    /// `host:port` of the admin endpoint.
    Address(String),
}

impl FromStr for Admin {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "off" {
            return Ok(Self::Off);
        }
        let rest = text.strip_prefix("http://").unwrap_or(text);
        let address = rest.strip_suffix('/').unwrap_or(rest);
        let port = address
            .rsplit_once(':')
            .map(|(_, port)| port.parse::<u16>());
        ensure!(
            matches!(port, Some(Ok(_))) && !address.contains('/'),
            "`{text}` is not of the form http://host:port, nor `off`"
        );
        Ok(Self::Address(address.to_owned()))
    }
}

/// How long parts are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartSizes {
    /// These sizes in turn; one for equal parts.
    List(Vec<u64>),
    /// Log-uniform from `min` to `max`, both included.
    LogUniform {
        /// The shortest, at least 1.
        min: u64,
        /// The longest.
        max: u64,
    },
}

impl PartSizes {
    /// The longest part.
    pub fn max_bytes(&self) -> u64 {
        match self {
            Self::List(sizes) => sizes.iter().copied().max().unwrap_or(0),
            Self::LogUniform { max, .. } => *max,
        }
    }
}

impl FromStr for PartSizes {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let part_size = |text: &str| -> Result<u64> {
            let bytes = bytes(text)?;
            ensure!(
                bytes <= PART_BYTES_MAX,
                "`{text}` is beyond the longest part, 16GiB"
            );
            Ok(bytes)
        };
        if let Some((min, max)) = text.split_once("..") {
            let (min, max) = (part_size(min)?, part_size(max)?);
            ensure!(min >= 1, "a log-uniform range starts at 1 byte or more");
            ensure!(min <= max, "the range `{text}` runs backwards");
            return Ok(Self::LogUniform { min, max });
        }
        let sizes = text.split(',').map(part_size).collect::<Result<Vec<_>>>()?;
        ensure!(sizes.len() <= 64, "at most 64 sizes in a list");
        Ok(Self::List(sizes))
    }
}

impl fmt::Display for PartSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(sizes) => {
                for (index, size) in sizes.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    write!(f, "{comma}{}", Bytes(*size))?;
                }
                Ok(())
            }
            Self::LogUniform { min, max } => write!(f, "{}..{}", Bytes(*min), Bytes(*max)),
        }
    }
}

/// A number of bytes, printed in the largest binary unit that divides it.
#[derive(Clone, Copy, Debug)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bytes) = *self;
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
            if bytes >> shift != 0 && bytes.trailing_zeros() >= shift {
                return write!(f, "{}{unit}", bytes >> shift);
            }
        }
        write!(f, "{bytes}B")
    }
}

/// Reads a whole number of bytes with an optional unit: B, KiB, MiB, GiB or
/// their decimal siblings kB, MB, GB.
///
/// # Errors
/// Says what is allowed if `text` is anything else or does not fit.
pub fn bytes(text: &str) -> Result<u64> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim_start() {
        "" | "B" => 1,
        "KiB" | "K" | "k" => 1 << 10,
        "MiB" | "M" => 1 << 20,
        "GiB" | "G" => 1 << 30,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => bail!("`{text}` is not a size such as 4096, 64KiB or 8MB"),
    };
    let number: u64 = number
        .parse()
        .with_context(|| format!("`{text}` is not a size such as 4096, 64KiB or 8MB"))?;
    number
        .checked_mul(factor)
        .with_context(|| format!("`{text}` is too large"))
}

fn chunk_size(text: &str) -> Result<usize> {
    let bytes = bytes(text)?;
    ensure!(
        (1..=CHUNK_BYTES_MAX).contains(&bytes),
        "a chunk has 1 byte to 16MiB"
    );
    Ok(usize::try_from(bytes)?)
}

fn frame_size(text: &str) -> Result<u32> {
    let bytes = bytes(text)?;
    // RFC 9113 section 4.2.
    ensure!(
        (16_384..=16_777_215).contains(&bytes),
        "a frame has 16384 to 16777215 bytes"
    );
    Ok(u32::try_from(bytes)?)
}

fn duration(text: &str) -> Result<Duration> {
    let duration = humantime::parse_duration(text)?;
    ensure!(duration <= DURATION_MAX, "at most a day");
    Ok(duration)
}

fn seconds(text: &str) -> Result<Duration> {
    let seconds: f64 = text.strip_suffix('s').unwrap_or(text).parse()?;
    ensure!((0.0..=3600.0).contains(&seconds), "0 to 3600 seconds");
    Ok(Duration::from_secs_f64(seconds))
}

/// A whole number from `min` to `max`.
fn bounded(
    min: usize,
    max: usize,
) -> impl Fn(&str) -> Result<usize> + Clone + Send + Sync + 'static {
    move |text| {
        let number: usize = text.parse()?;
        ensure!((min..=max).contains(&number), "{min} to {max} are allowed");
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_carry_units() {
        for (text, expected) in [
            ("0", 0),
            ("4096", 4096),
            ("1B", 1),
            ("64KiB", 65_536),
            ("64 KiB", 65_536),
            ("8MiB", 8 << 20),
            ("3MB", 3_000_000),
            ("16GiB", 16 << 30),
        ] {
            assert_eq!(bytes(text).unwrap(), expected, "{text}");
        }
        for text in ["", "KiB", "-1", "1.5MiB", "8MiBs", "99999999999GiB", "1 2"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn part_sizes_are_a_size_a_list_or_a_range() {
        let parse = |text: &str| text.parse::<PartSizes>();
        assert_eq!(parse("8MiB").unwrap(), PartSizes::List(vec![8 << 20]));
        assert_eq!(
            parse("1KiB,3,0").unwrap(),
            PartSizes::List(vec![1024, 3, 0])
        );
        assert_eq!(
            parse("1KiB..1MiB").unwrap(),
            PartSizes::LogUniform {
                min: 1024,
                max: 1 << 20
            }
        );
        for text in [
            "", "1KiB,", "0..4", "9..3", "17GiB", "1..2..3", "1KiB..", "a",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(
            parse("1KiB,64KiB,1MB").unwrap().to_string(),
            "1KiB,64KiB,1000000B"
        );
        assert_eq!(parse("1024..1048576").unwrap().to_string(), "1KiB..1MiB");
    }

    #[test]
    fn admin_is_an_address_or_off() {
        let parse = |text: &str| text.parse::<Admin>();
        assert_eq!(parse("off").unwrap(), Admin::Off);
        for text in [
            "http://127.0.0.1:9464",
            "http://127.0.0.1:9464/",
            "127.0.0.1:9464",
        ] {
            assert_eq!(
                parse(text).unwrap(),
                Admin::Address("127.0.0.1:9464".into()),
                "{text}"
            );
        }
        for text in [
            "",
            "localhost",
            "http://h:99999",
            "https://h:1",
            "http://h:1/metrics",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

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
        assert_eq!(compare.modes, [Mode::Lanes, Mode::Inline, Mode::Sink]);
        assert_eq!(
            (compare.sweep_streams, compare.frame_size),
            (vec![1, 4], Some(65_536))
        );
        assert_eq!(compare.round_seconds, Duration::from_secs(3));
    }

    #[test]
    fn values_out_of_bounds_are_refused() {
        for flags in [
            &["--streams", "0"][..],
            &["--connections", "5000"],
            &["--chunk-size", "0"],
            &["--chunk-size", "17MiB"],
            &["--duration", "2days"],
            &["--duration", "1s", "--count", "1"],
            &["compare", "--frame-size", "1024"],
            &["compare", "--rounds", "0"],
            &["compare", "--round-seconds", "-1"],
            &["compare", "--modes", "lanes,other"],
        ] {
            let line = std::iter::once("x").chain(flags.iter().copied());
            assert!(Cli::try_parse_from(line).is_err(), "{flags:?}");
        }
    }
}
