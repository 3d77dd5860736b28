//! The SHA extensions of x86: one stream.
//!
//! `sha256rnds2` does two rounds and takes four cycles to answer, so a block
//! takes 128 cycles however the rest is done. The state travels as the pairs
//! (ABEF, CDGH) that the instruction wants (Intel SDM, SHA256RNDS2).

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_alignr_epi8, _mm_load_si128, _mm_loadu_si128, _mm_setzero_si128,
    _mm_sha256msg1_epu32, _mm_sha256msg2_epu32, _mm_sha256rnds2_epu32, _mm_shuffle_epi8,
    _mm_shuffle_epi32, _mm_storeu_si128,
};

use super::{BLOCK_BYTES, LANES_MAX, sha256::K};

/// The state's words as `sha256rnds2` has them, ABEF then CDGH, lowest first.
pub(super) const WORDS: [usize; 8] = [5, 4, 1, 0, 7, 6, 3, 2];

/// For `pshufb`: reverses the bytes of every word.
#[repr(C, align(16))]
pub(super) struct Swap(pub(super) [u32; 4]);

/// See [`Swap`].
pub(super) static SWAP: Swap = Swap([0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f]);

/// One stream.
///
/// # Safety
/// The contract of [`super::Entry::Whole`] with `N = 1`; the CPU has SHA, SSE4.1 and SSSE3.
#[inline(never)]
#[target_feature(enable = "sha,sse4.1,ssse3")]
pub(super) unsafe fn hashlane_kernel_shani_x1(
    state: *mut u32,
    inputs: *const *const u8,
    blocks: usize,
) {
    // SAFETY: column, pointer and block count as the caller promised: words are
    // read and written at `word * LANES_MAX`, blocks at offsets below
    // `blocks * 64`; the instruction set is there.
    unsafe {
        let swap = _mm_load_si128(SWAP.0.as_ptr().cast());
        let mut halves = [0_u32; 8];
        for (at, word) in WORDS.into_iter().enumerate() {
            halves[at] = *state.add(word * LANES_MAX);
        }
        let mut abef = _mm_loadu_si128(halves.as_ptr().cast());
        let mut cdgh = _mm_loadu_si128(halves.as_ptr().add(4).cast());
        for block in 0..blocks {
            let data = (*inputs).add(block * BLOCK_BYTES).cast::<__m128i>();
            let (saved_abef, saved_cdgh) = (abef, cdgh);
            let mut w = [_mm_setzero_si128(); 4];
            // Four rounds over w[$i].
            macro_rules! rounds {
                ($t:expr, $i:literal) => {
                    let k = _mm_load_si128(K.0.as_ptr().add($t * 4).cast());
                    let wk = _mm_add_epi32(w[$i], k);
                    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
                    let high = _mm_shuffle_epi32::<0x0e>(wk);
                    abef = _mm_sha256rnds2_epu32(abef, cdgh, high);
                };
            }
            macro_rules! load {
                ($i:literal) => {
                    w[$i] = _mm_shuffle_epi8(_mm_loadu_si128(data.add($i)), swap);
                };
            }
            // w[$a] <- the four words after those of w[$d].
            macro_rules! schedule {
                ($a:literal, $b:literal, $c:literal, $d:literal) => {
                    let sum = _mm_add_epi32(
                        _mm_sha256msg1_epu32(w[$a], w[$b]),
                        _mm_alignr_epi8::<4>(w[$d], w[$c]),
                    );
                    w[$a] = _mm_sha256msg2_epu32(sum, w[$d]);
                };
            }
            load!(0);
            rounds!(0, 0);
            load!(1);
            rounds!(1, 1);
            load!(2);
            rounds!(2, 2);
            load!(3);
            rounds!(3, 3);
            macro_rules! sixteen {
                ($t:expr) => {
                    schedule!(0, 1, 2, 3);
                    rounds!($t, 0);
                    schedule!(1, 2, 3, 0);
                    rounds!($t + 1, 1);
                    schedule!(2, 3, 0, 1);
                    rounds!($t + 2, 2);
                    schedule!(3, 0, 1, 2);
                    rounds!($t + 3, 3);
                };
            }
            sixteen!(4);
            sixteen!(8);
            sixteen!(12);
            abef = _mm_add_epi32(abef, saved_abef);
            cdgh = _mm_add_epi32(cdgh, saved_cdgh);
        }
        _mm_storeu_si128(halves.as_mut_ptr().cast(), abef);
        _mm_storeu_si128(halves.as_mut_ptr().add(4).cast(), cdgh);
        for (at, word) in WORDS.into_iter().enumerate() {
            *state.add(word * LANES_MAX) = halves[at];
        }
    }
}
