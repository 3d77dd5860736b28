//! Whether a worker's loop turns, as others see it, and if not, why.
//!
//! A timer on the worker's own runtime beats: a worker that is busy with anything else for long
//! does not get to it. Then the kernel is asked what the thread does ([`Thread`]):
//!
//! | it | it is |
//! |---|---|
//! | has run for long without a beat | hung: it spins |
//! | sleeps at each look | hung: it blocks; the wait for sockets ends with the beat |
//! | is runnable, and has not run | starved: others have its CPU |
//!
//! What hangs is measured by its own CPU time and by looks, never by the clock: on a machine that
//! is too busy, or after the whole process was stopped, no worker hangs.
//!
//! Why not by the clock: on a busy machine workers without CPU time would be taken for hung.
//! deploy/tests/starved.sh leaves a server no CPU time for 30 s: no hang, no restart
//! (docs/measurements.md, What does a flood cost).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::counters::{Counter, WorkerCounters};
use super::thread::{Doing, Reading, Thread};

/// Looks without a beat from which the thread is asked for: a beat comes with every second.
const LATE_LOOKS: u32 = 4;

/// Looks without a beat after which a worker that was runnable at each, once asked, and has not run
/// is starved: 4 s and more.
const STARVED_LOOKS: u32 = 8;

/// Looks, one after the other, that found it asleep: it blocks.
const BLOCKS_AFTER_LOOKS: u32 = 10;

/// When it has lasted this many times as long, it is for good.
const FOR_GOOD: u32 = 3;

/// How often a worker beats and is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// From one beat to the next.
    beat: Duration,
    /// From one look to the next.
    pub(crate) look: Duration,
    /// A worker that has run for so long without a beat spins. Nothing that a worker does in one
    /// turn takes a hundredth of that.
    spins_after: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            beat: Duration::from_secs(1),
            look: Duration::from_millis(500),
            spins_after: Duration::from_secs(5),
        }
    }
}

impl Pace {
    /// All of it `times` as fast, for tests.
    #[cfg(feature = "faults")]
    pub(crate) fn hastened(self, times: u32) -> Self {
        Self {
            beat: self.beat / times,
            look: self.look / times,
            spins_after: self.spins_after / times,
        }
    }
}

/// The beats of one worker, and what became of them.
#[derive(Debug, Default)]
pub(crate) struct Heartbeat {
    count: Counter,
    thread: OnceLock<Thread>,
    /// Written by who looks.
    hangs: AtomicBool,
    hung: AtomicU64,
    starved: AtomicU64,
}

impl Heartbeat {
    /// Tells which thread beats. It is the worker's own that says so, once.
    pub(crate) fn is_of(&self, thread: Thread) {
        let _ = self.thread.set(thread);
    }

    /// Its thread, once it has begun.
    pub(crate) fn thread(&self) -> Option<&Thread> {
        self.thread.get()
    }

    /// Beats since the start.
    pub(crate) fn count(&self) -> u64 {
        self.count.get()
    }

    /// Whether it hangs, as of the last look.
    pub(crate) fn hangs(&self) -> bool {
        self.hangs.load(Relaxed)
    }

    /// Times that it hung.
    pub(crate) fn hung(&self) -> u64 {
        self.hung.load(Relaxed)
    }

    /// Times that it starved.
    pub(crate) fn starved(&self) -> u64 {
        self.starved.load(Relaxed)
    }

    /// Looks once, and keeps what it shows.
    pub(crate) fn look(&self, watch: &mut Watch) -> Seen {
        let seen = watch.look(self.count(), || self.thread()?.read());
        let (was, is) = (self.hangs(), matches!(seen, Seen::Hangs { .. }));
        self.hangs.store(is, Relaxed);
        self.hung.fetch_add(u64::from(is && !was), Relaxed);
        self.starved
            .fetch_add(u64::from(seen == Seen::Starves), Relaxed);
        seen
    }

    #[cfg(test)]
    pub(crate) fn hang(&self) {
        self.hangs.store(true, Relaxed);
    }
}

/// How a worker hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hang {
    Spins,
    Blocks,
}

/// What a look has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Nothing new.
    Well,
    /// It has not had a CPU for long. It is told once for each time.
    Starves,
    /// For good, if that has lasted.
    Hangs { how: Hang, for_good: bool },
}

/// What looks at a heartbeat time and again have shown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    pace: Pace,
    beats: u64,
    /// Looks since the last beat.
    in_vain: u32,
    /// When its thread was first asked for after that beat: its CPU time.
    ran_before: Option<Duration>,
    /// The last looks, as far as all of them found it asleep.
    asleep: u32,
    /// The last looks, as far as all of them found it runnable.
    runnable: u32,
    starves: bool,
}

impl Watch {
    /// Nothing was seen yet.
    pub(crate) fn new(pace: Pace) -> Self {
        Self {
            pace,
            ..Self::default()
        }
    }

