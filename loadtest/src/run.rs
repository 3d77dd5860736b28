//! `run`: one load against a running server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use hashlane_proto::v1::hash_service_client::HashServiceClient;
use hashlane_proto::v1::{GetServerInfoRequest, Limits};
use tokio::signal::unix::{SignalKind, signal};
use tonic::Code;
use tonic::transport::Endpoint;

use crate::args::{Admin, LoadArgs, RunArgs};
use crate::driver::{Client, Driver, Phase, Plan, Tally};
use crate::files;
use crate::payload::Payload;
use crate::report::{GB, Latency, LoadRow, RunRow, ServerRow, print_row, say};
use crate::scrape::ServerCounters;
use crate::tls::Tls;

/// Measured time unless `--duration` or `--count` is set.
const DURATION_DEFAULT: Duration = Duration::from_secs(10);

/// Time for the server to return its limits.
const INFO_TIMEOUT: Duration = Duration::from_secs(10);

/// Runs the load and prints its report. True if every answer was right.
///
/// # Errors
/// The load cannot be started, or its report cannot be printed.
pub fn run(args: &RunArgs) -> Result<bool> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    runtime.block_on(run_load(args))
}

async fn run_load(args: &RunArgs) -> Result<bool> {
    let mut signals = Signals::listen()?;
    files::allow(args.load.connections)?;
    let tls = args.ca.as_ref().map(|path| {
        let pem = std::fs::read(path)?;
        Tls::trusting(&pem)
    });
    let tls = tls.transpose().context("--ca")?;
    if let Some(limits) = server_limits(&args.server, tls.as_ref()).await? {
        check_limits(&args.load, &limits)?;
    }
    let mut driver = Driver::start(Plan {
        server: args.server.clone(),
        tls,
        load: args.load.clone(),
        payload: Arc::new(Payload::build(&args.load, false)?),
        client: Client::Calls,
        count: args.count,
        check: true,
    })?;

    let mut ended = End::Time;
    if args.count.is_none() && !args.warmup.is_zero() {
        driver.enter(Phase::Warmup);
        ended = wait(&mut driver, args.warmup, &mut signals).await;
    }
    let before = Reading::take(&driver, &args.admin)
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
    let after = Reading::take(&driver, &args.admin).await;
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
    let row = row(&args.load, &before, &after, &tally, ended == End::Signal);
    say(row.table());
    for (text, count) in &tally.examples {
        say(format_args!("{count} times: {text}"));
    }
    if row.parts == 0 && row.parts_checked > 0 && !row.interrupted {
        say("no part ended in the time of the measurement: more --duration, or smaller parts");
    }
    print_row(&row)?;
    Ok(row.is_clean())
}

