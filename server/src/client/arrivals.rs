//! Decides when a client's next connection is served: now, later or never.
//!
//! | | served later | refused |
//! |---|---|---|
//! | its token bucket of `client_connections_per_second` is empty | when the debt is paid | if the debt exceeds [`DELAY_MAX`] |
//! | the server recently closed its connections for floods | after [`FLOOD_DELAY_MIN`], doubled for each flood | |
//!
//! A closed connection costs a flooding client nothing if it can reconnect at once, because the new
//! connection has full credit (http2/credit.rs). A delayed connection costs the server only a
//! descriptor.
//!
//! Why delay: closing each new connection costs the server an accept, some 6 us, and the client
//! nothing. With 8 connections of the flood `churn`, an honest client keeps 1.34 times the
//! throughput it has next to a process with the same CPU time (docs/measurements.md, What does a
//! flood cost).

use std::time::{Duration, Instant};

use crate::limiter::TokenBucket;

/// A full bucket holds the connections of this time.
const BURST: Duration = Duration::from_secs(2);

/// The longest wait.
const DELAY_MAX: Duration = Duration::from_secs(5);

/// The delay after the first flood.
const FLOOD_DELAY_MIN: Duration = Duration::from_millis(20);

/// Half of the floods are forgotten after this time without a flood.
const HALF_LIFE: Duration = Duration::from_secs(5);

/// The recent connections of one client.
#[derive(Debug)]
pub(crate) struct Arrivals {
    connections: TokenBucket,
    /// Connections closed for floods, halved for each half-life.
    floods: u32,
    last_flood: Instant,
}

impl Arrivals {
    pub(crate) fn new(per_second: u32, now: Instant) -> Self {
        Self {
            connections: TokenBucket::new(per_second.into(), Duration::from_secs(1), BURST, now),
            floods: 0,
            last_flood: now,
        }
    }

    /// Returns the delay of a new connection; `None` if the server closes it.
    pub(crate) fn arrive(&mut self, now: Instant) -> Option<Duration> {
        let by_rate = self.connections.wait(1, now);
        if by_rate > DELAY_MAX {
            return None;
        }
        self.connections.borrow(1, now);
        Some(by_rate.max(self.flood_delay(now)))
    }

    /// Records a connection that was closed for a flood.
    pub(crate) fn flooded(&mut self, now: Instant) {
        self.floods = self.floods_lately(now).saturating_add(1);
        self.last_flood = now;
    }

    /// Whether a new client would be served sooner.
    pub(crate) fn matters(&self, now: Instant) -> bool {
        !self.connections.is_full(now) || self.floods_lately(now) > 0
    }

    fn floods_lately(&self, now: Instant) -> u32 {
        let since = now.saturating_duration_since(self.last_flood);
        let halves = since.as_secs() / HALF_LIFE.as_secs();
        let halves = u32::try_from(halves).unwrap_or(u32::MAX);
        self.floods.checked_shr(halves).unwrap_or(0)
    }

    fn flood_delay(&self, now: Instant) -> Duration {
        let Some(doublings) = self.floods_lately(now).checked_sub(1) else {
            return Duration::ZERO;
        };
        let factor = 1_u32.checked_shl(doublings).unwrap_or(u32::MAX);
        FLOOD_DELAY_MIN.saturating_mul(factor).min(DELAY_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Number of simultaneous connections that are delayed by less than `delay`.
    fn burst(arrivals: &mut Arrivals, now: Instant, delay: Duration) -> usize {
        std::iter::from_fn(|| arrivals.arrive(now))
            .take_while(|wait| *wait < delay)
            .count()
    }

    #[test]
    fn a_burst_is_served_at_once_and_what_follows_at_the_rate() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(100, start);
        assert_eq!(burst(&mut arrivals, start, ms(1)), 200);
        // The connection that ended the count already waits.
        assert_eq!(arrivals.arrive(start), Some(ms(20)));
        assert_eq!(arrivals.arrive(start + ms(10)), Some(ms(20)));
        assert_eq!(arrivals.arrive(start + ms(1030)), Some(ms(0)));
    }

    #[test]
    fn no_connection_waits_long_and_the_rest_are_refused() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(100, start);
        assert_eq!(burst(&mut arrivals, start, Duration::MAX), 700);
        assert_eq!(arrivals.arrive(start), None);
        // A refused connection takes no token.
        assert_eq!(arrivals.arrive(start + ms(10)), Some(DELAY_MAX));
        let after = start + Duration::from_secs(3600);
        assert_eq!(burst(&mut arrivals, after, ms(1)), 200);
    }

    #[test]
    fn each_flood_doubles_the_wait_up_to_its_bound() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(1000, start);
        let mut waits = Vec::new();
        for _ in 0..10 {
            waits.push(arrivals.arrive(start).unwrap().as_millis());
            arrivals.flooded(start);
        }
        assert_eq!(waits, [0, 20, 40, 80, 160, 320, 640, 1280, 2560, 5000]);
        (0..1000).for_each(|_| arrivals.flooded(start));
        assert_eq!(arrivals.arrive(start), Some(DELAY_MAX));
    }

    #[test]
    fn floods_are_forgotten_by_halves() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(1000, start);
        (0..9).for_each(|_| arrivals.flooded(start));
        let after = |seconds| start + Duration::from_secs(seconds);
        let lately = [0, 4, 5, 10, 15, 20, 10_000].map(|s| arrivals.floods_lately(after(s)));
        assert_eq!(lately, [9, 9, 4, 2, 1, 0, 0]);
        arrivals.flooded(after(10));
        assert_eq!(arrivals.floods_lately(after(10)), 3);
        assert!(arrivals.matters(after(14)));
        assert!(!arrivals.matters(after(20)));
    }

    #[test]
    fn a_client_that_came_often_is_remembered() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(1000, start);
        assert!(!arrivals.matters(start));
        arrivals.arrive(start);
        assert!(arrivals.matters(start));
        assert!(!arrivals.matters(start + ms(1)));
    }
}