    /// A look at a worker that has had so many `beats`. Its thread is asked for if they are late.
    fn look(&mut self, beats: u64, read: impl FnOnce() -> Option<Reading>) -> Seen {
        if beats != self.beats {
            *self = Self {
                beats,
                ..Self::new(self.pace)
            };
            return Seen::Well;
        }
        self.in_vain = self.in_vain.saturating_add(1);
        if self.in_vain < LATE_LOOKS {
            return Seen::Well;
        }
        // A system that does not tell has no hangs: they cannot be told from starvation.
        let Some(now) = read() else {
            return Seen::Well;
        };
        let ran = now
            .ran
            .saturating_sub(*self.ran_before.get_or_insert(now.ran));
        let (asleep, runnable) = (self.asleep, self.runnable);
        (self.asleep, self.runnable) = match now.doing {
            Doing::Sleeps => (asleep.saturating_add(1), 0),
            Doing::Runs => (0, runnable.saturating_add(1)),
            Doing::Stopped => (0, 0),
        };
        let hangs = |how, for_good| Seen::Hangs { how, for_good };
        let Pace {
            look, spins_after, ..
        } = self.pace;
        if ran >= spins_after {
            return hangs(Hang::Spins, ran >= spins_after * FOR_GOOD);
        }
        if self.asleep >= BLOCKS_AFTER_LOOKS {
            let for_good = self.asleep >= BLOCKS_AFTER_LOOKS * FOR_GOOD;
            return hangs(Hang::Blocks, for_good);
        }
        let looked_for = look * (self.in_vain - LATE_LOOKS);
        let waits_for_cpu = self.runnable > STARVED_LOOKS - LATE_LOOKS && ran < looked_for / 2;
        if !self.starves && waits_for_cpu {
            self.starves = true;
            return Seen::Starves;
        }
        Seen::Well
    }
}

/// Beats until it is dropped, with the runtime of its worker.
pub(crate) async fn beat_forever(pace: Pace, counters: Arc<WorkerCounters>) {
    let mut beats = interval(pace.beat);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beats.tick().await;
        counters.heartbeat.count.add(1);
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::yield_now;

    use super::*;

    const LONG: u32 = 1000;

    fn reading(doing: Doing, ran_ms: u64) -> Option<Reading> {
        let ran = Duration::from_millis(ran_ms);
        Some(Reading { doing, ran })
    }

    /// What so many looks show at a worker without a beat that gives these readings, if it is not
    /// `Well`: at which look, and what.
    fn seen(looks: u32, read: impl Fn(u32) -> Option<Reading>) -> Vec<(u32, Seen)> {
        let mut watch = Watch::default();
        let all = (1..=looks).map(|look| (look, watch.look(0, || read(look))));
        let mut seen: Vec<_> = all.filter(|(_, seen)| *seen != Seen::Well).collect();
        seen.dedup_by_key(|(_, seen)| *seen);
        seen
    }

    #[test]
    fn who_waits_for_a_cpu_is_starved_once_and_never_hangs() {
        let starves = vec![(STARVED_LOOKS, Seen::Starves)];
        assert_eq!(seen(LONG, |_| reading(Doing::Runs, 70_000)), starves);
        // 1% of a CPU; what it has run adds up to a hang, long after.
        let slowly = |look: u32| reading(Doing::Runs, 70_000 + 5 * u64::from(look));
        assert_eq!(seen(900, slowly), starves);
        // The process was stopped, or the system does not tell.
        assert_eq!(seen(LONG, |_| reading(Doing::Stopped, 0)), []);
        assert_eq!(seen(LONG, |_| None), []);
    }

    #[test]
    fn who_runs_without_a_beat_hangs() {
        let spins = |for_good| Seen::Hangs {
            how: Hang::Spins,
            for_good,
        };
        // All of a CPU: 500 ms for each look, of which the fourth is the first to ask.
        let runs = |look: u32| reading(Doing::Runs, 70_000 + 500 * u64::from(look));
        assert_eq!(seen(LONG, runs), [(14, spins(false)), (34, spins(true))]);
        // Half of one, on a machine that is busy with others: later.
        let half = |look: u32| reading(Doing::Runs, 70_000 + 250 * u64::from(look));
        assert_eq!(seen(LONG, half), [(24, spins(false)), (64, spins(true))]);
    }

    #[test]
    fn who_sleeps_elsewhere_than_in_the_reactor_hangs() {
        let blocks = |for_good| Seen::Hangs {
            how: Hang::Blocks,
            for_good,
        };
        let sleeps = seen(LONG, |_| reading(Doing::Sleeps, 70_000));
        assert_eq!(sleeps, [(13, blocks(false)), (33, blocks(true))]);
        // Now and then it gets on.
        let mostly = |look| match look % BLOCKS_AFTER_LOOKS {
            0 => reading(Doing::Runs, 70_000 + 100 * u64::from(look)),
            _ => reading(Doing::Sleeps, 70_000 + 100 * u64::from(look)),
        };
        assert_eq!(seen(30, mostly), []);
    }

    #[test]
    fn a_beat_ends_what_was_seen() {
        let mut watch = Watch::default();
        for beats in 1..4 {
            assert_eq!(watch.look(beats, || None), Seen::Well);
            let mut looks = 0;
            while watch.look(beats, || reading(Doing::Runs, 0)) != Seen::Starves {
                looks += 1;
            }
            assert_eq!(looks, STARVED_LOOKS - 1);
            while watch.look(beats, || reading(Doing::Sleeps, 0)) == Seen::Well {}
        }
        assert_eq!(watch.look(4, || None), Seen::Well);
    }

    #[tokio::test]
    async fn it_beats_until_its_runtime_ends() {
        let counters = Arc::new(WorkerCounters::new());
        let pace = Pace {
            beat: Duration::from_millis(1),
            ..Pace::default()
        };
        let beating = tokio::spawn(beat_forever(pace, Arc::clone(&counters)));
        while counters.heartbeat.count() < 3 {
            yield_now().await;
        }
        let mut watch = Watch::default();
        assert_eq!(counters.heartbeat.look(&mut watch), Seen::Well);
        beating.abort();
        assert!(beating.await.is_err());
    }
}
