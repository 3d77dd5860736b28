//! Many streams hashed at once.
//!
//! ```text
//! push    chunk -> each job of the part, and the sinks at once
//! step    1. pick    of one compression, ready jobs in the order of their flows
//!         2. hash    each in a lane, by the plan for as many (schedule/)
//!         3. settle  a job goes on (to the end of its flow), idles, or ends (digest)
//! ```
//!
//! Why no job stays in a lane between steps: that would need rules for which job gives up a lane,
//! charges for unused time, and a way to take a job out of a lane on cancel. In the first design
//! these were more than half of the cost of a short chunk. Now `cancel` touches no lane.

use super::{
    flows::{DEFAULT_GROUP, GroupId, Groups},
    parts::{Cursor, EngineNumber, Event, JobRef, Jobs, PartId, PartRef, Parts, Several},
    pool::Pool,
};
use crate::{
    algorithm::{Algorithm, Method},
    kernel::{Family, Md5, Sha1, Sha256, Sha512},
    schedule::{Crossover, Occupancy, Step, wait},
    selfcheck::{Check, Sampler},
    sink::Sink,
};

/// Waiting bytes at which the engine is full: 8 KiB for each of 32 lanes. Measured with 64 streams
/// of 1021-byte chunks (Zen 4): 1 or 2 KiB per lane give 72% of the rate of long chunks, 4 KiB 77%,
/// 8 KiB 81%.
const FULL_BYTES: usize = 32 * 8192;

/// Hashes many independent streams, about 32 at a time.
///
/// Streams are *parts*: [`open`](Self::open) one, [`push`](Self::push) its bytes in chunks of any
/// length, [`finish`](Self::finish) it; [`step`](Self::step) hashes, and
/// [`take_events`](Self::take_events) returns digests. Chunks are not copied if they are long
/// enough; a chunk is kept until its bytes are hashed, and then dropped. A part may ask for several
/// digests. Its chunks are cloned for each, so they should be cheap to clone (`&[u8]`, `Bytes`).
///
/// No call blocks or starts a thread, and a warm engine allocates nothing per step. The caller
/// decides when to step. An idle part with one digest takes about 210 bytes of memory (SHA-512:
/// 340).
///
/// To share an engine between several clients, open each client's parts in a separate
/// [`group`](Self::group). While more parts are ready than there are lanes, groups get equal shares
/// of the time, regardless of the number and length of their parts and of their algorithms. If a
/// group has too few parts to use its share, the other groups use the rest.
///
/// ```
/// use hashlane_engine::{Algorithm, Backend, Crossover, Engine, Event};
///
/// let mut engine = Engine::new(Crossover::new(Backend::detect()));
/// let part = engine.open(&[Algorithm::Sha256]);
/// engine.push(part, b"ab".as_slice());
/// engine.push(part, b"c".as_slice());
/// engine.finish(part);
/// while engine.step().is_some() {}
/// let digest = engine.take_events().find_map(|event| match event {
///     Event::Digest { digest, .. } => Some(digest),
///     _ => None,
/// });
/// assert_eq!(digest.unwrap()[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
pub struct Engine<C> {
    crossover: Crossover,
    groups: Groups,
    parts: Parts,
    pools: Pools<C>,
    occupancy: Occupancy,
    sampler: Sampler,
    /// False once a chunk has panicked.
    is_usable: bool,
}

/// A pool for each compression.
struct Pools<C> {
    sha256: Pool<Sha256, C>,
    sha512: Pool<Sha512, C>,
    sha1: Pool<Sha1, C>,
    md5: Pool<Md5, C>,
}

/// Evaluates an expression with the pool of a family.
macro_rules! with_pool {
    ($pools:expr, $family:expr, $pool:ident => $body:expr) => {
        match $family {
            Family::Sha256 => {
                let $pool = &mut $pools.sha256;
                $body
            }
            Family::Sha512 => {
                let $pool = &mut $pools.sha512;
                $body
            }
            Family::Sha1 => {
                let $pool = &mut $pools.sha1;
                $body
            }
            Family::Md5 => {
                let $pool = &mut $pools.md5;
                $body
            }
        }
    };
}

impl<C: AsRef<[u8]> + Clone> Engine<C> {
    /// An engine that chooses kernels by `crossover`.
    #[must_use]
    pub fn new(crossover: Crossover) -> Self {
        let number = EngineNumber::next();
        Self {
            crossover,
            groups: Groups::new(number),
            parts: Parts::new(number),
            pools: Pools {
                sha256: Pool::new(),
                sha512: Pool::new(),
                sha1: Pool::new(),
                md5: Pool::new(),
            },
            occupancy: Occupancy::new(),
            sampler: Sampler::new(),
            is_usable: true,
        }
    }

