//! `compare`: the server's cost of a byte and of a part in each of its hashing modes, and at each
//! number of streams.
//!
//! Every side runs in every round, with a fresh child process and the same load, so that changes of
//! the machine affect all sides. Every second round runs in reverse order, so that a drift favours
//! no side. Streams start with parts of different lengths and are dropped at the end, so that the
//! window measures a steady load for any length of parts.
//!
//! Why in pairs: shared machines have slow phases, and the client shares cores with the server. So
//! compared figures come from the same round, with a fresh server for each side.
//!
//! compare/rows.rs has the rows and their medians.

use anyhow::{Context as _, Result, ensure};

use crate::algorithms;
use crate::args::{CompareArgs, LoadArgs, SweepPoint};
use crate::arrangement::Arrangement;
use crate::report::{figure, print_row, say};
use crate::round::Stand;

mod rows;

use rows::{RoundRow, SummaryRow, SweepRow};

/// Runs all rounds and prints their rows. True if every answer was right.
///
/// # Errors
/// A server cannot be started or ends unexpectedly, or a signal arrives; the child is stopped
/// first.
pub fn compare(args: &CompareArgs) -> Result<bool> {
    let mut args = args.clone();
    args.modes.append(&mut args.peers);
    let args = &args;
    let mut modes = args.modes.clone();
    modes.sort_unstable();
    modes.dedup();
    ensure!(
        modes.len() == args.modes.len(),
        "--modes and --peer name something twice"
    );
    let algorithms = match args.baseline.as_slice() {
        [] => &args.load.algorithms,
        // Each names its algorithms in its messages, so that parsing costs the same.
        algorithms => &algorithms::wanted(algorithms).context("--baseline")?,
    };
    let has_baseline = !args.baseline.is_empty() || !args.baseline_set.is_empty();
    let arrangement = Arrangement::of(args)?;
    let mut sweep = args.sweep_streams.clone();
    if sweep.is_empty() {
        sweep.push(SweepPoint {
            streams: args.load.streams,
            connections: None,
        });
    }
    sweep.sort_unstable();
    sweep.dedup();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    runtime.block_on(async {
        let Arrangement {
            client,
            load,
            rounds,
        } = &arrangement;
        let mut stand = Stand::new(rounds, load, *client)?;
        stand.check_modes(&args.modes)?;
        let mut baseline_rounds = rounds.clone();
        baseline_rounds
            .server_set
            .extend(args.baseline_set.iter().cloned());
        let mut baseline_stand = stand.with(&baseline_rounds)?;
        let mut rows = Vec::new();
        let mut clean = true;
        for round in 1..=args.rounds.rounds {
            let mut turns = Vec::new();
            for &point in &sweep {
                turns.extend(args.modes.iter().map(|&mode| (point, mode, false)));
                let first = args.modes.first().filter(|_| has_baseline);
                turns.extend(first.map(|&mode| (point, mode, true)));
            }
            if round % 2 == 0 {
                turns.reverse();
            }
            for (point, mode, is_baseline) in turns {
                let mut load = LoadArgs {
                    streams: point.streams,
                    connections: point.connections.unwrap_or(load.connections),
                    ..load.clone()
                };
                let stand = if is_baseline {
                    load.algorithms.clone_from(algorithms);
                    &mut baseline_stand
                } else {
                    &mut stand
                };
                let outcome = stand.round(&load, mode, None).await?;
                let row = RoundRow::of(mode, point, round, is_baseline, &outcome.window);
                print_row(&row)?;
                say(format_args!(
                    "{point} streams, round {round} of {}, {:<6} {}{}: \
                     {} CPU s/GB, {} GB/s, p50 {} ms, TCP zero windows {}",
                    args.rounds.rounds,
                    mode.name(),
                    row.window.load.algorithms.join("+"),
                    if is_baseline { " (baseline)" } else { "" },
                    figure(row.window.figures.cpu_seconds_per_gb, 3),
                    figure(row.window.figures.gb_per_s, 3),
                    figure(row.window.figures.latency.p50_ms, 4),
                    row.window
                        .zero_windows
                        .map_or_else(|| "-".to_owned(), |counts| counts.to_string()),
                ));
                clean &= outcome.is_clean();
                rows.push(row);
            }
        }
        for &point in &sweep {
            let summary = SummaryRow::of(&rows, point, args).context("there were no rounds")?;
            say(summary.table(&args.modes));
            print_row(&summary)?;
        }
        if sweep.len() > 1 {
            let sweep = SweepRow::of(&rows, &sweep, args);
            say(sweep.tables(&args.modes));
            print_row(&sweep)?;
        }
        Ok(clean)
    })
}
