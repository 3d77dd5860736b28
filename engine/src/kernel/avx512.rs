//! Sixteen lanes in AVX-512 registers, instructions ordered by the compiler:
//! the reference of [`super::avx512x16`] and [`super::avx512x32`].

use std::arch::x86_64::{
    __m512i, _mm256_loadu_si256, _mm512_add_epi32, _mm512_castsi256_si512, _mm512_inserti64x4,
    _mm512_load_si512, _mm512_ror_epi32, _mm512_set1_epi32, _mm512_set4_epi32, _mm512_shuffle_epi8,
    _mm512_shuffle_i32x4, _mm512_srli_epi32, _mm512_store_si512, _mm512_ternarylogic_epi32,
    _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

use super::vector::{Vector, x86_common};

/// Sixteen words.
#[derive(Clone, Copy)]
struct X16(__m512i);

/// For `vpshufb`: reverses the bytes of every word.
#[repr(C, align(64))]
pub(super) struct Swap(pub(super) [u32; 16]);

/// See [`Swap`]. A static, so that the kernels in assembly read it from memory.
#[rustfmt::skip]
pub(super) static SWAP: Swap = Swap([
    0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f,
    0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f,
]);

/// Truth tables for `vpternlogd`, indexed by the bits (x, y, z) as 4x + 2y + z.
const XOR3: i32 = 0b1001_0110;
const CH: i32 = 0b1100_1010;
const MAJ: i32 = 0b1110_1000;

impl Vector for X16 {
    x86_common!(
        _mm512_set1_epi32,
        _mm512_load_si512,
        _mm512_store_si512,
        _mm512_add_epi32
    );

    #[inline(always)]
    unsafe fn rotr<const BITS: i32>(self) -> Self {
        // SAFETY: the instruction set is there (trait contract).
        Self(unsafe { _mm512_ror_epi32::<BITS>(self.0) })
    }

    #[inline(always)]
    unsafe fn shr<const BITS: i32>(self) -> Self {
        // SAFETY: the instruction set is there (trait contract). A match, since
        // the intrinsic wants an unsigned constant.
        Self(unsafe {
            match BITS {
                3 => _mm512_srli_epi32::<3>(self.0),
                10 => _mm512_srli_epi32::<10>(self.0),
                _ => unreachable!("SHA-256 has no such shift"),
            }
        })
    }

    #[inline(always)]
    unsafe fn xor3(self, b: Self, c: Self) -> Self {
        // SAFETY: the instruction set is there (trait contract).
        Self(unsafe { _mm512_ternarylogic_epi32::<XOR3>(self.0, b.0, c.0) })
    }

    #[inline(always)]
    unsafe fn ch(self, y: Self, z: Self) -> Self {
        // SAFETY: the instruction set is there (trait contract).
        Self(unsafe { _mm512_ternarylogic_epi32::<CH>(self.0, y.0, z.0) })
    }

    #[inline(always)]
    unsafe fn maj(self, y: Self, z: Self) -> Self {
        // SAFETY: the instruction set is there (trait contract).
        Self(unsafe { _mm512_ternarylogic_epi32::<MAJ>(self.0, y.0, z.0) })
    }

    /// Half a block at a time. Register `i` holds 32 bytes of lane `i` below 32
    /// bytes of lane `i + 4`, register `4 + i` the same of lanes `i + 8` and
    /// `i + 12`. Two unpack stages within the 128-bit quarters and one shuffle
    /// of whole quarters give each word in lane order.
    #[inline(always)]
    unsafe fn load_block(inputs: *const *const u8, offset: usize) -> [Self; 16] {
        // SAFETY: sixteen pointers, each readable for 64 bytes from `offset`; 32 + 32 = 64.
        unsafe {
            let swap = _mm512_set4_epi32(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203);
            // Macros, not closures: a closure does not inherit the instruction
            // set, and one that is not inlined costs a call.
            macro_rules! row {
                ($half:literal, $lane:expr) => {{
                    let at = offset + $half * 32;
                    let low = _mm256_loadu_si256((*inputs.add($lane)).add(at).cast());
                    let high = _mm256_loadu_si256((*inputs.add($lane + 4)).add(at).cast());
                    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
                }};
            }
            // Words k and k + 4 of four lanes below those of the next four.
            macro_rules! quarter {
                ($half:literal, $first:literal) => {{
                    let (r0, r1) = (row!($half, $first), row!($half, $first + 1));
                    let (r2, r3) = (row!($half, $first + 2), row!($half, $first + 3));
                    let (t0, t1) = (_mm512_unpacklo_epi32(r0, r1), _mm512_unpackhi_epi32(r0, r1));
                    let (t2, t3) = (_mm512_unpacklo_epi32(r2, r3), _mm512_unpackhi_epi32(r2, r3));
                    [
                        _mm512_unpacklo_epi64(t0, t2),
                        _mm512_unpackhi_epi64(t0, t2),
                        _mm512_unpacklo_epi64(t1, t3),
                        _mm512_unpackhi_epi64(t1, t3),
                    ]
                }};
            }
            macro_rules! word {
                ($table:literal, $low:expr, $high:expr) => {
                    Self(_mm512_shuffle_epi8(
                        _mm512_shuffle_i32x4::<$table>($low, $high),
                        swap,
                    ))
                };
            }
            macro_rules! half {
                ($half:literal) => {{
                    let [l0, l1, l2, l3] = quarter!($half, 0);
                    let [h0, h1, h2, h3] = quarter!($half, 8);
                    [
                        word!(0b10_00_10_00, l0, h0),
                        word!(0b10_00_10_00, l1, h1),
                        word!(0b10_00_10_00, l2, h2),
                        word!(0b10_00_10_00, l3, h3),
                        word!(0b11_01_11_01, l0, h0),
                        word!(0b11_01_11_01, l1, h1),
                        word!(0b11_01_11_01, l2, h2),
                        word!(0b11_01_11_01, l3, h3),
                    ]
                }};
            }
            let [w0, w1, w2, w3, w4, w5, w6, w7] = half!(0);
            let [w8, w9, w10, w11, w12, w13, w14, w15] = half!(1);
            [
                w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15,
            ]
        }
    }
}

/// Sixteen lanes.
///
/// # Safety
/// The contract of [`super::Entry::Whole`] with `N = 16`; the CPU has AVX-512 F and BW.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn hashlane_kernel_avx512x16_generic(
    state: *mut u32,
    inputs: *const *const u8,
    blocks: usize,
) {
    // SAFETY: passed on.
    unsafe { super::sha256::compress::<X16>(state, inputs, blocks) }
}
