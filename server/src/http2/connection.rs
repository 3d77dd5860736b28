//! Runs one connection to its end, as one future: HTTP/2, its calls, its timers. Each poll by the
//! worker's loop is a turn (worker/event_loop.rs).
//!
//! ```text
//! turn:  HTTP/2 reads ──> frames to their streams, new requests to `Calls`
//!        calls run ─────> read their frames, push chunks
//!        hash ──────────> if no others are likely to bring more: calls run again, and answer
//!        HTTP/2 writes
//! ```
//!
//! Calls that run in a turn do not schedule another turn for their connection (quiet.rs).

use std::future::poll_fn;
use std::io;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::future::{FutureExt as _, LocalBoxFuture};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use h2::server::{self, SendResponse};
use h2::{Reason, RecvStream};
use http::{Request, request};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, sleep, timeout};

use super::flow::Flow;
use super::intake::Intake;
use super::life::Life;
use super::ping::Pings;
use super::preface;
use super::quiet::Quiet;
use super::reader::Reader;
use super::stream::{Receive, Respond};
use super::unsent::{Recipient, Unsent};
use crate::client::Client;
use crate::config::{Http2Settings, Settings};
use crate::drain::Phase;
use crate::limits::{Backlog, Limits, Permit};
use crate::metrics::counters::{FrameKind, WorkerCounters};
use crate::metrics::ends::{ConnectionEnd, Ending};
use crate::scratch::Scratch;
use crate::socket::Socket;
use crate::timers::Timers;

/// Time for the client's preface once the drain has begun. The preface of a client that has just
/// connected is still in flight, and GOAWAY serves it better than a reset.
const DRAIN_PREFACE_TIMEOUT: Duration = Duration::from_secs(1);

/// Time for a last GOAWAY to leave.
const GOAWAY_TIMEOUT: Duration = Duration::from_secs(1);

/// h2's own bound on small DATA frames that no stream has taken, each counted as 256 bytes. Its
/// default, half of the window, hits honest bursts, and frames of closed streams use it up for
/// good. It is off here: a turn reads little more than 100 frames (intake.rs), the streams take
/// theirs before the next turn reads, and credit bounds them all.
const DATA_FRAME_BUDGET: usize = usize::MAX;

/// Streams that the client reset before the server accepted them. A turn reads fewer frames
/// (intake.rs), and credit bounds them.
const PENDING_RESET_STREAMS_MAX: usize = 1024;

/// Bytes of one stream's answers in HTTP/2 that the socket has not accepted.
const SEND_BUFFER_BYTES_MAX: usize = 64 << 10;

/// Calls begun in a turn, at some microseconds each.
const REQUESTS_MAX: usize = 32;

/// Begins a connection's calls.
pub(crate) trait Calls {
    /// Begins the call of a request, or answers it at once.
    fn begin(
        &self,
        head: request::Parts,
        receive: Receive,
        respond: Respond,
    ) -> Option<LocalBoxFuture<'static, ()>>;

    /// Hashes what the calls of a turn have pushed, unless it is better to wait for more. Returns
    /// whether calls may now have digests.
    fn hash(&self) -> bool;

    /// The connection enters `phase` of its drain.
    fn enter(&self, phase: Phase);
}

/// How a worker speaks HTTP/2.
pub(crate) struct Http2 {
    builder: server::Builder,
    settings: Arc<Settings>,
    counters: Arc<WorkerCounters>,
    limits: Arc<Limits>,
    backlog: Rc<Backlog>,
    scratch: Rc<Scratch>,
}

/// The timers of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timer {
    /// Age, idleness and end of the connection (life.rs).
    Life,
    /// Check whether the client reads answers (unsent.rs).
    Unread,
    /// Check whether the client is alive (ping.rs).
    Ping,
    /// More credit (credit.rs).
    Credit,
}

/// Why a connection ended.
#[derive(Debug)]
enum End {
    Closed,
    Failed(h2::Error),
    Flood(FrameKind),
    Dead,
    /// The cause is recorded already.
    Noted,
}

