//! The document of one run, version 1: everything that `run` measured, as JSON.
//!
//! `run` writes it; reports and merges read it. docs/loadtest-json.md describes it. Readers ignore
//! fields that they do not know, and a missing optional part is `None`. A GB is 10^9 bytes.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2DeflateSerializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::whole;
use crate::system::files::read_whole;

/// The `kind` of a run's document.
pub const KIND: &str = "run";

/// The version that this program writes, and the highest that it reads.
pub const VERSION: u32 = 1;

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunDocument {
    /// Always [`KIND`].
    pub kind: String,
    /// The version of this format, [`VERSION`].
    pub version: u32,
    /// Start of the measured window, RFC 3339 in UTC.
    pub started_at: String,
    /// Length of the measured window, in seconds.
    pub seconds: f64,
    /// Whether a signal ended the run early.
    pub interrupted: bool,
    /// The machine of the load generator.
    pub machine: Machine,
    /// The command line, without secrets.
    pub command: Vec<String>,
    /// Every flag's effective value.
    pub settings: Map<String, Value>,
    /// The name of the run, for reports of several runs (`--label`).
    pub label: Option<String>,
    /// Sums over the measured window.
    pub totals: Totals,
    /// From a part's intended start to its answer. In a closed loop a part's start is intended when
    /// it happens.
    pub response_time: Latency,
    /// From a part's first message to its answer.
    pub service_time: Latency,
    /// Errors by reason.
    pub errors: BTreeMap<String, u64>,
    /// The load generator itself.
    pub client: ClientFigures,
    /// The server; `None` if its metrics were not read.
    pub server: Option<ServerFigures>,
    /// The load.
    pub workload: Workload,
    /// The window, second by second.
    pub seconds_series: Vec<Second>,
    /// Each `--fail-if`.
    pub thresholds: Vec<Threshold>,
}

impl RunDocument {
    /// Reads a document.
    ///
    /// # Errors
    /// The file cannot be read, or is not the document of a run, or is of a newer version.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&read_whole(path)?)
            .with_context(|| format!("{} is no run's document", path.display()))
    }

    /// Reads a document's text.
    ///
    /// # Errors
    /// It is not the document of a run, or is of a newer version.
    pub fn parse(text: &str) -> Result<Self> {
        let document: Self = serde_json::from_str(text)?;
        ensure!(
            document.kind == KIND,
            "its kind is `{}`, not `{KIND}`",
            document.kind
        );
        match document.version {
            1..=VERSION => Ok(document),
            version => bail!("its version is {version}; this program reads 1 to {VERSION}"),
        }
    }
}

/// The machine of the load generator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// The CPU's vendor, family, model and name.
    pub cpu_model: String,
    /// CPUs that the load generator may use.
    pub cpus: usize,
    /// The operating system and its release.
    pub os: String,
}

/// Sums over the measured window: of parts answered in it, or in an open loop of those whose start
/// was intended in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Parts answered.
    pub parts: u64,
    /// Bytes of data sent: written to sockets, or read by the server from shared memory.
    pub bytes: u64,
    /// Those of them in shared memory.
    pub memory_bytes: u64,
    /// `bytes` in GB per second.
    pub gb_per_s: f64,
    /// `parts` per second.
    pub parts_per_s: f64,
    /// Answers compared with known digests, also before and after the window.
    pub checked: u64,
    /// Parts sent with a wrong expectation or flipped bytes, also before and after the window.
    pub corrupted_sent: u64,
    /// Corrupted parts that came back as mismatches.
    pub mismatches_expected: u64,
    /// Wrong answers: a corrupted part without a mismatch, or a whole part with one, or a wrong
    /// digest.
    pub mismatches_wrong: u64,
    /// Calls that failed, and parts that the server refused.
    pub errors: u64,
    /// Parts without an answer at the end.
    pub unfinished: u64,
    /// Starts of the schedule that the load generator did not make.
    pub missed_starts: u64,
}

