//! Sixteen 32-bit or eight 64-bit lanes in AVX-512 registers.

use std::arch::x86_64::{
    __m512i, _mm256_loadu_si256, _mm256_storeu_si256, _mm512_add_epi32, _mm512_add_epi64,
    _mm512_castsi256_si512, _mm512_castsi512_si256, _mm512_extracti64x4_epi64, _mm512_inserti64x4,
    _mm512_loadu_si512, _mm512_permutex2var_epi64, _mm512_rol_epi32, _mm512_rol_epi64,
    _mm512_ror_epi32, _mm512_ror_epi64, _mm512_set_epi64, _mm512_set1_epi32, _mm512_set1_epi64,
    _mm512_set4_epi32, _mm512_shuffle_epi8, _mm512_shuffle_i64x2, _mm512_srli_epi32,
    _mm512_srli_epi64, _mm512_storeu_si512, _mm512_ternarylogic_epi64, _mm512_unpackhi_epi32,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64, _mm512_xor_si512,
};

use super::x86_common;
use crate::kernel::vector::Vector;

/// Sixteen 32-bit words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::kernel) struct X16(__m512i);

/// Eight 64-bit words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::kernel) struct X8(__m512i);

/// Bytes of a register, aligned for loads.
#[repr(C, align(64))]
pub(in crate::kernel) struct Order([u32; 16]);

/// For `vpshufb`: reverses the bytes of every 32-bit word.
#[rustfmt::skip]
pub(in crate::kernel) static SWAP32: Order = Order([
    0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607, 0x0809_0a0b,
    0x0c0d_0e0f, 0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607,
    0x0809_0a0b, 0x0c0d_0e0f,
]);

/// For `vpshufb`: reverses the bytes of every 64-bit word.
#[rustfmt::skip]
pub(in crate::kernel) static SWAP64: Order = Order([
    0x0405_0607, 0x0001_0203, 0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203, 0x0c0d_0e0f,
    0x0809_0a0b, 0x0405_0607, 0x0001_0203, 0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203,
    0x0c0d_0e0f, 0x0809_0a0b,
]);

/// Quarters 0 and 2 of two registers.
const EVEN: i32 = 0b10_00_10_00;
/// Quarters 1 and 3 of two registers.
const ODD: i32 = 0b11_01_11_01;

/// Reverses the bytes of every 32-bit word if `BIG`.
///
/// # Safety
/// The CPU has AVX-512 BW.
#[inline(always)]
unsafe fn swap32<const BIG: bool>(words: __m512i) -> __m512i {
    if !BIG {
        return words;
    }
    // SAFETY: passed on.
    unsafe {
        let order = _mm512_set4_epi32(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203);
        _mm512_shuffle_epi8(words, order)
    }
}

/// Reverses the bytes of every 64-bit word if `BIG`.
///
/// # Safety
/// The CPU has AVX-512 BW.
#[inline(always)]
unsafe fn swap64<const BIG: bool>(words: __m512i) -> __m512i {
    if !BIG {
        return words;
    }
    // SAFETY: passed on.
    unsafe {
        let order = _mm512_set4_epi32(0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607);
        _mm512_shuffle_epi8(words, order)
    }
}

/// 32 bytes at `low` below 32 bytes at `high`.
///
/// # Safety
/// The CPU has AVX-512; both are readable for 32 bytes.
#[inline(always)]
unsafe fn halves(low: *const u8, high: *const u8) -> __m512i {
    // SAFETY: passed on.
    unsafe {
        let low = _mm512_castsi256_si512(_mm256_loadu_si256(low.cast()));
        _mm512_inserti64x4::<1>(low, _mm256_loadu_si256(high.cast()))
    }
}

/// 32-bit rows become columns in every quarter.
///
/// # Safety
/// The CPU has AVX-512.
#[inline(always)]
unsafe fn transpose([r0, r1, r2, r3]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: passed on.
    unsafe {
        let (t0, t1) = (_mm512_unpacklo_epi32(r0, r1), _mm512_unpackhi_epi32(r0, r1));
        let (t2, t3) = (_mm512_unpacklo_epi32(r2, r3), _mm512_unpackhi_epi32(r2, r3));
        [
            _mm512_unpacklo_epi64(t0, t2),
            _mm512_unpackhi_epi64(t0, t2),
            _mm512_unpacklo_epi64(t1, t3),
            _mm512_unpackhi_epi64(t1, t3),
        ]
    }
}

