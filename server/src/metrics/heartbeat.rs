//! Detects whether a worker's loop makes progress, and if not, why.
//!
//! A timer on the worker's runtime beats. A worker that is busy with anything else for long cannot
//! beat. Then the supervisor asks the kernel what the thread does ([`Thread`]):
//!
//! | the worker | so it is |
//! |---|---|
//! | ran for long without a beat | hung: it spins |
//! | sleeps at each look | hung: it blocks, because a wait for sockets would end with the beat |
//! | is runnable and has not run | starved: other threads have its CPU |
//!
//! A hang is measured by the thread's CPU time and by looks, never by the clock. So no worker
//! counts as hung on an overloaded machine, or after the whole process was stopped.
//!
//! Why not by the clock: on a busy machine, workers without CPU time would count as hung.
//! deploy/tests/starved.sh leaves a server without CPU time for 30 s: no hang, no restart
//! (docs/measurements.md, What does a flood cost).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::instruments::Counter;
use super::thread::{Doing, Reading, Thread};

/// Looks without a beat before the thread's state is read. A beat is due at every second look.
const LATE_LOOKS: u32 = 4;

/// A worker is starved after this many looks without a beat, 4 s or more, if it was runnable at
/// each reading and did not run.
const STARVED_LOOKS: u32 = 8;

/// A worker that sleeps at this many consecutive looks blocks.
const BLOCKS_AFTER_LOOKS: u32 = 10;

/// A hang that lasts this many times as long is permanent.
const FOR_GOOD: u32 = 3;

/// How often a worker beats and is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Time between two beats.
    beat: Duration,
    /// Time between two looks.
    pub(crate) look: Duration,
    /// A worker that ran for this long without a beat spins. No turn takes a hundredth of it.
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
    /// `times` as fast, for tests.
    #[cfg(feature = "faults")]
    pub(crate) fn hastened(self, times: u32) -> Self {
        Self {
            beat: self.beat / times,
            look: self.look / times,
            spins_after: self.spins_after / times,
        }
    }
}

/// The beats of one worker, and the results of looking at them.
#[derive(Debug, Default)]
pub(crate) struct Heartbeat {
    count: Counter,
    thread: OnceLock<Thread>,
    /// Written by the thread that looks.
    hangs: AtomicBool,
    hung: AtomicU64,
    starved: AtomicU64,
}

impl Heartbeat {
    /// Sets the worker's thread. The worker's thread calls it once.
    pub(crate) fn is_of(&self, thread: Thread) {
        let _ = self.thread.set(thread);
    }

    /// The worker's thread, once it has started.
    pub(crate) fn thread(&self) -> Option<&Thread> {
        self.thread.get()
    }

    /// Beats since the start.
    pub(crate) fn count(&self) -> u64 {
        self.count.get()
    }

    /// Whether the worker hung at the last look.
    pub(crate) fn hangs(&self) -> bool {
        self.hangs.load(Relaxed)
    }

    /// Number of hangs.
    pub(crate) fn hung(&self) -> u64 {
        self.hung.load(Relaxed)
    }

    /// Number of times the worker starved.
    pub(crate) fn starved(&self) -> u64 {
        self.starved.load(Relaxed)
    }

    /// Looks once, and stores the result.
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

/// The result of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Nothing new.
    Well,
    /// The worker has had no CPU for long. Reported once each time.
    Starves,
    /// The worker hangs; `for_good` if the hang is permanent.
    Hangs { how: Hang, for_good: bool },
}

/// The state of repeated looks at one heartbeat.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    pace: Pace,
    beats: u64,
    /// Looks since the last beat.
    in_vain: u32,
    /// The thread's CPU time when it was first read after the last beat.
    ran_before: Option<Duration>,
    /// Number of last looks that all found the thread asleep.
    asleep: u32,
    /// Number of last looks that all found the thread runnable.
    runnable: u32,
    starves: bool,
}

impl Watch {
    /// Before the first look.
    pub(crate) fn new(pace: Pace) -> Self {
        Self {
            pace,
            ..Self::default()
        }
    }

    /// Looks at a worker with `beats` beats. Reads its thread's state if beats are late.
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
        // Without readings there are no hangs, because a hang looks like starvation.
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

/// Beats until dropped with the worker's runtime.
pub(crate) async fn beat_forever(pace: Pace, heartbeat: Arc<Heartbeat>) {
    let mut beats = interval(pace.beat);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beats.tick().await;
        heartbeat.count.add(1);
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

    /// Results other than `Well` of `looks` looks at a worker without a beat, whose readings come
    /// from `read`: the look's number and the result.
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
        // 1% of a CPU. Its CPU time adds up to a hang, long afterwards.
        let slowly = |look: u32| reading(Doing::Runs, 70_000 + 5 * u64::from(look));
        assert_eq!(seen(900, slowly), starves);
        // The process was stopped, or the system has no readings.
        assert_eq!(seen(LONG, |_| reading(Doing::Stopped, 0)), []);
        assert_eq!(seen(LONG, |_| None), []);
    }

    #[test]
    fn who_runs_without_a_beat_hangs() {
        let spins = |for_good| Seen::Hangs {
            how: Hang::Spins,
            for_good,
        };
        // 100% of a CPU: 500 ms for each look. The fourth look is the first to read.
        let runs = |look: u32| reading(Doing::Runs, 70_000 + 500 * u64::from(look));
        assert_eq!(seen(LONG, runs), [(14, spins(false)), (34, spins(true))]);
        // 50% of a CPU on a busy machine: later.
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
        // A thread that makes progress now and then.
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
        let heartbeat = Arc::<Heartbeat>::default();
        let pace = Pace {
            beat: Duration::from_millis(1),
            ..Pace::default()
        };
        let beating = tokio::spawn(beat_forever(pace, Arc::clone(&heartbeat)));
        while heartbeat.count() < 3 {
            yield_now().await;
        }
        let mut watch = Watch::default();
        assert_eq!(heartbeat.look(&mut watch), Seen::Well);
        beating.abort();
        assert!(beating.await.is_err());
    }
}
