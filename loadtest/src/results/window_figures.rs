//! The figures of windows, and their summaries: the median of each figure, and of the ratios of two
//! sides in the same round.

use std::collections::{BTreeMap, BTreeSet};

use hdrhistogram::Histogram;
use serde::Serialize;

use super::document::quantile_ms;
use crate::results::{Table, figure, median};

/// Figures by name; `None` for one that could not be measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Figures(BTreeMap<&'static str, Option<f64>>);

/// The figures of a table: its head, the figure, its decimals.
const COLUMNS: [(&str, &str, usize); 10] = [
    ("CPU s/GB", "cpu_seconds_per_gb", 3),
    ("us/part", "cpu_us_per_part", 2),
    ("client s/GB", "client_cpu_seconds_per_gb", 3),
    ("GB/s", "gb_per_s", 3),
    ("p50 ms", "p50_ms", 4),
    ("p99 ms", "p99_ms", 4),
    ("p99.9 ms", "p999_ms", 4),
    ("peak MiB", "peak_mib", 1),
    ("occupancy", "occupancy_ratio", 3),
    ("efficiency", "efficiency_ratio", 3),
];

impl Figures {
    /// These figures and more.
    pub(crate) fn with<const N: usize>(mut self, more: [(&'static str, Option<f64>); N]) -> Self {
        self.0.extend(more);
        self
    }

    /// The figure of this name, if it was measured.
    pub(crate) fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied().flatten()
    }

    /// A figure for people.
    pub(crate) fn text(&self, name: &str, digits: usize) -> String {
        figure(self.get(name), digits)
    }

    /// A line of a table: its name, and the figures of columns with a head, a figure's name and
    /// digits.
    pub(crate) fn line<const N: usize>(
        &self,
        name: String,
        columns: [(&'static str, &str, usize); N],
    ) -> impl Iterator<Item = (&'static str, String)> + use<N> {
        let cells = columns.map(|(head, name, digits)| (head, self.text(name, digits)));
        [("", name)].into_iter().chain(cells)
    }

    /// Milliseconds of parts, from the first message to the answer, of a histogram of nanoseconds.
    pub(crate) fn latencies(histogram_ns: &Histogram<u64>) -> Self {
        let at = |quantile| quantile_ms(histogram_ns, quantile);
        Self::default().with([
            ("p50_ms", at(0.50)),
            ("p99_ms", at(0.99)),
            ("p999_ms", at(0.999)),
            ("max_ms", at(1.0)),
        ])
    }

    /// The median of each figure.
    fn medians<'a>(all: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let names: BTreeSet<_> = all.clone().flat_map(|figures| figures.0.keys()).collect();
        let median = |name| median(all.clone().filter_map(|figures| figures.get(name)));
        Self(
            names
                .into_iter()
                .map(|&name| (name, median(name)))
                .collect(),
        )
    }

    /// Medians of rounds; for peak memory the maximum.
    pub(crate) fn of_rounds<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let all: Vec<_> = all.into_iter().collect();
        let peaks = all.iter().filter_map(|figures| figures.get("peak_mib"));
        let peak = peaks.reduce(f64::max);
        Self::medians(all.into_iter()).with([("peak_mib", peak)])
    }

    /// These figures divided by those of `other`. A ratio of ratios is meaningless.
    pub(crate) fn over(&self, other: &Self) -> Self {
        let names = self.0.keys().filter(|name| !name.ends_with("_ratio"));
        let ratios = names.map(|&name| (name, ratio(self.get(name), other.get(name))));
        Self(ratios.collect())
    }

    /// Medians of the ratios of two sides. Both are in the order of the rounds.
    pub(crate) fn ratios<'a>(
        sides: impl IntoIterator<Item = &'a Self>,
        others: impl IntoIterator<Item = &'a Self>,
    ) -> Self {
        let rounds = sides.into_iter().zip(others);
        let ratios: Vec<_> = rounds.map(|(side, other)| side.over(other)).collect();
        Self::medians(ratios.iter())
    }
}

/// A table with a line for each of `lines`.
pub(crate) fn table<'a>(lines: impl IntoIterator<Item = (String, &'a Figures)>) -> Table {
    let mut table = Table::default();
    for (name, figures) in lines {
        table.row(figures.line(name, COLUMNS));
    }
    table
}

/// One figure divided by another; `None` if one is missing or the divisor is zero.
pub(crate) fn ratio(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.zip(other)
        .filter(|(_, other)| *other > 0.0)
        .map(|(one, other)| one / other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(cpu_seconds_per_gb: f64, peak_mib: f64) -> Figures {
        Figures::default().with([
            ("cpu_seconds_per_gb", Some(cpu_seconds_per_gb)),
            ("peak_mib", Some(peak_mib)),
            ("occupancy_ratio", Some(0.5)),
            ("p50_ms", None),
        ])
    }

    #[test]
    fn percentiles_are_those_of_the_values() {
        let mut histogram = Histogram::new_with_bounds(1_000, 3_600_000_000_000, 3).unwrap();
        assert_eq!(Figures::latencies(&histogram).get("max_ms"), None);
        for ms in 1..=1000_u64 {
            histogram.record(ms * 1_000_000).unwrap();
        }
        let latencies = Figures::latencies(&histogram);
        for (name, expected) in [
            ("p50_ms", 500.0),
            ("p99_ms", 990.0),
            ("p999_ms", 999.0),
            ("max_ms", 1000.0),
        ] {
            let value = latencies.get(name).unwrap();
            let error = (value / expected - 1.0).abs();
            assert!(error < 0.001, "{value} instead of {expected}");
        }
    }

    #[test]
    fn ratios_are_medians_of_rounds_not_of_sides() {
        let lanes = [figures(1.0, 10.0), figures(2.0, 30.0), figures(9.0, 20.0)];
        let inline = [figures(4.0, 5.0), figures(4.0, 5.0), figures(10.0, 5.0)];
        let ratios = Figures::ratios(&lanes, &inline);
        // Per round: 0.25, 0.5 and 0.9.
        assert_eq!(ratios.get("cpu_seconds_per_gb"), Some(0.5));
        assert_eq!(ratios.get("peak_mib"), Some(4.0));
        assert_eq!(ratios.get("p50_ms"), None);
        assert_eq!(ratios.get("occupancy_ratio"), None);
    }

    #[test]
    fn the_peak_of_rounds_is_the_highest() {
        let rounds = [figures(1.0, 10.0), figures(2.0, 30.0), figures(9.0, 20.0)];
        let summary = Figures::of_rounds(&rounds);
        assert_eq!(summary.get("cpu_seconds_per_gb"), Some(2.0));
        assert_eq!(summary.get("peak_mib"), Some(30.0));
        assert_eq!(Figures::of_rounds([]).get("peak_mib"), None);
    }

    #[test]
    fn a_missing_figure_is_a_dash_and_null() {
        let figures = figures(0.5, 1.0);
        let table = table([("lanes".to_owned(), &figures)]).to_string();
        let line: Vec<_> = table.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(
            line,
            [
                "lanes", "0.500", "-", "-", "-", "-", "-", "-", "1.0", "0.500", "-"
            ]
        );
        assert!(serde_json::to_value(&figures).unwrap()["p50_ms"].is_null());
        assert_eq!(ratio(Some(1.0), Some(0.0)), None);
        assert_eq!(ratio(Some(1.0), Some(4.0)), Some(0.25));
    }
}
