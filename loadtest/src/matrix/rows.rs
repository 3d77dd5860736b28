//! The rows of the matrix: windows, cells and their summary.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use hashlane_engine::Algorithm;
use serde::Serialize;

use crate::args::{Bytes, Calls, Cell, MatrixArgs};
use crate::arrangement::SetupRow;
use crate::cpu_model::CpuModel;
use crate::figures::Figures;
use crate::mode::Mode;
use crate::report::{Table, figure, median};
use crate::round::Window;

/// The allowed maximum of hashlane's cost relative to the plain server's, in any cell.
const RATIO_MAX: f64 = 1.05;

/// A cell with at least this many streams counts as one with many.
const MANY_STREAMS: usize = 16;

/// Number of worst cells listed.
const WORST_CELLS: usize = 10;

/// The values common to all cells.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Heading {
    cpu: CpuModel,
    #[serde(flatten)]
    setup: SetupRow,
    rounds: usize,
    round_seconds: f64,
    warmup_seconds: f64,
    /// Maximum for cells with many streams.
    connections_max: usize,
    chunk_bytes: usize,
    frame_bytes: Option<u32>,
}

impl Heading {
    pub(super) fn of(args: &MatrixArgs) -> Self {
        let rounds = &args.rounds;
        let setup = |pin: &Option<crate::cpus::Cpus>| pin.as_ref().map(ToString::to_string);
        Self {
            cpu: CpuModel::read(),
            setup: SetupRow {
                client: args.client,
                server_cpus: setup(&rounds.pin_server),
                client_cpus: setup(&args.pin_client),
            },
            rounds: rounds.rounds,
            round_seconds: rounds.round_seconds.as_secs_f64(),
            warmup_seconds: rounds.warmup_seconds.as_secs_f64(),
            connections_max: args.connections,
            chunk_bytes: args.chunk_size,
            frame_bytes: rounds.frame_size,
        }
    }
}

impl fmt::Display for Heading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames = self.frame_bytes.map(u64::from).map(Bytes);
        write!(
            f,
            "hashlane over the plain server (tonic, sha2, md-5; tonic's default windows of 1 MiB), \
             CPU s/GB, medians of {} rounds of {} s\n\
             {}, {}, {} connections (one for a lone stream), messages of {}, frames of {} at \
             most\nshared: one RPC for all parts of a stream; fresh: an RPC for each part",
            self.rounds,
            self.round_seconds,
            self.cpu,
            self.setup,
            self.connections_max,
            Bytes(self.chunk_bytes as u64),
            frames.map_or_else(|| "any size".to_owned(), |bytes| bytes.to_string()),
        )
    }
}

/// One window on one of the servers.
#[derive(Debug, Serialize)]
pub(super) struct RoundRow<'a> {
    kind: &'static str,
    server: &'static str,
    round: usize,
    cpu: &'a CpuModel,
    calls: Calls,
    part_bytes: u64,
    #[serde(flatten)]
    window: &'a Window,
}

impl<'a> RoundRow<'a> {
    pub(super) fn of(
        cell: Cell,
        mode: Mode,
        round: usize,
        heading: &'a Heading,
        window: &'a Window,
    ) -> Self {
        Self {
            kind: "matrix_round",
            server: name_of(mode),
            round,
            cpu: &heading.cpu,
            calls: cell.calls,
            part_bytes: cell.part_bytes,
            window,
        }
    }
}

/// In these rows, the server without options is named after the project.
fn name_of(mode: Mode) -> &'static str {
    match mode.peer_executable() {
        None => "hashlane",
        Some(_) => mode.name(),
    }
}

/// The windows on one server.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    figures: Vec<Figures>,
    gb: f64,
    parts: u64,
}

impl Side {
    pub(super) fn add(&mut self, window: &Window) {
        self.figures.push(window.figures);
        self.gb += window.gb;
        self.parts += window.parts;
    }

    fn row(&self) -> SideRow {
        SideRow {
            gb: self.gb,
            parts: self.parts,
            figures: Figures::of_rounds(&self.figures),
        }
    }
}

/// Medians over the rounds; sums of GB and parts.
#[derive(Clone, Copy, Debug, Serialize)]
struct SideRow {
    gb: f64,
    parts: u64,
    #[serde(flatten)]
    figures: Figures,
}

