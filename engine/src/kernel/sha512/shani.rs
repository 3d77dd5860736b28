//! SHA-512 by the SHA512 extension of x86: one or two streams.
//!
//! `vsha512rnds2` does two rounds on the pairs (ABEF, CDGH), like `sha256rnds2`, with registers
//! twice as wide and W+K of the two rounds in a separate register (Intel SDM, VSHA512RNDS2). The
//! schedule works on four words at a time.
//!
//! The three instructions are behind [`Extension`], so that tests can run the rest on a CPU without
//! them.
//!
//! The tests check these kernels with a software model of the three instructions. Their speed was
//! not measured.

use std::arch::x86_64::{
    __m128i, __m256i, _mm256_add_epi64, _mm256_alignr_epi8, _mm256_castsi256_si128,
    _mm256_extracti128_si256, _mm256_load_si256, _mm256_loadu_si256, _mm256_permute2x128_si256,
    _mm256_permute4x64_epi64, _mm256_set_epi64x, _mm256_setzero_si256, _mm256_sha512msg1_epi64,
    _mm256_sha512msg2_epi64, _mm256_sha512rnds2_epi64, _mm256_shuffle_epi8, _mm256_storeu_si256,
};

use super::constants::K;

const BLOCK_BYTES: usize = 128;

/// Required CPU features in addition to AVX2.
pub(super) trait Extension {
    /// Two rounds: CDGH, ABEF and W+K to the next ABEF.
    ///
    /// # Safety
    /// The CPU has AVX2 and the extension.
    unsafe fn rounds(cdgh: __m256i, abef: __m256i, wk: __m128i) -> __m256i;
    /// Four words, each with sigma0 of the one after it, of which the last is the lowest of `next`.
    ///
    /// # Safety
    /// The CPU has AVX2 and the extension.
    unsafe fn message1(words: __m256i, next: __m128i) -> __m256i;
    /// Four sums, each with sigma1 of the word two before it, the first two in `last`.
    ///
    /// # Safety
    /// The CPU has AVX2 and the extension.
    unsafe fn message2(sums: __m256i, last: __m256i) -> __m256i;
}

/// The CPU's own instructions.
struct Native;

impl Extension for Native {
    #[inline(always)]
    unsafe fn rounds(cdgh: __m256i, abef: __m256i, wk: __m128i) -> __m256i {
        // SAFETY: the extension is there.
        unsafe { _mm256_sha512rnds2_epi64(cdgh, abef, wk) }
    }

    #[inline(always)]
    unsafe fn message1(words: __m256i, next: __m128i) -> __m256i {
        // SAFETY: the extension is there.
        unsafe { _mm256_sha512msg1_epi64(words, next) }
    }

    #[inline(always)]
    unsafe fn message2(sums: __m256i, last: __m256i) -> __m256i {
        // SAFETY: the extension is there.
        unsafe { _mm256_sha512msg2_epi64(sums, last) }
    }
}

/// Swaps the words of each pair.
const PAIRS: i32 = 0b10_11_00_01;
/// The lower halves of two registers, the first one's lowest; and the upper halves.
const LOWER: i32 = 0x20;
const UPPER: i32 = 0x31;

