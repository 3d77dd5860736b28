//! Bounds on waiting bytes, and the streams that pause at them.
//!
//! A chunk is charged when it is pushed and credited when its bytes are
//! hashed. A stream that finds no room in its own bound, its connection's or
//! its worker's is not read: HTTP/2 flow control then stops the client. It is
//! woken when there is room again.
//!
//! All of this lives on one worker's thread: cells, no locks.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use std::task::{Context, Waker};

use hashlane_engine::Digest;

/// About what a stream brings when it is woken: one frame of 64 KiB.
const FRAME_BYTES_USUAL: usize = 64 * 1024;

/// Waiting bytes of a connection or of a worker, and who pauses for them.
#[derive(Debug)]
pub(crate) struct Bound {
    bytes_max: usize,
    waiting_bytes: Cell<usize>,
    paused: RefCell<VecDeque<Weak<StreamShare>>>,
}

impl Bound {
    pub(crate) fn new(bytes_max: usize) -> Rc<Self> {
        Rc::new(Self {
            bytes_max,
            waiting_bytes: Cell::new(0),
            paused: RefCell::default(),
        })
    }

    fn has_room(&self) -> bool {
        self.waiting_bytes.get() < self.bytes_max
    }

    fn charge(&self, bytes: usize) {
        self.waiting_bytes.set(self.waiting_bytes.get() + bytes);
    }

    /// Gives bytes back and wakes, first come first served, about as many
    /// streams as the room will take. Waking all of them for every step would
    /// cost more than the step.
    fn credit(&self, bytes: usize) {
        let waiting = self.waiting_bytes.get().saturating_sub(bytes);
        self.waiting_bytes.set(waiting);
        if self.paused.borrow().is_empty() {
            return;
        }
        let room = self.bytes_max.saturating_sub(waiting);
        // With nothing waiting no credit will follow: nobody may be left behind.
        let mut wakes = if waiting == 0 {
            usize::MAX
        } else {
            room.div_ceil(FRAME_BYTES_USUAL)
        };
        while wakes > 0 {
            let Some(stream) = self.paused.borrow_mut().pop_front() else {
                break;
            };
            if let Some(stream) = stream.upgrade() {
                stream.paused.set(false);
                stream.wake();
                wakes -= 1;
            }
        }
    }
}

/// Which digest of a stream a job computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    /// The part's number, or the blob's place in its batch.
    pub(crate) part: u64,
    /// The digest's place among those the part asked for.
    pub(crate) digest: usize,
}

/// What the hasher knows about a stream: its bounds, its waker, and the
/// digests it has not collected yet.
#[derive(Debug)]
pub(crate) struct StreamShare {
    bytes_max: usize,
    waiting_bytes: Cell<usize>,
    connection: Rc<Bound>,
    worker: Rc<Bound>,
    /// In the queue of `connection` or `worker`.
    paused: Cell<bool>,
    /// Waits for its own bytes to be hashed.
    full: Cell<bool>,
    finished: RefCell<VecDeque<(Tag, Digest)>>,
    waker: RefCell<Option<Waker>>,
    cut: Cell<bool>,
}

impl StreamShare {
    pub(crate) fn new(bytes_max: usize, connection: Rc<Bound>, worker: Rc<Bound>) -> Rc<Self> {
        Rc::new(Self {
            bytes_max,
            waiting_bytes: Cell::new(0),
            connection,
            worker,
            paused: Cell::new(false),
            full: Cell::new(false),
            finished: RefCell::default(),
            waker: RefCell::default(),
            cut: Cell::new(false),
        })
    }

    /// Remembers whom to wake.
    pub(crate) fn register(&self, cx: &Context<'_>) {
        let mut waker = self.waker.borrow_mut();
        match waker.as_mut() {
            Some(waker) => waker.clone_from(cx.waker()),
            None => *waker = Some(cx.waker().clone()),
        }
    }

    pub(crate) fn wake(&self) {
        if let Some(waker) = self.waker.borrow().as_ref() {
            waker.wake_by_ref();
        }
    }

