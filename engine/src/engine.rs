//! Many streams hashed at once.
//!
//! ```text
//! push    chunk -> job's list (or its tail, if still short of a block)
//! step    1. fill    ready jobs take free lanes, their groups in turn; each gets a run
//!         2. run     each kernel of the plan hashes min(blocks of its lanes) blocks
//!         3. settle  a lane whose run is over gets its next one, or its job
//!                    ends (digest) or leaves (no more data)
//!         4. rotate  jobs that have had their turn make room for those that wait
//! ```

use crate::{
    crossover::Crossover,
    groups::{DEFAULT_GROUP, GroupId, TURN_BLOCKS},
    job::{JobId, Place},
    kernel::{Kernel, LANES_MAX},
    lanes::{Lanes, Run, STAGE_BYTES, Source},
    occupancy::Occupancy,
    padding::{Digest, digest_bytes},
    streams::{Owner, Streams},
};

/// The longest step as far as charges go: a step with few lanes is longer, but
/// nobody waits then.
const CHARGED_STEP_BLOCKS_MAX: usize = 2 * TURN_BLOCKS as usize;

/// Bytes that wait when the engine is full: 8 KiB for each lane there can be.
/// Measured with 64 streams of 1021-byte chunks (Zen 4): 1 or 2 KiB per lane give
/// 72% of the rate of long chunks, 4 KiB 77%, 8 KiB 81%.
const FULL_BYTES: usize = LANES_MAX * 8192;

/// What a step led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The engine is done with `bytes` of the chunks pushed to `job`.
    Consumed {
        /// Whose chunks.
        job: JobId,
        /// How much of them.
        bytes: usize,
    },
    /// The job has ended and its id is stale.
    Finished {
        /// Which job.
        job: JobId,
        /// SHA-256 of all bytes pushed to it, in order.
        digest: Digest,
    },
}

/// What one step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The widest kernel used.
    pub kernel: Kernel,
    /// Lanes that hashed for a job.
    pub active_lanes: usize,
    /// Lanes of the kernels used.
    pub total_lanes: usize,
    /// Blocks hashed, over all lanes.
    pub blocks: usize,
}

/// Hashes many independent streams with SHA-256, some 32 at a time.
///
/// Streams are *jobs*: [`open`](Self::open) one, [`push`](Self::push) its bytes
/// in chunks of any length, [`finish`](Self::finish) it; [`step`](Self::step)
/// hashes, and [`take_events`](Self::take_events) hands out digests. Chunks are
/// not copied if they are long enough; a chunk is kept until its bytes are
/// hashed and dropped then.
///
/// Nothing here blocks, allocates per step once warm, or knows of threads: the
/// caller decides when to step. Memory per idle job is some 150 bytes.
///
/// Whoever shares an engine between several parties opens each party's jobs in a
/// [`group`](Self::group) of its own: while more jobs are ready than there are
/// lanes, groups get equal shares of the hashing, however many jobs each has and
/// however long they are, except where a group has too few jobs to use its share.
/// What nobody else uses, anybody may.
///
/// ```
/// use hashlane_engine::{Backend, Crossover, Engine, Event};
///
/// let mut engine = Engine::new(Crossover::calibrate(&Backend::detect()));
/// let job = engine.open();
/// engine.push(job, b"ab".as_slice());
/// engine.push(job, b"c".as_slice());
/// engine.finish(job);
/// while engine.step().is_some() {}
/// let digest = engine.take_events().find_map(|event| match event {
///     Event::Finished { digest, .. } => Some(digest),
///     Event::Consumed { .. } => None,
/// });
/// assert_eq!(digest.unwrap()[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
pub struct Engine<C> {
    crossover: Crossover,
    lanes: Lanes<Owner>,
    streams: Streams<C>,
    /// Where the search for a lane to give up starts.
    next_victim: usize,
    /// Where the search for a lane to leave out of a plan starts.
    next_left_out: usize,
    /// The most that a group is charged for a job's time in a lane.
    charge_max: usize,
}

impl<C: AsRef<[u8]>> Engine<C> {
    /// The most jobs hashed in one step.
    pub const LANES: usize = LANES_MAX;

    /// An engine that chooses kernels by `crossover`.
    #[must_use]
    pub fn new(crossover: Crossover) -> Self {
        Self {
            crossover,
            lanes: Lanes::new(STAGE_BYTES),
            streams: Streams::new(),
            next_victim: 0,
            next_left_out: 0,
            charge_max: 0,
        }
    }

    /// Starts a job, in the group of all that are opened so.
    pub fn open(&mut self) -> JobId {
        self.streams.jobs.open(DEFAULT_GROUP)
    }

    /// Starts a job in `group`.
    ///
    /// # Panics
    /// If the group is closed.
    pub fn open_in(&mut self, group: GroupId) -> JobId {
        let group = self.streams.jobs.groups.slot(group);
        self.streams.jobs.open(group)
    }

    /// Makes a group for jobs to be opened in. It costs some 40 bytes, until it
    /// is closed and its last job gone.
    pub fn group(&mut self) -> GroupId {
        self.streams.jobs.groups.open()
    }

