//! Checks the algorithms that a client names.
//!
//! The engine's table lists them: an algorithm's name there, in upper case, is the end of its name
//! in the contract.

use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::LazyLock;

use hashlane_engine::Algorithm;
use hashlane_proto::v1::{self, AlgorithmDigest};
use tonic::Status;

use crate::status::part_error::{self, PartFault};
use crate::status::{self, Reason};

/// The algorithm of a part that names none.
const DEFAULT: Algorithm = Algorithm::Sha256;

/// The contract's algorithm for each engine algorithm, by [`Algorithm::index`].
static CONTRACT: LazyLock<Vec<v1::Algorithm>> = LazyLock::new(|| {
    let names = Algorithm::all().map(|a| format!("ALGORITHM_{}", a.name().to_uppercase()));
    let known = names.map(|name| v1::Algorithm::from_str_name(&name));
    known.map(Option::unwrap_or_default).collect()
});

/// The list of known algorithms in a refusal: `1 sha256, 2 sha224, ...`.
static KNOWN: LazyLock<String> = LazyLock::new(|| {
    let mut text = String::new();
    for (place, algorithm) in offered().enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}{} {algorithm}", number(algorithm));
    }
    text
});

/// All algorithms that have a number in the contract.
pub(crate) fn offered() -> impl Iterator<Item = Algorithm> + Clone {
    Algorithm::all().filter(|algorithm| number(*algorithm) != i32::from(v1::Algorithm::Unspecified))
}

/// The algorithm's number in the contract.
pub(crate) fn number(algorithm: Algorithm) -> i32 {
    CONTRACT[algorithm.index()].into()
}

/// Reads a list of algorithms; an empty one means SHA-256.
///
/// # Errors
/// An algorithm that is unset, unknown or named twice.
pub(crate) fn parse_list(field: &str, numbers: &[i32]) -> Result<Rc<[Algorithm]>, Status> {
    if numbers.is_empty() {
        return Ok(Rc::new([DEFAULT]));
    }
    let known = offered().count();
    if numbers.len() > known {
        return Err(status::invalid(
            field,
            Reason::DuplicateAlgorithm,
            format!("{} algorithms in {field}, there are {known}", numbers.len()),
        ));
    }
    let mut algorithms = Vec::with_capacity(numbers.len());
    for (index, number) in numbers.iter().enumerate() {
        let place = format!("{field}[{index}]");
        let algorithm = parse_named(field, &place, *number)?;
        if algorithms.contains(&algorithm) {
            return Err(status::invalid(
                field,
                Reason::DuplicateAlgorithm,
                format!("{place} names {number} ({algorithm}) a second time"),
            ));
        }
        algorithms.push(algorithm);
    }
    Ok(algorithms.into())
}

/// Reads the algorithms of a part from its first message: those in `numbers`, then those of
/// `expected` digests. SHA-256 if the message names none.
///
/// # Errors
/// An algorithm that is unknown, or that `numbers` names twice.
pub(crate) fn parse_opened(
    numbers: &[i32],
    expected: &[AlgorithmDigest],
) -> Result<Rc<[Algorithm]>, Status> {
    let named = parse_list("open.algorithms", numbers)?;
    if expected.is_empty() {
        return Ok(named);
    }
    let mut all = if numbers.is_empty() {
        Vec::new()
    } else {
        named.to_vec()
    };
    for algorithm in parse_expected(expected)? {
        if !all.contains(&algorithm) {
            all.push(algorithm);
        }
    }
    Ok(all.into())
}

/// Reads one algorithm; 0 means SHA-256.
///
/// # Errors
/// An unknown algorithm.
pub(crate) fn parse_or_default(field: &str, number: i32) -> Result<Algorithm, Status> {
    if number == i32::from(v1::Algorithm::Unspecified) {
        return Ok(DEFAULT);
    }
    parse_named(field, field, number)
}

