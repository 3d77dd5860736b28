//! Tasks to be taken by any thread.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Numbered;

/// What the threads share.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) queue: Queue,
    /// Of sources that may keep a reader waiting.
    pub(super) aside: Queue,
    /// Nobody wants further results.
    is_over: AtomicBool,
}

impl Shared {
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// Closes the queues when it goes.
pub(super) struct Closing<'a>(pub(super) &'a Shared);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
        self.0.queue.close();
        self.0.aside.close();
    }
}

/// Tasks to be taken by any thread. Bounded by the window of [`InOrder`].
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<QueueState>,
    arrived: Condvar,
}

#[derive(Default)]
struct QueueState {
    tasks: VecDeque<Numbered>,
    is_closed: bool,
    /// Threads that wait for a task. A notification is a system call even if nobody waits.
    waiting: usize,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn put(&self, task: Numbered) {
        let mut state = self.lock();
        state.tasks.push_back(task);
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.arrived.notify_one();
        }
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.arrived.notify_all();
    }

    pub(super) fn try_take(&self) -> Option<Numbered> {
        self.lock().tasks.pop_front()
    }

    /// Waits for a task. `None` once the queue is closed.
    pub(super) fn take(&self) -> Option<Numbered> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(task) = state.tasks.pop_front() {
                return Some(task);
            }
            state.waiting += 1;
            state = self
                .arrived
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }
}
