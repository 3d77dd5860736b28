//! The parts to send: messages that are encoded once, and their digests, computed before the load
//! starts.
//!
//! ```text
//! ring   [message 0][message 1] ... [message n-1]     one full chunk each, random bytes, shared by all parts
//! heads  the same, each with the algorithms           or the ring itself if none is named
//! part   heads[start], ring[start + stride], ...      its whole chunks
//!        last message                                 unique bytes; carries `last` and `expected` where needed
//! batch  last message                                 the whole request
//! ```
//!
//! Parts differ in their start, their stride and their last message, so chunks that reach the wrong
//! part give a wrong digest. The client's memory stays at a few MiB for parts of any length.

use std::sync::Arc;

use anyhow::{Result, ensure};
use bytes::{BufMut as _, Bytes, BytesMut};
use hashlane_engine::Algorithm;
use hashlane_proto::v1::{
    AlgorithmDigest, DigestBatchRequest, DigestRequest, MemoryRange, PartOptions, VerifyRequest,
};
use prost::encoding::{WireType, encode_key, encode_varint};
use rand::distr::Distribution as _;
use rand::distr::weighted::WeightedIndex;
use rand::rngs::SmallRng;
use rand::{Rng as _, RngCore as _, SeedableRng as _};

use super::algorithms;
use super::mix::{Class, Mix};
use super::sizes::PartSizes;
use crate::args::{LoadArgs, Rpc};
use crate::driver::{Right, Space};
use crate::protocol::grpc::{PREFIX_BYTES, frame};
use crate::results::whole;

/// Bytes of data in the ring, unless a few chunks are longer. A ring that fits into a core's L2
/// costs the server's caches little.
const RING_BYTES: usize = 1 << 20;

/// Maximum of messages in the ring; short chunks need no more to differ.
const RING_MESSAGES_MAX: usize = 4096;

/// Maximum of distinct parts, unless the sizes are more.
const PARTS_MAX: usize = 256;

/// Bytes hashed at start-up, if that gives enough parts: some 0.3 s.
const HASH_BYTES: u64 = 512 << 20;

/// Bytes held in the parts' last messages.
const LAST_BYTES: usize = 64 << 20;

/// Distinct corrupted parts of a class.
const CORRUPTED_PARTS: usize = 16;

/// The share of corrupted parts among those to verify, unless it is given. A server that always
/// answers MATCH must not pass.
pub(crate) const CORRUPTED_SHARE: f64 = 1.0 / 16.0;

/// Maximum of a batch: blobs, distinct requests, and bytes unless one blob is longer.
const BATCH_BLOBS: usize = 16;
const BATCH_PARTS: usize = 16;
const BATCH_BYTES: u64 = 1 << 20;

/// The number of the field `part` in requests.
const PART_FIELD: u32 = 1;

/// One part, or one batch: its messages and its digests.
#[derive(Clone, Debug)]
pub(crate) struct PreparedPart {
    pub(crate) rpc: Rpc,
    /// The index of its class.
    pub(crate) class: usize,
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
    /// The digests of the data, in the order of the request; of a batch, blob after blob.
    digests: Vec<AlgorithmDigest>,
    /// The digests that Verify expects: `digests`, unless the part is corrupted.
    expected: Vec<AlgorithmDigest>,
}

