//! Hashing here: one engine on each of a few threads, files shared out among
//! them.
//!
//! ```text
//! tasks ──> queue ──> engine thread: admit (open files, up to its share)
//!                       feed  (read a chunk for each file that has none waiting)
//!                       step  (hash; take events; files run dry, files finish)
//!       ──> aside ──> one thread for pipes and standard input, which may keep a
//!                     reader waiting: no lane's file waits with it
//! results (in any order) ──> InOrder ──> sink
//! ```
//!
//! A file has one chunk in memory at a time, in a buffer that is used again, so
//! memory is bounded by the number of files in progress.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;

use hashlane_client::AlgorithmDigest;
use hashlane_engine::{Algorithm, Backend, Crossover, Digest, Engine, Event, PartId};
use indicatif::ProgressBar;

use crate::algorithms;
use crate::args::JOBS_DEFAULT;
use crate::buffers::{Buffers, CHUNK_BYTES, Chunk};
use crate::order::InOrder;
use crate::work::{Outcome, Sink, Source, Stop, Task};

/// Files open at a time by default, on machines with many cores: well under the
/// common limit of 1024.
const OPEN_FILES_MAX: usize = 512;
/// Up to this many tasks are hashed one by one, with the kernel for one stream:
/// measuring the kernels would take longer than it gains.
const FEW_TASKS: usize = 3;

/// The embedded engine's settings.
pub(crate) struct Embedded {
    threads: usize,
    /// Files in progress on each thread.
    share: usize,
    progress: ProgressBar,
    /// Shared, so that kernels are measured once, when it pays.
    crossover: OnceLock<Crossover>,
}

/// A task and the number its outcome is reported under.
type Numbered = (u64, Task);

impl Embedded {
    pub(crate) fn new(jobs: Option<usize>, progress: ProgressBar) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let jobs = jobs.unwrap_or((cores * JOBS_DEFAULT).min(OPEN_FILES_MAX));
        let threads = cores.min(jobs);
        Self {
            threads,
            share: jobs.div_ceil(threads),
            progress,
            crossover: OnceLock::new(),
        }
    }

    pub(crate) fn run<L>(
        &self,
        tasks: impl Iterator<Item = (Task, L)>,
        sink: &mut impl Sink<L>,
    ) -> Result<(), Stop> {
        let mut tasks = tasks.fuse();
        let first: Vec<_> = tasks.by_ref().take(FEW_TASKS + 1).collect();
        let crossover = (first.len() > FEW_TASKS).then(|| {
            let detect = || Crossover::new(Backend::detect());
            self.crossover.get_or_init(detect).clone()
        });
        let shared = Shared::default();
        let (results, outcomes) = mpsc::channel();
        thread::scope(|scope| {
            // However this ends, the threads end too.
            let _closing = Closing(&shared);
            for _ in 0..self.threads {
                let (results, crossover) = (results.clone(), crossover.clone());
                let shared = &shared;
                scope.spawn(move || match crossover {
                    Some(crossover) => {
                        Worker::new(shared, results, crossover, self.share, &self.progress).run();
                    }
                    None => hash_each(shared, &shared.queue, &results, &self.progress),
                });
            }
            let shared_aside = &shared;
            scope.spawn(move || {
                hash_each(shared_aside, &shared_aside.aside, &results, &self.progress);
            });
            share_out(first.into_iter().chain(tasks), &shared, &outcomes, sink)
        })
    }
}

/// Gives out tasks and passes on outcomes, until there are no more of either.
fn share_out<L>(
    mut tasks: impl Iterator<Item = (Task, L)>,
    shared: &Shared,
    outcomes: &mpsc::Receiver<(u64, Outcome)>,
    sink: &mut impl Sink<L>,
) -> Result<(), Stop> {
    let mut order = InOrder::new();
    let mut has_tasks = true;
    loop {
        while has_tasks && order.has_room() {
            let Some((task, label)) = tasks.next() else {
                has_tasks = false;
                break;
            };
            let queue = if may_wait(&task.source) {
                &shared.aside
            } else {
                &shared.queue
            };
            queue.put((order.push(label), task));
            // Outcomes that are there already go out before a long list of
            // tasks has been read.
            while let Ok((number, outcome)) = outcomes.try_recv() {
                order.complete(number, outcome);
            }
            while let Some((label, outcome)) = order.pop() {
                sink.done(label, outcome)?;
            }
        }
        while let Some((label, outcome)) = order.pop() {
            sink.done(label, outcome)?;
        }
        if order.is_empty() {
            if has_tasks {
                continue;
            }
            return Ok(());
        }
        sink.flush()?;
        let Ok((number, outcome)) = outcomes.recv() else {
            return Err(Stop::Trouble("a hashing thread has ended".to_owned()));
        };
        order.complete(number, outcome);
    }
}

