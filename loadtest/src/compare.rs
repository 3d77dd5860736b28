//! `compare`: what a byte costs the server in each of its hashing modes.
//!
//! Every mode takes its turn in every round, with a fresh child process and the
//! same load, so that a change of the machine's mood meets all modes alike. CPU
//! seconds are the child's own (`/proc`), read at both ends of the measured
//! window; bytes are those that went to the sockets in between. Streams start
//! with parts of different lengths and are dropped at the end, so the window
//! sees a steady load however long the parts are.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};

use crate::args::{CompareArgs, LoadArgs, Mode};
use crate::child::Server;
use crate::driver::{Driver, Phase, Plan, Tally};
use crate::payload::Payload;
use crate::report::{GB, Latency, LoadRow, Occupancy, figure, print_row, say};
use crate::run::{End, Signals, check_limits, server_limits, wait};
use crate::scrape::ServerCounters;

mod figures;

use figures::{Figures, RoundRow, SummaryRow, sweep_table};

/// Runs all rounds and prints their rows. True if every answer was right.
///
/// # Errors
/// If a server cannot be started or ends by itself, or on a signal; the child is
/// stopped first.
pub fn compare(args: &CompareArgs) -> Result<bool> {
    let mut modes = args.modes.clone();
    modes.sort_unstable();
    modes.dedup();
    ensure!(
        modes.len() == args.modes.len(),
        "--modes names a mode twice"
    );
    ensure!(!args.round_seconds.is_zero(), "--round-seconds is zero");
    let executable = server_executable(args.server_bin.as_deref())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    runtime.block_on(async {
        let mut comparison = Comparison {
            args,
            executable,
            payload: Arc::new(Payload::build(&args.load, true)?),
            signals: Signals::listen()?,
            clean: true,
        };
        let sweep = if args.sweep_streams.is_empty() {
            std::slice::from_ref(&args.load.streams)
        } else {
            &args.sweep_streams
        };
        let mut summaries = Vec::with_capacity(sweep.len());
        for &streams in sweep {
            let load = LoadArgs {
                streams,
                ..args.load.clone()
            };
            summaries.push(comparison.all_rounds(&load).await?);
        }
        if summaries.len() > 1 {
            say(sweep_table(&summaries, &args.modes));
        }
        Ok(comparison.clean)
    })
}

/// What stays the same over all rounds.
struct Comparison<'a> {
    args: &'a CompareArgs,
    executable: PathBuf,
    payload: Arc<Payload>,
    signals: Signals,
    /// Every answer so far was right.
    clean: bool,
}