    /// Whether the engine may be used. If a chunk's `as_ref`, `clone` or `drop` has panicked in it,
    /// parts are half changed, and every further call panics, except calls that only read.
    #[must_use]
    pub const fn is_usable(&self) -> bool {
        self.is_usable
    }

    /// Starts a part with a digest for each of `algorithms`, in the default group.
    ///
    /// # Panics
    /// If there is no algorithm, or one is named twice.
    pub fn open(&mut self, algorithms: &[Algorithm]) -> PartId {
        self.open_at(DEFAULT_GROUP, algorithms)
    }

    /// Starts a part in `group`.
    ///
    /// # Panics
    /// If the group is closed, or another engine's; if there is no algorithm, or one is named
    /// twice.
    pub fn open_in(&mut self, group: GroupId, algorithms: &[Algorithm]) -> PartId {
        let group = self.groups.slot(group);
        self.open_at(group, algorithms)
    }

    fn open_at(&mut self, group: u32, algorithms: &[Algorithm]) -> PartId {
        assert!(self.is_usable, "{UNUSABLE}");
        check_algorithms(algorithms);
        let Self {
            crossover,
            parts,
            pools,
            groups,
            ..
        } = self;
        parts.open(|part| {
            let part = (part, algorithms.len() == 1);
            let mut open = |algorithm: Algorithm| pools.open(groups, algorithm, group, part);
            if let [algorithm] = *algorithms
                && algorithm.family().is_some()
            {
                return Jobs::One(open(algorithm).expect("an algorithm with lanes"));
            }
            let in_lanes = algorithms.iter().filter(|a| a.family().is_some());
            let in_lanes = in_lanes.count();
            let mut cursors = Vec::with_capacity(in_lanes);
            let mut sinks = Vec::with_capacity(algorithms.len() - in_lanes);
            for algorithm in algorithms {
                if let Method::Sink(kind) = algorithm.method() {
                    let mut sink = Sink::new(kind);
                    sink.avoid(crossover.retired());
                    sinks.push((*algorithm, sink));
                } else {
                    cursors.push(Cursor {
                        algorithm: *algorithm,
                        job: open(*algorithm),
                        consumed: 0,
                    });
                }
            }
            Jobs::Several(Box::new(Several::new(cursors, sinks)))
        })
    }

    /// Makes a group in which parts can be opened. It takes about 90 bytes, until it is closed and
    /// its last part has ended.
    pub fn group(&mut self) -> GroupId {
        self.groups.open()
    }

    /// Closes `group` to new parts; its open parts go on.
    ///
    /// # Panics
    /// If the group is closed, or another engine's.
    pub fn close_group(&mut self, group: GroupId) {
        self.groups.close(group);
    }

    /// Appends `chunk` to the part's message. Its bytes count as waiting until
    /// [`Event::Consumed`].
    ///
    /// # Panics
    /// If the part is finishing, finished, cancelled or another engine's, or its message would
    /// exceed 2^61 - 1 bytes, the maximum that SHA-256's length field can express.
    pub fn push(&mut self, part: PartId, chunk: C) {
        assert!(self.is_usable, "{UNUSABLE}");
        let bytes = chunk.as_ref().len();
        let Self {
            parts,
            pools,
            groups,
            sampler,
            is_usable,
            ..
        } = self;
        let waiting_bytes = parts.waiting_bytes.checked_add(bytes);
        let waiting_bytes = waiting_bytes.expect("no more bytes wait than memory can have");
        let consumed = match parts.get(part).expect(STALE) {
            // Checked even if the chunk is empty: a finishing part accepts no chunk.
            Jobs::One(job) => {
                pools.check_push(*job, bytes);
                *is_usable = false;
                pools.push(groups, *job, chunk)
            }
            Jobs::Several(several) => {
                for cursor in &several.cursors {
                    let job = cursor.job.expect("a finishing part takes nothing");
                    pools.check_push(job, bytes);
                }
                *is_usable = false;
                several.pushed += bytes as u64;
                for (_, sink) in &mut several.sinks {
                    if sampler.is_wanted() {
                        sink.update_sampled(chunk.as_ref(), sampler);
                    } else {
                        sink.update(chunk.as_ref());
                    }
                }
                for cursor in &mut several.cursors {
                    let job = cursor.job.expect("a finishing part takes nothing");
                    cursor.consumed += pools.push(groups, job, chunk.clone()) as u64;
                }
                several.newly_consumed()
            }
        };
        *is_usable = true;
        parts.waiting_bytes = waiting_bytes;
        parts.tell_consumed(part.at(), consumed);
    }

