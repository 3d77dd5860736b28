//! Bounds on waiting bytes, and the streams that pause at them.
//!
//! A chunk is charged when it is pushed and credited when its bytes are
//! hashed. A stream that finds no room in its own bound, its connection's or
//! its worker's is not read: HTTP/2 flow control then stops the client. It is
//! woken when there is room again: streams of a connection first come first
//! served, connections in turn.
//!
//! All of this lives on one worker's thread: cells, no locks.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use std::task::{Context, Waker};

use hashlane_engine::{Algorithm, Digest, GroupId};

use super::group::Group;

/// About what a stream brings when it is woken: one frame of 64 KiB.
const FRAME_BYTES_USUAL: usize = 64 * 1024;

/// Room for digests that a stream keeps while it has none.
const COMPUTED_KEPT_MAX: usize = 64;

/// Waiting bytes, and how many there may be.
#[derive(Debug)]
struct Room {
    bytes_max: usize,
    waiting_bytes: Cell<usize>,
}

impl Room {
    fn new(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            waiting_bytes: Cell::new(0),
        }
    }

    fn is_left(&self) -> bool {
        self.waiting_bytes.get() < self.bytes_max
    }

    fn charge(&self, bytes: usize) {
        self.waiting_bytes.set(self.waiting_bytes.get() + bytes);
    }

    /// Gives bytes back. Returns about how many streams the room will take:
    /// waking all of them for every step would cost more than the step.
    fn credit(&self, bytes: usize) -> usize {
        let waiting = self.waiting_bytes.get().saturating_sub(bytes);
        self.waiting_bytes.set(waiting);
        // With nothing waiting no credit will follow: nobody may be left behind.
        if waiting == 0 {
            usize::MAX
        } else {
            let room = self.bytes_max.saturating_sub(waiting);
            room.div_ceil(FRAME_BYTES_USUAL)
        }
    }
}

/// Streams that wait for room, first come first served.
#[derive(Debug, Default)]
struct Paused(RefCell<VecDeque<Weak<StreamShare>>>);

impl Paused {
    fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    fn push(&self, stream: &Rc<StreamShare>) {
        self.0.borrow_mut().push_back(Rc::downgrade(stream));
    }

    /// Wakes the first that is still there; false if none is.
    fn wake_one(&self) -> bool {
        loop {
            let Some(stream) = self.0.borrow_mut().pop_front() else {
                return false;
            };
            if let Some(stream) = stream.upgrade() {
                stream.paused.set(false);
                stream.wake();
                return true;
            }
        }
    }
}

/// Waiting bytes of a connection, who pauses for them, and its share of the
/// worker.
#[derive(Debug)]
pub(crate) struct Bound {
    room: Room,
    paused: Paused,
    /// Its streams that pause for the worker's bound. The connection is in the
    /// worker's queue while there are any.
    paused_at_worker: Paused,
    /// Its group in the worker's engine, from its first part on.
    group: OnceCell<Group>,
}

impl Bound {
    pub(crate) fn new(bytes_max: usize) -> Rc<Self> {
        Rc::new(Self {
            room: Room::new(bytes_max),
            paused: Paused::default(),
            paused_at_worker: Paused::default(),
            group: OnceCell::new(),
        })
    }

    fn credit(&self, bytes: usize) {
        let mut wakes = self.room.credit(bytes);
        while wakes > 0 && self.paused.wake_one() {
            wakes -= 1;
        }
    }
}

/// Waiting bytes of a worker, and the connections whose streams pause for them.
#[derive(Debug)]
pub(crate) struct WorkerBound {
    room: Room,
    /// Woken in turn, a stream of each, so that a connection with thousands of
    /// paused streams gets no more than one with a single one.
    connections: RefCell<VecDeque<Weak<Bound>>>,
}

impl WorkerBound {
    pub(crate) fn new(bytes_max: usize) -> Rc<Self> {
        Rc::new(Self {
            room: Room::new(bytes_max),
            connections: RefCell::default(),
        })
    }

    fn pause(&self, stream: &Rc<StreamShare>) {
        let connection = &stream.connection;
        if connection.paused_at_worker.is_empty() {
            let mut connections = self.connections.borrow_mut();
            connections.push_back(Rc::downgrade(connection));
        }
        connection.paused_at_worker.push(stream);
    }

    fn credit(&self, bytes: usize) {
        let mut wakes = self.room.credit(bytes);
        while wakes > 0 {
            let Some(first) = self.connections.borrow_mut().pop_front() else {
                return;
            };
            let Some(connection) = first.upgrade() else {
                continue;
            };
            if connection.paused_at_worker.wake_one() {
                wakes -= 1;
            }
            if !connection.paused_at_worker.is_empty() {
                self.connections.borrow_mut().push_back(first);
            }
        }
    }
}

/// A digest on its way to its stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Computed {
    /// The part's number, or the blob's place in its batch.
    pub(crate) tag: u64,
    pub(crate) algorithm: Algorithm,
    pub(crate) digest: Digest,
}

