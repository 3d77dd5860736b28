//! Drives the load: connections and streams on threads of their own, steered
//! through phases from outside.
//!
//! ```text
//! Connected -> Warmup -> Measure -> Finish -> done      parts in flight end by themselves
//!                            \--> Abort -> done         parts in flight are dropped
//! ```
//!
//! A stream is a task that opens an RPC for its next part (or its next
//! `parts_per_stream` parts), lets the transport pull the part's messages, and
//! compares the answer with the digest it already knows. Only answers that
//! arrive in the phase Measure enter the latencies.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use rand::SeedableRng as _;
use rand::rngs::SmallRng;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::args::{LoadArgs, Rpc};
use crate::payload::{Part, Payload};

pub(crate) mod answer;
mod body;
pub(crate) mod connection;
mod tally;

use answer::{Answer, Fault};
use body::RequestBody;
use connection::Connection;
pub use tally::Tally;

/// Pause of a stream after an error, so that a server that refuses everything
/// is not flooded.
const ERROR_PAUSE: Duration = Duration::from_millis(20);

/// What to drive.
#[derive(Debug)]
pub struct Plan {
    /// The server's gRPC address.
    pub server: String,
    /// The load; sizes are in `payload` already.
    pub load: LoadArgs,
    /// The parts.
    pub payload: Arc<Payload>,
    /// How many parts to send over all streams; no bound when not set.
    pub count: Option<u64>,
    /// Whether answers are compared with the known digests. A server that does
    /// not hash cannot be held to them.
    pub check: bool,
}

/// Where a load stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Connections stand, nothing is sent yet.
    Connected,
    /// Parts are sent; their latencies are not recorded.
    Warmup,
    /// Latencies are recorded.
    Measure,
    /// No new part is sent.
    Finish,
    /// Parts in flight are dropped.
    Abort,
}

/// A load on its threads.
#[derive(Debug)]
pub struct Driver {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<Tally>>,
    done: mpsc::Receiver<Infallible>,
}

/// What the threads and their driver share.
#[derive(Debug)]
struct Shared {
    plan: Plan,
    phase: watch::Sender<Phase>,
    /// Bytes of data that went to the sockets, one counter per thread.
    sent_bytes: Vec<AtomicU64>,
    /// Streams that have sent something.
    sending: AtomicUsize,
    /// Parts that may still be sent.
    tickets: AtomicU64,
    /// Errors over all threads.
    errors: AtomicU64,
}

