//! The lanes: who is in them, what each reads next, and one step over all.
//!
//! Active lanes are always columns `0..len`, so that every plan is a run of
//! columns from 0 and idle lanes cost nothing. A lane reads a *run* of whole
//! blocks: either from its owner's memory, or from its staging buffer, where
//! tails, padding and small chunks were put together.
//!
//! ```text
//! column      0       1       2    ...   len-1 | idle
//! run       direct  staged  direct       staged
//! blocks      64      64      64           17
//! kernel    '-- first call --'    '-- last call --'
//! ```
//!
//! A step is one kernel call or several over neighbouring columns; each call
//! hashes as many blocks as its shortest lane has, and lanes whose run is over
//! get their next one.

use crate::{
    crossover::Plan,
    kernel::{self, BLOCK_BYTES, Columns, LANES_MAX},
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

/// Where the lanes' owners keep their bytes.
pub(crate) trait Feed<T> {
    /// The next run of a lane that has none: where it lies and its blocks, at
    /// least one. `stage` has room for the lanes' staging bytes and padding.
    fn prepare(&mut self, owner: &mut T, stage: &mut [u8]) -> (Source, usize);

    /// The memory of a direct run, from its start.
    fn direct(&self, owner: &T) -> &[u8];
}

/// One active lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane<T> {
    pub(crate) owner: T,
    pub(crate) source: Source,
    /// Blocks left of the run; 0 if the next one is yet to be prepared.
    pub(crate) blocks: usize,
    /// Bytes of the run that are hashed.
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
            source: Source::Direct,
            blocks: 0,
            offset: 0,
            served: 0,
            stage,
        });
        column
    }

    /// Takes `column` from its owner; the last lane moves there. Returns the
    /// chaining value, and the owner that now has the column, if one moved.
    #[inline]
    pub(crate) fn remove(&mut self, column: usize) -> ([u32; 8], Option<T>) {
        let state = self.columns.get(column);
        let lane = self.active.swap_remove(column);
        self.stages.push(lane.stage);
        let moved = self.active.get(column).map(|lane| lane.owner);
        if moved.is_some() {
            self.columns.copy(self.active.len(), column);
        }
        (state, moved)
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
        lane.source = Source::Direct;
        lane.offset = 0;
        self.columns.set(column, state);
    }

    /// One step: each kernel call of the plan hashes as many blocks as all its
    /// lanes have, up to `blocks_max`. Lanes without a run get their next one just before, while the
    /// others of the call are warm in cache too. Returns the blocks hashed, over
    /// all lanes.
    #[inline]
    pub(crate) fn run(&mut self, plan: &Plan, blocks_max: usize, feed: &mut impl Feed<T>) -> usize {
        let mut total = 0;
        for segment in &plan.segments {
            let lanes = &mut self.active[segment.first..segment.first + segment.active];
            for lane in lanes.iter_mut().filter(|lane| lane.blocks == 0) {
                let start = usize::from(lane.stage) * self.stage_stride;
                let stage = &mut self.staging[start..start + self.stage_stride];
                (lane.source, lane.blocks) = feed.prepare(&mut lane.owner, stage);
                lane.offset = 0;
                debug_assert!(lane.blocks > 0, "an active lane has a block to hash");
            }
            let blocks = step_blocks(lanes, blocks_max);
            let bytes = blocks * BLOCK_BYTES;
            let mut inputs: [&[u8]; LANES_MAX] = [&[]; LANES_MAX];
            for (input, lane) in inputs.iter_mut().zip(lanes.iter()) {
                let from = match lane.source {
                    Source::Staged => &self.staging[usize::from(lane.stage) * self.stage_stride..],
                    Source::Direct => feed.direct(&lane.owner),
                };
                *input = &from[lane.offset..lane.offset + bytes];
            }
            let inputs = &inputs[..segment.active];
            kernel::compress(
                segment.kernel,
                &mut self.columns,
                segment.first,
                inputs,
                blocks,
            );
            for lane in lanes {
                lane.blocks -= blocks;
                lane.offset += bytes;
                lane.served += blocks;
            }
            self.occupancy.record(segment, blocks);
            total += segment.active * blocks;
        }
        total
    }
}

/// The most blocks that each of `lanes` has, within `blocks_max`.
#[inline]
fn step_blocks<T>(lanes: &[Lane<T>], blocks_max: usize) -> usize {
    let blocks = lanes.iter().map(|lane| lane.blocks).min().unwrap_or(0);
    let blocks = blocks.min(blocks_max);
    if blocks > STAGE_BLOCKS {
        // Runs of direct lanes stay in step with the staged ones.
        blocks - blocks % STAGE_BLOCKS
    } else {
        blocks
    }
}
