//! Tree modes: one message hashed in all lanes at once.
//!
//! ```text
//!   message   w0 w1 w2 w3 w4 ...                words of the hash, 4 or 8 bytes each
//!               \  \  \  \                      dealt in turn to S lanes
//!   lanes     S chaining values
//!                \  |  /
//!   digest      H(them)
//! ```
//!
//! [`JLanes`] pads every lane by itself, [`MultiHash`] the message as a whole, and
//! [`HmacMultiHash`] keys the latter. The digests differ from the plain hash's.
//!
//! The words of a dealt message lie in memory in the order of vector lanes, so a kernel loads them
//! without a transpose. A push hashes its bytes at once; at most a *super-block*, a block of every
//! lane, waits for more bytes.
//!
//! | file | |
//! |---|---|
//! | j_lanes.rs, multi_hash.rs, hmac.rs | the modes |
//! | dealt.rs | what they share: lanes to which a message is dealt |
//! | width.rs | how many lanes |
//!
//! Why: one stream cannot fill lanes with a plain hash. For a stream of 1 MiB, SHA-256 is 2.8 times
//! as fast with Multi-Hash, and MD5 12.9 times (docs/measurements.md, Tree modes and sinks). For
//! kernels without an entry for dealt words, each lane's words are gathered, so every kernel serves
//! the tree modes. `sha256_multihash_x16` is the function that ISA-L calls `mh_sha256`. Only this
//! crate has HMAC, because keys do not travel over the wire; no other test vectors for it exist.
//!
//! Sources: S. Gueron, "Parallelized hashing via j-lanes and j-pointers tree modes, with
//! applications to SHA-256", 2013 (J. Information Security 5, 2014); S. Gulley, V. Gopal, K.
//! Yap, W. Feghali, J. Guilford, "Multi-Hash: a family of cryptographic hash algorithm
//! extensions", Intel, 2012.

#![forbid(unsafe_code)]

mod dealt;
mod hmac;
mod j_lanes;
mod multi_hash;
mod width;

pub use hmac::HmacMultiHash;
pub use j_lanes::JLanes;
pub use multi_hash::MultiHash;
pub use width::Width;

use crate::{
    digest::Digest,
    kernel::{Family, Kernel, Md5, Sha1, Sha256, Sha512},
    selfcheck::Sampler,
};

use dealt::Dealt;

/// A tree mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeKind {
    /// The j-lanes mode of SHA-256.
    JLanes(Width),
    MultiHash(Family, Width),
}

impl TreeKind {
    /// Bytes of memory of its state, without [`Tree`] itself.
    pub(crate) const fn boxed_bytes(self) -> usize {
        match self {
            Self::JLanes(width) => Dealt::<Sha256>::boxed_bytes(width),
            Self::MultiHash(Family::Sha256, width) => Dealt::<Sha256>::boxed_bytes(width),
            Self::MultiHash(Family::Sha512, width) => Dealt::<Sha512>::boxed_bytes(width),
            Self::MultiHash(Family::Sha1, width) => Dealt::<Sha1>::boxed_bytes(width),
            Self::MultiHash(Family::Md5, width) => Dealt::<Md5>::boxed_bytes(width),
        }
    }
}

/// A digest in progress.
#[derive(Clone)]
pub(crate) enum Tree {
    JLanes(JLanes),
    MultiHash(MultiHash),
}

impl Tree {
    /// The state before any byte.
    pub(crate) fn new(kind: TreeKind) -> Self {
        match kind {
            TreeKind::JLanes(width) => Self::JLanes(JLanes::new(width)),
            TreeKind::MultiHash(family, width) => Self::MultiHash(MultiHash::new(family, width)),
        }
    }

    /// Takes the stream's next bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::JLanes(tree) => tree.update(bytes),
            Self::MultiHash(tree) => tree.update(bytes),
        }
    }

    /// The same, and takes a sample.
    pub(crate) fn update_sampled(&mut self, bytes: &[u8], sampler: &mut Sampler) {
        match self {
            Self::JLanes(tree) => tree.slices.update_sampled(bytes, sampler),
            Self::MultiHash(tree) => tree.update_sampled(bytes, sampler),
        }
    }

    /// Avoids these kernels from now on, if there are others.
    pub(crate) fn avoid(&mut self, kernels: &[Kernel]) {
        match self {
            Self::JLanes(tree) => tree.slices.avoid(kernels),
            Self::MultiHash(tree) => tree.avoid(kernels),
        }
    }

    /// The digest of the bytes so far.
    pub(crate) fn finalize(&self) -> Digest {
        match self {
            Self::JLanes(tree) => tree.finalize(),
            Self::MultiHash(tree) => tree.finalize(),
        }
    }
}
