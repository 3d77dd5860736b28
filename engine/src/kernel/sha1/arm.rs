//! SHA-1 by the SHA-1 extension of Arm: one or two streams interleaved.
//!
//! `sha1c`, `sha1p` and `sha1m` do four rounds, each with the function of its part of the hash, and
//! `sha1h` computes E of the round four later from A (Arm Architecture Reference Manual, SHA1C).
//! Alternating instructions of two streams hide their latency.

use std::arch::aarch64::{
    uint32x4_t, vaddq_u32, vdupq_n_u32, vgetq_lane_u32, vld1q_u8, vld1q_u32, vreinterpretq_u32_u8,
    vrev32q_u8, vsha1cq_u32, vsha1h_u32, vsha1mq_u32, vsha1pq_u32, vsha1su0q_u32, vsha1su1q_u32,
    vst1q_u32,
};

const BLOCK_BYTES: usize = 64;

/// Round constants (FIPS 180-4 section 4.2.1).
const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// `N` streams interleaved.
///
/// # Safety
/// As of the entries, which have the SHA-1 extension.
#[inline]
#[target_feature(enable = "neon,sha2")]
unsafe fn compress<const N: usize>(states: *mut [u32; 8], inputs: *const *const u8, blocks: usize) {
    // SAFETY: states, pointers and block count as the caller promised: the first five words
    // of a state are read and written, blocks are read at offsets below `blocks * 64`;
    // the instruction set is there.
    unsafe {
        let (mut abcd, mut e) = ([vdupq_n_u32(0); N], [0; N]);
        for n in 0..N {
            let state = states.add(n).cast::<u32>();
            abcd[n] = vld1q_u32(state);
            e[n] = *state.add(4);
        }
        for block in 0..blocks {
            let offset = block * BLOCK_BYTES;
            let (saved_abcd, saved_e) = (abcd, e);
            let mut w: [[uint32x4_t; 4]; N] = [[vdupq_n_u32(0); 4]; N];
            macro_rules! load {
                ($i:literal) => {
                    for n in 0..N {
                        let bytes = vld1q_u8((*inputs.add(n)).add(offset + $i * 16));
                        w[n][$i] = vreinterpretq_u32_u8(vrev32q_u8(bytes));
                    }
                };
            }
            // Four rounds over w[$i] of every stream.
            macro_rules! rounds {
                ($function:ident, $part:literal, $i:literal) => {
                    let k = vdupq_n_u32(K[$part]);
                    for n in 0..N {
                        let wk = vaddq_u32(w[n][$i], k);
                        let next = vsha1h_u32(vgetq_lane_u32::<0>(abcd[n]));
                        abcd[n] = $function(abcd[n], e[n], wk);
                        e[n] = next;
                    }
                };
            }
            // The same with the four words after those of w[$d], which are put into w[$a].
            macro_rules! scheduled {
                ($f:ident, $part:literal, $a:literal, $b:literal, $c:literal, $d:literal) => {
                    for n in 0..N {
                        let sum = vsha1su0q_u32(w[n][$a], w[n][$b], w[n][$c]);
                        w[n][$a] = vsha1su1q_u32(sum, w[n][$d]);
                    }
                    rounds!($f, $part, $a);
                };
            }
            load!(0);
            load!(1);
            load!(2);
            load!(3);
            rounds!(vsha1cq_u32, 0, 0);
            rounds!(vsha1cq_u32, 0, 1);
            rounds!(vsha1cq_u32, 0, 2);
            rounds!(vsha1cq_u32, 0, 3);
            scheduled!(vsha1cq_u32, 0, 0, 1, 2, 3);
            scheduled!(vsha1pq_u32, 1, 1, 2, 3, 0);
            scheduled!(vsha1pq_u32, 1, 2, 3, 0, 1);
            scheduled!(vsha1pq_u32, 1, 3, 0, 1, 2);
            scheduled!(vsha1pq_u32, 1, 0, 1, 2, 3);
            scheduled!(vsha1pq_u32, 1, 1, 2, 3, 0);
            scheduled!(vsha1mq_u32, 2, 2, 3, 0, 1);
            scheduled!(vsha1mq_u32, 2, 3, 0, 1, 2);
            scheduled!(vsha1mq_u32, 2, 0, 1, 2, 3);
            scheduled!(vsha1mq_u32, 2, 1, 2, 3, 0);
            scheduled!(vsha1mq_u32, 2, 2, 3, 0, 1);
            scheduled!(vsha1pq_u32, 3, 3, 0, 1, 2);
            scheduled!(vsha1pq_u32, 3, 0, 1, 2, 3);
            scheduled!(vsha1pq_u32, 3, 1, 2, 3, 0);
            scheduled!(vsha1pq_u32, 3, 2, 3, 0, 1);
            scheduled!(vsha1pq_u32, 3, 3, 0, 1, 2);
            for n in 0..N {
                abcd[n] = vaddq_u32(abcd[n], saved_abcd[n]);
                e[n] = e[n].wrapping_add(saved_e[n]);
            }
        }
        for n in 0..N {
            let state = states.add(n).cast::<u32>();
            vst1q_u32(state, abcd[n]);
            *state.add(4) = e[n];
        }
    }
}

macro_rules! entry {
    ($(#[$doc:meta])* $name:ident, $lanes:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// - the CPU has the SHA-1 extension, which the feature SHA2 includes;
        /// - `states` is readable and writable for the streams' chaining values, of which
        ///   the last three words are left alone;
        /// - `inputs` points at as many pointers, each readable for `blocks * 64` bytes;
        /// - `blocks` is at least 1.
        #[inline(never)]
        #[target_feature(enable = "neon,sha2")]
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
    hashlane_kernel_sha1_arm_x1,
    1
);
entry!(
    /// Two streams interleaved.
    hashlane_kernel_sha1_arm_x2,
    2
);
