//! Bytes to send, and their digests as other crates compute them.

use hashlane_engine::{Algorithm, Hasher};
use hashlane_proto::v1::{self, AlgorithmDigest};
use sha2::{Digest as _, Sha256};

/// `len` bytes whose pattern has period 251, so that swapped blocks show.
pub(crate) fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len)
        .map(|i| u8::try_from((i + seed * 7) % 251).unwrap())
        .collect()
}

pub(crate) fn sha256(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}

/// The number of an algorithm on the wire, from its name.
pub(crate) fn number(algorithm: Algorithm) -> i32 {
    let name = format!("ALGORITHM_{}", algorithm.name().to_uppercase());
    v1::Algorithm::from_str_name(&name).unwrap().into()
}

pub(crate) fn numbers() -> Vec<i32> {
    Algorithm::all().map(number).collect()
}

/// The digest as a single-stream crate computes it.
pub(crate) fn expected_digest(algorithm: Algorithm, data: &[u8]) -> AlgorithmDigest {
    let digest = match algorithm {
        Algorithm::Sha256 => Sha256::digest(data).to_vec(),
        Algorithm::Sha224 => sha2::Sha224::digest(data).to_vec(),
        Algorithm::Sha512 => sha2::Sha512::digest(data).to_vec(),
        Algorithm::Sha384 => sha2::Sha384::digest(data).to_vec(),
        Algorithm::Sha1 => sha1::Sha1::digest(data).to_vec(),
        Algorithm::Md5 => md5::Md5::digest(data).to_vec(),
        _ => {
            let mut hasher = Hasher::new(algorithm);
            hasher.update(data);
            hasher.finalize().to_vec()
        }
    };
    AlgorithmDigest {
        algorithm: number(algorithm),
        digest: digest.into(),
    }
}

/// All digests, in the order of [`numbers`].
pub(crate) fn expected_digests(data: &[u8]) -> Vec<AlgorithmDigest> {
    let digests = Algorithm::all().map(|algorithm| expected_digest(algorithm, data));
    digests.collect()
}
