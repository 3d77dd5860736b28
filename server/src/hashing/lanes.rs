//! The engine of one worker, and the task that steps it.
//!
//! ```text
//! handler: push ──> engine ──> a job (a part's digest) has a whole block: it is ready
//!
//! end of a connection's turn: are more jobs likely?   yes ─> the task wakes
//!                             no ─> step, and the turn's calls take their digests
//!
//! task: engine full?           yes ─> step (full)
//!       are more jobs likely?  no ──> step (idle)
//!       yes: one turn of the reactor
//!       more jobs ready now?   yes ─> look again
//!       does a wait pay?       yes ─> sleep (wait.rs), look again
//!                              no ──> step (idle)
//!       after every step       digests to their calls, chunks dropped
//!       when they have gone    a sample of what was hashed is hashed again (selfcheck.rs)
//!       after about 100 us     a turn of the reactor, so that sockets are read (turns.rs)
//! ```
//!
//! A part that is alone is hashed in its connection's turn: the task could only add the way there
//! and back. It is alone if no other part, call or connection was active in the last
//! milliseconds; that few parts are *open* says nothing, since a short part comes and ends in one
//! frame. What has no lanes (CRC, xxHash, BLAKE3) is hashed as it is pushed.

use std::cell::RefCell;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use hashlane_engine::{Algorithm, Check, Crossover, Engine, Event, Family, PartId, Step};
use tokio::task::yield_now;

use super::group::{Group, Left};
use super::kernels::{InUse, Kernels};
use super::open_parts::OpenParts;
use super::selfcheck::SelfCheck;
use super::wait::{Load, Wait};
use super::{Chunk, Mailbox};
use crate::config::Settings;
use crate::limits::Backlog;
use crate::metrics::counters::{StepReason, WorkerCounters, as_f64, nanos};
use crate::turns::{EngineTurns, Turns};

/// After so long in steps the sockets are looked at. A step itself is bounded
/// to about as much, so that no socket waits for more than twice this.
const HASHING_MAX: Duration = Duration::from_micros(100);

/// An engine and whom its parts belong to.
pub(crate) struct Lanes {
    engine: Engine<Chunk>,
    parts: OpenParts,
    /// Groups whose connection is gone, to be closed.
    left: Left,
    /// The stepping task, while it sleeps.
    task: Option<Waker>,
    /// The engine panicked: what it would answer from now on is not to be
    /// trusted, so nothing is asked of it any more.
    broken: bool,
    /// Told how much waits.
    backlog: Rc<Backlog>,
    wait: Wait,
    /// The oldest ready job came then, or was left by the step that ended then.
    ready_since: Option<Instant>,
    /// Those in use by all workers, and of which version this one's are.
    kernels: Arc<Kernels>,
    version: u64,
    /// By [`Family::index`]: none of its kernels may be used.
    exhausted: [bool; Family::ALL.len()],
    selfcheck: SelfCheck,
    counters: Arc<WorkerCounters>,
}

impl Lanes {
    pub(super) fn new(
        settings: &Settings,
        kernels: Arc<Kernels>,
        counters: Arc<WorkerCounters>,
        backlog: Rc<Backlog>,
    ) -> Self {
        let InUse {
            version,
            crossover,
            exhausted,
            ..
        } = kernels.now();
        Self {
            backlog,
            wait: Wait::new(settings.linger),
            ready_since: None,
            kernels,
            version,
            exhausted,
            selfcheck: SelfCheck::new(settings.selfcheck_ppm, Instant::now()),
            engine: Engine::new(crossover),
            parts: OpenParts::new(),
            left: Rc::default(),
            task: None,
            broken: false,
            counters,
        }
    }

    pub(super) fn open(
        &mut self,
        owner: &Rc<Mailbox>,
        tag: u64,
        algorithms: &Rc<[Algorithm]>,
    ) -> PartId {
        // Here, since every group begins here too: no more pile up than there
        // were connections.
        for (group, last_seen) in self.left.borrow_mut().drain(..) {
            self.engine.close_group(group);
            self.parts.recent.forget_connection(last_seen);
        }
        self.follow_kernels();
        let group = owner.group(|| Group::new(self.engine.group(), &self.left));
        let id = self.engine.open_in(group, algorithms);
        self.parts.open(id, owner, tag, algorithms);
        let mut families = algorithms.iter().filter_map(|a| a.kernels_of());
        if families.any(|family| self.exhausted[family.index()]) {
            self.fail(id);
        }
        self.counters.open_jobs.set(self.parts.digests() as u64);
        id
    }

