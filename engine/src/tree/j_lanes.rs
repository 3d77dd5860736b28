//! The j-lanes tree mode of SHA-256.

use super::{
    dealt::{Dealt, digest_of, fastest, finish, fits, last_blocks},
    width::Width,
};
use crate::{
    digest::Digest,
    kernel::{Compression, Family, Kernel, Sha256, sha256::INITIAL},
};

const BLOCK_BYTES: usize = <Sha256 as Compression>::BLOCK_BYTES;
const WORD_BYTES: usize = 4;
const LENGTH_BYTES: usize = <Sha256 as Compression>::LENGTH_BYTES;
/// The minimum padding: a one bit and the length.
const PADDING_BYTES_MIN: usize = 1 + LENGTH_BYTES;

/// SHA-256 in the j-lanes tree mode (Gueron 2013), j = 4, 8 or 16. Its digest differs from the
/// message's SHA-256.
///
/// Word `i` of the message, 4 bytes, belongs to slice `i mod j`; a last word of fewer bytes
/// belongs to the slice whose turn it is. Each slice `t` is hashed by itself, with SHA-256's
/// padding, and the digest of 32 bytes is `SHA-256(SHA-256(t1) || ... || SHA-256(tj))`.
///
/// ```
/// use hashlane_engine::tree::{JLanes, Width};
///
/// let mut tree = JLanes::new(Width::X16);
/// tree.update(b"some ");
/// tree.update(b"bytes");
/// assert_eq!(tree.finalize().len(), 32);
/// ```
#[derive(Clone, Debug)]
pub struct JLanes {
    pub(super) slices: Dealt<Sha256>,
}

impl JLanes {
    /// The state before any byte. The first call in a process times the kernels, in less than a
    /// millisecond.
    #[must_use]
    pub fn new(width: Width) -> Self {
        Self::of(width, fastest::<Sha256>(width))
    }

    /// The same with `kernel` for the slices. `None` if the CPU lacks it, it belongs to another
    /// hash, it takes no dealt words, or its lanes do not divide those of `width`.
    #[must_use]
    pub fn with_kernel(width: Width, kernel: Kernel) -> Option<Self> {
        fits(kernel, Family::Sha256, width).then(|| Self::of(width, kernel))
    }

    fn of(width: Width, kernel: Kernel) -> Self {
        Self {
            slices: Dealt::new(width, kernel, &INITIAL, 0),
        }
    }

    /// The kernel that hashes the slices.
    #[must_use]
    pub const fn kernel(&self) -> Kernel {
        self.slices.kernel()
    }

    /// Takes the message's next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.slices.update(bytes);
    }

    /// The digest of all bytes so far. More bytes may follow.
    #[must_use]
    pub fn finalize(&self) -> Digest {
        let lanes = self.slices.lanes();
        let super_block = self.slices.super_block_bytes();
        let tail = self.slices.tail();
        let before = (self.slices.length_bytes() - tail.len() as u64) / lanes as u64;
        let mut blocks = last_blocks(tail);
        // Every slice has one or two more blocks. A slice with one keeps its state after that.
        let mut second = [false; 16];
        for (lane, second) in second.iter_mut().enumerate().take(lanes) {
            let end = slice_bytes(tail.len(), lanes, lane);
            *second = end + PADDING_BYTES_MIN > BLOCK_BYTES;
            let padded = BLOCK_BYTES * (1 + usize::from(*second));
            let mut put = |at: usize, byte| {
                let word = at / WORD_BYTES * lanes + lane;
                blocks[word * WORD_BYTES + at % WORD_BYTES] = byte;
            };
            put(end, 0x80);
            let bits = (before + end as u64) * 8;
            for (i, byte) in bits.to_be_bytes().into_iter().enumerate() {
                put(padded - LENGTH_BYTES + i, byte);
            }
        }
        let mut states = self.slices.states_after(&blocks[..super_block]);
        if second.contains(&true) {
            let first = states.clone();
            self.slices
                .absorb(&mut states, &blocks[super_block..2 * super_block]);
            for (lane, second) in second.iter().enumerate().take(lanes) {
                if !second {
                    states.0[lane] = first.0[lane];
                }
            }
        }
        let mut digests = Vec::with_capacity(lanes * 32);
        for state in &states.0[..lanes] {
            digests.extend_from_slice(&digest_of::<Sha256>(state));
        }
        finish::<Sha256>(self.slices.single(), INITIAL, 0, &digests)
    }
}

/// How many of `bytes` bytes are dealt to a lane.
const fn slice_bytes(bytes: usize, lanes: usize, lane: usize) -> usize {
    let (words, rest) = (bytes / WORD_BYTES, bytes % WORD_BYTES);
    let (rounds, turn) = (words / lanes, words % lanes);
    let last = if lane < turn {
        WORD_BYTES
    } else if lane == turn {
        rest
    } else {
        0
    };
    rounds * WORD_BYTES + last
}
