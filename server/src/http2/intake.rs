//! Decides whether a connection's socket is read now, before each read.
//!
//! ```text
//! poll_may_read ── turn over?     yes ─> stays ready; the schedule picks its next turn
//!               ── backlog high?  yes ─> stays ready; the engine steps first
//!               ── no credit?     yes ─> waits until time has refilled some
//!               ── unwritten?     yes ─> waits until the socket takes HTTP/2's replies
//! ```
//!
//! A turn is one poll of the connection's future. It ends after [`TURN_BYTES_MAX`] bytes,
//! [`TURN_FRAMES_MAX`] frames or [`TURN_MAX`]. So connections share the worker by time, and the
//! engine gets bytes while they are in cache.
//!
//! Time in which the server did not read the socket does not count against the client: timeouts and
//! rates of streams use [`Intake::listened`], a clock that stops during such pauses.
//!
//! Why a time bound too: with a bound in bytes alone, a connection of Digest calls in one-byte
//! frames raised the answer delay of other connections from 5 ms to 2.2 s.
//! server/tests/server/stalled.rs runs honest streams among a thousand slow ones.
//!
//! Why a separate clock: a client is not silent while the server does not read its bytes. By the
//! wall clock, a busy server would end the streams that wait for it.

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

/// Longest turn. Frames with few bytes reach this bound first.
const TURN_MAX: Duration = Duration::from_micros(200);

/// Frames in a turn. Until their calls run, HTTP/2 keeps them in a table (270 bytes each) that does
/// not shrink. Replies that they cause wait until the turn ends.
const TURN_FRAMES_MAX: u32 = 64;

/// Frames read while the socket does not accept all output. Each may make HTTP/2 queue a reply: an
/// RST_STREAM with 600 bytes of state. Above this bound, the socket is not read until it has
/// accepted all output.
const UNWRITTEN_FRAMES_MAX: u32 = 64;

/// State that a connection shares with its reader and its streams.
#[derive(Debug)]
pub(crate) struct Intake {
    backlog: Rc<Backlog>,
    /// Calls that wait for a low backlog.
    waiting: RefCell<Vec<Waker>>,
    /// Bytes read in this turn, and the turn's start.
    turn_bytes: Cell<usize>,
    turn_began: Cell<time::Instant>,
    /// Frames handed on in this turn.
    turn_frames: Cell<u32>,
    /// When the socket stopped accepting output.
    unwritten: Cell<Option<Instant>>,
    /// Frames handed on since the socket last accepted all output.
    unwritten_frames: Cell<u32>,
    /// Wakes the connection.
    task: RefCell<Waker>,
    /// Wakes the connection, if it waits for the socket to accept output.
    blocked: RefCell<Option<Waker>>,
    /// HTTP/2 may only write now, not read.
    writing: Cell<bool>,
    /// The turn ended before all data that was read was handled.
    yielded: Cell<bool>,
    /// The last read found no data; the socket will wake the connection.
    waits: Cell<bool>,
    credit: RefCell<Credit>,
    /// The socket is not read before this time: the client has no credit left.
    paused_until: Cell<Option<Instant>>,
    /// Number of pauses since the last scrape.
    pauses: Cell<u64>,
    /// Why the connection must be closed.
    spent: Cell<Option<Kind>>,
    /// The connection is gone; its calls must end.
    gone: Cell<bool>,
    began: Instant,
    /// Total time in which the socket was not read, up to `stopped`.
    unread_for: Cell<Duration>,
    stopped: Cell<Option<Instant>>,
}

impl Intake {
    /// `credit_per_second` refills the credit for frames that carry little (credit.rs).
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

    /// Begins a turn, at each poll of the connection.
    pub(crate) fn begin_turn(&self, task: &Waker) {
        self.task.borrow_mut().clone_from(task);
        self.turn_bytes.set(0);
        self.turn_began.set(time::Instant::now());
        self.turn_frames.set(0);
        if !self.backlog.is_high() {
            self.waiting.borrow_mut().drain(..).for_each(Waker::wake);
        }
        // The last turn ended with all output written, or the socket accepted no more.
        if self.unwritten.get().is_none() {
            self.unwritten_frames.set(0);
        }
    }

