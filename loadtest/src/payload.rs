//! The parts to send: messages that are encoded once, and their digests, computed before the load
//! starts.
//!
//! ```text
//! ring   [message 0][message 1] ... [message n-1]     one full chunk each, random bytes, shared by all parts
//! heads  the same, each with the algorithms           or the ring itself if none is named
//! part   heads[start], ring[start + stride], ...      its whole chunks
//!        last message                                 unique bytes; carries `last` and `expected` where needed
//! ```
//!
//! Parts differ in their start, their stride and their last message, so chunks that reach the wrong
//! part give a wrong digest. The client's memory stays at a few MiB for parts of any length.

use std::sync::Arc;

use anyhow::{Result, ensure};
use bytes::Bytes;
use hashlane_engine::Algorithm;
use hashlane_proto::v1::{AlgorithmDigest, DigestRequest, PartOptions, VerifyRequest};
use rand::rngs::SmallRng;
use rand::{Rng as _, RngCore as _, SeedableRng as _};

use crate::algorithms;
use crate::args::{LoadArgs, PartSizes, Rpc};
use crate::driver::Right;
use crate::grpc::frame;

/// Bytes of data in the ring, unless a few chunks are longer. A ring that fits into a core's L2
/// costs the server's caches little.
const RING_BYTES: usize = 1 << 20;

/// Maximum of messages in the ring; short chunks need no more to differ.
const RING_MESSAGES_MAX: usize = 4096;

/// Maximum of distinct parts.
const PARTS_MAX: usize = 256;

/// Bytes hashed at start-up, if that gives enough parts: some 0.3 s.
const HASH_BYTES: u64 = 512 << 20;

/// Bytes held in the parts' last messages.
const LAST_BYTES: usize = 64 << 20;

/// One part: its messages and its digests.
#[derive(Debug)]
pub(crate) struct Part {
    heads: Arc<[Bytes]>,
    ring: Arc<[Bytes]>,
    start: usize,
    stride: usize,
    /// Messages taken from the ring, before the last message.
    ring_messages: usize,
    last: Bytes,
    /// Bytes of data in one message of the ring.
    chunk_bytes: usize,
    /// Bytes of data over all messages.
    pub(crate) size_bytes: u64,
    /// The digests of the data, in the order of the request.
    digests: Vec<AlgorithmDigest>,
    /// The digests that Verify expects: `digests`, with one wrong value in some parts.
    expected: Vec<AlgorithmDigest>,
}

impl Part {
    /// What a right answer says.
    pub(crate) fn right(&self) -> Right<'_> {
        Right {
            part: 0,
            size_bytes: self.size_bytes,
            digests: &self.digests,
            expected: &self.expected,
        }
    }

    /// Number of messages, at least 1.
    pub(crate) fn messages(&self) -> usize {
        self.ring_messages + 1
    }

    /// Message `index` with its gRPC prefix, as sent.
    pub(crate) fn message(&self, index: usize) -> Bytes {
        if index >= self.ring_messages {
            return self.last.clone();
        }
        let messages = if index == 0 { &self.heads } else { &self.ring };
        messages[(self.start + index * self.stride) % messages.len()].clone()
    }

    /// Bytes of data in message `index`.
    pub(crate) fn message_bytes(&self, index: usize) -> u64 {
        if index < self.ring_messages {
            self.chunk_bytes as u64
        } else {
            self.size_bytes - self.ring_messages as u64 * self.chunk_bytes as u64
        }
    }
}

/// All distinct parts of a load.
#[derive(Debug)]
pub(crate) struct Payload {
    parts: Vec<Arc<Part>>,
    openers: Vec<Arc<Part>>,
}

impl Payload {
    /// Builds the parts of `load`, with openers if starts are to be spread.
    ///
    /// # Errors
    /// `load` has no part size, or names an algorithm twice.
    pub(crate) fn build(load: &LoadArgs, spread_starts: bool) -> Result<Self> {
        let mut builder = Builder::new(load)?;
        let sizes = part_sizes(&load.part_size, load.chunk_size, &mut builder.rng);
        ensure!(!sizes.is_empty(), "no part sizes");
        let parts = sizes.into_iter().map(|size| builder.part(size)).collect();
        let openers = if spread_starts {
            opener_sizes(load)
        } else {
            Vec::new()
        };
        let openers = openers.into_iter().map(|size| builder.part(size)).collect();
        Ok(Self { parts, openers })
    }

