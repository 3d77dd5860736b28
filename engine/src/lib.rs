//! Multi-buffer hashing: many independent messages hashed at once.
//!
//! It separates four concepts. A *compression* is a word, a state, a block, a padding rule and a
//! table of kernels. An *algorithm* is a row: a name, a length, and how it is computed. A *pool*
//! has the jobs of one compression. A *sink* is an algorithm that is computed on push.
//!
//! | | |
//! |---|---|
//! | algorithm.rs, digest.rs | the algorithms, one row each; a digest as bytes |
//! | kernel/ | compressions, and the kernels that compute them; the unsafe code |
//! | available_kernels.rs | the kernels that this CPU runs |
//! | schedule/ | which kernels hash which jobs |
//! | stream/ | many streams, chunk by chunk |
//! | shared/ | streams of many threads and tasks, hashed by threads of its own |
//! | batch.rs, hash_many.rs | whole messages: their order; the functions |
//! | hasher.rs | one stream |
//! | sink.rs | algorithms that are computed on push |
//! | tree/ | tree modes: one message in all lanes |
//! | padding.rs | the end of a message |
//! | selfcheck.rs | samples of the kernels' work, hashed again |
//! | composite.rs, crc_combine.rs | S3's values of an object in parts; CRCs of a whole |
//! | encoding/ | digests as text |

// Only kernels need unsafe code; their callers check its conditions.
#![deny(unsafe_code)]

mod algorithm;
mod available_kernels;
mod batch;
#[cfg(feature = "s3")]
pub mod composite;
#[cfg(feature = "s3")]
mod crc_combine;
mod digest;
#[cfg(feature = "text")]
pub mod encoding;
mod hash_many;
mod hasher;
#[allow(unsafe_code)]
mod kernel;
mod padding;
mod schedule;
mod selfcheck;
#[cfg(feature = "shared")]
mod shared;
mod sink;
mod stream;
pub mod tree;

pub use algorithm::{Algorithm, ParseAlgorithmError};
pub use available_kernels::Backend;
pub use digest::{DIGEST_BYTES_MAX, Digest};
pub use hash_many::{Batch, hash_many};
pub use hasher::{Hasher, Md5, Sha1, Sha224, Sha256, Sha384, Sha512};
#[cfg(any(test, feature = "faults"))]
pub use kernel::faults;
pub use kernel::{Family, Kernel, ParseKernelError};
pub use schedule::{
    Crossover, InUse, KernelCounts, KernelsInUse, Occupancy, SelfCheck, Step, wait,
};
pub use selfcheck::Check;
#[cfg(feature = "shared")]
pub use shared::{Shared, SharedPart, Stopped};
pub use stream::{Engine, Event, GroupId, PartId};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
