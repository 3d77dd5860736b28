//! Whether the engine steps now, or the worker waits for more jobs first.
//!
//! A step over few lanes costs more per byte than a step over many (the engine's calibrated plans
//! say how much). A worker that is faster than its clients would meet one chunk at a time, and
//! hash each in one lane. So before a step it weighs:
//!
//! ```text
//! r    ready jobs, with B bytes         r'   jobs that will be ready after a wait, with A more
//! now:    B cost(r) + A cost(r' - r)    wait:   (B + A) cost(r')
//! ```
//!
//! `cost` is nanoseconds per byte by the plans. `r'` follows from what clients did in the last
//! milliseconds ([`Recent`]): the rate at which jobs became ready, and the number of sources that
//! were active, which bounds it. The worker waits if that saves more than the wait itself costs.
//! No job waits for longer than `linger` since its bytes came or the last step ended.
//!
//! Arrivals come in bursts, so a wait may bring fewer jobs than the rate promises. [`Wait`] keeps
//! the share that came, and expects that share the next time.

use std::cell::Cell;
use std::time::{Duration, Instant};

use hashlane_engine::{Crossover, Family};

/// How long a period of [`Recent`] is.
pub(super) const PERIOD: Duration = Duration::from_millis(5);

/// CPU time of a wait: the sleep, the wake-up and a look at the sockets.
const WAIT_COST_NS: f64 = 10_000.0;

/// The weight of the last wait in the share that comes of what the rate promises.
const SHARE_WEIGHT: f64 = 0.25;

/// How far each step without a wait moves that share back towards all of it, so that a wait is
/// tried again when clients change.
const SHARE_RECOVERY: f64 = 1.0 / 64.0;

/// What clients did in this period and the one before.
#[derive(Debug)]
pub(super) struct Recent {
    period: u64,
    /// When this period began.
    since: Instant,
    /// Jobs of open parts that became ready.
    jobs: TwoPeriods,
    /// Connections of which a part became ready.
    connections: TwoPeriods,
    /// The most jobs that were ready at once.
    ready: TwoPeriods,
    /// Times that a job became ready.
    arrivals: TwoPeriods,
}

#[derive(Clone, Copy, Debug, Default)]
struct TwoPeriods {
    now: usize,
    before: usize,
}

/// The period in which a source was last active, and the jobs it counts for. A source without
/// lanes counts for none.
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

impl TwoPeriods {
    fn roll(&mut self, is_next: bool) {
        self.before = if is_next { self.now } else { 0 };
        self.now = 0;
    }

    fn sum(self) -> usize {
        self.now + self.before
    }

    /// Counts a source that is active in `period`, once for each period.
    fn saw(&mut self, source: &mut LastSeen, period: u64) {
        if source.period != period {
            self.forget(*source, period);
            source.period = period;
            self.now += source.jobs;
        }
    }

    fn forget(&mut self, source: LastSeen, period: u64) {
        if source.period == period {
            self.now -= source.jobs;
        } else if source.period + 1 == period {
            self.before -= source.jobs;
        }
    }
}

impl Recent {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            // No source that was never seen was seen in the period before.
            period: 2,
            since: now,
            jobs: TwoPeriods::default(),
            connections: TwoPeriods::default(),
            ready: TwoPeriods::default(),
            arrivals: TwoPeriods::default(),
        }
    }

    /// A part that had no bytes gets some.
    pub(super) fn arrived(
        &mut self,
        part: &mut LastSeen,
        connection: Option<&Cell<LastSeen>>,
        now: Instant,
    ) {
        self.roll(now);
        self.jobs.saw(part, self.period);
        self.arrivals.now += part.jobs;
        if let Some(connection) = connection.filter(|_| part.jobs > 0) {
            let mut seen = connection.get();
            self.connections.saw(&mut seen, self.period);
            connection.set(seen);
        }
    }

    fn roll(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.since);
        if passed < PERIOD {
            return;
        }
        let is_next = passed < 2 * PERIOD;
        self.period += if is_next { 1 } else { 2 };
        self.since = now;
        for counts in [
            &mut self.jobs,
            &mut self.connections,
            &mut self.ready,
            &mut self.arrivals,
        ] {
            counts.roll(is_next);
        }
    }

    /// So many jobs are ready.
    pub(super) fn ready(&mut self, jobs: usize) {
        self.ready.now = self.ready.now.max(jobs);
    }

    /// A part has ended.
    pub(super) fn forget_part(&mut self, part: LastSeen) {
        self.jobs.forget(part, self.period);
    }

    /// A connection is gone.
    pub(super) fn forget_connection(&mut self, connection: LastSeen) {
        self.connections.forget(connection, self.period);
    }

    /// Jobs that may be ready at once if clients go on as they did: those of active parts, or
    /// one for each active connection whose parts are short, or as many as there were.
    pub(super) fn likely_jobs(&self) -> usize {
        let ready = self.ready.now.max(self.ready.before);
        self.jobs.sum().max(self.connections.sum()).max(ready)
    }

    /// Jobs that become ready in a nanosecond.
    fn jobs_per_ns(&self, now: Instant) -> f64 {
        let time = PERIOD + now.saturating_duration_since(self.since);
        as_f64(self.arrivals.sum()) / time.as_nanos() as f64
    }
}

