//! The tree modes against a reference that is written from the papers, word by word, on the
//! compression functions of sha2, sha1 and md-5.

use hashlane_engine::{
    Digest, Family, Kernel,
    tree::{HmacMultiHash, JLanes, MultiHash, Width},
};
use proptest::prelude::*;
use sha2::Digest as _;

/// A hash, as the papers need it.
trait Reference {
    const FAMILY: Family;
    const BLOCK: usize;
    const WORD: usize;
    const LENGTH: usize;
    const BIG_ENDIAN: bool;
    /// The chaining value after whole blocks, its words' bytes as the digest has them.
    fn compress(blocks: &[u8]) -> Vec<u8>;
    /// The hash itself.
    fn digest(message: &[u8]) -> Vec<u8>;
}

macro_rules! reference {
    (
        $name:ident: $hash:ty, $block:literal, $word:ty, $big:literal, $compress:path,
        [$($initial:literal)*]
    ) => {
        struct $name;

        impl Reference for $name {
            const FAMILY: Family = Family::$name;
            const BLOCK: usize = $block;
            const WORD: usize = size_of::<$word>();
            const LENGTH: usize = $block / 8;
            const BIG_ENDIAN: bool = $big;

            fn compress(blocks: &[u8]) -> Vec<u8> {
                let mut state = [$($initial),*];
                let (blocks, rest) = blocks.as_chunks::<$block>();
                assert!(rest.is_empty(), "whole blocks");
                $compress(&mut state, blocks);
                let bytes = |word: $word| {
                    if $big { word.to_be_bytes() } else { word.to_le_bytes() }
                };
                state.into_iter().flat_map(bytes).collect()
            }

            fn digest(message: &[u8]) -> Vec<u8> {
                <$hash>::digest(message).to_vec()
            }
        }
    };
}

reference!(Sha256: sha2::Sha256, 64, u32, true, sha2::block_api::compress256, [
    0x6a09_e667 0xbb67_ae85 0x3c6e_f372 0xa54f_f53a 0x510e_527f 0x9b05_688c 0x1f83_d9ab 0x5be0_cd19
]);
reference!(Sha512: sha2::Sha512, 128, u64, true, sha2::block_api::compress512, [
    0x6a09_e667_f3bc_c908 0xbb67_ae85_84ca_a73b 0x3c6e_f372_fe94_f82b 0xa54f_f53a_5f1d_36f1
    0x510e_527f_ade6_82d1 0x9b05_688c_2b3e_6c1f 0x1f83_d9ab_fb41_bd6b 0x5be0_cd19_137e_2179
]);
reference!(Sha1: sha1::Sha1, 64, u32, true, sha1::block_api::compress, [
    0x6745_2301 0xefcd_ab89 0x98ba_dcfe 0x1032_5476 0xc3d2_e1f0
]);
reference!(Md5: md5::Md5, 64, u32, false, md5::block_api::compress, [
    0x6745_2301 0xefcd_ab89 0x98ba_dcfe 0x1032_5476
]);

/// Deals words in turn; the last may be a part of one.
fn deal(message: &[u8], word: usize, lanes: usize) -> Vec<Vec<u8>> {
    let mut dealt = vec![Vec::new(); lanes];
    for (i, word) in message.chunks(word).enumerate() {
        dealt[i % lanes].extend_from_slice(word);
    }
    dealt
}

/// Gueron 2013.
fn j_lanes(message: &[u8], lanes: usize) -> Vec<u8> {
    let slices = deal(message, 4, lanes);
    let digests: Vec<Vec<u8>> = slices.iter().map(|slice| Sha256::digest(slice)).collect();
    Sha256::digest(&digests.concat())
}

/// The input of the last hash of Multi-Hash.
fn segment_digests<H: Reference>(message: &[u8], lanes: usize) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(0x80);
    while !(padded.len() + H::LENGTH).is_multiple_of(H::BLOCK * lanes) {
        padded.push(0);
    }
    let bits = message.len() as u128 * 8;
    if H::BIG_ENDIAN {
        padded.extend_from_slice(&bits.to_be_bytes()[16 - H::LENGTH..]);
    } else {
        padded.extend_from_slice(&bits.to_le_bytes()[..H::LENGTH]);
    }
    let segments = deal(&padded, H::WORD, lanes);
    let digests: Vec<Vec<u8>> = segments
        .iter()
        .map(|segment| H::compress(segment))
        .collect();
    let mut interleaved = Vec::new();
    for word in 0..digests[0].len() / H::WORD {
        for digest in &digests {
            let mut word = digest[word * H::WORD..][..H::WORD].to_vec();
            if H::BIG_ENDIAN {
                word.reverse();
            }
            interleaved.extend(word);
        }
    }
    interleaved
}

