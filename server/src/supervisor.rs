//! Starts the workers, watches them, and puts another in the place of one that fails.
//!
//! ```text
//! it ends: a panic ── its connections end with it ────────────────────┐
//! it hangs: no beat ── its sockets are shut from here, it gets no more ┴─> another in its seat
//!                      more than REPLACEMENTS_MAX ──> the server ends with an error
//! ```
//!
//! A thread that hangs cannot be ended. It is left, and so is what it holds: memory, permits of
//! the process's budgets, its core while it spins. So there is a bound on replacements for the
//! process's life, after which whoever supervises the process starts it anew.

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use core_affinity::CoreId;
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::metrics::counters::WorkerCounters;
use crate::metrics::heartbeat::Watch;
use crate::open_sockets::OpenSockets;
use crate::worker::{self, Blueprint, WorkerEnd, WorkerHandle};

/// Workers replaced in the process's life. More means that something is wrong with it which
/// a new process may not have.
pub(crate) const REPLACEMENTS_MAX: usize = 8;

/// From one look at the heartbeats to the next.
const LOOK_PERIOD: Duration = Duration::from_millis(500);

/// How a worker failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Its thread has ended.
    Ended,
    /// Its thread does not turn.
    Hung,
}

impl Failure {
    pub(crate) const ALL: [Self; 2] = [Self::Ended, Self::Hung];

    /// The label of its metric.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Hung => "hung",
        }
    }
}

/// The workers, as the admin port and the metrics see them.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    counters: Mutex<Counters>,
    /// By [`Failure`].
    replaced: [AtomicU64; Failure::ALL.len()],
    /// Threads that hang now.
    hanging: AtomicUsize,
}

/// What there is to read of workers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    /// Of those that serve, by their seats.
    pub(crate) serving: Vec<Arc<WorkerCounters>>,
    /// Of those that were replaced: sums go on.
    pub(crate) replaced: Vec<Arc<WorkerCounters>>,
}

impl Counters {
    /// Of all that there were.
    pub(crate) fn ever(&self) -> Vec<Arc<WorkerCounters>> {
        [&self.serving[..], &self.replaced[..]].concat()
    }
}

impl Roster {
    #[cfg(test)]
    pub(crate) fn of(serving: Vec<Arc<WorkerCounters>>) -> Arc<Self> {
        let roster = Self::default();
        roster.with(|counters| counters.serving = serving);
        Arc::new(roster)
    }

