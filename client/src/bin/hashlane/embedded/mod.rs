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
//! | `settings` | threads and open files; whether lanes pay |
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
//!
//! Why not the library's `embedded:` or the engine's `Shared`: here the thread that hashes also
//! reads, into buffers that stay in its cache, and a chunk passes from no thread to another. CPU
//! seconds per GB on two CPUs of a Zen 3 (family 25, model 1; 25 November 2026; SHA-256 of files in
//! memory, least of five runs, dev profile, busy machine). `Shared` has 32 reading threads, two
//! workers and reused buffers:
//!
//! | files | this | `Shared` | `sum --server embedded:2` |
//! |---|---|---|---|
//! | 2,000 of 16 KiB | 1.65 | 1.98 | 2.52 |
//! | 64 of 8 MiB | 0.50 | 0.63 | 1.15 |
//! | 2 of 600 MiB | 1.22 | 0.87 | 1.56 |
//!
//! Two long files cost less there because they share a worker's lanes; here each has a thread.

mod ahead;
mod buffers;
mod contents;
mod each;
mod job;
mod lanes;
mod settings;

use std::sync::mpsc;
use std::{io, thread};

use hashlane_engine::{Backend, Crossover};

use self::lanes::Worker;
pub(crate) use self::settings::Embedded;
use self::settings::FEW_TASKS;
use crate::queue::{Closing, Shared};
use crate::share::{Numbered, PanicEnds, share_out};
use crate::work::{Sink, Stop, Task, plain};

impl Embedded {
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

fn no_thread(error: &io::Error) -> Stop {
    Stop::Trouble(format!("cannot start a thread: {}", plain(error)))
}
