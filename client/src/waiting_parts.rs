//! The parts of a call that wait for their answers, and whether the call is over.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, oneshot};

use crate::algorithm::Algorithm;
use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};
use crate::wire_messages::{Asked, PartOptions, Rpc};

/// The result when a call takes no new parts.
pub(crate) struct Refused {
    pub(crate) slot: OwnedSemaphorePermit,
    /// The call's error, if it is over. Otherwise its server drains, and its open parts go on.
    pub(crate) over: Option<Error>,
}

pub(crate) struct Ledger<R: Rpc> {
    /// Increases with every message taken and every answer.
    progress: AtomicU64,
    /// Notified when no part waits for an answer any more.
    emptied: Notify,
    state: Mutex<State<R>>,
}

struct State<R: Rpc> {
    /// The next part's number. Numbers are never reused.
    next: u64,
    waiting: HashMap<u64, Waiting<R>>,
    /// Parts that their handle has not ended yet.
    in_progress: usize,
    /// No new parts: the call half-closes as soon as its parts have ended.
    closing: bool,
    /// The stream's error, once it is over.
    over: Option<Error>,
}

struct Waiting<R: Rpc> {
    sender: oneshot::Sender<Result<R::Answer>>,
    asked: Asked,
    ended: bool,
    _slot: OwnedSemaphorePermit,
}

impl<R: Rpc> Default for Ledger<R> {
    fn default() -> Self {
        Self {
            progress: AtomicU64::new(0),
            emptied: Notify::new(),
            state: Mutex::new(State {
                next: 0,
                waiting: HashMap::new(),
                in_progress: 0,
                closing: false,
                over: None,
            }),
        }
    }
}

impl<R: Rpc> State<R> {
    /// Whether the call is to half-close: no message follows.
    fn is_complete(&self) -> bool {
        self.closing && self.in_progress == 0
    }
}

impl<R: Rpc> Ledger<R> {
    /// Begins a part, which holds the slot until `sender` gets its answer. Returns its number.
    pub(crate) fn begin(
        &self,
        options: &PartOptions,
        slot: OwnedSemaphorePermit,
        sender: oneshot::Sender<Result<R::Answer>>,
    ) -> Result<u64, Refused> {
        let mut state = self.state();
        if state.closing || state.over.is_some() {
            // A closing call has no error.
            let over = state.over.clone().filter(|_| !state.closing);
            return Err(Refused { slot, over });
        }
        let number = state.next;
        state.next += 1;
        state.in_progress += 1;
        let asked = Asked {
            algorithms: options.algorithms.clone(),
            ..Asked::default()
        };
        let waiting = Waiting {
            sender,
            asked,
            ended: false,
            _slot: slot,
        };
        state.waiting.insert(number, waiting);
        Ok(number)
    }

    fn state(&self) -> MutexGuard<'_, State<R>> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stream's error, once it is over.
    pub(crate) fn reason(&self) -> Option<Error> {
        self.state().over.clone()
    }

    /// The stream's error; [`Error::Cancelled`] if it has none yet.
    pub(crate) fn over(&self) -> Error {
        self.reason().unwrap_or(Error::Cancelled)
    }

    /// A handle ends its part with the next message that it sends.
    pub(crate) fn ended(&self, number: u64, expected: &[AlgorithmDigest], size_bytes: u64) {
        let mut state = self.state();
        if let Some(waiting) = state.waiting.get_mut(&number) {
            waiting.ended = true;
            waiting.asked.expected = expected.to_vec();
            waiting.asked.size_bytes = size_bytes;
        }
    }

    /// The last message of a part is queued, or there is none. Returns whether the call is to
    /// half-close.
    #[must_use]
    pub(crate) fn finished(&self) -> bool {
        let mut state = self.state();
        state.in_progress -= 1;
        state.is_complete()
    }

    /// Takes no new parts. Returns whether the call is to half-close.
    #[must_use]
    pub(crate) fn close(&self) -> bool {
        let mut state = self.state();
        !std::mem::replace(&mut state.closing, true) && state.is_complete()
    }

    /// The number of parts that their handle has not ended yet, and of parts without an answer.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let state = self.state();
        (state.in_progress, state.waiting.len())
    }

    /// Increases with every message taken and every answer.
    pub(crate) fn progress(&self) -> u64 {
        self.progress.load(Ordering::Relaxed)
    }

    /// A message was taken, or a part answered.
    pub(crate) fn progressed(&self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }

    /// A part has no answer. Returns whether the call is to half-close.
    #[must_use]
    pub(crate) fn forget(&self, number: u64) -> bool {
        self.state().waiting.remove(&number);
        self.emptied.notify_waiters();
        self.finished()
    }

    /// Refuses expected digests that the server would refuse.
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
        // An answered part already has its error.
        let Some(waiting) = state.waiting.get(&number) else {
            return Ok(());
        };
        let mut strange = algorithms.filter(|name| !waiting.asked.algorithms.contains(name));
        match strange.next() {
            None => Ok(()),
            Some(name) => refuse(format!("{name} is not among the part's algorithms")),
        }
    }

    /// Gives an answer to its part.
    ///
    /// # Errors
    /// The answer fits no part, which ends the stream.
    pub(crate) fn answer(&self, number: u64, answer: Result<R::Answer>) -> Result<()> {
        self.progressed();
        let mut state = self.state();
        if state.next == 0 && number == 0 {
            // The server treats a stream without messages as one empty part.
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
        // A part that failed early or was abandoned is already removed from the map. Its messages
        // that were still in flight may be answered once more.
        if let Some(waiting) = state.waiting.remove(&number) {
            let is_empty = state.waiting.is_empty();
            drop(state);
            if is_empty {
                self.emptied.notify_waiters();
            }
            // The receiver may be gone.
            let _ = waiting.sender.send(answer);
        }
        Ok(())
    }

    /// Ends the stream for all waiting parts. The first error counts.
    pub(crate) fn end(&self, error: Error) {
        let mut state = self.state();
        if state.over.is_none() {
            state.over = Some(error);
        }
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        self.emptied.notify_waiters();
        // After the drop of its sender, a receiver asks `over`.
        drop(waiting);
    }

    /// Waits until no part waits for an answer.
    #[cfg(feature = "embedded")]
    pub(crate) async fn answered(&self) {
        loop {
            let emptied = self.emptied.notified();
            if self.state().waiting.is_empty() {
                return;
            }
            emptied.await;
        }
    }

    /// Whether a part has ended without an answer, or the call's status is due.
    pub(crate) fn is_owed(&self) -> bool {
        let state = self.state();
        state.waiting.values().any(|part| part.ended) || state.is_complete()
    }
}
