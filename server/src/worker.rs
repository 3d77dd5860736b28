//! A worker: one thread, pinned to its core, that does everything for its
//! connections.
//!
//! ```text
//! acceptor ──sockets──> serve ──> a task per connection (http2/), in turns.rs's order
//!                         └─ the stepping task (hashing/) ──> engine
//! ```

use std::rc::Rc;
use std::sync::Arc;

use core_affinity::CoreId;
use hashlane_proto::v1::GetServerInfoResponse;
use tokio::runtime::{Builder, LocalOptions, LocalRuntime};
use tokio::sync::{mpsc, watch};
use tokio::task::{AbortHandle, JoinError, JoinHandle, JoinSet, spawn_local};
use tokio::time::{Instant, sleep_until, timeout};
use tonic_health::server::HealthReporter;

use crate::call::Peer;
use crate::client_id::{ClientId, Name};
use crate::config::Settings;
use crate::drain::{CUT_GRACE, Drain, Phase};
#[cfg(feature = "faults")]
use crate::faults::Place;
use crate::hashing::{self, Broken, Hasher, Kernels};
use crate::http2::Http2;
use crate::identity::Identities;
use crate::limits::windows::ConnectionWindow;
use crate::limits::{Client, Limits, Permit};
use crate::metrics::counters::WorkerCounters;
use crate::metrics::ends::{ConnectionEnd, Ending};
use crate::metrics::heartbeat;
use crate::metrics::thread::Thread;
use crate::restarts::{RESTARTS_MAX, Restarts};
use crate::router::Router;
use crate::scratch::Scratch;
use crate::socket::Accepted;
use crate::state::WorkerState;
use crate::tls::{Handshakes, Tls};
use crate::traces::Traces;
use crate::unary::Services;

/// Sockets on their way to a worker. More than a burst brings between two
/// turns of its reactor.
const SOCKETS_MAX: usize = 1024;

/// What every worker is built from.
#[derive(Clone)]
pub(crate) struct Blueprint {
    pub(crate) settings: Arc<Settings>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) identities: Arc<Identities>,
    pub(crate) kernels: Arc<Kernels>,
    pub(crate) info: Arc<GetServerInfoResponse>,
    pub(crate) health: HealthReporter,
    pub(crate) phase: watch::Receiver<Phase>,
    pub(crate) tls: Option<Arc<Tls>>,
    pub(crate) traces: Option<Traces>,
    /// Of all workers together.
    pub(crate) restarts: Arc<Restarts>,
    #[cfg(feature = "faults")]
    pub(crate) faults: crate::faults::Faults,
}

/// A connection on its way to a worker.
pub(crate) struct Arrived {
    pub(crate) socket: Accepted,
    pub(crate) window: ConnectionWindow,
    pub(crate) client: Arc<Client>,
    pub(crate) permit: Permit,
}

/// What the rest of the process knows of a worker.
pub(crate) struct WorkerHandle {
    pub(crate) sockets: mpsc::Sender<Arrived>,
    pub(crate) counters: Arc<WorkerCounters>,
}

/// A worker's thread has ended.
#[derive(Debug)]
pub(crate) struct WorkerEnd {
    pub(crate) worker: usize,
    /// What went wrong, if anything did.
    pub(crate) result: Result<(), String>,
}

/// Starts a worker. When its thread ends it says so through `ended`, which has room for that.
///
/// # Errors
/// Its thread or its runtime cannot be started. Once it is, connections may take what descriptors
/// there are.
pub(crate) fn spawn(
    worker: usize,
    core: Option<CoreId>,
    blueprint: Blueprint,
    ended: mpsc::Sender<WorkerEnd>,
) -> std::io::Result<WorkerHandle> {
    let (sender, sockets) = mpsc::channel(SOCKETS_MAX);
    let counters = Arc::new(WorkerCounters::new());
    let of_worker = Arc::clone(&counters);
    let (started, has_started) = std::sync::mpsc::sync_channel(1);
    std::thread::Builder::new()
        .name(format!("worker-{worker}"))
        .spawn(move || {
            let runtime = Builder::new_current_thread()
                .enable_all()
                .build_local(LocalOptions::default());
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => {
                    let _ = started.send(Err(error));
                    return;
                }
            };
            of_worker.heartbeat.is_of(Thread::current());
            let _ = started.send(Ok(()));
            let result = run(&runtime, worker, core, &blueprint, of_worker, sockets);
            let _ = ended.try_send(WorkerEnd { worker, result });
        })?;
    let gone = |_| std::io::Error::other("a worker's thread ended at once");
    has_started.recv().map_err(gone)??;
    Ok(WorkerHandle {
        sockets: sender,
        counters,
    })
}

