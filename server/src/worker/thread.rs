//! A worker is one thread, pinned to a core. It does all work of its connections.
//!
//! ```text
//! acceptor ──sockets──> serve ──connections──> event_loop.rs ──> turns of connections (http2/)
//!                                              schedule.rs   ──> steps of the engine (hashing/)
//!                                              busy_poll.rs  ──> polls before a sleep
//! ```
//!
//! Why a worker does not hand hashing to an idle worker: every byte would move to the cache of
//! another core. One connection of 32 streams costs 0.55 CPU s/GB; receiving alone, without
//! hashing, costs 0.37 CPU s/GB (docs/measurements.md, Alternatives that were measured). A client
//! that needs more than one core opens a second connection.
//!
//! Why a worker restarts on its thread after a panic: on a machine with 128 cores, one chunk that
//! makes the engine panic would otherwise close the connections of 128 workers. The panic frees
//! what the worker held. worker_restarts.rs limits the rate of restarts.

mod busy_poll;
pub(crate) mod event_loop;
mod schedule;

use std::rc::Rc;
use std::sync::Arc;

use core_affinity::CoreId;
use hashlane_proto::v1::GetServerInfoResponse;
use tokio::runtime::{Builder, LocalOptions, LocalRuntime};
use tokio::sync::{mpsc, watch};
use tokio::task::coop::unconstrained;
use tokio::task::{AbortHandle, JoinHandle, spawn_local, yield_now};
use tokio::time::{Instant, sleep_until, timeout};
use tonic_health::server::HealthReporter;

use self::event_loop::EventLoop;
use crate::call::Peer;
use crate::client::{Client, ClientId, Identities, Logged, Name, Owner};
use crate::config::Settings;
use crate::drain::{CUT_GRACE, Drain, Phase};
#[cfg(feature = "faults")]
use crate::faults::Place;
use crate::hashing::Kernels;
use crate::http2::Http2;
use crate::limits::{Limits, Permit};
use crate::metrics::connection_ends::{ConnectionEnd, Ending};
use crate::metrics::counters::WorkerCounters;
use crate::metrics::heartbeat::{self, Pace};
use crate::metrics::thread::Thread;
use crate::read_buffers::ReadBuffers;
use crate::router::Router;
use crate::socket::Accepted;
use crate::tls::{Handshakes, Tls};
use crate::traces::Traces;
use crate::unary::Services;
use crate::worker_restarts::{RESTARTS_MAX, Restarts};
use crate::worker_state::WorkerState;

/// Sockets queued for a worker: more than a burst brings between two polls of the queue.
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
    /// Restarts of all workers.
    pub(crate) restarts: Arc<Restarts>,
    pub(crate) pace: Pace,
    #[cfg(feature = "faults")]
    pub(crate) faults: crate::faults::Faults,
}

/// A connection on its way to a worker.
pub(crate) struct Arrived {
    pub(crate) socket: Accepted,
    pub(crate) window: Permit,
    pub(crate) client: Arc<Client>,
    pub(crate) permit: Permit,
}

/// A running worker, as the rest of the process sees it.
pub(crate) struct WorkerHandle {
    pub(crate) sockets: mpsc::Sender<Arrived>,
    pub(crate) counters: Arc<WorkerCounters>,
}

/// A worker's thread has ended.
#[derive(Debug)]
pub(crate) struct WorkerEnd {
    pub(crate) worker: usize,
    /// The error that ended the worker, if any.
    pub(crate) result: Result<(), String>,
}

/// Starts a worker. When its thread ends, it sends a [`WorkerEnd`] to `ended`, which has room for
/// it.
///
/// # Errors
/// The thread or its runtime cannot be started. The runtime opens its descriptors before this
/// function returns, so connections cannot take them.
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

