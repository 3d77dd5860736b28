//! The values that S3 gives an object that was uploaded in parts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hashlane_proto::v1;

use crate::algorithm::Algorithm;
use crate::digest::{AlgorithmDigest, Digest};
use crate::error::{Error, Result};
use crate::wire_messages::Verdict;

/// The parts of an object, and the value to compute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectParts {
    algorithm: Algorithm,
    checksum_type: v1::ChecksumType,
    digests: Vec<Bytes>,
    sizes_bytes: Vec<u64>,
    expected: String,
}

impl ObjectParts {
    /// Asks for the COMPOSITE value of the parts' digests, in part order. For `md5` that is also
    /// the ETag.
    pub fn composite<D: AsRef<[u8]>>(
        algorithm: Algorithm,
        digests: impl IntoIterator<Item = D>,
    ) -> Self {
        let digests = digests.into_iter();
        Self {
            algorithm,
            checksum_type: v1::ChecksumType::Composite,
            digests: digests
                .map(|digest| Bytes::copy_from_slice(digest.as_ref()))
                .collect(),
            sizes_bytes: Vec::new(),
            expected: String::new(),
        }
    }

    /// Asks for the FULL_OBJECT value of the parts' CRCs and lengths in bytes, in part order.
    pub fn full_object<D: AsRef<[u8]>>(
        algorithm: Algorithm,
        parts: impl IntoIterator<Item = (D, u64)>,
    ) -> Self {
        let (digests, sizes_bytes): (Vec<_>, _) = parts.into_iter().unzip();
        Self {
            checksum_type: v1::ChecksumType::FullObject,
            sizes_bytes,
            ..Self::composite(algorithm, digests)
        }
    }

    /// The value to compare with: hex or base64, with or without `-N`, with or without an ETag's
    /// quotes.
    #[must_use]
    pub fn expecting(mut self, expected: impl Into<String>) -> Self {
        self.expected = expected.into();
        self
    }

    pub(crate) fn to_wire(&self) -> v1::ComposeRequest {
        v1::ComposeRequest {
            algorithm: self.algorithm.to_wire().into(),
            part_digests: self.digests.clone(),
            expected: self.expected.clone(),
            checksum_type: self.checksum_type.into(),
            part_size_bytes: self.sizes_bytes.clone(),
        }
    }

    pub(crate) fn answer(&self, response: v1::ComposeResponse) -> Result<ObjectDigest> {
        let verdict = Verdict::from_wire(response.verdict());
        if verdict.is_some() == self.expected.is_empty() {
            return Err(Error::Protocol("a verdict where none is due, or none"));
        }
        let number = self.algorithm.to_wire().into();
        let digest = *AlgorithmDigest::from_wire(number, &response.digest)?.digest();
        let is_composite = self.checksum_type == v1::ChecksumType::Composite;
        let suffix = match is_composite {
            true => format!("-{}", self.digests.len()),
            false => String::new(),
        };
        let (hex, base64) = (digest.to_string(), STANDARD.encode(digest));
        if response.hex != format!("{hex}{suffix}")
            || response.composite != format!("{base64}{suffix}")
        {
            return Err(Error::Protocol("the forms of an object's value differ"));
        }
        // In some places S3 leaves out the number of parts.
        let text = self.expected.trim_matches('"');
        let text = text.strip_suffix(&suffix).unwrap_or(text);
        let is_match = text.eq_ignore_ascii_case(&hex) || text == base64;
        if verdict.is_some_and(|verdict| is_match != (verdict == Verdict::Match)) {
            return Err(Error::Protocol("the verdict contradicts the value"));
        }
        Ok(ObjectDigest {
            digest,
            base64: response.composite,
            hex: response.hex,
            verdict,
        })
    }
}

/// The value of an object that was uploaded in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "if a value was expected, look at `verdict`: a mismatch is an answer, not an error"]
pub struct ObjectDigest {
    /// As S3 writes checksums: base64, and `-N` after a composite.
    pub base64: String,
    /// As S3 writes ETags, without the quotes: hex, and `-N` after a composite.
    pub hex: String,
    /// The value, raw.
    pub digest: Digest,
    /// The comparison, if there was an expected value.
    pub verdict: Option<Verdict>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_whose_forms_differ_is_not_believed() {
        let parts = ObjectParts::composite(Algorithm::Crc32, [[1, 2, 3, 4], [5, 6, 7, 8]]);
        let answer = |hex: &str, base64: &str| {
            parts.answer(v1::ComposeResponse {
                digest: Bytes::from_static(&[9, 8, 7, 6]),
                hex: hex.to_owned(),
                composite: base64.to_owned(),
                ..v1::ComposeResponse::default()
            })
        };
        let (hex, base64) = ("09080706-2", "CQgHBg==-2");
        assert_eq!(answer(hex, base64).unwrap().digest, [9, 8, 7, 6]);
        for wrong in ["09080706", "09080706-3", "09080707-2"] {
            let told = answer(wrong, base64);
            assert!(matches!(told, Err(Error::Protocol(_))), "{wrong}");
        }
        for wrong in ["", "CQgHBg==", "CQgHBg==-3", "CQgHBw==-2", "CQgHBg-2"] {
            let told = answer(hex, wrong);
            assert!(matches!(told, Err(Error::Protocol(_))), "{wrong}");
        }
    }

    #[test]
    fn a_verdict_that_contradicts_the_value_is_not_believed() {
        let parts = ObjectParts::composite(Algorithm::Crc32, [[1, 2, 3, 4], [5, 6, 7, 8]]);
        let answer = |expected: &str, verdict: v1::Verdict| {
            parts
                .clone()
                .expecting(expected)
                .answer(v1::ComposeResponse {
                    digest: Bytes::from_static(&[9, 8, 7, 6]),
                    hex: "09080706-2".to_owned(),
                    composite: "CQgHBg==-2".to_owned(),
                    verdict: verdict.into(),
                })
        };
        let equal = [
            "09080706",
            "09080706-2",
            "\"09080706-2\"",
            "CQgHBg==",
            "CQgHBg==-2",
        ];
        let others = ["09080707", "09080706-3", "CQgHBw==", "CQgHBg==-1"];
        let equal = equal.map(|text| (text, v1::Verdict::Match, v1::Verdict::Mismatch));
        let others = others.map(|text| (text, v1::Verdict::Mismatch, v1::Verdict::Match));
        for (expected, right, wrong) in equal.into_iter().chain(others) {
            assert!(answer(expected, right).is_ok(), "{expected}");
            let told = answer(expected, wrong);
            assert!(matches!(told, Err(Error::Protocol(_))), "{expected}");
        }
    }
}
