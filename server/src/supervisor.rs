//! Starts the workers, and monitors their progress.
//!
//! ```text
//! panic: cuts its connections and restarts ── too often ────────────────────> the server ends
//!        (worker/)                           (restarts.rs)                    with an error
//! starved: a line in the log                                                   ^
//! hung: gets no connections, /healthz and /readyz fail ── permanently ─────────┘
//! ```
//!
//! heartbeat.rs distinguishes hung workers from starved workers. A hung thread cannot be ended, nor
//! can its memory be freed. So a process with a permanently hung worker ends after a drain of the
//! other workers, and its service manager restarts it.
//!
//! Why a hung thread is not replaced: the new thread would share its core with a spinning thread,
//! and would need a second descriptor of every socket. Meanwhile the other workers serve, and a
//! worker that recovers has lost nothing. server/tests/server/workers.rs tests workers that panic,
//! spin and block.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use core_affinity::CoreId;
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::metrics::counters::WorkerCounters;
use crate::metrics::heartbeat::{Hang, Seen, Watch};
use crate::worker::{self, Blueprint, WorkerEnd, WorkerHandle};

/// Minimum time between two log lines about starved workers.
const STARVED_LINE_PERIOD: Duration = Duration::from_secs(60);

/// A worker ended before its drain.
#[derive(Debug, thiserror::Error)]
#[error("worker {worker} failed: {reason}")]
pub struct WorkerError {
    /// The worker's number.
    pub worker: usize,
    /// The cause.
    pub reason: String,
}

/// A monitored worker.
struct Watched {
    counters: Arc<WorkerCounters>,
    watch: Watch,
    /// True until the worker reports its end.
    runs: bool,
}

/// The workers of the process.
pub(crate) struct Supervisor {
    workers: Vec<Watched>,
    ended: mpsc::Receiver<WorkerEnd>,
    looks: Interval,
    /// Time of the last log line about starved workers.
    told_starved: Option<Instant>,
}

impl Supervisor {
    /// Starts a worker for each of `cores`.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub(crate) fn start(
        cores: &[Option<CoreId>],
        blueprint: &Blueprint,
    ) -> io::Result<(Self, Vec<WorkerHandle>)> {
        // Room for the end of each worker.
        let (end, ended) = mpsc::channel(cores.len().max(1));
        let handles = cores.iter().enumerate().map(|(worker, core)| {
            let (blueprint, end) = (blueprint.clone(), end.clone());
            worker::spawn(worker, *core, blueprint, end)
        });
        let handles: Vec<_> = handles.collect::<io::Result<_>>()?;
        let workers = handles.iter().map(|handle| Watched {
            counters: Arc::clone(&handle.counters),
            watch: Watch::new(blueprint.pace),
            runs: true,
        });
        let mut looks = interval(blueprint.pace.look);
        // After a pause of the whole process, workers have some look periods to beat.
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let supervisor = Self {
            workers: workers.collect(),
            ended,
            looks,
            told_starved: None,
        };
        Ok((supervisor, handles))
    }

    /// The counters of all workers.
    pub(crate) fn counters(&self) -> Arc<[Arc<WorkerCounters>]> {
        let counters = self.workers.iter();
        counters
            .map(|worker| Arc::clone(&worker.counters))
            .collect()
    }

    /// Monitors the workers until one fails permanently.
    pub(crate) async fn watch(&mut self) -> WorkerError {
        loop {
            let failed = tokio::select! {
                Some(ended) = self.ended.recv() => Some(self.note_end(ended)),
                _ = self.looks.tick() => self.look(Instant::now()),
            };
            if let Some((worker, reason)) = failed {
                tracing::error!(worker, reason, "a worker failed: the server ends");
                return WorkerError { worker, reason };
            }
        }
    }

    /// Waits until every worker that does not hang has ended. `failure` is set to the first worker
    /// that ended with an error.
    pub(crate) async fn all_ended(&mut self, failure: &mut Option<WorkerError>) {
        while self.waits_for_any() {
            let ended = tokio::select! {
                ended = self.ended.recv() => ended,
                _ = self.looks.tick() => {
                    self.look(Instant::now());
                    continue;
                }
            };
            let Some(ended) = ended else {
                return;
            };
            let had_error = ended.result.is_err();
            let (worker, reason) = self.note_end(ended);
            if had_error {
                failure.get_or_insert(WorkerError { worker, reason });
            }
        }
    }

    fn waits_for_any(&self) -> bool {
        self.left().any(|counters| !counters.heartbeat.hangs())
    }

    /// The counters of workers that have not ended.
    pub(crate) fn left(&self) -> impl Iterator<Item = &WorkerCounters> {
        let left = self.workers.iter().filter(|worker| worker.runs);
        left.map(|worker| worker.counters.as_ref())
    }

    /// Records a worker's end. Returns its number and the reason.
    fn note_end(&mut self, ended: WorkerEnd) -> (usize, String) {
        let WorkerEnd { worker, result } = ended;
        self.workers[worker].runs = false;
        let reason = result.err().unwrap_or_else(|| "it ended early".to_owned());
        (worker, reason)
    }

    /// Looks at all workers. Returns one that hangs permanently.
    fn look(&mut self, now: Instant) -> Option<(usize, String)> {
        let mut failed = None;
        let mut starved = Vec::new();
        for (worker, watched) in self.workers.iter_mut().enumerate() {
            if !watched.runs {
                continue;
            }
            let heartbeat = &watched.counters.heartbeat;
            let hung = heartbeat.hangs();
            match heartbeat.look(&mut watched.watch) {
                Seen::Well if hung => tracing::warn!(worker, "a worker that hung goes on"),
                Seen::Well => {}
                Seen::Starves => starved.push(worker),
                Seen::Hangs { how, for_good } => {
                    if !hung {
                        let connections = watched.counters.connections();
                        let reason = reason(how);
                        tracing::error!(worker, reason, connections, "a worker hangs");
                    }
                    if for_good {
                        failed.get_or_insert((worker, reason(how).to_owned()));
                    }
                }
            }
        }
        let is_due = |told: Instant| now.duration_since(told) >= STARVED_LINE_PERIOD;
        if !starved.is_empty() && self.told_starved.is_none_or(is_due) {
            self.told_starved = Some(now);
            tracing::warn!(
                workers = ?starved,
                "starved: other programs of this machine leave these workers no CPU time"
            );
        }
        failed
    }
}

fn reason(how: Hang) -> &'static str {
    match how {
        Hang::Spins => "it hangs: it runs without end in one turn",
        Hang::Blocks => "it hangs: it waits where it must not",
    }
}
