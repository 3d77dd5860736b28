//! Runs all rounds of a comparison.
//!
//! Every side runs in every round, with a fresh child process and the same load, so that changes of
//! the machine affect all sides. Streams start with parts of different lengths and are dropped at
//! the end, so that the window measures a steady load for any length of parts.
//!
//! Why in pairs: shared machines have slow phases, and the client shares cores with the server. So
//! compared figures come from the same round, with a fresh server for each side.

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::ratios::{Turn, summary, sweep};
use crate::args::{ClientName, CompareArgs, LoadArgs, SweepPoint};
use crate::load::algorithms;
use crate::results::{Row, say};
use crate::round::core_assignment::arrange;
use crate::round::{Stand, rounds};
use crate::system::runtime::{runtime, unless_interrupted};
use crate::system::zero_windows;

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
            zero_windows::text(&row),
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
