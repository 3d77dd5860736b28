//! The SHA extensions of x86: one stream.
//!
//! `sha256rnds2` does two rounds with a latency of four cycles, so a block takes at least 128
//! cycles. The state is kept as the pairs (ABEF, CDGH) that the instruction requires (Intel SDM,
//! SHA256RNDS2).

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_alignr_epi8, _mm_load_si128, _mm_loadu_si128, _mm_setzero_si128,
    _mm_sha256msg1_epu32, _mm_sha256msg2_epu32, _mm_sha256rnds2_epu32, _mm_shuffle_epi8,
    _mm_shuffle_epi32, _mm_storeu_si128, _mm_unpackhi_epi64, _mm_unpacklo_epi64,
};

use super::constants::K;

const BLOCK_BYTES: usize = 64;

/// For `pshufb`: reverses the bytes of every word.
#[repr(C, align(16))]
pub(super) struct Swap(pub(super) [u32; 4]);

/// See [`Swap`].
pub(super) static SWAP: Swap = Swap([0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f]);

/// Swaps the words of each pair.
const PAIRS: i32 = 0b10_11_00_01;

/// The chaining value at `state` as ABEF and CDGH, that is words 5, 4, 1, 0 and 7, 6, 3, 2
/// from the lowest on.
///
/// # Safety
/// `state` is readable for eight words.
#[inline(always)]
pub(super) unsafe fn take(state: *const [u32; 8]) -> [__m128i; 2] {
    let state = state.cast::<__m128i>();
    // SAFETY: two loads of the eight words; SSE2 is part of the architecture.
    unsafe {
        let (abcd, efgh) = (_mm_loadu_si128(state), _mm_loadu_si128(state.add(1)));
        [
            _mm_shuffle_epi32::<PAIRS>(_mm_unpacklo_epi64(efgh, abcd)),
            _mm_shuffle_epi32::<PAIRS>(_mm_unpackhi_epi64(efgh, abcd)),
        ]
    }
}

/// The inverse of [`take`].
///
/// # Safety
/// `state` is writable for eight words.
#[inline(always)]
pub(super) unsafe fn give(state: *mut [u32; 8], [abef, cdgh]: [__m128i; 2]) {
    let state = state.cast::<__m128i>();
    // SAFETY: two stores to the eight words; SSE2 is part of the architecture.
    unsafe {
        let (efab, ghcd) = (
            _mm_shuffle_epi32::<PAIRS>(abef),
            _mm_shuffle_epi32::<PAIRS>(cdgh),
        );
        _mm_storeu_si128(state, _mm_unpackhi_epi64(efab, ghcd));
        _mm_storeu_si128(state.add(1), _mm_unpacklo_epi64(efab, ghcd));
    }
}

/// One stream.
///
/// # Safety
/// - the CPU has SHA, SSE4.1 and SSSE3;
/// - `states` is readable and writable for one chaining value;
/// - `inputs` points at one pointer, readable for `blocks * 64` bytes;
/// - `blocks` is at least 1.
#[inline(never)]
#[target_feature(enable = "sha,sse4.1,ssse3")]
pub(crate) unsafe fn hashlane_kernel_sha256_shani_x1(
    states: *mut [u32; 8],
    inputs: *const *const u8,
    blocks: usize,
) {
    // SAFETY: state, pointer and block count as the caller promised: blocks are
    // read at offsets below `blocks * 64`; the instruction set is there.
    unsafe {
        let swap = _mm_load_si128(SWAP.0.as_ptr().cast());
        let [mut abef, mut cdgh] = take(states);
        let mut data = (*inputs).cast::<__m128i>();
        let end = data.byte_add(blocks * BLOCK_BYTES);
        loop {
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
            data = data.byte_add(BLOCK_BYTES);
            if data == end {
                break;
            }
        }
        give(states, [abef, cdgh]);
    }
}