/// A call that is polled only while its connection's turn has time.
struct Paced {
    call: LocalBoxFuture<'static, ()>,
    intake: Rc<Intake>,
}

impl Future for Paced {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.intake.yields() {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.call.as_mut().poll(cx)
    }
}

/// An h2 builder with these settings.
pub(crate) fn builder(settings: &Http2Settings) -> server::Builder {
    let mut builder = server::Builder::new();
    builder
        .initial_window_size(settings.stream_window_bytes)
        .max_frame_size(settings.frame_bytes_max)
        .max_concurrent_streams(settings.streams_max)
        .max_header_list_size(settings.header_list_bytes_max)
        .max_pending_accept_reset_streams(PENDING_RESET_STREAMS_MAX)
        // h2 counts these for the connection's life; credit bounds their causes instead.
        .max_local_error_reset_streams(None)
        .data_frame_budget(DATA_FRAME_BUDGET)
        .max_send_buffer_size(SEND_BUFFER_BYTES_MAX);
    builder
}

impl Http2 {
    pub(crate) fn new(
        settings: &Arc<Settings>,
        counters: &Arc<WorkerCounters>,
        limits: &Arc<Limits>,
        backlog: &Rc<Backlog>,
        scratch: &Rc<Scratch>,
    ) -> Self {
        Self {
            builder: builder(&settings.http2),
            settings: Arc::clone(settings),
            counters: Arc::clone(counters),
            limits: Arc::clone(limits),
            backlog: Rc::clone(backlog),
            scratch: Rc::clone(scratch),
        }
    }

