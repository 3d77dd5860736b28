//! The padding of the Merkle-Damgard hashes (FIPS 180-4 section 5.1, RFC 1321 section 3.1):
//! a one bit, zeros, and the length in bits.

use crate::kernel::Compression;

/// The most bytes padding adds to any message: a block and a length, of SHA-512.
pub(crate) const PADDING_BYTES_MAX: usize = 128 + 16;

/// The longest message in bytes. Its length in bits must fit 64 bits; SHA-512 could take more, but
/// no message is that long.
const LENGTH_BYTES_MAX: u64 = u64::MAX / 8;

/// The length of a message of `length_bytes` bytes after `more` bytes.
///
/// # Panics
/// If that exceeds the longest message.
#[inline]
pub(crate) fn longer(length_bytes: u64, more: usize) -> u64 {
    let length = length_bytes.checked_add(more as u64);
    let length = length.filter(|length| *length <= LENGTH_BYTES_MAX);
    length.expect("a message of less than 2^61 bytes")
}

/// The end of a message's padding, if the message's last bytes end at `end` of a buffer that begins
/// at a block boundary.
#[inline]
pub(crate) const fn padded<H: Compression>(end: usize) -> usize {
    (end + 1 + H::LENGTH_BYTES).next_multiple_of(H::BLOCK_BYTES)
}

/// Pads the message whose last bytes end at `buffer[..end]`, which begins at a block boundary.
/// Returns the end of the padding.
///
/// `buffer` has at least [`PADDING_BYTES_MAX`] bytes after `end`.
#[inline]
pub(crate) fn pad<H: Compression>(buffer: &mut [u8], end: usize, length_bytes: u64) -> usize {
    let padded = padded::<H>(end);
    fill::<H>(&mut buffer[end..padded], length_bytes);
    padded
}

/// Fills `padding` with the padding that ends a message of that length.
#[inline]
pub(crate) fn fill<H: Compression>(padding: &mut [u8], length_bytes: u64) {
    padding.fill(0);
    padding[0] = 0x80;
    let (_, length) = padding.split_at_mut(padding.len() - H::LENGTH_BYTES);
    let bits = length_bytes * 8;
    // The upper half of a length of 128 bits is zero.
    if H::BIG_ENDIAN {
        length[H::LENGTH_BYTES - 8..].copy_from_slice(&bits.to_be_bytes());
    } else {
        length[..8].copy_from_slice(&bits.to_le_bytes());
    }
}
