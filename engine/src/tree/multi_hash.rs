//! Multi-Hash for every hash that has lanes.

use super::{
    dealt::{Dealt, absorb_block, fastest, finish, fits, interleaved, last_blocks},
    width::Width,
};
use crate::{
    digest::Digest,
    kernel::{
        Block as _, Compression, Family, Kernel, Md5, Sha1, Sha256, Sha512, State, md5, sha1,
        sha256, sha512,
    },
    padding::fill,
    schedule::single,
    selfcheck::Sampler,
};

/// Multi-Hash (Intel 2012, option 1) of SHA-256, SHA-512, SHA-1 or MD5 with S = 4, 8 or 16
/// segments. Its digest differs from the message's plain hash.
///
/// With blocks of B bytes: the message is padded by the hash's own rule (a one bit, zeros and the
/// length in bits) to a multiple of `B * S` bytes. Word `i` of the result (8 bytes for SHA-512,
/// else 4) belongs to segment `i mod S`. The segments are compressed from the hash's initial value,
/// without more padding. The digest is the plain hash of their chaining values: word 0 of segments
/// 0 to S-1, then word 1 of each, and so on, each word's least significant byte first. So SHA-256
/// with 16 segments is the function that ISA-L calls `mh_sha256`.
///
/// ```
/// use hashlane_engine::{Family, tree::{MultiHash, Width}};
///
/// let mut tree = MultiHash::new(Family::Sha256, Width::X16);
/// tree.update(b"");
/// assert_eq!(
///     tree.finalize().to_string(),
///     "7ec5da16ca2ac87a3d69f3a413e2882d45b25f8ff16275406b7d1bf557a61348"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct MultiHash(Any);

#[derive(Clone, Debug)]
enum Any {
    Sha256(Segments<Sha256>),
    Sha512(Segments<Sha512>),
    Sha1(Segments<Sha1>),
    Md5(Segments<Md5>),
}

macro_rules! each {
    ($any:expr, $segments:ident => $do:expr) => {
        match $any {
            Any::Sha256($segments) => $do,
            Any::Sha512($segments) => $do,
            Any::Sha1($segments) => $do,
            Any::Md5($segments) => $do,
        }
    };
}

impl MultiHash {
    /// The state before any byte. The first call in a process times the kernels, in less than a
    /// millisecond.
    #[must_use]
    pub fn new(family: Family, width: Width) -> Self {
        Self::keyed(family, width, None, None)
    }

    /// The same with `kernel` for the segments. `None` if the CPU lacks it, it takes no dealt
    /// words, or its lanes do not divide those of `width`.
    #[must_use]
    pub fn with_kernel(width: Width, kernel: Kernel) -> Option<Self> {
        let family = kernel.family();
        fits(kernel, family, width).then(|| Self::keyed(family, width, Some(kernel), None))
    }

    /// With a key, see [`super::HmacMultiHash`].
    pub(super) fn keyed(
        family: Family,
        width: Width,
        kernel: Option<Kernel>,
        key: Option<&[u8]>,
    ) -> Self {
        Self(match family {
            Family::Sha256 => Any::Sha256(Segments::new(&sha256::INITIAL, width, kernel, key)),
            Family::Sha512 => Any::Sha512(Segments::new(&sha512::INITIAL, width, kernel, key)),
            Family::Sha1 => Any::Sha1(Segments::new(&sha1::INITIAL, width, kernel, key)),
            Family::Md5 => Any::Md5(Segments::new(&md5::INITIAL, width, kernel, key)),
        })
    }

    /// The kernel that hashes the segments.
    #[must_use]
    pub const fn kernel(&self) -> Kernel {
        each!(&self.0, segments => segments.lanes.kernel())
    }

    /// Takes the message's next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        each!(&mut self.0, segments => segments.lanes.update(bytes));
    }

    /// The same, and takes a sample.
    pub(super) fn update_sampled(&mut self, bytes: &[u8], sampler: &mut Sampler) {
        each!(&mut self.0, segments => segments.lanes.update_sampled(bytes, sampler));
    }

    /// Avoids these kernels from now on, if there are others.
    pub(super) fn avoid(&mut self, kernels: &[Kernel]) {
        each!(&mut self.0, segments => segments.lanes.avoid(kernels));
    }

    /// The digest of all bytes so far, as long as the plain hash's. More bytes may follow.
    #[must_use]
    pub fn finalize(&self) -> Digest {
        each!(&self.0, segments => segments.finalize())
    }
}

/// The Multi-Hash of one hash.
#[derive(Clone)]
struct Segments<H: Compression> {
    width: Width,
    lanes: Dealt<H>,
    /// The state from which the last hash starts, and the bytes that it has absorbed.
    outer: (State<H::Word>, u64),
}

/// Without the state, which would reveal the key.
impl<H: Compression> std::fmt::Debug for Segments<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.lanes.fmt(f)
    }
}

impl<H: Compression> Segments<H> {
    fn new(
        initial: &State<H::Word>,
        width: Width,
        kernel: Option<Kernel>,
        key: Option<&[u8]>,
    ) -> Self {
        let kernel = kernel.unwrap_or_else(|| fastest::<H>(width));
        let (inner, outer) = match key {
            None => ((*initial, 0), (*initial, 0)),
            Some(key) => {
                let [inner, outer] = keyed::<H>(initial, key);
                let block = H::BLOCK_BYTES as u64;
                // Every segment has a block of the key.
                ((inner, block * width.lanes() as u64), (outer, block))
            }
        };
        Self {
            width,
            lanes: Dealt::new(width, kernel, &inner.0, inner.1),
            outer,
        }
    }

    fn finalize(&self) -> Digest {
        let tail = self.lanes.tail().len();
        let super_block = self.lanes.super_block_bytes();
        let padded = (tail + 1 + H::LENGTH_BYTES).next_multiple_of(super_block);
        let mut blocks = last_blocks(self.lanes.tail());
        fill::<H>(&mut blocks[tail..padded], self.lanes.length_bytes());
        let states = self.lanes.states_after(&blocks[..padded]);
        let digests = interleaved::<H>(&states, self.width);
        finish::<H>(self.lanes.single(), self.outer.0, self.outer.1, &digests)
    }
}

/// The chaining values after the inner and after the outer block of the key.
fn keyed<H: Compression>(initial: &State<H::Word>, key: &[u8]) -> [State<H::Word>; 2] {
    let mut block = H::Block::ZERO;
    let bytes = block.as_mut();
    if key.len() <= bytes.len() {
        bytes[..key.len()].copy_from_slice(key);
    } else {
        let (blocks, last) = key.split_at(key.len() - key.len() % H::BLOCK_BYTES);
        let mut state = *initial;
        absorb_block::<H>(&mut state, blocks);
        let digest = finish::<H>(single(H::FAMILY), state, blocks.len() as u64, last);
        bytes[..digest.len()].copy_from_slice(&digest);
    }
    [0x36, 0x5c].map(|pad| {
        let mut padded = block;
        padded.as_mut().iter_mut().for_each(|byte| *byte ^= pad);
        let mut state = *initial;
        absorb_block::<H>(&mut state, padded.as_ref());
        state
    })
}