    pub(super) fn push(&mut self, id: PartId, chunk: Chunk) {
        if chunk.len() == 0 || self.broken {
            return;
        }
        self.follow_kernels();
        let Some(hashes) = self.parts.push(id, chunk.len()) else {
            return; // It has failed, and its call is told.
        };
        let hashing = hashes.then(Instant::now);
        if hashing.is_some_and(|start| self.selfcheck.is_due(start)) {
            self.engine.take_sample();
        }
        self.guarded(|engine| engine.push(id, chunk));
        if let Some(start) = hashing {
            self.counters.hash_ns.add(nanos(start.elapsed()));
        }
        self.after();
    }

    pub(super) fn finish(&mut self, id: PartId) {
        if !self.broken && self.parts.get(id).is_some() {
            self.guarded(|engine| engine.finish(id));
            self.after();
        }
    }

    pub(super) fn cancel(&mut self, id: PartId) {
        if self.parts.close(id).is_some() && !self.broken {
            self.guarded(|engine| engine.cancel(id));
            self.after();
        }
    }

    /// Calls the engine, and notes if it panics: that ends the handler that
    /// called, and the stepping task ends the worker.
    fn guarded<T>(&mut self, call: impl FnOnce(&mut Engine<Chunk>) -> T) -> T {
        catch_unwind(AssertUnwindSafe(|| call(&mut self.engine))).unwrap_or_else(|panic| {
            self.broken = true;
            self.wake_task();
            resume_unwind(panic)
        })
    }

    fn wake_task(&mut self) {
        if let Some(task) = self.task.take() {
            task.wake();
        }
    }

    /// What may have changed after any call into the engine: events are there, or jobs are ready.
    fn after(&mut self) {
        self.hand_out();
        self.parts.recent.ready(self.engine.ready_jobs());
        if self.engine.has_sample() {
            self.wake_task();
        }
    }

    /// Ends a connection's turn: hashes what is ready if nobody is likely to bring more, else has
    /// the task do it. Returns whether it hashed.
    pub(super) fn end_turn(&mut self) -> bool {
        let ready = self.engine.ready_jobs();
        // Without a sleeping task it is under way, and decides.
        if self.broken || ready == 0 || self.task.is_none() {
            return false;
        }
        let likely = self.parts.recent.likely_jobs();
        if ready < likely
            && self
                .wait
                .may_pay(&self.loads(), likely, self.engine.crossover())
        {
            self.wake_task();
            return false;
        }
        let start = Instant::now();
        let mut now = start;
        while self.engine.ready_jobs() > 0 && now - start < HASHING_MAX {
            now = self.step(StepReason::Idle, now);
        }
        self.publish();
        if self.is_wanted() {
            self.wake_task();
        }
        true
    }

    /// Credits bytes and gives digests to their owners.
    fn hand_out(&mut self) {
        for event in self.engine.take_events() {
            match event {
                Event::Consumed { part, bytes } => {
                    if let Some(part) = self.parts.get(part) {
                        for algorithm in &*part.algorithms {
                            self.counters.hashed_bytes[algorithm.index()].add(bytes as u64);
                        }
                        if let Some(since) = part.since.take() {
                            let waited = since.elapsed().as_secs_f64();
                            self.counters.queue_wait.observe(waited);
                        }
                        part.consumed(bytes);
                    }
                }
                Event::Digest {
                    part,
                    algorithm,
                    digest,
                } => {
                    if let Some(part) = self.parts.get(part) {
                        part.owner.give(part.tag, algorithm, digest);
                    }
                }
                Event::Finished { part } => {
                    if let Some(part) = self.parts.close(part) {
                        part.owner.wake();
                    }
                }
            }
        }
        self.backlog
            .set(self.engine.waiting_bytes(), self.engine.has_lanes());
        if self.engine.ready_jobs() == 0 {
            self.backlog.idle();
            self.ready_since = None;
        }
        let counters = &self.counters;
        counters.open_jobs.set(self.parts.digests() as u64);
        counters
            .waiting_bytes
            .set(self.engine.waiting_bytes() as u64);
        counters.ready_jobs.set(self.engine.ready_jobs() as u64);
    }

