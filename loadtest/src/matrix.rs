//! `matrix`: measures every cell of the matrix on hashlane and on a plain server.
//!
//! ```text
//! cell   algorithm x RPCs x bytes of a part x streams
//!   both servers start; rounds: a window on one, a window on the other; every second round in
//!   reverse order; both end
//! ```
//!
//! The plain server ([`crate::servers::plain_server`]) has the same CPUs, and as many threads as
//! hashlane has workers. While one server is measured, the other has no client and sleeps.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use anyhow::Result;
use serde_json::json;

use crate::args::{Bytes, Cell, MatrixArgs};
use crate::driver::Target;
use crate::results::window_figures::Figures;
use crate::results::{Row, Table, figure, median, say};
use crate::round::core_assignment::keep_apart;
use crate::round::{Stand, Window, rounds};
use crate::servers::compared_modes::{LANES, Mode};
use crate::servers::limits::{check_limits, server_limits};
use crate::system::cpus::CpuModel;
use crate::system::runtime::{runtime, unless_interrupted};

/// Measures all cells and prints their rows. True if every answer was right.
///
/// # Errors
/// A server cannot be started or ends unexpectedly, or a signal arrives; the children are stopped
/// first.
pub fn matrix(args: &MatrixArgs) -> Result<bool> {
    runtime()?.block_on(measure(args))
}

async fn measure(args: &MatrixArgs) -> Result<bool> {
    let mut args = args.clone();
    let cells = args.cells();
    let mut load = args.load(&cells[0]);
    keep_apart(&mut args.rounds, &mut load)?;
    args.pin_client = load.pin_client.clone();
    let modes = [LANES, Mode::plain(args.rounds.server_workers)?];
    let mut stand = Stand::new(&args.rounds, &load, args.client)?;
    let cpu = CpuModel::read();
    let (common, heading) = heading(
        &args,
        &cpu,
        &stand.context(&load, LANES),
        &stand.setup(&load),
    );
    say(&heading);
    let mut results = Vec::new();
    let mut clean = true;
    let report = |results: &[CellResult]| -> Result<()> {
        if results.is_empty() {
            return Ok(());
        }
        let (row, text) = summary(results, &common);
        say(format_args!("{heading}\n\n{text}"));
        row.print()
    };
    for (index, &cell) in cells.iter().enumerate() {
        let measured = measure_cell(&args, &mut stand, modes, cell, &cpu);
        let (result, is_clean) = match unless_interrupted(measured).await {
            Ok(measured) => measured,
            Err(error) => {
                // Earlier cells took minutes, so print them.
                report(&results)?;
                return Err(error);
            }
        };
        clean &= is_clean;
        say(format_args!("{} of {}: {result}", index + 1, cells.len()));
        result.row(&common).print()?;
        results.push(result);
    }
    report(&results)?;
    Ok(clean)
}

/// Measures one cell on fresh servers. Returns whether every answer was right.
async fn measure_cell(
    args: &MatrixArgs,
    stand: &mut Stand,
    modes: [Mode; 2],
    cell: Cell,
    cpu: &CpuModel,
) -> Result<(CellResult, bool)> {
    let load = args.load(&cell);
    let mut clean = true;
    let mut sides = [Vec::new(), Vec::new()];
    let servers = [stand.server(modes[0]).await?, stand.server(modes[1]).await?];
    for server in &servers {
        check_limits(
            &load,
            &server_limits(&Target::one(server.url(), None)).await?,
        )?;
    }
    for (round, side) in rounds(args.rounds.rounds, &[0, 1]) {
        let (mode, server) = (modes[side], &servers[side]);
        let window = stand.window(&load, mode, server, None).await?;
        clean &= window.is_clean();
        let row = json!({
            "kind": "matrix_round",
            "server": SERVERS[side],
            "round": round,
            "cpu": cpu,
            "calls": cell.calls,
            "part_bytes": cell.part_bytes,
        });
        Row::of(row).and(window.row()).print()?;
        sides[side].push(window);
    }
    for server in servers {
        server.stop_or_say();
    }
    Ok((CellResult::of(cell, load.connections, &sides), clean))
}

/// The servers of a cell, as in rows.
const SERVERS: [&str; 2] = ["hashlane", "plain"];

/// The allowed maximum of hashlane's cost relative to the plain server's, in any cell.
const RATIO_MAX: f64 = 1.05;

