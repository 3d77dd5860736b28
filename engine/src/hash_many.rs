//! Whole messages in memory, hashed as one batch.

use std::sync::OnceLock;

use crate::{
    backend::Backend,
    batch::{self, Message, Messages},
    crossover::Crossover,
    kernel::BLOCK_BYTES,
    lanes::{FOOT, Lanes, Run, STAGE_BYTES},
    occupancy::Occupancy,
    padding::{Digest, pad, pad_block},
};

/// A message shorter than this is copied to the staging buffer and padded there.
/// From here on only its last block is.
const DIRECT_BYTES_MIN: usize = 256;

/// The crossover of this process, measured by whoever needs it first.
pub(crate) fn crossover() -> Crossover {
    static CROSSOVER: OnceLock<Crossover> = OnceLock::new();
    CROSSOVER
        .get_or_init(|| Crossover::calibrate(&Backend::detect()))
        .clone()
}

/// SHA-256 of each message, in input order, on this thread.
///
/// The first call of a process times the kernels (5 to 10 ms).
///
/// ```
/// let digests = hashlane_engine::hash_many(&[b"abc", b"", b"hello world"]);
/// assert_eq!(digests[0][..4], [0xba, 0x78, 0x16, 0xbf]);
/// assert_eq!(digests[1][..4], [0xe3, 0xb0, 0xc4, 0x42]);
/// ```
///
/// # Panics
/// If there are 2^32 messages or more.
#[must_use]
pub fn hash_many(messages: &[&[u8]]) -> Vec<Digest> {
    Batch::new(crossover()).hash(messages)
}

/// [`hash_many`] with a crossover of the caller's choice; warm lanes are used again.
pub struct Batch {
    crossover: Crossover,
    lanes: Lanes<Message>,
    /// Messages in the order they start, last first.
    order: Vec<u32>,
}

impl Batch {
    /// A batch that chooses kernels by `crossover`.
    #[must_use]
    pub fn new(crossover: Crossover) -> Self {
        Self {
            crossover,
            lanes: Lanes::new(STAGE_BYTES),
            order: Vec::new(),
        }
    }

    /// SHA-256 of each message, in input order.
    ///
    /// # Panics
    /// If there are 2^32 messages or more.
    #[must_use]
    pub fn hash(&mut self, messages: &[&[u8]]) -> Vec<Digest> {
        let count = u32::try_from(messages.len()).expect("fewer than 2^32 messages");
        self.order.clear();
        self.order.extend(0..count);
        // Stable, and close to free where lengths are equal.
        self.order
            .sort_by_key(|index| messages[*index as usize].len());
        let mut feed = Slices {
            messages,
            order: &mut self.order,
            waiting: messages.iter().map(|message| message.len() as u64).sum(),
            digests: vec![[0; 32]; messages.len()],
        };
        batch::run(&self.crossover, &mut self.lanes, &mut feed);
        feed.digests
    }

    /// How full the lanes were, since the batch was made.
    #[must_use]
    pub fn occupancy(&self) -> &Occupancy {
        self.lanes.occupancy()
    }
}

/// Messages in memory: whole blocks are hashed where they lie.
struct Slices<'a> {
    messages: &'a [&'a [u8]],
    order: &'a mut Vec<u32>,
    /// Bytes of those in `order`.
    waiting: u64,
    digests: Vec<Digest>,
}

impl Slices<'_> {
    /// What follows the message's earlier runs.
    fn rest_of(&self, message: &Message) -> &[u8] {
        let whole = self.messages[message.index as usize];
        usize::try_from(message.start).map_or(&[], |start| &whole[start..])
    }
}

impl Messages for Slices<'_> {
    #[inline]
    fn next(&mut self) -> Option<u32> {
        let index = self.order.pop()?;
        self.waiting -= self.messages[index as usize].len() as u64;
        Some(index)
    }

    #[inline]
    fn prepare(&mut self, message: &mut Message, stage: &mut [u8]) -> Run {
        let rest = self.rest_of(message);
        let length = self.messages[message.index as usize].len() as u64;
        if rest.len() < DIRECT_BYTES_MIN {
            message.last = true;
            stage[..rest.len()].copy_from_slice(rest);
            return Run::staged(pad(stage, rest.len(), length) / BLOCK_BYTES);
        }
        let (blocks, tail) = rest.as_chunks::<BLOCK_BYTES>();
        // If not, the tail and two blocks of padding are a run of their own.
        let foot = pad_block(&mut stage[FOOT], tail, length);
        message.last = foot;
        Run {
            blocks: blocks.len() + usize::from(foot),
            foot,
            ..Run::direct(0)
        }
    }

    #[inline]
    fn direct(&self, message: &Message) -> &[u8] {
        self.rest_of(message)
    }

    #[inline]
    fn rest(&self, message: &Message) -> u64 {
        self.rest_of(message).len() as u64
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
    fn finish(&mut self, index: u32, digest: Digest) {
        self.digests[index as usize] = digest;
    }
}