/// A latency's distribution, in milliseconds. All zero if nothing was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Latency {
    /// Values.
    pub count: u64,
    /// The mean.
    pub mean_ms: f64,
    /// The standard deviation.
    pub stdev_ms: f64,
    /// The least value.
    pub min_ms: f64,
    /// Quantile 0.5.
    pub p50_ms: f64,
    /// Quantile 0.75.
    pub p75_ms: f64,
    /// Quantile 0.9.
    pub p90_ms: f64,
    /// Quantile 0.95.
    pub p95_ms: f64,
    /// Quantile 0.99.
    pub p99_ms: f64,
    /// Quantile 0.999.
    pub p999_ms: f64,
    /// Quantile 0.9999.
    pub p9999_ms: f64,
    /// The highest value.
    pub max_ms: f64,
    /// All values in nanoseconds, three significant digits: HdrHistogram's V2 encoding, compressed,
    /// in base64.
    pub histogram_ns: String,
}

impl Latency {
    /// The distribution of a histogram of nanoseconds.
    ///
    /// # Errors
    /// It cannot be encoded.
    pub fn of(ns: &Histogram<u64>) -> Result<Self> {
        if ns.is_empty() {
            return Ok(Self::default());
        }
        let ms = |ns: u64| ns as f64 / 1e6;
        let at = |quantile| ms(ns.value_at_quantile(quantile));
        let mut encoded = Vec::new();
        let serialized = V2DeflateSerializer::new().serialize(ns, &mut encoded);
        serialized.context("cannot encode a histogram")?;
        Ok(Self {
            count: ns.len(),
            mean_ms: ns.mean() / 1e6,
            stdev_ms: ns.stdev() / 1e6,
            min_ms: ms(ns.min()),
            p50_ms: at(0.5),
            p75_ms: at(0.75),
            p90_ms: at(0.9),
            p95_ms: at(0.95),
            p99_ms: at(0.99),
            p999_ms: at(0.999),
            p9999_ms: at(0.9999),
            max_ms: ms(ns.max()),
            histogram_ns: STANDARD.encode(encoded),
        })
    }

    /// The histogram of nanoseconds.
    ///
    /// # Errors
    /// It is malformed.
    pub fn histogram(&self) -> Result<Histogram<u64>> {
        if self.histogram_ns.is_empty() {
            return Ok(empty_histogram());
        }
        let bytes = STANDARD
            .decode(&self.histogram_ns)
            .context("a histogram is not base64")?;
        let read = Deserializer::new().deserialize(&mut &bytes[..]);
        read.context("a histogram is malformed")
    }
}

/// A quantile of a histogram of nanoseconds, in milliseconds; `None` if it is empty.
pub(crate) fn quantile_ms(ns: &Histogram<u64>, quantile: f64) -> Option<f64> {
    (!ns.is_empty()).then(|| ns.value_at_quantile(quantile) as f64 / 1e6)
}

/// A histogram of nanoseconds: up to an hour, three digits. A lower bound of 1 us would make steps
/// of half a microsecond, which is 1% of a short part's latency.
///
/// # Panics
/// Never: the bounds are constants.
pub fn empty_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 3_600_000_000_000, 3).expect("the bounds are valid constants")
}

/// The load generator's own figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClientFigures {
    /// CPU seconds of the window.
    pub cpu_seconds: f64,
    /// CPU seconds per GB sent; `None` without data.
    pub cpu_seconds_per_gb: Option<f64>,
    /// CPUs kept busy: CPU seconds over the window's seconds.
    pub busy_cpus: f64,
    /// Seconds in which its threads were ready to run but had no CPU.
    pub run_delay_seconds: f64,
    /// Threads that send.
    pub threads: usize,
    /// By how much starts were later than intended, quantile 0.99, in milliseconds; `None` for a
    /// closed loop.
    pub late_starts_p99_ms: Option<f64>,
    /// Whether the load generator, and not the server, held the rate down.
    pub is_bottleneck: bool,
    /// The reasons, for people.
    pub why: Vec<String>,
}

