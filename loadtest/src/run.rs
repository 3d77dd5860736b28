//! `run`: one load against a running server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::args::{ClientName, LoadArgs, RunArgs};
use crate::driver::{Driver, Phase, Plan, Tally};
use crate::figures::Figures;
use crate::files;
use crate::lanes::{Efficiency, Occupancy};
use crate::payload::Payload;
use crate::report::{GB, Row, figure, list, say};
use crate::round::{check_limits, server_limits};
use crate::runtime::{Signals, runtime};
use crate::scrape::ServerCounters;
use crate::tls::Tls;

/// Measured time unless `--duration` or `--count` is set.
const DURATION_DEFAULT: Duration = Duration::from_secs(10);

/// Runs the load and prints its report. True if every answer was right.
///
/// # Errors
/// The load cannot be started, or its report cannot be printed.
pub fn run(args: &RunArgs) -> Result<bool> {
    runtime()?.block_on(run_load(args))
}

async fn run_load(args: &RunArgs) -> Result<bool> {
    let mut signals = Signals::listen()?;
    files::allow(args.load.connections)?;
    let tls = args.ca.as_ref().map(|path| {
        let pem = std::fs::read(path)?;
        Tls::trusting(&pem)
    });
    let tls = tls.transpose().context("--ca")?;
    check_limits(
        &args.load,
        &server_limits(&args.server, tls.as_ref()).await?,
    )?;
    let mut driver = Driver::start(Plan {
        server: args.server.clone(),
        tls,
        load: args.load.clone(),
        payload: Arc::new(Payload::build(&args.load, false)?),
        client: ClientName::Hyper,
        receiver_frame_bytes: None,
        count: args.count,
        check: true,
    })?;

    let mut ended = End::Time;
    if args.count.is_none() && !args.warmup.is_zero() {
        driver.enter(Phase::Warmup);
        ended = wait(&mut driver, args.warmup, &mut signals).await;
    }
    let before = Reading::take(&driver, args.admin.as_deref())
        .await
        .context("the server's metrics (`--admin off` does without)")?;
    driver.enter(Phase::Measure);
    if ended == End::Time {
        let duration = match args.count {
            Some(_) => Duration::MAX,
            None => args.duration.unwrap_or(DURATION_DEFAULT),
        };
        ended = wait(&mut driver, duration, &mut signals).await;
    }
    let after = Reading::take(&driver, args.admin.as_deref()).await;
    let after = after.unwrap_or_else(|error| {
        // The load's figures are still useful.
        say(format_args!("the server's metrics are left out: {error:#}"));
        Reading {
            server: None,
            ..Reading::local(&driver)
        }
    });
    driver.enter(if ended == End::Signal {
        Phase::Abort
    } else {
        Phase::Finish
    });
    if ended == End::Time {
        ended = match wait(&mut driver, args.grace, &mut signals).await {
            End::Signal => End::Signal,
            End::Time | End::Done => End::Done,
        };
    }

    let tally = driver.join()?;
    let is_interrupted = ended == End::Signal;
    report(&args.load, &before, &after, &tally, is_interrupted)?;
    let is_complete = is_interrupted || (tally.in_flight == 0 && tally.measured > 0);
    Ok(is_complete && tally.errors == 0 && tally.mismatches == 0)
}

