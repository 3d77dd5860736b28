//! Which of many futures are ready to run: their wakers put them into a queue.
//!
//! ```text
//! wake ──> Entry: is it queued already?  no ──> queue ──> take: the owner polls these
//!                                               └── first one: wakes the owner, if it waits
//! ```
//!
//! The worker's loop has one queue for its connections, and each connection has one for its calls.
//! Wakers work on any thread.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{AcqRel, SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

use futures_util::task::AtomicWaker;

/// Futures that were woken.
#[derive(Debug, Default)]
pub(crate) struct ReadyQueue {
    woken: Mutex<Vec<Arc<Entry>>>,
    has_some: AtomicBool,
    /// The owner.
    owner: AtomicWaker,
    /// The owner runs, and looks again before it waits.
    is_running: AtomicBool,
}

/// A future's place in the queue, and its waker.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The owner's name for the future.
    pub(crate) key: usize,
    is_woken: AtomicBool,
    queue: Arc<ReadyQueue>,
}

impl ReadyQueue {
    /// A future that is ready to run.
    pub(crate) fn add(self: &Arc<Self>, key: usize) -> Arc<Entry> {
        let entry = Arc::new(Entry {
            key,
            is_woken: AtomicBool::new(false),
            queue: Arc::clone(self),
        });
        entry.wake_by_ref();
        entry
    }

    /// The futures that were woken since the last call.
    pub(crate) fn take(&self) -> Vec<Arc<Entry>> {
        if !self.has_some.swap(false, SeqCst) {
            return Vec::new();
        }
        // No code panics while it holds the lock.
        let mut woken = self.woken.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *woken)
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.has_some.load(SeqCst)
    }

    /// Sets the waker of the owner.
    pub(crate) fn register(&self, owner: &Waker) {
        self.owner.register(owner);
    }

    /// While the owner runs, it is not woken: it looks at the queue before it waits.
    pub(crate) fn set_running(&self, is_running: bool) {
        self.is_running.store(is_running, SeqCst);
    }

    /// Wakes the owner itself, unless it runs.
    pub(crate) fn wake_owner(&self) {
        // In one order with `has_some`: either the owner sees the entry, or it is woken.
        if !self.is_running.load(SeqCst) {
            self.owner.wake();
        }
    }
}

impl Entry {
    /// Clears the flag, so that the next wake queues the entry again. To be called before the
    /// future is polled: the poll then sees all writes before earlier wakes.
    pub(crate) fn begin(&self) {
        self.is_woken.swap(false, AcqRel);
    }
}

impl Wake for Entry {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.is_woken.swap(true, AcqRel) {
            return;
        }
        let queue = &self.queue;
        let mut woken = queue.woken.lock().unwrap_or_else(PoisonError::into_inner);
        woken.push(Arc::clone(self));
        drop(woken);
        queue.has_some.store(true, SeqCst);
        queue.wake_owner();
    }
}