    /// Whether the stream may be read. If not, it is woken when it may.
    pub(crate) fn has_room(self: &Rc<Self>) -> bool {
        if self.waiting_bytes.get() >= self.bytes_max {
            self.full.set(true);
            return false;
        }
        for bound in [&self.connection, &self.worker] {
            if !bound.has_room() {
                if !self.paused.replace(true) {
                    bound.paused.borrow_mut().push_back(Rc::downgrade(self));
                }
                return false;
            }
        }
        true
    }

    pub(crate) fn charge(&self, bytes: usize) {
        self.waiting_bytes.set(self.waiting_bytes.get() + bytes);
        self.connection.charge(bytes);
        self.worker.charge(bytes);
    }

    pub(crate) fn credit(&self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let waiting = self.waiting_bytes.get().saturating_sub(bytes);
        self.waiting_bytes.set(waiting);
        if waiting < self.bytes_max && self.full.replace(false) {
            self.wake();
        }
        self.connection.credit(bytes);
        self.worker.credit(bytes);
    }

    pub(crate) fn finish(&self, tag: Tag, digest: Digest) {
        self.finished.borrow_mut().push_back((tag, digest));
        self.wake();
    }

    pub(crate) fn take_finished(&self) -> Option<(Tag, Digest)> {
        self.finished.borrow_mut().pop_front()
    }

    /// Ends the stream: the drain's time is over.
    pub(crate) fn cut(&self) {
        self.cut.set(true);
        self.wake();
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.cut.get()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Wakes {
        fn count(&self) -> usize {
            self.0.load(Ordering::Relaxed)
        }
    }

    fn stream(
        bytes_max: usize,
        connection: &Rc<Bound>,
        worker: &Rc<Bound>,
    ) -> (Rc<StreamShare>, Arc<Wakes>) {
        let share = StreamShare::new(bytes_max, Rc::clone(connection), Rc::clone(worker));
        let wakes = Arc::new(Wakes::default());
        share.register(&Context::from_waker(&Arc::clone(&wakes).into()));
        (share, wakes)
    }

    #[test]
    fn a_full_stream_is_woken_once_below_its_bound() {
        let (connection, worker) = (Bound::new(1000), Bound::new(1000));
        let (share, wakes) = stream(100, &connection, &worker);
        assert!(share.has_room());
        share.charge(120);
        assert!(!share.has_room());
        share.credit(10);
        assert_eq!(wakes.count(), 0);
        share.credit(20);
        assert_eq!(wakes.count(), 1);
        assert!(share.has_room());
        share.credit(90);
        assert_eq!(wakes.count(), 1);
        assert_eq!(worker.waiting_bytes.get(), 0);
    }

    #[test]
    fn paused_streams_are_woken_in_order_and_none_is_left_behind() {
        let (connection, worker) = (Bound::new(1 << 20), Bound::new(1 << 20));
        let (busy, _) = stream(usize::MAX, &connection, &worker);
        busy.charge(1 << 20);
        let others: Vec<_> = (0..5).map(|_| stream(1000, &connection, &worker)).collect();
        for (share, _) in &others {
            assert!(!share.has_room());
            // Asking again does not queue twice.
            assert!(!share.has_room());
        }
        let counts =
            |others: &[(Rc<StreamShare>, Arc<Wakes>)]| others.iter().map(|o| o.1.count()).collect();
        busy.credit(1);
        let woken: Vec<usize> = counts(&others);
        assert_eq!(woken, [1, 0, 0, 0, 0]);
        busy.credit(FRAME_BYTES_USUAL);
        let woken: Vec<usize> = counts(&others);
        assert_eq!(woken, [1, 1, 1, 0, 0]);
        busy.credit((1 << 20) - 1 - FRAME_BYTES_USUAL);
        let woken: Vec<usize> = counts(&others);
        assert_eq!(woken, [1; 5]);
    }

    #[test]
    fn a_stream_that_went_away_while_paused_takes_no_wake() {
        let (connection, worker) = (Bound::new(10), Bound::new(1000));
        let (busy, _) = stream(usize::MAX, &connection, &worker);
        busy.charge(20);
        let (gone, _) = stream(1000, &connection, &worker);
        assert!(!gone.has_room());
        drop(gone);
        let (here, wakes) = stream(1000, &connection, &worker);
        assert!(!here.has_room());
        busy.credit(15);
        assert_eq!(wakes.count(), 1);
    }
}
