//! The values S3 gives an object that was uploaded in parts.
//!
//! ```text
//!   COMPOSITE    base64(H(d1 || ... || dN)) "-N"    d: the parts' digests, raw
//!   ETag         hex(MD5(m1 || ... || mN)) "-N"     m: the parts' MD5
//!   FULL_OBJECT  base64(CRC of the whole)           from the parts' CRCs and lengths
//! ```
//!
//! Why it checks its input: the tool computes the same values without a server. A malformed
//! expected value is an error, not a mismatch, because a typing error must not look like corrupted
//! data.
//!
//! Source: Amazon S3 User Guide, "Checking object integrity for data uploads". S3 has COMPOSITE
//! values for every algorithm except CRC64NVME. Of multipart uploads it has FULL_OBJECT values only
//! for the three CRCs: no other function's value of an object follows from the values of its parts.

#![forbid(unsafe_code)]

use std::{error, fmt, sync::LazyLock};

use md5::Md5;
use sha1::Sha1;
use sha2::{Sha256, Sha512};

use crate::{
    algorithm::{Algorithm, Method},
    crc_combine::{self, Combined, Modulus},
    digest::Digest,
    encoding::{self, EncodingError},
    sink::Sink,
};

/// S3's largest number of parts.
pub const PARTS_MAX: usize = 10_000;

/// The values that S3 defines for one algorithm.
struct Row {
    algorithm: Algorithm,
    composite: bool,
    full_object: Option<&'static LazyLock<Modulus>>,
}

const ROWS: [Row; 10] = [
    Row::composite(Algorithm::Md5),
    Row::composite(Algorithm::Sha1),
    Row::composite(Algorithm::Sha256),
    Row::composite(Algorithm::Sha512),
    Row::composite(Algorithm::Xxh64),
    Row::composite(Algorithm::Xxh3),
    Row::composite(Algorithm::Xxh128),
    Row {
        full_object: Some(&crc_combine::CRC32),
        ..Row::composite(Algorithm::Crc32)
    },
    Row {
        full_object: Some(&crc_combine::CRC32C),
        ..Row::composite(Algorithm::Crc32c)
    },
    Row {
        composite: false,
        full_object: Some(&crc_combine::CRC64NVME),
        ..Row::composite(Algorithm::Crc64Nvme)
    },
];

impl Row {
    const fn composite(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            composite: true,
            full_object: None,
        }
    }

    fn find(algorithm: Algorithm) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.algorithm == algorithm)
    }
}

/// S3's check of the number of parts.
fn check_count(parts: usize) -> Result<(), PartsError> {
    if (1..=PARTS_MAX).contains(&parts) {
        Ok(())
    } else {
        Err(PartsError::PartCount { parts })
    }
}

/// H over the parts' digests.
#[derive(Clone)]
enum Hash {
    Md5(Md5),
    Sha1(Sha1),
    Sha256(Sha256),
    Sha512(Sha512),
    Sink(Sink),
}

impl Hash {
    fn new(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Md5 => Self::Md5(Md5::default()),
            Algorithm::Sha1 => Self::Sha1(Sha1::default()),
            Algorithm::Sha256 => Self::Sha256(Sha256::default()),
            Algorithm::Sha512 => Self::Sha512(Sha512::default()),
            _ => {
                let Method::Sink(kind) = algorithm.method() else {
                    unreachable!("the others of the table have no lanes");
                };
                Self::Sink(Sink::new(kind))
            }
        }
    }

    fn update(&mut self, digest: &[u8]) {
        use digest::Update as _;
        match self {
            Self::Md5(hash) => hash.update(digest),
            Self::Sha1(hash) => hash.update(digest),
            Self::Sha256(hash) => hash.update(digest),
            Self::Sha512(hash) => hash.update(digest),
            Self::Sink(sink) => sink.update(digest),
        }
    }

    fn finalize(self) -> Digest {
        use digest::FixedOutput as _;
        match self {
            Self::Md5(hash) => Digest::new(&hash.finalize_fixed()),
            Self::Sha1(hash) => Digest::new(&hash.finalize_fixed()),
            Self::Sha256(hash) => Digest::new(&hash.finalize_fixed()),
            Self::Sha512(hash) => Digest::new(&hash.finalize_fixed()),
            Self::Sink(sink) => sink.finalize(),
        }
    }
}

