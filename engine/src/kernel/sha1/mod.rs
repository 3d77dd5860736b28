//! SHA-1 (FIPS 180-4 section 6.1).
//!
//! shani.rs and arm.rs have the kernels that use the CPU's extensions, constants.rs the
//! round constants.

use super::{
    arch::portable::One,
    compression::{Compression, Family},
    crates,
    frame::kernels,
    row::Row,
    vector::{
        Registers, Vector, Words,
        table::{CH, MAJ, XOR3},
    },
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

/// SHA-1 (FIPS 180-4 section 6.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sha1;

/// Initial hash value (FIPS 180-4 section 5.3.1).
pub(crate) const INITIAL: [u32; 8] = [
    0x6745_2301,
    0xefcd_ab89,
    0x98ba_dcfe,
    0x1032_5476,
    0xc3d2_e1f0,
    0,
    0,
    0,
];

/// Round `t` with its function of three bits: what is to replace e. The rotation of a enters
/// the sum last: a is the result of the round before.
///
/// # Safety
/// The instruction set of `V` is there.
#[inline(always)]
unsafe fn round<V: Vector<Word = u32>, const TABLE: i32>(
    [a, b, c, d, e]: [V; 5],
    words: &mut impl Words<V>,
    t: usize,
) -> V {
    // SAFETY: passed on.
    unsafe {
        // From round 16 on, the word is computed in its round, and replaces the word 16 before it.
        let mut word = words.get(t & 15);
        if t >= 16 {
            let rest = words
                .get((t + 2) & 15)
                .ternary::<XOR3>(words.get((t + 8) & 15), words.get((t + 13) & 15));
            word = word.xor(rest).rotl::<1>();
            words.set(t & 15, word);
        }
        e.add(V::splat(K[t / 20]))
            .add(word)
            .add(b.ternary::<TABLE>(c, d))
            .add(a.rotl::<5>())
    }
}

impl Compression for Sha1 {
    type Block = [u8; 64];
    const FAMILY: Family = Family::Sha1;
    const LENGTH_BYTES: usize = 8;
    const ROWS: &'static [Row<Self::Word>] = ROWS;
    const INITIAL: State<Self::Word> = INITIAL;
    type Word = u32;
    const STATE_WORDS: usize = 5;
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    unsafe fn rounds<V: Vector<Word = u32>>(state: &mut [V; 8], words: &mut impl Words<V>) {
        let [mut a, mut b, mut c, mut d, mut e, ..] = *state;
        // Five rounds, after which every variable is back in its place.
        macro_rules! five {
            ($table:ident, $t:expr) => {
                e = round::<V, $table>([a, b, c, d, e], words, $t);
                b = b.rotl::<30>();
                d = round::<V, $table>([e, a, b, c, d], words, $t + 1);
                a = a.rotl::<30>();
                c = round::<V, $table>([d, e, a, b, c], words, $t + 2);
                e = e.rotl::<30>();
                b = round::<V, $table>([c, d, e, a, b], words, $t + 3);
                d = d.rotl::<30>();
                a = round::<V, $table>([b, c, d, e, a], words, $t + 4);
                c = c.rotl::<30>();
            };
        }
        macro_rules! twenty {
            ($table:ident, $t:expr) => {
                five!($table, $t);
                five!($table, $t + 5);
                five!($table, $t + 10);
                five!($table, $t + 15);
            };
        }
        // SAFETY: passed on.
        unsafe {
            twenty!(CH, 0);
            twenty!(XOR3, 20);
            twenty!(MAJ, 40);
            twenty!(XOR3, 60);
        }
        [state[0], state[1], state[2], state[3], state[4]] = [a, b, c, d, e];
    }
}

kernels!(Sha1 {
    "portable" 1 Nothing vector
        (hashlane_kernel_sha1_portable hashlane_kernel_sha1_portable_dealt One<u32>, Registers<One<u32>>);
    "crate" 1 Nothing whole (crates::hashlane_crate_sha1);
    #[cfg(target_arch = "x86_64")]
    "sse41x4" 4 Sse41 vector
        (hashlane_kernel_sha1_sse41x4 hashlane_kernel_sha1_sse41x4_dealt sse41::X4, Registers<sse41::X4>);
    #[cfg(target_arch = "x86_64")]
    "avx2x8" 8 Avx2 vector
        (hashlane_kernel_sha1_avx2x8 hashlane_kernel_sha1_avx2x8_dealt avx2::X8, Registers<avx2::X8>);
    #[cfg(target_arch = "x86_64")]
    "avx512x4" 4 Avx512 vector
        (hashlane_kernel_sha1_avx512x4 hashlane_kernel_sha1_avx512x4_dealt avx512vl::X4x32, Registers<avx512vl::X4x32>);
    #[cfg(target_arch = "x86_64")]
    "avx512x8" 8 Avx512 vector
        (hashlane_kernel_sha1_avx512x8 hashlane_kernel_sha1_avx512x8_dealt avx512vl::X8x32, Registers<avx512vl::X8x32>);
    #[cfg(target_arch = "x86_64")]
    "avx512x16" 16 Avx512 stream
        (streams::hashlane_kernel_sha1_avx512x16, hashlane_kernel_sha1_avx512x16_dealt avx512::X16, Registers<avx512::X16>);
    #[cfg(target_arch = "x86_64")]
    "avx512x32" 32 Avx512 stream (streams::hashlane_kernel_sha1_avx512x32);
    #[cfg(target_arch = "x86_64")]
    "shani_x1" 1 Sha whole (shani::hashlane_kernel_sha1_shani_x1);
    #[cfg(target_arch = "x86_64")]
    "shani_x2" 2 Sha whole (shani::hashlane_kernel_sha1_shani_x2);
    #[cfg(target_arch = "x86_64")]
    "shani_x4" 4 Sha whole (shani::hashlane_kernel_sha1_shani_x4);
    #[cfg(target_arch = "aarch64")]
    "arm_x1" 1 ArmSha2 whole (arm::hashlane_kernel_sha1_arm_x1);
    #[cfg(target_arch = "aarch64")]
    "arm_x2" 2 ArmSha2 whole (arm::hashlane_kernel_sha1_arm_x2);
});
