//! The server's worker: one thread on one core, whose loop is that of server/src/worker/.
//!
//! ```text
//! worked for 200 us        poll the sockets
//! a connection is ready    its turn: read up to 256 KiB, 64 frames or 200 us; push; perhaps step;
//!                          answers and released window; unless the backlog is high, or turns took
//!                          1 ms since the last step: step
//! jobs are ready           step, or poll once and wait for lanes
//! nothing is ready         sleep past arrivals, or poll for a moment if that pays, then sleep
//! ```
//!
//! All connections are of one client, so they run in the order in which they became ready.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use hashlane_engine::PartId;

use super::costs::Costs;
use super::hashing::Hashing;
use super::time::{Ns, Spent, nanos};
use super::wire::{Flow, Reply, Wire};

/// Work between two polls, and the longest turn.
const SLICE: Ns = 200_000;

/// Turns since the last step.
const UNSTEPPED_MAX: Ns = 1_000_000;

/// Bytes and frames of a turn.
const TURN_BYTES_MAX: usize = 256 << 10;
const TURN_FRAMES_MAX: usize = 64;

/// The loop's next action.
enum Next {
    Run(usize),
    Step,
    WaitForLanes,
    Poll,
    Sleep,
}

/// A connection.
#[derive(Default)]
struct Link {
    flow: Rc<Flow>,
    is_ready: bool,
    /// Hashed parts without an answer.
    hashed: Vec<u64>,
}

/// When polling before a sleep pays (server/src/worker/busy_poll.rs).
#[derive(Default)]
struct BusyPoll {
    unpolled: u32,
    left: u32,
}

/// A worker with nothing to do.
struct Idle {
    since: Ns,
    /// It polls until then.
    polls_until: Option<Ns>,
}

/// The worker.
pub(super) struct Worker {
    costs: Costs,
    pub(super) hashing: Hashing,
    links: Vec<Link>,
    /// Ready connections.
    ready: VecDeque<usize>,
    parts: HashMap<u64, PartId>,
    worked: Ns,
    unstepped: Ns,
    engine_was_ready: bool,
    has_polled: bool,
    busy_poll: BusyPoll,
    idle: Option<Idle>,
    free_at: Ns,
    /// Polls and turns.
    pub(super) actions: u64,
    pub(super) spent: Spent,
}

impl Worker {
    pub(super) fn new(costs: Costs, hashing: Hashing, connections: usize) -> Self {
        Self {
            costs,
            hashing,
            links: (0..connections).map(|_| Link::default()).collect(),
            ready: VecDeque::new(),
            parts: HashMap::new(),
            worked: 0,
            unstepped: 0,
            engine_was_ready: false,
            has_polled: false,
            busy_poll: BusyPoll::default(),
            idle: None,
            free_at: 0,
            actions: 0,
            spent: Spent::default(),
        }
    }

    /// When it acts next, unless something arrives earlier.
    pub(super) fn next_at(&self, wire: &Wire) -> Option<Ns> {
        let Some(idle) = &self.idle else {
            return Some(self.free_at);
        };
        let at = wire.readable_at()?;
        let is_polling = at <= idle.since || idle.polls_until.is_some_and(|until| at <= until);
        Some(if is_polling {
            at.max(idle.since)
        } else {
            at + nanos(self.costs.wake_ns)
        })
    }

    /// Does the loop's next action.
    pub(super) fn act(&mut self, now: Ns, wire: &mut Wire) {
        if let Some(idle) = self.idle.take() {
            self.wake(&idle, now);
            self.free_at = now + self.poll(now, wire);
            return;
        }
        let took = match self.next() {
            Next::Run(link) => self.turn(link, now, wire),
            Next::Step => self.step(now),
            Next::WaitForLanes => match self.hashing.wait(now, self.is_short()) {
                None => self.step(now),
                Some(time) => {
                    self.has_polled = false;
                    self.spent.sleeps += 1;
                    time
                }
            },
            Next::Poll => self.poll(now, wire),
            Next::Sleep if let Some(time) = self.hashing.wait_idle(now, self.is_short()) => {
                self.spent.sleeps += 1;
                // The next action is a poll.
                self.worked = SLICE;
                time
            }
            Next::Sleep => {
                let longest = nanos(2.0 * self.costs.sleep_ns);
                let polls_until = self.busy_poll.begins().then_some(now + longest);
                self.idle = Some(Idle {
                    since: now,
                    polls_until,
                });
                0
            }
        };
        self.free_at = now + took;
    }

    /// Whether a connection has used most of its window.
    fn is_short(&self) -> bool {
        self.links.iter().any(|link| link.flow.is_short())
    }

