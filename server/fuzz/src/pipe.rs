//! A socket in memory. The client's side says how much of it is there, and when.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};

use hashlane_http2_frames::kind::GOAWAY;
use hashlane_http2_frames::{Head, frames, number_at};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Whether a task was woken.
#[derive(Debug, Default)]
pub(crate) struct Flag(AtomicBool);

impl Flag {
    pub(crate) fn woken() -> Arc<Self> {
        Arc::new(Self(AtomicBool::new(true)))
    }

    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Relaxed)
    }
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Relaxed);
    }
}

#[derive(Default)]
struct State {
    /// From the client, not read by the server.
    arrived: VecDeque<u8>,
    closed: bool,
    broken: bool,
    /// At most so many come of one read; and then, if `choppy`, nothing of the next.
    read_max: usize,
    choppy: bool,
    chopped: bool,
    reader: Option<Waker>,
    /// From the server, not read by the client: at most `room`.
    unread: VecDeque<u8>,
    room: usize,
    writer: Option<Waker>,
    /// All that the client has read.
    said: Vec<u8>,
    /// Reads and writes that came to something.
    moves: u64,
}

fn wake(waker: &mut Option<Waker>) {
    if let Some(waker) = waker.take() {
        waker.wake();
    }
}

/// Both sides of it.
#[derive(Clone)]
pub(crate) struct Pipe(Rc<RefCell<State>>);

impl Pipe {
    pub(crate) fn new() -> Self {
        let (read_max, room) = (usize::MAX, usize::MAX);
        Self(Rc::new(RefCell::new(State {
            read_max,
            room,
            ..State::default()
        })))
    }

    pub(crate) fn send(&self, bytes: &[u8]) {
        let mut state = self.0.borrow_mut();
        state.arrived.extend(bytes);
        wake(&mut state.reader);
    }

    pub(crate) fn close(&self) {
        let mut state = self.0.borrow_mut();
        state.closed = true;
        wake(&mut state.reader);
    }

    /// Nothing goes through any more, in either direction.
    pub(crate) fn cut(&self) {
        self.0.borrow_mut().broken = true;
        self.close();
        self.set_room(usize::MAX);
    }

    pub(crate) fn chop(&self, read_max: usize, choppy: bool) {
        let mut state = self.0.borrow_mut();
        state.read_max = read_max.max(1);
        state.choppy = choppy;
    }

    pub(crate) fn set_room(&self, room: usize) {
        let mut state = self.0.borrow_mut();
        state.room = room;
        wake(&mut state.writer);
    }

    /// The client reads so many bytes.
    pub(crate) fn take(&self, bytes: usize) {
        let state = &mut *self.0.borrow_mut();
        let bytes = bytes.min(state.unread.len());
        state.said.extend(state.unread.drain(..bytes));
        wake(&mut state.writer);
    }

    /// All that the client has read.
    pub(crate) fn said(&self) -> Vec<u8> {
        self.0.borrow().said.clone()
    }

    /// Bytes that the server has not read.
    pub(crate) fn left(&self) -> usize {
        self.0.borrow().arrived.len()
    }

    /// Whether the server can write.
    pub(crate) fn is_open(&self) -> bool {
        let state = self.0.borrow();
        state.unread.len() < state.room
    }

    pub(crate) fn moves(&self) -> u64 {
        self.0.borrow().moves
    }

    /// The server's frames: heads and payloads. Those too that the client has not read.
    pub(crate) fn frames(&self) -> Vec<(Head, Vec<u8>)> {
        let state = self.0.borrow();
        let said: Vec<u8> = state.said.iter().chain(&state.unread).copied().collect();
        let frames = frames(&said).map(|(head, payload)| (head, payload.to_vec()));
        frames.collect()
    }

    /// The reason of GOAWAY, if there was an error.
    pub(crate) fn verdict(&self) -> Option<u32> {
        let frames = self.frames().into_iter();
        let mut goodbyes = frames.filter(|(head, _)| head.kind == GOAWAY);
        goodbyes.find_map(|(_, payload)| number_at(&payload, 4).filter(|reason| *reason != 0))
    }
}

impl AsyncRead for Pipe {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let state = &mut *self.0.borrow_mut();
        if state.broken {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        if state.arrived.is_empty() && !state.closed {
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        state.chopped = state.choppy && !state.chopped;
        if state.chopped {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let count = state.arrived.len().min(state.read_max).min(buf.remaining());
        for byte in state.arrived.drain(..count) {
            buf.put_slice(&[byte]);
        }
        state.moves += 1;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let state = &mut *self.0.borrow_mut();
        if state.broken {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let count = bytes
            .len()
            .min(state.room.saturating_sub(state.unread.len()));
        if count == 0 && !bytes.is_empty() {
            state.writer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        state.unread.extend(&bytes[..count]);
        state.moves += 1;
        Poll::Ready(Ok(count))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
