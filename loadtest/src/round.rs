//! One round of `compare` or `disturb`: a fresh server, a load, one measured window.
//!
//! ```text
//! server  start ------------------------------------------------------------> stop
//! disturb       open streams ... until all are open
//! load                    connect | every stream sends | warm-up | window | end
//! ```
//!
//! CPU seconds are the child's (`/proc`), read at both ends of the window; bytes are those written
//! to sockets in between. The warm-up starts when every stream is sending.
//!
//! round/floor.rs has the round without a server.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use hashlane_engine::Algorithm;
use serde::Serialize;

use crate::args::{LoadArgs, RoundsArgs};
use crate::arrangement::SetupRow;
use crate::child::{CpuTime, Server};
use crate::disturber::{Disturbance, Disturber};
use crate::driver::{Client, Driver, Peer, Phase, Plan, Tally};
use crate::figures::Figures;
use crate::files;
use crate::floor::FloorRow;
use crate::mode::Mode;
use crate::payload::Payload;
use crate::report::{Efficiency, GB, Latency, LoadRow, Occupancy, say};
use crate::run::{End, Signals, check_limits, server_limits, wait};
use crate::scrape::ServerCounters;
use crate::settings::{ServerSettings, memory_bytes};
use crate::setup::ClientName;
use crate::tls::{Certificate, Tls};
use crate::zero_windows::ZeroWindows;

mod floor;

/// Time for every stream to open or send its first message.
const OPEN_TIMEOUT: Duration = Duration::from_secs(120);

/// With at least this many parts per stream, the CPU seconds of a window are divided by its parts.
const PARTS_PER_STREAM_MIN: u64 = 5;

/// A window without an answered part is extended, by at most this multiple of its length.
const LONGER: u32 = 3;

/// Time between two checks.
const POLL: Duration = Duration::from_millis(5);

/// State shared by all rounds.
pub(crate) struct Stand<'a> {
    args: &'a RoundsArgs,
    client: ClientName,
    executable: PathBuf,
    /// Payloads for each list of algorithms used so far.
    payloads: Vec<(Vec<Algorithm>, Arc<Payload>)>,
    settings: Option<ServerSettings>,
    /// For modes over TLS; made on first use.
    certificate: Option<Certificate>,
    pub(crate) signals: Signals,
}

/// The server's part of every row. Nothing is known of a peer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ServerSetRow {
    /// The largest frame payload, if the server prints it.
    pub(crate) frame_bytes: Option<u32>,
    server_set: std::collections::BTreeMap<String, String>,
}

impl ServerSetRow {
    /// The settings that `other` does not have, as text to append.
    pub(crate) fn besides(&self, other: &Self) -> String {
        let settings = self.server_set.iter();
        settings
            .filter(|(name, value)| other.server_set.get(*name) != Some(value))
            .map(|(name, value)| format!(" {name}={value}"))
            .collect()
    }

    pub(crate) fn of(args: &RoundsArgs, known: Option<&ServerSettings>) -> Self {
        let settings = args.server_set.iter();
        Self {
            frame_bytes: args
                .frame_size
                .or_else(|| known.and_then(ServerSettings::frame_bytes)),
            server_set: settings
                .map(|setting| (setting.name.clone(), setting.value.clone()))
                .collect(),
        }
    }
}

/// The results of one window.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Window {
    #[serde(flatten)]
    pub(crate) load: LoadRow,
    #[serde(flatten)]
    pub(crate) server: ServerSetRow,
    #[serde(flatten)]
    pub(crate) setup: SetupRow,
    pub(crate) seconds: f64,
    pub(crate) gb: f64,
    /// Parts answered in the window.
    pub(crate) parts: u64,
    #[serde(flatten)]
    pub(crate) figures: Figures,
    /// Streams open at the start of the window, as counted by the server.
    pub(crate) server_streams: Option<f64>,
    /// Memory for clients that the server's settings allow.
    pub(crate) bound_mib: Option<f64>,
    /// All parts answered, with their digests compared.
    pub(crate) parts_checked: u64,
    pub(crate) errors: u64,
    pub(crate) mismatches: u64,
    pub(crate) occupancy: Option<Occupancy>,
    /// TCP windows that were closed in the window.
    #[serde(flatten)]
    pub(crate) zero_windows: Option<ZeroWindows>,
    /// The two parts of the mode `floor`.
    #[serde(flatten)]
    pub(crate) floor: Option<FloorRow>,
}