/// Serves until the drain is over; begins again after a failure, unless there were too many.
fn run(
    runtime: &LocalRuntime,
    worker: usize,
    core: Option<CoreId>,
    blueprint: &Blueprint,
    counters: Arc<WorkerCounters>,
    mut sockets: mpsc::Receiver<Arrived>,
) -> Result<(), String> {
    if let Some(core) = core
        && !core_affinity::set_for_current(core)
    {
        tracing::warn!(worker, core = core.id, "could not pin the worker");
    }
    // Set once, here.
    let _ = counters.runtime.set(runtime.metrics());
    runtime.spawn_local(heartbeat::beat_forever(Arc::clone(&counters)));
    loop {
        let mut life = Life::new(blueprint, Arc::clone(&counters))?;
        let serving = std::panic::AssertUnwindSafe(|| {
            runtime.block_on(async {
                let stepping = step(Rc::clone(&life.state));
                #[cfg(feature = "faults")]
                let stepping = blueprint
                    .faults
                    .clone()
                    .beside(worker, Place::Engine, stepping);
                let stepping = spawn_local(stepping);
                life.stepping = Some(stepping.abort_handle());
                let serving = life.serve(&mut sockets, blueprint.phase.clone(), stepping);
                #[cfg(feature = "faults")]
                let serving = blueprint
                    .faults
                    .clone()
                    .beside(worker, Place::Worker, serving);
                serving.await
            })
        });
        let served = std::panic::catch_unwind(serving);
        let Err(reason) = served.unwrap_or_else(|_| Err("it panicked".to_owned())) else {
            return Ok(());
        };
        let connections = life.connections.len();
        tracing::error!(
            worker,
            reason,
            connections,
            "a worker failed: its calls and connections are cut"
        );
        runtime.block_on(life.cut());
        if !blueprint.restarts.take(std::time::Instant::now()) {
            return Err(format!(
                "{reason}, and workers were restarted {RESTARTS_MAX} times within an hour"
            ));
        }
        counters.restarts.add(1);
        tracing::info!(worker, "the worker begins again");
    }
}

/// What a worker has from its start, or from a failure, to the next.
struct Life {
    state: Rc<WorkerState>,
    services: Rc<Services>,
    handshakes: Option<Rc<Handshakes>>,
    http2: Rc<Http2>,
    /// Of this worker: the server's, or the cut if it fails.
    drain: Drain,
    connections: JoinSet<()>,
    /// The task that steps the engine.
    stepping: Option<AbortHandle>,
}

impl Life {
    fn new(blueprint: &Blueprint, counters: Arc<WorkerCounters>) -> Result<Self, String> {
        let Blueprint {
            settings,
            limits,
            identities,
            info,
            ..
        } = blueprint;
        let state = WorkerState::new(
            settings,
            counters,
            limits,
            identities,
            info,
            &blueprint.kernels,
            blueprint.traces.clone(),
        );
        let scratch = Scratch::new();
        let http2 = Rc::new(Http2::new(
            settings,
            &state.counters,
            limits,
            &state.backlog,
            &scratch,
        ));
        let timeout = settings.tls.handshake_timeout;
        let handshakes = |tls| Rc::new(Handshakes::new(tls, timeout, &scratch, &state.counters));
        Ok(Self {
            services: Rc::new(Services::new(&blueprint.health)?),
            handshakes: blueprint.tls.as_ref().map(handshakes),
            http2,
            drain: Drain::new(),
            connections: JoinSet::new(),
            stepping: None,
            state,
        })
    }

