//! The engine of the worker. It is the real one, with its plans, flows and waits, and it hashes
//! zeros. Only the time that it takes comes from the model.
//!
//! ```text
//! push        a chunk; a part without bytes that wait becomes ready
//! end_turn    step if no more jobs are likely, or if a wait cannot pay
//! load        what the schedule asks: ready, full, high, more expected
//! step        the engine's step; time = kernels x hash factor; digests are answers
//! wait        the engine's wait.rs decides
//! ```
//!
//! It follows server/src/hashing/lanes.rs and limits/backlog.rs.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hashlane_engine::wait::{LastSeen, PERIOD, Recent, Wait};
use hashlane_engine::{Algorithm, Engine, Event, Family, GroupId, PartId};

use super::costs::Costs;
use super::kernel_costs::{Kernels, Lanes};
use super::time::{Ns, nanos};
use super::wire::{Chunk, Flow};

/// The server's `linger`.
const LINGER: Duration = Duration::from_millis(1);

/// Linux wakes a thread up to this much later than it asked for (prctl(2), `PR_SET_TIMERSLACK`).
const TIMER_SLACK: Ns = 50_000;

/// The most idle time that is kept for waits (server/src/hashing/lanes.rs).
const IDLE_MAX: Ns = 10_000_000;

/// Bytes that may wait while enough jobs are ready, and while too few are.
const WAITING_BYTES_ENOUGH: usize = 512 << 10;
const WAITING_BYTES_MAX: usize = 2 << 20;

/// Time for steps at the end of a turn.
const HASHING_MAX: Ns = 100_000;

/// A part of the engine.
#[derive(Debug)]
struct OpenPart {
    id: PartId,
    number: u64,
    connection: usize,
    waiting_bytes: usize,
    seen: LastSeen,
}

/// A connection's share of the engine.
struct Group {
    id: GroupId,
    seen: Cell<LastSeen>,
}

/// What the schedule asks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EngineLoad {
    pub(super) is_ready: bool,
    pub(super) is_full: bool,
    pub(super) is_high: bool,
    pub(super) expects_more: bool,
}

/// What the engine did in the simulation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hashed {
    pub(super) lanes: Lanes,
    /// Time of steps, and of the same blocks at the best rate.
    pub(super) step_ns: f64,
    pub(super) best_ns: f64,
    pub(super) bytes: u64,
    pub(super) steps: u64,
}

/// The engine.
pub(super) struct Hashing {
    costs: Costs,
    kernels: Kernels,
    algorithms: Vec<Algorithm>,
    engine: Engine<Chunk>,
    groups: Vec<Group>,
    /// By the engine's index.
    parts: Vec<Option<OpenPart>>,
    zeros: Bytes,
    recent: Recent,
    wait: Wait,
    /// Idle time that no wait has used yet.
    idle: Ns,
    last_stepped: Option<Family>,
    /// Virtual time begins here.
    epoch: Instant,
    is_left_to_loop: bool,
    is_high: bool,
    /// Parts that are hashed, and their connections.
    pub(super) done: Vec<(u64, usize)>,
    pub(super) hashed: Hashed,
}

impl Hashing {
    pub(super) fn new(
        costs: Costs,
        kernels: &Kernels,
        algorithms: Vec<Algorithm>,
        connections: usize,
        chunk_bytes: usize,
    ) -> Self {
        let epoch = Instant::now();
        let mut engine = Engine::new(kernels.crossover.clone());
        let groups = (0..connections).map(|_| Group {
            id: engine.group(),
            seen: Cell::new(LastSeen::new(1)),
        });
        Self {
            groups: groups.collect(),
            costs,
            kernels: kernels.clone(),
            algorithms,
            engine,
            parts: Vec::new(),
            zeros: vec![0; chunk_bytes].into(),
            recent: Recent::new(PERIOD, epoch),
            wait: Wait::new(LINGER),
            idle: IDLE_MAX,
            last_stepped: None,
            epoch,
            is_left_to_loop: false,
            is_high: false,
            done: Vec::new(),
            hashed: Hashed::default(),
        }
    }

    fn instant(&self, now: Ns) -> Instant {
        self.epoch + Duration::from_nanos(now)
    }

    /// Opens part `number` of a connection.
    pub(super) fn open(&mut self, number: u64, connection: usize) -> PartId {
        let id = self
            .engine
            .open_in(self.groups[connection].id, &self.algorithms);
        if id.index() >= self.parts.len() {
            self.parts.resize_with(id.index() + 1, || None);
        }
        self.parts[id.index()] = Some(OpenPart {
            id,
            number,
            connection,
            waiting_bytes: 0,
            seen: LastSeen::new(self.algorithms.len()),
        });
        id
    }

    /// Appends `bytes` bytes to a part, and ends it.
    pub(super) fn push(&mut self, id: PartId, bytes: usize, ends: bool, flow: &Rc<Flow>, now: Ns) {
        let now = self.instant(now);
        if let Some(part) = self.parts[id.index()].as_mut().filter(|_| bytes > 0) {
            if part.waiting_bytes == 0 {
                let connection = &self.groups[part.connection].seen;
                self.recent.arrived(&mut part.seen, Some(connection), now);
            }
            part.waiting_bytes += bytes;
            self.engine
                .push(id, Chunk::new(self.zeros.slice(..bytes), flow));
        }
        if ends {
            self.engine.finish(id);
        }
        self.hand_out();
        self.recent.ready(self.engine.ready_jobs());
    }

