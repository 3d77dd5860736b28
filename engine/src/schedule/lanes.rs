//! One step: each ready item has a lane until the step ends.
//!
//! ```text
//! measure   the next run of each item: whole blocks to hash
//! order     by length, so that the lanes of one segment end together
//! stage     put small pieces together
//! hash      as many blocks of each segment as its shortest run has; chained if that pays
//! settle    (the caller) record what each lane has hashed
//!
//! lane     0              1         2       ...      n-1
//! run      head + direct  staged    direct           direct + foot
//! blocks   1 + 63         64        60               16 + 1
//! kernel   '---- first segment, 60 blocks -----'    '- last segment -'
//! ```
//!
//! If no plan has exactly as many lanes as there are items, the runs may instead be wrapped around
//! the lanes of one kernel (wrapped.rs).
//!
//! A run lies in its owner's memory, or in the lane's staging buffer, where tails, padding and
//! small chunks are put together. A direct run may have its first block, its *head*, and its last
//! block, its *foot*, in the staging buffer. The head joins a tail with the next chunk, the foot a
//! message's end with its padding.
//!
//! Why segments: a short run delays only the lanes of its own segment. A step is bounded to about
//! 100 us, so that the caller can poll its sockets between steps.
//!
//! Why heads and feet: chunks rarely end at block boundaries, and a copy of a whole chunk costs
//! more than hashing a block. Hashed in place, chunks of 4093 bytes are 9% faster, messages of 1
//! KiB 10% (docs/measurements.md, Alternatives that were measured). Shorter chunks are put
//! together, so that a run is worth a kernel call.

use std::{cell::Cell, marker::PhantomData};

use super::{
    crossover::{Plan, Segment},
    occupancy::Occupancy,
    wrapped::{Piece, Wrapped},
};
use crate::{
    kernel::{Compression, Input, Kernel, LANES_MAX, Place, State, compress_placed},
    padding::PADDING_BYTES_MAX,
};

/// Data bytes of a staging buffer for chunks. It is long enough to make a step's fixed cost
/// negligible, and short enough for 32 of them to stay in L2 with the data.
pub(crate) const STAGE_BYTES: usize = 4096;

/// The input of a lane in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Run {
    /// Its number of blocks, at least one, including head and foot.
    pub(crate) blocks: u32,
    /// Where the run's bytes begin in the lane's staging buffer, less than a block from its start:
    /// a tail ends with the buffer's first block, and later bytes follow it.
    pub(crate) start: u8,
    /// The whole run lies in the lane's staging buffer.
    pub(crate) staged: bool,
    /// A direct run's first block lies at `start` of the staging buffer.
    pub(crate) head: bool,
    /// A direct run's last block is the staging buffer's third.
    pub(crate) foot: bool,
    /// It ends with the message's padding.
    pub(crate) last: bool,
}

impl Run {
    /// The maximum number of blocks in a run: 256 GiB for SHA-256. Tests have a low limit, so that
    /// they reach it.
    pub(crate) const BLOCKS_MAX: u32 = if cfg!(test) { 1000 } else { u32::MAX };

    /// Caps a number of blocks at the maximum of a run.
    #[inline]
    pub(crate) fn blocks(blocks: usize) -> u32 {
        u32::try_from(blocks.min(Self::BLOCKS_MAX as usize)).unwrap_or(Self::BLOCKS_MAX)
    }

    /// The same run with this many blocks. If they exceed the maximum, the run ends before the
    /// message, and a later run has the rest.
    #[inline]
    pub(crate) fn with_blocks(self, blocks: usize) -> Self {
        let fit = Self::blocks(blocks);
        let is_cut = fit as usize != blocks;
        Self {
            blocks: fit,
            foot: self.foot && !is_cut,
            last: self.last && !is_cut,
            ..self
        }
    }
}

/// The source of runs.
pub(crate) trait Feed<H: Compression> {
    /// The item's next run.
    fn run(&self, item: usize) -> Run;

    /// The item's state, which the step changes.
    fn state(&self, item: usize) -> &Cell<State<H::Word>>;

    /// Writes the staged bytes of the first `blocks` blocks of the run to the staging buffer.
    fn stage(&mut self, item: usize, run: &Run, blocks: usize, stage: &mut [u8]);

    /// Where direct runs lie.
    fn place(&self) -> Place;

    /// The memory of a direct run, from the block after its head.
    fn direct(&self, item: usize) -> &[u8];
}

/// The result of a lane in the last step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    item: u8,
    pub(crate) run: Run,
    /// Number of hashed blocks of the run.
    blocks: u32,
}