    /// Whether the turn's time is up. If so, the connection handles the rest in its next turn,
    /// before it reads again.
    pub(crate) fn yields(&self) -> bool {
        let yields = self.turn_began.get().elapsed() >= TURN_MAX;
        if yields {
            self.yielded.set(true);
        }
        yields
    }

    /// Whether the last turn left data to handle.
    pub(super) fn take_yielded(&self) -> bool {
        self.yielded.take()
    }

    /// Whether the connection is gone: its client sends and receives nothing more.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.get()
    }

    pub(super) fn set_gone(&self) {
        self.gone.set(true);
    }

    /// Switches write-only mode, in which HTTP/2 writes but does not read.
    pub(super) fn only_write(&self, only: bool) {
        self.writing.set(only);
    }

    /// Ready if the socket may be read now, or if data read `ahead` may be handed on. If not, wakes
    /// the connection when it may; at the end of a turn that is at once.
    pub(super) fn poll_may_read(&self, cx: &mut Context<'_>, ahead: bool) -> Poll<()> {
        if self.writing.get() {
            // HTTP/2 stopped reading because it had no room to write, so it must be polled again.
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
            // The client causes this pause, not the server.
            self.note_stopped(false);
            return Poll::Pending;
        }
        let may_read = self.poll_room();
        self.note_stopped(may_read.is_pending());
        may_read
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

    /// Ready if the backlog is low. If not, the connection's next turn wakes the call.
    pub(crate) fn poll_low_backlog(&self, cx: &Context<'_>) -> Poll<()> {
        let low = self.backlog.poll_low(&self.task.borrow());
        if low.is_pending() {
            self.waiting.borrow_mut().push(cx.waker().clone());
        }
        low
    }

    /// When reading may resume, if the client has no credit left.
    pub(super) fn paused_until(&self) -> Option<Instant> {
        self.paused_until.get()
    }

    /// Ends the pause: its time has come.
    pub(super) fn resume(&self) {
        self.paused_until.set(None);
    }

    /// Wakes the connection, not the caller: only a new turn reads on (quiet.rs).
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

    /// Notes whether a read found no data.
    pub(super) fn set_waits(&self, waits: bool) {
        if !self.writing.get() {
            self.waits.set(waits);
        }
    }

    /// Counts bytes read from the socket.
    pub(super) fn count_bytes(&self, bytes: usize) {
        self.turn_bytes.set(self.turn_bytes.get() + bytes);
    }

    /// Counts frames that were handed on.
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

    /// Notes whether the socket accepted all output.
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

    /// Whether the socket has accepted no output for at least `time`.
    pub(super) fn is_stuck(&self, time: Duration) -> bool {
        self.unwritten
            .get()
            .is_some_and(|since| since.elapsed() >= time)
    }

    /// Number of pauses for small frames since the last call.
    pub(super) fn take_pauses(&self) -> u64 {
        self.pauses.take()
    }

    /// The frame kind that used up the client's credit, if any did. The connection must then be
    /// closed.
    pub(crate) fn spent(&self) -> Option<Kind> {
        self.spent.get()
    }

    /// The frame kind for which h2 itself closed the connection.
    pub(super) fn provoked(&self) -> Kind {
        self.credit.borrow().worst_of_last()
    }

    /// The server ended a call or answered a part, which earns credit.
    pub(super) fn answered(&self) {
        self.credit.borrow_mut().answered();
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

    /// The connection's timer would otherwise fire again and again.
    #[tokio::test(start_paused = true)]
    async fn a_pause_ends_although_the_backlog_is_high() {
        let backlog = Backlog::new();
        let intake = Intake::new(&backlog, 1);
        let mut seen = Seen::default();
        // More small frames than a connection has credit for.
        seen.frames[Kind::Data as usize] = 100_000;
        seen.small_data = 100_000;
        seen.data_bytes = 100_000;
        intake.count_frames(&seen);
        intake.begin_turn(Waker::noop());
        let until = intake.paused_until().unwrap();
        assert!(poll(&intake).is_pending());
        backlog.set(usize::MAX, true);
        tokio::time::sleep_until(until).await;
        assert!(poll(&intake).is_pending());
        intake.resume();
        assert_eq!(intake.paused_until(), None);
        backlog.set(0, true);
        assert!(poll(&intake).is_ready());
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
