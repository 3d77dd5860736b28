//! The jobs of one compression, and steps over its ready jobs.
//!
//! Why generic: a pool is compiled for each compression, so a step runs only the code of its own
//! hash.

use std::cell::Cell;

use super::{
    arena::{Arena, NONE},
    chunks::Links,
    flows::{Groups, TURN_BLOCKS},
    job::{Job, Progress},
    parts::{PartRef, Parts},
};
use crate::{
    algorithm::Algorithm,
    kernel::{Compression, Family, LANES_MAX, Place, State},
    schedule::{Feed, Lanes, Occupancy, Plan, Plans, Run, STAGE_BYTES, Step},
    selfcheck::Sampler,
};

/// Lanes of a usual step. More are used if runs are so short that the step's fixed cost matters.
const STEP_LANES: usize = 32;

/// Blocks that make a step's fixed cost negligible: 32 lanes of 4 KiB.
const STEP_BLOCKS: usize = STEP_LANES * 64;

/// If more bytes wait, not all of them are in L2. A server allows fewer, so its bytes are in L2.
const NEAR_BYTES_MAX: usize = 4 << 20;

/// With fewer blocks left for each lane, a step ends.
const ROUND_BLOCKS_MIN: u32 = 16;

/// A job in the current step.
#[derive(Clone, Copy, Debug)]
struct Picked {
    /// [`NONE`] once the job has ended.
    slot: u32,
    /// Blocks charged to its flow.
    charged: u16,
    /// It has no block to hash.
    is_idle: bool,
    hashed: usize,
    consumed: usize,
}

impl Picked {
    const NONE: Self = Self::new(NONE, 0);

    const fn new(slot: u32, charged: u16) -> Self {
        Self {
            slot,
            charged,
            is_idle: false,
            hashed: 0,
            consumed: 0,
        }
    }
}

/// The jobs of one compression.
pub(crate) struct Pool<H: Compression, C> {
    jobs: Arena<Job<H, C>>,
    links: Links<C>,
    ready: usize,
    waiting_bytes: usize,
    picked: [Picked; LANES_MAX],
    /// Allocated with the first job: most engines compute only a few of the hashes.
    lanes: Option<Box<Lanes<H>>>,
}

impl<H: Compression, C: AsRef<[u8]>> Pool<H, C> {
    pub(crate) fn new() -> Self {
        Self {
            jobs: Arena::new(),
            links: Arena::new(),
            ready: 0,
            waiting_bytes: 0,
            picked: [Picked::NONE; LANES_MAX],
            lanes: None,
        }
    }

    /// Number of jobs with at least one block to hash, and unconsumed bytes of chunks.
    #[inline]
    pub(crate) const fn load(&self) -> (usize, usize) {
        (self.ready, self.waiting_bytes)
    }

    /// Starts a job. Returns its slot.
    pub(crate) fn open(
        &mut self,
        groups: &mut Groups,
        algorithm: Algorithm,
        initial: &State<H::Word>,
        group: u32,
        (part, is_lone): (PartRef, bool),
    ) -> u32 {
        if self.lanes.is_none() {
            let mut lanes = Lanes::new(STAGE_BYTES);
            lanes.grow(LANES_MAX);
            self.lanes = Some(Box::new(lanes));
        }
        groups.join(group);
        let mut job = Job::new(algorithm, *initial, group, part);
        job.is_lone = is_lone;
        self.jobs.insert(job)
    }

    /// # Panics
    /// If the job is finishing, or its message would exceed the longest that can be padded.
    #[inline]
    pub(crate) fn check_push(&self, slot: u32, bytes: usize) {
        self.jobs[slot].check_push(bytes);
    }

    /// Appends a chunk to the job. Returns the bytes that are already consumed.
    #[inline]
    pub(crate) fn push(&mut self, groups: &mut Groups, slot: u32, chunk: C) -> usize {
        let job = &mut self.jobs[slot];
        let bytes = chunk.as_ref().len();
        let consumed = job.push(&mut self.links, chunk);
        self.waiting_bytes += bytes - consumed;
        if !job.is_ready && job.has_block() {
            self.push_ready(groups, slot, Groups::enter);
        }
        consumed
    }

