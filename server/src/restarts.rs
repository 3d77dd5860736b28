//! How often workers may begin again.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Restarts of workers in [`PERIOD`], all workers together. More means that something is wrong
/// which a new process may not have.
pub(crate) const RESTARTS_MAX: usize = 8;

/// See [`RESTARTS_MAX`].
const PERIOD: Duration = Duration::from_secs(3600);

/// The restarts of the last hour.
#[derive(Debug, Default)]
pub(crate) struct Restarts(Mutex<VecDeque<Instant>>);

impl Restarts {
    /// Whether one more is allowed; it counts.
    pub(crate) fn take(&self, now: Instant) -> bool {
        // Nothing panics while it is locked.
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        taken.retain(|at| now.saturating_duration_since(*at) < PERIOD);
        let is_allowed = taken.len() < RESTARTS_MAX;
        if is_allowed {
            taken.push_back(now);
        }
        is_allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_are_allowed_in_an_hour() {
        let start = Instant::now();
        let minutes = |minutes: u64| start + Duration::from_secs(60 * minutes);
        let restarts = Restarts::default();
        assert!((0..8).all(|n| restarts.take(minutes(n))));
        assert!(!restarts.take(minutes(59)));
        // The first is an hour ago; then the second.
        assert!(restarts.take(minutes(60)));
        assert!(!restarts.take(minutes(60)));
        assert!(restarts.take(minutes(61)));
    }
}