impl Driver {
    /// Connects, and waits in the phase Connected.
    ///
    /// # Errors
    /// If a connection cannot be made.
    pub fn start(plan: Plan) -> Result<Self> {
        let threads_count = plan.load.threads.min(connections(&plan.load));
        let shared = Arc::new(Shared {
            phase: watch::Sender::new(Phase::Connected),
            sent_bytes: (0..threads_count).map(|_| AtomicU64::new(0)).collect(),
            sending: AtomicUsize::new(0),
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
                    let tally = thread_main(&shared, thread, ready);
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

    /// Moves on to `phase`; never back.
    pub fn enter(&self, phase: Phase) {
        self.shared.enter(phase);
    }

    /// Bytes of data that went to the sockets so far.
    pub fn sent_bytes(&self) -> u64 {
        self.shared
            .sent_bytes
            .iter()
            .map(|bytes| bytes.load(Ordering::Relaxed))
            .sum()
    }

    /// Streams of which at least one message went to the socket.
    pub fn sending(&self) -> usize {
        self.shared.sending.load(Ordering::Relaxed)
    }

    /// Waits until every stream has ended.
    pub async fn done(&mut self) {
        let never = self.done.recv().await;
        debug_assert!(never.is_none(), "nothing can be sent on this channel");
    }

    /// Ends what is still in flight and gives the tally over all threads.
    ///
    /// # Errors
    /// If a thread of the load panicked.
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

    /// Takes the right to send one more part.
    fn take_ticket(&self) -> bool {
        self.phase() < Phase::Finish
            && self
                .tickets
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                    left.checked_sub(1)
                })
                .is_ok()
    }
}

/// Connections that carry at least one stream.
fn connections(load: &LoadArgs) -> usize {
    load.connections.min(load.streams)
}

/// One thread: its share of the connections and their streams.
fn thread_main(
    shared: &Arc<Shared>,
    thread: usize,
    ready: std::sync::mpsc::Sender<Result<()>>,
) -> Tally {
    let tally = Arc::new(Mutex::new(Tally::new()));
    let runtime = match thread_runtime(shared) {
        Ok(runtime) => runtime,
        Err(error) => {
            // The driver is gone if nobody listens.
            let _ = ready.send(Err(error));
            return Tally::new();
        }
    };
    runtime.block_on(async {
        let mut streams = match connect_streams(shared, thread, &tally).await {
            Ok(streams) => streams,
            Err(error) => {
                let _ = ready.send(Err(error));
                return;
            }
        };
        let _ = ready.send(Ok(()));
        drop(ready);

        let mut phase = shared.phase.subscribe();
        // The sender lives in `shared`, so waiting cannot fail.
        let _ = phase.wait_for(|phase| *phase > Phase::Connected).await;
        let mut tasks = JoinSet::new();
        for mut stream in streams.drain(..) {
            tasks.spawn(async move { stream.drive().await });
        }
        tokio::select! {
            () = async { while tasks.join_next().await.is_some() {} } => {}
            _ = phase.wait_for(|phase| *phase == Phase::Abort) => {}
        }
        tasks.shutdown().await;
    });
    drop(runtime);
    std::mem::replace(&mut *lock(&tally), Tally::new())
}

fn thread_runtime(shared: &Shared) -> Result<tokio::runtime::Runtime> {
    if let Some(cpus) = &shared.plan.load.pin_client {
        cpus.pin_thread()?;
    }
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")
}

/// Connects this thread's connections and deals its streams out to them.
async fn connect_streams(
    shared: &Arc<Shared>,
    thread: usize,
    tally: &Arc<Mutex<Tally>>,
) -> Result<Vec<Stream>> {
    let load = &shared.plan.load;
    let (connections, threads) = (connections(load), shared.sent_bytes.len());
    let mut streams = Vec::new();
    for first in (thread..connections).step_by(threads) {
        let connection = Connection::open(&shared.plan.server, load.tcp_congestion.as_deref());
        let connection = Arc::new(connection.await?);
        for index in (first..load.streams).step_by(connections) {
            streams.push(Stream {
                connection: Arc::clone(&connection),
                shared: Arc::clone(shared),
                tally: Arc::clone(tally),
                sent: Sent {
                    shared: Arc::clone(shared),
                    thread,
                    stream: Arc::default(),
                },
                index,
                rng: SmallRng::seed_from_u64(load.seed.wrapping_add(index as u64 + 1)),
                part_open: false,
                opening: false,
            });
        }
    }
    Ok(streams)
}

/// One stream: parts one after the other.
struct Stream {
    connection: Arc<Connection<RequestBody>>,
    shared: Arc<Shared>,
    tally: Arc<Mutex<Tally>>,
    sent: Sent,
    index: usize,
    rng: SmallRng,
    /// A part has been started and not been answered.
    part_open: bool,
    /// That part is an opener; its latency says nothing about the others.
    opening: bool,
}

impl Stream {
    async fn drive(&mut self) {
        let mut opener = self.shared.plan.payload.opener(self.index).cloned();
        while self.shared.take_ticket() {
            self.opening = opener.is_some();
            let part = opener.take().unwrap_or_else(|| self.pick());
            let outcome = match self.shared.plan.load.rpc {
                Rpc::Digest => self.call::<hashlane_proto::v1::DigestResponse>(part).await,
                Rpc::Verify => self.call::<hashlane_proto::v1::VerifyResponse>(part).await,
            };
            if let Err(text) = outcome {
                self.fail(text);
                tokio::time::sleep(ERROR_PAUSE).await;
            }
        }
    }

