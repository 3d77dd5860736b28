//! The minimum rate at which a stream with open parts must receive bytes. It uses the connection's
//! clock, which stops while the server does not read (http2/link.rs).

use std::time::Duration;

use crate::config::Settings;

/// Bytes received in a window of time. Windows follow each other.
pub(super) struct Rate {
    bytes_per_second_min: u64,
    window: Duration,
    since: Duration,
    /// The stream's bytes when the window began.
    from_bytes: u64,
}

impl Rate {
    /// `None` if no minimum rate is set.
    pub(super) fn new(settings: &Settings, now: Duration) -> Option<Self> {
        (settings.part_rate_bytes_per_second_min > 0).then_some(Self {
            bytes_per_second_min: settings.part_rate_bytes_per_second_min,
            window: settings.part_rate_window,
            since: now,
            from_bytes: 0,
        })
    }

    pub(super) fn bytes_per_second_min(&self) -> u64 {
        self.bytes_per_second_min
    }

    pub(super) fn window(&self) -> Duration {
        self.window
    }

    /// When the window ends.
    pub(super) fn due(&self) -> Duration {
        self.since + self.window
    }

    /// Begins a window: the stream received bytes while no part was open.
    pub(super) fn restart(&mut self, now: Duration, bytes: u64) {
        self.since = now;
        self.from_bytes = bytes;
    }

    /// Whether the window has ended with too few of the stream's `bytes`, which is `None` while no
    /// part waits for bytes. If the window has ended, begins the next.
    pub(super) fn is_slow(&mut self, now: Duration, bytes: Option<u64>) -> bool {
        if self.due() > now {
            return false;
        }
        let brought = bytes.map(|bytes| u128::from(bytes - self.from_bytes));
        let wanted = u128::from(self.bytes_per_second_min) * self.window.as_millis() / 1000;
        self.restart(now, bytes.unwrap_or(self.from_bytes));
        brought.is_some_and(|brought| brought < wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_slow_only_when_it_is_over() {
        let settings = Settings::with(&[
            ("part_rate_bytes_per_second_min", "100"),
            ("part_rate_window", "10s"),
        ]);
        let after = Duration::from_secs;
        let mut rate = Rate::new(&settings.unwrap(), after(0)).unwrap();
        assert!(!rate.is_slow(after(9), Some(0)));
        assert!(!rate.is_slow(after(10), Some(1000)));
        assert!(rate.is_slow(after(20), Some(1999)));
        rate.restart(after(40), 1999);
        assert!(!rate.is_slow(after(45), Some(1999)));
        assert!(!rate.is_slow(after(50), Some(2999)));
        // No part is open, so no bytes are expected.
        assert!(!rate.is_slow(after(60), None));
        assert!(rate.is_slow(after(70), Some(2999)));
    }

    #[test]
    fn zero_is_no_least_rate() {
        assert!(Rate::new(&Settings::with(&[]).unwrap(), Duration::ZERO).is_none());
    }
}
