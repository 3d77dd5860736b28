//! Decides whether an engine steps now or its thread first waits for more jobs. The thread asks
//! when it has nothing else to do.
//!
//! A step over few lanes costs more per byte than a step over many; the engine's calibrated plans
//! give the costs. A worker that is faster than its clients would get one chunk at a time and hash
//! each in one lane. So before a step [`Wait`] compares:
//!
//! ```text
//! r    ready jobs, with B bytes         r'   jobs that will be ready after a wait, with A more
//! now:    B cost(r) + A cost(r' - r)    wait:   (B + A) cost(r')
//! ```
//!
//! `cost` is nanoseconds per byte, from the plans. `r'` is estimated from the last milliseconds
//! ([`Recent`]): the rate at which jobs became ready, bounded by the number of active sources. The
//! worker waits if that saves more than a wait costs, as measured in the last waits. No job waits
//! longer than `linger` after its bytes arrived or after the last step ended.
//!
//! A thread without a ready job sleeps anyway, and each arrival would end its sleep. If several jobs
//! are likely within 300 us, it sleeps past them all at once ([`Wait::begin_idle`]). That costs
//! nothing, saves the sleeps between them, and fills more lanes. It delays answers, so it pays only
//! if most bytes are of parts that go on.
//!
//! Arrivals come in bursts, so a wait may bring fewer jobs than the rate predicts. [`Wait`] keeps
//! the share that arrived, and predicts that share the next time.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::Crossover;
use crate::kernel::Family;

/// Length of a period of [`Recent`].
pub const PERIOD: Duration = Duration::from_millis(5);

/// Shortest time over which a rate is computed.
const RATE_TIME_MIN: Duration = Duration::from_micros(200);

/// The longest wait without a ready job.
const IDLE_MAX: Duration = Duration::from_micros(300);

/// The fewest arrivals for which such a wait pays, and how many it waits for even if fewer jobs fill
/// the lanes: with more, few sleeps are left to save.
const IDLE_ARRIVALS: std::ops::RangeInclusive<usize> = 2..=8;

/// How often jobs became ready for each that ended, if most bytes are of parts that go on.
const ARRIVALS_PER_END: usize = 4;

/// Weight of the last wait in the share of predicted jobs that arrived.
const SHARE_WEIGHT: f64 = 0.25;

/// How far each step moves that share back towards 1, and the cost back to its first value, so that
/// waits are tried again when clients or the machine change.
const SHARE_RECOVERY: f64 = 1.0 / 256.0;

/// Activity of clients in this period and the one before.
#[derive(Debug)]
pub struct Recent {
    length: Duration,
    period: u64,
    /// When this period began, and the length of the previous one if they are adjacent.
    since: Instant,
    before: Duration,
    /// Jobs of open parts that became ready.
    jobs: TwoPeriods,
    /// Connections with a part that became ready.
    connections: TwoPeriods,
    /// The most jobs that were ready at once.
    ready: TwoPeriods,
    /// Times that a job became ready.
    arrivals: TwoPeriods,
    /// Times that a part, with all its jobs, became ready.
    ready_parts: TwoPeriods,
    /// Jobs of parts that ended.
    ended: TwoPeriods,
}

#[derive(Clone, Copy, Debug, Default)]
struct TwoPeriods {
    now: usize,
    before: usize,
}

/// The period in which a source was last active, and the number of its jobs. A source without lanes
/// has none.
#[derive(Clone, Copy, Debug)]
pub struct LastSeen {
    period: u64,
    jobs: usize,
}