/// A cell with at least this many streams counts as one with many.
const MANY_STREAMS: usize = 16;

/// Number of worst cells listed.
const WORST_CELLS: usize = 10;

/// The values common to all cells, for rows and for people.
fn heading(args: &MatrixArgs, cpu: &CpuModel, context: &Row, setup: &str) -> (Row, String) {
    let rounds = &args.rounds;
    let seconds = rounds.round_seconds.as_secs_f64();
    let shared = ["client", "server_cpus", "client_cpus"].map(|name| context.get(name));
    let row = Row::of(json!({
        "cpu": cpu,
        "client": shared[0],
        "server_cpus": shared[1],
        "client_cpus": shared[2],
        "rounds": rounds.rounds,
        "round_seconds": seconds,
        "warmup_seconds": rounds.warmup_seconds.as_secs_f64(),
        // Maximum for cells with many streams.
        "connections_max": args.connections,
        "chunk_bytes": args.chunk_size,
        "frame_bytes": rounds.frame_size,
    }));
    let text = format!(
        "hashlane over the plain server (tonic, sha2, md-5; tonic's default windows of 1 MiB), \
         CPU s/GB, medians of {} rounds of {seconds} s\n\
         {cpu}, {setup}, {} connections (one for a lone stream), messages of {}\n\
         shared: one RPC for all parts of a stream; fresh: an RPC for each part",
        rounds.rounds,
        args.connections,
        Bytes(args.chunk_size as u64),
    );
    (row, text)
}

/// The results of one cell.
#[derive(Clone, Debug)]
struct CellResult {
    cell: Cell,
    connections: usize,
    /// Of hashlane and of the plain server: GB and parts over all rounds, and the medians.
    sides: [(f64, u64, Figures); 2],
    /// Medians over the rounds of the ratios within a round.
    over: Figures,
    /// The minimum and the maximum of the CPU time ratio.
    least: Option<f64>,
    greatest: Option<f64>,
}

impl CellResult {
    fn of(cell: Cell, connections: usize, sides: &[Vec<Window>; 2]) -> Self {
        let figures = sides.each_ref();
        let [own, plain] = figures.map(|side| side.iter().map(|window| &window.figures));
        let quotients = own.clone().zip(plain.clone());
        let quotients: Vec<_> = quotients
            .filter_map(|(own, plain)| own.over(plain).get("cpu_seconds_per_gb"))
            .collect();
        let side = |windows: &Vec<Window>| {
            (
                windows.iter().map(|window| window.gb).sum(),
                windows.iter().map(|window| window.parts).sum(),
                Figures::of_rounds(windows.iter().map(|window| &window.figures)),
            )
        };
        Self {
            cell,
            connections,
            sides: sides.each_ref().map(side),
            over: Figures::ratios(own, plain),
            least: quotients.iter().copied().reduce(f64::min),
            greatest: quotients.iter().copied().reduce(f64::max),
        }
    }

    /// CPU seconds per GB of hashlane, divided by those of the plain server.
    fn ratio(&self) -> Option<f64> {
        self.over.get("cpu_seconds_per_gb")
    }

    /// The algorithm, the RPCs and the bytes of a part.
    fn name(&self) -> String {
        let Cell {
            algorithm,
            calls,
            part_bytes,
            ..
        } = self.cell;
        format!("{algorithm} {calls} {}", Bytes(part_bytes))
    }

    fn row(&self, common: &Row) -> Row {
        let side = |(gb, parts, figures): &(f64, u64, Figures)| {
            Row::of(json!({"gb": gb, "parts": parts})).and(figures)
        };
        common.clone().and(self.cell).and(json!({
            "kind": "matrix_cell",
            "connections": self.connections,
            SERVERS[0]: side(&self.sides[0]),
            SERVERS[1]: side(&self.sides[1]),
            "hashlane_over_plain": self.over,
            "ratio_least": self.least,
            "ratio_greatest": self.greatest,
        }))
    }
}

impl fmt::Display for CellResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cost = |side: usize| self.sides[side].2.text("cpu_seconds_per_gb", 3);
        let (name, streams, ratio) = (self.name(), self.cell.streams, figure(self.ratio(), 3));
        let (own, plain) = (cost(0), cost(1));
        write!(
            f,
            "{name}, {streams} streams: {own} over {plain} CPU s/GB: {ratio}"
        )
    }
}

