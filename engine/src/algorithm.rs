//! The hash functions the engine computes, and what each needs.

use std::{fmt, str::FromStr};

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// SHA-256 (FIPS 180-4).
    Sha256,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Self; 1] = [Self::Sha256];

    /// The name used in settings and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
        }
    }

    /// Bytes of a block.
    #[must_use]
    pub const fn block_bytes(self) -> usize {
        match self {
            Self::Sha256 => 64,
        }
    }

    /// Bytes of a digest.
    #[must_use]
    pub const fn digest_bytes(self) -> usize {
        match self {
            Self::Sha256 => 32,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no algorithm's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseAlgorithmError(String);

impl fmt::Display for ParseAlgorithmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown algorithm {:?}, expected sha256", self.0)
    }
}

impl std::error::Error for ParseAlgorithmError {}

impl FromStr for Algorithm {
    type Err = ParseAlgorithmError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name() == name)
            .ok_or_else(|| ParseAlgorithmError(name.to_owned()))
    }
}
