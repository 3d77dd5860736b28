//! SHA-256: the constants and functions of SHA-2 with 32-bit words.
//!
//! shani.rs (one stream), shani_interleaved.rs (two, four), shani_avx512.rs (the hybrid: four,
//! eight) and arm.rs have the kernels that use the CPU's extensions, constants.rs the round
//! constants.

use super::{
    arch::portable::One,
    compression::{Compression, Family},
    crates,
    frame::kernels,
    row::Row,
    sha2::{Sha2, rounds},
    vector::{Registers, Vector, Words, table::XOR3},
    word::State,
};
#[cfg(target_arch = "x86_64")]
use super::{
    arch::{avx2, avx512, avx512vl, sse41},
    streams,
};

use constants::K;

#[cfg(target_arch = "aarch64")]
mod arm;
pub(super) mod constants;
#[cfg(target_arch = "x86_64")]
mod shani;
#[cfg(target_arch = "x86_64")]
mod shani_avx512;
#[cfg(target_arch = "x86_64")]
mod shani_interleaved;

/// SHA-256 (FIPS 180-4 section 6.2).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sha256;

/// Initial hash value of SHA-256 (FIPS 180-4 section 5.3.3).
#[rustfmt::skip]
pub(crate) const INITIAL: [u32; 8] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
];

/// Initial hash value of SHA-224 (FIPS 180-4 section 5.3.2).
#[rustfmt::skip]
pub(crate) const INITIAL_224: [u32; 8] = [
    0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939,
    0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4,
];

impl Compression for Sha256 {
    type Block = [u8; 64];
    const FAMILY: Family = Family::Sha256;
    const LENGTH_BYTES: usize = 8;
    const ROWS: &'static [Row<Self::Word>] = ROWS;
    const INITIAL: State<Self::Word> = INITIAL;
    type Word = u32;
    const STATE_WORDS: usize = 8;
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    unsafe fn rounds<V: Vector<Word = u32>>(state: &mut [V; 8], words: &mut impl Words<V>) {
        // SAFETY: passed on.
        unsafe { rounds::<Self, V>(state, words) };
    }
}

/// FIPS 180-4 section 4.1.2.
impl Sha2 for Sha256 {
    const ROUNDS: usize = 64;

    #[inline(always)]
    fn k(t: usize) -> u32 {
        K.0[t]
    }

    #[inline(always)]
    unsafe fn big_sigma0<V: Vector<Word = u32>>(x: V) -> V {
        // SAFETY: passed on.
        unsafe {
            x.rotr::<2>()
                .ternary::<XOR3>(x.rotr::<13>(), x.rotr::<22>())
        }
    }

    #[inline(always)]
    unsafe fn big_sigma1<V: Vector<Word = u32>>(x: V) -> V {
        // SAFETY: passed on.
        unsafe {
            x.rotr::<6>()
                .ternary::<XOR3>(x.rotr::<11>(), x.rotr::<25>())
        }
    }

    #[inline(always)]
    unsafe fn sigma0<V: Vector<Word = u32>>(x: V) -> V {
        // SAFETY: passed on.
        unsafe { x.rotr::<7>().ternary::<XOR3>(x.rotr::<18>(), x.shr::<3>()) }
    }

    #[inline(always)]
    unsafe fn sigma1<V: Vector<Word = u32>>(x: V) -> V {
        // SAFETY: passed on.
        unsafe {
            x.rotr::<17>()
                .ternary::<XOR3>(x.rotr::<19>(), x.shr::<10>())
        }
    }
}

