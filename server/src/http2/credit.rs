//! What a connection's frames cost and earn.
//!
//! Most frames carry bytes to hash or lead to an answered call. Other frames cost tokens of a
//! bucket. Data and answered calls earn tokens, and time slowly refills the bucket. No count lasts
//! a connection's life: connections of proxies live for weeks.
//!
//! | | costs | if the bucket has too few |
//! |---|---|---|
//! | DATA below 256 bytes | 1 | the server does not read the connection until there are more |
//! | other frames, including empty DATA | 1 to 8; more: large HEADERS, each entry of SETTINGS | GOAWAY with ENHANCE_YOUR_CALM |
//!
//! Tiny DATA frames only slow their connection down, because honest clients write them too.

use std::time::{Duration, Instant};

use hashlane_http2::{FrameKind as Kind, SMALL_BYTES, Seen};

use crate::limiter::TokenBucket;

/// Tokens for frames that carry nothing. HEADERS of honest calls earn theirs back when the calls
/// are answered; BDP estimators send one PING per round trip. A client whose connections used up
/// their tokens must wait before it may connect again (client/arrivals.rs).
const IDLE_MAX: u32 = 20_000;

/// Tokens for DATA frames below 256 bytes: a burst of 10,000 small parts has five frames each at
/// worst.
const SMALL_MAX: u32 = 50_000;

/// What a call's HEADERS cost, apart from the call's own state.
const HEADERS_COST: u64 = 4;

/// Bytes of headers that cost one more token: at worst HPACK decodes a hundred fields from them.
const HEADERS_BYTES: usize = 512;

/// A change of the initial window changes the windows of all streams.
const SETTINGS_COST: u64 = 8;

/// Bytes of an entry of a SETTINGS frame (RFC 9113 section 6.5.1). Each entry costs one more token.
const SETTING_BYTES: usize = 6;

/// Tokens that an answered call earns beyond its HEADERS: clients send PING and WINDOW_UPDATE at
/// each answer, to measure the round trip.
const ANSWER_EARNS: u64 = 6;

/// Bytes of data that earn one token.
const BYTES_PER_UNIT: usize = 4 * SMALL_BYTES;

/// How long a connection that has used up its small frames is not read.
const PAUSE: Duration = Duration::from_millis(50);

/// The action for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Go on.
    Go,
    /// Stop reading for this time.
    Pause(Duration),
    /// Close it. Among the last frames, this kind cost most.
    Close(Kind),
}

/// One connection's credit.
#[derive(Debug)]
pub(super) struct Credit {
    idle: TokenBucket,
    small: TokenBucket,
    /// Bytes of data that have not earned a token yet.
    rest_bytes: usize,
}

impl Credit {
    /// Both buckets start full; time refills each by `per_second`.
    pub(super) fn new(per_second: u32, now: Instant) -> Self {
        let bucket = |tokens_max: u32| {
            let second = Duration::from_secs(1);
            let burst = second * tokens_max / per_second.max(1);
            TokenBucket::new(per_second.into(), second, burst, now)
        };
        Self {
            idle: bucket(IDLE_MAX),
            small: bucket(SMALL_MAX),
            rest_bytes: 0,
        }
    }

    /// Earns the tokens for a call that the server ended, or a part that it answered. A call that
    /// its client ended earns nothing.
    pub(super) fn answered(&mut self) {
        self.idle.give(HEADERS_COST + ANSWER_EARNS);
        self.small.give(2);
    }

    /// Counts bytes that frames named, as if they had carried them.
    pub(super) fn named(&mut self, bytes: usize) {
        self.rest_bytes += bytes;
    }

    /// Counts frames. Reads the clock, `now`, only if they cost something.
    pub(super) fn count(&mut self, seen: &Seen, now: impl Fn() -> Instant) -> Verdict {
        let bytes = self.rest_bytes + seen.data_bytes;
        self.rest_bytes = bytes % BYTES_PER_UNIT;
        let earned = (bytes / BYTES_PER_UNIT) as u64;
        if earned > 0 {
            self.idle.give(earned);
            self.small.give(earned);
        }
        let costs = Kind::ALL.map(|kind| {
            let more = match kind {
                Kind::Settings => seen.settings_bytes / SETTING_BYTES,
                Kind::Headers => seen.headers_bytes / HEADERS_BYTES,
                _ => 0,
            };
            let frames = u64::from(seen.frames[kind as usize]);
            (frames * each_costs(kind) + more as u64, kind)
        });
        let cost = costs.iter().map(|(cost, _)| cost).sum();
        if cost > 0 && !self.idle.take(cost, now()) {
            let worst = costs.into_iter().max_by_key(|(cost, _)| *cost);
            return Verdict::Close(worst.map_or(Kind::Other, |(_, kind)| kind));
        }
        let small = u64::from(seen.small_data);
        if small > 0 && !self.small.take_up_to(small, now()) {
            return Verdict::Pause(PAUSE);
        }
        Verdict::Go
    }
}