    /// Ends the part's message. Its digests and [`Event::Finished`] follow after enough steps.
    ///
    /// # Panics
    /// If the part is finishing, finished, cancelled or another engine's.
    pub fn finish(&mut self, part: PartId) {
        assert!(self.is_usable, "{UNUSABLE}");
        let Self {
            parts,
            pools,
            groups,
            ..
        } = self;
        match parts.get(part).expect(STALE) {
            Jobs::One(job) => pools.finish(groups, *job),
            Jobs::Several(several) => {
                for job in several.cursors.iter().filter_map(|cursor| cursor.job) {
                    pools.finish(groups, job);
                }
                let has_jobs = !several.cursors.is_empty();
                for (algorithm, sink) in std::mem::take(&mut several.sinks) {
                    parts.tell_digest(part.at(), algorithm, sink.finalize());
                }
                if !has_jobs {
                    parts.end(part.at());
                }
            }
        }
    }

    /// Drops the part and its chunks at once. No further events follow, except those not yet taken.
    /// Returns whether it was open; a part that has just finished or was already cancelled is not.
    ///
    /// # Panics
    /// If the part is another engine's.
    pub fn cancel(&mut self, part: PartId) -> bool {
        assert!(self.is_usable, "{UNUSABLE}");
        let Self {
            parts,
            pools,
            groups,
            is_usable,
            ..
        } = self;
        let Some(jobs) = parts.get(part) else {
            return false;
        };
        *is_usable = false;
        let waiting = match jobs {
            Jobs::One(job) => pools.cancel(groups, *job),
            Jobs::Several(several) => {
                for job in several.cursors.iter().filter_map(|cursor| cursor.job) {
                    pools.cancel(groups, job);
                }
                several.waiting()
            }
        };
        *is_usable = true;
        parts.cancel(part, waiting);
        true
    }

    /// Hashes for up to about 100 microseconds. `None` if no part has a block to hash.
    pub fn step(&mut self) -> Option<Step> {
        assert!(self.is_usable, "{UNUSABLE}");
        let Self {
            is_usable,
            crossover,
            parts,
            pools,
            groups,
            occupancy,
            sampler,
        } = self;
        let ready = |family| pools.load(family).0;
        let family = groups.next(
            |family| ready(family) > 0,
            |family| ready(family) >= crossover.plans(family).lanes_enough(),
        )?;
        let plans = crossover.plans(family);
        *is_usable = false;
        let step = with_pool!(pools, family, pool => {
            pool.step(groups, plans, parts, occupancy, sampler)
        });
        *is_usable = true;
        step
    }

    /// Number of digests with at least one block to hash.
    #[must_use]
    #[inline]
    pub fn ready_jobs(&self) -> usize {
        let ready = |family: Family| self.pools.load(family).0;
        Family::ALL.into_iter().map(ready).sum()
    }

    /// Number of digests of a family with at least one block to hash, and the bytes of chunks that
    /// wait for the family's digests.
    #[must_use]
    #[inline]
    pub fn load(&self, family: Family) -> (usize, usize) {
        self.pools.load(family)
    }

    /// The load of each family that has ready jobs.
    #[must_use]
    pub fn loads(&self) -> Vec<wait::Load> {
        let load = |family| {
            let (jobs, bytes) = self.load(family);
            wait::Load {
                family,
                jobs,
                bytes,
            }
        };
        let loads = Family::ALL.into_iter().map(load);
        loads.filter(|load| load.jobs > 0).collect()
    }

    /// Whether enough jobs are ready for the kernels' best rate, with runs long enough to make a
    /// step's fixed cost negligible. If not, push more chunks first; if there are none, step
    /// anyway.
    #[must_use]
    #[inline]
    pub fn is_full(&self) -> bool {
        self.parts.waiting_bytes >= FULL_BYTES && self.has_lanes_with(FULL_BYTES)
    }

    /// Whether enough jobs of some compression are ready for its kernels' best rate.
    #[must_use]
    #[inline]
    pub fn has_lanes(&self) -> bool {
        self.has_lanes_with(0)
    }

    fn has_lanes_with(&self, bytes: usize) -> bool {
        let crossover = &self.crossover;
        Family::ALL.into_iter().any(|family| {
            let (ready, waiting) = self.pools.load(family);
            ready > 0 && waiting >= bytes && ready >= crossover.plans(family).lanes_enough()
        })
    }