/// The server's figures for the window, from its metrics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerFigures {
    /// CPU seconds.
    pub cpu_seconds: Option<f64>,
    /// CPU seconds per GB sent.
    pub cpu_seconds_per_gb: Option<f64>,
    /// CPUs kept busy.
    pub busy_cpus: Option<f64>,
    /// Seconds in which its workers were ready to run but had no CPU.
    pub run_delay_seconds: Option<f64>,
    /// Bytes hashed, in GB. A part's bytes count once for each of its digests.
    pub hashed_gb: Option<f64>,
    /// Active lane-blocks over all lane-blocks.
    pub occupancy_ratio: Option<f64>,
    /// The time that the bytes would have taken at the best rate of full lanes, over the time that
    /// they took.
    pub efficiency_ratio: Option<f64>,
    /// Kernels that hashed, by name.
    pub kernels: BTreeMap<String, Kernel>,
    /// Its workers: the threads that serve connections and hash.
    pub workers: Option<usize>,
    /// Seconds of all workers by phase: `hash`, `io`, `idle`.
    pub worker_seconds: BTreeMap<String, f64>,
    /// Mean time from the arrival of a chunk until its first bytes are hashed, in milliseconds.
    pub queue_wait_mean_ms: Option<f64>,
    /// Most bytes received and not yet hashed, of all seconds.
    pub buffered_bytes_max: Option<f64>,
    /// Labels of the server's build: version, commit, hashing.
    pub build_info: BTreeMap<String, String>,
}

/// One kernel in the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kernel {
    /// Lanes; 1 if the name has no number.
    pub lanes: u32,
    /// Blocks of lanes with a job.
    pub lane_blocks_active: f64,
    /// Blocks of all lanes.
    pub lane_blocks: f64,
}

/// The load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Workload {
    /// What is sent, by weight.
    pub classes: Vec<Class>,
    /// `open` (starts follow a schedule) or `closed` (a start follows an answer).
    pub r#loop: String,
    /// The schedule of an open loop, as given; for a closed loop its number of streams.
    pub rate: String,
}

/// One class of calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Class {
    /// Its name in tables.
    pub name: String,
    /// Its weight; weights of all classes need not sum to anything.
    pub weight: f64,
    /// `digest`, `verify`, `batch` or `multiplexed`.
    pub rpc: String,
    /// Digests of each part.
    pub algorithms: Vec<String>,
    /// Sizes of parts, as given.
    pub sizes: String,
    /// Parts answered in the window.
    pub parts: u64,
    /// Bytes of these parts.
    pub bytes: u64,
    /// From the intended start to the answer.
    pub response_time: Option<Latency>,
}

/// One second of the window. The last may be shorter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Second {
    /// Its end, in seconds from the window's start.
    pub at_s: f64,
    /// Its length, in seconds.
    pub seconds: f64,
    /// Parts answered.
    pub parts: u64,
    /// Bytes of data sent.
    pub bytes: u64,
    /// Errors.
    pub errors: u64,
    /// Starts not made.
    pub missed: u64,
    /// Quantile 0.5 of response times, in milliseconds; `None` without answers.
    pub response_p50_ms: Option<f64>,
    /// Quantile 0.99.
    pub response_p99_ms: Option<f64>,
    /// The highest.
    pub response_max_ms: Option<f64>,
    /// Response times for a heat map: upper bounds in milliseconds and counts, without empty
    /// buckets. Bounds are [`bucket_upper_ms`] of whole numbers; each bucket begins at the bound
    /// before.
    pub response_buckets: Vec<(f64, u64)>,
    /// CPU seconds of the load generator.
    pub client_cpu_s: f64,
    /// The server; `None` if its metrics were not read.
    pub server: Option<ServerSecond>,
}

