//! Starts the workers, and monitors their progress.
//!
//! ```text
//! panic: cuts its connections and restarts ── too often ────────────────────> the server ends
//!        (worker/thread.rs)                                                   with an error
//!                                                                              ^
//! hung: gets no connections, /healthz and /readyz fail ── permanently ─────────┘
//! ```
//!
//! heartbeat.rs distinguishes hung workers from those without CPU time. A hung thread cannot be
//! ended, nor can its memory be freed. So a process with a permanently hung worker ends after a
//! drain of the other workers, and its service manager restarts it.
//!
//! Why a hung thread is not replaced: the new thread would share its core with a spinning thread,
//! and would need a second descriptor of every socket. Meanwhile the other workers serve, and a
//! worker that recovers has lost nothing. server/tests/server/workers/failures.rs tests workers
//! that panic, spin and block.

use std::io;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::metrics::counters::WorkerCounters;
use crate::metrics::heartbeat::Watch;
use crate::process::Process;
use crate::worker::{self, WorkerHandle};

/// The workers of the process.
pub(crate) struct Supervisor {
    /// Each worker is watched until it reports its end.
    workers: Vec<(Arc<WorkerCounters>, Option<Watch>)>,
    ended: mpsc::Receiver<(usize, Result<(), String>)>,
    looks: Interval,
}

impl Supervisor {
    /// Starts the workers of the process.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub(crate) fn start(process: &Arc<Process>) -> io::Result<(Self, Vec<WorkerHandle>)> {
        let cores = &process.cores;
        // Room for the end of each worker.
        let (end, ended) = mpsc::channel(cores.len().max(1));
        let handles = cores
            .iter()
            .enumerate()
            .map(|(worker, core)| worker::spawn(worker, *core, Arc::clone(process), end.clone()));
        let handles: Vec<_> = handles.collect::<io::Result<_>>()?;
        let watch = || Watch::new(process.pace());
        let workers = handles
            .iter()
            .map(|handle| (Arc::clone(&handle.counters), Some(watch())));
        let mut looks = interval(process.pace().look);
        // After a pause of the whole process, workers have some look periods to beat.
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let supervisor = Self {
            workers: workers.collect(),
            ended,
            looks,
        };
        Ok((supervisor, handles))
    }

    /// The counters of all workers.
    pub(crate) fn counters(&self) -> Arc<[Arc<WorkerCounters>]> {
        let workers = self.workers.iter();
        workers.map(|(counters, _)| Arc::clone(counters)).collect()
    }

    /// Monitors the workers until one fails permanently; says which, and why.
    pub(crate) async fn watch(&mut self) -> String {
        loop {
            let failed = tokio::select! {
                Some((worker, result)) = self.ended.recv() => {
                    Some((worker, self.note_end(worker, result)))
                }
                _ = self.looks.tick() => self.look(),
            };
            if let Some((worker, reason)) = failed {
                tracing::error!(worker, reason, "a worker failed: the server ends");
                return failed_with(worker, &reason);
            }
        }
    }

    /// Waits until every worker that does not hang has ended. `failure` is set to the first worker
    /// that ended with an error.
    pub(crate) async fn all_ended(&mut self, failure: &mut Option<String>) {
        while self.waits_for_any() {
            let ended = tokio::select! {
                ended = self.ended.recv() => ended,
                _ = self.looks.tick() => {
                    self.look();
                    continue;
                }
            };
            let Some((worker, result)) = ended else {
                return;
            };
            let had_error = result.is_err();
            let reason = self.note_end(worker, result);
            if had_error {
                failure.get_or_insert_with(|| failed_with(worker, &reason));
            }
        }
    }

    fn waits_for_any(&self) -> bool {
        self.left().any(|counters| !counters.heartbeat.hangs())
    }

    /// The counters of workers that have not ended.
    pub(crate) fn left(&self) -> impl Iterator<Item = &WorkerCounters> {
        let left = self.workers.iter().filter(|(_, watch)| watch.is_some());
        left.map(|(counters, _)| counters.as_ref())
    }

    /// Records a worker's end. Returns the reason.
    fn note_end(&mut self, worker: usize, result: Result<(), String>) -> String {
        self.workers[worker].1 = None;
        result.err().unwrap_or_else(|| "it ended early".to_owned())
    }

    /// Looks at all workers. Returns one that hangs permanently.
    fn look(&mut self) -> Option<(usize, String)> {
        let mut failed = None;
        for (worker, (counters, watch)) in self.workers.iter_mut().enumerate() {
            let Some(watch) = watch else {
                continue;
            };
            let heartbeat = &counters.heartbeat;
            let hung = heartbeat.hangs();
            match heartbeat.look(watch) {
                None if hung => tracing::warn!(worker, "a worker that hung goes on"),
                None => {}
                Some((how, for_good)) => {
                    if !hung {
                        let connections = counters.connections();
                        tracing::error!(worker, reason = how, connections, "a worker hangs");
                    }
                    if for_good {
                        failed.get_or_insert((worker, how.to_owned()));
                    }
                }
            }
        }
        failed
    }
}

fn failed_with(worker: usize, reason: &str) -> String {
    format!("worker {worker} failed: {reason}")
}