/// Whether reading may wait for somebody else: pipes, sockets, terminals. A
/// directory or a missing file fails at once.
fn may_wait(source: &Source) -> bool {
    match source {
        Source::Stdin => true,
        Source::File(path) => {
            std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
        }
    }
}

/// What the threads share.
#[derive(Default)]
struct Shared {
    queue: Queue,
    aside: Queue,
    /// Nobody wants further results.
    is_over: AtomicBool,
}

impl Shared {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// Closes the queues when it goes.
struct Closing<'a>(&'a Shared);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
        self.0.queue.close();
        self.0.aside.close();
    }
}

/// Tasks to be taken by any thread. Bounded by the window of [`InOrder`].
#[derive(Default)]
struct Queue {
    state: Mutex<QueueState>,
    arrived: Condvar,
}

#[derive(Default)]
struct QueueState {
    tasks: VecDeque<Numbered>,
    is_closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, task: Numbered) {
        self.lock().tasks.push_back(task);
        self.arrived.notify_one();
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.arrived.notify_all();
    }

    fn try_take(&self) -> Option<Numbered> {
        self.lock().tasks.pop_front()
    }

    /// Waits for a task. `None` once the queue is closed.
    fn take(&self) -> Option<Numbered> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(task) = state.tasks.pop_front() {
                return Some(task);
            }
            state = self
                .arrived
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The engine's names of what the task asks for; an outcome if it lacks one.
fn engine_algorithms(task: &Task) -> Result<Vec<Algorithm>, Outcome> {
    let algorithms = task.algorithms().into_iter();
    let named = algorithms.map(|name| {
        let refused = || Outcome::Refused(format!("{name} is not built in; servers may have it"));
        algorithms::of_engine(name).ok_or_else(refused)
    });
    named.collect()
}

/// The digests in the order in which they were asked for.
fn in_order(algorithms: &[Algorithm], digests: &[(Algorithm, Digest)]) -> Vec<AlgorithmDigest> {
    let of = |algorithm: &Algorithm| {
        let (_, digest) = digests.iter().find(|(name, _)| name == algorithm)?;
        algorithms::label(*algorithm, digest)
    };
    algorithms.iter().filter_map(of).collect()
}

/// Hashes the queue's tasks one after another, each as a stream of its own.
fn hash_each(
    shared: &Shared,
    queue: &Queue,
    results: &mpsc::Sender<(u64, Outcome)>,
    progress: &ProgressBar,
) {
    let mut buffer = vec![0; CHUNK_BYTES];
    while let Some((number, task)) = queue.take() {
        let outcome = engine_algorithms(&task).and_then(|algorithms| {
            let mut read = |reader: &mut dyn Read| {
                hash_one(reader, &algorithms, &mut buffer, shared, progress)
            };
            let digests = match &task.source {
                Source::Stdin => read(&mut io::stdin().lock()),
                Source::File(path) => File::open(path).and_then(|mut file| read(&mut file)),
            };
            let digests = digests.map_err(|error| Outcome::Unreadable(Arc::new(error)))?;
            Ok(task.outcome(in_order(&algorithms, &digests)))
        });
        let outcome = outcome.unwrap_or_else(|fault| fault);
        if results.send((number, outcome)).is_err() {
            return;
        }
    }
}