impl<'a> Stand<'a> {
    /// Checks as much as possible before the first round.
    pub(crate) fn new(args: &'a RoundsArgs, load: &LoadArgs, client: ClientName) -> Result<Self> {
        ensure!(!args.round_seconds.is_zero(), "--round-seconds is zero");
        let executable = server_executable(args.server_bin.as_deref())?;
        Ok(Self {
            args,
            settings: ServerSettings::read(&executable, &server_flags(args, &[])),
            client,
            executable,
            certificate: None,
            payloads: vec![(
                load.algorithms.clone(),
                Arc::new(Payload::build(load, true)?),
            )],
            signals: Signals::listen()?,
        })
    }

    /// The same for servers with other settings.
    pub(crate) fn with(&self, args: &'a RoundsArgs) -> Result<Self> {
        Ok(Self {
            args,
            settings: ServerSettings::read(&self.executable, &server_flags(args, &[])),
            client: self.client,
            executable: self.executable.clone(),
            certificate: None,
            payloads: self.payloads.clone(),
            signals: Signals::listen()?,
        })
    }

    /// Checks before the first round that the server supports `modes`.
    ///
    /// # Errors
    /// Names the missing mode.
    pub(crate) fn check_modes(&self, modes: &[Mode]) -> Result<()> {
        if self.settings.is_none() {
            // It does not print its settings, so its start will show.
            return Ok(());
        }
        for mode in modes.iter().filter(|mode| mode.peer_executable().is_none()) {
            let flags = mode.server_flags().unwrap_or(&[]);
            let flags = server_flags(self.args, flags);
            ensure!(
                ServerSettings::read(&self.executable, &flags).is_some(),
                "{} does not have the mode {}: build it with --features measure, or leave the \
                 mode out",
                self.executable.display(),
                mode.name()
            );
        }
        Ok(())
    }

    /// The most that clients can make the server hold, as the server prints it.
    pub(crate) fn memory_bytes(&self) -> Option<u64> {
        memory_bytes(&self.executable, &server_flags(self.args, &[]))
    }

    /// The parts of `load`. Loads differ only in their algorithms.
    pub(crate) fn payload(&mut self, load: &LoadArgs) -> Result<Arc<Payload>> {
        let mut payloads = self.payloads.iter();
        let found = payloads.find(|(algorithms, _)| *algorithms == load.algorithms);
        if let Some((_, payload)) = found {
            return Ok(Arc::clone(payload));
        }
        let payload = Arc::new(Payload::build(load, true)?);
        let entry = (load.algorithms.clone(), Arc::clone(&payload));
        self.payloads.push(entry);
        Ok(payload)
    }

    /// Runs `load`, and `disturbance` if there is one, on a fresh server in `mode`.
    pub(crate) async fn round(
        &mut self,
        load: &LoadArgs,
        mode: Mode,
        disturbance: Option<&Disturbance>,
    ) -> Result<Round> {
        if mode.server_flags().is_none() {
            return self.floor(load).await;
        }
        // Before the server starts, so that it need not wait.
        self.payload(load)?;
        ensure!(
            disturbance.is_none() || !mode.is_tls(),
            "streams that disturb do not go over TLS"
        );
        let server = self.server(mode).await?;
        let mut load = load.clone();
        let limits = server_limits(&server.url(), self.tls(mode))
            .await?
            .unwrap_or_default();
        let per_connection = usize::try_from(limits.streams_per_connection_max).unwrap_or(0);
        // Many streams need more connections than few.
        load.connections = load
            .connections
            .max(connections_for(load.streams, per_connection));
        check_limits(&load, &limits)?;
        let disturbance = disturbance.map(|disturbance| {
            disturbance.on_connections(|streams| connections_for(streams, per_connection))
        });
        let beside = disturbance.as_ref().map_or(0, Disturbance::connections);
        files::allow(load.connections + beside)?;
        let disturber = match disturbance {
            Some(disturbance) => Some(self.disturb(disturbance, &server).await?),
            None => None,
        };
        let outcome = self
            .window(&load, mode, &server, disturber.as_ref())
            .await?;
        drop(disturber);
        if let Err(error) = server.stop() {
            say(format_args!("{error:#}"));
        }
        Ok(outcome)
    }

