//! The rows of a comparison, their medians and ratios.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::args::{Bytes, CompareArgs, SweepPoint};
use crate::arrangement::SetupRow;
use crate::figures::{Figures, ratio, table};
use crate::floor::FloorRow;
use crate::mode::{FLOOR, LANES, Mode};
use crate::report::{LoadRow, Table, figure, median};
use crate::round::{ServerSetRow, Window};

/// The number of streams that a sweep's growth is relative to, if the sweep has it; else its
/// smallest number.
const BASE_STREAMS: usize = 32;

/// One mode in one round.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RoundRow {
    kind: &'static str,
    mode: Mode,
    /// Its point in the sweep.
    #[serde(skip)]
    point: SweepPoint,
    round: usize,
    /// Whether it runs with `--baseline` and `--baseline-set`.
    baseline: bool,
    #[serde(flatten)]
    pub(super) window: Window,
}

impl RoundRow {
    pub(super) fn of(
        mode: Mode,
        point: SweepPoint,
        round: usize,
        baseline: bool,
        window: &Window,
    ) -> Self {
        Self {
            kind: "round",
            mode,
            point,
            round,
            baseline,
            window: window.clone(),
        }
    }
}

/// The rounds of one mode with one number of streams, in order.
fn rounds_of(rows: &[RoundRow], point: SweepPoint, mode: Mode, baseline: bool) -> Vec<&RoundRow> {
    let matching =
        |row: &&RoundRow| row.mode == mode && row.baseline == baseline && row.point == point;
    let mut rows: Vec<_> = rows.iter().filter(matching).collect();
    rows.sort_by_key(|row| row.round);
    rows
}

fn figures_of(rows: &[&RoundRow]) -> Vec<Figures> {
    rows.iter().map(|row| row.window.figures).collect()
}

/// All rounds with one number of streams.
#[derive(Debug, Serialize)]
pub(super) struct SummaryRow {
    kind: &'static str,
    #[serde(flatten)]
    load: LoadRow,
    #[serde(flatten)]
    server: ServerSetRow,
    #[serde(flatten)]
    setup: SetupRow,
    rounds: usize,
    bound_mib: Option<f64>,
    /// Medians over the rounds; for peak memory the maximum.
    modes: BTreeMap<&'static str, Figures>,
    /// The same for the first mode with `--baseline` and `--baseline-set`.
    baseline: Option<Baseline>,
    /// The two parts of the mode `floor`, each a median over the rounds.
    #[serde(flatten)]
    floor: Option<FloorRow>,
    /// Ratios of two modes' figures in the same round, as medians over the rounds:
    /// `lanes_over_inline` and so on; relative to the baseline, `lanes_over_baseline` and so on.
    ratios: BTreeMap<String, Figures>,
}

/// The first mode with the baseline's algorithms or settings.
#[derive(Debug, Serialize)]
struct Baseline {
    mode: &'static str,
    algorithms: Vec<&'static str>,
    #[serde(flatten)]
    server: ServerSetRow,
    #[serde(flatten)]
    figures: Figures,
}

impl SummaryRow {
    pub(super) fn of(rows: &[RoundRow], point: SweepPoint, args: &CompareArgs) -> Option<Self> {
        let of_mode = |mode: Mode| figures_of(&rounds_of(rows, point, mode, false));
        let of_load = |row: &&RoundRow| row.point == point && !row.baseline;
        let first = rows.iter().find(of_load)?;
        let mut modes = BTreeMap::new();
        let mut ratios = BTreeMap::new();
        for &mode in &args.modes {
            modes.insert(mode.name(), Figures::of_rounds(&of_mode(mode)));
        }
        let mut over = |one: Mode, other: Mode| {
            if one != other && args.modes.contains(&one) && args.modes.contains(&other) {
                ratios.insert(
                    format!("{}_over_{}", one.name(), other.name()),
                    Figures::ratios(&of_mode(one), &of_mode(other)),
                );
            }
        };
        for &mode in &args.modes {
            match mode.without_tls() {
                Some(clear) => over(mode, clear),
                None => over(LANES, mode),
            }
            over(mode, FLOOR);
        }
        let halves = rounds_of(rows, point, FLOOR, false);
        let half = |of: fn(&FloorRow) -> f64| {
            median(
                halves
                    .iter()
                    .filter_map(|row| row.window.floor.as_ref().map(of)),
            )
        };
        let floor = half(|floor| floor.receive_cpu_seconds_per_gb)
            .zip(half(|floor| floor.engine_cpu_seconds_per_gb))
            .map(|(receive, engine)| FloorRow {
                receive_cpu_seconds_per_gb: receive,
                engine_cpu_seconds_per_gb: engine,
            });
        let mut baseline = None;
        if let Some(&mode) = args.modes.first() {
            let rounds = rounds_of(rows, point, mode, true);
            let figures = figures_of(&rounds);
            if let Some(first) = rounds.first() {
                let name = mode.name();
                baseline = Some(Baseline {
                    mode: name,
                    algorithms: first.window.load.algorithms.clone(),
                    server: first.window.server.clone(),
                    figures: Figures::of_rounds(&figures),
                });
                ratios.insert(
                    format!("{name}_over_baseline"),
                    Figures::ratios(&of_mode(mode), &figures),
                );
            }
        }
        Some(Self {
            kind: "summary",
            load: first.window.load.clone(),
            server: first.window.server.clone(),
            setup: first.window.setup.clone(),
            rounds: args.rounds.rounds,
            bound_mib: first.window.bound_mib,
            modes,
            baseline,
            floor,
            ratios,
        })
    }