    /// Serves until the acceptor has hung up and every connection is gone, or until the cut.
    ///
    /// # Errors
    /// The engine fails: nothing can be hashed any more.
    async fn serve(
        &mut self,
        sockets: &mut mpsc::Receiver<Arrived>,
        mut phase: watch::Receiver<Phase>,
        mut stepping: JoinHandle<Broken>,
    ) -> Result<(), String> {
        let mut accepting = true;
        let mut cut_at = None;
        while accepting || !self.connections.is_empty() {
            tokio::select! {
                biased;
                changed = phase.changed(), if cut_at.is_none() => {
                    let now = if changed.is_ok() { *phase.borrow_and_update() } else { Phase::Cut };
                    self.state.enter_phase(now);
                    self.drain.enter(now);
                    if now == Phase::Cut {
                        cut_at = Some(Instant::now() + CUT_GRACE);
                    }
                }
                () = sleep_until(cut_at.unwrap_or_else(Instant::now)), if cut_at.is_some() => break,
                Some(ended) = self.connections.join_next() => note_end(ended),
                socket = sockets.recv(), if accepting => match socket {
                    Some(arrived) => self.open(arrived),
                    None => accepting = false,
                },
                ended = &mut stepping => return Err(match ended {
                    Err(error) => format!("the stepping task failed: {error}"),
                    Ok(Broken) => "the engine panicked".to_owned(),
                }),
            }
        }
        Ok(())
    }

    /// Has a task serve the connection.
    fn open(&mut self, arrived: Arrived) {
        let (state, services) = (Rc::clone(&self.state), Rc::clone(&self.services));
        let (http2, phase) = (Rc::clone(&self.http2), self.drain.watch());
        let handshakes = self.handshakes.clone();
        let open = OpenConnection(Arc::clone(&state.counters));
        self.connections.spawn_local(async move {
            let _open = open;
            let Arrived {
                socket,
                window,
                client: came,
                permit,
            } = arrived;
            let peer = socket.peer();
            // Not in turns: who waits for its turn would keep the handshakes of others waiting,
            // which bound their time themselves.
            let handshakes = handshakes.as_deref();
            let opened = socket.open(came.number, handshakes, phase.clone(), &state.counters);
            let Some(socket) = opened.await else {
                return;
            };
            let place = (permit, window);
            let identified = identify(&state.limits, &came, place, socket.certificate());
            let (client, Some((_permit, window))) = identified else {
                Ending::new(&state.counters).is(ConnectionEnd::ClientLimit);
                tracing::debug!("connection closed: its client has as many as it may");
                return;
            };
            tracing::debug!(client = %client.id, "connection opened");
            let peer = Peer::new(&state, Arc::clone(&client), peer);
            let router = Router::new(peer, &services);
            let serving = http2.serve(socket, window, &client, &came, router, phase);
            #[cfg(feature = "faults")]
            let serving = crate::faults::timed(serving);
            state.turns.run(client.number, serving).await;
        });
    }

    /// Ends what there is after a failure: calls are told while they can be.
    async fn cut(mut self) {
        self.state.enter_phase(Phase::Cut);
        self.drain.enter(Phase::Cut);
        let ended = async {
            while let Some(ended) = self.connections.join_next().await {
                note_end(ended);
            }
        };
        let _ = timeout(CUT_GRACE, ended).await;
        self.connections.shutdown().await;
        if let Some(stepping) = &self.stepping {
            stepping.abort();
        }
        self.state.counters.nothing_is_open();
    }
}

/// Steps the engine until it fails.
async fn step(state: Rc<WorkerState>) -> Broken {
    match &state.hasher {
        Hasher::Lanes(lanes) => {
            hashing::step_forever(lanes, &state.turns, || state.is_draining()).await
        }
        #[cfg(feature = "measure")]
        Hasher::Measured(_) => std::future::pending().await,
    }
}

/// Counts a connection as closed when it is dropped, however its task ends.
struct OpenConnection(Arc<WorkerCounters>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.connections_closed.add(1);
    }
}

fn note_end(ended: Result<(), JoinError>) {
    if ended.is_err_and(|error| error.is_panic()) {
        tracing::error!("a connection task panicked");
    }
}

/// The client of a connection, by its certificate if it has one, and the connection's place among
/// those of that client; `None` if that has no place left. It had its `place` as one of `came`.
fn identify(
    limits: &Limits,
    came: &Arc<Client>,
    place: (Permit, ConnectionWindow),
    certificate: Option<&Name>,
) -> (Arc<Client>, Option<(Permit, ConnectionWindow)>) {
    let Some(name) = certificate else {
        return (Arc::clone(came), Some(place));
    };
    // Given back first: it may be the last of the process.
    drop(place);
    let id = ClientId::Certificate(name.clone());
    let client = limits.client(&id, std::time::Instant::now());
    let place = client.connect(limits);
    (client, place)
}
