//! Reads the socket ahead for rustls.
//!
//! rustls reads 4 KiB at a time, a quarter of a record. The wire reads as much as the worker's
//! shared buffers hold, and hands it on in pieces of 4 KiB.
//!
//! A client may send records of any size, even without payload, and rustls continues until it has
//! payload. So the wire bounds the time of reading; the rest waits for the connection's next turn.
//!
//! Why: reads of 4 KiB would be four system calls for each record of 16 KiB. TLS takes 1.36 times
//! the CPU time of plain HTTP/2, hashing included (docs/measurements.md, What adds to it).

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::read_buffers::{Input, ReadBuffers};

/// Bytes of a read: four records.
const READ_BYTES: usize = 64 << 10;

/// How long rustls may read at a time: one turn of a connection.
const TURN_MAX: Duration = Duration::from_micros(200);

/// A TCP socket with read-ahead.
#[derive(Debug)]
pub(crate) struct Wire<S = TcpStream> {
    socket: S,
    input: Input,
    /// When rustls first read in this turn.
    turn_began: Option<Instant>,
}

impl<S> Wire<S> {
    pub(super) fn new(socket: S, buffers: &Rc<ReadBuffers>) -> Self {
        Self {
            socket,
            input: Input::new(buffers),
            turn_began: None,
        }
    }

    /// Starts a turn. rustls may read for the time of a turn, and at least once.
    pub(crate) fn begin_turn(&mut self) {
        self.turn_began = None;
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        // A turn starts with its first read, which never waits.
        if this.turn_began.get_or_insert_with(Instant::now).elapsed() >= TURN_MAX {
            this.begin_turn();
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        ready!(this.input.poll_fill(&mut this.socket, READ_BYTES, cx))?;
        let bytes = this.input.bytes();
        let taken = bytes.split_to(bytes.len().min(buf.remaining()));
        buf.put_slice(&taken);
        this.input.leave();
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
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
        slices: &[IoSlice<'_>],
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
    use std::task::{Wake, Waker};

    use super::*;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    /// Has numbered bytes up to `end`, then no more.
    struct Arrived {
        next: usize,
        end: usize,
        reads: usize,
    }

    impl AsyncRead for Arrived {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            self.reads += 1;
            if self.next == self.end {
                return Poll::Pending;
            }
            while self.next < self.end && buf.remaining() > 0 {
                buf.put_slice(&[u8::try_from(self.next % 251).unwrap()]);
                self.next += 1;
            }
            Poll::Ready(Ok(()))
        }
    }

    fn wire(bytes: usize) -> Wire<Arrived> {
        let arrived = Arrived {
            next: 0,
            end: bytes,
            reads: 0,
        };
        Wire::new(arrived, &Rc::default())
    }

    /// One read as rustls does it; `None` if it must wait.
    fn read(wire: &mut Wire<Arrived>, waker: &Waker) -> Option<Vec<u8>> {
        let mut space = [0; 4096];
        let mut buf = ReadBuf::new(&mut space);
        let polled = Pin::new(wire).poll_read(&mut Context::from_waker(waker), &mut buf);
        polled.is_ready().then(|| buf.filled().to_vec())
    }

    #[test]
    fn every_byte_comes_through_in_few_reads_of_the_socket() {
        const BYTES: usize = 300_000;
        let mut wire = wire(BYTES);
        let mut taken = Vec::new();
        while taken.len() < BYTES {
            wire.begin_turn();
            taken.extend(read(&mut wire, Waker::noop()).unwrap());
        }
        let sent = (0..BYTES).map(|n| u8::try_from(n % 251).unwrap());
        assert!(taken.into_iter().eq(sent));
        assert_eq!(wire.socket.reads, BYTES.div_ceil(READ_BYTES));
        assert_eq!(read(&mut wire, Waker::noop()), None);
    }

    #[test]
    fn what_is_taken_in_one_go_ends_with_the_turn() {
        let mut wire = wire(100_000);
        let wakes = Arc::<Wakes>::default();
        let waker = Waker::from(Arc::clone(&wakes));
        assert!(read(&mut wire, &waker).is_some());
        let is_over = |wire: &mut Wire<Arrived>| {
            wire.turn_began = wire.turn_began.map(|began| began - TURN_MAX);
        };
        is_over(&mut wire);
        assert_eq!(read(&mut wire, &waker), None);
        assert_eq!(wakes.0.load(Relaxed), 1, "it comes back by itself");
        // Regardless of its length: during a handshake no code calls `begin_turn`.
        is_over(&mut wire);
        assert!(read(&mut wire, &waker).is_some(), "for another turn");
    }
}
