//! The server: binds its sockets, then runs until the drain.

use std::fmt::Display;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{anyhow, bail, ensure};
use hashlane_engine::{Algorithm, Backend, Crossover, Family, KernelsInUse};
use hashlane_proto::v1::{self, AlgorithmInfo, GetServerInfoResponse};
use socket2::{Domain, Socket, Type};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::acceptor::{Acceptor, Listeners};
use crate::admin::Admin;
use crate::client::{Identities, Known, Quotas};
use crate::config::{Hashing, Settings};
use crate::cores::Plan;
use crate::descriptors;
use crate::drain::Phase;
#[cfg(feature = "faults")]
use crate::faults::Faults;
use crate::limits::Limits;
use crate::logging::Log;
use crate::malloc_trim;
use crate::metrics::counters::AcceptorCounters;
use crate::metrics::grpc::HASH_SERVICE;
use crate::metrics::heartbeat::Pace;
use crate::part::algorithm;
use crate::reload::{Reload, warn_of_tokens_in_clear};
use crate::sd_notify::{self, NotifyState, notify};
use crate::shared_memory;
use crate::socket_activation::Inherited;
use crate::supervisor::Supervisor;
use crate::tls::{Port, Tls};
use crate::traces::Traces;
use crate::unix_socket;
use crate::words::Words as _;
use crate::worker::{self, Blueprint};

/// Size of the listening queue; the kernel's limit is often lower.
const BACKLOG: i32 = 1024;

/// Time for the worker threads to end after the cut.
const THREADS_GRACE: Duration = Duration::from_secs(2);

/// A server that listens, but does not serve yet.
pub struct Server {
    settings: Arc<Settings>,
    tcp: Option<TcpListener>,
    /// The TLS port and its configuration.
    tls: Option<(TcpListener, Arc<Tls>)>,
    unix: Option<(UnixListener, Option<unix_socket::SocketPath>)>,
    /// For shared memory.
    memory: Option<(UnixListener, unix_socket::SocketPath)>,
    admin: TcpListener,
    admin_tls: Option<Arc<Tls>>,
    limits: Arc<Limits>,
    identities: Arc<Identities>,
    crossover: Crossover,
    plan: Plan,
    #[cfg(feature = "faults")]
    faults: Faults,
    log: Option<Log>,
    commit: &'static str,
}

impl Server {
    /// Binds the addresses and measures the kernels (some 10 ms for each family).
    ///
    /// # Errors
    /// An address cannot be bound, or certificates cannot be used.
    pub fn bind(settings: Settings) -> anyhow::Result<Self> {
        Self::bind_with(settings, Inherited::default(), None, "unknown")
    }

    /// The same, with inherited sockets in place of addresses. Metrics are of `log` too, and show
    /// `commit`.
    ///
    /// # Errors
    /// An address cannot be bound, or certificates cannot be used.
    pub fn bind_with(
        mut settings: Settings,
        inherited: Inherited,
        log: Option<Log>,
        commit: &'static str,
    ) -> anyhow::Result<Self> {
        let plan = Plan::new(settings.workers, settings.pin);
        descriptors::fit(&mut settings, plan.workers.len());
        let tcp = match (inherited.grpc, settings.listen) {
            (Some(tcp), _) => {
                let address = listening("listen", "an inherited socket", tcp.local_addr())?;
                let is_allowed = settings.check_clear(address).map_err(io::Error::other);
                listening("listen", address, is_allowed)?;
                Some(tcp)
            }
            (None, None) => None,
            (None, Some(address)) => Some(listen_for("listen", address)?),
        };
        let tls = match (Tls::new(Port::Grpc, &settings)?, settings.tls.listen) {
            (Some(tls), Some(address)) => Some((listen_for("tls.listen", address)?, tls)),
            _ => None,
        };
        let admin = match inherited.admin {
            Some(admin) => admin,
            None => listen_for("admin_listen", settings.admin_listen)?,
        };
        let admin_tls = Tls::new(Port::Admin, &settings)?;
        let unix = match (inherited.unix, &settings.listen_unix) {
            (Some(unix), _) => Some((unix, None)),
            (None, None) => None,
            (None, Some(path)) => {
                let unix = unix_socket::listen(path, settings.unix_socket_mode, BACKLOG);
                let (unix, socket_path) = listening("listen_unix", path.display(), unix)?;
                Some((unix, Some(socket_path)))
            }
        };
        let memory = match (&unix, &settings.listen_unix) {
            (Some((_, Some(_))), Some(path)) if settings.shares_memory() => {
                let path = memory_path(path);
                let listening = unix_socket::listen(&path, settings.unix_socket_mode, BACKLOG);
                // Clients that find no such socket send their bytes as any other client.
                let warn = |error: &io::Error| {
                    tracing::warn!(path = %path.display(), %error, "memory is not shared: cannot listen");
                };
                listening.inspect_err(warn).ok()
            }
            _ => None,
        };
        let limits = Limits::new(&settings);
        limits.set_quotas(Quotas::read(&settings)?, Instant::now());
        let identities = Arc::new(Identities::new(Known::read(&settings)?));
        // The settings were checked, so every named kernel is available.
        let backend = Backend::of(&settings.kernel).unwrap_or_default();
        let crossover = Crossover::calibrate(&backend);
        Ok(Self {
            settings: Arc::new(settings),
            tcp,
            tls,
            unix,
            memory,
            admin,
            admin_tls,
            limits,
            identities,
            crossover,
            plan,
            #[cfg(feature = "faults")]
            faults: Faults::default(),
            log,
            commit,
        })
    }

