//! One digest in progress: a midstate, a tail shorter than a block, and waiting chunks.
//!
//! Why only ready data takes a lane: a stream without new data is only a midstate and a tail. So a
//! slow client cannot slow down the engine, and the number of open streams does not affect the
//! kernels.

use std::cell::Cell;

use super::{
    chunks::{Chunks, Links},
    parts::PartRef,
};
use crate::{
    algorithm::Algorithm,
    digest::Digest,
    kernel::{Block as _, Compression, State},
    padding::{longer, pad, padded},
    schedule::{Done, Run, STAGE_BYTES},
};

/// A chunk of at least this many bytes is hashed in place. Shorter chunks are copied to the staging
/// buffer with the chunks after them, so that a run is worth a kernel call.
const DIRECT_BYTES_MIN: usize = 1024;

/// The same for a chunk without a successor, whose run cannot get longer.
const LONE_DIRECT_BYTES_MIN: usize = 512;

/// One digest in progress.
#[derive(Debug)]
#[repr(C, align(64))] // as few cache lines as possible
pub(crate) struct Job<H: Compression, C> {
    /// State after the whole blocks.
    pub(crate) state: Cell<State<H::Word>>,
    /// Bytes short of a block, in the last `tail_len` bytes of the array. So the end of a chunk
    /// becomes the tail with a copy of known length, and the next chunk follows it in a staging
    /// buffer.
    tail: H::Block,
    pub(crate) chunks: Chunks<C>,
    /// Number of pushed bytes.
    length: u64,
    pub(crate) part: PartRef,
    pub(crate) group: u32,
    /// The previous and next job in its flow.
    pub(crate) previous: u32,
    pub(crate) next: u32,
    algorithm: Algorithm,
    tail_len: u8,
    /// Whether it is in its flow, or in a lane of the current step.
    pub(crate) is_ready: bool,
    /// No more pushes. The padding follows the data.
    is_finishing: bool,
    /// The padding's one bit is hashed, but not the length.
    is_padding: bool,
    /// Its part has no other digest.
    pub(crate) is_lone: bool,
}

/// The state of a job after a step.
pub(crate) enum Progress {
    /// It has a block to hash.
    Ready,
    /// It has none.
    Idle,
    /// It has ended.
    Finished(Digest),
}

impl<H: Compression, C: AsRef<[u8]>> Job<H, C> {
    pub(crate) const fn new(
        algorithm: Algorithm,
        initial: State<H::Word>,
        group: u32,
        part: PartRef,
    ) -> Self {
        Self {
            state: Cell::new(initial),
            tail: H::Block::ZERO,
            chunks: Chunks::new(),
            length: 0,
            part,
            group,
            previous: 0,
            next: 0,
            algorithm,
            tail_len: 0,
            is_ready: false,
            is_finishing: false,
            is_padding: false,
            is_lone: true,
        }
    }

    pub(crate) const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    pub(crate) const fn is_finishing(&self) -> bool {
        self.is_finishing
    }

    /// Whether there is a block to hash, of data or of padding.
    #[inline]
    pub(crate) fn has_block(&self) -> bool {
        self.is_finishing || self.tail_len() + self.chunks.waiting() >= H::BLOCK_BYTES
    }

    /// Approximate number of blocks to hash: data, and one block of padding.
    #[inline]
    pub(crate) fn blocks(&self) -> usize {
        (self.tail_len() + self.chunks.waiting()) / H::BLOCK_BYTES + usize::from(self.is_finishing)
    }

    #[inline]
    fn tail_len(&self) -> usize {
        usize::from(self.tail_len)
    }

    /// Bytes of the first chunk that complete the tail's block.
    #[inline]
    fn joined(&self) -> usize {
        (H::BLOCK_BYTES - self.tail_len()) % H::BLOCK_BYTES
    }

    /// # Panics
    /// If the job is finishing, or its message would exceed the longest that can be padded.
    #[inline]
    pub(crate) fn check_push(&self, bytes: usize) {
        assert!(!self.is_finishing, "push to a finishing part");
        longer(self.length, bytes);
    }

    /// Appends a chunk. Returns the bytes that are already consumed: all of them if they do not
    /// complete a block.
    #[inline]
    pub(crate) fn push(&mut self, links: &mut Links<C>, chunk: C) -> usize {
        let bytes = chunk.as_ref();
        self.length = longer(self.length, bytes.len());
        if bytes.is_empty() {
            return 0;
        }
        if self.chunks.waiting() == 0 && self.tail_len() + bytes.len() < H::BLOCK_BYTES {
            self.extend_tail(bytes.len(), bytes);
            return bytes.len();
        }
        self.chunks.push(links, chunk);
        0
    }

    /// Appends the last `len` bytes of `bytes` to the tail.
    #[inline]
    fn extend_tail(&mut self, len: usize, bytes: &[u8]) {
        let tail_len = self.tail_len();
        let tail = self.tail.as_mut();
        if tail_len == 0 && bytes.len() >= H::BLOCK_BYTES {
            // Including the bytes before them, so that the copy has a known length.
            tail.copy_from_slice(&bytes[bytes.len() - H::BLOCK_BYTES..]);
        } else {
            let start = H::BLOCK_BYTES - tail_len;
            tail.copy_within(start.., start - len);
            tail[H::BLOCK_BYTES - len..].copy_from_slice(&bytes[bytes.len() - len..]);
        }
        self.tail_len = small(tail_len + len);
    }

