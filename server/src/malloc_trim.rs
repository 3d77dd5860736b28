//! Returns memory to the system after a burst.
//!
//! glibc's malloc keeps memory freed in the middle of an arena, so a process stays as large as its
//! peak. `malloc_trim` returns those pages. It walks each arena under the arena's lock, so it is
//! called only after a burst, and only if it may return enough.
//!
//! Builds for musl use another allocator (main.rs), which returns free pages without a call.
//!
//! Why: three rounds of floods leave 24 to 33 MiB resident, without trims 342 to 493 MiB
//! (docs/measurements.md, Memory after floods). jemalloc returns as much without a call, but its
//! build needs `make`. With mimalloc, an idle thread's memory returns only when the thread
//! allocates again. With musl's allocator, the CPU time per byte triples.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};

use crate::limits::Limits;
use crate::metrics::process::resident_bytes;

/// Time between checks.
const LOOK_PERIOD: Duration = Duration::from_secs(5);

/// A smaller excess of resident memory over used memory is not worth a trim.
const EXCESS_BYTES_MIN: u64 = 32 << 20;

/// Detects the end of a burst that left memory resident.
#[derive(Debug)]
struct Bursts {
    /// Resident memory after the last trim, without the memory that clients used.
    base_bytes: u64,
    /// The most that clients used, or that became resident, since then.
    peak_bytes: u64,
}

impl Bursts {
    /// The state when nothing is in use.
    fn new(resident_bytes: u64) -> Self {
        Self {
            base_bytes: resident_bytes,
            peak_bytes: 0,
        }
    }

    /// Whether clients use less than half of the peak, and more than [`EXCESS_BYTES_MIN`] is
    /// resident in addition to their use and the base.
    fn is_trim_due(&mut self, resident_bytes: u64, used_bytes: u64) -> bool {
        self.base_bytes = self.base_bytes.min(resident_bytes);
        // A burst between two checks shows in the memory it left resident.
        let left = resident_bytes - self.base_bytes;
        self.peak_bytes = self.peak_bytes.max(used_bytes).max(left);
        used_bytes < self.peak_bytes / 2
            && resident_bytes > self.base_bytes + used_bytes + EXCESS_BYTES_MIN
    }

    fn trimmed(&mut self, resident_bytes: u64, used_bytes: u64) {
        self.base_bytes = resident_bytes.saturating_sub(used_bytes);
        self.peak_bytes = used_bytes;
    }
}

/// Trims after each burst, until the process ends.
pub(crate) async fn after_bursts(limits: Arc<Limits>) {
    let (Some(at_start), true) = (resident_bytes(), cfg!(target_env = "gnu")) else {
        return;
    };
    let mut bursts = Bursts::new(at_start);
    let mut looks = interval(LOOK_PERIOD);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        let Some(before) = resident_bytes() else {
            continue;
        };
        if !bursts.is_trim_due(before, limits.used_bytes() as u64) {
            continue;
        }
        let start = Instant::now();
        // A trim may take milliseconds, and the acceptor runs on this thread.
        if spawn_blocking(trim).await.is_err() {
            return;
        }
        let took = start.elapsed();
        let Some(after) = resident_bytes() else {
            continue;
        };
        bursts.trimmed(after, limits.used_bytes() as u64);
        tracing::debug!(
            bytes = before.saturating_sub(after),
            ?took,
            "returned memory to the system"
        );
    }
}

#[cfg(target_env = "gnu")]
#[allow(unsafe_code)]
fn trim() {
    // SAFETY: `malloc_trim(3)` may be called from any thread at any time, and touches only free
    // memory.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(target_env = "gnu"))]
fn trim() {}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_env = "gnu")]
    use crate::metrics::process::tests::in_own_process;

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_burst_that_left_memory_is_followed_by_one_trim() {
        let mut bursts = Bursts::new(10 * MIB);
        assert!(!bursts.is_trim_due(10 * MIB, 0));
        assert!(!bursts.is_trim_due(300 * MIB, 280 * MIB), "all in use");
        assert!(!bursts.is_trim_due(300 * MIB, 150 * MIB), "half in use");
        assert!(bursts.is_trim_due(300 * MIB, 2 * MIB));
        bursts.trimmed(14 * MIB, 2 * MIB);
        assert!(!bursts.is_trim_due(14 * MIB, 0), "little is left");
    }

    #[test]
    fn what_a_trim_could_not_return_is_not_tried_again() {
        let mut bursts = Bursts::new(10 * MIB);
        assert!(!bursts.is_trim_due(300 * MIB, 280 * MIB));
        assert!(bursts.is_trim_due(300 * MIB, 0));
        bursts.trimmed(250 * MIB, 0);
        for _ in 0..3 {
            assert!(!bursts.is_trim_due(250 * MIB, 0));
        }
        assert!(!bursts.is_trim_due(260 * MIB, 100 * MIB));
        assert!(!bursts.is_trim_due(270 * MIB, 0), "no more than before");
        assert!(!bursts.is_trim_due(400 * MIB, 100 * MIB));
        assert!(bursts.is_trim_due(400 * MIB, 0), "a burst of its own");
    }

    #[test]
    fn a_burst_between_two_checks_is_seen_by_what_it_left() {
        let mut bursts = Bursts::new(10 * MIB);
        assert!(!bursts.is_trim_due(12 * MIB, 0));
        assert!(bursts.is_trim_due(300 * MIB, 2 * MIB));
    }

    #[test]
    fn a_burst_that_left_little_is_followed_by_none() {
        let mut bursts = Bursts::new(10 * MIB);
        assert!(!bursts.is_trim_due(300 * MIB, 280 * MIB));
        assert!(!bursts.is_trim_due(42 * MIB, 0));
    }

    #[cfg(target_env = "gnu")]
    #[test]
    fn free_memory_in_the_middle_is_returned() {
        let test = "malloc_trim::tests::free_memory_in_the_middle_is_returned";
        in_own_process(test, || {
            // Blocks smaller than malloc's mmap threshold; every second block stays.
            let blocks: Vec<Vec<u8>> = (0..2048).map(|_| vec![1; 64 << 10]).collect();
            let (left, freed): (Vec<_>, Vec<_>) = blocks
                .into_iter()
                .enumerate()
                .partition(|(at, _)| at % 2 == 0);
            drop(freed);
            let before = resident_bytes().unwrap();
            trim();
            let after = resident_bytes().unwrap();
            assert!(before > after + 32 * MIB, "{before} to {after}");
            drop(left);
        });
    }
}