    /// A random part.
    pub(crate) fn pick(&self, rng: &mut SmallRng) -> &Arc<Part> {
        &self.parts[rng.random_range(0..self.parts.len())]
    }

    /// The first part of stream `stream` if starts are spread. Openers have different lengths up to
    /// the longest, so that streams that started together do not end together.
    pub(crate) fn opener(&self, stream: usize) -> Option<&Arc<Part>> {
        let index = stream.checked_rem(self.openers.len())?;
        self.openers.get(index)
    }
}

/// The sizes of all distinct parts, each in its proportion.
fn part_sizes(sizes: &PartSizes, chunk_bytes: usize, rng: &mut SmallRng) -> Vec<u64> {
    let fit = |mean_bytes: u64| {
        let by_hashing = usize::try_from(HASH_BYTES / mean_bytes.max(1)).unwrap_or(PARTS_MAX);
        by_hashing.min(LAST_BYTES / chunk_bytes).clamp(2, PARTS_MAX)
    };
    match sizes {
        PartSizes::List(sizes) => {
            let mean_bytes = sizes.iter().sum::<u64>() / (sizes.len() as u64).max(1);
            let rounds = (fit(mean_bytes) / sizes.len().max(1)).max(1);
            (0..rounds).flat_map(|_| sizes.iter().copied()).collect()
        }
        PartSizes::LogUniform { min, max } => {
            let (low, high) = ((*min as f64).ln(), (*max as f64).ln());
            let mean_bytes = if high > low {
                (max - min) as f64 / (high - low)
            } else {
                *max as f64
            };
            (0..fit(whole(mean_bytes)))
                .map(|_| log_uniform(low, high, rng).clamp(*min, *max))
                .collect()
        }
    }
}

/// A size whose logarithm is uniform from `low` to `high`.
fn log_uniform(low: f64, high: f64, rng: &mut SmallRng) -> u64 {
    whole((low + (high - low) * rng.random::<f64>()).exp().round())
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "sizes are at most PART_BYTES_MAX, far below 2^53"
)]
fn whole(size: f64) -> u64 {
    size as u64
}

/// Sixteenths of the longest part, in an order that mixes short and long parts.
fn opener_sizes(load: &LoadArgs) -> Vec<u64> {
    // Hashing them takes time too: half a GiB for all sixteen.
    let longest = load.part_size.max_bytes().min(64 << 20);
    (0..16_u64)
        .map(|index| (longest / 16) * (index * 7 % 16 + 1))
        .collect()
}

/// Builds parts from one ring.
struct Builder {
    rng: SmallRng,
    algorithms: Vec<Algorithm>,
    /// The options in a part's first message, if it has any.
    open: Option<PartOptions>,
    heads: Arc<[Bytes]>,
    ring: Arc<[Bytes]>,
    /// Offset of the data in every ring message.
    ring_data_at: usize,
    chunk_bytes: usize,
    rpc: Rpc,
    mark_last: bool,
    built: usize,
}

impl Builder {
    fn new(load: &LoadArgs) -> Result<Self> {
        let algorithms = algorithms::wanted(&load.algorithms)?;
        // Messages without algorithms mean SHA-256, and are the cheapest.
        let numbers = algorithms.iter().map(|name| algorithms::number(*name));
        let open = (!load.algorithms.is_empty()).then(|| PartOptions {
            algorithms: numbers.collect(),
            size_bytes: None,
        });
        let mut rng = SmallRng::seed_from_u64(load.seed);
        let count = (RING_BYTES / load.chunk_size).clamp(4, RING_MESSAGES_MAX);
        let chunks: Vec<_> = (0..count)
            .map(|_| random_bytes(&mut rng, load.chunk_size))
            .collect();
        let messages = |open: Option<&PartOptions>| {
            let message = |data: &Bytes| {
                frame(&DigestRequest {
                    open: open.cloned(),
                    data: data.clone(),
                    ..Default::default()
                })
            };
            chunks.iter().map(message).collect()
        };
        let ring: Arc<[Bytes]> = messages(None);
        let heads = match &open {
            None => Arc::clone(&ring),
            open => messages(open.as_ref()),
        };
        Ok(Self {
            ring_data_at: ring[0].len() - load.chunk_size,
            rng,
            algorithms,
            open,
            heads,
            ring,
            chunk_bytes: load.chunk_size,
            rpc: load.rpc,
            mark_last: load.parts_per_stream > 1,
            built: 0,
        })
    }

