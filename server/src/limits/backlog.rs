//! The backlog of a worker's engine: sockets are not read while it is high.
//!
//! What waits should lie in L2 when its turn comes. Reading on would also take
//! memory up to the bounds on waiting bytes, for nothing: the engine is busy.
//! But too few jobs make slow lanes: until enough are ready more is read, up to
//! a frame of 64 KiB for every lane.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

/// Chunks that wait to be hashed, and parts that wait for their answers, with which a worker's
/// sockets are not read: what each takes beside its bytes, some 200, is bounded so.
pub(crate) const ITEMS_MAX: usize = 16_384;

/// They are read again when no more are left. To wake a thousand connections for each item
/// would cost more than the item.
const ITEMS_FEW: usize = ITEMS_MAX / 2;

/// Bytes that wait to be hashed while sockets are still read if enough jobs are
/// ready: for long runs in every lane, and half of an L2 of 1 MiB.
const WAITING_BYTES_ENOUGH: usize = 512 << 10;

/// The same if they are not.
const WAITING_BYTES_MAX: usize = 32 * (64 << 10);

/// Bytes read from a connection in a turn. Four busy connections then fill the engine's lanes
/// from L2; with half of it the turns themselves begin to cost.
pub(crate) const TURN_BYTES_MAX: usize = 256 << 10;

/// Whether much waits in a worker's engine, and the connections and calls that wait for less.
///
/// Of those only as many are woken as there is room for, the first ones first: to wake a thousand
/// where eight fill the engine costs more than hashing. None is forgotten: one that finds room
/// wakes the next, each step of the engine wakes some, and all are woken when it has nothing to
/// do, and when many items have become few.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    high: Cell<bool>,
    waiting_bytes: Cell<usize>,
    items: Cell<usize>,
    many_items: Cell<bool>,
    /// Connections that wait for much of their windows to be hashed.
    short: Cell<usize>,
    parked: RefCell<VecDeque<(Weak<Cell<Wait>>, Waker)>>,
}

/// A chunk or a part that waits, until it is dropped.
#[derive(Debug)]
pub(crate) struct BacklogPermit(Rc<Backlog>);

/// Whether a connection or a call is parked: it is once, however often it looks.
#[derive(Debug, Default)]
pub(crate) struct Waiter(Rc<Cell<Wait>>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Wait {
    #[default]
    Not,
    Parked,
    /// It has not looked since.
    Woken,
}

impl Backlog {
    pub(crate) fn new() -> Rc<Self> {
        Rc::default()
    }

    /// Ready if sockets may be read now. If not, the task is woken when they may.
    pub(crate) fn poll_low(&self, waiter: &Waiter, cx: &Context<'_>) -> Poll<()> {
        let wait = waiter.0.get();
        if !self.is_high() {
            if wait == Wait::Woken {
                waiter.0.set(Wait::Not);
                self.wake(1);
            }
            return Poll::Ready(());
        }
        if wait != Wait::Parked {
            waiter.0.set(Wait::Parked);
            let parked = (Rc::downgrade(&waiter.0), cx.waker().clone());
            self.parked.borrow_mut().push_back(parked);
        }
        Poll::Pending
    }

    /// Whether sockets are not read now.
    pub(crate) fn is_high(&self) -> bool {
        self.high.get() || self.many_items.get()
    }

    /// A connection waits for much of its window to be hashed, or for less again.
    pub(crate) fn set_short(&self, is_short: bool) {
        let short = self.short.get();
        self.short.set(if is_short { short + 1 } else { short - 1 });
    }

    /// Whether a client may have little window left until more is hashed.
    pub(crate) fn is_short(&self) -> bool {
        self.short.get() > 0
    }

    /// Whether so many chunks and parts wait that no more are to come.
    pub(crate) fn has_many_items(&self) -> bool {
        self.many_items.get()
    }

    /// A chunk or a part waits. Both leave without anybody's doing, as the engine hashes.
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
            self.wake(usize::MAX);
        }
    }

    /// Sets how much waits, and whether enough jobs are ready for the engine's best. It hashes
    /// whatever waits without anybody's doing, so the backlog always comes down.
    pub(crate) fn set(&self, waiting_bytes: usize, has_lanes: bool) {
        self.waiting_bytes.set(waiting_bytes);
        let high = waiting_bytes >= WAITING_BYTES_MAX
            || has_lanes && waiting_bytes >= WAITING_BYTES_ENOUGH;
        self.high.set(high);
    }

    /// The engine has taken a step.
    pub(crate) fn stepped(&self) {
        if !self.is_high() {
            let room = WAITING_BYTES_MAX - self.waiting_bytes.get();
            self.wake(room.div_ceil(TURN_BYTES_MAX));
        }
    }

    /// The engine has nothing to do: there are no steps until somebody brings something.
    pub(crate) fn idle(&self) {
        self.wake(usize::MAX);
    }

    /// Wakes so many of those that wait, and are still there.
    fn wake(&self, count: usize) {
        let mut woken = 0;
        while woken < count {
            let Some((waiter, waker)) = self.parked.borrow_mut().pop_front() else {
                return;
            };
            if let Some(wait) = waiter.upgrade() {
                wait.set(Wait::Woken);
                waker.wake();
                woken += 1;
            }
        }
    }
}

