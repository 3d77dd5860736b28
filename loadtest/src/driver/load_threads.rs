//! The threads of a load, and their phases.
//!
//! ```text
//! Connected -> Warmup -> Measure -> Finish -> done      parts in flight finish
//!                            \--> Abort -> done         parts in flight are dropped
//! ```
//!
//! Both clients compare every answer with the known digest. Only answers that arrive in the phase
//! Measure enter the latencies.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use tokio::sync::{mpsc, watch};

use super::state::Shared;
use super::state::{Phase, Plan};
use super::tally::Tally;
use super::{hyper_client, prepared_client};
use crate::args::ClientName;
use crate::system::cpus::Cpus;
use crate::system::helper_thread::lock;
use crate::system::sockets;

/// A running load.
#[derive(Debug)]
pub(crate) struct Driver {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    done: mpsc::Receiver<Infallible>,
}

impl Driver {
    /// Connects, and waits in the phase Connected.
    ///
    /// # Errors
    /// A connection cannot be opened.
    pub(crate) fn start(plan: Plan) -> Result<Self> {
        let threads_count = plan.load.threads.min(plan.load.used_connections());
        let shared = Arc::new(Shared {
            phase: watch::Sender::new(Phase::Connected),
            begin: OnceLock::new(),
            tallies: (0..threads_count).map(|_| Mutex::default()).collect(),
            sent_bytes: (0..threads_count).map(|_| AtomicU64::new(0)).collect(),
            memory_bytes: (0..threads_count).map(|_| AtomicU64::new(0)).collect(),
            sending: AtomicUsize::new(0),
            measured: AtomicU64::new(0),
            tickets: AtomicU64::new(plan.count.unwrap_or(u64::MAX)),
            errors: AtomicU64::new(0),
            plan,
        });
        let (done_tx, done) = mpsc::channel(1);
        let (ready_tx, ready) = std::sync::mpsc::channel();
        let mut threads = Vec::with_capacity(threads_count);
        for thread in 0..threads_count {
            let (shared, done, ready) = (Arc::clone(&shared), done_tx.clone(), ready_tx.clone());
            let handle = std::thread::Builder::new()
                .name(format!("load-{thread}"))
                .spawn(move || {
                    thread_main(&shared, thread, ready);
                    drop(done);
                    // The system forgets the CPU time of a thread that has ended, and the window
                    // is not yet over.
                    while shared.phase() < Phase::Finish {
                        std::thread::park_timeout(sockets::SLEEP);
                    }
                })
                .context("cannot start a thread")?;
            threads.push(handle);
        }
        drop(ready_tx);
        let driver = Self {
            shared,
            threads,
            done,
        };
        for _ in 0..threads_count {
            // On an error the driver is dropped, which ends the other threads.
            ready.recv().context("a load thread ended early")??;
        }
        Ok(driver)
    }

    /// Advances to `phase`; never goes back.
    pub(crate) fn enter(&self, phase: Phase) {
        self.shared.enter(phase);
    }

    /// Bytes of data sent so far: written to sockets, or read by the server from shared memory.
    pub(crate) fn sent_bytes(&self) -> u64 {
        sum(&self.shared.sent_bytes)
    }

    /// Those of them in shared memory.
    pub(crate) fn memory_bytes(&self) -> u64 {
        sum(&self.shared.memory_bytes)
    }

    /// Streams that have written at least one message.
    pub(crate) fn sending(&self) -> usize {
        self.shared.sending.load(Ordering::Relaxed)
    }

    /// Parts answered in the phase Measure so far.
    pub(crate) fn measured(&self) -> u64 {
        self.shared.measured.load(Ordering::Relaxed)
    }

    /// Waits for `duration`, or until every stream has ended: then it is true.
    pub(crate) async fn wait(&mut self, duration: Duration) -> bool {
        tokio::select! {
            biased;
            // Nothing can be sent on this channel.
            _ = self.done.recv() => true,
            () = tokio::time::sleep(duration) => false,
        }
    }

    /// Takes the results since they were taken last. The prepared client has them at its end.
    pub(crate) fn take_tally(&self) -> Tally {
        let mut all = Tally::default();
        for tally in &self.shared.tallies {
            // Made before the lock, because a thread waits for it.
            let fresh = Tally::default();
            let taken = std::mem::replace(&mut *lock(tally), fresh);
            all.absorb(taken);
        }
        all
    }

    /// When the phase after Connected began, and with it the schedule of an open loop.
    pub(crate) fn begin(&self) -> Option<std::time::Instant> {
        self.shared.begin.get().copied()
    }

    /// Ends the load and returns the results that were not yet taken.
    ///
    /// # Errors
    /// A thread of the load panicked.
    pub(crate) fn join(mut self) -> Result<Tally> {
        self.enter(Phase::Abort);
        for thread in self.threads.drain(..) {
            let ended = thread.join();
            ended.map_err(|_| anyhow!("a load thread panicked"))?;
        }
        Ok(self.take_tally())
    }
}

fn sum(threads: &[AtomicU64]) -> u64 {
    threads
        .iter()
        .map(|bytes| bytes.load(Ordering::Relaxed))
        .sum()
}

/// One thread with its share of the connections and their streams.
fn thread_main(shared: &Arc<Shared>, thread: usize, ready: std::sync::mpsc::Sender<Result<()>>) {
    let pin = shared.plan.load.pin_client.as_ref();
    let client = pin.map_or(Ok(()), Cpus::pin_thread);
    let client = client.and_then(|()| -> Result<Box<dyn FnOnce()>> {
        Ok(match shared.plan.client {
            ClientName::Hyper => Box::new(hyper_client::connect(shared, thread)?),
            ClientName::Prepared => Box::new(prepared_client::connect(shared, thread)?),
        })
    });
    // The receiver may be gone with the driver.
    match client {
        Ok(drive) => {
            let _ = ready.send(Ok(()));
            drop(ready);
            drive();
        }
        Err(error) => {
            let _ = ready.send(Err(error));
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.enter(Phase::Abort);
    }
}
