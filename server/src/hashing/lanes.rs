//! The engine of one worker, as its loop drives it (worker/event_loop.rs).
//!
//! ```text
//! call: push ──> engine ──> a job (a part's digest) has a whole block: it is ready
//!
//! end of a connection's turn: are more jobs likely?   no ──> step, the turn's calls take digests
//! the loop:                   load, step, wait, check
//!       after every step      digests to their calls, chunks dropped
//!       after a poll          a sample of what was hashed is hashed again
//! ```
//!
//! If a part is alone, it is hashed in its connection's turn, which then answers without a second
//! turn. It is alone if no other part, call or connection was active in the last milliseconds. The
//! number of *open* parts does not show that: a short part opens and ends in one frame. Algorithms
//! without lanes (CRC, xxHash, BLAKE3) are hashed when bytes are pushed.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hashlane_engine::{
    Algorithm, Check, Crossover, Engine, Event, Family, InUse, KernelsInUse, PartId, SelfCheck,
    Step,
};

use super::groups::Groups;
#[cfg(feature = "measure")]
use super::measure::Measured;
use super::open_parts::{OpenPart, OpenParts};
use super::{Chunk, Mailbox};
use crate::config::{LINGER_MAX, Settings};
use crate::limits::Backlog;
use crate::metrics::counters::{StepReason, WorkerCounters};
use crate::metrics::instruments::{as_f64, nanos};
use crate::metrics::thread::cpu_time;
use hashlane_engine::wait::{LastSeen, Wait};

/// Time for steps at the end of a connection's turn. One step takes about as much at most.
const HASHING_MAX: Duration = Duration::from_micros(100);

/// The most idle time that is kept for waits.
///
/// Why waits need idle time: clients that wait for answers send less while the worker waits. A
/// worker that could hash all the time would slow such clients down, and the slower they are the
/// longer it would wait. Four streams on one connection got 0.48 GB/s in place of 1.85.
const IDLE_MAX: Duration = Duration::from_millis(10);

/// The engine's current work.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EngineLoad {
    /// A job has a whole block to hash.
    pub(crate) is_ready: bool,
    /// Ready jobs fill the lanes of the best kernel.
    pub(crate) is_full: bool,
    /// Too many bytes wait to be hashed, so sockets are not read.
    pub(crate) is_high: bool,
    /// More jobs are likely to become ready soon.
    pub(crate) expects_more: bool,
}

/// An engine and the owners of its parts.
pub(crate) struct Lanes {
    #[cfg(feature = "measure")]
    measured: Option<Measured>,
    engine: Engine<Chunk>,
    parts: OpenParts,
    groups: Groups,
    /// A part that has ended: what is opened after a panic of the engine.
    stale: PartId,
    /// The loop will step the ready jobs, so the ends of turns do not.
    is_left_to_loop: bool,
    /// Connections other than the one whose turn it is are ready.
    are_others_ready: bool,
    /// The engine panicked. Its results are not trusted, so it gets no more calls.
    broken: bool,
    /// Shared count of waiting bytes.
    backlog: Rc<Backlog>,
    wait: Wait,
    /// The family of the last step.
    last_stepped: Option<Family>,
    /// Idle time of the worker that no wait has used yet, at most [`IDLE_MAX`].
    idle: Duration,
    /// The kernels in use by all workers, and those that this engine uses.
    kernels: Arc<KernelsInUse>,
    in_use: InUse,
    selfcheck: SelfCheck,
    counters: Arc<WorkerCounters>,
}

impl Lanes {
    pub(crate) fn new(
        settings: &Settings,
        kernels: &Arc<KernelsInUse>,
        counters: Arc<WorkerCounters>,
        backlog: &Rc<Backlog>,
    ) -> Self {
        let in_use = kernels.now();
        let mut engine = Engine::new(in_use.crossover().clone());
        let stale = engine.open(&[Algorithm::Sha256]);
        engine.cancel(stale);
        Self {
            #[cfg(feature = "measure")]
            measured: Measured::new(settings.hashing()),
            backlog: Rc::clone(backlog),
            wait: Wait::new(settings.linger),
            last_stepped: None,
            idle: IDLE_MAX,
            kernels: Arc::clone(kernels),
            selfcheck: SelfCheck::new(settings.selfcheck_ppm, Instant::now()),
            engine,
            stale,
            in_use,
            parts: OpenParts::new(),
            groups: Groups::default(),
            is_left_to_loop: false,
            are_others_ready: false,
            broken: false,
            counters,
        }
    }