/// The ready jobs of a family.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) family: Family,
    pub(super) jobs: usize,
    pub(super) bytes: usize,
}

/// Waits, and what came of them.
#[derive(Debug)]
pub(super) struct Wait {
    linger: Duration,
    /// The share of the promised jobs that came.
    share: f64,
    /// The ready jobs when the last wait began, and those that the rate promised.
    begun: Option<(usize, f64)>,
}

impl Wait {
    /// No job waits for longer than `linger`; zero is never.
    pub(super) const fn new(linger: Duration) -> Self {
        Self {
            linger,
            share: 1.0,
            begun: None,
        }
    }

    /// How long to wait before a step over `loads`, if at all: it has begun then. The oldest of
    /// what is ready came at `since`, or was not taken by the step that ended then.
    pub(super) fn begin(
        &mut self,
        loads: &[Load],
        recent: &Recent,
        crossover: &Crossover,
        since: Instant,
        now: Instant,
    ) -> Option<Duration> {
        let left = self
            .linger
            .saturating_sub(now.saturating_duration_since(since));
        let jobs: usize = loads.iter().map(|load| load.jobs).sum();
        let likely = recent.likely_jobs();
        if left.is_zero() || jobs == 0 || jobs >= likely {
            return None;
        }
        let enough: usize = loads.iter().map(|l| crossover.lanes_enough(l.family)).sum();
        let wanted = as_f64(likely.min(enough.max(jobs)) - jobs);
        // A source with a ready job brings no other.
        let others = as_f64(likely - jobs) / as_f64(likely);
        let promised_per_ns = recent.jobs_per_ns(now) * others;
        let per_ns = promised_per_ns * self.share;
        if wanted <= 0.0 || per_ns <= 0.0 {
            return None;
        }
        let time_ns = (wanted / per_ns).min(left.as_nanos() as f64);
        let growth = (per_ns * time_ns + as_f64(jobs)) / as_f64(jobs);
        let saved: f64 = loads.iter().map(|l| saved_ns(*l, growth, crossover)).sum();
        if saved < WAIT_COST_NS {
            return None;
        }
        self.begun = Some((jobs, promised_per_ns * time_ns));
        Some(Duration::from_nanos(time_ns as u64))
    }

    /// So many jobs are ready after the wait and a look at the sockets. Returns whether the wait
    /// brought any, if one had begun.
    pub(super) fn end(&mut self, jobs: usize) -> Option<bool> {
        let (before, promised) = self.begun.take()?;
        let came = as_f64(jobs.saturating_sub(before));
        let share = (came / promised.max(1.0)).min(1.0);
        self.share += (share - self.share) * SHARE_WEIGHT;
        Some(came > 0.0)
    }

    /// The engine steps.
    pub(super) fn stepped(&mut self) {
        self.share += (1.0 - self.share) * SHARE_RECOVERY;
    }
}

/// Nanoseconds of kernels that are saved if the jobs of `load` become `growth` times as many, with
/// as many bytes each, before they are hashed.
fn saved_ns(load: Load, growth: f64, crossover: &Crossover) -> f64 {
    if load.jobs == 0 {
        return 0.0;
    }
    let cost = |jobs: usize| {
        let lanes = jobs.clamp(1, Crossover::LANES);
        1e9 / crossover.step_bytes_per_second(load.family, lanes)
    };
    let later = (as_f64(load.jobs) * growth) as usize;
    let more = later.saturating_sub(load.jobs);
    if more == 0 {
        return 0.0;
    }
    let bytes = load.bytes as f64;
    let more_bytes = bytes * as_f64(more) / as_f64(load.jobs);
    bytes * cost(load.jobs) + more_bytes * cost(more) - (bytes + more_bytes) * cost(later)
}

fn as_f64(n: usize) -> f64 {
    n as f64
}
