//! Hashing here: one engine on each of a few threads, files shared out among
//! them.
//!
//! ```text
//! tasks ──> queue ──> engines: admit (open files, up to a share)
//!                              feed  (read a chunk for each file that has none waiting)
//!                              step  (hash; take events; files run dry, files finish)
//!       ──> aside ──> each:    one thread for pipes and standard input, which may keep a
//!                              reader waiting: no lane's file waits with it
//! results (in any order) ──> InOrder ──> sink
//! ```
//!
//! | | |
//! |---|---|
//! | `queue` | tasks to be taken by any thread |
//! | `job` | a source that is being hashed |
//! | `lanes` | many files in the lanes of an engine |
//! | `each` | one source after another |
//! | `contents` | the bytes of a file, read or mapped |
//! | `ahead` | files that the system reads ahead |
//! | `buffers` | chunks of files, in buffers used again |
//!
//! A file has one chunk in memory at a time, in a buffer that is used again, so
//! memory is bounded by the number of files in progress. A source that is hashed by itself has
//! three, so that one is read while another is hashed.

mod ahead;
mod buffers;
mod contents;
mod each;
mod job;
mod lanes;
mod queue;

use std::sync::{OnceLock, mpsc};
use std::{io, process, thread};

use hashlane_engine::{Backend, Crossover};
use indicatif::ProgressBar;

use self::lanes::Worker;
use self::queue::{Closing, Queue, Shared};
use crate::EXIT_TROUBLE;
use crate::descriptors;
use crate::order::InOrder;
use crate::work::{Outcome, Sink, Stop, Task, plain};

/// Files in progress on each thread by default: as many as their chunks stay in an L2 cache of
/// 1 MiB. With 32, whose chunks do not fit, MD5 takes 10% longer.
const JOBS_DEFAULT: usize = 16;
/// Files open at a time by default, on machines with many cores.
const OPEN_FILES_DEFAULT_MAX: usize = 512;
/// Up to this many tasks are hashed one by one, with the kernel for one stream:
/// measuring the kernels would take longer than it gains.
const FEW_TASKS: usize = 3;

/// The embedded engine's settings.
pub(crate) struct Embedded {
    threads: usize,
    /// Files in progress on each thread.
    share: usize,
    /// Whether long files are mapped.
    mmap: bool,
    progress: ProgressBar,
    /// Shared, so that kernels are measured once, when it pays.
    crossover: OnceLock<Crossover>,
}

/// A task and the number its outcome is reported under.
type Numbered = (u64, Task);
/// An outcome and the number of its task.
type Reported = (u64, Outcome);
/// What became ready together. Each batch wakes the thread that prints.
type Batch = Vec<Reported>;

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
            for begun in 0..self.threads {
                let (results, crossover) = (results.clone(), crossover.clone());
                let shared = &shared;
                let hash = move || {
                    let _panic_ends = PanicEnds;
                    match crossover {
                        Some(crossover) => {
                            Worker::new(self, shared, results, crossover).run();
                        }
                        None => each::hash(self, shared, &shared.queue, &results),
                    }
                };
                match thread::Builder::new().spawn_scoped(scope, hash) {
                    Ok(_) => {}
                    Err(error) if begun == 0 => return Err(no_thread(&error)),
                    // Those that there are hash all files.
                    Err(_) => break,
                }
            }
            let shared = &shared;
            let hash_aside = move || {
                let _panic_ends = PanicEnds;
                each::hash(self, shared, &shared.aside, &results);
            };
            let aside = thread::Builder::new().spawn_scoped(scope, hash_aside);
            aside.map_err(|error| no_thread(&error))?;
            share_out(first.into_iter().chain(tasks), shared, &outcomes, sink)
        })
    }
}

fn no_thread(error: &io::Error) -> Stop {
    Stop::Trouble(format!("cannot start a thread: {}", plain(error)))
}

/// Ends the process if its thread panics: what that thread had would be waited for for ever.
struct PanicEnds;

impl Drop for PanicEnds {
    fn drop(&mut self) {
        if thread::panicking() {
            process::exit(EXIT_TROUBLE.into());
        }
    }
}

/// Gives out tasks and passes on outcomes, until there are no more of either.
fn share_out<L>(
    mut tasks: impl Iterator<Item = (Task, L)>,
    shared: &Shared,
    outcomes: &mpsc::Receiver<Batch>,
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
            if let Some(number) = order.push(&task, label) {
                let aside = task.source.may_wait();
                queue_of(shared, aside).put((number, task));
            }
            // Outcomes that are there already go out before a long list of
            // tasks has been read.
            while let Ok(batch) = outcomes.try_recv() {
                order.complete(batch);
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
        let Ok(batch) = outcomes.recv() else {
            return Err(Stop::Trouble("a hashing thread has ended".to_owned()));
        };
        order.complete(batch);
    }
}

fn queue_of(shared: &Shared, aside: bool) -> &Queue {
    if aside { &shared.aside } else { &shared.queue }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Set in the child that is to end.
    const CHILD: &str = "HASHLANE_TEST_CHILD";

    #[test]
    fn a_thread_that_panics_ends_the_process() {
        if std::env::var_os(CHILD).is_some() {
            thread::spawn(|| {
                let _panic_ends = PanicEnds;
                panic!("a defect of the engine");
            });
            thread::sleep(Duration::from_secs(60));
            return;
        }
        let program = std::env::current_exe().unwrap();
        let test = "embedded::tests::a_thread_that_panics_ends_the_process";
        let child = process::Command::new(program)
            .args([test, "--exact"])
            .env(CHILD, "1")
            .output();
        assert_eq!(child.unwrap().status.code(), Some(EXIT_TROUBLE.into()));
    }
}
