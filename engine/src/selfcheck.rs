//! Hashes a sample of the kernels' work again with another kernel.
//!
//! ```text
//! take    from one lane of a call: the state before, the bytes, the state after
//! check   hash the bytes again in plain Rust, from the state before: is the state after equal?
//! ```
//!
//! The lane is chosen at random among the lanes of the call. So a sample checks the kernel under
//! its real conditions: with the data of the other lanes, with head, foot and padding. Its bytes
//! are copied, so it keeps no chunk alive.
//!
//! Why plain Rust checks: it uses no vector unit and no extension, so a fault in these does not
//! repeat. If the two states differ, the kernel is blamed. The last blocks of tree modes, functions
//! without kernels (CRC, xxHash, BLAKE3) and the values of composite.rs are not sampled.

use crate::{
    kernel::{
        Compression, Family, Input, Kernel, Md5, Sha1, Sha256, Sha512, State, States,
        compress_chain,
    },
    schedule::Crossover,
};

/// Maximum bytes of a sample, and of each lane in a sampled step. Plain Rust hashes them in 20 to
/// 60 microseconds, less than the longest step.
const SAMPLE_BYTES_MAX: usize = 16 << 10;

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// The kernel that hashed the sample first.
    pub kernel: Kernel,
    /// The kernel that hashed it again.
    pub by: Kernel,
    /// Bytes of the sample.
    pub bytes: usize,
    /// Whether both computed the same state.
    pub agrees: bool,
}

/// One lane of one call.
struct Sample {
    kernel: Kernel,
    before: [u64; 8],
    after: [u64; 8],
}

/// Takes a sample when requested, and keeps it until it is checked.
pub(crate) struct Sampler {
    is_wanted: bool,
    random: u64,
    sample: Option<Sample>,
    /// The bytes of the sample, allocated once.
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

    /// Requests a sample of the next kernel call.
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

    /// Maximum number of blocks in a sample.
    pub(crate) const fn blocks_max<H: Compression>() -> usize {
        SAMPLE_BYTES_MAX / H::BLOCK_BYTES
    }

    /// Chooses one of `lanes` lanes, all with the same probability.
    #[allow(clippy::cast_possible_truncation)] // less than the lanes
    pub(crate) const fn choose(&mut self, lanes: usize) -> usize {
        // Knuth's MMIX generator: a regular pattern of steps must not leave out a lane.
        let next = self.random.wrapping_mul(6_364_136_223_846_793_005);
        self.random = next.wrapping_add(1_442_695_040_888_963_407);
        (((self.random >> 32) * lanes as u64) >> 32) as usize
    }

    /// Stores the state that `kernel` computed from `before` and `pieces`, which are whole blocks.
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

    /// Hashes the sample again and drops it. `None` if there is no sample or no other kernel.
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

/// The kernel that checks `kernel`: the first usable one. Plain Rust comes first, because it uses
/// neither vector units nor extensions.
fn other(kernel: Kernel, retired: &[Kernel]) -> Option<Kernel> {
    Kernel::of(kernel.family())
        .find(|other| *other != kernel && other.is_available() && !retired.contains(other))
}

/// The state after `bytes`, computed in one lane of `kernel`.
fn again<H: Compression>(kernel: Kernel, before: [u64; 8], bytes: &[u8]) -> [u64; 8] {
    let mut states = States::<H::Word>::default();
    states.0[0] = before.map(|word| H::Word::try_from(word).unwrap_or_default());
    let lane = states.cells().iter().zip([Input::whole(bytes)]);
    compress_chain::<H, _>(kernel, [(lane, bytes.len() / H::BLOCK_BYTES)]);
    states.0[0].map(Into::into)
}

#[cfg(test)]
mod tests;
