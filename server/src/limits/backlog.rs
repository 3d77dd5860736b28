//! The backlog of a worker's engine. While it is high, the worker reads no sockets.
//!
//! Waiting bytes should still be in L2 when they are hashed, and the engine is busy anyway. But few
//! jobs make slow lanes: until enough jobs are ready, sockets are read up to 2 MiB.
//!
//! A connection that may not read stays ready. While the backlog is high, the worker's loop steps
//! the engine first (worker/schedule.rs), so the connection runs again once it may read.
//!
//! Why not read up to the windows: the bytes would take several times the memory, and leave the
//! cache before they are hashed. Chunks and parts are counted too, because a chunk of one byte
//! takes some 200 bytes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Poll, Waker};

/// At this many chunks waiting for hashing, and parts waiting for answers, the worker reads no
/// sockets. Each takes some 200 bytes in addition to its bytes.
pub(crate) const ITEMS_MAX: usize = 16_384;

/// Below this many, reading resumes.
const ITEMS_FEW: usize = ITEMS_MAX / 2;

/// Bytes that may wait for hashing while enough jobs are ready: enough for long runs in every lane,
/// and half of an L2 of 1 MiB.
const WAITING_BYTES_ENOUGH: usize = 512 << 10;

/// Bytes that may wait while too few jobs are ready.
pub(super) const WAITING_BYTES_MAX: usize = 32 * (64 << 10);

/// Bytes read from a connection in one turn. Four busy connections then fill the engine's lanes
/// from L2. With half as much, the cost of turns becomes visible.
pub(crate) const TURN_BYTES_MAX: usize = 256 << 10;

/// The backlog of one worker's engine.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    high: Cell<bool>,
    items: Cell<usize>,
    many_items: Cell<bool>,
    /// Connections that wait until there are few items.
    waiting: RefCell<Vec<Waker>>,
    /// Number of connections most of whose window waits for hashing.
    short: Cell<usize>,
}

/// Counts a waiting chunk or part until it is dropped.
#[derive(Debug)]
pub(crate) struct BacklogPermit(Rc<Backlog>);

impl Backlog {
    pub(crate) fn new() -> Rc<Self> {
        Rc::default()
    }

    /// Ready if sockets may be read now. Otherwise wakes `waker`: at once while the engine has
    /// bytes to hash, because it steps first; else when few items are left.
    pub(crate) fn poll_low(&self, waker: &Waker) -> Poll<()> {
        if self.high.get() {
            waker.wake_by_ref();
        } else if self.many_items.get() {
            self.waiting.borrow_mut().push(waker.clone());
        } else {
            return Poll::Ready(());
        }
        Poll::Pending
    }

    /// Whether sockets may not be read now.
    pub(crate) fn is_high(&self) -> bool {
        self.high.get() || self.many_items.get()
    }

    /// Sets whether most of a connection's window waits for hashing.
    pub(crate) fn set_short(&self, is_short: bool) {
        let short = self.short.get();
        self.short.set(if is_short { short + 1 } else { short - 1 });
    }

    /// Whether a client may have little window left until more bytes are hashed.
    pub(crate) fn is_short(&self) -> bool {
        self.short.get() > 0
    }

    /// Whether there are too many chunks and parts to accept more.
    pub(crate) fn has_many_items(&self) -> bool {
        self.many_items.get()
    }

    /// Adds a chunk or a part. Engine steps and turns of calls remove it, without any action of the
    /// client.
    pub(crate) fn enter(self: &Rc<Self>) -> BacklogPermit {
        let items = self.items.get() + 1;
        self.items.set(items);
        if items >= ITEMS_MAX {
            self.many_items.set(true);
        }
        BacklogPermit(Rc::clone(self))
    }

    fn leave(&self) {
        let items = self.items.get() - 1;
        self.items.set(items);
        if items <= ITEMS_FEW && self.many_items.replace(false) {
            self.waiting.take().into_iter().for_each(Waker::wake);
        }
    }

    /// Sets the number of bytes that the engine can hash, and whether its lanes are full.
    pub(crate) fn set(&self, waiting_bytes: usize, has_lanes: bool) {
        let high = waiting_bytes >= WAITING_BYTES_MAX
            || has_lanes && waiting_bytes >= WAITING_BYTES_ENOUGH;
        self.high.set(high);
    }
}

impl Drop for BacklogPermit {
    fn drop(&mut self) {
        self.0.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Relaxed);
        }
    }

    #[test]
    fn it_is_high_with_much_for_full_lanes_or_more_for_others() {
        let backlog = Backlog::new();
        let is_high = |bytes, has_lanes| {
            backlog.set(bytes, has_lanes);
            backlog.is_high()
        };
        assert!(!is_high(WAITING_BYTES_ENOUGH - 1, true));
        assert!(is_high(WAITING_BYTES_ENOUGH, true));
        assert!(!is_high(WAITING_BYTES_MAX - 1, false));
        assert!(is_high(WAITING_BYTES_MAX, false));
        assert!(!is_high(0, false));
    }

    #[test]
    fn it_is_high_with_many_items_until_few_are_left() {
        let backlog = Backlog::new();
        let mut items: Vec<_> = (1..ITEMS_MAX).map(|_| backlog.enter()).collect();
        assert!(!backlog.is_high() && !backlog.has_many_items());
        items.push(backlog.enter());
        assert!(backlog.is_high() && backlog.has_many_items());
        let waker = Arc::<Woken>::default();
        let poll = || backlog.poll_low(&Waker::from(Arc::clone(&waker)));
        assert!(poll().is_pending());
        items.truncate(ITEMS_FEW + 1);
        assert!(backlog.is_high() && !waker.0.load(Relaxed));
        items.pop();
        assert!(!backlog.is_high() && waker.0.swap(false, Relaxed));
        assert!(poll().is_ready());
        // The engine steps before the connection, which wakes itself.
        backlog.set(WAITING_BYTES_MAX, false);
        assert!(poll().is_pending() && waker.0.load(Relaxed));
        drop(items);
        assert_eq!(backlog.items.get(), 0);
    }
}
