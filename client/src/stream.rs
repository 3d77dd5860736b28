//! Many parts on one stream.
//!
//! ```text
//! Part::write ──bytes──> budget ──frame──> queue ──Outgoing──> tonic ──> server
//!                          ^                  │                            │
//!                          └──── returned when the transport takes it      │
//! Answer <──oneshot── state.waiting <── drive (one task a stream) <────────┘
//! ```
//!
//! The queue itself is unbounded; what is in it is not: every byte holds a
//! permit of the budget, and every part holds one of a fixed number of slots.
//! So ending a part never waits, which is what lets a dropped handle end it.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_stream::Stream;
use tonic::CancellationHandle;

use crate::algorithm::Algorithm;
use crate::builder::{Lease, Settings};
use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};
use crate::rpc::{Asked, Digesting, Frame, PartOptions, Rpc, Verifying};

/// One stream of the service on which many parts are in progress at once.
///
/// Dropping it before [`finish`](Self::finish) cancels the call: the server
/// drops all parts that it has not answered.
pub struct PartStream<R: Rpc> {
    shared: Arc<Shared<R>>,
    slots: Arc<Semaphore>,
    driver: JoinHandle<Result<()>>,
    cancellation: Option<CancellationHandle>,
}

/// A stream of parts to be digested.
pub type DigestStream = PartStream<Digesting>;
/// A stream of parts to be verified.
pub type VerifyStream = PartStream<Verifying>;

/// A part in progress. Parts of one stream may be written in any order and
/// from different tasks.
///
/// Dropping it abandons the part: the server is told that it ends, and its
/// answer is thrown away.
pub struct Part<R: Rpc> {
    shared: Arc<Shared<R>>,
    number: u64,
    /// Told in the part's first message, and taken then.
    open: Option<PartOptions>,
    /// Whether the server has heard of the part.
    started: bool,
    /// Taken by whoever ends the part.
    answer: Option<Pending<R>>,
}

/// The answer of a part that has ended: a future.
pub struct Answer<R: Rpc> {
    shared: Arc<Shared<R>>,
    pending: Pending<R>,
}

/// An answer on its way, or the error that came before the part had ended.
enum Pending<R: Rpc> {
    Receiver(oneshot::Receiver<Result<R::Answer>>),
    Failed(Error),
}

/// The request messages as the transport takes them.
pub struct Outgoing<R: Rpc> {
    shared: Arc<Shared<R>>,
    queue: mpsc::UnboundedReceiver<Queued>,
}

enum Queued {
    /// A message, with the permits of its bytes.
    Frame(Frame, Option<OwnedSemaphorePermit>),
    HalfClose,
}

struct Shared<R: Rpc> {
    queue: mpsc::UnboundedSender<Queued>,
    /// Bytes that may still be queued.
    budget: Arc<Semaphore>,
    settings: Settings,
    /// Goes up with every frame taken and every answer.
    progress: AtomicU64,
    state: Mutex<State<R>>,
}

struct State<R: Rpc> {
    /// The next part's number: numbers are never used twice.
    next: u64,
    waiting: HashMap<u64, Waiting<R>>,
    /// Parts whose handle has not ended them yet.
    in_progress: usize,
    /// Why the stream is over, once it is.
    over: Option<Error>,
}

struct Waiting<R: Rpc> {
    sender: oneshot::Sender<Result<R::Answer>>,
    asked: Asked,
    ended: bool,
    _slot: OwnedSemaphorePermit,
}