/// One pass over the source for all its digests.
fn hash_one(
    reader: &mut dyn Read,
    algorithms: &[Algorithm],
    buffer: &mut [u8],
    shared: &Shared,
    progress: &ProgressBar,
) -> io::Result<Vec<(Algorithm, Digest)>> {
    let hasher = |algorithm: &Algorithm| (*algorithm, hashlane_engine::Hasher::new(*algorithm));
    let mut hashers: Vec<_> = algorithms.iter().map(hasher).collect();
    while !shared.is_over() {
        let bytes = match reader.read(buffer) {
            Ok(0) => break,
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        for (_, hasher) in &mut hashers {
            hasher.update(&buffer[..bytes]);
        }
        progress.inc(bytes as u64);
    }
    let hashers = hashers.into_iter();
    Ok(hashers
        .map(|(algorithm, hasher)| (algorithm, hasher.finalize()))
        .collect())
}

/// An engine with its open files.
struct Worker<'a> {
    shared: &'a Shared,
    results: mpsc::Sender<(u64, Outcome)>,
    engine: Engine<Chunk>,
    share: usize,
    open: usize,
    /// By the part's index.
    files: Vec<Option<OpenFile>>,
    /// Slots of files with no chunk waiting.
    hungry: Vec<usize>,
    buffers: Buffers,
    progress: &'a ProgressBar,
}

struct OpenFile {
    number: u64,
    task: Task,
    file: File,
    part: PartId,
    algorithms: Vec<Algorithm>,
    /// Those that are there already.
    digests: Vec<(Algorithm, Digest)>,
    waiting_bytes: usize,
    /// The engine has been told that no chunk follows.
    is_complete: bool,
}

impl<'a> Worker<'a> {
    fn new(
        shared: &'a Shared,
        results: mpsc::Sender<(u64, Outcome)>,
        crossover: Crossover,
        share: usize,
        progress: &'a ProgressBar,
    ) -> Self {
        Self {
            shared,
            results,
            engine: Engine::new(crossover),
            share,
            open: 0,
            files: Vec::new(),
            hungry: Vec::new(),
            buffers: Buffers::default(),
            progress,
        }
    }

    /// Until the queue is closed and every file taken from it is done.
    fn run(mut self) {
        while !self.shared.is_over() {
            while self.open < self.share {
                let task = if self.open == 0 {
                    self.shared.queue.take()
                } else {
                    self.shared.queue.try_take()
                };
                match task {
                    Some((number, task)) => self.admit(number, task),
                    None if self.open == 0 => return,
                    None => break,
                }
            }
            while let Some(slot) = self.hungry.pop() {
                self.feed(slot);
            }
            self.engine.step();
            self.take_events();
        }
    }

    fn admit(&mut self, number: u64, task: Task) {
        let Source::File(path) = &task.source else {
            unreachable!("standard input is hashed aside");
        };
        let algorithms = match engine_algorithms(&task) {
            Ok(algorithms) => algorithms,
            Err(outcome) => return self.report(number, outcome),
        };
        match File::open(path) {
            Err(error) => self.report(number, Outcome::Unreadable(Arc::new(error))),
            Ok(file) => {
                let part = self.engine.open(&algorithms);
                let slot = part.index();
                if self.files.len() <= slot {
                    self.files.resize_with(slot + 1, || None);
                }
                self.files[slot] = Some(OpenFile {
                    number,
                    task,
                    file,
                    part,
                    digests: Vec::with_capacity(algorithms.len()),
                    algorithms,
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
        let mut chunk = self.buffers.take();
        match chunk.fill(&mut entry.file) {
            Err(error) => {
                self.engine.cancel(entry.part);
                let number = entry.number;
                self.files[slot] = None;
                self.open -= 1;
                self.report(number, Outcome::Unreadable(Arc::new(error)));
            }
            Ok(at_end) => {
                let bytes = chunk.as_ref().len();
                if bytes > 0 {
                    entry.waiting_bytes += bytes;
                    self.engine.push(entry.part, chunk);
                    self.progress.inc(bytes as u64);
                }
                if at_end {
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
                    // Without a receiver the run is over, which `run` sees.
                    let digests = in_order(&entry.algorithms, &entry.digests);
                    let outcome = entry.task.outcome(digests);
                    let _ = self.results.send((entry.number, outcome));
                }
            }
        }
    }

    fn report(&self, number: u64, outcome: Outcome) {
        // Without a receiver the run is over, which `run` sees.
        let _ = self.results.send((number, outcome));
    }
}
