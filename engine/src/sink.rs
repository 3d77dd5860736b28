//! Sinks: functions without scheduled lanes, fed while the bytes are in cache.
//!
//! ```text
//!   Sink::new --update(chunk)*--> finalize --> Digest
//! ```
//!
//! One stream fills the CPU: CRC and XXH3 run at some tens of GB/s, XXH64 at 15, and BLAKE3 and the
//! tree modes fill a kernel's lanes by themselves at 3 to 8. So a push runs the function over the
//! chunk at once, and nothing waits for a step.
//!
//! Functions of other crates need their feature.
//!
//! Why on push: one stream of these fills the vector registers by itself or runs at memory speed,
//! so gathering streams gains nothing: 58 GB/s for CRC32, CRC32C, CRC64NVME, XXH3 and XXH128
//! (docs/measurements.md, Tree modes and sinks). BLAKE3 reaches 6.51 with its assembly, which needs
//! a C compiler, and 4.0 without (feature `pure`).
//!
//! Sources: the CRC catalogue (CRC-32/ISO-HDLC, CRC-32/ISCSI, CRC-64/NVME); the
//! xxHash specification, with seed 0 and the default secret; the BLAKE3 paper.

use std::fmt;
#[cfg(feature = "xxhash")]
use std::hash::Hasher as _;

#[cfg(feature = "crc")]
use crc_fast::CrcAlgorithm;
#[cfg(feature = "xxhash")]
use twox_hash::{XxHash3_64, XxHash3_128, XxHash64};

use crate::{
    digest::Digest,
    kernel::Kernel,
    selfcheck::Sampler,
    tree::{Tree, TreeKind},
};

/// A function without lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SinkKind {
    /// CRC-32/ISO-HDLC, as in IEEE 802.3 and zlib.
    #[cfg(feature = "crc")]
    Crc32,
    /// CRC-32/ISCSI (Castagnoli, RFC 3720).
    #[cfg(feature = "crc")]
    Crc32c,
    /// CRC-64/NVME.
    #[cfg(feature = "crc")]
    Crc64Nvme,
    /// XXH64 with seed 0.
    #[cfg(feature = "xxhash")]
    Xxh64,
    /// XXH3 with 64 bits and seed 0.
    #[cfg(feature = "xxhash")]
    Xxh3,
    /// XXH3 with 128 bits and seed 0.
    #[cfg(feature = "xxhash")]
    Xxh128,
    /// BLAKE3 without a key, 32 bytes of output.
    #[cfg(feature = "blake3")]
    Blake3,
    /// A tree mode.
    Tree(TreeKind),
}

impl SinkKind {
    /// Bytes of memory of its state.
    pub(crate) const fn state_bytes(self) -> usize {
        #[allow(
            unreachable_patterns,
            reason = "without features there are only tree modes"
        )]
        let boxed = match self {
            #[cfg(feature = "blake3")]
            Self::Blake3 => size_of::<blake3::Hasher>(),
            Self::Tree(kind) => kind.boxed_bytes(),
            _ => 0,
        };
        size_of::<Sink>() + boxed
    }
}

/// A value in progress: the state of one stream.
#[derive(Clone)]
pub(crate) enum Sink {
    #[cfg(feature = "crc")]
    Crc32(crc_fast::Digest),
    #[cfg(feature = "crc")]
    Crc64(crc_fast::Digest),
    #[cfg(feature = "xxhash")]
    Xxh64(XxHash64),
    #[cfg(feature = "xxhash")]
    Xxh3(XxHash3_64),
    #[cfg(feature = "xxhash")]
    Xxh128(XxHash3_128),
    /// Almost 2 KiB, five times the next largest.
    #[cfg(feature = "blake3")]
    Blake3(Box<blake3::Hasher>),
    Tree(Tree),
}

