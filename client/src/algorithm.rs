//! The algorithms of the contract, one row each.

use std::fmt;
use std::str::FromStr;

use hashlane_proto::v1;

macro_rules! algorithms {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $bytes:literal;)*) => {
        /// A digest algorithm of the contract. [`ServerInfo`](crate::ServerInfo) lists those that a
        /// server computes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Algorithm {
            $($(#[$doc])* $name,)*
        }

        impl Algorithm {
            const ALL: &[Self] = &[$(Self::$name),*];

            /// The name in settings and on command lines: the contract's name without `ALGORITHM_`,
            /// in lower case.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// Bytes of a digest.
            #[must_use]
            pub const fn digest_bytes(self) -> usize {
                match self {
                    $(Self::$name => $bytes,)*
                }
            }

            pub(crate) const fn to_wire(self) -> v1::Algorithm {
                match self {
                    $(Self::$name => v1::Algorithm::$name,)*
                }
            }

            /// `None` for UNSPECIFIED. A row that is missing here does not compile.
            const fn from_wire(algorithm: v1::Algorithm) -> Option<Self> {
                match algorithm {
                    v1::Algorithm::Unspecified => None,
                    $(v1::Algorithm::$name => Some(Self::$name),)*
                }
            }
        }
    };
}

algorithms! {
    /// SHA-256 (FIPS 180-4).
    Sha256 = "sha256", 32;
    /// SHA-224 (FIPS 180-4).
    Sha224 = "sha224", 28;
    /// SHA-512 (FIPS 180-4).
    Sha512 = "sha512", 64;
    /// SHA-384 (FIPS 180-4).
    Sha384 = "sha384", 48;
    /// SHA-1 (FIPS 180-4). Not safe against collisions.
    Sha1 = "sha1", 20;
    /// MD5 (RFC 1321). Not safe against collisions.
    Md5 = "md5", 16;
    /// CRC-32/ISO-HDLC, as in zlib.
    Crc32 = "crc32", 4;
    /// CRC-32/ISCSI (Castagnoli).
    Crc32c = "crc32c", 4;
    /// CRC-64/NVME.
    Crc64nvme = "crc64nvme", 8;
    /// XXH64 with seed 0.
    Xxhash64 = "xxhash64", 8;
    /// XXH3 of 64 bits with seed 0.
    Xxhash3 = "xxhash3", 8;
    /// XXH3 of 128 bits with seed 0.
    Xxhash128 = "xxhash128", 16;
    /// BLAKE3 without a key.
    Blake3 = "blake3", 32;
    /// The j-lanes tree mode of SHA-256 with 4 lanes.
    Sha256JlanesX4 = "sha256_jlanes_x4", 32;
    /// The j-lanes tree mode of SHA-256 with 8 lanes.
    Sha256JlanesX8 = "sha256_jlanes_x8", 32;
    /// The j-lanes tree mode of SHA-256 with 16 lanes.
    Sha256JlanesX16 = "sha256_jlanes_x16", 32;
    /// Multi-Hash MD5 with 4 segments.
    Md5MultihashX4 = "md5_multihash_x4", 16;
    /// Multi-Hash MD5 with 8 segments.
    Md5MultihashX8 = "md5_multihash_x8", 16;
    /// Multi-Hash MD5 with 16 segments.
    Md5MultihashX16 = "md5_multihash_x16", 16;
    /// Multi-Hash SHA-1 with 4 segments.
    Sha1MultihashX4 = "sha1_multihash_x4", 20;
    /// Multi-Hash SHA-1 with 8 segments.
    Sha1MultihashX8 = "sha1_multihash_x8", 20;
    /// Multi-Hash SHA-1 with 16 segments.
    Sha1MultihashX16 = "sha1_multihash_x16", 20;
    /// Multi-Hash SHA-256 with 4 segments.
    Sha256MultihashX4 = "sha256_multihash_x4", 32;
    /// Multi-Hash SHA-256 with 8 segments.
    Sha256MultihashX8 = "sha256_multihash_x8", 32;
    /// Multi-Hash SHA-256 with 16 segments.
    Sha256MultihashX16 = "sha256_multihash_x16", 32;
    /// Multi-Hash SHA-512 with 4 segments.
    Sha512MultihashX4 = "sha512_multihash_x4", 64;
    /// Multi-Hash SHA-512 with 8 segments.
    Sha512MultihashX8 = "sha512_multihash_x8", 64;
    /// Multi-Hash SHA-512 with 16 segments.
    Sha512MultihashX16 = "sha512_multihash_x16", 64;
}

