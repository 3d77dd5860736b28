//! Whether a worker lingers before a step that would leave most lanes empty.
//!
//! A worker that is faster than its clients meets one chunk at a time: while it
//! hashes that in one lane the next one arrives, so each costs a wake-up, a read
//! and a slow step of its own. With many lively jobs, which are open and brought
//! something lately, it pays to sleep for a moment, as network cards moderate
//! their interrupts: what arrives meanwhile is read and hashed together. With few
//! nothing is to be gained, and with enough jobs ready nothing is waited for.
//!
//! Lively jobs may still come one by one. So when lingering was in vain more than
//! [`VAIN_MAX`] times in a row it is tried ever more rarely, before one step in
//! two, in four, and at last in 128, until it pays again.

use std::time::{Duration, Instant};

/// With fewer lively jobs nothing is waited for.
const LIVELY_MIN: usize = 8;

/// One lively job in so many is expected to be ready after lingering.
const LIVELY_PER_READY: usize = 2;

/// How long a period of [`Lively`] is.
pub(super) const PERIOD: Duration = Duration::from_millis(5);

/// Lingering in vain so often in a row means nothing: clients send in bursts.
const VAIN_MAX: u32 = 6;

/// Steps without lingering, at most, between two tries: fewer than one in a hundred
/// is delayed for nothing.
const SKIP_MAX: u32 = 127;

/// When to linger, learned from what came of it.
#[derive(Debug)]
pub(super) struct Linger {
    time: Duration,
    /// The ready jobs it waits for, once it has begun.
    goal: Option<usize>,
    /// How often in a row it was in vain.
    vain: u32,
    /// Steps to take without it.
    skip: u32,
}

/// Counts open jobs that brought something lately: a chunk for a part that had none, in
/// the period of the last such chunk or the one before. A part that has chunks waiting
/// for longer is not counted, and its jobs count as ready.
#[derive(Debug)]
pub(super) struct Lively {
    length: Duration,
    period: u64,
    /// When it began.
    since: Instant,
    /// Jobs seen in this period, and those last seen in the one before.
    seen: usize,
    seen_before: usize,
}

/// The period in which a part brought something last, and the jobs it has. One without
/// lanes has none, and is never lively.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastSeen {
    period: u64,
    jobs: usize,
}

impl LastSeen {
    /// Never.
    pub(super) const fn new(jobs: usize) -> Self {
        Self { period: 0, jobs }
    }
}

impl Lively {
    /// Lately is a period of `length` and the one before.
    pub(super) fn new(length: Duration, now: Instant) -> Self {
        Self {
            length,
            // No job that was never seen was seen in the period before.
            period: 2,
            since: now,
            seen: 0,
            seen_before: 0,
        }
    }

    /// A part brings something.
    pub(super) fn saw(&mut self, part: &mut LastSeen, now: Instant) {
        let passed = now.saturating_duration_since(self.since);
        if passed >= self.length {
            let next = passed < self.length.saturating_mul(2);
            self.seen_before = if next { self.seen } else { 0 };
            self.seen = 0;
            self.period += if next { 1 } else { 2 };
            self.since = now;
        }
        if part.period != self.period {
            self.forget(*part);
            part.period = self.period;
            self.seen += part.jobs;
        }
    }

    /// A part is gone.
    pub(super) fn forget(&mut self, part: LastSeen) {
        if part.period == self.period {
            self.seen -= part.jobs;
        } else if part.period + 1 == self.period {
            self.seen_before -= part.jobs;
        }
    }

    pub(super) fn jobs(&self) -> usize {
        self.seen + self.seen_before
    }
}

/// The jobs in a worker's engine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jobs {
    /// As [`Lively`] counts them.
    pub(super) lively: usize,
    pub(super) ready: usize,
    /// Nothing more would come before some is hashed: so much waits that sockets are not read,
    /// or a client has little window left.
    pub(super) is_awaited: bool,
    /// The fewest ready jobs for the engine's best rate: if they are of several families,
    /// for that of each.
    pub(super) lanes_enough: usize,
}

impl Linger {
    /// Lingers for `time`; zero is never.
    pub(super) const fn new(time: Duration) -> Self {
        Self {
            time,
            goal: None,
            vain: 0,
            skip: 0,
        }
    }

    /// How long to linger before a step over what is ready, if at all: it has
    /// begun then.
    pub(super) fn begin(&mut self, jobs: Jobs) -> Option<Duration> {
        let goal = jobs.lanes_enough.min(jobs.lively / LIVELY_PER_READY);
        if self.time.is_zero()
            || self.goal.is_some()
            || jobs.lively < LIVELY_MIN
            || jobs.ready >= goal
            || jobs.is_awaited
        {
            return None;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return None;
        }
        self.goal = Some(goal);
        Some(self.time)
    }

