//! The thread of an engine.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::inbox::{Inbox, Message};
use super::state::{PartState, Unfinished};
use crate::algorithm::Algorithm;
use crate::digest::Digest;
use crate::schedule::Crossover;
use crate::schedule::wait::{LastSeen, PERIOD, Recent, Wait};
use crate::stream::{Engine, Event, PartId};

/// An engine and its parts.
struct Worker<'a> {
    inbox: &'a Inbox,
    engine: Engine<Bytes>,
    /// By [`PartId::index`].
    parts: Vec<Option<OpenPart>>,
    recent: Recent,
    wait: Wait,
    /// When the oldest ready job arrived, or when the last step ended.
    ready_since: Option<Instant>,
}

struct OpenPart {
    id: PartId,
    state: Unfinished,
    algorithms: Box<[Algorithm]>,
    digests: Vec<(Algorithm, Digest)>,
    unhashed: usize,
    last_seen: LastSeen,
}

/// Hashes until the inbox is closed and empty.
pub(super) fn run(inbox: &Inbox, crossover: Crossover, linger: Duration) {
    let mut worker = Worker {
        inbox,
        engine: Engine::new(crossover),
        parts: Vec::new(),
        recent: Recent::new(PERIOD, Instant::now()),
        wait: Wait::new(linger),
        ready_since: None,
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
            worker.step();
        } else if !inbox.wait() {
            return;
        }
    }
}

impl Worker<'_> {
    fn handle(&mut self, state: &Arc<PartState>, message: Message, now: Instant) {
        if let Message::Open(state, algorithms) = message {
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
            });
            return;
        }
        let Some(id) = state.id.get().copied() else {
            return;
        };
        let Some(part) = self.parts.get_mut(id.index()).and_then(Option::as_mut) else {
            return;
        };
        match message {
            Message::Open(..) => {}
            Message::Push(chunk) => {
                if part.unhashed == 0 {
                    self.recent.arrived(&mut part.last_seen, None, now);
                }
                part.unhashed += chunk.len();
                self.engine.push(id, chunk);
                self.recent.ready(self.engine.ready_jobs());
            }
            Message::Finish => {
                self.engine.finish(id);
                self.recent.ready(self.engine.ready_jobs());
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
        let since = *self.ready_since.get_or_insert(now);
        let crossover = self.engine.crossover();
        let loads = self.engine.loads();
        let Some(time) = self.wait.begin(&loads, &self.recent, crossover, since, now) else {
            return false;
        };
        let before = cpu_time();
        thread::sleep(time);
        if let (Some(before), Some(after)) = (before, cpu_time()) {
            self.wait.cost.observe(after.saturating_sub(before));
        }
        true
    }

    fn step(&mut self) {
        self.wait.end(self.engine.ready_jobs());
        self.engine.step();
        self.wait.stepped();
        self.hand_out();
        let is_ready = self.engine.ready_jobs() > 0;
        self.ready_since = is_ready.then(Instant::now);
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
