//! Eight 32-bit or four 64-bit lanes in AVX2 registers.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi32_si128, _mm_loadu_si128, _mm256_add_epi32, _mm256_add_epi64,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi128_si256, _mm256_inserti128_si256,
    _mm256_loadu_si256, _mm256_or_si256, _mm256_permute2x128_si256, _mm256_set_epi8,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_shuffle_epi8, _mm256_sll_epi32, _mm256_sll_epi64,
    _mm256_srl_epi32, _mm256_srl_epi64, _mm256_storeu_si256, _mm256_unpackhi_epi32,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::{x86_common, x86_two_operands};
use crate::kernel::vector::{Vector, table};

/// Eight 32-bit words.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct X8(pub(super) __m256i);

/// Four 64-bit words.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct X4(pub(super) __m256i);

/// Reverses the bytes of every 32-bit word if `BIG`.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn swap32<const BIG: bool>(words: __m256i) -> __m256i {
    if !BIG {
        return words;
    }
    // SAFETY: passed on.
    unsafe {
        #[rustfmt::skip]
        let order = _mm256_set_epi8(
            12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3,
            12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3,
        );
        _mm256_shuffle_epi8(words, order)
    }
}

/// Reverses the bytes of every 64-bit word if `BIG`.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn swap64<const BIG: bool>(words: __m256i) -> __m256i {
    if !BIG {
        return words;
    }
    // SAFETY: passed on.
    unsafe {
        #[rustfmt::skip]
        let order = _mm256_set_epi8(
            8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7,
            8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7,
        );
        _mm256_shuffle_epi8(words, order)
    }
}

/// 16 bytes at `low` below 16 bytes at `high`.
///
/// # Safety
/// The CPU has AVX2; both are readable for 16 bytes.
#[inline(always)]
unsafe fn halves(low: *const u8, high: *const u8) -> __m256i {
    // SAFETY: passed on.
    unsafe {
        let low = _mm256_castsi128_si256(_mm_loadu_si128(low.cast()));
        _mm256_inserti128_si256::<1>(low, _mm_loadu_si128(high.cast::<__m128i>()))
    }
}

/// Rows become columns in either half.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn transpose([r0, r1, r2, r3]: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: passed on.
    unsafe {
        let (t0, t1) = (_mm256_unpacklo_epi32(r0, r1), _mm256_unpackhi_epi32(r0, r1));
        let (t2, t3) = (_mm256_unpacklo_epi32(r2, r3), _mm256_unpackhi_epi32(r2, r3));
        [
            _mm256_unpacklo_epi64(t0, t2),
            _mm256_unpackhi_epi64(t0, t2),
            _mm256_unpacklo_epi64(t1, t3),
            _mm256_unpackhi_epi64(t1, t3),
        ]
    }
}

impl Vector for X8 {
    x86_common!(
        u32,
        8,
        _mm256_set1_epi32,
        _mm256_add_epi32,
        _mm256_xor_si256,
        _mm256_loadu_si256,
        swap32
    );
    x86_two_operands!(
        32,
        _mm256_set1_epi32,
        _mm256_and_si256,
        _mm256_andnot_si256,
        _mm256_or_si256,
        _mm256_xor_si256,
        _mm256_srl_epi32,
        _mm256_sll_epi32
    );

    /// A register holds 16 bytes of lane `i` below 16 bytes of lane `i + 4`, so that transposing
    /// its halves gives lane order.
    #[inline(always)]
    unsafe fn load_block<const BIG: bool>(inputs: *const *const u8, offset: usize) -> [Self; 16] {
        // SAFETY: eight pointers, each readable for 64 bytes from `offset` (trait contract).
        unsafe {
            macro_rules! row {
                ($quarter:literal, $lane:literal) => {{
                    let at = offset + $quarter * 16;
                    halves(
                        (*inputs.add($lane)).add(at),
                        (*inputs.add($lane + 4)).add(at),
                    )
                }};
            }
            macro_rules! quarter {
                ($q:literal) => {
                    transpose([row!($q, 0), row!($q, 1), row!($q, 2), row!($q, 3)])
                };
            }
            let ([a, b, c, d], [e, f, g, h]) = (quarter!(0), quarter!(1));
            let ([i, j, k, l], [m, n, o, p]) = (quarter!(2), quarter!(3));
            macro_rules! words {
                ($($word:ident)*) => { [$(Self(swap32::<BIG>($word))),*] };
            }
            words!(a b c d e f g h i j k l m n o p)
        }
    }

