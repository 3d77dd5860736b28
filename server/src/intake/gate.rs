//! Whether one connection's socket is read, and how much in a turn.
//!
//! A turn, which is one poll of the connection's task, ends after
//! [`TURN_BYTES_MAX`], so that other connections have theirs and the engine
//! gets its bytes while they are in cache.
//!
//! Frames of a few bytes take far more memory than window, and h2 defends
//! itself: it closes the connection when those unread, counted as 256 bytes
//! each, are more than half of its window. An honest burst of small parts must
//! not get there:
//!
//! - a turn ends after a number of small frames, so that the streams can take
//!   theirs;
//! - a stream that is not read for want of room, and whose frames are small,
//!   closes the [`Gate`]: the socket is not read until there is room, which
//!   comes without the client's doing anything.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::frames::SMALL_BYTES;

/// Bytes read from a connection in a turn. Four busy connections then fill the
/// engine's lanes from L2; with half of it the turns themselves begin to cost.
const TURN_BYTES_MAX: usize = 256 << 10;

/// A turn ends after one small frame for so many bytes of the window: an
/// eighth of what h2 lets lie.
const WINDOW_PER_SMALL: usize = 16 * SMALL_BYTES;

/// What is handed on at a time may be so great a part of the window. Parts of a
/// few bytes make frames of 19, heads included: 13 times what they take here is
/// then six eighths of what h2 lets lie.
const WINDOW_PER_PIECE: usize = 32;

/// Whether a connection's socket is read, and in which turn.
#[derive(Debug)]
pub(crate) struct Gate {
    closed: Cell<usize>,
    /// Bytes read in this turn.
    bytes: Cell<usize>,
    /// Small frames of this turn.
    small: Cell<usize>,
    small_max: usize,
    piece_bytes_max: usize,
    waker: RefCell<Option<Waker>>,
}

impl Gate {
    /// The gate of a connection with this window.
    pub(crate) fn new(window_bytes: u32) -> Rc<Self> {
        Rc::new(Self {
            closed: Cell::new(0),
            bytes: Cell::new(0),
            small: Cell::new(0),
            small_max: window_bytes as usize / WINDOW_PER_SMALL,
            piece_bytes_max: (window_bytes as usize / WINDOW_PER_PIECE).max(1),
            waker: RefCell::default(),
        })
    }

    /// Begins a turn: the connection's task is polled. h2 may come back to the
    /// socket several times in one, once for each stream that begins.
    pub(crate) fn turn(&self) {
        self.bytes.set(0);
        self.small.set(0);
    }

    /// Closes the gate for as long as what is returned lives.
    pub(crate) fn close(self: &Rc<Self>) -> Closed {
        self.closed.set(self.closed.get() + 1);
        Closed(Rc::clone(self))
    }

    /// Ready if the socket may be read now, or what was read ahead of it be handed
    /// on. If not, the task is woken when it may, which after the end of a turn
    /// is at once.
    pub(super) fn poll_open(&self, cx: &Context<'_>, ahead: bool) -> Poll<()> {
        if self.closed.get() > 0 {
            self.waker.replace(Some(cx.waker().clone()));
            return Poll::Pending;
        }
        let had_enough = self.bytes.get() >= TURN_BYTES_MAX && !ahead;
        if had_enough || self.small.get() > self.small_max {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    pub(super) fn count_bytes(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes);
    }

    pub(super) fn count_small(&self, frames: usize) {
        self.small.set(self.small.get() + frames);
    }

    /// The most to hand on at a time.
    pub(super) const fn piece_bytes_max(&self) -> usize {
        self.piece_bytes_max
    }
}

/// Keeps a gate closed.
#[derive(Debug)]
pub(crate) struct Closed(Rc<Gate>);

impl Drop for Closed {
    fn drop(&mut self) {
        let closed = self.0.closed.get() - 1;
        self.0.closed.set(closed);
        if closed == 0
            && let Some(waker) = self.0.waker.take()
        {
            waker.wake();
        }
    }
}