/// The lanes of a step, and their staging buffers.
pub(crate) struct Lanes<H: Compression> {
    staging: Vec<u8>,
    /// Distance between staging buffers in bytes: room for a tail and the padding, and an offset
    /// modulo 4 KiB that puts the buffers in different cache sets.
    stride: usize,
    /// By lane.
    done: [Done; LANES_MAX],
    compression: PhantomData<H>,
}

impl<H: Compression> Lanes<H> {
    /// Lanes without staging buffers yet. Each buffer will hold `data_bytes` bytes of data.
    pub(crate) fn new(data_bytes: usize) -> Self {
        let bytes = H::BLOCK_BYTES + data_bytes + PADDING_BYTES_MAX;
        Self {
            staging: Vec::new(),
            stride: bytes.next_multiple_of(64) | 64,
            done: [Done {
                item: 0,
                run: Run::default(),
                blocks: 0,
            }; LANES_MAX],
            compression: PhantomData,
        }
    }

    /// Allocates staging buffers for this many lanes. A step needs one per item.
    #[inline]
    pub(crate) fn grow(&mut self, lanes: usize) {
        if self.staging.len() < lanes * self.stride {
            self.staging.resize(lanes * self.stride, 0);
        }
    }

    /// The lane's result in the last step, which used the lane.
    #[inline]
    pub(crate) fn done(&self, lane: usize) -> &Done {
        &self.done[lane]
    }

    /// The lane's input in the last step. No item of the step may have settled yet.
    pub(crate) fn input<'a>(&'a self, lane: usize, feed: &'a impl Feed<H>) -> Input<'a> {
        let stage = &self.staging[lane * self.stride..(lane + 1) * self.stride];
        let done = &self.done[lane];
        done.input::<H>(0, done.blocks(), stage, feed)
    }

    /// Hashes items `0..plan.lanes`, up to `blocks_max` blocks of each. Returns the number of
    /// hashed blocks over all lanes.
    #[inline]
    pub(crate) fn step(
        &mut self,
        plan: &Plan,
        blocks_max: u32,
        feed: &mut impl Feed<H>,
        occupancy: &mut Occupancy,
    ) -> usize {
        self.order(plan.lanes, feed);
        let place = feed.place();
        let mut total = 0;
        for chain in plan.segments.chunk_by(|_, next| next.is_chained) {
            for segment in chain {
                let lanes = segment.first..segment.first + segment.active;
                // The last lane of a segment has the shortest run.
                let blocks = self.done[lanes.end - 1].run.blocks.min(blocks_max);
                occupancy.record(segment, blocks as usize);
                total += segment.active * blocks as usize;
                for lane in lanes {
                    self.load(lane, blocks, feed);
                }
            }
            let (done, staging, stride) = (&self.done, &self.staging, self.stride);
            let feed = &*feed;
            let segments = chain.iter().map(|segment| {
                let lanes = segment.first..segment.first + segment.active;
                let blocks = done[segment.first].blocks();
                let inputs = lanes.map(move |lane| {
                    let stage = &staging[lane * stride..(lane + 1) * stride];
                    let done = &done[lane];
                    let input = done.input::<H>(0, blocks, stage, feed);
                    (feed.state(done.item()), input)
                });
                (inputs, blocks)
            });
            compress_placed::<H, _>(chain[0].kernel, place, segments);
        }
        total
    }

    /// Hashes all runs of `items` items in the lanes of `kernel`, so that all lanes end together:
    /// see [`Wrapped`].
    #[inline(never)] // a rare step must not cost the others registers
    pub(crate) fn wrap(
        &mut self,
        kernel: Kernel,
        items: usize,
        feed: &mut impl Feed<H>,
        occupancy: &mut Occupancy,
    ) {
        self.place(items, feed);
        let place = feed.place();
        for item in 0..items {
            self.load(item, self.done[item].run.blocks, feed);
        }
        let (done, staging, stride) = (&self.done, &self.staging, self.stride);
        let feed = &*feed;
        let runs = done[..items].iter().map(|done| done.blocks);
        let mut wrapped = Wrapped::new(kernel.lanes(), runs);
        let mut pieces = [Piece::default(); LANES_MAX];
        let mut segments = [(0, 0); LANES_MAX];
        loop {
            let mut chained = 0;
            for (pieces, segment) in pieces.chunks_mut(kernel.lanes()).zip(&mut segments) {
                let (active, blocks) = wrapped.next(pieces);
                if active == 0 {
                    break;
                }
                occupancy.record(&Segment::new(kernel, 0, active), blocks);
                *segment = (active, blocks);
                chained += 1;
            }
            if chained == 0 {
                return;
            }
            let chain = pieces.chunks(kernel.lanes()).zip(&segments[..chained]);
            let chain = chain.map(|(pieces, (active, blocks))| {
                let inputs = pieces[..*active].iter().map(|piece| {
                    let stage = &staging[piece.item() * stride..(piece.item() + 1) * stride];
                    let done = &done[piece.item()];
                    let input = done.input::<H>(piece.from(), *blocks, stage, feed);
                    (feed.state(done.item()), input)
                });
                (inputs, *blocks)
            });
            compress_placed::<H, _>(kernel, place, chain);
        }
    }

