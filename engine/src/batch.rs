//! Hashes a set of messages that is known from the start.
//!
//! S-HASH of Gueron and Krasnov 2012: messages of any lengths share the lanes, and as soon as one
//! ends, the next takes its lane.
//!
//! ```text
//! start    take messages, the longest first, so that lanes run empty together
//! step     hash the messages with the most bytes left, in as many lanes as pay
//! refill   a message that has ended makes room for the next one
//! narrow   if the longest message would end last, because it is longer than the others can
//!          keep lanes full: use fewer lanes, in kernels that are fast for few
//! wrap     if the last messages do not fit the number of lanes that pay: cut them so that
//!          all lanes of one kernel end together
//! ```
//!
//! Why fewer lanes at the end: a long message that runs alone leaves all other lanes empty. This
//! makes five messages of 16 KiB 33% faster, and seven 8% (docs/measurements.md, Alternatives that
//! were measured).

use std::cell::Cell;

use crate::{
    digest::Digest,
    kernel::{Compression, Kernel, LANES_MAX, Place, State},
    padding::{longer, pad, padded},
    schedule::{Feed, Lanes, Occupancy, Plan, Plans, Run, Wrapped},
    sink::{Sink, SinkKind},
};

/// Bytes per lane of one kernel call. This thread has no other work, so a call is as long as its
/// data fits in L2.
const STEP_BYTES_MAX: usize = 128 << 10;

/// Fewer lanes are used only if the batch then takes less than this share of the time: kernel costs
/// are not known more precisely.
const NARROW_GAIN: f64 = 0.97;

/// Approximate overhead of a step per lane.
const STEP_LANE_NS: f64 = 40.0;

/// Approximate overhead per lane when any lane changes its message.
const CUT_LANE_NS: f64 = 5.0;

/// Batches of more bytes do not fit in L2, which has 1 or 2 MiB where kernels prefetch.
const NEAR_BYTES_MAX: u64 = 1 << 20;

/// Long messages in progress, unless the kernels have more lanes: messages without a lane would
/// only take cache.
const LONG_LANES: usize = 32;

/// The longest short message. More of them are in progress, so that steps are long.
const SHORT_BYTES: u64 = 4096;

/// The overhead of a step of `plan`.
#[allow(clippy::cast_precision_loss)] // few lanes
fn step_ns(plan: &Plan) -> f64 {
    plan.lanes as f64 * STEP_LANE_NS
}

/// A batch's source of messages and destination of digests.
pub(crate) trait Messages<C> {
    /// The next message to start, the longest first.
    fn next(&mut self) -> Option<u32>;
    /// A message's next bytes, and whether they are the last. If not, they are whole blocks.
    fn read(&mut self, index: u32) -> (Option<C>, bool);
    /// Unread bytes of the message, as far as known.
    fn rest(&self, index: u32) -> u64;
    /// Bytes of the messages that have not started, as far as known.
    fn waiting(&self) -> u64;
    /// Bytes of the next message to start, as far as known; 0 if there is none.
    fn next_bytes(&self) -> u64;
    /// Reports the state at a message's end.
    fn end<H: Compression>(&mut self, index: u32, state: &State<H::Word>);
    /// Reports a message's digest.
    fn put(&mut self, index: u32, digest: Digest);
}

/// A message with at least this many bytes left is hashed in place. A shorter rest is copied to the
/// staging buffer and padded there, so no lane stages more data.
pub(crate) const DIRECT_BYTES_MIN: usize = 256;

/// A message in progress. Its chunks are whole blocks up to the last, so it needs no tail.
struct Active<H: Compression, C> {
    state: Cell<State<H::Word>>,
    /// The chunk that is being hashed; `None` for an empty message.
    chunk: Option<C>,
    /// Bytes of the chunk that are hashed.
    offset: usize,
    /// Bytes of all chunks up to this one.
    length: u64,
    index: u32,
    /// No chunk follows.
    is_last: bool,
    /// The padding's one bit is hashed, but not the length.
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

    /// Reads the message's next chunk.
    #[inline]
    fn read(&mut self, messages: &mut impl Messages<C>) {
        let (chunk, is_last) = messages.read(self.index);
        let bytes = chunk.as_ref().map_or(0, |chunk| chunk.as_ref().len());
        self.length = longer(self.length, bytes);
        debug_assert!(is_last || self.length.is_multiple_of(H::BLOCK_BYTES as u64));
        self.chunk = chunk;
        self.offset = 0;
        self.is_last = is_last;
    }

