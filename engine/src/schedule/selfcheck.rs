//! Decides when a sample of the hashed data is hashed again. Checks take a fixed share of the
//! worker's time, however long one takes and however busy the worker is. A check takes CPU time:
//! the time in which its thread waits for a CPU does not count, so that an overloaded machine does
//! not postpone the checks.
//!
//! Why a share of time: one lane of plain Rust takes many times as long as the kernel that it
//! checks. If one of 32 lanes is always wrong, 150 samples find it with a probability of 99%, in
//! about 4 seconds (docs/measurements.md, What adds to it). If one block in B is wrong at random, a
//! sample of 16 KiB finds it with probability 256/B.
//!
//! Why all begun parts of that compression fail: nobody knows which of them the kernel damaged.
//! Parts of other workers go on, because the fault may be limited to one core.

use std::time::{Duration, Instant};

const MILLION: f64 = 1e6;

/// When the next sample of an engine's work is due.
#[derive(Debug)]
pub struct SelfCheck {
    /// Pause after a check, as a multiple of the check's time.
    rest: f64,
    /// `None` while a sample waits, and if no sample will ever be taken.
    due: Option<Instant>,
}

impl SelfCheck {
    /// Checks take `share_ppm` millionths of the time.
    #[must_use]
    pub fn new(share_ppm: u32, now: Instant) -> Self {
        Self {
            rest: MILLION / f64::from(share_ppm.max(1)),
            due: (share_ppm > 0).then_some(now),
        }
    }

    /// Whether to sample the next step. If so, no other sample is due until [`took`](Self::took).
    #[inline]
    pub fn is_due(&mut self, now: Instant) -> bool {
        self.due.take_if(|due| now >= *due).is_some()
    }

    /// The check of the sample took `time` of the CPU and ended `now`.
    pub fn took(&mut self, now: Instant, time: Duration) {
        self.due = now.checked_add(time.mul_f64(self.rest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_take_their_share_of_the_time() {
        const STEP: Duration = Duration::from_micros(100);
        const CHECK: Duration = Duration::from_micros(50);
        let start = Instant::now();
        for (share_ppm, expected) in [(0, 0..=0), (1000, 190..=200), (100_000, 15_000..=20_000)] {
            let mut selfcheck = SelfCheck::new(share_ppm, start);
            let (mut now, mut checks) = (start, 0);
            while now - start < Duration::from_secs(10) {
                let is_due = selfcheck.is_due(now);
                now += STEP;
                if is_due {
                    assert!(!selfcheck.is_due(now), "one at a time");
                    now += CHECK;
                    selfcheck.took(now, CHECK);
                    checks += 1;
                }
            }
            assert!(expected.contains(&checks), "{share_ppm}: {checks}");
        }
    }
}