    #[inline(always)]
    unsafe fn load_states(states: *const [u32; 8]) -> [Self; 8] {
        // SAFETY: eight rows of 32 bytes (trait contract).
        unsafe {
            macro_rules! row {
                ($half:literal, $lane:literal) => {{
                    let at = states.cast::<u8>().add(16 * $half);
                    halves(at.add(32 * $lane), at.add(32 * ($lane + 4)))
                }};
            }
            macro_rules! half {
                ($h:literal) => {
                    transpose([row!($h, 0), row!($h, 1), row!($h, 2), row!($h, 3)])
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
        // SAFETY: eight rows of 32 bytes (trait contract).
        unsafe {
            let low = transpose([a.0, b.0, c.0, d.0]);
            let high = transpose([e.0, f.0, g.0, h.0]);
            let to = states.cast::<__m256i>();
            macro_rules! rows {
                ($($lane:literal)*) => {$(
                    let (l, h) = (low[$lane], high[$lane]);
                    _mm256_storeu_si256(to.add($lane), _mm256_permute2x128_si256::<0x20>(l, h));
                    _mm256_storeu_si256(to.add($lane + 4), _mm256_permute2x128_si256::<0x31>(l, h));
                )*};
            }
            rows!(0 1 2 3);
        }
    }
}

impl Vector for X4 {
    x86_common!(
        u64,
        4,
        _mm256_set1_epi64x,
        _mm256_add_epi64,
        _mm256_xor_si256,
        _mm256_loadu_si256,
        swap64
    );
    x86_two_operands!(
        64,
        _mm256_set1_epi64x,
        _mm256_and_si256,
        _mm256_andnot_si256,
        _mm256_or_si256,
        _mm256_xor_si256,
        _mm256_srl_epi64,
        _mm256_sll_epi64
    );

    /// Two words of lane `i` below two of lane `i + 2`, so that one stage gives lane order.
    #[inline(always)]
    unsafe fn load_block<const BIG: bool>(inputs: *const *const u8, offset: usize) -> [Self; 16] {
        // SAFETY: four pointers, each readable for 128 bytes from `offset` (trait contract).
        unsafe {
            macro_rules! two {
                ($eighth:literal) => {{
                    let at = offset + $eighth * 16;
                    let even = halves((*inputs).add(at), (*inputs.add(2)).add(at));
                    let odd = halves((*inputs.add(1)).add(at), (*inputs.add(3)).add(at));
                    (
                        Self(swap64::<BIG>(_mm256_unpacklo_epi64(even, odd))),
                        Self(swap64::<BIG>(_mm256_unpackhi_epi64(even, odd))),
                    )
                }};
            }
            let ((a, b), (c, d), (e, f), (g, h)) = (two!(0), two!(1), two!(2), two!(3));
            let ((i, j), (k, l), (m, n), (o, p)) = (two!(4), two!(5), two!(6), two!(7));
            [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
        }
    }

    #[inline(always)]
    unsafe fn load_states(states: *const [u64; 8]) -> [Self; 8] {
        // SAFETY: four rows of 64 bytes (trait contract).
        unsafe {
            macro_rules! two {
                ($quarter:literal) => {{
                    let at = states.cast::<u8>().add(16 * $quarter);
                    let (even, odd) = (halves(at, at.add(128)), halves(at.add(64), at.add(192)));
                    (
                        Self(_mm256_unpacklo_epi64(even, odd)),
                        Self(_mm256_unpackhi_epi64(even, odd)),
                    )
                }};
            }
            let ((a, b), (c, d), (e, f), (g, h)) = (two!(0), two!(1), two!(2), two!(3));
            [a, b, c, d, e, f, g, h]
        }
    }

    #[inline(always)]
    unsafe fn store_states([a, b, c, d, e, f, g, h]: [Self; 8], states: *mut [u64; 8]) {
        // SAFETY: four rows of two halves (trait contract).
        unsafe {
            let to = states.cast::<__m256i>();
            macro_rules! half {
                ($half:literal, $a:ident $b:ident $c:ident $d:ident) => {
                    let (l, h) = (
                        _mm256_unpacklo_epi64($a.0, $b.0),
                        _mm256_unpacklo_epi64($c.0, $d.0),
                    );
                    _mm256_storeu_si256(to.add($half), _mm256_permute2x128_si256::<0x20>(l, h));
                    _mm256_storeu_si256(to.add(4 + $half), _mm256_permute2x128_si256::<0x31>(l, h));
                    let (l, h) = (
                        _mm256_unpackhi_epi64($a.0, $b.0),
                        _mm256_unpackhi_epi64($c.0, $d.0),
                    );
                    _mm256_storeu_si256(to.add(2 + $half), _mm256_permute2x128_si256::<0x20>(l, h));
                    _mm256_storeu_si256(to.add(6 + $half), _mm256_permute2x128_si256::<0x31>(l, h));
                };
            }
            half!(0, a b c d);
            half!(1, e f g h);
        }
    }
}
