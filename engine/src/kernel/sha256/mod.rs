//! SHA-256: the constants and functions of SHA-2 with 32-bit words.
//!
//! shani.rs (one stream), shani_interleaved.rs (two, four), shani_avx512.rs (the hybrid: four,
//! eight) and arm.rs have the kernels that use the CPU's extensions.

use super::{
    State,
    arch::portable::One,
    compression::{Compression, Family, Row},
    crates,
    frame::kernels,
    sha2::{Sha2, rounds},
    vector::{Registers, Vector, Words, table::XOR3},
};
#[cfg(target_arch = "x86_64")]
use super::{
    arch::{avx2, avx512, avx512vl, sse41},
    streams,
};

#[cfg(target_arch = "aarch64")]
mod arm;
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

/// Round constants (FIPS 180-4 section 4.2.2), aligned for vector loads.
#[repr(C, align(64))]
pub(super) struct Constants(pub(super) [u32; 64]);

/// See [`Constants`]. A static, so that vector kernels broadcast from memory.
#[rustfmt::skip]
pub(super) static K: Constants = Constants([
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5,
    0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
    0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc,
    0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
    0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3,
    0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5,
    0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
    0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
]);

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
        (shani_avx512::hashlane_kernel_sha256_shani_avx512_x4, shani_avx512::shani_avx512_x4_dealt);
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