/// What the hasher knows about a stream: its bounds, its waker, and the
/// digests it has not collected yet.
#[derive(Debug)]
pub(crate) struct StreamShare {
    bytes_max: usize,
    waiting_bytes: Cell<usize>,
    connection: Rc<Bound>,
    worker: Rc<WorkerBound>,
    /// In the queue of `connection` or `worker`.
    paused: Cell<bool>,
    /// Waits for its own bytes to be hashed.
    full: Cell<bool>,
    computed: RefCell<VecDeque<Computed>>,
    waker: RefCell<Option<Waker>>,
    cut: Cell<bool>,
}

impl StreamShare {
    pub(crate) fn new(
        bytes_max: usize,
        connection: Rc<Bound>,
        worker: Rc<WorkerBound>,
    ) -> Rc<Self> {
        Rc::new(Self {
            bytes_max,
            waiting_bytes: Cell::new(0),
            connection,
            worker,
            paused: Cell::new(false),
            full: Cell::new(false),
            computed: RefCell::default(),
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
        let is_left = self.connection.room.is_left();
        if is_left && self.worker.room.is_left() {
            return true;
        }
        if !self.paused.replace(true) {
            if is_left {
                self.worker.pause(self);
            } else {
                self.connection.paused.push(self);
            }
        }
        false
    }

    /// The group of its connection, which `open` makes for the first part.
    pub(super) fn group(&self, open: impl FnOnce() -> Group) -> GroupId {
        self.connection.group.get_or_init(open).id()
    }

    pub(crate) fn charge(&self, bytes: usize) {
        self.waiting_bytes.set(self.waiting_bytes.get() + bytes);
        self.connection.room.charge(bytes);
        self.worker.room.charge(bytes);
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

    /// Hands over a digest. With the last one of a part its stream is to be woken.
    pub(crate) fn give(&self, tag: u64, algorithm: Algorithm, digest: Digest) {
        self.computed.borrow_mut().push_back(Computed {
            tag,
            algorithm,
            digest,
        });
    }

    pub(crate) fn take_computed(&self) -> Option<Computed> {
        let mut computed = self.computed.borrow_mut();
        let next = computed.pop_front();
        if computed.is_empty() && computed.capacity() > COMPUTED_KEPT_MAX {
            *computed = VecDeque::new();
        }
        next
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
        worker: &Rc<WorkerBound>,
    ) -> (Rc<StreamShare>, Arc<Wakes>) {
        let share = StreamShare::new(bytes_max, Rc::clone(connection), Rc::clone(worker));
        let wakes = Arc::new(Wakes::default());
        share.register(&Context::from_waker(&Arc::clone(&wakes).into()));
        (share, wakes)
    }

    #[test]
    fn a_full_stream_is_woken_once_below_its_bound() {
        let (connection, worker) = (Bound::new(1000), WorkerBound::new(1000));
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
        assert_eq!(worker.room.waiting_bytes.get(), 0);
    }

    #[test]
    fn paused_streams_are_woken_in_order_and_none_is_left_behind() {
        let (connection, worker) = (Bound::new(1 << 20), WorkerBound::new(1 << 20));
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
    fn a_thousand_paused_streams_of_one_connection_do_not_keep_another_waiting() {
        let worker = WorkerBound::new(1 << 20);
        let many = Bound::new(usize::MAX);
        let (busy, _) = stream(usize::MAX, &many, &worker);
        busy.charge(1 << 20);
        let streams: Vec<_> = (0..1000).map(|_| stream(1000, &many, &worker)).collect();
        let one = Bound::new(usize::MAX);
        let (lone, wakes) = stream(1000, &one, &worker);
        for share in streams.iter().map(|s| &s.0).chain([&lone]) {
            assert!(!share.has_room());
        }
        let woken = || streams.iter().map(|s| s.1.count()).sum::<usize>();
        for round in 1..=400 {
            // Room for one stream; who is woken takes it and pauses again.
            for expected in [(round, round - 1), (round, round)] {
                busy.credit(1);
                assert_eq!((woken(), wakes.count()), expected);
                busy.charge(1);
                assert!(!lone.has_room());
            }
        }
        // First come first served among those of a connection.
        assert!(streams[..400].iter().all(|s| s.1.count() == 1));
        // None is left behind, and none queued twice.
        busy.credit(1 << 20);
        assert_eq!((woken(), wakes.count()), (1000, 401));
        assert!(worker.connections.borrow().is_empty());
    }

    #[test]
    fn a_connection_that_went_away_while_paused_takes_no_wake() {
        let worker = WorkerBound::new(10);
        let (busy, _) = stream(usize::MAX, &Bound::new(1000), &worker);
        busy.charge(20);
        let (gone, _) = stream(1000, &Bound::new(1000), &worker);
        assert!(!gone.has_room());
        drop(gone);
        let (here, wakes) = stream(1000, &Bound::new(1000), &worker);
        assert!(!here.has_room());
        busy.credit(15);
        assert_eq!(wakes.count(), 1);
    }

    #[test]
    fn a_stream_that_went_away_while_paused_takes_no_wake() {
        let (connection, worker) = (Bound::new(10), WorkerBound::new(1000));
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
