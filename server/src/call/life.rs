//! What ends a call before its client does, both for streams and for unary calls.
//!
//! | timer | ends the call with |
//! |---|---|
//! | Deadline | DEADLINE_EXCEEDED: the client's own `grpc-timeout` |
//! | Silence | nothing received for `part_idle_timeout` while the call waits for its client |
//! | Rate | less than `part_rate_bytes_per_second_min` received (rate.rs) |
//! | Unread | answers not read for `part_idle_timeout`; the stream is reset |
//! | HalfClose | a draining stream without parts that is not half-closed |
//! | Paid | does not end it: releases window that the client's rate held back (http2/flow.rs) |
//!
//! Silence and Rate use the connection's clock, which stops while the server does not read the
//! socket (http2/link.rs). At the drain and the cut the connection wakes all its calls.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;
use tonic::{Code, Status};

use super::Call;
use super::rate::Rate;
use crate::http2::{Gone, Link, Receive, Respond, StreamFlow};
use crate::status;
use crate::timers::Timers;

/// Time for the half-close, once the connection drains and the stream has ended its parts. Clients
/// send the half-close right after the last message, unless they keep the stream open for later
/// parts.
const HALF_CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Shortest time until a timer is set again. While the connection's clock stands still, the time that
/// is left does not shrink.
const TICK: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timer {
    Deadline,
    Silence,
    Rate,
    Unread,
    HalfClose,
    Paid,
}

/// The life of one call, shared by its reader and its writer.
pub(crate) struct Life {
    call: Rc<Call>,
    link: Rc<Link>,
    flow: Rc<StreamFlow>,
    /// How long a client may be silent or leave answers unread.
    timeout: Duration,
    /// When the client was last heard, on its connection's clock.
    heard: Cell<Duration>,
    /// The call waits for its client to send.
    is_reading: Cell<bool>,
    /// The call waits for nothing more.
    is_over: Cell<bool>,
    rate: RefCell<Option<Rate>>,
    timers: RefCell<Timers<Timer, 6>>,
}

impl Life {
    /// For a unary call.
    pub(crate) fn new(call: &Rc<Call>, receive: &Receive) -> Self {
        use Timer::{Deadline, HalfClose, Paid, Rate, Silence, Unread};
        let now = Instant::now();
        let timeout = call.state().process.settings.part_idle_timeout;
        let mut timers = Timers::new([Deadline, Silence, Rate, Unread, HalfClose, Paid]);
        timers.set(Deadline, call.deadline());
        timers.set(Silence, Some(now + timeout));
        Self {
            call: Rc::clone(call),
            link: Rc::clone(receive.link()),
            flow: Rc::clone(receive.flow()),
            timeout,
            heard: Cell::new(receive.link().listened(now)),
            is_reading: Cell::new(false),
            is_over: Cell::new(false),
            rate: RefCell::default(),
            timers: RefCell::new(timers),
        }
    }

    /// For a stream of parts, which has a minimum rate.
    pub(crate) fn of_stream(call: &Rc<Call>, receive: &Receive) -> Self {
        let life = Self::new(call, receive);
        let rate = Rate::new(&call.state().process.settings, life.heard.get());
        let window_ends = rate.as_ref().map(|rate| Instant::now() + rate.window());
        life.timers.borrow_mut().set(Timer::Rate, window_ends);
        life.rate.replace(rate);
        life
    }

    /// Records that the client was heard.
    pub(crate) fn hear(&self) {
        self.heard.set(self.link.listened(self.link.now()));
    }

    /// Starts a window of the minimum rate, because a part is open again. `received_bytes` were
    /// received before it.
    pub(super) fn restart_rate(&self, received_bytes: u64) {
        if let Some(rate) = &mut *self.rate.borrow_mut() {
            rate.restart(self.heard.get(), received_bytes);
        }
    }

    /// Sets whether the call waits for its client to send.
    pub(crate) fn set_reading(&self, is_reading: bool) {
        self.is_reading.set(is_reading);
    }

    /// The connection drains and the stream has no more answers to send.
    pub(super) fn await_half_close(&self) {
        let mut timers = self.timers.borrow_mut();
        if !timers.is_set(Timer::HalfClose) {
            let at = Instant::now() + HALF_CLOSE_TIMEOUT;
            timers.set(Timer::HalfClose, Some(at));
        }
    }