    fn next(&mut self) -> Next {
        let engine = self.hashing.load();
        if self.worked >= SLICE {
            return Next::Poll;
        }
        if engine.is_ready && !std::mem::replace(&mut self.engine_was_ready, engine.is_ready) {
            self.unstepped = 0;
        }
        let may_run = !engine.is_ready || !engine.is_high && self.unstepped < UNSTEPPED_MAX;
        if may_run && let Some(link) = self.ready.pop_front() {
            self.has_polled = false;
            return Next::Run(link);
        }
        match engine {
            _ if !engine.is_ready => {
                self.engine_was_ready = false;
                Next::Sleep
            }
            _ if engine.is_full => Next::Step,
            _ if !engine.expects_more || !self.ready.is_empty() => Next::Step,
            _ if !self.has_polled => Next::Poll,
            _ => Next::WaitForLanes,
        }
    }

    fn poll(&mut self, now: Ns, wire: &Wire) -> Ns {
        self.worked = 0;
        self.has_polled = true;
        for link in 0..self.links.len() {
            if wire.is_readable(link, now) {
                self.make_ready(link);
            }
        }
        self.actions += 1;
        self.spend(self.costs.server_action_ns)
    }

    /// The worker had nothing to do until `now`.
    fn wake(&mut self, idle: &Idle, now: Ns) {
        let mut has_found = now == idle.since;
        if let Some(until) = idle.polls_until {
            self.spent.polled_ns += (until.min(now) - idle.since) as f64;
            has_found |= now <= until;
            self.busy_poll.end(has_found);
        }
        self.spent.sleeps += u64::from(!has_found);
        self.hashing.idled(now - idle.since);
    }

    fn step(&mut self, now: Ns) -> Ns {
        let took = self.hashing.step(now);
        self.spent.worked_ns += took as f64;
        self.worked += took;
        self.unstepped = 0;
        self.has_polled = false;
        self.collect(None);
        took
    }

    /// One turn of a connection. Returns its time.
    fn turn(&mut self, index: usize, now: Ns, wire: &mut Wire) -> Ns {
        self.links[index].is_ready = false;
        let mut time = now + self.spend(self.costs.server_action_ns);
        let (mut bytes, mut frames) = (0, 0);
        let is_over = |bytes, frames, time: Ns| {
            bytes == TURN_BYTES_MAX || frames >= TURN_FRAMES_MAX || time - now >= SLICE
        };
        while !is_over(bytes, frames, time)
            && let Some(piece) = wire.read(index, now, TURN_BYTES_MAX - bytes)
        {
            bytes += piece.bytes;
            frames += 1;
            let mut cost_ns =
                self.costs.server_message_ns + self.costs.server_byte_ns * piece.bytes as f64;
            if piece.begins {
                cost_ns += self.costs.server_part_ns / 2.0;
                let id = self.hashing.open(piece.part, index);
                self.parts.insert(piece.part, id);
            }
            time += self.spend(cost_ns);
            let flow = Rc::clone(&self.links[index].flow);
            if let Some(id) = self.parts.get(&piece.part) {
                self.hashing.push(*id, piece.bytes, piece.ends, &flow, time);
            }
        }
        if let Some(took) = self.hashing.end_turn(time, !self.ready.is_empty()) {
            self.spent.worked_ns += took as f64;
            time += took;
        }
        self.collect(Some(index));
        for part in std::mem::take(&mut self.links[index].hashed) {
            time += self.spend(self.costs.server_part_ns / 2.0);
            wire.replies.push_back((time, Reply::Answer(part)));
        }
        if let Some(window) = self.links[index].flow.release() {
            wire.replies.push_back((time, Reply::Window(index, window)));
        }
        if is_over(bytes, frames, time) {
            self.make_ready(index);
        }
        self.worked += time - now;
        self.unstepped += time - now;
        self.actions += 1;
        time - now
    }

    /// Gives hashed parts to their connections. Those with an answer or with window to release
    /// become ready, except the one whose turn it is.
    fn collect(&mut self, running: Option<usize>) {
        for (part, link) in std::mem::take(&mut self.hashing.done) {
            self.parts.remove(&part);
            self.links[link].hashed.push(part);
        }
        for index in 0..self.links.len() {
            let link = &self.links[index];
            let is_awake = !link.hashed.is_empty() || link.flow.has_enough();
            if is_awake && running != Some(index) {
                self.make_ready(index);
            }
        }
    }

    fn make_ready(&mut self, index: usize) {
        if !std::mem::replace(&mut self.links[index].is_ready, true) {
            self.ready.push_back(index);
        }
    }

    /// Spends CPU time of the loop. Returns it.
    fn spend(&mut self, cost_ns: f64) -> Ns {
        self.spent.worked_ns += cost_ns;
        nanos(cost_ns)
    }
}

impl BusyPoll {
    fn begins(&mut self) -> bool {
        let polls = self.left == 0;
        self.left = self.left.saturating_sub(1);
        polls
    }

    fn end(&mut self, has_found: bool) {
        self.unpolled = if has_found {
            self.unpolled / 2
        } else {
            (self.unpolled * 4 + 3).min(255)
        };
        self.left = self.unpolled;
    }
}
