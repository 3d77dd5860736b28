//! One lane in plain Rust: runs everywhere.

use crate::kernel::vector::{Vector, table};

/// A "register" of one word.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct One<W>(W);

/// The methods are unsafe only because the trait's are. Those that access memory use the caller's
/// pointers.
macro_rules! one {
    ($word:ident, $bytes:literal) => {
        impl Vector for One<$word> {
            type Word = $word;
            const LANES: usize = 1;

            #[inline(always)]
            unsafe fn splat(word: $word) -> Self {
                Self(word)
            }

            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                Self(self.0.wrapping_add(other.0))
            }

            #[inline(always)]
            unsafe fn xor(self, other: Self) -> Self {
                Self(self.0 ^ other.0)
            }

            #[inline(always)]
            unsafe fn rotr<const BITS: i32>(self) -> Self {
                Self(self.0.rotate_right(BITS.cast_unsigned()))
            }

            #[inline(always)]
            unsafe fn rotl<const BITS: i32>(self) -> Self {
                Self(self.0.rotate_left(BITS.cast_unsigned()))
            }

            #[inline(always)]
            unsafe fn shr<const BITS: i32>(self) -> Self {
                Self(self.0 >> BITS)
            }

            #[inline(always)]
            unsafe fn ternary<const TABLE: i32>(self, y: Self, z: Self) -> Self {
                let (x, y, z) = (self.0, y.0, z.0);
                Self(match TABLE {
                    table::XOR3 => x ^ y ^ z,
                    table::CH => z ^ (x & (y ^ z)),
                    table::MAJ => (x & y) | (z & (x | y)),
                    // A sum instead of an or: the two have no common bit, and the compiler may then
                    // first add the half that is known early.
                    table::MD5_G => (x & z).wrapping_add(y & !z),
                    table::MD5_I => y ^ (x | !z),
                    _ => unreachable!("no hash has such a function"),
                })
            }

            #[inline(always)]
            unsafe fn load_block<const BIG: bool>(
                inputs: *const *const u8,
                offset: usize,
            ) -> [Self; 16] {
                type Block = [[u8; $bytes]; 16];
                // SAFETY: one pointer, readable for a block from `offset` (trait contract).
                let words = unsafe { (*inputs).add(offset).cast::<Block>().read() };
                words.map(|word| {
                    Self(if BIG {
                        $word::from_be_bytes(word)
                    } else {
                        $word::from_le_bytes(word)
                    })
                })
            }

            #[inline(always)]
            unsafe fn load_dealt<const BIG: bool>(from: *const u8) -> Self {
                // SAFETY: readable for a word (trait contract).
                let word = unsafe { from.cast::<[u8; $bytes]>().read() };
                Self(if BIG {
                    $word::from_be_bytes(word)
                } else {
                    $word::from_le_bytes(word)
                })
            }

            #[inline(always)]
            unsafe fn load_states(states: *const [$word; 8]) -> [Self; 8] {
                // SAFETY: one row (trait contract).
                unsafe { states.read() }.map(Self)
            }

            #[inline(always)]
            unsafe fn store_states(words: [Self; 8], states: *mut [$word; 8]) {
                // SAFETY: one row (trait contract).
                unsafe { states.write(words.map(|word| word.0)) };
            }
        }
    };
}

one!(u32, 4);
one!(u64, 8);
