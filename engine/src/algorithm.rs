//! The algorithms, one row each.
//!
//! Why an algorithm is a row: SHA-224 differs from SHA-256 only in its initial value and length. So
//! it needs no code, and its jobs share steps and lanes with SHA-256's. The tables of the server,
//! the clients and the tests are built from these rows.

use std::{fmt, str::FromStr};

use crate::{
    kernel::{Family, State, md5, sha1, sha256, sha512},
    sink::SinkKind,
    tree::{TreeKind, Width},
};

/// How an algorithm is computed: in lanes, by a compression function with an initial value, or by a
/// function without lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Method {
    Sha256(&'static State<u32>),
    Sha512(&'static State<u64>),
    Sha1(&'static State<u32>),
    Md5(&'static State<u32>),
    /// Computed by a function without lanes.
    Sink(SinkKind),
}

/// The properties of an algorithm.
#[derive(Debug)]
struct Row {
    algorithm: Algorithm,
    name: &'static str,
    digest_bytes: usize,
    method: Method,
}

macro_rules! algorithms {
    ($(
        $(#[doc = $doc:literal])*
        $(#[cfg($cfg:meta)])?
        $name:ident = $text:literal, $bytes:literal, $method:expr;
    )*) => {
        /// A digest algorithm.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Algorithm {
            $($(#[doc = $doc])* $(#[cfg($cfg)])? $name,)*
        }

        /// In the order of the enum.
        const ROWS: &[Row] = &[
            $($(#[cfg($cfg)])? Row {
                algorithm: Algorithm::$name,
                name: $text,
                digest_bytes: $bytes,
                method: $method,
            },)*
        ];
    };
}

algorithms! {
    /// SHA-256 (FIPS 180-4), 32 bytes.
    Sha256 = "sha256", 32, Method::Sha256(&sha256::INITIAL);
    /// SHA-224 (FIPS 180-4), 28 bytes.
    Sha224 = "sha224", 28, Method::Sha256(&sha256::INITIAL_224);
    /// SHA-512 (FIPS 180-4), 64 bytes.
    Sha512 = "sha512", 64, Method::Sha512(&sha512::INITIAL);
    /// SHA-384 (FIPS 180-4), 48 bytes.
    Sha384 = "sha384", 48, Method::Sha512(&sha512::INITIAL_384);
    /// SHA-1 (FIPS 180-4), 20 bytes. Collisions can be made; only for protocols that still need it.
    Sha1 = "sha1", 20, Method::Sha1(&sha1::INITIAL);
    /// MD5 (RFC 1321), 16 bytes. Collisions can be made; only for protocols that still need it.
    Md5 = "md5", 16, Method::Md5(&md5::INITIAL);
    /// CRC-32/ISO-HDLC, as in IEEE 802.3 and zlib; 4 bytes, big-endian.
    #[cfg(feature = "crc")]
    Crc32 = "crc32", 4, Method::Sink(SinkKind::Crc32);
    /// CRC-32/ISCSI (Castagnoli, RFC 3720); 4 bytes, big-endian.
    #[cfg(feature = "crc")]
    Crc32c = "crc32c", 4, Method::Sink(SinkKind::Crc32c);
    /// CRC-64/NVME, S3's default; 8 bytes, big-endian.
    #[cfg(feature = "crc")]
    Crc64Nvme = "crc64nvme", 8, Method::Sink(SinkKind::Crc64Nvme);
    /// XXH64 with seed 0; 8 bytes, big-endian.
    #[cfg(feature = "xxhash")]
    Xxh64 = "xxhash64", 8, Method::Sink(SinkKind::Xxh64);
    /// XXH3 of 64 bits with seed 0; 8 bytes, big-endian.
    #[cfg(feature = "xxhash")]
    Xxh3 = "xxhash3", 8, Method::Sink(SinkKind::Xxh3);
    /// XXH3 of 128 bits with seed 0; 16 bytes, big-endian.
    #[cfg(feature = "xxhash")]
    Xxh128 = "xxhash128", 16, Method::Sink(SinkKind::Xxh128);
    /// BLAKE3 without a key, 32 bytes.
    #[cfg(feature = "blake3")]
    Blake3 = "blake3", 32, Method::Sink(SinkKind::Blake3);
    /// SHA-256 in the j-lanes tree mode with 4 slices, 32 bytes; see [`crate::tree`].
    Sha256JlanesX4 = "sha256_jlanes_x4", 32, j_lanes(Width::X4);
    /// SHA-256 in the j-lanes tree mode with 8 slices, 32 bytes; see [`crate::tree`].
    Sha256JlanesX8 = "sha256_jlanes_x8", 32, j_lanes(Width::X8);
    /// SHA-256 in the j-lanes tree mode with 16 slices, 32 bytes; see [`crate::tree`].
    Sha256JlanesX16 = "sha256_jlanes_x16", 32, j_lanes(Width::X16);
    /// Multi-Hash MD5 with 4 segments, 16 bytes; see [`crate::tree`].
    Md5MultihashX4 = "md5_multihash_x4", 16, multi_hash(Family::Md5, Width::X4);
    /// Multi-Hash MD5 with 8 segments, 16 bytes; see [`crate::tree`].
    Md5MultihashX8 = "md5_multihash_x8", 16, multi_hash(Family::Md5, Width::X8);
    /// Multi-Hash MD5 with 16 segments, 16 bytes; see [`crate::tree`].
    Md5MultihashX16 = "md5_multihash_x16", 16, multi_hash(Family::Md5, Width::X16);
    /// Multi-Hash SHA-1 with 4 segments, 20 bytes; see [`crate::tree`].
    Sha1MultihashX4 = "sha1_multihash_x4", 20, multi_hash(Family::Sha1, Width::X4);
    /// Multi-Hash SHA-1 with 8 segments, 20 bytes; see [`crate::tree`].
    Sha1MultihashX8 = "sha1_multihash_x8", 20, multi_hash(Family::Sha1, Width::X8);
    /// Multi-Hash SHA-1 with 16 segments, 20 bytes; see [`crate::tree`].
    Sha1MultihashX16 = "sha1_multihash_x16", 20, multi_hash(Family::Sha1, Width::X16);
    /// Multi-Hash SHA-256 with 4 segments, 32 bytes; see [`crate::tree`].
    Sha256MultihashX4 = "sha256_multihash_x4", 32, multi_hash(Family::Sha256, Width::X4);
    /// Multi-Hash SHA-256 with 8 segments, 32 bytes; see [`crate::tree`].
    Sha256MultihashX8 = "sha256_multihash_x8", 32, multi_hash(Family::Sha256, Width::X8);
    /// Multi-Hash SHA-256 with 16 segments, 32 bytes; see [`crate::tree`].
    Sha256MultihashX16 = "sha256_multihash_x16", 32, multi_hash(Family::Sha256, Width::X16);
    /// Multi-Hash SHA-512 with 4 segments, 64 bytes; see [`crate::tree`].
    Sha512MultihashX4 = "sha512_multihash_x4", 64, multi_hash(Family::Sha512, Width::X4);
    /// Multi-Hash SHA-512 with 8 segments, 64 bytes; see [`crate::tree`].
    Sha512MultihashX8 = "sha512_multihash_x8", 64, multi_hash(Family::Sha512, Width::X8);
    /// Multi-Hash SHA-512 with 16 segments, 64 bytes; see [`crate::tree`].
    Sha512MultihashX16 = "sha512_multihash_x16", 64, multi_hash(Family::Sha512, Width::X16);
}

const fn j_lanes(width: Width) -> Method {
    Method::Sink(SinkKind::Tree(TreeKind::JLanes(width)))
}

const fn multi_hash(family: Family, width: Width) -> Method {
    Method::Sink(SinkKind::Tree(TreeKind::MultiHash(family, width)))
}

impl Algorithm {
    /// Every algorithm.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        ROWS.iter().map(|row| row.algorithm)
    }

    /// The name used in settings and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ROWS[self.index()].name
    }

    /// Bytes of a digest.
    #[must_use]
    pub const fn digest_bytes(self) -> usize {
        ROWS[self.index()].digest_bytes
    }

    /// A small dense number for tables.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The compression function that computes it in lanes.
    #[must_use]
    pub fn family(self) -> Option<Family> {
        match self.method() {
            Method::Sha256(_) => Some(Family::Sha256),
            Method::Sha512(_) => Some(Family::Sha512),
            Method::Sha1(_) => Some(Family::Sha1),
            Method::Md5(_) => Some(Family::Md5),
            Method::Sink(_) => None,
        }
    }

    /// The compression function whose kernels compute it, in lanes or in a tree mode.
    #[must_use]
    pub fn kernels_of(self) -> Option<Family> {
        match self.method() {
            Method::Sink(SinkKind::Tree(TreeKind::JLanes(_))) => Some(Family::Sha256),
            Method::Sink(SinkKind::Tree(TreeKind::MultiHash(family, _))) => Some(family),
            _ => self.family(),
        }
    }

    #[inline]
    pub(crate) const fn method(self) -> Method {
        ROWS[self.index()].method
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that belongs to no algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseAlgorithmError(String);

impl fmt::Display for ParseAlgorithmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown algorithm {:?}, expected one of ", self.0)?;
        for (place, algorithm) in Algorithm::all().enumerate() {
            write!(f, "{}{algorithm}", if place == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseAlgorithmError {}

impl FromStr for Algorithm {
    type Err = ParseAlgorithmError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::all()
            .find(|algorithm| algorithm.name() == name)
            .ok_or_else(|| ParseAlgorithmError(name.to_owned()))
    }
}
