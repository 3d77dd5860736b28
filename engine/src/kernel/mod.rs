//! Compression functions, one per width and instruction set.
//!
//! ```text
//! kernels.rs             the kernels by name, what each needs, and its entry
//! vector.rs              what a round needs of a vector register
//! sha256.rs              FIPS 180-4 section 6.2.2 written once over that trait
//! portable.rs            \
//! sse41.rs                | the trait for one instruction set, the load-and-transpose
//! avx2.rs                 | that belongs to it, and the entry compiled for it
//! avx512.rs              /
//! avx512x16.rs           16 lanes in one hand-ordered instruction stream
//! avx512x32.rs           two groups of 16 lanes in one hand-ordered instruction stream
//! shani.rs               SHA extensions, one stream
//! shani_interleaved.rs   SHA extensions, 2 or 4 streams in one hand-ordered instruction stream
//! shani_avx512.rs        rounds by the SHA extensions, schedules by AVX-512: 4 or 8 streams
//! aarch64.rs             Arm SHA2 extension: 1, 2 or 4 streams interleaved
//! ```
//!
//! Every entry (`Entry`) takes the chaining values of neighbouring columns, one
//! data pointer per column, and a number of blocks. Those whose calls have a cost
//! of their own take a chain of segments, each with a number of blocks of its own,
//! and three pointers per column, for a first and a last block that lie apart from the
//! rest (`Pieces`). [`compress_chain`] is the only caller and checks what the
//! entries rely on, so everything above this folder is safe code.
//!
//! A note on inlining: a function that carries `#[target_feature]` cannot be
//! `#[inline(always)]`, and an intrinsic that is not inlined costs a call per
//! instruction. So only the entries carry the attribute, everything below them
//! is `#[inline(always)]`, and CI reads the disassembly for calls.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512x16;
#[cfg(target_arch = "x86_64")]
mod avx512x32;
mod kernels;
mod portable;
mod sha256;
#[cfg(target_arch = "x86_64")]
mod shani;
#[cfg(target_arch = "x86_64")]
mod shani_avx512;
#[cfg(target_arch = "x86_64")]
mod shani_interleaved;
#[cfg(target_arch = "x86_64")]
mod sse41;
mod vector;

pub use kernels::{Kernel, ParseKernelError};

/// Bytes of a SHA-256 block (FIPS 180-4, figure 1).
pub const BLOCK_BYTES: usize = 64;

/// The most columns one kernel call covers.
pub const LANES_MAX: usize = 32;

/// Initial hash value of SHA-256 (FIPS 180-4 section 5.3.3).
pub const INITIAL_STATE: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// Chaining values of [`LANES_MAX`] lanes, in lane order: word `i` of lane `l`
/// is `words[i][l]`, so that a vector kernel loads a word of all its lanes with
/// one instruction and a step touches only what changed.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub struct Columns {
    words: [[u32; LANES_MAX]; 8],
}

impl Columns {
    /// Every lane holds the initial hash value.
    #[must_use]
    pub fn new() -> Self {
        Self {
            words: INITIAL_STATE.map(|word| [word; LANES_MAX]),
        }
    }

    /// The chaining value of `lane`.
    #[must_use]
    #[inline]
    pub fn get(&self, lane: usize) -> [u32; 8] {
        std::array::from_fn(|word| self.words[word][lane])
    }

    /// Copies the chaining value of `lane` to where it is kept. Word by word: a
    /// copy of the array that [`Self::get`] returns would wait for its stores.
    #[inline]
    pub fn get_into(&self, lane: usize, state: &mut [u32; 8]) {
        for (word, row) in state.iter_mut().zip(&self.words) {
            *word = row[lane];
        }
    }

    /// Sets the chaining value of `lane`.
    #[inline]
    pub fn set(&mut self, lane: usize, state: &[u32; 8]) {
        for (row, word) in self.words.iter_mut().zip(state) {
            row[lane] = *word;
        }
    }

    /// Copies the chaining value of lane `from` over that of lane `to`.
    #[inline]
    pub fn copy(&mut self, from: usize, to: usize) {
        for row in &mut self.words {
            row[to] = row[from];
        }
    }
}

impl Default for Columns {
    fn default() -> Self {
        Self::new()
    }
}