    pub(super) fn table(&self, order: &[Mode]) -> String {
        let mut lines = Vec::new();
        for mode in order {
            if let Some(figures) = self.modes.get(mode.name()) {
                lines.push((mode.name().to_owned(), figures));
            }
        }
        if let Some(baseline) = &self.baseline {
            let algorithms = baseline.algorithms.join("+");
            let set = baseline.server.besides(&self.server);
            let name = format!("{} {algorithms}{set}", baseline.mode);
            lines.push((name, &baseline.figures));
        }
        for (name, figures) in &self.ratios {
            lines.push((name.replace("_over_", "/"), figures));
        }
        let table = table(lines);
        let frames = self.server.frame_bytes.map(u64::from).map(Bytes);
        let frames = frames.map_or_else(|| "-".to_owned(), |bytes| bytes.to_string());
        let floor = self.floor.map_or_else(String::new, |floor| {
            format!(
                "floor: {:.3} to receive and {:.3} for the engine\n",
                floor.receive_cpu_seconds_per_gb, floor.engine_cpu_seconds_per_gb
            )
        });
        format!(
            "{}: {} streams on {} connections, parts of {}, chunks of {}, frames of {frames} \
             at most, {}, medians of {} rounds, memory bound {} MiB\n{table}{floor}",
            self.load.algorithms.join("+"),
            self.load.streams,
            self.load.connections,
            self.load.part_size,
            Bytes(self.load.chunk_bytes as u64),
            self.setup,
            self.rounds,
            figure(self.bound_mib, 0)
        )
    }
}

/// One number of streams in a sweep.
#[derive(Debug, Serialize)]
struct PointRow {
    streams: usize,
    connections: usize,
    /// CPU seconds per GB relative to the base number of streams: the median over rounds of the
    /// ratio within a round.
    growth: Option<f64>,
    #[serde(flatten)]
    figures: Figures,
    bound_mib: Option<f64>,
    peak_over_bound: Option<f64>,
    /// The fewest streams that the server counted at the start of a window.
    server_streams_min: Option<f64>,
}

/// The cost of a byte by the number of streams.
#[derive(Debug, Serialize)]
pub(super) struct SweepRow {
    kind: &'static str,
    base_streams: usize,
    rounds: usize,
    modes: BTreeMap<&'static str, Vec<PointRow>>,
}

impl SweepRow {
    /// `sweep` in ascending order.
    pub(super) fn of(rows: &[RoundRow], sweep: &[SweepPoint], args: &CompareArgs) -> Self {
        let of_base = sweep.iter().find(|point| point.streams == BASE_STREAMS);
        let base = of_base.or(sweep.first());
        let points = |mode: Mode| {
            let base = base.map_or_else(Vec::new, |&base| rounds_of(rows, base, mode, false));
            let points = sweep.iter().filter_map(|&point| {
                PointRow::of(&rounds_of(rows, point, mode, false), &base, point.streams)
            });
            points.collect()
        };
        Self {
            kind: "sweep",
            base_streams: base.map_or(BASE_STREAMS, |base| base.streams),
            rounds: args.rounds.rounds,
            modes: args
                .modes
                .iter()
                .map(|&mode| (mode.name(), points(mode)))
                .collect(),
        }
    }

