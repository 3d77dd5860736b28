//! The lanes over a set of messages that is known from the start.
//!
//! S-HASH of Gueron and Krasnov 2012: messages of any lengths share the lanes,
//! and as soon as one ends the next takes its lane.
//!
//! ```text
//! start    messages are taken up, the longest first, so that lanes run empty together
//! step     those with the longest rest, in as many lanes as pay
//! refill   a message that has ended makes room for the next one
//! narrow   where the longest message would end last, for lack of lanes that pay or
//!          because it is longer than the rest can keep lanes full: fewer lanes, in
//!          kernels that are quick for few, in turns, so that all end together
//! ```

use std::cell::Cell;

use crate::{
    digest::Digest,
    kernel::{Compression, LANES_MAX, State},
    padding::{pad, padded},
    schedule::{Feed, Lanes, Occupancy, Plan, Plans, Run},
    sink::{Sink, SinkKind},
    stream::write_digest,
};

/// Bytes of one kernel call. Nobody else waits for this thread, so a call goes
/// on for as long as its data is in L2: so much per lane.
const STEP_BYTES_MAX: usize = 128 << 10;

/// Shorter turns are not worth their steps.
const TURN_BLOCKS_MIN: u64 = 16;

/// Fewer lanes than all are taken if the batch ends earlier by more than this: what
/// is measured of kernels is not known better.
const NARROW_GAIN: f64 = 0.97;

/// What a step in turns costs beside hashing, about, for each of its lanes: 35 to 45
/// (Zen 4, 5 to 21 messages of 16 KiB).
const STEP_LANE_NS: f64 = 40.0;

/// Messages in progress, of long ones; more would not fit caches.
const LONG_LANES: usize = 32;

/// The longest of short messages, of which more are in progress, so that a step is long.
const SHORT_BYTES: u64 = 4096;

/// What a step of `plan` costs beside hashing.
#[allow(clippy::cast_precision_loss)] // few lanes
fn step_ns(plan: &Plan) -> f64 {
    plan.lanes as f64 * STEP_LANE_NS
}

/// Where a batch's messages come from and its digests go.
pub(crate) trait Messages<C> {
    /// The next message to start, the longest first.
    fn next(&mut self) -> Option<u32>;
    /// A message's next bytes, and whether they are the last; if not, whole blocks.
    fn read(&mut self, index: u32) -> (Option<C>, bool);
    /// Bytes of the message that were not read, as far as is known.
    fn rest(&self, index: u32) -> u64;
    /// Bytes of the messages that have not been started, as far as is known.
    fn waiting(&self) -> u64;
    /// Bytes of the next message to start, as far as is known; 0 if there is none.
    fn next_bytes(&self) -> u64;
    /// Where the digest of a message goes, which has as many bytes; nothing if it is not
    /// wanted.
    fn digest(&mut self, index: u32) -> Option<&mut Digest>;
}

/// A message that has so much left is hashed where it lies; of a shorter one all is copied
/// to the staging buffer and padded there.
const DIRECT_BYTES_MIN: usize = 256;

/// A message in progress. Its chunks are whole blocks up to the last, so it needs no tail.
struct Active<H: Compression, C> {
    state: Cell<State<H::Word>>,
    /// The chunk that is being hashed; none of an empty message.
    chunk: Option<C>,
    /// Bytes of it that are hashed.
    offset: usize,
    /// Bytes of the chunks up to this one.
    length: u64,
    index: u32,
    /// No chunk follows.
    is_last: bool,
    /// The one bit of the padding is hashed, the length is not.
    is_padding: bool,
    has_ended: bool,
}

impl<H: Compression, C: AsRef<[u8]>> Active<H, C> {
    const fn new(index: u32, initial: &State<H::Word>) -> Self {
        Self {
            state: Cell::new(*initial),
            chunk: None,
            offset: 0,
            length: 0,
            index,
            is_last: false,
            is_padding: false,
            has_ended: false,
        }
    }