impl Sink {
    /// The state before any byte.
    pub(crate) fn new(kind: SinkKind) -> Self {
        #[cfg(feature = "crc")]
        let crc = crc_fast::Digest::new;
        match kind {
            #[cfg(feature = "crc")]
            SinkKind::Crc32 => Self::Crc32(crc(CrcAlgorithm::Crc32IsoHdlc)),
            #[cfg(feature = "crc")]
            SinkKind::Crc32c => Self::Crc32(crc(CrcAlgorithm::Crc32Iscsi)),
            #[cfg(feature = "crc")]
            SinkKind::Crc64Nvme => Self::Crc64(crc(CrcAlgorithm::Crc64Nvme)),
            #[cfg(feature = "xxhash")]
            SinkKind::Xxh64 => Self::Xxh64(XxHash64::with_seed(0)),
            #[cfg(feature = "xxhash")]
            SinkKind::Xxh3 => Self::Xxh3(XxHash3_64::new()),
            #[cfg(feature = "xxhash")]
            SinkKind::Xxh128 => Self::Xxh128(XxHash3_128::new()),
            #[cfg(feature = "blake3")]
            SinkKind::Blake3 => Self::Blake3(Box::new(blake3::Hasher::new())),
            SinkKind::Tree(kind) => Self::Tree(Tree::new(kind)),
        }
    }

    /// Takes the stream's next bytes.
    pub(crate) fn update(&mut self, chunk: &[u8]) {
        match self {
            #[cfg(feature = "crc")]
            Self::Crc32(state) | Self::Crc64(state) => state.update(chunk),
            #[cfg(feature = "xxhash")]
            Self::Xxh64(state) => state.write(chunk),
            #[cfg(feature = "xxhash")]
            Self::Xxh3(state) => state.write(chunk),
            #[cfg(feature = "xxhash")]
            Self::Xxh128(state) => state.write(chunk),
            #[cfg(feature = "blake3")]
            Self::Blake3(state) => {
                state.update(chunk);
            }
            Self::Tree(state) => state.update(chunk),
        }
    }

    /// The same, and takes a sample if it uses kernels.
    #[cold]
    pub(crate) fn update_sampled(&mut self, chunk: &[u8], sampler: &mut Sampler) {
        #[allow(
            unreachable_patterns,
            reason = "without features there are only tree modes"
        )]
        match self {
            Self::Tree(state) => state.update_sampled(chunk, sampler),
            _ => self.update(chunk),
        }
    }

    /// Avoids these kernels from now on, if there are others.
    pub(crate) fn avoid(&mut self, kernels: &[Kernel]) {
        if let Self::Tree(state) = self
            && !kernels.is_empty()
        {
            state.avoid(kernels);
        }
    }

    /// The value of the bytes so far, in the order in which S3 encodes it: numbers are big-endian,
    /// as in xxHash's canonical form.
    pub(crate) fn finalize(&self) -> Digest {
        match self {
            #[cfg(feature = "crc")]
            Self::Crc32(state) => Digest::new(&state.finalize().to_be_bytes()[4..]),
            #[cfg(feature = "crc")]
            Self::Crc64(state) => Digest::new(&state.finalize().to_be_bytes()),
            #[cfg(feature = "xxhash")]
            Self::Xxh64(state) => Digest::new(&state.finish().to_be_bytes()),
            #[cfg(feature = "xxhash")]
            Self::Xxh3(state) => Digest::new(&state.finish().to_be_bytes()),
            #[cfg(feature = "xxhash")]
            Self::Xxh128(state) => Digest::new(&state.finish_128().to_be_bytes()),
            #[cfg(feature = "blake3")]
            Self::Blake3(state) => Digest::new(state.finalize().as_bytes()),
            Self::Tree(state) => state.finalize(),
        }
    }
}

