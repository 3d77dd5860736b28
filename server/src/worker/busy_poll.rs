//! Decides whether an idle worker polls its sockets for a moment before it sleeps.
//!
//! A sleep costs CPU time for two context switches, and the wake-up delays the answer. If the next
//! bytes arrive before a sleep would have paid, polling is cheaper. So a worker polls for at most twice the cost
//! of a sleep, as measured on this machine: about 5 us, and 50 us in some virtual machines.
//!
//! A poll that finds nothing is wasted. After it, four times as many sleeps as before begin without
//! a poll; after a poll that found something, half as many. So an idle server polls before one
//! sleep of 256, and polling continues only if at least two polls of three find something.
//!
//! Linux's busy polling of sockets and its `haltpoll` governor of virtual CPUs do the same.
//!
//! Why: a client with two streams of 1 KiB parts costs 0.7 times as much CPU time and gets its
//! answers in half the time (docs/measurements.md, Alternatives that were measured).

use std::time::Duration;

use hashlane_engine::wait::SleepCost;

/// How often the cost of a sleep fits into the longest poll.
const COSTS_MAX: u32 = 2;

/// Bound on sleeps without a poll between two polls.
const UNPOLLED_MAX: u32 = 255;

/// One sleep in this many is measured: reading the thread's CPU time is a system call.
const MEASURED_ONE_IN: u32 = 16;

/// Polls before sleeps, and their results.
#[derive(Debug, Default)]
pub(super) struct BusyPoll {
    cost: SleepCost,
    /// Sleeps without a poll after this one, and how many of them are left.
    unpolled: u32,
    left: u32,
    sleeps: u32,
}

impl BusyPoll {
    /// The worker is idle. Returns how long it may poll before it sleeps.
    pub(super) fn begin(&mut self) -> Option<Duration> {
        if self.left > 0 {
            self.left -= 1;
            return None;
        }
        Some(self.cost.get() * COSTS_MAX)
    }

    /// The poll is over.
    pub(super) fn end(&mut self, has_found: bool) {
        self.unpolled = if has_found {
            self.unpolled / 2
        } else {
            (self.unpolled * 4 + 3).min(UNPOLLED_MAX)
        };
        self.left = self.unpolled;
    }

    /// Whether to measure the sleep that begins now.
    pub(super) fn is_measured(&mut self) -> bool {
        self.sleeps = (self.sleeps + 1) % MEASURED_ONE_IN;
        self.sleeps == 0
    }

    /// A sleep cost this CPU time.
    pub(super) fn slept(&mut self, cpu_time: Duration) {
        self.cost.observe(cpu_time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Polls per 1,000 sleeps, if `finds` tells the result of each poll.
    fn polls(mut finds: impl FnMut(u32) -> bool) -> u32 {
        let mut busy_poll = BusyPoll::default();
        let mut polls = 0;
        for _ in 0..10_000 {
            if busy_poll.begin().is_some() {
                polls += 1;
                busy_poll.end(finds(polls));
            }
        }
        polls / 10
    }

    #[test]
    fn a_worker_polls_while_polls_find_something() {
        assert_eq!(polls(|_| true), 1000);
        assert_eq!(polls(|poll| poll % 8 > 0), 1000 * 8 / 12);
        assert!(polls(|_| false) < 6);
        assert!(polls(|poll| poll % 2 > 0) < 10);
    }

    #[test]
    fn it_polls_again_once_clients_are_quick() {
        let mut busy_poll = BusyPoll::default();
        let mut polled = |finds, sleeps: u32| {
            let poll = |_: &u32| {
                let polls = busy_poll.begin().is_some();
                if polls {
                    busy_poll.end(finds);
                }
                polls
            };
            (0..sleeps).filter(poll).count()
        };
        assert!(polled(false, 1000) < 10);
        polled(true, 600);
        assert_eq!(polled(true, 1000), 1000);
    }

    #[test]
    fn a_poll_is_twice_as_long_as_sleeps_cost() {
        let mut busy_poll = BusyPoll::default();
        let cost = Duration::from_micros(30);
        let measured = (0..1600).filter(|_| busy_poll.is_measured()).count();
        assert_eq!(measured, 100);
        (0..100).for_each(|_| busy_poll.slept(cost));
        let longest = busy_poll.begin().unwrap();
        assert!(
            (cost * 19 / 10..=cost * 2).contains(&longest),
            "{longest:?}"
        );
    }
}
