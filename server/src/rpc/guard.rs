//! Sees to streams whose answers the client does not take.
//!
//! hyper does not poll a response body while its client has no window open for
//! what came before. So nothing in a body can end such a stream: no deadline,
//! no timeout, no cut. But the task that polls hyper is the server's own: when
//! hyper has had its turn and did not poll the body, the call is polled here.
//! What is overdue ends with the task, and HTTP/2 resets the stream.
//!
//! ```text
//! task: hyper's stream ── polls ──> body ──> Driver / Observed ("polled")
//!       └─ body not polled? ── Guarded::poll_unpolled ──> go on, or the end
//! ```

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::worker::waiting::StreamShare;

/// A call whose body hyper may leave unpolled.
pub(crate) trait Guarded {
    /// Called after each of hyper's turns. Pending at once if the body had its
    /// turn and is pending itself; else ready when the stream is to be dropped.
    fn poll_unpolled(&self, cx: &mut Context<'_>) -> Poll<()>;
}

/// The call that was just begun, on its way from the handler to the executor:
/// hyper spawns a stream's task right after it called the handler.
pub(crate) type Begun = Rc<Cell<Option<Rc<dyn Guarded>>>>;

/// Spawns onto the worker's own runtime.
#[derive(Clone)]
pub(crate) struct Executor {
    begun: Begun,
}

impl Executor {
    pub(crate) fn new(begun: &Begun) -> Self {
        Self {
            begun: Rc::clone(begun),
        }
    }
}

impl<F> hyper::rt::Executor<F> for Executor
where
    F: Future + 'static,
    F::Output: 'static,
{
    fn execute(&self, future: F) {
        match self.begun.take() {
            None => drop(tokio::task::spawn_local(future)),
            Some(guard) => drop(tokio::task::spawn_local(Task {
                future: Box::pin(future),
                guard,
            })),
        }
    }
}

/// A stream's task.
struct Task<F> {
    future: Pin<Box<F>>,
    guard: Rc<dyn Guarded>,
}

impl<F: Future> Future for Task<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.future.as_mut().poll(cx) {
            Poll::Ready(_) => Poll::Ready(()),
            Poll::Pending => self.guard.poll_unpolled(cx),
        }
    }
}

/// The guard of a call that tonic answers: it reads nothing, it only ends.
pub(crate) struct Watch {
    polled: Cell<bool>,
    share: Rc<StreamShare>,
    deadline: Option<Instant>,
    unread_timeout: Duration,
    /// Runs while the body is not polled.
    timer: RefCell<Option<Pin<Box<Sleep>>>>,
}

impl Watch {
    pub(crate) fn new(
        share: &Rc<StreamShare>,
        deadline: Option<Instant>,
        unread_timeout: Duration,
    ) -> Rc<Self> {
        Rc::new(Self {
            polled: Cell::new(false),
            share: Rc::clone(share),
            deadline,
            unread_timeout,
            timer: RefCell::default(),
        })
    }

    /// The call had its turn. If it was ready, another is due in the same turn
    /// of the task.
    pub(crate) fn polled<T>(&self, polled: Poll<T>) -> Poll<T> {
        self.polled.set(polled.is_pending());
        polled
    }
}

impl Guarded for Watch {
    fn poll_unpolled(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut timer = self.timer.borrow_mut();
        if self.polled.take() {
            *timer = None;
            return Poll::Pending;
        }
        self.share.register(cx);
        if self.share.is_cut() {
            return Poll::Ready(());
        }
        let timer = timer.get_or_insert_with(|| {
            let overdue = Instant::now() + self.unread_timeout;
            let at = self.deadline.map_or(overdue, |at| at.min(overdue));
            Box::pin(sleep_until(at))
        });
        ready!(timer.as_mut().poll(cx));
        tracing::debug!("a client did not take its answer in time");
        Poll::Ready(())
    }
}
