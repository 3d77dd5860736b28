//! One call of Digest or Verify, with any number of parts.
//!
//! ```text
//! Part::write ──bytes──> budget ──frame──> queue ──Outgoing──> tonic ──> server
//!                          ^                  │                            │
//!                          └──── returned when the transport takes it      │
//! Answer <──oneshot── state.waiting <── drive (one task a call) <──────────┘
//! ```
//!
//! The queue itself is unbounded; what is in it is not: every byte holds a
//! permit of the budget, and every part holds one of a fixed number of slots.
//! So ending a part never waits, which is what lets a dropped handle end it.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, SetOnce, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_stream::Stream;
use tonic::CancellationHandle;

use crate::algorithm::Algorithm;
use crate::builder::Settings;
use crate::deadline::Deadline;
use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};
use crate::part::Part;

use crate::rpc::{Asked, Frame, PartOptions, Rpc};
use crate::server::Lease;

/// A call that takes no part any more.
pub(crate) struct Refused {
    pub(crate) slot: OwnedSemaphorePermit,
    /// Why it is over. Where it is not, its server drains, and what it has goes on.
    pub(crate) over: Option<Error>,
}

/// A call in progress. Dropping it before [`finish`](Self::finish) cancels it.
pub(crate) struct Call<R: Rpc> {
    shared: Arc<Shared<R>>,
    driver: JoinHandle<Result<()>>,
    cancellation: Option<CancellationHandle>,
    /// Of the driver, while it runs.
    lease: Weak<Lease>,
    deadline: Deadline,
}

/// The request messages as the transport takes them.
pub struct Outgoing<R: Rpc> {
    shared: Arc<Shared<R>>,
    queue: mpsc::UnboundedReceiver<Queued>,
}

pub(crate) enum Queued {
    /// A message, with the permits of its bytes.
    Frame(Frame, Option<OwnedSemaphorePermit>),
    HalfClose,
}

pub(crate) struct Shared<R: Rpc> {
    queue: mpsc::UnboundedSender<Queued>,
    /// Bytes that may still be queued.
    pub(crate) budget: Arc<Semaphore>,
    pub(crate) settings: Settings,
    /// Goes up with every frame taken and every answer.
    progress: AtomicU64,
    /// Set once a server has taken the call.
    pub(crate) accepted: SetOnce<()>,
    state: Mutex<State<R>>,
}

struct State<R: Rpc> {
    /// The next part's number: numbers are never used twice.
    next: u64,
    waiting: HashMap<u64, Waiting<R>>,
    /// Parts whose handle has not ended them yet.
    in_progress: usize,
    /// No new parts: the call half-closes as soon as all that it has have ended.
    closing: bool,
    /// Why the stream is over, once it is.
    over: Option<Error>,
}

struct Waiting<R: Rpc> {
    sender: oneshot::Sender<Result<R::Answer>>,
    asked: Asked,
    ended: bool,
    _slot: OwnedSemaphorePermit,
}

impl<R: Rpc> Call<R> {
    /// What is left until the deadline is told to the server. The caller keeps the deadline.
    pub(crate) fn open(lease: Lease, settings: Settings, deadline: Deadline) -> Self {
        let lease = Arc::new(lease);
        let (sender, queue) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            queue: sender,
            budget: Arc::new(Semaphore::new(settings.buffer_bytes)),
            settings,
            progress: AtomicU64::new(0),
            accepted: SetOnce::new(),
            state: Mutex::new(State {
                next: 0,
                waiting: HashMap::new(),
                in_progress: 0,
                closing: false,
                over: None,
            }),
        });
        let mut request = tonic::Request::new(Outgoing {
            shared: Arc::clone(&shared),
            queue,
        });
        if let Some(left) = deadline.left() {
            request.set_timeout(left);
        }
        let cancellation = request.cancellation_handle();
        let held = Arc::downgrade(&lease);
        let driver = tokio::spawn(drive(Arc::clone(&shared), lease, request));
        Self {
            shared,
            driver,
            cancellation: Some(cancellation),
            lease: held,
            deadline,
        }
    }

    /// Begins a part, which holds the slot until it is answered.
    pub(crate) fn part(
        &self,
        options: &PartOptions,
        slot: OwnedSemaphorePermit,
    ) -> Result<Part<R>, Refused> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.shared.state();
        if state.closing || state.over.is_some() {
            // A call that was to end is not over because of a fault.
            let over = state.over.clone().filter(|_| !state.closing);
            return Err(Refused { slot, over });
        }
        let number = state.next;
        state.next += 1;
        state.in_progress += 1;
        let asked = Asked {
            algorithms: options.wanted().to_vec(),
            ..Asked::default()
        };
        let waiting = Waiting {
            sender,
            asked,
            ended: false,
            _slot: slot,
        };
        state.waiting.insert(number, waiting);
        drop(state);
        let shared = Arc::clone(&self.shared);
        Ok(Part::new(shared, number, options.clone(), receiver))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.shared.state().over.is_some()
    }

    /// Half-closes, unless a part has not ended: that would end it as if it were
    /// complete.
    pub(crate) fn half_close(&self) -> Result<()> {
        match self.shared.state().in_progress {
            0 => {}
            open => return Err(Error::Argument(format!("{open} parts have not ended"))),
        }
        self.shared.close();
        Ok(())
    }

    /// Waits for the status of a call that is half-closed.
    pub(crate) async fn finish(mut self) -> Result<()> {
        match (&mut self.driver).await {
            Ok(outcome) => outcome,
            Err(_) => Err(self.shared.over()),
        }
    }
}

