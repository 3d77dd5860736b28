//! Log lines of refusals, so many a second at most: whoever is refused time and again would
//! fill the log.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::Reason;

/// Lines a second of one reason, by one worker.
const LINES_MAX: u32 = 5;

const SECOND: Duration = Duration::from_secs(1);

/// One reason's lines.
#[derive(Debug, Default)]
struct LineCount {
    since: Cell<Option<Instant>>,
    /// From then on.
    written: Cell<u32>,
    /// Since the last line.
    left_out: Cell<u64>,
}

/// Which refusals one worker logs.
#[derive(Debug)]
pub(crate) struct RefusalLog([LineCount; Reason::COUNT]);

impl RefusalLog {
    pub(crate) fn new() -> Self {
        Self(std::array::from_fn(|_| LineCount::default()))
    }

    /// Whether one more is logged `now`; if so, how many of the same reason were not since the
    /// last that was.
    pub(crate) fn admit(&self, reason: Reason, now: Instant) -> Option<u64> {
        let lines = &self.0[reason.index()];
        let since = lines.since.get();
        if since.is_none_or(|since| now.saturating_duration_since(since) >= SECOND) {
            lines.since.set(Some(now));
            lines.written.set(0);
        }
        if lines.written.get() == LINES_MAX {
            lines.left_out.set(lines.left_out.get() + 1);
            return None;
        }
        lines.written.set(lines.written.get() + 1);
        Some(lines.left_out.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_a_second_and_the_next_tells_of_the_rest() {
        let log = RefusalLog::new();
        let [one, other] = [0, 1].map(|n| Reason::all().nth(n).unwrap());
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        let admitted: Vec<_> = (0..100).map(|n| log.admit(one, after(n))).collect();
        assert!(admitted[..5].iter().all(|a| *a == Some(0)), "{admitted:?}");
        assert!(admitted[5..].iter().all(Option::is_none), "{admitted:?}");
        // Those of another reason have their own.
        assert_eq!(log.admit(other, after(100)), Some(0));
        assert_eq!(log.admit(one, after(999)), None);
        assert_eq!(log.admit(one, after(1000)), Some(96));
        assert_eq!(log.admit(one, after(1001)), Some(0));
    }
}