/// Prints what was measured.
fn report(
    load: &LoadArgs,
    before: &Reading,
    after: &Reading,
    tally: &Tally,
    is_interrupted: bool,
) -> Result<()> {
    let seconds = after.at.duration_since(before.at).as_secs_f64();
    let gb = (after.sent_bytes - before.sent_bytes) as f64 / GB;
    let parts = tally.measured;
    let per_second = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
    let (gb_per_s, parts_per_s) = (per_second(gb), per_second(parts as f64));
    let latencies = Figures::latencies(&tally.latencies_ns);
    let ms = |name| latencies.text(name, 3);
    let (p50, p99, p999, max) = (ms("p50_ms"), ms("p99_ms"), ms("p999_ms"), ms("max_ms"));
    let mut lines = vec![
        ("load", format!("{:?} of {load}", load.rpc)),
        (
            "measured",
            format!("{seconds:.3} s, {gb:.3} GB, {parts} parts"),
        ),
        (
            "rate",
            format!("{gb_per_s:.3} GB/s, {parts_per_s:.1} parts/s"),
        ),
        (
            "part latency",
            format!("p50 {p50}, p99 {p99}, p99.9 {p999}, max {max} ms"),
        ),
        ("parts checked", tally.answered.to_string()),
        ("mismatches", tally.mismatches.to_string()),
        ("errors", tally.errors.to_string()),
    ];
    if tally.in_flight > 0 {
        lines.push(("unfinished parts", tally.in_flight.to_string()));
    }
    let counters = after.server.as_ref().zip(before.server.as_ref());
    let server = counters.map(|(after, before)| server(&after.since(before), gb));
    let (server_row, server_lines) = server.unzip();
    lines.extend(server_lines.into_iter().flatten());
    say(list(&lines));
    tally.say_examples();
    if parts == 0 && tally.answered > 0 && !is_interrupted {
        say("no part ended in the time of the measurement: more --duration, or smaller parts");
    }
    let row = load.row().and(&latencies).and(json!({
        "kind": "run",
        "seconds": seconds,
        "gb": gb,
        "gb_per_s": gb_per_s,
        "parts": parts,
        "parts_per_s": parts_per_s,
        // All parts answered, also before and after the measurement; each was checked.
        "parts_checked": tally.answered,
        "errors": tally.errors,
        "mismatches": tally.mismatches,
        "unfinished": tally.in_flight,
        "interrupted": is_interrupted,
        "server": server_row,
    }));
    row.print()
}

/// The server's figures for a window in which `gb` were sent: a row, and lines for people.
fn server(window: &ServerCounters, gb: f64) -> (Row, Vec<(&'static str, String)>) {
    let cpu_seconds = window.sum("process_cpu_seconds_total");
    // Some exporters count whole seconds, so zero does not mean that none were used.
    let is_used = |seconds: &f64| gb > 0.0 && *seconds > 0.0;
    let per_gb = cpu_seconds.filter(is_used).map(|seconds| seconds / gb);
    let (occupancy, efficiency) = (Occupancy::of(window), Efficiency::of(window));
    let worker_seconds = window.by("hashlane_worker_seconds_total", "phase");
    let phases = worker_seconds.iter();
    let phases: Vec<_> = phases
        .map(|(phase, seconds)| format!("{phase} {seconds:.3}"))
        .collect();
    let none = || "none".to_owned();
    let (cpu, cpu_per_gb) = (figure(cpu_seconds, 2), figure(per_gb, 3));
    let lines = vec![
        (
            "lane occupancy",
            occupancy.as_ref().map_or_else(none, Occupancy::to_string),
        ),
        (
            "lane efficiency",
            efficiency.as_ref().map_or_else(none, Efficiency::to_string),
        ),
        ("server CPU", format!("{cpu} s, {cpu_per_gb} s/GB")),
        ("worker seconds", phases.join(", ")),
    ];
    let row = json!({
        "cpu_seconds": cpu_seconds,
        "cpu_seconds_per_gb": per_gb,
        "hashed_gb": window.sum("hashlane_hashed_bytes_total").map(|bytes| bytes / GB),
        "occupancy": occupancy,
        "efficiency": efficiency,
        "worker_seconds": worker_seconds,
    });
    (Row::of(row), lines)
}

/// The counters at one end of the window.
#[derive(Debug)]
struct Reading {
    at: Instant,
    sent_bytes: u64,
    server: Option<ServerCounters>,
}

impl Reading {
    fn local(driver: &Driver) -> Self {
        Self {
            at: Instant::now(),
            sent_bytes: driver.sent_bytes(),
            server: None,
        }
    }

    /// Reads both sides. The server reads its counters between request and response, so the
    /// client's counters are those of the middle.
    async fn take(driver: &Driver, admin: Option<&str>) -> Result<Self> {
        let asked = Self::local(driver);
        let Some(address) = admin else {
            return Ok(asked);
        };
        let server = Some(ServerCounters::scrape(address).await?);
        let answered = Self::local(driver);
        Ok(Self {
            at: asked.at + (answered.at - asked.at) / 2,
            sent_bytes: u64::midpoint(asked.sent_bytes, answered.sent_bytes),
            server,
        })
    }
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The time is over.
    Time,
    /// Every stream has ended.
    Done,
    /// A signal asks the program to end.
    Signal,
}

/// Waits for `duration`, the end of the load, or a signal.
async fn wait(driver: &mut Driver, duration: Duration, signals: &mut Signals) -> End {
    tokio::select! {
        biased;
        () = signals.received() => End::Signal,
        is_done = driver.wait(duration) => if is_done { End::Done } else { End::Time },
    }
}