    /// One step of the engine.
    fn step(&mut self, reason: StepReason, start: Instant) -> Instant {
        self.follow_kernels();
        if self.selfcheck.is_due(start) {
            self.engine.take_sample();
        }
        let step = self.guarded(Engine::step);
        let end = Instant::now();
        self.counters.hash_ns.add(nanos(end - start));
        if let Some(Step {
            kernel,
            active_lanes,
            total_lanes,
            blocks,
        }) = step
        {
            let family = kernel.family();
            let best_ns = self.engine.crossover().best_block_ns(family) * as_f64(blocks as u64);
            self.counters.lane_ns[family.index()].add(nanos(end - start));
            let best = Duration::from_secs_f64(best_ns / 1e9);
            self.counters.best_lane_ns[family.index()].add(nanos(best));
            self.counters.kernels[kernel.index()].steps[reason as usize].add(1);
            let lanes = active_lanes.clamp(1, Crossover::LANES);
            self.counters.steps_by_lanes[lanes - 1].add(1);
            self.counters
                .occupancy
                .observe(as_f64(active_lanes as u64) / as_f64(total_lanes.max(1) as u64));
        }
        self.ready_since = Some(end);
        self.hand_out();
        self.wait.stepped();
        self.backlog.stepped();
        end
    }

    /// Copies the engine's own counts to where the admin port reads them.
    fn publish(&self) {
        for (kernel, counts) in self.engine.occupancy().by_kernel() {
            let shown = &self.counters.kernels[kernel.index()];
            shown.active_lane_blocks.set(counts.active_lane_blocks);
            shown.idle_lane_blocks.set(counts.idle_lane_blocks);
        }
    }

    /// Uses the kernels that all use, if they have changed.
    #[inline]
    fn follow_kernels(&mut self) {
        if self.kernels.version() != self.version {
            self.change_kernels();
        }
    }

    #[cold]
    fn change_kernels(&mut self) {
        let now = self.kernels.now();
        self.version = now.version;
        self.engine.use_crossover(now.crossover);
        self.exhausted = now.exhausted;
        for family in Family::ALL {
            if self.exhausted[family.index()] {
                self.fail_all(family, false);
            }
        }
        // What was ready may be gone, and nothing else would tell the backlog.
        self.hand_out();
    }

    /// Hashes the sample again, if there is one.
    fn check(&mut self) {
        if self.broken || !self.engine.has_sample() {
            return;
        }
        let start = Instant::now();
        let check = self.guarded(Engine::check_sample);
        let end = Instant::now();
        self.selfcheck.took(end, end - start);
        self.counters.selfcheck_ns.add(nanos(end - start));
        let Some(check) = check else {
            return; // No kernel is left to check by.
        };
        let counters = &self.counters.kernels[check.kernel.index()];
        counters.checks.add(1);
        if !check.agrees {
            counters.failed_checks.add(1);
            self.fault(check);
        }
    }

    /// A kernel is at fault, on this core at least. What it had a part in is not known, but for
    /// the parts of which nothing was hashed.
    #[cold]
    fn fault(&mut self, check: Check) {
        let Check { kernel, by, .. } = check;
        let retired = self.kernels.retire(kernel);
        let parts = self.fail_all(kernel.family(), true);
        self.follow_kernels();
        self.hand_out();
        tracing::error!(
            %kernel,
            checked_by = %by,
            bytes = check.bytes,
            parts_failed = parts,
            retired,
            "wrong answer: this kernel is taken out of use, and the CPU may be faulty"
        );
    }

    /// Ends the parts that kernels of a family compute, or those of them that have begun, with
    /// an error. Returns how many.
    fn fail_all(&mut self, family: Family, begun: bool) -> usize {
        let parts = self.parts.of_kernels(family, begun);
        for id in &parts {
            self.fail(*id);
        }
        parts.len()
    }

    fn fail(&mut self, id: PartId) {
        if let Some(part) = self.parts.close(id) {
            self.guarded(|engine| engine.cancel(id));
            part.owner.fail(part.tag, id);
        }
    }

    /// The stepping task has something to do.
    fn is_wanted(&self) -> bool {
        self.engine.ready_jobs() > 0 || self.engine.has_sample()
    }