/// `place` is the algorithm's place in `field`.
fn parse_named(field: &str, place: &str, wanted: i32) -> Result<Algorithm, Status> {
    offered()
        .find(|algorithm| number(*algorithm) == wanted)
        .ok_or_else(|| {
            status::invalid(
                field,
                Reason::UnsupportedAlgorithm,
                format!(
                    "{place} is {wanted}, which is no algorithm; there are {}",
                    *KNOWN
                ),
            )
        })
}

/// Reads the algorithms of which a message expects digests, in order.
///
/// # Errors
/// An unknown algorithm.
pub(crate) fn parse_expected(expected: &[AlgorithmDigest]) -> Result<Vec<Algorithm>, Status> {
    let parse = |(index, expected): (usize, &AlgorithmDigest)| {
        if expected.algorithm == i32::from(v1::Algorithm::Unspecified) {
            return Ok(DEFAULT);
        }
        let place = format!("expected[{index}].algorithm");
        parse_named("expected.algorithm", &place, expected.algorithm)
    };
    expected.iter().enumerate().map(parse).collect()
}

/// Checks the length of an expected digest.
///
/// # Errors
/// The length is not the algorithm's. The digest may come from another sender, so only its part
/// fails.
pub(crate) fn check_length(
    index: usize,
    algorithm: Algorithm,
    digest: &[u8],
) -> Result<(), PartFault> {
    let expected = algorithm.digest_bytes();
    if digest.len() == expected {
        return Ok(());
    }
    Err(part_error::digest_length(format!(
        "expected[{index}].digest: a digest of {algorithm} has {expected} bytes, not {}",
        digest.len()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the contract, but not yet in the engine.
    const PLANNED: [&str; 2] = ["_JLANES_", "_MULTIHASH_"];

    fn refused(result: Result<Rc<[Algorithm]>, Status>) -> String {
        let status = result.unwrap_err();
        assert_eq!(status.code(), tonic::Code::InvalidArgument);
        status.message().to_owned()
    }

    #[test]
    fn engine_and_contract_have_the_same_algorithms() {
        assert_eq!(offered().count(), Algorithm::all().count());
        let numbers = 1..;
        let contract = numbers.map_while(|n| v1::Algorithm::try_from(n).ok());
        let mut mapped = 0;
        for algorithm in contract {
            let parsed = parse_named("f", "f", algorithm.into());
            let name = algorithm.as_str_name();
            match parsed {
                Ok(parsed) => {
                    assert_eq!(number(parsed), i32::from(algorithm));
                    let name = name.strip_prefix("ALGORITHM_").unwrap();
                    assert_eq!(parsed.name(), name.to_lowercase());
                    mapped += 1;
                }
                Err(_) => assert!(PLANNED.iter().any(|p| name.contains(p)), "{name}"),
            }
        }
        assert_eq!(mapped, Algorithm::all().count());
    }

    #[test]
    fn lists() {
        assert_eq!(*parse_list("f", &[]).unwrap(), [Algorithm::Sha256]);
        assert_eq!(
            *parse_list("f", &[6, 1]).unwrap(),
            [Algorithm::Md5, Algorithm::Sha256]
        );
        let all: Vec<i32> = offered().map(number).collect();
        assert_eq!(parse_list("f", &all).unwrap().len(), all.len());
        for (bad, part) in [
            (
                &[0][..],
                "f[0] is 0, which is no algorithm; there are 1 sha256, 2 sha224, ",
            ),
            (&[1, 99], "f[1] is 99, which is no algorithm; there are 1 "),
            (&[-1], "f[0] is -1, "),
            (&[1, 6, 1], "f[2] names 1 (sha256) a second time"),
        ] {
            let message = refused(parse_list("f", bad));
            assert!(message.contains(part), "{message}");
        }
        let many = vec![1; all.len() + 1];
        let message = refused(parse_list("f", &many));
        assert!(message.contains(&format!("there are {}", all.len())));
        assert_eq!(parse_or_default("f", 0).unwrap(), Algorithm::Sha256);
        assert!(parse_or_default("f", 99).is_err());
    }
}
