//! Holds data that other fields of its message follow, until those fields were read.
//!
//! ```text
//! Budget (limits/) ── room for the whole length, or a refusal ──> Held, one per stream
//!     ^                                            push: bytes are copied into blocks
//!     └── bytes handed out, refused or dropped ── pop: a block is handed out
//! ```
//!
//! Held data is copied, unlike all other data. A slice would keep the whole buffer of its frame,
//! and the client decides how long its message takes: one held byte could keep 100 KiB. With a copy
//! the memory used equals the bytes reserved, however small the frames are.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use bytes::Bytes;

use super::error::WireError;
use crate::limiter::{Budget, Permit};

/// The largest block: the usual size of a frame. So held bytes reach the lanes, and leave this
/// file, in pieces of the usual size.
const BLOCK_BYTES_MAX: usize = 64 * 1024;

/// Held data of one message.
#[derive(Debug)]
pub(super) struct Held {
    /// Bytes reserved and not yet released.
    reserved: Permit,
    /// Bytes reserved and not yet pushed.
    missing_bytes: usize,
    /// Full blocks, in order.
    blocks: VecDeque<Bytes>,
    /// The block being filled, allocated at its final capacity; empty between blocks.
    block: Vec<u8>,
}

impl Held {
    /// Holds nothing.
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            reserved: budget.nothing(),
            missing_bytes: 0,
            blocks: VecDeque::new(),
            block: Vec::new(),
        }
    }

    /// Reserves room for the `data_bytes` bytes of a message's data. Nothing else may be held.
    ///
    /// # Errors
    ///
    /// `NoRoomToHold`.
    pub(super) fn reserve(&mut self, data_bytes: usize) -> Result<(), WireError> {
        debug_assert_eq!(self.reserved.amount(), 0, "one message at a time");
        if !self.reserved.grow(data_bytes) {
            return Err(WireError::NoRoomToHold);
        }
        self.missing_bytes = data_bytes;
        Ok(())
    }

    /// Number of reserved bytes that have not been pushed.
    pub(super) fn missing_bytes(&self) -> usize {
        self.missing_bytes
    }

    /// Appends `bytes`, at most as many as are missing.
    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let block_bytes = BLOCK_BYTES_MAX.min(self.block.len() + self.missing_bytes);
            let block_left = block_bytes - self.block.len();
            if self.block.is_empty() {
                self.block.reserve_exact(block_bytes);
            }
            let (piece, rest) = bytes.split_at(block_left.min(bytes.len()));
            self.block.extend_from_slice(piece);
            self.missing_bytes -= piece.len();
            bytes = rest;
            if piece.len() == block_left {
                self.blocks.push_back(mem::take(&mut self.block).into());
            }
        }
    }

    /// Whether there is a block to hand out.
    pub(super) fn has_block(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Hands out the next block, or its first `bytes_max` bytes. The caller must bound it from here
    /// on.
    pub(super) fn pop(&mut self, bytes_max: usize) -> Option<Bytes> {
        let first = self.blocks.front_mut()?;
        let block = if bytes_max < first.len() {
            first.split_to(bytes_max)
        } else {
            self.blocks.pop_front()?
        };
        self.reserved.shrink(block.len());
        if self.blocks.is_empty() {
            self.blocks = VecDeque::new();
        }
        Some(block)
    }

    /// Frees everything.
    pub(super) fn clear(&mut self) {
        self.reserved.shrink(usize::MAX);
        self.missing_bytes = 0;
        self.blocks = VecDeque::new();
        self.block = Vec::new();
    }

    /// Bytes of memory allocated for data.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.block.capacity() + self.blocks.iter().map(Bytes::len).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_take_what_was_reserved_and_give_it_back() {
        const DATA_BYTES: usize = 2 * BLOCK_BYTES_MAX + 1000;
        let data: Vec<u8> = (0..251).cycle().take(DATA_BYTES).collect();
        for piece in [1, 1000, BLOCK_BYTES_MAX, BLOCK_BYTES_MAX + 1, DATA_BYTES] {
            let budget = Budget::new(DATA_BYTES);
            let mut held = Held::new(&budget);
            held.reserve(DATA_BYTES).unwrap();
            assert_eq!(held.capacity(), 0);
            for piece in data.chunks(piece) {
                held.push(piece);
                assert!(held.capacity() <= DATA_BYTES);
            }
            assert_eq!(held.missing_bytes(), 0);
            assert_eq!(held.capacity(), DATA_BYTES);
            let mut popped = Vec::new();
            while let Some(block) = held.pop(usize::MAX) {
                assert!((1..=BLOCK_BYTES_MAX).contains(&block.len()));
                popped.extend_from_slice(&block);
                assert_eq!(budget.used(), DATA_BYTES - popped.len());
                assert_eq!(held.has_block(), popped.len() < DATA_BYTES);
            }
            assert_eq!(popped, data);
        }
    }

    #[test]
    fn a_budget_is_shared_and_never_exceeded() {
        let budget = Budget::new(100);
        let [mut one, mut two, mut none] = [(); 3].map(|()| Held::new(&budget));
        one.reserve(60).unwrap();
        assert_eq!(two.reserve(41), Err(WireError::NoRoomToHold));
        assert_eq!(two.reserve(usize::MAX), Err(WireError::NoRoomToHold));
        two.reserve(40).unwrap();
        none.reserve(0).unwrap();
        one.push(&[1; 10]);
        one.clear();
        assert_eq!((budget.used(), one.capacity()), (40, 0));
        two.push(&[2; 40]);
        drop(two);
        assert_eq!(budget.used(), 0);
        one.reserve(100).unwrap();
    }
}