/// Eight words of sixteen lanes: 32 bytes at `$row`, which takes a lane, from every lane. A
/// register holds the bytes of lane `i` below those of lane `i + 4`. After a transpose in quarters,
/// it holds a word of four lanes and their word four further on, then both for the next four lanes.
/// One more stage gives lane order.
macro_rules! eight_words {
    ($big:tt, $row:ident) => {{
        let [l0, l1, l2, l3] = transpose([
            halves($row!(0), $row!(4)),
            halves($row!(1), $row!(5)),
            halves($row!(2), $row!(6)),
            halves($row!(3), $row!(7)),
        ]);
        let [h0, h1, h2, h3] = transpose([
            halves($row!(8), $row!(12)),
            halves($row!(9), $row!(13)),
            halves($row!(10), $row!(14)),
            halves($row!(11), $row!(15)),
        ]);
        [
            Self(swap32::<$big>(_mm512_shuffle_i64x2::<EVEN>(l0, h0))),
            Self(swap32::<$big>(_mm512_shuffle_i64x2::<EVEN>(l1, h1))),
            Self(swap32::<$big>(_mm512_shuffle_i64x2::<EVEN>(l2, h2))),
            Self(swap32::<$big>(_mm512_shuffle_i64x2::<EVEN>(l3, h3))),
            Self(swap32::<$big>(_mm512_shuffle_i64x2::<ODD>(l0, h0))),
            Self(swap32::<$big>(_mm512_shuffle_i64x2::<ODD>(l1, h1))),
            Self(swap32::<$big>(_mm512_shuffle_i64x2::<ODD>(l2, h2))),
            Self(swap32::<$big>(_mm512_shuffle_i64x2::<ODD>(l3, h3))),
        ]
    }};
}

/// Four words of eight lanes, as in [`eight_words`].
macro_rules! four_words {
    ($big:tt, $row:ident) => {{
        let (r0, r1) = (halves($row!(0), $row!(2)), halves($row!(1), $row!(3)));
        let (r2, r3) = (halves($row!(4), $row!(6)), halves($row!(5), $row!(7)));
        let (l0, l1) = (_mm512_unpacklo_epi64(r0, r1), _mm512_unpackhi_epi64(r0, r1));
        let (h0, h1) = (_mm512_unpacklo_epi64(r2, r3), _mm512_unpackhi_epi64(r2, r3));
        [
            Self(swap64::<$big>(_mm512_shuffle_i64x2::<EVEN>(l0, h0))),
            Self(swap64::<$big>(_mm512_shuffle_i64x2::<EVEN>(l1, h1))),
            Self(swap64::<$big>(_mm512_shuffle_i64x2::<ODD>(l0, h0))),
            Self(swap64::<$big>(_mm512_shuffle_i64x2::<ODD>(l1, h1))),
        ]
    }};
}

/// Rotation, shift and ternary logic, each a single instruction here.
macro_rules! avx512_common {
    ($ror:ident, $rol:ident, $srli:ident) => {
        #[inline(always)]
        unsafe fn rotr<const BITS: i32>(self) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { $ror::<BITS>(self.0) })
        }

        #[inline(always)]
        unsafe fn rotl<const BITS: i32>(self) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { $rol::<BITS>(self.0) })
        }

        #[inline(always)]
        unsafe fn shr<const BITS: i32>(self) -> Self {
            // SAFETY: the instruction set is there (trait contract). A match, because the intrinsic
            // requires an unsigned constant.
            Self(unsafe {
                match BITS {
                    3 => $srli::<3>(self.0),
                    6 => $srli::<6>(self.0),
                    7 => $srli::<7>(self.0),
                    10 => $srli::<10>(self.0),
                    _ => unreachable!("no hash has such a shift"),
                }
            })
        }

        #[inline(always)]
        unsafe fn ternary<const TABLE: i32>(self, y: Self, z: Self) -> Self {
            // SAFETY: the instruction set is there (trait contract).
            Self(unsafe { _mm512_ternarylogic_epi64::<TABLE>(self.0, y.0, z.0) })
        }
    };
}

impl Vector for X16 {
    x86_common!(
        u32,
        16,
        _mm512_set1_epi32,
        _mm512_add_epi32,
        _mm512_xor_si512,
        _mm512_loadu_si512,
        swap32
    );
    avx512_common!(_mm512_ror_epi32, _mm512_rol_epi32, _mm512_srli_epi32);