impl PreparedPart {
    /// What a right answer says.
    pub(crate) fn right(&self) -> Right<'_> {
        Right {
            part: 0,
            size_bytes: self.size_bytes,
            digests: &self.digests,
            expected: &self.expected,
        }
    }

    /// Whether a right answer is a mismatch.
    pub(crate) fn is_corrupted(&self) -> bool {
        self.rpc == Rpc::Verify && self.expected != self.digests
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

    /// The same for part `number` of a call. Copies it: fields may come in any order, and the
    /// number goes first.
    pub(crate) fn numbered_message(&self, index: usize, number: u64) -> Bytes {
        let message = self.message(index);
        let mut numbered = BytesMut::with_capacity(message.len() + 11);
        numbered.put_bytes(0, PREFIX_BYTES);
        encode_key(PART_FIELD, WireType::Varint, &mut numbered);
        encode_varint(number, &mut numbered);
        numbered.extend_from_slice(&message[PREFIX_BYTES..]);
        let bytes = u32::try_from(numbered.len() - PREFIX_BYTES).expect("16 MiB at most");
        numbered[1..PREFIX_BYTES].copy_from_slice(&bytes.to_be_bytes());
        numbered.freeze()
    }

    /// Whether message `index` names its data, which is in shared memory: then the message is
    /// shorter than its data.
    pub(crate) fn is_in_memory(&self, index: usize) -> bool {
        self.rpc != Rpc::Batch && (self.message(index).len() as u64) < self.message_bytes(index)
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
    parts: Vec<Arc<PreparedPart>>,
    /// How often each is picked.
    shares: WeightedIndex<f64>,
    openers: Vec<Arc<PreparedPart>>,
}

impl Payload {
    /// Builds the parts of `load`, with openers if starts are to be spread.
    ///
    /// # Errors
    /// `load` names an algorithm twice.
    pub(crate) fn build(load: &LoadArgs, spread_starts: bool) -> Result<Self> {
        let classes = [Class::of(load)];
        let mut payload = Self::of_classes(load, &classes, CORRUPTED_SHARE, &Space::default())?;
        if spread_starts {
            let mut builder = Builder::new(load, load.rpc, &load.algorithms, 0, Space::default())?;
            payload.openers = builder.openers(load.part_size.max_bytes());
        }
        Ok(payload)
    }

    /// Builds the parts of a mix, with this share of corrupted parts among those to verify, and
    /// their data in `space` as far as that takes it.
    ///
    /// # Errors
    /// A class names an algorithm twice, or parts shall be corrupted and none is verified.
    pub(crate) fn mixed(
        load: &LoadArgs,
        mix: &Mix,
        corrupted_share: Option<f64>,
        space: &Space,
    ) -> Result<Self> {
        let verifies = mix.classes.iter().any(|class| class.rpc == Rpc::Verify);
        ensure!(
            verifies || corrupted_share.is_none(),
            "--corrupt needs parts to verify: --rpc verify, or a class verify in --mix"
        );
        let share = corrupted_share.unwrap_or(CORRUPTED_SHARE);
        Self::of_classes(load, &mix.classes, share, space)
    }

    fn of_classes(
        load: &LoadArgs,
        classes: &[Class],
        corrupted_share: f64,
        space: &Space,
    ) -> Result<Self> {
        let (mut parts, mut weights) = (Vec::new(), Vec::new());
        for (index, class) in classes.iter().enumerate() {
            let space = match class.rpc {
                // A request carries its blobs.
                Rpc::Batch => Space::default(),
                _ => space.clone(),
            };
            let mut builder = Builder::new(load, class.rpc, &class.algorithms, index, space)?;
            let pool = builder.pool(&load.part_size, corrupted_share)?;
            let sum: f64 = pool.iter().map(|(_, weight)| weight).sum();
            for (part, weight) in pool {
                parts.push(part);
                weights.push(class.weight * weight / sum);
            }
        }
        Ok(Self {
            parts,
            shares: WeightedIndex::new(weights)?,
            openers: Vec::new(),
        })
    }

    /// A random part.
    pub(crate) fn pick(&self, rng: &mut SmallRng) -> &Arc<PreparedPart> {
        &self.parts[self.shares.sample(rng)]
    }

    /// The first part of stream `stream` if starts are spread. Openers have different lengths up to
    /// the longest, so that streams that started together do not end together.
    pub(crate) fn opener(&self, stream: usize) -> Option<&Arc<PreparedPart>> {
        let index = stream.checked_rem(self.openers.len())?;
        self.openers.get(index)
    }
}

/// How many distinct parts to build.
fn distinct_parts(sizes: &PartSizes, chunk_bytes: usize) -> usize {
    let mean_bytes = whole::<u64>(sizes.mean_bytes()).max(1);
    let by_hashing = usize::try_from(HASH_BYTES / mean_bytes).unwrap_or(PARTS_MAX);
    by_hashing.min(LAST_BYTES / chunk_bytes).clamp(2, PARTS_MAX)
}

/// Builds the parts of a class from one ring.
pub(crate) struct Builder {
    rng: SmallRng,
    algorithms: Vec<Algorithm>,
    /// The options in a part's first message, if it has any.
    open: Option<PartOptions>,
    /// The data of every ring message.
    chunks: Vec<Bytes>,
    space: Space,
    mark_last: bool,
    /// What all parts have in common.
    blank: PreparedPart,
}

impl Builder {
    pub(crate) fn new(
        load: &LoadArgs,
        rpc: Rpc,
        named: &[Algorithm],
        class: usize,
        space: Space,
    ) -> Result<Self> {
        let algorithms = algorithms::wanted(named)?;
        // Messages without algorithms mean SHA-256, and are the cheapest.
        let numbers = algorithms.iter().map(|name| algorithms::number(*name));
        let open = (!named.is_empty()).then(|| PartOptions {
            algorithms: numbers.collect(),
            size_bytes: None,
        });
        let mut rng = SmallRng::seed_from_u64(load.seed.wrapping_add(class as u64));
        let count = (RING_BYTES / load.chunk_size).clamp(4, RING_MESSAGES_MAX);
        let chunks: Vec<_> = (0..count)
            .map(|_| random_bytes(&mut rng, load.chunk_size))
            .collect();
        let ranges: Vec<_> = chunks.iter().map(|data| space.place(data)).collect();
        let messages = |open: Option<&PartOptions>| {
            let message = |(data, memory): (&Bytes, &Option<MemoryRange>)| {
                frame(&DigestRequest {
                    open: open.cloned(),
                    data: carried(data, *memory),
                    memory: *memory,
                    ..Default::default()
                })
            };
            chunks.iter().zip(&ranges).map(message).collect()
        };
        let ring: Arc<[Bytes]> = messages(None);
        let heads = match &open {
            None => Arc::clone(&ring),
            open => messages(open.as_ref()),
        };
        Ok(Self {
            chunks,
            space,
            rng,
            algorithms,
            open,
            mark_last: load.parts_per_stream > 1 || rpc == Rpc::Multiplexed,
            blank: PreparedPart {
                rpc,
                class,
                heads,
                ring,
                start: 0,
                stride: 1,
                ring_messages: 0,
                last: Bytes::new(),
                chunk_bytes: load.chunk_size,
                size_bytes: 0,
                digests: Vec::new(),
                expected: Vec::new(),
            },
        })
    }

    /// The parts of a class, and how often each is picked.
    fn pool(
        &mut self,
        sizes: &PartSizes,
        corrupted_share: f64,
    ) -> Result<Vec<(Arc<PreparedPart>, f64)>> {
        let rpc = self.blank.rpc;
        let count = match rpc {
            Rpc::Batch => BATCH_PARTS * BATCH_BLOBS,
            _ => distinct_parts(sizes, self.blank.chunk_bytes),
        };
        let sizes = sizes.distinct(count, &mut self.rng);
        let shares = WeightedIndex::new(sizes.iter().map(|(_, weight)| weight))?;
        let size = |rng: &mut SmallRng| sizes[shares.sample(rng)].0;
        if rpc == Rpc::Batch {
            let batches = (0..BATCH_PARTS).map(|_| (self.batch(BATCH_BLOBS, size), 1.0));
            return Ok(batches.collect());
        }
        let corrupted_share = if rpc == Rpc::Verify {
            corrupted_share
        } else {
            0.0
        };
        let whole = sizes.iter();
        let whole =
            whole.map(|&(size, weight)| (self.part(size, None), weight * (1.0 - corrupted_share)));
        let mut pool: Vec<_> = whole.collect();
        if corrupted_share > 0.0 {
            let weight = shares.total_weight() * corrupted_share / CORRUPTED_PARTS as f64;
            pool.extend((0..CORRUPTED_PARTS).map(|turn| {
                let size = size(&mut self.rng);
                (self.part(size, Some(turn)), weight)
            }));
        }
        Ok(pool)
    }

    /// Parts of sixteenths of the longest part, in an order that mixes short and long ones; of
    /// batches those with sixteenths of the blobs.
    fn openers(&mut self, longest: u64) -> Vec<Arc<PreparedPart>> {
        // Hashing them takes time too: half a GiB for all sixteen.
        let longest = longest.min(64 << 20);
        let sixteenths = (0..16_u64).map(|index| index * 7 % 16 + 1);
        let opener = |sixteenths| match self.blank.rpc {
            Rpc::Batch => self.batch(BATCH_BLOBS * as_length(sixteenths) / 16, |_| longest),
            _ => self.part(longest / 16 * sixteenths, None),
        };
        sixteenths.map(opener).collect()
    }

    /// A request of up to `blobs_max` blobs of these sizes.
    fn batch(
        &mut self,
        blobs_max: usize,
        size: impl Fn(&mut SmallRng) -> u64,
    ) -> Arc<PreparedPart> {
        let (mut blobs, mut size_bytes) = (Vec::new(), 0);
        while blobs.len() < blobs_max {
            let blob_bytes = size(&mut self.rng).min(BATCH_BYTES);
            if !blobs.is_empty() && size_bytes + blob_bytes > BATCH_BYTES {
                break;
            }
            size_bytes += blob_bytes;
            blobs.push(random_bytes(&mut self.rng, as_length(blob_bytes)));
        }
        let digests = blobs
            .iter()
            .flat_map(|blob| self.digests([&blob[..]].into_iter()));
        let digests: Vec<_> = digests.collect();
        let numbers = self.algorithms.iter().map(|name| algorithms::number(*name));
        let request = frame(&DigestBatchRequest {
            algorithms: numbers.collect(),
            blobs,
        });
        Arc::new(PreparedPart {
            last: request,
            size_bytes,
            expected: digests.clone(),
            digests,
            ..self.blank.clone()
        })
    }

    fn digests<'a>(&self, chunks: impl Iterator<Item = &'a [u8]> + Clone) -> Vec<AlgorithmDigest> {
        let digest = |algorithm: &Algorithm| AlgorithmDigest {
            algorithm: algorithms::number(*algorithm),
            digest: algorithms::digest(*algorithm, chunks.clone()).into(),
        };
        self.algorithms.iter().map(digest).collect()
    }

    /// A part of this size. Of the corrupted ones, by their number, every second one has other data
    /// than expected; the others have one wrong expected digest, of each algorithm in turn.
    pub(crate) fn part(&mut self, size_bytes: u64, corrupted: Option<usize>) -> Arc<PreparedPart> {
        let chunk_bytes = self.blank.chunk_bytes as u64;
        let ring_messages = as_length(size_bytes.saturating_sub(1) / chunk_bytes);
        let tail_bytes = size_bytes - ring_messages as u64 * chunk_bytes;
        let start = self.rng.random_range(0..self.chunks.len());
        // Odd, so that it visits every message of a ring whose length is a power of two.
        let stride = 1 + 2 * self.rng.random_range(0..8);
        let mut tail = random_bytes(&mut self.rng, as_length(tail_bytes));

        let digests_with = |tail: &[u8]| {
            let ring = (0..ring_messages)
                .map(|index| &self.chunks[(start + index * stride) % self.chunks.len()][..]);
            self.digests(ring.chain([tail]))
        };
        let mut expected = digests_with(&tail);
        let mut digests = expected.clone();
        match corrupted {
            Some(turn) if turn % 2 == 0 && !tail.is_empty() => {
                tail = flipped(&tail, turn);
                digests = digests_with(&tail);
            }
            Some(turn) => {
                let turn = turn / 2;
                let digest = &mut expected[turn % digests.len()].digest;
                *digest = flipped(digest, turn);
            }
            None => {}
        }
        Arc::new(PreparedPart {
            last: self.last_message(tail, &expected, ring_messages == 0),
            start,
            stride,
            ring_messages,
            size_bytes,
            digests,
            expected,
            ..self.blank.clone()
        })
    }

    /// The last message of a part. A half-close ends the part too, so `last` is only set if more
    /// parts follow, or if the part is empty.
    fn last_message(&self, data: Bytes, expected: &[AlgorithmDigest], is_first: bool) -> Bytes {
        let last = self.mark_last || data.is_empty();
        let open = self.open.clone().filter(|_| is_first);
        let expected = match self.blank.rpc {
            Rpc::Verify => expected,
            _ => &[],
        };
        let memory = self.space.place(&data);
        // Without expected digests it is the same as a DigestRequest.
        frame(&VerifyRequest {
            open,
            last,
            data: carried(&data, memory),
            memory,
            expected: expected.to_vec(),
            ..Default::default()
        })
    }
}

