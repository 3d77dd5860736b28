//! The thread of an engine.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::inbox::{Inbox, Message};
use super::state::{PartState, Stopped, Unfinished};
use crate::algorithm::Algorithm;
use crate::digest::Digest;
use crate::kernel::Kernel;
use crate::schedule::wait::{LastSeen, PERIOD, Recent, Wait};
use crate::schedule::{InUse, KernelsInUse, SelfCheck};
use crate::stream::{Engine, Event, PartId};

/// Millionths of the time for hashing samples again: as many as a server's by default.
const SELFCHECK_PPM: u32 = 1000;

/// An engine and its parts.
struct Worker<'a> {
    inbox: &'a Inbox,
    engine: Engine<Bytes>,
    /// The kernels in use by all workers, and those that this engine uses.
    kernels: &'a KernelsInUse,
    in_use: InUse,
    selfcheck: SelfCheck,
    /// By [`PartId::index`].
    parts: Vec<Option<OpenPart>>,
    recent: Recent,
    wait: Wait,
}

struct OpenPart {
    id: PartId,
    state: Unfinished,
    algorithms: Box<[Algorithm]>,
    digests: Vec<(Algorithm, Digest)>,
    unhashed: usize,
    /// A kernel may have hashed some of it.
    is_begun: bool,
    last_seen: LastSeen,
}

/// Hashes until the inbox is closed and empty.
pub(super) fn run(inbox: &Inbox, kernels: &KernelsInUse, linger: Duration) {
    let in_use = kernels.now();
    let start = Instant::now();
    let mut worker = Worker {
        inbox,
        engine: Engine::new(in_use.crossover().clone()),
        kernels,
        in_use,
        selfcheck: SelfCheck::new(SELFCHECK_PPM, start),
        parts: Vec::new(),
        recent: Recent::new(PERIOD, start),
        wait: Wait::new(linger),
    };
    let mut messages = Vec::new();
    loop {
        inbox.take(&mut messages);
        let now = Instant::now();
        for (state, message) in messages.drain(..) {
            worker.handle(&state, message, now);
        }
        worker.hand_out();
        if worker.engine.ready_jobs() > 0 {
            if !worker.engine.is_full() && worker.wait(now) {
                continue;
            }
            worker.step(now);
        } else if !inbox.wait() {
            return;
        }
    }
}