    /// Assigns each item a lane. The longest run gets the first.
    #[inline]
    fn order(&mut self, lanes: usize, feed: &impl Feed<H>) {
        if !self.place(lanes, feed) {
            self.sort(lanes);
        }
    }

    /// Assigns each item the lane with its number. Returns whether the longest run is the first.
    #[inline]
    fn place(&mut self, lanes: usize, feed: &impl Feed<H>) -> bool {
        let mut is_sorted = true;
        let mut before = u32::MAX;
        for (item, done) in (0_u8..).zip(&mut self.done[..lanes]) {
            let run = feed.run(usize::from(item));
            debug_assert!(run.blocks > 0, "a ready item has a block to hash");
            is_sorted &= run.blocks <= before;
            before = run.blocks;
            *done = Done {
                item,
                run,
                blocks: 0,
            };
        }
        is_sorted
    }

    /// Sorts by length. Equal runs stay in the order of their items.
    #[inline(never)] // most steps have no need of it
    fn sort(&mut self, lanes: usize) {
        let mut keys = [0_u64; LANES_MAX];
        for (key, done) in keys.iter_mut().zip(&self.done[..lanes]) {
            *key = u64::from(!done.run.blocks) << 8 | u64::from(done.item);
        }
        keys[..lanes].sort_unstable();
        // Item `i` is still at index `i`.
        let by_item = self.done;
        for (done, key) in self.done[..lanes].iter_mut().zip(keys) {
            *done = by_item[usize::from(key.to_le_bytes()[0])];
        }
    }

    #[inline]
    fn load(&mut self, lane: usize, blocks: u32, feed: &mut impl Feed<H>) {
        let done = &mut self.done[lane];
        done.blocks = blocks;
        if done.run.staged || done.run.head || done.run.foot {
            let start = lane * self.stride;
            let stage = &mut self.staging[start..start + self.stride];
            feed.stage(done.item(), &done.run, blocks as usize, stage);
        }
    }
}

impl Done {
    /// The item of the run.
    #[inline]
    pub(crate) fn item(&self) -> usize {
        usize::from(self.item)
    }

    /// Number of hashed blocks of the run.
    #[inline]
    pub(crate) const fn blocks(&self) -> usize {
        self.blocks as usize
    }

    /// Whether the message has ended.
    #[inline]
    pub(crate) const fn has_ended(&self) -> bool {
        self.run.last && self.blocks == self.run.blocks
    }

    /// The input of `blocks` blocks of the run, from block `from` on.
    #[inline]
    fn input<'a, H: Compression>(
        &self,
        from: usize,
        blocks: usize,
        stage: &'a [u8],
        feed: &'a impl Feed<H>,
    ) -> Input<'a> {
        let run = &self.run;
        let staged = &stage[usize::from(run.start)..];
        if run.staged {
            return Input::whole(&staged[from * H::BLOCK_BYTES..(from + blocks) * H::BLOCK_BYTES]);
        }
        let head = if run.head && from == 0 {
            &staged[..H::BLOCK_BYTES]
        } else {
            &[]
        };
        let foot = if run.foot && from + blocks == run.blocks as usize {
            &stage[2 * H::BLOCK_BYTES..3 * H::BLOCK_BYTES]
        } else {
            &[]
        };
        let apart = usize::from(!head.is_empty()) + usize::from(!foot.is_empty());
        let before = from.saturating_sub(usize::from(run.head));
        let body = &feed.direct(self.item())[before * H::BLOCK_BYTES..];
        let body = &body[..(blocks - apart) * H::BLOCK_BYTES];
        Input { head, body, foot }
    }
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The widest kernel used.
    pub kernel: Kernel,
    /// Lanes that hashed for a job.
    pub active_lanes: usize,
    /// Lanes of the kernels used.
    pub total_lanes: usize,
    /// Number of hashed blocks over all lanes.
    pub blocks: usize,
}