    fn part(&mut self, size_bytes: u64) -> Arc<Part> {
        let chunk_bytes = self.chunk_bytes as u64;
        let ring_messages =
            usize::try_from(size_bytes.saturating_sub(1) / chunk_bytes).unwrap_or(usize::MAX);
        let tail_bytes = size_bytes - ring_messages as u64 * chunk_bytes;
        let start = self.rng.random_range(0..self.ring.len());
        // Odd, so that it visits every message of a ring whose length is a power of two.
        let stride = 1 + 2 * self.rng.random_range(0..8);
        let tail = random_bytes(
            &mut self.rng,
            usize::try_from(tail_bytes).unwrap_or(usize::MAX),
        );

        let ring = (0..ring_messages).map(|index| {
            &self.ring[(start + index * stride) % self.ring.len()][self.ring_data_at..]
        });
        let chunks = ring.chain([&tail[..]]);
        let digest = |algorithm: &Algorithm| AlgorithmDigest {
            algorithm: algorithms::number(*algorithm),
            digest: algorithms::digest(*algorithm, chunks.clone()).into(),
        };
        let digests: Vec<_> = self.algorithms.iter().map(digest).collect();
        let mut expected = digests.clone();
        if self.built % 16 == 15 {
            // A server that always answers MATCH must not pass. The wrong digest rotates.
            let turn = self.built / 16;
            let digest = &mut expected[turn % digests.len()].digest;
            let mut wrong = digest.to_vec();
            let byte = turn % wrong.len();
            wrong[byte] ^= 0x10;
            *digest = wrong.into();
        }
        self.built += 1;

        Arc::new(Part {
            last: self.last_message(tail.clone(), &expected, ring_messages == 0),
            heads: Arc::clone(&self.heads),
            ring: Arc::clone(&self.ring),
            start,
            stride,
            ring_messages,
            chunk_bytes: self.chunk_bytes,
            size_bytes,
            digests,
            expected,
        })
    }

    /// The last message of a part. A half-close ends the part too, so `last` is only set if more
    /// parts follow, or if the part is empty.
    fn last_message(&self, data: Bytes, expected: &[AlgorithmDigest], is_first: bool) -> Bytes {
        let last = self.mark_last || data.is_empty();
        let open = self.open.clone().filter(|_| is_first);
        let expected = match self.rpc {
            Rpc::Digest => &[],
            Rpc::Verify => expected,
        };
        // Without expected digests it is the same as a DigestRequest.
        frame(&VerifyRequest {
            open,
            last,
            data,
            expected: expected.to_vec(),
            ..Default::default()
        })
    }
}

