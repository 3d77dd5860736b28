//! Digests as text, in every encoding of the engine.

use hashlane_client::{Algorithm, AlgorithmDigest};
use hashlane_engine::encoding::{self, Encoding, Labelled};

use crate::algorithms;

/// Parses an expected value. Its digests have different algorithms, unless the value names one
/// twice:
///
/// ```text
/// HEX, BASE64             of `bare`
/// ALGORITHM:HEX           or base64; OCI's is one of these
/// ALGORITHM-BASE64 ...    Subresource Integrity: only the strongest algorithm counts
/// ALGORITHM=:BASE64:, ... RFC 9530
/// ```
pub(crate) fn parse(text: &str, bare: Algorithm) -> Result<Vec<AlgorithmDigest>, String> {
    if text.contains("=:") {
        return labelled(Encoding::Rfc9530, text);
    }
    if let Some((name, digest)) = text.split_once(':') {
        let algorithm = name.to_lowercase().parse::<Algorithm>();
        let algorithm = algorithm.map_err(|error| error.to_string())?;
        return Ok(vec![decode(digest, algorithm)?]);
    }
    // Neither hex nor base64 contains a dash.
    if text.contains('-') {
        let mut digests = labelled(Encoding::Sri, text)?;
        let strength = |digest: &AlgorithmDigest| digest.digest().len();
        let strongest = digests.iter().map(strength).max();
        digests.retain(|digest| Some(strength(digest)) == strongest);
        return Ok(digests);
    }
    Ok(vec![decode(text, bare)?])
}

/// Decodes a digest in hex or base64.
pub(crate) fn decode(text: &str, algorithm: Algorithm) -> Result<AlgorithmDigest, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{algorithm}: {error}");
    let digest = encoding::decode(text, algorithm.digest_bytes()).map_err(|e| wrong(&e))?;
    AlgorithmDigest::new(algorithm, &digest).map_err(|e| wrong(&e))
}

fn labelled(encoding: Encoding, text: &str) -> Result<Vec<AlgorithmDigest>, String> {
    let digests = encoding.parse(text);
    let digests = digests.map_err(|error| format!("{encoding}: {error}"))?;
    let label = |Labelled { algorithm, digest }: &Labelled| {
        let name = algorithm.map(|name| name.to_string()).unwrap_or_default();
        let algorithm = name.parse().map_err(|e| format!("{encoding}: {e}"))?;
        AlgorithmDigest::new(algorithm, digest).map_err(|e| format!("{encoding}: {e}"))
    };
    digests.iter().map(label).collect()
}

/// The digest as text. `None` if the encoding has no name for the algorithm.
pub(crate) fn encode(encoding: Encoding, digest: &AlgorithmDigest) -> Option<String> {
    if encoding == Encoding::Hex {
        return Some(digest.digest().to_string());
    }
    let algorithm = algorithms::of_engine(digest.algorithm())?;
    encoding.encode(algorithm, digest.digest())
}

/// Whether the encoding's text names the algorithm.
pub(crate) const fn is_labelled(encoding: Encoding) -> bool {
    !matches!(encoding, Encoding::Hex | Encoding::Base64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC_MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
    const ABC_SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const ABC_SHA256_BASE64: &str = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";

    fn abc(algorithm: Algorithm) -> AlgorithmDigest {
        let mut hasher = hashlane_engine::Hasher::new(algorithms::of_engine(algorithm).unwrap());
        hasher.update(b"abc");
        AlgorithmDigest::new(algorithm, &hasher.finalize()).unwrap()
    }

    #[test]
    fn every_form_is_read() {
        let sha256 = vec![abc(Algorithm::Sha256)];
        for text in [
            ABC_SHA256.to_owned(),
            ABC_SHA256.to_uppercase(),
            ABC_SHA256_BASE64.to_owned(),
            format!("sha256:{ABC_SHA256}"),
            format!("sha256:{ABC_SHA256_BASE64}"),
            format!("sha256-{ABC_SHA256_BASE64}"),
            format!("sha-256=:{ABC_SHA256_BASE64}:"),
        ] {
            assert_eq!(
                parse(&text, Algorithm::Sha256),
                Ok(sha256.clone()),
                "{text}"
            );
        }
        let md5 = vec![abc(Algorithm::Md5)];
        assert_eq!(parse(ABC_MD5, Algorithm::Md5), Ok(md5.clone()));
        let text = format!("md5:{ABC_MD5}");
        assert_eq!(parse(&text, Algorithm::Sha256), Ok(md5));
    }

    #[test]
    fn what_is_written_is_read_again() {
        for encoding in Encoding::ALL {
            for algorithm in Algorithm::all() {
                if algorithms::of_engine(algorithm).is_none() {
                    continue;
                }
                let digest = abc(algorithm);
                match encode(encoding, &digest) {
                    Some(text) => assert_eq!(parse(&text, algorithm), Ok(vec![digest]), "{text}"),
                    None => assert!(is_labelled(encoding), "{encoding} of {algorithm}"),
                }
            }
        }
    }

    #[test]
    fn several_are_read_and_of_integrity_the_strongest() {
        let (sha256, sha512) = (abc(Algorithm::Sha256), abc(Algorithm::Sha512));
        let texts = |encoding| [sha256, sha512].map(|d| encode(encoding, &d).unwrap());
        let text = texts(Encoding::Rfc9530).join(", ");
        assert_eq!(parse(&text, Algorithm::Sha256), Ok(vec![sha256, sha512]));
        let text = texts(Encoding::Sri).join(" ");
        assert_eq!(parse(&text, Algorithm::Sha256), Ok(vec![sha512]));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, told) in [
            ("md6:00", "unknown algorithm \"md6\""),
            ("md5:00", "md5: a digest has 16 bytes, not 1"),
            ("00", "sha256: a digest has 32 bytes, not 1"),
            ("x", "sha256: neither hexadecimal nor padded base64"),
            ("sha1-AAAA", "sri: \"sha1\" is no algorithm"),
            (
                "sha-256=:AAAA:",
                "rfc9530: a digest of sha256 has 32 bytes, not 3",
            ),
        ] {
            let error = parse(text, Algorithm::Sha256).unwrap_err();
            assert!(error.starts_with(told), "{text}: {error}");
        }
    }
}
