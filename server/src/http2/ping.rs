//! PINGs of the server's own: is the client there, and how far away?
//!
//! HTTP/2 lets one be on its way at a time, so both questions share it.
//!
//! - **Alive**: a PING after `http2.keep_alive_interval` of silence; without an answer, or
//!   anything else, for `http2.keep_alive_timeout` more the connection is closed.
//! - **Window**: while bytes come, a PING now and then times the round trip. Bytes received
//!   meanwhile, over that time, are the line's rate; rate times the shortest round trip
//!   seen is what a window must hold (the bandwidth-delay product, as in grpc-go). A window
//!   that is two thirds full doubles, up to `http2.connection_window_bytes_max`.
//!
//! A line without delay never grows: below [`ROUND_TRIP_MIN`] what fills the window is the
//! client's and the socket's queue, and a window beyond the socket's buffer makes TCP
//! close its own.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use h2::{Ping, PingPong};
use tokio::time::{Instant, Sleep, sleep};

/// Round trips shorter than this are queues, not lines: 1 MiB of each of some connections,
/// hashed by one worker. A line shorter than that is full with the first window anyway.
const ROUND_TRIP_MIN: Duration = Duration::from_millis(5);

/// Between two PINGs for the window, at first; four times as much after each that changed
/// nothing, up to the last.
const PAUSE_MIN: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(10);

/// One connection's PINGs.
pub(super) struct Pings {
    pings: PingPong,
    /// The one on its way.
    sent: Option<Sent>,
    /// When the next for the window is due, and the bytes read before the last: half a
    /// window must have come since.
    next: Instant,
    asked_bytes: u64,
    pause: Duration,
    round_trip_min: Duration,
    interval: Duration,
    timeout: Duration,
    /// Bytes read when `timer` was set.
    heard_bytes: u64,
    timer: Pin<Box<Sleep>>,
}

struct Sent {
    at: Instant,
    /// Bytes read before it.
    bytes: u64,
}

/// What a look at the PINGs says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// Nothing.
    Nothing,
    /// The line holds so many bytes.
    Holds(u64),
    /// Nobody is there.
    Dead,
}

impl Pings {
    pub(super) fn new(pings: PingPong, interval: Duration, timeout: Duration) -> Self {
        Self {
            pings,
            sent: None,
            next: Instant::now(),
            asked_bytes: 0,
            pause: PAUSE_MIN,
            round_trip_min: Duration::MAX,
            interval,
            timeout,
            heard_bytes: 0,
            timer: Box::pin(sleep(interval)),
        }
    }

    /// Looks at all of it. `bytes` were read since the connection began, `window_bytes` is
    /// its window, and `listens` whether it is read now.
    pub(super) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        bytes: u64,
        window_bytes: u32,
        listens: bool,
    ) -> Said {
        let mut said = Said::Nothing;
        if let Some(sent) = &self.sent
            && let Poll::Ready(Ok(_)) = self.pings.poll_pong(cx)
        {
            let round_trip = sent.at.elapsed();
            said = self.pong(round_trip, bytes - sent.bytes, window_bytes);
            self.sent = None;
        }
        let brings = bytes - self.asked_bytes >= u64::from(window_bytes / 2);
        if brings && self.sent.is_none() {
            let now = Instant::now();
            if now >= self.next {
                self.next = now + self.pause;
                self.ping(bytes, now);
                // Registers the task.
                let _ = self.pings.poll_pong(cx);
            }
        }
        while self.timer.as_mut().poll(cx).is_ready() {
            let silent = bytes == self.heard_bytes;
            let now = Instant::now();
            if silent
                && listens
                && self
                    .sent
                    .as_ref()
                    .is_some_and(|s| now - s.at >= self.timeout)
            {
                return Said::Dead;
            }
            if silent && self.sent.is_none() {
                self.ping(bytes, now);
                let _ = self.pings.poll_pong(cx);
            }
            self.heard_bytes = bytes;
            let wait = if silent { self.timeout } else { self.interval };
            self.timer.as_mut().reset(now + wait);
        }
        said
    }

    fn ping(&mut self, bytes: u64, now: Instant) {
        if self.pings.send_ping(Ping::opaque()).is_ok() {
            self.sent = Some(Sent { at: now, bytes });
            self.asked_bytes = bytes;
        }
    }

    fn pong(&mut self, round_trip: Duration, bytes: u64, window_bytes: u32) -> Said {
        self.round_trip_min = self.round_trip_min.min(round_trip);
        let held = held(bytes, round_trip, self.round_trip_min);
        let full = held >= u64::from(window_bytes) * 2 / 3;
        if self.round_trip_min >= ROUND_TRIP_MIN && full {
            self.pause = PAUSE_MIN;
            self.next = Instant::now();
            return Said::Holds(held);
        }
        self.pause = (self.pause * 4).min(PAUSE_MAX);
        Said::Nothing
    }
}

/// What the line holds that brought `bytes` in `round_trip`, without its queues.
fn held(bytes: u64, round_trip: Duration, round_trip_min: Duration) -> u64 {
    let held = u128::from(bytes) * round_trip_min.as_nanos() / round_trip.as_nanos().max(1);
    u64::try_from(held).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_taken_out() {
        let ms = Duration::from_millis;
        assert_eq!(held(1 << 20, ms(10), ms(10)), 1 << 20);
        assert_eq!(held(1 << 20, ms(40), ms(10)), 1 << 18);
        assert_eq!(held(0, ms(0), ms(0)), 0);
    }
}