impl LastSeen {
    /// A source that was never active.
    #[must_use]
    pub const fn new(jobs: usize) -> Self {
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

    /// Counts a source that is active in `period`, once per period.
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
    /// Starts with periods of `length`.
    #[must_use]
    pub fn new(length: Duration, now: Instant) -> Self {
        Self {
            length,
            before: Duration::ZERO,
            // From period 2 on, period 0 of a new source is neither this period nor the one before.
            period: 2,
            since: now,
            jobs: TwoPeriods::default(),
            connections: TwoPeriods::default(),
            ready: TwoPeriods::default(),
            arrivals: TwoPeriods::default(),
            ready_parts: TwoPeriods::default(),
            ended: TwoPeriods::default(),
        }
    }

    /// A part without waiting bytes received some.
    pub fn arrived(
        &mut self,
        part: &mut LastSeen,
        connection: Option<&Cell<LastSeen>>,
        now: Instant,
    ) {
        self.roll(now);
        self.jobs.saw(part, self.period);
        self.arrivals.now += part.jobs;
        self.ready_parts.now += usize::from(part.jobs > 0);
        if let Some(connection) = connection.filter(|_| part.jobs > 0) {
            let mut seen = connection.get();
            self.connections.saw(&mut seen, self.period);
            connection.set(seen);
        }
    }

    fn roll(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.since);
        if passed < self.length {
            return;
        }
        let is_next = passed < 2 * self.length;
        self.before = if is_next { passed } else { Duration::ZERO };
        self.period += if is_next { 1 } else { 2 };
        self.since = now;
        for counts in [
            &mut self.jobs,
            &mut self.connections,
            &mut self.ready,
            &mut self.arrivals,
            &mut self.ready_parts,
            &mut self.ended,
        ] {
            counts.roll(is_next);
        }
    }

    /// `jobs` jobs are ready.
    pub fn ready(&mut self, jobs: usize) {
        self.ready.now = self.ready.now.max(jobs);
    }

    /// A part has ended.
    pub fn forget_part(&mut self, part: LastSeen) {
        self.jobs.forget(part, self.period);
        self.ended.now += part.jobs;
    }

    /// A connection has ended.
    pub fn forget_connection(&mut self, connection: LastSeen) {
        self.connections.forget(connection, self.period);
    }

    /// Jobs that may be ready at once if clients go on like this: one per job of the active parts,
    /// or one per active connection if parts are short, or as many as were ready at once.
    #[must_use]
    pub fn likely_jobs(&self) -> usize {
        let ready = self.ready.now.max(self.ready.before);
        self.jobs.sum().max(self.connections.sum()).max(ready)
    }

    /// Whether most jobs that become ready are of parts that go on, so that few clients wait for an
    /// answer.
    fn are_parts_long(&self) -> bool {
        self.arrivals.sum() >= ARRIVALS_PER_END * self.ended.sum()
    }

    /// Jobs that become ready with a part: its digests.
    fn jobs_per_part(&self) -> f64 {
        as_f64(self.arrivals.sum()) / as_f64(self.ready_parts.sum().max(1))
    }

    /// Jobs that become ready per nanosecond.
    fn jobs_per_ns(&self, now: Instant) -> f64 {
        let time = self.before + now.saturating_duration_since(self.since);
        as_f64(self.arrivals.sum()) / time.max(RATE_TIME_MIN).as_nanos() as f64
    }
}

/// Average CPU time of a thread's sleeps: what it takes to fall asleep and to wake up.
#[derive(Debug)]
pub struct SleepCost {
    ns: f64,
}

impl SleepCost {
    /// The cost before a sleep was measured. Some virtual machines take three times as much.
    const FIRST_NS: f64 = 10_000.0;
    /// Weight of the last sleep.
    const WEIGHT: f64 = 1.0 / 16.0;
    /// Upper bound on one sleep: an interrupt may fall into it.
    const NS_MAX: f64 = 100_000.0;

    /// A cost to begin with, in nanoseconds. If it is negative, every wait pays.
    #[must_use]
    pub const fn of_ns(ns: f64) -> Self {
        Self { ns }
    }

    /// A sleep cost this CPU time.
    pub fn observe(&mut self, cpu_time: Duration) {
        let ns = (cpu_time.as_nanos() as f64).min(Self::NS_MAX);
        self.ns += (ns - self.ns) * Self::WEIGHT;
    }

    /// Moves the cost back to its first value by `share`.
    pub fn forget(&mut self, share: f64) {
        self.ns += (Self::FIRST_NS - self.ns) * share;
    }

