//! Memory that sockets are read into. All connections of a worker share it.
//!
//! ```text
//! buffer: [ received, in use by chunks | received, dropped | free: the next read ]
//! ```
//!
//! A read hands out what it received as a slice of the buffer, so nothing is copied until it is
//! hashed. The next read, of any connection, fills the rest of the buffer. A full buffer is used
//! again once all of its slices are dropped.
//!
//! A slice keeps its whole buffer in use. So all slices are copied while [`BUFFERS_MAX`] buffers are
//! in use, and http2/body.rs copies small ones at all times.
//!
//! Why large buffers: each read and each buffer cuts a frame in two, and two chunks cost the engine
//! more than one. Buffers of 1 MiB would leave the cache before they are used again.
//!
//! Why reads of 96 KiB: a read locks the socket, and the packets of a client that sends meanwhile
//! queue up until the read ends. With reads of 256 KiB, client and server on two shared cores move a
//! tenth less (docs/measurements.md, Alternatives that were measured).

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::{BufMut as _, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::limits::{BUFFER_BYTES, BUFFERS_MAX, LEFT_BYTES_MAX, READ_BYTES_MIN};

/// A buffer with less room is full.
const ROOM_BYTES_MIN: usize = 64 << 10;

/// Most bytes of a read.
const READ_BYTES_MAX: usize = 96 << 10;

/// Free buffers that are kept, besides the one that is read into.
const FREE_MAX: usize = 2;

/// The buffers of a worker.
#[derive(Debug, Default)]
pub(crate) struct ReadBuffers {
    /// The buffer that is read into, from the first read on.
    current: RefCell<Option<BytesMut>>,
    /// Buffers that were full, the last one last. Some may be free by now.
    full: RefCell<Vec<BytesMut>>,
    /// Bytes that connections have read and left for a later turn.
    left_bytes: Cell<usize>,
}

impl ReadBuffers {
    /// Reads what has arrived. Empty at the end of the stream.
    fn poll_read(
        &self,
        socket: &mut (impl AsyncRead + Unpin),
        bytes_max: usize,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<Bytes>> {
        let mut current = self.current.borrow_mut();
        let buffer = current.get_or_insert_with(|| BytesMut::with_capacity(BUFFER_BYTES));
        if buffer.capacity() < ROOM_BYTES_MIN {
            self.replace(buffer);
        }
        let mut room = (&mut *buffer).limit(bytes_max);
        ready!(pin!(socket.read_buf(&mut room)).poll(cx))?;
        Poll::Ready(Ok(buffer.split().freeze()))
    }

    /// Replaces a full buffer by one that is free, or by a new one.
    fn replace(&self, buffer: &mut BytesMut) {
        let mut full = self.full.borrow_mut();
        let mut free = 0;
        full.retain_mut(|buffer| {
            let is_free = is_free(buffer);
            free += usize::from(is_free);
            !is_free || free <= FREE_MAX
        });
        if is_free(buffer) {
            return;
        }
        let free = full.iter_mut().rposition(is_free);
        let next = match free {
            Some(place) => full.remove(place),
            None => BytesMut::with_capacity(BUFFER_BYTES),
        };
        full.push(std::mem::replace(buffer, next));
    }

    fn are_in_use(&self) -> bool {
        self.full.borrow().len() >= BUFFERS_MAX
    }

    /// Returns the slice, or a copy of it.
    pub(crate) fn hand_on(&self, slice: Bytes) -> Bytes {
        if self.are_in_use() {
            return Bytes::copy_from_slice(&slice);
        }
        slice
    }
}

/// Makes the whole buffer free again, if none of its slices is left.
fn is_free(buffer: &mut BytesMut) -> bool {
    buffer.try_reclaim(BUFFER_BYTES)
}

/// What a connection has read and not handled yet.
#[derive(Debug)]
pub(crate) struct Input {
    buffers: Rc<ReadBuffers>,
    bytes: Bytes,
    /// The part of `bytes` that is counted as left.
    left_bytes: usize,
    /// `bytes` is a copy, not a slice of a buffer.
    are_copied: bool,
}

impl Input {
    pub(crate) fn new(buffers: &Rc<ReadBuffers>) -> Self {
        Self {
            buffers: Rc::clone(buffers),
            bytes: Bytes::new(),
            left_bytes: 0,
            are_copied: false,
        }
    }

    /// Reads what has arrived, if all that was read before is handled. Ready and empty at the end
    /// of the stream.
    pub(crate) fn poll_fill(
        &mut self,
        socket: &mut (impl AsyncRead + Unpin),
        bytes_max: usize,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        if self.bytes.is_empty() {
            let much_is_left = self.buffers.left_bytes.get() >= LEFT_BYTES_MAX;
            let most = if much_is_left {
                READ_BYTES_MIN
            } else {
                READ_BYTES_MAX
            };
            self.bytes = ready!(self.buffers.poll_read(socket, bytes_max.min(most), cx))?;
            self.are_copied = false;
        }
        Poll::Ready(Ok(()))
    }

    /// What is not handled yet. The caller removes what it handles.
    pub(crate) fn bytes(&mut self) -> &mut Bytes {
        &mut self.bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The rest is not wanted.
    pub(crate) fn discard(&mut self) {
        self.bytes.clear();
        self.leave();
    }

    /// The rest is for a later turn.
    pub(crate) fn leave(&mut self) {
        self.count(self.bytes.len());
        if self.bytes.is_empty() {
            // Used up, it would keep its buffer.
            self.bytes = Bytes::new();
        } else if !self.are_copied && self.buffers.are_in_use() {
            self.bytes = Bytes::copy_from_slice(&self.bytes);
            self.are_copied = true;
        }
    }

    fn count(&mut self, left_bytes: usize) {
        let all = &self.buffers.left_bytes;
        all.set(all.get() - self.left_bytes + left_bytes);
        self.left_bytes = left_bytes;
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.count(0);
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use bytes::Buf as _;

    use super::*;

    const MUCH: &[u8] = &[7; 2 * BUFFER_BYTES];

    /// Reads as much as a buffer holds.
    fn read(buffers: &ReadBuffers) -> Bytes {
        let cx = &mut Context::from_waker(Waker::noop());
        match buffers.poll_read(&mut &MUCH[..], usize::MAX, cx) {
            Poll::Ready(Ok(bytes)) => bytes,
            other => panic!("{other:?}"),
        }
    }

    fn fill(input: &mut Input) -> usize {
        let cx = &mut Context::from_waker(Waker::noop());
        assert!(input.poll_fill(&mut &MUCH[..], usize::MAX, cx).is_ready());
        input.bytes().len()
    }

    #[test]
    fn a_block_is_used_again_once_its_slices_are_dropped() {
        let buffers = ReadBuffers::default();
        let first = read(&buffers);
        assert_eq!(first.len(), BUFFER_BYTES);
        let second = read(&buffers);
        let (at_first, at_second) = (first.as_ptr(), second.as_ptr());
        assert_ne!(at_first, at_second);
        // A part of a buffer keeps all of it.
        let kept = first.slice(..10);
        drop((first, second));
        let third = read(&buffers);
        assert_eq!(third.as_ptr(), at_second);
        drop(kept);
        let fourth = read(&buffers);
        assert_eq!(fourth.as_ptr(), at_first);
        assert!(fourth.iter().all(|byte| *byte == 7));
    }

    #[test]
    fn reads_share_a_block() {
        let buffers = ReadBuffers::default();
        let cx = &mut Context::from_waker(Waker::noop());
        let (mut one, mut two) = (&[1; 1000][..], &[2; 1000][..]);
        let Poll::Ready(Ok(first)) = buffers.poll_read(&mut one, 900, cx) else {
            panic!()
        };
        let Poll::Ready(Ok(second)) = buffers.poll_read(&mut two, 900, cx) else {
            panic!()
        };
        assert_eq!(first.as_ptr() as usize + 900, second.as_ptr() as usize);
        assert_eq!((&first[..], &second[..]), (&[1; 900][..], &[2; 900][..]));
        let Poll::Ready(Ok(end)) = buffers.poll_read(&mut &[][..], 900, cx) else {
            panic!()
        };
        assert!(end.is_empty());
    }

    /// Each buffer has one slice that is in use.
    #[test]
    fn blocks_in_use_are_bounded() {
        let buffers = Rc::<ReadBuffers>::default();
        let hand_on = || buffers.hand_on(read(&buffers).slice(..1024));
        let held: Vec<_> = (0..10 * BUFFERS_MAX).map(|_| hand_on()).collect();
        assert_eq!(buffers.full.borrow().len(), BUFFERS_MAX);
        // What connections leave takes no buffer either.
        let inputs = (0..10).map(|_| {
            let mut input = Input::new(&buffers);
            fill(&mut input);
            input.leave();
            input
        });
        let inputs: Vec<_> = inputs.collect();
        assert_eq!(buffers.full.borrow().len(), BUFFERS_MAX);
        drop((held, inputs));
        drop((read(&buffers), read(&buffers)));
        assert_eq!(buffers.full.borrow().len(), FREE_MAX);
        // Slices are handed on as they are again.
        let buffer = read(&buffers);
        assert_eq!(buffers.hand_on(buffer.clone()).as_ptr(), buffer.as_ptr());
    }

    /// A `Bytes` keeps its buffer even when it is used up.
    #[test]
    fn an_input_without_bytes_keeps_no_buffer() {
        let handled: [fn(&mut Input); 2] = [
            |input| {
                let len = input.bytes().len();
                input.bytes().advance(len);
                input.leave();
            },
            Input::discard,
        ];
        for handle in handled {
            let buffers = Rc::<ReadBuffers>::default();
            let mut input = Input::new(&buffers);
            fill(&mut input);
            handle(&mut input);
            assert!(is_free(buffers.current.borrow_mut().as_mut().unwrap()));
            assert_eq!(buffers.left_bytes.get(), 0);
        }
    }

    #[test]
    fn reads_are_small_while_much_is_left() {
        let buffers = Rc::<ReadBuffers>::default();
        let mut inputs = Vec::new();
        while buffers.left_bytes.get() < LEFT_BYTES_MAX {
            let mut input = Input::new(&buffers);
            assert_eq!(fill(&mut input), READ_BYTES_MAX);
            input.leave();
            inputs.push(input);
        }
        let mut late = Input::new(&buffers);
        assert_eq!(fill(&mut late), READ_BYTES_MIN);
        inputs[0].bytes().clear();
        inputs[0].leave();
        assert_eq!(fill(&mut late), READ_BYTES_MIN, "it has not been handled");
        late.bytes().clear();
        assert_eq!(fill(&mut late), READ_BYTES_MAX);
        drop((inputs, late));
        assert_eq!(buffers.left_bytes.get(), 0);
    }
}