/// The value of an object, computed part by part in their order. For callers that cannot block for
/// thousands of parts.
///
/// ```
/// use hashlane_engine::{Algorithm, composite::Composer};
///
/// let mut composer = Composer::full_object(Algorithm::Crc32)?;
/// composer.push(&[0x9b, 0xe3, 0xe0, 0xa3], 4)?; // of "1234"
/// composer.push(&[0x13, 0x1d, 0xa0, 0x70], 5)?; // of "56789"
/// assert_eq!(composer.finish()?.to_hex(), "cbf43926");
/// # Ok::<(), hashlane_engine::composite::PartsError>(())
/// ```
#[derive(Clone)]
pub struct Composer {
    algorithm: Algorithm,
    parts: usize,
    of_parts: OfParts,
}

#[derive(Clone)]
enum OfParts {
    Composite(Box<Hash>),
    FullObject(Combined),
}

impl Composer {
    /// Starts a composite: `H(d1 || ... || dN)`. For `md5` that is both S3's COMPOSITE checksum and
    /// its ETag.
    ///
    /// # Errors
    /// An algorithm for which S3 has no composite.
    pub fn composite(algorithm: Algorithm) -> Result<Self, PartsError> {
        let row = Row::find(algorithm).filter(|row| row.composite);
        row.ok_or(PartsError::NoComposite)?;
        Ok(Self {
            algorithm,
            parts: 0,
            of_parts: OfParts::Composite(Box::new(Hash::new(algorithm))),
        })
    }

    /// Starts a FULL_OBJECT value: the CRC of the whole object.
    ///
    /// # Errors
    /// An algorithm whose values do not combine.
    pub fn full_object(algorithm: Algorithm) -> Result<Self, PartsError> {
        let modulus = Row::find(algorithm).and_then(|row| row.full_object);
        let modulus = modulus.ok_or(PartsError::NoFullObject)?;
        Ok(Self {
            algorithm,
            parts: 0,
            of_parts: OfParts::FullObject(Combined::new(modulus)),
        })
    }

    /// Appends a part by its raw digest and its length in bytes. A composite does not need the
    /// length.
    ///
    /// # Errors
    /// A digest that is missing or of the wrong length, or more than [`PARTS_MAX`] parts. The part
    /// is not appended then.
    pub fn push(&mut self, digest: &[u8], bytes: u64) -> Result<(), PartsError> {
        let index = self.parts;
        if index == PARTS_MAX {
            return Err(PartsError::PartCount { parts: index + 1 });
        }
        if digest.is_empty() {
            return Err(PartsError::NoDigest { index });
        }
        let expected = self.algorithm.digest_bytes();
        if digest.len() != expected {
            return Err(PartsError::DigestLength {
                index,
                algorithm: self.algorithm,
                expected,
                actual: digest.len(),
            });
        }
        self.parts += 1;
        match &mut self.of_parts {
            OfParts::Composite(hash) => hash.update(digest),
            OfParts::FullObject(combined) => {
                // At most 8 bytes, big-endian.
                let crc = digest
                    .iter()
                    .fold(0, |sum, byte| sum << 8 | u64::from(*byte));
                combined.push(crc, bytes);
            }
        }
        Ok(())
    }

    /// The value of all parts.
    ///
    /// # Errors
    /// There are none.
    pub fn finish(self) -> Result<ObjectDigest, PartsError> {
        check_count(self.parts)?;
        Ok(match self.of_parts {
            OfParts::Composite(hash) => ObjectDigest {
                digest: hash.finalize(),
                parts: Some(self.parts),
            },
            OfParts::FullObject(combined) => {
                let whole = combined.crc().to_be_bytes();
                ObjectDigest {
                    digest: Digest::new(&whole[whole.len() - self.algorithm.digest_bytes()..]),
                    parts: None,
                }
            }
        })
    }
}