    /// The average so far.
    #[must_use]
    pub fn get(&self) -> Duration {
        Duration::from_secs_f64(self.ns.max(0.0) / 1e9)
    }

    /// The average so far in nanoseconds.
    #[must_use]
    pub const fn ns(&self) -> f64 {
        self.ns
    }
}

impl Default for SleepCost {
    fn default() -> Self {
        Self::of_ns(Self::FIRST_NS)
    }
}

/// The ready jobs of a family.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// The jobs' kernels.
    pub family: Family,
    /// Their number.
    pub jobs: usize,
    /// The bytes that wait for them.
    pub bytes: usize,
}

/// Decides on waits, and learns from their results.
#[derive(Debug)]
pub struct Wait {
    linger: Duration,
    /// CPU time of a wait.
    pub cost: SleepCost,
    /// Average share of the predicted jobs that arrived.
    share: f64,
    /// When the oldest ready job was first waited for, or when the last step that left it ended.
    since: Option<Instant>,
    /// The ready jobs when the current wait began, and the jobs that the rate predicted.
    begun: Option<(usize, f64)>,
}

impl Wait {
    /// No job waits longer than `linger`; zero means no waits.
    #[must_use]
    pub fn new(linger: Duration) -> Self {
        Self {
            linger,
            cost: SleepCost::default(),
            share: 1.0,
            since: None,
            begun: None,
        }
    }

    /// Whether a wait could pay if `likely` jobs became ready. For a few bytes it costs more than
    /// it saves.
    #[must_use]
    pub fn may_pay(&self, loads: &[Load], likely: usize, crossover: &Crossover) -> bool {
        let jobs: usize = loads.iter().map(|load| load.jobs).sum();
        let growth = as_f64(likely) / as_f64(jobs.max(1));
        let saved: f64 = loads.iter().map(|l| saved_ns(*l, growth, crossover)).sum();
        saved >= self.cost.ns()
    }

    /// Begins a wait before a step over `loads` and returns its length, or `None` if a wait does
    /// not pay.
    pub fn begin(
        &mut self,
        loads: &[Load],
        recent: &Recent,
        crossover: &Crossover,
        now: Instant,
    ) -> Option<Duration> {
        let since = *self.since.get_or_insert(now);
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
        // A source with a ready job does not make another one ready.
        let others = as_f64(likely - jobs) / as_f64(likely);
        let per_ns = recent.jobs_per_ns(now) * others;
        if wanted <= 0.0 || per_ns <= 0.0 {
            return None;
        }
        let time_ns = (wanted / per_ns).min(left.as_nanos() as f64);
        let promised = per_ns * time_ns;
        let growth = 1.0 + promised * self.share / as_f64(jobs);
        let saved: f64 = loads.iter().map(|l| saved_ns(*l, growth, crossover)).sum();
        if saved < self.cost.ns() {
            return None;
        }
        self.begun = Some((jobs, promised));
        Some(Duration::from_nanos(whole(time_ns)))
    }

    /// Begins a wait without a ready job, in place of a sleep until the next one. `enough` jobs fill
    /// the lanes. Returns its length and the time until the first part is likely, or `None` if it
    /// does not pay.
    pub fn begin_idle(
        &mut self,
        recent: &Recent,
        enough: usize,
        now: Instant,
    ) -> Option<(Duration, Duration)> {
        let (per_ns, per_part) = (recent.jobs_per_ns(now), recent.jobs_per_part());
        if per_ns <= 0.0 || !recent.are_parts_long() {
            return None;
        }
        let enough = as_f64(enough).max(as_f64(*IDLE_ARRIVALS.end()) * per_part);
        let wanted = as_f64(recent.likely_jobs()).min(enough);
        let longest = self.linger.min(IDLE_MAX).as_nanos() as f64;
        let time_ns = (wanted / per_ns).min(longest);
        let promised = per_ns * time_ns;
        if promised * self.share < as_f64(*IDLE_ARRIVALS.start()) * per_part {
            return None;
        }
        let nanos = |ns: f64| Duration::from_nanos(whole(ns));
        let first = nanos(per_part / per_ns);
        self.since = Some(now + first);
        self.begun = Some((0, promised));
        Some((nanos(time_ns), first))
    }

