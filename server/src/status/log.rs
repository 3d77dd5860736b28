//! Logs refusals at a limited rate, because a client that is refused repeatedly would fill the log.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::Reason;
use crate::limiter::TokenBucket;
use crate::words::Words as _;

/// Lines of one reason per worker: this many at once, and this many per second.
const LINES_PER_SECOND: u64 = 5;

/// Decides which refusals one worker logs. For each reason, it has the number of lines left out
/// since the last line.
#[derive(Debug)]
pub(crate) struct RefusalLog([RefCell<(TokenBucket, u64)>; Reason::VALUES.len()]);

impl RefusalLog {
    pub(crate) fn new(now: Instant) -> Self {
        let second = Duration::from_secs(1);
        Self(std::array::from_fn(|_| {
            RefCell::new((TokenBucket::new(LINES_PER_SECOND, second, second, now), 0))
        }))
    }

    /// Whether to log a refusal `now`. If so, returns how many lines of the same reason were left
    /// out since the last line.
    pub(crate) fn admit(&self, reason: Reason, now: Instant) -> Option<u64> {
        let (bucket, left_out) = &mut *self.0[reason as usize].borrow_mut();
        if !bucket.take(1, now) {
            *left_out += 1;
            return None;
        }
        Some(std::mem::take(left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_limited_and_the_next_tells_how_many_were_left_out() {
        let start = Instant::now();
        let log = RefusalLog::new(start);
        let (one, other) = (Reason::ServerBusy, Reason::QuotaExceeded);
        let after = |millis| start + Duration::from_millis(millis);
        let admitted: Vec<_> = (0..100).map(|n| log.admit(one, after(n))).collect();
        assert!(admitted[..5].iter().all(|a| *a == Some(0)), "{admitted:?}");
        assert!(admitted[5..].iter().all(Option::is_none), "{admitted:?}");
        // Another reason has a separate limit.
        assert_eq!(log.admit(other, after(100)), Some(0));
        assert_eq!(log.admit(one, after(199)), None);
        assert_eq!(log.admit(one, after(200)), Some(96));
        assert_eq!(log.admit(one, after(201)), None);
        assert_eq!(log.admit(one, after(400)), Some(1));
    }
}
