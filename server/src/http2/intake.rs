//! Whether a connection's socket is read now: one question, asked before each piece.
//!
//! ```text
//! poll_may_read ── turn over?     yes ─> stays ready; the schedule says when it runs again
//!               ── backlog high?  yes ─> stays ready; the engine steps first
//!               ── no credit?     yes ─> until time has refilled some
//!               ── unwritten?     yes ─> until the socket takes what HTTP/2 answers
//! ```
//!
//! A turn, which is one poll of the connection's future, ends after [`TURN_BYTES_MAX`] bytes,
//! [`TURN_FRAMES_MAX`] frames or [`TURN_MAX`], so that connections share the worker by time and the
//! engine gets its bytes while they are in cache.
//!
//! Time in which the socket was not read does not count against the client: the timeouts
//! and rates of streams go by [`Intake::listened`], a clock that stands still meanwhile.
//!
//! Why a turn is bounded in time too: with a bound in bytes alone a connection of Digest calls in
//! frames of one byte raised the delay of other connections' answers from 5 ms to 2.2 s.
//! server/tests/server/stalled.rs has honest streams among a thousand slow ones.
//!
//! Why a clock of its own: a client is not silent while the server does not read what it sent. By
//! the wall clock a busy server would end the streams that wait for it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{self, Duration};

use tokio::time::Instant;

use super::credit::{Credit, Verdict};
use super::frames::Seen;
use crate::limits::Backlog;
use crate::limits::backlog::TURN_BYTES_MAX;
use crate::metrics::counters::FrameKind as Kind;

/// Time of a turn, which frames that bring few bytes reach first.
const TURN_MAX: Duration = Duration::from_micros(200);

/// Frames of a turn. Before their calls look they wait in a table of HTTP/2, 270 bytes each,
/// that does not shrink; and what they make HTTP/2 answer waits until the turn's end.
const TURN_FRAMES_MAX: u32 = 64;

/// Frames read while the socket does not take all that is to be written: each may make HTTP/2 queue
/// an answer of its own, an RST_STREAM with 600 bytes of state. Then the socket is not read, until it
/// has taken all.
const UNWRITTEN_FRAMES_MAX: u32 = 64;

/// What a connection, its reader and its streams know of each other.
#[derive(Debug)]
pub(crate) struct Intake {
    backlog: Rc<Backlog>,
    /// Calls that wait for a lower backlog.
    waiting: RefCell<Vec<Waker>>,
    /// Bytes read in this turn, and when it began.
    turn_bytes: Cell<usize>,
    turn_began: Cell<time::Instant>,
    /// Frames handed on in it.
    turn_frames: Cell<u32>,
    /// Since when the socket takes nothing.
    unwritten: Cell<Option<Instant>>,
    /// Frames handed on since it had taken all.
    unwritten_frames: Cell<u32>,
    /// Wakes the connection.
    task: RefCell<Waker>,
    /// Wakes the connection, if it waits for the socket to take more.
    blocked: RefCell<Option<Waker>>,
    /// Nothing is read: HTTP/2 is only to write.
    writing: Cell<bool>,
    /// The turn ended before all that was read was used.
    yielded: Cell<bool>,
    /// The last attempt to read found nothing, and will wake the connection.
    waits: Cell<bool>,
    credit: RefCell<Credit>,
    /// The socket is not read before this time: the client has no credit left.
    paused_until: Cell<Option<Instant>>,
    /// Number of pauses since the last scrape.
    pauses: Cell<u64>,
    /// Why the connection is to be closed.
    spent: Cell<Option<Kind>>,
    /// The connection is gone, and its calls are to end.
    gone: Cell<bool>,
    began: Instant,
    /// How long the socket was not read, up to `stopped`.
    unread_for: Cell<Duration>,
    stopped: Cell<Option<Instant>>,
}

impl Intake {
    /// Frames that carry little have so much credit, which time refills (credit.rs).
    pub(crate) fn new(backlog: &Rc<Backlog>, credit_per_second: u32) -> Rc<Self> {
        let now = time::Instant::now();
        Rc::new(Self {
            backlog: Rc::clone(backlog),
            waiting: RefCell::default(),
            turn_bytes: Cell::new(0),
            turn_began: Cell::new(now),
            turn_frames: Cell::new(0),
            unwritten: Cell::new(None),
            unwritten_frames: Cell::new(0),
            task: RefCell::new(Waker::noop().clone()),
            blocked: RefCell::default(),
            writing: Cell::new(false),
            yielded: Cell::new(false),
            waits: Cell::new(false),
            credit: RefCell::new(Credit::new(credit_per_second, now)),
            paused_until: Cell::new(None),
            pauses: Cell::new(0),
            spent: Cell::new(None),
            gone: Cell::new(false),
            began: Instant::now(),
            unread_for: Cell::new(Duration::ZERO),
            stopped: Cell::new(None),
        })
    }