    /// Ends the job's message.
    ///
    /// # Panics
    /// If the job is finishing.
    #[inline]
    pub(crate) fn finish(&mut self, groups: &mut Groups, slot: u32) {
        let job = &mut self.jobs[slot];
        assert!(!job.is_finishing(), "finish of a finishing part");
        job.finish();
        if !job.is_ready {
            self.push_ready(groups, slot, Groups::enter);
        }
    }

    /// Drops a job and its chunks. Returns the bytes that waited.
    pub(crate) fn cancel(&mut self, groups: &mut Groups, slot: u32) -> usize {
        if self.jobs[slot].is_ready {
            self.remove_ready(groups, slot);
            self.leave_if_idle(groups);
        }
        let job = &mut self.jobs[slot];
        let waiting = job.chunks.clear(&mut self.links);
        self.waiting_bytes -= waiting;
        groups.part(job.group);
        self.jobs.free(slot);
        waiting
    }

    /// Hashes for up to about 100 microseconds. `None` if no job is ready.
    ///
    /// Chunks end at different places, so a round over the picked jobs ends with the shortest run.
    /// While all of them have more, another round follows: it costs less than a step.
    pub(crate) fn step(
        &mut self,
        groups: &mut Groups,
        plans: &Plans,
        parts: &mut Parts,
        occupancy: &mut Occupancy,
        sampler: &mut Sampler,
    ) -> Option<Step> {
        let weight = groups.weight(H::FAMILY);
        let plan = plans.plan(self.pick(groups, plans)?);
        // If no other job is ready, blocks beyond a turn are not charged.
        let is_crowded = self.ready > 0;
        let mut lanes = self.lanes.take().expect("a job was opened");
        let sample = if sampler.is_wanted() {
            Some(self.begin_sample(plan, sampler))
        } else {
            None
        };
        let mut blocks_left = sample.map_or(plan.blocks_max, |(_, _, blocks_max)| blocks_max);
        let mut turn_left = u32::from(TURN_BLOCKS);
        let mut blocks = 0;
        loop {
            let hashed = lanes.step(plan, blocks_left, self, occupancy);
            blocks += hashed;
            let each = Run::blocks(hashed.div_ceil(plan.lanes));
            blocks_left -= each.min(blocks_left);
            if is_crowded {
                // Further rounds stay within a turn of each job.
                turn_left -= each.min(turn_left);
                blocks_left = blocks_left.min(turn_left);
            }
            if let Some((item, before, _)) = sample {
                self.end_sample(&lanes, plan, item, &before, sampler);
            }
            let all_are_ready = self.settle(&lanes, plan.lanes, groups, parts, is_crowded);
            if !all_are_ready || sample.is_some() || blocks_left < ROUND_BLOCKS_MIN {
                break;
            }
        }
        for item in 0..plan.lanes {
            let picked = self.picked[item];
            if picked.slot != NONE {
                self.put_back(picked, groups, parts, is_crowded);
            }
        }
        self.lanes = Some(lanes);
        self.leave_if_idle(groups);
        groups.used(
            H::FAMILY,
            weight,
            plan.cost_ns * blocks as f64 / plan.lanes as f64,
        );
        Some(Step {
            kernel: plan.segments[0].kernel,
            active_lanes: plan.lanes,
            total_lanes: plan.segments.iter().map(|segment| segment.lanes).sum(),
            blocks,
        })
    }

    /// Records a round. Returns whether all picked jobs have another block to hash.
    #[inline]
    fn settle(
        &mut self,
        lanes: &Lanes<H>,
        count: usize,
        groups: &mut Groups,
        parts: &mut Parts,
        is_crowded: bool,
    ) -> bool {
        let mut all_are_ready = true;
        for lane in 0..count {
            let done = lanes.done(lane);
            let picked = &mut self.picked[done.item()];
            let job = &mut self.jobs[picked.slot];
            let (progress, consumed) = job.settle(&mut self.links, done);
            self.waiting_bytes -= consumed;
            picked.consumed += consumed;
            picked.hashed += done.blocks();
            match progress {
                Progress::Ready => {}
                Progress::Idle => {
                    picked.is_idle = true;
                    all_are_ready = false;
                }
                Progress::Finished(digest) => {
                    all_are_ready = false;
                    let (part, group, algorithm) = (job.part, job.group, job.algorithm());
                    let picked = std::mem::replace(picked, Picked::NONE);
                    self.account(picked, groups, parts, is_crowded);
                    parts.finished(part, algorithm, digest);
                    groups.part(group);
                    self.jobs.free(picked.slot);
                }
            }
        }
        all_are_ready
    }