/// Serves until the drain is over. Restarts after a failure, unless there were too many restarts.
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
    let heartbeat = Arc::clone(&counters.heartbeat);
    runtime.spawn_local(heartbeat::beat_forever(blueprint.pace, heartbeat));
    loop {
        #[cfg(feature = "faults")]
        blueprint.faults.time_worker();
        let mut life = Life::new(blueprint, Arc::clone(&counters))?;
        let serving = std::panic::AssertUnwindSafe(|| {
            runtime.block_on(async {
                let looping = life.run_loop(blueprint, worker);
                let serving = life.serve(&mut sockets, blueprint.phase.clone(), looping);
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
        let connections = life.event_loop.len();
        tracing::error!(
            worker,
            reason,
            connections,
            "a worker failed: its calls and connections are cut"
        );
        runtime.block_on(life.cut(blueprint, worker));
        if !blueprint.restarts.take(std::time::Instant::now()) {
            return Err(format!(
                "{reason}, and workers were restarted {RESTARTS_MAX} times within an hour"
            ));
        }
        counters.restarts.add(1);
        tracing::info!(worker, "the worker begins again");
    }
}

/// State of a worker from its start, or from a restart, to its next failure.
struct Life {
    state: Rc<WorkerState>,
    services: Rc<Services>,
    handshakes: Option<Rc<Handshakes>>,
    http2: Rc<Http2>,
    /// The worker's drain: follows the server's drain, or cuts if the worker fails.
    drain: Drain,
    event_loop: Rc<EventLoop>,
    /// The task that runs the loop.
    looping: Option<AbortHandle>,
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
        let buffers = Rc::<ReadBuffers>::default();
        let http2 = Rc::new(Http2::new(
            settings,
            &state.counters,
            limits,
            &state.backlog,
            &buffers,
        ));
        let timeout = settings.handshake_timeout;
        // While HTTP/2 reads into its buffers, TLS reads into others.
        let buffers = Rc::<ReadBuffers>::default();
        let handshakes = |tls| Rc::new(Handshakes::new(tls, timeout, &buffers, &state.counters));
        Ok(Self {
            services: Rc::new(Services::new(&blueprint.health)?),
            handshakes: blueprint.tls.as_ref().map(handshakes),
            http2,
            drain: Drain::new(),
            event_loop: Rc::default(),
            looping: None,
            state,
        })
    }

    /// Runs the loop in a separate task, which can yield so that tokio polls the sockets.
    #[cfg_attr(not(feature = "faults"), expect(unused_variables, reason = "faults"))]
    fn run_loop(&mut self, blueprint: &Blueprint, worker: usize) -> JoinHandle<()> {
        let (state, event_loop) = (Rc::clone(&self.state), Rc::clone(&self.event_loop));
        let looping = async move { event_loop.run(&state.hasher, || state.is_draining()).await };
        #[cfg(feature = "faults")]
        let looping = blueprint
            .faults
            .clone()
            .beside(worker, Place::Loop, looping);
        // The loop itself bounds the time of each connection's turn.
        let looping = spawn_local(unconstrained(looping));
        self.looping = Some(looping.abort_handle());
        looping
    }

    /// Serves until the acceptor has closed the channel and all connections have ended, or until
    /// the cut.
    ///
    /// # Errors
    /// The engine or the loop panicked: nothing can be hashed any more.
    async fn serve(
        &mut self,
        sockets: &mut mpsc::Receiver<Arrived>,
        mut phase: watch::Receiver<Phase>,
        mut looping: JoinHandle<()>,
    ) -> Result<(), String> {
        let event_loop = Rc::clone(&self.event_loop);
        let mut accepting = true;
        let mut cut_at = None;
        while accepting || !event_loop.is_empty() {
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
                () = event_loop.emptied(), if !accepting => {}
                socket = sockets.recv(), if accepting => match socket {
                    Some(arrived) => self.open(arrived),
                    None => accepting = false,
                },
                () = event_loop.broken() => return Err("the engine panicked".to_owned()),
                ended = &mut looping => {
                    let error = ended.err().map_or_else(String::new, |error| error.to_string());
                    return Err(format!("the event loop failed: {error}"));
                }
            }
        }
        looping.abort();
        Ok(())
    }

    /// Gives the connection to the loop.
    fn open(&mut self, arrived: Arrived) {
        let (state, services) = (Rc::clone(&self.state), Rc::clone(&self.services));
        let (http2, phase) = (Rc::clone(&self.http2), self.drain.watch());
        let handshakes = self.handshakes.clone();
        let open = OpenConnection(Arc::clone(&state.counters));
        let Arrived {
            socket,
            window,
            client: came,
            permit,
        } = arrived;
        let client = came.number;
        let serve = async move |owner: Owner| {
            let _open = open;
            let peer = socket.peer();
            let handshakes = handshakes.as_deref();
            let opened = socket.open(handshakes, phase.clone(), &state.counters);
            let Some(socket) = opened.await else {
                return;
            };
            let place = (permit, window);
            let identified = identify(&state.limits, &came, place, socket.certificate());
            let (client, Some((_permit, window))) = identified else {
                Ending::new(&state.counters.connection_ends).is(ConnectionEnd::ClientLimit);
                tracing::debug!("connection closed: its client has as many as it may");
                return;
            };
            owner.set(client.number);
            tracing::debug!(client = %Logged(&client.id), "connection opened");
            let peer = Peer::new(&state, Arc::clone(&client), peer, owner);
            let router = Router::new(peer, &services);
            http2
                .serve(socket, window, &client, &came, router, phase)
                .await;
        };
        #[cfg(feature = "faults")]
        let serve = |owner| crate::faults::timed(serve(owner));
        self.event_loop.spawn(client, serve);
    }

    /// Ends all connections after a failure. Calls get an error while the connection can send it.
    async fn cut(mut self, blueprint: &Blueprint, worker: usize) {
        self.state.enter_phase(Phase::Cut);
        self.drain.enter(Phase::Cut);
        if self.looping.as_ref().is_none_or(AbortHandle::is_finished) {
            self.run_loop(blueprint, worker);
        }
        let _ = timeout(CUT_GRACE, self.event_loop.emptied()).await;
        if let Some(looping) = self.looping.take() {
            looping.abort();
            while !looping.is_finished() {
                yield_now().await;
            }
        }
        self.event_loop.clear();
        self.state.counters.nothing_is_open();
    }
}

/// Counts a connection as closed when it is dropped, however its future ends.
struct OpenConnection(Arc<WorkerCounters>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.connections_closed.add(1);
    }
}

/// Finds the connection's client by its certificate, if it has one, and takes a connection slot of
/// that client; `None` if that client has no free slot. `place` is the connection's slot as a
/// client by address (`came`).
fn identify(
    limits: &Limits,
    came: &Arc<Client>,
    place: (Permit, Permit),
    certificate: Option<&Name>,
) -> (Arc<Client>, Option<(Permit, Permit)>) {
    let Some(name) = certificate else {
        return (Arc::clone(came), Some(place));
    };
    // Release this slot first: it may be the last slot of the process.
    drop(place);
    let id = ClientId::Certificate(name.clone());
    let client = limits.client(&id, std::time::Instant::now());
    let place = client.connect(limits);
    (client, place)
}