    /// Ends a wait: `jobs` jobs are ready after it and a look at the sockets. Returns whether it
    /// brought any, or `None` if there was no wait.
    pub fn end(&mut self, jobs: usize) -> Option<bool> {
        let (before, promised) = self.begun.take()?;
        if jobs == 0 {
            self.since = None;
        }
        let came = as_f64(jobs.saturating_sub(before));
        let share = (came / promised.max(1.0)).min(1.0);
        self.share += (share - self.share) * SHARE_WEIGHT;
        Some(came > 0.0)
    }

    /// A step has ended `now`, and left `jobs` ready jobs.
    pub fn stepped(&mut self, jobs: usize, now: Instant) {
        self.since = (jobs > 0).then_some(now);
        self.share += (1.0 - self.share) * SHARE_RECOVERY;
        // Otherwise a cost that seems too high would never be measured again.
        self.cost.forget(SHARE_RECOVERY);
    }
}

/// Kernel time in nanoseconds that a wait saves if it multiplies the number of jobs in `load` by
/// `growth`, and each new job has the average bytes of the old ones.
fn saved_ns(load: Load, growth: f64, crossover: &Crossover) -> f64 {
    if load.jobs == 0 {
        return 0.0;
    }
    let cost = |jobs: usize| {
        let lanes = jobs.clamp(1, Crossover::LANES);
        1e9 / crossover.step_bytes_per_second(load.family, lanes)
    };
    let later = usize::try_from(whole(as_f64(load.jobs) * growth)).unwrap_or(usize::MAX);
    let more = later.saturating_sub(load.jobs);
    if more == 0 {
        return 0.0;
    }
    let bytes = as_f64(load.bytes);
    let more_bytes = bytes * as_f64(more) / as_f64(load.jobs);
    bytes * cost(load.jobs) + more_bytes * cost(more) - (bytes + more_bytes) * cost(later)
}

#[allow(clippy::cast_precision_loss)]
fn as_f64(n: usize) -> f64 {
    n as f64
}