    /// Opens a part whose digests go to `owner` under `tag`. After a panic of the engine the part
    /// has failed.
    pub(crate) fn open(
        &mut self,
        owner: &Rc<Mailbox>,
        tag: u64,
        algorithms: &Rc<[Algorithm]>,
    ) -> PartId {
        if self.broken {
            owner.fail(tag, self.stale);
            return self.stale;
        }
        self.follow_kernels();
        let group = self.groups.enter(owner.client, || self.engine.group());
        for empty in self.groups.remove_empty() {
            self.engine.close_group(empty);
        }
        let id = self.engine.open_in(group, algorithms);
        self.parts.open(id, owner, tag, algorithms);
        #[cfg(feature = "measure")]
        if let Some(measured) = &mut self.measured {
            measured.open(id, algorithms);
        }
        if self.in_use.missing(algorithms).is_some() {
            self.fail(id);
        }
        self.counters.open_jobs.set(self.parts.digests() as u64);
        id
    }

    /// Appends a chunk.
    pub(crate) fn push(&mut self, id: PartId, chunk: Chunk) {
        if chunk.len() == 0 || self.broken {
            return;
        }
        #[cfg(feature = "measure")]
        if let Some(measured) = &mut self.measured {
            return measured.push(id, &chunk, &self.counters);
        }
        self.follow_kernels();
        let Some(hashes) = self.parts.push(id, chunk.len()) else {
            return; // It has failed, and its call gets the error.
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

    /// Ends the part's bytes; its owner will receive the digests. Until then it can be cancelled.
    pub(crate) fn finish(&mut self, id: PartId) {
        #[cfg(feature = "measure")]
        if let Some(measured) = &mut self.measured {
            let digests = measured.finish(id, &self.counters);
            if let Some(part) = close(&mut self.parts, &mut self.groups, id) {
                for (algorithm, digest) in digests {
                    part.owner.give(part.tag, algorithm, digest);
                }
                part.owner.wake();
            }
            self.guarded(|engine| engine.cancel(id));
            return self.after();
        }
        if !self.broken && self.parts.get(id).is_some() {
            self.guarded(|engine| engine.finish(id));
            self.after();
        }
    }

    /// Drops the part in any state.
    pub(crate) fn cancel(&mut self, id: PartId) {
        #[cfg(feature = "measure")]
        if let Some(measured) = &mut self.measured {
            measured.cancel(id);
        }
        if close(&mut self.parts, &mut self.groups, id).is_some() && !self.broken {
            self.guarded(|engine| engine.cancel(id));
            self.after();
        }
    }

    /// A connection ends, of which a part became ready at `last_seen`.
    pub(crate) fn forget(&mut self, last_seen: LastSeen) {
        self.parts.recent.forget_connection(last_seen);
    }

    /// Calls the engine and records a panic. The panic ends the connection whose turn it is, and
    /// the loop then ends the worker.
    fn guarded<T>(&mut self, call: impl FnOnce(&mut Engine<Chunk>) -> T) -> T {
        catch_unwind(AssertUnwindSafe(|| call(&mut self.engine))).unwrap_or_else(|panic| {
            self.broken = true;
            self.backlog.set(0, false);
            resume_unwind(panic)
        })
    }

    /// Handles the effects of a call into the engine: events, and jobs that became ready.
    fn after(&mut self) {
        self.hand_out(None);
        self.parts.recent.ready(self.engine.ready_jobs());
    }

    /// Ends a connection's turn: hashes the ready jobs if more are not likely, else leaves them to
    /// the loop. Returns whether it hashed.
    pub(crate) fn end_turn(&mut self) -> bool {
        let mut has_hashed = false;
        let mut now = None;
        let mut until = None;
        while !self.broken && self.engine.ready_jobs() > 0 && !self.is_left_to_loop {
            let likely = self.parts.recent.likely_jobs();
            let may_pay = |lanes: &Self| {
                let crossover = lanes.engine.crossover();
                lanes.wait.may_pay(&lanes.engine.loads(), likely, crossover)
            };
            if self.are_others_ready || self.engine.ready_jobs() < likely && may_pay(self) {
                self.is_left_to_loop = true;
                break;
            }
            let start = now.unwrap_or_else(Instant::now);
            if start >= *until.get_or_insert(start + HASHING_MAX) {
                break;
            }
            now = Some(self.step(StepReason::Idle, start));
            has_hashed = true;
        }
        has_hashed
    }

    /// Sets whether other connections are ready, as a turn begins. Their turns come before a step.
    pub(crate) fn set_others_ready(&mut self, are_ready: bool) {
        self.are_others_ready = are_ready;
    }

    /// Releases hashed bytes and gives digests to their owners. `now` is the time, if it is known.
    fn hand_out(&mut self, now: Option<Instant>) {
        for event in self.engine.take_events() {
            match event {
                Event::Consumed { part, bytes } => {
                    if let Some(part) = self.parts.get(part) {
                        for algorithm in &*part.algorithms {
                            self.counters.hashed_bytes[algorithm.index()].add(bytes as u64);
                        }
                        if let Some(since) = part.since.take() {
                            let now = now.unwrap_or_else(Instant::now);
                            let waited = now.saturating_duration_since(since).as_secs_f64();
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
                    if let Some(part) = close(&mut self.parts, &mut self.groups, part) {
                        part.owner.wake();
                    }
                }
            }
        }
        if self.engine.ready_jobs() == 0 {
            self.backlog.set(0, false);
            self.is_left_to_loop = false;
        } else {
            self.backlog
                .set(self.engine.waiting_bytes(), self.engine.has_lanes());
        }
        let counters = &self.counters;
        counters.open_jobs.set(self.parts.digests() as u64);
        counters
            .waiting_bytes
            .set(self.engine.waiting_bytes() as u64);
        counters.ready_jobs.set(self.engine.ready_jobs() as u64);
    }

    /// Runs one step of the engine. Takes its start, returns its end.
    pub(crate) fn step(&mut self, reason: StepReason, start: Instant) -> Instant {
        self.end_wait();
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
            self.last_stepped = Some(family);
            let best_ns = self.engine.crossover().best_block_ns(family) * as_f64(blocks as u64);
            self.counters.lane_ns[family.index()].add(nanos(end - start));
            let best = Duration::from_secs_f64(best_ns / 1e9);
            self.counters.best_lane_ns[family.index()].add(nanos(best));
            self.counters.kernels[kernel.index()].steps[reason as usize].add(1);
            for (by_lanes, lanes) in [
                (&self.counters.step_ns_by_active_lanes, active_lanes),
                (&self.counters.step_ns_by_lanes, total_lanes),
            ] {
                by_lanes[lanes.clamp(1, Crossover::LANES) - 1].add(nanos(end - start));
            }
            self.counters
                .occupancy
                .observe(as_f64(active_lanes as u64) / as_f64(total_lanes.max(1) as u64));
        }
        self.hand_out(Some(end));
        self.wait.stepped(self.engine.ready_jobs(), end);
        if self.engine.ready_jobs() == 0 {
            // Publish the counts before the calls answer.
            self.publish();
        }
        end
    }

    /// Adds the engine's counts to the counters that the admin port reads.
    pub(crate) fn publish(&mut self) {
        for (kernel, counts) in self.engine.take_occupancy().by_kernel() {
            let shown = &self.counters.kernels[kernel.index()];
            shown.active_lane_blocks.add(counts.active_lane_blocks);
            shown.idle_lane_blocks.add(counts.idle_lane_blocks);
        }
    }

    /// Switches to the kernels in use by all workers, if they have changed.
    #[inline]
    fn follow_kernels(&mut self) {
        if self.kernels.version() != self.in_use.version() {
            self.change_kernels();
        }
    }

    #[cold]
    fn change_kernels(&mut self) {
        self.in_use = self.kernels.now();
        self.engine.use_crossover(self.in_use.crossover().clone());
        for family in Family::ALL {
            if !self.in_use.has_any(family) {
                self.fail_all(family, false);
            }
        }
        // Ready jobs may be gone now, and only this tells the backlog.
        self.hand_out(None);
    }

    /// Hashes the sample again. Returns whether there was a sample.
    pub(crate) fn check(&mut self) -> bool {
        if self.broken || !self.engine.has_sample() {
            return false;
        }
        let start = cpu_time();
        let check = self.guarded(Engine::check_sample);
        let took = cpu_time().saturating_sub(start);
        self.selfcheck.took(Instant::now(), took);
        self.counters.selfcheck_ns.add(nanos(took));
        let Some(check) = check else {
            return true; // No kernel is left to check by.
        };
        let counters = &self.counters.kernels[check.kernel.index()];
        counters.checks.add(1);
        if !check.agrees {
            counters.failed_checks.add(1);
            self.fault(check);
        }
        true
    }

    /// A kernel is faulty, at least on this core. Which parts it damaged is unknown, so all parts of
    /// its compression fail of which some bytes were hashed.
    #[cold]
    fn fault(&mut self, check: Check) {
        let Check { kernel, by, .. } = check;
        let retired = self.kernels.retire(kernel);
        let parts = self.fail_all(kernel.family(), true);
        self.follow_kernels();
        self.hand_out(None);
        tracing::error!(
            %kernel,
            checked_by = %by,
            bytes = check.bytes,
            parts_failed = parts,
            retired,
            "wrong answer: this kernel is taken out of use, and the CPU may be faulty"
        );
    }

    /// Ends all parts that use kernels of a family with an error; if `begun`, only those that have
    /// begun. Returns their number.
    fn fail_all(&mut self, family: Family, begun: bool) -> usize {
        let parts = self.parts.of_kernels(family, begun);
        for id in &parts {
            self.fail(*id);
        }
        parts.len()
    }

    fn fail(&mut self, id: PartId) {
        if let Some(part) = close(&mut self.parts, &mut self.groups, id) {
            self.guarded(|engine| engine.cancel(id));
            part.owner.fail(part.tag, id);
        }
    }

    /// The engine's current work, or `None` after a panic of the engine.
    pub(crate) fn load(&self) -> Option<EngineLoad> {
        if self.broken {
            return None;
        }
        let ready = self.engine.ready_jobs();
        if ready == 0 {
            return Some(EngineLoad::default());
        }
        Some(EngineLoad {
            is_ready: true,
            is_full: self.engine.is_full(),
            is_high: self.backlog.is_high(),
            expects_more: ready < self.parts.recent.likely_jobs(),
        })
    }

    /// Idle time that waits may use.
    #[cfg(test)]
    pub(crate) fn idle(&mut self) -> &mut Duration {
        &mut self.idle
    }

    /// The worker had nothing to do for this time.
    pub(crate) fn idled(&mut self, time: Duration) {
        self.idle = (self.idle + time).min(IDLE_MAX);
    }

    /// Puts the whole worker to sleep for a moment, if more jobs are likely to become ready and to
    /// make hashing cheaper. Returns whether it slept.
    pub(crate) fn wait(&mut self, now: Instant) -> bool {
        self.end_wait();
        if self.idle < LINGER_MAX {
            return false;
        }
        // Nothing more arrives before some jobs are hashed: the sockets are not read, or a client
        // has little window left.
        if self.backlog.is_high() || self.backlog.is_short() {
            return false;
        }
        let ready = self.engine.loads();
        let crossover = self.engine.crossover();
        let recent = &self.parts.recent;
        let Some(time) = self.wait.begin(&ready, recent, crossover, now) else {
            return false;
        };
        self.sleep(time, Duration::ZERO);
        true
    }

    /// No job is ready. Puts the whole worker to sleep past the next arrivals, if several are likely
    /// soon. Returns whether it slept; after a wait that brought nothing it does not.
    pub(crate) fn wait_idle(&mut self, now: Instant) -> bool {
        if self.end_wait() || self.broken || self.idle < LINGER_MAX || self.backlog.is_short() {
            return false;
        }
        let Some(family) = self.last_stepped else {
            return false;
        };
        let enough = self.engine.crossover().lanes_enough(family);
        let Some((time, idle)) = self.wait.begin_idle(&self.parts.recent, enough, now) else {
            return false;
        };
        self.sleep(time, idle);
        true
    }

    /// Sleeps for `time`. No job would have been ready in the first `idle` of it, so that costs no
    /// idle time.
    fn sleep(&mut self, time: Duration, idle: Duration) {
        let (start, cpu_start) = (Instant::now(), cpu_time());
        thread::sleep(time);
        self.wait.cost.observe(cpu_time().saturating_sub(cpu_start));
        let slept = start.elapsed();
        self.idle = self.idle.saturating_sub(slept.saturating_sub(idle));
        self.counters.linger_ns.add(nanos(slept));
    }

    /// Records the result of the last wait. Returns whether there was one.
    fn end_wait(&mut self) -> bool {
        let paid = self.wait.end(self.engine.ready_jobs());
        if let Some(paid) = paid {
            self.counters.lingers[usize::from(paid)].add(1);
        }
        paid.is_some()
    }
}

/// A part ends: it leaves the group of its client. Returns `None` if it is gone.
fn close(parts: &mut OpenParts, groups: &mut Groups, id: PartId) -> Option<OpenPart> {
    let part = parts.close(id)?;
    groups.leave(part.owner.client);
    Some(part)
}

#[cfg(test)]
mod tests;