/// One cell.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CellRow {
    kind: &'static str,
    #[serde(flatten)]
    cell: Cell,
    connections: usize,
    #[serde(flatten)]
    heading: Heading,
    hashlane: SideRow,
    plain: SideRow,
    /// Medians over the rounds of the ratios within a round.
    hashlane_over_plain: Figures,
    /// The minimum and the maximum of the CPU time ratio.
    ratio_least: Option<f64>,
    ratio_greatest: Option<f64>,
}

impl CellRow {
    pub(super) fn of(cell: Cell, connections: usize, heading: &Heading, sides: [Side; 2]) -> Self {
        let [hashlane, plain] = sides;
        let rounds = hashlane.figures.iter().zip(&plain.figures);
        let quotients: Vec<_> = rounds
            .filter_map(|(hashlane, plain)| hashlane.over(plain).cpu_seconds_per_gb)
            .collect();
        Self {
            kind: "matrix_cell",
            cell,
            connections,
            heading: heading.clone(),
            hashlane: hashlane.row(),
            plain: plain.row(),
            hashlane_over_plain: Figures::ratios(&hashlane.figures, &plain.figures),
            ratio_least: quotients.iter().copied().reduce(f64::min),
            ratio_greatest: quotients.iter().copied().reduce(f64::max),
        }
    }

    /// CPU seconds per GB of hashlane, divided by those of the plain server.
    fn ratio(&self) -> Option<f64> {
        self.hashlane_over_plain.cpu_seconds_per_gb
    }
}

impl fmt::Display for CellRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cell {
            algorithm,
            calls,
            part_bytes,
            streams,
        } = self.cell;
        let cost = |side: &SideRow| figure(side.figures.cpu_seconds_per_gb, 3);
        write!(
            f,
            "{algorithm} {}, parts of {}, {streams} streams: {} over {} CPU s/GB: {}",
            calls_name(calls),
            Bytes(part_bytes),
            cost(&self.hashlane),
            cost(&self.plain),
            figure(self.ratio(), 3)
        )
    }
}

fn calls_name(calls: Calls) -> &'static str {
    match calls {
        Calls::Shared => "shared",
        Calls::Fresh => "fresh",
    }
}

/// The ratio of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct RatioRow {
    #[serde(flatten)]
    cell: Cell,
    ratio: f64,
}

/// The summary of all cells.
#[derive(Debug, Serialize)]
pub(super) struct MatrixRow {
    kind: &'static str,
    #[serde(flatten)]
    heading: Heading,
    cells: usize,
    /// Median ratio of cells with many streams, by algorithm name.
    median_of_many_streams: BTreeMap<&'static str, Option<f64>>,
    many_streams: usize,
    /// Number of cells whose ratio exceeds `ratio_max`.
    cells_above: usize,
    ratio_max: f64,
    /// The greatest ratios of cells with one stream: of CPU time, and of median latency.
    lone_ratio_greatest: Option<f64>,
    lone_p50_ratio_greatest: Option<f64>,
    worst: Vec<RatioRow>,
}

impl MatrixRow {
    pub(super) fn of(rows: &[CellRow], heading: Heading) -> Self {
        let mut worst: Vec<_> = rows
            .iter()
            .filter_map(|row| {
                let cell = row.cell;
                row.ratio().map(|ratio| RatioRow { cell, ratio })
            })
            .collect();
        let cells_above = worst.iter().filter(|row| row.ratio > RATIO_MAX).count();
        let mut medians = BTreeMap::new();
        for algorithm in algorithms(rows) {
            let of_many = worst
                .iter()
                .filter(|row| row.cell.algorithm == algorithm && row.cell.streams >= MANY_STREAMS);
            medians.insert(algorithm.name(), median(of_many.map(|row| row.ratio)));
        }
        let lone = |of: fn(&CellRow) -> Option<f64>| {
            let lone = rows.iter().filter(|row| row.cell.streams == 1);
            lone.filter_map(of).reduce(f64::max)
        };
        worst.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
        worst.truncate(WORST_CELLS);
        Self {
            kind: "matrix",
            heading,
            cells: rows.len(),
            median_of_many_streams: medians,
            many_streams: MANY_STREAMS,
            cells_above,
            ratio_max: RATIO_MAX,
            lone_ratio_greatest: lone(CellRow::ratio),
            lone_p50_ratio_greatest: lone(|row| row.hashlane_over_plain.latency.p50_ms),
            worst,
        }
    }
}