    fn pick(&mut self) -> Arc<Part> {
        Arc::clone(self.shared.plan.payload.pick(&mut self.rng))
    }

    /// One RPC: `part`, and further ones if parts share an RPC.
    async fn call<A: Answer>(&mut self, mut part: Arc<Part>) -> Result<(), String> {
        let limit = self.shared.plan.load.part_timeout;
        let mut left = self.shared.plan.load.parts_per_stream - 1;
        let (feed, more) = if left > 0 {
            let (feed, more) = mpsc::channel(1);
            (Some(feed), Some(more))
        } else {
            (None, None)
        };

        let mut started = self.begin();
        let body = RequestBody::new(Arc::clone(&part), more, self.sent.clone());
        let mut answers = within(limit, self.connection.call::<A>(body)).await?;
        loop {
            let answer = within(limit, answers.message()).await?;
            let answer = answer.ok_or("the server ended the call without an answer")?;
            self.settle(&answer, &part, started.elapsed());
            let Some(feed) = &feed else { break };
            if left == 0 || !self.shared.take_ticket() {
                break;
            }
            left -= 1;
            part = self.pick();
            started = self.begin();
            feed.send(Arc::clone(&part))
                .await
                .map_err(|_| "the server stopped reading")?;
        }
        drop(feed);
        match within(limit, answers.message()).await? {
            None => Ok(()),
            Some(_) => Err("the server sent more answers than there were parts".into()),
        }
    }

    fn begin(&mut self) -> Instant {
        self.part_open = true;
        lock(&self.tally).in_flight += 1;
        Instant::now()
    }

    fn settle<A: Answer>(&mut self, answer: &A, part: &Part, latency: Duration) {
        let plan = &self.shared.plan;
        let outcome = if plan.check {
            answer.check(part)
        } else {
            answer.refusal()
        };
        if let Err(Fault::Refused(text)) = outcome {
            return self.fail(text);
        }
        self.part_open = false;
        let measured = self.shared.phase() == Phase::Measure;
        let opening = std::mem::take(&mut self.opening);
        let mut tally = lock(&self.tally);
        tally.in_flight -= 1;
        tally.answered += 1;
        tally.answered_bytes += part.size_bytes;
        tally.measured += u64::from(measured);
        if measured && !opening {
            tally
                .latencies_ns
                .saturating_record(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
        }
        if let Err(Fault::Mismatch(text)) = outcome {
            tally.mismatches += 1;
            tally.note(text, 1);
        }
    }

    fn fail(&mut self, text: String) {
        let mut tally = lock(&self.tally);
        tally.errors += 1;
        if std::mem::take(&mut self.part_open) {
            tally.in_flight -= 1;
        }
        tally.note(text, 1);
        drop(tally);
        if self.shared.errors.fetch_add(1, Ordering::Relaxed) + 1
            >= self.shared.plan.load.errors_max
        {
            self.shared.enter(Phase::Abort);
        }
    }
}

/// What a stream counts when a message of its has gone to the socket.
#[derive(Clone, Debug)]
struct Sent {
    shared: Arc<Shared>,
    thread: usize,
    /// Whether it is counted among those that are sending.
    stream: Arc<AtomicBool>,
}

impl Sent {
    fn message(&self, bytes: u64) {
        self.shared.sent_bytes[self.thread].fetch_add(bytes, Ordering::Relaxed);
        // Looked at before it is written: the line stays with whoever reads it.
        if !self.stream.load(Ordering::Relaxed) && !self.stream.swap(true, Ordering::Relaxed) {
            self.shared.sending.fetch_add(1, Ordering::Relaxed);
        }
    }
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, tonic::Status>>,
) -> Result<T, String> {
    match tokio::time::timeout(limit, work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(status)) => Err(format!("{:?}: {}", status.code(), status.message())),
        Err(_) => Err(format!(
            "no answer within {}",
            humantime::format_duration(limit)
        )),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Counters stay valid whatever panicked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
