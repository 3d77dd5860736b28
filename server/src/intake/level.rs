//! Whether a worker's sockets are read: not while enough waits to be hashed.
//!
//! What waits should lie in L2 when its turn comes. Reading on would also take
//! memory up to the bounds on waiting bytes, for nothing: the engine is busy.
//! But too few jobs make slow lanes: until enough are ready more is read, up to
//! a frame of 64 KiB for every lane.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Bytes that wait to be hashed while sockets are still read if enough jobs are
/// ready: for long runs in every lane, and half of an L2 of 1 MiB.
const WAITING_BYTES_ENOUGH: usize = 512 << 10;

/// The same if they are not.
const WAITING_BYTES_MAX: usize = 32 * (64 << 10);

/// Whether much waits in a worker's engine, and the connections that wait for less.
#[derive(Debug, Default)]
pub(crate) struct Level {
    high: Cell<bool>,
    parked: RefCell<Vec<Waker>>,
}

impl Level {
    pub(crate) fn new() -> Rc<Self> {
        Rc::default()
    }

    /// Ready if sockets may be read now. If not, the task is woken when they may.
    pub(super) fn poll_low(&self, cx: &Context<'_>) -> Poll<()> {
        if !self.high.get() {
            return Poll::Ready(());
        }
        let mut parked = self.parked.borrow_mut();
        // A connection may look twice in a turn.
        if parked.last().is_none_or(|last| !last.will_wake(cx.waker())) {
            parked.push(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Sets how much waits, and whether enough jobs are ready for the engine's
    /// best. It hashes whatever waits without anybody's doing, so the level
    /// always comes down.
    pub(crate) fn set(&self, waiting_bytes: usize, has_lanes: bool) {
        let high = waiting_bytes >= WAITING_BYTES_MAX
            || has_lanes && waiting_bytes >= WAITING_BYTES_ENOUGH;
        self.high.set(high);
        if !high && !self.parked.borrow().is_empty() {
            for waker in self.parked.take() {
                waker.wake();
            }
        }
    }
}