kernels!(Sha256 {
    "portable" 1 Nothing vector
        (hashlane_kernel_sha256_portable hashlane_kernel_sha256_portable_dealt One<u32>, Registers<One<u32>>);
    "crate" 1 Nothing whole (crates::hashlane_crate_sha256);
    #[cfg(target_arch = "x86_64")]
    "sse41x4" 4 Sse41 vector
        (hashlane_kernel_sha256_sse41x4 hashlane_kernel_sha256_sse41x4_dealt sse41::X4, Registers<sse41::X4>);
    #[cfg(target_arch = "x86_64")]
    "avx2x8" 8 Avx2 vector
        (hashlane_kernel_sha256_avx2x8 hashlane_kernel_sha256_avx2x8_dealt avx2::X8, Registers<avx2::X8>);
    #[cfg(target_arch = "x86_64")]
    "avx512x4" 4 Avx512 vector
        (hashlane_kernel_sha256_avx512x4 hashlane_kernel_sha256_avx512x4_dealt avx512vl::X4x32, Registers<avx512vl::X4x32>);
    #[cfg(target_arch = "x86_64")]
    "avx512x8" 8 Avx512 vector
        (hashlane_kernel_sha256_avx512x8 hashlane_kernel_sha256_avx512x8_dealt avx512vl::X8x32, Registers<avx512vl::X8x32>);
    #[cfg(target_arch = "x86_64")]
    "avx512x16" 16 Avx512 stream
        (streams::hashlane_kernel_sha256_avx512x16, hashlane_kernel_sha256_avx512x16_dealt avx512::X16, Registers<avx512::X16>);
    #[cfg(target_arch = "x86_64")]
    "avx512x32" 32 Avx512 stream (streams::hashlane_kernel_sha256_avx512x32);
    #[cfg(target_arch = "x86_64")]
    "shani_x1" 1 Sha whole (shani::hashlane_kernel_sha256_shani_x1);
    #[cfg(target_arch = "x86_64")]
    "shani_x2" 2 ShaAvx whole (shani_interleaved::hashlane_kernel_sha256_shani_x2);
    #[cfg(target_arch = "x86_64")]
    "shani_x4" 4 ShaAvx whole (shani_interleaved::hashlane_kernel_sha256_shani_x4);
    #[cfg(target_arch = "x86_64")]
    "shani_avx512_x4" 4 ShaAvx512 chain
        (shani_avx512::hashlane_kernel_sha256_shani_avx512_x4, shani_avx512_x4_dealt);
    #[cfg(target_arch = "x86_64")]
    "shani_avx512_x8" 8 ShaAvx512 chain
        (shani_avx512::hashlane_kernel_sha256_shani_avx512_x8, shani_avx512::hashlane_kernel_sha256_shani_avx512_x8_dealt);
    #[cfg(target_arch = "aarch64")]
    "arm_sha2_x1" 1 ArmSha2 whole (arm::hashlane_kernel_sha256_arm_sha2_x1);
    #[cfg(target_arch = "aarch64")]
    "arm_sha2_x2" 2 ArmSha2 whole (arm::hashlane_kernel_sha256_arm_sha2_x2);
    #[cfg(target_arch = "aarch64")]
    "arm_sha2_x4" 4 ArmSha2 whole (arm::hashlane_kernel_sha256_arm_sha2_x4);
});

/// Four lanes whose words are dealt, any number of blocks: an odd one goes first, to a kernel
/// that is slower and takes one.
///
/// # Safety
/// The contract of [`crate::kernel::row::DealtEntry`].
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "sha,avx512f,avx512bw,avx512vl")]
unsafe fn shani_avx512_x4_dealt(
    states: *mut [u32; 8],
    mut from: *const u8,
    stride: usize,
    blocks: usize,
) {
    // SAFETY: passed on; the first block's words are at 16 places, and a turn is two blocks of
    // every lane.
    unsafe {
        if blocks % 2 == 1 {
            hashlane_kernel_sha256_sse41x4_dealt(states, from, stride, 1);
            from = from.add(16 * stride);
        }
        if blocks > 1 {
            shani_avx512::hashlane_kernel_sha256_shani_avx512_x4_dealt(
                states,
                from,
                stride,
                blocks / 2,
            );
        }
    }
}