/// A frame's cost, by its kind alone.
fn each_costs(kind: Kind) -> u64 {
    match kind {
        Kind::Data => 0,
        Kind::Headers | Kind::Continuation => HEADERS_COST,
        Kind::Settings => SETTINGS_COST,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PER_SECOND: u32 = 10_000;

    fn seen(kind: Kind, frames: u32) -> Seen {
        let mut seen = Seen::default();
        seen.frames[kind as usize] = frames;
        seen
    }

    fn small(frames: u32) -> Seen {
        Seen {
            small_data: frames,
            data_bytes: frames as usize,
            ..seen(Kind::Data, frames)
        }
    }

    /// How many frames of a kind a connection may send at once.
    fn burst(kind: Kind) -> u32 {
        let now = Instant::now();
        let mut credit = Credit::new(PER_SECOND, now);
        for frames in 0.. {
            match credit.count(&seen(kind, 1), || now) {
                Verdict::Go => {}
                Verdict::Close(worst) => {
                    assert_eq!(worst, kind);
                    return frames;
                }
                Verdict::Pause(_) => panic!("{kind:?}"),
            }
        }
        unreachable!()
    }

    #[test]
    fn frames_that_bring_nothing_are_bounded() {
        assert_eq!(burst(Kind::Ping), 20_000);
        assert_eq!(burst(Kind::EmptyData), 20_000);
        assert_eq!(burst(Kind::Headers), 5000);
        assert_eq!(burst(Kind::Settings), 2500);
        let now = Instant::now();
        let mut many = seen(Kind::Settings, 1);
        many.settings_bytes = 6 * 2000;
        let mut credit = Credit::new(PER_SECOND, now);
        let count = (0..).take_while(|_| credit.count(&many, || now) == Verdict::Go);
        assert_eq!(count.count(), 9);
        let mut large = seen(Kind::Headers, 1);
        large.headers_bytes = 16 * 512;
        let mut credit = Credit::new(PER_SECOND, now);
        let count = (0..).take_while(|_| credit.count(&large, || now) == Verdict::Go);
        assert_eq!(count.count(), 1000);
    }

    #[test]
    fn time_refills_and_never_beyond_the_burst() {
        let start = Instant::now();
        let mut credit = Credit::new(PER_SECOND, start);
        let ping = |credit: &mut Credit, frames, seconds| {
            credit.count(&seen(Kind::Ping, frames), || {
                start + Duration::from_secs(seconds)
            })
        };
        assert_eq!(ping(&mut credit, 20_000, 0), Verdict::Go);
        assert_eq!(ping(&mut credit, 10_000, 1), Verdict::Go);
        assert_eq!(ping(&mut credit, 1, 1), Verdict::Close(Kind::Ping));
        assert_eq!(
            ping(&mut credit, 20_001, 1_000_000),
            Verdict::Close(Kind::Ping)
        );
    }

    #[test]
    fn data_and_answers_earn_credit() {
        let now = Instant::now();
        let mut credit = Credit::new(PER_SECOND, now);
        for _ in 0..100_000 {
            let mut seen = seen(Kind::Data, 1);
            seen.data_bytes = 16 << 10;
            seen.frames[Kind::Ping as usize] = 4;
            assert_eq!(credit.count(&seen, || now), Verdict::Go);
        }
        for _ in 0..100_000 {
            assert_eq!(credit.count(&seen(Kind::Headers, 1), || now), Verdict::Go);
            assert_eq!(credit.count(&small(2), || now), Verdict::Go);
            credit.answered();
        }
    }

    /// As grpc-go does: a PING and a WINDOW_UPDATE at each answer, to measure the line.
    #[test]
    fn calls_of_a_client_that_measures_the_line_go_on_for_ever() {
        let now = Instant::now();
        let mut credit = Credit::new(PER_SECOND, now);
        for _ in 0..100_000 {
            let mut seen = small(1);
            for kind in [Kind::Headers, Kind::Ping, Kind::Ping, Kind::WindowUpdate] {
                seen.frames[kind as usize] += 1;
            }
            assert_eq!(credit.count(&seen, || now), Verdict::Go);
            credit.answered();
        }
    }

    #[test]
    fn data_that_frames_name_earns_as_if_it_had_come() {
        let start = Instant::now();
        let mut credit = Credit::new(PER_SECOND, start);
        for _ in 0..2 * SMALL_MAX {
            credit.named(BYTES_PER_UNIT);
            assert_eq!(credit.count(&small(1), || start), Verdict::Go);
        }
        let mut without = (0..2 * SMALL_MAX).map(|_| credit.count(&small(1), || start));
        assert!(without.any(|verdict| verdict != Verdict::Go));
    }

    #[test]
    fn small_data_is_slowed_down() {
        let start = Instant::now();
        let mut credit = Credit::new(PER_SECOND, start);
        assert_eq!(credit.count(&small(50_000), || start), Verdict::Go);
        assert_eq!(credit.count(&small(1), || start), Verdict::Pause(PAUSE));
        let after = start + PAUSE;
        assert_eq!(credit.count(&small(400), || after), Verdict::Go);
        assert_eq!(credit.count(&small(400), || after), Verdict::Pause(PAUSE));
    }
}
