//! SHA-1 by the SHA extensions of x86: one, two or four streams interleaved.
//!
//! `sha1rnds4` does four rounds. Its other operand is E of its first round, which `sha1nexte`
//! computes from A four rounds before and adds to the words (Intel SDM, SHA1RNDS4). So the critical
//! path has one instruction per four rounds, and alternating instructions of several streams hide
//! its latency.

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_cvtsi32_si128, _mm_cvtsi128_si32, _mm_load_si128, _mm_loadu_si128,
    _mm_setzero_si128, _mm_sha1msg1_epu32, _mm_sha1msg2_epu32, _mm_sha1nexte_epu32,
    _mm_sha1rnds4_epu32, _mm_shuffle_epi8, _mm_shuffle_epi32, _mm_slli_si128, _mm_srli_si128,
    _mm_storeu_si128, _mm_xor_si128,
};

const BLOCK_BYTES: usize = 64;

/// Reverses the words.
const REVERSE: i32 = 0b00_01_10_11;

/// For `pshufb`: reverses the bytes, so that the first word is the highest and big-endian.
#[repr(C, align(16))]
struct Swap([u8; 16]);

/// See [`Swap`].
static SWAP: Swap = Swap([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);

/// The chaining value at `state` as ABCD and E. A is the highest word of ABCD, E of its
/// register.
///
/// # Safety
/// `state` is readable for five words.
#[inline(always)]
unsafe fn take(state: *const [u32; 8]) -> [__m128i; 2] {
    let state = state.cast::<i32>();
    // SAFETY: loads of the five words; SSE2 is part of the architecture.
    unsafe {
        [
            _mm_shuffle_epi32::<REVERSE>(_mm_loadu_si128(state.cast())),
            _mm_slli_si128::<12>(_mm_cvtsi32_si128(*state.add(4))),
        ]
    }
}

/// The inverse of [`take`].
///
/// # Safety
/// `state` is writable for five words.
#[inline(always)]
unsafe fn give(state: *mut [u32; 8], [abcd, e]: [__m128i; 2]) {
    let state = state.cast::<i32>();
    // SAFETY: stores to the five words; SSE2 is part of the architecture.
    unsafe {
        _mm_storeu_si128(state.cast(), _mm_shuffle_epi32::<REVERSE>(abcd));
        *state.add(4) = _mm_cvtsi128_si32(_mm_srli_si128::<12>(e));
    }
}

/// `N` streams interleaved.
///
/// # Safety
/// As of the entries, which have the instruction set.
#[inline(always)]
unsafe fn compress<const N: usize>(states: *mut [u32; 8], inputs: *const *const u8, blocks: usize) {
    // SAFETY: states, pointers and block count as the caller promised: the first five words
    // of a state are read and written, blocks are read at offsets below `blocks * 64`;
    // the instruction set is there.
    unsafe {
        let swap = _mm_load_si128(SWAP.0.as_ptr().cast());
        let zero = _mm_setzero_si128();
        let (mut abcd, mut e) = ([zero; N], [zero; N]);
        for n in 0..N {
            [abcd[n], e[n]] = take(states.add(n));
        }
        let end = blocks * BLOCK_BYTES;
        let mut offset = 0;
        loop {
            let (saved_abcd, saved_e) = (abcd, e);
            let mut w = [[zero; 4]; N];
            macro_rules! load {
                ($i:literal) => {
                    for n in 0..N {
                        let words = (*inputs.add(n)).add(offset + $i * 16).cast();
                        w[n][$i] = _mm_shuffle_epi8(_mm_loadu_si128(words), swap);
                    }
                };
            }
            // Four rounds with the sum of E and the words, which is ready. E of the next four
            // rounds is A of these, rotated.
            macro_rules! rounds {
                ($function:literal) => {
                    for n in 0..N {
                        let before = abcd[n];
                        abcd[n] = _mm_sha1rnds4_epu32::<$function>(before, e[n]);
                        e[n] = before;
                    }
                };
            }
            macro_rules! next {
                ($function:literal, $i:literal) => {
                    for n in 0..N {
                        e[n] = _mm_sha1nexte_epu32(e[n], w[n][$i]);
                    }
                    rounds!($function);
                };
            }
            // w[$a] <- the four words after those of w[$d].
            macro_rules! schedule {
                ($a:literal, $b:literal, $c:literal, $d:literal) => {
                    for n in 0..N {
                        let sum = _mm_xor_si128(_mm_sha1msg1_epu32(w[n][$a], w[n][$b]), w[n][$c]);
                        w[n][$a] = _mm_sha1msg2_epu32(sum, w[n][$d]);
                    }
                };
            }
            macro_rules! scheduled {
                ($function:literal, $a:literal, $b:literal, $c:literal, $d:literal) => {
                    schedule!($a, $b, $c, $d);
                    next!($function, $a);
                };
            }
            load!(0);
            for n in 0..N {
                e[n] = _mm_add_epi32(e[n], w[n][0]);
            }
            rounds!(0);
            load!(1);
            next!(0, 1);
            load!(2);
            next!(0, 2);
            load!(3);
            next!(0, 3);
            scheduled!(0, 0, 1, 2, 3);
            scheduled!(1, 1, 2, 3, 0);
            scheduled!(1, 2, 3, 0, 1);
            scheduled!(1, 3, 0, 1, 2);
            scheduled!(1, 0, 1, 2, 3);
            scheduled!(1, 1, 2, 3, 0);
            scheduled!(2, 2, 3, 0, 1);
            scheduled!(2, 3, 0, 1, 2);
            scheduled!(2, 0, 1, 2, 3);
            scheduled!(2, 1, 2, 3, 0);
            scheduled!(2, 2, 3, 0, 1);
            scheduled!(3, 3, 0, 1, 2);
            scheduled!(3, 0, 1, 2, 3);
            scheduled!(3, 1, 2, 3, 0);
            scheduled!(3, 2, 3, 0, 1);
            scheduled!(3, 3, 0, 1, 2);
            for n in 0..N {
                e[n] = _mm_sha1nexte_epu32(e[n], saved_e[n]);
                abcd[n] = _mm_add_epi32(abcd[n], saved_abcd[n]);
            }
            offset += BLOCK_BYTES;
            if offset == end {
                break;
            }
        }
        for n in 0..N {
            give(states.add(n), [abcd[n], e[n]]);
        }
    }
}

macro_rules! entry {
    ($(#[$doc:meta])* $name:ident, $lanes:literal, $features:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// - the CPU has the features named below;
        /// - `states` is readable and writable for the streams' chaining values, of which
        ///   the last three words are left alone;
        /// - `inputs` points at as many pointers, each readable for `blocks * 64` bytes;
        /// - `blocks` is at least 1.
        #[inline(never)]
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn $name(
            states: *mut [u32; 8],
            inputs: *const *const u8,
            blocks: usize,
        ) {
            // SAFETY: the same contract.
            unsafe { compress::<$lanes>(states, inputs, blocks) }
        }
    };
}

entry!(
    /// One stream.
    hashlane_kernel_sha1_shani_x1,
    1,
    "sha,sse4.1,ssse3"
);
entry!(
    /// Two streams interleaved.
    hashlane_kernel_sha1_shani_x2,
    2,
    "sha,avx"
);
entry!(
    /// Four streams interleaved.
    hashlane_kernel_sha1_shani_x4,
    4,
    "sha,avx"
);
