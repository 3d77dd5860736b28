//! What the clients share.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rand::Rng as _;
use rand::rngs::SmallRng;

/// Maximum of examples of faults.
const EXAMPLES_MAX: usize = 20;

/// Shared by all clients.
pub(super) struct World {
    pub(super) server: SocketAddr,
    pub(super) url: String,
    pub(super) pool: Bytes,
    pub(super) deadline: Instant,
    pub(super) tally: RefCell<Tally>,
}

impl World {
    pub(super) fn count(&self, what: &'static str) {
        *self.tally.borrow_mut().counts.entry(what).or_default() += 1;
    }

    /// Records a fault of the server, as clients see it.
    pub(super) fn fault(&self, text: String) {
        let mut tally = self.tally.borrow_mut();
        tally.faults += 1;
        if tally.examples.len() < EXAMPLES_MAX {
            tally.examples.push(text);
        }
    }
}

/// Actions and observations of the clients.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// By action: sessions, calls, parts.
    pub(super) counts: BTreeMap<&'static str, u64>,
    /// Answers whose digests or verdicts were compared, and their bytes.
    pub(super) checked: u64,
    pub(super) checked_bytes: u64,
    /// Wrong answers, and calls that ended unexpectedly.
    pub(super) faults: u64,
    pub(super) examples: Vec<String>,
}

/// A random integer from `min` to `max`; each magnitude is equally likely.
pub(super) fn log_uniform(rng: &mut SmallRng, min: usize, max: usize) -> usize {
    let bits = |number: usize| usize::BITS - number.leading_zeros();
    let magnitude = rng.random_range(bits(min)..=bits(max));
    let low = (1_usize << magnitude >> 1).clamp(min, max);
    let high = ((1_usize << magnitude) - 1).clamp(low, max);
    rng.random_range(low..=high)
}

/// A random pause of at most `max`.
pub(super) async fn pause(rng: &mut SmallRng, max: Duration) {
    tokio::time::sleep(rng.random_range(Duration::ZERO..=max)).await;
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn numbers_of_every_magnitude_are_drawn() {
        let mut rng = SmallRng::seed_from_u64(1);
        let mut seen = [0; 12];
        for _ in 0..10_000 {
            let number = log_uniform(&mut rng, 0, 1000);
            assert!(number <= 1000);
            seen[(usize::BITS - number.leading_zeros()) as usize] += 1;
        }
        assert!(seen[..11].iter().all(|&count| count > 700), "{seen:?}");
        assert_eq!(log_uniform(&mut rng, 7, 7), 7);
    }
}