/// What one lane reads in a call: a first block, the blocks that follow it, and
/// a last block, each where it lies. So the block that joins a tail with the
/// chunk after it, and the one with the padding, cost neither a copy of what is
/// between them nor a step of their own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input<'a> {
    /// The first block, if it does not lie in front of `body`.
    pub head: Option<&'a [u8; BLOCK_BYTES]>,
    /// All blocks between.
    pub body: &'a [u8],
    /// The last block, if it does not lie behind `body`.
    pub foot: Option<&'a [u8; BLOCK_BYTES]>,
}

impl<'a> Input<'a> {
    /// One piece of memory.
    #[must_use]
    #[inline]
    pub const fn whole(body: &'a [u8]) -> Self {
        Self {
            head: None,
            body,
            foot: None,
        }
    }
}

/// What a call reads: segments of neighbouring lanes. Block `k` of lane `i` is at `k * 64` from
/// `first[i]` if `k` is 0, from `last[i]` if it is the last and not 0, and from
/// `rest[i]` otherwise. A pointer that serves no block may point anywhere.
#[repr(C)]
struct Pieces {
    first: [*const u8; LANES_MAX],
    rest: [*const u8; LANES_MAX],
    last: [*const u8; LANES_MAX],
    /// How much of each lane of a segment: whole blocks; 0 behind the last segment.
    bytes: [usize; LANES_MAX + 1],
}

impl Pieces {
    #[inline]
    const fn set(&mut self, lane: usize, (first, rest, last): (*const u8, *const u8, *const u8)) {
        self.first[lane] = first;
        self.rest[lane] = rest;
        self.last[lane] = last;
    }
}

/// A kernel's entry.
#[derive(Clone, Copy)]
enum Entry {
    /// Absorbs `blocks` blocks of each of its `N` inputs.
    ///
    /// # Safety
    /// - the CPU has the kernel's instruction set;
    /// - `state` points at word 0 of the first of `N` columns of a [`Columns`], at
    ///   a column number that is a multiple of `N`, all `N` within it;
    /// - `inputs` points at `N` pointers, each readable for `blocks * 64` bytes;
    /// - `blocks` is at least 1.
    Whole(unsafe fn(state: *mut u32, inputs: *const *const u8, blocks: usize)),
    /// The same for a chain of segments, where a call has a cost of its own: absorbs
    /// `bytes[s]` bytes of each of lanes `s * N..(s + 1) * N`, and takes the pieces as
    /// they are.
    ///
    /// # Safety
    /// As above for each segment, whose first column is `s * N` from `state`; each of its
    /// blocks is readable where [`Pieces`] says it lies; there is at least
    /// one segment, and a 0 behind the last.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    Chain(unsafe fn(state: *mut u32, pieces: &Pieces)),
}

/// Absorbs `blocks` blocks of each of `inputs` into the columns that start at
/// `first`. Columns of the kernel beyond `inputs.len()` hold garbage afterwards.
///
/// # Panics
/// If the CPU lacks `kernel`; if `first` is not a multiple of its lanes or
/// reaches past [`LANES_MAX`]; if there are no inputs or more than its lanes;
/// if an input has fewer than `blocks` blocks, or more and a foot.
#[inline]
pub fn compress<'a>(
    kernel: Kernel,
    columns: &mut Columns,
    first: usize,
    inputs: impl IntoIterator<Item = Input<'a>>,
    blocks: usize,
) {
    check_columns(kernel, first);
    if blocks > 0 {
        compress_chain(kernel, columns, first, [(inputs, blocks)]);
    }
}