    /// Puts a picked job that has not ended back into its flow, if it is ready.
    #[inline]
    fn put_back(
        &mut self,
        picked: Picked,
        groups: &mut Groups,
        parts: &mut Parts,
        is_crowded: bool,
    ) {
        self.account(picked, groups, parts, is_crowded);
        if picked.is_idle {
            self.jobs[picked.slot].is_ready = false;
        } else {
            self.push_ready(groups, picked.slot, Groups::resume);
        }
    }

    /// Reports what a picked job has consumed, and charges its flow for what it has hashed.
    #[inline]
    fn account(&self, picked: Picked, groups: &mut Groups, parts: &mut Parts, is_crowded: bool) {
        let job = &self.jobs[picked.slot];
        if job.is_lone {
            parts.tell_consumed(job.part, picked.consumed);
        } else {
            parts.consumed(job.part, job.algorithm(), picked.consumed);
        }
        if is_crowded || picked.hashed < usize::from(picked.charged) {
            let hashed = i32::try_from(picked.hashed).unwrap_or(i32::MAX);
            let flow = groups.flow(job.group, H::FAMILY);
            flow.deficit = flow
                .deficit
                .saturating_sub(hashed - i32::from(picked.charged));
        }
    }

    /// Chooses the job whose lane is sampled. Returns its index, its state before the step, and the
    /// maximum number of blocks per lane, which must fit a sample.
    #[cold]
    fn begin_sample(&self, plan: &Plan, sampler: &mut Sampler) -> (usize, State<H::Word>, u32) {
        let item = sampler.choose(plan.lanes);
        let blocks_max = plan.blocks_max.min(Run::blocks(Sampler::blocks_max::<H>()));
        (item, self.state(item).get(), blocks_max)
    }

    /// Stores the sampled job's state after the step.
    #[cold]
    fn end_sample(
        &self,
        lanes: &Lanes<H>,
        plan: &Plan,
        item: usize,
        before: &State<H::Word>,
        sampler: &mut Sampler,
    ) {
        let lane = (0..plan.lanes).find(|lane| lanes.done(*lane).item() == item);
        let lane = lane.expect("every job has a lane");
        let mut segments = plan.segments.iter();
        let segment = segments.find(|segment| lane < segment.first + segment.active);
        let kernel = segment.expect("every lane is of a segment").kernel;
        let input = lanes.input(lane, self);
        let pieces = [input.head, input.body, input.foot];
        sampler.take::<H>(kernel, before, &self.state(item).get(), pieces);
    }

    /// Takes jobs for a step out of their flows, as many as have a good plan. Returns their number.
    #[inline]
    fn pick(&mut self, groups: &mut Groups, plans: &Plans) -> Option<usize> {
        if self.ready == 0 {
            return None;
        }
        let usual = STEP_LANES.max(plans.lanes_full());
        let mut wanted = plans.plan(self.ready.min(usual)).lanes;
        let mut blocks = 0;
        let mut count = 0;
        loop {
            while count < wanted {
                let group = groups.visit(H::FAMILY).expect("a ready job is in a flow");
                let flow = groups.flow(group, H::FAMILY);
                let slot = flow.first;
                let job = &mut self.jobs[slot];
                let charged = job.blocks().min(usize::from(TURN_BLOCKS));
                blocks += charged;
                let charged = u16::try_from(charged).unwrap_or(TURN_BLOCKS);
                flow.deficit -= i32::from(charged);
                flow.first = job.next;
                if flow.first == NONE {
                    flow.last = NONE;
                } else {
                    let next = flow.first;
                    self.jobs[next].previous = NONE;
                }
                self.ready -= 1;
                self.picked[count] = Picked::new(slot, charged);
                count += 1;
            }
            if blocks >= STEP_BLOCKS || count < STEP_LANES {
                return Some(count);
            }
            // Take as few more as have a good plan: a flow with short runs must not run out of jobs
            // and so lose its turn to the others.
            let mut more = count + 1..=(count + self.ready).min(LANES_MAX);
            let Some(more) = more.find(|lanes| plans.plan(*lanes).lanes > count) else {
                return Some(count);
            };
            wanted = plans.plan(more).lanes;
        }
    }

