//! Narrow registers with AVX-512's instructions: rotations and functions of three bits, for which
//! SSE4.1 and AVX2 need several. Everything else is theirs.
//!
//! For tree modes with few lanes. GB/s of one stream on Zen 4, with SSE4.1's and AVX2's in
//! parentheses: SHA-256 1.7 and 3.5 (0.9, 1.9; the SHA extensions are faster where they exist),
//! SHA-1 3.0 and 6.1 (2.1, 4.2), SHA-512 2.7 (1.5), MD5 2.3 (2.0). Eight lanes of MD5 gain nothing.

use std::arch::x86_64::{
    _mm_rol_epi32, _mm_ror_epi32, _mm_ternarylogic_epi64, _mm256_rol_epi32, _mm256_rol_epi64,
    _mm256_ror_epi32, _mm256_ror_epi64, _mm256_ternarylogic_epi64,
};

use super::{avx2, sse41};
use crate::kernel::vector::Vector;

/// Element by element, because the compiler might keep a loop or a closure.
macro_rules! each {
    ($($word:ident)*) => { [$(Self($word)),*] };
}

macro_rules! narrow {
    (
        $(#[$doc:meta])*
        $name:ident, $inner:path, $word:ident, $ror:ident, $rol:ident, $ternary:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(in crate::kernel) struct $name($inner);

        impl Vector for $name {
            type Word = $word;
            const LANES: usize = <$inner as Vector>::LANES;

            #[inline(always)]
            unsafe fn splat(word: $word) -> Self {
                // SAFETY: the instruction set is there (trait contract).
                Self(unsafe { <$inner as Vector>::splat(word) })
            }

            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: the instruction set is there (trait contract).
                Self(unsafe { self.0.add(other.0) })
            }

            #[inline(always)]
            unsafe fn xor(self, other: Self) -> Self {
                // SAFETY: the instruction set is there (trait contract).
                Self(unsafe { self.0.xor(other.0) })
            }

            #[inline(always)]
            unsafe fn rotr<const BITS: i32>(self) -> Self {
                // SAFETY: the instruction set is there (trait contract).
                Self($inner(unsafe { $ror::<BITS>(self.0.0) }))
            }

            #[inline(always)]
            unsafe fn rotl<const BITS: i32>(self) -> Self {
                // SAFETY: the instruction set is there (trait contract).
                Self($inner(unsafe { $rol::<BITS>(self.0.0) }))
            }

            #[inline(always)]
            unsafe fn shr<const BITS: i32>(self) -> Self {
                // SAFETY: the instruction set is there (trait contract).
                Self(unsafe { self.0.shr::<BITS>() })
            }

            #[inline(always)]
            unsafe fn ternary<const TABLE: i32>(self, y: Self, z: Self) -> Self {
                // SAFETY: the instruction set is there (trait contract).
                Self($inner(unsafe { $ternary::<TABLE>(self.0.0, y.0.0, z.0.0) }))
            }

            #[inline(always)]
            unsafe fn load_block<const BIG: bool>(
                inputs: *const *const u8,
                offset: usize,
            ) -> [Self; 16] {
                // SAFETY: passed on.
                let words = unsafe { <$inner as Vector>::load_block::<BIG>(inputs, offset) };
                let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = words;
                each!(a b c d e f g h i j k l m n o p)
            }

            #[inline(always)]
            unsafe fn load_dealt<const BIG: bool>(from: *const u8) -> Self {
                // SAFETY: passed on.
                Self(unsafe { <$inner as Vector>::load_dealt::<BIG>(from) })
            }

            #[inline(always)]
            unsafe fn load_states(states: *const [$word; 8]) -> [Self; 8] {
                // SAFETY: passed on.
                let words = unsafe { <$inner as Vector>::load_states(states) };
                let [a, b, c, d, e, f, g, h] = words;
                each!(a b c d e f g h)
            }

            #[inline(always)]
            unsafe fn store_states(words: [Self; 8], states: *mut [$word; 8]) {
                let [a, b, c, d, e, f, g, h] = words;
                let words = [a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0];
                // SAFETY: passed on.
                unsafe { <$inner as Vector>::store_states(words, states) };
            }
        }
    };
}

narrow!(
    /// Four 32-bit words.
    X4x32, sse41::X4, u32, _mm_ror_epi32, _mm_rol_epi32, _mm_ternarylogic_epi64
);
narrow!(
    /// Eight 32-bit words.
    X8x32, avx2::X8, u32, _mm256_ror_epi32, _mm256_rol_epi32,
    _mm256_ternarylogic_epi64
);
narrow!(
    /// Four 64-bit words.
    X4x64, avx2::X4, u64, _mm256_ror_epi64, _mm256_rol_epi64,
    _mm256_ternarylogic_epi64
);
