//! A client's bytes a second: a token bucket that all workers share.
//!
//! Who has bytes to pay for takes a [`Slot`]: the time from when they are paid. Slots follow each
//! other as the rate has it, first come, first served. So who waits sleeps until its own, however
//! many wait, and nobody wakes in vain. A client that was silent has up to [`BURST`] at once.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time of the rate that a client may use at once.
const BURST: Duration = Duration::from_millis(250);

/// A new call is refused if its first slot would be as far away: hundreds of calls wait already,
/// or a client resets calls rather than wait.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(5);

/// Slots of a second, so that calls that wait alternate.
const SLOTS_PER_SECOND: u64 = 64;

/// Bytes of a slot: a frame as most clients send it, and a stream's window.
const SLOT_BYTES_MIN: u64 = 16 << 10;
const SLOT_BYTES_MAX: u64 = 1 << 20;

/// A client's rate, and how far it is used.
#[derive(Debug)]
pub(crate) struct Throttle {
    /// Bytes a second; 0 is no bound.
    rate: AtomicU64,
    state: Mutex<Balance>,
}

#[derive(Debug)]
struct Balance {
    /// When all bytes so far are paid.
    paid: Instant,
    /// Of the rate: slots of another are void.
    generation: u64,
}

/// When some bytes are paid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) at: Instant,
    pub(crate) bytes: usize,
    generation: u64,
}

impl Throttle {
    /// Without a bound.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            rate: AtomicU64::new(0),
            state: Mutex::new(Balance {
                paid: now,
                generation: 0,
            }),
        }
    }

    /// Bytes a second, if there is a bound.
    pub(crate) fn rate(&self) -> Option<u64> {
        Some(self.rate.load(Relaxed)).filter(|rate| *rate > 0)
    }

    /// Sets it. Who waits under another rate is to take a new slot.
    pub(super) fn set_rate(&self, rate: Option<u64>, now: Instant) {
        if rate != self.rate() {
            let mut state = self.state();
            state.paid = now;
            state.generation += 1;
            self.rate.store(rate.unwrap_or(0), Relaxed);
        }
    }

    /// The next slot, for at most `bytes`.
    pub(crate) fn take(&self, bytes: usize, now: Instant) -> Slot {
        let mut state = self.state();
        let (mut at, mut bytes) = (now, bytes);
        if let Some(rate) = self.rate() {
            let most = (rate / SLOTS_PER_SECOND).clamp(SLOT_BYTES_MIN, SLOT_BYTES_MAX);
            bytes = bytes.min(usize::try_from(most).unwrap_or(usize::MAX));
            at = state.pay(bytes, rate, now);
        }
        Slot {
            at,
            bytes,
            generation: state.generation,
        }
    }

    /// Whether the slot is of the rate that is in force.
    pub(crate) fn is_current(&self, slot: &Slot) -> bool {
        self.state().generation == slot.generation
    }

    /// Charges bytes for which nobody waits.
    pub(crate) fn charge(&self, bytes: usize, now: Instant) {
        if let Some(rate) = self.rate() {
            self.state().pay(bytes, rate, now);
        }
    }

    /// How far away the next slot is.
    pub(crate) fn wait(&self, now: Instant) -> Duration {
        match self.rate() {
            None => Duration::ZERO,
            Some(_) => self.state().paid.saturating_duration_since(now),
        }
    }

    fn state(&self) -> MutexGuard<'_, Balance> {
        // Nothing panics while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Balance {
    /// Charges `bytes`; says when those before them are paid.
    fn pay(&mut self, bytes: usize, rate: u64, now: Instant) -> Instant {
        let at = self.paid.max(now.checked_sub(BURST).unwrap_or(now));
        let nanos = bytes as u128 * 1_000_000_000 / u128::from(rate);
        let time = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        self.paid = at.checked_add(time).unwrap_or(at);
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn throttle(rate: usize) -> (Throttle, Instant) {
        // Late enough for a burst before it.
        let start = Instant::now() + Duration::from_secs(60);
        let throttle = Throttle::new(start - Duration::from_secs(10));
        throttle.set_rate(Some(rate as u64), start - Duration::from_secs(10));
        (throttle, start)
    }

    /// Bytes of slots up to `until`, each taken when the one before is paid.
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
    fn so_many_bytes_a_second_after_a_burst() {
        for rate in [64 << 10, MIB, 100 * MIB] {
            let (throttle, start) = throttle(rate);
            let bytes = paid_until(&throttle, start, start + Duration::from_secs(10));
            let expected = rate * 10 + rate / 4;
            let slack = (rate / 32).max(32 << 10);
            assert!(bytes.abs_diff(expected) <= slack, "{bytes} of {expected}");
        }
    }

    #[test]
    fn who_was_silent_saves_up_no_more_than_a_burst() {
        let (throttle, start) = throttle(MIB);
        let hour = start + Duration::from_secs(3600);
        let at_once = paid_until(&throttle, hour, hour);
        assert!(at_once.abs_diff(MIB / 4) <= 16 << 10, "{at_once}");
    }

    #[test]
    fn many_that_wait_have_slots_one_after_the_other() {
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