fn algorithms(rows: &[CellRow]) -> Vec<Algorithm> {
    let mut algorithms: Vec<_> = rows.iter().map(|row| row.cell.algorithm).collect();
    algorithms.dedup();
    algorithms
}

/// The tables for people: ratios, lone streams, worst cells, and the summary.
pub(super) fn tables(rows: &[CellRow], summary: &MatrixRow) -> String {
    let mut text = format!("{}\n\n{}", summary.heading, ratios(rows));
    let lone: Vec<_> = rows.iter().filter(|row| row.cell.streams == 1).collect();
    // Writing to a string cannot fail.
    if !lone.is_empty() {
        let _ = write!(text, "\na lone stream\n{}", details(&lone));
    }
    let of = |worst: &RatioRow| rows.iter().find(|row| row.cell == worst.cell);
    let worst: Vec<_> = summary.worst.iter().filter_map(of).collect();
    let _ = write!(text, "\nthe worst cells\n{}", details(&worst));
    for (algorithm, median) in &summary.median_of_many_streams {
        let _ = write!(
            text,
            "\n{algorithm}: median {} of the cells with {MANY_STREAMS} streams or more",
            figure(*median, 3)
        );
    }
    let _ = write!(
        text,
        "\n{} of {} cells are above {RATIO_MAX}",
        summary.cells_above, summary.cells
    );
    text
}

/// Ratios: a row for each kind of part, a column for each number of streams.
fn ratios(rows: &[CellRow]) -> Table {
    let mut streams: Vec<_> = rows.iter().map(|row| row.cell.streams).collect();
    streams.sort_unstable();
    streams.dedup();
    let heads: Vec<_> = streams.iter().map(ToString::to_string).collect();
    let mut columns = vec!["by streams"];
    columns.extend(heads.iter().map(String::as_str));
    // One more column, so that no table is a list of names and values.
    columns.push("");
    let mut table = Table::new(&columns);
    let groups = rows.chunk_by(|one, other| {
        Cell {
            streams: other.cell.streams,
            ..one.cell
        } == other.cell
    });
    for group in groups {
        let Cell {
            algorithm,
            calls,
            part_bytes,
            ..
        } = group[0].cell;
        let name = format!("{algorithm} {} {}", calls_name(calls), Bytes(part_bytes));
        let mut line = vec![name];
        for &streams in &streams {
            let row = group.iter().find(|row| row.cell.streams == streams);
            line.push(figure(row.and_then(CellRow::ratio), 2));
        }
        table.row(line);
    }
    table
}