impl<R: Rpc> Drop for Call<R> {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.upgrade()
            && let Some(late) = self.deadline.passed()
            && self.shared.waits_for_server()
        {
            lease.learned(Some(&late));
        }
        // Nothing of this matters to a call that is over. Before that, the
        // request body fails, so that the server sees a reset and never an end
        // of stream, which would mean "complete".
        if let Some(cancellation) = self.cancellation.take() {
            cancellation.cancel();
        }
        self.driver.abort();
        self.shared.end(Error::Cancelled);
    }
}

impl<R: Rpc> std::fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.shared.state();
        f.debug_struct("Call")
            .field("unanswered", &state.waiting.len())
            .field("over", &state.over)
            .finish_non_exhaustive()
    }
}

impl<R: Rpc> Stream for Outgoing<R> {
    type Item = R::Request;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match ready!(self.queue.poll_recv(context)) {
            Some(Queued::Frame(frame, _permit)) => {
                self.shared.progress.fetch_add(1, Ordering::Relaxed);
                Poll::Ready(Some(R::request(frame)))
            }
            Some(Queued::HalfClose) => Poll::Ready(None),
            // `shared` holds a sender, so the queue is never closed.
            None => Poll::Pending,
        }
    }
}

impl<R: Rpc> Shared<R> {
    fn state(&self) -> MutexGuard<'_, State<R>> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn over(&self) -> Error {
        self.state().over.clone().unwrap_or(Error::Cancelled)
    }

    pub(crate) fn send(&self, queued: Queued) -> Result<()> {
        self.queue.send(queued).map_err(|_| self.over())
    }

    /// A handle ends its part, with the message that it sends next.
    pub(crate) fn ended(&self, number: u64, expected: &[AlgorithmDigest], size_bytes: u64) {
        let mut state = self.state();
        if let Some(waiting) = state.waiting.get_mut(&number) {
            waiting.ended = true;
            waiting.asked.expected = expected.to_vec();
            waiting.asked.size_bytes = size_bytes;
        }
    }

    /// The last message of a part is in the queue, or there is none.
    pub(crate) fn finished(&self) {
        let mut state = self.state();
        state.in_progress -= 1;
        self.half_close_if_idle(&state);
    }

    fn close(&self) {
        let mut state = self.state();
        if !std::mem::replace(&mut state.closing, true) {
            self.half_close_if_idle(&state);
        }
    }

    fn half_close_if_idle(&self, state: &State<R>) {
        if state.closing && state.in_progress == 0 {
            // Fails if the call is over, and then the driver says why.
            let _ = self.queue.send(Queued::HalfClose);
        }
    }

    /// A part ends of which the server has never heard.
    pub(crate) fn forget(&self, number: u64) {
        self.state().waiting.remove(&number);
        self.finished();
    }

    /// What the server would refuse.
    pub(crate) fn may_expect(&self, number: u64, expected: &[AlgorithmDigest]) -> Result<()> {
        let refuse = |what: String| Err(Error::Argument(format!("expected: {what}")));
        if expected.is_empty() {
            return refuse("there is no digest".to_owned());
        }
        let algorithms = expected.iter().map(AlgorithmDigest::algorithm);
        if let Some(twice) = Algorithm::repeated(algorithms.clone()) {
            return refuse(format!("{twice} is named twice"));
        }
        let state = self.state();
        // A part that has been answered has its error already.
        let Some(waiting) = state.waiting.get(&number) else {
            return Ok(());
        };
        let mut strange = algorithms.filter(|name| !waiting.asked.algorithms.contains(name));
        match strange.next() {
            None => Ok(()),
            Some(name) => refuse(format!("{name} is not among the part's algorithms")),
        }
    }

    /// Hands an answer to the part it is for.
    fn answer(&self, number: u64, answer: Result<R::Answer>) -> Result<()> {
        self.progress.fetch_add(1, Ordering::Relaxed);
        let mut state = self.state();
        if state.next == 0 && number == 0 {
            // To the server a stream without any message is one empty part.
            return Ok(());
        }
        if number >= state.next {
            return Err(Error::Protocol("an answer for a part that was not opened"));
        }
        if let (Ok(answer), Some(waiting)) = (&answer, state.waiting.get(&number)) {
            if !waiting.ended {
                return Err(Error::Protocol("a part was answered before it ended"));
            }
            R::check(answer, &waiting.asked)?;
        }
        // A part that failed early is out of the map already, and so is an
        // abandoned one: messages of it that were on their way may be answered
        // once more.
        if let Some(waiting) = state.waiting.remove(&number) {
            drop(state);
            // Nobody may be listening any more.
            let _ = waiting.sender.send(answer);
        }
        Ok(())
    }

    /// Ends the stream for everybody who still waits for it. The first reason
    /// counts.
    fn end(&self, error: Error) {
        let mut state = self.state();
        if state.over.is_none() {
            state.over = Some(error);
        }
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        self.budget.close();
        // Dropping a sender makes its receiver ask `over`.
        drop(waiting);
    }

    /// Whether the server owes something.
    fn is_owed(&self) -> bool {
        let state = self.state();
        self.budget.available_permits() < self.settings.buffer_bytes
            || state.waiting.values().any(|part| part.ended)
            // The status of the call.
            || state.closing && state.in_progress == 0
    }

    /// Whether the server has not taken the call, or has all of it, so that no source is waited for.
    fn waits_for_server(&self) -> bool {
        self.accepted.get().is_none() || self.state().in_progress == 0
    }
}

