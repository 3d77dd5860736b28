//! Converts digests to text and back.
//!
//! | encoding | a SHA-256 digest | of | source |
//! |---|---|---|---|
//! | hex | `ba78...` | any | |
//! | base64 | `ungW...=` | any | RFC 4648 section 4 |
//! | oci | `sha256:ba78...` | sha256, sha512, blake3 | OCI image-spec, descriptor.md |
//! | sri | `sha256-ungW...=` | sha256, sha384, sha512 | W3C Subresource Integrity |
//! | rfc9530 | `sha-256=:ungW...=:` | sha256, sha512 | RFC 9530 (Content-Digest, Repr-Digest) |
//!
//! RFC 9530's registry has more names, and marks all of them as deprecated. encoding.rs has the
//! encodings by name, rfc9530.rs the syntax of RFC 9530's field, error.rs what can be wrong with a
//! text.

#![forbid(unsafe_code)]

#[allow(
    clippy::module_inception,
    reason = "one encoding, of the folder of encodings"
)]
mod encoding;
mod error;
mod rfc9530;
#[cfg(test)]
mod tests;

use std::str::FromStr;

use base64::{Engine as _, engine::general_purpose::STANDARD};

pub use encoding::Encoding;
pub use error::EncodingError;

use crate::{
    algorithm::Algorithm,
    digest::{DIGEST_BYTES_MAX, Digest},
};

/// A digest that was read, and the algorithm that its text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// The algorithm; hex and base64 name none.
    pub algorithm: Option<Algorithm>,
    /// The digest. It has the algorithm's length, or any length if no algorithm is named.
    pub digest: Digest,
}

/// An algorithm's names in the encodings.
struct Names {
    algorithm: Algorithm,
    oci: Option<&'static str>,
    sri: Option<&'static str>,
    rfc9530: Option<&'static str>,
}

const NAMES: &[Names] = &[
    Names {
        algorithm: Algorithm::Sha256,
        oci: Some("sha256"),
        sri: Some("sha256"),
        rfc9530: Some("sha-256"),
    },
    Names {
        algorithm: Algorithm::Sha384,
        oci: None,
        sri: Some("sha384"),
        rfc9530: None,
    },
    Names {
        algorithm: Algorithm::Sha512,
        oci: Some("sha512"),
        sri: Some("sha512"),
        rfc9530: Some("sha-512"),
    },
    #[cfg(feature = "blake3")]
    Names {
        algorithm: Algorithm::Blake3,
        oci: Some("blake3"),
        sri: None,
        rfc9530: None,
    },
];

impl Names {
    /// The algorithm's name in `encoding`.
    fn of(&self, encoding: Encoding) -> Option<&'static str> {
        match encoding {
            Encoding::Hex | Encoding::Base64 => None,
            Encoding::Oci => self.oci,
            Encoding::Sri => self.sri,
            Encoding::Rfc9530 => self.rfc9530,
        }
    }

    /// The algorithm with this name in `encoding`.
    fn find(encoding: Encoding, name: &str) -> Option<&'static Self> {
        NAMES.iter().find(|names| names.of(encoding) == Some(name))
    }

    /// The digest, if it has the algorithm's length.
    fn label(&self, digest: Digest) -> Result<Labelled, EncodingError> {
        let algorithm = Some(self.algorithm);
        let expected = self.algorithm.digest_bytes();
        if digest.len() == expected {
            Ok(Labelled { algorithm, digest })
        } else {
            Err(EncodingError::DigestLength {
                algorithm,
                expected,
                actual: digest.len(),
            })
        }
    }
}

impl Encoding {
    /// The digest as text, or `None` where the encoding has no name for the
    /// algorithm, or the digest is not one of that algorithm's length.
    ///
    /// To write several in one text, join them with a space in `Sri`, with `, ` in `Rfc9530`.
    #[must_use]
    pub fn encode(self, algorithm: Algorithm, digest: &[u8]) -> Option<String> {
        let name = || {
            let names = NAMES.iter().find(|names| names.algorithm == algorithm)?;
            names
                .of(self)
                .filter(|_| algorithm.digest_bytes() == digest.len())
        };
        Some(match self {
            Self::Hex => hex(digest),
            Self::Base64 => STANDARD.encode(digest),
            Self::Oci => format!("{}:{}", name()?, hex(digest)),
            Self::Sri => format!("{}-{}", name()?, STANDARD.encode(digest)),
            Self::Rfc9530 => format!("{}=:{}:", name()?, STANDARD.encode(digest)),
        })
    }

    /// The digests in `text`: at least one, and more than one only in `Sri` and `Rfc9530`.
    ///
    /// These two skip unknown algorithms, options and parameters, as their specifications require.
    /// In `Sri` any one digest of the strongest algorithm may match. In `Rfc9530` only the last
    /// digest of an algorithm counts, and only that is returned.
    ///
    /// # Errors
    /// The text is not in the encoding, names no known algorithm, or has a digest whose length is
    /// not its algorithm's.
    pub fn parse(self, text: &str) -> Result<Vec<Labelled>, EncodingError> {
        let unlabelled = |digest| {
            vec![Labelled {
                algorithm: None,
                digest,
            }]
        };
        match self {
            Self::Hex => parse_hex(text).map(unlabelled),
            Self::Base64 => parse_base64(text).map(unlabelled),
            Self::Oci => parse_oci(text).map(|digest| vec![digest]),
            Self::Sri => parse_sri(text),
            Self::Rfc9530 => parse_rfc9530(text),
        }
    }

