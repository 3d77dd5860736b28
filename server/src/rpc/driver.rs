//! Drives a session: reads requests while there is room, hands out answers.
//!
//! One poll does it all, in the task of the response body: no task and no
//! channel per stream, and a client that does not read its answers is not read
//! from either, since the body is then not polled.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use std::future::Future as _;
use tokio::time::{Instant, Sleep, sleep_until};
use tonic::Status;

use super::call::Call;
use super::session::{Answer, Session};
use super::status;
use crate::wire::MessageKind;

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

/// A session and the source it reads.
pub(crate) struct Driver<S> {
    session: Session,
    /// `None` after the half-close or a refusal.
    source: Option<S>,
    /// The refusal, until it was handed out.
    refused: Option<Status>,
    call: Call,
    idle_timeout: Duration,
    /// When the client was last heard, or the server last too busy to listen.
    heard: Instant,
    deadline: Option<Instant>,
    /// Wakes for both, armed for the earlier.
    timer: Pin<Box<Sleep>>,
}

impl<S: Source> Driver<S> {
    pub(crate) fn new(kind: MessageKind, source: S, call: Call) -> Self {
        let idle_timeout = call.worker().settings.part_idle_timeout;
        let heard = Instant::now();
        let deadline = call.deadline();
        let first = earlier(heard + idle_timeout, deadline);
        Self {
            session: Session::new(
                kind,
                std::rc::Rc::clone(call.worker()),
                std::rc::Rc::clone(call.share()),
            ),
            source: Some(source),
            refused: None,
            call,
            idle_timeout,
            heard,
            deadline,
            timer: Box::pin(sleep_until(first)),
        }
    }

    /// The next answer, the refusal that ends the stream, or its end.
    pub(crate) fn poll_answer(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Answer, Status>>> {
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
            if self.call.share().is_cut() {
                self.refuse(status::draining());
                continue;
            }
            let mut reading = false;
            if let Some(source) = &mut self.source
                && self.call.share().has_room()
            {
                reading = true;
                let read = source.poll_read(cx, &mut self.session);
                self.call.count_received(self.session.take_messages());
                match read {
                    Poll::Ready(Ok(true)) => {
                        self.heard = Instant::now();
                        continue;
                    }
                    Poll::Ready(Ok(false)) => {
                        self.source = None;
                        self.session.half_close();
                        continue;
                    }
                    Poll::Ready(Err(refusal)) => {
                        self.refuse(refusal);
                        continue;
                    }
                    Poll::Pending => {}
                }
            }
            match self.poll_timer(cx, reading) {
                Poll::Ready(refusal) => self.refuse(refusal),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn refuse(&mut self, refusal: Status) {
        self.source = None;
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
            if !reading {
                self.heard = now;
            }
            let idle_at = self.heard + self.idle_timeout;
            if idle_at <= now {
                return Poll::Ready(status::stream_idle(self.idle_timeout));
            }
            self.timer.as_mut().reset(earlier(idle_at, self.deadline));
        }
        Poll::Pending
    }
}

fn earlier(at: Instant, deadline: Option<Instant>) -> Instant {
    deadline.map_or(at, |deadline| deadline.min(at))
}