impl<R: Rpc> PartStream<R> {
    pub(crate) fn open(lease: Lease, settings: Settings) -> Self {
        let (sender, queue) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            queue: sender,
            budget: Arc::new(Semaphore::new(settings.buffer_bytes)),
            settings,
            progress: AtomicU64::new(0),
            state: Mutex::new(State {
                next: 0,
                waiting: HashMap::new(),
                in_progress: 0,
                over: None,
            }),
        });
        let mut request = tonic::Request::new(Outgoing {
            shared: Arc::clone(&shared),
            queue,
        });
        let cancellation = request.cancellation_handle();
        let driver = tokio::spawn(drive(Arc::clone(&shared), lease, request));
        Self {
            slots: Arc::new(Semaphore::new(settings.parts_max)),
            shared,
            driver,
            cancellation: Some(cancellation),
        }
    }

    /// Begins a part. Waits while as many parts as the builder's `parts_max`
    /// are unanswered.
    ///
    /// # Errors
    /// With [`Error::Argument`] if an algorithm is named twice, or with the stream's.
    pub async fn part(&self, options: impl Into<PartOptions>) -> Result<Part<R>> {
        let options: PartOptions = options.into();
        options.check()?;
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        let Ok(slot) = slot else {
            return Err(self.shared.over());
        };
        let (sender, receiver) = oneshot::channel();
        let mut state = self.shared.state();
        if let Some(error) = &state.over {
            return Err(error.clone());
        }
        let number = state.next;
        state.next += 1;
        state.in_progress += 1;
        state.waiting.insert(
            number,
            Waiting {
                sender,
                asked: Asked {
                    algorithms: options.wanted().to_vec(),
                    expected: Vec::new(),
                },
                ended: false,
                _slot: slot,
            },
        );
        drop(state);
        Ok(Part {
            shared: Arc::clone(&self.shared),
            number,
            open: Some(options),
            started: false,
            answer: Some(Pending::Receiver(receiver)),
        })
    }

    /// Half-closes the stream and waits for its status. The parts' answers
    /// come as ever.
    ///
    /// # Errors
    /// With [`Error::Argument`], and the call is cancelled, if a part has not
    /// ended: half-closing would end it as if it were complete.
    pub fn finish(self) -> impl Future<Output = Result<()>> + Send {
        let half_closed = {
            let state = self.shared.state();
            match state.in_progress {
                0 => {
                    // Fails if the stream is over, and then the driver says why.
                    let _ = self.shared.queue.send(Queued::HalfClose);
                    Ok(())
                }
                open => Err(Error::Argument(format!("{open} parts have not ended"))),
            }
        };
        async move {
            let mut stream = self;
            half_closed?;
            match (&mut stream.driver).await {
                Ok(outcome) => outcome,
                Err(_) => Err(stream.shared.over()),
            }
        }
    }

    /// Cancels the call. Unanswered parts fail with [`Error::Cancelled`].
    pub fn cancel(self) {}
}

impl<R: Rpc> Drop for PartStream<R> {
    fn drop(&mut self) {
        // Nothing of this matters to a stream that is over. Before that, the
        // request body fails, so that the server sees a reset and never an end
        // of stream, which would mean "complete".
        if let Some(cancellation) = self.cancellation.take() {
            cancellation.cancel();
        }
        self.driver.abort();
        self.shared.end(Error::Cancelled);
        self.slots.close();
    }
}

impl<R: Rpc> Part<R> {
    /// Sends the part's next bytes, in messages of the builder's
    /// `message_bytes`. Waits while too much of the stream is on its way.
    ///
    /// # Errors
    /// With the part's error, if the server has given one already, or with the
    /// stream's.
    pub async fn write(&mut self, data: impl Into<Bytes>) -> Result<()> {
        let mut data: Bytes = data.into();
        while !data.is_empty() {
            let message = data.split_to(data.len().min(self.shared.settings.message_bytes));
            // A message is at most MESSAGE_BYTES_MAX long.
            let permits = u32::try_from(message.len()).unwrap_or(u32::MAX);
            let budget = Arc::clone(&self.shared.budget);
            let permit = tokio::select! {
                biased;
                error = self.failed() => return Err(error),
                permit = budget.acquire_many_owned(permits) => permit,
            };
            let permit = permit.map_err(|_| self.shared.over())?;
            let frame = Frame {
                data: message,
                ..self.frame()
            };
            self.shared.send(Queued::Frame(frame, Some(permit)))?;
        }
        Ok(())
    }

    /// Waits until nothing that is written can lead to a digest any more: the
    /// server has answered the part with an error, or the stream is over. For
    /// whoever waits for a slow source meanwhile.
    ///
    /// Cancel safe.
    pub async fn failed(&mut self) -> Error {
        let error = match &mut self.answer {
            None => return self.shared.over(),
            Some(Pending::Failed(error)) => return error.clone(),
            Some(Pending::Receiver(receiver)) => match receiver.await {
                Err(_) => self.shared.over(),
                Ok(Err(error)) => error,
                Ok(Ok(_)) => Error::Protocol("a part was answered before it ended"),
            },
        };
        self.answer = Some(Pending::Failed(error.clone()));
        error
    }

    fn frame(&mut self) -> Frame {
        self.started = true;
        Frame {
            part: self.number,
            open: self.open.take(),
            ..Frame::default()
        }
    }

