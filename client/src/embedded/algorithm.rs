//! The engine's algorithms by those of the contract.

use std::sync::LazyLock;

use hashlane_engine::{Algorithm as Of, Digest};

use crate::algorithm::Algorithm;
use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};

/// In the order of [`Algorithm::all`], which is that of its discriminants.
static ENGINES: LazyLock<Vec<Of>> = LazyLock::new(|| {
    let known = Algorithm::all().map(|algorithm| algorithm.name().parse());
    let known = known.map(|engine| engine.expect("the engine has the contract's algorithms"));
    known.collect()
});

pub(super) fn engine(algorithm: Algorithm) -> Of {
    ENGINES[algorithm as usize]
}

pub(super) fn engines(algorithms: &[Algorithm]) -> Vec<Of> {
    algorithms.iter().copied().map(engine).collect()
}

/// An algorithm that a request names by its number.
///
/// # Errors
/// The request names none; this library makes no such request.
pub(super) fn of_wire(number: i32) -> Result<Algorithm> {
    Algorithm::of_wire(number).ok_or(Error::Protocol("a request names no algorithm"))
}

/// The digests of a part, in the order of its algorithms.
pub(super) fn digests(
    algorithms: &[Algorithm],
    computed: &[(Of, Digest)],
) -> Result<Vec<AlgorithmDigest>> {
    let both = algorithms.iter().zip(computed);
    both.map(|(algorithm, (_, digest))| AlgorithmDigest::new(*algorithm, digest))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_algorithm_is_the_engine_s_of_the_same_name() {
        for algorithm in Algorithm::all() {
            let of = engine(algorithm);
            assert_eq!(of.name(), algorithm.name());
            assert_eq!(of.digest_bytes(), algorithm.digest_bytes());
        }
    }
}
