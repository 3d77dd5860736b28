//! Tables: the figures of all runs side by side, latencies, seconds, settings.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::figure_text::Unit::{
    self, Bytes, Count, CpuPerGb, Cpus, Gb, GbPerSecond, Ms, PartsPerSecond, Seconds, Share,
};
use super::figure_text::significant;
use super::run_on_page::{Run, step};
use super::side_by_side::{self, OfSecond};
use crate::results::document::Latency;

/// A figure of a run.
struct Figure {
    name: &'static str,
    at: &'static str,
    unit: Unit,
}

const fn figure(name: &'static str, at: &'static str, unit: Unit) -> Figure {
    Figure { name, at, unit }
}

static GROUPS: [(&str, &[Figure]); 5] = [
    (
        "Load",
        &[
            figure("throughput", "/totals/gb_per_s", GbPerSecond),
            figure("parts", "/totals/parts_per_s", PartsPerSecond),
            figure("parts answered", "/totals/parts", Count),
            figure("data sent", "/totals/bytes", Bytes),
            figure("of it in shared memory", "/totals/memory_bytes", Bytes),
            figure("measured", "/seconds", Seconds),
        ],
    ),
    (
        "Response time",
        &[
            figure("p50", "/response_time/p50_ms", Ms),
            figure("p90", "/response_time/p90_ms", Ms),
            figure("p99", "/response_time/p99_ms", Ms),
            figure("p99.9", "/response_time/p999_ms", Ms),
            figure("max", "/response_time/max_ms", Ms),
        ],
    ),
    (
        "Answers",
        &[
            figure("checked", "/totals/checked", Count),
            figure("wrong", "/totals/mismatches_wrong", Count),
            figure("corrupted parts", "/totals/corrupted_sent", Count),
            figure("mismatches found", "/totals/mismatches_expected", Count),
            figure("errors", "/totals/errors", Count),
            figure("unfinished parts", "/totals/unfinished", Count),
            figure("missed starts", "/totals/missed_starts", Count),
        ],
    ),
    (
        "Server",
        &[
            figure("CPU time per GB", "/server/cpu_seconds_per_gb", CpuPerGb),
            figure("CPU time", "/server/cpu_seconds", Seconds),
            figure("busy CPUs", "/server/busy_cpus", Cpus),
            figure("waited for a CPU", "/server/run_delay_seconds", Seconds),
            figure("workers", "/server/workers", Count),
            figure("hashed", "/server/hashed_gb", Gb),
            figure("lane occupancy", "/server/occupancy_ratio", Share),
            figure("lane efficiency", "/server/efficiency_ratio", Share),
            figure("mean queue wait", "/server/queue_wait_mean_ms", Ms),
            figure("most buffered", "/server/buffered_bytes_max", Bytes),
        ],
    ),
    (
        "Load generator",
        &[
            figure("CPU time per GB", "/client/cpu_seconds_per_gb", CpuPerGb),
            figure("CPU time", "/client/cpu_seconds", Seconds),
            figure("busy CPUs", "/client/busy_cpus", Cpus),
            figure("waited for a CPU", "/client/run_delay_seconds", Seconds),
            figure("threads", "/client/threads", Count),
            figure("late starts, p99", "/client/late_starts_p99_ms", Ms),
        ],
    ),
];

/// The same figure of a second, for the spread of ratios.
fn of_second(at: &str) -> Option<OfSecond> {
    Some(match at {
        "/totals/gb_per_s" => side_by_side::gb_per_s,
        "/totals/parts_per_s" => side_by_side::parts_per_s,
        "/response_time/p50_ms" => |second| second.response_p50_ms,
        "/response_time/p99_ms" => |second| second.response_p99_ms,
        "/response_time/max_ms" => |second| second.response_max_ms,
        "/server/cpu_seconds_per_gb" => side_by_side::cpu_per_gb,
        "/server/occupancy_ratio" => side_by_side::occupancy,
        "/server/queue_wait_mean_ms" => side_by_side::queue_wait_ms,
        _ => return None,
    })
}

