//! How often workers may restart.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::limiter::TokenBucket;

/// Restarts of all workers: this many at once, and this many an hour. Beyond that something is
/// wrong which a new process may not have.
pub(crate) const RESTARTS_MAX: u64 = 8;

/// The restarts of all workers.
#[derive(Debug)]
pub(crate) struct Restarts(Mutex<TokenBucket>);

impl Restarts {
    pub(crate) fn new(now: Instant) -> Self {
        let hour = Duration::from_secs(3600);
        Self(Mutex::new(TokenBucket::new(RESTARTS_MAX, hour, hour, now)))
    }

    /// Whether a worker may restart. If so, its restart counts.
    pub(crate) fn take(&self, now: Instant) -> bool {
        // Nothing panics while it is locked.
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
