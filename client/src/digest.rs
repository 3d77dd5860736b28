//! Digests of any algorithm.

use std::fmt;
use std::str::FromStr;

use bytes::Bytes;
use hashlane_proto::v1;

use crate::algorithm::Algorithm;
use crate::error::{Error, Result};

/// The maximum length of a digest: SHA-512's.
pub const DIGEST_BYTES_MAX: usize = 64;

/// A digest, raw: 1 to 64 bytes in the order in which the algorithm's standard prints them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest {
    /// Zero from `len` on, so that equal digests have equal bytes.
    bytes: [u8; DIGEST_BYTES_MAX],
    len: u8,
}

impl Digest {
    /// A digest with these bytes; `None` if there are none or too many.
    #[must_use]
    pub fn from_slice(digest: &[u8]) -> Option<Self> {
        let mut bytes = [0; DIGEST_BYTES_MAX];
        bytes.get_mut(..digest.len())?.copy_from_slice(digest);
        let len = u8::try_from(digest.len()).ok().filter(|len| *len > 0)?;
        Some(Self { bytes, len })
    }
}

impl std::ops::Deref for Digest {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq<[u8]> for Digest {
    fn eq(&self, other: &[u8]) -> bool {
        **self == *other
    }
}

impl<const N: usize> PartialEq<[u8; N]> for Digest {
    fn eq(&self, other: &[u8; N]) -> bool {
        **self == *other
    }
}

impl fmt::Display for Digest {
    /// In lower-case hex.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The error for text that is not a digest in hex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected 2 to 128 hexadecimal digits")]
pub struct NotHex;

impl FromStr for Digest {
    type Err = NotHex;

    /// Parses hex of either case.
    fn from_str(text: &str) -> Result<Self, NotHex> {
        let mut bytes = [0; DIGEST_BYTES_MAX];
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
            return Err(NotHex);
        };
        let digest = bytes.get_mut(..pairs.len()).ok_or(NotHex)?;
        for (byte, [high, low]) in digest.iter_mut().zip(pairs) {
            *byte = nibble(*high)? << 4 | nibble(*low)?;
        }
        Self::from_slice(digest).ok_or(NotHex)
    }
}

fn nibble(digit: u8) -> Result<u8, NotHex> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        b'A'..=b'F' => Ok(digit - b'A' + 10),
        _ => Err(NotHex),
    }
}

/// A digest and its algorithm. The digest has the algorithm's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AlgorithmDigest {
    algorithm: Algorithm,
    digest: Digest,
}

impl AlgorithmDigest {
    /// The digest of `algorithm` with these bytes.
    ///
    /// # Errors
    /// [`Error::Argument`] if the number of bytes is not the algorithm's digest length.
    pub fn new(algorithm: Algorithm, digest: &[u8]) -> Result<Self> {
        Self::of(algorithm, digest).ok_or_else(|| {
            let expected = algorithm.digest_bytes();
            let actual = digest.len();
            Error::Argument(format!(
                "a digest of {algorithm} has {expected} bytes, not {actual}"
            ))
        })
    }

    fn of(algorithm: Algorithm, digest: &[u8]) -> Option<Self> {
        let digest = Digest::from_slice(digest).filter(|d| d.len() == algorithm.digest_bytes())?;
        Some(Self { algorithm, digest })
    }

    /// A SHA-256 digest.
    #[must_use]
    pub fn sha256(digest: [u8; 32]) -> Self {
        Self::of(Algorithm::Sha256, &digest).expect("SHA-256 has 32 bytes")
    }

    /// The algorithm.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The digest.
    #[must_use]
    pub const fn digest(&self) -> &Digest {
        &self.digest
    }

    pub(crate) fn to_wire(self) -> v1::AlgorithmDigest {
        v1::AlgorithmDigest {
            algorithm: self.algorithm.to_wire().into(),
            digest: Bytes::copy_from_slice(&self.digest),
        }
    }

    /// Converts a digest from a server, which may leave out the algorithm for SHA-256.
    pub(crate) fn from_wire(algorithm: i32, digest: &[u8]) -> Result<Self> {
        let algorithm = match algorithm {
            0 => Some(Algorithm::Sha256),
            number => Algorithm::of_wire(number),
        };
        let algorithm = algorithm.ok_or(Error::Protocol("a digest of an unknown algorithm"))?;
        Self::of(algorithm, digest).ok_or(Error::Protocol("a digest of the wrong length"))
    }
}

impl fmt::Display for AlgorithmDigest {
    /// Writes `algorithm:hex`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.algorithm, self.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_survives_the_round_trip() {
        for len in [1, 4, 16, 32, 64] {
            let bytes: Vec<u8> = (3..=250).step_by(3).take(len).collect();
            let digest = Digest::from_slice(&bytes).unwrap();
            assert_eq!(*digest, bytes[..]);
            let text = digest.to_string();
            assert_eq!(text.len(), bytes.len() * 2);
            assert_eq!(text.parse(), Ok(digest));
            assert_eq!(text.to_uppercase().parse(), Ok(digest));
        }
    }

    #[test]
    fn what_is_no_hex_or_too_long_is_refused() {
        for bad in ["", "0", "0g", "+0", "000", "0 0", "é"] {
            assert_eq!(bad.parse::<Digest>(), Err(NotHex), "{bad}");
        }
        assert!("0".repeat(128).parse::<Digest>().is_ok());
        assert_eq!("0".repeat(130).parse::<Digest>(), Err(NotHex));
        assert_eq!(Digest::from_slice(&[]), None);
        assert_eq!(Digest::from_slice(&[0; 65]), None);
    }

    #[test]
    fn a_digest_of_the_wrong_length_is_told() {
        let error = AlgorithmDigest::new(Algorithm::Md5, &[0; 20]).unwrap_err();
        assert_eq!(error.to_string(), "a digest of md5 has 16 bytes, not 20");
        let digest = AlgorithmDigest::new(Algorithm::Crc32, &[0xcb, 0xf4, 0x39, 0x26]).unwrap();
        assert_eq!(digest.to_string(), "crc32:cbf43926");
    }
}
