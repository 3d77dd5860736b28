//! Multi-buffer SHA-256: many independent messages hashed at once.
//!
//! ```text
//!            push / finish               fill, settle             compress
//!  chunks ----------------> jobs ------------------> lanes -----------------> kernel
//!            engine.rs     streams.rs   engine.rs   lanes.rs   crossover.rs   kernel/
//!                          job.rs       groups.rs              (which ones)
//!                          chunks.rs    (whose turn)
//!  digests <--------------- events <---------------- last block
//! ```
//!
//! - [`Engine`]: many streams, pushed in chunks, hashed some 32 at a time.
//! - [`hash_many()`], [`hash_files()`]: whole messages of any lengths, digests in
//!   input order (batch.rs: the schedule of S-HASH).
//! - [`Sha256`]: one stream, a drop-in for `sha2::Sha256`.
//! - [`Checksum`]: what needs no lanes (CRC, xxHash, BLAKE3).
//! - [`composite`], [`encoding`]: S3's values of multipart uploads; digests as text.
//! - [`Backend`], [`Crossover`]: what this CPU can run, and what pays when.
//! - [`Occupancy`]: how full the lanes were.
//!
//! No async, no threads, no metrics, and no I/O but [`hash_files()`]: whoever owns an
//! engine decides when it steps. `unsafe` stands in `kernel/` alone.
//!
//! Sources: FIPS 180-4; S. Gueron and V. Krasnov, "Simultaneous hashing of
//! multiple messages", 2012 (S-HASH).

mod algorithm;
mod backend;
mod batch;
pub mod checksum;
mod chunks;
pub mod composite;
mod crc_combine;
mod crossover;
mod digest_bytes;
pub mod encoding;
mod engine;
mod groups;
mod hash_files;
mod hash_many;
mod hasher;
mod job;
pub mod kernel;
mod lanes;
mod occupancy;
mod padding;
mod streams;

pub use algorithm::{Algorithm, ParseAlgorithmError};
pub use backend::Backend;
pub use checksum::{Checksum, ChecksumKind};
pub use crossover::Crossover;
pub use digest_bytes::{DIGEST_BYTES_MAX, DigestBytes};
pub use engine::{Engine, Event, Step};
pub use groups::GroupId;
pub use hash_files::{FileBatch, hash_files};
pub use hash_many::{Batch, hash_many};
pub use hasher::Sha256;
pub use job::JobId;
pub use kernel::{Kernel, ParseKernelError};
pub use occupancy::{KernelCounts, Occupancy};
pub use padding::Digest;

/// The examples of the README are compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
