//! Eight lanes in AVX2 registers.

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_and_si256, _mm256_castsi128_si256,
    _mm256_inserti128_si256, _mm256_load_si256, _mm256_or_si256, _mm256_set_epi8,
    _mm256_set1_epi32, _mm256_shuffle_epi8, _mm256_slli_epi32, _mm256_srli_epi32,
    _mm256_store_si256, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi32,
    _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::vector::{Vector, x86_common, x86_two_operand_logic};

/// Eight words.
#[derive(Clone, Copy)]
struct X8(__m256i);

impl Vector for X8 {
    x86_common!(
        _mm256_set1_epi32,
        _mm256_load_si256,
        _mm256_store_si256,
        _mm256_add_epi32
    );
    x86_two_operand_logic!(
        _mm256_and_si256,
        _mm256_or_si256,
        _mm256_xor_si256,
        _mm256_srli_epi32,
        _mm256_slli_epi32
    );

    /// A register holds 16 bytes of lane `i` below 16 bytes of lane `i + 4`;
    /// the unpacks work within 128-bit halves, so two stages give a word of
    /// lanes 0 to 3 below the same word of lanes 4 to 7: lane order.
    #[inline(always)]
    unsafe fn load_block(inputs: *const *const u8, offset: usize) -> [Self; 16] {
        // SAFETY: eight pointers, each readable for 64 bytes from `offset`; 48 + 16 = 64.
        unsafe {
            #[rustfmt::skip]
            let swap = _mm256_set_epi8(
                12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3,
                12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3,
            );
            let mut words = [Self::splat(0); 16];
            for (quarter, words) in words.chunks_exact_mut(4).enumerate() {
                let half = |lane: usize| {
                    _mm_loadu_si128((*inputs.add(lane)).add(offset + quarter * 16).cast())
                };
                let row = |lane: usize| {
                    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(half(lane)), half(lane + 4))
                };
                let (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3));
                let (t0, t1) = (_mm256_unpacklo_epi32(r0, r1), _mm256_unpackhi_epi32(r0, r1));
                let (t2, t3) = (_mm256_unpacklo_epi32(r2, r3), _mm256_unpackhi_epi32(r2, r3));
                words[0] = Self(_mm256_shuffle_epi8(_mm256_unpacklo_epi64(t0, t2), swap));
                words[1] = Self(_mm256_shuffle_epi8(_mm256_unpackhi_epi64(t0, t2), swap));
                words[2] = Self(_mm256_shuffle_epi8(_mm256_unpacklo_epi64(t1, t3), swap));
                words[3] = Self(_mm256_shuffle_epi8(_mm256_unpackhi_epi64(t1, t3), swap));
            }
            words
        }
    }
}

/// Eight lanes.
///
/// # Safety
/// The contract of [`super::Entry::Whole`] with `N = 8`; the CPU has AVX2.
#[inline(never)]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn hashlane_kernel_avx2x8(
    state: *mut u32,
    inputs: *const *const u8,
    blocks: usize,
) {
    // SAFETY: passed on.
    unsafe { super::sha256::compress::<X8>(state, inputs, blocks) }
}