impl Drop for BacklogPermit {
    fn drop(&mut self) {
        self.0.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::task::Wake;

    use super::*;

    struct Connection(usize, Arc<Mutex<Vec<usize>>>);

    impl Wake for Connection {
        fn wake(self: Arc<Self>) {
            self.1.lock().unwrap().push(self.0);
        }
    }

    /// A hundred connections that wait, and the order in which they are woken.
    struct Waiting {
        wakers: Vec<Waker>,
        waiters: Vec<Waiter>,
        woken: Arc<Mutex<Vec<usize>>>,
    }

    impl Waiting {
        fn new(backlog: &Rc<Backlog>) -> Self {
            let woken = Arc::<Mutex<Vec<usize>>>::default();
            let waker = |i| Waker::from(Arc::new(Connection(i, Arc::clone(&woken))));
            let waiting = Self {
                wakers: (0..100).map(waker).collect(),
                waiters: (0..100).map(|_| Waiter::default()).collect(),
                woken,
            };
            backlog.set(WAITING_BYTES_MAX, false);
            // Looked at again and again, in turn.
            for _ in 0..5 {
                assert!((0..100).all(|i| waiting.poll(backlog, i).is_pending()));
            }
            assert_eq!(backlog.parked.borrow().len(), 100);
            waiting
        }

        fn poll(&self, backlog: &Rc<Backlog>, i: usize) -> Poll<()> {
            let cx = Context::from_waker(&self.wakers[i]);
            backlog.poll_low(&self.waiters[i], &cx)
        }

        #[track_caller]
        fn assert_woken(&self, expected: impl Iterator<Item = usize>) {
            let woken = std::mem::take(&mut *self.woken.lock().unwrap());
            assert!(woken.iter().copied().eq(expected), "{woken:?}");
        }
    }

    #[test]
    fn as_many_are_woken_as_there_is_room_for_and_each_that_reads_wakes_the_next() {
        let backlog = Backlog::new();
        let waiting = Waiting::new(&backlog);
        backlog.set(WAITING_BYTES_ENOUGH, true);
        backlog.stepped();
        waiting.assert_woken(0..0);
        backlog.set(WAITING_BYTES_ENOUGH - 1, true);
        waiting.assert_woken(0..0);
        backlog.stepped();
        waiting.assert_woken(0..7);
        // One with nothing to read lets the next one look, and so on to the last.
        for i in 0..100 {
            assert!(waiting.poll(&backlog, i).is_ready());
            waiting.assert_woken((i + 7..100).take(1));
            assert!(waiting.poll(&backlog, i).is_ready());
            waiting.assert_woken(0..0);
        }
        // Who comes too late waits again, behind the others.
        let waiting = Waiting::new(&backlog);
        backlog.set(WAITING_BYTES_MAX - 1, false);
        backlog.stepped();
        waiting.assert_woken(0..1);
        backlog.set(WAITING_BYTES_MAX, false);
        assert!(waiting.poll(&backlog, 0).is_pending());
        backlog.idle();
        waiting.assert_woken((1..100).chain([0]));
    }

    #[test]
    fn many_items_stop_reading_until_few_are_left() {
        let backlog = Backlog::new();
        let waiting = Waiting::new(&backlog);
        backlog.idle();
        waiting.assert_woken(0..100);
        backlog.set(0, false);
        let mut items: Vec<_> = (1..ITEMS_MAX).map(|_| backlog.enter()).collect();
        assert!(!backlog.is_high());
        items.push(backlog.enter());
        assert!((0..100).all(|i| waiting.poll(&backlog, i).is_pending()));
        // An engine without anything to do: these are parts whose answers nobody has taken yet.
        backlog.idle();
        waiting.assert_woken(0..100);
        assert!((0..100).all(|i| waiting.poll(&backlog, i).is_pending()));
        items.truncate(ITEMS_FEW + 1);
        assert!(backlog.is_high());
        waiting.assert_woken(0..0);
        items.pop();
        waiting.assert_woken(0..100);
        assert!((0..100).all(|i| waiting.poll(&backlog, i).is_ready()));
        drop(items);
        assert_eq!(backlog.items.get(), 0);
    }

    #[test]
    fn an_idle_engine_leaves_nobody_waiting() {
        let backlog = Backlog::new();
        let mut waiting = Waiting::new(&backlog);
        // Those that are gone take nobody's place.
        waiting.waiters.drain(..50);
        backlog.set(WAITING_BYTES_MAX - 1, false);
        backlog.stepped();
        waiting.assert_woken(50..51);
        backlog.idle();
        waiting.assert_woken(51..100);
        assert!(backlog.parked.borrow().is_empty());
    }
}
