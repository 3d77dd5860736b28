//! Compression functions, and the kernels that compute them in lanes.
//!
//! ```text
//! call.rs          the safe way into a kernel: what is hashed, and where it lies
//! kernels.rs       kernels by name
//! compression.rs   what makes a compression function
//! row.rs           a kernel in a table: its entry, and what it needs of the CPU
//! word.rs          words, blocks and chaining values
//! known.rs         the answer that a kernel must give before it is used
//! faults.rs        has a kernel give wrong answers, for tests (feature `faults`)
//! sha256/ sha512/ sha1/ md5/   its constants, its rounds, its table of kernels,
//!                  and the kernels that use the CPU's extensions for it
//! sha2.rs          the rounds that SHA-256 and SHA-512 share
//! vector.rs        what rounds need of a vector register
//! arch/            vectors of each instruction set
//! frame.rs         states and blocks around the rounds: an entry for each vector
//! generate.rs      writes generated/ from the rounds: instruction streams of AVX-512,
//!                  whose order and registers the compiler does not find
//! streams.rs       the entries of generated/
//! crates.rs        the plain crates' functions as kernels of one lane
//! test_support.rs  what the tests of several hashes share
//! tests.rs         every kernel against the plain crates
//! ```
//!
//! Every entry takes adjacent states, one data pointer per lane, and a number of blocks. Entries
//! with a high cost per call take a chain of segments, each with its own number of blocks, and four
//! pointers per lane: to the state, and to the first, the last and all other blocks, which may lie
//! apart. Only the functions of call.rs call entries. They check the entries' conditions, so
//! everything above this folder is safe code.
//!
//! A note on inlining: a function with `#[target_feature]` cannot be `#[inline(always)]`, and an
//! intrinsic that is not inlined costs a call per instruction. So only the entries have the
//! attribute, everything below them is `#[inline(always)]`, and CI checks the disassembly for
//! calls.

mod arch;
mod call;
mod compression;
mod crates;
#[cfg(any(test, feature = "faults"))]
pub mod faults;
mod frame;
#[cfg(all(test, target_arch = "x86_64"))]
mod generate;
mod kernels;
mod known;
pub(crate) mod md5;
mod row;
pub(crate) mod sha1;
mod sha2;
pub(crate) mod sha256;
pub(crate) mod sha512;
#[cfg(target_arch = "x86_64")]
mod streams;
mod vector;
mod word;

pub(crate) use call::{
    Input, States, compress_chain, compress_dealt, compress_one, compress_placed,
};
pub(crate) use compression::Compression;
pub use compression::Family;
pub use kernels::{Kernel, ParseKernelError};
pub(crate) use known::is_sound;
use row::{Entry, Needs};
pub(crate) use row::{LANES_MAX, Place, Row};
pub(crate) use word::{Block, State, Word};
pub(crate) use {md5::Md5, sha1::Sha1, sha256::Sha256, sha512::Sha512};

#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;