    /// Number of open parts.
    #[must_use]
    pub fn open_parts(&self) -> usize {
        self.parts.len()
    }

    /// Unconsumed bytes of chunks, over all parts.
    #[must_use]
    pub fn waiting_bytes(&self) -> usize {
        self.parts.waiting_bytes
    }

    /// Takes the events since the last call, in order.
    pub fn take_events(&mut self) -> std::vec::Drain<'_, Event> {
        self.parts.take_events()
    }

    /// How full the lanes were since the engine was created, or since
    /// [`take_occupancy`](Self::take_occupancy).
    #[must_use]
    pub fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// The same, which then begins again: to be added to counters that outlive the engine.
    pub fn take_occupancy(&mut self) -> Occupancy {
        std::mem::replace(&mut self.occupancy, Occupancy::new())
    }

    /// The crossover that chooses the engine's kernels.
    #[must_use]
    pub fn crossover(&self) -> &Crossover {
        &self.crossover
    }

    /// Chooses kernels by `crossover` from now on. Parts continue from their current states.
    pub fn use_crossover(&mut self, crossover: Crossover) {
        for sink in self.parts.sinks() {
            sink.avoid(crossover.retired());
        }
        self.crossover = crossover;
    }

    /// Requests a sample of the next kernel call, in a step or, for a tree mode, in a push: a copy
    /// of up to 16 KiB from one lane, chosen at random. It replaces an earlier sample.
    pub fn take_sample(&mut self) {
        self.sampler.want();
    }

    /// Whether a sample waits for [`check_sample`](Self::check_sample).
    #[must_use]
    #[inline]
    pub fn has_sample(&self) -> bool {
        self.sampler.has_sample()
    }

    /// Hashes the sample again with another kernel: with plain Rust, unless that hashed it first.
    /// Takes 20 to 60 microseconds. `None` if there is no sample or no other kernel.
    pub fn check_sample(&mut self) -> Option<Check> {
        self.sampler.check(&self.crossover)
    }
}

/// Panics if there is no algorithm, or one is named twice.
pub(crate) fn check_algorithms(algorithms: &[Algorithm]) {
    assert!(!algorithms.is_empty(), "a part without an algorithm");
    let twice = |(i, algorithm): (usize, &Algorithm)| algorithms[..i].contains(algorithm);
    let is_twice = algorithms.iter().enumerate().any(twice);
    assert!(!is_twice, "an algorithm named twice");
}

const STALE: &str = "the part is finished or cancelled";

const UNUSABLE: &str = "a chunk has panicked in this engine, which is unusable since";

impl<C: AsRef<[u8]>> Pools<C> {
    /// Opens a job if the algorithm has lanes.
    fn open(
        &mut self,
        groups: &mut Groups,
        algorithm: Algorithm,
        group: u32,
        part: (PartRef, bool),
    ) -> Option<JobRef> {
        let (family, slot) = match algorithm.method() {
            Method::Sha256(initial) => (
                Family::Sha256,
                self.sha256.open(groups, algorithm, initial, group, part),
            ),
            Method::Sha512(initial) => (
                Family::Sha512,
                self.sha512.open(groups, algorithm, initial, group, part),
            ),
            Method::Sha1(initial) => (
                Family::Sha1,
                self.sha1.open(groups, algorithm, initial, group, part),
            ),
            Method::Md5(initial) => (
                Family::Md5,
                self.md5.open(groups, algorithm, initial, group, part),
            ),
            Method::Sink(_) => return None,
        };
        Some(JobRef { family, slot })
    }

    /// Number of ready jobs of a family, and the bytes that wait for them.
    #[inline]
    fn load(&self, family: Family) -> (usize, usize) {
        match family {
            Family::Sha256 => self.sha256.load(),
            Family::Sha512 => self.sha512.load(),
            Family::Sha1 => self.sha1.load(),
            Family::Md5 => self.md5.load(),
        }
    }

    #[inline]
    fn check_push(&mut self, job: JobRef, bytes: usize) {
        with_pool!(self, job.family, pool => pool.check_push(job.slot, bytes));
    }

    #[inline]
    fn push(&mut self, groups: &mut Groups, job: JobRef, chunk: C) -> usize {
        with_pool!(self, job.family, pool => pool.push(groups, job.slot, chunk))
    }

    #[inline]
    fn finish(&mut self, groups: &mut Groups, job: JobRef) {
        with_pool!(self, job.family, pool => pool.finish(groups, job.slot));
    }

    fn cancel(&mut self, groups: &mut Groups, job: JobRef) -> usize {
        with_pool!(self, job.family, pool => pool.cancel(groups, job.slot))
    }
}