/// Figures of both servers, one row per cell.
fn details(rows: &[&CellRow]) -> Table {
    let mut table = Table::new(&[
        "cell",
        "streams",
        "ratio",
        "least",
        "most",
        "CPU s/GB",
        "plain",
        "GB/s",
        "plain",
        "p50 ms",
        "plain",
        "ratio",
        "occupancy",
        "efficiency",
    ]);
    for row in rows {
        let Cell {
            algorithm,
            calls,
            part_bytes,
            streams,
        } = row.cell;
        let (own, plain) = (&row.hashlane.figures, &row.plain.figures);
        table.row(vec![
            format!("{algorithm} {} {}", calls_name(calls), Bytes(part_bytes)),
            streams.to_string(),
            figure(row.ratio(), 3),
            figure(row.ratio_least, 3),
            figure(row.ratio_greatest, 3),
            figure(own.cpu_seconds_per_gb, 3),
            figure(plain.cpu_seconds_per_gb, 3),
            figure(own.gb_per_s, 3),
            figure(plain.gb_per_s, 3),
            figure(own.latency.p50_ms, 4),
            figure(plain.latency.p50_ms, 4),
            figure(row.hashlane_over_plain.latency.p50_ms, 3),
            figure(own.occupancy_ratio, 3),
            figure(own.efficiency_ratio, 3),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;

    fn heading() -> Heading {
        match Cli::try_parse_from(["x", "matrix"]).unwrap().command {
            Some(Command::Matrix(args)) => Heading::of(&args),
            other => panic!("{other:?}"),
        }
    }

    /// A cell with the CPU times of both servers in each round.
    fn row(algorithm: Algorithm, streams: usize, rounds: &[(f64, f64)]) -> CellRow {
        let side = |of: fn(&(f64, f64)) -> f64| Side {
            figures: rounds
                .iter()
                .map(|round| Figures {
                    cpu_seconds_per_gb: Some(of(round)),
                    latency: crate::report::Latency {
                        p50_ms: Some(2.0 * of(round)),
                        ..Default::default()
                    },
                    ..Figures::default()
                })
                .collect(),
            gb: 1.5,
            parts: 100,
        };
        let cell = Cell {
            algorithm,
            calls: Calls::Shared,
            part_bytes: 16 << 10,
            streams,
        };
        CellRow::of(
            cell,
            2,
            &heading(),
            [side(|round| round.0), side(|round| round.1)],
        )
    }

    fn rows() -> Vec<CellRow> {
        let (sha256, md5) = (Algorithm::Sha256, Algorithm::Md5);
        vec![
            row(sha256, 1, &[(1.1, 1.0)]),
            // Ratios within the rounds: 0.5, 0.25 and 0.9. The ratio of the medians would be 0.75.
            row(sha256, 16, &[(1.0, 2.0), (1.5, 6.0), (1.8, 2.0)]),
            row(sha256, 64, &[(0.6, 1.0)]),
            row(sha256, 256, &[(0.7, 1.0)]),
            row(md5, 1, &[(1.04, 1.0)]),
            row(md5, 8, &[(9.0, 1.0)]),
            row(md5, 64, &[(0.2, 1.0)]),
        ]
    }

    #[test]
    fn a_ratio_is_the_median_of_the_rounds_quotients() {
        let cell = &rows()[1];
        assert_eq!(cell.ratio(), Some(0.5));
        assert_eq!(
            (cell.ratio_least, cell.ratio_greatest),
            (Some(0.25), Some(0.9))
        );
        let json = serde_json::to_value(cell).unwrap();
        assert_eq!(json["algorithm"], "sha256");
        assert_eq!(
            (&json["calls"], &json["part_bytes"]),
            (&"shared".into(), &16384.into())
        );
        assert_eq!(json["hashlane"]["cpu_seconds_per_gb"], 1.5);
        assert_eq!(json["plain"]["gb"], 1.5);
        assert_eq!(json["hashlane_over_plain"]["p50_ms"], 0.5);
        assert!(json["cpu"]["family"].is_string());
    }

    #[test]
    fn the_summary_is_of_many_streams_lone_ones_and_the_worst() {
        let rows = rows();
        let summary = MatrixRow::of(&rows, heading());
        assert_eq!(summary.median_of_many_streams["sha256"], Some(0.6));
        assert_eq!(summary.median_of_many_streams["md5"], Some(0.2));
        assert_eq!((summary.cells, summary.cells_above), (7, 2));
        assert_eq!(summary.lone_ratio_greatest, Some(1.1));
        assert_eq!(summary.lone_p50_ratio_greatest, Some(1.1));
        let worst: Vec<_> = summary.worst.iter().map(|worst| worst.ratio).collect();
        assert_eq!(worst, [9.0, 1.1, 1.04, 0.7, 0.6, 0.5, 0.2]);
        assert_eq!(summary.worst[0].cell.streams, 8);

        let text = tables(&rows, &summary);
        let line = |start: &str| {
            let line = text.lines().find(|line| line.starts_with(start));
            let line = line.unwrap_or_else(|| panic!("{start}: {text}"));
            line.split_whitespace().collect::<Vec<_>>()
        };
        assert_eq!(line("by streams")[2..], ["1", "8", "16", "64", "256"]);
        let ratios = &line("sha256 shared 16KiB")[3..];
        assert_eq!(ratios, ["1.10", "-", "0.50", "0.60", "0.70"]);
        assert_eq!(line("sha256: median")[2], "0.600");
        assert!(text.contains("2 of 7 cells are above 1.05"), "{text}");
        assert!(text.contains("a lone stream"), "{text}");
    }

    #[test]
    fn cells_without_figures_are_in_no_summary() {
        let mut rows = rows();
        rows.truncate(1);
        rows.push(row(Algorithm::Sha256, 64, &[]));
        let summary = MatrixRow::of(&rows, heading());
        assert_eq!((summary.cells, summary.worst.len()), (2, 1));
        assert_eq!(summary.median_of_many_streams["sha256"], None);
        assert!(tables(&rows, &summary).contains("median - of"));
    }
}