    /// Serves one connection of `client` to its end. Floods count against `came`: the client as
    /// known before the first byte.
    pub(crate) async fn serve(
        &self,
        socket: Socket<impl AsyncRead + AsyncWrite + Unpin>,
        window: Permit,
        client: &Client,
        came: &Client,
        calls: impl Calls,
        mut phase: watch::Receiver<Phase>,
    ) {
        let ending = Ending::new(&self.counters.connection_ends);
        let read_bytes = socket.read_bytes();
        let intake = Intake::new(&self.backlog, self.settings.http2.credit_per_second);
        let stream_window_bytes = self.settings.http2.stream_window_bytes;
        let flow = Flow::new(&self.backlog, window, stream_window_bytes);
        let shaken = self.handshake(socket, &intake, &flow, phase.clone());
        let mut http2 = match shaken.await {
            Ok(http2) => http2,
            Err(end) => {
                let unused = end == ConnectionEnd::Preface && read_bytes.get() == 0;
                ending.is(if unused { ConnectionEnd::Unused } else { end });
                return;
            }
        };
        let Some(pings) = http2.ping_pong() else {
            return;
        };
        let recipient = Recipient::new(self.limits.unread.hold(client));
        let keep_alive = &self.settings.http2;
        let quiet = Arc::<Quiet>::default();
        let mut connection = Connection {
            http2,
            waker: Waker::from(Arc::clone(&quiet)),
            quiet,
            calls: FuturesUnordered::new(),
            requests: Vec::new(),
            begin: calls,
            recipient: Rc::clone(&recipient),
            pings: Pings::new(
                pings,
                keep_alive.keep_alive_interval,
                keep_alive.keep_alive_timeout,
            ),
            intake,
            flow,
            read_bytes,
            limits: &self.limits,
            counters: &self.counters,
            client,
            window_bytes_max: keep_alive.connection_window_bytes_max,
            life: Life::new(&self.settings, Instant::now(), Life::chance()),
        };
        let unread_timeout = self.settings.part_idle_timeout;
        let mut timers = Timers::new([Timer::Life, Timer::Unread, Timer::Ping, Timer::Credit]);
        timers.set(Timer::Unread, Some(Instant::now() + unread_timeout));
        let end = loop {
            let now = Instant::now();
            if let Some(entered) = connection.life.enter(now, *phase.borrow_and_update()) {
                connection.enter(entered);
            }
            if connection.life.is_over(now) {
                ending.is(connection.life.end());
                tracing::debug!("connection closed: its time was over");
                break End::Noted;
            }
            timers.set(Timer::Life, Some(connection.life.due(now)));
            tokio::select! {
                biased;
                // A turn bounds itself, so tokio's budget is off.
                polled = unconstrained(poll_fn(|cx| {
                    if let Poll::Ready(end) = connection.poll_turn(cx) {
                        return Poll::Ready(ControlFlow::Break(end));
                    }
                    timers.set(Timer::Ping, Some(connection.pings.due()));
                    timers.set(Timer::Credit, connection.intake.paused_until());
                    timers.poll(cx).map(ControlFlow::Continue)
                })) => match polled {
                    ControlFlow::Break(end) => break end,
                    // The next turn handles these.
                    ControlFlow::Continue(Timer::Life) => {}
                    // The next turn may not come to read, and the timer must not fire again.
                    ControlFlow::Continue(Timer::Credit) => connection.intake.resume(),
                    ControlFlow::Continue(Timer::Ping) => {
                        let listens = connection.intake.listens();
                        if connection.pings.is_dead(connection.read_bytes.get(), listens) {
                            break End::Dead;
                        }
                    }
                    ControlFlow::Continue(Timer::Unread) => {
                        if recipient.is_stuck() || connection.intake.is_stuck(unread_timeout) {
                            ending.is(ConnectionEnd::NotTaken);
                            tracing::debug!("connection closed: answers were not taken in time");
                            break End::Noted;
                        }
                        timers.set(Timer::Unread, Some(Instant::now() + unread_timeout));
                    }
                },
                () = recipient.cut() => {
                    ending.is(ConnectionEnd::Unread);
                    tracing::debug!("connection closed: it held the most unread answers");
                    break End::Noted;
                }
                changed = phase.changed() => if changed.is_err() {
                    break End::Noted;
                },
            }
        };
        let Connection {
            http2,
            calls,
            intake,
            life,
            ..
        } = connection;
        let flood = match &end {
            End::Flood(kind) => Some(*kind),
            // h2 has flood bounds of its own.
            End::Failed(error)
                if error.is_library() && error.reason() == Some(Reason::ENHANCE_YOUR_CALM) =>
            {
                Some(intake.provoked())
            }
            _ => None,
        };
        if let Some(kind) = flood {
            self.count_flood(kind, came);
        }
        match &end {
            // The client left because the server told it to.
            End::Closed | End::Failed(_) if flood.is_none() && life.is_cut() => {
                ending.is(life.end());
            }
            End::Closed => ending.is(ConnectionEnd::Closed),
            End::Failed(_) if flood.is_none() => ending.is(ConnectionEnd::Error),
            End::Failed(_) | End::Flood(_) => ending.is(ConnectionEnd::Flood),
            End::Dead => ending.is(ConnectionEnd::NoPong),
            End::Noted => {}
        }
        match &end {
            End::Failed(error) => tell(error, "connection ended"),
            End::Dead => tracing::debug!("connection closed: it answered no ping"),
            End::Closed | End::Flood(_) | End::Noted => {}
        }
        // Free HTTP/2's memory at once, unless a GOAWAY must still leave.
        let flooded = matches!(end, End::Flood(_)).then_some(http2);
        end_calls(&intake, calls).await;
        if let Some(http2) = flooded {
            say_goodbye(http2, &recipient).await;
        }
    }

    fn count_flood(&self, kind: FrameKind, came: &Client) {
        self.counters.floods[kind as usize].add(1);
        came.arrivals.flooded(std::time::Instant::now());
        tracing::debug!(
            frames = kind.name(),
            "connection closed: frames brought nothing"
        );
    }

