//! The SHA2 extension of Arm: one, two or four streams interleaved.
//!
//! `sha256h` and `sha256h2` together do four rounds, each for one half of the state, and depend on
//! each other. Alternating instructions of several streams fill the gaps (Arm Architecture
//! Reference Manual, SHA256H).

use std::arch::aarch64::{
    uint32x4_t, vaddq_u32, vdupq_n_u32, vld1q_u8, vld1q_u32, vreinterpretq_u32_u8, vrev32q_u8,
    vsha256h2q_u32, vsha256hq_u32, vsha256su0q_u32, vsha256su1q_u32, vst1q_u32,
};

use super::constants::K;

const BLOCK_BYTES: usize = 64;

/// `N` streams interleaved.
///
/// # Safety
/// As of the entries, which have the SHA2 extension.
#[inline]
#[target_feature(enable = "neon,sha2")]
unsafe fn compress<const N: usize>(states: *mut [u32; 8], inputs: *const *const u8, blocks: usize) {
    // SAFETY: states, pointers and block count as the caller promised: blocks are
    // read at offsets below `blocks * 64`; the instruction set is there.
    unsafe {
        let mut abcd = [vdupq_n_u32(0); N];
        let mut efgh = [vdupq_n_u32(0); N];
        for lane in 0..N {
            let state = states.add(lane).cast::<u32>();
            abcd[lane] = vld1q_u32(state);
            efgh[lane] = vld1q_u32(state.add(4));
        }
        for block in 0..blocks {
            let offset = block * BLOCK_BYTES;
            let (saved_abcd, saved_efgh) = (abcd, efgh);
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
                ($t:expr, $i:literal) => {
                    let k = vld1q_u32(K.0.as_ptr().add($t * 4));
                    for n in 0..N {
                        let wk = vaddq_u32(w[n][$i], k);
                        let before = abcd[n];
                        abcd[n] = vsha256hq_u32(before, efgh[n], wk);
                        efgh[n] = vsha256h2q_u32(efgh[n], before, wk);
                    }
                };
            }
            // w[$a] <- the four words after those of w[$d].
            macro_rules! schedule {
                ($a:literal, $b:literal, $c:literal, $d:literal) => {
                    for n in 0..N {
                        let sum = vsha256su0q_u32(w[n][$a], w[n][$b]);
                        w[n][$a] = vsha256su1q_u32(sum, w[n][$c], w[n][$d]);
                    }
                };
            }
            macro_rules! sixteen {
                ($t:expr) => {
                    rounds!($t, 0);
                    schedule!(0, 1, 2, 3);
                    rounds!($t + 1, 1);
                    schedule!(1, 2, 3, 0);
                    rounds!($t + 2, 2);
                    schedule!(2, 3, 0, 1);
                    rounds!($t + 3, 3);
                    schedule!(3, 0, 1, 2);
                };
            }
            load!(0);
            load!(1);
            load!(2);
            load!(3);
            sixteen!(0);
            sixteen!(4);
            sixteen!(8);
            rounds!(12, 0);
            rounds!(13, 1);
            rounds!(14, 2);
            rounds!(15, 3);
            for n in 0..N {
                abcd[n] = vaddq_u32(abcd[n], saved_abcd[n]);
                efgh[n] = vaddq_u32(efgh[n], saved_efgh[n]);
            }
        }
        for lane in 0..N {
            let state = states.add(lane).cast::<u32>();
            vst1q_u32(state, abcd[lane]);
            vst1q_u32(state.add(4), efgh[lane]);
        }
    }
}

macro_rules! entry {
    ($(#[$doc:meta])* $name:ident, $lanes:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// - the CPU has the SHA2 extension;
        /// - `states` is readable and writable for the streams' chaining values;
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
    hashlane_kernel_sha256_arm_sha2_x1,
    1
);
entry!(
    /// Two streams interleaved.
    hashlane_kernel_sha256_arm_sha2_x2,
    2
);
entry!(
    /// Four streams interleaved.
    hashlane_kernel_sha256_arm_sha2_x4,
    4
);
