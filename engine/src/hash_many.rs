//! Hashes whole messages in memory as one batch.

use crate::{
    algorithm::{Algorithm, Method},
    batch::{self, DIRECT_BYTES_MIN, Messages},
    digest::Digest,
    kernel::{Compression, Family, Md5, Sha1, Sha256, Sha512, State},
    schedule::{Crossover, Lanes, Occupancy, crossover},
};

/// Hashes messages on this thread. Returns their digests in input order.
///
/// The first call of a process for an algorithm times its kernels (5 to 10 ms).
///
/// ```
/// use hashlane_engine::{Algorithm, hash_many};
///
/// let digests = hash_many(Algorithm::Sha256, &[b"abc", b"", b"hello world"]);
/// assert_eq!(digests[0][..4], [0xba, 0x78, 0x16, 0xbf]);
/// assert_eq!(digests[1][..4], [0xe3, 0xb0, 0xc4, 0x42]);
/// ```
///
/// # Panics
/// If there are 2^32 messages or more.
#[must_use]
pub fn hash_many(algorithm: Algorithm, messages: &[&[u8]]) -> Vec<Digest> {
    Batch::new(crossover(), algorithm).hash(messages)
}

/// The lanes of the algorithm's compression.
enum AnyLanes {
    Sha256(Lanes<Sha256>),
    Sha512(Lanes<Sha512>),
    Sha1(Lanes<Sha1>),
    Md5(Lanes<Md5>),
    None,
}

impl AnyLanes {
    fn new(algorithm: Algorithm) -> Self {
        match algorithm.method() {
            Method::Sha256(_) => Self::Sha256(Lanes::new(DIRECT_BYTES_MIN)),
            Method::Sha512(_) => Self::Sha512(Lanes::new(DIRECT_BYTES_MIN)),
            Method::Sha1(_) => Self::Sha1(Lanes::new(DIRECT_BYTES_MIN)),
            Method::Md5(_) => Self::Md5(Lanes::new(DIRECT_BYTES_MIN)),
            Method::Sink(_) => Self::None,
        }
    }
}

/// [`hash_many`] with a given crossover. Warm lanes are reused.
pub struct Batch {
    crossover: Crossover,
    algorithm: Algorithm,
    lanes: AnyLanes,
    occupancy: Occupancy,
    /// Messages in the reverse of their starting order.
    order: Vec<u32>,
}

impl Batch {
    /// A batch that chooses kernels by `crossover`.
    #[must_use]
    pub fn new(crossover: Crossover, algorithm: Algorithm) -> Self {
        Self {
            crossover,
            algorithm,
            lanes: AnyLanes::new(algorithm),
            occupancy: Occupancy::new(),
            order: Vec::new(),
        }
    }

    /// Hashes messages. Returns their digests in input order.
    ///
    /// # Panics
    /// If there are 2^32 messages or more.
    #[must_use]
    pub fn hash(&mut self, messages: &[&[u8]]) -> Vec<Digest> {
        let mut digests = vec![Digest::zero(self.algorithm.digest_bytes()); messages.len()];
        self.run(messages, Out::Digests(&mut digests));
        digests
    }

    /// Hashes messages and writes the digests to `digests`, one after another in input order, each
    /// of [`Algorithm::digest_bytes`] bytes.
    ///
    /// ```
    /// use hashlane_engine::{Algorithm, Backend, Batch, Crossover};
    ///
    /// let mut batch = Batch::new(Crossover::new(Backend::detect()), Algorithm::Crc32);
    /// let mut digests = [0; 2 * 4];
    /// batch.hash_into(&[b"123456789", b""], &mut digests);
    /// assert_eq!(digests, [0xcb, 0xf4, 0x39, 0x26, 0, 0, 0, 0]);
    /// ```
    ///
    /// # Panics
    /// If the length of `digests` is not that of all digests; if there are 2^32 messages or more.
    pub fn hash_into(&mut self, messages: &[&[u8]], digests: &mut [u8]) {
        let len = self.algorithm.digest_bytes();
        assert!(
            messages.len().checked_mul(len) == Some(digests.len()),
            "as many bytes as the digests have"
        );
        self.run(messages, Out::Bytes { digests, len });
    }

