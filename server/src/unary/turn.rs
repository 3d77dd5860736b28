//! The turn of a call's connection, which calls of one message keep to.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::http2::Intake;

/// A turn, which is one poll of the connection. A call that has much to do looks between
/// pieces whether it is over: some tens of microseconds each.
#[derive(Clone)]
pub(super) struct Turn(Rc<Intake>);

impl Turn {
    pub(super) fn of(intake: &Rc<Intake>) -> Self {
        Self(Rc::clone(intake))
    }

    /// Whether it has lasted long enough. The connection then comes back to its calls before it
    /// reads.
    pub(super) fn is_over(&self) -> bool {
        self.0.yields()
    }

    /// Ready if the engine's backlog is low. If not, a later turn polls the call again.
    pub(super) fn poll_low_backlog(&self, cx: &Context<'_>) -> Poll<()> {
        self.0.poll_low_backlog(cx)
    }

    /// Waits for the next turn if this one has lasted long enough.
    pub(super) async fn pause(&self) {
        poll_fn(|cx| {
            if self.is_over() {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
    }
}