    /// Steps at the end of a turn, unless the loop does it. Returns the time that it takes, or
    /// `None` without a step.
    pub(super) fn end_turn(&mut self, now: Ns, are_others_ready: bool) -> Option<Ns> {
        let mut took = 0;
        while self.engine.ready_jobs() > 0 && !self.is_left_to_loop && took < HASHING_MAX {
            let likely = self.recent.likely_jobs();
            let crossover = self.engine.crossover();
            let may_pay = || self.wait.may_pay(&self.engine.loads(), likely, crossover);
            if are_others_ready || self.engine.ready_jobs() < likely && may_pay() {
                self.is_left_to_loop = true;
                break;
            }
            took += self.step(now + took);
        }
        (took > 0).then_some(took)
    }

    /// What the schedule asks.
    pub(super) fn load(&self) -> EngineLoad {
        let ready = self.engine.ready_jobs();
        if ready == 0 {
            return EngineLoad::default();
        }
        EngineLoad {
            is_ready: true,
            is_full: self.engine.is_full(),
            is_high: self.is_high,
            expects_more: ready < self.recent.likely_jobs(),
        }
    }

    /// Runs a step. Returns its time.
    pub(super) fn step(&mut self, now: Ns) -> Ns {
        self.wait.end(self.engine.ready_jobs());
        let before = self.hashed.lanes;
        let step = self.engine.step();
        self.hashed.lanes = self.kernels.lanes(&self.engine);
        let kernel_ns = self.hashed.lanes.kernel_ns - before.kernel_ns;
        let step_ns = kernel_ns * self.costs.hash_factor + self.costs.server_action_ns;
        if let Some(step) = step {
            self.hashed.step_ns += step_ns;
            self.hashed.best_ns += self.kernels.best_ns(step.kernel.family(), step.blocks);
            self.hashed.steps += 1;
            self.last_stepped = Some(step.kernel.family());
        }
        let took = nanos(step_ns);
        self.hand_out();
        let end = self.instant(now + took);
        self.wait.stepped(self.engine.ready_jobs(), end);
        took
    }

    /// The worker had nothing to do for `time`.
    pub(super) fn idled(&mut self, time: Ns) {
        self.idle = (self.idle + time).min(IDLE_MAX);
    }

    /// How long the worker sleeps for more jobs, if that pays.
    pub(super) fn wait(&mut self, now: Ns, is_short: bool) -> Option<Ns> {
        self.wait.end(self.engine.ready_jobs());
        let has_idled = u128::from(self.idle) >= LINGER.as_nanos();
        if self.is_high || is_short || !has_idled {
            return None;
        }
        let now = self.instant(now);
        let loads = self.engine.loads();
        let crossover = self.engine.crossover();
        let time = self.wait.begin(&loads, &self.recent, crossover, now)?;
        Some(self.sleep(time, Duration::ZERO))
    }

    /// How long the worker sleeps past arrivals while no job is ready, if that pays.
    pub(super) fn wait_idle(&mut self, now: Ns, is_short: bool) -> Option<Ns> {
        let has_waited = self.wait.end(0).is_some();
        let has_idled = u128::from(self.idle) >= LINGER.as_nanos();
        if has_waited || is_short || !has_idled {
            return None;
        }
        let enough = self.engine.crossover().lanes_enough(self.last_stepped?);
        let now = self.instant(now);
        let (time, idle) = self.wait.begin_idle(&self.recent, enough, now)?;
        Some(self.sleep(time, idle))
    }

    /// Returns the time that a sleep takes. No job would have been ready in the first `idle` of it.
    fn sleep(&mut self, time: Duration, idle: Duration) -> Ns {
        let cost = Duration::from_nanos(nanos(self.costs.sleep_ns));
        self.wait.cost.observe(cost);
        let ns = |time: Duration| nanos(time.as_nanos() as f64);
        let sleep = ns(time) + TIMER_SLACK + nanos(self.costs.wake_ns);
        self.idle = self.idle.saturating_sub(sleep.saturating_sub(ns(idle)));
        sleep
    }

    /// Releases hashed bytes, and notes the parts that are done.
    fn hand_out(&mut self) {
        for event in self.engine.take_events() {
            match event {
                Event::Consumed { part, bytes } => {
                    self.hashed.bytes += bytes as u64;
                    if let Some(open) = &mut self.parts[part.index()] {
                        open.waiting_bytes = open.waiting_bytes.saturating_sub(bytes);
                    }
                }
                Event::Digest { .. } => {}
                Event::Finished { part } => {
                    if let Some(open) = self.parts[part.index()].take_if(|open| open.id == part) {
                        self.recent.forget_part(open.seen);
                        self.done.push((open.number, open.connection));
                    }
                }
            }
        }
        if self.engine.ready_jobs() == 0 {
            self.is_high = false;
            self.is_left_to_loop = false;
        } else {
            let waiting = self.engine.waiting_bytes();
            self.is_high = waiting >= WAITING_BYTES_MAX
                || self.engine.has_lanes() && waiting >= WAITING_BYTES_ENOUGH;
        }
    }
}
