//! Whole messages in memory, hashed as one batch.

use crate::{
    algorithm::{Algorithm, Method},
    batch::{self, Messages},
    digest::Digest,
    kernel::{Family, Md5, Sha1, Sha256, Sha512},
    schedule::{Crossover, Lanes, Occupancy, crossover},
};

/// The digest of each message, in input order, on this thread.
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
            Method::Sha256(_) => Self::Sha256(Lanes::new()),
            Method::Sha512(_) => Self::Sha512(Lanes::new()),
            Method::Sha1(_) => Self::Sha1(Lanes::new()),
            Method::Md5(_) => Self::Md5(Lanes::new()),
            Method::Sink(_) => Self::None,
        }
    }
}

/// [`hash_many`] with a crossover of the caller's choice; warm lanes are used again.
pub struct Batch {
    crossover: Crossover,
    algorithm: Algorithm,
    lanes: AnyLanes,
    occupancy: Occupancy,
    /// Messages in the order they start, last first.
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

    /// The digest of each message, in input order.
    ///
    /// # Panics
    /// If there are 2^32 messages or more.
    #[must_use]
    pub fn hash(&mut self, messages: &[&[u8]]) -> Vec<Digest> {
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
        // Stable, and close to free where lengths are equal.
        order.sort_by_key(|index| messages[*index as usize].len());
        let none = Digest::zero(algorithm.digest_bytes());
        let mut slices = Slices {
            messages,
            order,
            waiting: messages.iter().map(|message| message.len() as u64).sum(),
            digests: vec![none; messages.len()],
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
        slices.digests
    }

    /// How full the lanes were, since the batch was made.
    #[must_use]
    pub fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }
}

/// Messages in memory, each one chunk.
struct Slices<'a> {
    messages: &'a [&'a [u8]],
    order: &'a mut Vec<u32>,
    /// Bytes of those in `order`.
    waiting: u64,
    digests: Vec<Digest>,
}

impl<'a> Messages<&'a [u8]> for Slices<'a> {
    #[inline]
    fn next(&mut self) -> Option<u32> {
        let index = self.order.pop()?;
        self.waiting -= self.messages[index as usize].len() as u64;
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
    fn digest(&mut self, index: u32) -> Option<&mut Digest> {
        Some(&mut self.digests[index as usize])
    }
}