impl fmt::Debug for Composer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Composer")
            .field("algorithm", &self.algorithm)
            .field("parts", &self.parts)
            .finish_non_exhaustive()
    }
}

/// The value of an object that was uploaded in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectDigest {
    digest: Digest,
    /// `None` for a FULL_OBJECT value, which does not depend on the number of parts.
    parts: Option<usize>,
}

impl ObjectDigest {
    /// The composite of the parts' raw digests, in part order: `H(d1 || ... || dN)`. For `md5` it
    /// is both S3's COMPOSITE checksum and its ETag.
    ///
    /// # Errors
    /// An algorithm for which S3 has no composite, no or more than [`PARTS_MAX`]
    /// parts, or a digest that is missing or of the wrong length.
    pub fn composite<D: AsRef<[u8]>>(
        algorithm: Algorithm,
        digests: &[D],
    ) -> Result<Self, PartsError> {
        let mut composer = Composer::composite(algorithm)?;
        check_count(digests.len())?;
        for digest in digests {
            composer.push(digest.as_ref(), 0)?;
        }
        composer.finish()
    }

    /// The FULL_OBJECT value from each part's raw CRC and length in bytes, in part
    /// order: the CRC of the whole object.
    ///
    /// # Errors
    /// An algorithm whose values do not combine, no or more than [`PARTS_MAX`]
    /// parts, or a digest that is missing or of the wrong length.
    pub fn full_object<D: AsRef<[u8]>>(
        algorithm: Algorithm,
        parts: &[(D, u64)],
    ) -> Result<Self, PartsError> {
        let mut composer = Composer::full_object(algorithm)?;
        check_count(parts.len())?;
        for (digest, bytes) in parts {
            composer.push(digest.as_ref(), *bytes)?;
        }
        composer.finish()
    }

    /// The raw value.
    #[must_use]
    pub const fn digest(&self) -> &Digest {
        &self.digest
    }

    /// The parts of a composite.
    #[must_use]
    pub const fn parts(&self) -> Option<usize> {
        self.parts
    }

    /// As S3 writes checksums: base64, and `-N` after a composite.
    #[must_use]
    pub fn to_base64(&self) -> String {
        encoding::base64(&self.digest) + &self.suffix()
    }

    /// As S3 writes ETags, without the quotes: hex, and `-N` after a composite.
    #[must_use]
    pub fn to_hex(&self) -> String {
        encoding::hex(&self.digest) + &self.suffix()
    }

    fn suffix(&self) -> String {
        self.parts
            .map_or_else(String::new, |parts| format!("-{parts}"))
    }
}

/// The expected value of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    digest: Digest,
    parts: Option<usize>,
}

impl Expected {
    /// Reads hex or base64, with or without `-N`, with or without the quotes that
    /// surround an ETag in HTTP.
    ///
    /// # Errors
    /// An algorithm for which S3 has neither value, or text that cannot be one of its values:
    /// malformed input, not a mismatch.
    pub fn parse(algorithm: Algorithm, text: &str) -> Result<Self, ExpectedError> {
        Row::find(algorithm).ok_or(ExpectedError::Algorithm)?;
        let text = match (text.strip_prefix('"'), text.strip_suffix('"')) {
            (None, None) => text,
            (Some(rest), Some(_)) => rest.strip_suffix('"').ok_or(ExpectedError::Quotes)?,
            _ => return Err(ExpectedError::Quotes),
        };
        // Neither encoding has a `-`.
        let (text, parts) = match text.split_once('-') {
            Some((text, parts)) => (text, Some(part_count(parts)?)),
            None => (text, None),
        };
        let digest =
            encoding::decode(text, algorithm.digest_bytes()).map_err(ExpectedError::Digest)?;
        Ok(Self { digest, parts })
    }

