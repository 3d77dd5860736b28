//! Four lanes in SSE registers: the 4-buffer that Gueron and Krasnov measured in
//! "Simultaneous hashing of multiple messages" (2012).

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_and_si128, _mm_andnot_si128, _mm_cvtsi32_si128, _mm_loadu_si128,
    _mm_or_si128, _mm_set_epi8, _mm_set1_epi32, _mm_shuffle_epi8, _mm_sll_epi32, _mm_srl_epi32,
    _mm_storeu_si128, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32,
    _mm_unpacklo_epi64, _mm_xor_si128,
};

use super::{x86_common, x86_two_operands};
use crate::kernel::vector::{Vector, table};

/// Four 32-bit words.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct X4(pub(super) __m128i);

/// Reverses the bytes of every word if `BIG`.
///
/// # Safety
/// The CPU has SSSE3.
#[inline(always)]
unsafe fn swap<const BIG: bool>(words: __m128i) -> __m128i {
    if !BIG {
        return words;
    }
    // SAFETY: passed on.
    unsafe {
        let order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
        _mm_shuffle_epi8(words, order)
    }
}

/// Rows become columns.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn transpose([r0, r1, r2, r3]: [__m128i; 4]) -> [__m128i; 4] {
    // SAFETY: passed on.
    unsafe {
        let (t0, t1) = (_mm_unpacklo_epi32(r0, r1), _mm_unpackhi_epi32(r0, r1));
        let (t2, t3) = (_mm_unpacklo_epi32(r2, r3), _mm_unpackhi_epi32(r2, r3));
        [
            _mm_unpacklo_epi64(t0, t2),
            _mm_unpackhi_epi64(t0, t2),
            _mm_unpacklo_epi64(t1, t3),
            _mm_unpackhi_epi64(t1, t3),
        ]
    }
}

impl Vector for X4 {
    x86_common!(
        u32,
        4,
        _mm_set1_epi32,
        _mm_add_epi32,
        _mm_xor_si128,
        _mm_loadu_si128,
        swap
    );
    x86_two_operands!(
        32,
        _mm_set1_epi32,
        _mm_and_si128,
        _mm_andnot_si128,
        _mm_or_si128,
        _mm_xor_si128,
        _mm_srl_epi32,
        _mm_sll_epi32
    );

    #[inline(always)]
    unsafe fn load_block<const BIG: bool>(inputs: *const *const u8, offset: usize) -> [Self; 16] {
        // SAFETY: four pointers, each readable for 64 bytes from `offset` (trait contract).
        unsafe {
            macro_rules! row {
                ($quarter:literal, $lane:literal) => {
                    _mm_loadu_si128((*inputs.add($lane)).add(offset + $quarter * 16).cast())
                };
            }
            macro_rules! quarter {
                ($q:literal) => {
                    transpose([row!($q, 0), row!($q, 1), row!($q, 2), row!($q, 3)])
                };
            }
            let ([a, b, c, d], [e, f, g, h]) = (quarter!(0), quarter!(1));
            let ([i, j, k, l], [m, n, o, p]) = (quarter!(2), quarter!(3));
            macro_rules! words {
                ($($word:ident)*) => { [$(Self(swap::<BIG>($word))),*] };
            }
            words!(a b c d e f g h i j k l m n o p)
        }
    }

    #[inline(always)]
    unsafe fn load_states(states: *const [u32; 8]) -> [Self; 8] {
        // SAFETY: four rows of 32 bytes (trait contract).
        unsafe {
            macro_rules! half {
                ($half:literal) => {
                    transpose([
                        _mm_loadu_si128(states.cast::<__m128i>().add($half)),
                        _mm_loadu_si128(states.cast::<__m128i>().add($half + 2)),
                        _mm_loadu_si128(states.cast::<__m128i>().add($half + 4)),
                        _mm_loadu_si128(states.cast::<__m128i>().add($half + 6)),
                    ])
                };
            }
            let ([a, b, c, d], [e, f, g, h]) = (half!(0), half!(1));
            [
                Self(a),
                Self(b),
                Self(c),
                Self(d),
                Self(e),
                Self(f),
                Self(g),
                Self(h),
            ]
        }
    }

    #[inline(always)]
    unsafe fn store_states([a, b, c, d, e, f, g, h]: [Self; 8], states: *mut [u32; 8]) {
        // SAFETY: four rows of 32 bytes (trait contract).
        unsafe {
            let low = transpose([a.0, b.0, c.0, d.0]);
            let high = transpose([e.0, f.0, g.0, h.0]);
            let to = states.cast::<__m128i>();
            _mm_storeu_si128(to, low[0]);
            _mm_storeu_si128(to.add(1), high[0]);
            _mm_storeu_si128(to.add(2), low[1]);
            _mm_storeu_si128(to.add(3), high[1]);
            _mm_storeu_si128(to.add(4), low[2]);
            _mm_storeu_si128(to.add(5), high[2]);
            _mm_storeu_si128(to.add(6), low[3]);
            _mm_storeu_si128(to.add(7), high[3]);
        }
    }
}