    /// A fresh server in `mode`. A peer gets only its own flags, because it may not know the
    /// server's.
    pub(crate) async fn server(&mut self, mode: Mode) -> Result<Server> {
        if mode.is_tls() && self.certificate.is_none() {
            self.certificate = Some(Certificate::make()?);
        }
        let mode_flags = mode.server_flags().unwrap_or(&[]);
        let peer = mode.peer_executable();
        let executable = peer.unwrap_or(&self.executable);
        let flags = match peer {
            Some(_) => mode_flags.iter().map(|&flag| flag.to_owned()).collect(),
            None => server_flags(self.args, mode_flags),
        };
        let certificate = self.certificate.as_ref().filter(|_| mode.is_tls());
        let cpus = self.args.pin_server.as_ref();
        tokio::select! {
            server = Server::start(executable, &flags, cpus, certificate) => server,
            () = self.signals.received() => bail!("interrupted"),
        }
    }

    /// The trusted roots of the load in `mode`.
    pub(crate) fn tls(&self, mode: Mode) -> Option<&Tls> {
        let certificate = self.certificate.as_ref().filter(|_| mode.is_tls());
        certificate.map(|certificate| &certificate.tls)
    }

    /// Opens the disturbing streams and waits until all are open.
    async fn disturb(&mut self, disturbance: Disturbance, server: &Server) -> Result<Disturber> {
        let streams = disturbance.streams();
        let disturber = Disturber::start(disturbance, server.url())?;
        let deadline = Instant::now() + OPEN_TIMEOUT;
        while disturber.open() < streams && disturber.may_open() && Instant::now() < deadline {
            tokio::select! {
                () = tokio::time::sleep(POLL) => {}
                () = self.signals.received() => bail!("interrupted"),
            }
        }
        if disturber.open() < streams {
            let (open, ends) = (disturber.open(), disturber.ends().join("; "));
            bail!("only {open} of {streams} disturbing streams would open: {ends}");
        }
        Ok(disturber)
    }

