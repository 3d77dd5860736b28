//! A sample of what kernels hash, hashed again by another kernel.
//!
//! ```text
//! take    of one lane of a call: the state before, the bytes, the state after
//! check   the bytes again, from the state before, by plain Rust: is the state after the same?
//! ```
//!
//! The lane is chosen at random among those of the call, so a sample has seen the kernel at its
//! work: with the data of the other lanes, with head, foot and padding. Its bytes are copied, so
//! it holds no chunk until it is checked.

use crate::{
    kernel::{
        Compression, Family, Input, Kernel, Md5, Sha1, Sha256, Sha512, State, States,
        compress_chain,
    },
    schedule::Crossover,
};

/// Bytes of a sample. A step that is sampled does no more of each lane. Plain Rust needs some 20
/// to 60 microseconds for as much, less than a step may take.
const SAMPLE_BYTES_MAX: usize = 16 << 10;

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// What had hashed the sample.
    pub kernel: Kernel,
    /// What hashed it again.
    pub by: Kernel,
    /// How much it was.
    pub bytes: usize,
    /// Whether both came to the same.
    pub agrees: bool,
}

/// One lane of one call.
struct Sample {
    kernel: Kernel,
    before: [u64; 8],
    after: [u64; 8],
}

/// Takes a sample when one is wanted, and keeps it until it is checked.
pub(crate) struct Sampler {
    is_wanted: bool,
    random: u64,
    sample: Option<Sample>,
    /// Of the sample. Allocated once.
    bytes: Vec<u8>,
}

impl Sampler {
    pub(crate) const fn new() -> Self {
        Self {
            is_wanted: false,
            random: 0,
            sample: None,
            bytes: Vec::new(),
        }
    }

    /// Has the next call of a kernel sampled.
    pub(crate) const fn want(&mut self) {
        self.is_wanted = true;
    }

    #[inline]
    pub(crate) const fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    pub(crate) const fn has_sample(&self) -> bool {
        self.sample.is_some()
    }

    /// Blocks of a sample at most.
    pub(crate) const fn blocks_max<H: Compression>() -> usize {
        SAMPLE_BYTES_MAX / H::BLOCK_BYTES
    }

    /// One of so many lanes, each as often as the others.
    #[allow(clippy::cast_possible_truncation)] // less than the lanes
    pub(crate) const fn choose(&mut self, lanes: usize) -> usize {
        // Knuth's MMIX: no plan's rhythm may keep a lane from its turn.
        let next = self.random.wrapping_mul(6_364_136_223_846_793_005);
        self.random = next.wrapping_add(1_442_695_040_888_963_407);
        (((self.random >> 32) * lanes as u64) >> 32) as usize
    }

    /// Keeps what `kernel` has made of `before` and `pieces`, whole blocks.
    pub(crate) fn take<'a, H: Compression>(
        &mut self,
        kernel: Kernel,
        before: &State<H::Word>,
        after: &State<H::Word>,
        pieces: impl IntoIterator<Item = &'a [u8]>,
    ) {
        self.is_wanted = false;
        self.bytes.clear();
        self.bytes.reserve_exact(SAMPLE_BYTES_MAX);
        for piece in pieces {
            self.bytes.extend_from_slice(piece);
        }
        self.sample = Some(Sample {
            kernel,
            before: before.map(Into::into),
            after: after.map(Into::into),
        });
    }

    /// Hashes the sample again, if there is one, and forgets it. Nothing either if no kernel is
    /// left to do it.
    pub(crate) fn check(&mut self, crossover: &Crossover) -> Option<Check> {
        let sample = self.sample.take()?;
        let by = other(sample.kernel, crossover.retired())?;
        let again = match by.family() {
            Family::Sha256 => again::<Sha256>(by, sample.before, &self.bytes),
            Family::Sha512 => again::<Sha512>(by, sample.before, &self.bytes),
            Family::Sha1 => again::<Sha1>(by, sample.before, &self.bytes),
            Family::Md5 => again::<Md5>(by, sample.before, &self.bytes),
        };
        let words = by.family().state_words();
        Some(Check {
            kernel: sample.kernel,
            by,
            bytes: self.bytes.len(),
            agrees: again[..words] == sample.after[..words],
        })
    }
}

/// What checks `kernel`: the first that may be used. Plain Rust is the first of all: neither a
/// vector unit nor an extension has a part in it.
fn other(kernel: Kernel, retired: &[Kernel]) -> Option<Kernel> {
    Kernel::of(kernel.family())
        .find(|other| *other != kernel && other.is_available() && !retired.contains(other))
}

/// The state after `bytes`, by one lane of `kernel`.
fn again<H: Compression>(kernel: Kernel, before: [u64; 8], bytes: &[u8]) -> [u64; 8] {
    let mut states = States::<H::Word>::default();
    states.0[0] = before.map(|word| H::Word::try_from(word).unwrap_or_default());
    let lane = states.cells().iter().zip([Input::whole(bytes)]);
    compress_chain::<H, _>(kernel, [(lane, bytes.len() / H::BLOCK_BYTES)]);
    states.0[0].map(Into::into)
}

#[cfg(test)]
mod tests;
