//! The lanes over a set of messages that is known from the start.
//!
//! S-HASH of Gueron and Krasnov 2012: messages of any lengths share the lanes,
//! and as soon as one ends the next takes its lane.
//!
//! ```text
//! start   messages take lanes, the longest first, so that lanes run empty together
//! run     one step over all lanes, if they are full
//! refill  a lane whose message ended takes the next one
//! narrow  where the longest message would end last, for lack of lanes that pay or
//!         because it is longer than the rest can keep lanes full: fewer lanes, in
//!         kernels that are quick for few, and the longest remaining messages in
//!         them; in turns, so that all end together
//! ```

use crate::{
    crossover::{Crossover, Plan},
    kernel::{BLOCK_BYTES, INITIAL_STATE, LANES_MAX},
    lanes::{Feed, Lanes, Run},
    padding::{Digest, digest_bytes},
};

/// Blocks of one kernel call. Nobody else waits for this thread, so a call goes
/// on for as long as its data is in L2: 128 KiB per lane.
const BLOCKS_MAX: usize = (128 << 10) / BLOCK_BYTES;

/// Shorter turns are not worth their steps.
const TURN_BLOCKS_MIN: usize = 16;

/// Fewer lanes than all are taken if the batch ends earlier by more than this: what
/// is measured of kernels is not known better.
const NARROW_GAIN: f64 = 0.97;

/// What a step costs beside hashing, about.
const STEP_NS: f64 = 500.0;

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
    /// Bytes of the messages that have not been started, as far as is known.
    fn waiting(&self) -> u64;
    /// Bytes of the next message to start, as far as is known; 0 if there is none.
    fn next_bytes(&self) -> u64;
    /// A message has ended.
    fn finish(&mut self, index: u32, digest: Digest);
}

/// Hashes everything `feed` has.
pub(crate) fn run(crossover: &Crossover, lanes: &mut Lanes<Message>, feed: &mut impl Messages) {
    let mut longest = feed.next_bytes();
    loop {
        while !lanes.is_full() {
            let Some(index) = feed.next() else { break };
            lanes.add(Message::new(index), &INITIAL_STATE);
        }
        if lanes.len() == 0 {
            return;
        }
        step(crossover, lanes, feed, &mut longest);
    }
}

/// No message has more than `longest` bytes left.
fn step(
    crossover: &Crossover,
    lanes: &mut Lanes<Message>,
    feed: &mut impl Messages,
    longest: &mut u64,
) {
    let wide = crossover.plan(lanes.len());
    // Enough waits to keep all lanes busy for as long as any message lasts.
    let plan = if longest.saturating_mul(wide.lanes as u64) <= feed.waiting() {
        wide
    } else {
        plan(crossover, wide, lanes, feed, longest)
    };
    let blocks_max = if plan.lanes < lanes.len() {
        longest_first(lanes, plan.lanes, feed);
        turn_blocks(crossover, plan, lanes, feed)
    } else {
        BLOCKS_MAX
    };
    lanes.run(plan, blocks_max, &mut Lane(feed));
    // From the last column down: a lane that is freed is replaced by the last
    // one, which has been seen by then or took no part.
    for column in (0..plan.lanes).rev() {
        if lanes.lane(column).run.blocks == 0 {
            settle(lanes, column, feed);
        }
    }
}

