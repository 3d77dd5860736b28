//! Limits restarts of workers.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::limiter::TokenBucket;

/// Restarts of all workers: this many at once, and this many per hour. Beyond it, a new process may
/// solve the problem.
pub(crate) const RESTARTS_MAX: u64 = 8;

/// The restarts of all workers.
#[derive(Debug)]
pub(crate) struct Restarts(Mutex<TokenBucket>);

impl Restarts {
    pub(crate) fn new(now: Instant) -> Self {
        let hour = Duration::from_secs(3600);
        Self(Mutex::new(TokenBucket::new(RESTARTS_MAX, hour, hour, now)))
    }

    /// Whether a worker may restart. If so, counts the restart.
    pub(crate) fn take(&self, now: Instant) -> bool {
        // No code panics under the lock.
        let mut bucket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.take(1, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restarts_are_limited() {
        let start = Instant::now();
        let minutes = |minutes: u64| start + Duration::from_secs(60 * minutes);
        let restarts = Restarts::new(start);
        assert!((0..8).all(|_| restarts.take(start)));
        assert!(!restarts.take(start) && !restarts.take(minutes(7)));
        assert!(restarts.take(minutes(8)) && !restarts.take(minutes(8)));
    }
}