    /// No further job will be opened in `group`; those that are open go on as
    /// they were.
    ///
    /// # Panics
    /// If the group is closed.
    pub fn close_group(&mut self, group: GroupId) {
        self.streams.jobs.groups.close(group);
    }

    /// Appends `chunk` to the job's message. Its bytes count as waiting until
    /// [`Event::Consumed`].
    ///
    /// # Panics
    /// If the job is finishing, finished or cancelled, or its message would
    /// exceed 2^61 - 1 bytes, the most SHA-256 has a length field for.
    pub fn push(&mut self, job: JobId, chunk: C) {
        self.streams.push(job, chunk);
    }

    /// Ends the job's message; [`Event::Finished`] follows after enough steps.
    ///
    /// # Panics
    /// If the job is finishing, finished or cancelled.
    pub fn finish(&mut self, job: JobId) {
        self.streams.finish(job);
    }

    /// Drops the job and its chunks at once. None of its events follow, except
    /// those already there.
    ///
    /// # Panics
    /// If the job is finished or cancelled.
    pub fn cancel(&mut self, job: JobId) {
        let slot = self.streams.jobs.slot(job);
        if let Place::Lane(column) = self.streams.jobs[slot].place {
            self.leave(usize::from(column));
        }
        self.streams.cancel(slot);
    }

    /// Hashes for up to about 100 microseconds. Nothing is returned if no job
    /// has a block to hash.
    pub fn step(&mut self) -> Option<Step> {
        self.fill();
        if self.lanes.len() == 0 {
            return None;
        }
        let plan = self.crossover.plan(self.lanes.len());
        // While others wait a lane is given up after a turn and the step in
        // which it ends, or the next one if that ends within a staged run. What
        // it had beyond that, nobody else wanted.
        self.charge_max =
            usize::from(TURN_BLOCKS) + 2 * plan.blocks_max.min(CHARGED_STEP_BLOCKS_MAX);
        let blocks = self.lanes.run(plan, plan.blocks_max, &mut self.streams);
        let step = Step {
            kernel: plan.segments[0].kernel,
            active_lanes: plan.lanes,
            total_lanes: plan.segments.iter().map(|s| s.kernel.lanes()).sum(),
            blocks,
        };
        let run = plan.lanes;
        let left_out = self.lanes.len() - run;
        // From the last column down: a lane that leaves is replaced by the last
        // one, which has been settled by then or took no part.
        for column in (0..run).rev() {
            if self.lanes.lane(column).run.blocks == 0 {
                self.settle(column);
            }
        }
        self.rotate(left_out);
        Some(step)
    }

    /// Jobs with at least one block to hash.
    #[must_use]
    #[inline]
    pub fn ready_jobs(&self) -> usize {
        self.streams.jobs.ready_count() + self.lanes.len()
    }

    /// Whether a step now would find enough lanes taken for the kernels' best
    /// rate, and runs long enough to make its fixed cost vanish. If not, more
    /// chunks may make it worth more; if no more are at hand, step all the same.
    #[must_use]
    #[inline]
    pub fn is_full(&self) -> bool {
        self.has_lanes() && self.waiting_bytes() >= FULL_BYTES
    }

    /// Whether enough jobs are ready for the kernels' best rate.
    #[must_use]
    #[inline]
    pub fn has_lanes(&self) -> bool {
        self.ready_jobs() >= self.crossover.lanes_enough()
    }

    /// Jobs that are open.
    #[must_use]
    pub fn open_jobs(&self) -> usize {
        self.streams.jobs.open_count()
    }

    /// Bytes of chunks not yet consumed, over all jobs.
    #[must_use]
    pub fn waiting_bytes(&self) -> usize {
        self.streams.waiting_bytes
    }

