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
//! connection.rs and body.rs belong to `calls`; answer.rs checks answers, tally.rs counts them.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use tokio::sync::{mpsc, watch};

use crate::args::LoadArgs;
use crate::payload::{Part, Payload};
use crate::tls::Tls;

pub(crate) mod answer;
mod body;
mod calls;
pub(crate) mod connection;
mod prepared;
mod tally;

use answer::{Answer, Fault};
pub use prepared::Peer;
pub use tally::Tally;

/// The client that carries the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// hyper: any RPC, any server.
    Calls,
    /// Frames prepared at start-up: only Digest, over TCP.
    Prepared(Peer),
}

/// The load to drive.
#[derive(Debug)]
pub struct Plan {
    /// The server's gRPC address.
    pub server: String,
    /// Trusted roots for a TLS address.
    pub tls: Option<Tls>,
    /// The load; its sizes are already in `payload`.
    pub load: LoadArgs,
    /// The parts.
    pub payload: Arc<Payload>,
    /// The client.
    pub client: Client,
    /// Number of parts to send over all streams; no limit if `None`.
    pub count: Option<u64>,
    /// Whether to compare answers with the known digests. Not possible with a server that does not
    /// hash.
    pub check: bool,
}

/// The phase of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Connections are open; nothing is sent yet.
    Connected,
    /// Parts are sent; their latencies are not recorded.
    Warmup,
    /// Latencies are recorded.
    Measure,
    /// No new part starts.
    Finish,
    /// Parts in flight are dropped.
    Abort,
}

/// A running load.
#[derive(Debug)]
pub struct Driver {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<Tally>>,
    done: mpsc::Receiver<Infallible>,
}

/// Shared by the threads and their driver.
#[derive(Debug)]
struct Shared {
    plan: Plan,
    phase: watch::Sender<Phase>,
    /// Bytes of data written to sockets, one counter per thread.
    sent_bytes: Vec<AtomicU64>,
    /// Streams that have sent data.
    sending: AtomicUsize,
    /// Parts answered in the phase Measure.
    measured: AtomicU64,
    /// Parts that may still be sent.
    tickets: AtomicU64,
    /// Errors over all threads.
    errors: AtomicU64,
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

impl Shared {
    fn enter(&self, phase: Phase) {
        self.phase.send_if_modified(|now| {
            let forward = *now < phase;
            if forward {
                *now = phase;
            }
            forward
        });
    }

    fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    /// Takes a ticket for one more part.
    fn take_ticket(&self) -> bool {
        self.phase() < Phase::Finish
            && self
                .tickets
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                    left.checked_sub(1)
                })
                .is_ok()
    }

    /// Counts bytes of data that `thread` wrote. `is_first` marks a stream's first message.
    fn sent(&self, thread: usize, bytes: u64, is_first: bool) {
        self.sent_bytes[thread].fetch_add(bytes, Ordering::Relaxed);
        if is_first {
            self.sending.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Checks `answer` and counts it.
    ///
    /// # Errors
    /// The part was refused: an error of its stream.
    ///
    /// Latencies of parts that only spread the starts of streams are not recorded.
    fn settle(
        &self,
        tally: &mut Tally,
        answer: &impl Answer,
        part: &Part,
        latency: Option<Duration>,
    ) -> Result<(), String> {
        let outcome = if self.plan.check {
            answer.check(part)
        } else {
            answer.refusal()
        };
        if let Err(Fault::Refused(text)) = outcome {
            return Err(text);
        }
        let measured = self.phase() == Phase::Measure;
        self.measured
            .fetch_add(u64::from(measured), Ordering::Relaxed);
        tally.answered(part.size_bytes, measured, latency);
        if let Err(Fault::Mismatch(text)) = outcome {
            tally.mismatches += 1;
            tally.note(text, 1);
        }
        Ok(())
    }

    /// Counts an error, and ends the load after too many.
    fn fail(&self, tally: &mut Tally, text: String) {
        tally.errors += 1;
        tally.note(text, 1);
        if self.errors.fetch_add(1, Ordering::Relaxed) + 1 >= self.plan.load.errors_max {
            self.enter(Phase::Abort);
        }
    }
}

/// Number of connections with at least one stream.
fn connections(load: &LoadArgs) -> usize {
    load.connections.min(load.streams)
}
