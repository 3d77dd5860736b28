//! How much is read from a connection's socket at a time.
//!
//! h2 reads a socket until it is empty, and keeps the frames until their
//! streams are polled. Large frames are bounded by the window. Frames of a few
//! bytes take far more memory than window, and h2 defends itself: it closes
//! the connection when those unread, counted as 256 bytes each, are more than
//! half of its window. An honest burst of small parts must not get there:
//!
//! - a turn ends after a number of small frames, so that the streams can take
//!   theirs ([`Gated`]);
//! - a stream that is not read for want of room, and whose frames are small,
//!   closes the [`Gate`]: the socket is not read until there is room, which
//!   comes without the client's doing anything.

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// h2 counts a DATA frame with fewer bytes as if it had so many.
pub(crate) const SMALL_BYTES: usize = 256;

/// A turn ends after one small frame for so many bytes of the window: an
/// eighth of what h2 lets lie.
const WINDOW_PER_SMALL: usize = 16 * SMALL_BYTES;

/// One read may be so great a part of the window. Parts of a few bytes make
/// frames of 19, heads included: 13 times what they take here is then six
/// eighths of what h2 lets lie.
const WINDOW_PER_READ: usize = 32;

/// No buffer of h2's is larger while frames are small.
const READ_BYTES_MAX: usize = 128 << 10;

/// Whether a connection's socket is read, and in which turn.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    closed: Cell<usize>,
    /// Small frames of this turn.
    small: Cell<usize>,
    waker: RefCell<Option<Waker>>,
}

impl Gate {
    /// Begins a turn: the connection's task is polled. h2 may come back to the
    /// socket several times in one, once for each stream that begins.
    pub(crate) fn turn(&self) {
        self.small.set(0);
    }