/// Intel 2012, option 1.
fn multi_hash<H: Reference>(message: &[u8], lanes: usize) -> Vec<u8> {
    H::digest(&segment_digests::<H>(message, lanes))
}

/// The steps of FIPS 198-1, as `HmacMultiHash` documents them.
fn hmac<H: Reference>(key: &[u8], message: &[u8], lanes: usize) -> Vec<u8> {
    let mut k0 = if key.len() > H::BLOCK {
        H::digest(key)
    } else {
        key.to_vec()
    };
    k0.resize(H::BLOCK, 0);
    let inner = k0.iter().map(|byte| byte ^ 0x36).collect::<Vec<u8>>();
    let mut text: Vec<u8> = inner
        .chunks(H::WORD)
        .flat_map(|word| word.repeat(lanes))
        .collect();
    text.extend_from_slice(message);
    let mut outer = k0.iter().map(|byte| byte ^ 0x5c).collect::<Vec<u8>>();
    outer.extend(segment_digests::<H>(&text, lanes));
    H::digest(&outer)
}

fn message(len: usize) -> Vec<u8> {
    // A long period, so that swapped words differ.
    #[allow(clippy::cast_possible_truncation)] // the low byte is wanted
    let byte = |i: usize| (i.wrapping_mul(0x9e37_79b1) >> 11) as u8;
    (0..len).map(byte).collect()
}

/// The kernels that can hash `width` lanes, each by itself.
fn kernels(family: Family, width: Width) -> Vec<Kernel> {
    let lanes = width.lanes();
    let fits = |kernel: &Kernel| kernel.is_available() && lanes.is_multiple_of(kernel.lanes());
    Kernel::of(family).filter(fits).collect()
}

/// Every tree mode of a family with every kernel, and with the one it chooses: what it is, its
/// digest given how it is fed, and the reference's.
fn check<H: Reference>(message: &[u8], key: &[u8], feed: &[&[u8]]) {
    for width in Width::ALL {
        let (lanes, family) = (width.lanes(), H::FAMILY);
        let same = |what: &str, kernel: Option<Kernel>, actual: Digest, expected: &[u8]| {
            assert_eq!(
                &actual[..],
                expected,
                "{what} {family} {kernel:?} {width:?} {}",
                message.len()
            );
        };
        let chosen = kernels(family, width).into_iter().map(Some).chain([None]);
        let plain = multi_hash::<H>(message, lanes);
        let keyed = hmac::<H>(key, message, lanes);
        let slices = j_lanes(message, lanes);
        for kernel in chosen {
            let fits = "the kernel fits";
            let mut tree = kernel.map_or_else(
                || MultiHash::new(family, width),
                |kernel| MultiHash::with_kernel(width, kernel).expect(fits),
            );
            feed.iter().for_each(|chunk| tree.update(chunk));
            same("Multi-Hash", kernel, tree.finalize(), &plain);

            let mut tree = kernel.map_or_else(
                || HmacMultiHash::new(key, family, width),
                |kernel| HmacMultiHash::with_kernel(key, width, kernel).expect(fits),
            );
            feed.iter().for_each(|chunk| tree.update(chunk));
            same("HMAC", kernel, tree.finalize(), &keyed);

            if family == Family::Sha256 {
                let mut tree = kernel.map_or_else(
                    || JLanes::new(width),
                    |kernel| JLanes::with_kernel(width, kernel).expect(fits),
                );
                feed.iter().for_each(|chunk| tree.update(chunk));
                same("j-lanes", kernel, tree.finalize(), &slices);
            }
        }
    }
}

fn check_all(message: &[u8], key: &[u8], feed: &[&[u8]]) {
    check::<Sha256>(message, key, feed);
    check::<Sha512>(message, key, feed);
    check::<Sha1>(message, key, feed);
    check::<Md5>(message, key, feed);
}

