//! Memory that sockets are read into. All connections of a worker share it.
//!
//! ```text
//! block: [ received, in use by chunks | received, dropped | free: the next read ]
//! ```
//!
//! A read hands out what it received as a slice of the block, so nothing is copied until it is
//! hashed. The next read, of any connection, fills the rest of the block. A full block is used
//! again once all of its slices are dropped, the last one first: its memory is still in the cache.
//!
//! A slice keeps its whole block. So small slices are copied, those that a call sets aside
//! (call/stream.rs), and all slices while [`BLOCKS_MAX`] blocks are in use.

use std::cell::RefCell;
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, ready};

use bytes::{BufMut as _, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::limits::{AHEAD_BYTES, BLOCKS_MAX};

/// Bytes of a block.
const BLOCK_BYTES: usize = AHEAD_BYTES;

/// A block with less room is full.
const ROOM_BYTES_MIN: usize = 16 << 10;

/// Slices below this size are copied.
const COPIED_BYTES_MAX: usize = 1 << 10;

/// Free blocks that are kept: as many as the engine's backlog fills.
const FREE_MAX: usize = 16;

/// The blocks of a worker.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// The block that is read into, from the first read on.
    current: RefCell<Option<BytesMut>>,
    /// Blocks that were full, the last one last. Some may be free by now.
    full: RefCell<Vec<BytesMut>>,
}

impl Blocks {
    /// Reads what has arrived, at most `bytes_max` bytes. Empty at the end of the stream.
    pub(super) fn poll_read(
        &self,
        socket: &mut (impl AsyncRead + Unpin),
        bytes_max: usize,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<Bytes>> {
        let mut current = self.current.borrow_mut();
        let block = current.get_or_insert_with(|| BytesMut::with_capacity(BLOCK_BYTES));
        if block.capacity() < ROOM_BYTES_MIN {
            self.replace(block);
        }
        let mut room = (&mut *block).limit(bytes_max);
        ready!(pin!(socket.read_buf(&mut room)).poll(cx))?;
        Poll::Ready(Ok(block.split().freeze()))
    }

    /// Replaces a full block by one that is free, or by a new one.
    fn replace(&self, block: &mut BytesMut) {
        let mut full = self.full.borrow_mut();
        if full.len() >= BLOCKS_MAX {
            let mut free = 0;
            full.retain_mut(|block| {
                let is_free = is_free(block);
                free += usize::from(is_free);
                !is_free || free <= FREE_MAX
            });
        }
        if is_free(block) {
            return;
        }
        let free = full.iter_mut().rposition(is_free);
        let next = match free {
            Some(place) => full.remove(place),
            None => BytesMut::with_capacity(BLOCK_BYTES),
        };
        full.push(std::mem::replace(block, next));
    }

    /// What is handed on of a slice: the slice, or a copy of it.
    pub(super) fn hand_on(&self, slice: Bytes) -> Bytes {
        if slice.len() < COPIED_BYTES_MAX || self.full.borrow().len() >= BLOCKS_MAX {
            return Bytes::copy_from_slice(&slice);
        }
        slice
    }
}

/// Makes the whole block free again, if none of its slices is left.
fn is_free(block: &mut BytesMut) -> bool {
    block.try_reclaim(BLOCK_BYTES)
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    /// Reads as much as a block holds. Returns where the bytes lie.
    fn read(blocks: &Blocks) -> Bytes {
        let mut socket = &[7; 2 * BLOCK_BYTES][..];
        let cx = &mut Context::from_waker(Waker::noop());
        match blocks.poll_read(&mut socket, usize::MAX, cx) {
            Poll::Ready(Ok(bytes)) => bytes,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_block_is_used_again_once_its_slices_are_dropped() {
        let blocks = Blocks::default();
        let first = read(&blocks);
        assert_eq!(first.len(), BLOCK_BYTES);
        let second = read(&blocks);
        let (at_first, at_second) = (first.as_ptr(), second.as_ptr());
        assert_ne!(at_first, at_second);
        // A part of a block keeps all of it.
        let kept = first.slice(..10);
        drop((first, second));
        let third = read(&blocks);
        assert_eq!(third.as_ptr(), at_second);
        drop(kept);
        let fourth = read(&blocks);
        assert_eq!(fourth.as_ptr(), at_first);
        assert!(fourth.iter().all(|byte| *byte == 7));
    }

    #[test]
    fn reads_share_a_block() {
        let blocks = Blocks::default();
        let cx = &mut Context::from_waker(Waker::noop());
        let (mut one, mut two) = (&[1; 1000][..], &[2; 1000][..]);
        let Poll::Ready(Ok(first)) = blocks.poll_read(&mut one, 900, cx) else {
            panic!()
        };
        let Poll::Ready(Ok(second)) = blocks.poll_read(&mut two, 900, cx) else {
            panic!()
        };
        assert_eq!(first.as_ptr() as usize + 900, second.as_ptr() as usize);
        assert_eq!((&first[..], &second[..]), (&[1; 900][..], &[2; 900][..]));
        let Poll::Ready(Ok(end)) = blocks.poll_read(&mut &[][..], 900, cx) else {
            panic!()
        };
        assert!(end.is_empty());
    }

    /// Each block has one slice that is in use.
    #[test]
    fn blocks_in_use_are_bounded() {
        let blocks = Blocks::default();
        let hand_on = || blocks.hand_on(read(&blocks).slice(..COPIED_BYTES_MAX));
        let held: Vec<_> = (0..10 * BLOCKS_MAX).map(|_| hand_on()).collect();
        assert_eq!(blocks.full.borrow().len(), BLOCKS_MAX);
        drop(held);
        drop(read(&blocks));
        assert_eq!(blocks.full.borrow().len(), FREE_MAX);
        // Slices are handed on as they are again.
        let block = read(&blocks);
        assert_eq!(blocks.hand_on(block.clone()).as_ptr(), block.as_ptr());
    }
}
