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
use tokio::task::{JoinError, JoinHandle, JoinSet, spawn_local};
use tokio::time::{Instant, sleep_until};
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
use crate::open_sockets::{Entry, OpenSockets};
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
    #[cfg(feature = "faults")]
    pub(crate) faults: crate::faults::Faults,
}

/// A connection on its way to a worker.
pub(crate) struct Arrived {
    pub(crate) socket: Accepted,
    pub(crate) window: ConnectionWindow,
    pub(crate) client: Arc<Client>,
    pub(crate) permit: Permit,
    pub(crate) entry: Entry,
}

/// What the rest of the process knows of a worker.
pub(crate) struct WorkerHandle {
    pub(crate) sockets: mpsc::Sender<Arrived>,
    pub(crate) counters: Arc<WorkerCounters>,
    pub(crate) open: Arc<OpenSockets>,
}

/// A worker's thread has ended.
#[derive(Debug)]
pub(crate) struct WorkerEnd {
    pub(crate) id: usize,
    pub(crate) seat: usize,
    /// What went wrong, if anything did.
    pub(crate) result: Result<(), String>,
}

/// Starts worker `id` in its seat. When its thread ends it says so through `ended`.
///
/// # Errors
/// Its thread or its runtime cannot be started. Once it is, connections may take what descriptors
/// there are.
pub(crate) fn spawn(
    id: usize,
    seat: usize,
    core: Option<CoreId>,
    blueprint: Blueprint,
    ended: mpsc::Sender<WorkerEnd>,
) -> std::io::Result<WorkerHandle> {
    let (sender, sockets) = mpsc::channel(SOCKETS_MAX);
    let counters = Arc::new(WorkerCounters::new());
    let of_worker = Arc::clone(&counters);
    let (started, has_started) = std::sync::mpsc::sync_channel(1);
    std::thread::Builder::new()
        .name(format!("worker-{seat}"))
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
            let _ = started.send(Ok(()));
            let work = std::panic::AssertUnwindSafe(|| {
                run(runtime, seat, core, &blueprint, of_worker, sockets)
            });
            let result =
                std::panic::catch_unwind(work).unwrap_or_else(|_| Err("it panicked".to_owned()));
            // The channel has room for every worker.
            let _ = ended.try_send(WorkerEnd { id, seat, result });
        })?;
    let gone = |_| std::io::Error::other("a worker's thread ended at once");
    has_started.recv().map_err(gone)??;
    Ok(WorkerHandle {
        sockets: sender,
        counters,
        open: OpenSockets::new(),
    })
}

fn run(
    runtime: LocalRuntime,
    seat: usize,
    core: Option<CoreId>,
    blueprint: &Blueprint,
    counters: Arc<WorkerCounters>,
    sockets: mpsc::Receiver<Arrived>,
) -> Result<(), String> {
    if let Some(core) = core
        && !core_affinity::set_for_current(core)
    {
        tracing::warn!(worker = seat, core = core.id, "could not pin the worker");
    }
    // Set once, here.
    let _ = counters.runtime.set(runtime.metrics());
    runtime.spawn_local(heartbeat::beat_forever(Arc::clone(&counters)));
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
    let services = Rc::new(Services::new(&blueprint.health)?);
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
    let handshakes = blueprint.tls.as_ref().map(handshakes);
    let phase = blueprint.phase.clone();
    runtime.block_on(async {
        let stepping = step(Rc::clone(&state));
        #[cfg(feature = "faults")]
        let stepping = blueprint
            .faults
            .clone()
            .beside(seat, Place::Engine, stepping);
        let stepping = spawn_local(stepping);
        let serving = serve(state, services, handshakes, http2, sockets, phase, stepping);
        #[cfg(feature = "faults")]
        let serving = blueprint
            .faults
            .clone()
            .beside(seat, Place::Worker, serving);
        serving.await
    })
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

/// Serves until the acceptor has hung up and every connection is gone, or
/// until the cut. If the engine fails, its connections are cut.
async fn serve(
    state: Rc<WorkerState>,
    services: Rc<Services>,
    handshakes: Option<Rc<Handshakes>>,
    http2: Rc<Http2>,
    mut sockets: mpsc::Receiver<Arrived>,
    mut phase: watch::Receiver<Phase>,
    mut stepping: JoinHandle<Broken>,
) -> Result<(), String> {
    let mut connections = JoinSet::new();
    // Of this worker: the server's, or the cut if it fails.
    let drain = Drain::new();
    let mut failure = None;
    let mut accepting = true;
    let mut cut_at = None;
    while accepting || !connections.is_empty() {
        tokio::select! {
            biased;
            changed = phase.changed(), if cut_at.is_none() => {
                let now = if changed.is_ok() { *phase.borrow_and_update() } else { Phase::Cut };
                state.enter_phase(now);
                drain.enter(now);
                if now == Phase::Cut {
                    cut_at = Some(Instant::now() + CUT_GRACE);
                }
            }
            () = sleep_until(cut_at.unwrap_or_else(Instant::now)), if cut_at.is_some() => break,
            Some(ended) = connections.join_next() => {
                state.counters.connections_closed.add(1);
                if let Err(error) = ended {
                    report(&error);
                }
            }
            socket = sockets.recv(), if accepting => match socket {
                Some(arrived) => {
                    let (state, services) = (Rc::clone(&state), Rc::clone(&services));
                    let (http2, phase) = (Rc::clone(&http2), drain.watch());
                    let handshakes = handshakes.clone();
                    connections.spawn_local(async move {
                        let Arrived { socket, window, client: came, permit, entry: _entry } = arrived;
                        let peer = socket.peer();
                        // Not in turns: who waits for its turn would keep the handshakes of
                        // others waiting, which bound their time themselves.
                        let handshakes = handshakes.as_deref();
                        let opened =
                            socket.open(came.number, handshakes, phase.clone(), &state.counters);
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
                None => accepting = false,
            },
            ended = &mut stepping, if failure.is_none() => {
                // Nothing can be hashed any more: calls are told while they can be.
                failure = Some(match ended {
                    Err(error) => format!("the stepping task failed: {error}"),
                    Ok(Broken) => "the engine panicked".to_owned(),
                });
                sockets.close();
                drain.enter(Phase::Cut);
                cut_at = Some(Instant::now() + CUT_GRACE);
            }
        }
    }
    failure.map_or(Ok(()), Err)
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

fn report(error: &JoinError) {
    if error.is_panic() {
        tracing::error!("a connection task panicked");
    }
}