/// The summary of all cells: a row, and the tables of ratios, lone streams and worst cells.
fn summary(results: &[CellResult], common: &Row) -> (Row, String) {
    let with_ratio = results
        .iter()
        .filter_map(|result| Some((result.ratio()?, result)));
    let mut worst: Vec<_> = with_ratio.collect();
    let cells_above = worst.iter().filter(|(ratio, _)| *ratio > RATIO_MAX).count();
    let mut medians = BTreeMap::new();
    for algorithm in results.iter().map(|result| result.cell.algorithm) {
        let of_many = worst.iter().filter(|(_, result)| {
            result.cell.algorithm == algorithm && result.cell.streams >= MANY_STREAMS
        });
        let median = || median(of_many.map(|(ratio, _)| *ratio));
        medians.entry(algorithm.name()).or_insert_with(median);
    }
    worst.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    worst.truncate(WORST_CELLS);
    let lone = results.iter().filter(|result| result.cell.streams == 1);
    let greatest = |of: &str| {
        lone.clone()
            .filter_map(|result| result.over.get(of))
            .reduce(f64::max)
    };
    let worst_rows = worst
        .iter()
        .map(|(ratio, result)| Row::of(result.cell).and(json!({"ratio": ratio})));
    let row = common.clone().and(json!({
        "kind": "matrix",
        "cells": results.len(),
        // Median ratio of cells with many streams.
        "median_of_many_streams": medians,
        "many_streams": MANY_STREAMS,
        "cells_above": cells_above,
        "ratio_max": RATIO_MAX,
        "lone_ratio_greatest": greatest("cpu_seconds_per_gb"),
        "lone_p50_ratio_greatest": greatest("p50_ms"),
        "worst": worst_rows.collect::<Vec<_>>(),
    }));
    let mut text = ratios(results).to_string();
    // Writing to a string cannot fail.
    if lone.clone().next().is_some() {
        let _ = write!(text, "\na lone stream\n{}", details(lone));
    }
    let worst = worst.iter().map(|(_, result)| *result);
    let _ = write!(text, "\nthe worst cells\n{}", details(worst));
    for (algorithm, median) in &medians {
        let median = figure(*median, 3);
        let _ = write!(
            text,
            "\n{algorithm}: median {median} of the cells with {MANY_STREAMS} streams or more"
        );
    }
    let cells = results.len();
    let _ = write!(
        text,
        "\n{cells_above} of {cells} cells are above {RATIO_MAX}"
    );
    (row, text)
}

/// Ratios: a row for each kind of part, a column for each number of streams.
fn ratios(results: &[CellResult]) -> Table {
    let mut streams: Vec<_> = results.iter().map(|result| result.cell.streams).collect();
    streams.sort_unstable();
    streams.dedup();
    let heads: Vec<_> = streams.iter().map(ToString::to_string).collect();
    let mut table = Table::default();
    for group in results.chunk_by(|one, other| one.name() == other.name()) {
        let ratio = |streams: usize| {
            let found = group.iter().find(|result| result.cell.streams == streams);
            figure(found.and_then(CellResult::ratio), 2)
        };
        let cells = streams.iter().zip(&heads);
        let cells = cells.map(|(&streams, head)| (head.as_str(), ratio(streams)));
        table.row([("by streams", group[0].name())].into_iter().chain(cells));
    }
    table
}

