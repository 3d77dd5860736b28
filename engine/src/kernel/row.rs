//! A kernel as its compression's table has it: its entry, and what it needs of the CPU.

use super::word::State;

/// The most lanes one step covers.
pub(crate) const LANES_MAX: usize = 64;

/// A row of a compression's table of kernels.
pub(crate) struct Row<W: 'static> {
    pub(super) about: About,
    pub(super) entry: Entry<W>,
    /// Its other entry, for words that are dealt, if it has one.
    pub(super) dealt: Option<DealtEntry<W>>,
}

/// The properties of a kernel.
#[derive(Debug)]
pub(super) struct About {
    /// Used in settings, metrics and benches. Unique within its compression.
    pub(super) name: &'static str,
    /// Lanes of one call: a power of two.
    pub(super) lanes: usize,
    /// What the CPU must have.
    pub(super) needs: Needs,
    /// Whether [`super::compress_chain`] does several segments in one call.
    pub(super) chains: bool,
}

impl<W> Row<W> {
    /// A kernel that takes a pointer for each lane.
    pub(super) const fn new(
        name: &'static str,
        lanes: usize,
        needs: Needs,
        entry: Entry<W>,
    ) -> Self {
        Self {
            about: About {
                name,
                lanes,
                needs,
                chains: matches!(entry, Entry::Chain(_)),
            },
            entry,
            dealt: None,
        }
    }

    /// Adds the entry for dealt words.
    pub(super) const fn and_dealt(mut self, dealt: DealtEntry<W>) -> Self {
        self.dealt = Some(dealt);
        self
    }
}

/// What a kernel needs of the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(super) enum Needs {
    Nothing,
    #[cfg(target_arch = "x86_64")]
    Sse41,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// F, BW and VL.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// The SHA extensions, with SSE4.1.
    #[cfg(target_arch = "x86_64")]
    Sha,
    #[cfg(target_arch = "x86_64")]
    ShaAvx,
    #[cfg(target_arch = "x86_64")]
    ShaAvx512,
    /// The SHA512 extension, with AVX2.
    #[cfg(target_arch = "x86_64")]
    Sha512,
    #[cfg(target_arch = "aarch64")]
    ArmSha2,
    /// SHA512, which the standard library detects together with SHA3.
    #[cfg(target_arch = "aarch64")]
    ArmSha512,
}

impl Needs {
    #[inline]
    pub(super) fn are_met(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx512 = || {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
            };
            let has_sse41 =
                || is_x86_feature_detected!("sse4.1") && is_x86_feature_detected!("ssse3");
            let has_sha = || is_x86_feature_detected!("sha") && has_sse41();
            match self {
                Self::Nothing => true,
                Self::Sse41 => has_sse41(),
                Self::Avx2 => is_x86_feature_detected!("avx2"),
                Self::Avx512 => has_avx512(),
                Self::Sha => has_sha(),
                Self::ShaAvx => has_sha() && is_x86_feature_detected!("avx"),
                Self::ShaAvx512 => has_sha() && has_avx512(),
                Self::Sha512 => {
                    is_x86_feature_detected!("sha512") && is_x86_feature_detected!("avx2")
                }
            }
        }
        #[cfg(target_arch = "aarch64")]
        match self {
            Self::Nothing => true,
            Self::ArmSha2 => std::arch::is_aarch64_feature_detected!("sha2"),
            Self::ArmSha512 => std::arch::is_aarch64_feature_detected!("sha3"),
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        true
    }
}

/// A kernel's entry.
#[derive(Clone, Copy)]
pub(super) enum Entry<W> {
    /// Absorbs `blocks` blocks of each of its `N` inputs.
    ///
    /// # Safety
    /// - the CPU has the kernel's instruction set;
    /// - `states` points at the states of `N` neighbouring lanes, aligned to the lesser of
    ///   64 bytes and their size;
    /// - `inputs` points at `N` pointers, each readable for `blocks` blocks;
    /// - `blocks` is at least 1.
    Whole(unsafe fn(states: *mut State<W>, inputs: *const *const u8, blocks: usize)),
    /// The same, with a hint where the inputs lie.
    ///
    /// # Safety
    /// As [`Whole`](Self::Whole).
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    Placed(unsafe fn(states: *mut State<W>, inputs: *const *const u8, blocks: usize, place: Place)),
    /// Absorbs a chain of segments in one call, for kernels with a high cost per call. Segment `s`
    /// absorbs `bytes[s]` bytes in each of lanes `s * N..(s + 1) * N`. Inputs and states are read
    /// where they lie.
    ///
    /// # Safety
    /// - the CPU has the kernel's instruction set;
    /// - of each segment, states are readable and writable and each block is readable where
    ///   [`Pieces`] says it lies; what is of no segment need not be initialised;
    /// - there is at least one segment, and a 0 behind the last.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    Chain(unsafe fn(pieces: *const Pieces<W>)),
}

/// The entry of a kernel for words that are dealt: absorbs `blocks` blocks of each of its `N`
/// lanes. The lanes' words lie side by side; the next word of each lies `stride` bytes on.
///
/// # Safety
/// - the CPU has the kernel's instruction set;
/// - `states` as in [`Entry::Whole`];
/// - `N` words are readable at each of `16 * blocks` places, `stride` bytes from one to the
///   next, from `from` on.
pub(super) type DealtEntry<W> =
    unsafe fn(states: *mut State<W>, from: *const u8, stride: usize, blocks: usize);

/// Whether the input of a call lies in cache, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In L1 or L2: prefetching costs more than it gains.
    Near,
    /// Beyond L2, at least in part.
    Far,
}

/// What a chain reads, and the states that it changes, segment after segment. With blocks of `B`
/// bytes, block `k` of lane `i` is at `k * B` from `first[i]` if `k` is 0, from `last[i]` if it is
/// the last and not 0, and from `rest[i]` otherwise. A pointer that serves no block may point
/// anywhere.
#[repr(C)]
pub(super) struct Pieces<W> {
    pub(super) first: [*const u8; LANES_MAX],
    pub(super) rest: [*const u8; LANES_MAX],
    pub(super) last: [*const u8; LANES_MAX],
    /// Each lane's, aligned to its words. Segments may share some.
    pub(super) states: [*mut State<W>; LANES_MAX],
    /// How much of each lane of a segment: whole blocks; 0 behind the last segment.
    pub(super) bytes: [usize; LANES_MAX + 1],
}
