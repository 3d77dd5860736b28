//! A digest of any algorithm, without an allocation.

#![forbid(unsafe_code)]

use std::{fmt, ops::Deref};

/// Bytes of the longest digest there is, SHA-512's.
pub const DIGEST_BYTES_MAX: usize = 64;

/// A raw digest of 1 to [`DIGEST_BYTES_MAX`] bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DigestBytes {
    /// Beyond `len` all zero, so that equal digests are equal values.
    bytes: [u8; DIGEST_BYTES_MAX],
    len: u8,
}

impl DigestBytes {
    /// A copy of `bytes`, or `None` where they are none or too many.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let len = u8::try_from(bytes.len()).ok().filter(|len| *len > 0)?;
        let mut digest = Self {
            bytes: [0; DIGEST_BYTES_MAX],
            len,
        };
        digest.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(digest)
    }

    /// The bytes of a hash whose output's length is known to fit.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::new(bytes).expect("a digest has 1 to 64 bytes")
    }
}

impl Deref for DigestBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl AsRef<[u8]> for DigestBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// Lower-case hexadecimal.
impl fmt::Debug for DigestBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_one_to_64_bytes() {
        for len in 1..=DIGEST_BYTES_MAX {
            let bytes = vec![7; len];
            assert_eq!(&*DigestBytes::new(&bytes).expect("fits"), bytes);
        }
        assert_eq!(DigestBytes::new(&[]), None);
        assert_eq!(DigestBytes::new(&[7; 65]), None);
        assert_eq!(DigestBytes::new(&[7; 256 + 3]), None);
    }

    #[test]
    fn zeros_count() {
        assert_ne!(DigestBytes::new(&[0; 4]), DigestBytes::new(&[0; 8]));
        assert_eq!(format!("{:?}", DigestBytes::of(&[0, 0xab])), "00ab");
    }
}