    /// Puts a job at the end of its flow.
    #[inline]
    fn push_ready(&mut self, groups: &mut Groups, slot: u32, enter: fn(&mut Groups, u32, Family)) {
        let job = &mut self.jobs[slot];
        job.is_ready = true;
        job.next = NONE;
        let group = job.group;
        let flow = groups.flow(group, H::FAMILY);
        job.previous = flow.last;
        let before = std::mem::replace(&mut flow.last, slot);
        if before == NONE {
            flow.first = slot;
            enter(groups, group, H::FAMILY);
        } else {
            self.jobs[before].next = slot;
        }
        self.ready += 1;
    }

    /// Removes flows without a job from the ring now, if no visit will reach them, so that their
    /// groups get their whole share in the other compressions.
    fn leave_if_idle(&self, groups: &mut Groups) {
        if self.ready == 0 {
            let none = groups.visit(H::FAMILY);
            debug_assert!(none.is_none(), "a ready job is counted");
        }
    }

    /// Takes a job out of its flow.
    fn remove_ready(&mut self, groups: &mut Groups, slot: u32) {
        let job = &self.jobs[slot];
        let (previous, next) = (job.previous, job.next);
        let flow = groups.flow(job.group, H::FAMILY);
        if previous == NONE {
            flow.first = next;
        } else {
            self.jobs[previous].next = next;
        }
        if next == NONE {
            flow.last = previous;
        } else {
            self.jobs[next].previous = previous;
        }
        self.ready -= 1;
    }
}

impl<H: Compression, C: AsRef<[u8]>> Feed<H> for Pool<H, C> {
    #[inline]
    fn run(&self, item: usize) -> Run {
        self.jobs[self.picked[item].slot].run()
    }

    #[inline]
    fn state(&self, item: usize) -> &Cell<State<H::Word>> {
        &self.jobs[self.picked[item].slot].state
    }

    #[inline]
    fn place(&self) -> Place {
        if self.waiting_bytes > NEAR_BYTES_MAX {
            Place::Far
        } else {
            Place::Near
        }
    }

    #[inline]
    fn stage(&mut self, item: usize, run: &Run, blocks: usize, stage: &mut [u8]) {
        self.jobs[self.picked[item].slot].stage(&self.links, run, blocks, stage);
    }

    #[inline]
    fn direct(&self, item: usize) -> &[u8] {
        self.jobs[self.picked[item].slot].direct()
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::parts::{EngineNumber, JobRef, Jobs},
        *,
    };
    use crate::{kernel::Md5, schedule::wide_md5};

    /// A kernel of 64 lanes is as good as full with 63, but the last job must not be left for a
    /// separate step.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn as_many_jobs_are_picked_as_the_kernels_have_lanes() {
        let plans = wide_md5();
        let message = [0; 4096];
        for (jobs, picked) in [(62, 62), (63, 63), (64, 64), (65, 64), (100, 64)] {
            let number = EngineNumber::next();
            let mut groups = Groups::new(number);
            let mut parts = Parts::new(number);
            let mut pool: Pool<Md5, &[u8]> = Pool::new();
            for _ in 0..jobs {
                parts.open(|part| {
                    let of_md5 = (Algorithm::Md5, &Md5::INITIAL);
                    let slot = pool.open(&mut groups, of_md5.0, of_md5.1, 0, (part, true));
                    pool.push(&mut groups, slot, &message);
                    Jobs::One(JobRef {
                        family: Family::Md5,
                        slot,
                    })
                });
            }
            assert_eq!(pool.pick(&mut groups, &plans), Some(picked), "of {jobs}");
        }
    }
}