/// The figures of one run, in groups.
pub(super) fn figures_of_one(run: &Run<'_>) -> Markup {
    html! {
        div.groups {
            @for (group, rows) in known_groups(std::slice::from_ref(run)) {
                table {
                    thead { tr { th colspan="2" scope="colgroup" { (group) } } }
                    tbody { @for row in rows { tr {
                        th scope="row" { (row.name) }
                        td.number { (run.figure(row.at, row.unit)) }
                    } } }
                }
            }
        }
    }
}

/// Groups with the figures that at least one run has.
fn known_groups(runs: &[Run<'_>]) -> Vec<(&'static str, Vec<&'static Figure>)> {
    let known = |figure: &&Figure| runs.iter().any(|run| run.number(figure.at).is_some());
    GROUPS
        .iter()
        .map(|(group, rows)| (*group, rows.iter().filter(known).collect::<Vec<_>>()))
        .filter(|(_, rows)| !rows.is_empty())
        .collect()
}

/// The figures of several runs, and their ratios to the first.
pub(super) fn side_by_side(runs: &[Run<'_>]) -> Markup {
    html! {
        table.figures {
            thead { tr {
                th scope="col" { "figure" }
                @for run in runs {
                    th.number scope="col" { (run.name) }
                    @if run.index > 0 {
                        th.number scope="col" { "ratio" }
                        th.number scope="col" { "over the seconds" }
                    }
                }
            } }
            @for (group, rows) in known_groups(runs) { tbody {
                tr.group { th colspan=(3 * runs.len() - 1) scope="rowgroup" { (group) } }
                @for row in rows { tr {
                    th scope="row" { (row.name) }
                    @for run in runs {
                        td.number { (run.figure(row.at, row.unit)) }
                        @if run.index > 0 { (ratio(&runs[0], run, row)) }
                    }
                } }
            } }
        }
    }
}

fn ratio(first: &Run<'_>, other: &Run<'_>, row: &Figure) -> Markup {
    let both = first.number(row.at).zip(other.number(row.at));
    let ratio = both
        .map(|(first, other)| other / first)
        .filter(|ratio| ratio.is_finite());
    let spread = of_second(row.at).and_then(|of| side_by_side::spread(first, other, of));
    html! {
        td.number.ratio { @if let Some(ratio) = ratio { data value=(ratio) { (times(ratio)) } } }
        td.number.spread { @if let Some(spread) = spread {
            (times(spread.median)) " (" (times(spread.low)) " to " (times(spread.high)) ")"
        } }
    }
}

/// A ratio with two decimals, or with three digits if that would be too few or too many.
fn times(ratio: f64) -> String {
    if !(0.1..100.0).contains(&ratio) {
        significant(ratio)
    } else {
        format!("{ratio:.2}")
    }
}

const QUANTILES: [(&str, &str); 11] = [
    ("mean", "mean_ms"),
    ("standard deviation", "stdev_ms"),
    ("min", "min_ms"),
    ("p50", "p50_ms"),
    ("p75", "p75_ms"),
    ("p90", "p90_ms"),
    ("p95", "p95_ms"),
    ("p99", "p99_ms"),
    ("p99.9", "p999_ms"),
    ("p99.99", "p9999_ms"),
    ("max", "max_ms"),
];

/// All latencies of a run: of all parts, and of each class.
pub(super) fn latencies(run: &Run<'_>) -> Markup {
    let all = [
        ("response", "/response_time".to_owned()),
        ("service", "/service_time".to_owned()),
    ];
    let classes = run.document.workload.classes.iter().enumerate();
    let measured = classes.filter(|(_, class)| class.response_time.is_some());
    let columns: Vec<_> = all
        .into_iter()
        .chain(measured.map(|(index, class)| {
            let at = format!("/workload/classes/{index}/response_time");
            (class.name.as_str(), at)
        }))
        .collect();
    html! {
        table {
            caption { (run.name) ", milliseconds" }
            thead { tr {
                th scope="col" {}
                @for (name, _) in &columns { th.number scope="col" { (name) } }
            } }
            tbody {
                @for (name, field) in QUANTILES { tr {
                    th scope="row" { (name) }
                    @for (_, at) in &columns {
                        td.number { (run.cell(&format!("{at}/{field}"), Unit::Ms)) }
                    }
                } }
                tr {
                    th scope="row" { "parts" }
                    @for (_, at) in &columns {
                        td.number { (run.cell(&format!("{at}/count"), Unit::Count)) }
                    }
                }
            }
        }
    }
}

/// A figure of each second: its head, its place in the second, and its unit.
pub(super) type Column = (String, String, Unit);

/// The seconds of a run.
pub(super) fn seconds(run: &Run<'_>, columns: &[Column]) -> Markup {
    html! {
        table {
            caption { (run.name) }
            thead { tr {
                th.number scope="col" { "until, s" }
                @for (name, _, unit) in columns {
                    @let unit = unit.name();
                    th.number scope="col" { (name) @if !unit.is_empty() { ", " (unit) } }
                }
            } }
            tbody {
                @for index in 0..run.document.seconds_series.len() { tr {
                    @let at = |field: &str| format!("/seconds_series/{index}{field}");
                    td.number { (run.cell(&at("/at_s"), Unit::Seconds)) }
                    @for (_, field, unit) in columns { td.number { (run.cell(&at(field), *unit)) } }
                } }
            }
        }
    }
}

/// Response times of each second by bucket.
pub(super) fn buckets(run: &Run<'_>) -> Markup {
    html! {
        table {
            caption { (run.name) ": parts by response time, up to so many milliseconds" }
            thead { tr {
                th.number scope="col" { "until, s" }
                th scope="col" { "milliseconds: parts" }
            } }
            tbody {
                @for second in &run.document.seconds_series { tr {
                    td.number { (significant(second.at_s)) }
                    td.many {
                        @for (index, (upper_ms, count)) in second.response_buckets.iter().enumerate() {
                            @if index > 0 { ", " }
                            (significant(*upper_ms)) ": " (Unit::Count.number(*count as f64))
                        }
                    }
                } }
            }
        }
    }
}

/// Errors by reason.
pub(super) fn errors(runs: &[Run<'_>]) -> Markup {
    let reasons: BTreeSet<_> = runs
        .iter()
        .flat_map(|run| run.document.errors.keys())
        .collect();
    html! {
        @if reasons.is_empty() {
            p.good { "No errors." }
        } @else {
            table.fit {
                thead { tr {
                    th scope="col" { "reason" }
                    @for run in runs {
                        th.number scope="col" {
                            @if runs.len() > 1 { (run.name) } @else { "errors" }
                        }
                    }
                } }
                tbody { @for reason in reasons { tr {
                    th scope="row" { (reason) }
                    @for run in runs {
                        @let at = format!("/errors/{}", step(reason));
                        td.number { (run.figure(&at, Unit::Count)) }
                    }
                } } }
            }
        }
    }
}

/// Limits that decide whether the run passed.
pub(super) fn thresholds(run: &Run<'_>) -> Markup {
    html! {
        table.fit {
            thead { tr {
                th scope="col" { "fails if" }
                th.number scope="col" { "measured" }
                th scope="col" { "" }
            } }
            tbody { @for (index, threshold) in run.document.thresholds.iter().enumerate() { tr {
                @let at = |field: &str| format!("/thresholds/{index}/{field}");
                th scope="row" { code { (run.text(&at("text"))) } }
                td.number { (run.figure(&at("value"), Unit::Plain)) }
                td { span.pill.bad[!threshold.passed] {
                    @if threshold.passed { "✓ passed" } @else { "✗ failed" }
                } }
            } } }
        }
    }
}

/// What was sent.
pub(super) fn workload(run: &Run<'_>) -> Markup {
    let classes = &run.document.workload.classes;
    html! {
        p { (run.text("/workload/loop")) " loop, " (run.text("/workload/rate")) }
        div.scroll { table {
            thead { tr {
                @for name in ["class", "RPC", "digests", "sizes"] { th scope="col" { (name) } }
                @for name in ["weight", "parts", "data"] { th.number scope="col" { (name) } }
            } }
            tbody { @for index in 0..classes.len() { tr {
                @let at = |field: &str| format!("/workload/classes/{index}/{field}");
                th scope="row" { (run.text(&at("name"))) }
                @for field in ["rpc", "algorithms", "sizes"] { td { (run.text(&at(field))) } }
                td.number { (run.figure(&at("weight"), Unit::Plain)) }
                td.number { (run.figure(&at("parts"), Unit::Count)) }
                td.number { (run.figure(&at("bytes"), Unit::Bytes)) }
            } } }
        } }
    }
}

/// The server's kernels, its workers' time, and its build.
pub(super) fn server(run: &Run<'_>) -> Markup {
    let Some(server) = &run.document.server else {
        return html! { p.muted { "The server's metrics were not read." } };
    };
    html! {
        @if !server.kernels.is_empty() { div.scroll { table {
            thead { tr {
                th scope="col" { "kernel" }
                @for name in ["lanes", "blocks hashed", "blocks of all lanes", "occupancy"] {
                    th.number scope="col" { (name) }
                }
            } }
            tbody { @for (name, kernel) in &server.kernels { tr {
                @let at = |field: &str| format!("/server/kernels/{}/{field}", step(name));
                th scope="row" { (name) }
                td.number { (run.figure(&at("lanes"), Unit::Count)) }
                td.number { (run.figure(&at("lane_blocks_active"), Unit::Count)) }
                td.number { (run.figure(&at("lane_blocks"), Unit::Count)) }
                td.number { @if kernel.lane_blocks > 0.0 {
                    (Unit::Share.text(kernel.lane_blocks_active / kernel.lane_blocks))
                } }
            } } }
        } } }
        dl {
            @for phase in server.worker_seconds.keys() {
                dt { "workers' seconds: " (phase) }
                @let at = format!("/server/worker_seconds/{}", step(phase));
                dd { (run.figure(&at, Unit::Seconds)) }
            }
            @for name in server.build_info.keys() {
                dt { "build: " (name) }
                dd { (run.text(&format!("/server/build_info/{}", step(name)))) }
            }
        }
    }
}

/// When and where each run was measured, and every setting. Settings that differ are marked.
pub(super) fn settings(runs: &[Run<'_>]) -> Markup {
    const FACTS: [(&str, &str); 6] = [
        ("label", "/label"),
        ("started", "/started_at"),
        ("interrupted", "/interrupted"),
        ("CPU of the load generator", "/machine/cpu_model"),
        ("CPUs it may use", "/machine/cpus"),
        ("its operating system", "/machine/os"),
    ];
    let names: BTreeSet<_> = runs
        .iter()
        .flat_map(|run| run.document.settings.keys())
        .collect();
    let differs = |name: &str| {
        let of = |run: &Run<'_>| run.document.settings.get(name).cloned();
        runs.iter().any(|run| of(run) != of(&runs[0]))
    };
    html! {
        div.scroll { table.settings {
            thead { tr {
                th scope="col" { "machine and settings" }
                @for run in runs { th scope="col" { (run.name) } }
            } }
            tbody { @for (name, at) in FACTS { tr {
                th scope="row" { (name) }
                @for run in runs { td { (run.text(at)) } }
            } } }
            tbody { @for name in names { tr.differs[differs(name)] {
                th scope="row" { code { (name) } }
                @for run in runs { td { (run.text(&format!("/settings/{}", step(name)))) } }
            } } }
        } }
        @for run in runs {
            p.command {
                @if runs.len() > 1 { (run.name) ": " }
                code { @for index in 0..run.document.command.len() {
                    @if index > 0 { " " }
                    (run.text(&format!("/command/{index}")))
                } }
            }
        }
    }
}

/// Whether a latency was measured.
pub(super) fn measured(latency: &Latency) -> bool {
    latency.count > 0
}