fn row(
    load: &LoadArgs,
    before: &Reading,
    after: &Reading,
    tally: &Tally,
    interrupted: bool,
) -> RunRow {
    let seconds = after.at.duration_since(before.at).as_secs_f64();
    let gb = (after.sent_bytes - before.sent_bytes) as f64 / GB;
    let parts = tally.measured;
    let per_second = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
    let window = after
        .server
        .as_ref()
        .zip(before.server.as_ref())
        .map(|(after, before)| after.since(before));
    RunRow {
        kind: "run",
        load: LoadRow::of(load),
        seconds,
        gb,
        gb_per_s: per_second(gb),
        parts,
        parts_per_s: per_second(parts as f64),
        latency: Latency::of(&tally.latencies_ns),
        parts_checked: tally.answered,
        errors: tally.errors,
        mismatches: tally.mismatches,
        unfinished: tally.in_flight,
        interrupted,
        server: window.map(|window| ServerRow::of(&window, gb)),
    }
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
    async fn take(driver: &Driver, admin: &Admin) -> Result<Self> {
        let asked = Self::local(driver);
        let Admin::Address(address) = admin else {
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
pub(crate) enum End {
    /// The time is over.
    Time,
    /// Every stream has ended.
    Done,
    /// A signal asks the program to end.
    Signal,
}

/// Waits for `duration`, the end of the load, or a signal.
pub(crate) async fn wait(driver: &mut Driver, duration: Duration, signals: &mut Signals) -> End {
    tokio::select! {
        biased;
        () = signals.received() => End::Signal,
        () = driver.done() => End::Done,
        () = tokio::time::sleep(duration) => End::Time,
    }
}

/// SIGINT and SIGTERM.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    pub(crate) fn listen() -> Result<Self> {
        let listen = |kind| signal(kind).context("cannot listen for signals");
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    pub(crate) async fn received(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// The server's limits; `None` if it does not know the method.
pub(crate) async fn server_limits(server: &str, tls: Option<&Tls>) -> Result<Option<Limits>> {
    let mut endpoint = Endpoint::from_shared(server.to_owned())
        .with_context(|| format!("`{server}` is not an address such as http://127.0.0.1:50051"))?;
    if let Some(tls) = tls {
        endpoint = tls.endpoint(endpoint)?;
    }
    let channel = endpoint
        .connect_timeout(INFO_TIMEOUT)
        .connect()
        .await
        .with_context(|| format!("cannot connect to {server}"))?;
    let mut client = HashServiceClient::new(channel);
    let question = client.get_server_info(GetServerInfoRequest {});
    match tokio::time::timeout(INFO_TIMEOUT, question)
        .await
        .context("the server does not tell its limits")?
    {
        Ok(info) => Ok(info.into_inner().limits),
        Err(status) if status.code() == Code::Unimplemented => Ok(None),
        Err(status) => Err(status).context("the server does not tell its limits"),
    }
}

/// Refuses a load that the server would refuse.
pub(crate) fn check_limits(load: &LoadArgs, limits: &Limits) -> Result<()> {
    // A limit of zero means no limit.
    let within = |asked: u64, limit: u64| limit == 0 || asked <= limit;
    let algorithms = load.algorithms.len().max(1) as u64;
    let overhead_bytes = MESSAGE_OVERHEAD_BYTES + algorithms * ALGORITHM_OVERHEAD_BYTES;
    ensure!(
        within(
            load.chunk_size as u64 + overhead_bytes,
            limits.message_bytes_max
        ),
        "--chunk-size {} makes messages longer than the server takes, {} bytes",
        load.chunk_size,
        limits.message_bytes_max
    );
    ensure!(
        within(load.part_size.max_bytes(), limits.part_bytes_max),
        "--part-size {} is longer than the server takes, {} bytes",
        load.part_size,
        limits.part_bytes_max
    );
    let per_connection = load.streams.div_ceil(load.connections);
    ensure!(
        within(
            per_connection as u64,
            u64::from(limits.streams_per_connection_max)
        ),
        "{} streams on {} connections are more than the {} streams per connection that the server takes",
        load.streams,
        load.connections,
        limits.streams_per_connection_max
    );
    Ok(())
}

/// Room for the other fields of a message: tags, lengths and `last`.
const MESSAGE_OVERHEAD_BYTES: u64 = 64;

/// Room for an algorithm's number in the options, and its digest in `expected`.
const ALGORITHM_OVERHEAD_BYTES: u64 = 80;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::Parser as _;

    #[test]
    fn limits_are_kept() {
        let limits = Limits {
            message_bytes_max: 4 << 20,
            part_bytes_max: 1 << 30,
            streams_per_connection_max: 100,
            ..Limits::default()
        };
        let check = |flags: &str| {
            let line = std::iter::once("x").chain(flags.split_whitespace());
            check_limits(&Cli::try_parse_from(line).unwrap().run.load, &limits)
        };
        check("--streams 400 --connections 4 --part-size 1GiB").unwrap();
        for (flags, named) in [
            ("--streams 401 --connections 4", "per connection"),
            ("--part-size 1KiB..2GiB", "--part-size"),
            ("--chunk-size 4MiB", "--chunk-size"),
        ] {
            let error = check(flags).unwrap_err().to_string();
            assert!(error.contains(named), "{flags}: {error}");
        }
    }
}
