//! Hashes many files in the lanes of an engine.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use hashlane_engine::{Algorithm, Crossover, Digest, Engine, Event, PartId};

use super::buffers::{Buffers, Chunk};
use super::contents::Contents;
use super::job::Job;
use super::settings::Embedded;
use crate::task_dispatch::{Numbered, Report, Reported};
use crate::task_queues::{Seat, Shared};
use crate::tasks::Outcome;

/// Most outcomes per report: each report wakes the thread that prints.
const BATCH_MAX: usize = 64;
/// How long an outcome waits for others to be sent with it.
const BATCH_DELAY: Duration = Duration::from_millis(10);

/// An engine with its open files.
pub(super) struct Worker<'a> {
    embedded: &'a Embedded,
    shared: &'a Shared,
    seat: Seat,
    results: mpsc::Sender<Report>,
    /// Outcomes not sent yet.
    ready: Vec<Reported>,
    sent: Instant,
    engine: Engine<Chunk>,
    open: usize,
    /// Indexed by the part's index.
    files: Vec<Option<OpenFile>>,
    /// Slots of files with no chunk waiting.
    hungry: Vec<usize>,
    buffers: Buffers,
}

struct OpenFile {
    job: Job,
    contents: Contents,
    part: PartId,
    /// Digests that are finished.
    digests: Vec<(Algorithm, Digest)>,
    waiting_bytes: usize,
    /// The engine was told that no chunk follows.
    is_complete: bool,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        embedded: &'a Embedded,
        shared: &'a Shared,
        seat: Seat,
        results: mpsc::Sender<Report>,
        crossover: Crossover,
    ) -> Self {
        Self {
            embedded,
            shared,
            seat,
            results,
            ready: Vec::new(),
            sent: Instant::now(),
            engine: Engine::new(crossover),
            open: 0,
            files: Vec::new(),
            hungry: Vec::new(),
            buffers: Buffers::default(),
        }
    }

    /// Runs until the queue is closed and every file taken from it is done.
    pub(super) fn run(mut self) {
        while !self.shared.is_over() {
            while self.open < self.embedded.share {
                let task = if self.open == 0 {
                    // The thread that gives out tasks may wait for these outcomes.
                    self.report();
                    self.shared.queue.take_at(self.seat)
                } else {
                    self.shared.queue.try_take_beside(self.seat, self.open)
                };
                match task {
                    Some(task) => self.admit(task),
                    None if self.open == 0 => return,
                    None => break,
                }
            }
            while let Some(slot) = self.hungry.pop() {
                self.feed(slot);
            }
            self.engine.step();
            self.take_events();
            if self.ready.len() >= BATCH_MAX || self.sent.elapsed() >= BATCH_DELAY {
                self.report();
            }
        }
    }

    fn admit(&mut self, task: Numbered) {
        let job = match Job::begin(task) {
            Ok(job) => job,
            Err(reported) => return self.ready.push(reported),
        };
        match Contents::open(&job.task.source, self.embedded.mmap) {
            Err(error) => {
                let outcome = Outcome::Unreadable(Arc::new(error));
                self.ready.push((job.number, outcome));
            }
            Ok(contents) => {
                let part = self.engine.open(&job.algorithms);
                let slot = part.index();
                if self.files.len() <= slot {
                    self.files.resize_with(slot + 1, || None);
                }
                self.files[slot] = Some(OpenFile {
                    digests: Vec::with_capacity(job.algorithms.len()),
                    job,
                    contents,
                    part,
                    waiting_bytes: 0,
                    is_complete: false,
                });
                self.open += 1;
                self.hungry.push(slot);
            }
        }
    }

    /// Gives the engine the file's next chunk, or its end.
    fn feed(&mut self, slot: usize) {
        let Some(entry) = &mut self.files[slot] else {
            return;
        };
        match entry.contents.next(&mut self.buffers) {
            Err(error) => {
                self.engine.cancel(entry.part);
                let number = entry.job.number;
                self.files[slot] = None;
                self.open -= 1;
                let outcome = Outcome::Unreadable(Arc::new(error));
                self.ready.push((number, outcome));
            }
            Ok((chunk, is_at_end)) => {
                let bytes = chunk.as_ref().len();
                if bytes > 0 {
                    entry.waiting_bytes += bytes;
                    entry.job.read(chunk.as_ref());
                    self.engine.push(entry.part, chunk);
                    self.embedded.progress.inc(bytes as u64);
                }
                if is_at_end {
                    entry.is_complete = true;
                    self.engine.finish(entry.part);
                }
            }
        }
        // A chunk shorter than a block is consumed at once.
        self.take_events();
    }

    fn take_events(&mut self) {
        for event in self.engine.take_events() {
            match event {
                Event::Consumed { part, bytes } => {
                    let slot = part.index();
                    // The events of a cancelled part are stale.
                    let Some(entry) = self.files[slot].as_mut().filter(|file| file.part == part)
                    else {
                        continue;
                    };
                    entry.waiting_bytes -= bytes;
                    if entry.waiting_bytes == 0 && !entry.is_complete {
                        self.hungry.push(slot);
                    }
                }
                Event::Digest {
                    part,
                    algorithm,
                    digest,
                } => {
                    let file = self.files[part.index()].as_mut();
                    if let Some(entry) = file.filter(|file| file.part == part) {
                        entry.digests.push((algorithm, digest));
                    }
                }
                Event::Finished { part } => {
                    let Some(entry) = self.files[part.index()].take() else {
                        continue;
                    };
                    self.open -= 1;
                    self.ready.push(entry.job.finish(&entry.digests));
                }
            }
        }
    }

    /// Sends the outcomes that are ready.
    fn report(&mut self) {
        if !self.ready.is_empty() {
            // Without a receiver the run is over; `run` notices that.
            let _ = self.results.send(Ok(std::mem::take(&mut self.ready)));
        }
        self.sent = Instant::now();
    }
}
