//! What all rounds share, and one round.
//!
//! ```text
//! server  start ------------------------------------------------------------> stop
//! disturb       open streams ... until all are open
//! load                    connect | every stream sends | warm-up | window | end
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::json;

use super::window::Window;
use super::window::{OPEN_TIMEOUT, POLL, measure};
use crate::args::{Bytes, ClientName, LoadArgs, RoundsArgs, Setting};
use crate::driver::{Driver, Plan, Target};
use crate::hostile::{Disturbance, Disturber};
use crate::load::payload::Payload;
use crate::protocol::tls::{Certificate, Tls};
use crate::results::window_figures::ratio;
use crate::results::{Row, mib};
use crate::servers::compared_modes::Mode;
use crate::servers::lane_occupancy::{Efficiency, Occupancy};
use crate::servers::limits::{check_limits, server_limits};
use crate::servers::process::Server;
use crate::servers::server_memory::{ServerSettings, memory_bytes};
use crate::system::cpus::Cpus;
use crate::system::files;

/// With at least this many parts per stream, the CPU seconds of a window are divided by its parts.
const PARTS_PER_STREAM_MIN: u64 = 5;

/// The turns of all rounds: every second round runs in reverse order, so that a drift of the
/// machine favours no turn.
pub(crate) fn rounds<T: Clone>(count: usize, turns: &[T]) -> impl Iterator<Item = (usize, T)> {
    (1..=count).flat_map(|round| {
        let mut turns = turns.to_vec();
        if round % 2 == 0 {
            turns.reverse();
        }
        turns.into_iter().map(move |turn| (round, turn))
    })
}

/// State shared by all rounds.
#[derive(Clone)]
pub(crate) struct Stand {
    pub(super) args: RoundsArgs,
    client: ClientName,
    /// Streams that cannot send, and parts without an answer, are part of the measurement.
    pub(crate) is_patient: bool,
    executable: PathBuf,
    settings: Option<ServerSettings>,
    /// The parts of the last load.
    payload: Option<(LoadArgs, Arc<Payload>)>,
    /// For modes over TLS; made on first use.
    certificate: Option<Arc<Certificate>>,
}

impl Stand {
    /// Checks as much as possible before the first round.
    pub(crate) fn new(args: &RoundsArgs, load: &LoadArgs, client: ClientName) -> Result<Self> {
        ensure!(!args.round_seconds.is_zero(), "--round-seconds is zero");
        let executable = server_executable(args.server_bin.as_deref())?;
        let mut stand = Self {
            args: args.clone(),
            settings: ServerSettings::read(&executable, &server_flags(args, &[])),
            client,
            is_patient: false,
            executable,
            payload: None,
            certificate: None,
        };
        stand.payload(load)?;
        Ok(stand)
    }

    /// The same for servers with more settings.
    pub(crate) fn with(&self, settings: &[Setting]) -> Self {
        let mut args = self.args.clone();
        args.server_set.extend_from_slice(settings);
        Self {
            settings: ServerSettings::read(&self.executable, &server_flags(&args, &[])),
            args,
            ..self.clone()
        }
    }

    /// Checks before the first round that the server supports `modes`.
    ///
    /// # Errors
    /// Names the missing mode.
    pub(crate) fn check_modes(&self, modes: &[Mode]) -> Result<()> {
        // A server that does not print its settings shows at its start.
        let is_asked = |mode: &&Mode| self.settings.is_some() && mode.executable.is_none();
        for mode in modes.iter().filter(is_asked) {
            let flags = server_flags(&self.args, mode.flags);
            ensure!(
                ServerSettings::read(&self.executable, &flags).is_some(),
                "{} does not have the mode {}: build it with --features measure, or leave the \
                 mode out",
                self.executable.display(),
                mode.name
            );
        }
        Ok(())
    }

    /// The most that clients can make the server hold, as the server prints it.
    pub(crate) fn memory_bytes(&self) -> Option<u64> {
        memory_bytes(&self.executable, &server_flags(&self.args, &[]))
    }

