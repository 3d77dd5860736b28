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
//! Every entry has one shape (`Entry`): it takes the chaining values of
//! neighbouring columns, one data pointer per column, and a number of blocks.
//! [`compress`] is the only caller and checks what the entries rely on, so
//! everything above this folder is safe code.
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

/// A kernel's entry: absorbs `blocks` blocks of each of its `N` inputs.
///
/// # Safety
/// - the CPU has the kernel's instruction set;
/// - `state` points at word 0 of the first of `N` columns of a [`Columns`], at
///   a column number that is a multiple of `N`, all `N` within it;
/// - `inputs` points at `N` pointers, each readable for `blocks * 64` bytes;
/// - `blocks` is at least 1.
type Entry = unsafe fn(state: *mut u32, inputs: *const *const u8, blocks: usize);

/// Absorbs `blocks` blocks of each of `inputs` into the columns that start at
/// `first`. Columns of the kernel beyond `inputs.len()` hold garbage afterwards.
///
/// # Panics
/// If the CPU lacks `kernel`; if `first` is not a multiple of its lanes or
/// reaches past [`LANES_MAX`]; if there are no inputs or more than its lanes;
/// if an input is shorter than `blocks` blocks.
#[inline]
pub fn compress(
    kernel: Kernel,
    columns: &mut Columns,
    first: usize,
    inputs: &[&[u8]],
    blocks: usize,
) {
    let lanes = kernel.lanes();
    assert!(kernel.is_available(), "this CPU lacks {kernel}");
    assert!(
        kernel.may_start_at(first),
        "{kernel} may not start at column {first}"
    );
    assert!(!inputs.is_empty() && inputs.len() <= lanes);
    if blocks == 0 {
        return;
    }
    let bytes = blocks.checked_mul(BLOCK_BYTES).expect("a length in bytes");
    // Idle lanes read what lane 0 reads: valid memory, and already in cache.
    let mut pointers = [inputs[0].as_ptr(); LANES_MAX];
    for (pointer, input) in pointers.iter_mut().zip(inputs) {
        assert!(input.len() >= bytes, "an input is shorter than the step");
        *pointer = input.as_ptr();
    }
    let state = columns.words.as_mut_ptr().cast::<u32>();
    // SAFETY: `first + lanes <= LANES_MAX`, so the offset stays in row 0 of
    // `words`, and the entry's columns lie within it; `state` may write the
    // whole of `words`, which `columns` borrows mutably. The kernel is
    // available, `pointers` holds at least `lanes` entries, each readable for
    // `bytes` bytes, and `blocks` is not 0.
    unsafe { (kernel.entry())(state.add(first), pointers.as_ptr(), blocks) }
}

#[cfg(test)]
mod tests;
