//! Reports: a table on standard error for people, and one JSON object per line on standard output
//! for programs.
//!
//! report/table.rs has the tables.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::{Context as _, Result};
use hashlane_engine::Algorithm;
use hdrhistogram::Histogram;
use serde::Serialize;
use std::collections::BTreeMap;

use crate::args::{LoadArgs, Rpc};
use crate::scrape::ServerCounters;

mod table;

pub use table::{Table, figure, median};

/// Bytes of a GB: decimal, as for disks and networks.
pub const GB: f64 = 1e9;

/// The load, as printed in every row.
#[derive(Clone, Debug, Serialize)]
pub struct LoadRow {
    /// The RPC.
    pub rpc: Rpc,
    /// The digests of every part, in the order of requests.
    pub algorithms: Vec<&'static str>,
    /// Connections.
    pub connections: usize,
    /// Streams over all connections.
    pub streams: usize,
    /// Part sizes, as given.
    pub part_size: String,
    /// Bytes of data in one message.
    pub chunk_bytes: usize,
    /// Parts per RPC.
    pub parts_per_stream: u32,
    /// The seed.
    pub seed: u64,
    /// Congestion control of the client's sockets, if not the system's default.
    pub tcp_congestion: Option<String>,
}

impl LoadRow {
    /// The row of `load`.
    pub fn of(load: &LoadArgs) -> Self {
        Self {
            rpc: load.rpc,
            algorithms: match load.algorithms.as_slice() {
                [] => vec![Algorithm::Sha256.name()],
                algorithms => algorithms.iter().map(|name| name.name()).collect(),
            },
            connections: load.connections.min(load.streams),
            streams: load.streams,
            part_size: load.part_size.to_string(),
            chunk_bytes: load.chunk_size,
            parts_per_stream: load.parts_per_stream,
            seed: load.seed,
            tcp_congestion: load.tcp_congestion.clone(),
        }
    }
}

/// Milliseconds of a part, from its first message to its answer. Empty if no part was answered in
/// the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Latency {
    /// Half of the parts took at most this.
    pub p50_ms: Option<f64>,
    /// 99 in 100 took at most this.
    pub p99_ms: Option<f64>,
    /// 999 in 1000 took at most this.
    pub p999_ms: Option<f64>,
    /// The slowest.
    pub max_ms: Option<f64>,
}

impl Latency {
    /// The percentiles of a histogram of nanoseconds.
    pub fn of(histogram_ns: &Histogram<u64>) -> Self {
        if histogram_ns.is_empty() {
            return Self::default();
        }
        let at = |quantile| Some(histogram_ns.value_at_quantile(quantile) as f64 / 1e6);
        Self {
            p50_ms: at(0.50),
            p99_ms: at(0.99),
            p999_ms: at(0.999),
            max_ms: Some(histogram_ns.max() as f64 / 1e6),
        }
    }
}

/// Lane occupancy of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelOccupancy {
    /// The kernel's name.
    pub kernel: String,
    /// Active lane-blocks over all lane-blocks of this kernel.
    pub ratio: f64,
    /// The kernel's lanes.
    pub lanes: u32,
    /// Mean number of active lanes: `ratio` of `lanes`.
    pub active_lanes: f64,
    /// This kernel's share of all hashed blocks.
    pub share: f64,
}

/// Lane occupancy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Occupancy {
    /// Active lane-blocks over all lane-blocks.
    pub ratio: f64,
    /// By kernel, without kernels that hashed nothing.
    pub kernels: Vec<KernelOccupancy>,
}

impl Occupancy {
    /// The occupancy of a window; `None` if no lane hashed.
    pub fn of(window: &ServerCounters) -> Option<Self> {
        let active: f64 = window
            .lane_blocks
            .values()
            .map(|blocks| blocks.active)
            .sum();
        let all: f64 = window
            .lane_blocks
            .values()
            .map(|blocks| blocks.active + blocks.idle)
            .sum();
        if all <= 0.0 {
            return None;
        }
        let kernels = window
            .lane_blocks
            .iter()
            .filter(|(_, blocks)| blocks.active + blocks.idle > 0.0)
            .map(|(kernel, blocks)| {
                let ratio = blocks.active / (blocks.active + blocks.idle);
                let lanes = kernel_lanes(kernel);
                KernelOccupancy {
                    kernel: kernel.clone(),
                    ratio,
                    lanes,
                    active_lanes: ratio * f64::from(lanes),
                    share: blocks.active / active,
                }
            })
            .collect();
        Some(Self {
            ratio: active / all,
            kernels,
        })
    }

    fn text(&self) -> String {
        let mut text = format!("{:.3}", self.ratio);
        for kernel in &self.kernels {
            let KernelOccupancy {
                kernel,
                active_lanes,
                lanes,
                share,
                ..
            } = kernel;
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "; {kernel} {active_lanes:.2} of {lanes} ({:.1}% of blocks)",
                share * 100.0
            );
        }
        text
    }
}

