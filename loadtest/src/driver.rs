//! Drives the load: connections and streams on separate threads, which follow phases.
//!
//! ```text
//! Connected -> Warmup -> Measure -> Finish -> done      parts in flight finish
//!                            \--> Abort -> done         parts in flight are dropped
//! ```
//!
//! Two clients can carry it: `calls` for any load, and `prepared`, which has a low cost per byte.
//! Both compare every answer with the known digest. Only answers that arrive in the phase Measure
//! enter the latencies.
//!
//! plan.rs has the load, shared.rs the state that its threads share. connection.rs and body.rs
//! belong to `calls`; answer.rs checks answers, tally.rs counts them.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use anyhow::{Context as _, Result, anyhow};
use tokio::sync::{mpsc, watch};

pub(crate) mod answer;
mod body;
mod calls;
pub(crate) mod connection;
mod plan;
mod prepared;
mod shared;
mod tally;

use plan::connections;
pub use plan::{Client, Peer, Plan};
pub use shared::Phase;
use shared::Shared;
pub use tally::Tally;

/// A running load.
#[derive(Debug)]
pub struct Driver {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<Tally>>,
    done: mpsc::Receiver<Infallible>,
}

impl Driver {
    /// Connects, and waits in the phase Connected.
    ///
    /// # Errors
    /// A connection cannot be opened.
    pub fn start(plan: Plan) -> Result<Self> {
        let threads_count = plan.load.threads.min(connections(&plan.load));
        let shared = Arc::new(Shared {
            phase: watch::Sender::new(Phase::Connected),
            sent_bytes: (0..threads_count).map(|_| AtomicU64::new(0)).collect(),
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
                    let tally = match shared.plan.client {
                        Client::Calls => calls::thread_main(&shared, thread, ready),
                        Client::Prepared(peer) => {
                            prepared::thread_main(&shared, thread, peer, &ready)
                        }
                    };
                    drop(done);
                    tally
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
    pub fn enter(&self, phase: Phase) {
        self.shared.enter(phase);
    }

    /// Bytes of data written to sockets so far.
    pub fn sent_bytes(&self) -> u64 {
        self.shared
            .sent_bytes
            .iter()
            .map(|bytes| bytes.load(Ordering::Relaxed))
            .sum()
    }

    /// Streams that have written at least one message.
    pub fn sending(&self) -> usize {
        self.shared.sending.load(Ordering::Relaxed)
    }

    /// Parts answered in the phase Measure so far.
    pub fn measured(&self) -> u64 {
        self.shared.measured.load(Ordering::Relaxed)
    }

    /// Waits until every stream has ended.
    pub async fn done(&mut self) {
        let never = self.done.recv().await;
        debug_assert!(never.is_none(), "nothing can be sent on this channel");
    }

    /// Ends the load and returns the tally over all threads.
    ///
    /// # Errors
    /// A thread of the load panicked.
    pub fn join(mut self) -> Result<Tally> {
        self.enter(Phase::Abort);
        let mut tally = Tally::new();
        for thread in self.threads.drain(..) {
            tally.absorb(
                thread
                    .join()
                    .map_err(|_| anyhow!("a load thread panicked"))?,
            );
        }
        Ok(tally)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.enter(Phase::Abort);
    }
}
