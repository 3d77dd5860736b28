//! Runs one connection to its end, as one future: HTTP/2, its calls, its timers. Each poll by the
//! worker's loop is a turn (worker/event_loop.rs).
//!
//! ```text
//! turn:  read ───> frames: data to their streams, requests begin calls
//!        run ────> the calls that were woken; they push chunks
//!        hash ───> if no others are likely to bring more: calls run again, and answer
//!        write
//! ```

use std::future::poll_fn;
use std::io;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf as _, BytesMut};
use hashlane_http2::{Code, Config, Event, FrameKind, Step};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::watch;
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, timeout};

use super::body::Body;
use super::calls::{Calls, Running};
use super::life::Life;
use super::link::{Link, OUTPUT_BYTES_MAX, UNSENT_BYTES_MAX};
use super::ping::Pings;
use super::preface;
use super::stream::{Receive, Respond};
use crate::client::Client;
use crate::drain::Phase;
use crate::limiter::Permit;
use crate::limits::unread::Waiting;
use crate::metrics::connection_ends::ConnectionEnd;
use crate::read_buffers::Input;
use crate::timers::Timers;
use crate::worker_state::WorkerState;

/// Time for the client's preface once the drain has begun. The preface of a client that has just
/// connected is still in flight. After it the client gets GOAWAY in place of a reset.
const DRAIN_PREFACE_TIMEOUT: Duration = Duration::from_secs(1);

/// Time for the last output to leave.
const GOODBYE_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a connection that the server ends still reads and discards input. If TCP closes with
/// unread input, it sends a reset, and the client loses the last answer.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(1);

/// Reads discarded before other connections get their turn.
const DISCARD_READS: usize = 4;

/// Calls begun in a turn, at some microseconds each, before the turn may end.
const REQUESTS_MAX: usize = 32;

/// Most consecutive turns that read nothing, because the turn before left woken calls.
const UNREAD_TURNS_MAX: u32 = 16;

/// Frames handled between two checks whether more may be.
const FRAMES_TOGETHER: u32 = 16;

/// Capacity that an empty buffer of output keeps.
const OUTPUT_KEPT_BYTES: usize = 4 << 10;

/// The timers of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// The client's preface.
    Preface,
    /// Age, idleness and end of the connection (life.rs).
    Life,
    /// Output that the socket does not take.
    Unsent,
    /// Check whether the client is alive (ping.rs).
    Ping,
    /// More credit (credit.rs).
    Credit,
}

/// Why a connection ended.
#[derive(Debug)]
enum End {
    /// The client closed it, or has no more streams after a GOAWAY.
    Closed,
    /// The socket failed, or ended within a frame.
    Socket(io::ErrorKind),
    /// The client broke the protocol.
    Broken(Code),
    /// The client ended it with an error.
    Left(Code),
    Flood(FrameKind),
    /// The client speaks HTTP/1.
    Http1,
    /// The server ends it, without more output.
    By(ConnectionEnd, &'static str),
}

/// Serves one connection of `client` to its end, and returns why it ended. Floods count against
/// `came`: the client as known before the first byte.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    state: &WorkerState,
    socket: S,
    window: Permit,
    client: &Client,
    came: &Client,
    calls: impl Calls,
    phase: watch::Receiver<Phase>,
) -> ConnectionEnd {
    let http2 = &state.process.settings.http2;
    let config = Config {
        streams_max: http2.streams_max,
        stream_window_bytes: http2.stream_window_bytes,
        connection_window_bytes: u32::try_from(window.amount()).unwrap_or(u32::MAX),
        frame_bytes_max: http2.frame_bytes_max,
        header_list_bytes_max: http2.header_list_bytes_max,
    };
    let holding = state.process.limits.unread.hold(client);
    let credit = http2.credit_per_second;
    let link = Link::new(config, &state.backlog, window, credit, holding);
    let mut connection = Connection {
        state,
        socket,
        read_bytes: 0,
        running: Running::new(&link.ready),
        unsent: Waiting::new(&link.holding),
        is_flushed: true,
        link,
        begin: calls,
        input: Input::new(&state.read_buffers),
        requests: 0,
        unread_turns: 0,
        pings: Pings::new(http2.keep_alive_interval, http2.keep_alive_timeout),
        life: Life::new(&state.process.settings, Instant::now(), Life::chance()),
        timers: Timers::new([
            Timer::Preface,
            Timer::Life,
            Timer::Unsent,
            Timer::Ping,
            Timer::Credit,
        ]),
        client,
    };
    let end = connection.run(phase.clone()).await;
    let counted = match end {
        End::Http1 => connection.serve_http1(phase).await,
        _ => connection.count(&end, came),
    };
    connection.end_calls().await;
    if matches!(
        end,
        End::Closed | End::Broken(_) | End::Left(_) | End::Flood(_)
    ) || matches!(end, End::Http1)
        && matches!(counted, ConnectionEnd::Closed | ConnectionEnd::Error)
    {
        connection.say_goodbye(&end).await;
    }
    counted
}

