//! The lanes: who is in them, what each reads next, and one step over all.
//!
//! Active lanes are always columns `0..len`, so that every plan is a run of
//! columns from 0 and idle lanes cost nothing. A lane reads a *run* of whole
//! blocks: either from its owner's memory, or from its staging buffer, where
//! tails, padding and small chunks were put together. A direct run may have its
//! first block, its *head*, and its last block, its *foot*, in the staging buffer:
//! that joins a tail with the chunk after it, and a message's end with its padding.
//!
//! ```text
//! column       0            1         2      ...       len-1      | idle
//! run     head + direct   staged   direct        direct + foot
//! blocks     1 + 63         64       64              16 + 1
//! kernel       '---- first segment -----'    '- last segment -'
//! ```
//!
//! A step is one segment or several, each a kernel over neighbouring columns; each
//! hashes as many blocks as its shortest lane has, and lanes whose run is over
//! get their next one. Segments of a kernel that chains are one call.

use std::ops::Range;

use crate::{
    crossover::{Plan, Segment},
    kernel::{self, BLOCK_BYTES, Columns, Input, LANES_MAX},
    occupancy::Occupancy,
    padding::PADDING_BYTES_MAX,
};

/// Data bytes of a staging buffer for chunks and messages in memory. Long enough that the fixed cost of a step
/// vanishes, short enough that 32 of them stay in L2 beside the data.
pub(crate) const STAGE_BYTES: usize = 4096;

/// Blocks of a full staging buffer.
pub(crate) const STAGE_BLOCKS: usize = STAGE_BYTES / BLOCK_BYTES;

/// Where a lane's run lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// In the lane's staging buffer.
    Staged,
    /// In the owner's memory.
    Direct,
}

/// What a lane reads next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) source: Source,
    /// All its blocks, head and foot included; at least one.
    pub(crate) blocks: usize,
    /// A direct run's first block lies at [`HEAD`] of the staging buffer.
    pub(crate) head: bool,
    /// A direct run's last block lies at [`FOOT`] of the staging buffer.
    pub(crate) foot: bool,
}

/// Where the staging buffer holds a direct run's head.
pub(crate) const HEAD: Range<usize> = 0..BLOCK_BYTES;

/// Where the staging buffer holds a direct run's foot.
pub(crate) const FOOT: Range<usize> = BLOCK_BYTES..2 * BLOCK_BYTES;

impl Run {
    /// No run: the lane gets one before its next kernel call.
    const NONE: Self = Self::direct(0);

    /// Blocks in the owner's memory.
    pub(crate) const fn direct(blocks: usize) -> Self {
        Self {
            source: Source::Direct,
            blocks,
            head: false,
            foot: false,
        }
    }

    /// Blocks in the staging buffer.
    pub(crate) const fn staged(blocks: usize) -> Self {
        Self {
            source: Source::Staged,
            blocks,
            head: false,
            foot: false,
        }
    }
}

/// Where the lanes' owners keep their bytes.
pub(crate) trait Feed<T> {
    /// The next run of a lane that has none. `stage` has room for the lanes'
    /// staging bytes and padding.
    fn prepare(&mut self, owner: &mut T, stage: &mut [u8]) -> Run;

    /// The memory of a direct run, from its start.
    fn direct(&self, owner: &T) -> &[u8];
}

/// One active lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane<T> {
    pub(crate) owner: T,
    /// What is left of the run; no blocks if the next one is yet to be prepared.
    pub(crate) run: Run,
    /// Bytes hashed of the run's source, head and foot aside.
    pub(crate) offset: usize,
    /// Blocks hashed since the owner took the lane.
    pub(crate) served: usize,
    /// The staging buffer, which stays with the lane when its column changes.
    stage: u8,
}

/// Chaining values, staging buffers and the active lanes.
pub(crate) struct Lanes<T> {
    columns: Columns,
    staging: Box<[u8]>,
    /// From one staging buffer to the next: room for the padding, and an offset
    /// modulo 4 KiB that keeps the buffers out of each other's cache sets.
    stage_stride: usize,
    /// Staging buffers of idle lanes.
    stages: Vec<u8>,
    active: Vec<Lane<T>>,
    occupancy: Occupancy,
}

impl<T: Copy> Lanes<T> {
    /// Lanes with staging buffers of `stage_bytes`.
    pub(crate) fn new(stage_bytes: usize) -> Self {
        let stage_stride = (stage_bytes + PADDING_BYTES_MAX).next_multiple_of(BLOCK_BYTES);
        Self {
            columns: Columns::new(),
            staging: vec![0; stage_stride * LANES_MAX].into_boxed_slice(),
            stage_stride,
            stages: (0..LANES_MAX)
                .filter_map(|i| u8::try_from(i).ok())
                .collect(),
            active: Vec::with_capacity(LANES_MAX),
            occupancy: Occupancy::new(),
        }
    }