    /// The encoding that `text` looks like. Text that could be both hex and base64 counts as hex;
    /// if the digest's length is known, use [`decode`].
    fn guess(text: &str) -> Self {
        if text.contains("=:") {
            Self::Rfc9530
        } else if text.contains(':') {
            Self::Oci
        } else if text.contains('-') {
            Self::Sri
        } else if text.len().is_multiple_of(2) && text.bytes().all(|c| c.is_ascii_hexdigit()) {
            Self::Hex
        } else {
            Self::Base64
        }
    }
}

impl FromStr for Encoding {
    type Err = EncodingError;

    fn from_str(name: &str) -> Result<Self, EncodingError> {
        let mut all = Self::ALL.into_iter();
        all.find(|encoding| encoding.name() == name)
            .ok_or_else(|| EncodingError::unknown_encoding(name))
    }
}

/// The digests in `text`, in any encoding.
///
/// # Errors
/// As [`Encoding::parse`], for the encoding that the text looks like.
pub fn parse(text: &str) -> Result<Vec<Labelled>, EncodingError> {
    Encoding::guess(text).parse(text)
}

/// The digest of `digest_bytes` bytes in `text`, in hex or base64. No text is valid as both: where
/// the lengths agree, base64 ends with `=`.
///
/// # Errors
/// Text that is neither, or of another length.
pub fn decode(text: &str, digest_bytes: usize) -> Result<Digest, EncodingError> {
    let fits = |digest: &Digest| digest.len() == digest_bytes;
    let as_hex = parse_hex(text);
    let as_base64 = parse_base64(text);
    if let Some(digest) = [&as_hex, &as_base64]
        .into_iter()
        .flatten()
        .find(|digest| fits(digest))
    {
        return Ok(*digest);
    }
    let actual = match (as_hex, as_base64) {
        (Ok(digest), _) | (_, Ok(digest)) => digest.len(),
        (Err(EncodingError::NotHex), Err(EncodingError::NotBase64)) => {
            return Err(EncodingError::NotHexOrBase64);
        }
        (Err(error), _) => return Err(error),
    };
    Err(EncodingError::DigestLength {
        algorithm: None,
        expected: digest_bytes,
        actual,
    })
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}

#[cfg(any(test, feature = "s3"))]
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn parse_hex(text: &str) -> Result<Digest, EncodingError> {
    digest(text, |text| {
        base16ct::mixed::decode_vec(text).map_err(|_| EncodingError::NotHex)
    })
}

fn parse_base64(text: &str) -> Result<Digest, EncodingError> {
    digest(text, |text| {
        STANDARD.decode(text).map_err(|_| EncodingError::NotBase64)
    })
}

/// The result of `decode` for `text`, if it can be a digest. The length is checked first, so that
/// the sender does not choose how much is decoded.
fn digest(
    text: &str,
    decode: impl FnOnce(&str) -> Result<Vec<u8>, EncodingError>,
) -> Result<Digest, EncodingError> {
    if text.is_empty() {
        return Err(EncodingError::Empty);
    }
    if text.len() > 2 * DIGEST_BYTES_MAX {
        return Err(EncodingError::TooLong);
    }
    Digest::from_slice(&decode(text)?).ok_or(EncodingError::TooLong)
}

fn parse_oci(text: &str) -> Result<Labelled, EncodingError> {
    let (name, hex) = text.split_once(':').ok_or(EncodingError::NoAlgorithm)?;
    let names =
        Names::find(Encoding::Oci, name).ok_or_else(|| EncodingError::unknown_algorithm(name))?;
    // The specification forbids upper case, because a digest is an identifier there.
    let lower = |text: &str| base16ct::lower::decode_vec(text).map_err(|_| EncodingError::NotHex);
    names.label(digest(hex, lower)?)
}

fn parse_sri(text: &str) -> Result<Vec<Labelled>, EncodingError> {
    let mut digests = Vec::new();
    let mut unknown = None;
    for expression in text.split_ascii_whitespace() {
        let (name, value) = expression
            .split_once('-')
            .ok_or(EncodingError::NoAlgorithm)?;
        let base64 = value
            .split_once('?')
            .map_or(value, |(base64, _options)| base64);
        match Names::find(Encoding::Sri, name) {
            Some(names) => digests.push(names.label(parse_base64(base64)?)?),
            None => unknown = Some(name),
        }
    }
    known(digests, unknown)
}

fn parse_rfc9530(text: &str) -> Result<Vec<Labelled>, EncodingError> {
    let mut digests: Vec<Labelled> = Vec::new();
    let mut unknown = None;
    let mut field = rfc9530::Field::new(text);
    while let Some((key, value)) = field.member()? {
        let Some(names) = Names::find(Encoding::Rfc9530, key) else {
            unknown = Some(key);
            continue;
        };
        let labelled = names.label(digest(value, rfc9530::decode)?)?;
        // If members have the same key, the last one counts.
        match digests
            .iter_mut()
            .find(|other| other.algorithm == labelled.algorithm)
        {
            Some(other) => *other = labelled,
            None => digests.push(labelled),
        }
    }
    known(digests, unknown)
}

/// The digests, or an error: the unknown algorithm, or that there is no digest.
fn known(digests: Vec<Labelled>, unknown: Option<&str>) -> Result<Vec<Labelled>, EncodingError> {
    match unknown {
        _ if !digests.is_empty() => Ok(digests),
        Some(name) => Err(EncodingError::unknown_algorithm(name)),
        None => Err(EncodingError::Empty),
    }
}
