//! The figures of all runs that a page has, and their ratios.

use std::collections::BTreeMap;

use super::figure_text::significant;
use super::run_on_page::Run;
use super::side_by_side::{self, OfSecond, Spread};
use crate::results::run_figures::{GROUPS, RunFigure};

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

impl RunFigure {
    /// A run's figure divided by the first run's.
    pub(super) fn ratio(&self, first: &Run<'_>, other: &Run<'_>) -> Option<f64> {
        let ratio = other.number(self.at)? / first.number(self.at)?;
        Some(ratio).filter(|ratio| ratio.is_finite())
    }

    /// The same of each second.
    pub(super) fn spread(&self, first: &Run<'_>, other: &Run<'_>) -> Option<Spread> {
        side_by_side::spread(first, other, of_second(self.at)?)
    }
}

/// A group's name and its figures.
pub(super) type Group = (&'static str, Vec<&'static RunFigure>);

/// Groups with the figures that at least one run has.
pub(super) fn known_groups(runs: &[Run<'_>]) -> Vec<Group> {
    let known = |figure: &&RunFigure| runs.iter().any(|run| run.number(figure.at).is_some());
    GROUPS
        .iter()
        .map(|(group, figures)| (*group, figures.iter().filter(known).collect::<Vec<_>>()))
        .filter(|(group, figures)| !group.is_empty() && !figures.is_empty())
        .collect()
}

/// A ratio with two decimals, or with three digits if that would be too few or too many.
pub(super) fn times(ratio: f64) -> String {
    if !(0.1..100.0).contains(&ratio) {
        significant(ratio)
    } else {
        format!("{ratio:.2}")
    }
}

/// The figures of a latency but for its count.
pub(super) const QUANTILES: [(&str, &str); 11] = [
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

/// What else is known of a run.
pub(super) const MACHINE: [(&str, &str); 6] = [
    ("label", "/label"),
    ("started", "/started_at"),
    ("interrupted", "/interrupted"),
    ("CPU of the load generator", "/machine/cpu_model"),
    ("CPUs it may use", "/machine/cpus"),
    ("its operating system", "/machine/os"),
];

/// The settings that any run has, and whether runs differ in them.
pub(super) fn settings<'a>(runs: &'a [Run<'a>]) -> BTreeMap<&'a str, bool> {
    let of = |run: &'a Run<'a>| &run.document.settings;
    let names = runs.iter().flat_map(|run| of(run).keys());
    let differs = |name: &str| {
        let first = of(&runs[0]).get(name);
        runs.iter().any(|run| of(run).get(name) != first)
    };
    names.map(|name| (name.as_str(), differs(name))).collect()
}
