//! The rows of a comparison, their medians and ratios.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::args::{CompareArgs, Mode};
use crate::report::{Latency, LoadRow, Occupancy, Table, figure, median};

/// One mode in one round.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RoundRow {
    pub(super) kind: &'static str,
    pub(super) mode: Mode,
    pub(super) round: usize,
    #[serde(flatten)]
    pub(super) load: LoadRow,
    pub(super) frame_bytes: Option<u32>,
    pub(super) seconds: f64,
    pub(super) gb: f64,
    #[serde(flatten)]
    pub(super) figures: Figures,
    pub(super) parts_checked: u64,
    pub(super) errors: u64,
    pub(super) mismatches: u64,
    pub(super) occupancy: Option<Occupancy>,
}

/// What is compared.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Figures {
    pub(super) cpu_seconds_per_gb: Option<f64>,
    pub(super) gb_per_s: Option<f64>,
    pub(super) parts_per_s: Option<f64>,
    #[serde(flatten)]
    pub(super) latency: Latency,
    pub(super) peak_mib: Option<f64>,
    pub(super) occupancy_ratio: Option<f64>,
}

impl Figures {
    /// The median of each figure by itself.
    fn medians(all: &[Self]) -> Self {
        let figure = |of: fn(&Self) -> Option<f64>| median(all.iter().filter_map(of));
        Self {
            cpu_seconds_per_gb: figure(|row| row.cpu_seconds_per_gb),
            gb_per_s: figure(|row| row.gb_per_s),
            parts_per_s: figure(|row| row.parts_per_s),
            latency: Latency {
                p50_ms: figure(|row| row.latency.p50_ms),
                p99_ms: figure(|row| row.latency.p99_ms),
                p999_ms: figure(|row| row.latency.p999_ms),
                max_ms: figure(|row| row.latency.max_ms),
            },
            peak_mib: figure(|row| row.peak_mib),
            occupancy_ratio: figure(|row| row.occupancy_ratio),
        }
    }

    fn over(&self, other: &Self) -> Self {
        let quotient = |of: fn(&Self) -> Option<f64>| {
            of(self)
                .zip(of(other))
                .filter(|(_, other)| *other > 0.0)
                .map(|(one, other)| one / other)
        };
        Self {
            cpu_seconds_per_gb: quotient(|row| row.cpu_seconds_per_gb),
            gb_per_s: quotient(|row| row.gb_per_s),
            parts_per_s: quotient(|row| row.parts_per_s),
            latency: Latency {
                p50_ms: quotient(|row| row.latency.p50_ms),
                p99_ms: quotient(|row| row.latency.p99_ms),
                p999_ms: quotient(|row| row.latency.p999_ms),
                max_ms: quotient(|row| row.latency.max_ms),
            },
            peak_mib: quotient(|row| row.peak_mib),
            occupancy_ratio: None,
        }
    }

    fn cells(&self) -> Vec<String> {
        vec![
            figure(self.cpu_seconds_per_gb, 3),
            figure(self.gb_per_s, 3),
            figure(self.latency.p50_ms, 3),
            figure(self.latency.p99_ms, 3),
            figure(self.latency.p999_ms, 3),
            figure(self.peak_mib, 1),
            figure(self.occupancy_ratio, 3),
        ]
    }
}

/// All rounds of one number of streams.
#[derive(Debug, Serialize)]
pub(super) struct SummaryRow {
    pub(super) kind: &'static str,
    #[serde(flatten)]
    pub(super) load: LoadRow,
    pub(super) frame_bytes: Option<u32>,
    pub(super) rounds: usize,
    /// Medians over the rounds; the peak of memory is the highest.
    pub(super) modes: BTreeMap<&'static str, Figures>,
    /// Medians over the rounds of one mode's figures over another's in the same
    /// round, by `lanes_over_inline` and the like.
    pub(super) ratios: BTreeMap<String, Figures>,
}

impl SummaryRow {
    pub(super) fn of(rows: &[RoundRow], args: &CompareArgs) -> Option<Self> {
        let load = rows.first()?.load.clone();
        let of_mode = |mode: Mode| {
            rows.iter()
                .filter(|row| row.mode == mode)
                .map(|row| row.figures)
                .collect::<Vec<_>>()
        };
        let mut modes = BTreeMap::new();
        let mut ratios = BTreeMap::new();
        for &mode in &args.modes {
            let figures = of_mode(mode);
            let peak_mib = figures
                .iter()
                .filter_map(|row| row.peak_mib)
                .reduce(f64::max);
            modes.insert(
                mode.name(),
                Figures {
                    peak_mib,
                    ..Figures::medians(&figures)
                },
            );
        }
        if args.modes.contains(&Mode::Lanes) {
            let lanes = of_mode(Mode::Lanes);
            for &mode in args.modes.iter().filter(|mode| **mode != Mode::Lanes) {
                // Both sides are in order of the rounds.
                let pairs: Vec<_> = lanes
                    .iter()
                    .zip(of_mode(mode))
                    .map(|(lanes, other)| lanes.over(&other))
                    .collect();
                ratios.insert(
                    format!("lanes_over_{}", mode.name()),
                    Figures::medians(&pairs),
                );
            }
        }
        Some(Self {
            kind: "summary",
            load,
            frame_bytes: args.frame_size,
            rounds: args.rounds,
            modes,
            ratios,
        })
    }