    fn with<T>(&self, on: impl FnOnce(&mut Counters) -> T) -> T {
        // Nothing panics while it is locked.
        on(&mut self.counters.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn counters(&self) -> Counters {
        self.with(|counters| counters.clone())
    }

    /// Workers that were replaced after such a failure.
    pub(crate) fn replaced(&self, failure: Failure) -> u64 {
        self.replaced[failure as usize].load(Relaxed)
    }

    /// Threads that were replaced and still hang.
    pub(crate) fn hanging(&self) -> usize {
        self.hanging.load(Relaxed)
    }
}

/// A worker that ended although nobody told it to.
#[derive(Debug, thiserror::Error)]
#[error("worker {worker} failed: {reason}")]
pub struct WorkerError {
    /// Which.
    pub worker: usize,
    /// Why.
    pub reason: String,
}

/// A worker in its place.
struct Seat {
    /// Of all that were started.
    id: usize,
    core: Option<CoreId>,
    counters: Arc<WorkerCounters>,
    open: Arc<OpenSockets>,
    watch: Watch,
    /// It has not said that it ended.
    runs: bool,
}

/// The workers of the process.
pub(crate) struct Supervisor {
    blueprint: Blueprint,
    seats: Vec<Seat>,
    started: usize,
    ended: mpsc::Receiver<WorkerEnd>,
    end: mpsc::Sender<WorkerEnd>,
    /// To the acceptor.
    replacements: mpsc::Sender<(usize, WorkerHandle)>,
    replaced: usize,
    roster: Arc<Roster>,
    looks: Interval,
}

/// What the acceptor gets: the workers, and those that take their places.
pub(crate) struct Handles {
    pub(crate) workers: Vec<WorkerHandle>,
    pub(crate) replacements: mpsc::Receiver<(usize, WorkerHandle)>,
}

impl Supervisor {
    /// Starts a worker for each of `cores`.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub(crate) fn start(
        cores: &[Option<CoreId>],
        blueprint: Blueprint,
    ) -> io::Result<(Self, Handles)> {
        // Room for the end of everyone who is ever started.
        let (end, ended) = mpsc::channel(cores.len() + REPLACEMENTS_MAX);
        let (sender, replacements) = mpsc::channel(REPLACEMENTS_MAX);
        let mut looks = interval(LOOK_PERIOD);
        // After a pause of the whole process workers have the time of some looks to beat.
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut supervisor = Self {
            blueprint,
            seats: Vec::new(),
            started: 0,
            ended,
            end,
            replacements: sender,
            replaced: 0,
            roster: Arc::default(),
            looks,
        };
        let mut workers = Vec::new();
        for (seat, core) in cores.iter().enumerate() {
            let (taken, handle) = supervisor.seat(seat, *core)?;
            supervisor.seats.push(taken);
            workers.push(handle);
        }
        let seats = &supervisor.seats;
        let serving = seats
            .iter()
            .map(|seat| Arc::clone(&seat.counters))
            .collect();
        supervisor
            .roster
            .with(|counters| counters.serving = serving);
        let handles = Handles {
            workers,
            replacements,
        };
        Ok((supervisor, handles))
    }

    pub(crate) fn roster(&self) -> &Arc<Roster> {
        &self.roster
    }

    fn seat(&mut self, seat: usize, core: Option<CoreId>) -> io::Result<(Seat, WorkerHandle)> {
        let id = self.started;
        let handle = worker::spawn(id, seat, core, self.blueprint.clone(), self.end.clone())?;
        self.started += 1;
        let taken = Seat {
            id,
            core,
            counters: Arc::clone(&handle.counters),
            open: Arc::clone(&handle.open),
            watch: Watch::default(),
            runs: true,
        };
        Ok((taken, handle))
    }

    /// Replaces workers that fail, until one cannot be.
    pub(crate) async fn watch(&mut self) -> WorkerError {
        loop {
            let failed = tokio::select! {
                Some(ended) = self.ended.recv() => self.note_end(ended),
                _ = self.looks.tick() => self.look(),
            };
            if let Some((seat, failure, reason)) = failed
                && let Err(error) = self.replace(seat, failure, reason)
            {
                return error;
            }
        }
    }

    /// Waits until every worker has ended that does not hang. The result is the first that
    /// ended with an error.
    pub(crate) async fn all_ended(&mut self, failure: &mut Option<WorkerError>) {
        while self.seats.iter().any(|seat| seat.runs) {
            let Some(ended) = self.ended.recv().await else {
                return;
            };
            if let Err(reason) = &ended.result {
                failure.get_or_insert(WorkerError {
                    worker: ended.seat,
                    reason: reason.clone(),
                });
            }
            self.note_end(ended);
        }
    }

    /// Notes an end, and says which seat is empty by it.
    fn note_end(&mut self, ended: WorkerEnd) -> Option<(usize, Failure, String)> {
        let WorkerEnd { id, seat, result } = ended;
        let taken = &mut self.seats[seat];
        if taken.id != id {
            self.roster.hanging.fetch_sub(1, Relaxed);
            tracing::warn!(worker = seat, "a worker that hung has gone on, and ended");
            return None;
        }
        taken.runs = false;
        let reason = result.err().unwrap_or_else(|| "it ended early".to_owned());
        Some((seat, Failure::Ended, reason))
    }

    /// Looks whether all beat; the first that does not is a failure. The next is found at the
    /// next look.
    fn look(&mut self) -> Option<(usize, Failure, String)> {
        let hangs = |seat: &mut Seat| seat.runs && seat.watch.hangs(&seat.counters.heartbeat);
        // All are looked at.
        let hanging: Vec<bool> = self.seats.iter_mut().map(hangs).collect();
        let seat = hanging.iter().position(|hangs| *hangs)?;
        Some((seat, Failure::Hung, "it hangs".to_owned()))
    }

    fn replace(
        &mut self,
        seat: usize,
        failure: Failure,
        reason: String,
    ) -> Result<(), WorkerError> {
        let sockets = self.seats[seat].open.shut();
        tracing::error!(
            worker = seat,
            reason,
            connections = sockets,
            "a worker failed: its connections are closed"
        );
        if failure == Failure::Hung {
            tracing::warn!(
                worker = seat,
                "its thread is left, and holds what it holds until it goes on"
            );
            self.roster.hanging.fetch_add(1, Relaxed);
        }
        let failed = |reason| WorkerError {
            worker: seat,
            reason,
        };
        if self.replaced == REPLACEMENTS_MAX {
            self.seats[seat].runs = false;
            return Err(failed(format!(
                "{reason}, and {REPLACEMENTS_MAX} were replaced before"
            )));
        }
        let core = self.seats[seat].core;
        let (taken, handle) = self.seat(seat, core).map_err(|error| {
            self.seats[seat].runs = false;
            failed(format!("{reason}, and no thread could be started: {error}"))
        })?;
        self.roster.with(|counters| {
            let left = std::mem::replace(&mut counters.serving[seat], Arc::clone(&taken.counters));
            counters.replaced.push(left);
        });
        self.seats[seat] = taken;
        self.replaced += 1;
        self.roster.replaced[failure as usize].fetch_add(1, Relaxed);
        // It has room for all. Without an acceptor none are needed.
        let _ = self.replacements.try_send((seat, handle));
        tracing::info!(
            worker = seat,
            replacements = self.replaced,
            "another worker has its place"
        );
        Ok(())
    }
}
