//! A client's silence, by the clock of its connection: time in which the server does not
//! read the socket is none of it.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

use super::intake::Intake;

/// When a client has been silent for too long.
pub(crate) struct Idle {
    intake: Rc<Intake>,
    timeout: Duration,
    /// When it was last heard.
    heard: Duration,
    /// Set again only when it fires.
    timer: Pin<Box<Sleep>>,
}

impl Idle {
    pub(crate) fn new(intake: &Rc<Intake>, timeout: Duration) -> Self {
        Self {
            intake: Rc::clone(intake),
            timeout,
            heard: intake.listened(Instant::now()),
            timer: Box::pin(sleep(timeout)),
        }
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Something came.
    pub(crate) fn hear(&mut self) {
        self.heard = self.intake.listened(Instant::now());
    }

    /// Ready when nothing came for too long.
    pub(crate) fn poll_over(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.timer.as_mut().poll(cx));
            let now = Instant::now();
            let silent = self.intake.listened(now).saturating_sub(self.heard);
            let left = self.timeout.saturating_sub(silent);
            if left.is_zero() {
                return Poll::Ready(());
            }
            self.timer.as_mut().reset(now + left);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;
    use crate::limits::Backlog;

    #[tokio::test]
    async fn silence_does_not_count_while_the_socket_is_not_read() {
        const TIMEOUT: Duration = Duration::from_millis(1);
        let backlog = Backlog::new();
        let intake = Intake::new(&backlog, 1);
        let may_read = |cx: &mut Context<'_>| intake.poll_may_read(cx, false);
        backlog.set(usize::MAX, true);
        assert!(poll_fn(|cx| Poll::Ready(may_read(cx).is_pending())).await);
        let mut idle = Idle::new(&intake, TIMEOUT);
        // The timer fires time and again meanwhile.
        let start = Instant::now();
        while start.elapsed() < 5 * TIMEOUT {
            assert!(poll_fn(|cx| Poll::Ready(idle.poll_over(cx).is_pending())).await);
            tokio::task::yield_now().await;
        }
        backlog.set(0, true);
        assert!(poll_fn(|cx| Poll::Ready(may_read(cx).is_ready())).await);
        poll_fn(|cx| idle.poll_over(cx)).await;
    }
}