    /// Whether `value` is the expected one: the digest, and the number of parts if the text had it.
    /// S3 leaves it out in GetObjectAttributes.
    #[must_use]
    pub fn matches(&self, value: &ObjectDigest) -> bool {
        self.digest == value.digest && (self.parts.is_none() || self.parts == value.parts)
    }
}

/// The number of parts, as S3 writes it: no sign, no leading zero.
fn part_count(text: &str) -> Result<usize, ExpectedError> {
    let digits = !text.starts_with('0') && text.bytes().all(|c| c.is_ascii_digit());
    let count = text
        .parse()
        .ok()
        .filter(|count| digits && *count <= PARTS_MAX);
    count.ok_or(ExpectedError::PartCount)
}

/// The reason why parts have no value as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartsError {
    /// S3 has no composite for the algorithm.
    NoComposite,
    /// The algorithm's value of an object does not follow from its parts' values.
    NoFullObject,
    /// No parts, or more than [`PARTS_MAX`].
    PartCount {
        /// How many parts there were.
        parts: usize,
    },
    /// A part without a digest.
    NoDigest {
        /// The part's index, from 0.
        index: usize,
    },
    /// A part's digest that is not as long as the algorithm's.
    DigestLength {
        /// The part's index, from 0.
        index: usize,
        /// The algorithm.
        algorithm: Algorithm,
        /// Bytes of the algorithm's digests.
        expected: usize,
        /// Bytes of this digest.
        actual: usize,
    },
}

impl PartsError {
    /// The index of the wrong part, from 0, if one part is wrong.
    #[must_use]
    pub const fn index(&self) -> Option<usize> {
        match *self {
            Self::NoDigest { index } | Self::DigestLength { index, .. } => Some(index),
            Self::NoComposite | Self::NoFullObject | Self::PartCount { .. } => None,
        }
    }
}

/// `algorithm, algorithm ...` of the rows that have `what`.
fn algorithms(f: &mut fmt::Formatter<'_>, what: impl Fn(&Row) -> bool) -> fmt::Result {
    let mut rows = ROWS.iter().filter(|row| what(row));
    rows.try_for_each(|row| write!(f, " {}", row.algorithm))
}

impl fmt::Display for PartsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoComposite => {
                f.write_str("no composite of this algorithm, only of")?;
                algorithms(f, |row| row.composite)
            }
            Self::NoFullObject => {
                f.write_str("values of this algorithm do not combine, only those of")?;
                algorithms(f, |row| row.full_object.is_some())
            }
            Self::PartCount { parts } => write!(f, "{parts} parts, 1 to {PARTS_MAX} are allowed"),
            Self::NoDigest { index } => write!(f, "the digest of part {index} (from 0) is missing"),
            Self::DigestLength {
                index,
                algorithm,
                expected,
                actual,
            } => write!(
                f,
                "a digest of {algorithm} has {expected} bytes, part {index} (from 0) has {actual}"
            ),
        }
    }
}

impl error::Error for PartsError {}

/// The reason why a text cannot be an object's value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpectedError {
    /// S3 defines no such value for the algorithm.
    Algorithm,
    /// Only one quote.
    Quotes,
    /// The text after `-` is not a number from 1 to [`PARTS_MAX`].
    PartCount,
    /// The digest is malformed.
    Digest(EncodingError),
}

impl fmt::Display for ExpectedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Algorithm => {
                f.write_str("no value of this algorithm, only of")?;
                algorithms(f, |_| true)
            }
            Self::Quotes => f.write_str("a quote without its other half"),
            Self::PartCount => write!(f, "expected a number from 1 to {PARTS_MAX} after the `-`"),
            Self::Digest(error) => error.fmt(f),
        }
    }
}

impl error::Error for ExpectedError {}

#[cfg(test)]
mod tests;
