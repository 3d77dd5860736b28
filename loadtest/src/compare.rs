//! `compare`: what a byte and a part cost the server in each of its hashing
//! modes, and at each number of streams.
//!
//! Everything takes its turn in every round, with a fresh child process and the
//! same load, so that a change of the machine's mood meets all alike; every
//! second round runs the other way round, so that a drift favours nobody.
//! Streams start with parts of different lengths and are dropped at the end, so
//! the window sees a steady load however long the parts are.

use anyhow::{Context as _, Result, ensure};

use crate::algorithms;
use crate::args::{CompareArgs, LoadArgs};
use crate::report::{figure, print_row, say};
use crate::round::Stand;
use crate::setup::Arrangement;

mod rows;

use rows::{RoundRow, SummaryRow, SweepRow};

/// Runs all rounds and prints their rows. True if every answer was right.
///
/// # Errors
/// If a server cannot be started or ends by itself, or on a signal; the child is
/// stopped first.
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
    let baseline = match args.baseline.as_slice() {
        [] => None,
        // Each names it in its messages, so that they cost the same to read.
        algorithms => Some(algorithms::wanted(algorithms).context("--baseline")?),
    };
    let arrangement = Arrangement::of(args)?;
    let mut sweep = args.sweep_streams.clone();
    if sweep.is_empty() {
        sweep.push(args.load.streams);
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
        let mut rows = Vec::new();
        let mut clean = true;
        for round in 1..=args.rounds.rounds {
            let mut turns = Vec::new();
            for &streams in &sweep {
                turns.extend(args.modes.iter().map(|&mode| (streams, mode, None)));
                if let (Some(algorithms), Some(&mode)) = (&baseline, args.modes.first()) {
                    turns.push((streams, mode, Some(algorithms)));
                }
            }
            if round % 2 == 0 {
                turns.reverse();
            }
            for (streams, mode, baseline) in turns {
                let load = LoadArgs {
                    streams,
                    algorithms: baseline.unwrap_or(&load.algorithms).clone(),
                    ..load.clone()
                };
                let outcome = stand.round(&load, mode, None).await?;
                let row = RoundRow::of(mode, round, baseline.is_some(), &outcome.window);
                print_row(&row)?;
                say(format_args!(
                    "{streams} streams, round {round} of {}, {:<6} {}: \
                     {} CPU s/GB, {} GB/s, p50 {} ms",
                    args.rounds.rounds,
                    mode.name(),
                    row.window.load.algorithms.join("+"),
                    figure(row.window.figures.cpu_seconds_per_gb, 3),
                    figure(row.window.figures.gb_per_s, 3),
                    figure(row.window.figures.latency.p50_ms, 4)
                ));
                clean &= outcome.is_clean();
                rows.push(row);
            }
        }
        for &streams in &sweep {
            let summary = SummaryRow::of(&rows, streams, args).context("there were no rounds")?;
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
