//! Entries around the instruction streams of `generated/`, which generate.rs writes from the
//! rounds.
//!
//! They are 5 to 24% faster than the compiler's code for the same rounds: the compiler delays
//! operations of the critical path, and spills registers when groups are interleaved.
//!
//! Why the caller says where the data is: a prefetch helps if the data is beyond L2 (a batch of
//! more than 1 MiB, an engine in which more than 4 MiB wait), and costs 5 to 10% if it is in cache.

use std::{arch::asm, mem::MaybeUninit};

use super::{
    arch::avx512::{SWAP32, SWAP64, X8, X16},
    md5::constants as md5,
    row::Place,
    sha1::constants as sha1,
    sha256::constants as sha256,
    sha512::constants as sha512,
    vector::Vector,
};

/// How far ahead of the loaded block data beyond L2 is prefetched. Measured on Zen 5.
const AHEAD_BYTES: usize = 512;

/// Defines the entry of a stream: vector type, number of vectors, bytes of a block, the hash's
/// constants, and the byte order of words.
macro_rules! streams {
    ($(
        $name:ident $file:literal ($vector:ty, $groups:literal, $word:ident, $block:literal)
            $constants:expr, $order:expr;
    )*) => {$(
        /// # Safety
        /// The contract of [`super::row::Entry::Placed`].
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
        pub(super) unsafe fn $name(
            states: *mut [$word; 8],
            inputs: *const *const u8,
            blocks: usize,
            place: Place,
        ) {
            const LANES: usize = <$vector as Vector>::LANES;
            let ahead: usize = match place {
                Place::Near => usize::MAX / 2,
                Place::Far => AHEAD_BYTES,
            };
            let mut parked = MaybeUninit::<[[$vector; 8]; $groups]>::uninit();
            // Words of a block and of the next one.
            let mut words = MaybeUninit::<[[[$vector; 16]; $groups]; 2]>::uninit();
            // SAFETY: `states` has rows for all groups (contract). The stream reads the pointers of
            // the lanes, the block of each at offsets below `blocks` blocks (after the last block
            // it loads that block again), `parked`, what it wrote to `words`, and two statics; it
            // writes `parked` and `words`, which vectors align. It prefetches what lies ahead below
            // `blocks` blocks, or nothing. A test checks that every register it writes is declared;
            // it leaves the stack alone.
            unsafe {
                let parked = parked.as_mut_ptr().cast::<[$vector; 8]>();
                let words = words.as_mut_ptr().cast::<[[$vector; 16]; $groups]>();
                let mut group = 0;
                while group < $groups {
                    parked.add(group).write(<$vector>::load_states(states.add(group * LANES)));
                    group += 1;
                }
                asm!(
                    include_str!(concat!("generated/", $file)),
                    in("rdi") parked,
                    in("rsi") inputs,
                    inout("rdx") words => _,
                    inout("r9") words.add(1) => _,
                    inout("r10") $constants => _,
                    in("r11") $order,
                    in("r12") blocks * $block,
                    inout("r15") ahead => _,
                    out("rax") _, out("r8") _, out("r13") _, out("r14") _,
                    out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _,
                    out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _,
                    out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                    out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _,
                    out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _,
                    out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                    out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
                    out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
                    options(raw, nostack),
                );
                let mut group = 0;
                while group < $groups {
                    let state = parked.add(group).read();
                    <$vector>::store_states(state, states.add(group * LANES));
                    group += 1;
                }
            }
        }
    )*};
}

streams! {
    hashlane_kernel_md5_avx512x16 "md5_avx512x16.s" (X16, 1, u32, 64) md5::K.0.as_ptr(), &SWAP32;
    hashlane_kernel_md5_avx512x32 "md5_avx512x32.s" (X16, 2, u32, 64) md5::K.0.as_ptr(), &SWAP32;
    hashlane_kernel_md5_avx512x64 "md5_avx512x64.s" (X16, 4, u32, 64) md5::K.0.as_ptr(), &SWAP32;
    hashlane_kernel_sha1_avx512x16 "sha1_avx512x16.s" (X16, 1, u32, 64) &sha1::K, &SWAP32;
    hashlane_kernel_sha1_avx512x32 "sha1_avx512x32.s" (X16, 2, u32, 64) &sha1::K, &SWAP32;
    hashlane_kernel_sha256_avx512x16 "sha256_avx512x16.s" (X16, 1, u32, 64)
        sha256::K.0.as_ptr(), &SWAP32;
    hashlane_kernel_sha256_avx512x32 "sha256_avx512x32.s" (X16, 2, u32, 64)
        sha256::K.0.as_ptr(), &SWAP32;
    hashlane_kernel_sha512_avx512x8 "sha512_avx512x8.s" (X8, 1, u64, 128)
        sha512::K.0.as_ptr(), &SWAP64;
    hashlane_kernel_sha512_avx512x16 "sha512_avx512x16.s" (X8, 2, u64, 128)
        sha512::K.0.as_ptr(), &SWAP64;
}