    /// Waits for the client's preface and sends the server's.
    async fn handshake<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        mut socket: Socket<S>,
        intake: &Rc<Intake>,
        flow: &Flow,
        mut phase: watch::Receiver<Phase>,
    ) -> Result<server::Connection<Reader<Socket<S>>, Unsent>, ConnectionEnd> {
        let mut builder = self.builder.clone();
        builder.initial_connection_window_size(flow.window_bytes());
        let mut handshake = pin!(async {
            let is_http1 = preface::is_http1(&mut socket).await?;
            let reader = Reader::new(socket, intake, &self.scratch);
            if is_http1 {
                preface::refuse_http1(reader).await?;
                return Err(io::Error::other("the client speaks http/1"));
            }
            builder.handshake(reader).await.map_err(io::Error::other)
        });
        let mut late = pin!(sleep(self.settings.handshake_timeout));
        let mut draining = false;
        loop {
            if !draining && *phase.borrow_and_update() >= Phase::Draining {
                draining = true;
                let within = Instant::now() + DRAIN_PREFACE_TIMEOUT;
                if within < late.deadline() {
                    late.as_mut().reset(within);
                }
            }
            tokio::select! {
                shaken = poll_fn(|cx| {
                    intake.begin_turn(cx.waker());
                    handshake.as_mut().poll(cx)
                }) => match shaken {
                    Ok(connection) => return Ok(connection),
                    Err(error) => {
                        tracing::debug!(%error, "connection ended before its preface");
                        return Err(ConnectionEnd::Preface);
                    }
                },
                () = &mut late => {
                    tracing::debug!("connection brought no http/2 preface in time");
                    return Err(ConnectionEnd::PrefaceTimeout);
                }
                changed = phase.changed(), if !draining => if changed.is_err() {
                    return Err(ConnectionEnd::Cut);
                },
            }
        }
    }
}

/// Logs why a connection ended. For a client's GOAWAY, logs only the code: the error's text has the
/// client's debug data.
fn tell(error: &h2::Error, what: &'static str) {
    if error.is_remote() {
        tracing::debug!(reason = ?error.reason(), "{what}");
    } else {
        tracing::debug!(%error, "{what}");
    }
}

struct Connection<'a, S: AsyncRead + AsyncWrite + Unpin, C> {
    http2: server::Connection<Reader<Socket<S>>, Unsent>,
    /// What HTTP/2 and the calls wake, also as a waker.
    quiet: Arc<Quiet>,
    waker: Waker,
    calls: FuturesUnordered<Paced>,
    /// Requests of this turn, until their calls begin.
    requests: Vec<(Request<RecvStream>, SendResponse<Unsent>)>,
    begin: C,
    intake: Rc<Intake>,
    recipient: Rc<Recipient>,
    pings: Pings,
    flow: Rc<Flow>,
    window_bytes_max: u32,
    read_bytes: Rc<std::cell::Cell<u64>>,
    life: Life,
    limits: &'a Limits,
    counters: &'a WorkerCounters,
    client: &'a Client,
}