    /// Injects faults into the workers, for tests.
    #[cfg(feature = "faults")]
    #[must_use]
    pub fn faults(&self) -> Faults {
        self.faults.clone()
    }

    /// The address of the gRPC port without TLS.
    ///
    /// # Errors
    /// There is no such port.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        address_of(self.tcp.as_ref())
    }

    /// The address of the gRPC port with TLS.
    ///
    /// # Errors
    /// There is no such port.
    pub fn tls_addr(&self) -> io::Result<SocketAddr> {
        address_of(self.tls.as_ref().map(|(listener, _)| listener))
    }

    /// Applies new settings while the server runs.
    #[must_use]
    pub fn reload(&self) -> Reload {
        Reload {
            tls: self.tls.as_ref().map(|(_, tls)| Arc::clone(tls)),
            admin_tls: self.admin_tls.clone(),
            identities: Arc::clone(&self.identities),
            limits: Arc::clone(&self.limits),
            log: self.log.clone(),
            is_in_clear: self.is_in_clear(),
        }
    }

    /// Whether other machines can reach the gRPC port without TLS.
    fn is_in_clear(&self) -> bool {
        self.local_addr().is_ok_and(is_beyond_loopback)
    }

    /// The address of the admin port.
    ///
    /// # Errors
    /// The socket has no address.
    pub fn admin_addr(&self) -> io::Result<SocketAddr> {
        self.admin.local_addr()
    }

    /// Serves until `shutdown` is ready. Then waits for `lame_duck` and drains: running parts may
    /// finish within `drain_timeout`.
    ///
    /// # Errors
    /// A listener or thread cannot be started, or a worker failed.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> anyhow::Result<()> {
        let phase = watch::Sender::new(Phase::Serving);
        let health = HealthReporter::new();
        health
            .set_service_status(HASH_SERVICE, ServingStatus::Serving)
            .await;

        self.log_start();
        let info = Arc::new(self.info());
        let (tls_listener, tls) = self.tls.unzip();
        let listeners = Listeners {
            tcp: self.tcp.map(registered).transpose()?,
            tls: tls_listener.map(registered).transpose()?,
            unix: match self.unix {
                None => None,
                Some((unix, socket_path)) => {
                    let unix = tokio::net::UnixListener::from_std(unix);
                    Some((started("the unix listener", unix)?, socket_path))
                }
            },
        };
        let admin = registered(self.admin)?;

        let traces = started("the traces", Traces::start(&self.settings.traces))?;
        let (traces, exporting) = traces.unzip();
        let spans = traces.as_ref().map(|traces| Arc::clone(&traces.counts));

        let kernels = Arc::new(KernelsInUse::new(self.crossover.clone()));
        let pace = Pace::default();
        #[cfg(feature = "faults")]
        let pace = pace.hastened(self.faults.haste());
        let blueprint = Blueprint {
            settings: Arc::clone(&self.settings),
            limits: Arc::clone(&self.limits),
            identities: self.identities,
            kernels: Arc::clone(&kernels),
            info,
            health: health.clone(),
            phase: phase.subscribe(),
            tls: tls.clone(),
            traces,
            restarts: Arc::new(Mutex::new(worker::restarts(Instant::now()))),
            pace,
            #[cfg(feature = "faults")]
            faults: self.faults.clone(),
        };
        let workers = Supervisor::start(&self.plan.workers, &blueprint);
        drop(blueprint);
        let (mut supervisor, handles) = started("a worker", workers)?;

        let acceptor_counters = Arc::<AcceptorCounters>::default();
        let mut tasks = JoinSet::new();
        let of_process = Arc::new(Admin {
            started: (Instant::now(), SystemTime::now()),
            hashing: self.settings.hashing().word(),
            commit: self.commit,
            workers: supervisor.counters(),
            cores: self
                .plan
                .workers
                .iter()
                .map(|core| core.map(|c| c.id))
                .collect(),
            acceptor: Arc::clone(&acceptor_counters),
            limits: Arc::clone(&self.limits),
            crossover: self.crossover,
            kernels: Arc::clone(&kernels),
            log: self.log,
            tls,
            admin_tls: self.admin_tls,
            spans,
            phase: phase.subscribe(),
            showing: Arc::new(Semaphore::new(1)),
            #[cfg(feature = "faults")]
            faults: self.faults,
        });
        tasks.spawn(of_process.run(admin));
        tasks.spawn(malloc_trim::after_bursts(Arc::clone(&self.limits)));
        if let Some((socket, path)) = self.memory {
            let socket = tokio::net::UnixListener::from_std(socket);
            let memory = shared_memory::Listener {
                socket: started("the listener for shared memory", socket)?,
                path,
                limits: Arc::clone(&self.limits),
                counters: Arc::clone(&acceptor_counters),
                timeout: self.settings.handshake_timeout,
            };
            tasks.spawn(memory.run(phase.subscribe()));
        }
        let acceptor = Acceptor::new(handles, self.limits, acceptor_counters);
        tasks.spawn(acceptor.run(listeners, phase.subscribe()));
        tasks.spawn(sd_notify::watchdog());
        tasks.spawn(not_serving_without_kernels(kernels, health.clone()));
        notify(NotifyState::Ready);
        tracing::info!("ready");

        let mut shutdown = pin!(shutdown);
        let mut has_panicked = false;
        let mut failure = tokio::select! {
            () = &mut shutdown => None,
            error = supervisor.watch() => Some(error),
            () = a_panic(&mut tasks) => {
                has_panicked = true;
                None
            }
        };

        notify(NotifyState::Stopping);
        not_serving(&health).await;
        phase.send_replace(Phase::LameDuck);
        if failure.is_none() && !has_panicked && !self.settings.lame_duck.is_zero() {
            tracing::info!(time = ?self.settings.lame_duck, "not ready, and serving as before");
            tokio::select! {
                () = sleep(self.settings.lame_duck) => {}
                error = supervisor.watch() => failure = Some(error),
            }
        }
        let drain_timeout = self.settings.drain_timeout;
        tracing::info!(timeout = ?drain_timeout, "draining");
        phase.send_replace(Phase::Draining);
        let ended = timeout(drain_timeout, supervisor.all_ended(&mut failure)).await;
        if ended.is_err() {
            tracing::warn!("drain timeout passed, ending what still runs");
            phase.send_replace(Phase::Cut);
            let ended = timeout(THREADS_GRACE, supervisor.all_ended(&mut failure)).await;
            if ended.is_err() {
                tracing::error!("a worker did not end in time");
            }
        }
        tasks.shutdown().await;
        if let Some(exporting) = exporting {
            exporting.end().await;
        }
        // Calls of workers that have not ended end with the process.
        let left: u64 = supervisor.left().map(|worker| worker.streams.get()).sum();
        let workers = supervisor.counters();
        let cut: u64 = workers.iter().map(|worker| worker.calls_cut.get()).sum();
        let calls_cut = cut + left;
        tracing::info!(calls_cut, "stopped");
        if let Some(failed) = failure {
            bail!(failed);
        }
        ensure!(!has_panicked, "a task outside the workers panicked");
        Ok(())
    }

    fn info(&self) -> GetServerInfoResponse {
        let settings = &self.settings;
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let of_algorithm = |algorithm: Algorithm| {
            let in_lanes = settings.hashing() == Hashing::Lanes;
            let family = algorithm.family().filter(|_| in_lanes);
            let kernels = family.map(|family| self.crossover.backend().kernels(family));
            let names = kernels.into_iter().flatten().map(|k| k.name().to_owned());
            AlgorithmInfo {
                algorithm: algorithm::number(algorithm),
                kernels: names.collect(),
                lanes: narrow(family.map_or(1, |_| Crossover::LANES)),
                digest_bytes: narrow(algorithm.digest_bytes()),
                name: algorithm.name().to_owned(),
            }
        };
        GetServerInfoResponse {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            algorithms: algorithm::offered().map(of_algorithm).collect(),
            workers: narrow(self.plan.workers.len()),
            limits: Some(v1::Limits {
                message_bytes_max: settings.message_bytes_max as u64,
                part_bytes_max: settings.part_bytes_max,
                parts_per_stream_max: narrow(settings.parts_per_stream_max),
                batch_blobs_max: narrow(settings.batch_blobs_max),
                streams_per_connection_max: settings.http2.streams_max,
            }),
        }
    }

    fn log_start(&self) {
        let settings = &self.settings;
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            commit = self.commit,
            grpc = self.local_addr().ok().map(tracing::field::display),
            tls = self.tls_addr().ok().map(tracing::field::display),
            unix = settings
                .listen_unix
                .as_ref()
                .map(|p| tracing::field::display(p.display())),
            admin = self.admin.local_addr().ok().map(tracing::field::display),
            "listening"
        );
        if settings.insecure {
            tracing::warn!("insecure is set: clients on other machines may speak in the clear");
        }
        if self.admin_tls.is_none() && self.admin_addr().is_ok_and(is_beyond_loopback) {
            tracing::warn!(
                "the admin port speaks no tls: anyone who reaches it or sees its network reads the \
                 names and addresses of clients; set admin.certificate, or admin_listen to a \
                 loopback address"
            );
        }
        warn_of_tokens_in_clear(settings, self.is_in_clear());
        let pinned: Vec<_> = self.plan.workers.iter().flatten().map(|c| c.id).collect();
        tracing::info!(
            workers = self.plan.workers.len(),
            cores = self.plan.cores,
            usable = self.plan.usable,
            pinned = ?pinned,
            "workers"
        );
        for family in Family::ALL {
            for kernel in self.crossover.faulty(family) {
                tracing::error!(%kernel, "wrong answer: this kernel is not used on this CPU");
            }
            let rates = self.crossover.bytes_per_second(family);
            let rates = rates.map(|(k, rate)| format!("{} {:.2}", k.name(), rate / 1e9));
            let plans = [1, 2, 4, 8, 12, 16, 24, 32, 64]
                .map(|lanes| format!("{lanes} {}", self.crossover.describe(family, lanes)));
            tracing::info!(
                algorithm = family.name(),
                gb_per_s = rates.collect::<Vec<_>>().join(", "),
                by_lanes = plans.join(", "),
                "kernels"
            );
        }
        if settings.hashing() != Hashing::Lanes {
            tracing::warn!(
                hashing = settings.hashing().word(),
                "this mode is for measurements only"
            );
        }
        if settings.hashing() == Hashing::Sink {
            tracing::warn!("nothing is hashed: every digest is zero");
        }
    }
}

