//! A token bucket. It limits every rate.
//!
//! A bucket starts full, and holds at most the tokens of the time `burst`. Time refills it, at
//! `tokens` per `period`. Its only state is the instant at which it is full again (the generic cell
//! rate algorithm, ITU-T I.371), so nothing runs while it refills:
//!
//! ```text
//!   empty                now                    full
//! ────┼───────────────────┼──────────────────────┼──> time
//!     │<── tokens left ──>│<── tokens missing ──>│
//!     │<──────────────── burst ─────────────────>│
//! ```
//!
//! If `empty` is later than `now`, the bucket is in debt.

use std::time::{Duration, Instant};

/// A token bucket; see the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenBucket {
    tokens: u64,
    period: Duration,
    burst: Duration,
    full_at: Instant,
}

impl TokenBucket {
    /// A full bucket that gains `tokens` per `period`, and holds the tokens of `burst`.
    pub(crate) fn new(tokens: u64, period: Duration, burst: Duration, now: Instant) -> Self {
        Self {
            tokens: tokens.max(1),
            period,
            burst,
            full_at: now,
        }
    }

    /// Takes `count` tokens if the bucket has them.
    pub(crate) fn take(&mut self, count: u64, now: Instant) -> bool {
        let has_them = self.wait(count, now).is_zero();
        if has_them {
            self.borrow(count, now);
        }
        has_them
    }

    /// Takes `count` tokens, or all it has; returns whether it had `count`.
    pub(crate) fn take_up_to(&mut self, count: u64, now: Instant) -> bool {
        let had_them = self.take(count, now);
        if !had_them {
            self.full_at = self.full_at.max(now + self.burst);
        }
        had_them
    }

    /// Takes `count` tokens, going into debt if the bucket has fewer.
    pub(crate) fn borrow(&mut self, count: u64, now: Instant) {
        let full_at = self.full_at.max(now);
        self.full_at = full_at.checked_add(self.time(count)).unwrap_or(full_at);
    }

    /// Adds `count` tokens, up to the burst.
    pub(crate) fn give(&mut self, count: u64) {
        // Tokens beyond the burst are lost when tokens are taken next.
        let full_at = self.full_at.checked_sub(self.time(count));
        self.full_at = full_at.unwrap_or(self.full_at);
    }

    /// Time until the bucket has `count` tokens. For 0: until it is no longer in debt.
    pub(crate) fn wait(&self, count: u64, now: Instant) -> Duration {
        let missing = self.full_at.saturating_duration_since(now);
        missing
            .saturating_add(self.time(count))
            .saturating_sub(self.burst)
    }

    pub(crate) fn is_full(&self, now: Instant) -> bool {
        self.full_at <= now
    }

    /// Time in which the bucket gains `count` tokens.
    fn time(&self, count: u64) -> Duration {
        let nanos = self.period.as_nanos() * u128::from(count) / u128::from(self.tokens);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// 10 tokens per second, 20 at most.
    fn bucket(now: Instant) -> TokenBucket {
        TokenBucket::new(10, SECOND, 2 * SECOND, now)
    }

    #[test]
    fn a_full_bucket_has_its_burst_and_refills_at_its_rate() {
        let start = Instant::now();
        let mut bucket = bucket(start);
        assert!(!bucket.take(21, start));
        assert!(bucket.take(20, start) && !bucket.take(1, start));
        assert!(!bucket.take(1, start + ms(99)));
        assert!(bucket.take(1, start + ms(100)));
        assert!(!bucket.take(1, start + ms(199)));
        assert!(bucket.take(1, start + ms(200)));
    }

    #[test]
    fn time_never_fills_it_beyond_the_burst() {
        let start = Instant::now();
        let mut bucket = bucket(start);
        let later = start + 3600 * SECOND;
        assert!(bucket.is_full(later) && !bucket.take(21, later));
        assert!(bucket.take(20, later) && !bucket.take(1, later));
        // Neither does a clock that another thread read a moment earlier.
        assert!(!bucket.take(1, start));
    }

    #[test]
    fn tokens_that_are_given_count_up_to_the_burst() {
        let start = Instant::now();
        let mut bucket = bucket(start);
        bucket.borrow(20, start);
        bucket.give(5);
        assert!(bucket.take(5, start) && !bucket.take(1, start));
        bucket.give(1000);
        assert!(bucket.is_full(start));
        assert!(bucket.take(20, start) && !bucket.take(1, start));
    }

    #[test]
    fn take_up_to_empties_the_bucket_and_leaves_no_debt() {
        let start = Instant::now();
        let mut bucket = bucket(start);
        assert!(bucket.take_up_to(15, start));
        assert!(!bucket.take_up_to(6, start));
        assert_eq!(bucket.wait(0, start), Duration::ZERO);
        assert_eq!(bucket.wait(1, start), ms(100));
        // A debt stays unchanged.
        bucket.borrow(10, start);
        assert!(!bucket.take_up_to(1, start));
        assert_eq!(bucket.wait(0, start), SECOND);
    }

    #[test]
    fn debts_are_paid_at_the_rate() {
        let start = Instant::now();
        let mut bucket = bucket(start);
        bucket.borrow(50, start);
        assert_eq!(bucket.wait(0, start), 3 * SECOND);
        assert_eq!(bucket.wait(1, start + SECOND), ms(2100));
        assert!(!bucket.is_full(start + ms(4999)) && bucket.is_full(start + ms(5000)));
        assert!(bucket.take(1, start + ms(3100)));
    }

    #[test]
    fn rates_are_exact_from_the_smallest_to_the_largest() {
        let start = Instant::now();
        for (tokens, period, count, time) in [
            (8, 3600 * SECOND, 1, 450 * SECOND),
            (3, SECOND, 3_000_000, 1_000_000 * SECOND),
            (100_000_000_000, SECOND, 25_000_000_000, ms(250)),
            (0, SECOND, 2, 2 * SECOND),
        ] {
            let mut bucket = TokenBucket::new(tokens, period, Duration::ZERO, start);
            bucket.borrow(count, start);
            assert_eq!(bucket.wait(0, start), time, "{tokens}");
        }
        // A debt beyond the range of an instant neither panics nor wraps.
        let mut bucket = TokenBucket::new(1, 3600 * SECOND, SECOND, start);
        for _ in 0..100 {
            bucket.borrow(u64::MAX, start);
            assert!(bucket.wait(u64::MAX, start) > SECOND);
        }
    }
}
