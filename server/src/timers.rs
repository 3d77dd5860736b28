//! The timers of one connection or of one call: a table of times, and one sleep for all.
//!
//! To set or clear a timer is a store. The sleep moves only when a timer is earlier than it, and
//! when it fires: most timers are cleared or moved before that, and each move of a sleep takes the
//! lock of tokio's timer wheel. quinn-proto has a table of the same kind (connection/timer.rs).

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::time::{Instant, Sleep, sleep_until};

/// A timer for each of `N` kinds.
#[derive(Debug)]
pub(crate) struct Timers<K, const N: usize> {
    at: [(K, Option<Instant>); N],
    sleep: Option<Pin<Box<Sleep>>>,
}

impl<K: Copy + PartialEq, const N: usize> Timers<K, N> {
    /// Timers of these kinds, none of them set.
    pub(crate) fn new(kinds: [K; N]) -> Self {
        Self {
            at: kinds.map(|kind| (kind, None)),
            sleep: None,
        }
    }

    /// Sets the timer of a kind, or clears it. The task that polls this must poll it afterwards.
    pub(crate) fn set(&mut self, kind: K, at: Option<Instant>) {
        for timer in &mut self.at {
            if timer.0 == kind {
                timer.1 = at;
            }
        }
    }

    /// Sets the timer of a kind, unless it is earlier.
    pub(crate) fn set_earlier(&mut self, kind: K, at: Instant) {
        for timer in &mut self.at {
            if timer.0 == kind {
                timer.1 = Some(timer.1.map_or(at, |set| set.min(at)));
            }
        }
    }

    /// Whether the timer of a kind is set.
    pub(crate) fn is_set(&self, kind: K) -> bool {
        let mut set = self.at.iter().filter(|timer| timer.1.is_some());
        set.any(|timer| timer.0 == kind)
    }

    /// Ready when a timer has expired: clears it and returns its kind.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<K> {
        loop {
            let earliest = |timer: &(K, Option<Instant>)| timer.1.map(|at| (at, timer.0));
            let next = self
                .at
                .iter()
                .filter_map(earliest)
                .min_by_key(|(at, _)| *at);
            let Some((at, kind)) = next else {
                return Poll::Pending;
            };
            let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(at)));
            if at < sleep.deadline() {
                sleep.as_mut().reset(at);
            }
            ready!(sleep.as_mut().poll(cx));
            if at <= Instant::now() {
                self.set(kind, None);
                return Poll::Ready(kind);
            }
            // The timer that it was set for was moved or cleared.
            sleep.as_mut().reset(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Kind {
        A,
        B,
    }

    #[tokio::test(start_paused = true)]
    async fn timers_expire_in_their_order_each_once() {
        let start = Instant::now();
        let at = |ms| Some(start + Duration::from_millis(ms));
        let mut timers = Timers::new([Kind::A, Kind::B]);
        timers.set(Kind::A, at(30));
        timers.set(Kind::B, at(10));
        assert_eq!(poll_fn(|cx| timers.poll(cx)).await, Kind::B);
        assert_eq!(start.elapsed(), Duration::from_millis(10));
        // An earlier one than the sleep is set for.
        timers.set(Kind::B, at(20));
        assert_eq!(poll_fn(|cx| timers.poll(cx)).await, Kind::B);
        assert_eq!(start.elapsed(), Duration::from_millis(20));
        assert!(timers.is_set(Kind::A) && !timers.is_set(Kind::B));
        // The sleep fires at 30 ms and finds nothing.
        timers.set(Kind::A, at(40));
        assert_eq!(poll_fn(|cx| timers.poll(cx)).await, Kind::A);
        assert_eq!(start.elapsed(), Duration::from_millis(40));
        assert!(poll_fn(|cx| Poll::Ready(timers.poll(cx).is_pending())).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_cleared_timer_does_not_expire() {
        let start = Instant::now();
        let mut timers = Timers::new([Kind::A, Kind::B]);
        for kind in [Kind::A, Kind::B] {
            timers.set(kind, Some(start + Duration::from_secs(1)));
        }
        assert!(poll_fn(|cx| Poll::Ready(timers.poll(cx).is_pending())).await);
        timers.set(Kind::A, None);
        assert_eq!(poll_fn(|cx| timers.poll(cx)).await, Kind::B);
        assert!(!timers.is_set(Kind::A));
    }
}