impl<S: AsyncRead + AsyncWrite + Unpin, C: Calls> Connection<'_, S, C> {
    fn enter(&mut self, phase: Phase) {
        if phase >= Phase::Draining {
            // h2 sends a first GOAWAY and, after the client's PONG, a second with the last call
            // that arrived. Calls begun after that are refused.
            self.http2.graceful_shutdown();
        }
        self.begin.enter(phase);
    }

    /// One turn. Ready at the connection's end.
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        self.quiet.set_task(cx.waker());
        self.intake.begin_turn(cx.waker());
        let waker = self.waker.clone();
        let cx = &mut Context::from_waker(&waker);
        if self.intake.take_yielded() {
            // Handle the last turn's rest first; read in the next turn.
            cx.waker().wake_by_ref();
        } else if let Poll::Ready(end) = self.read(cx) {
            return Poll::Ready(end);
        }
        self.run_calls(cx);
        self.life.note_calls(!self.calls.is_empty());
        self.flow.announce(&mut self.http2);
        if let Poll::Ready(end) = self.write(cx) {
            return Poll::Ready(end);
        }
        let (read_bytes, window_bytes) = (self.read_bytes.get(), self.flow.window_bytes());
        if let Some(held_bytes) = self.pings.poll(cx, read_bytes, window_bytes) {
            let windows = &self.limits.windows;
            let bytes_max = self.window_bytes_max;
            if self.flow.grow(held_bytes, bytes_max, windows, self.client) {
                cx.waker().wake_by_ref();
            }
        }
        Poll::Pending
    }

    /// Polls calls until none is awake or the turn's time is up, and hashes in between.
    fn run_calls(&mut self, cx: &mut Context<'_>) {
        loop {
            self.quiet.begin();
            let mut yields = false;
            while let Poll::Ready(Some(())) = self.calls.poll_next_unpin(cx) {
                yields = self.intake.yields();
                if yields {
                    break;
                }
            }
            let hashed = self.begin.hash();
            let woken = self.quiet.end();
            if !hashed && !woken && !yields {
                return;
            }
            if yields || self.intake.yields() {
                cx.waker().wake_by_ref();
                return;
            }
        }
    }

    /// Reads, then begins the calls of all new requests together: otherwise the headers of each
    /// would take a write of their own.
    fn read(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        while let Poll::Ready(request) = self.http2.poll_accept(cx) {
            match request {
                None => return Poll::Ready(End::Closed),
                Some(Err(error)) => return Poll::Ready(End::Failed(error)),
                Some(Ok(request)) => self.requests.push(request),
            }
            if self.requests.len() == REQUESTS_MAX {
                // The next turn takes the others.
                cx.waker().wake_by_ref();
                break;
            }
        }
        for (request, response) in self.requests.drain(..) {
            let (head, body) = request.into_parts();
            let receive = Receive::new(body, &self.intake, &self.flow);
            let respond = Respond::new(response, &self.recipient, &self.intake);
            if let Some(call) = self.begin.begin(head, receive, respond) {
                self.calls.push(Paced {
                    call,
                    intake: Rc::clone(&self.intake),
                });
            }
        }
        self.counters.pauses.add(self.intake.take_pauses());
        let spent = self.intake.spent();
        spent.map_or(Poll::Pending, |kind| Poll::Ready(End::Flood(kind)))
    }

    /// Writes the calls' output, and reads nothing.
    fn write(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        self.intake.only_write(true);
        let closed = self.http2.poll_closed(cx);
        self.intake.only_write(false);
        closed.map(|closed| closed.map_or_else(End::Failed, |()| End::Closed))
    }
}

/// Ends the calls of a connection that is gone, in turns: freeing their parts may take long.
async fn end_calls(intake: &Intake, calls: FuturesUnordered<Paced>) {
    intake.set_gone();
    let mut calls = calls.into_iter();
    let mut ending = None;
    let all = poll_fn(|cx| {
        intake.begin_turn(cx.waker());
        while let Some(mut call) = ending.take().or_else(|| calls.next()) {
            let polled = call.poll_unpin(cx);
            if polled.is_pending() && intake.yields() {
                ending = Some(call);
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            // The call has ended, or waits and so has nothing to free.
        }
        Poll::Ready(())
    });
    unconstrained(all).await;
}

/// Sends a flooding client a GOAWAY that gives the reason, if the client reads it.
async fn say_goodbye<S: AsyncRead + AsyncWrite + Unpin>(
    mut http2: server::Connection<Reader<Socket<S>>, Unsent>,
    recipient: &Recipient,
) {
    http2.abrupt_shutdown(Reason::ENHANCE_YOUR_CALM);
    let gone = poll_fn(|cx| http2.poll_closed(cx));
    // Close the connection whatever the result.
    tokio::select! {
        _ = timeout(GOAWAY_TIMEOUT, gone) => {}
        // The client holds too many unread answers.
        () = recipient.cut() => {}
    }
}