pub(super) struct Connection<'a, S, C> {
    pub(super) state: &'a WorkerState,
    pub(super) socket: S,
    /// Bytes read so far; over TLS of the plaintext.
    read_bytes: u64,
    pub(super) link: Rc<Link>,
    running: Running,
    pub(super) begin: C,
    pub(super) input: Input,
    /// Calls begun in this turn.
    requests: usize,
    /// Turns since the last one that could read.
    unread_turns: u32,
    /// Output that the socket has not taken.
    unsent: Waiting,
    /// The socket has passed on all that it has taken.
    is_flushed: bool,
    pings: Pings,
    pub(super) life: Life,
    timers: Timers<Timer, 5>,
    client: &'a Client,
}

impl<S, C> Drop for Connection<'_, S, C> {
    fn drop(&mut self) {
        self.link.set_gone();
        self.link.flow.close();
        // Calls hold the link, and the link holds their streams.
        self.running.clear();
        let bodies: Vec<_> = self.link.protocol.borrow_mut().take_users().collect();
        drop(bodies);
        self.link.clear();
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin, C: Calls> Connection<'_, S, C> {
    /// Serves the client until the connection ends.
    async fn run(&mut self, mut phase: watch::Receiver<Phase>) -> End {
        let preface = Instant::now() + self.state.process.settings.handshake_timeout;
        self.timers.set(Timer::Preface, Some(preface));
        let link = Rc::clone(&self.link);
        loop {
            let now = Instant::now();
            if let Some(entered) = self.life.enter(now, *phase.borrow_and_update()) {
                self.enter(entered);
            }
            if self.life.is_over(now) {
                return End::By(self.life.end(), "its time was over");
            }
            self.timers.set(Timer::Life, Some(self.life.due(now)));
            tokio::select! {
                biased;
                // A turn bounds itself, so tokio's budget is off.
                polled = unconstrained(poll_fn(|cx| {
                    self.link.begin_turn(cx.waker());
                    let turn = self.poll_turn(cx);
                    self.link.end_turn();
                    if let Poll::Ready(end) = turn {
                        return Poll::Ready(ControlFlow::Break(end));
                    }
                    self.timers.set(Timer::Ping, Some(self.pings.due()));
                    self.timers.set(Timer::Credit, self.link.paused_until());
                    self.timers.poll(cx).map(ControlFlow::Continue)
                })) => match polled {
                    ControlFlow::Break(end) => return end,
                    ControlFlow::Continue(timer) => if let Some(end) = self.expire(timer) {
                        return end;
                    },
                },
                () = link.holding.cut() => {
                    return End::By(ConnectionEnd::Unread, "it held the most unread answers");
                }
                changed = phase.changed() => if changed.is_err() {
                    return End::By(ConnectionEnd::Cut, "its worker has ended");
                },
            }
        }
    }

    /// Handles a timer that has expired. Returns why the connection ends, if it does.
    fn expire(&mut self, timer: Timer) -> Option<End> {
        match timer {
            Timer::Preface if !self.has_preface() => {
                let end = ConnectionEnd::PrefaceTimeout;
                return Some(End::By(end, "it brought no http/2 preface in time"));
            }
            Timer::Unsent => {
                let end = ConnectionEnd::NotTaken;
                return Some(End::By(end, "answers were not taken in time"));
            }
            Timer::Ping => {
                // If it takes no output, Timer::Unsent ends it.
                let listens = self.link.listens() && !self.link.is_clogged();
                let mut protocol = self.link.protocol.borrow_mut();
                if self.pings.is_dead(self.read_bytes, listens, &mut protocol) {
                    return Some(End::By(ConnectionEnd::NoPong, "it answered no ping"));
                }
            }
            // The next turn may not come to read, and the timer must not fire again.
            Timer::Credit => self.link.resume(),
            // The next turn handles these.
            Timer::Preface | Timer::Life => {}
        }
        None
    }

    fn has_preface(&self) -> bool {
        self.link.protocol.borrow().has_preface()
    }

    /// Whether so much of the preface has arrived that the client does not speak HTTP/1.
    fn speaks_http2(&self) -> bool {
        let protocol = self.link.protocol.borrow();
        protocol.has_preface() || protocol.preface_read().len() >= preface::BYTES_MIN
    }

    fn enter(&mut self, phase: Phase) {
        if phase >= Phase::Draining {
            self.link.protocol.borrow_mut().shut_down();
            if !self.has_preface() {
                let within = Instant::now() + DRAIN_PREFACE_TIMEOUT;
                self.timers.set_earlier(Timer::Preface, within);
            }
        }
        self.begin.enter(phase);
        self.running.wake_all();
    }

    /// One turn. Ready at the connection's end.
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        self.requests = 0;
        if self.running.has_turn_left() && self.unread_turns < UNREAD_TURNS_MAX {
            // The last turn's rest comes first.
            self.unread_turns += 1;
            self.link.wake();
        } else if let Poll::Ready(end) = self.read(cx) {
            return Poll::Ready(end);
        }
        self.input.leave();
        self.run_calls();
        self.life.note_calls(!self.running.is_empty());
        let now_window = self.link.flow.window_bytes();
        let mut protocol = self.link.protocol.borrow_mut();
        if let Some(held_bytes) = self.pings.poll(self.read_bytes, now_window, &mut protocol) {
            let bytes_max = self
                .state
                .process
                .settings
                .http2
                .connection_window_bytes_max;
            let limits = &self.state.process.limits;
            self.link
                .flow
                .grow(held_bytes, bytes_max, limits, self.client, &mut protocol);
        }
        self.link.flow.release(&mut protocol);
        drop(protocol);
        self.write(cx)
    }

    /// Reads and handles frames while the turn lasts.
    fn read(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        self.unread_turns = 0;
        loop {
            let Some(bytes_max) = self.link.may_read() else {
                return Poll::Pending;
            };
            if self.requests >= REQUESTS_MAX {
                self.link.wake();
                return Poll::Pending;
            }
            if self.input.is_empty() {
                if let Err(error) = ready!(self.poll_fill(bytes_max, cx)) {
                    return Poll::Ready(End::Socket(error.kind()));
                }
                if self.input.is_empty() {
                    return Poll::Ready(self.end_of_input());
                }
                self.link.count_bytes(self.input.bytes().len());
            }
            if let Some(end) = self.handle_input() {
                return Poll::Ready(end);
            }
            if let Some(kind) = self.link.charge(&self.state.counters) {
                return Poll::Ready(End::Flood(kind));
            }
        }
    }

    /// Reads what has arrived into the empty input, and counts it.
    fn poll_fill(&mut self, bytes_max: usize, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.input.poll_fill(&mut self.socket, bytes_max, cx))?;
        let bytes = self.input.bytes().len() as u64;
        self.read_bytes += bytes;
        self.state.counters.received_bytes.add(bytes);
        Poll::Ready(Ok(()))
    }

    fn end_of_input(&self) -> End {
        if self.link.protocol.borrow().is_between_frames() {
            End::Closed
        } else {
            End::Socket(io::ErrorKind::UnexpectedEof)
        }
    }

    /// Handles some of what was read.
    fn handle_input(&mut self) -> Option<End> {
        for _ in 0..FRAMES_TOGETHER {
            let step = self.link.protocol.borrow_mut().step(self.input.bytes());
            match step {
                Ok(Step::NeedMore) => break,
                Ok(Step::Frame) => {}
                Ok(Step::Event(event)) => {
                    if let Some(end) = self.handle(event) {
                        return Some(end);
                    }
                }
                Err(_) if !self.has_preface() => {
                    let protocol = self.link.protocol.borrow();
                    let is_http1 = preface::is_http1(protocol.preface_read(), self.input.bytes());
                    return Some(if is_http1 {
                        End::Http1
                    } else {
                        End::Broken(Code::PROTOCOL_ERROR)
                    });
                }
                Err(code) => return Some(End::Broken(code)),
            }
            self.link.count_frame();
        }
        None
    }

    fn handle(&mut self, event: Event<Rc<Body>>) -> Option<End> {
        match event {
            Event::Request {
                stream,
                request,
                ends,
            } => {
                self.requests += 1;
                let body = Body::new(stream, &self.link.flow, ends);
                self.link
                    .protocol
                    .borrow_mut()
                    .accept(stream, Rc::clone(&body));
                let receive = Receive::new(&body, &self.link);
                let respond = Respond::new(&body, &self.link);
                if let Some(call) = self.begin.begin(request, receive, respond) {
                    self.running.push(call);
                }
            }
            Event::Data {
                user: body,
                bytes,
                window_bytes,
                ends,
            } => {
                body.receive(self.state.read_buffers.hand_on(bytes), window_bytes);
                if ends {
                    body.end();
                }
            }
            Event::End { user: body } => body.end(),
            Event::Reset { user: body, .. } => body.reset(),
            Event::WindowOpened { user: Some(body) } => body.unblock(),
            Event::WindowOpened { user: None } => self.link.unblock(),
            Event::Pong => {
                let window_bytes = self.link.flow.window_bytes();
                self.pings.pong(self.read_bytes, window_bytes);
            }
            Event::Goaway { code } => {
                if code != Code::NO_ERROR {
                    return Some(End::Left(code));
                }
            }
        }
        None
    }

    /// Runs calls until none is awake or the turn's time is up, and hashes in between.
    fn run_calls(&mut self) {
        loop {
            self.running.run(|| self.link.turn_is_over());
            let hashed = self.state.lanes.borrow_mut().end_turn();
            if !hashed && !self.running.has_ready() {
                return;
            }
            if self.link.turn_is_over() {
                self.link.wake();
                return;
            }
        }
    }

    /// Writes as much output as the socket takes.
    fn write(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        if !self.speaks_http2() {
            return Poll::Pending;
        }
        let mut protocol = self.link.protocol.borrow_mut();
        let output = protocol.output();
        let before = output.len();
        while !output.is_empty() {
            match Pin::new(&mut self.socket).poll_write(cx, output) {
                Poll::Ready(Ok(0)) => return Poll::Ready(End::Socket(io::ErrorKind::WriteZero)),
                Poll::Ready(Ok(written)) => {
                    output.advance(written);
                    self.is_flushed = false;
                }
                Poll::Ready(Err(error)) => return Poll::Ready(End::Socket(error.kind())),
                Poll::Pending => break,
            }
        }
        if !self.is_flushed {
            match Pin::new(&mut self.socket).poll_flush(cx) {
                Poll::Ready(Ok(())) => self.is_flushed = true,
                Poll::Ready(Err(error)) => return Poll::Ready(End::Socket(error.kind())),
                Poll::Pending => {}
            }
        }
        let left = output.len();
        if left == 0 && self.is_flushed {
            if output.capacity() > OUTPUT_KEPT_BYTES {
                *output = BytesMut::new();
            }
            self.timers.set(Timer::Unsent, None);
        } else if left < before || !self.timers.is_set(Timer::Unsent) {
            let at = Instant::now() + self.state.process.settings.part_idle_timeout;
            self.timers.set(Timer::Unsent, Some(at));
        }
        self.unsent.set(left);
        let is_over = protocol.is_shut_down() && protocol.streams() == 0 && left == 0;
        drop(protocol);
        if before >= UNSENT_BYTES_MAX && left < UNSENT_BYTES_MAX {
            self.link.unblock();
        }
        if before >= OUTPUT_BYTES_MAX && left < OUTPUT_BYTES_MAX {
            // The socket was not read.
            self.link.wake();
        }
        if is_over && self.is_flushed && self.running.is_empty() {
            return Poll::Ready(End::Closed);
        }
        Poll::Pending
    }

    /// Logs and counts why the connection ended. Returns what is counted.
    fn count(&self, end: &End, came: &Client) -> ConnectionEnd {
        match end {
            End::By(end, why) => {
                tracing::debug!("connection closed: {why}");
                return *end;
            }
            End::Flood(kind) => return self.count_flood(*kind, came),
            // Its header block does not end, or has too many fields.
            End::Broken(Code::ENHANCE_YOUR_CALM) => {
                let seen = self.link.protocol.borrow_mut().take_seen();
                let kind = match seen.frames[FrameKind::Continuation as usize] {
                    0 => FrameKind::Headers,
                    _ => FrameKind::Continuation,
                };
                return self.count_flood(kind, came);
            }
            _ if !self.has_preface() => tracing::debug!("connection ended before its preface"),
            End::Socket(error) => tracing::debug!(%error, "connection ended"),
            End::Broken(code) => tracing::debug!(code = code.name(), "connection ended"),
            End::Left(code) => tracing::debug!(code = code.name(), "the client ended a connection"),
            End::Closed | End::Http1 => {}
        }
        if !self.has_preface() {
            return if self.read_bytes == 0 {
                ConnectionEnd::Unused
            } else {
                ConnectionEnd::Preface
            };
        }
        match end {
            // The client left because the server told it to.
            _ if self.life.is_cut() => self.life.end(),
            End::Closed => ConnectionEnd::Closed,
            _ => ConnectionEnd::Error,
        }
    }

    fn count_flood(&self, kind: FrameKind, came: &Client) -> ConnectionEnd {
        self.state.counters.floods[kind as usize].add(1);
        came.arrivals().flooded(std::time::Instant::now());
        let frames = kind.name();
        tracing::debug!(frames, "connection closed: frames brought nothing");
        ConnectionEnd::Flood
    }

    /// Ends the calls of a connection that is gone, in turns: freeing their parts may take long.
    async fn end_calls(&mut self) {
        self.link.set_gone();
        self.input.discard();
        self.running.wake_all();
        let all = poll_fn(|cx| {
            self.link.begin_turn(cx.waker());
            self.running.run(|| self.link.turn_is_over());
            self.link.end_turn();
            if self.running.has_ready() {
                self.link.wake();
                return Poll::Pending;
            }
            // A call that has not ended waits, and so has nothing to free.
            self.running.clear();
            Poll::Ready(())
        });
        unconstrained(all).await;
    }

    /// Sends the last output, and gives the client time to read it.
    async fn say_goodbye(&mut self, end: &End) {
        let mut output = match end {
            _ if !self.speaks_http2() => BytesMut::new(),
            _ => {
                let mut protocol = self.link.protocol.borrow_mut();
                if let End::Flood(_) = end {
                    protocol.fail(Code::ENHANCE_YOUR_CALM);
                }
                protocol.output().split()
            }
        };
        self.unsent.set(output.len());
        let (link, socket) = (&self.link, &mut self.socket);
        let sending = async {
            socket.write_all_buf(&mut output).await?;
            // TLS writes its close_notify first.
            socket.shutdown().await
        };
        let sent = tokio::select! {
            sent = timeout(GOODBYE_TIMEOUT, sending) => sent.is_ok_and(|sent| sent.is_ok()),
            // The client holds too many unread answers.
            () = link.holding.cut() => false,
        };
        if !sent {
            return;
        }
        let discarding = poll_fn(|cx| {
            for _ in 0..DISCARD_READS {
                self.input.discard();
                let filled = ready!(self.poll_fill(usize::MAX, cx));
                if filled.is_err() || self.input.is_empty() {
                    return Poll::Ready(());
                }
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        });
        let _ = timeout(DISCARD_TIMEOUT, discarding).await;
    }
}
