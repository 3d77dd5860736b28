//! MD5 (RFC 1321). constants.rs has the round constants.

use super::{
    arch::portable::One,
    compression::{Compression, Family},
    crates,
    frame::kernels,
    row::Row,
    vector::{
        Registers, Vector, Words,
        table::{CH, MD5_G, MD5_I, XOR3},
    },
    word::State,
};
#[cfg(target_arch = "x86_64")]
use super::{
    arch::{avx2, avx512, avx512vl, sse41},
    streams,
    vector::{Memory, Pair},
};

use constants::K;

pub(super) mod constants;

/// MD5 (RFC 1321 section 3.4).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Md5;

/// Initial value of the four words (RFC 1321 section 3.3).
#[rustfmt::skip]
pub(crate) const INITIAL: [u32; 8] = [
    0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0, 0, 0, 0,
];

/// a = b + ((a + f(b, c, d) + K[i] + X[k]) <<< s). The function enters the sum last: b is the
/// result of the previous step; all other operands are known long before.
///
/// # Safety
/// The instruction set of `V` is there.
#[inline(always)]
unsafe fn step<V: Vector<Word = u32>, const TABLE: i32, const S: i32>(
    [a, b, c, d]: [V; 4],
    words: &impl Words<V>,
    k: usize,
    i: usize,
) -> V {
    // SAFETY: passed on.
    unsafe {
        let sum = a.add(words.get(k)).add(V::splat(K.0[i]));
        sum.add(b.ternary::<TABLE>(c, d)).rotl::<S>().add(b)
    }
}

impl Compression for Md5 {
    type Block = [u8; 64];
    const FAMILY: Family = Family::Md5;
    const LENGTH_BYTES: usize = 8;
    const ROWS: &'static [Row<Self::Word>] = ROWS;
    const INITIAL: State<Self::Word> = INITIAL;
    type Word = u32;
    const STATE_WORDS: usize = 4;
    const BIG_ENDIAN: bool = false;

    #[inline(always)]
    unsafe fn rounds<V: Vector<Word = u32>>(state: &mut [V; 8], words: &mut impl Words<V>) {
        let [mut a, mut b, mut c, mut d, ..] = *state;
        // Four steps, after which every variable is back in its place. `k` is the first step's
        // word; the next words follow at `stride`.
        macro_rules! four {
            (
                $table:ident, $i:expr, $k:expr, $stride:expr,
                $s0:literal $s1:literal $s2:literal $s3:literal
            ) => {
                a = step::<V, $table, $s0>([a, b, c, d], words, $k & 15, $i);
                d = step::<V, $table, $s1>([d, a, b, c], words, ($k + $stride) & 15, $i + 1);
                c = step::<V, $table, $s2>([c, d, a, b], words, ($k + 2 * $stride) & 15, $i + 2);
                b = step::<V, $table, $s3>([b, c, d, a], words, ($k + 3 * $stride) & 15, $i + 3);
            };
        }
        macro_rules! sixteen {
            ($table:ident, $i:expr, $k:expr, $stride:expr, $($s:literal)*) => {
                four!($table, $i, $k, $stride, $($s)*);
                four!($table, $i + 4, $k + 4 * $stride, $stride, $($s)*);
                four!($table, $i + 8, $k + 8 * $stride, $stride, $($s)*);
                four!($table, $i + 12, $k + 12 * $stride, $stride, $($s)*);
            };
        }
        // SAFETY: passed on.
        unsafe {
            sixteen!(CH, 0, 0, 1, 7 12 17 22);
            sixteen!(MD5_G, 16, 1, 5, 5 9 14 20);
            sixteen!(XOR3, 32, 5, 3, 4 11 16 23);
            sixteen!(MD5_I, 48, 0, 7, 6 10 15 21);
        }
        [state[0], state[1], state[2], state[3]] = [a, b, c, d];
    }
}

kernels!(Md5 {
    "portable" 1 Nothing vector
        (hashlane_kernel_md5_portable hashlane_kernel_md5_portable_dealt One<u32>, Registers<One<u32>>);
    "crate" 1 Nothing whole (crates::hashlane_crate_md5);
    #[cfg(target_arch = "x86_64")]
    "sse41x4" 4 Sse41 vector
        (hashlane_kernel_md5_sse41x4 hashlane_kernel_md5_sse41x4_dealt sse41::X4, Registers<sse41::X4>);
    #[cfg(target_arch = "x86_64")]
    "sse41x8" 8 Sse41 vector
        (hashlane_kernel_md5_sse41x8 hashlane_kernel_md5_sse41x8_dealt Pair<sse41::X4>, (Memory<sse41::X4>, Memory<sse41::X4>));
    #[cfg(target_arch = "x86_64")]
    "avx2x8" 8 Avx2 vector
        (hashlane_kernel_md5_avx2x8 hashlane_kernel_md5_avx2x8_dealt avx2::X8, Registers<avx2::X8>);
    #[cfg(target_arch = "x86_64")]
    "avx2x16" 16 Avx2 vector
        (hashlane_kernel_md5_avx2x16 hashlane_kernel_md5_avx2x16_dealt Pair<avx2::X8>, (Memory<avx2::X8>, Memory<avx2::X8>));
    #[cfg(target_arch = "x86_64")]
    "avx512x4" 4 Avx512 vector
        (hashlane_kernel_md5_avx512x4 hashlane_kernel_md5_avx512x4_dealt avx512vl::X4x32, Registers<avx512vl::X4x32>);
    #[cfg(target_arch = "x86_64")]
    "avx2x32" 32 Avx2 vector
        (hashlane_kernel_md5_avx2x32 hashlane_kernel_md5_avx2x32_dealt Pair<Pair<avx2::X8>>, ((Memory<avx2::X8>, Memory<avx2::X8>), (Memory<avx2::X8>, Memory<avx2::X8>)));
    #[cfg(target_arch = "x86_64")]
    "avx512x16" 16 Avx512 stream
        (streams::hashlane_kernel_md5_avx512x16, hashlane_kernel_md5_avx512x16_dealt avx512::X16, Registers<avx512::X16>);
    #[cfg(target_arch = "x86_64")]
    "avx512x32" 32 Avx512 stream (streams::hashlane_kernel_md5_avx512x32);
    #[cfg(target_arch = "x86_64")]
    "avx512x64" 64 Avx512 stream (streams::hashlane_kernel_md5_avx512x64);
});