    /// The unhashed rest of the chunk.
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
        let run = Run {
            blocks: 0,
            #[allow(clippy::cast_possible_truncation)] // at most 128
            start: H::BLOCK_BYTES as u8,
            staged,
            head: false,
            foot: last && !staged,
            last,
        };
        run.with_blocks(if last {
            padded::<H>(rest) / H::BLOCK_BYTES
        } else {
            body
        })
    }

    /// Writes the run's bytes to the staging buffer.
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

    /// Records that `blocks` more blocks are hashed.
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
    /// The messages of a step, as indices into `active`.
    picked: [u8; LANES_MAX],
    initial: &'a State<H::Word>,
    /// Upper bound on the bytes left in any message.
    longest: u64,
    /// Where the messages' data lies.
    place: Place,
}

/// Hashes all messages.
pub(crate) fn run<H: Compression, C: AsRef<[u8]>>(
    initial: &State<H::Word>,
    plans: &Plans,
    lanes: &mut Lanes<H>,
    occupancy: &mut Occupancy,
    messages: &mut impl Messages<C>,
) {
    let mut batch = Batch {
        longest: messages.next_bytes(),
        place: if messages.waiting() > NEAR_BYTES_MAX {
            Place::Far
        } else {
            Place::Near
        },
        messages,
        active: Vec::with_capacity(LANES_MAX),
        picked: std::array::from_fn(|place| u8::try_from(place).expect("lanes are few")),
        initial,
    };
    loop {
        batch.fill(plans);
        if batch.active.is_empty() {
            return;
        }
        lanes.grow(batch.active.len());
        batch.step(plans, lanes, occupancy);
    }
}

