//! The figures of a run: their names in conditions and on pages, their places in the document, and
//! their units.

use Unit::{Bytes, Count, CpuPerGb, Cpus, Gb, GbPerSecond, Ms, PartsPerSecond, Seconds, Share};

/// What a figure is, and so how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A number of things.
    Count,
    /// A number of bytes.
    Bytes,
    /// 10^9 bytes in a second.
    GbPerSecond,
    /// Parts in a second.
    PartsPerSecond,
    /// Milliseconds.
    Ms,
    /// Seconds.
    Seconds,
    /// CPU seconds for 10^9 bytes.
    CpuPerGb,
    /// CPUs.
    Cpus,
    /// 10^9 bytes.
    Gb,
    /// A share of 1.
    Share,
    /// A figure without a unit.
    Plain,
}

/// A figure.
#[derive(Debug)]
pub(crate) struct RunFigure {
    /// Its name in conditions; empty if it is in none.
    pub(crate) flag: &'static str,
    /// Its name on a page.
    pub(crate) name: &'static str,
    /// Its place in the document: a JSON pointer.
    pub(crate) at: &'static str,
    pub(crate) unit: Unit,
}

const fn figure(flag: &'static str, name: &'static str, at: &'static str, unit: Unit) -> RunFigure {
    RunFigure {
        flag,
        name,
        at,
        unit,
    }
}

/// Groups of figures. Pages have those with a name.
#[rustfmt::skip]
pub(crate) static GROUPS: [(&str, &[RunFigure]); 6] = [
    ("Load", &[
        figure("gb_per_s", "throughput", "/totals/gb_per_s", GbPerSecond),
        figure("parts_per_s", "parts", "/totals/parts_per_s", PartsPerSecond),
        figure("parts", "parts answered", "/totals/parts", Count),
        figure("", "data sent", "/totals/bytes", Bytes),
        figure("", "of it in shared memory", "/totals/memory_bytes", Bytes),
        figure("", "measured", "/seconds", Seconds),
    ]),
    ("Response time", &[
        figure("p50", "p50", "/response_time/p50_ms", Ms),
        figure("p90", "p90", "/response_time/p90_ms", Ms),
        figure("p99", "p99", "/response_time/p99_ms", Ms),
        figure("p99.9", "p99.9", "/response_time/p999_ms", Ms),
        figure("max", "max", "/response_time/max_ms", Ms),
    ]),
    ("Answers", &[
        figure("", "checked", "/totals/checked", Count),
        figure("mismatches", "wrong", "/totals/mismatches_wrong", Count),
        figure("", "corrupted parts", "/totals/corrupted_sent", Count),
        figure("", "mismatches found", "/totals/mismatches_expected", Count),
        figure("errors", "errors", "/totals/errors", Count),
        figure("unfinished", "unfinished parts", "/totals/unfinished", Count),
        figure("missed_starts", "missed starts", "/totals/missed_starts", Count),
    ]),
    ("Server", &[
        figure("cpu_s_per_gb", "CPU time per GB", "/server/cpu_seconds_per_gb", CpuPerGb),
        figure("", "CPU time", "/server/cpu_seconds", Seconds),
        figure("", "busy CPUs", "/server/busy_cpus", Cpus),
        figure("", "waited for a CPU", "/server/run_delay_seconds", Seconds),
        figure("", "workers", "/server/workers", Count),
        figure("", "hashed", "/server/hashed_gb", Gb),
        figure("occupancy", "lane occupancy", "/server/occupancy_ratio", Share),
        figure("efficiency", "lane efficiency", "/server/efficiency_ratio", Share),
        figure("queue_wait", "mean queue wait", "/server/queue_wait_mean_ms", Ms),
        figure("", "most buffered", "/server/buffered_bytes_max", Bytes),
    ]),
    ("Load generator", &[
        figure("client_cpu_s_per_gb", "CPU time per GB", "/client/cpu_seconds_per_gb", CpuPerGb),
        figure("", "CPU time", "/client/cpu_seconds", Seconds),
        figure("client_busy_cpus", "busy CPUs", "/client/busy_cpus", Cpus),
        figure("", "waited for a CPU", "/client/run_delay_seconds", Seconds),
        figure("", "threads", "/client/threads", Count),
        figure("", "late starts, p99", "/client/late_starts_p99_ms", Ms),
    ]),
    ("", &[
        figure("p75", "", "/response_time/p75_ms", Ms),
        figure("p95", "", "/response_time/p95_ms", Ms),
        figure("p99.99", "", "/response_time/p9999_ms", Ms),
        figure("mean", "", "/response_time/mean_ms", Ms),
        figure("service_p50", "", "/service_time/p50_ms", Ms),
        figure("service_p99", "", "/service_time/p99_ms", Ms),
        figure("service_max", "", "/service_time/max_ms", Ms),
    ]),
];