/// The value of the deployed implementation, ISA-L's `mh_sha256`.
#[test]
fn multi_hash_of_nothing() {
    let expected = "7ec5da16ca2ac87a3d69f3a413e2882d45b25f8ff16275406b7d1bf557a61348";
    let tree = MultiHash::new(Family::Sha256, Width::X16);
    assert_eq!(tree.finalize().to_string(), expected);
    let reference = multi_hash::<Sha256>(b"", 16);
    assert_eq!(base16ct::lower::encode_string(&reference), expected);
}

/// The reference's compression functions and initial values: one lane is the plain hash, but
/// for the last hash's order of bytes.
#[test]
fn the_reference_pads_and_compresses() {
    fn check<H: Reference>() {
        let mut digest = segment_digests::<H>(b"abc", 1);
        if H::BIG_ENDIAN {
            digest.chunks_mut(H::WORD).for_each(<[u8]>::reverse);
        }
        assert_eq!(digest, H::digest(b"abc"));
    }
    check::<Sha256>();
    check::<Sha512>();
    check::<Sha1>();
    check::<Md5>();
}

/// Every length around the edges of a word, a turn, a block of every lane and padding that
/// needs one more.
#[test]
fn lengths_around_every_edge() {
    let key = message(20);
    let mut lengths: Vec<usize> = (0..140).collect();
    for super_block in [4 * 64, 8 * 64, 16 * 64, 16 * 128] {
        lengths.extend((super_block - 256..super_block - 140).step_by(4));
        lengths.extend(super_block - 140..super_block + 10);
    }
    for len in lengths {
        let message = message(len);
        check_all(&message, &key, &[&message]);
    }
}

#[test]
fn keys_of_every_kind() {
    for len in [0, 1, 63, 64, 65, 127, 128, 129, 500] {
        let (key, text) = (message(len), message(777));
        check_all(&text, &key, &[&text]);
    }
}

#[test]
fn a_value_on_the_way() {
    let bytes = message(5000);
    let mut tree = JLanes::new(Width::X8);
    let mut other = MultiHash::new(Family::Md5, Width::X8);
    let mut end = 0;
    for chunk in bytes.chunks(613) {
        tree.update(chunk);
        other.update(chunk);
        end += chunk.len();
        let so_far = &bytes[..end];
        assert_eq!(&tree.finalize()[..], j_lanes(so_far, 8));
        assert_eq!(&other.clone().finalize()[..], multi_hash::<Md5>(so_far, 8));
    }
}

#[test]
fn kernels_that_do_not_fit() {
    assert!(JLanes::with_kernel(Width::X16, Kernel::portable(Family::Sha1)).is_none());
    assert!(JLanes::with_kernel(Width::X4, Kernel::portable(Family::Sha256)).is_some());
    #[cfg(target_arch = "x86_64")]
    {
        let sha256 = |name| Kernel::named(Family::Sha256, name).expect("a kernel");
        assert!(JLanes::with_kernel(Width::X8, sha256("avx512x16")).is_none());
        assert!(MultiHash::with_kernel(Width::X4, sha256("avx512x8")).is_none());
        assert!(HmacMultiHash::with_kernel(b"", Width::X16, sha256("avx512x32")).is_none());
    }
}

/// No debug output has the key or the state.
#[test]
fn debug_output_is_the_same_for_all_keys() {
    let of = |key: &[u8]| format!("{:?}", HmacMultiHash::new(key, Family::Sha256, Width::X16));
    assert_eq!(of(b"one key"), of(b"another"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_split(
        len in prop_oneof![0..3000_usize, 0..70_000_usize],
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..9),
        key in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let message = message(len);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(len + 1)).collect();
        cuts.extend([0, len]);
        cuts.sort_unstable();
        let feed: Vec<&[u8]> = cuts.windows(2).map(|cut| &message[cut[0]..cut[1]]).collect();
        check_all(&message, &key, &feed);
    }

    /// Chunks of one small size, so that the tail fills in many steps.
    #[test]
    fn small_chunks(len in 0..6000_usize, chunk in 1..300_usize) {
        let message = message(len);
        let feed: Vec<&[u8]> = message.chunks(chunk).collect();
        check_all(&message, b"key", &feed);
    }
}
