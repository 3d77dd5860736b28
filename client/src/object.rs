//! The values S3 gives an object that was uploaded in parts.

use bytes::Bytes;
use hashlane_proto::v1;

use crate::algorithm::Algorithm;
use crate::digest::{AlgorithmDigest, Digest};
use crate::error::{Error, Result};
use crate::rpc::Verdict;

/// The parts of an object, and which value of the whole is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectParts {
    algorithm: Algorithm,
    checksum_type: v1::ChecksumType,
    digests: Vec<Bytes>,
    sizes_bytes: Vec<u64>,
    expected: String,
}

impl ObjectParts {
    /// The COMPOSITE value of the parts' digests, in part order: of `md5`, the ETag too.
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

    /// The FULL_OBJECT value of the parts' CRCs and lengths in bytes, in part order.
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

    /// To be compared with this value: hex or base64, with `-N` or without, with or without
    /// the quotes of an ETag.
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
        let count = self.digests.len();
        let expected = match is_composite {
            true => format!("{digest}-{count}"),
            false => digest.to_string(),
        };
        if response.hex != expected {
            return Err(Error::Protocol("the forms of an object's value differ"));
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
        let answer = |hex: &str| {
            parts.answer(v1::ComposeResponse {
                digest: Bytes::from_static(&[9, 8, 7, 6]),
                hex: hex.to_owned(),
                ..v1::ComposeResponse::default()
            })
        };
        assert_eq!(answer("09080706-2").unwrap().digest, [9, 8, 7, 6]);
        for wrong in ["09080706", "09080706-3", "09080707-2"] {
            assert!(matches!(answer(wrong), Err(Error::Protocol(_))), "{wrong}");
        }
    }
}