    /// Ready when the task has something to do, and when it never will.
    fn poll_ready(&mut self, cx: &Context<'_>) -> Poll<Result<(), Broken>> {
        if self.broken {
            return Poll::Ready(Err(Broken));
        }
        if self.is_wanted() {
            return Poll::Ready(Ok(()));
        }
        self.task = Some(cx.waker().clone());
        Poll::Pending
    }

    fn ready_jobs(&self) -> usize {
        self.engine.ready_jobs()
    }

    /// The ready jobs.
    fn loads(&self) -> Vec<Load> {
        let load = |family| {
            let (jobs, bytes) = self.engine.load(family);
            Load {
                family,
                jobs,
                bytes,
            }
        };
        let loads = Family::ALL.into_iter().map(load);
        loads.filter(|load| load.jobs > 0).collect()
    }

    /// Sleeps for a moment, the whole worker with it, if more jobs are likely to become ready and
    /// to make hashing cheaper. Returns whether it did.
    fn wait(&mut self, now: Instant) -> bool {
        // Nothing more would come before some is hashed: so much waits that sockets are not
        // read, or a client has little window left.
        if self.backlog.is_high() || self.backlog.is_short() {
            return false;
        }
        let ready = self.loads();
        let since = *self.ready_since.get_or_insert(now);
        let crossover = self.engine.crossover();
        let recent = &self.parts.recent;
        let Some(time) = self.wait.begin(&ready, recent, crossover, since, now) else {
            return false;
        };
        let start = Instant::now();
        thread::sleep(time);
        self.counters.linger_ns.add(nanos(start.elapsed()));
        true
    }

    /// Notes what the last wait has brought, if there was one.
    fn end_wait(&mut self) {
        if let Some(paid) = self.wait.end(self.engine.ready_jobs()) {
            self.counters.lingers[usize::from(paid)].add(1);
        }
    }
}

/// The engine panicked in a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken;

/// Steps the engine for as long as the worker lives.
pub(crate) async fn step_forever(
    lanes: &RefCell<Lanes>,
    turns: &Turns,
    is_draining: impl Fn() -> bool,
) -> Broken {
    loop {
        if let Err(broken) = poll_fn(|cx| lanes.borrow_mut().poll_ready(cx)).await {
            return broken;
        }
        step_until_idle(lanes, &turns.engine(), &is_draining).await;
    }
}

async fn step_until_idle(
    lanes: &RefCell<Lanes>,
    turns: &EngineTurns<'_>,
    is_draining: &impl Fn() -> bool,
) {
    let mut now = Instant::now();
    let mut turn = now;
    loop {
        let ready = lanes.borrow().ready_jobs();
        if ready == 0 || lanes.borrow().broken {
            lanes.borrow().publish();
            if lanes.borrow().broken || !lanes.borrow().engine.has_sample() {
                return;
            }
            // What was hashed is answered first.
            turn_of_the_reactor().await;
            lanes.borrow_mut().check();
            now = Instant::now();
            turn = now;
            continue;
        }
        let reason = if lanes.borrow().engine.is_full() {
            StepReason::Full
        } else if is_draining() {
            StepReason::Drain
        } else if ready >= lanes.borrow().parts.recent.likely_jobs() {
            StepReason::Idle
        } else {
            turn_of_the_reactor().await;
            now = Instant::now();
            turn = now;
            let mut lanes = lanes.borrow_mut();
            if lanes.broken {
                continue;
            }
            lanes.end_wait();
            let more = lanes.ready_jobs() > ready;
            if more || !is_draining() && lanes.wait(now) {
                continue;
            }
            StepReason::Idle
        };
        let began = now;
        now = lanes.borrow_mut().step(reason, now);
        turns.ran(now - began);
        if now - turn >= HASHING_MAX {
            lanes.borrow().publish();
            turn_of_the_reactor().await;
            lanes.borrow_mut().check();
            now = Instant::now();
            turn = now;
        }
    }
}

/// Lets everybody else run once: the sockets are looked at, connections read
/// their frames, and the streams those woke push their chunks.
async fn turn_of_the_reactor() {
    // Comes back after the reactor was polled, but in the same queue as the
    // connections that it woke, and before the streams that these will wake.
    yield_now().await;
    // So once more to the end of the queue, this time without a look at the
    // sockets.
    let mut queued = false;
    poll_fn(|cx| {
        if queued {
            return Poll::Ready(());
        }
        queued = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests;
