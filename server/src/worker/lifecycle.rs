//! A worker from its start, or a restart, to its next failure: its connections, its loop and its
//! drain.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio::task::coop::unconstrained;
use tokio::task::{AbortHandle, JoinHandle, spawn_local, yield_now};
use tokio::time::{Instant, sleep_until, timeout};

use super::event_loop::EventLoop;
use crate::call::Peer;
use crate::client::{Client, ClientId, Name};
use crate::drain::{CUT_GRACE, Phase};
#[cfg(feature = "faults")]
use crate::fault_injection::Place;
use crate::http2;
use crate::limiter::Permit;
use crate::limits::Limits;
use crate::metrics::connection_ends::ConnectionEnd;
use crate::metrics::counters::WorkerCounters;
use crate::process::Process;
use crate::read_buffers::ReadBuffers;
use crate::router::Router;
use crate::socket::Incoming;
use crate::tls::Handshakes;
use crate::unary::Services;
use crate::worker_state::WorkerState;

/// A connection on its way to a worker.
pub(crate) struct Arrived {
    pub(crate) incoming: Incoming,
    /// The permit of its TLS handshake, if it has one.
    pub(crate) handshake: Option<Permit>,
    pub(crate) window: Permit,
    pub(crate) client: Arc<Client>,
    pub(crate) permit: Permit,
}

/// State of a worker from its start, or from a restart, to its next failure.
pub(super) struct Life {
    state: Rc<WorkerState>,
    services: Rc<Services>,
    handshakes: Option<Rc<Handshakes>>,
    /// The worker's phase: follows the server's, or is the cut if the worker fails.
    phase: watch::Sender<Phase>,
    pub(super) event_loop: Rc<EventLoop>,
    /// The task that runs the loop.
    looping: Option<AbortHandle>,
}

impl Life {
    pub(super) fn new(
        process: &Arc<Process>,
        counters: Arc<WorkerCounters>,
    ) -> Result<Self, String> {
        let state = WorkerState::new(process, counters);
        let timeout = process.settings.handshake_timeout;
        // While HTTP/2 reads into its buffers, TLS reads into others.
        let buffers = Rc::<ReadBuffers>::default();
        let handshakes = |tls| Rc::new(Handshakes::new(tls, timeout, &buffers, &state.counters));
        Ok(Self {
            services: Rc::new(Services::new(&process.health)?),
            handshakes: process.tls.as_ref().map(handshakes),
            phase: watch::Sender::new(Phase::Serving),
            event_loop: Rc::default(),
            looping: None,
            state,
        })
    }

    /// Runs the loop in a separate task, which can yield so that tokio polls the sockets.
    #[cfg_attr(not(feature = "faults"), expect(unused_variables, reason = "faults"))]
    pub(super) fn run_loop(&mut self, worker: usize) -> JoinHandle<()> {
        let (state, event_loop) = (Rc::clone(&self.state), Rc::clone(&self.event_loop));
        let looping = async move { event_loop.run(&state.lanes).await };
        #[cfg(feature = "faults")]
        let faults = self.state.process.faults.clone();
        #[cfg(feature = "faults")]
        let looping = faults.beside(worker, Place::Loop, looping);
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
    pub(super) async fn serve(
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
                    self.enter(now);
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

    /// Tells the connections and the loop the phase.
    fn enter(&self, phase: Phase) {
        if phase >= Phase::Draining {
            self.event_loop.drain();
        }
        self.phase.send_replace(phase);
    }

    /// Gives the connection to the loop.
    fn open(&mut self, arrived: Arrived) {
        let (state, services) = (Rc::clone(&self.state), Rc::clone(&self.services));
        let (phase, handshakes) = (self.phase.subscribe(), self.handshakes.clone());
        let open = OpenConnection {
            counters: Arc::clone(&state.counters),
            end: ConnectionEnd::Cut,
        };
        let Arrived {
            incoming,
            handshake,
            window,
            client: came,
            permit,
        } = arrived;
        let client = came.number;
        let serve = async move |owner: Rc<Cell<u64>>| {
            // The whole value: `open.end` alone would be captured as a copy.
            let mut open = open;
            let peer = incoming.peer();
            let opened = incoming.open(handshakes.as_deref(), phase.clone());
            let (socket, certificate) = match opened.await {
                Ok(opened) => opened,
                Err(end) => return open.end = end,
            };
            drop(handshake);
            let place = (permit, window);
            let identified = identify(&state.process.limits, &came, place, certificate);
            let (client, Some((_permit, window))) = identified else {
                tracing::debug!("connection closed: its client has as many as it may");
                return open.end = ConnectionEnd::ClientLimit;
            };
            owner.set(client.number);
            tracing::debug!(client = %client.id.logged(), "connection opened");
            let peer = Peer::new(&state, Arc::clone(&client), peer, owner);
            let router = Router::new(peer, &services);
            open.end = http2::serve(&state, socket, window, &client, &came, router, phase).await;
        };
        #[cfg(feature = "faults")]
        let serve = |owner| crate::fault_injection::timed(serve(owner));
        self.event_loop.spawn(client, serve);
    }

    /// Ends all connections after a failure. Calls get an error while the connection can send it.
    pub(super) async fn cut(mut self, worker: usize) {
        self.enter(Phase::Cut);
        if self.looping.as_ref().is_none_or(AbortHandle::is_finished) {
            self.run_loop(worker);
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

/// Counts a connection's end when it is dropped: as `Cut` unless its future sets another end.
struct OpenConnection {
    counters: Arc<WorkerCounters>,
    end: ConnectionEnd,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.counters.connection_ends[self.end as usize].add(1);
    }
}

/// Finds the connection's client by its certificate, if it has one, and takes a connection slot of
/// that client; `None` if that client has no free slot. `place` is the connection's slot as a
/// client by address (`came`).
fn identify(
    limits: &Limits,
    came: &Arc<Client>,
    place: (Permit, Permit),
    certificate: Option<Name>,
) -> (Arc<Client>, Option<(Permit, Permit)>) {
    let Some(name) = certificate else {
        return (Arc::clone(came), Some(place));
    };
    // Release this slot first: it may be the last slot of the process.
    drop(place);
    let id = ClientId::Certificate(name);
    let client = limits.client(&id, std::time::Instant::now());
    let place = client.connect(limits);
    (client, place)
}
