//! Read buffers shared by a worker's sockets.
//!
//! A socket holds a buffer only while it has unread bytes. So most of the time all sockets read
//! into the same buffer, which stays in the cache.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use crate::limits::AHEAD_BYTES;

/// Room before the read bytes, for earlier bytes.
pub(crate) const FRONT_BYTES: usize = 8;

/// Buffers kept for the next sockets.
const KEPT_MAX: usize = 4;

/// The unused buffers.
#[derive(Debug, Default)]
pub(crate) struct Scratch(RefCell<Vec<Vec<u8>>>);

impl Scratch {
    pub(crate) fn new() -> Rc<Self> {
        Rc::default()
    }

    pub(crate) fn take(&self) -> Vec<u8> {
        let kept = self.0.borrow_mut().pop();
        kept.unwrap_or_else(|| vec![0; FRONT_BYTES + AHEAD_BYTES])
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

/// Bytes read and not yet taken: `buffer[start..end]`.
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

    /// If empty, reads up to `bytes_max` from `socket` and puts `front` before them. At the end of
    /// the stream it is ready and still empty.
    pub(crate) fn poll_fill(
        &mut self,
        scratch: &Scratch,
        front: &[u8],
        bytes_max: usize,
        socket: &mut (impl AsyncRead + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let mut buffer = scratch.take();
        let mut space = ReadBuf::new(&mut buffer[FRONT_BYTES..][..bytes_max]);
        let polled = Pin::new(socket).poll_read(cx, &mut space);
        let read = space.filled().len();
        if read == 0 {
            scratch.put(buffer);
            ready!(polled)?;
            return Poll::Ready(Ok(()));
        }
        let start = FRONT_BYTES - front.len();
        buffer[start..FRONT_BYTES].copy_from_slice(front);
        *self = Self {
            buffer,
            start,
            end: FRONT_BYTES + read,
        };
        Poll::Ready(Ok(()))
    }

    /// Removes the first `bytes`.
    pub(crate) fn take(&mut self, bytes: usize, scratch: &Scratch) {
        self.start += bytes;
        if self.start == self.end && self.end > 0 {
            scratch.put(std::mem::take(self).buffer);
        }
    }
}
