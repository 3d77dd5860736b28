//! SHA-512 by the SHA-512 extension of Arm: one or two streams interleaved.
//!
//! `sha512h` and `sha512h2` together do two rounds on pairs of the state's words and depend on each
//! other. Alternating instructions of two streams fill the gaps (Arm Architecture Reference Manual,
//! SHA512H).

use std::arch::aarch64::{
    uint64x2_t, vaddq_u64, vdupq_n_u64, vextq_u64, vld1q_u8, vld1q_u64, vreinterpretq_u64_u8,
    vrev64q_u8, vsha512h2q_u64, vsha512hq_u64, vsha512su0q_u64, vsha512su1q_u64, vst1q_u64,
};

use super::constants::K;

const BLOCK_BYTES: usize = 128;

/// `N` streams interleaved.
///
/// # Safety
/// As of the entries, which have the SHA-512 extension.
#[inline]
#[target_feature(enable = "neon,sha3")]
unsafe fn compress<const N: usize>(states: *mut [u64; 8], inputs: *const *const u8, blocks: usize) {
    // SAFETY: states, pointers and block count as the caller promised: blocks are
    // read at offsets below `blocks * 128`; the instruction set is there.
    unsafe {
        // The pairs AB, CD, EF and GH. They change places after two rounds and are back after
        // eight.
        let mut s = [[vdupq_n_u64(0); 4]; N];
        for (n, s) in s.iter_mut().enumerate() {
            let state = states.add(n).cast::<u64>();
            for (i, pair) in s.iter_mut().enumerate() {
                *pair = vld1q_u64(state.add(i * 2));
            }
        }
        for block in 0..blocks {
            let offset = block * BLOCK_BYTES;
            let saved = s;
            let mut w: [[uint64x2_t; 8]; N] = [[vdupq_n_u64(0); 8]; N];
            for (n, w) in w.iter_mut().enumerate() {
                let input = (*inputs.add(n)).add(offset);
                for (i, pair) in w.iter_mut().enumerate() {
                    *pair = vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(input.add(i * 16))));
                }
            }
            // Two rounds over w[$i] of every stream. H and G with W+K give the value that is added
            // to D and C and, with the sums of A, B and C, the next A and B.
            macro_rules! rounds {
                ($t:expr, $i:literal, $ab:literal, $cd:literal, $ef:literal, $gh:literal) => {
                    let k = vld1q_u64(K.0.as_ptr().add($t * 2));
                    for n in 0..N {
                        let wk = vaddq_u64(w[n][$i], k);
                        // W+K in the order of H, G.
                        let sum = vaddq_u64(vextq_u64::<1>(wk, wk), s[n][$gh]);
                        let fg = vextq_u64::<1>(s[n][$ef], s[n][$gh]);
                        let de = vextq_u64::<1>(s[n][$cd], s[n][$ef]);
                        let t1 = vsha512hq_u64(sum, fg, de);
                        s[n][$gh] = vsha512h2q_u64(t1, s[n][$cd], s[n][$ab]);
                        s[n][$cd] = vaddq_u64(s[n][$cd], t1);
                    }
                };
            }
            macro_rules! eight {
                ($t:expr, $i0:literal, $i1:literal, $i2:literal, $i3:literal) => {
                    rounds!($t, $i0, 0, 1, 2, 3);
                    rounds!($t + 1, $i1, 3, 0, 1, 2);
                    rounds!($t + 2, $i2, 2, 3, 0, 1);
                    rounds!($t + 3, $i3, 1, 2, 3, 0);
                };
            }
            // w[$i] <- the two words sixteen later. The two words 7 before them begin with the
            // second word of the pair four later.
            macro_rules! schedule {
                ($i0:literal, $i1:literal, $i4:literal, $i5:literal, $i7:literal) => {
                    for n in 0..N {
                        let sevens = vextq_u64::<1>(w[n][$i4], w[n][$i5]);
                        let sum = vsha512su0q_u64(w[n][$i0], w[n][$i1]);
                        w[n][$i0] = vsha512su1q_u64(sum, w[n][$i7], sevens);
                    }
                };
            }
            let mut t = 0;
            while t < 32 {
                eight!(t, 0, 1, 2, 3);
                schedule!(0, 1, 4, 5, 7);
                schedule!(1, 2, 5, 6, 0);
                schedule!(2, 3, 6, 7, 1);
                schedule!(3, 4, 7, 0, 2);
                eight!(t + 4, 4, 5, 6, 7);
                schedule!(4, 5, 0, 1, 3);
                schedule!(5, 6, 1, 2, 4);
                schedule!(6, 7, 2, 3, 5);
                schedule!(7, 0, 3, 4, 6);
                t += 8;
            }
            eight!(t, 0, 1, 2, 3);
            eight!(t + 4, 4, 5, 6, 7);
            for n in 0..N {
                for i in 0..4 {
                    s[n][i] = vaddq_u64(s[n][i], saved[n][i]);
                }
            }
        }
        for (n, s) in s.iter().enumerate() {
            let state = states.add(n).cast::<u64>();
            for (i, pair) in s.iter().enumerate() {
                vst1q_u64(state.add(i * 2), *pair);
            }
        }
    }
}

macro_rules! entry {
    ($(#[$doc:meta])* $name:ident, $lanes:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// - the CPU has the SHA-512 extension, which the feature SHA3 includes;
        /// - `states` is readable and writable for the streams' chaining values;
        /// - `inputs` points at as many pointers, each readable for `blocks * 128` bytes;
        /// - `blocks` is at least 1.
        #[inline(never)]
        #[target_feature(enable = "neon,sha3")]
        pub(crate) unsafe fn $name(
            states: *mut [u64; 8],
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
    hashlane_kernel_sha512_arm_x1,
    1
);
entry!(
    /// Two streams interleaved.
    hashlane_kernel_sha512_arm_x2,
    2
);
