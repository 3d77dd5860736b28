//! Errors in a digest's text.

use std::{error, fmt};

use super::encoding::Encoding;
use crate::algorithm::Algorithm;

/// The error in a digest's text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodingError {
    /// There is no digest.
    Empty,
    /// Not an even number of hexadecimal digits; OCI allows only lower case.
    NotHex,
    /// Not base64 with the standard alphabet and padding.
    NotBase64,
    /// Neither hexadecimal digits nor base64.
    NotHexOrBase64,
    /// Longer than any digest.
    TooLong,
    /// The encoding requires an algorithm, but the text has none.
    NoAlgorithm,
    /// A name that is no algorithm's in the encoding.
    UnknownAlgorithm {
        /// The name's first characters.
        name: String,
    },
    /// A digest whose length is not the algorithm's.
    DigestLength {
        /// The algorithm, if the text names it.
        algorithm: Option<Algorithm>,
        /// Bytes of the algorithm's digests.
        expected: usize,
        /// Bytes of this digest.
        actual: usize,
    },
    /// Not a dictionary of byte sequences (RFC 9651).
    Field {
        /// The index of the byte in the text, from 0.
        at: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// Not the name of an encoding.
    UnknownEncoding {
        /// The name's first characters.
        name: String,
    },
}

impl EncodingError {
    pub(super) fn unknown_algorithm(name: &str) -> Self {
        Self::UnknownAlgorithm { name: head(name) }
    }

    pub(super) fn unknown_encoding(name: &str) -> Self {
        Self::UnknownEncoding { name: head(name) }
    }
}

/// The first characters of a name, enough to recognise it. A client's text is not repeated in full.
fn head(name: &str) -> String {
    name.chars().take(20).collect()
}

impl fmt::Display for EncodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there is no digest"),
            Self::NotHex => f.write_str("not hexadecimal"),
            Self::NotBase64 => f.write_str("not base64 with standard alphabet and padding"),
            Self::NotHexOrBase64 => f.write_str("neither hexadecimal nor padded base64"),
            Self::TooLong => f.write_str("longer than any digest"),
            Self::NoAlgorithm => f.write_str("the algorithm's name is missing"),
            Self::UnknownAlgorithm { name } => {
                write!(f, "{name:?} is no algorithm that this encoding has")
            }
            Self::DigestLength {
                algorithm,
                expected,
                actual,
            } => {
                f.write_str("a digest")?;
                algorithm
                    .iter()
                    .try_for_each(|name| write!(f, " of {name}"))?;
                write!(f, " has {expected} bytes, not {actual}")
            }
            Self::Field { at, expected } => write!(f, "expected {expected} at byte {at}"),
            Self::UnknownEncoding { name } => {
                write!(f, "unknown encoding {name:?}, expected one of")?;
                Encoding::ALL
                    .iter()
                    .try_for_each(|encoding| write!(f, " {encoding}"))
            }
        }
    }
}

impl error::Error for EncodingError {}
