//! Expected digests of parts, computed before the load starts: by other crates than the server's
//! where there are some, else by the engine's single-stream kernels.

use anyhow::{Result, bail};
use hashlane_engine::{Algorithm, Hasher};
use hashlane_proto::v1;
use sha2::Digest;

/// The algorithms in the order of requests; SHA-256 if none is named.
///
/// # Errors
/// An algorithm is named twice.
pub(crate) fn wanted(named: &[Algorithm]) -> Result<Vec<Algorithm>> {
    for (index, algorithm) in named.iter().enumerate() {
        if named[..index].contains(algorithm) {
            bail!("--algorithm names {algorithm} twice");
        }
    }
    Ok(or_default(named).to_vec())
}

/// These algorithms; SHA-256 if none is named.
pub(crate) fn or_default(named: &[Algorithm]) -> &[Algorithm] {
    match named {
        [] => &[Algorithm::Sha256],
        named => named,
    }
}

/// Their names.
pub(crate) fn names(named: &[Algorithm]) -> Vec<&'static str> {
    or_default(named).iter().map(|one| one.name()).collect()
}

/// Algorithms with `+` in between.
pub(crate) fn parse(names: &str) -> Result<Vec<Algorithm>> {
    let algorithms = names.split('+').map(|name| Ok(name.parse()?));
    algorithms.collect()
}

/// The algorithm's number in messages.
pub(crate) fn number(algorithm: Algorithm) -> i32 {
    let name = format!("ALGORITHM_{}", algorithm.name().to_uppercase());
    let number = v1::Algorithm::from_str_name(&name);
    number.expect("the contract has every algorithm").into()
}

/// The digest of all chunks.
pub(crate) fn digest<'a>(algorithm: Algorithm, chunks: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    match algorithm {
        Algorithm::Sha256 => by::<sha2::Sha256>(chunks),
        Algorithm::Sha224 => by::<sha2::Sha224>(chunks),
        Algorithm::Sha512 => by::<sha2::Sha512>(chunks),
        Algorithm::Sha384 => by::<sha2::Sha384>(chunks),
        Algorithm::Sha1 => by::<sha1::Sha1>(chunks),
        Algorithm::Md5 => by::<md5::Md5>(chunks),
        _ => {
            let mut hasher = Hasher::new(algorithm);
            chunks.for_each(|chunk| hasher.update(chunk));
            hasher.finalize().to_vec()
        }
    }
}

fn by<'a, H: Digest>(chunks: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut hasher = H::new();
    chunks.for_each(|chunk| hasher.update(chunk));
    hasher.finalize().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_has_a_number_and_a_digest() {
        for algorithm in Algorithm::all() {
            assert!(number(algorithm) > 0);
            let digest = digest(algorithm, [&b"ab"[..], b"c"].into_iter());
            let mut hasher = Hasher::new(algorithm);
            hasher.update(b"abc");
            assert_eq!(digest, hasher.finalize()[..], "{algorithm}");
        }
    }

    #[test]
    fn an_algorithm_named_twice_is_refused() {
        assert_eq!(wanted(&[]).unwrap(), [Algorithm::Sha256]);
        let twice = [Algorithm::Md5, Algorithm::Sha1, Algorithm::Md5];
        let error = wanted(&twice).unwrap_err().to_string();
        assert_eq!(error, "--algorithm names md5 twice");
    }
}
