//! The SHA2 extension of Arm: one, two or four streams interleaved.
//!
//! `sha256h` and `sha256h2` do four rounds between them, one of the two halves
//! of the state each, and wait for one another; instructions of several streams
//! in turn fill the gaps (Arm Architecture Reference Manual, SHA256H).

use std::arch::aarch64::{
    uint32x4_t, vaddq_u32, vdupq_n_u32, vld1q_u8, vld1q_u32, vreinterpretq_u32_u8, vrev32q_u8,
    vsha256h2q_u32, vsha256hq_u32, vsha256su0q_u32, vsha256su1q_u32, vst1q_u32,
};

use super::{BLOCK_BYTES, LANES_MAX, sha256::K};

/// `N` streams interleaved.
///
/// # Safety
/// The contract of [`super::Entry::Whole`]; the CPU has the SHA2 extension.
#[inline(never)]
#[target_feature(enable = "neon,sha2")]
pub(super) unsafe fn hashlane_kernel_arm_sha2<const N: usize>(
    state: *mut u32,
    inputs: *const *const u8,
    blocks: usize,
) {
    // SAFETY: columns, pointers and block count as the caller promised: words
    // are read and written at `word * LANES_MAX + lane`, blocks at offsets below
    // `blocks * 64`; the instruction set is there.
    unsafe {
        let mut abcd = [vdupq_n_u32(0); N];
        let mut efgh = [vdupq_n_u32(0); N];
        for lane in 0..N {
            let mut words = [0_u32; 8];
            for (i, word) in words.iter_mut().enumerate() {
                *word = *state.add(i * LANES_MAX + lane);
            }
            abcd[lane] = vld1q_u32(words.as_ptr());
            efgh[lane] = vld1q_u32(words.as_ptr().add(4));
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
            let mut words = [0_u32; 8];
            vst1q_u32(words.as_mut_ptr(), abcd[lane]);
            vst1q_u32(words.as_mut_ptr().add(4), efgh[lane]);
            for (i, word) in words.into_iter().enumerate() {
                *state.add(i * LANES_MAX + lane) = word;
            }
        }
    }
}
