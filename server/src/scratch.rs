//! Buffers that a worker's sockets are read into.
//!
//! One holds a buffer only while it holds bytes that nobody has taken, so most of the time all
//! read into the same one, which stays in cache.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use crate::limits::AHEAD_BYTES;

/// Buffers kept for the next socket that is read.
const KEPT_MAX: usize = 4;

/// The buffers that nobody holds.
#[derive(Debug, Default)]
pub(crate) struct Scratch(RefCell<Vec<Vec<u8>>>);

impl Scratch {
    pub(crate) fn new() -> Rc<Self> {
        Rc::default()
    }

    pub(crate) fn take(&self) -> Vec<u8> {
        let kept = self.0.borrow_mut().pop();
        kept.unwrap_or_else(|| vec![0; AHEAD_BYTES])
    }

    pub(crate) fn put(&self, buffer: Vec<u8>) {
        let mut kept = self.0.borrow_mut();
        if kept.len() < KEPT_MAX {
            kept.push(buffer);
        }
    }

    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.0.borrow().len()
    }
}

/// Bytes read and not taken: `buffer[start..end]`.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Ahead {
    pub(crate) fn is_empty(&self) -> bool {
        self.end == 0
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads up to `bytes_max` from `socket`, when nothing is left; ready and still empty at the
    /// end of the stream.
    pub(crate) fn poll_fill(
        &mut self,
        scratch: &Scratch,
        bytes_max: usize,
        socket: &mut (impl AsyncRead + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let mut buffer = scratch.take();
        let mut space = ReadBuf::new(&mut buffer[..bytes_max]);
        let polled = Pin::new(socket).poll_read(cx, &mut space);
        let end = space.filled().len();
        if end == 0 {
            scratch.put(buffer);
            ready!(polled)?;
            return Poll::Ready(Ok(()));
        }
        *self = Self {
            buffer,
            start: 0,
            end,
        };
        Poll::Ready(Ok(()))
    }

    /// The first `bytes` were taken.
    pub(crate) fn take(&mut self, bytes: usize, scratch: &Scratch) {
        self.start += bytes;
        if self.start == self.end && self.end > 0 {
            scratch.put(std::mem::take(self).buffer);
        }
    }
}
