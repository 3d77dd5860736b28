//! A client's connections that were closed because their frames brought nothing.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// After so long without another half of them is forgotten.
const HALF_LIFE: Duration = Duration::from_secs(5);

/// How many there were lately.
#[derive(Debug)]
pub(crate) struct Floods(Mutex<(u32, Instant)>);

impl Floods {
    pub(super) fn new() -> Self {
        Self(Mutex::new((0, Instant::now())))
    }

    /// There was one.
    pub(crate) fn add(&self, now: Instant) {
        let count = self.lately(now).saturating_add(1);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (count, now);
    }

    /// How many there were, each half life counting half.
    pub(crate) fn lately(&self, now: Instant) -> u32 {
        let (count, last) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let halves = now.saturating_duration_since(last).as_secs() / HALF_LIFE.as_secs();
        count
            .checked_shr(u32::try_from(halves).unwrap_or(u32::MAX))
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_forgotten_by_halves() {
        let floods = Floods::new();
        let start = Instant::now();
        (0..9).for_each(|_| floods.add(start));
        let after = |seconds| floods.lately(start + Duration::from_secs(seconds));
        assert_eq!(
            [0, 4, 5, 10, 15, 20, 10_000].map(after),
            [9, 9, 4, 2, 1, 0, 0]
        );
        floods.add(start + Duration::from_secs(10));
        assert_eq!(after(10), 3);
    }
}
