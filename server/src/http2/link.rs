//! What a connection and its calls share.
//!
//! A *turn* is one poll of the connection's future. It ends after [`TURN_BYTES_MAX`] bytes,
//! [`TURN_FRAMES_MAX`] frames or [`TURN_MAX`]. So connections share the worker by time, and the
//! engine gets bytes while they are in cache.
//!
//! ```text
//! may the socket be read?
//!   turn over?      stays ready; the schedule picks its next turn
//!   backlog high?   the engine steps first; stays ready, or waits until few items are left
//!   no credit?      waits until time has refilled some
//!   much unsent?    waits until the socket takes it
//! ```
//!
//! Time in which the server did not read the socket does not count against the client: the idle
//! timeout and the minimum rate of streams use [`Link::listened`], a clock that stops during such pauses.
//!
//! Why a time bound too: with a bound in bytes alone, a connection of Digest calls in one-byte
//! frames raised the answer delay of other connections from 5 ms to 2.2 s.
//! server/tests/server/hostile/stalled_clients.rs runs honest streams among a thousand slow ones.
//!
//! Why a separate clock: a client is not silent while the server does not read its bytes. By the
//! wall clock, a busy server would end the streams that wait for it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{self, Duration};

use hashlane_http2::{Config, Connection, FrameKind};
use tokio::time::Instant;

use super::body::Body;
use super::credit::{Credit, Verdict};
use super::flow::Flow;
use crate::limiter::Permit;
use crate::limits::Backlog;
use crate::limits::backlog::TURN_BYTES_MAX;
use crate::limits::unread::Holding;
use crate::metrics::counters::WorkerCounters;
use crate::ready::ReadyQueue;

/// Longest turn. Frames with few bytes reach this bound first.
const TURN_MAX: Duration = Duration::from_micros(200);

/// [`Link::turn_is_over`] reads the clock at every fourth call.
const CLOCK_CALLS: u32 = 4;

/// Frames in a turn.
const TURN_FRAMES_MAX: u32 = 64;

/// Bytes for the socket above which calls send no more.
pub(super) const UNSENT_BYTES_MAX: usize = 64 << 10;

/// Bytes for the socket above which the connection is not read. HTTP/2 itself answers frames, as
/// with PING, beyond what calls send.
pub(super) const OUTPUT_BYTES_MAX: usize = UNSENT_BYTES_MAX + (4 << 10);

/// State that a connection shares with its calls.
#[derive(Debug)]
pub(crate) struct Link {
    pub(super) protocol: RefCell<Connection<Rc<Body>>>,
    pub(super) flow: Rc<Flow>,
    /// Its calls, when they are woken.
    pub(super) ready: Arc<ReadyQueue>,
    /// Unread answers.
    pub(super) holding: Rc<Holding>,
    backlog: Rc<Backlog>,
    /// Wakes the connection.
    task: RefCell<Waker>,
    /// Calls that wait for a low backlog.
    waiting: RefCell<Vec<Waker>>,
    /// Streams whose answers wait for the client's windows or for the socket, by number.
    blocked: RefCell<BTreeMap<u32, Rc<Body>>>,
    turn_began: Cell<time::Instant>,
    /// The same on the runtime's clock.
    now: Cell<Instant>,
    /// Calls of [`turn_is_over`](Self::turn_is_over) in this turn.
    asked: Cell<u32>,
    is_over: Cell<bool>,
    turn_bytes: Cell<usize>,
    turn_frames: Cell<u32>,
    /// Bytes copied from shared memory in this turn.
    turn_copied: Cell<usize>,
    credit: RefCell<Credit>,
    /// The socket is not read before this time: the client has no credit left.
    paused_until: Cell<Option<Instant>>,
    /// The connection is gone; its calls must end.
    is_gone: Cell<bool>,
    began: Instant,
    /// Total time in which the socket was not read, up to `stopped`.
    unread_for: Cell<Duration>,
    stopped: Cell<Option<Instant>>,
}