/// What a message carries of `data`: nothing if it names `memory`.
fn carried(data: &Bytes, memory: Option<MemoryRange>) -> Bytes {
    memory.map_or_else(|| data.clone(), |_| Bytes::new())
}

/// The same but for a bit.
fn flipped(data: &[u8], turn: usize) -> Bytes {
    let mut flipped = data.to_vec();
    flipped[turn % data.len()] ^= 0x10;
    flipped.into()
}

/// A number of bytes or messages in memory; what does not fit fails to be allocated.
fn as_length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
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
    use clap::Parser as _;
    use prost::Message as _;

    fn load(flags: &str) -> LoadArgs {
        let line = std::iter::once("x").chain(flags.split_whitespace());
        Cli::try_parse_from(line).unwrap().run.load
    }

    /// Decodes a part's messages as a server does; returns its data and its algorithms.
    fn data_of(part: &PreparedPart) -> (Vec<u8>, Vec<i32>, VerifyRequest) {
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

    fn all_parts(payload: &Payload) -> impl Iterator<Item = &Arc<PreparedPart>> {
        payload.parts.iter().chain(&payload.openers)
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
            for part in all_parts(&payload) {
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
        let parts = &payload.parts;
        let digests: std::collections::HashSet<_> = parts
            .iter()
            .map(|part| part.digests[0].digest.clone())
            .collect();
        assert_eq!(digests.len(), parts.len());
        assert_eq!(parts.len(), PARTS_MAX);
    }

    #[test]
    fn the_seed_decides_everything() {
        let digests = |flags: &str| -> Vec<_> {
            let payload = Payload::build(&load(flags), false).unwrap();
            all_parts(&payload)
                .map(|part| part.digests[0].digest.clone())
                .collect()
        };
        let one = digests("--part-size 1..4KiB --seed 1");
        assert_eq!(one, digests("--part-size 1..4KiB --seed 1"));
        assert_ne!(one, digests("--part-size 1..4KiB --seed 2"));
    }

    #[test]
    fn corrupted_parts_have_their_share_and_every_algorithm_its_turn() {
        let mut rng = SmallRng::seed_from_u64(5);
        for flags in ["", "--algorithm md5,crc32"] {
            let load = load(&format!("--part-size 100 --rpc verify {flags}"));
            let payload = Payload::build(&load, false).unwrap();
            let parts = payload.parts.iter();
            let corrupted: Vec<_> = parts.filter(|part| part.is_corrupted()).collect();
            assert_eq!(corrupted.len(), CORRUPTED_PARTS);
            let (data, expectation): (Vec<_>, Vec<_>) = corrupted
                .iter()
                .enumerate()
                .partition(|(turn, _)| turn % 2 == 0);
            // Other data gives other digests; a wrong expectation is wrong in one of them.
            for (index, digest) in corrupted[0].digests.iter().enumerate() {
                let differs = |part: &&(usize, &&Arc<PreparedPart>)| {
                    part.1.expected[index] != part.1.digests[index]
                };
                assert_eq!(data.iter().filter(differs).count(), data.len());
                let share = expectation.iter().filter(differs).count();
                assert_eq!(
                    share,
                    expectation.len() / corrupted[0].digests.len(),
                    "{digest:?}"
                );
            }
            let picks = (0..16_000).filter(|_| payload.pick(&mut rng).is_corrupted());
            let count = picks.count();
            assert!((800..1200).contains(&count), "{count} of 16,000");
        }
        let mix = |text: &str| text.parse::<Mix>().unwrap();
        let plain = load("--part-size 100");
        assert!(Payload::mixed(&plain, &mix("digest=1"), Some(0.1), &Space::default()).is_err());
        let all = Payload::mixed(&plain, &mix("verify=1"), Some(1.0), &Space::default()).unwrap();
        assert!((0..1000).all(|_| all.pick(&mut rng).is_corrupted()));
        let none = Payload::mixed(&plain, &mix("verify=1"), Some(0.0), &Space::default()).unwrap();
        assert!((0..1000).all(|_| !none.pick(&mut rng).is_corrupted()));
    }

    #[test]
    fn classes_and_sizes_are_picked_by_weight() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "10,3\n20,1\n").unwrap();
        let load = load(&format!("--sizes histogram:{}", file.path().display()));
        let mix = "digest=3,batch:md5=1,multiplexed=0".parse().unwrap();
        let payload = Payload::mixed(&load, &mix, None, &Space::default()).unwrap();
        let mut rng = SmallRng::seed_from_u64(5);
        let picks: Vec<_> = (0..40_000).map(|_| payload.pick(&mut rng)).collect();
        let count = |is: fn(&PreparedPart) -> bool| picks.iter().filter(|part| is(part)).count();
        let batches = count(|part| part.rpc == Rpc::Batch);
        let short = count(|part| part.rpc == Rpc::Digest && part.size_bytes == 10);
        assert!((9_500..10_500).contains(&batches), "{batches}");
        assert!((22_000..23_000).contains(&short), "{short}");
        assert_eq!(count(|part| part.rpc == Rpc::Multiplexed), 0);
    }

    #[test]
    fn batches_and_numbered_messages_decode() {
        let load = load("--sizes 100,300KiB --chunk-size 1000");
        let mix = "batch:md5+sha256=1,multiplexed=1".parse().unwrap();
        let payload = Payload::mixed(&load, &mix, None, &Space::default()).unwrap();
        for part in payload.parts.iter().filter(|part| part.class == 0) {
            let request = DigestBatchRequest::decode(&part.message(0)[PREFIX_BYTES..]).unwrap();
            let bytes: usize = request.blobs.iter().map(Bytes::len).sum();
            assert_eq!(part.size_bytes, bytes as u64);
            assert_eq!(part.digests.len(), 2 * request.blobs.len());
            assert!(bytes <= 1 << 20 && request.blobs.len() <= BATCH_BLOBS);
            let first = algorithms::digest(Algorithm::Md5, [&request.blobs[0][..]].into_iter());
            assert_eq!(part.digests[0].digest, first);
        }
        for part in payload.parts.iter().filter(|part| part.class == 1) {
            let last = part.messages() - 1;
            for index in [0, last] {
                let wire = part.numbered_message(index, 70_000);
                let len = u32::from_be_bytes(wire[1..5].try_into().unwrap()) as usize;
                assert_eq!((wire[0], len), (0, wire.len() - PREFIX_BYTES));
                let message = DigestRequest::decode(&wire[PREFIX_BYTES..]).unwrap();
                assert_eq!((message.part, message.last), (70_000, index == last));
                assert_eq!(message.data.len() as u64, part.message_bytes(index));
            }
        }
    }

    #[test]
    fn the_first_batch_of_a_stream_is_one_too() {
        let load = load("--part-size 1000 --rpc batch");
        let payload = Payload::build(&load, true).unwrap();
        let lengths = payload.openers.iter().map(|part| {
            let request = DigestBatchRequest::decode(&part.message(0)[PREFIX_BYTES..]).unwrap();
            let bytes: usize = request.blobs.iter().map(Bytes::len).sum();
            assert_eq!((part.size_bytes, part.messages()), (bytes as u64, 1));
            request.blobs.len()
        });
        let lengths: std::collections::BTreeSet<_> = lengths.collect();
        assert_eq!(lengths, (1..=BATCH_BLOBS).collect());
    }

    #[test]
    fn long_parts_are_few() {
        for (sizes, chunk_bytes, count) in [
            ("8MiB", 65_536, 64),
            ("5GiB", 65_536, 2),
            ("1MiB", 16 << 20, 4),
        ] {
            assert_eq!(distinct_parts(&sizes.parse().unwrap(), chunk_bytes), count);
        }
    }
}
