//! The server: binds its sockets, then runs until the drain.

use std::fmt::Display;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{anyhow, bail};
use hashlane_engine::{Backend, Crossover, Family};
use socket2::{Domain, Socket, Type};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::acceptor::{Acceptor, Listeners};
use crate::admin::Admin;
use crate::config::{Hashing, Settings};
use crate::cores;
use crate::descriptors;
use crate::drain::Phase;
#[cfg(feature = "faults")]
use crate::fault_injection::{Faults, Place};
use crate::logging::Log;
use crate::malloc_trim;
use crate::metrics::grpc::HASH_SERVICE;
use crate::process::Process;
use crate::reload::{Reload, warn_of_tokens_in_clear};
use crate::sd_notify::{self, NotifyState, notify};
use crate::shared_memory;
use crate::socket_activation::Inherited;
use crate::supervisor::Supervisor;
use crate::tls::{Port, Tls};
use crate::traces::{Exporting, Traces};
use crate::unix_socket;
use crate::words::Words as _;

/// Size of the listening queue; the kernel's limit is often lower.
const BACKLOG: i32 = 1024;

/// Time for the worker threads to end after the cut.
const THREADS_GRACE: Duration = Duration::from_secs(2);

/// A server that listens, but does not serve yet.
pub struct Server {
    process: Arc<Process>,
    phase: watch::Sender<Phase>,
    tcp: Option<TcpListener>,
    tls: Option<TcpListener>,
    unix: Option<(UnixListener, Option<unix_socket::SocketPath>)>,
    /// For shared memory.
    memory: Option<(UnixListener, unix_socket::SocketPath)>,
    admin: TcpListener,
    exporting: Option<Exporting>,
}

impl Server {
    /// Binds the addresses and measures the kernels (some 10 ms for each family).
    ///
    /// # Errors
    /// An address cannot be bound, a file that the settings name cannot be used, or the thread of the
    /// traces cannot be started.
    pub fn bind(settings: Settings) -> anyhow::Result<Self> {
        Self::bind_with(settings, Inherited::default(), None, "unknown")
    }

    /// The same, with inherited sockets in place of addresses. Metrics are of `log` too, and show
    /// `commit`.
    ///
    /// # Errors
    /// An address cannot be bound, a file that the settings name cannot be used, or the thread of the
    /// traces cannot be started.
    pub fn bind_with(
        mut settings: Settings,
        inherited: Inherited,
        log: Option<Log>,
        commit: &'static str,
    ) -> anyhow::Result<Self> {
        let cores = cores::of_workers(settings.workers, settings.pin);
        descriptors::fit(&mut settings, cores.len());
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
        let grpc_tls = Tls::new(Port::Grpc, &settings)?;
        let tls = settings.tls.listen;
        let tls = tls
            .map(|address| listen_for("tls.listen", address))
            .transpose()?;
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
        // The settings were checked, so every named kernel is available.
        let backend = Backend::of(&settings.kernel).unwrap_or_default();
        let crossover = Crossover::calibrate(&backend);
        let phase = watch::Sender::new(Phase::Serving);
        let process = Process::new(settings, cores, crossover, phase.subscribe())?;
        let traces = started("the traces", Traces::start(&process.settings.traces))?;
        let (traces, exporting) = traces.unzip();
        let process = Process {
            commit,
            tls: grpc_tls,
            admin_tls,
            is_in_clear: address_of(tcp.as_ref()).is_ok_and(is_beyond_loopback),
            traces,
            log,
            ..process
        };
        Ok(Self {
            process: Arc::new(process),
            phase,
            tcp,
            tls,
            unix,
            memory,
            admin,
            exporting,
        })
    }

    /// Injects faults into the workers, for tests.
    #[cfg(feature = "faults")]
    #[must_use]
    pub fn faults(&self) -> Faults {
        self.process.faults.clone()
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
        address_of(self.tls.as_ref())
    }