    fn run(&mut self, messages: &[&[u8]], out: Out<'_>) {
        let count = u32::try_from(messages.len()).expect("fewer than 2^32 messages");
        let Self {
            crossover,
            algorithm,
            lanes,
            occupancy,
            order,
        } = self;
        order.clear();
        order.extend(0..count);
        // Stable, and close to free if lengths are equal.
        order.sort_by_key(|index| messages[*index as usize].len());
        let mut slices = Slices {
            messages,
            order,
            // Messages may overlap, so their sum may exceed the memory.
            waiting: messages
                .iter()
                .fold(0, |sum, message| sum.saturating_add(message.len() as u64)),
            out,
        };
        let plans = |family| crossover.plans(family);
        match (algorithm.method(), lanes) {
            (Method::Sha256(initial), AnyLanes::Sha256(lanes)) => {
                let plans = plans(Family::Sha256);
                batch::run(initial, plans, lanes, occupancy, &mut slices);
            }
            (Method::Sha512(initial), AnyLanes::Sha512(lanes)) => {
                let plans = plans(Family::Sha512);
                batch::run(initial, plans, lanes, occupancy, &mut slices);
            }
            (Method::Sha1(initial), AnyLanes::Sha1(lanes)) => {
                let plans = plans(Family::Sha1);
                batch::run(initial, plans, lanes, occupancy, &mut slices);
            }
            (Method::Md5(initial), AnyLanes::Md5(lanes)) => {
                let plans = plans(Family::Md5);
                batch::run(initial, plans, lanes, occupancy, &mut slices);
            }
            (Method::Sink(kind), AnyLanes::None) => batch::run_sink(kind, &mut slices),
            _ => unreachable!("the lanes are the algorithm's"),
        }
    }

    /// How full the lanes were since the batch was created.
    #[must_use]
    pub fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }
}

/// The destination of the digests, in the order of the messages.
enum Out<'a> {
    Digests(&'a mut [Digest]),
    /// Each of `len` bytes.
    Bytes {
        digests: &'a mut [u8],
        len: usize,
    },
}

/// Messages in memory, each a single chunk.
struct Slices<'a> {
    messages: &'a [&'a [u8]],
    order: &'a mut Vec<u32>,
    /// Bytes of the messages in `order`.
    waiting: u64,
    out: Out<'a>,
}