/// `wide`, the plan for all lanes, or a plan for fewer if the batch ends earlier by
/// it. Lowers `longest` to what it is now.
#[allow(clippy::cast_precision_loss)] // beyond 2^52 bytes
#[inline(never)] // a rare step must not cost the others registers: up to 15%
fn plan<'a>(
    crossover: &'a Crossover,
    wide: &'a Plan,
    lanes: &Lanes<Message>,
    feed: &impl Messages,
    longest: &mut u64,
) -> &'a Plan {
    let (mut in_lanes, mut all) = (0, feed.waiting());
    for column in 0..lanes.len() {
        let rest = rest(lanes, column, feed);
        in_lanes = in_lanes.max(rest);
        all = all.saturating_add(rest);
    }
    *longest = in_lanes.max(feed.next_bytes());
    let [longest, all] = [in_lanes, all].map(|bytes| bytes as f64 / BLOCK_BYTES as f64);
    // All lanes until the others have ended, then the longest message alone.
    let others = (all - longest) / (wide.lanes.max(2) - 1) as f64;
    if longest <= others {
        return wide;
    }
    let alone_ns = crossover.plan(1).cost_ns;
    let wide_ns = others * wide.cost_ns + (longest - others) * alone_ns;
    // With fewer lanes until the end it takes as long as the longest message, and
    // as all there is.
    let plans = (1..wide.lanes).map(|lanes| crossover.plan(lanes));
    let narrow = plans.filter(|plan| plan.is_whole()).map(|plan| {
        let ns = longest.max(all / plan.lanes as f64) * plan.cost_ns;
        (plan, ns)
    });
    match narrow.min_by(|(_, a), (_, b)| a.total_cmp(b)) {
        Some((plan, ns)) if ns < wide_ns * NARROW_GAIN - STEP_NS => plan,
        _ => wide,
    }
}

/// How many blocks to hash before the lanes that `plan` leaves out have their turn.
/// By taking turns any number of messages can all end together, as if they could be
/// cut at will and each piece given to any lane, if none is left out for longer than
/// it has time to spare (R. McNaughton, "Scheduling with deadlines and loss
/// functions", 1959). If that costs more steps than it gains, those left out follow
/// when the others have ended.
#[allow(clippy::cast_precision_loss)] // beyond 2^52 blocks
#[inline(never)] // see plan
fn turn_blocks(
    crossover: &Crossover,
    plan: &Plan,
    lanes: &Lanes<Message>,
    feed: &impl Messages,
) -> usize {
    let blocks = |column: usize| rest(lanes, column, feed) / BLOCK_BYTES as u64 + 1;
    let (run, len) = (plan.lanes, lanes.len());
    let left_out = (run..len).map(blocks).max().unwrap_or(0);
    let all = (0..len).map(blocks).sum::<u64>() + feed.waiting() / BLOCK_BYTES as u64;
    let together = blocks(0).max(all / run as u64); // the longest is in front
    let turns = len.div_ceil(len - run);
    let in_turns_ns = together as f64 * plan.cost_ns + turns as f64 * STEP_NS;
    let after_ns =
        blocks(0) as f64 * plan.cost_ns + left_out as f64 * crossover.plan(len - run).cost_ns;
    if in_turns_ns >= after_ns {
        return BLOCKS_MAX;
    }
    let spare = together.saturating_sub(left_out);
    usize::try_from(spare).map_or(BLOCKS_MAX, |spare| spare.clamp(TURN_BLOCKS_MIN, BLOCKS_MAX))
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
#[inline(never)] // see plan
fn longest_first(lanes: &mut Lanes<Message>, run: usize, feed: &impl Messages) {
    let mut rests = [0; LANES_MAX];
    let rests = &mut rests[..lanes.len()];
    for (column, rest_of) in rests.iter_mut().enumerate() {
        *rest_of = rest(lanes, column, feed);
    }
    for place in 0..run {
        let behind = place..rests.len();
        let longest = behind.max_by_key(|column| rests[*column]);
        let longest = longest.expect("at least one lane");
        if rests[longest] > rests[place] {
            lanes.swap(place, longest);
            rests.swap(place, longest);
        }
    }
}

/// Bytes of the message in `column` that are yet to be hashed.
fn rest(lanes: &Lanes<Message>, column: usize, feed: &impl Messages) -> u64 {
    let lane = lanes.lane(column);
    feed.rest(&lane.owner).saturating_sub(lane.offset as u64)
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