impl Link {
    /// `credit_per_second` refills the credit for frames that carry little (credit.rs).
    pub(super) fn new(
        config: Config,
        backlog: &Rc<Backlog>,
        window: Permit,
        credit_per_second: u32,
        holding: Holding,
    ) -> Rc<Self> {
        let now = time::Instant::now();
        let ready = Arc::<ReadyQueue>::default();
        Rc::new(Self {
            flow: Flow::new(backlog, &ready, window, config.stream_window_bytes),
            protocol: RefCell::new(Connection::new(config)),
            ready,
            holding: Rc::new(holding),
            backlog: Rc::clone(backlog),
            task: RefCell::new(Waker::noop().clone()),
            waiting: RefCell::default(),
            blocked: RefCell::default(),
            turn_began: Cell::new(now),
            now: Cell::new(Instant::now()),
            asked: Cell::new(0),
            is_over: Cell::new(false),
            turn_bytes: Cell::new(0),
            turn_frames: Cell::new(0),
            turn_copied: Cell::new(0),
            credit: RefCell::new(Credit::new(credit_per_second, now)),
            paused_until: Cell::new(None),
            is_gone: Cell::new(false),
            began: Instant::now(),
            unread_for: Cell::new(Duration::ZERO),
            stopped: Cell::new(None),
        })
    }

    /// Begins a turn.
    pub(super) fn begin_turn(&self, task: &Waker) {
        self.ready.register(task);
        self.ready.set_running(true);
        self.task.borrow_mut().clone_from(task);
        self.turn_bytes.set(0);
        self.turn_copied.set(0);
        self.turn_began.set(time::Instant::now());
        self.now.set(Instant::now());
        self.asked.set(0);
        self.is_over.set(false);
        self.turn_frames.set(0);
        if !self.backlog.is_high() {
            self.waiting.borrow_mut().drain(..).for_each(Waker::wake);
        }
    }

    /// Ends a turn. Whatever was woken after the calls ran gets another one.
    pub(super) fn end_turn(&self) {
        self.ready.set_running(false);
        if !self.ready.is_empty() {
            self.wake();
        }
    }

    /// Gives the connection another turn.
    pub(super) fn wake(&self) {
        self.task.borrow().wake_by_ref();
    }

    /// Whether the turn's time is up. If so, the rest is for the next turn. Work between two
    /// checks takes 25 us at most, so only every fourth reads the clock.
    pub(crate) fn turn_is_over(&self) -> bool {
        let asked = self.asked.get() + 1;
        self.asked.set(asked);
        if asked.is_multiple_of(CLOCK_CALLS) && !self.is_over.get() {
            self.is_over
                .set(self.turn_began.get().elapsed() >= TURN_MAX);
        }
        self.is_over.get()
    }

    /// When the turn began.
    pub(crate) fn now(&self) -> Instant {
        self.now.get()
    }

