//! Words of compression functions, their blocks and chaining values.

use std::fmt;

/// A word of a compression function: `u32` or `u64`.
pub(crate) trait Word:
    Copy + Default + Eq + Into<u64> + TryFrom<u64> + fmt::Debug + fmt::LowerHex + Send + Sync + 'static
{
    /// Bytes of the word.
    const BYTES: usize;

    /// Writes the word's bytes, the most significant first.
    fn write_be(self, bytes: &mut [u8]);

    /// Writes the word's bytes, the least significant first.
    fn write_le(self, bytes: &mut [u8]);
}

macro_rules! word {
    ($word:ty) => {
        impl Word for $word {
            const BYTES: usize = size_of::<$word>();

            #[inline]
            fn write_be(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_be_bytes());
            }

            #[inline]
            fn write_le(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
        }
    };
}
word!(u32);
word!(u64);

/// A block of bytes, as an array.
pub(crate) trait Block:
    AsRef<[u8]> + AsMut<[u8]> + Copy + fmt::Debug + Send + Sync + 'static
{
    /// All zeros.
    const ZERO: Self;
}

impl Block for [u8; 64] {
    const ZERO: Self = [0; 64];
}

impl Block for [u8; 128] {
    const ZERO: Self = [0; 128];
}

/// The chaining value of one lane, words in the standard's order. SHA-1 uses five words and MD5
/// four; the others are unused.
pub(crate) type State<W> = [W; 8];
