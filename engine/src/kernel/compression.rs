//! What the engine needs to know about a compression function.

use std::fmt;

use super::{
    Md5, Sha1, Sha256, Sha512,
    call::{DealtEntry, Entry, State},
    kernels::Needs,
    vector::{Vector, Words},
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

    /// Words of the chaining value.
    pub(crate) const fn state_words(self) -> usize {
        match self {
            Self::Sha256 => Sha256::STATE_WORDS,
            Self::Sha512 => Sha512::STATE_WORDS,
            Self::Sha1 => Sha1::STATE_WORDS,
            Self::Md5 => Md5::STATE_WORDS,
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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

/// A compression function that runs in lanes: its parameters, and the kernels that compute it.
/// Messages are padded with a one bit, zeros, and the length in bits.
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

/// A row of a compression's kernel table.
pub(crate) struct Row<W: 'static> {
    pub(super) about: About,
    pub(super) entry: Entry<W>,
    /// The second entry, for dealt words, if there is one.
    pub(super) dealt: Option<DealtEntry<W>>,
}

/// The properties of a kernel.
#[derive(Debug)]
pub(super) struct About {
    /// The name in settings, metrics and benches. Unique within its compression.
    pub(super) name: &'static str,
    /// Lanes of one call: a power of two.
    pub(super) lanes: usize,
    /// Required CPU features.
    pub(super) needs: Needs,
    /// Whether [`super::compress_chain`] does several segments in one call.
    pub(super) chains: bool,
}

impl<W> Row<W> {
    /// A kernel that takes a pointer for each lane.
    pub(super) const fn new(
        name: &'static str,
        lanes: usize,
        needs: Needs,
        entry: Entry<W>,
    ) -> Self {
        Self {
            about: About {
                name,
                lanes,
                needs,
                chains: matches!(entry, Entry::Chain(_)),
            },
            entry,
            dealt: None,
        }
    }

    /// Adds the entry for dealt words.
    pub(super) const fn and_dealt(mut self, dealt: DealtEntry<W>) -> Self {
        self.dealt = Some(dealt);
        self
    }
}