    #[inline(always)]
    unsafe fn load_block<const BIG: bool>(inputs: *const *const u8, offset: usize) -> [Self; 16] {
        // SAFETY: sixteen pointers, each readable for 64 bytes from `offset` (trait contract).
        unsafe {
            macro_rules! low {
                ($lane:literal) => {
                    (*inputs.add($lane)).add(offset)
                };
            }
            macro_rules! high {
                ($lane:literal) => {
                    (*inputs.add($lane)).add(offset + 32)
                };
            }
            let [a, b, c, d, e, f, g, h] = eight_words!(BIG, low);
            let [i, j, k, l, m, n, o, p] = eight_words!(BIG, high);
            [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
        }
    }

    #[inline(always)]
    unsafe fn load_states(states: *const [u32; 8]) -> [Self; 8] {
        // SAFETY: sixteen rows of 32 bytes (trait contract).
        unsafe {
            macro_rules! row {
                ($lane:literal) => {
                    states.add($lane).cast::<u8>()
                };
            }
            eight_words!(false, row)
        }
    }

    #[inline(always)]
    unsafe fn store_states([a, b, c, d, e, f, g, h]: [Self; 8], states: *mut [u32; 8]) {
        // SAFETY: sixteen rows of 32 bytes (trait contract).
        unsafe {
            // Quarter q of `low[i]` is the first half of the row of lane 4q + i.
            let low = transpose([a.0, b.0, c.0, d.0]);
            let high = transpose([e.0, f.0, g.0, h.0]);
            let first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
            let last = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
            macro_rules! rows {
                ($($lane:literal)*) => {$(
                    let two = _mm512_permutex2var_epi64(low[$lane], first, high[$lane]);
                    let to = states.add($lane);
                    _mm256_storeu_si256(to.cast(), _mm512_castsi512_si256(two));
                    _mm256_storeu_si256(to.add(4).cast(), _mm512_extracti64x4_epi64::<1>(two));
                    let two = _mm512_permutex2var_epi64(low[$lane], last, high[$lane]);
                    _mm256_storeu_si256(to.add(8).cast(), _mm512_castsi512_si256(two));
                    _mm256_storeu_si256(to.add(12).cast(), _mm512_extracti64x4_epi64::<1>(two));
                )*};
            }
            rows!(0 1 2 3);
        }
    }
}

impl Vector for X8 {
    x86_common!(
        u64,
        8,
        _mm512_set1_epi64,
        _mm512_add_epi64,
        _mm512_xor_si512,
        _mm512_loadu_si512,
        swap64
    );
    avx512_common!(_mm512_ror_epi64, _mm512_rol_epi64, _mm512_srli_epi64);

    #[inline(always)]
    unsafe fn load_block<const BIG: bool>(inputs: *const *const u8, offset: usize) -> [Self; 16] {
        // SAFETY: eight pointers, each readable for 128 bytes from `offset` (trait contract).
        unsafe {
            macro_rules! quarter {
                ($at:literal) => {{
                    macro_rules! row {
                        ($lane:literal) => {
                            (*inputs.add($lane)).add(offset + $at)
                        };
                    }
                    four_words!(BIG, row)
                }};
            }
            let ([a, b, c, d], [e, f, g, h]) = (quarter!(0), quarter!(32));
            let ([i, j, k, l], [m, n, o, p]) = (quarter!(64), quarter!(96));
            [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
        }
    }

    #[inline(always)]
    unsafe fn load_states(states: *const [u64; 8]) -> [Self; 8] {
        // SAFETY: eight rows of 64 bytes (trait contract).
        unsafe {
            macro_rules! low {
                ($lane:literal) => {
                    states.add($lane).cast::<u8>()
                };
            }
            macro_rules! high {
                ($lane:literal) => {
                    states.add($lane).cast::<u8>().add(32)
                };
            }
            let ([a, b, c, d], [e, f, g, h]) = (four_words!(false, low), four_words!(false, high));
            [a, b, c, d, e, f, g, h]
        }
    }

    #[inline(always)]
    unsafe fn store_states([a, b, c, d, e, f, g, h]: [Self; 8], states: *mut [u64; 8]) {
        // SAFETY: eight rows of 64 bytes (trait contract).
        unsafe {
            // Quarter q of these: two words of lane 2q, and of lane 2q + 1.
            macro_rules! lanes {
                ($first:literal, $unpack:ident) => {
                    let (w0, w2) = ($unpack(a.0, b.0), $unpack(c.0, d.0));
                    let (w4, w6) = ($unpack(e.0, f.0), $unpack(g.0, h.0));
                    // Quarters 0 and 2, then 1 and 3, of the words before and after.
                    let (l02, l13) = (
                        _mm512_shuffle_i64x2::<EVEN>(w0, w2),
                        _mm512_shuffle_i64x2::<ODD>(w0, w2),
                    );
                    let (h02, h13) = (
                        _mm512_shuffle_i64x2::<EVEN>(w4, w6),
                        _mm512_shuffle_i64x2::<ODD>(w4, w6),
                    );
                    let to = states.add($first);
                    _mm512_storeu_si512(to.cast(), _mm512_shuffle_i64x2::<EVEN>(l02, h02));
                    _mm512_storeu_si512(to.add(4).cast(), _mm512_shuffle_i64x2::<ODD>(l02, h02));
                    _mm512_storeu_si512(to.add(2).cast(), _mm512_shuffle_i64x2::<EVEN>(l13, h13));
                    _mm512_storeu_si512(to.add(6).cast(), _mm512_shuffle_i64x2::<ODD>(l13, h13));
                };
            }
            lanes!(0, _mm512_unpacklo_epi64);
            lanes!(1, _mm512_unpackhi_epi64);
        }
    }
}
