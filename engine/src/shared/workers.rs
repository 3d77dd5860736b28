//! All workers of a [`Shared`](super::Shared) engine.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::inbox::Inbox;
use super::worker;
use crate::schedule::{Crossover, KernelsInUse};

/// Workers, which end when this is dropped.
#[derive(Debug)]
pub(super) struct Workers {
    list: Vec<Worker>,
    kernels: Arc<KernelsInUse>,
}

#[derive(Debug, Default)]
struct Worker {
    inbox: Arc<Inbox>,
    parts: AtomicUsize,
}

impl Workers {
    pub(super) fn start(count: usize, crossover: &Crossover, linger: Duration) -> io::Result<Self> {
        let mut workers = Self {
            list: Vec::new(),
            kernels: Arc::new(KernelsInUse::new(crossover.clone())),
        };
        for number in 0..count {
            let inbox = Arc::<Inbox>::default();
            let of_worker = Arc::clone(&inbox);
            let kernels = Arc::clone(&workers.kernels);
            std::thread::Builder::new()
                .name(format!("hashlane-{number}"))
                .spawn(move || worker::run(&of_worker, &kernels, linger))?;
            let parts = AtomicUsize::new(0);
            workers.list.push(Worker { inbox, parts });
        }
        Ok(workers)
    }

    /// A part opens. Returns the worker with the fewest open parts.
    pub(super) fn open(&self) -> usize {
        // The parts of a worker that has stopped fail at once, so it would always have the fewest.
        let load = |worker: &usize| {
            let Worker { inbox, parts } = &self.list[*worker];
            (inbox.has_stopped(), parts.load(Ordering::Relaxed))
        };
        let worker = (0..self.list.len()).min_by_key(load).unwrap_or_default();
        self.list[worker].parts.fetch_add(1, Ordering::Relaxed);
        worker
    }

    /// A part of `worker` closes.
    pub(super) fn close(&self, worker: usize) {
        self.list[worker].parts.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn inbox(&self, worker: usize) -> &Inbox {
        &self.list[worker].inbox
    }

    /// The kernels in use.
    pub(super) fn kernels(&self) -> &KernelsInUse {
        &self.kernels
    }
}

impl Drop for Workers {
    /// Threads are not joined: a waker that a worker wakes may drop the last handle.
    fn drop(&mut self) {
        self.list.iter().for_each(|worker| worker.inbox.close());
    }
}
