//! Compose: the value S3 gives a multipart upload, from those of its parts.

use bytes::Bytes;
use hashlane_engine::Algorithm;
use hashlane_engine::composite::{Expected, ObjectDigest, PARTS_MAX, PartsError};
use hashlane_proto::v1::{ChecksumType, ComposeRequest, ComposeResponse, Verdict};
use tonic::Status;

use super::codec::{Bounds, HEAD_BYTES_MAX};
use crate::part::{algorithm, verdict};
use crate::status;

/// What a message may have.
pub(super) const BOUNDS: Bounds = Bounds {
    field: 2,
    name: "part_digests",
    max: PARTS_MAX,
    too_many: |max| {
        let message = format!("part_digests: more than {max} parts, 1 to {max} are allowed");
        status::invalid("part_digests", "PART_COUNT", message)
    },
    // And the parts' lengths: each with its tag at most.
    head_bytes_max: HEAD_BYTES_MAX + PARTS_MAX * 11,
};

/// Answers with the value, and how it compares.
///
/// # Errors
/// An algorithm or type that is not known or that S3 does not have together, no or too
/// many parts, one without a digest or with one of another length than the algorithm's,
/// lengths that are not one for each part, or an expected value that cannot be one.
pub(crate) fn compose(request: &ComposeRequest) -> Result<ComposeResponse, Status> {
    let algorithm = algorithm::parse_or_default("algorithm", request.algorithm)?;
    // Before the work: whether it is malformed does not depend on the parts.
    let expected = parse_expected(algorithm, &request.expected)?;
    let value = match checksum_type(request.checksum_type)? {
        ChecksumType::FullObject => full_object(algorithm, request)?,
        ChecksumType::Unspecified | ChecksumType::Composite => composite(algorithm, request)?,
    };
    let compared = expected.map_or(Verdict::Unspecified, |e| verdict(e.matches(&value)));
    Ok(ComposeResponse {
        composite: value.to_base64(),
        digest: Bytes::copy_from_slice(value.digest()),
        verdict: compared.into(),
        hex: value.to_hex(),
    })
}

fn checksum_type(number: i32) -> Result<ChecksumType, Status> {
    ChecksumType::try_from(number).map_err(|_| {
        status::invalid(
            "checksum_type",
            "UNSUPPORTED_CHECKSUM_TYPE",
            format!("checksum_type is {number}; there are 1 COMPOSITE and 2 FULL_OBJECT"),
        )
    })
}

fn parse_expected(algorithm: Algorithm, text: &str) -> Result<Option<Expected>, Status> {
    if text.is_empty() {
        return Ok(None);
    }
    let expected = Expected::parse(algorithm, text).map_err(|error| {
        let message = format!("expected is no value of {algorithm}: {error}");
        status::invalid("expected", "MALFORMED_EXPECTED", message)
    })?;
    Ok(Some(expected))
}

fn composite(algorithm: Algorithm, request: &ComposeRequest) -> Result<ObjectDigest, Status> {
    if !request.part_size_bytes.is_empty() {
        return Err(status::invalid(
            "part_size_bytes",
            "PART_SIZES",
            "part_size_bytes is for FULL_OBJECT alone",
        ));
    }
    ObjectDigest::composite(algorithm, &request.part_digests).map_err(|e| refusal(algorithm, &e))
}

fn full_object(algorithm: Algorithm, request: &ComposeRequest) -> Result<ObjectDigest, Status> {
    let (digests, sizes) = (&request.part_digests, &request.part_size_bytes);
    if digests.len() != sizes.len() {
        return Err(status::invalid(
            "part_size_bytes",
            "PART_SIZES",
            format!(
                "{} of part_size_bytes for {} of part_digests",
                sizes.len(),
                digests.len()
            ),
        ));
    }
    let parts: Vec<_> = digests.iter().zip(sizes.iter().copied()).collect();
    ObjectDigest::full_object(algorithm, &parts).map_err(|e| refusal(algorithm, &e))
}

fn refusal(algorithm: Algorithm, error: &PartsError) -> Status {
    let (field, reason) = match error {
        PartsError::NoComposite => ("algorithm", "NO_COMPOSITE"),
        PartsError::NoFullObject => ("algorithm", "NO_FULL_OBJECT"),
        PartsError::NoDigest { .. } => ("part_digests", "DIGEST_MISSING"),
        PartsError::DigestLength { .. } => ("part_digests", "DIGEST_LENGTH"),
        PartsError::PartCount { .. } | _ => ("part_digests", "PART_COUNT"),
    };
    let place = error.index().map(|index| format!("[{index}]"));
    let field = format!("{field}{}", place.unwrap_or_default());
    let message = match field.as_str() {
        "algorithm" => format!("algorithm {algorithm}: {error}"),
        field => format!("{field}: {error}"),
    };
    status::invalid(&field, reason, message)
}