/// `N` streams interleaved.
///
/// # Safety
/// As of the entries, which have the instruction set.
#[inline(always)]
pub(super) unsafe fn compress<X: Extension, const N: usize>(
    states: *mut [u64; 8],
    inputs: *const *const u8,
    blocks: usize,
) {
    // SAFETY: states, pointers and block count as the caller promised: blocks are
    // read at offsets below `blocks * 128`; the instruction set is there.
    unsafe {
        let swap = _mm256_set_epi64x(
            0x0809_0a0b_0c0d_0e0f,
            0x0001_0203_0405_0607,
            0x0809_0a0b_0c0d_0e0f,
            0x0001_0203_0405_0607,
        );
        let zero = _mm256_setzero_si256();
        // F, E, B, A and H, G, D, C, from the lowest on.
        let (mut abef, mut cdgh) = ([zero; N], [zero; N]);
        for n in 0..N {
            let state = states.add(n).cast::<__m256i>();
            let (abcd, efgh) = (_mm256_loadu_si256(state), _mm256_loadu_si256(state.add(1)));
            let (efab, ghcd) = (
                _mm256_permute2x128_si256::<LOWER>(efgh, abcd),
                _mm256_permute2x128_si256::<UPPER>(efgh, abcd),
            );
            abef[n] = _mm256_permute4x64_epi64::<PAIRS>(efab);
            cdgh[n] = _mm256_permute4x64_epi64::<PAIRS>(ghcd);
        }
        for block in 0..blocks {
            let offset = block * BLOCK_BYTES;
            let (saved_abef, saved_cdgh) = (abef, cdgh);
            let mut w = [[zero; 4]; N];
            macro_rules! load {
                ($i:literal) => {
                    for n in 0..N {
                        let words = (*inputs.add(n)).add(offset + $i * 32).cast();
                        w[n][$i] = _mm256_shuffle_epi8(_mm256_loadu_si256(words), swap);
                    }
                };
            }
            // Four rounds over w[$i] of every stream.
            macro_rules! rounds {
                ($t:expr, $i:literal) => {
                    let k = _mm256_load_si256(K.0.as_ptr().add($t * 4).cast());
                    for n in 0..N {
                        let wk = _mm256_add_epi64(w[n][$i], k);
                        cdgh[n] = X::rounds(cdgh[n], abef[n], _mm256_castsi256_si128(wk));
                        let high = _mm256_extracti128_si256::<1>(wk);
                        abef[n] = X::rounds(abef[n], cdgh[n], high);
                    }
                };
            }
            // w[$a] <- the four words after those of w[$d]. Each is the sum of the
            // word 16 before it, sigma0 of that 15 before, the one 7 before and sigma1 of that
            // 2 before; those 7 before begin with the second word of w[$c].
            macro_rules! schedule {
                ($a:literal, $b:literal, $c:literal, $d:literal) => {
                    for n in 0..N {
                        let first = X::message1(w[n][$a], _mm256_castsi256_si128(w[n][$b]));
                        // Words 2, 3 of w[$c] and 0, 1 of w[$d].
                        let middle = _mm256_permute2x128_si256::<0x21>(w[n][$c], w[n][$d]);
                        let sevens = _mm256_alignr_epi8::<8>(middle, w[n][$c]);
                        w[n][$a] = X::message2(_mm256_add_epi64(first, sevens), w[n][$d]);
                    }
                };
            }
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
            load!(0);
            rounds!(0, 0);
            load!(1);
            rounds!(1, 1);
            load!(2);
            rounds!(2, 2);
            load!(3);
            rounds!(3, 3);
            sixteen!(4);
            sixteen!(8);
            sixteen!(12);
            sixteen!(16);
            for n in 0..N {
                abef[n] = _mm256_add_epi64(abef[n], saved_abef[n]);
                cdgh[n] = _mm256_add_epi64(cdgh[n], saved_cdgh[n]);
            }
        }
        for n in 0..N {
            let state = states.add(n).cast::<__m256i>();
            let (efab, ghcd) = (
                _mm256_permute4x64_epi64::<PAIRS>(abef[n]),
                _mm256_permute4x64_epi64::<PAIRS>(cdgh[n]),
            );
            _mm256_storeu_si256(state, _mm256_permute2x128_si256::<UPPER>(efab, ghcd));
            _mm256_storeu_si256(state.add(1), _mm256_permute2x128_si256::<LOWER>(efab, ghcd));
        }
    }
}

macro_rules! entry {
    ($(#[$doc:meta])* $name:ident, $lanes:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// - the CPU has AVX2 and SHA512;
        /// - `states` is readable and writable for the streams' chaining values;
        /// - `inputs` points at as many pointers, each readable for `blocks * 128` bytes;
        /// - `blocks` is at least 1.
        #[inline(never)]
        #[target_feature(enable = "sha512,avx2")]
        pub(crate) unsafe fn $name(
            states: *mut [u64; 8],
            inputs: *const *const u8,
            blocks: usize,
        ) {
            // SAFETY: the same contract.
            unsafe { compress::<Native, $lanes>(states, inputs, blocks) }
        }
    };
}

entry!(
    /// One stream.
    hashlane_kernel_sha512_shani_x1,
    1
);
entry!(
    /// Two streams interleaved.
    hashlane_kernel_sha512_shani_x2,
    2
);