async fn not_serving(health: &HealthReporter) {
    for service in ["", HASH_SERVICE] {
        health
            .set_service_status(service, ServingStatus::NotServing)
            .await;
    }
}

/// Waits until one of the tasks panics.
async fn a_panic(tasks: &mut JoinSet<()>) {
    while let Some(ended) = tasks.join_next().await {
        if ended.is_err_and(|error| error.is_panic()) {
            return;
        }
    }
    std::future::pending().await
}

async fn not_serving_without_kernels(kernels: Arc<KernelsInUse>, health: HealthReporter) {
    let mut looks = tokio::time::interval(Duration::from_secs(1));
    while !kernels.is_exhausted() {
        looks.tick().await;
    }
    tracing::error!("every kernel of an algorithm gave a wrong answer: not ready any more");
    not_serving(&health).await;
}

fn started<T>(what: &str, result: Result<T, impl Display>) -> anyhow::Result<T> {
    result.map_err(|error| anyhow!("cannot start {what}: {error}"))
}

fn listening<T>(setting: &str, address: impl Display, result: io::Result<T>) -> anyhow::Result<T> {
    result.map_err(|error| anyhow!("setting {setting}: cannot listen on {address}: {error}"))
}

fn registered(listener: TcpListener) -> anyhow::Result<tokio::net::TcpListener> {
    let listener = tokio::net::TcpListener::from_std(listener);
    started("a listener", listener)
}

fn is_beyond_loopback(address: SocketAddr) -> bool {
    !address.ip().to_canonical().is_loopback()
}

fn address_of(listener: Option<&TcpListener>) -> io::Result<SocketAddr> {
    listener.ok_or(io::ErrorKind::NotConnected)?.local_addr()
}

fn listen_for(setting: &str, address: SocketAddr) -> anyhow::Result<TcpListener> {
    listening(setting, address, listen(address))
}

/// The socket for shared memory, next to that for calls.
fn memory_path(unix: &Path) -> PathBuf {
    let mut path = unix.as_os_str().to_owned();
    path.push(".memory");
    path.into()
}

pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_that_panics_is_noticed_and_others_may_end() {
        let mut tasks = JoinSet::new();
        tasks.spawn(async {});
        tasks.spawn(std::future::pending());
        assert!(timeout(Duration::ZERO, a_panic(&mut tasks)).await.is_err());
        tasks.spawn(async { panic!("on purpose") });
        a_panic(&mut tasks).await;
    }
}
