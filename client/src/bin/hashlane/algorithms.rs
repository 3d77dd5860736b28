//! Names of algorithms on the command line, in checksum files and in the engine.

use hashlane_client::{Algorithm, AlgorithmDigest};

/// The engine's algorithm with this name. `None` if only servers have it.
pub(crate) fn of_engine(algorithm: Algorithm) -> Option<hashlane_engine::Algorithm> {
    algorithm.name().parse().ok()
}

/// Labels a digest that the engine computed with its algorithm.
pub(crate) fn label(
    algorithm: hashlane_engine::Algorithm,
    digest: &hashlane_engine::Digest,
) -> Option<AlgorithmDigest> {
    let algorithm = algorithm.name().parse().ok()?;
    AlgorithmDigest::new(algorithm, digest).ok()
}

/// The name in a BSD-style line, as in coreutils and b3sum if they have the algorithm.
pub(crate) fn tag(algorithm: Algorithm) -> String {
    algorithm.name().to_uppercase()
}

/// The algorithm with this tag. OpenSSL 3 calls SHA-256 `SHA2-256`.
pub(crate) fn of_tag(tag: &[u8]) -> Option<Algorithm> {
    let tag = str::from_utf8(tag).ok()?;
    let is_tag = |algorithm: &Algorithm| {
        let ours = self::tag(*algorithm);
        let bits = tag.strip_prefix("SHA2-").filter(|bits| bits.len() == 3);
        ours == tag || bits.is_some_and(|bits| ours.strip_prefix("SHA") == Some(bits))
    };
    Algorithm::all().find(is_tag)
}

/// The first algorithm that is named twice, as an error message about `option`.
pub(crate) fn named_twice(
    option: &str,
    algorithms: impl IntoIterator<Item = Algorithm>,
) -> Result<(), String> {
    match Algorithm::repeated(algorithms) {
        None => Ok(()),
        Some(twice) => Err(format!("{option} names {twice} twice")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_those_of_other_tools() {
        for (algorithm, tag) in [
            (Algorithm::Md5, "MD5"),
            (Algorithm::Sha1, "SHA1"),
            (Algorithm::Sha384, "SHA384"),
            (Algorithm::Blake3, "BLAKE3"),
            (Algorithm::Sha256MultihashX16, "SHA256_MULTIHASH_X16"),
        ] {
            assert_eq!(super::tag(algorithm), tag);
            assert_eq!(of_tag(tag.as_bytes()), Some(algorithm));
        }
        assert_eq!(of_tag(b"SHA2-256"), Some(Algorithm::Sha256));
        assert_eq!(of_tag(b"SHA2-1"), None);
        assert_eq!(of_tag(b"md5"), None);
        assert_eq!(of_tag(b"BLAKE2b"), None);
    }

    #[test]
    fn the_engine_s_algorithms_have_a_name_here() {
        for engine in hashlane_engine::Algorithm::all() {
            let here: Algorithm = engine.name().parse().unwrap();
            assert_eq!(of_engine(here), Some(engine));
            let digest = hashlane_engine::Hasher::new(engine).finalize();
            assert_eq!(label(engine, &digest).unwrap().algorithm(), here);
        }
    }
}
