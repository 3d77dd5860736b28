//! The server's own PINGs: is the client alive, and how long is the round trip?
//!
//! One PING is in flight at a time, so both uses share it.
//!
//! - **Alive**: a PING after `http2.keep_alive_interval` of silence. If neither a PONG nor any
//!   other byte arrives within `http2.keep_alive_timeout`, the connection is closed.
//! - **Window**: while data arrives, an occasional PING times the round trip. Bytes received during
//!   the round trip, divided by its time, give the line's rate. Rate times the shortest round trip
//!   seen is the window the line needs (the bandwidth-delay product, as in grpc-go). A window that
//!   is two thirds full doubles, up to `http2.connection_window_bytes_max`.
//!
//! The window of a line without delay never grows: below [`ROUND_TRIP_MIN`], queues in the client
//! and in the socket fill the window, and a window beyond the socket's buffer makes TCP close its
//! own window.
//!
//! Why a connection's window begins below 1 MiB: a larger one exceeds the socket's buffer, and TCP
//! closes its own window (docs/measurements.md, Alternatives that were measured). `SO_RCVBUF` stays
//! unset: setting it switches off Linux's buffer tuning and allows no more than
//! `net.core.rmem_max`.

use std::time::Duration;

use hashlane_http2::Connection as Protocol;
use tokio::time::Instant;

/// Shorter round trips measure queues, not lines: for example several connections with full windows,
/// hashed by one worker. The first window fills a line with a shorter round trip anyway.
const ROUND_TRIP_MIN: Duration = Duration::from_millis(5);

/// First pause between PINGs for the window. After a PING that changed nothing, the pause is
/// multiplied by four, up to [`PAUSE_MAX`].
const PAUSE_MIN: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(10);

/// One connection's PINGs.
pub(super) struct Pings {
    /// When the PING in flight was sent.
    sent: Option<Instant>,
    /// Bytes read before the last PING.
    sent_bytes: u64,
    /// When the next PING for the window is due. At least half a window must have arrived since the
    /// last one.
    next: Instant,
    pause: Duration,
    round_trip_min: Duration,
    /// Bytes that the line holds, if the window should grow.
    held: Option<u64>,
    interval: Duration,
    timeout: Duration,
    /// When to check whether the client was silent, and the bytes read when this was set.
    due: Instant,
    heard_bytes: u64,
}

impl Pings {
    pub(super) fn new(interval: Duration, timeout: Duration) -> Self {
        let now = Instant::now();
        Self {
            sent: None,
            sent_bytes: 0,
            next: now,
            pause: PAUSE_MIN,
            round_trip_min: Duration::MAX,
            held: None,
            interval,
            timeout,
            due: now + interval,
            heard_bytes: 0,
        }
    }

    /// Sends a PING for the window if one is due. `bytes` is the connection's total so far. If the
    /// window of `window_bytes` should grow, returns the bytes that the line holds.
    pub(super) fn poll<T: Clone>(
        &mut self,
        bytes: u64,
        window_bytes: u32,
        protocol: &mut Protocol<T>,
    ) -> Option<u64> {
        let brings = bytes - self.sent_bytes >= u64::from(window_bytes / 2);
        if brings && self.sent.is_none() {
            let now = Instant::now();
            if now >= self.next {
                self.next = now + self.pause;
                self.ping(bytes, now, protocol);
            }
        }
        self.held.take()
    }

    /// When to call [`Self::is_dead`].
    pub(super) fn due(&self) -> Instant {
        self.due
    }

    /// Whether the client is gone: it was silent and did not answer a PING in time, although the
    /// connection `listens`. Sends a PING if the client is silent.
    pub(super) fn is_dead<T: Clone>(
        &mut self,
        bytes: u64,
        listens: bool,
        protocol: &mut Protocol<T>,
    ) -> bool {
        let silent = bytes == self.heard_bytes;
        let now = Instant::now();
        let is_late = |sent| now - sent >= self.timeout;
        if silent && listens && self.sent.is_some_and(is_late) {
            return true;
        }
        if silent && self.sent.is_none() {
            self.ping(bytes, now, protocol);
        }
        self.heard_bytes = bytes;
        self.due = now + if silent { self.timeout } else { self.interval };
        false
    }

    fn ping<T: Clone>(&mut self, bytes: u64, now: Instant, protocol: &mut Protocol<T>) {
        protocol.ping();
        self.sent = Some(now);
        self.sent_bytes = bytes;
    }

    /// The client has answered the PING.
    pub(super) fn pong(&mut self, bytes: u64, window_bytes: u32) {
        let Some(sent) = self.sent.take() else {
            return;
        };
        self.held = self.measured(sent.elapsed(), bytes - self.sent_bytes, window_bytes);
        if self.held.is_some() {
            self.pause = PAUSE_MIN;
            self.next = Instant::now();
        } else {
            self.pause = (self.pause * 4).min(PAUSE_MAX);
        }
    }

    /// Takes the `bytes` received during a round trip. Returns the bytes that the line holds
    /// without its queues, if the line has a delay and these bytes fill two thirds of the window.
    fn measured(&mut self, round_trip: Duration, bytes: u64, window_bytes: u32) -> Option<u64> {
        self.round_trip_min = self.round_trip_min.min(round_trip);
        let held =
            u128::from(bytes) * self.round_trip_min.as_nanos() / round_trip.as_nanos().max(1);
        let held = u64::try_from(held).unwrap_or(u64::MAX);
        let full = held >= u64::from(window_bytes) * 2 / 3;
        (self.round_trip_min >= ROUND_TRIP_MIN && full).then_some(held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u32 = 1 << 20;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn pings() -> Pings {
        Pings::new(ms(1), ms(1))
    }

    #[test]
    fn a_long_line_that_fills_the_window_wants_more() {
        let mut pings = pings();
        assert_eq!(pings.measured(ms(10), MIB.into(), MIB), Some(MIB.into()));
        assert_eq!(pings.measured(ms(10), u64::from(MIB) / 2, MIB), None);
    }

    #[test]
    fn queues_are_taken_out() {
        let mut pings = pings();
        assert!(pings.measured(ms(10), MIB.into(), MIB).is_some());
        // Three quarters of this round trip were queueing.
        assert_eq!(pings.measured(ms(40), MIB.into(), MIB), None);
        assert_eq!(
            pings.measured(ms(40), 4 * u64::from(MIB), MIB),
            Some(MIB.into())
        );
    }

    #[test]
    fn a_line_without_delay_never_wants_more() {
        let mut pings = pings();
        assert_eq!(pings.measured(ms(1), 8 * u64::from(MIB), MIB), None);
        assert_eq!(pings.measured(ms(0), u64::MAX, MIB), None);
        assert_eq!(pings.measured(ms(50), 50 * u64::from(MIB), MIB), None);
    }
}
