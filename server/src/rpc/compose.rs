//! Compose: the composite of a multipart upload, as S3 writes it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hashlane_proto::v1::{ComposeRequest, ComposeResponse, Verdict};
use sha2::{Digest as _, Sha256};
use tonic::Status;

use super::part::verdict;
use super::{algorithm, status};

/// S3's largest number of parts.
const PARTS_MAX: usize = 10_000;

/// Answers a composite.
///
/// # Errors
/// An algorithm that is not supported, no or too many part digests, or one of
/// another length than the algorithm's.
pub(crate) fn compose(request: &ComposeRequest) -> Result<ComposeResponse, Status> {
    let algorithm = algorithm::parse_or_default("algorithm", request.algorithm)?;
    let parts = request.part_digests.len();
    if parts == 0 || parts > PARTS_MAX {
        return Err(status::invalid(
            "part_digests",
            "PART_COUNT",
            format!("{parts} part digests; 1 to {PARTS_MAX} are allowed"),
        ));
    }
    let bytes = algorithm::digest_bytes(algorithm);
    let mut hash = Sha256::new();
    for (index, digest) in request.part_digests.iter().enumerate() {
        if digest.len() != bytes {
            return Err(status::invalid(
                &format!("part_digests[{index}]"),
                "DIGEST_LENGTH",
                format!(
                    "a digest of {} is {bytes} bytes, not {}",
                    algorithm.as_str_name(),
                    digest.len()
                ),
            ));
        }
        hash.update(digest);
    }
    let digest = hash.finalize();
    let composite = format!("{}-{parts}", STANDARD.encode(digest));
    let compared = if request.expected.is_empty() {
        Verdict::Unspecified
    } else {
        verdict(request.expected == composite)
    };
    Ok(ComposeResponse {
        verdict: compared.into(),
        digest: Bytes::copy_from_slice(&digest),
        composite,
    })
}
