//! What the engine needs to know about a compression function.

use std::fmt;

use super::{
    row::Row,
    vector::{Vector, Words},
    word::{Block, State, Word},
};

/// The compression functions, each named after its hash. SHA-224 uses SHA-256's, SHA-384 uses
/// SHA-512's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// FIPS 180-4 section 6.2: eight words of 32 bits, blocks of 64 bytes.
    Sha256,
    /// FIPS 180-4 section 6.4: eight words of 64 bits, blocks of 128 bytes.
    Sha512,
    /// FIPS 180-4 section 6.1: five words of 32 bits, blocks of 64 bytes.
    Sha1,
    /// RFC 1321: four little-endian words of 32 bits, blocks of 64 bytes.
    Md5,
}

impl Family {
    /// Every compression function.
    pub const ALL: [Self; 4] = [Self::Sha256, Self::Sha512, Self::Sha1, Self::Md5];

    /// The name used in settings, metrics and benches.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Sha512 => "sha512",
            Self::Sha1 => "sha1",
            Self::Md5 => "md5",
        }
    }

    /// A small dense number for tables.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A compression function that runs in lanes: its shape, and the kernels that compute it.
/// Messages are padded by a one bit, zeros, and the length in bits.
pub(crate) trait Compression: Copy + fmt::Debug + Default + Send + Sync + 'static {
    /// The word of state and message.
    type Word: Word;
    /// One block: sixteen words.
    type Block: Block;
    /// The family that it belongs to.
    const FAMILY: Family;
    /// Bytes of a block.
    const BLOCK_BYTES: usize = size_of::<Self::Block>();
    /// Bytes of the length that ends the padding.
    const LENGTH_BYTES: usize;
    /// The initial value of the hash with its name.
    const INITIAL: State<Self::Word>;
    /// Words of the chaining value.
    const STATE_WORDS: usize;
    /// Whether the most significant byte of a word comes first: in blocks, in the length,
    /// and in the digest.
    const BIG_ENDIAN: bool;
    /// The kernels, listed once: all other code reads this table. The portable one is the first.
    const ROWS: &'static [Row<Self::Word>];

    /// All rounds of a block: `state` holds the chaining value before and the working
    /// variables afterwards, both in the standard's order; `words` holds the block.
    ///
    /// # Safety
    /// The instruction set of `V` is there.
    unsafe fn rounds<V: Vector<Word = Self::Word>>(state: &mut [V; 8], words: &mut impl Words<V>);
}