    /// Begins a turn: the connection is polled.
    pub(crate) fn begin_turn(&self, task: &Waker) {
        self.task.borrow_mut().clone_from(task);
        self.turn_bytes.set(0);
        self.turn_began.set(time::Instant::now());
        self.turn_frames.set(0);
        if !self.backlog.is_high() {
            self.waiting.borrow_mut().drain(..).for_each(Waker::wake);
        }
        // The last turn ended with all written, or the socket took no more.
        if self.unwritten.get().is_none() {
            self.unwritten_frames.set(0);
        }
    }

    /// Whether the turn has lasted long enough. What is left is for the next one, and the
    /// connection is to come back for it before it reads on.
    pub(crate) fn yields(&self) -> bool {
        let yields = self.turn_began.get().elapsed() >= TURN_MAX;
        if yields {
            self.yielded.set(true);
        }
        yields
    }

    /// Whether something was left by the last turn.
    pub(super) fn take_yielded(&self) -> bool {
        self.yielded.take()
    }

    /// Whether the connection is gone: nothing comes from its client any more, and nothing reaches
    /// it.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.get()
    }

    pub(super) fn set_gone(&self) {
        self.gone.set(true);
    }

    /// From now on HTTP/2 writes and reads nothing, or reads again.
    pub(super) fn only_write(&self, only: bool) {
        self.writing.set(only);
    }

    /// Ready if the socket may be read now, or what was read `ahead` of it be handed
    /// on. If not, the connection is woken when it may, which after the end of a turn is at once.
    pub(super) fn poll_may_read(&self, cx: &mut Context<'_>, ahead: bool) -> Poll<()> {
        if self.writing.get() {
            // HTTP/2 stopped reading for want of room to write: it is to come back.
            if !self.waits.get() {
                cx.waker().wake_by_ref();
            }
            return Poll::Pending;
        }
        if self.spent.get().is_some() {
            return Poll::Pending;
        }
        let had_enough = self.turn_bytes.get() >= TURN_BYTES_MAX && !ahead;
        let frames = self.turn_frames.get();
        if had_enough
            || frames >= TURN_FRAMES_MAX
            || frames > 0 && self.turn_began.get().elapsed() >= TURN_MAX
        {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.unwritten.get().is_some() && self.unwritten_frames.get() > UNWRITTEN_FRAMES_MAX {
            self.blocked.replace(Some(cx.waker().clone()));
            // It is the client that keeps the server from reading.
            self.note_stopped(false);
            return Poll::Pending;
        }
        let may_read = self.poll_room();
        self.note_stopped(may_read.is_pending());
        may_read
    }

    /// Notes whether the server itself keeps the socket from being read.
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

    /// Ready if the backlog is low. If not, the connection's next turn polls the call again.
    pub(crate) fn poll_low_backlog(&self, cx: &Context<'_>) -> Poll<()> {
        let low = self.backlog.poll_low(&self.task.borrow());
        if low.is_pending() {
            self.waiting.borrow_mut().push(cx.waker().clone());
        }
        low
    }

    /// When the socket may be read again, if the client has no credit left.
    pub(super) fn paused_until(&self) -> Option<Instant> {
        self.paused_until.get()
    }

    /// Wakes the connection itself: only another turn reads on (quiet.rs).
    fn poll_room(&self) -> Poll<()> {
        let task = self.task.borrow();
        if self.backlog.poll_low(&task).is_pending() {
            return Poll::Pending;
        }
        if let Some(until) = self.paused_until.get() {
            if Instant::now() < until {
                return Poll::Pending;
            }
            self.paused_until.set(None);
        }
        Poll::Ready(())
    }

    /// Notes whether an attempt to read came to nothing.
    pub(super) fn set_waits(&self, waits: bool) {
        if !self.writing.get() {
            self.waits.set(waits);
        }
    }

    /// Counts what was read from the socket.
    pub(super) fn count_bytes(&self, bytes: usize) {
        self.turn_bytes.set(self.turn_bytes.get() + bytes);
    }

    /// Counts the frames that were handed on.
    pub(super) fn count_frames(&self, seen: &Seen) {
        let frames: u32 = seen.frames.iter().sum();
        self.turn_frames.set(self.turn_frames.get() + frames);
        let all = self.unwritten_frames.get().saturating_add(frames);
        self.unwritten_frames.set(all);
        match self.credit.borrow_mut().count(seen, time::Instant::now) {
            Verdict::Go => {}
            Verdict::Pause(time) => {
                self.paused_until.set(Some(Instant::now() + time));
                self.pauses.set(self.pauses.get() + 1);
            }
            Verdict::Close(kind) => self.spent.set(Some(kind)),
        }
    }

    /// Notes whether the socket took what was to be written.
    pub(super) fn set_written(&self, written: bool) {
        if !written {
            if self.unwritten.get().is_none() {
                self.unwritten.set(Some(Instant::now()));
            }
            return;
        }
        self.unwritten.set(None);
        if let Some(waker) = self.blocked.take() {
            waker.wake();
        }
    }

    /// Whether the socket has taken nothing for so long.
    pub(super) fn is_stuck(&self, time: Duration) -> bool {
        self.unwritten
            .get()
            .is_some_and(|since| since.elapsed() >= time)
    }

    /// Times that small frames had used up their credit, since the last call.
    pub(super) fn take_pauses(&self) -> u64 {
        self.pauses.take()
    }

    /// The kind of frames with which the client used up its credit, if it did: the
    /// connection is to be closed.
    pub(crate) fn spent(&self) -> Option<Kind> {
        self.spent.get()
    }

    /// The kind of frames for which HTTP/2 itself closed the connection.
    pub(super) fn provoked(&self) -> Kind {
        self.credit.borrow().worst_of_last()
    }

    /// The server ended a call, or answered a part: that earns credit.
    pub(super) fn answered(&self) {
        self.credit.borrow_mut().answered();
    }

    /// Whether the socket is read, or waited at.
    pub(super) fn listens(&self) -> bool {
        self.stopped.get().is_none()
    }

    /// How long the socket was read, or waited at, up to `now`.
    pub(crate) fn listened(&self, now: Instant) -> Duration {
        let until = self.stopped.get().unwrap_or(now);
        until
            .saturating_duration_since(self.began)
            .saturating_sub(self.unread_for.get())
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

    fn poll(intake: &Intake) -> Poll<()> {
        intake.poll_may_read(&mut Context::from_waker(Waker::noop()), false)
    }

    /// HTTP/2 that reads only because it could not write has registered nothing that would
    /// bring it back, unless its last attempt to read did.
    #[tokio::test]
    async fn a_task_that_only_writes_comes_back_to_read() {
        let intake = Intake::new(&Backlog::new(), 1);
        let woken = Arc::<Woken>::default();
        let waker = Waker::from(Arc::clone(&woken));
        let mut cx = Context::from_waker(&waker);
        for (waits, wakes) in [(false, true), (true, false)] {
            intake.set_waits(waits);
            intake.only_write(true);
            assert!(intake.poll_may_read(&mut cx, false).is_pending());
            assert_eq!(woken.0.swap(false, Relaxed), wakes);
            // What is not an attempt to read changes nothing.
            intake.set_waits(!waits);
            assert!(intake.poll_may_read(&mut cx, false).is_pending());
            assert_eq!(woken.0.swap(false, Relaxed), wakes);
            intake.only_write(false);
            assert!(intake.poll_may_read(&mut cx, false).is_ready());
        }
    }

    /// Each frame may have an answer that waits. The clock goes on meanwhile: it is the client that
    /// takes none.
    #[tokio::test]
    async fn a_socket_that_takes_some_answers_is_not_read_for_more() {
        let intake = Intake::new(&Backlog::new(), 1);
        let woken = Arc::<Woken>::default();
        let waker = Waker::from(Arc::clone(&woken));
        let mut cx = Context::from_waker(&waker);
        let mut seen = Seen::default();
        seen.frames[Kind::Data as usize] = UNWRITTEN_FRAMES_MAX;
        let blocked_turn = || {
            intake.set_written(false);
            intake.begin_turn(&waker);
        };
        intake.count_frames(&seen);
        blocked_turn();
        assert!(intake.poll_may_read(&mut cx, false).is_ready());
        seen.frames[Kind::Data as usize] = 1;
        intake.count_frames(&seen);
        for _ in 0..3 {
            assert!(intake.poll_may_read(&mut cx, false).is_pending() && intake.listens());
            // It takes some, and no more.
            assert!(!woken.0.swap(false, Relaxed));
            intake.set_written(true);
            assert!(woken.0.swap(false, Relaxed), "it is to look again");
            blocked_turn();
        }
        // It takes all.
        assert!(intake.poll_may_read(&mut cx, false).is_pending());
        intake.set_written(true);
        assert!(woken.0.swap(false, Relaxed));
        intake.begin_turn(&waker);
        assert!(intake.poll_may_read(&mut cx, false).is_ready());
    }

    #[tokio::test]
    async fn the_clock_stands_still_while_the_socket_is_not_read() {
        let backlog = Backlog::new();
        let intake = Intake::new(&backlog, 1);
        let start = intake.began;
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(intake.listened(at(5)), Duration::from_secs(5));
        backlog.set(usize::MAX, true);
        assert!(poll(&intake).is_pending());
        let stopped = intake.listened(at(7));
        assert!(stopped < Duration::from_secs(5));
        assert_eq!(intake.listened(at(9)), stopped);
        backlog.set(0, true);
        assert!(poll(&intake).is_ready());
        assert!(intake.listened(at(10)) > Duration::from_secs(5));
    }
}
