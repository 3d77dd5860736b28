//! Starts the threads, and shares tasks out among them.

use std::sync::mpsc;
use std::{io, thread};

use hashlane_engine::{Backend, Crossover};

use super::each;
use super::lanes::Worker;
use super::settings::{Embedded, FEW_TASKS};
use crate::task_dispatch::{Numbered, PanicEnds, share_out};
use crate::task_queues::{Closing, Shared};
use crate::tasks::{Sink, Stop, Task, plain};

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