    /// Ends the message: no more pushes follow.
    #[inline]
    pub(crate) const fn finish(&mut self) {
        self.is_finishing = true;
    }

    /// The next run. A long chunk is hashed in place. The block that its beginning shares with
    /// earlier bytes is the run's head. The block that its end shares with the padding is the foot,
    /// if only padding follows. All other data is put together in the staging buffer: small chunks,
    /// and the rest before the padding.
    #[inline]
    pub(crate) fn run(&self) -> Run {
        let joined = self.joined();
        let start = small(H::BLOCK_BYTES - self.tail_len());
        let front = self.chunks.front().len();
        let is_lone = !self.chunks.has_more();
        let min = if is_lone {
            LONE_DIRECT_BYTES_MIN
        } else {
            DIRECT_BYTES_MIN
        };
        if front >= joined + min {
            let body = front - joined;
            let tail = body % H::BLOCK_BYTES;
            let foot = self.is_finishing && is_lone && padded::<H>(tail) == H::BLOCK_BYTES;
            let head = joined > 0;
            let run = Run {
                blocks: 0,
                start,
                staged: false,
                head,
                foot,
                last: foot,
            };
            let blocks = usize::from(head) + body / H::BLOCK_BYTES + usize::from(foot);
            return run.with_blocks(blocks);
        }
        let bytes = self.tail_len() + self.chunks.waiting();
        let last = self.is_finishing && bytes <= STAGE_BYTES;
        let blocks = if last {
            padded::<H>(bytes) / H::BLOCK_BYTES
        } else {
            bytes.min(STAGE_BYTES) / H::BLOCK_BYTES
        };
        let run = Run {
            blocks: 0,
            start,
            staged: true,
            head: false,
            foot: false,
            last,
        };
        run.with_blocks(blocks)
    }

    /// Writes the staged bytes of the first `blocks` blocks of the run to the staging buffer.
    #[inline]
    pub(crate) fn stage(&self, links: &Links<C>, run: &Run, blocks: usize, stage: &mut [u8]) {
        let (tail, rest) = stage.split_at_mut(H::BLOCK_BYTES);
        tail.copy_from_slice(self.tail.as_ref());
        let front = self.chunks.front();
        if run.head {
            // A whole block: a copy of known length takes a few instructions.
            rest[..H::BLOCK_BYTES].copy_from_slice(&front[..H::BLOCK_BYTES]);
        }
        if run.foot {
            let tail = &front[self.joined()..];
            let tail = &tail[tail.len() - tail.len() % H::BLOCK_BYTES..];
            let foot = &mut rest[H::BLOCK_BYTES..];
            foot[..tail.len()].copy_from_slice(tail);
            pad::<H>(foot, tail.len(), self.length);
        }
        if run.staged {
            let data = self.tail_len() + self.chunks.waiting();
            let end = data.min(blocks * H::BLOCK_BYTES);
            self.chunks.copy_to(
                links,
                &mut stage[H::BLOCK_BYTES..usize::from(run.start) + end],
            );
            if run.last && end == data {
                let staged = &mut stage[usize::from(run.start)..];
                pad::<H>(staged, end, self.length);
                if self.is_padding {
                    staged[0] = 0;
                }
            }
        }
    }

    /// The memory of a direct run, from the block after its head.
    #[inline]
    pub(crate) fn direct(&self) -> &[u8] {
        &self.chunks.front()[self.joined()..]
    }

    /// Records the blocks of a step. Returns the job's progress and the number of consumed bytes.
    #[inline]
    pub(crate) fn settle(&mut self, links: &mut Links<C>, done: &Done) -> (Progress, usize) {
        if done.has_ended() {
            let consumed = self.chunks.clear(links);
            let len = self.algorithm.digest_bytes();
            let digest = Digest::of_state::<H>(len, self.state.get_mut());
            return (Progress::Finished(digest), consumed);
        }
        let bytes = done.blocks() * H::BLOCK_BYTES - self.tail_len();
        let mut consumed = bytes.min(self.chunks.waiting());
        self.is_padding |= consumed < bytes;
        self.tail_len = 0;
        self.chunks.consume(links, consumed);
        // A chunk shorter than a block becomes the tail, so that an idle job holds no chunk, and
        // the next chunk can be hashed in place.
        loop {
            let bytes = self.chunks.front().len();
            if bytes == 0 || self.tail_len() + bytes >= H::BLOCK_BYTES {
                break;
            }
            let chunk = self.chunks.take_first(links);
            self.extend_tail(bytes, chunk.as_ref());
            consumed += bytes;
        }
        if self.has_block() {
            (Progress::Ready, consumed)
        } else {
            (Progress::Idle, consumed)
        }
    }
}

/// Converts a tail's length, or its start in its block.
#[inline]
fn small(len: usize) -> u8 {
    u8::try_from(len).expect("at most a block")
}
