//! HMAC with Multi-Hash.

use super::{dealt::fits, multi_hash::MultiHash, width::Width};
use crate::{
    digest::Digest,
    kernel::{Family, Kernel},
};

/// HMAC (RFC 2104, FIPS 198-1) with Multi-Hash as its inner hash. It differs from the HMAC of the
/// plain hash.
///
/// With H the plain hash, B the bytes of its block and S the segments, the steps of FIPS 198-1:
///
/// ```text
/// 1-3   K0 = the key, or H(key) if it is longer than B, then zeros up to B bytes
/// 4     K0 ^ ipad                                  ipad: 0x36, B times
/// 5     every segment starts with that block: word i of it S times in turn, i = 0 to 15,
///       and then the message
/// 6     the S segment digests of Multi-Hash of that; its length counts the B * S bytes in
///       front of the message
/// 7     K0 ^ opad                                  opad: 0x5c, B times
/// 8     followed by all S segment digests, interleaved as Multi-Hash hashes them
/// 9     H of that
/// 10    all bytes of it
/// ```
///
/// So every segment is keyed by a whole block, as HMAC's proof requires, however short the key. The
/// last hash has S digests where HMAC has one: Multi-Hash's own last hash is left out. It is
/// Intel's proposal to append all S digests in step 8. How the key enters the segments (one block
/// in each, from one initial value) is this crate's interpretation. There are no test vectors from
/// other sources, so do not expect another implementation to agree.
///
/// Compare codes in constant time; a [`Digest`]'s `==` is not. For t bytes (step 10), take the
/// first t.
///
/// ```
/// use hashlane_engine::{Family, tree::{HmacMultiHash, Width}};
///
/// let mut mac = HmacMultiHash::new(b"key", Family::Sha256, Width::X16);
/// mac.update(b"message");
/// assert_eq!(mac.finalize().len(), 32);
/// ```
#[derive(Clone, Debug)]
pub struct HmacMultiHash(MultiHash);

impl HmacMultiHash {
    /// The state before any byte of the message. The key may have any length.
    #[must_use]
    pub fn new(key: &[u8], family: Family, width: Width) -> Self {
        Self(MultiHash::keyed(family, width, None, Some(key)))
    }

    /// The same with `kernel` for the segments; `None` if [`MultiHash::with_kernel`] returns
    /// `None`.
    #[must_use]
    pub fn with_kernel(key: &[u8], width: Width, kernel: Kernel) -> Option<Self> {
        let family = kernel.family();
        fits(kernel, family, width)
            .then(|| Self(MultiHash::keyed(family, width, Some(kernel), Some(key))))
    }

    /// Takes the message's next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The code of all bytes so far, as long as the plain hash's digest. More bytes may follow.
    #[must_use]
    pub fn finalize(&self) -> Digest {
        self.0.finalize()
    }
}
