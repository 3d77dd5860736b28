//! A worker: one thread, pinned to its core, that does everything for its
//! connections.
//!
//! ```text
//! acceptor ──sockets──> serve ──> a task per connection (connection.rs)
//!                         │           └─ a task per stream: reads, answers
//!                         └─ the stepping task (lanes.rs) ──> engine
//! ```
//!
//! hasher.rs is the interface to what hashes, slot.rs what its parts are here,
//! group.rs a connection's share of it, linger.rs when to wait for more of them,
//! waiting.rs bounds what waits for it, windows.rs what may arrive unasked,
//! unread.rs the answers that clients do not take; counters.rs is what the admin
//! port reads, heartbeat.rs how it knows that the worker turns. State is `Rc` and
//! `Cell`: nothing here is ever seen by another thread, except the counters.

pub(crate) mod counters;
mod group;
pub(crate) mod hasher;
mod heartbeat;
pub(crate) mod lanes;
mod linger;
mod slot;
pub(crate) mod unread;
pub(crate) mod waiting;
pub(crate) mod windows;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use core_affinity::CoreId;
use hashlane_engine::{Crossover, DIGEST_BYTES_MAX};
use hashlane_proto::v1::GetServerInfoResponse;
use slab::Slab;
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};
use tonic_health::server::HealthReporter;

use self::counters::WorkerCounters;
use self::hasher::Hasher;
use self::unread::Unread;
use self::waiting::{StreamShare, WorkerBound};
use self::windows::Window;
use crate::config::Settings;
use crate::connection::{self, Routes};
use crate::drain::Phase;
use crate::intake::{Level, Scratch};
use crate::rpc::batch::DIGEST_STATE_BYTES;
use crate::socket::Accepted;
use crate::wire::Budget;

/// Sockets on their way to a worker. More than a burst brings between two
/// turns of its reactor.
const SOCKETS_MAX: usize = 1024;

/// Calls of the health service that are let in beyond `streams_max`.
const PROBES_MAX: usize = 64;

/// One digest in the answer to a batch, with its algorithm, and what is around them.
const DIGEST_ANSWER_BYTES: usize = DIGEST_BYTES_MAX + 16;

/// Time for the last statuses to leave after the cut.
const CUT_GRACE: Duration = Duration::from_millis(500);

/// What every worker is built from.
#[derive(Clone)]
pub(crate) struct Blueprint {
    pub(crate) settings: Arc<Settings>,
    pub(crate) crossover: Crossover,
    pub(crate) info: Arc<GetServerInfoResponse>,
    pub(crate) health: HealthReporter,
    pub(crate) phase: watch::Receiver<Phase>,
    /// How many workers share the process's bounds.
    pub(crate) workers: usize,
}

/// A connection on its way to a worker.
pub(crate) struct Arrived {
    pub(crate) socket: Accepted,
    pub(crate) window: Window,
}

/// What the rest of the process knows of a worker.
pub(crate) struct WorkerHandle {
    pub(crate) sockets: mpsc::Sender<Arrived>,
    pub(crate) counters: Arc<WorkerCounters>,
}

/// One worker's state, shared by its tasks.
pub(crate) struct Worker {
    pub(crate) settings: Arc<Settings>,
    pub(crate) counters: Arc<WorkerCounters>,
    pub(crate) info: Arc<GetServerInfoResponse>,
    pub(crate) hasher: Hasher,
    /// Whether enough waits in `hasher` that sockets are not read.
    pub(crate) level: Rc<Level>,
    /// What its connections read into.
    pub(crate) scratch: Rc<Scratch>,
    /// Waiting bytes of all its streams.
    pub(crate) bound: Rc<WorkerBound>,
    /// Bytes of whole messages that tonic has gathered.
    pub(crate) gathered_bytes: Cell<usize>,
    pub(crate) gathered_bytes_max: usize,
    /// Digests of one batch: what of those there is always room for.
    pub(crate) batch_digests_max: usize,
    /// Data that other fields follow in its message.
    pub(crate) held: Rc<Budget>,
    /// Answers that clients have not taken.
    pub(crate) unread: Rc<Unread>,
    phase: Cell<Phase>,
    streams_max: usize,
    /// Digests of its streams' parts.
    open_digests: Cell<usize>,
    open_digests_max: usize,
    streams: RefCell<Slab<Rc<StreamShare>>>,
}

