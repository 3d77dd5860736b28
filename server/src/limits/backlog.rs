//! The backlog of a worker's engine: sockets are not read while it is high.
//!
//! What waits should lie in L2 when its turn comes. Reading on would also take
//! memory up to the bounds on waiting bytes, for nothing: the engine is busy.
//! But too few jobs make slow lanes: until enough are ready more is read, up to
//! a frame of 64 KiB for every lane.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Chunks that wait to be hashed, and parts that wait for their answers, with which a
/// connection is not read: what each takes beside its bytes, some 200, is bounded so.
pub(crate) const ITEMS_MAX: usize = 8192;

/// Bytes that wait to be hashed while sockets are still read if enough jobs are
/// ready: for long runs in every lane, and half of an L2 of 1 MiB.
const WAITING_BYTES_ENOUGH: usize = 512 << 10;

/// The same if they are not.
const WAITING_BYTES_MAX: usize = 32 * (64 << 10);

/// Whether much waits in a worker's engine, and the connections that wait for less.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    high: Cell<bool>,
    parked: RefCell<Vec<Waker>>,
    /// How often those parked were woken.
    wakes: Cell<u64>,
}

/// A connection's place among those parked: it waits once, however often it looks.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// The wake it waits for.
    wake: u64,
}

impl Backlog {
    pub(crate) fn new() -> Rc<Self> {
        Rc::default()
    }

    /// Ready if sockets may be read now. If not, the task is woken when they may.
    pub(crate) fn poll_low(&self, place: &mut Place, cx: &Context<'_>) -> Poll<()> {
        if !self.is_high() {
            return Poll::Ready(());
        }
        let next_wake = self.wakes.get() + 1;
        if place.wake < next_wake {
            place.wake = next_wake;
            self.parked.borrow_mut().push(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Whether sockets are not read now.
    pub(crate) fn is_high(&self) -> bool {
        self.high.get()
    }

    /// Sets how much waits, and whether enough jobs are ready for the engine's
    /// best. It hashes whatever waits without anybody's doing, so the backlog
    /// always comes down.
    pub(crate) fn set(&self, waiting_bytes: usize, has_lanes: bool) {
        let high = waiting_bytes >= WAITING_BYTES_MAX
            || has_lanes && waiting_bytes >= WAITING_BYTES_ENOUGH;
        self.high.set(high);
        if !high && !self.parked.borrow().is_empty() {
            self.wakes.set(self.wakes.get() + 1);
            for waker in self.parked.take() {
                waker.wake();
            }
        }
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

    #[test]
    fn all_who_wait_are_woken_once_in_the_order_they_came() {
        let backlog = Backlog::new();
        let woken = Arc::<Mutex<Vec<usize>>>::default();
        let wakers: Vec<Waker> = (0..100)
            .map(|i| Waker::from(Arc::new(Connection(i, Arc::clone(&woken)))))
            .collect();
        let mut places: Vec<Place> = wakers.iter().map(|_| Place::default()).collect();
        for round in 0..3 {
            backlog.set(WAITING_BYTES_MAX, false);
            // Looked at again and again, in turn.
            for _ in 0..5 {
                for (waker, place) in wakers.iter().zip(&mut places) {
                    let cx = Context::from_waker(waker);
                    assert!(backlog.poll_low(place, &cx).is_pending());
                }
            }
            assert_eq!(backlog.parked.borrow().len(), 100);
            backlog.set(WAITING_BYTES_ENOUGH, true);
            assert!(woken.lock().unwrap().is_empty(), "still high");
            backlog.set(WAITING_BYTES_ENOUGH - 1, true);
            let order = std::mem::take(&mut *woken.lock().unwrap());
            assert!(order.into_iter().eq(0..100), "round {round}");
            let cx = Context::from_waker(&wakers[0]);
            assert!(backlog.poll_low(&mut places[0], &cx).is_ready());
        }
    }
}