    /// Measures one window of `load` on `server`, with separate connections.
    pub(crate) async fn window(
        &mut self,
        load: &LoadArgs,
        mode: Mode,
        server: &Server,
        disturber: Option<&Disturber>,
    ) -> Result<Round> {
        let mut driver = Driver::start(Plan {
            server: server.url(),
            tls: self.tls(mode).cloned(),
            payload: self.payload(load)?,
            load: load.clone(),
            client: match self.client {
                ClientName::Hyper => Client::Calls,
                ClientName::Prepared => Client::Prepared(Peer::Service),
            },
            count: None,
            check: mode.hashes(),
        })?;
        let args = self.args;
        let beside = disturber.map_or(0, Disturber::connections);
        driver.enter(Phase::Warmup);
        self.all_sending(&mut driver, load.streams).await?;
        keep_going(wait(&mut driver, args.warmup_seconds, &mut self.signals).await)?;
        // The scrapes are outside the window, because they cost the server CPU time.
        let counters_before = ServerCounters::scrape(&server.admin_address()).await?;
        let disturbed_before = disturber.map(Disturber::counts);
        let server_before = server.cpu_time()?;
        let before = Reading::take(&driver)?;
        driver.enter(Phase::Measure);
        let mut ended = wait(&mut driver, args.round_seconds, &mut self.signals).await;
        let deadline = Instant::now() + LONGER * args.round_seconds;
        while ended == End::Time && driver.measured() == 0 && Instant::now() < deadline {
            ended = wait(&mut driver, POLL, &mut self.signals).await;
        }
        let server_after = server.cpu_time()?;
        let after = Reading::take(&driver)?;
        let disturbed = disturber
            .zip(disturbed_before)
            .map(|(disturber, before)| disturber.row(&before));
        driver.enter(Phase::Finish);
        let counters_after = ServerCounters::scrape(&server.admin_address()).await?;
        let peak_bytes = server.peak_bytes()?;
        let tally = driver.join()?;
        keep_going(ended)?;

        let seconds = (after.at - before.at).as_secs_f64();
        let gb = (after.sent_bytes - before.sent_bytes) as f64 / GB;
        let parts = tally.measured;
        let cpu_seconds = server_after.seconds_since(&server_before);
        let client_cpu_seconds = after.client_cpu.seconds_since(&before.client_cpu);
        let counters = counters_after.since(&counters_before);
        let occupancy = Occupancy::of(&counters);
        let efficiency = Efficiency::of(&counters);
        let load_row = LoadRow::of(load);
        let connections = load_row.connections + beside;
        let is_peer = mode.peer_executable().is_some();
        let settings = self.settings.filter(|_| !is_peer);
        let bound_bytes = settings.map(|s| s.memory_bound_bytes(connections));
        let window = Window {
            seconds,
            gb,
            parts,
            figures: Figures {
                cpu_seconds_per_gb: (gb > 0.0).then(|| cpu_seconds / gb),
                // Otherwise parts that began before the window or end after it have too much
                // weight.
                cpu_us_per_part: (parts >= PARTS_PER_STREAM_MIN * load.streams as u64)
                    .then(|| cpu_seconds * 1e6 / parts as f64),
                client_cpu_seconds_per_gb: (gb > 0.0).then(|| client_cpu_seconds / gb),
                gb_per_s: Some(gb / seconds),
                parts_per_s: Some(parts as f64 / seconds),
                latency: Latency::of(&tally.latencies_ns),
                peak_mib: Some(mib(peak_bytes)),
                occupancy_ratio: occupancy.as_ref().map(|occupancy| occupancy.ratio),
                efficiency_ratio: efficiency.map(|efficiency| efficiency.ratio),
            },
            load: load_row,
            server: if is_peer {
                ServerSetRow::default()
            } else {
                ServerSetRow::of(args, settings.as_ref())
            },
            setup: SetupRow::of(self.client, args, load),
            server_streams: counters_before.streams,
            bound_mib: bound_bytes.map(mib),
            parts_checked: if mode.hashes() { tally.answered } else { 0 },
            errors: tally.errors,
            mismatches: tally.mismatches,
            occupancy,
            zero_windows: after.zero_windows_since(&before),
            floor: None,
        };
        Ok(Round {
            window,
            disturbed,
            tally,
        })
    }

    /// Waits until every stream has sent data, so that none opens in the window.
    async fn all_sending(&mut self, driver: &mut Driver, streams: usize) -> Result<()> {
        let deadline = Instant::now() + OPEN_TIMEOUT;
        while driver.sending() < streams {
            match wait(driver, POLL, &mut self.signals).await {
                End::Time => {}
                // The load gave up; the row has its errors.
                End::Done => return Ok(()),
                End::Signal => bail!("interrupted"),
            }
            ensure!(
                Instant::now() < deadline,
                "only {} of {streams} streams are sending after {OPEN_TIMEOUT:?}",
                driver.sending()
            );
        }
        Ok(())
    }
}

/// A round's figures, and the results of its parts.
pub(crate) struct Round {
    pub(crate) window: Window,
    /// The disturbing streams, if there were any.
    pub(crate) disturbed: Option<crate::disturber::DisturbedRow>,
    tally: Tally,
}

