//! Four lanes in SSE registers: the 4-buffer that Gueron and Krasnov measured
//! in "Simultaneous hashing of multiple messages" (2012).

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_and_si128, _mm_load_si128, _mm_loadu_si128, _mm_or_si128,
    _mm_set_epi8, _mm_set1_epi32, _mm_shuffle_epi8, _mm_slli_epi32, _mm_srli_epi32,
    _mm_store_si128, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32,
    _mm_unpacklo_epi64, _mm_xor_si128,
};

use super::vector::{Vector, x86_common, x86_two_operand_logic};

/// Four words.
#[derive(Clone, Copy)]
struct X4(__m128i);

impl Vector for X4 {
    x86_common!(
        _mm_set1_epi32,
        _mm_load_si128,
        _mm_store_si128,
        _mm_add_epi32
    );
    x86_two_operand_logic!(
        _mm_and_si128,
        _mm_or_si128,
        _mm_xor_si128,
        _mm_srli_epi32,
        _mm_slli_epi32
    );

    #[inline(always)]
    unsafe fn load_block(inputs: *const *const u8, offset: usize) -> [Self; 16] {
        // SAFETY: four pointers, each readable for 64 bytes from `offset`; 48 + 16 = 64.
        unsafe {
            let swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
            let mut words = [Self::splat(0); 16];
            for (quarter, words) in words.chunks_exact_mut(4).enumerate() {
                let row = |lane: usize| {
                    _mm_loadu_si128((*inputs.add(lane)).add(offset + quarter * 16).cast())
                };
                let (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3));
                let (t0, t1) = (_mm_unpacklo_epi32(r0, r1), _mm_unpackhi_epi32(r0, r1));
                let (t2, t3) = (_mm_unpacklo_epi32(r2, r3), _mm_unpackhi_epi32(r2, r3));
                words[0] = Self(_mm_shuffle_epi8(_mm_unpacklo_epi64(t0, t2), swap));
                words[1] = Self(_mm_shuffle_epi8(_mm_unpackhi_epi64(t0, t2), swap));
                words[2] = Self(_mm_shuffle_epi8(_mm_unpacklo_epi64(t1, t3), swap));
                words[3] = Self(_mm_shuffle_epi8(_mm_unpackhi_epi64(t1, t3), swap));
            }
            words
        }
    }
}

/// Four lanes.
///
/// # Safety
/// The contract of [`super::Entry::Whole`] with `N = 4`; the CPU has SSE4.1 and SSSE3.
#[inline(never)]
#[target_feature(enable = "sse4.1,ssse3")]
pub(super) unsafe fn hashlane_kernel_sse41x4(
    state: *mut u32,
    inputs: *const *const u8,
    blocks: usize,
) {
    // SAFETY: passed on.
    unsafe { super::sha256::compress::<X4>(state, inputs, blocks) }
}
