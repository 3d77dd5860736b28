//! A worker: one thread, pinned to its core, that does everything for its
//! connections.
//!
//! ```text
//! acceptor ──sockets──> serve ──> a task per connection (http2/)
//!                         └─ the stepping task (hashing/) ──> engine
//! ```

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use core_affinity::CoreId;
use hashlane_engine::Crossover;
use hashlane_proto::v1::GetServerInfoResponse;
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};
use tonic_health::server::HealthReporter;

use crate::call::Peer;
use crate::config::Settings;
use crate::drain::Phase;
use crate::hashing::{self, Hasher};
use crate::http2::Http2;
use crate::limits::windows::Window;
use crate::limits::{Client, Limits, Permit};
use crate::metrics::counters::WorkerCounters;
use crate::metrics::heartbeat;
use crate::socket::Accepted;
use crate::state::State;
use crate::unary::Services;

/// Sockets on their way to a worker. More than a burst brings between two
/// turns of its reactor.
const SOCKETS_MAX: usize = 1024;

/// Time for the last statuses to leave after the cut.
const CUT_GRACE: Duration = Duration::from_millis(500);

/// What every worker is built from.
#[derive(Clone)]
pub(crate) struct Blueprint {
    pub(crate) settings: Arc<Settings>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) crossover: Crossover,
    pub(crate) info: Arc<GetServerInfoResponse>,
    pub(crate) health: HealthReporter,
    pub(crate) phase: watch::Receiver<Phase>,
}

/// A connection on its way to a worker.
pub(crate) struct Arrived {
    pub(crate) socket: Accepted,
    pub(crate) window: Window,
    pub(crate) client: Arc<Client>,
    pub(crate) permit: Permit,
}

/// What the rest of the process knows of a worker.
pub(crate) struct WorkerHandle {
    pub(crate) sockets: mpsc::Sender<Arrived>,
    pub(crate) counters: Arc<WorkerCounters>,
}

/// Starts worker `id`. When its thread ends it says so through `ended`, with
/// what went wrong, if anything did.
pub(crate) fn spawn(
    id: usize,
    core: Option<CoreId>,
    blueprint: Blueprint,
    ended: mpsc::Sender<(usize, Result<(), String>)>,
) -> std::io::Result<WorkerHandle> {
    let (sender, sockets) = mpsc::channel(SOCKETS_MAX);
    let counters = Arc::new(WorkerCounters::new());
    let of_worker = Arc::clone(&counters);
    std::thread::Builder::new()
        .name(format!("worker-{id}"))
        .spawn(move || {
            let work =
                std::panic::AssertUnwindSafe(|| run(id, core, &blueprint, of_worker, sockets));
            let result = std::panic::catch_unwind(work)
                .unwrap_or_else(|_| Err("the worker panicked".to_owned()));
            // The channel has room for every worker.
            let _ = ended.try_send((id, result));
        })?;
    Ok(WorkerHandle {
        sockets: sender,
        counters,
    })
}

fn run(
    id: usize,
    core: Option<CoreId>,
    blueprint: &Blueprint,
    counters: Arc<WorkerCounters>,
    sockets: mpsc::Receiver<Arrived>,
) -> Result<(), String> {
    if let Some(core) = core
        && !core_affinity::set_for_current(core)
    {
        tracing::warn!(worker = id, core = core.id, "could not pin the worker");
    }
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build_local(LocalOptions::default())
        .map_err(|error| format!("could not start a runtime: {error}"))?;
    // Set once, here.
    let _ = counters.runtime.set(runtime.metrics());
    runtime.spawn_local(heartbeat::beat_forever(Arc::clone(&counters)));
    let Blueprint {
        settings,
        limits,
        info,
        ..
    } = blueprint;
    let state = State::new(
        settings,
        counters,
        limits,
        info,
        blueprint.crossover.clone(),
    );
    let services = Rc::new(Services::new(settings, &blueprint.health)?);
    let http2 = Rc::new(Http2::new(
        settings,
        &state.counters,
        limits,
        &state.backlog,
    ));
    let phase = blueprint.phase.clone();
    runtime.block_on(serve(state, services, http2, sockets, phase))
}

/// Serves until the acceptor has hung up and every connection is gone, or
/// until the cut.
async fn serve(
    state: Rc<State>,
    services: Rc<Services>,
    http2: Rc<Http2>,
    mut sockets: mpsc::Receiver<Arrived>,
    mut phase: watch::Receiver<Phase>,
) -> Result<(), String> {
    let stepping = Rc::clone(&state);
    let mut stepping = tokio::task::spawn_local(async move {
        match &stepping.hasher {
            Hasher::Lanes(lanes) => hashing::step_forever(lanes, || stepping.is_draining()).await,
            #[cfg(feature = "measure")]
            Hasher::Measured(_) => std::future::pending().await,
        }
    });
    let mut connections = JoinSet::new();
    let mut accepting = true;
    let mut cut_at = None;
    while accepting || !connections.is_empty() {
        tokio::select! {
            biased;
            changed = phase.changed(), if cut_at.is_none() => {
                let now = if changed.is_ok() { *phase.borrow_and_update() } else { Phase::Cut };
                state.enter_phase(now);
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
                    let (http2, phase) = (Rc::clone(&http2), phase.clone());
                    connections.spawn_local(async move {
                        let Arrived { socket, window, client, permit: _permit } = arrived;
                        let socket = match socket.register() {
                            Ok(socket) => socket,
                            Err(error) => {
                                tracing::debug!(%error, "could not register a connection");
                                return;
                            }
                        };
                        let peer = Peer::new(&state, &services, Arc::clone(&client));
                        http2.serve(socket, window, &client, peer, phase).await;
                    });
                }
                None => accepting = false,
            },
            ended = &mut stepping => {
                // Nothing could be hashed any more: better to end the process
                // and be started anew than to keep clients waiting.
                return Err(match ended {
                    Err(error) => format!("the stepping task failed: {error}"),
                    Ok(hashing::Broken) => "the engine panicked".to_owned(),
                });
            }
        }
    }
    Ok(())
}

fn report(error: &JoinError) {
    if error.is_panic() {
        tracing::error!("a connection task panicked");
    }
}