impl Round {
    /// Prints wrong answers and errors, and whether no part was answered in the window: then its
    /// figures are of unchecked parts. True if there were none of these.
    pub(crate) fn is_clean(&self) -> bool {
        for (text, count) in &self.tally.examples {
            say(format_args!("{count} times: {text}"));
        }
        // The floor's client gets no answers.
        let has_parts = self.window.floor.is_some() || self.window.parts > 0;
        if !has_parts {
            say(
                "no part was answered in the window: it was too short (--round-seconds), or the \
                 parts too long",
            );
        }
        has_parts && self.tally.errors == 0 && self.tally.mismatches == 0
    }
}

/// The counters at one end of the window.
struct Reading {
    at: Instant,
    sent_bytes: u64,
    client_cpu: CpuTime,
    zero_windows: Option<ZeroWindows>,
}

impl Reading {
    fn take(driver: &Driver) -> Result<Self> {
        Ok(Self {
            client_cpu: CpuTime::of_process(std::process::id())?,
            at: Instant::now(),
            sent_bytes: driver.sent_bytes(),
            zero_windows: ZeroWindows::read(),
        })
    }

    fn zero_windows_since(&self, before: &Self) -> Option<ZeroWindows> {
        let both = self.zero_windows.zip(before.zero_windows);
        both.map(|(after, before)| after.since(before))
    }
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn keep_going(ended: End) -> Result<()> {
    ensure!(ended != End::Signal, "interrupted");
    Ok(())
}

/// Number of connections for `streams`; a limit of zero means no limit.
fn connections_for(streams: usize, per_connection: usize) -> usize {
    match per_connection {
        0 => 1,
        limit => streams.div_ceil(limit),
    }
}

/// The server's flags, without addresses.
fn server_flags(args: &RoundsArgs, mode_flags: &[&str]) -> Vec<String> {
    let mut flags: Vec<_> = mode_flags.iter().map(|&flag| flag.to_owned()).collect();
    if let Some(workers) = args.server_workers {
        flags.extend(["--workers".to_owned(), workers.to_string()]);
    }
    if let Some(bytes) = args.frame_size {
        flags.extend(["--set".to_owned(), format!("http2.frame_bytes_max={bytes}")]);
    }
    for setting in &args.server_set {
        flags.extend(["--set".to_owned(), setting.to_string()]);
    }
    flags.extend(
        args.server_args
            .iter()
            .flat_map(|flags| flags.split_whitespace())
            .map(str::to_owned),
    );
    flags
}

/// The server's executable: as given, or next to this one.
pub(crate) fn server_executable(given: Option<&Path>) -> Result<PathBuf> {
    let path = match given {
        Some(path) => path.to_owned(),
        None => {
            let own = std::env::current_exe().context("cannot find the own executable")?;
            own.with_file_name("hashlane-server")
        }
    };
    files::program(&path).context(
        "build the server (cargo build --release -p hashlane-server --features measure) or name \
         it with --server-bin",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;

    fn args(flags: &str) -> RoundsArgs {
        let line = ["x", "compare"].into_iter().chain(flags.split_whitespace());
        match Cli::try_parse_from(line).unwrap().command {
            Some(Command::Compare(args)) => args.rounds,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn server_flags_follow_the_arguments() {
        let args = args(
            "--frame-size 64KiB --server-workers 1 --server-args=--a --server-args=--b=2 --server-set c.d=3",
        );
        let flags = server_flags(&args, &["--hashing", "sink"]);
        assert_eq!(server_flags(&args, &[]), flags[2..]);
        let expected = [
            "--hashing",
            "sink",
            "--workers",
            "1",
            "--set",
            "http2.frame_bytes_max=65536",
            "--set",
            "c.d=3",
            "--a",
            "--b=2",
        ];
        assert_eq!(flags, expected);
    }

    #[test]
    fn many_streams_need_more_connections() {
        assert_eq!(connections_for(10_000, 1024), 10);
        assert_eq!(connections_for(1024, 1024), 1);
        assert_eq!(connections_for(10_000, 0), 1);
    }

    #[test]
    fn a_missing_server_is_named() {
        let error = server_executable(Some(Path::new("/nowhere/hashlane-server"))).unwrap_err();
        assert!(error.to_string().contains("--server-bin"), "{error}");
    }
}