    /// Takes up the message's next chunk.
    #[inline]
    fn read(&mut self, messages: &mut impl Messages<C>) {
        let (chunk, is_last) = messages.read(self.index);
        self.length += chunk
            .as_ref()
            .map_or(0, |chunk| chunk.as_ref().len() as u64);
        debug_assert!(is_last || self.length.is_multiple_of(H::BLOCK_BYTES as u64));
        self.chunk = chunk;
        self.offset = 0;
        self.is_last = is_last;
    }

    /// What is left of the chunk.
    #[inline]
    fn rest(&self) -> &[u8] {
        self.chunk
            .as_ref()
            .map_or(&[], |chunk| &chunk.as_ref()[self.offset..])
    }

    #[inline]
    fn run(&self) -> Run {
        let rest = self.rest().len();
        let (body, tail) = (rest / H::BLOCK_BYTES, rest % H::BLOCK_BYTES);
        let staged = rest < DIRECT_BYTES_MIN;
        let last = self.is_last && (staged || padded::<H>(tail) == H::BLOCK_BYTES);
        Run {
            blocks: Run::blocks(if last {
                padded::<H>(rest) / H::BLOCK_BYTES
            } else {
                body
            }),
            #[allow(clippy::cast_possible_truncation)] // at most 128
            start: H::BLOCK_BYTES as u8,
            staged,
            head: false,
            foot: last && !staged,
            last,
        }
    }

    /// Writes what the run has in the staging buffer.
    #[inline]
    fn stage(&self, run: &Run, stage: &mut [u8]) {
        let rest = self.rest();
        let (from, bytes) = if run.staged {
            (H::BLOCK_BYTES, rest)
        } else {
            let tail = rest.len() % H::BLOCK_BYTES;
            (2 * H::BLOCK_BYTES, &rest[rest.len() - tail..])
        };
        let stage = &mut stage[from..];
        stage[..bytes.len()].copy_from_slice(bytes);
        if run.last {
            pad::<H>(stage, bytes.len(), self.length);
            if self.is_padding {
                stage[0] = 0;
            }
        }
    }

    /// So many more blocks are hashed.
    #[inline]
    fn advance(&mut self, blocks: usize) {
        let bytes = blocks * H::BLOCK_BYTES;
        let rest = self.rest().len();
        self.is_padding |= bytes > rest;
        self.offset += bytes.min(rest);
    }
}

/// A batch in progress.
struct Batch<'a, H: Compression, C, M> {
    messages: &'a mut M,
    active: Vec<Active<H, C>>,
    /// Those of a step, by their place in `active`.
    picked: [u8; LANES_MAX],
    initial: &'a State<H::Word>,
    /// No message has more bytes left.
    longest: u64,
}

/// Hashes everything `messages` has.
pub(crate) fn run<H: Compression, C: AsRef<[u8]>>(
    initial: &State<H::Word>,
    plans: &Plans,
    lanes: &mut Lanes<H>,
    occupancy: &mut Occupancy,
    messages: &mut impl Messages<C>,
) {
    let mut batch = Batch {
        longest: messages.next_bytes(),
        messages,
        active: Vec::with_capacity(LANES_MAX),
        picked: std::array::from_fn(|place| u8::try_from(place).expect("lanes are few")),
        initial,
    };
    loop {
        batch.fill();
        if batch.active.is_empty() {
            return;
        }
        batch.step(plans, lanes, occupancy);
    }
}

