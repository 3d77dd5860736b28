//! The padding of SHA-256 (FIPS 180-4 section 5.1.1) and digests as bytes.

use crate::kernel::BLOCK_BYTES;

/// A SHA-256 digest, big-endian words in order.
pub type Digest = [u8; 32];

/// The most bytes padding adds: a one bit, zeros, and a 64-bit length.
pub(crate) const PADDING_BYTES_MAX: usize = BLOCK_BYTES + 8;

/// The longest message in bytes: its length in bits must fit 64 bits.
pub(crate) const LENGTH_BYTES_MAX: u64 = u64::MAX / 8;

/// Pads the message whose last `end % 64` bytes end at `buffer[..end]`; returns
/// where the padding ends, a multiple of the block.
///
/// `buffer` has at least [`PADDING_BYTES_MAX`] bytes after `end`.
#[inline]
pub(crate) fn pad(buffer: &mut [u8], end: usize, length_bytes: u64) -> usize {
    let padded = (end + 9).next_multiple_of(BLOCK_BYTES);
    let padding = &mut buffer[end..padded];
    padding.fill(0);
    padding[0] = 0x80;
    let at = padding.len() - 8;
    padding[at..].copy_from_slice(&(length_bytes * 8).to_be_bytes());
    padded
}

/// Pads the message whose last bytes are `tail`, in one block; false if that
/// takes two.
#[inline]
pub(crate) fn pad_block(block: &mut [u8], tail: &[u8], length_bytes: u64) -> bool {
    let fits = tail.len() + 9 <= BLOCK_BYTES;
    if fits {
        block[..tail.len()].copy_from_slice(tail);
        pad(block, tail.len(), length_bytes);
    }
    fits
}

/// The final chaining value as a digest.
#[inline]
pub(crate) fn digest_bytes(state: &[u32; 8]) -> Digest {
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}