/// Buckets of [`Second::response_buckets`] in a factor of ten.
pub const BUCKETS_PER_DECADE: f64 = 10.0;

/// The upper bound of bucket `index`, in milliseconds: 10^(index / 10). Bucket 0 ends at 1 ms.
pub fn bucket_upper_ms(index: i32) -> f64 {
    10_f64.powf(f64::from(index) / BUCKETS_PER_DECADE)
}

/// The number of the bucket with this upper bound: the inverse of [`bucket_upper_ms`].
pub fn bucket_index(upper_ms: f64) -> i32 {
    whole(upper_ms.log10() * BUCKETS_PER_DECADE)
}

/// The server in one second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerSecond {
    /// CPU seconds.
    pub cpu_s: Option<f64>,
    /// CPU seconds per GB sent.
    pub cpu_s_per_gb: Option<f64>,
    /// Active lane-blocks over all lane-blocks; `None` if no lane hashed.
    pub occupancy_ratio: Option<f64>,
    /// Each kernel's share of hashed blocks, 0 to 1.
    pub kernels: BTreeMap<String, f64>,
    /// Mean queue wait, in milliseconds; `None` without chunks.
    pub queue_wait_ms: Option<f64>,
    /// Bytes received and not yet hashed, at the second's end.
    pub buffered_bytes: Option<f64>,
}

/// A `--fail-if` and its outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Threshold {
    /// As given.
    pub text: String,
    /// The figure's value; `None` if it was not measured, which does not pass.
    pub value: Option<f64>,
    /// Whether the condition for failure did not hold.
    pub passed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_comes_back_as_it_was_written() {
        let mut histogram = empty_histogram();
        (1..=1000_u64).for_each(|ms| histogram.record(ms * 1_000_000).unwrap());
        let latency = Latency::of(&histogram).unwrap();
        assert!((latency.p99_ms / 990.0 - 1.0).abs() < 0.001);
        let document = RunDocument {
            kind: KIND.into(),
            version: VERSION,
            label: Some("first".into()),
            response_time: latency,
            errors: [("UNAVAILABLE".to_owned(), 3)].into(),
            server: Some(ServerFigures {
                kernels: [("avx512x16".to_owned(), Kernel::default())].into(),
                ..ServerFigures::default()
            }),
            seconds_series: vec![Second {
                response_buckets: vec![(bucket_upper_ms(3), 7)],
                server: Some(ServerSecond::default()),
                ..Second::default()
            }],
            ..RunDocument::default()
        };
        let text = serde_json::to_string(&document).unwrap();
        let read = RunDocument::parse(&text).unwrap();
        assert_eq!(read, document);
        assert_eq!(read.response_time.histogram().unwrap(), histogram);
        assert!(read.service_time.histogram().unwrap().is_empty());
    }

    #[test]
    fn a_bound_gives_its_bucket() {
        assert!((bucket_upper_ms(-10) - 0.1).abs() < 1e-12);
        for index in -40..80 {
            assert_eq!(bucket_index(bucket_upper_ms(index)), index);
        }
    }

    #[test]
    fn a_reader_takes_what_it_knows_and_refuses_other_documents() {
        let known = r#"{"kind":"run","version":1,"seconds":2,"later":{"a":1}}"#;
        let document = RunDocument::parse(known).unwrap();
        assert_eq!((document.seconds, document.server), (2.0, None));
        for text in [
            "",
            "[]",
            "{}",
            r#"{"kind":"summary","version":1}"#,
            r#"{"kind":"run","version":2}"#,
            r#"{"kind":"run","version":0}"#,
            r#"{"kind":"run","version":1,"seconds":"x"}"#,
        ] {
            assert!(RunDocument::parse(text).is_err(), "{text}");
        }
        let malformed = Latency {
            histogram_ns: "AAAA".into(),
            ..Latency::default()
        };
        assert!(malformed.histogram().is_err());
    }
}
