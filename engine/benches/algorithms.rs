//! Every algorithm with lanes: full lanes, and 1, 4 and 8 messages of 16 KiB, compared with the
//! crates, which hash one stream. Algorithms without lanes: one message of 64 KiB.
//!
//! The last column is the ratio to the fastest of the crates. `tree` has the tree modes.

mod common;

use std::hint::black_box;

use common::{Bench, Who, buffers, crossover, human, slices};
use hashlane_engine::{Algorithm, Batch, Crossover, Digest, Hasher, Kernel};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA384, SHA512};

const MESSAGE_BYTES: usize = 16 << 10;
const LONE_BYTES: usize = 64 << 10;

/// The fewest messages for full lanes: a step of narrow kernels takes as many.
const LANES_MIN: usize = 32;

/// A crate's digest of one message.
type Peer = (&'static str, fn(&[u8]) -> Digest);

fn plain<D: digest::Digest>(message: &[u8]) -> Digest {
    Digest::new(&D::digest(message))
}

fn ring(algorithm: &'static ring::digest::Algorithm, message: &[u8]) -> Digest {
    Digest::new(ring::digest::digest(algorithm, message).as_ref())
}

/// The crates that have an algorithm with lanes, one stream at a time.
fn peers(algorithm: Algorithm) -> Vec<Peer> {
    match algorithm {
        Algorithm::Sha256 => vec![
            ("sha2", plain::<sha2::Sha256>),
            ("ring", |message| ring(&SHA256, message)),
        ],
        Algorithm::Sha224 => vec![("sha2", plain::<sha2::Sha224>)],
        Algorithm::Sha512 => vec![
            ("sha2", plain::<sha2::Sha512>),
            ("ring", |message| ring(&SHA512, message)),
        ],
        Algorithm::Sha384 => vec![
            ("sha2", plain::<sha2::Sha384>),
            ("ring", |message| ring(&SHA384, message)),
        ],
        Algorithm::Sha1 => vec![
            ("sha1", plain::<sha1::Sha1>),
            ("ring", |message| ring(&SHA1_FOR_LEGACY_USE_ONLY, message)),
        ],
        Algorithm::Md5 => vec![("md-5", plain::<md5::Md5>)],
        other => unreachable!("{other} has no lanes"),
    }
}

/// The same value by the crate that computes an algorithm without lanes.
fn lone(algorithm: Algorithm, message: &[u8]) -> Digest {
    let crc = |kind| crc_fast::checksum(kind, message).to_be_bytes();
    match algorithm {
        Algorithm::Crc32 => Digest::new(&crc(crc_fast::CrcAlgorithm::Crc32IsoHdlc)[4..]),
        Algorithm::Crc32c => Digest::new(&crc(crc_fast::CrcAlgorithm::Crc32Iscsi)[4..]),
        Algorithm::Crc64Nvme => Digest::new(&crc(crc_fast::CrcAlgorithm::Crc64Nvme)),
        Algorithm::Xxh64 => Digest::new(&twox_hash::XxHash64::oneshot(0, message).to_be_bytes()),
        Algorithm::Xxh3 => Digest::new(&twox_hash::XxHash3_64::oneshot(message).to_be_bytes()),
        Algorithm::Xxh128 => Digest::new(&twox_hash::XxHash3_128::oneshot(message).to_be_bytes()),
        Algorithm::Blake3 => Digest::new(blake3::hash(message).as_bytes()),
        other => unreachable!("{other} has lanes"),
    }
}

/// As many messages as the widest kernel has lanes.
fn full_lanes(crossover: &Crossover, algorithm: Algorithm) -> usize {
    let kernels = algorithm.family().map(|f| crossover.backend().kernels(f));
    let lanes = kernels
        .into_iter()
        .flatten()
        .map(|kernel: &Kernel| kernel.lanes());
    lanes.max().unwrap_or(0).max(LANES_MIN)
}

fn main() {
    let bench = Bench::new("algorithms");
    let crossover = crossover();
    for algorithm in [
        Algorithm::Sha256,
        Algorithm::Sha224,
        Algorithm::Sha512,
        Algorithm::Sha384,
        Algorithm::Sha1,
        Algorithm::Md5,
    ] {
        for count in [full_lanes(&crossover, algorithm), 1, 4, 8] {
            let lengths = vec![MESSAGE_BYTES; count];
            let data = buffers(&lengths, 9);
            let messages = slices(&data, &lengths);
            let mut batch = Batch::new(crossover.clone(), algorithm);
            let digests = batch.hash(&messages);
            let peers = peers(algorithm);
            for (name, peer) in &peers {
                let theirs: Vec<Digest> = messages.iter().map(|message| peer(message)).collect();
                assert_eq!(digests, theirs, "a digest that is not {name}'s");
            }
            let mut whos = vec![Who::new("hashlane", || {
                black_box(batch.hash(black_box(&messages)));
            })];
            whos.extend(peers.into_iter().map(|(name, peer)| {
                let messages = &messages;
                Who::measure(name, move || {
                    for message in black_box(messages) {
                        black_box(peer(message));
                    }
                })
            }));
            let case = format!("{algorithm} {count} x {}", human(MESSAGE_BYTES));
            bench.case(&case, MESSAGE_BYTES * count, whos);
        }
    }
    let data = buffers(&[LONE_BYTES], 9);
    let message = data[0].as_slice();
    for algorithm in [
        Algorithm::Crc32,
        Algorithm::Crc32c,
        Algorithm::Crc64Nvme,
        Algorithm::Xxh64,
        Algorithm::Xxh3,
        Algorithm::Xxh128,
        Algorithm::Blake3,
    ] {
        let hash = || {
            let mut hasher = Hasher::new(algorithm);
            hasher.update(black_box(message));
            hasher.finalize()
        };
        assert_eq!(hash(), lone(algorithm, message), "a wrong digest");
        let who = Who::new("hashlane", || {
            black_box(hash());
        });
        let case = format!("{algorithm} 1 x {}", human(LONE_BYTES));
        bench.case(&case, LONE_BYTES, vec![who]);
    }
}
