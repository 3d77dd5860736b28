//! That a worker's loop turns, as others see it.
//!
//! A timer on the worker's own runtime beats. A worker that hangs in anything, its
//! engine or a handler, does not get to it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval};

use super::counters::{Counter, WorkerCounters, nanos};

/// From one beat to the next.
const PERIOD: Duration = Duration::from_secs(1);

/// A worker without a beat for so long is stuck. Nothing that it does in one turn takes
/// a hundredth of that.
const STUCK_AFTER: Duration = Duration::from_secs(3);

/// Looks without a beat in between after which it hangs. Looks are counted, and not time: when
/// the whole process stood still, nobody hangs.
const LOOKS_MAX: u32 = 7;

/// When `Heartbeat::last_ns` is of a worker that has ended, and beats no more.
const ENDED: u64 = u64::MAX;

/// The beats of one worker.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    started: Instant,
    /// When the last one was, after `started`.
    last_ns: Counter,
    count: Counter,
}

impl Heartbeat {
    /// Its first beat is `now`.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            started: now,
            last_ns: Counter::default(),
            count: Counter::default(),
        }
    }

    fn beat(&self, now: Instant) {
        self.last_ns
            .set(nanos(now.saturating_duration_since(self.started)));
        self.count.add(1);
    }

    /// Beats since the start.
    pub(crate) fn count(&self) -> u64 {
        self.count.get()
    }

    /// Whether the worker should have beaten long before `now`. One that has ended in
    /// order is not stuck.
    pub(crate) fn is_stuck(&self, now: Instant) -> bool {
        let since_start = nanos(now.saturating_duration_since(self.started));
        since_start.saturating_sub(self.last_ns.get()) > nanos(STUCK_AFTER)
    }
}

/// What looks at a heartbeat time and again have shown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    beats: u64,
    in_vain: u32,
}

impl Watch {
    /// A look: whether there were too many without a beat.
    pub(crate) fn hangs(&mut self, heartbeat: &Heartbeat) -> bool {
        let beats = heartbeat.count();
        let has_beaten = beats != self.beats;
        self.beats = beats;
        self.in_vain = if has_beaten { 0 } else { self.in_vain + 1 };
        self.in_vain >= LOOKS_MAX
    }
}

/// Beats until it is dropped, with the runtime of its worker.
pub(crate) async fn beat_forever(counters: Arc<WorkerCounters>) {
    beat_each(PERIOD, counters).await;
}

async fn beat_each(period: Duration, counters: Arc<WorkerCounters>) {
    let ending = LastBeat(counters);
    let mut beats = interval(period);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beats.tick().await;
        ending.0.heartbeat.beat(Instant::now());
    }
}

/// Notes that there will be no more beats.
struct LastBeat(Arc<WorkerCounters>);

impl Drop for LastBeat {
    fn drop(&mut self) {
        self.0.heartbeat.last_ns.set(ENDED);
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::yield_now;

    use super::*;

    #[test]
    fn a_worker_that_does_not_beat_is_stuck() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let heartbeat = Heartbeat::new(start);
        assert!(!heartbeat.is_stuck(after(3)));
        assert!(heartbeat.is_stuck(after(4)));
        heartbeat.beat(after(100));
        assert!(!heartbeat.is_stuck(after(103)));
        assert!(heartbeat.is_stuck(after(104)));
        // As seen by a clock that is read before the beat.
        assert!(!heartbeat.is_stuck(after(99)));
    }

    #[test]
    fn looks_in_vain_are_counted_from_the_last_beat() {
        let start = Instant::now();
        let heartbeat = Heartbeat::new(start);
        let mut watch = Watch::default();
        for _ in 0..3 {
            for _ in 1..LOOKS_MAX {
                assert!(!watch.hangs(&heartbeat));
            }
            heartbeat.beat(start);
            assert!(!watch.hangs(&heartbeat));
        }
        assert!((1..LOOKS_MAX).all(|_| !watch.hangs(&heartbeat)));
        assert!(watch.hangs(&heartbeat));
    }

    #[tokio::test]
    async fn it_beats_until_its_runtime_ends() {
        let counters = Arc::new(WorkerCounters::new());
        let beating = beat_each(Duration::from_millis(1), Arc::clone(&counters));
        let beating = tokio::spawn(beating);
        while counters.heartbeat.count() < 3 {
            yield_now().await;
        }
        beating.abort();
        assert!(beating.await.is_err());
        let later = Instant::now() + Duration::from_secs(3600);
        assert!(!counters.heartbeat.is_stuck(later), "it has ended");
    }
}
