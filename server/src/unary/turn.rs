//! The turn of a call's connection, as unary calls use it.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::http2::Intake;

/// A turn: one poll of the connection. A long call checks for its end between pieces of some tens
/// of microseconds.
#[derive(Clone)]
pub(super) struct Turn(Rc<Intake>);

impl Turn {
    pub(super) fn of(intake: &Rc<Intake>) -> Self {
        Self(Rc::clone(intake))
    }

    /// Whether the turn has lasted long enough. The next turn of the connection polls its calls
    /// before it reads.
    pub(super) fn is_over(&self) -> bool {
        self.0.yields()
    }

    /// Ready if the engine's backlog is low. Otherwise a later turn polls the call again.
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