impl Worker {
    fn new(blueprint: &Blueprint, counters: Arc<WorkerCounters>) -> Rc<Self> {
        let settings = Arc::clone(&blueprint.settings);
        let share = |max: usize| max.div_ceil(blueprint.workers);
        // A batch of one digest a blob must fit beside its message, and so must its answer,
        // or none would ever be answered.
        let message_bytes_max = settings.message_bytes_max + 1024;
        let waiting_bytes_max = share(settings.waiting_bytes_max);
        let unread_bytes_max = share(settings.unread_bytes_max);
        let batch_digests_max = (waiting_bytes_max.saturating_sub(message_bytes_max)
            / DIGEST_STATE_BYTES)
            .min(unread_bytes_max / DIGEST_ANSWER_BYTES)
            .max(settings.batch_blobs_max);
        let level = Level::new();
        Rc::new(Self {
            hasher: Hasher::new(
                settings.hashing,
                blueprint.crossover.clone(),
                Arc::clone(&counters),
                &level,
                settings.linger,
            ),
            level,
            scratch: Scratch::new(),
            bound: WorkerBound::new(waiting_bytes_max),
            gathered_bytes: Cell::new(0),
            gathered_bytes_max: waiting_bytes_max.max(
                batch_digests_max
                    .saturating_mul(DIGEST_STATE_BYTES)
                    .saturating_add(message_bytes_max),
            ),
            batch_digests_max,
            held: Budget::new(share(settings.held_bytes_max).max(settings.message_bytes_max)),
            unread: Unread::new(
                unread_bytes_max.max(batch_digests_max.saturating_mul(DIGEST_ANSWER_BYTES)),
            ),
            phase: Cell::new(Phase::Serving),
            streams_max: share(settings.streams_max),
            open_digests: Cell::new(0),
            open_digests_max: share(settings.parts_max),
            streams: RefCell::default(),
            info: Arc::clone(&blueprint.info),
            counters,
            settings,
        })
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.phase.get() > Phase::Serving
    }

    /// Whether another call may begin. Probes may where others may not, or a
    /// server that is only busy would be taken for dead.
    pub(crate) fn has_room_for_call(&self, is_probe: bool) -> bool {
        let reserve = if is_probe { PROBES_MAX } else { 0 };
        self.streams.borrow().len() < self.streams_max.saturating_add(reserve)
    }

    /// Registers a stream; the key takes it out again.
    pub(crate) fn enter(&self, share: Rc<StreamShare>) -> usize {
        if self.phase.get() == Phase::Cut {
            share.cut();
        }
        self.counters.streams.add(1);
        self.streams.borrow_mut().insert(share)
    }

    pub(crate) fn leave(&self, key: usize) {
        self.counters.streams.sub(1);
        self.streams.borrow_mut().try_remove(key);
    }

    /// Counts a part's digests against the worker's share of the bound; false if there
    /// is no room for one.
    pub(crate) fn admit_part(&self, digests: usize) -> bool {
        let open = self.open_digests.get();
        let admitted = open < self.open_digests_max;
        if admitted {
            self.open_digests.set(open + digests);
        }
        admitted
    }

    pub(crate) fn release_part(&self, digests: usize) {
        let open = self.open_digests.get();
        self.open_digests.set(open.saturating_sub(digests));
    }

    fn enter_phase(&self, phase: Phase) {
        self.phase.set(phase);
        for (_, stream) in self.streams.borrow().iter() {
            if phase == Phase::Cut {
                stream.cut();
            } else {
                stream.wake();
            }
        }
    }
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
    let worker = Worker::new(blueprint, counters);
    let routes = Routes::new(blueprint)?;
    let phase = blueprint.phase.clone();
    runtime.block_on(serve(worker, Rc::new(routes), sockets, phase))
}

/// Serves until the acceptor has hung up and every connection is gone, or
/// until the cut.
async fn serve(
    worker: Rc<Worker>,
    routes: Rc<Routes>,
    mut sockets: mpsc::Receiver<Arrived>,
    mut phase: watch::Receiver<Phase>,
) -> Result<(), String> {
    let stepping = Rc::clone(&worker);
    let mut stepping = tokio::task::spawn_local(async move {
        match &stepping.hasher {
            Hasher::Lanes(lanes) => lanes::step_forever(lanes, || stepping.is_draining()).await,
            Hasher::Inline(_) | Hasher::Sink(_) => std::future::pending().await,
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
                worker.enter_phase(now);
                if now == Phase::Cut {
                    cut_at = Some(Instant::now() + CUT_GRACE);
                }
            }
            () = sleep_until(cut_at.unwrap_or_else(Instant::now)), if cut_at.is_some() => break,
            Some(ended) = connections.join_next() => {
                worker.counters.connections_closed.add(1);
                if let Err(error) = ended {
                    report(&error);
                }
            }
            socket = sockets.recv(), if accepting => match socket {
                Some(socket) => {
                    let phase = phase.clone();
                    connections.spawn_local(connection::serve(
                        Rc::clone(&worker),
                        Rc::clone(&routes),
                        socket,
                        phase,
                    ));
                }
                None => accepting = false,
            },
            ended = &mut stepping => {
                // Nothing could be hashed any more: better to end the process
                // and be started anew than to keep clients waiting.
                return Err(match ended {
                    Err(error) => format!("the stepping task failed: {error}"),
                    Ok(lanes::Broken) => "the engine panicked".to_owned(),
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