impl<'a> Messages<&'a [u8]> for Slices<'a> {
    #[inline]
    fn next(&mut self) -> Option<u32> {
        let index = self.order.pop()?;
        let bytes = self.messages[index as usize].len() as u64;
        self.waiting = self.waiting.saturating_sub(bytes);
        Some(index)
    }

    #[inline]
    fn read(&mut self, index: u32) -> (Option<&'a [u8]>, bool) {
        (Some(self.messages[index as usize]), true)
    }

    #[inline]
    fn rest(&self, _: u32) -> u64 {
        0 // all is read at once
    }

    #[inline]
    fn next_bytes(&self) -> u64 {
        let next = self.order.last();
        next.map_or(0, |index| self.messages[*index as usize].len() as u64)
    }

    #[inline]
    fn waiting(&self) -> u64 {
        self.waiting
    }

    #[inline]
    fn end<H: Compression>(&mut self, index: u32, state: &State<H::Word>) {
        match &mut self.out {
            Out::Digests(digests) => digests[index as usize].set_state::<H>(state),
            Out::Bytes { len, .. } => {
                let digest = Digest::of_state::<H>(*len, state);
                self.put(index, digest);
            }
        }
    }

    fn put(&mut self, index: u32, digest: Digest) {
        match &mut self.out {
            Out::Digests(digests) => digests[index as usize] = digest,
            Out::Bytes { digests, len } => {
                let start = index as usize * *len;
                digests[start..start + *len].copy_from_slice(&digest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Engine, Event, Hasher, kernel::Kernel, schedule::Run};

    /// A crossover with kernels so fast that a step covers the longest run.
    fn endless_steps(kernel: Kernel) -> Crossover {
        let backend = Backend::of(&[kernel]).expect("available");
        Crossover::from_costs(backend, |_| 1e-6)
    }

    /// Messages with about the maximum length of a run, some several times as long.
    fn long_messages(block_bytes: usize) -> Vec<Vec<u8>> {
        let most = Run::BLOCKS_MAX as usize * block_bytes;
        let lengths = [
            most - block_bytes,
            most - 1,
            most,
            most + 1,
            most + block_bytes - 9,
            most + 3 * block_bytes,
            2 * most,
            3 * most + 5,
        ];
        let message = |(seed, len): (usize, usize)| {
            let byte = |i: usize| ((i + 17 * seed) % 251).to_le_bytes()[0];
            (0..len).map(byte).collect()
        };
        lengths.into_iter().enumerate().map(message).collect()
    }

    fn one_by_one(algorithm: Algorithm, messages: &[Vec<u8>]) -> Vec<Digest> {
        let digest = |message: &Vec<u8>| {
            let mut hasher = Hasher::new(algorithm);
            hasher.update(message);
            hasher.finalize()
        };
        messages.iter().map(digest).collect()
    }

    const ALGORITHMS: [Algorithm; 4] = [
        Algorithm::Sha256,
        Algorithm::Sha512,
        Algorithm::Sha1,
        Algorithm::Md5,
    ];

    /// The kernels of the four families that this machine can run.
    fn kernels() -> impl Iterator<Item = (Algorithm, Kernel)> {
        let kernels = |algorithm: Algorithm| {
            let family = algorithm.family().expect("lanes");
            let kernels = Kernel::of(family).filter(|kernel| kernel.is_available());
            kernels.map(move |kernel| (algorithm, kernel))
        };
        ALGORITHMS.into_iter().flat_map(kernels)
    }

    /// A message of 2^32 blocks is longer than a run can express.
    #[test]
    fn messages_longer_than_a_run() {
        for (algorithm, kernel) in kernels() {
            let block_bytes = if kernel.family() == Family::Sha512 {
                128
            } else {
                64
            };
            let messages = long_messages(block_bytes);
            let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let digests = Batch::new(endless_steps(kernel), algorithm).hash(&slices);
            assert_eq!(digests, one_by_one(algorithm, &messages), "{kernel}");
            // A message alone, which no other message cuts into steps.
            for message in &messages {
                let digests = Batch::new(endless_steps(kernel), algorithm).hash(&[message]);
                assert_eq!(
                    digests,
                    one_by_one(algorithm, std::slice::from_ref(message))
                );
            }
        }
    }

    /// The same for chunks, with and without a tail before them.
    #[test]
    fn chunks_longer_than_a_run() {
        for (algorithm, kernel) in kernels() {
            let block_bytes = if kernel.family() == Family::Sha512 {
                128
            } else {
                64
            };
            let messages = long_messages(block_bytes);
            for first in [0, 1, 64] {
                let mut engine: Engine<&[u8]> = Engine::new(endless_steps(kernel));
                for message in &messages {
                    let part = engine.open(&[algorithm]);
                    engine.push(part, &message[..first]);
                    engine.push(part, &message[first..]);
                    engine.finish(part);
                }
                while engine.step().is_some() {}
                let mut digests = vec![None; messages.len()];
                for event in engine.take_events() {
                    if let Event::Digest { part, digest, .. } = event {
                        digests[part.index()] = Some(digest);
                    }
                }
                let digests: Vec<Digest> = digests.into_iter().flatten().collect();
                assert_eq!(digests, one_by_one(algorithm, &messages), "{kernel}");
            }
        }
    }
}
