//! `compare`: the server's cost of a byte and of a part in each of its hashing modes, and at each
//! number of streams.
//!
//! Every side runs in every round, with a fresh child process and the same load, so that changes of
//! the machine affect all sides. Streams start with parts of different lengths and are dropped at
//! the end, so that the window measures a steady load for any length of parts.
//!
//! Why in pairs: shared machines have slow phases, and the client shares cores with the server. So
//! compared figures come from the same round, with a fresh server for each side.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::args::{ClientName, CompareArgs, LoadArgs, SweepPoint};
use crate::load::algorithms;
use crate::results::window_figures::{Figures, ratio, table};
use crate::results::{Row, Table, figure, median, say};
use crate::round::core_assignment::arrange;
use crate::round::{Stand, Window, rounds};
use crate::servers::compared_modes::{FLOOR, LANES, Mode};
use crate::system::runtime::{runtime, unless_interrupted};
use crate::system::sockets;

/// Runs all rounds and prints their rows. True if every answer was right.
///
/// # Errors
/// A server cannot be started or ends unexpectedly, or a signal arrives; the child is stopped
/// first.
pub fn compare(args: &CompareArgs) -> Result<bool> {
    let mut args = args.clone();
    args.modes.append(&mut args.peers);
    let mut modes = args.modes.clone();
    modes.sort_unstable();
    modes.dedup();
    ensure!(
        modes.len() == args.modes.len(),
        "--modes and --peer name something twice"
    );
    let client = arrange(&mut args)?;
    runtime()?.block_on(unless_interrupted(measure(&args, client)))
}

async fn measure(args: &CompareArgs, client: ClientName) -> Result<bool> {
    let algorithms = match args.baseline.as_slice() {
        [] => &args.load.algorithms,
        // Each names its algorithms in its messages, so that parsing costs the same.
        algorithms => &algorithms::wanted(algorithms).context("--baseline")?,
    };
    let has_baseline = !args.baseline.is_empty() || !args.baseline_set.is_empty();
    let mut points = args.sweep_streams.clone();
    if points.is_empty() {
        points.push(SweepPoint {
            streams: args.load.streams,
            connections: None,
        });
    }
    points.sort_unstable();
    points.dedup();
    let mut stand = Stand::new(&args.rounds, &args.load, client)?;
    stand.check_modes(&args.modes)?;
    let mut baseline_stand = stand.with(&args.baseline_set);
    let mut turns = Vec::new();
    for &point in &points {
        let turn = |mode, baseline| Turn {
            point,
            mode,
            baseline,
        };
        turns.extend(args.modes.iter().map(|&mode| turn(mode, false)));
        let first = args.modes.first().filter(|_| has_baseline);
        turns.extend(first.map(|&mode| turn(mode, true)));
    }
    let mut measured = Vec::new();
    let mut clean = true;
    for (round, turn) in rounds(args.rounds.rounds, &turns) {
        let mut load = LoadArgs {
            streams: turn.point.streams,
            connections: turn.point.connections.unwrap_or(args.load.connections),
            ..args.load.clone()
        };
        let stand = if turn.baseline {
            load.algorithms.clone_from(algorithms);
            &mut baseline_stand
        } else {
            &mut stand
        };
        let window = stand.round(&load, turn.mode, None).await?;
        let row = json!({
            "kind": "round",
            "mode": turn.mode,
            "round": round,
            "baseline": turn.baseline,
        });
        let row = Row::of(row).and(window.row());
        row.print()?;
        say(format_args!(
            "{} streams, round {round} of {}, {:<6} {}{}: {} CPU s/GB, {} GB/s, p50 {} ms, TCP zero \
             windows {}",
            turn.point,
            args.rounds.rounds,
            turn.mode.name,
            load.algorithm_names().join("+"),
            if turn.baseline { " (baseline)" } else { "" },
            window.figures.text("cpu_seconds_per_gb", 3),
            window.figures.text("gb_per_s", 3),
            window.figures.text("p50_ms", 4),
            sockets::zero_windows_text(&row),
        ));
        clean &= window.is_clean();
        measured.push((turn, window));
    }
    for &point in &points {
        let (row, text) = summary(&measured, point, args).context("there were no rounds")?;
        say(text);
        row.print()?;
    }
    if points.len() > 1 {
        let (row, text) = sweep(&measured, &points, args);
        say(text);
        row.print()?;
    }
    Ok(clean)
}

