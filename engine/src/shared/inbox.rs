//! Messages to a worker.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::state::{PartState, Unfinished};
use crate::algorithm::Algorithm;

/// What happens to a part.
#[derive(Debug)]
pub(super) enum Message {
    Open(Unfinished, Box<[Algorithm]>),
    Push(Bytes),
    Finish,
    Cancel,
}

/// Messages in order. The parts bound their number: each has a bound on unhashed bytes, and
/// collects short chunks.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct State {
    messages: Vec<(Arc<PartState>, Message)>,
    /// The worker waits for `arrived`.
    is_asleep: bool,
    /// No part can be opened any more.
    is_closed: bool,
    /// The worker has panicked.
    has_stopped: bool,
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns false if the worker has panicked.
    pub(super) fn send(&self, part: &Arc<PartState>, message: Message) -> bool {
        let mut state = self.state();
        if state.has_stopped {
            return false;
        }
        state.messages.push((Arc::clone(part), message));
        if std::mem::replace(&mut state.is_asleep, false) {
            self.arrived.notify_one();
        }
        true
    }

    /// No handle and no part is left.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        self.arrived.notify_one();
    }

    /// The worker panics. Takes no more messages, and drops those that wait.
    pub(super) fn stop(&self) {
        let mut state = self.state();
        state.has_stopped = true;
        let messages = std::mem::take(&mut state.messages);
        drop(state);
        drop(messages);
    }

    /// Whether the worker has panicked.
    pub(super) fn has_stopped(&self) -> bool {
        self.state().has_stopped
    }

    /// Swaps the messages that have arrived for the empty `taken`.
    pub(super) fn take(&self, taken: &mut Vec<(Arc<PartState>, Message)>) {
        std::mem::swap(&mut self.state().messages, taken);
    }

    /// Waits for messages. Returns false if the inbox is empty and closed.
    pub(super) fn wait(&self) -> bool {
        let mut state = self.state();
        while state.messages.is_empty() {
            if state.is_closed {
                return false;
            }
            state.is_asleep = true;
            let woken = self.arrived.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        state.is_asleep = false;
        true
    }
}
