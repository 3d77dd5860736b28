//! Drives a session: reads requests while there is room, hands out answers.
//!
//! One poll does it all, in the task of the response body: no task and no
//! channel per stream.
//!
//! ```text
//! client takes its answers      poll_answer    reads, answers
//! client does not               poll_unpolled  reads on, queues a bounded
//!                                              number of answers, and ends
//!                                              what is overdue (guard.rs)
//! ```
//!
//! It reads on although answers wait, because what is not read piles up where
//! only its bytes are bounded, not its frames: in HTTP/2's buffers.
//!
//! One timer serves the deadline, the idle timeout, the least rate and answers
//! that are not taken. Time in which the server did not read, for want of room
//! (worker/waiting.rs), is nobody's fault and is not counted.

use std::cell::RefCell;
use std::future::Future as _;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};
use tonic::Status;

use super::call::Call;
use super::guard::Guarded;
use super::rate::Rate;
use super::session::{Answer, Session};
use super::status;
use crate::intake::{Closed, SMALL_BYTES};
use crate::wire::MessageKind;
use crate::worker::unread::{ANSWERS_ENOUGH, ANSWERS_UNREAD_MAX};

/// Where a stream's messages come from.
pub(crate) trait Source {
    /// Reads on and applies what was read to `session`. `Ok(false)` is the
    /// half-close.
    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        session: &mut Session,
    ) -> Poll<Result<bool, Status>>;
}

/// A session and the source it reads, shared by the body and its guard.
pub(crate) struct Driver<S>(Rc<RefCell<State<S>>>);

impl<S: Source + 'static> Driver<S> {
    pub(crate) fn new(kind: MessageKind, source: S, call: Call) -> Self {
        Self(Rc::new(RefCell::new(State::new(kind, source, call))))
    }

    /// What polls the session when nobody polls the body.
    pub(crate) fn guard(&self) -> Rc<dyn Guarded> {
        self.0.borrow_mut().guarded = true;
        Rc::clone(&self.0) as Rc<dyn Guarded>
    }

    /// The next answer, the refusal that ends the stream, or its end.
    pub(crate) fn poll_answer(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Answer, Status>>> {
        let mut state = self.0.borrow_mut();
        let answer = state.poll_answer(cx);
        state.polled = answer.is_pending();
        answer
    }
}

impl<S: Source> Guarded for RefCell<State<S>> {
    fn poll_unpolled(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.borrow_mut().poll_unpolled(cx)
    }
}

struct State<S> {
    session: Session,
    /// `None` after the half-close or a refusal.
    source: Option<S>,
    /// The refusal, until it was handed out.
    refused: Option<Status>,
    call: Call,
    idle_timeout: Duration,
    /// When the client was last heard, or the server last began to listen.
    heard: Instant,
    /// Not read since `heard`, for want of room.
    paused: bool,
    /// The last frame brought few bytes: its like are better left in the
    /// socket than in HTTP/2's buffers.
    small: bool,
    closed: Option<Closed>,
    rate: Option<Rate>,
    deadline: Option<Instant>,
    /// Wakes for all of them, armed for the earliest.
    timer: Pin<Box<Sleep>>,
    /// There is a guard, so the session is polled even if the body is not. Only
    /// then may it close the gate, or nobody might open it.
    guarded: bool,
    /// The body had its turn and waits.
    polled: bool,
    unread: Option<Unread>,
}

/// A client that does not take its answers.
struct Unread {
    since: Instant,
    /// What its connection was charged for the answers behind.
    charged_bytes: usize,
}

/// What came of an attempt to read.
enum Read {
    /// Something, or the end of the source.
    Something,
    /// Nothing yet.
    Nothing,
    /// The server did not try.
    Off,
}

impl<S: Source> State<S> {
    fn new(kind: MessageKind, source: S, call: Call) -> Self {
        let settings = &call.worker().settings;
        let idle_timeout = settings.part_idle_timeout;
        let heard = Instant::now();
        let rate = Rate::new(settings, heard);
        let deadline = call.deadline();
        let first = heard + idle_timeout;
        let first = earlier(first, rate.as_ref().map(Rate::due));
        Self {
            session: Session::new(kind, Rc::clone(call.worker()), Rc::clone(call.share())),
            source: Some(source),
            refused: None,
            idle_timeout,
            heard,
            paused: false,
            small: false,
            closed: None,
            rate,
            deadline,
            timer: Box::pin(sleep_until(earlier(first, deadline))),
            guarded: false,
            polled: false,
            unread: None,
            call,
        }
    }

    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Answer, Status>>> {
        self.taken();
        self.call.share().register(cx);
        loop {
            self.session.collect();
            if let Some(answer) = self.session.pop_answer() {
                self.call.count_sent(1);
                return Poll::Ready(Some(Ok(answer)));
            }
            if let Some(refusal) = self.refused.take() {
                self.call.end(refusal.code());
                return Poll::Ready(Some(Err(refusal)));
            }
            if self.source.is_none() && self.session.is_done() {
                self.call.end(tonic::Code::Ok);
                return Poll::Ready(None);
            }
            if let Some(refusal) = ready!(self.poll_on(cx)) {
                self.refuse(refusal);
            }
        }
    }