/// Figures of both servers, one row per cell.
fn details<'a>(results: impl Iterator<Item = &'a CellResult>) -> Table {
    let mut table = Table::default();
    for result in results {
        let of = |side: usize, name, digits| result.sides[side].2.text(name, digits);
        table.row([
            ("cell", result.name()),
            ("streams", result.cell.streams.to_string()),
            ("ratio", figure(result.ratio(), 3)),
            ("least", figure(result.least, 3)),
            ("most", figure(result.greatest, 3)),
            ("CPU s/GB", of(0, "cpu_seconds_per_gb", 3)),
            ("plain", of(1, "cpu_seconds_per_gb", 3)),
            ("GB/s", of(0, "gb_per_s", 3)),
            ("plain", of(1, "gb_per_s", 3)),
            ("p50 ms", of(0, "p50_ms", 4)),
            ("plain", of(1, "p50_ms", 4)),
            ("ratio", result.over.text("p50_ms", 3)),
            ("occupancy", of(0, "occupancy_ratio", 3)),
            ("efficiency", of(0, "efficiency_ratio", 3)),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use hashlane_engine::Algorithm;
    use serde_json::Value;

    use super::*;
    use crate::args::{Calls, Cli, Command};

    fn common() -> Row {
        match Cli::try_parse_from(["x", "matrix"]).unwrap().command {
            Some(Command::Matrix(args)) => heading(&args, &CpuModel::read(), &Row::default(), "").0,
            other => panic!("{other:?}"),
        }
    }

    /// A cell with the CPU times of both servers in each round.
    fn result(algorithm: Algorithm, streams: usize, rounds: &[(f64, f64)]) -> CellResult {
        let side = |of: fn(&(f64, f64)) -> f64| -> Vec<Window> {
            let window = |round| Window {
                figures: Figures::default().with([
                    ("cpu_seconds_per_gb", Some(of(round))),
                    ("p50_ms", Some(2.0 * of(round))),
                ]),
                gb: 0.5,
                parts: 100,
                ..Window::default()
            };
            rounds.iter().map(window).collect()
        };
        let cell = Cell {
            algorithm,
            calls: Calls::Shared,
            part_bytes: 16 << 10,
            streams,
        };
        CellResult::of(cell, 2, &[side(|round| round.0), side(|round| round.1)])
    }

    fn results() -> Vec<CellResult> {
        let (sha256, md5) = (Algorithm::Sha256, Algorithm::Md5);
        vec![
            result(sha256, 1, &[(1.1, 1.0)]),
            // Ratios within the rounds: 0.5, 0.25 and 0.9. The ratio of the medians would be 0.75.
            result(sha256, 16, &[(1.0, 2.0), (1.5, 6.0), (1.8, 2.0)]),
            result(sha256, 64, &[(0.6, 1.0)]),
            result(sha256, 256, &[(0.7, 1.0)]),
            result(md5, 1, &[(1.04, 1.0)]),
            result(md5, 8, &[(9.0, 1.0)]),
            result(md5, 64, &[(0.2, 1.0)]),
        ]
    }

    fn summarized(results: &[CellResult]) -> (Value, String) {
        let (row, text) = summary(results, &common());
        (serde_json::to_value(row).unwrap(), text)
    }

    #[test]
    fn a_ratio_is_the_median_of_the_rounds_quotients() {
        let cell = &results()[1];
        let row = serde_json::to_value(cell.row(&common())).unwrap();
        assert_eq!(row["hashlane_over_plain"]["cpu_seconds_per_gb"], 0.5);
        assert_eq!(
            (&row["ratio_least"], &row["ratio_greatest"]),
            (&0.25.into(), &0.9.into())
        );
        assert_eq!(row["algorithm"], "sha256");
        assert_eq!(
            (&row["calls"], &row["part_bytes"]),
            (&"shared".into(), &16384.into())
        );
        assert_eq!(row["hashlane"]["cpu_seconds_per_gb"], 1.5);
        assert_eq!(row["plain"]["gb"], 1.5);
        assert_eq!(row["hashlane_over_plain"]["p50_ms"], 0.5);
        assert!(row["cpu"]["family"].is_string());
    }

    #[test]
    fn the_summary_is_of_many_streams_lone_ones_and_the_worst() {
        let (row, text) = summarized(&results());
        assert_eq!(row["median_of_many_streams"]["sha256"], 0.6);
        assert_eq!(row["median_of_many_streams"]["md5"], 0.2);
        assert_eq!((&row["cells"], &row["cells_above"]), (&7.into(), &2.into()));
        assert_eq!(row["lone_ratio_greatest"], 1.1);
        assert_eq!(row["lone_p50_ratio_greatest"], 1.1);
        let worst = row["worst"].as_array().unwrap();
        let ratios: Vec<_> = worst.iter().map(|worst| &worst["ratio"]).collect();
        assert_eq!(ratios, [9.0, 1.1, 1.04, 0.7, 0.6, 0.5, 0.2]);
        assert_eq!(worst[0]["streams"], 8);

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
        let mut results = results();
        results.truncate(1);
        results.push(result(Algorithm::Sha256, 64, &[]));
        let (row, text) = summarized(&results);
        assert_eq!(row["cells"], 2);
        assert_eq!(row["worst"].as_array().unwrap().len(), 1);
        assert!(row["median_of_many_streams"]["sha256"].is_null());
        assert!(text.contains("median - of"), "{text}");
    }
}