/// Absorbs several segments, inputs with a number of blocks, into neighbouring
/// columns from `first` on: the first segment's into as many as the kernel has lanes,
/// the second's into as many after them, and so on. The last may have fewer
/// inputs; columns of the kernel beyond them hold garbage afterwards. Kernels that
/// chain do so in one call, the others in calls of their own.
///
/// # Panics
/// As [`compress`], for every segment; if one has no blocks, or follows one with
/// fewer inputs than the kernel has lanes.
#[inline]
pub fn compress_chain<'a, I>(
    kernel: Kernel,
    columns: &mut Columns,
    first: usize,
    segments: impl IntoIterator<Item = (I, usize)>,
) where
    I: IntoIterator<Item = Input<'a>>,
{
    let lanes = kernel.lanes();
    let mut pieces = Pieces {
        first: [std::ptr::null(); LANES_MAX],
        rest: [std::ptr::null(); LANES_MAX],
        last: [std::ptr::null(); LANES_MAX],
        bytes: [0; LANES_MAX + 1],
    };
    let mut chained = 0;
    let mut whole = true;
    let mut active = 0;
    for (inputs, blocks) in segments {
        let start = chained * lanes;
        check_columns(kernel, first + start);
        assert!(active == start, "a segment after one with idle lanes");
        assert!(blocks > 0, "a segment without blocks");
        for input in inputs {
            assert!(active < start + lanes, "more inputs than lanes");
            whole &= input.head.is_none() && input.foot.is_none();
            pieces.set(active, locate(&input, blocks));
            active += 1;
        }
        assert!(active > start, "no inputs");
        // Idle lanes read what the first one reads: valid memory, and already in cache.
        let idle = (pieces.first[start], pieces.rest[start], pieces.last[start]);
        for lane in active..start + lanes {
            pieces.set(lane, idle);
        }
        pieces.bytes[chained] = blocks * BLOCK_BYTES;
        chained += 1;
    }
    if chained == 0 {
        return;
    }
    let state = columns.words.as_mut_ptr().cast::<u32>();
    // SAFETY: `first + chained * lanes <= LANES_MAX`, so the offsets stay in row 0 of
    // `words`, and the segments' columns lie within it; `state` may write the
    // whole of `words`, which `columns` borrows mutably. The kernel is
    // available, the first `chained * lanes` pointers of every array of `pieces` are set,
    // their blocks readable as `locate` says, and no segment has 0 of them. Of an input
    // that is whole all three pointers are the one to its blocks. The
    // calls for a part of the blocks step over those before them, which moves
    // `rest` and `last` to where `locate` says their blocks are.
    unsafe {
        let state = state.add(first);
        match kernel.entry() {
            Entry::Chain(entry) => entry(state, &pieces),
            Entry::Whole(entry) => {
                for segment in 0..chained {
                    let blocks = pieces.bytes[segment] / BLOCK_BYTES;
                    let start = segment * lanes;
                    let state = state.add(start);
                    let heads = pieces.first.as_ptr().add(start);
                    if whole {
                        entry(state, heads, blocks);
                        continue;
                    }
                    entry(state, heads, 1);
                    if blocks > 2 {
                        let rest = pieces.rest.map(|rest| rest.wrapping_add(BLOCK_BYTES));
                        entry(state, rest.as_ptr().add(start), blocks - 2);
                    }
                    if blocks > 1 {
                        let before = (blocks - 1) * BLOCK_BYTES;
                        let last = pieces.last.map(|last| last.wrapping_add(before));
                        entry(state, last.as_ptr().add(start), 1);
                    }
                }
            }
        }
    }
}

/// # Panics
/// If the CPU lacks `kernel`, or a call may not start at column `first`.
#[inline]
fn check_columns(kernel: Kernel, first: usize) {
    assert!(kernel.is_available(), "this CPU lacks {kernel}");
    assert!(
        kernel.may_start_at(first),
        "{kernel} may not start at column {first}"
    );
}

/// The pointers of [`Pieces`] for one lane. What is not read in front of a piece
/// is stepped over by arithmetic that may leave the piece; block `k` is within
/// it.
///
/// # Panics
/// If `input` has not got `blocks` blocks; see [`compress`].
#[inline]
fn locate(input: &Input<'_>, blocks: usize) -> (*const u8, *const u8, *const u8) {
    let (heads, feet) = (
        usize::from(input.head.is_some()),
        usize::from(input.foot.is_some()),
    );
    let body_blocks = input.body.len() / BLOCK_BYTES;
    assert!(
        heads + body_blocks + feet >= blocks,
        "an input is shorter than the step"
    );
    let body = input.body.as_ptr().wrapping_sub(heads * BLOCK_BYTES);
    let Some(foot) = input.foot else {
        let head = input.head.map_or(body, |head| head.as_ptr());
        return (head, body, body);
    };
    assert!(
        heads + body_blocks + 1 == blocks,
        "an input with a foot is longer than the step"
    );
    let last = foot.as_ptr().wrapping_sub((blocks - 1) * BLOCK_BYTES);
    let head = match input.head {
        Some(head) => head.as_ptr(),
        None if body_blocks > 0 => body,
        None => last,
    };
    (head, body, last)
}

#[cfg(test)]
mod tests;