impl Algorithm {
    /// Every algorithm of the contract.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        Self::ALL.iter().copied()
    }

    /// Whether S3 defines a COMPOSITE value for it. MD5's is the ETag.
    #[must_use]
    pub const fn has_composite(self) -> bool {
        use Algorithm::{Crc32, Crc32c, Md5, Sha1, Sha256, Sha512, Xxhash3, Xxhash64, Xxhash128};
        matches!(
            self,
            Md5 | Sha1 | Sha256 | Sha512 | Crc32 | Crc32c | Xxhash64 | Xxhash3 | Xxhash128
        )
    }

    /// Whether S3 defines a FULL_OBJECT value for it, computed from the parts' values.
    #[must_use]
    pub const fn has_full_object(self) -> bool {
        matches!(self, Self::Crc32 | Self::Crc32c | Self::Crc64nvme)
    }

    /// The algorithm that a field of a message names, if this library knows it.
    #[must_use]
    pub fn of_wire(number: i32) -> Option<Self> {
        Self::from_wire(v1::Algorithm::try_from(number).ok()?)
    }

    /// The first algorithm that the list repeats.
    #[must_use]
    pub fn repeated(algorithms: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut seen = Vec::new();
        algorithms.into_iter().find(|algorithm| {
            let is_repeated = seen.contains(algorithm);
            seen.push(*algorithm);
            is_repeated
        })
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that belongs to no algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownAlgorithm(String);

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown algorithm {:?}, expected one of", self.0)?;
        Algorithm::all().try_for_each(|algorithm| write!(f, " {algorithm}"))
    }
}

impl std::error::Error for UnknownAlgorithm {}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        let found = Self::all().find(|algorithm| algorithm.name() == name);
        // The first characters, enough to recognise the name.
        found.ok_or_else(|| UnknownAlgorithm(name.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_contract() {
        for algorithm in Algorithm::all() {
            let wire = algorithm.to_wire();
            let name = wire.as_str_name().strip_prefix("ALGORITHM_").unwrap();
            assert_eq!(algorithm.name(), name.to_lowercase());
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
            assert_eq!(Algorithm::of_wire(wire.into()), Some(algorithm));
        }
        assert_eq!(Algorithm::of_wire(0), None);
        assert_eq!(Algorithm::of_wire(1000), None);
    }

    #[cfg(feature = "tool")]
    #[test]
    fn every_algorithm_of_the_engine_has_its_name_and_length_here() {
        for engine in hashlane_engine::Algorithm::all() {
            let here: Algorithm = engine.name().parse().unwrap();
            assert_eq!(here.digest_bytes(), engine.digest_bytes(), "{here}");
        }
    }

    #[test]
    fn an_unknown_name_is_told_with_those_that_are_known() {
        let error = "md6".parse::<Algorithm>().unwrap_err().to_string();
        assert!(
            error.starts_with(r#"unknown algorithm "md6", expected one of sha256 "#),
            "{error}"
        );
    }

    #[test]
    fn repetitions_are_found() {
        use Algorithm::{Md5, Sha1};
        assert_eq!(Algorithm::repeated([Md5, Sha1]), None);
        assert_eq!(Algorithm::repeated([Md5, Sha1, Md5]), Some(Md5));
    }
}
