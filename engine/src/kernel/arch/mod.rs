//! [`super::vector::Vector`] for each instruction set.
//!
//! portable.rs has one lane of plain Rust, sse41.rs four, avx2.rs eight, avx512.rs sixteen lanes of
//! 32 bits; avx512vl.rs has the narrow registers with the instructions of AVX-512.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512vl;
pub(super) mod portable;
#[cfg(target_arch = "x86_64")]
pub(super) mod sse41;

/// Common methods of x86 vectors, whose intrinsics differ only in name.
#[cfg(target_arch = "x86_64")]
macro_rules! x86_common {
    (
        $word:ident, $lanes:literal, $set1:ident, $add:ident, $xor:ident, $loadu:ident, $swap:ident
    ) => {
        type Word = $word;
        const LANES: usize = $lanes;

        #[inline(always)]
        unsafe fn splat(word: $word) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { $set1(word.cast_signed()) })
        }

        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { $add(self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn xor(self, other: Self) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { $xor(self.0, other.0) })
        }

        #[inline(always)]
        unsafe fn load_dealt<const BIG: bool>(from: *const u8) -> Self {
            // SAFETY: `from` is readable for a register (trait contract).
            Self(unsafe { $swap::<BIG>($loadu(from.cast())) })
        }
    };
}

/// Rotations from shifts, and ternary functions from functions of two, for instruction sets that
/// have neither. x is the operand that is known last, so it enters as late as possible.
#[cfg(target_arch = "x86_64")]
macro_rules! x86_two_operands {
    (
        $bits:literal,
        $set1:ident,
        $and:ident,
        $andnot:ident,
        $or:ident,
        $xor:ident,
        $shr:ident,
        $shl:ident
    ) => {
        #[inline(always)]
        unsafe fn rotr<const BITS: i32>(self) -> Self {
            // SAFETY: the instruction set is there (trait contract). The counts are constants for
            // the compiler, but `bits - BITS` is not allowed as a const argument.
            Self(unsafe {
                let (right, left) = (_mm_cvtsi32_si128(BITS), _mm_cvtsi32_si128($bits - BITS));
                $or($shr(self.0, right), $shl(self.0, left))
            })
        }

        #[inline(always)]
        unsafe fn rotl<const BITS: i32>(self) -> Self {
            // SAFETY: as above.
            Self(unsafe {
                let (right, left) = (_mm_cvtsi32_si128($bits - BITS), _mm_cvtsi32_si128(BITS));
                $or($shr(self.0, right), $shl(self.0, left))
            })
        }

        #[inline(always)]
        unsafe fn shr<const BITS: i32>(self) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { $shr(self.0, _mm_cvtsi32_si128(BITS)) })
        }

        #[inline(always)]
        unsafe fn ternary<const TABLE: i32>(self, y: Self, z: Self) -> Self {
            let (x, y, z) = (self.0, y.0, z.0);
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe {
                match TABLE {
                    table::XOR3 => $xor(x, $xor(y, z)),
                    table::CH => $xor(z, $and(x, $xor(y, z))),
                    // y ^ z is x ^ y of the previous round.
                    table::MAJ => $xor(y, $and($xor(x, y), $xor(y, z))),
                    table::MD5_G => $or($and(x, z), $andnot(z, y)),
                    table::MD5_I => $xor(y, $or(x, $xor(z, $set1(-1)))),
                    _ => unreachable!("no hash has such a function"),
                }
            })
        }
    };
}

#[cfg(target_arch = "x86_64")]
use {x86_common, x86_two_operands};