/// The integer part of a non-negative number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{available_kernels::Backend, kernel::Kernel};

    const LINGER: Duration = Duration::from_millis(1);

    fn micros(micros: u64) -> Duration {
        Duration::from_micros(micros)
    }

    /// A step over four lanes costs as much as a step over one.
    fn crossover() -> Option<Crossover> {
        let mut kernels = Kernel::of(Family::Sha256);
        let four = kernels.find(|kernel| kernel.is_available() && kernel.lanes() == 4)?;
        Some(Crossover::from_costs(Backend::of(&[four])?, |_| 300.0))
    }

    fn load(jobs: usize, bytes: usize) -> [Load; 1] {
        let family = Family::Sha256;
        [Load {
            family,
            jobs,
            bytes,
        }]
    }

    /// `count` parts that become ready in turn, one each `gap`, and the time after the last.
    fn parts(count: usize, arrivals: u32, gap: Duration, start: Instant) -> (Recent, Instant) {
        let mut recent = Recent::new(PERIOD, start);
        let mut seen = vec![LastSeen::new(1); count];
        for i in 0..arrivals {
            recent.arrived(&mut seen[i as usize % count], None, start + gap * i);
        }
        (recent, start + gap * arrivals)
    }

    #[test]
    fn sources_are_parts_that_are_open_connections_and_what_was_ready_at_once() {
        let start = Instant::now();
        let at = |periods: u32| start + PERIOD * periods;
        let mut recent = Recent::new(PERIOD, start);
        assert_eq!(recent.likely_jobs(), 0);
        let connections = [0; 3].map(|_| Cell::new(LastSeen::new(1)));
        // Many short parts of one connection, one after another, count as one source.
        for _ in 0..20 {
            let mut part = LastSeen::new(1);
            recent.arrived(&mut part, Some(&connections[0]), at(0));
            recent.forget_part(part);
        }
        assert_eq!(recent.likely_jobs(), 1);
        for connection in &connections {
            let mut part = LastSeen::new(1);
            recent.arrived(&mut part, Some(connection), at(0));
            recent.forget_part(part);
        }
        assert_eq!(recent.likely_jobs(), 3);
        recent.forget_connection(connections[2].get());
        assert_eq!(recent.likely_jobs(), 2);
        let mut open = [LastSeen::new(2); 5];
        for part in &mut open {
            recent.arrived(part, None, at(0));
            recent.arrived(part, None, at(0));
        }
        assert_eq!(recent.likely_jobs(), 10);
        recent.forget_part(open[4]);
        assert_eq!(recent.likely_jobs(), 8);
        recent.ready(12);
        assert_eq!(recent.likely_jobs(), 12);
        // They still count in the next period, but not in the one after.
        recent.arrived(&mut open[0], Some(&connections[0]), at(1));
        assert_eq!(recent.likely_jobs(), 12);
        recent.arrived(&mut open[0], Some(&connections[0]), at(2));
        assert_eq!(recent.likely_jobs(), 2);
        recent.arrived(&mut LastSeen::new(0), Some(&connections[1]), at(9));
        assert_eq!(recent.likely_jobs(), 0, "parts without lanes are no source");
    }

    #[test]
    fn a_wait_is_as_long_as_jobs_take_to_come() {
        let Some(crossover) = crossover() else { return };
        let (recent, now) = parts(8, 40, micros(50), Instant::now());
        let begin = |jobs: usize, bytes: usize, since: Instant| {
            let mut wait = Wait::new(LINGER);
            wait.stepped(jobs, since);
            wait.begin(&load(jobs, bytes), &recent, &crossover, now)
        };
        // One of eight is ready, so the others make seven eighths of the rate. Three more fill the
        // lanes.
        let time = begin(1, 16 << 10, now).unwrap();
        assert!((micros(165)..micros(180)).contains(&time), "{time:?}");
        let time = begin(3, 48 << 10, now).unwrap();
        assert!((micros(75)..micros(85)).contains(&time), "{time:?}");
        assert_eq!(begin(4, 64 << 10, now), None, "the lanes are full");
        assert_eq!(begin(0, 0, now), None);
        // At most as long as the oldest byte may wait.
        let time = begin(1, 16 << 10, now - micros(900)).unwrap();
        assert_eq!(time, micros(100));
        assert_eq!(begin(1, 16 << 10, now - LINGER), None);
        // A few bytes are not worth a wait.
        assert_eq!(begin(1, 256, now), None);
        // The wait for a job goes on until a step.
        let mut wait = Wait::new(LINGER);
        let mut begin = |now| wait.begin(&load(1, 16 << 10), &recent, &crossover, now);
        assert!(begin(now).is_some());
        assert_eq!(begin(now + micros(800)), Some(micros(200)));
        assert_eq!(begin(now + LINGER), None);
        wait.stepped(0, now);
        let again = wait.begin(&load(1, 16 << 10), &recent, &crossover, now + LINGER);
        assert!(again.is_some());
    }

    #[test]
    fn nothing_is_waited_for_without_other_sources_or_any_time() {
        let Some(crossover) = crossover() else { return };
        let (lone, now) = parts(1, 40, micros(50), Instant::now());
        let loads = load(1, 64 << 10);
        let begin =
            |linger, recent: &Recent, now| Wait::new(linger).begin(&loads, recent, &crossover, now);
        assert_eq!(begin(LINGER, &lone, now), None);
        let (busy, now) = parts(8, 40, micros(50), Instant::now());
        assert!(begin(LINGER, &busy, now).is_some());
        assert_eq!(begin(Duration::ZERO, &busy, now), None);
        // Slow clients send nothing in time.
        let (slow, now) = parts(8, 3, micros(2_000), Instant::now());
        assert_eq!(begin(LINGER, &slow, now), None);
    }

    #[test]
    fn an_idle_thread_sleeps_past_several_arrivals() {
        let begin = |linger, gap, parts_end: bool| {
            let (mut recent, now) = parts(16, 40, gap, Instant::now());
            if parts_end {
                (0..11).for_each(|_| recent.forget_part(LastSeen::new(1)));
            }
            Wait::new(linger).begin_idle(&recent, 4, now)
        };
        // Eight jobs come in this time, although four fill the lanes.
        let (time, first) = begin(LINGER, micros(25), false).unwrap();
        assert!((micros(195)..micros(205)).contains(&time), "{time:?}");
        assert!((micros(24)..micros(26)).contains(&first), "{first:?}");
        let (time, _) = begin(LINGER, micros(100), false).unwrap();
        assert_eq!(time, IDLE_MAX);
        assert_eq!(
            begin(micros(150), micros(25), false).unwrap().0,
            micros(150)
        );
        assert_eq!(
            begin(LINGER, micros(160), false),
            None,
            "fewer than two come"
        );
        assert_eq!(
            begin(LINGER, micros(25), true),
            None,
            "clients wait for answers"
        );
        assert_eq!(begin(Duration::ZERO, micros(25), false), None);
        // A lone part with two digests makes two jobs ready at once.
        let of_digests = |count| {
            let (mut recent, mut now) = (Recent::new(PERIOD, Instant::now()), Instant::now());
            let mut seen = vec![LastSeen::new(2); count];
            for i in 0..40 {
                now += micros(25);
                recent.arrived(&mut seen[i % count], None, now);
            }
            Wait::new(LINGER).begin_idle(&recent, 4, now)
        };
        assert_eq!(of_digests(1), None);
        assert!(of_digests(2).is_some());
        // The bytes that came first have waited.
        let (recent, now) = parts(16, 40, micros(25), Instant::now());
        let mut wait = Wait::new(LINGER);
        let (time, first) = wait.begin_idle(&recent, 4, now).unwrap();
        wait.end(1);
        assert_eq!(wait.since, Some(now + first));
        assert!(wait.begin_idle(&recent, 4, now + time).is_some());
        wait.end(0);
        assert_eq!(wait.since, None, "nothing came");
        // It learns how many come.
        let (recent, now) = parts(16, 40, micros(25), Instant::now());
        let mut wait = Wait::new(LINGER);
        for _ in 0..5 {
            assert!(wait.begin_idle(&recent, 4, now).is_some());
            assert_eq!(wait.end(0), Some(false));
        }
        assert_eq!(wait.begin_idle(&recent, 4, now), None);
        (0..100).for_each(|_| wait.stepped(0, now));
        assert!(wait.begin_idle(&recent, 4, now).is_some());
    }

    #[test]
    fn waits_that_bring_nothing_become_rare_and_are_tried_again() {
        let Some(crossover) = crossover() else { return };
        let (recent, now) = parts(8, 40, micros(50), Instant::now());
        let mut wait = Wait::new(LINGER);
        let loads = load(1, 4 << 10);
        let mut count = |brings: usize| {
            let mut waits = 0;
            for _ in 0..1000 {
                let begun = wait.begin(&loads, &recent, &crossover, now).is_some();
                waits += usize::from(begun);
                assert_eq!(wait.end(1 + brings), begun.then_some(brings > 0));
                wait.stepped(0, now);
            }
            waits
        };
        let rare = count(0);
        assert!((1..250).contains(&rare), "{rare}");
        assert!(count(3) > 950);
    }

    #[test]
    fn the_cost_of_sleeps_is_learned_from_them() {
        let mut cost = SleepCost::default();
        (0..100).for_each(|_| cost.observe(Duration::from_micros(30)));
        assert!((29_000.0..=30_000.0).contains(&cost.ns()));
        // One sleep with an interrupt changes little.
        cost.observe(Duration::from_millis(1));
        assert!(cost.ns() < 35_000.0, "{cost:?}");
        (0..1000).for_each(|_| cost.forget(0.1));
        assert!((10_000.0..10_001.0).contains(&cost.ns()));
    }
}