impl Comparison<'_> {
    async fn all_rounds(&mut self, load: &LoadArgs) -> Result<SummaryRow> {
        let args = self.args;
        let mut rows = Vec::new();
        for round in 1..=args.rounds {
            for &mode in &args.modes {
                let (row, tally) = self.measure(load, mode, round).await?;
                print_row(&row)?;
                say(format_args!(
                    "{} streams, round {round} of {}, {:<6} {} CPU s/GB, {} GB/s",
                    load.streams,
                    args.rounds,
                    mode.name(),
                    figure(row.figures.cpu_seconds_per_gb, 3),
                    figure(row.figures.gb_per_s, 3)
                ));
                for (text, count) in &tally.examples {
                    say(format_args!("{count} times: {text}"));
                }
                self.clean &= row.errors == 0 && row.mismatches == 0;
                rows.push(row);
            }
        }
        let summary = SummaryRow::of(&rows, args).context("there were no rounds")?;
        say(summary.table(&args.modes));
        print_row(&summary)?;
        Ok(summary)
    }

    /// One mode in one round: child, connections, warm-up, window, end.
    async fn measure(
        &mut self,
        load: &LoadArgs,
        mode: Mode,
        round: usize,
    ) -> Result<(RoundRow, Tally)> {
        let args = self.args;
        let flags = server_flags(args, mode);
        let server = tokio::select! {
            server = Server::start(&self.executable, &flags, args.pin_server.as_ref()) => server?,
            () = self.signals.received() => bail!("interrupted"),
        };
        let mut load = load.clone();
        if let Some(limits) = server_limits(&server.url()).await? {
            if let Ok(per_connection @ 1..) = usize::try_from(limits.streams_per_connection_max) {
                // A sweep over streams reaches numbers that few connections cannot carry.
                load.connections = load.connections.max(load.streams.div_ceil(per_connection));
            }
            check_limits(&load, &limits)?;
        }
        let mut driver = Driver::start(Plan {
            server: server.url(),
            payload: Arc::clone(&self.payload),
            load: load.clone(),
            count: None,
            check: mode != Mode::Sink,
        })?;

        driver.enter(Phase::Warmup);
        keep_going(wait(&mut driver, args.warmup_seconds, &mut self.signals).await)?;
        // The scrapes stay outside of the window: they cost the server CPU time.
        let lanes_before = ServerCounters::scrape(&server.admin_address()).await?;
        let (started, cpu_before, sent_before) =
            (Instant::now(), server.cpu_seconds()?, driver.sent_bytes());
        driver.enter(Phase::Measure);
        let ended = wait(&mut driver, args.round_seconds, &mut self.signals).await;
        let (seconds, cpu_after, sent_after) = (
            started.elapsed().as_secs_f64(),
            server.cpu_seconds()?,
            driver.sent_bytes(),
        );
        let lanes_after = ServerCounters::scrape(&server.admin_address()).await?;
        let peak_bytes = server.peak_bytes()?;
        let tally = driver.join()?;
        if let Err(error) = server.stop() {
            say(format_args!("{error:#}"));
        }
        if ended == End::Signal {
            bail!("interrupted");
        }

        let gb = (sent_after - sent_before) as f64 / GB;
        let occupancy = Occupancy::of(&lanes_after.since(&lanes_before));
        let row = RoundRow {
            kind: "round",
            mode,
            round,
            load: LoadRow::of(&load),
            frame_bytes: args.frame_size,
            seconds,
            gb,
            figures: Figures {
                cpu_seconds_per_gb: (gb > 0.0).then(|| (cpu_after - cpu_before) / gb),
                gb_per_s: Some(gb / seconds),
                parts_per_s: Some(tally.latencies_ns.len() as f64 / seconds),
                latency: Latency::of(&tally.latencies_ns),
                peak_mib: Some(peak_bytes as f64 / f64::from(1 << 20)),
                occupancy_ratio: occupancy.as_ref().map(|occupancy| occupancy.ratio),
            },
            parts_checked: if mode == Mode::Sink {
                0
            } else {
                tally.answered
            },
            errors: tally.errors,
            mismatches: tally.mismatches,
            occupancy,
        };
        Ok((row, tally))
    }
}

fn keep_going(ended: End) -> Result<()> {
    ensure!(ended != End::Signal, "interrupted");
    Ok(())
}

/// The server's flags, but for its addresses.
fn server_flags(args: &CompareArgs, mode: Mode) -> Vec<String> {
    let mut flags = vec!["--hashing".to_owned(), mode.name().to_owned()];
    if let Some(workers) = args.server_workers {
        flags.extend(["--workers".to_owned(), workers.to_string()]);
    }
    if let Some(bytes) = args.frame_size {
        flags.extend(["--set".to_owned(), format!("http2.frame_bytes_max={bytes}")]);
    }
    flags.extend(
        args.server_args
            .iter()
            .flat_map(|flags| flags.split_whitespace())
            .map(str::to_owned),
    );
    flags
}

/// The server's executable: as given, or beside this one.
fn server_executable(given: Option<&Path>) -> Result<PathBuf> {
    let path = match given {
        Some(path) => path.to_owned(),
        None => {
            let own = std::env::current_exe().context("cannot find the own executable")?;
            own.with_file_name("hashlane-server")
        }
    };
    ensure!(
        path.is_file(),
        "there is no server at {}: build it (cargo build --release -p hashlane-server) or name it with --server-bin",
        path.display()
    );
    Ok(path)
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

    #[test]
    fn server_flags_follow_the_arguments() {
        let args =
            args("--frame-size 64KiB --server-workers 1 --server-args=--a --server-args=--b=2");
        let flags = server_flags(&args, Mode::Sink);
        let expected = [
            "--hashing",
            "sink",
            "--workers",
            "1",
            "--set",
            "http2.frame_bytes_max=65536",
            "--a",
            "--b=2",
        ];
        assert_eq!(flags, expected);
    }

    #[test]
    fn a_missing_server_is_named() {
        let error = server_executable(Some(Path::new("/nowhere/hashlane-server"))).unwrap_err();
        assert!(error.to_string().contains("--server-bin"), "{error}");
    }
}
