//! SHA-512: the constants and functions of SHA-2 with 64-bit words.
//!
//! shani.rs and arm.rs have the kernels that use the CPU's extensions, constants.rs the
//! round constants.

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
    arch::{avx2, avx512, avx512vl},
    streams,
    vector::{Memory, Pair},
};

use constants::K;

#[cfg(target_arch = "aarch64")]
mod arm;
pub(super) mod constants;
#[cfg(target_arch = "x86_64")]
mod shani;
#[cfg(test)]
mod tests;

/// SHA-512 (FIPS 180-4 section 6.4).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sha512;

/// Initial hash value of SHA-512 (FIPS 180-4 section 5.3.5).
#[rustfmt::skip]
pub(crate) const INITIAL: [u64; 8] = [
    0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
];

/// Initial hash value of SHA-384 (FIPS 180-4 section 5.3.4).
#[rustfmt::skip]
pub(crate) const INITIAL_384: [u64; 8] = [
    0xcbbb_9d5d_c105_9ed8, 0x629a_292a_367c_d507, 0x9159_015a_3070_dd17, 0x152f_ecd8_f70e_5939,
    0x6733_2667_ffc0_0b31, 0x8eb4_4a87_6858_1511, 0xdb0c_2e0d_64f9_8fa7, 0x47b5_481d_befa_4fa4,
];

impl Compression for Sha512 {
    type Block = [u8; 128];
    const FAMILY: Family = Family::Sha512;
    const LENGTH_BYTES: usize = 16;
    const ROWS: &'static [Row<Self::Word>] = ROWS;
    const INITIAL: State<Self::Word> = INITIAL;
    type Word = u64;
    const STATE_WORDS: usize = 8;
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    unsafe fn rounds<V: Vector<Word = u64>>(state: &mut [V; 8], words: &mut impl Words<V>) {
        // SAFETY: passed on.
        unsafe { rounds::<Self, V>(state, words) };
    }
}

/// FIPS 180-4 section 4.1.3.
impl Sha2 for Sha512 {
    const ROUNDS: usize = 80;

    #[inline(always)]
    fn k(t: usize) -> u64 {
        K.0[t]
    }

    #[inline(always)]
    unsafe fn big_sigma0<V: Vector<Word = u64>>(x: V) -> V {
        // SAFETY: passed on.
        unsafe {
            x.rotr::<28>()
                .ternary::<XOR3>(x.rotr::<34>(), x.rotr::<39>())
        }
    }

    #[inline(always)]
    unsafe fn big_sigma1<V: Vector<Word = u64>>(x: V) -> V {
        // SAFETY: passed on.
        unsafe {
            x.rotr::<14>()
                .ternary::<XOR3>(x.rotr::<18>(), x.rotr::<41>())
        }
    }

    #[inline(always)]
    unsafe fn sigma0<V: Vector<Word = u64>>(x: V) -> V {
        // SAFETY: passed on.
        unsafe { x.rotr::<1>().ternary::<XOR3>(x.rotr::<8>(), x.shr::<7>()) }
    }

    #[inline(always)]
    unsafe fn sigma1<V: Vector<Word = u64>>(x: V) -> V {
        // SAFETY: passed on.
        unsafe { x.rotr::<19>().ternary::<XOR3>(x.rotr::<61>(), x.shr::<6>()) }
    }
}

kernels!(Sha512 {
    "portable" 1 Nothing vector
        (hashlane_kernel_sha512_portable hashlane_kernel_sha512_portable_dealt One<u64>, Registers<One<u64>>);
    "crate" 1 Nothing whole (crates::hashlane_crate_sha512);
    #[cfg(target_arch = "x86_64")]
    "avx2x4" 4 Avx2 vector
        (hashlane_kernel_sha512_avx2x4 hashlane_kernel_sha512_avx2x4_dealt avx2::X4, Registers<avx2::X4>);
    #[cfg(target_arch = "x86_64")]
    "avx512x4" 4 Avx512 vector
        (hashlane_kernel_sha512_avx512x4 hashlane_kernel_sha512_avx512x4_dealt avx512vl::X4x64, Registers<avx512vl::X4x64>);
    #[cfg(target_arch = "x86_64")]
    "avx2x8" 8 Avx2 vector
        (hashlane_kernel_sha512_avx2x8 hashlane_kernel_sha512_avx2x8_dealt Pair<avx2::X4>, (Memory<avx2::X4>, Memory<avx2::X4>));
    #[cfg(target_arch = "x86_64")]
    "avx512x8" 8 Avx512 stream
        (streams::hashlane_kernel_sha512_avx512x8, hashlane_kernel_sha512_avx512x8_dealt avx512::X8, Registers<avx512::X8>);
    #[cfg(target_arch = "x86_64")]
    "avx512x16" 16 Avx512 stream
        (streams::hashlane_kernel_sha512_avx512x16, hashlane_kernel_sha512_avx512x16_dealt Pair<avx512::X8>, (Memory<avx512::X8>, Memory<avx512::X8>));
    #[cfg(target_arch = "x86_64")]
    "shani_x1" 1 Sha512 whole (shani::hashlane_kernel_sha512_shani_x1);
    #[cfg(target_arch = "x86_64")]
    "shani_x2" 2 Sha512 whole (shani::hashlane_kernel_sha512_shani_x2);
    #[cfg(target_arch = "aarch64")]
    "arm_x1" 1 ArmSha512 whole (arm::hashlane_kernel_sha512_arm_x1);
    #[cfg(target_arch = "aarch64")]
    "arm_x2" 2 ArmSha512 whole (arm::hashlane_kernel_sha512_arm_x2);
});