    /// Goes on without the client's taking its answers. Ready when the stream
    /// is to be dropped: no status can reach the client.
    fn poll_unpolled(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::take(&mut self.polled) {
            return Poll::Pending;
        }
        self.call.share().register(cx);
        self.unread.get_or_insert_with(|| Unread {
            since: Instant::now(),
            charged_bytes: 0,
        });
        loop {
            self.session.collect();
            self.charge_unread();
            let ended =
                if self.source.is_some() && self.session.answers_waiting() >= ANSWERS_UNREAD_MAX {
                    Some(status::answers_piled_up(ANSWERS_UNREAD_MAX))
                } else {
                    ready!(self.poll_on(cx))
                };
            if let Some(refusal) = ended {
                tracing::debug!(
                    code = ?refusal.code(),
                    "a stream ended whose client does not take its answers"
                );
                self.call.end(refusal.code());
                self.refuse(refusal);
                return Poll::Ready(());
            }
        }
    }

    /// Reads on. Ready when there is something to look at, with what ends the
    /// stream if anything does.
    fn poll_on(&mut self, cx: &mut Context<'_>) -> Poll<Option<Status>> {
        if self.call.share().is_cut() {
            return Poll::Ready(Some(status::draining()));
        }
        let reading = match self.poll_source(cx) {
            Read::Something => return Poll::Ready(None),
            Read::Nothing => true,
            Read::Off => false,
        };
        self.poll_timer(cx, reading).map(Some)
    }

    fn poll_source(&mut self, cx: &mut Context<'_>) -> Read {
        let Some(source) = &mut self.source else {
            return Read::Off;
        };
        if self.session.is_busy() || !self.call.share().has_room() {
            self.paused = true;
            if self.small && self.guarded && self.closed.is_none() {
                self.closed = Some(self.call.connection().gate.close());
            }
            return Read::Off;
        }
        self.closed = None;
        if !self.small && self.unread.is_some() && self.session.answers_waiting() >= ANSWERS_ENOUGH
        {
            return Read::Off;
        }
        let before_bytes = self.session.received_bytes();
        let idle = self.session.is_empty();
        let read = source.poll_read(cx, &mut self.session);
        self.call.count_received(self.session.take_messages());
        match read {
            Poll::Ready(Ok(true)) => {
                self.listen(Instant::now());
                self.small = self.session.received_bytes() - before_bytes < SMALL_BYTES as u64;
                if let Some(rate) = &mut self.rate
                    && idle
                {
                    rate.restart(self.heard, self.session.received_bytes());
                }
            }
            Poll::Ready(Ok(false)) => {
                self.source = None;
                if let Err(refusal) = self.session.half_close() {
                    self.refuse(refusal);
                }
            }
            Poll::Ready(Err(refusal)) => self.refuse(refusal),
            Poll::Pending => {
                if self.paused {
                    self.listen(Instant::now());
                }
                return Read::Nothing;
            }
        }
        Read::Something
    }

    /// The client was heard, or is listened to again.
    fn listen(&mut self, now: Instant) {
        if std::mem::take(&mut self.paused)
            && let Some(rate) = &mut self.rate
        {
            rate.pause(now - self.heard);
        }
        self.heard = now;
    }

    fn refuse(&mut self, refusal: Status) {
        self.source = None;
        self.closed = None;
        self.session.abort();
        self.refused = Some(refusal);
    }

    /// The timer is set anew only when it fires: most streams end before.
    fn poll_timer(&mut self, cx: &mut Context<'_>, reading: bool) -> Poll<Status> {
        while self.timer.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            if self.deadline.is_some_and(|deadline| deadline <= now) {
                return Poll::Ready(status::deadline());
            }
            let unread_at = self.unread.as_ref().map(|u| u.since + self.idle_timeout);
            if unread_at.is_some_and(|at| at <= now) {
                return Poll::Ready(status::answers_not_taken(self.idle_timeout));
            }
            if !reading {
                self.listen(now);
                self.paused = self.source.is_some();
            }
            let idle_at = self.heard + self.idle_timeout;
            if idle_at <= now {
                return Poll::Ready(status::stream_idle(self.idle_timeout));
            }
            let mut next = earlier(idle_at, unread_at);
            if let Some(rate) = &mut self.rate {
                let is_slow = rate.is_slow(now, self.session.received_bytes());
                if is_slow && reading && self.session.is_receiving() {
                    return Poll::Ready(status::stream_slow(
                        rate.bytes_per_second_min(),
                        rate.window(),
                    ));
                }
                next = next.min(rate.due());
            }
            self.timer.as_mut().reset(earlier(next, self.deadline));
        }
        Poll::Pending
    }

    /// The client takes its answers.
    fn taken(&mut self) {
        if let Some(unread) = self.unread.take() {
            self.call.connection().reader.credit(unread.charged_bytes);
        }
    }

    /// Charges the connection for the answers that wait.
    fn charge_unread(&mut self) {
        if let Some(unread) = &mut self.unread {
            let bytes = self.session.answers_bytes();
            if bytes > unread.charged_bytes {
                self.call
                    .connection()
                    .reader
                    .charge(bytes - unread.charged_bytes);
                unread.charged_bytes = bytes;
            }
        }
    }
}

impl<S> Drop for State<S> {
    fn drop(&mut self) {
        if let Some(unread) = self.unread.take() {
            self.call.connection().reader.credit(unread.charged_bytes);
        }
    }
}

fn earlier(at: Instant, other: Option<Instant>) -> Instant {
    other.map_or(at, |other| other.min(at))
}
