//! What the engine's tests share.
#![allow(dead_code)] // each test binary uses a part

use digest::Digest as _;
use hashlane_engine::{
    Algorithm, Backend, Crossover, Digest, Engine, Event, Family, Hasher, Kernel, PartId,
};

/// Bytes of period 251, a prime, so that swapped blocks and lanes show.
pub(crate) fn pattern(start: usize, len: usize) -> Vec<u8> {
    let byte = |i| u8::try_from((start + i) % 251).expect("below 251");
    (0..len).map(byte).collect()
}

/// The oracle: the digest by the crate that hashes one message at a time.
pub(crate) fn oracle(algorithm: Algorithm, message: &[u8]) -> Digest {
    use crc_fast::{CrcAlgorithm, checksum};
    let crc = |algorithm| checksum(algorithm, message).to_be_bytes();
    match algorithm {
        Algorithm::Sha256 => Digest::new(&sha2::Sha256::digest(message)),
        Algorithm::Sha224 => Digest::new(&sha2::Sha224::digest(message)),
        Algorithm::Sha512 => Digest::new(&sha2::Sha512::digest(message)),
        Algorithm::Sha384 => Digest::new(&sha2::Sha384::digest(message)),
        Algorithm::Sha1 => Digest::new(&sha1::Sha1::digest(message)),
        Algorithm::Md5 => Digest::new(&md5::Md5::digest(message)),
        Algorithm::Crc32 => Digest::new(&crc(CrcAlgorithm::Crc32IsoHdlc)[4..]),
        Algorithm::Crc32c => Digest::new(&crc(CrcAlgorithm::Crc32Iscsi)[4..]),
        Algorithm::Crc64Nvme => Digest::new(&crc(CrcAlgorithm::Crc64Nvme)),
        Algorithm::Xxh64 => Digest::new(&twox_hash::XxHash64::oneshot(0, message).to_be_bytes()),
        Algorithm::Xxh3 => Digest::new(&twox_hash::XxHash3_64::oneshot(message).to_be_bytes()),
        Algorithm::Xxh128 => Digest::new(&twox_hash::XxHash3_128::oneshot(message).to_be_bytes()),
        Algorithm::Blake3 => Digest::new(blake3::hash(message).as_bytes()),
        // The tree modes, which tests/trees.rs compares with a reference of their own.
        _ => {
            let mut hasher = Hasher::new(algorithm);
            hasher.update(message);
            hasher.finalize()
        }
    }
}

/// The algorithms with lanes.
pub(crate) fn with_lanes() -> Vec<Algorithm> {
    let all = Algorithm::all().filter(|algorithm| algorithm.family().is_some());
    all.collect()
}

/// The kernels of a family that this machine has.
pub(crate) fn available(family: Family) -> Vec<Kernel> {
    let kernels = Kernel::of(family).filter(|kernel| kernel.is_available());
    kernels.collect()
}

/// Sets of kernels, one of each family, so that each this machine has is in one of them.
pub(crate) fn single_kernels() -> Vec<Vec<Kernel>> {
    let families = Family::ALL.map(available);
    let most = families.iter().map(Vec::len).max().expect("families");
    let set = |i: usize| {
        families
            .iter()
            .map(|kernels| kernels[i % kernels.len()])
            .collect()
    };
    (0..most).map(set).collect()
}

/// Crossovers with one kernel of each family, so that each this machine has is used by itself;
/// and one with all kernels together.
pub(crate) fn crossovers() -> Vec<(String, Crossover)> {
    let single = single_kernels().into_iter().map(|kernels| {
        let crossover = Crossover::new(Backend::of(&kernels).expect("available"));
        (format!("{kernels:?}"), crossover)
    });
    let all = Crossover::calibrate(&Backend::detect());
    single.chain([("all".to_owned(), all)]).collect()
}

/// Crossovers with each kernel of one family by itself; and one with all kernels together.
pub(crate) fn crossovers_of(family: Family) -> Vec<(String, Crossover)> {
    let kernels = available(family).into_iter();
    let single = kernels.filter_map(|kernel| Some((kernel.to_string(), Crossover::only(kernel)?)));
    let all = Crossover::calibrate(&Backend::detect());
    single.chain([("all".to_owned(), all)]).collect()
}

/// Steps until nothing is ready; digests by part.
pub(crate) fn run<C: AsRef<[u8]> + Clone>(
    engine: &mut Engine<C>,
) -> Vec<(PartId, Algorithm, Digest)> {
    let mut digests = Vec::new();
    while engine.step().is_some() {
        digests.extend(self::digests(engine));
    }
    digests.extend(self::digests(engine));
    digests
}

/// The digests among the engine's events.
pub(crate) fn digests<C: AsRef<[u8]> + Clone>(
    engine: &mut Engine<C>,
) -> Vec<(PartId, Algorithm, Digest)> {
    let events = engine.take_events();
    let digests = events.filter_map(|event| match event {
        Event::Digest {
            part,
            algorithm,
            digest,
        } => Some((part, algorithm, digest)),
        Event::Consumed { .. } | Event::Finished { .. } => None,
    });
    digests.collect()
}
