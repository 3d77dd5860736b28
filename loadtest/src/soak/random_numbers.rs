//! Random numbers and pauses.

use std::time::Duration;

use rand::Rng as _;
use rand::rngs::SmallRng;

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