    /// Applies new settings while the server runs.
    #[must_use]
    pub fn reload(&self) -> Reload {
        Reload(Arc::clone(&self.process))
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
        self.log_start();
        let Self { process, phase, .. } = self;
        let health = &process.health;
        health
            .set_service_status(HASH_SERVICE, ServingStatus::Serving)
            .await;
        let listeners = Listeners {
            tcp: self.tcp.map(registered).transpose()?,
            tls: self.tls.map(registered).transpose()?,
            unix: match self.unix {
                None => None,
                Some((unix, socket_path)) => {
                    let unix = tokio::net::UnixListener::from_std(unix);
                    Some((started("the unix listener", unix)?, socket_path))
                }
            },
        };
        let admin = registered(self.admin)?;
        let (mut supervisor, handles) = started("a worker", Supervisor::start(&process))?;

        let mut tasks = JoinSet::new();
        let of_process = Arc::new(Admin {
            process: Arc::clone(&process),
            workers: supervisor.counters(),
            showing: Arc::new(Semaphore::new(1)),
        });
        let serving = of_process.run(admin);
        #[cfg(feature = "faults")]
        let serving = process.faults.clone().beside(0, Place::Admin, serving);
        tasks.spawn(serving);
        tasks.spawn(malloc_trim::after_bursts(Arc::clone(&process.limits)));
        if let Some((socket, path)) = self.memory {
            let socket = tokio::net::UnixListener::from_std(socket);
            let memory = shared_memory::Listener {
                socket: started("the listener for shared memory", socket)?,
                path,
                process: Arc::clone(&process),
            };
            tasks.spawn(memory.run());
        }
        let acceptor = Acceptor::new(handles, Arc::clone(&process));
        tasks.spawn(acceptor.run(listeners));
        tasks.spawn(sd_notify::watchdog());
        tasks.spawn(not_serving_without_kernels(Arc::clone(&process)));
        notify(NotifyState::Ready);
        tracing::info!("ready");

        let mut shutdown = pin!(shutdown);
        let mut failure = tokio::select! {
            () = &mut shutdown => None,
            error = a_failure(&mut supervisor, &mut tasks) => Some(error),
        };

        notify(NotifyState::Stopping);
        not_serving(health).await;
        phase.send_replace(Phase::LameDuck);
        if failure.is_none() && !process.settings.lame_duck.is_zero() {
            tracing::info!(time = ?process.settings.lame_duck, "not ready, and serving as before");
            tokio::select! {
                () = sleep(process.settings.lame_duck) => {}
                error = a_failure(&mut supervisor, &mut tasks) => failure = Some(error),
            }
        }
        let drain_timeout = process.settings.drain_timeout;
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
        // The drain went on, because open parts need no such task.
        let panicked = timeout(Duration::ZERO, a_panic(&mut tasks)).await;
        if let Ok(error) = panicked {
            failure.get_or_insert(error);
        }
        tasks.shutdown().await;
        if let Some(exporting) = self.exporting {
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
        Ok(())
    }

    fn log_start(&self) {
        let process = &self.process;
        let (settings, crossover) = (&process.settings, &process.crossover);
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            commit = process.commit,
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
        if process.admin_tls.is_none() && self.admin_addr().is_ok_and(is_beyond_loopback) {
            tracing::warn!(
                "the admin port speaks no tls: anyone who reaches it or sees its network reads the \
                 names and addresses of clients; set admin.certificate, or admin_listen to a \
                 loopback address"
            );
        }
        warn_of_tokens_in_clear(settings, process.is_in_clear);
        let pinned = process.cores.iter().flatten().map(|core| core.id);
        tracing::info!(
            workers = process.cores.len(),
            cores = cores::mask().len(),
            usable = cores::usable(),
            pinned = ?pinned.collect::<Vec<_>>(),
            "workers"
        );
        for family in Family::ALL {
            for kernel in crossover.faulty(family) {
                tracing::error!(%kernel, "wrong answer: this kernel is not used on this CPU");
            }
            let rates = crossover.bytes_per_second(family);
            let rates = rates.map(|(k, rate)| format!("{} {:.2}", k.name(), rate / 1e9));
            let plans = [1, 2, 4, 8, 12, 16, 24, 32, 64]
                .map(|lanes| format!("{lanes} {}", crossover.describe(family, lanes)));
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

/// Waits until a worker fails permanently, or one of the tasks panics; says which.
async fn a_failure(supervisor: &mut Supervisor, tasks: &mut JoinSet<()>) -> String {
    tokio::select! {
        // First, because workers end without an acceptor.
        biased;
        error = a_panic(tasks) => error,
        error = supervisor.watch() => error,
    }
}

/// Waits until one of the tasks panics.
async fn a_panic(tasks: &mut JoinSet<()>) -> String {
    while let Some(ended) = tasks.join_next().await {
        if ended.is_err_and(|error| error.is_panic()) {
            return "a task outside the workers panicked".to_owned();
        }
    }
    std::future::pending().await
}

async fn not_serving_without_kernels(process: Arc<Process>) {
    let mut looks = tokio::time::interval(Duration::from_secs(1));
    while !process.kernels.is_exhausted() {
        looks.tick().await;
    }
    tracing::error!("every kernel of an algorithm gave a wrong answer: not ready any more");
    not_serving(&process.health).await;
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