    /// The parts of `load`. Loads that differ in streams and connections have the same.
    pub(super) fn payload(&mut self, load: &LoadArgs) -> Result<Arc<Payload>> {
        let of = LoadArgs {
            streams: 0,
            connections: 0,
            ..load.clone()
        };
        if self.payload.as_ref().is_none_or(|(last, _)| *last != of) {
            self.payload = Some((of, Arc::new(Payload::build(load, true)?)));
        }
        let payload = self
            .payload
            .as_ref()
            .map(|(_, payload)| Arc::clone(payload));
        payload.context("the parts were built just now")
    }

    /// What every row says of the load, the server and the set-up. Nothing is known of a peer.
    pub(crate) fn context(&self, load: &LoadArgs, mode: Mode) -> Row {
        let settings = self.args.server_set.iter();
        let settings = settings.map(|setting| (setting.name.clone(), setting.value.clone().into()));
        let is_peer = mode.executable.is_some();
        let text = |cpus: &Option<Cpus>| cpus.as_ref().map(Cpus::to_string);
        load.row().and(json!({
            "frame_bytes": self.frame_bytes().filter(|_| !is_peer),
            "server_set": settings.filter(|_| !is_peer).collect::<serde_json::Map<_, _>>(),
            "client": self.client,
            "server_cpus": text(&self.args.pin_server),
            "client_cpus": text(&load.pin_client),
        }))
    }

    /// The same for people.
    pub(crate) fn heading(&self, load: &LoadArgs) -> String {
        format!("{load}, {}", self.setup(load))
    }

    /// The frames, CPUs and client, for people.
    pub(crate) fn setup(&self, load: &LoadArgs) -> String {
        let cpus = |cpus: &Option<Cpus>| match cpus {
            Some(cpus) => format!("CPU {cpus}"),
            None => "all CPUs".to_owned(),
        };
        let frames = self
            .frame_bytes()
            .map(|bytes| Bytes(bytes.into()).to_string());
        format!(
            "frames of {} at most, server on {}, {} client on {}",
            frames.as_deref().unwrap_or("-"),
            cpus(&self.args.pin_server),
            self.client,
            cpus(&load.pin_client)
        )
    }

    /// The largest frame payload, if the server prints it.
    pub(super) fn frame_bytes(&self) -> Option<u32> {
        let printed = self.settings.and_then(|settings| settings.frame_bytes);
        self.args.frame_size.or(printed)
    }

    /// Runs `load`, and `disturbance` if there is one, on a fresh server in `mode`.
    pub(crate) async fn round(
        &mut self,
        load: &LoadArgs,
        mode: Mode,
        disturbance: Option<&Disturbance>,
    ) -> Result<Window> {
        if !mode.has_server {
            return self.floor(load).await;
        }
        // Before the server starts, so that it need not wait.
        self.payload(load)?;
        ensure!(
            disturbance.is_none() || !mode.is_tls,
            "streams that disturb do not go over TLS"
        );
        let server = self.server(mode).await?;
        let mut load = load.clone();
        let target = Target::one(server.url(), self.tls(mode).cloned());
        let limits = server_limits(&target).await?;
        let per_connection = usize::try_from(limits.streams_per_connection_max).unwrap_or(0);
        let needed = |streams| connections_for(streams, per_connection);
        // Many streams need more connections than few.
        load.connections = load.connections.max(needed(load.streams));
        check_limits(&load, &limits)?;
        let disturbance = disturbance.map(|disturbance| disturbance.on_connections(needed));
        let connections = disturbance.as_ref().map_or(0, Disturbance::connections);
        files::allow(load.connections + connections)?;
        let disturber = match disturbance {
            Some(disturbance) => Some(disturb(disturbance, &server).await?),
            None => None,
        };
        let window = self.window(&load, mode, &server, disturber.as_ref());
        let window = window.await?;
        drop(disturber);
        server.stop_or_say();
        Ok(window)
    }

    /// A fresh server in `mode`. A peer gets only its own flags, because it may not know the
    /// server's.
    pub(crate) async fn server(&mut self, mode: Mode) -> Result<Server> {
        if mode.is_tls && self.certificate.is_none() {
            self.certificate = Some(Arc::new(Certificate::make()?));
        }
        let executable = mode.executable.unwrap_or(&self.executable);
        let flags = match mode.executable {
            Some(_) => mode.flags.iter().map(|&flag| flag.to_owned()).collect(),
            None => server_flags(&self.args, mode.flags),
        };
        let certificate = self.certificate.as_deref().filter(|_| mode.is_tls);
        let cpus = self.args.pin_server.as_ref();
        Server::start(executable, &flags, cpus, certificate).await
    }