impl Worker<'_> {
    fn handle(&mut self, state: &Arc<PartState>, message: Message, now: Instant) {
        self.follow_kernels();
        if let Message::Open(state, algorithms) = message {
            if let Some(kernel) = self.in_use.missing(&algorithms) {
                return state.fail(Stopped::KernelFault(kernel));
            }
            let id = self.engine.open(&algorithms);
            if self.parts.len() <= id.index() {
                self.parts.resize_with(id.index() + 1, || None);
            }
            let in_lanes = algorithms.iter().filter(|a| a.family().is_some());
            state.opened(id);
            self.parts[id.index()] = Some(OpenPart {
                id,
                state,
                digests: Vec::with_capacity(algorithms.len()),
                last_seen: LastSeen::new(in_lanes.count()),
                algorithms,
                unhashed: 0,
                is_begun: false,
            });
            return;
        }
        let Some(id) = state.id.get().copied() else {
            return;
        };
        let slot = self.parts.get_mut(id.index()).and_then(Option::as_mut);
        // A part that failed is gone, and its place may be in use by another.
        let Some(part) = slot.filter(|part| part.id == id) else {
            return;
        };
        match message {
            Message::Open(..) => {}
            Message::Push(chunk) => {
                if part.unhashed == 0 {
                    self.recent.arrived(&mut part.last_seen, None, now);
                }
                part.unhashed += chunk.len();
                part.is_begun = true;
                // Tree modes call kernels in a push.
                let is_hashed = |it: &Algorithm| it.family().is_none() && it.kernels_of().is_some();
                if part.algorithms.iter().any(is_hashed) && self.selfcheck.is_due(now) {
                    self.engine.take_sample();
                }
                self.engine.push(id, chunk);
                self.check();
                self.recent.ready(self.engine.ready_jobs());
            }
            Message::Finish => {
                // Of an empty message a kernel hashes the padding.
                part.is_begun = true;
                self.engine.finish(id);
                self.recent.ready(self.engine.ready_jobs());
                // A part without lanes has ended, and the next part may get its place.
                self.hand_out();
            }
            Message::Cancel => {
                self.engine.cancel(id);
                self.recent.forget_part(part.last_seen);
                self.parts[id.index()] = None;
            }
        }
    }

    /// Tells the parts what was hashed.
    fn hand_out(&mut self) {
        for event in self.engine.take_events() {
            let (Event::Consumed { part: id, .. }
            | Event::Digest { part: id, .. }
            | Event::Finished { part: id }) = event;
            let slot = &mut self.parts[id.index()];
            // Events of a part that was cancelled are stale.
            let Some(part) = slot.as_mut().filter(|part| part.id == id) else {
                continue;
            };
            match event {
                Event::Consumed { bytes, .. } => {
                    part.unhashed -= bytes;
                    part.state.hashed(bytes);
                }
                Event::Digest {
                    algorithm, digest, ..
                } => part.digests.push((algorithm, digest)),
                Event::Finished { .. } => {
                    self.recent.forget_part(part.last_seen);
                    let mut digests = std::mem::take(&mut part.digests);
                    let order = &part.algorithms;
                    digests.sort_by_key(|(digest, _)| order.iter().position(|a| a == digest));
                    part.state.end(digests);
                    *slot = None;
                }
            }
        }
    }

    /// Sleeps if more jobs are likely and make hashing cheaper. Returns whether it slept.
    fn wait(&mut self, now: Instant) -> bool {
        self.wait.end(self.engine.ready_jobs());
        let crossover = self.engine.crossover();
        let loads = self.engine.loads();
        let Some(time) = self.wait.begin(&loads, &self.recent, crossover, now) else {
            return false;
        };
        let before = cpu_time();
        thread::sleep(time);
        if let (Some(before), Some(after)) = (before, cpu_time()) {
            self.wait.cost.observe(after.saturating_sub(before));
        }
        true
    }

    fn step(&mut self, now: Instant) {
        self.wait.end(self.engine.ready_jobs());
        self.follow_kernels();
        if self.selfcheck.is_due(now) {
            self.engine.take_sample();
        }
        self.engine.step();
        // Before the digests leave.
        self.check();
        self.hand_out();
        self.wait.stepped(self.engine.ready_jobs(), Instant::now());
    }
}

impl Worker<'_> {
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
        let in_use = &self.in_use;
        let parts = self.parts.iter().flatten();
        let parts = parts.filter_map(|part| Some((part.id, in_use.missing(&part.algorithms)?)));
        for (id, kernel) in parts.collect::<Vec<_>>() {
            self.fail(id, kernel);
        }
    }

    /// Hashes the sample again, if there is one.
    fn check(&mut self) {
        if !self.engine.has_sample() {
            return;
        }
        let (start, before) = (Instant::now(), cpu_time());
        let check = self.engine.check_sample();
        let (end, after) = (Instant::now(), cpu_time());
        let cpu = before
            .zip(after)
            .map(|(before, after)| after.saturating_sub(before));
        self.selfcheck.took(end, cpu.unwrap_or(end - start));
        if let Some(check) = check.filter(|check| !check.agrees) {
            self.fault(check.kernel);
        }
    }

    /// A kernel is faulty, at least on this core. Which parts it damaged is unknown, so all begun
    /// ones of its family fail.
    #[cold]
    fn fault(&mut self, kernel: Kernel) {
        self.kernels.retire(kernel);
        let family = Some(kernel.family());
        let parts = self.parts.iter().flatten().filter(|part| {
            let mut algorithms = part.algorithms.iter();
            part.is_begun && algorithms.any(|algorithm| algorithm.kernels_of() == family)
        });
        for id in parts.map(|part| part.id).collect::<Vec<_>>() {
            self.fail(id, kernel);
        }
        self.follow_kernels();
    }

    fn fail(&mut self, id: PartId, kernel: Kernel) {
        if let Some(part) = self.parts[id.index()].take_if(|part| part.id == id) {
            self.engine.cancel(id);
            self.recent.forget_part(part.last_seen);
            part.state.fail(Stopped::KernelFault(kernel));
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.inbox.stop();
        }
    }
}

/// CPU time of the calling thread, if the system tells it.
#[cfg(unix)]
fn cpu_time() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).ok()
}

#[cfg(not(unix))]
fn cpu_time() -> Option<Duration> {
    None
}
