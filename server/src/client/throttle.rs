//! Limits a client's bytes per second: a token bucket shared by all workers.
//!
//! A call that must pay for bytes takes a [`Slot`]: the time from which the bytes are paid. The
//! bucket goes into debt for them, so the slots of all calls follow each other at the rate, first
//! come, first served. Each call sleeps only until its own slot, regardless of the number of calls.
//!
//! Why slots: each has one waiter, so a thousand waiting calls do not wake each other, and a client
//! that resets its calls still pays for them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::limiter::TokenBucket;

/// A full bucket holds the bytes of this time.
const BURST: Duration = Duration::from_millis(250);

/// A new call is refused if its first slot would be later than this: hundreds of calls already
/// wait, or the client resets calls instead of waiting.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(5);

/// Slots per second, so that waiting calls alternate.
const SLOTS_PER_SECOND: u64 = 64;

/// Bytes of a slot: from a frame of the usual size to a stream's window.
const SLOT_BYTES_MIN: u64 = 16 << 10;
const SLOT_BYTES_MAX: u64 = 1 << 20;

/// A client's rate and its bucket.
#[derive(Debug)]
pub(crate) struct Throttle {
    /// Bytes per second; 0 means no limit.
    rate: AtomicU64,
    bytes: Mutex<TokenBucket>,
}

/// The time from which a number of bytes is paid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) at: Instant,
    pub(crate) bytes: usize,
    /// The rate for which it was taken: slots of another rate are void.
    rate: Option<u64>,
}

impl Throttle {
    /// A throttle without a limit.
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            rate: AtomicU64::new(0),
            bytes: Mutex::new(bucket(0, now)),
        }
    }

    /// The limit in bytes per second, if there is one.
    pub(crate) fn rate(&self) -> Option<u64> {
        Some(self.rate.load(Relaxed)).filter(|rate| *rate > 0)
    }

    /// Sets the limit. A change voids the slots of the earlier rate, while it lasts.
    pub(crate) fn set_rate(&self, rate: Option<u64>, now: Instant) {
        if rate != self.rate() {
            let mut full = self.bucket();
            let rate = rate.unwrap_or(0);
            *full = bucket(rate, now);
            self.rate.store(rate, Relaxed);
        }
    }

    /// Takes the next slot, for at most `bytes`.
    pub(crate) fn take(&self, bytes: usize, now: Instant) -> Slot {
        let mut bucket = self.bucket();
        let (mut at, mut bytes, rate) = (now, bytes, self.rate());
        if let Some(rate) = rate {
            let most = (rate / SLOTS_PER_SECOND).clamp(SLOT_BYTES_MIN, SLOT_BYTES_MAX);
            bytes = bytes.min(usize::try_from(most).unwrap_or(usize::MAX));
            at = now + bucket.wait(0, now);
            bucket.borrow(bytes as u64, now);
        }
        Slot { at, bytes, rate }
    }

    /// Whether the slot belongs to the current rate.
    pub(crate) fn is_current(&self, slot: &Slot) -> bool {
        self.rate() == slot.rate
    }

    /// Charges bytes without waiting.
    pub(crate) fn charge(&self, bytes: usize, now: Instant) {
        if self.rate().is_some() {
            self.bucket().borrow(bytes as u64, now);
        }
    }

    /// Time until the next slot.
    pub(crate) fn wait(&self, now: Instant) -> Duration {
        match self.rate() {
            None => Duration::ZERO,
            Some(_) => self.bucket().wait(0, now),
        }
    }

    /// Whether a new client would have more bytes at once.
    pub(crate) fn matters(&self, now: Instant) -> bool {
        self.rate().is_some() && !self.bucket().is_full(now)
    }

    fn bucket(&self) -> MutexGuard<'_, TokenBucket> {
        // No code panics under the lock.
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bucket(rate: u64, now: Instant) -> TokenBucket {
    TokenBucket::new(rate, Duration::from_secs(1), BURST, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn throttle(rate: usize) -> (Throttle, Instant) {
        let start = Instant::now();
        let throttle = Throttle::new(start);
        throttle.set_rate(Some(rate as u64), start);
        (throttle, start)
    }

    /// Bytes of slots up to `until`, each taken when the previous slot is paid.
    fn paid_until(throttle: &Throttle, mut now: Instant, until: Instant) -> usize {
        let mut bytes = 0;
        loop {
            let slot = throttle.take(MIB, now);
            now = now.max(slot.at);
            if now > until {
                return bytes;
            }
            bytes += slot.bytes;
        }
    }

    #[test]
    fn bytes_come_at_the_rate_after_a_burst() {
        for rate in [64 << 10, MIB, 100 * MIB] {
            let (throttle, start) = throttle(rate);
            let bytes = paid_until(&throttle, start, start + Duration::from_secs(10));
            let expected = rate * 10 + rate / 4;
            let slack = (rate / 32).max(32 << 10);
            assert!(bytes.abs_diff(expected) <= slack, "{bytes} of {expected}");
        }
    }

    #[test]
    fn a_silent_client_has_no_more_than_a_burst() {
        let (throttle, start) = throttle(MIB);
        let hour = start + Duration::from_secs(3600);
        let at_once = paid_until(&throttle, hour, hour);
        assert!(at_once.abs_diff(MIB / 4) <= 16 << 10, "{at_once}");
    }

    #[test]
    fn calls_that_wait_have_slots_one_after_the_other() {
        let (throttle, start) = throttle(MIB);
        throttle.charge(MIB / 4, start);
        let slots: Vec<_> = (0..100).map(|_| throttle.take(MIB, start)).collect();
        assert!(slots.iter().all(|slot| slot.bytes == 16 << 10));
        let sixty_fourth = Duration::from_secs(1) / 64;
        assert!(
            slots
                .windows(2)
                .all(|two| two[1].at - two[0].at == sixty_fourth)
        );
        assert_eq!(slots[0].at, start);
        assert_eq!(throttle.wait(start), sixty_fourth * 100);
    }

    #[test]
    fn a_new_rate_makes_slots_void_and_debts_too() {
        let (throttle, start) = throttle(64 << 10);
        throttle.charge(100 * MIB, start);
        let slot = throttle.take(MIB, start);
        assert!(throttle.wait(start) > WAIT_MAX && slot.at > start + WAIT_MAX);
        throttle.set_rate(Some(64 << 10), start);
        assert!(throttle.is_current(&slot), "it is the same rate");
        throttle.set_rate(Some(MIB as u64), start);
        assert!(!throttle.is_current(&slot));
        assert!(throttle.take(MIB, start).at <= start);
        throttle.charge(100 * MIB, start);
        throttle.set_rate(None, start);
        assert_eq!(throttle.wait(start), Duration::ZERO);
        let free = throttle.take(100 * MIB, start);
        assert_eq!((free.at, free.bytes), (start, 100 * MIB));
    }
}