impl<H: Compression, C: AsRef<[u8]>, M: Messages<C>> Batch<'_, H, C, M> {
    /// Starts messages.
    fn fill(&mut self, plans: &Plans) {
        let long_lanes = LONG_LANES.max(plans.lanes_full());
        loop {
            let short = self.messages.next_bytes() <= SHORT_BYTES;
            let most = if short { LANES_MAX } else { long_lanes };
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
        // Enough bytes wait to keep all lanes busy until the longest message ends.
        let is_full = self.longest.saturating_mul(wide.lanes as u64) <= self.messages.waiting();
        let (plan, wrap) = if is_full {
            (wide, None)
        } else {
            self.plan(plans, wide)
        };
        let leaves_out = wrap.is_none() && plan.lanes < self.active.len();
        let hashed = if let Some(kernel) = wrap {
            lanes.wrap(kernel, self.active.len(), self, occupancy);
            self.active.len()
        } else {
            if leaves_out {
                self.longest_first(plan.lanes);
            }
            let blocks_max = Run::blocks(STEP_BYTES_MAX / H::BLOCK_BYTES);
            lanes.step(plan, blocks_max, self, occupancy);
            plan.lanes
        };
        let mut any_ended = false;
        for lane in 0..hashed {
            let done = lanes.done(lane);
            let place = usize::from(self.picked[done.item()]);
            let active = &mut self.active[place];
            if done.has_ended() {
                self.messages.end::<H>(active.index, active.state.get_mut());
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
        if leaves_out {
            for (place, picked) in self.picked.iter_mut().enumerate() {
                *picked = u8::try_from(place).expect("lanes are few");
            }
        }
    }

    /// Replaces messages that have ended.
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

    /// Unhashed bytes of an active message.
    fn rest(&self, active: &Active<H, C>) -> u64 {
        self.messages
            .rest(active.index)
            .saturating_add(active.rest().len() as u64)
    }

    /// Returns `wide`, the plan for all lanes, or a plan for fewer lanes if the batch ends earlier
    /// with it. Or returns a kernel and wraps the rest around its lanes. Lowers `longest` to its
    /// current value.
    #[allow(clippy::cast_precision_loss)] // beyond 2^52 bytes
    #[inline(never)] // a rare step must not cost the others registers: up to 15%
    fn plan<'p>(&mut self, plans: &'p Plans, wide: &'p Plan) -> (&'p Plan, Option<Kernel>) {
        let (mut in_progress, mut all) = (0, self.messages.waiting());
        let mut is_all_read = all == 0;
        for active in &self.active {
            let rest = self.rest(active);
            is_all_read &= active.is_last;
            in_progress = in_progress.max(rest);
            all = all.saturating_add(rest);
        }
        self.longest = in_progress.max(self.messages.next_bytes());
        let blocks = |bytes: u64| bytes as f64 / H::BLOCK_BYTES as f64;
        let (longest, all) = (blocks(in_progress), blocks(all));
        // Time until the other messages have ended.
        let others = |plan: &Plan| (all - longest) / (plan.lanes.max(2) - 1) as f64;
        let alone_ns = plans.plan(1).cost_ns;
        // Either all its lanes until the others have ended, then the longest message alone; or all
        // lanes until the end.
        let ns = |plan: &Plan| {
            let others = others(plan);
            if plan.lanes == 1 || longest <= others {
                return all / plan.lanes as f64 * plan.cost_ns;
            }
            others * plan.cost_ns + (longest - others) * alone_ns
        };
        let mut plan = wide;
        if longest > others(wide) {
            let narrow = (1..wide.lanes).map(|lanes| plans.plan(lanes));
            let narrow = narrow.map(|plan| (plan, ns(plan)));
            if let Some((narrow, narrow_ns)) = narrow.min_by(|(_, a), (_, b)| a.total_cmp(b))
                && narrow_ns < ns(wide) * NARROW_GAIN - step_ns(narrow)
            {
                plan = narrow;
            }
        }
        let kernel = if is_all_read {
            self.wrap(plans, plan)
        } else {
            None
        };
        (plan, kernel)
    }

    /// The kernel whose lanes would hash all runs in the least time, if that beats `plan` and the
    /// plans that follow it.
    #[allow(clippy::cast_precision_loss)] // beyond 2^52 blocks
    #[inline(never)] // see plan
    fn wrap(&self, plans: &Plans, plan: &Plan) -> Option<Kernel> {
        let mut runs = [0_u32; LANES_MAX];
        let count = self.active.len();
        for (run, active) in runs.iter_mut().zip(&self.active) {
            *run = active.run().blocks;
        }
        let runs = &mut runs[..count];
        runs.sort_unstable_by(|a, b| b.cmp(a));
        if plan.lanes == count && runs[0] == runs[count - 1] {
            return None; // all end together
        }
        let (longest, all) = (runs[0], runs.iter().copied().map(u64::from).sum());
        let kernels = plans.costs_ns().iter();
        let kernels = kernels.filter(|(kernel, _)| kernel.lanes() < count);
        let wrapped = kernels.map(|(kernel, cost_ns)| {
            let lanes = kernel.lanes();
            let blocks = Wrapped::blocks(lanes, longest, all) as f64;
            let cuts = ((count + lanes) * lanes) as f64;
            (*kernel, blocks * cost_ns + cuts * CUT_LANE_NS)
        });
        let (kernel, wrapped_ns) = wrapped.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let mut ns = 0.0;
        if plan.lanes < count {
            // The messages that it leaves out follow after the others.
            let after = plans.plan(count - plan.lanes);
            ns += f64::from(runs[0]) * plan.cost_ns + step_ns(plan);
            ns += f64::from(runs[plan.lanes]) * after.cost_ns;
        } else {
            // All runs until the shortest has ended, and so on.
            for (ended, run) in runs.iter().enumerate() {
                let blocks = run - runs.get(ended + 1).copied().unwrap_or(0);
                let plan = plans.plan(ended + 1);
                let turns = (ended + 1) as f64 / plan.lanes as f64;
                ns += f64::from(blocks) * plan.cost_ns * turns;
                if blocks > 0 {
                    ns += step_ns(plan);
                }
            }
        }
        (wrapped_ns < ns).then_some(kernel)
    }

    /// Picks the `run` messages with the longest rest.
    #[inline(never)] // see plan
    fn longest_first(&mut self, run: usize) {
        let mut rests = [(0, 0); LANES_MAX];
        let len = self.active.len();
        for ((rest, active), place) in rests.iter_mut().zip(&self.active).zip(0_u8..) {
            *rest = (self.rest(active), place);
        }
        // Longest first, and equal ones in their order.
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
    fn place(&self) -> Place {
        self.place
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

/// Hashes all messages one after another, by a function without lanes.
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
        messages.put(index, sink.finalize());
    }
}