    /// Whether the client's windows block an answer.
    pub(crate) fn is_blocked(&self) -> bool {
        self.timers.borrow().is_set(Timer::Unread)
    }

    /// Whether the call's end waits for the client to take answers.
    pub(super) fn awaits_client(&self) -> bool {
        self.is_blocked() && !self.is_over.get()
    }

    /// Sends as much of `bytes` as the client's windows allow, and leaves the rest.
    ///
    /// # Errors
    /// The stream is gone.
    pub(crate) fn poll_write(
        &self,
        cx: &mut Context<'_>,
        respond: &mut Respond,
        bytes: &mut Bytes,
    ) -> Poll<Result<(), Gone>> {
        let written = respond.poll_data(cx, bytes);
        let mut timers = self.timers.borrow_mut();
        if written.is_ready() {
            timers.set(Timer::Unread, None);
        } else if !timers.is_set(Timer::Unread) {
            timers.set(Timer::Unread, Some(Instant::now() + self.timeout));
        }
        written
    }

    /// Ready when the call owes the client's rate nothing. A draining call does not wait for that.
    pub(crate) fn poll_paid(&self, cx: &Context<'_>) -> Poll<()> {
        match self.flow.poll_paid(cx) {
            Poll::Pending if !self.call.is_draining() => Poll::Pending,
            _ => Poll::Ready(()),
        }
    }

    /// Ready when the server ends the call. `received_bytes` is set for a stream that waits for
    /// bytes of a part.
    pub(crate) fn poll_end(
        &self,
        cx: &mut Context<'_>,
        received_bytes: Option<u64>,
    ) -> Poll<Status> {
        self.call.mailbox().register(cx);
        if let Some(status) = self.call.ends() {
            self.is_over.set(true);
            return Poll::Ready(status);
        }
        if self.flow.take_owed() {
            // The client may have had no window to send anything, or not enough.
            self.hear();
            if let Some(bytes) = received_bytes {
                self.restart_rate(bytes);
            }
        }
        let mut timers = self.timers.borrow_mut();
        timers.set(Timer::Paid, self.flow.paid_at().map(Instant::from_std));
        while let Poll::Ready(timer) = timers.poll(cx) {
            let now = Instant::now();
            let listened = self.link.listened(now);
            match timer {
                Timer::Deadline => {
                    self.is_over.set(true);
                    return Poll::Ready(status::deadline());
                }
                Timer::HalfClose => return Poll::Ready(status::draining()),
                Timer::Unread => {
                    self.is_over.set(true);
                    // Stay blocked, so that the call's end knows it.
                    timers.set(Timer::Unread, Some(now + self.timeout));
                    return Poll::Ready(status::answers_not_taken(self.timeout));
                }
                Timer::Silence => {
                    let silent = listened.saturating_sub(self.heard.get());
                    let left = match self.is_reading.get() {
                        true => self.timeout.saturating_sub(silent),
                        false => self.timeout,
                    };
                    if left.is_zero() {
                        return Poll::Ready(status::stream_idle(self.timeout));
                    }
                    timers.set(Timer::Silence, Some(now + left.max(TICK)));
                }
                Timer::Rate => {
                    let mut rate = self.rate.borrow_mut();
                    let Some(rate) = &mut *rate else { continue };
                    let is_slow = rate.is_slow(listened, received_bytes);
                    if is_slow {
                        let (min, window) = (rate.bytes_per_second_min(), rate.window());
                        return Poll::Ready(status::stream_slow(min, window));
                    }
                    let left = rate.due().saturating_sub(listened);
                    timers.set(Timer::Rate, Some(now + left.max(TICK)));
                }
                Timer::Paid => {
                    // Wake the call, which checks again whether it still owes bytes.
                    let _ = self.flow.poll_paid(cx);
                    cx.waker().wake_by_ref();
                    timers.set(Timer::Paid, self.flow.paid_at().map(Instant::from_std));
                }
            }
        }
        Poll::Pending
    }

    /// Ends the call with a status. If the client does not read its answers, it would not read the
    /// status either, so the stream is reset.
    pub(crate) fn end(&self, respond: &mut Respond, status: &Status) {
        match status.code() {
            Code::Ok => self.call.end(Code::Ok),
            _ => self.call.refuse(status),
        }
        if self.is_blocked() {
            tracing::debug!(code = ?status.code(), "the client of a call does not take its answers");
            respond.reset();
        } else {
            respond.end(status);
        }
    }
}