/// Step rates relative to the best rate of full lanes. Unlike [`Occupancy`], it falls when narrow
/// kernels run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Efficiency {
    /// Seconds that the hashed bytes would have taken at the best rate, divided by the seconds they
    /// took.
    pub ratio: f64,
    /// By algorithm, without algorithms that hashed nothing.
    pub algorithms: BTreeMap<String, f64>,
}

impl Efficiency {
    /// The efficiency of a window; `None` if there was no step.
    pub fn of(window: &ServerCounters) -> Option<Self> {
        let seconds = window.lane_seconds.values();
        let (taken, best) = seconds.fold((0.0, 0.0), |(taken, best), seconds| {
            (taken + seconds.taken, best + seconds.best)
        });
        let hashed = window.lane_seconds.iter();
        let hashed = hashed.filter(|(_, seconds)| seconds.taken > 0.0);
        (taken > 0.0).then(|| Self {
            ratio: best / taken,
            algorithms: hashed
                .map(|(algorithm, seconds)| (algorithm.clone(), seconds.best / seconds.taken))
                .collect(),
        })
    }

    /// The text for people.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{:.3}", self.ratio);
        for (algorithm, ratio) in &self.algorithms {
            // Writing to a string cannot fail.
            let _ = write!(text, "; {algorithm} {ratio:.3}");
        }
        text
    }
}

/// The number of lanes of a kernel, from its name: `avx512x16` and `avx512x16_generic` have 16,
/// `portable` 1.
fn kernel_lanes(kernel: &str) -> u32 {
    kernel
        .rsplit_once('x')
        .and_then(|(_, lanes)| lanes.split('_').next()?.parse().ok())
        .unwrap_or(1)
}

/// The server's figures for a window.
#[derive(Clone, Debug, Serialize)]
pub struct ServerRow {
    /// CPU seconds of the process, with the precision of the server's metrics.
    pub cpu_seconds: Option<f64>,
    /// The same per GB sent.
    pub cpu_seconds_per_gb: Option<f64>,
    /// GB hashed, by its own count.
    pub hashed_gb: Option<f64>,
    /// How full the lanes were.
    pub occupancy: Option<Occupancy>,
    /// Step rates relative to full lanes.
    pub efficiency: Option<Efficiency>,
    /// Seconds of all workers by phase.
    pub worker_seconds: BTreeMap<String, f64>,
}

impl ServerRow {
    /// The row of a window in which `gb` were sent.
    pub fn of(window: &ServerCounters, gb: f64) -> Self {
        Self {
            cpu_seconds: window.cpu_seconds,
            cpu_seconds_per_gb: window
                .cpu_seconds
                // Some exporters count whole seconds, so zero does not mean that none were used.
                .filter(|seconds| gb > 0.0 && *seconds > 0.0)
                .map(|seconds| seconds / gb),
            hashed_gb: window.hashed_bytes.map(|bytes| bytes / GB),
            occupancy: Occupancy::of(window),
            efficiency: Efficiency::of(window),
            worker_seconds: window.worker_seconds.clone(),
        }
    }
}

/// The report of `run`.
#[derive(Clone, Debug, Serialize)]
pub struct RunRow {
    /// Always `run`.
    pub kind: &'static str,
    /// The load.
    #[serde(flatten)]
    pub load: LoadRow,
    /// Seconds measured.
    pub seconds: f64,
    /// GB sent in this time.
    pub gb: f64,
    /// GB per second.
    pub gb_per_s: f64,
    /// Parts answered in this time.
    pub parts: u64,
    /// Parts per second.
    pub parts_per_s: f64,
    /// Latencies of these parts.
    #[serde(flatten)]
    pub latency: Latency,
    /// All parts answered, also before and after the measurement; each was checked.
    pub parts_checked: u64,
    /// Failed RPCs and refused parts.
    pub errors: u64,
    /// Wrong answers.
    pub mismatches: u64,
    /// Parts that had not ended when the run did.
    pub unfinished: u64,
    /// Whether a signal ended the run.
    pub interrupted: bool,
    /// The server's figures, if its metrics could be read.
    pub server: Option<ServerRow>,
}

impl RunRow {
    /// Whether every part was answered correctly, and at least one was measured.
    pub fn is_clean(&self) -> bool {
        let complete = self.interrupted || (self.unfinished == 0 && self.parts > 0);
        complete && self.errors == 0 && self.mismatches == 0
    }

