//! The lanes over a set of messages that is known from the start.
//!
//! S-HASH of Gueron and Krasnov 2012: messages of any lengths share the lanes,
//! and as soon as one ends the next takes its lane.
//!
//! ```text
//! start   messages take lanes, the longest first, so that lanes run empty together
//! run     as long as the lanes are full: one step over all
//! refill  a lane whose message ended takes the next one
//! finish  fewer lanes than pay for the widest kernel: the longest remaining
//!         messages go on in the kernels that are quick for few, since they
//!         decide when the batch ends
//! ```

use crate::{
    crossover::Crossover,
    kernel::{BLOCK_BYTES, INITIAL_STATE},
    lanes::{Feed, Lanes, Run},
    padding::{Digest, digest_bytes},
};

/// Blocks of one kernel call. Nobody else waits for this thread, so a call goes
/// on for as long as its data is in L2: 128 KiB per lane.
const BLOCKS_MAX: usize = (128 << 10) / BLOCK_BYTES;

/// A message in a lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    /// Its place in the input.
    pub(crate) index: u32,
    /// Bytes given to the runs before the present one.
    pub(crate) start: u64,
    /// The run ends with the message's last block.
    pub(crate) last: bool,
}

/// Where a batch's messages come from and its digests go.
pub(crate) trait Messages {
    /// The next message to start, the longest first.
    fn next(&mut self) -> Option<u32>;
    /// The next run of a message, from `message.start`, of at least one block;
    /// it sets `message.last` if the message ends with it. `stage` has room for
    /// the lanes' staging bytes and the padding.
    fn prepare(&mut self, message: &mut Message, stage: &mut [u8]) -> Run;
    /// The memory of a direct run, from `message.start`.
    fn direct(&self, message: &Message) -> &[u8];
    /// Bytes of the message after `message.start`, as far as is known.
    fn rest(&self, message: &Message) -> u64;
    /// A message has ended.
    fn finish(&mut self, index: u32, digest: Digest);
}

/// Hashes everything `feed` has.
pub(crate) fn run(crossover: &Crossover, lanes: &mut Lanes<Message>, feed: &mut impl Messages) {
    loop {
        while !lanes.is_full() {
            let Some(index) = feed.next() else { break };
            lanes.add(Message::new(index), &INITIAL_STATE);
        }
        if lanes.len() == 0 {
            return;
        }
        step(crossover, lanes, feed);
    }
}

fn step(crossover: &Crossover, lanes: &mut Lanes<Message>, feed: &mut impl Messages) {
    let plan = crossover.plan(lanes.len());
    if plan.lanes < lanes.len() {
        longest_first(lanes, plan.lanes, feed);
    }
    lanes.run(plan, BLOCKS_MAX, &mut Lane(feed));
    // From the last column down: a lane that is freed is replaced by the last
    // one, which has been seen by then or took no part.
    for column in (0..plan.lanes).rev() {
        if lanes.lane(column).run.blocks == 0 {
            settle(lanes, column, feed);
        }
    }
}

/// A run is over: the message goes on, or ends and the next one starts.
fn settle(lanes: &mut Lanes<Message>, column: usize, feed: &mut impl Messages) {
    let lane = lanes.lane_mut(column);
    if !lane.owner.last {
        lane.owner.start += lane.offset as u64;
        lane.offset = 0;
        return;
    }
    let index = lane.owner.index;
    feed.finish(index, digest_bytes(&lanes.state(column)));
    if let Some(next) = feed.next() {
        lanes.reset(column, Message::new(next), &INITIAL_STATE);
    } else {
        lanes.remove(column);
    }
}

/// Messages as the lanes see them.
struct Lane<'a, M>(&'a mut M);

impl<M: Messages> Feed<Message> for Lane<'_, M> {
    #[inline]
    fn prepare(&mut self, message: &mut Message, stage: &mut [u8]) -> Run {
        self.0.prepare(message, stage)
    }

    #[inline]
    fn direct(&self, message: &Message) -> &[u8] {
        self.0.direct(message)
    }
}

/// Moves the `run` lanes with the longest rest of their message to the front.
fn longest_first(lanes: &mut Lanes<Message>, run: usize, feed: &impl Messages) {
    let rest = |lanes: &Lanes<Message>, column: usize| {
        let lane = lanes.lane(column);
        feed.rest(&lane.owner).saturating_sub(lane.offset as u64)
    };
    for place in 0..run {
        let longest = (place..lanes.len())
            .max_by_key(|column| rest(lanes, *column))
            .expect("at least one lane");
        if rest(lanes, longest) > rest(lanes, place) {
            lanes.swap(place, longest);
        }
    }
}

impl Message {
    const fn new(index: u32) -> Self {
        Self {
            index,
            start: 0,
            last: false,
        }
    }
}
