//! Multi-buffer hashing: many independent messages hashed at once.

// Only kernels need it, and what calls them checks what they rely on.
#![deny(unsafe_code)]

mod algorithm;
mod backend;
mod batch;
pub mod composite;
mod crc_combine;
mod digest;
pub mod encoding;
mod hash_many;
mod hasher;
#[allow(unsafe_code)]
mod kernel;
mod padding;
mod schedule;
mod selfcheck;
mod sink;
mod stream;
pub mod tree;

pub use algorithm::{Algorithm, ParseAlgorithmError};
pub use backend::Backend;
pub use digest::{DIGEST_BYTES_MAX, Digest};
pub use hash_many::{Batch, hash_many};
pub use hasher::{Hasher, Md5, Sha1, Sha224, Sha256, Sha384, Sha512};
#[cfg(any(test, feature = "faults"))]
pub use kernel::faults;
pub use kernel::{Family, Kernel, ParseKernelError};
pub use schedule::{Crossover, KernelCounts, Occupancy, Step};
pub use selfcheck::Check;
pub use stream::{Engine, Event, GroupId, PartId};

/// The examples of the README compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
