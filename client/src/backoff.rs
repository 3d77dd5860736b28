//! How long to wait before another try.

use std::time::Duration;

use rand::Rng as _;

/// The first wait after a failure, and the longest one.
const BACKOFF_MIN: Duration = Duration::from_millis(100);
const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// How long to wait after `failures` failures: twice as long each time, with jitter, so that
/// clients that failed together do not retry together.
pub(crate) fn backoff(failures: u32) -> Duration {
    let longest = BACKOFF_MIN
        .saturating_mul(1 << failures.min(10))
        .min(BACKOFF_MAX);
    longest.mul_f64(rand::rng().random_range(0.5..1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_have_a_bound() {
        for (failures, longest) in [(0, 100), (1, 200), (3, 800), (9, 5000), (u32::MAX, 5000)] {
            let longest = Duration::from_millis(longest);
            for _ in 0..100 {
                let wait = backoff(failures);
                assert!(
                    wait >= longest / 2 && wait < longest,
                    "{failures}: {wait:?}"
                );
            }
        }
    }
}