    /// Active lanes.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.active.len()
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.active.len() == LANES_MAX
    }

    pub(crate) const fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// Gives the next column to `owner`. The lane has no run yet: its blocks are 0
    /// until a step prepares it.
    ///
    /// # Panics
    /// If the lanes are full.
    #[inline]
    pub(crate) fn add(&mut self, owner: T, state: &[u32; 8]) -> usize {
        let stage = self.stages.pop().expect("a free lane");
        let column = self.active.len();
        self.columns.set(column, state);
        self.active.push(Lane {
            owner,
            run: Run::NONE,
            offset: 0,
            served: 0,
            stage,
        });
        column
    }

    /// Takes `column` from its owner; the last lane moves there. Returns the
    /// owner that now has the column, if one moved.
    #[inline]
    pub(crate) fn remove(&mut self, column: usize) -> Option<T> {
        let lane = self.active.swap_remove(column);
        self.stages.push(lane.stage);
        let moved = self.active.get(column).map(|lane| lane.owner);
        if moved.is_some() {
            self.columns.copy(self.active.len(), column);
        }
        moved
    }

    /// Exchanges two active lanes.
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        let (state_a, state_b) = (self.columns.get(a), self.columns.get(b));
        self.columns.set(a, &state_b);
        self.columns.set(b, &state_a);
        self.active.swap(a, b);
    }

    #[inline]
    pub(crate) fn lane(&self, column: usize) -> &Lane<T> {
        &self.active[column]
    }

    #[inline]
    pub(crate) fn lane_mut(&mut self, column: usize) -> &mut Lane<T> {
        &mut self.active[column]
    }

    /// Copies the chaining value of a lane to where it is kept.
    #[inline]
    pub(crate) fn state_into(&self, column: usize, state: &mut [u32; 8]) {
        self.columns.get_into(column, state);
    }

    /// The chaining value of a lane.
    #[inline]
    pub(crate) fn state(&self, column: usize) -> [u32; 8] {
        self.columns.get(column)
    }

    /// Starts a message of the same owner in `column`.
    #[inline]
    pub(crate) fn reset(&mut self, column: usize, owner: T, state: &[u32; 8]) {
        let lane = &mut self.active[column];
        lane.owner = owner;
        lane.run = Run::NONE;
        lane.offset = 0;
        self.columns.set(column, state);
    }

    /// One step: each segment of the plan hashes as many blocks as all its
    /// lanes have, up to `blocks_max`. Lanes without a run get their next one just before their
    /// call, while the others of the call are warm in cache too. A chain is as long as it can be:
    /// what was staged for its first lanes may leave L1 meanwhile, but that costs less than
    /// another call (measured on Zen 4 with chunks of 250 bytes to 64 KiB). Returns
    /// the blocks hashed, over all lanes.
    #[inline]
    pub(crate) fn run(&mut self, plan: &Plan, blocks_max: usize, feed: &mut impl Feed<T>) -> usize {
        debug_assert!(plan.lanes == self.len() || plan.is_whole());
        let mut total = 0;
        let chained = |a: &Segment, b: &Segment| a.kernel == b.kernel && a.kernel.chains();
        for chain in plan.segments.chunk_by(chained) {
            let mut blocks = [0; LANES_MAX];
            for (segment, blocks) in chain.iter().zip(&mut blocks) {
                *blocks = self.prepare(segment, blocks_max, feed);
                self.occupancy.record(segment, *blocks);
                total += segment.active * *blocks;
            }
            let (kernel, first) = (chain[0].kernel, chain[0].first);
            let last = chain[chain.len() - 1];
            let lanes = self.active[first..last.first + last.active].chunks_mut(kernel.lanes());
            let (staging, stride, feed) = (&self.staging, self.stage_stride, &*feed);
            let inputs = lanes.zip(&blocks).map(|(lanes, blocks)| {
                let inputs = lanes.iter_mut().map(move |lane| {
                    let start = usize::from(lane.stage) * stride;
                    lane.read(*blocks, &staging[start..start + stride], feed)
                });
                (inputs, *blocks)
            });
            kernel::compress_chain(kernel, &mut self.columns, first, inputs);
        }
        total
    }

    /// Gives the lanes of `segment` that have no run their next one. Returns the
    /// blocks it hashes of each.
    #[inline]
    fn prepare(&mut self, segment: &Segment, blocks_max: usize, feed: &mut impl Feed<T>) -> usize {
        let lanes = &mut self.active[segment.first..segment.first + segment.active];
        for lane in lanes.iter_mut().filter(|lane| lane.run.blocks == 0) {
            let start = usize::from(lane.stage) * self.stage_stride;
            let stage = &mut self.staging[start..start + self.stage_stride];
            lane.run = feed.prepare(&mut lane.owner, stage);
            lane.offset = 0;
            debug_assert!(lane.run.blocks > 0, "an active lane has a block to hash");
        }
        step_blocks(lanes, blocks_max)
    }
}

impl<T: Copy> Lane<T> {
    /// The next `blocks` blocks of the run, which are then behind it.
    #[inline]
    fn read<'a>(&mut self, blocks: usize, stage: &'a [u8], feed: &'a impl Feed<T>) -> Input<'a> {
        let at = |range: Range<usize>| stage[range].try_into().expect("a block");
        let head = self.run.head.then(|| at(HEAD));
        let foot = (self.run.foot && blocks == self.run.blocks).then(|| at(FOOT));
        let apart = usize::from(head.is_some()) + usize::from(foot.is_some());
        let body_bytes = (blocks - apart) * BLOCK_BYTES;
        let from = match self.run.source {
            Source::Staged => stage,
            Source::Direct => feed.direct(&self.owner),
        };
        let body = &from[self.offset..self.offset + body_bytes];
        self.run.blocks -= blocks;
        self.run.head = false;
        self.offset += body_bytes;
        self.served += blocks;
        Input { head, body, foot }
    }
}

/// The most blocks that each of `lanes` has, within `blocks_max`.
#[inline]
fn step_blocks<T>(lanes: &[Lane<T>], blocks_max: usize) -> usize {
    let blocks = lanes.iter().map(|lane| lane.run.blocks).min().unwrap_or(0);
    let blocks = blocks.min(blocks_max);
    if blocks > STAGE_BLOCKS && blocks == blocks_max {
        // Runs of direct lanes stay in step with the staged ones.
        blocks - blocks % STAGE_BLOCKS
    } else {
        blocks
    }
}
