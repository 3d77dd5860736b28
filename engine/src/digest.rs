//! A digest as bytes.

use std::fmt;

use crate::kernel::{Compression, State, Word as _};

/// The maximum length of a digest: SHA-512's.
pub const DIGEST_BYTES_MAX: usize = 64;

/// The digest of one message: 4 (CRC32) to 64 (SHA-512) bytes, in the order in which the
/// algorithm's standard prints them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest {
    /// Zero from `len` on, so that equal digests have equal bytes.
    bytes: [u8; DIGEST_BYTES_MAX],
    len: u8,
}

impl Digest {
    /// A digest of these bytes.
    ///
    /// # Panics
    /// If there are more than 64.
    #[must_use]
    #[inline]
    pub fn new(bytes: &[u8]) -> Self {
        let mut digest = Self::zero(bytes.len());
        digest.bytes[..bytes.len()].copy_from_slice(bytes);
        digest
    }

    /// A digest of these bytes; `None` if there are none or too many.
    #[must_use]
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        (1..=DIGEST_BYTES_MAX)
            .contains(&bytes.len())
            .then(|| Self::new(bytes))
    }

    /// All zeros.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // at most 64
    pub(crate) fn zero(len: usize) -> Self {
        assert!(len <= DIGEST_BYTES_MAX, "a digest has at most 64 bytes");
        Self {
            bytes: [0; DIGEST_BYTES_MAX],
            len: len as u8,
        }
    }

    /// The first `len` bytes of a final chaining value.
    #[inline]
    pub(crate) fn of_state<H: Compression>(len: usize, state: &State<H::Word>) -> Self {
        let mut digest = Self::zero(len);
        digest.set_state::<H>(state);
        digest
    }

    /// Copies as many bytes of a final chaining value as the digest has.
    #[inline]
    pub(crate) fn set_state<H: Compression>(&mut self, state: &State<H::Word>) {
        // Writes all words, because the compiler knows their number, and truncates them to the
        // digest.
        let mut all = [0; DIGEST_BYTES_MAX];
        for (bytes, word) in all.chunks_exact_mut(H::Word::BYTES).zip(state) {
            if H::BIG_ENDIAN {
                word.write_be(bytes);
            } else {
                word.write_le(bytes);
            }
        }
        let len = self.len();
        if len < 8 * H::Word::BYTES {
            all[len..].fill(0);
        }
        self.bytes = all;
    }
}

impl std::ops::Deref for Digest {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl AsRef<[u8]> for Digest {
    #[inline]
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

impl fmt::LowerHex for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Display for Digest {
    /// In lower-case hex.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:x}")
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:x}")
    }
}
