//! Compose: computes the value that S3 gives a multipart upload from the values of its parts.

use bytes::Bytes;
use hashlane_engine::Algorithm;
use hashlane_engine::composite::{Composer, Expected, PARTS_MAX, PartsError};
use hashlane_proto::v1::{ChecksumType, ComposeRequest, ComposeResponse, Verdict};
use tonic::Status;

use super::codec::{Bounds, HEAD_BYTES_MAX};
use crate::http2::Link;
use crate::limits::{COMPOSE_BYTES, DECODED_FIELD_BYTES, DECODED_NUMBER_BYTES};
use crate::part::{algorithm, verdict};
use crate::status::{self, Reason};

/// Parts composed between two checks of the turn: some 50 us.
const PIECE_PARTS: usize = 256;

/// Limits of the message.
pub(super) const BOUNDS: Bounds = Bounds {
    field: 2,
    name: "part_digests",
    max: PARTS_MAX,
    too_many: |max| {
        let message = format!("part_digests: more than {max} parts, 1 to {max} are allowed");
        status::invalid("part_digests", Reason::PartCount, message)
    },
    // The parts' lengths come in addition, each with its tag at most.
    head_bytes_max: HEAD_BYTES_MAX + PARTS_MAX * 11,
};

// So that a message always fits: a digest has up to 64 bytes, a length a key and a number.
const _: () = assert!(
    PARTS_MAX * (2 + 64 + DECODED_FIELD_BYTES)
        + BOUNDS.head_bytes_max
        + (HEAD_BYTES_MAX + PARTS_MAX * 2) * DECODED_NUMBER_BYTES
        <= COMPOSE_BYTES
);

/// Answers with the value and the result of its comparison.
///
/// # Errors
/// An algorithm or type that is unknown, or that S3 does not combine; no parts or too many; a part
/// without a digest or with a digest of the wrong length; a number of lengths other than the number
/// of parts; an expected value that is malformed.
pub(super) async fn compose(
    request: ComposeRequest,
    link: &Link,
) -> Result<ComposeResponse, Status> {
    let algorithm = algorithm::parse_or_default("algorithm", request.algorithm)?;
    // Before the work, because these errors do not depend on the parts.
    let expected = parse_expected(algorithm, &request.expected)?;
    let checksum_type = checksum_type(request.checksum_type)?;
    check_lengths(checksum_type, &request)?;
    let composer = match checksum_type {
        ChecksumType::FullObject => Composer::full_object(algorithm),
        ChecksumType::Unspecified | ChecksumType::Composite => Composer::composite(algorithm),
    };
    let mut composer = composer.map_err(|e| refusal(algorithm, &e))?;
    let mut lengths = request.part_size_bytes.into_iter();
    let mut digests = request.part_digests.into_iter();
    while digests.len() > 0 {
        link.next_turn().await;
        for digest in digests.by_ref().take(PIECE_PARTS) {
            // A composite has no lengths, and needs none.
            let length = lengths.next().unwrap_or(0);
            let pushed = composer.push(&digest, length);
            pushed.map_err(|e| refusal(algorithm, &e))?;
        }
    }
    let value = composer.finish().map_err(|e| refusal(algorithm, &e))?;
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
            Reason::UnsupportedChecksumType,
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
        status::invalid("expected", Reason::MalformedExpected, message)
    })?;
    Ok(Some(expected))
}

/// Checks that there is one length for each part, if the value depends on lengths.
fn check_lengths(checksum_type: ChecksumType, request: &ComposeRequest) -> Result<(), Status> {
    let (digests, lengths) = (request.part_digests.len(), request.part_size_bytes.len());
    let message = match checksum_type {
        ChecksumType::FullObject if digests != lengths => {
            format!("{lengths} of part_size_bytes for {digests} of part_digests")
        }
        ChecksumType::Unspecified | ChecksumType::Composite if lengths != 0 => {
            "part_size_bytes is for FULL_OBJECT alone".to_owned()
        }
        _ => return Ok(()),
    };
    Err(status::invalid(
        "part_size_bytes",
        Reason::PartSizes,
        message,
    ))
}

fn refusal(algorithm: Algorithm, error: &PartsError) -> Status {
    let (field, reason) = match error {
        PartsError::NoComposite | PartsError::NoFullObject => {
            ("algorithm", Reason::UnsupportedChecksumType)
        }
        PartsError::NoDigest { .. } | PartsError::DigestLength { .. } => {
            ("part_digests", Reason::DigestLength)
        }
        PartsError::PartCount { .. } | _ => ("part_digests", Reason::PartCount),
    };
    let place = error.index().map(|index| format!("[{index}]"));
    let field = format!("{field}{}", place.unwrap_or_default());
    let message = match field.as_str() {
        "algorithm" => format!("algorithm {algorithm}: {error}"),
        field => format!("{field}: {error}"),
    };
    status::invalid(&field, reason, message)
}