    /// Ready in a turn with time left.
    pub(crate) async fn next_turn(&self) {
        poll_fn(|cx| {
            if self.turn_is_over() {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
    }

    /// Ready if the backlog is low. If not, the connection's next turn wakes the call.
    pub(crate) fn poll_low_backlog(&self, cx: &Context<'_>) -> Poll<()> {
        let low = self.backlog.poll_low(&self.task.borrow());
        if low.is_pending() {
            self.waiting.borrow_mut().push(cx.waker().clone());
        }
        low
    }

    /// How many bytes may be read from the socket now. `None`: nothing may be read, and nothing of
    /// what was read may be handled. The connection is woken when that changes.
    pub(super) fn may_read(&self) -> Option<usize> {
        let left = TURN_BYTES_MAX.saturating_sub(self.turn_bytes.get());
        let frames = self.turn_frames.get();
        if left == 0 || frames >= TURN_FRAMES_MAX || frames > 0 && self.turn_is_over() {
            self.wake();
            return None;
        }
        if self.is_clogged() {
            // The client causes this pause, not the server.
            self.note_stopped(false);
            return None;
        }
        let has_room = self.backlog.poll_low(&self.task.borrow()).is_ready()
            && self
                .paused_until
                .get()
                .is_none_or(|until| Instant::now() >= until);
        self.note_stopped(!has_room);
        if has_room {
            self.paused_until.set(None);
            return Some(left);
        }
        None
    }

    /// Notes whether the server itself pauses reading.
    fn note_stopped(&self, is_stopped: bool) {
        match self.stopped.get() {
            None if is_stopped => self.stopped.set(Some(Instant::now())),
            Some(since) if !is_stopped => {
                self.unread_for.set(self.unread_for.get() + since.elapsed());
                self.stopped.set(None);
            }
            _ => {}
        }
    }

    /// When reading may resume, if the client has no credit left.
    pub(super) fn paused_until(&self) -> Option<Instant> {
        self.paused_until.get()
    }

    /// Ends the pause: its time has come.
    pub(super) fn resume(&self) {
        self.paused_until.set(None);
    }

    /// Counts bytes read from the socket.
    pub(super) fn count_bytes(&self, bytes: usize) {
        self.turn_bytes.set(self.turn_bytes.get() + bytes);
    }

    /// Counts bytes that a call has copied from shared memory. They end a turn as bytes from the
    /// socket do.
    pub(crate) fn count_copied(&self, bytes: usize) {
        let copied = self.turn_copied.get() + bytes;
        self.turn_copied.set(copied);
        if copied >= TURN_BYTES_MAX {
            self.is_over.set(true);
        }
        self.credit.borrow_mut().named(bytes);
    }

    /// Counts a frame, or a piece of one.
    pub(super) fn count_frame(&self) {
        self.turn_frames.set(self.turn_frames.get() + 1);
    }

    /// Charges the frames since the last call. Returns the kind that used up the client's credit,
    /// if any did: the connection must be closed.
    pub(super) fn charge(&self, counters: &WorkerCounters) -> Option<FrameKind> {
        let seen = self.protocol.borrow_mut().take_seen();
        match self.credit.borrow_mut().count(&seen, time::Instant::now) {
            Verdict::Go => {}
            Verdict::Pause(time) => {
                self.paused_until.set(Some(Instant::now() + time));
                counters.pauses.add(1);
            }
            Verdict::Close(kind) => return Some(kind),
        }
        None
    }

    /// The server ended a call or answered a part, which earns credit.
    pub(super) fn answered(&self) {
        self.credit.borrow_mut().answered();
    }

    /// The answer of this stream waits until more may be sent.
    pub(super) fn block(&self, body: &Rc<Body>) {
        let mut blocked = self.blocked.borrow_mut();
        blocked.entry(body.id()).or_insert_with(|| Rc::clone(body));
    }

    /// This stream sends no more answers.
    pub(super) fn forget(&self, body: &Body) {
        self.blocked.borrow_mut().remove(&body.id());
    }

    /// Wakes the streams that wait to send and now may. Those that have sent since the last time
    /// come last, so that streams take turns.
    pub(super) fn unblock(&self) {
        let protocol = self.protocol.borrow();
        let mut blocked = self.blocked.borrow_mut();
        let may_send = |id: &u32, _: &mut Rc<Body>| protocol.send_room(*id) != Some(0);
        let (sent, first): (Vec<_>, Vec<_>) = blocked
            .extract_if(.., may_send)
            .partition(|(_, body)| body.has_sent());
        for (_, body) in first.into_iter().chain(sent) {
            body.unblock();
        }
    }

    /// Forgets all streams: the connection is gone.
    pub(super) fn clear(&self) {
        self.blocked.take();
    }

    /// Whether so much output waits that the socket is not read.
    pub(super) fn is_clogged(&self) -> bool {
        self.protocol.borrow().output_bytes() >= OUTPUT_BYTES_MAX
    }

    /// Whether the connection is gone: its client sends and receives nothing more.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone.get()
    }

    pub(super) fn set_gone(&self) {
        self.is_gone.set(true);
    }

    /// Whether the server is reading the socket or waiting for it to have data.
    pub(super) fn listens(&self) -> bool {
        self.stopped.get().is_none()
    }

    /// Time in which the server read the socket or waited for data, up to `now`.
    pub(crate) fn listened(&self, now: Instant) -> Duration {
        let until = self.stopped.get().unwrap_or(now);
        until
            .saturating_duration_since(self.began)
            .saturating_sub(self.unread_for.get())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::client::ClientId;
    use crate::config::Settings;
    use crate::limits::Limits;

    const CONFIG: Config = Config {
        streams_max: 1,
        stream_window_bytes: 65_535,
        connection_window_bytes: 65_535,
        frame_bytes_max: 16_384,
        header_list_bytes_max: 16_384,
    };

    /// A link of a client whose shares are large.
    pub(in super::super) fn link(backlog: &Rc<Backlog>) -> Rc<Link> {
        let limits = Limits::new(&Settings::default());
        let client = limits.client(&ClientId::Uid(1), time::Instant::now());
        let window = limits.window(&client).unwrap();
        Link::new(CONFIG, backlog, window, 1, limits.unread.hold(&client))
    }

    #[tokio::test]
    async fn a_socket_that_takes_no_output_is_not_read() {
        let link = link(&Backlog::new());
        link.begin_turn(Waker::noop());
        assert!(link.may_read().is_some());
        link.protocol
            .borrow_mut()
            .output()
            .resize(OUTPUT_BYTES_MAX, 0);
        // The clock goes on meanwhile: the client causes this pause.
        assert_eq!(link.may_read(), None);
        assert!(link.listens());
        link.protocol.borrow_mut().output().truncate(100);
        assert!(link.may_read().is_some());
    }

    #[tokio::test]
    async fn a_turn_reads_so_many_bytes_and_frames() {
        let link = link(&Backlog::new());
        let tasks = Arc::<ReadyQueue>::default();
        let task = tasks.add(0);
        let turn = || {
            tasks.take();
            task.begin();
            link.begin_turn(&Arc::clone(&task).into());
        };
        for _ in 0..2 {
            turn();
            link.count_bytes(TURN_BYTES_MAX - 1);
            assert_eq!(link.may_read(), Some(1));
            assert!(tasks.is_empty());
            link.count_bytes(1);
            assert_eq!(link.may_read(), None);
            assert!(!tasks.is_empty(), "it is not woken");
            turn();
            (1..TURN_FRAMES_MAX).for_each(|_| link.count_frame());
            link.turn_began.set(time::Instant::now());
            assert!(link.may_read().is_some());
            link.count_frame();
            assert_eq!(link.may_read(), None);
            assert!(!tasks.is_empty(), "it is not woken");
        }
    }

    /// The connection's timer would otherwise fire again and again.
    #[tokio::test(start_paused = true)]
    async fn a_pause_ends_although_the_backlog_is_high() {
        let backlog = Backlog::new();
        let link = link(&backlog);
        link.begin_turn(Waker::noop());
        let until = Instant::now() + Duration::from_millis(50);
        link.paused_until.set(Some(until));
        assert_eq!(link.may_read(), None);
        backlog.set(usize::MAX, true);
        tokio::time::sleep_until(until).await;
        assert_eq!(link.may_read(), None);
        link.resume();
        assert_eq!(link.paused_until(), None);
        backlog.set(0, true);
        assert!(link.may_read().is_some());
    }

    #[tokio::test]
    async fn the_clock_stands_still_while_the_socket_is_not_read() {
        let backlog = Backlog::new();
        let link = link(&backlog);
        link.begin_turn(Waker::noop());
        let start = link.began;
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(link.listened(at(5)), Duration::from_secs(5));
        backlog.set(usize::MAX, true);
        assert_eq!(link.may_read(), None);
        let stopped = link.listened(at(7));
        assert!(stopped < Duration::from_secs(5));
        assert_eq!(link.listened(at(9)), stopped);
        backlog.set(0, true);
        assert!(link.may_read().is_some());
        assert!(link.listened(at(10)) > Duration::from_secs(5));
    }
}
