//! Local hashing: a few threads with one engine each, and files shared out among them.
//!
//! ```text
//! tasks ──> queue ──> engines: admit (open files, up to a share)
//!                              feed  (read a chunk for each file that has none waiting)
//!                              step  (hash; take events; files run dry, files finish)
//!       ──> aside ──> each:    one thread for pipes and standard input, which may block their
//!                              reader: no file in a lane waits for them
//! results (in any order) ──> InOrder ──> sink
//! ```
//!
//! | | |
//! |---|---|
//! | `job` | a source that is being hashed |
//! | `lanes` | many files in the lanes of an engine |
//! | `each` | one source after another |
//! | `contents` | the bytes of a file, read or mapped |
//! | `ahead` | files that the system reads ahead |
//! | `buffers` | chunks of files, in reused buffers |
//!
//! A file has one chunk in memory at a time, in a reused buffer, so the number of files in progress
//! bounds the memory. A source that is hashed alone has three, so that one is read while another is
//! hashed.
//!
//! Why `Engine` and not a batch: a batch needs all lengths in advance. `Engine` supports lists that
//! grow while they are read, several digests in one pass, pipes, and files of unknown length.

mod ahead;
mod buffers;
mod contents;
mod each;
mod job;
mod lanes;

use std::sync::{OnceLock, mpsc};
use std::{io, thread};

use hashlane_engine::{Backend, Crossover};
use indicatif::ProgressBar;

use self::lanes::Worker;
use crate::descriptors;
use crate::queue::{Closing, Shared};
use crate::share::{Numbered, PanicEnds, share_out};
use crate::work::{Sink, Source, Stop, Task, plain};

/// Files in progress per thread by default: as many as have chunks that fit an L2 cache of 1 MiB.
/// With 32 they do not fit, and MD5 takes 10% longer.
const JOBS_DEFAULT: usize = 16;
/// Files open at a time by default, on machines with many cores.
const OPEN_FILES_DEFAULT_MAX: usize = 512;
/// Up to this many tasks are hashed one by one with the single-stream kernel: measuring the kernels
/// would take longer than it saves.
const FEW_TASKS: usize = 3;
/// With more tasks than threads, and at least this many bytes in all, the lanes pay even so. This
/// is about 30 ms of SHA-256; measuring takes a third of that.
const LONG_BYTES: u64 = 64 << 20;

/// The embedded engine's settings.
pub(crate) struct Embedded {
    threads: usize,
    /// Files in progress on each thread.
    share: usize,
    /// Whether long files are mapped.
    mmap: bool,
    progress: ProgressBar,
    /// Shared by the threads, so that kernels are measured only once, and only if that pays.
    crossover: OnceLock<Crossover>,
}

impl Embedded {
    pub(crate) fn new(jobs: Option<usize>, mmap: bool, progress: ProgressBar) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let jobs = jobs.unwrap_or((cores * JOBS_DEFAULT).min(OPEN_FILES_DEFAULT_MAX));
        let jobs = jobs.min(descriptors::files_max());
        let threads = cores.min(jobs);
        Self {
            threads,
            share: jobs / threads,
            mmap,
            progress,
            crossover: OnceLock::new(),
        }
    }

    /// Whether these first tasks are enough work to measure the kernels.
    fn pays_lanes<L>(&self, first: &[(Task, L)]) -> bool {
        let bytes = || first.iter().map(|(task, _)| bytes_of(&task.source)).sum();
        let is_long = |bytes: u64| bytes >= LONG_BYTES;
        first.len() > FEW_TASKS || first.len() > self.threads && is_long(bytes())
    }

    pub(crate) fn run<L>(
        &self,
        tasks: impl Iterator<Item = (Task, L)>,
        sink: &mut impl Sink<L>,
    ) -> Result<(), Stop> {
        let mut tasks = tasks.fuse();
        let first: Vec<_> = tasks.by_ref().take(FEW_TASKS + 1).collect();
        let crossover = self.pays_lanes(&first).then(|| {
            let detect = || Crossover::new(Backend::detect());
            self.crossover.get_or_init(detect).clone()
        });
        let shared = Shared::default();
        let (results, outcomes) = mpsc::channel();
        thread::scope(|scope| {
            // Ends the threads on every return from this function.
            let _closing = Closing(&shared);
            for begun in 0..self.threads {
                let results = results.clone();
                let lanes = crossover.clone().map(|it| (it, shared.queue.seat()));
                let shared = &shared;
                let hash = move || {
                    let _panic_ends = PanicEnds;
                    match lanes {
                        Some((crossover, seat)) => {
                            Worker::new(self, shared, seat, results, crossover).run();
                        }
                        None => each::hash(self, shared, &shared.queue, &results),
                    }
                };
                match thread::Builder::new().spawn_scoped(scope, hash) {
                    Ok(_) => {}
                    Err(error) if begun == 0 => return Err(no_thread(&error)),
                    // The threads that did start hash all files.
                    Err(_) => break,
                }
            }
            let shared = &shared;
            let put = |task: Numbered| {
                let aside = task.1.source.may_wait();
                let queue = if aside { &shared.aside } else { &shared.queue };
                queue.put(task);
            };
            let hash_aside = move || {
                let _panic_ends = PanicEnds;
                each::hash(self, shared, &shared.aside, &results);
            };
            let aside = thread::Builder::new().spawn_scoped(scope, hash_aside);
            aside.map_err(|error| no_thread(&error))?;
            share_out(first.into_iter().chain(tasks), put, &outcomes, sink)
        })
    }
}

/// The size of a source, if it is known before it is opened.
fn bytes_of(source: &Source) -> u64 {
    let (Source::File(path) | Source::Found(path)) = source else {
        return 0;
    };
    let metadata = std::fs::metadata(path);
    metadata.map_or(0, |metadata| metadata.len())
}

fn no_thread(error: &io::Error) -> Stop {
    Stop::Trouble(format!("cannot start a thread: {}", plain(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Want;

    #[test]
    fn few_tasks_have_lanes_if_they_are_long_and_more_than_threads() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes| {
            let path = folder.path().join(name);
            std::fs::File::create(&path)
                .unwrap()
                .set_len(bytes)
                .unwrap();
            let source = Source::File(path);
            let want = Want::Verdict(Vec::new());
            (Task { source, want }, ())
        };
        let (long, short) = (file("long", LONG_BYTES / 3 + 1), file("short", 1));
        let pays = |threads, tasks: &[_]| {
            let mut embedded = Embedded::new(None, false, ProgressBar::hidden());
            embedded.threads = threads;
            embedded.pays_lanes(tasks)
        };
        let three = |task: &(Task, ())| vec![task.clone(); 3];
        assert!(pays(2, &three(&long)) && pays(1, &three(&long)));
        assert!(!pays(3, &three(&long)) && !pays(1, &three(&short)));
        assert!(pays(8, &[three(&short), vec![short.clone()]].concat()));
    }
}