/// Without the state, which would reveal the stream's value.
impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{kernel::Family, tree::Width};

    const KINDS: [SinkKind; 9] = [
        SinkKind::Crc32,
        SinkKind::Crc32c,
        SinkKind::Crc64Nvme,
        SinkKind::Xxh64,
        SinkKind::Xxh3,
        SinkKind::Xxh128,
        SinkKind::Blake3,
        SinkKind::Tree(TreeKind::JLanes(Width::X16)),
        SinkKind::Tree(TreeKind::MultiHash(Family::Sha512, Width::X8)),
    ];

    fn value(kind: SinkKind, bytes: &[u8]) -> Digest {
        let mut sink = Sink::new(kind);
        sink.update(bytes);
        sink.finalize()
    }

    fn hex(kind: SinkKind, bytes: &[u8]) -> String {
        format!("{:?}", value(kind, bytes))
    }

    /// The catalogue's `check` and the value of no bytes.
    #[test]
    fn crc_check_values() {
        let check = |kind| hex(kind, b"123456789");
        assert_eq!(check(SinkKind::Crc32), "cbf43926");
        assert_eq!(check(SinkKind::Crc32c), "e3069283");
        assert_eq!(check(SinkKind::Crc64Nvme), "ae8b14860a799888");
        assert_eq!(hex(SinkKind::Crc32, b""), "00000000");
        assert_eq!(hex(SinkKind::Crc32c, b""), "00000000");
        assert_eq!(hex(SinkKind::Crc64Nvme, b""), "0000000000000000");
    }

    /// RFC 3720, appendix B.4.
    #[test]
    fn crc32c_vectors() {
        let rising: Vec<u8> = (0..32).collect();
        let falling: Vec<u8> = (0..32).rev().collect();
        // The RFC prints the bytes in transmission order, the least significant first.
        assert_eq!(hex(SinkKind::Crc32c, &[0; 32]), "8a9136aa");
        assert_eq!(hex(SinkKind::Crc32c, &[0xff; 32]), "62a8ab43");
        assert_eq!(hex(SinkKind::Crc32c, &rising), "46dd794e");
        assert_eq!(hex(SinkKind::Crc32c, &falling), "113fdb5c");
    }

    /// The buffer of xxHash's own sanity check.
    fn xxh_buffer(len: usize) -> Vec<u8> {
        let mut generator: u64 = 2_654_435_761;
        let byte = |_| {
            let [byte, ..] = generator.to_be_bytes();
            generator = generator.wrapping_mul(11_400_714_785_074_694_797);
            byte
        };
        (0..len).map(byte).collect()
    }

    /// xxHash 0.8.3, cli/xsum_sanity_check.c, seed 0.
    #[test]
    fn xxhash_sanity_vectors() {
        let xxh64: &[(usize, u64)] = &[
            (0, 0xEF46_DB37_51D8_E999),
            (1, 0xE934_A84A_DB05_2768),
            (4, 0x9136_A0DC_A574_57EE),
            (14, 0x8282_DCC4_994E_35C8),
            (222, 0xB641_AE8C_B691_C174),
        ];
        for &(len, expected) in xxh64 {
            let expected = format!("{expected:016x}");
            assert_eq!(hex(SinkKind::Xxh64, &xxh_buffer(len)), expected, "{len}");
        }
        let xxh3: &[(usize, u64)] = &[
            (0, 0x2D06_8005_38D3_94C2),
            (1, 0xC44B_DFF4_074E_ECDB),
            (6, 0x27B5_6A84_CD2D_7325),
            (12, 0xA713_DAF0_DFBB_77E7),
            (24, 0xA3FE_70BF_9D35_10EB),
            (48, 0x397D_A259_ECBA_1F11),
            (80, 0xBCDE_FBBB_2C47_C90A),
            (195, 0xCD94_217E_E362_EC3A),
            (403, 0xCDEB_804D_65C6_DEA4),
            (512, 0x617E_4959_9013_CB6B),
            (2048, 0xDD59_E2C3_A5F0_38E0),
            (2099, 0xC6B9_D9B3_FC9A_C765),
            (2240, 0x6E73_A905_39CF_2948),
            (2367, 0xCB37_AEB9_E5D3_61ED),
        ];
        for &(len, expected) in xxh3 {
            let expected = format!("{expected:016x}");
            assert_eq!(hex(SinkKind::Xxh3, &xxh_buffer(len)), expected, "{len}");
        }
        // The source has the low half first; the canonical form starts with the high half.
        let xxh128: &[(usize, u64, u64)] = &[
            (0, 0x6001_C324_468D_497F, 0x99AA_06D3_0147_98D8),
            (1, 0xC44B_DFF4_074E_ECDB, 0xA6CD_5E93_9200_0F6A),
            (6, 0x3E70_39BD_DA43_CFC6, 0x082A_FE0B_8162_D12A),
            (12, 0x061A_1927_13F6_9AD9, 0x6E3E_FD8F_C780_2B18),
            (24, 0x1E70_44D2_8B1B_901D, 0x0CE9_66E4_678D_3761),
            (48, 0xF942_219A_ED80_F67B, 0xA002_AC4E_5478_227E),
            (81, 0x5E8B_AFB9_F95F_B803, 0x4952_F581_81AB_0042),
            (222, 0xF1AE_BD59_7CEC_6B3A, 0x337E_0964_1B94_8717),
            (403, 0xCDEB_804D_65C6_DEA4, 0x1B6D_E21E_332D_D73D),
            (512, 0x617E_4959_9013_CB6B, 0x18D2_D110_DCC9_BCA1),
            (2048, 0xDD59_E2C3_A5F0_38E0, 0xF736_557F_D470_73A5),
            (2240, 0x6E73_A905_39CF_2948, 0xCCB1_34FB_FA7C_E49D),
            (2367, 0xCB37_AEB9_E5D3_61ED, 0xE89C_0F6F_F369_B427),
        ];
        for &(len, low, high) in xxh128 {
            let expected = format!("{high:016x}{low:016x}");
            assert_eq!(hex(SinkKind::Xxh128, &xxh_buffer(len)), expected, "{len}");
        }
    }

    /// BLAKE3's test_vectors.json: the input repeats 0 to 250.
    #[test]
    fn blake3_vectors() {
        let vectors = [
            (
                0,
                "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
            ),
            (
                1,
                "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
            ),
            (
                63,
                "e9bc37a594daad83be9470df7f7b3798297c3d834ce80ba85d6e207627b7db7b",
            ),
            (
                64,
                "4eed7141ea4a5cd4b788606bd23f46e212af9cacebacdc7d1f4c6dc7f2511b98",
            ),
            (
                65,
                "de1e5fa0be70df6d2be8fffd0e99ceaa8eb6e8c93a63f2d8d1c30ecb6b263dee",
            ),
            (
                1023,
                "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11",
            ),
            (
                1024,
                "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7",
            ),
            (
                1025,
                "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444",
            ),
            (
                2048,
                "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a",
            ),
            (
                2049,
                "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030",
            ),
            (
                8192,
                "aae792484c8efe4f19e2ca7d371d8c467ffb10748d8a5a1ae579948f718a2a63",
            ),
            (
                16384,
                "f875d6646de28985646f34ee13be9a576fd515f76b5b0a26bb324735041ddde4",
            ),
            (
                31744,
                "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47",
            ),
            (
                102_400,
                "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085",
            ),
        ];
        for (len, expected) in vectors {
            let input: Vec<u8> = (0..=250).cycle().take(len).collect();
            assert_eq!(hex(SinkKind::Blake3, &input), expected, "{len}");
        }
    }

    proptest! {
        /// Cuts the input in three at any place, and reads the value in between.
        #[test]
        fn any_split_gives_the_same_value(
            bytes in prop::collection::vec(any::<u8>(), 0..5000),
            cuts in any::<[prop::sample::Index; 2]>(),
        ) {
            let mut cuts = cuts.map(|cut| cut.index(bytes.len() + 1));
            cuts.sort_unstable();
            for kind in KINDS {
                let mut sink = Sink::new(kind);
                sink.update(&bytes[..cuts[0]]);
                let first = sink.finalize();
                prop_assert_eq!(first, value(kind, &bytes[..cuts[0]]));
                sink.update(&bytes[cuts[0]..cuts[1]]);
                let mut copy = sink.clone();
                sink.update(&bytes[cuts[1]..]);
                prop_assert_eq!(sink.finalize(), value(kind, &bytes));
                copy.update(&bytes[cuts[1]..]);
                prop_assert_eq!(copy.finalize(), sink.finalize());
            }
        }
    }
}
