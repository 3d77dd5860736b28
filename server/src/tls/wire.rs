//! The socket as rustls reads it.
//!
//! rustls asks for 4 KiB at a time, a quarter of a record. Here as much is read at once as the
//! worker's shared buffers hold, and handed on in such pieces.
//!
//! Records may be as small as their sender likes, down to none of the stream's bytes, and rustls
//! goes on until it has some. So what is handed on is bounded in time, and the task comes back
//! for the rest behind the worker's others.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::scratch::{Ahead, BUFFER_BYTES, Scratch};

/// How long rustls may take bytes in one go: as long as a connection's turn.
const TURN_MAX: Duration = Duration::from_micros(200);

/// A TCP socket that is read ahead.
#[derive(Debug)]
pub(crate) struct Wire<S = TcpStream> {
    socket: S,
    scratch: Rc<Scratch>,
    ahead: Ahead,
    turn_began: Instant,
}

impl<S> Wire<S> {
    pub(super) fn new(socket: S, scratch: &Rc<Scratch>) -> Self {
        Self {
            socket,
            scratch: Rc::clone(scratch),
            ahead: Ahead::default(),
            turn_began: Instant::now(),
        }
    }

    /// From now on rustls may take bytes for the time of a turn, and at least once.
    pub(crate) fn begin_turn(&mut self) {
        self.turn_began = Instant::now();
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.turn_began.elapsed() >= TURN_MAX {
            this.begin_turn();
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if this.ahead.is_empty() {
            let socket = &mut this.socket;
            ready!(
                this.ahead
                    .poll_fill(&this.scratch, BUFFER_BYTES, socket, cx)
            )?;
        }
        let bytes = this.ahead.bytes();
        let taken = bytes.len().min(buf.remaining());
        buf.put_slice(&bytes[..taken]);
        this.ahead.take(taken, &this.scratch);
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