    /// The table for people.
    pub fn table(&self) -> String {
        let mut table = Table::new(&["", ""]);
        let mut line = |name: &str, value: String| table.row(vec![name.into(), value]);
        let load = &self.load;
        line(
            "load",
            format!(
                "{:?} of {}, {} streams on {} connections, parts of {}, chunks of {}",
                load.rpc,
                load.algorithms.join("+"),
                load.streams,
                load.connections,
                load.part_size,
                crate::args::Bytes(load.chunk_bytes as u64)
            ),
        );
        line(
            "measured",
            format!(
                "{:.3} s, {:.3} GB, {} parts",
                self.seconds, self.gb, self.parts
            ),
        );
        line(
            "rate",
            format!("{:.3} GB/s, {:.1} parts/s", self.gb_per_s, self.parts_per_s),
        );
        let Latency {
            p50_ms,
            p99_ms,
            p999_ms,
            max_ms,
        } = self.latency;
        line(
            "part latency",
            format!(
                "p50 {}, p99 {}, p99.9 {}, max {} ms",
                ms(p50_ms),
                ms(p99_ms),
                ms(p999_ms),
                ms(max_ms)
            ),
        );
        line("parts checked", self.parts_checked.to_string());
        line("mismatches", self.mismatches.to_string());
        line("errors", self.errors.to_string());
        if self.unfinished > 0 {
            line("unfinished parts", self.unfinished.to_string());
        }
        if let Some(server) = &self.server {
            line(
                "lane occupancy",
                server
                    .occupancy
                    .as_ref()
                    .map_or_else(|| "none".into(), Occupancy::text),
            );
            line(
                "lane efficiency",
                server
                    .efficiency
                    .as_ref()
                    .map_or_else(|| "none".into(), Efficiency::text),
            );
            line(
                "server CPU",
                format!(
                    "{} s, {} s/GB",
                    figure(server.cpu_seconds, 2),
                    figure(server.cpu_seconds_per_gb, 3)
                ),
            );
            let mut phases = String::new();
            for (phase, seconds) in &server.worker_seconds {
                let _ = write!(
                    phases,
                    "{}{phase} {seconds:.3}",
                    if phases.is_empty() { "" } else { ", " }
                );
            }
            line("worker seconds", phases);
        }
        table.to_string()
    }
}

fn ms(value: Option<f64>) -> String {
    figure(value, 3)
}

/// Prints `row` as one line of JSON on standard output.
///
/// # Errors
/// Standard output is closed.
pub fn print_row(row: &impl Serialize) -> Result<()> {
    let line = serde_json::to_string(row).context("cannot encode the report")?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Prints a message for people on standard error.
pub fn say(text: impl std::fmt::Display) {
    // A closed standard error must not end a measurement.
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scrape::{LaneBlocks, LaneSeconds};

    #[test]
    fn percentiles_are_those_of_the_values() {
        let mut histogram = Histogram::new_with_bounds(1_000, 3_600_000_000_000, 3).unwrap();
        assert_eq!(Latency::of(&histogram), Latency::default());
        for ms in 1..=1000_u64 {
            histogram.record(ms * 1_000_000).unwrap();
        }
        let latency = Latency::of(&histogram);
        for (value, expected) in [
            (latency.p50_ms, 500.0),
            (latency.p99_ms, 990.0),
            (latency.p999_ms, 999.0),
            (latency.max_ms, 1000.0),
        ] {
            let value = value.unwrap();
            assert!(
                (value / expected - 1.0).abs() < 0.001,
                "{value} instead of {expected}"
            );
        }
    }

    #[test]
    fn occupancy_is_by_kernel_and_over_all() {
        let mut window = ServerCounters::default();
        assert_eq!(Occupancy::of(&window), None);
        window.lane_blocks.insert(
            "avx512x16".into(),
            LaneBlocks {
                active: 90.0,
                idle: 30.0,
            },
        );
        window.lane_blocks.insert(
            "shani_x2".into(),
            LaneBlocks {
                active: 10.0,
                idle: 0.0,
            },
        );
        window
            .lane_blocks
            .insert("portable".into(), LaneBlocks::default());
        let occupancy = Occupancy::of(&window).unwrap();
        assert!((occupancy.ratio - 100.0 / 130.0).abs() < 1e-12);
        let [wide, narrow] = occupancy.kernels.as_slice() else {
            panic!("{occupancy:?}")
        };
        assert_eq!((wide.lanes, wide.active_lanes, wide.share), (16, 12.0, 0.9));
        assert_eq!(
            (narrow.lanes, narrow.active_lanes, narrow.share),
            (2, 2.0, 0.1)
        );
    }

    #[test]
    fn efficiency_is_by_algorithm_and_over_all() {
        let mut window = ServerCounters::default();
        assert_eq!(Efficiency::of(&window), None);
        for (algorithm, taken, best) in
            [("md5", 1.0, 0.5), ("sha1", 0.0, 0.0), ("sha256", 3.0, 2.5)]
        {
            let seconds = LaneSeconds { taken, best };
            window.lane_seconds.insert(algorithm.to_owned(), seconds);
        }
        let efficiency = Efficiency::of(&window).unwrap();
        assert_eq!(efficiency.ratio, 0.75);
        assert_eq!(efficiency.text(), "0.750; md5 0.500; sha256 0.833");
    }

    #[test]
    fn kernel_names_tell_their_lanes() {
        for (kernel, lanes) in [
            ("avx512x16", 16),
            ("md5:avx512x32", 32),
            ("sha512:portable", 1),
            ("avx512x16_generic", 16),
            ("avx512x32", 32),
            ("shani_avx512_x8", 8),
            ("avx2x8", 8),
            ("sse41x4", 4),
            ("shani_x1", 1),
            ("portable", 1),
        ] {
            assert_eq!(kernel_lanes(kernel), lanes, "{kernel}");
        }
    }
}