    /// Takes the events since the last call, in order.
    pub fn take_events(&mut self) -> std::vec::Drain<'_, Event> {
        self.streams.events.drain(..)
    }

    /// How full the lanes were, since the engine was made.
    #[must_use]
    pub fn occupancy(&self) -> &Occupancy {
        self.lanes.occupancy()
    }

    /// What the engine chooses kernels by.
    #[must_use]
    pub fn crossover(&self) -> &Crossover {
        &self.crossover
    }

    /// Ready jobs take free lanes.
    fn fill(&mut self) {
        while !self.lanes.is_full() {
            let Some(slot) = self.streams.jobs.take_lane() else {
                return;
            };
            let job = &mut self.streams.jobs[slot];
            let column = self.lanes.add(Owner::new(slot), &job.midstate);
            job.place = Place::Lane(small(column));
        }
    }

    /// A run is over: the job goes on, ends, or leaves its lane.
    fn settle(&mut self, column: usize) {
        let lane = self.lanes.lane_mut(column);
        let Owner {
            slot,
            last,
            foot_bytes,
        } = lane.owner;
        if lane.run.source == Source::Direct {
            let bytes = lane.offset + usize::from(foot_bytes);
            self.streams.end_direct(slot, bytes);
        }
        if last {
            let digest = digest_bytes(&self.lanes.state(column));
            self.leave(column);
            self.streams.finished(slot, digest);
            return;
        }
        // Nothing of the next run is consumed if the lane is given up.
        lane.run = Run::direct(0);
        lane.offset = 0;
        if !self.streams.jobs[slot].has_block() {
            self.leave(column);
            self.streams.keep_tail(slot);
        }
    }

    /// The job leaves its lane and is idle.
    fn leave(&mut self, column: usize) {
        let lane = self.lanes.lane(column);
        let slot = lane.owner.slot;
        let served = lane.served.min(self.charge_max);
        let jobs = &mut self.streams.jobs;
        self.lanes.state_into(column, &mut jobs[slot].midstate);
        jobs.leave_lane(slot, u16::try_from(served).expect("a few turns"));
        if let Some(owner) = self.lanes.remove(column) {
            jobs[owner.slot].place = Place::Lane(small(column));
        }
    }

    /// Lets those that wait have a turn: first the `left_out` lanes that were
    /// active but not in the plan, then jobs without a lane.
    fn rotate(&mut self, left_out: usize) {
        let free = LANES_MAX - self.lanes.len();
        let mut wanted = self.streams.jobs.ready_count().saturating_sub(free);
        let takes_turns = left_out > 0 && self.lanes.len() > left_out;
        if wanted == 0 && !takes_turns {
            return;
        }
        let is_shared = self.streams.jobs.groups.in_use() > 1;
        if is_shared {
            let owners = (0..self.lanes.len()).map(|column| self.lanes.lane(column).owner);
            self.streams
                .jobs
                .count_lanes(owners.map(|owner| owner.slot));
        }
        if takes_turns {
            self.take_turns(left_out, is_shared);
        }
        // Whoever arrives gets in by the next step: one lane is given up even if
        // nobody has had a whole turn.
        let mut turn_blocks = usize::from(TURN_BLOCKS);
        while wanted > 0 {
            // If all must go, it does not matter who goes first.
            let chooses = is_shared && wanted < self.lanes.len();
            let Some(column) = self.victim(turn_blocks, chooses) else {
                if free == 0 && turn_blocks > 0 && self.lanes.is_full() {
                    turn_blocks = 0;
                    wanted = 1;
                    continue;
                }
                return;
            };
            let lane = *self.lanes.lane(column);
            self.leave(column);
            self.streams.consume(lane.owner.slot, lane.offset);
            self.streams.jobs.push_ready(lane.owner.slot);
            wanted -= 1;
        }
    }

    /// The last `left_out` lanes change places with others, so that those are
    /// left out next; of groups with more than an even share as far as possible.
    fn take_turns(&mut self, left_out: usize, is_shared: bool) {
        let lanes = self.lanes.len();
        let run = lanes - left_out.min(lanes / 2);
        let mut tries = 0..run;
        let first = self.next_left_out;
        // First come those of groups with no more than that.
        for has_more in [false, true] {
            for out in run..lanes {
                if has_more == (is_shared && !self.has_more_than(out, run)) {
                    continue;
                }
                let mut columns = tries.by_ref().map(|i| (first + i) % run);
                let column = columns.find(|column| !is_shared || self.has_more_than(*column, run));
                let Some(column) = column else {
                    return;
                };
                self.next_left_out = column + 1;
                self.lanes.swap(column, out);
                for column in [column, out] {
                    let slot = self.lanes.lane(column).owner.slot;
                    self.streams.jobs[slot].place = Place::Lane(small(column));
                }
            }
        }
    }

    /// Whether the group in `column` has more than an even share of `lanes`.
    fn has_more_than(&self, column: usize, lanes: usize) -> bool {
        let jobs = &self.streams.jobs;
        let group = jobs.group_of(self.lanes.lane(column).owner.slot);
        group.lanes as usize * jobs.groups.in_lanes() > lanes
    }

    /// A lane whose job has been served for more than `turn_blocks` and can
    /// leave in the middle of its run; if it `chooses`, of the group that is
    /// furthest ahead. Staged runs are short and stay.
    fn victim(&mut self, turn_blocks: usize, chooses: bool) -> Option<usize> {
        let lanes = self.lanes.len();
        let first = self.next_victim;
        let mut columns = (0..lanes).map(|i| (first + i) % lanes).filter(|column| {
            let lane = self.lanes.lane(*column);
            lane.run.source == Source::Direct && lane.served > turn_blocks
        });
        let column = if chooses {
            let jobs = &mut self.streams.jobs;
            let slot = |column: usize| self.lanes.lane(column).owner.slot;
            let lead = |column: &usize| jobs.group_of(slot(*column)).lead();
            // Of several that are as far ahead, the first.
            let column = columns.rev().max_by_key(lead)?;
            jobs.lane_is_given_up(slot(column));
            column
        } else {
            columns.next()?
        };
        self.next_victim = column;
        Some(column)
    }
}

/// A lane number or tail length, which fit a byte by construction.
#[inline]
pub(crate) fn small(n: usize) -> u8 {
    u8::try_from(n).expect("at most 64")
}
