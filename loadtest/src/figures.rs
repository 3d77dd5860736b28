//! The figures of a round, and their summaries: the median of each figure, and of the ratios of two
//! sides in the same round.

use serde::Serialize;

use crate::report::{Latency, Table, figure, median};

/// The compared figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Figures {
    pub(crate) cpu_seconds_per_gb: Option<f64>,
    pub(crate) cpu_us_per_part: Option<f64>,
    /// Of this program: the cost of the load, on cores it may share with the server.
    pub(crate) client_cpu_seconds_per_gb: Option<f64>,
    pub(crate) gb_per_s: Option<f64>,
    pub(crate) parts_per_s: Option<f64>,
    #[serde(flatten)]
    pub(crate) latency: Latency,
    pub(crate) peak_mib: Option<f64>,
    pub(crate) occupancy_ratio: Option<f64>,
    /// Lane efficiency.
    pub(crate) efficiency_ratio: Option<f64>,
}

/// The heads of [`Figures::cells`].
const HEADS: [&str; 10] = [
    "CPU s/GB",
    "us/part",
    "client s/GB",
    "GB/s",
    "p50 ms",
    "p99 ms",
    "p99.9 ms",
    "peak MiB",
    "occupancy",
    "efficiency",
];

impl Figures {
    /// Applies `with` to each figure.
    fn each(with: impl Fn(fn(&Self) -> Option<f64>) -> Option<f64>) -> Self {
        Self {
            cpu_seconds_per_gb: with(|row| row.cpu_seconds_per_gb),
            cpu_us_per_part: with(|row| row.cpu_us_per_part),
            client_cpu_seconds_per_gb: with(|row| row.client_cpu_seconds_per_gb),
            gb_per_s: with(|row| row.gb_per_s),
            parts_per_s: with(|row| row.parts_per_s),
            latency: Latency {
                p50_ms: with(|row| row.latency.p50_ms),
                p99_ms: with(|row| row.latency.p99_ms),
                p999_ms: with(|row| row.latency.p999_ms),
                max_ms: with(|row| row.latency.max_ms),
            },
            peak_mib: with(|row| row.peak_mib),
            occupancy_ratio: with(|row| row.occupancy_ratio),
            efficiency_ratio: with(|row| row.efficiency_ratio),
        }
    }

    /// The median of each figure.
    pub(crate) fn medians(all: &[Self]) -> Self {
        Self::each(|of| median(all.iter().filter_map(of)))
    }

    /// Medians of rounds; for peak memory the maximum.
    pub(crate) fn of_rounds(all: &[Self]) -> Self {
        let peaks = all.iter().filter_map(|row| row.peak_mib);
        Self {
            peak_mib: peaks.reduce(f64::max),
            ..Self::medians(all)
        }
    }

    /// These figures divided by those of `other`.
    pub(crate) fn over(&self, other: &Self) -> Self {
        let ratios = Self::each(|of| ratio(of(self), of(other)));
        Self {
            // A ratio of ratios is meaningless.
            occupancy_ratio: None,
            efficiency_ratio: None,
            ..ratios
        }
    }

    /// Medians of the ratios of two sides. Both are in the order of the rounds.
    pub(crate) fn ratios(sides: &[Self], others: &[Self]) -> Self {
        let rounds = sides.iter().zip(others);
        let ratios: Vec<_> = rounds.map(|(side, other)| side.over(other)).collect();
        Self::medians(&ratios)
    }

    /// For a table under [`HEADS`].
    fn cells(&self) -> Vec<String> {
        vec![
            figure(self.cpu_seconds_per_gb, 3),
            figure(self.cpu_us_per_part, 2),
            figure(self.client_cpu_seconds_per_gb, 3),
            figure(self.gb_per_s, 3),
            figure(self.latency.p50_ms, 4),
            figure(self.latency.p99_ms, 4),
            figure(self.latency.p999_ms, 4),
            figure(self.peak_mib, 1),
            figure(self.occupancy_ratio, 3),
            figure(self.efficiency_ratio, 3),
        ]
    }
}

/// A table with a line for each of `lines`.
pub(crate) fn table<'a>(lines: impl IntoIterator<Item = (String, &'a Figures)>) -> Table {
    let mut table = Table::new(&[&[""], &HEADS[..]].concat());
    for (name, figures) in lines {
        table.row([vec![name], figures.cells()].concat());
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
        Figures {
            cpu_seconds_per_gb: Some(cpu_seconds_per_gb),
            peak_mib: Some(peak_mib),
            ..Figures::default()
        }
    }

    #[test]
    fn ratios_are_medians_of_rounds_not_of_sides() {
        let lanes = [figures(1.0, 10.0), figures(2.0, 30.0), figures(9.0, 20.0)];
        let inline = [figures(4.0, 5.0), figures(4.0, 5.0), figures(10.0, 5.0)];
        let ratios = Figures::ratios(&lanes, &inline);
        // Per round: 0.25, 0.5 and 0.9.
        assert_eq!(ratios.cpu_seconds_per_gb, Some(0.5));
        assert_eq!(ratios.peak_mib, Some(4.0));
        assert_eq!(ratios.gb_per_s, None);
    }

    #[test]
    fn the_peak_of_rounds_is_the_highest() {
        let rounds = [figures(1.0, 10.0), figures(2.0, 30.0), figures(9.0, 20.0)];
        let summary = Figures::of_rounds(&rounds);
        assert_eq!(summary.cpu_seconds_per_gb, Some(2.0));
        assert_eq!(summary.peak_mib, Some(30.0));
        assert_eq!(Figures::of_rounds(&[]), Figures::default());
    }

    #[test]
    fn a_row_has_a_cell_for_every_head() {
        assert_eq!(figures(0.5, 1.0).cells().len(), HEADS.len());
        assert_eq!(ratio(Some(1.0), Some(0.0)), None);
        assert_eq!(ratio(Some(1.0), Some(4.0)), Some(0.25));
    }
}
