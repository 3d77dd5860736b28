//! Detects whether a worker's loop makes progress, and if not, why.
//!
//! A timer on the worker's runtime beats. A worker that is busy with anything else for long cannot
//! beat. Then the supervisor asks the kernel what the thread does ([`Thread`]):
//!
//! | the worker | so it is |
//! |---|---|
//! | ran for long without a beat | hung: it spins |
//! | sleeps at each look | hung: it blocks, because a wait for sockets would end with the beat |
//! | is runnable and has not run | well: other threads have its CPU |
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
use super::thread::{Reading, Thread};

/// Looks without a beat before the thread's state is read. A beat is due at every second look.
const LATE_LOOKS: u32 = 4;

/// A worker that sleeps at this many consecutive looks blocks.
const BLOCKS_AFTER_LOOKS: u32 = 10;

/// A hang that lasts this many times as long is permanent.
const FOR_GOOD: u32 = 3;

const SPINS: &str = "it hangs: it runs without end in one turn";
const BLOCKS: &str = "it hangs: it waits where it must not";

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

    /// Looks once, and stores whether the worker hangs. If so, returns how, and whether the hang is
    /// permanent.
    pub(crate) fn look(&self, watch: &mut Watch) -> Option<(&'static str, bool)> {
        let seen = watch.look(self.count(), || self.thread()?.read());
        let (was, is) = (self.hangs(), seen.is_some());
        self.hangs.store(is, Relaxed);
        self.hung.fetch_add(u64::from(is && !was), Relaxed);
        seen
    }

    #[cfg(test)]
    pub(crate) fn hang(&self) {
        self.hangs.store(true, Relaxed);
    }
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
    fn look(
        &mut self,
        beats: u64,
        read: impl FnOnce() -> Option<Reading>,
    ) -> Option<(&'static str, bool)> {
        if beats != self.beats {
            *self = Self {
                beats,
                ..Self::new(self.pace)
            };
            return None;
        }
        self.in_vain = self.in_vain.saturating_add(1);
        if self.in_vain < LATE_LOOKS {
            return None;
        }
        // Without readings there are no hangs: the thread may lack CPU time.
        let now = read()?;
        let ran = now
            .ran
            .saturating_sub(*self.ran_before.get_or_insert(now.ran));
        self.asleep = if now.sleeps {
            self.asleep.saturating_add(1)
        } else {
            0
        };
        let spins_after = self.pace.spins_after;
        if ran >= spins_after {
            return Some((SPINS, ran >= spins_after * FOR_GOOD));
        }
        let blocks = self.asleep >= BLOCKS_AFTER_LOOKS;
        blocks.then_some((BLOCKS, self.asleep >= BLOCKS_AFTER_LOOKS * FOR_GOOD))
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

    fn reading(sleeps: bool, ran_ms: u64) -> Option<Reading> {
        let ran = Duration::from_millis(ran_ms);
        Some(Reading { sleeps, ran })
    }

    /// Hangs that `looks` looks find at a worker without a beat, whose readings come from `read`:
    /// the look's number, how it hangs, and whether for good.
    fn seen(looks: u32, read: impl Fn(u32) -> Option<Reading>) -> Vec<(u32, (&'static str, bool))> {
        let mut watch = Watch::default();
        let all = (1..=looks).map(|look| (look, watch.look(0, || read(look))));
        let mut seen: Vec<_> = all.filter_map(|(look, seen)| Some((look, seen?))).collect();
        seen.dedup_by_key(|(_, seen)| *seen);
        seen
    }

    #[test]
    fn who_waits_for_a_cpu_never_hangs() {
        assert_eq!(seen(LONG, |_| reading(false, 70_000)), []);
        // 1% of a CPU. Its CPU time adds up to a hang, long afterwards.
        let slowly = |look: u32| reading(false, 70_000 + 5 * u64::from(look));
        assert_eq!(seen(900, slowly), []);
        // The system has no readings.
        assert_eq!(seen(LONG, |_| None), []);
    }

    #[test]
    fn who_runs_without_a_beat_hangs() {
        let spins = |for_good| (SPINS, for_good);
        // 100% of a CPU: 500 ms for each look. The fourth look is the first to read.
        let runs = |look: u32| reading(false, 70_000 + 500 * u64::from(look));
        assert_eq!(seen(LONG, runs), [(14, spins(false)), (34, spins(true))]);
        // 50% of a CPU on a busy machine: later.
        let half = |look: u32| reading(false, 70_000 + 250 * u64::from(look));
        assert_eq!(seen(LONG, half), [(24, spins(false)), (64, spins(true))]);
    }

    #[test]
    fn who_sleeps_elsewhere_than_in_the_reactor_hangs() {
        let blocks = |for_good| (BLOCKS, for_good);
        let sleeps = seen(LONG, |_| reading(true, 70_000));
        assert_eq!(sleeps, [(13, blocks(false)), (33, blocks(true))]);
        // A thread that makes progress now and then.
        let mostly = |look| {
            let sleeps = look % BLOCKS_AFTER_LOOKS != 0;
            reading(sleeps, 70_000 + 100 * u64::from(look))
        };
        assert_eq!(seen(30, mostly), []);
    }

    #[test]
    fn a_beat_ends_what_was_seen() {
        let mut watch = Watch::default();
        for beats in 1..4 {
            let mut looks = 0;
            while watch.look(beats, || reading(true, 0)).is_none() {
                looks += 1;
            }
            assert_eq!(looks, LATE_LOOKS + BLOCKS_AFTER_LOOKS - 1);
        }
        assert_eq!(watch.look(4, || None), None);
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
        assert_eq!(heartbeat.look(&mut watch), None);
        beating.abort();
        assert!(beating.await.is_err());
    }
}