    /// The trusted roots of the load in `mode`.
    fn tls(&self, mode: Mode) -> Option<&Tls> {
        let certificate = self.certificate.as_ref().filter(|_| mode.is_tls);
        certificate.map(|certificate| &certificate.tls)
    }

    /// Measures one window of `load` on `server`, with separate connections.
    pub(crate) async fn window(
        &mut self,
        load: &LoadArgs,
        mode: Mode,
        server: &Server,
        beside: Option<&Disturber>,
    ) -> Result<Window> {
        let target = Target::one(server.url(), self.tls(mode).cloned());
        let driver = Driver::start(Plan {
            client: self.client,
            check: mode.hashes,
            ..Plan::new(target, load.clone(), self.payload(load)?)
        })?;
        let read = || Ok((server.cpu_time()?, beside.map(Disturber::counts)));
        let admin = server.admin_address();
        let streams = load.streams;
        let window = measure(
            driver,
            &self.args,
            streams,
            Some(&admin),
            self.is_patient,
            read,
        );
        let (window, read) = window.await?;
        let peak_mib = mib(server.peak_bytes()?);

        let [(cpu_before, slow_before), (cpu_after, slow_after)] = read;
        let cpu_seconds = cpu_after.seconds_since(&cpu_before);
        let occupancy = Occupancy::of(&window.counters);
        let efficiency = Efficiency::of(&window.counters);
        let parts = window.parts as f64;
        let has_parts = window.parts >= PARTS_PER_STREAM_MIN * streams as u64;
        let settings = self.settings.filter(|_| mode.executable.is_none());
        let connections = load.used_connections() + beside.map_or(0, Disturber::connections);
        let figures = window.figures.with([
            (
                "cpu_seconds_per_gb",
                ratio(Some(cpu_seconds), Some(window.gb)),
            ),
            // Otherwise parts that began before the window or end after it have too much weight.
            (
                "cpu_us_per_part",
                has_parts.then(|| cpu_seconds * 1e6 / parts),
            ),
            ("parts_per_s", Some(parts / window.seconds)),
            ("server_busy_cpus", Some(cpu_seconds / window.seconds)),
            ("peak_mib", Some(peak_mib)),
            (
                "occupancy_ratio",
                occupancy.as_ref().map(|lanes| lanes.ratio),
            ),
            ("efficiency_ratio", efficiency.map(|lanes| lanes.ratio)),
        ]);
        let slow = beside.zip(slow_before.zip(slow_after));
        let slow = slow.map(|(disturber, (before, after))| disturber.row(&before, &after));
        let more = json!({
            "parts_checked": if mode.hashes { window.tally.answered } else { 0 },
            "occupancy": occupancy,
        });
        Ok(Window {
            bound_mib: settings.map(|settings| mib(settings.memory_bound_bytes(connections))),
            more: window.more.and(more).and(slow),
            heading: self.heading(load),
            context: self.context(load, mode),
            figures,
            ..window
        })
    }
}

/// Opens the disturbing streams and waits until all are open.
async fn disturb(disturbance: Disturbance, server: &Server) -> Result<Disturber> {
    let streams = disturbance.streams();
    let disturber = Disturber::start(disturbance, server.url())?;
    let deadline = Instant::now() + OPEN_TIMEOUT;
    while disturber.counts().open < streams && disturber.may_open() && Instant::now() < deadline {
        tokio::time::sleep(POLL).await;
    }
    let counts = disturber.counts();
    if counts.open < streams {
        let (open, ends) = (counts.open, counts.ends_text());
        bail!("only {open} of {streams} disturbing streams would open: {ends}");
    }
    Ok(disturber)
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
    flags.extend(Setting::flags(&args.server_set));
    let more = args.server_args.iter();
    flags.extend(more.flat_map(|flags| flags.split_whitespace().map(str::to_owned)));
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
    fn every_second_round_is_reversed() {
        let turns: Vec<_> = rounds(3, &['a', 'b']).collect();
        let expected = [(1, 'a'), (1, 'b'), (2, 'b'), (2, 'a'), (3, 'a'), (3, 'b')];
        assert_eq!(turns, expected);
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
