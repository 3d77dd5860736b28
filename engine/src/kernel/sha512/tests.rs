//! Tests the SHA512 kernels with a model of the extension, on CPUs that lack it.

use crate::kernel::test_support::check;

fn oracle(state: &mut [u64; 8], block: &[u8; 128]) {
    sha2::block_api::compress512(state, std::slice::from_ref(block));
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::{
        arch::x86_64::{__m128i, __m256i},
        mem::transmute,
    };

    use super::{
        super::shani::{Extension, compress},
        check, oracle,
    };

    /// The extension as in Intel's manual, word by word, the lowest first.
    struct Model;

    impl Extension for Model {
        unsafe fn rounds(cdgh: __m256i, abef: __m256i, wk: __m128i) -> __m256i {
            // SAFETY: words of the same bytes.
            let ([h, g, d, c], [f, e, b, a], wk) = unsafe {
                let words = |register| transmute::<__m256i, [u64; 4]>(register);
                (words(cdgh), words(abef), transmute::<__m128i, [u64; 2]>(wk))
            };
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = [a, b, c, d, e, f, g, h];
            for wk in wk {
                let sum1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
                let choice = (e & f) ^ (!e & g);
                let t1 = h.wrapping_add(sum1).wrapping_add(choice).wrapping_add(wk);
                let sum0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
                let majority = (a & b) ^ (a & c) ^ (b & c);
                let t2 = sum0.wrapping_add(majority);
                [a, b, c, d, e, f, g, h] =
                    [t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g];
            }
            let _ = (c, d, g, h);
            // SAFETY: a register of the same bytes.
            unsafe { transmute([f, e, b, a]) }
        }

        unsafe fn message1(words: __m256i, next: __m128i) -> __m256i {
            // SAFETY: words of the same bytes.
            let (mut words, [next, _]) = unsafe {
                let words: [u64; 4] = transmute(words);
                (words, transmute::<__m128i, [u64; 2]>(next))
            };
            for i in 0..4 {
                let x = *words.get(i + 1).unwrap_or(&next);
                let sigma0 = x.rotate_right(1) ^ x.rotate_right(8) ^ (x >> 7);
                words[i] = words[i].wrapping_add(sigma0);
            }
            // SAFETY: a register of the same bytes.
            unsafe { transmute(words) }
        }

        unsafe fn message2(sums: __m256i, last: __m256i) -> __m256i {
            // SAFETY: words of the same bytes.
            let (mut words, last) = unsafe {
                let words: [u64; 4] = transmute(sums);
                (words, transmute::<__m256i, [u64; 4]>(last))
            };
            for i in 0..4 {
                let y = if i < 2 { last[i + 2] } else { words[i - 2] };
                let sigma1 = y.rotate_right(19) ^ y.rotate_right(61) ^ (y >> 6);
                words[i] = words[i].wrapping_add(sigma1);
            }
            // SAFETY: a register of the same bytes.
            unsafe { transmute(words) }
        }
    }

    /// Everything but the three instructions, on any CPU with AVX2.
    #[test]
    fn shani_by_its_model() {
        #[target_feature(enable = "avx2")]
        unsafe fn entry<const N: usize>(
            states: *mut [u64; 8],
            inputs: *const *const u8,
            blocks: usize,
        ) {
            // SAFETY: the same contract; the model needs no extension.
            unsafe { compress::<Model, N>(states, inputs, blocks) }
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the kernels have `N` lanes, and the CPU has their instructions.
            unsafe {
                check::<_, 1, 128>(entry::<1>, oracle);
                check::<_, 2, 128>(entry::<2>, oracle);
            }
        }
    }
}
