//! Whether a worker's sockets are read: not while enough waits to be hashed.
//!
//! What waits should lie in L2 when its turn comes. Reading on would also take
//! memory up to the bounds on waiting bytes, for nothing: the engine is busy.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Bytes that wait to be hashed while sockets are still read: enough for long
/// runs in every lane, and half of an L2 of 1 MiB.
const WAITING_BYTES_MAX: usize = 512 << 10;

/// How much waits in a worker's engine, and the connections that wait for less.
#[derive(Debug, Default)]
pub(crate) struct Level {
    waiting_bytes: Cell<usize>,
    parked: RefCell<Vec<Waker>>,
}

impl Level {
    pub(crate) fn new() -> Rc<Self> {
        Rc::default()
    }

    /// Ready if sockets may be read now. If not, the task is woken when they may.
    pub(super) fn poll_low(&self, cx: &Context<'_>) -> Poll<()> {
        if self.waiting_bytes.get() < WAITING_BYTES_MAX {
            return Poll::Ready(());
        }
        let mut parked = self.parked.borrow_mut();
        // A connection may look twice in a turn.
        if parked.last().is_none_or(|last| !last.will_wake(cx.waker())) {
            parked.push(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Sets how much waits. The engine hashes whatever waits without anybody's
    /// doing, so it always comes down.
    pub(crate) fn set(&self, waiting_bytes: usize) {
        self.waiting_bytes.set(waiting_bytes);
        if waiting_bytes < WAITING_BYTES_MAX && !self.parked.borrow().is_empty() {
            for waker in self.parked.take() {
                waker.wake();
            }
        }
    }
}