    /// Closes the gate for as long as what is returned lives.
    pub(crate) fn close(self: &Rc<Self>) -> Closed {
        self.closed.set(self.closed.get() + 1);
        Closed(Rc::clone(self))
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

/// Finds the frames in what a client sends (RFC 9113 section 4.1).
#[derive(Debug)]
struct Frames {
    head: [u8; 9],
    head_len: usize,
    /// Bytes before the next head; the client's preface at first.
    skip: usize,
}

impl Frames {
    fn new() -> Self {
        Self {
            head: [0; 9],
            head_len: 0,
            skip: 24,
        }
    }

    /// Small DATA frames that begin in `bytes`, which come next.
    fn small(&mut self, mut bytes: &[u8]) -> usize {
        let mut small = 0;
        loop {
            let skipped = self.skip.min(bytes.len());
            self.skip -= skipped;
            bytes = &bytes[skipped..];
            if bytes.is_empty() {
                return small;
            }
            let taken = (9 - self.head_len).min(bytes.len());
            self.head[self.head_len..][..taken].copy_from_slice(&bytes[..taken]);
            self.head_len += taken;
            bytes = &bytes[taken..];
            if self.head_len == 9 {
                let [a, b, c, kind, ..] = self.head;
                self.head_len = 0;
                self.skip = u32::from_be_bytes([0, a, b, c]) as usize;
                small += usize::from(kind == 0 && self.skip < SMALL_BYTES);
            }
        }
    }
}

/// A socket behind a gate, read in turns.
pub(crate) struct Gated<S> {
    socket: S,
    gate: Rc<Gate>,
    frames: Frames,
    small_max: usize,
    read_bytes_max: usize,
}

impl<S> Gated<S> {
    pub(crate) fn new(socket: S, gate: &Rc<Gate>, window_bytes: u32) -> Self {
        let window_bytes = window_bytes as usize;
        Self {
            socket,
            gate: Rc::clone(gate),
            frames: Frames::new(),
            small_max: window_bytes / WINDOW_PER_SMALL,
            read_bytes_max: window_bytes / WINDOW_PER_READ,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gated<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.gate.closed.get() > 0 {
            this.gate.waker.replace(Some(cx.waker().clone()));
            return Poll::Pending;
        }
        if this.gate.small.get() > this.small_max {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buf.filled().len();
        let socket = Pin::new(&mut this.socket);
        let polled =
            if this.read_bytes_max >= READ_BYTES_MAX || this.read_bytes_max >= buf.remaining() {
                socket.poll_read(cx, buf)
            } else {
                let mut less = ReadBuf::new(buf.initialize_unfilled_to(this.read_bytes_max));
                let polled = socket.poll_read(cx, &mut less);
                let read = less.filled().len();
                buf.advance(read);
                polled
            };
        let small = this.frames.small(&buf.filled()[before..]);
        this.gate.small.set(this.gate.small.get() + small);
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gated<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    /// Bytes that one look at a socket full of `frame` reads.
    fn turn<S: AsyncRead + Unpin>(gated: &mut Gated<S>, cx: &mut Context<'_>) -> usize {
        let mut all = 0;
        let mut space = [0; 10_000];
        loop {
            let mut buf = ReadBuf::new(&mut space);
            match Pin::new(&mut *gated).poll_read(cx, &mut buf) {
                Poll::Ready(read) => read.unwrap(),
                Poll::Pending => return all,
            }
            if buf.filled().is_empty() {
                return all;
            }
            all += buf.filled().len();
        }
    }

    fn data(len: u8) -> Vec<u8> {
        let mut frame = vec![0, 0, len, 0, 0, 0, 0, 0, 1];
        frame.resize(9 + usize::from(len), 7);
        frame
    }

    /// The client's bytes: preface, settings, then `count` frames.
    fn sent(frame: &[u8], count: usize) -> Vec<u8> {
        let mut sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        sent.extend_from_slice(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
        sent.extend(frame.iter().copied().cycle().take(frame.len() * count));
        sent
    }

    #[test]
    fn small_frames_are_found_however_the_bytes_are_cut() {
        let mut all = sent(&data(10), 3);
        all.extend_from_slice(&[0, 1, 0, 0, 0, 0, 0, 0, 1]);
        all.extend_from_slice(&[0; 256]);
        all.extend_from_slice(&data(255));
        for cut in 1..all.len() {
            let mut frames = Frames::new();
            let small: usize = all.chunks(cut).map(|bytes| frames.small(bytes)).sum();
            assert_eq!(small, 4, "{cut}");
        }
    }

    #[test]
    fn turns_of_small_frames_are_bounded_and_the_gate_holds() {
        let wakes = Arc::<Wakes>::default();
        let waker = Waker::from(Arc::clone(&wakes));
        let mut cx = Context::from_waker(&waker);
        let gate = Rc::<Gate>::default();
        let window_bytes = 256 << 10;
        let sent_bytes = sent(&data(10), 10_000);
        let mut gated = Gated::new(&sent_bytes[..], &gate, window_bytes);
        // A read has 8 KiB, or 431 frames of 19 bytes.
        assert_eq!(turn(&mut gated, &mut cx), 8192);
        assert_eq!(turn(&mut gated, &mut cx), 0);
        assert_eq!(wakes.0.load(Relaxed), 2, "it comes back by itself");
        gate.turn();
        assert_eq!(turn(&mut gated, &mut cx), 8192);

        gate.turn();
        let closed = [gate.close(), gate.close()];
        assert_eq!(turn(&mut gated, &mut cx), 0);
        let [first, second] = closed;
        drop(first);
        assert_eq!(turn(&mut gated, &mut cx), 0);
        assert_eq!(wakes.0.load(Relaxed), 3);
        drop(second);
        assert_eq!(wakes.0.load(Relaxed), 4, "woken when it opens");
        gate.turn();
        assert_eq!(turn(&mut gated, &mut cx), 8192);

        let mut large = vec![0, 16, 0, 0, 0, 0, 0, 0, 1];
        large.resize(9 + 4096, 7);
        let sent_bytes = sent(&large, 1000);
        gate.turn();
        let mut gated = Gated::new(&sent_bytes[..], &gate, window_bytes);
        assert_eq!(turn(&mut gated, &mut cx), sent_bytes.len());
    }
}
