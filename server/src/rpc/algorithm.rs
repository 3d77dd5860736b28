//! The algorithms a client may name, checked.

use hashlane_engine::Algorithm as Hash;
use hashlane_proto::v1::{Algorithm, AlgorithmDigest};
use tonic::Status;

use super::status;

/// The digests of a part that names no algorithm.
pub(crate) const DEFAULT: Algorithm = Algorithm::Sha256;

/// Reads a list of algorithms; an empty one means [`DEFAULT`].
///
/// # Errors
/// An algorithm that is not set or not known, or one named twice.
pub(crate) fn parse_list(field: &str, numbers: &[i32]) -> Result<Vec<Algorithm>, Status> {
    if numbers.is_empty() {
        return Ok(vec![DEFAULT]);
    }
    let mut algorithms = Vec::new();
    for number in numbers {
        let algorithm = parse_named(field, *number)?;
        if algorithms.contains(&algorithm) {
            return Err(status::invalid(
                field,
                "DUPLICATE_ALGORITHM",
                format!("algorithm {} is named twice", algorithm.as_str_name()),
            ));
        }
        algorithms.push(algorithm);
    }
    Ok(algorithms)
}

/// Reads one algorithm where leaving it out means [`DEFAULT`].
///
/// # Errors
/// An algorithm that is not known.
pub(crate) fn parse_or_default(field: &str, number: i32) -> Result<Algorithm, Status> {
    if number == i32::from(Algorithm::Unspecified) {
        return Ok(DEFAULT);
    }
    parse_named(field, number)
}

fn parse_named(field: &str, number: i32) -> Result<Algorithm, Status> {
    match Algorithm::try_from(number) {
        Ok(algorithm) if algorithm != Algorithm::Unspecified => Ok(algorithm),
        _ => Err(status::invalid(
            field,
            "UNSUPPORTED_ALGORITHM",
            format!("algorithm {number} is not supported"),
        )),
    }
}

/// The length of the algorithm's digest.
pub(crate) fn digest_bytes(algorithm: Algorithm) -> usize {
    match algorithm {
        Algorithm::Unspecified | Algorithm::Sha256 => Hash::Sha256.digest_bytes(),
    }
}

/// Checks one expected digest.
///
/// # Errors
/// An algorithm that is not known, or a digest of another length than its.
pub(crate) fn parse_expected(expected: &AlgorithmDigest) -> Result<Algorithm, Status> {
    let algorithm = parse_or_default("expected.algorithm", expected.algorithm)?;
    let bytes = digest_bytes(algorithm);
    if expected.digest.len() != bytes {
        return Err(status::invalid(
            "expected.digest",
            "DIGEST_LENGTH",
            format!(
                "a digest of {} is {bytes} bytes, not {}",
                algorithm.as_str_name(),
                expected.digest.len()
            ),
        ));
    }
    Ok(algorithm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        assert_eq!(parse_list("f", &[]).unwrap(), [Algorithm::Sha256]);
        assert_eq!(parse_list("f", &[1]).unwrap(), [Algorithm::Sha256]);
        for bad in [&[0][..], &[99], &[1, 1], &[-1]] {
            let status = parse_list("f", bad).unwrap_err();
            assert_eq!(status.code(), tonic::Code::InvalidArgument, "{bad:?}");
        }
        assert_eq!(parse_or_default("f", 0).unwrap(), Algorithm::Sha256);
    }
}