impl<H: Compression, C: AsRef<[u8]>, M: Messages<C>> Batch<'_, H, C, M> {
    /// Takes up messages.
    fn fill(&mut self) {
        loop {
            let short = self.messages.next_bytes() <= SHORT_BYTES;
            let most = if short { LANES_MAX } else { LONG_LANES };
            if self.active.len() >= most {
                return;
            }
            let Some(index) = self.messages.next() else {
                return;
            };
            let mut active = Active::new(index, self.initial);
            active.read(self.messages);
            self.active.push(active);
        }
    }

    fn step(&mut self, plans: &Plans, lanes: &mut Lanes<H>, occupancy: &mut Occupancy) {
        let wide = plans.plan(self.active.len());
        // Enough waits to keep all lanes busy for as long as any message lasts.
        let plan = if self.longest.saturating_mul(wide.lanes as u64) <= self.messages.waiting() {
            wide
        } else {
            self.plan(plans, wide)
        };
        let step_blocks = Run::blocks(STEP_BYTES_MAX / H::BLOCK_BYTES);
        let in_turns = plan.lanes < self.active.len();
        let blocks_max = if in_turns {
            self.longest_first(plan.lanes);
            Run::blocks(self.turn_blocks(plans, plan)).min(step_blocks)
        } else {
            step_blocks
        };
        lanes.step(plan, blocks_max, self, occupancy);
        let mut any_ended = false;
        for lane in 0..plan.lanes {
            let done = lanes.done(lane);
            let place = usize::from(self.picked[done.item()]);
            let active = &mut self.active[place];
            if done.has_ended() {
                if let Some(digest) = self.messages.digest(active.index) {
                    write_digest::<H>(active.state.get_mut(), digest);
                }
                active.has_ended = true;
                any_ended = true;
                continue;
            }
            active.advance(done.blocks());
            if !active.is_last && active.rest().is_empty() {
                active.read(self.messages);
            }
        }
        if any_ended {
            self.replace();
        }
        if in_turns {
            for (place, picked) in self.picked.iter_mut().enumerate() {
                *picked = u8::try_from(place).expect("lanes are few");
            }
        }
    }

    /// Messages that have ended make room for others.
    #[inline]
    fn replace(&mut self) {
        let mut place = 0;
        while place < self.active.len() {
            if !self.active[place].has_ended {
                place += 1;
                continue;
            }
            match self.messages.next() {
                Some(index) => {
                    let active = &mut self.active[place];
                    *active = Active::new(index, self.initial);
                    active.read(self.messages);
                }
                None => {
                    self.active.swap_remove(place);
                }
            }
        }
    }

    /// Bytes of an active message that are yet to be hashed.
    fn rest(&self, active: &Active<H, C>) -> u64 {
        self.messages
            .rest(active.index)
            .saturating_add(active.rest().len() as u64)
    }

    /// `wide`, the plan for all lanes, or a plan for fewer if the batch ends earlier by
    /// it. Lowers `longest` to what it is now.
    #[allow(clippy::cast_precision_loss)] // beyond 2^52 bytes
    #[inline(never)] // a rare step must not cost the others registers: up to 15%
    fn plan<'p>(&mut self, plans: &'p Plans, wide: &'p Plan) -> &'p Plan {
        let (mut in_progress, mut all) = (0, self.messages.waiting());
        for active in &self.active {
            let rest = self.rest(active);
            in_progress = in_progress.max(rest);
            all = all.saturating_add(rest);
        }
        self.longest = in_progress.max(self.messages.next_bytes());
        let blocks = |bytes: u64| bytes as f64 / H::BLOCK_BYTES as f64;
        let (longest, all) = (blocks(in_progress), blocks(all));
        // Until the others have ended.
        let others = |plan: &Plan| (all - longest) / (plan.lanes.max(2) - 1) as f64;
        if longest <= others(wide) {
            return wide;
        }
        let alone_ns = plans.plan(1).cost_ns;
        // All its lanes until the others have ended, then the longest message alone; or
        // all lanes until the end.
        let ns = |plan: &Plan| {
            let others = others(plan);
            if plan.lanes == 1 || longest <= others {
                return all / plan.lanes as f64 * plan.cost_ns;
            }
            others * plan.cost_ns + (longest - others) * alone_ns
        };
        let narrow = (1..wide.lanes).map(|lanes| plans.plan(lanes));
        let narrow = narrow.map(|plan| (plan, ns(plan)));
        match narrow.min_by(|(_, a), (_, b)| a.total_cmp(b)) {
            Some((plan, narrow_ns)) if narrow_ns < ns(wide) * NARROW_GAIN - step_ns(plan) => plan,
            _ => wide,
        }
    }

    /// How many blocks to hash before those that `plan` leaves out have their turn.
    /// By taking turns any number of messages can all end together, as if they could be
    /// cut at will and each piece given to any lane, if none is left out for longer than
    /// it has time to spare (R. McNaughton, "Scheduling with deadlines and loss
    /// functions", 1959). If that costs more steps than it gains, those left out follow
    /// when the others have ended.
    #[allow(clippy::cast_precision_loss)] // beyond 2^52 blocks
    #[inline(never)] // see plan
    fn turn_blocks(&self, plans: &Plans, plan: &Plan) -> usize {
        let blocks =
            |place: &u8| self.rest(&self.active[usize::from(*place)]) / H::BLOCK_BYTES as u64 + 1;
        let picked = &self.picked[..self.active.len()];
        let (run, left_out) = picked.split_at(plan.lanes);
        let longest_out = left_out.iter().map(blocks).max().unwrap_or(0);
        let waiting = self.messages.waiting() / H::BLOCK_BYTES as u64;
        let all = picked.iter().map(blocks).sum::<u64>() + waiting;
        let longest = run.iter().map(blocks).max().unwrap_or(0);
        let together = longest.max(all / plan.lanes as u64);
        let spare = together.saturating_sub(longest_out).max(TURN_BLOCKS_MIN);
        let steps = together.div_ceil(spare);
        let in_turns_ns = together as f64 * plan.cost_ns + steps as f64 * step_ns(plan);
        let after = plans.plan(left_out.len()).cost_ns;
        let after_ns = longest as f64 * plan.cost_ns + longest_out as f64 * after;
        if in_turns_ns >= after_ns {
            return usize::MAX;
        }
        usize::try_from(spare).unwrap_or(usize::MAX)
    }

    /// Picks the `run` messages with the longest rest.
    #[inline(never)] // see plan
    fn longest_first(&mut self, run: usize) {
        let mut rests = [(0, 0); LANES_MAX];
        let len = self.active.len();
        for ((rest, active), place) in rests.iter_mut().zip(&self.active).zip(0_u8..) {
            *rest = (self.rest(active), place);
        }
        // The longest in front, of equals the first.
        let key = |(rest, place): &(u64, u8)| (std::cmp::Reverse(*rest), *place);
        let rests = &mut rests[..len];
        if run > 0 && run < len {
            rests.select_nth_unstable_by_key(run - 1, key);
        }
        for (picked, (_, place)) in self.picked.iter_mut().zip(rests) {
            *picked = *place;
        }
    }
}