    /// So many jobs are ready after a look at the sockets. Returns whether
    /// lingering paid, if it had begun.
    pub(super) fn end(&mut self, ready: usize) -> Option<bool> {
        let paid = ready >= self.goal.take()?;
        self.vain = if paid { 0 } else { self.vain.saturating_add(1) };
        let beyond = self.vain.saturating_sub(VAIN_MAX);
        self.skip = (2_u32.saturating_pow(beyond) - 1).min(SKIP_MAX);
        Some(paid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_micros(50);

    const fn jobs(lively: usize, ready: usize) -> Jobs {
        Jobs {
            lively,
            ready,
            is_awaited: false,
            lanes_enough: 4,
        }
    }

    #[test]
    fn only_with_many_lively_jobs_and_few_ready() {
        for (lively, ready, begins) in [
            (1, 1, false),
            (7, 1, false),
            (8, 3, true),
            (8, 4, false),
            (100_000, 3, true),
            (100_000, 4, false),
        ] {
            let lingers = Linger::new(TIME).begin(jobs(lively, ready));
            assert_eq!(lingers, begins.then_some(TIME), "{ready} of {lively}");
            assert_eq!(Linger::new(Duration::ZERO).begin(jobs(lively, ready)), None);
        }
        let high = Jobs {
            is_awaited: true,
            ..jobs(100, 1)
        };
        assert_eq!(Linger::new(TIME).begin(high), None);
        // Half of them, where the engine would like more.
        let wide = |ready| Jobs {
            lanes_enough: 16,
            ..jobs(12, ready)
        };
        assert!(Linger::new(TIME).begin(wide(5)).is_some());
        assert_eq!(Linger::new(TIME).begin(wide(6)), None);
    }

    #[test]
    fn lively_are_open_jobs_that_brought_something_lately() {
        let start = Instant::now();
        let mut lively = Lively::new(PERIOD, start);
        let mut jobs = [LastSeen::new(1); 5];
        let at = |periods: u32| start + PERIOD * periods;
        for job in &mut jobs {
            lively.saw(job, at(0));
            lively.saw(job, at(0));
        }
        assert_eq!(lively.jobs(), 5);
        // One is seen again, one is gone, and so is one that was never seen.
        lively.saw(&mut jobs[0], at(1));
        assert_eq!(lively.jobs(), 5);
        lively.forget(jobs[1]);
        lively.forget(LastSeen::new(1));
        assert_eq!(lively.jobs(), 4);
        lively.saw(&mut jobs[2], at(2));
        assert_eq!(lively.jobs(), 2, "3 and 4 are silent");
        lively.forget(jobs[3]);
        lively.forget(jobs[0]);
        assert_eq!(lively.jobs(), 1);
        // After a pause the others count no more.
        lively.saw(&mut jobs[4], at(4));
        assert_eq!(lively.jobs(), 1);
        lively.forget(jobs[2]);
        lively.forget(jobs[4]);
        assert_eq!(lively.jobs(), 0);
        // One at a time is one, however many.
        for _ in 0..20 {
            let mut job = LastSeen::new(1);
            lively.saw(&mut job, at(4));
            assert_eq!(lively.jobs(), 1);
            lively.forget(job);
        }
    }

    #[test]
    fn it_ends_once_and_pays_by_what_it_began_for() {
        let mut linger = Linger::new(TIME);
        assert_eq!(linger.end(9), None, "it had not begun");
        assert!(linger.begin(jobs(8, 1)).is_some());
        assert_eq!(linger.begin(jobs(8, 1)), None, "it has begun");
        // Whoever was lively may be gone by now.
        assert_eq!(linger.end(0), Some(false));
        assert_eq!(linger.end(0), None);
        assert_eq!(linger.vain, 1);
    }

    #[test]
    fn in_vain_it_is_tried_ever_more_rarely() {
        let mut linger = Linger::new(TIME);
        let mut gaps = Vec::new();
        let mut steps = 0;
        while gaps.len() < 60 {
            if linger.begin(jobs(1000, 1)).is_some() {
                gaps.push(steps);
                steps = 0;
                assert_eq!(linger.end(3), Some(false));
            } else {
                steps += 1;
            }
        }
        assert_eq!(gaps[..7], [0; 7]);
        assert_eq!(gaps[7..14], [1, 3, 7, 15, 31, 63, 127]);
        assert!(gaps[14..].iter().all(|gap| *gap == 127));

        // Once it pays it is tried every time.
        while linger.begin(jobs(1000, 1)).is_none() {}
        assert_eq!(linger.end(4), Some(true));
        for _ in 0..3 {
            assert!(linger.begin(jobs(1000, 1)).is_some());
            assert_eq!(linger.end(9), Some(true));
        }
    }

    #[test]
    fn steps_with_enough_ready_jobs_are_not_those_to_skip() {
        let mut linger = Linger::new(TIME);
        for _ in 0..=VAIN_MAX {
            assert!(linger.begin(jobs(1000, 1)).is_some());
            assert_eq!(linger.end(1), Some(false));
        }
        for _ in 0..5 {
            assert_eq!(linger.begin(jobs(1000, 4)), None);
        }
        assert_eq!(linger.begin(jobs(1000, 1)), None, "the one to skip");
        assert!(linger.begin(jobs(1000, 1)).is_some());
    }
}