    pub(super) fn table(&self, order: &[Mode]) -> String {
        let heads = [
            "",
            "CPU s/GB",
            "GB/s",
            "p50 ms",
            "p99 ms",
            "p99.9 ms",
            "peak MiB",
            "occupancy",
        ];
        let mut table = Table::new(&heads);
        let mut line = |name: &str, figures: &Figures| {
            let mut cells = vec![name.to_owned()];
            cells.extend(figures.cells());
            table.row(cells);
        };
        for mode in order {
            if let Some(figures) = self.modes.get(mode.name()) {
                line(mode.name(), figures);
            }
        }
        for (name, figures) in &self.ratios {
            line(&name.replace("_over_", "/"), figures);
        }
        format!(
            "{} streams on {} connections, parts of {}, chunks of {}, medians of {} rounds\n{table}",
            self.load.streams,
            self.load.connections,
            self.load.part_size,
            crate::args::Bytes(self.load.chunk_bytes as u64),
            self.rounds
        )
    }
}

/// What a byte costs by the number of streams.
pub(super) fn sweep_table(summaries: &[SummaryRow], order: &[Mode]) -> String {
    let mut heads = vec!["streams".to_owned()];
    for mode in order {
        let name = mode.name();
        heads.extend([
            format!("{name} CPU s/GB"),
            format!("{name} GB/s"),
            format!("{name} peak MiB"),
        ]);
    }
    let mut table = Table::new(&heads.iter().map(String::as_str).collect::<Vec<_>>());
    for summary in summaries {
        let mut cells = vec![summary.load.streams.to_string()];
        for mode in order {
            let figures = summary.modes.get(mode.name()).copied().unwrap_or_default();
            cells.extend([
                figure(figures.cpu_seconds_per_gb, 3),
                figure(figures.gb_per_s, 3),
                figure(figures.peak_mib, 1),
            ]);
        }
        table.row(cells);
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;

    fn args(flags: &str) -> CompareArgs {
        let line = ["x", "compare"].into_iter().chain(flags.split_whitespace());
        match Cli::try_parse_from(line).unwrap().command {
            Some(Command::Compare(args)) => args,
            other => panic!("{other:?}"),
        }
    }

    fn row(mode: Mode, round: usize, cpu_seconds_per_gb: f64, peak_mib: f64) -> RoundRow {
        let args = args("");
        RoundRow {
            kind: "round",
            mode,
            round,
            load: LoadRow::of(&args.load),
            frame_bytes: None,
            seconds: 1.0,
            gb: 1.0,
            figures: Figures {
                cpu_seconds_per_gb: Some(cpu_seconds_per_gb),
                peak_mib: Some(peak_mib),
                ..Figures::default()
            },
            parts_checked: 1,
            errors: 0,
            mismatches: 0,
            occupancy: None,
        }
    }

    #[test]
    fn ratios_are_medians_of_rounds_not_of_modes() {
        let args = args("--modes lanes,inline --rounds 3");
        let rows = [
            row(Mode::Lanes, 1, 1.0, 10.0),
            row(Mode::Inline, 1, 4.0, 5.0),
            row(Mode::Lanes, 2, 2.0, 30.0),
            row(Mode::Inline, 2, 4.0, 5.0),
            row(Mode::Lanes, 3, 9.0, 20.0),
            row(Mode::Inline, 3, 10.0, 5.0),
        ];
        let summary = SummaryRow::of(&rows, &args).unwrap();
        assert_eq!(summary.modes["lanes"].cpu_seconds_per_gb, Some(2.0));
        assert_eq!(summary.modes["inline"].cpu_seconds_per_gb, Some(4.0));
        assert_eq!(
            summary.modes["lanes"].peak_mib,
            Some(30.0),
            "the highest, not the median"
        );
        // Per round: 0.25, 0.5 and 0.9.
        assert_eq!(
            summary.ratios["lanes_over_inline"].cpu_seconds_per_gb,
            Some(0.5)
        );
        assert!(!summary.ratios.contains_key("lanes_over_sink"));
        assert!(summary.table(&args.modes).contains("lanes/inline"));
    }

    #[test]
    fn a_sweep_is_a_table_by_streams() {
        let args = args("--modes lanes --rounds 1");
        let mut summary = SummaryRow::of(&[row(Mode::Lanes, 1, 0.5, 10.0)], &args).unwrap();
        summary.load.streams = 1024;
        let table = sweep_table(&[summary], &args.modes);
        let cells: Vec<_> = table.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(cells, ["1024", "0.500", "-", "10.0"], "{table}");
    }
}