/// The number of streams that a sweep's growth is relative to, if the sweep has it; else its
/// smallest number.
const BASE_STREAMS: usize = 32;

/// One side of the comparison, once in every round.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    point: SweepPoint,
    mode: Mode,
    /// Whether it runs with `--baseline` and `--baseline-set`.
    baseline: bool,
}

/// All windows, round by round.
type Measured = [(Turn, Window)];

/// The windows of one side, in the order of the rounds.
fn windows_of(
    measured: &Measured,
    point: SweepPoint,
    mode: Mode,
    baseline: bool,
) -> impl Iterator<Item = &Window> + Clone {
    let wanted = Turn {
        point,
        mode,
        baseline,
    };
    let own = measured.iter().filter(move |(turn, _)| *turn == wanted);
    own.map(|(_, window)| window)
}

/// All rounds with one number of streams: a row, and a table for people.
fn summary(measured: &Measured, point: SweepPoint, args: &CompareArgs) -> Option<(Row, String)> {
    let of = |mode, baseline| windows_of(measured, point, mode, baseline);
    let figures = |mode, baseline| of(mode, baseline).map(|window| &window.figures);
    let mut firsts = args.modes.iter().filter_map(|&mode| of(mode, false).next());
    let first = firsts.next()?;
    // Medians over the rounds; for peak memory the maximum.
    let medians = |mode, baseline| Figures::of_rounds(figures(mode, baseline));
    let names = args
        .modes
        .iter()
        .map(|&mode| (mode.name.to_owned(), medians(mode, false)));
    let mut lines: Vec<_> = names.collect();
    let modes: BTreeMap<_, _> = lines.iter().cloned().collect();
    // Ratios of two modes' figures in the same round, as medians over the rounds.
    let mut ratios = BTreeMap::new();
    let mut over = |one: Mode, other: Mode| {
        if one != other && args.modes.contains(&one) && args.modes.contains(&other) {
            let ratio = Figures::ratios(figures(one, false), figures(other, false));
            ratios.insert(format!("{}_over_{}", one.name, other.name), ratio);
        }
    };
    for &mode in &args.modes {
        match mode.without_tls() {
            Some(clear) => over(mode, clear),
            None => over(LANES, mode),
        }
        over(mode, FLOOR);
    }
    let mut baseline = None;
    if let Some(&mode) = args.modes.first()
        && let Some(first) = of(mode, true).next()
    {
        let (own, other) = (figures(mode, false), figures(mode, true));
        ratios.insert(
            format!("{}_over_baseline", mode.name),
            Figures::ratios(own, other),
        );
        let set = args
            .baseline_set
            .iter()
            .map(|setting| format!(" {setting}"));
        let named = args.baseline.iter().map(|algorithm| algorithm.name());
        let names = if args.baseline.is_empty() {
            args.load.algorithm_names()
        } else {
            named.collect()
        };
        let name = format!(
            "{} {}{}",
            mode.name,
            names.join("+"),
            set.collect::<String>()
        );
        let figures = medians(mode, true);
        baseline = Some(
            first
                .context
                .clone()
                .and(json!({"mode": mode}))
                .and(&figures),
        );
        lines.push((name, figures));
    }
    let ratio_lines = ratios
        .iter()
        .map(|(name, figures)| (name.replace("_over_", "/"), figures));
    let lines = lines.iter().map(|(name, figures)| (name.clone(), figures));
    let table = table(lines.chain(ratio_lines));
    let halves = ["receive_cpu_seconds_per_gb", "engine_cpu_seconds_per_gb"];
    let halves = halves.map(|half| modes.get(FLOOR.name).and_then(|floor| floor.get(half)));
    let mut text = format!(
        "{}, medians of {} rounds, memory bound {} MiB\n{table}",
        first.heading,
        args.rounds.rounds,
        figure(first.bound_mib, 0)
    );
    if let [Some(receive), Some(engine)] = halves {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "floor: {receive:.3} to receive and {engine:.3} for the engine"
        );
    }
    let row = first.context.clone().and(json!({
        "kind": "summary",
        "rounds": args.rounds.rounds,
        "bound_mib": first.bound_mib,
        "modes": modes,
        "baseline": baseline,
        "receive_cpu_seconds_per_gb": halves[0],
        "engine_cpu_seconds_per_gb": halves[1],
        "ratios": ratios,
    }));
    Some((row, text))
}