/// Runs the call of one stream to its end.
async fn drive<R: Rpc>(
    shared: Arc<Shared<R>>,
    lease: Arc<Lease>,
    request: tonic::Request<Outgoing<R>>,
) -> Result<()> {
    let outcome = tokio::select! {
        outcome = exchange(&shared, &lease, request) => outcome,
        error = stalled(&shared) => Err(error),
    };
    let (is_idle, is_answered) = {
        let state = shared.state();
        (state.in_progress == 0, state.waiting.is_empty())
    };
    let outcome = match outcome {
        Ok(()) if !is_answered => Err(Error::Protocol("the stream ended with parts unanswered")),
        outcome => outcome,
    };
    // Before anybody tries again elsewhere.
    lease.learned(outcome.as_ref().err());
    let over = Error::Protocol("the server ended the stream");
    shared.end(outcome.clone().err().unwrap_or(over));
    match outcome {
        // It costs nobody anything that a server went which owed nothing.
        Err(error) if error.is_retryable() && is_idle && is_answered => Ok(()),
        outcome => outcome,
    }
}

async fn exchange<R: Rpc>(
    shared: &Shared<R>,
    lease: &Lease,
    request: tonic::Request<Outgoing<R>>,
) -> Result<()> {
    let responses = R::call(lease.service(), request).await;
    let mut responses = responses
        .map_err(|status| Error::of_status(&status))?
        .into_inner();
    let _ = shared.accepted.set(());
    loop {
        let response = responses.message().await;
        match response.map_err(|status| Error::of_status(&status))? {
            Some(response) => {
                let (number, answer) = R::answer(response)?;
                if let Err(error) = &answer
                    && error.is_of_server()
                {
                    lease.learned(Some(error));
                    shared.close();
                }
                shared.answer(number, answer)?;
            }
            None => return Ok(()),
        }
    }
}

/// Returns once the server has owed something for the stall timeout and
/// neither taken a byte nor answered meanwhile.
async fn stalled<R: Rpc>(shared: &Shared<R>) -> Error {
    let timeout = shared.settings.stall_timeout;
    // Four looks a timeout: it is kept to within a quarter.
    let mut tick = tokio::time::interval((timeout / 4).max(Duration::from_millis(1)));
    let mut seen = shared.progress.load(Ordering::Relaxed);
    let mut since = tokio::time::Instant::now();
    loop {
        let now = tick.tick().await;
        let progress = shared.progress.load(Ordering::Relaxed);
        if progress != seen || !shared.is_owed() {
            seen = progress;
            since = now;
        } else if now - since >= timeout {
            return Error::Stalled(timeout);
        }
    }
}