fn random_bytes(rng: &mut SmallRng, len: usize) -> Bytes {
    let mut data = vec![0; len];
    rng.fill_bytes(&mut data);
    data.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use crate::grpc::PREFIX_BYTES;
    use clap::Parser as _;
    use prost::Message as _;

    fn load(flags: &str) -> LoadArgs {
        let line = std::iter::once("x").chain(flags.split_whitespace());
        Cli::try_parse_from(line).unwrap().run.load
    }

    /// Decodes a part's messages as a server does; returns its data and its algorithms.
    fn data_of(part: &Part) -> (Vec<u8>, Vec<i32>, VerifyRequest) {
        let mut data = Vec::new();
        let mut algorithms = Vec::new();
        let mut final_message = VerifyRequest::default();
        for index in 0..part.messages() {
            let wire = part.message(index);
            let len = u32::from_be_bytes(wire[1..5].try_into().unwrap()) as usize;
            assert_eq!((wire[0], len), (0, wire.len() - PREFIX_BYTES));
            let message = VerifyRequest::decode(&wire[PREFIX_BYTES..]).unwrap();
            assert_eq!(message.data.len() as u64, part.message_bytes(index));
            assert!(
                !message.last || index + 1 == part.messages(),
                "last before the end"
            );
            data.extend_from_slice(&message.data);
            if let Some(open) = &message.open {
                assert_eq!(index, 0, "options after the first message");
                algorithms.clone_from(&open.algorithms);
            }
            final_message = message;
        }
        (data, algorithms, final_message)
    }

    #[test]
    fn messages_decode_to_the_bytes_that_were_hashed() {
        for flags in [
            "--part-size 0,1,63,64,65,4095,4096,4097,8192,70000 --chunk-size 4096",
            "--part-size 1..5000 --chunk-size 1",
            "--part-size 1000 --chunk-size 1MiB --rpc verify --parts-per-stream 3",
            "--part-size 0,1,4096,70000 --chunk-size 4096 --algorithm md5,crc64nvme,sha256",
            "--part-size 1..5000 --chunk-size 100 --rpc verify --algorithm sha512",
        ] {
            let load = load(flags);
            let payload = Payload::build(&load, true).unwrap();
            for part in payload.parts.iter().chain(&payload.openers) {
                let (data, algorithms, last) = data_of(part);
                assert_eq!(data.len() as u64, part.size_bytes);
                let asked = load.algorithms.iter().map(|name| algorithms::number(*name));
                assert!(asked.eq(algorithms), "{flags}");
                let wanted = algorithms::wanted(&load.algorithms).unwrap();
                assert_eq!(part.digests.len(), wanted.len());
                for (digest, algorithm) in part.digests.iter().zip(wanted) {
                    let mut hasher = hashlane_engine::Hasher::new(algorithm);
                    hasher.update(&data);
                    assert_eq!(digest.digest[..], *hasher.finalize(), "{algorithm}");
                    assert_eq!(digest.algorithm, algorithms::number(algorithm));
                }
                if load.rpc == Rpc::Verify {
                    assert_eq!(last.expected, part.expected);
                    assert_eq!(last.last, load.parts_per_stream > 1 || data.is_empty());
                } else {
                    assert_eq!(last.last, data.is_empty());
                }
            }
        }
    }

    #[test]
    fn parts_of_one_size_differ() {
        let payload = Payload::build(&load("--part-size 256KiB"), false).unwrap();
        let digests: std::collections::HashSet<_> = payload
            .parts
            .iter()
            .map(|part| part.digests[0].digest.clone())
            .collect();
        assert_eq!(digests.len(), payload.parts.len());
        assert_eq!(payload.parts.len(), PARTS_MAX);
    }

    #[test]
    fn the_seed_decides_everything() {
        let digests = |flags: &str| -> Vec<_> {
            Payload::build(&load(flags), false)
                .unwrap()
                .parts
                .iter()
                .map(|part| part.digests[0].digest.clone())
                .collect()
        };
        let one = digests("--part-size 1..4KiB --seed 1");
        assert_eq!(one, digests("--part-size 1..4KiB --seed 1"));
        assert_ne!(one, digests("--part-size 1..4KiB --seed 2"));
    }

    #[test]
    fn some_expectations_are_wrong_and_most_are_right() {
        for flags in ["", "--algorithm md5,crc32"] {
            let load = load(&format!("--part-size 100 --rpc verify {flags}"));
            let payload = Payload::build(&load, false).unwrap();
            let wrong = |part: &&Arc<Part>| part.expected != part.digests;
            let wrong: Vec<_> = payload.parts.iter().filter(wrong).collect();
            assert_eq!(wrong.len(), payload.parts.len() / 16);
            // Every algorithm is wrong in some parts, one at a time.
            for index in 0..payload.parts[0].digests.len() {
                let differs = |part: &&&Arc<Part>| part.expected[index] != part.digests[index];
                let share = wrong.iter().filter(differs).count();
                assert_eq!(share, wrong.len() / payload.parts[0].digests.len());
            }
        }
    }

    #[test]
    fn log_uniform_sizes_fill_their_range() {
        let load = load("--part-size 1KiB..1MiB");
        let mut rng = SmallRng::seed_from_u64(3);
        let sizes = part_sizes(&load.part_size, load.chunk_size, &mut rng);
        assert_eq!(sizes.len(), PARTS_MAX);
        assert!(sizes.iter().all(|size| (1024..=1 << 20).contains(size)));
        // Half of the logarithms are below the middle, 32 KiB.
        let low = sizes.iter().filter(|size| **size < 32 << 10).count();
        assert!((96..=160).contains(&low), "{low} of 256 are below 32 KiB");
    }

    #[test]
    fn long_parts_are_few() {
        let mut rng = SmallRng::seed_from_u64(3);
        assert_eq!(
            part_sizes(&PartSizes::List(vec![8 << 20]), 65_536, &mut rng).len(),
            64
        );
        assert_eq!(
            part_sizes(&PartSizes::List(vec![5 << 30]), 65_536, &mut rng).len(),
            2
        );
        assert_eq!(
            part_sizes(&PartSizes::List(vec![1 << 20]), 16 << 20, &mut rng).len(),
            4
        );
    }
}