/// The cost of a byte by the number of streams, with `points` in ascending order: a row, and a
/// table for each mode.
fn sweep(measured: &Measured, points: &[SweepPoint], args: &CompareArgs) -> (Row, String) {
    let of_base = points.iter().find(|point| point.streams == BASE_STREAMS);
    let base = of_base.or(points.first());
    let base_streams = base.map_or(BASE_STREAMS, |base| base.streams);
    let growth_head = format!("over {base_streams}");
    let (mut modes, mut text) = (Row::default(), String::new());
    for &mode in &args.modes {
        let (mut rows, mut table) = (Vec::new(), Table::default());
        for &point in points {
            let windows = windows_of(measured, point, mode, false);
            let Some(first) = windows.clone().next() else {
                continue;
            };
            let bases = base.map(|&base| windows_of(measured, base, mode, false));
            let cost = |window: &Window| window.figures.get("cpu_seconds_per_gb");
            let growth = windows.clone().zip(bases.into_iter().flatten());
            let growth = growth.filter_map(|(own, base)| ratio(cost(own), cost(base)));
            let figures = Figures::of_rounds(windows.clone().map(|window| &window.figures));
            let open = windows.filter_map(|window| window.server_streams);
            let row = Row::of(&figures).and(json!({
                "streams": point.streams,
                "connections": first.context.get("connections"),
                // The median over rounds of the ratio within a round.
                "growth": median(growth),
                "bound_mib": first.bound_mib,
                "peak_over_bound": ratio(figures.get("peak_mib"), first.bound_mib),
                // The fewest streams that the server counted at the start of a window.
                "server_streams_min": open.reduce(f64::min),
            }));
            table.row(row.line([
                ("streams", "streams", 0),
                ("connections", "connections", 0),
                ("CPU s/GB", "cpu_seconds_per_gb", 3),
                (&growth_head, "growth", 3),
                ("GB/s", "gb_per_s", 3),
                ("client s/GB", "client_cpu_seconds_per_gb", 3),
                ("p50 ms", "p50_ms", 4),
                ("peak MiB", "peak_mib", 1),
                ("bound MiB", "bound_mib", 0),
                ("peak/bound", "peak_over_bound", 3),
                ("open", "server_streams_min", 0),
            ]));
            rows.push(row);
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} by streams, medians of {} rounds\n{table}",
            mode.name, args.rounds.rounds
        );
        modes = modes.and(json!({mode.name: rows}));
    }
    let row = Row::of(json!({
        "kind": "sweep",
        "base_streams": base_streams,
        "rounds": args.rounds.rounds,
        "modes": modes,
    }));
    (row, text)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use serde_json::Value;

    use super::*;
    use crate::args::{Cli, Command};

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

    fn measured(mode: Mode, streams: usize, round: u32, cpu_seconds_per_gb: f64) -> (Turn, Window) {
        let window = Window {
            context: args("").load.row().and(json!({"server_set": {"a": "b"}})),
            gb: 1.0,
            parts: 1,
            figures: Figures::default().with([
                ("cpu_seconds_per_gb", Some(cpu_seconds_per_gb)),
                ("peak_mib", Some(10.0 * f64::from(round))),
            ]),
            server_streams: Some(streams as f64),
            bound_mib: Some(120.0),
            ..Window::default()
        };
        let turn = Turn {
            point: point(streams),
            mode,
            baseline: false,
        };
        (turn, window)
    }

    fn point(streams: usize) -> SweepPoint {
        SweepPoint {
            streams,
            connections: None,
        }
    }

    /// A row as programs get it, and the text.
    fn summarized(measured: &Measured, args: &CompareArgs) -> (Value, String) {
        let (row, text) = summary(measured, point(32), args).unwrap();
        (serde_json::to_value(row).unwrap(), text)
    }

    #[test]
    fn a_baseline_is_the_first_mode_with_other_algorithms() {
        let args = args("--modes lanes,sink --rounds 2 --baseline md5");
        let baseline = |round, cost| {
            let (mut turn, mut window) = measured(LANES, 32, round, cost);
            turn.baseline = true;
            window.context = window.context.and(json!({"algorithms": ["md5"]}));
            (turn, window)
        };
        let all = [
            baseline(1, 1.0),
            measured(LANES, 32, 1, 1.5),
            measured(mode("sink"), 32, 1, 0.5),
            measured(mode("sink"), 32, 2, 0.5),
            measured(LANES, 32, 2, 5.0),
            baseline(2, 2.0),
        ];
        let (row, text) = summarized(&all, &args);
        assert_eq!(row["modes"]["lanes"]["cpu_seconds_per_gb"], 3.25);
        let over = &row["ratios"]["lanes_over_baseline"];
        assert_eq!(over["cpu_seconds_per_gb"], 2.0);
        assert!(
            text.contains("lanes md5") && text.contains("lanes/baseline"),
            "{text}"
        );
        assert_eq!(row["baseline"]["algorithms"][0], "md5");
        assert_eq!(row["algorithms"][0], "sha256");
    }

    #[test]
    fn a_summary_is_of_its_streams_and_pairs_rounds() {
        let args = args("--modes lanes,inline --rounds 2");
        // The second round ran in reverse order.
        let all = [
            measured(LANES, 32, 1, 1.0),
            measured(mode("inline"), 32, 1, 2.0),
            measured(LANES, 64, 1, 100.0),
            measured(mode("inline"), 32, 2, 16.0),
            measured(LANES, 32, 2, 4.0),
        ];
        let (row, text) = summarized(&all, &args);
        assert_eq!(row["modes"]["lanes"]["cpu_seconds_per_gb"], 2.5);
        assert_eq!(row["modes"]["lanes"]["peak_mib"], 20.0);
        // Per round: 0.5 and 0.25.
        let over = &row["ratios"]["lanes_over_inline"];
        assert_eq!(over["cpu_seconds_per_gb"], 0.375);
        assert!(row["ratios"]["lanes_over_sink"].is_null());
        assert!(text.contains("lanes/inline"), "{text}");
        assert_eq!(row["server_set"]["a"], "b");
        assert!(summary(&all, point(33), &args).is_none());
    }

    #[test]
    fn a_mode_over_tls_is_compared_with_itself_without() {
        let args = args("--modes lanes,lanes-tls,sink-tls --rounds 1");
        let all = [
            measured(LANES, 32, 1, 2.0),
            measured(mode("lanes-tls"), 32, 1, 5.0),
            measured(mode("sink-tls"), 32, 1, 4.0),
        ];
        let (row, _) = summarized(&all, &args);
        let ratios = row["ratios"].as_object().unwrap();
        assert!(ratios.keys().eq(["lanes-tls_over_lanes"]));
        let over = &ratios["lanes-tls_over_lanes"];
        assert_eq!(over["cpu_seconds_per_gb"], 2.5);
    }

    #[test]
    fn growth_is_over_32_streams_in_the_same_round() {
        let args = args("--modes lanes --rounds 2");
        let all = [
            measured(LANES, 1, 1, 0.5),
            measured(LANES, 32, 1, 1.0),
            measured(LANES, 1024, 1, 1.5),
            measured(LANES, 1024, 2, 2.5),
            measured(LANES, 32, 2, 2.0),
            measured(LANES, 1, 2, 1.0),
        ];
        let (row, text) = sweep(&all, &[1, 32, 1024].map(point), &args);
        let points = row.get("modes")["lanes"].as_array().unwrap();
        let growth: Vec<_> = points.iter().map(|point| &point["growth"]).collect();
        assert_eq!(growth, [0.5, 1.0, 1.375]);
        assert_eq!(points[2]["peak_over_bound"], 20.0 / 120.0);
        let line: Vec<_> = text.lines().nth(4).unwrap().split_whitespace().collect();
        let expected = [
            "1024", "4", "2.000", "1.375", "-", "-", "-", "20.0", "120", "0.167", "1024",
        ];
        assert_eq!(line, expected, "{text}");
        assert!(text.contains("over 32"), "{text}");
    }

    #[test]
    fn a_sweep_without_32_grows_from_its_smallest() {
        let args = args("--modes lanes --rounds 1");
        let all = [measured(LANES, 4, 1, 0.5), measured(LANES, 8, 1, 1.0)];
        let (row, _) = sweep(&all, &[4, 8].map(point), &args);
        assert_eq!(row.get("base_streams"), 4);
        assert_eq!(row.get("modes")["lanes"][1]["growth"], 2.0);
    }
}