    fn end(&mut self, expected: &[AlgorithmDigest]) -> Option<Answer<R>> {
        let pending = self.answer.take()?;
        let frame = Frame {
            last: true,
            expected: expected.to_vec(),
            ..self.frame()
        };
        self.shared.ended(self.number, expected);
        // Fails only if the stream is over, which the answer tells.
        let _ = self.shared.send(Queued::Frame(frame, None));
        Some(Answer {
            shared: Arc::clone(&self.shared),
            pending,
        })
    }
}

impl Part<Digesting> {
    /// Ends the part. The digest comes with the future returned; the part ends
    /// whether or not anybody waits for it.
    pub fn finish(mut self) -> Answer<Digesting> {
        self.end(&[]).expect("only finish and drop end a part")
    }
}

impl Part<Verifying> {
    /// Ends the part and says what its digests should be: of algorithms that its
    /// options name, each at most once. The verdict comes with the future returned.
    pub fn finish(mut self, expected: &[AlgorithmDigest]) -> Answer<Verifying> {
        if let Err(error) = self.shared.may_expect(self.number, expected) {
            // The part itself is given up as it goes.
            return Answer {
                shared: Arc::clone(&self.shared),
                pending: Pending::Failed(error),
            };
        }
        self.end(expected).expect("only finish and drop end a part")
    }
}

impl<R: Rpc> Drop for Part<R> {
    fn drop(&mut self) {
        if self.answer.is_none() {
            return;
        }
        if self.started {
            let _ = self.end(&[]);
        } else {
            // The server has never heard of it.
            self.shared.ended(self.number, &[]);
            self.shared.state().waiting.remove(&self.number);
        }
    }
}

impl<R: Rpc> Future for Answer<R> {
    type Output = Result<R::Answer>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = match &mut self.pending {
            Pending::Receiver(receiver) => ready!(Pin::new(receiver).poll(context)),
            Pending::Failed(error) => Ok(Err(error.clone())),
        };
        Poll::Ready(answer.unwrap_or_else(|_| Err(self.shared.over())))
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

    fn over(&self) -> Error {
        self.state().over.clone().unwrap_or(Error::Cancelled)
    }

    fn send(&self, queued: Queued) -> Result<()> {
        self.queue.send(queued).map_err(|_| self.over())
    }

    /// A handle has ended its part.
    fn ended(&self, number: u64, expected: &[AlgorithmDigest]) {
        let mut state = self.state();
        state.in_progress -= 1;
        if let Some(waiting) = state.waiting.get_mut(&number) {
            waiting.ended = true;
            waiting.asked.expected = expected.to_vec();
        }
    }

    /// What the server would refuse.
    fn may_expect(&self, number: u64, expected: &[AlgorithmDigest]) -> Result<()> {
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
        if let (Ok(answer), Some(waiting)) = (&answer, state.waiting.get(&number))
            && waiting.ended
        {
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
        self.budget.available_permits() < self.settings.buffer_bytes
            || self.state().waiting.values().any(|part| part.ended)
    }
}

/// Runs the call of one stream to its end.
async fn drive<R: Rpc>(
    shared: Arc<Shared<R>>,
    lease: Lease,
    request: tonic::Request<Outgoing<R>>,
) -> Result<()> {
    let outcome = tokio::select! {
        outcome = exchange(&shared, &lease, request) => outcome,
        error = stalled(&shared) => Err(error),
    };
    let outcome = match outcome {
        Ok(()) if !shared.state().waiting.is_empty() => {
            Err(Error::Protocol("the stream ended with parts unanswered"))
        }
        outcome => outcome,
    };
    let over = Error::Protocol("the server ended the stream");
    shared.end(outcome.clone().err().unwrap_or(over));
    outcome
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
    loop {
        let response = responses.message().await;
        match response.map_err(|status| Error::of_status(&status))? {
            Some(response) => {
                let (number, answer) = R::answer(response)?;
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

impl<R: Rpc> std::fmt::Debug for PartStream<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.shared.state();
        f.debug_struct("PartStream")
            .field("unanswered", &state.waiting.len())
            .field("over", &state.over)
            .finish_non_exhaustive()
    }
}

impl<R: Rpc> std::fmt::Debug for Part<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Part")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

impl<R: Rpc> std::fmt::Debug for Answer<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer").finish_non_exhaustive()
    }
}