    pub(super) fn tables(&self, order: &[Mode]) -> String {
        let growth = format!("over {}", self.base_streams);
        let heads = [
            "streams",
            "connections",
            "CPU s/GB",
            &growth,
            "GB/s",
            "client s/GB",
            "p50 ms",
            "peak MiB",
            "bound MiB",
            "peak/bound",
            "open",
        ];
        let mut text = String::new();
        for mode in order {
            let mut table = Table::new(&heads);
            for point in self.modes.get(mode.name()).into_iter().flatten() {
                table.row(vec![
                    point.streams.to_string(),
                    point.connections.to_string(),
                    figure(point.figures.cpu_seconds_per_gb, 3),
                    figure(point.growth, 3),
                    figure(point.figures.gb_per_s, 3),
                    figure(point.figures.client_cpu_seconds_per_gb, 3),
                    figure(point.figures.latency.p50_ms, 4),
                    figure(point.figures.peak_mib, 1),
                    figure(point.bound_mib, 0),
                    figure(point.peak_over_bound, 3),
                    figure(point.server_streams_min, 0),
                ]);
            }
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{} by streams, medians of {} rounds\n{table}",
                mode.name(),
                self.rounds
            );
        }
        text
    }
}

impl PointRow {
    fn of(rows: &[&RoundRow], base: &[&RoundRow], streams: usize) -> Option<Self> {
        let first = rows.first()?;
        let figures = Figures::of_rounds(&figures_of(rows));
        let cost = |row: &RoundRow| row.window.figures.cpu_seconds_per_gb;
        let growth = rows
            .iter()
            .zip(base)
            .filter_map(|(row, base)| ratio(cost(row), cost(base)));
        let open = rows.iter().filter_map(|row| row.window.server_streams);
        let bound_mib = first.window.bound_mib;
        Some(Self {
            streams,
            connections: first.window.load.connections,
            growth: median(growth),
            figures,
            bound_mib,
            peak_over_bound: ratio(figures.peak_mib, bound_mib),
            server_streams_min: open.reduce(f64::min),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use crate::setup::ClientName;
    use clap::Parser as _;

    fn args(flags: &str) -> CompareArgs {
        let line = ["x", "compare"].into_iter().chain(flags.split_whitespace());
        match Cli::try_parse_from(line).unwrap().command {
            Some(Command::Compare(args)) => args,
            other => panic!("{other:?}"),
        }
    }

    fn mode(name: &str) -> Mode {
        args(&format!("--modes {name}")).modes[0]
    }

    fn row(mode: Mode, streams: usize, round: usize, cpu_seconds_per_gb: f64) -> RoundRow {
        let args = args("--server-set a=b");
        let window = Window {
            load: LoadRow {
                streams,
                ..LoadRow::of(&args.load)
            },
            server: ServerSetRow::of(&args.rounds, None),
            setup: SetupRow::of(ClientName::Hyper, &args.rounds, &args.load),
            seconds: 1.0,
            gb: 1.0,
            parts: 1,
            figures: Figures {
                cpu_seconds_per_gb: Some(cpu_seconds_per_gb),
                peak_mib: Some(10.0 * round as f64),
                ..Figures::default()
            },
            server_streams: Some(streams as f64),
            bound_mib: Some(120.0),
            parts_checked: 1,
            errors: 0,
            mismatches: 0,
            occupancy: None,
            zero_windows: None,
            floor: None,
        };
        RoundRow::of(mode, point(streams), round, false, &window)
    }

    fn point(streams: usize) -> SweepPoint {
        SweepPoint {
            streams,
            connections: None,
        }
    }

    #[test]
    fn a_baseline_is_the_first_mode_with_other_algorithms() {
        let args = args("--modes lanes,sink --rounds 2");
        let baseline = |round, cost| {
            let mut row = row(LANES, 32, round, cost);
            row.baseline = true;
            row.window.load.algorithms = vec!["md5"];
            row
        };
        let rows = [
            baseline(1, 1.0),
            row(LANES, 32, 1, 1.5),
            row(mode("sink"), 32, 1, 0.5),
            row(mode("sink"), 32, 2, 0.5),
            row(LANES, 32, 2, 5.0),
            baseline(2, 2.0),
        ];
        let summary = SummaryRow::of(&rows, point(32), &args).unwrap();
        assert_eq!(summary.modes["lanes"].cpu_seconds_per_gb, Some(3.25));
        let over = &summary.ratios["lanes_over_baseline"];
        assert_eq!(over.cpu_seconds_per_gb, Some(2.0));
        let table = summary.table(&args.modes);
        assert!(
            table.contains("lanes md5") && table.contains("lanes/baseline"),
            "{table}"
        );
        let json = serde_json::to_value(&summary).unwrap();
        assert_eq!(json["baseline"]["algorithms"][0], "md5");
        assert_eq!(json["algorithms"][0], "sha256");
    }

    #[test]
    fn a_summary_is_of_its_streams_and_pairs_rounds() {
        let args = args("--modes lanes,inline --rounds 2");
        // The second round ran in reverse order.
        let rows = [
            row(LANES, 32, 1, 1.0),
            row(mode("inline"), 32, 1, 2.0),
            row(LANES, 64, 1, 100.0),
            row(mode("inline"), 32, 2, 16.0),
            row(LANES, 32, 2, 4.0),
        ];
        let summary = SummaryRow::of(&rows, point(32), &args).unwrap();
        assert_eq!(summary.modes["lanes"].cpu_seconds_per_gb, Some(2.5));
        assert_eq!(summary.modes["lanes"].peak_mib, Some(20.0));
        // Per round: 0.5 and 0.25.
        assert_eq!(
            summary.ratios["lanes_over_inline"].cpu_seconds_per_gb,
            Some(0.375)
        );
        assert!(!summary.ratios.contains_key("lanes_over_sink"));
        assert!(summary.table(&args.modes).contains("lanes/inline"));
        let json = serde_json::to_value(&summary).unwrap();
        assert_eq!(json["server_set"]["a"], "b");
        assert!(SummaryRow::of(&rows, point(33), &args).is_none());
    }

    #[test]
    fn a_mode_over_tls_is_compared_with_itself_without() {
        let args = args("--modes lanes,lanes-tls,sink-tls --rounds 1");
        let rows = [
            row(LANES, 32, 1, 2.0),
            row(mode("lanes-tls"), 32, 1, 5.0),
            row(mode("sink-tls"), 32, 1, 4.0),
        ];
        let summary = SummaryRow::of(&rows, point(32), &args).unwrap();
        let ratios: Vec<_> = summary.ratios.keys().map(String::as_str).collect();
        assert_eq!(ratios, ["lanes-tls_over_lanes"]);
        let over = summary.ratios["lanes-tls_over_lanes"];
        assert_eq!(over.cpu_seconds_per_gb, Some(2.5));
    }

    #[test]
    fn growth_is_over_32_streams_in_the_same_round() {
        let args = args("--modes lanes --rounds 2");
        let rows = [
            row(LANES, 1, 1, 0.5),
            row(LANES, 32, 1, 1.0),
            row(LANES, 1024, 1, 1.5),
            row(LANES, 1024, 2, 2.5),
            row(LANES, 32, 2, 2.0),
            row(LANES, 1, 2, 1.0),
        ];
        let sweep = SweepRow::of(&rows, &[1, 32, 1024].map(point), &args);
        let growth: Vec<_> = sweep.modes["lanes"]
            .iter()
            .map(|point| point.growth.unwrap())
            .collect();
        assert_eq!(growth, [0.5, 1.0, 1.375]);
        assert_eq!(sweep.modes["lanes"][2].peak_over_bound, Some(20.0 / 120.0));
        let table = sweep.tables(&args.modes);
        let line: Vec<_> = table.lines().nth(4).unwrap().split_whitespace().collect();
        let expected = [
            "1024", "4", "2.000", "1.375", "-", "-", "-", "20.0", "120", "0.167", "1024",
        ];
        assert_eq!(line, expected, "{table}");
        assert!(table.contains("over 32"), "{table}");
    }

    #[test]
    fn a_sweep_without_32_grows_from_its_smallest() {
        let args = args("--modes lanes --rounds 1");
        let rows = [row(LANES, 4, 1, 0.5), row(LANES, 8, 1, 1.0)];
        let sweep = SweepRow::of(&rows, &[4, 8].map(point), &args);
        assert_eq!(sweep.base_streams, 4);
        assert_eq!(sweep.modes["lanes"][1].growth, Some(2.0));
    }
}