impl<H: Compression, C: AsRef<[u8]>, M: Messages<C>> Batch<'_, H, C, M> {
    #[inline]
    fn active(&self, item: usize) -> &Active<H, C> {
        &self.active[usize::from(self.picked[item])]
    }
}

impl<H: Compression, C: AsRef<[u8]>, M: Messages<C>> Feed<H> for Batch<'_, H, C, M> {
    #[inline]
    fn run(&self, item: usize) -> Run {
        self.active(item).run()
    }

    #[inline]
    fn state(&self, item: usize) -> &Cell<State<H::Word>> {
        &self.active(item).state
    }

    #[inline]
    fn stage(&mut self, item: usize, run: &Run, _: usize, stage: &mut [u8]) {
        self.active(item).stage(run, stage);
    }

    #[inline]
    fn direct(&self, item: usize) -> &[u8] {
        self.active(item).rest()
    }
}

/// Hashes everything `messages` has by a function without lanes, one message after another.
pub(crate) fn run_sink<C: AsRef<[u8]>>(kind: SinkKind, messages: &mut impl Messages<C>) {
    while let Some(index) = messages.next() {
        let mut sink = Sink::new(kind);
        loop {
            let (chunk, is_last) = messages.read(index);
            if let Some(chunk) = chunk {
                sink.update(chunk.as_ref());
            }
            if is_last {
                break;
            }
        }
        if let Some(digest) = messages.digest(index) {
            *digest = sink.finalize();
        }
    }
}
