//! Writes the instruction streams of `generated/`: the rounds of a hash, run once over a vector
//! that records what is done to it, become a list of operations, which is interleaved and given
//! registers here.
//!
//! ```text
//! Traced      a vector whose operations are recorded (`Operation`)
//! rounds      the rounds of a block, beside them the transpose of the next block
//! interleave  the same for G groups of lanes, operation by operation
//! Emitter     registers: a value has one from where it is made to its last use
//! ```
//!
//! ```text
//! zmm         chaining value i of group g enters and leaves in register g * words + i
//! rdi         chaining values, parked: row i of group g at 64 * (8g + i)
//! rsi         inputs         r8   offset of the block to load     r12  bytes of an input
//! rdx         words of this block, 1 KiB a group                  r9   of the next block
//! r10         constants      r11  order of bytes                  r13  bodies left
//! rax         scratch
//! ```

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    fmt::Write as _,
    fs,
    marker::PhantomData,
    path::Path,
};

use super::{
    compression::{Compression, Word},
    md5, sha1,
    sha2::{Sha2, sixteen},
    sha256, sha512,
    vector::{Vector, Words},
};

/// What an operation does; its sources stand beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// What turned out to be needless.
    Nothing,
    /// A word of the state where a body begins.
    State(usize),
    /// A constant, folded into its use.
    Splat(u64),
    /// Reads a word of the block.
    Word(usize),
    /// Writes a word of the block.
    SetWord(usize),
    /// Writes a word of the next block.
    SetNext(usize),
    /// A word of the parked chaining value, folded into its use.
    Park(usize),
    SetPark(usize),
    Add,
    Xor,
    Rotr(i32),
    Rotl(i32),
    Shr(i32),
    Ternary(i32),
    /// 32 bytes of a lane, these many bytes into the block.
    Row(usize, usize),
    /// The same above what is there.
    Insert(usize, usize),
    /// An instruction of two sources.
    Two(&'static str),
    /// `vshufi64x2`.
    Quarters(i32),
    /// Reverses the bytes of every word.
    Swap,
}

#[derive(Clone, Debug)]
struct Operation {
    kind: Kind,
    sources: Vec<usize>,
}

thread_local! {
    static TRACE: RefCell<Vec<Operation>> = const { RefCell::new(Vec::new()) };
}

/// A register-to-be: the number of the operation that made it.
#[derive(Debug)]
struct Traced<W>(usize, PhantomData<W>);

impl<W> Clone for Traced<W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for Traced<W> {}

impl<W> Traced<W> {
    fn record(kind: Kind, sources: &[Self]) -> Self {
        let sources = sources.iter().map(|source| source.0).collect();
        TRACE.with_borrow_mut(|trace| {
            trace.push(Operation { kind, sources });
            Self(trace.len() - 1, PhantomData)
        })
    }

    /// Neighbouring halves of a register from two lanes.
    fn halves(low: usize, high: usize, at: usize) -> Self {
        Self::record(
            Kind::Insert(high, at),
            &[Self::record(Kind::Row(low, at), &[])],
        )
    }

    fn two(instruction: &'static str, a: Self, b: Self) -> Self {
        Self::record(Kind::Two(instruction), &[a, b])
    }
}

/// A word as the trace keeps it.
trait TracedWord: Word + Into<u64> {
    /// The letter that ends an instruction's name.
    const SUFFIX: char;
}

impl TracedWord for u32 {
    const SUFFIX: char = 'd';
}

impl TracedWord for u64 {
    const SUFFIX: char = 'q';
}

// The methods are unsafe only because the trait's are.
impl<W: TracedWord> Vector for Traced<W> {
    type Word = W;
    const LANES: usize = 64 / W::BYTES;

    unsafe fn splat(word: W) -> Self {
        Self::record(Kind::Splat(word.into()), &[])
    }

    unsafe fn add(self, other: Self) -> Self {
        Self::record(Kind::Add, &[self, other])
    }

    unsafe fn xor(self, other: Self) -> Self {
        Self::record(Kind::Xor, &[self, other])
    }

    unsafe fn rotr<const BITS: i32>(self) -> Self {
        Self::record(Kind::Rotr(BITS), &[self])
    }

    unsafe fn rotl<const BITS: i32>(self) -> Self {
        Self::record(Kind::Rotl(BITS), &[self])
    }

    unsafe fn shr<const BITS: i32>(self) -> Self {
        Self::record(Kind::Shr(BITS), &[self])
    }

    unsafe fn ternary<const TABLE: i32>(self, y: Self, z: Self) -> Self {
        Self::record(Kind::Ternary(TABLE), &[self, y, z])
    }

    unsafe fn load_block<const BIG: bool>(_: *const *const u8, _: usize) -> [Self; 16] {
        unreachable!("see `next_block`")
    }

    unsafe fn load_dealt<const BIG: bool>(_: *const u8) -> Self {
        unreachable!("no generated kernel deals")
    }

    unsafe fn load_states(_: *const [W; 8]) -> [Self; 8] {
        std::array::from_fn(|i| Self::record(Kind::State(i), &[]))
    }

    unsafe fn store_states(_: [Self; 8], _: *mut [W; 8]) {
        unreachable!("the caller does it")
    }
}

/// The words of the block, in memory; the last `keep` of them that were read or made are in
/// registers too.
struct TracedWords<W> {
    keep: usize,
    kept: RefCell<Vec<(usize, Traced<W>)>>,
}

impl<W> TracedWords<W> {
    fn keep(&self, i: usize, word: Traced<W>) {
        let mut kept = self.kept.borrow_mut();
        kept.retain(|(slot, _)| *slot != i);
        kept.push((i, word));
        if kept.len() > self.keep {
            kept.remove(0);
        }
    }
}

impl<W: TracedWord> Words<Traced<W>> for TracedWords<W> {
    unsafe fn zero() -> Self {
        unreachable!("there are none without a number to keep")
    }

    unsafe fn get(&self, i: usize) -> Traced<W> {
        if let Some((_, word)) = self.kept.borrow().iter().find(|(slot, _)| *slot == i) {
            return *word;
        }
        let word = Traced::record(Kind::Word(i), &[]);
        if self.keep >= 16 {
            self.keep(i, word);
        }
        word
    }

    unsafe fn set(&mut self, i: usize, word: Traced<W>) {
        Traced::record(Kind::SetWord(i), &[word]);
        self.keep(i, word);
    }

    unsafe fn load_block<const BIG: bool>(&mut self, _: *const *const u8, _: usize) {
        unreachable!("see `next_block`")
    }

    unsafe fn load_dealt<const BIG: bool>(&mut self, _: *const u8, _: usize) {
        unreachable!("no generated kernel deals")
    }
}

/// What is recorded while `work` runs, and what it returns.
fn trace<R>(work: impl FnOnce() -> R) -> (Vec<Operation>, R) {
    TRACE.with_borrow_mut(Vec::clear);
    let result = work();
    (TRACE.with_borrow_mut(std::mem::take), result)
}

/// The transpose of the next block, as `arch/avx512.rs` does it. Half a block of 32-bit words,
/// or a quarter of 64-bit ones, is finished before the next begins: registers are few.
fn next_block<W: TracedWord>(big_endian: bool) -> Vec<Operation> {
    let store = |slot: usize, word: Traced<W>| {
        let word = if big_endian {
            Traced::record(Kind::Swap, &[word])
        } else {
            word
        };
        Traced::record(Kind::SetNext(slot), &[word]);
    };
    let join = |slot: usize, further: usize, low: Traced<W>, high: Traced<W>| {
        store(
            slot,
            Traced::record(Kind::Quarters(0b10_00_10_00), &[low, high]),
        );
        store(
            slot + further,
            Traced::record(Kind::Quarters(0b11_01_11_01), &[low, high]),
        );
    };
    let (operations, ()) = trace(|| {
        if W::BYTES == 4 {
            for half in 0..2 {
                let quarter = |first: usize| {
                    let row = |i: usize| Traced::<W>::halves(first + i, first + i + 4, 32 * half);
                    let (r0, r1) = (row(0), row(1));
                    let (t0, t1) = (
                        Traced::two("vpunpckldq", r0, r1),
                        Traced::two("vpunpckhdq", r0, r1),
                    );
                    let (r2, r3) = (row(2), row(3));
                    let (t2, t3) = (
                        Traced::two("vpunpckldq", r2, r3),
                        Traced::two("vpunpckhdq", r2, r3),
                    );
                    [
                        Traced::two("vpunpcklqdq", t0, t2),
                        Traced::two("vpunpckhqdq", t0, t2),
                        Traced::two("vpunpcklqdq", t1, t3),
                        Traced::two("vpunpckhqdq", t1, t3),
                    ]
                };
                let (low, high) = (quarter(0), quarter(8));
                for i in 0..4 {
                    join(8 * half + i, 4, low[i], high[i]);
                }
            }
        } else {
            for quarter in 0..4 {
                let row = |low: usize| Traced::<W>::halves(low, low + 2, 32 * quarter);
                let pair = |first: usize| {
                    let (even, odd) = (row(first), row(first + 1));
                    [
                        Traced::two("vpunpcklqdq", even, odd),
                        Traced::two("vpunpckhqdq", even, odd),
                    ]
                };
                let (low, high) = (pair(0), pair(4));
                for i in 0..2 {
                    join(4 * quarter + i, 2, low[i], high[i]);
                }
            }
        }
    });
    operations
}

/// A stretch of straight code: operations, and the values that leave it as the state.
struct Body {
    operations: Vec<Operation>,
    state: Vec<usize>,
    /// How often it runs; the constants move on each time.
    times: usize,
}

/// Records `work`, which changes the state; the last body of a block adds what is parked.
fn body<H: Compression<Word: TracedWord>>(
    times: usize,
    last: bool,
    keep: usize,
    work: impl FnOnce(&mut [Traced<H::Word>; 8], &mut TracedWords<H::Word>),
) -> Body {
    let (operations, state) = trace(|| {
        let mut state: [Traced<H::Word>; 8] =
            std::array::from_fn(|i| Traced::record(Kind::State(i), &[]));
        let kept = RefCell::default();
        work(&mut state, &mut TracedWords { keep, kept });
        if last {
            for (i, word) in state.iter_mut().enumerate().take(H::STATE_WORDS) {
                *word = Traced::record(Kind::Add, &[*word, Traced::record(Kind::Park(i), &[])]);
                Traced::record(Kind::SetPark(i), &[*word]);
            }
        }
        state
    });
    let state = state[..H::STATE_WORDS].iter().map(|word| word.0).collect();
    let mut operations = operations;
    if last {
        // What nobody reads any more need not be written.
        let mut read = [false; 16];
        for operation in operations.iter_mut().rev() {
            match operation.kind {
                Kind::Word(slot) => read[slot] = true,
                Kind::SetWord(slot) if !read[slot] => {
                    operation.kind = Kind::Nothing;
                    operation.sources.clear();
                }
                Kind::SetWord(slot) => read[slot] = false,
                _ => {}
            }
        }
    }
    Body {
        operations,
        state,
        times,
    }
}

/// What is to be generated.
struct Plan {
    file: &'static str,
    groups: usize,
    tuning: Tuning,
    suffix: char,
    state_words: usize,
    word_bytes: usize,
    constants: Vec<u64>,
    /// The last body has the next block's transpose beside it.
    bodies: Vec<Body>,
    next: Vec<Operation>,
}

/// How a stream is ordered. What is best was found by measurement (Zen 4).
#[derive(Clone, Copy)]
struct Tuning {
    /// Words of the block that stay in registers, the last ones read or made; 16 is all.
    keep: usize,
    /// The part of the last body's operations, in hundredths, beside which the next block is
    /// transposed, and how many of the transposes' operations stand together.
    transpose: (usize, usize, usize),
    /// How far `schedule` looks ahead; 0 leaves the order of the rounds.
    window: usize,
    /// Cycles that a load takes: none where the machine can be trusted to load long before.
    load: usize,
    /// Cycles that `schedule` fills at once.
    step: usize,
    /// Whether rotations stand first in a step: units are given out as instructions come in,
    /// and runs of one kind may give them out more evenly than turns.
    rotations_first: bool,
    /// Whether the longest way to the end goes first, not what comes first in the rounds.
    by_height: bool,
    /// Values that `schedule` keeps alive at most; moving rotations to the front of a step takes
    /// registers beyond that.
    live: usize,
}

/// An operation of a group.
type Place = (usize, usize);

/// The rounds of all groups, operation by operation, and the transposes spread among them.
fn interleave(plan: &Plan, body: &Body, next: &[Operation]) -> Vec<(bool, Place)> {
    let groups = plan.groups;
    let rounds: Vec<_> = (0..body.operations.len())
        .filter(|operation| {
            !matches!(
                body.operations[*operation].kind,
                Kind::Nothing | Kind::State(_) | Kind::Splat(_) | Kind::Park(_)
            )
        })
        .flat_map(|operation| (0..groups).map(move |group| (false, (group, operation))))
        .collect();
    let transposes: Vec<_> = (0..groups)
        .flat_map(|group| (0..next.len()).map(move |operation| (true, (group, operation))))
        .collect();
    let (from, to, run) = plan.tuning.transpose;
    let (from, to) = (rounds.len() * from / 100, rounds.len() * to / 100);
    let mut order = Vec::new();
    let mut done = 0;
    for (i, place) in rounds.iter().enumerate() {
        let due = transposes.len() * (i + 1).saturating_sub(from) / (to - from);
        let due = if i + 1 == rounds.len() {
            transposes.len()
        } else {
            due.min(transposes.len()) / run * run
        };
        order.extend_from_slice(&transposes[done..due]);
        done = due;
        order.push(*place);
    }
    order
}

/// How often each value is used, leaving the body included.
fn uses(body: &Body, next: &[Operation]) -> HashMap<(bool, usize), usize> {
    let mut uses = HashMap::new();
    for (is_next, operations) in [(false, &body.operations[..]), (true, next)] {
        for source in operations.iter().flat_map(|operation| &operation.sources) {
            *uses.entry((is_next, *source)).or_default() += 1;
        }
    }
    for value in &body.state {
        *uses.entry((false, *value)).or_default() += 1;
    }
    uses
}

/// Which operations are operands in memory of others: constants, the parked chaining value, and
/// words of the block that are read for one use that can take them from there.
fn folded(body: &Body, uses: &HashMap<(bool, usize), usize>) -> Vec<bool> {
    let mut folded = vec![false; body.operations.len()];
    for operation in &body.operations {
        if matches!(operation.kind, Kind::Add | Kind::Xor | Kind::Ternary(_)) {
            let mut memory = false;
            for source in operation.sources.iter().rev() {
                let fold = match body.operations[*source].kind {
                    Kind::Splat(_) | Kind::Park(_) => true,
                    Kind::Word(_) => uses[&(false, *source)] == 1 && !memory,
                    _ => false,
                };
                assert!(!(fold && memory), "two operands in memory");
                memory |= fold;
                folded[*source] = fold;
            }
        }
    }
    folded
}

/// Cycles until a result is there.
fn latency(tuning: &Tuning, kind: Kind) -> usize {
    match kind {
        Kind::Add | Kind::Xor | Kind::Ternary(_) => 1,
        Kind::Word(_) | Kind::Row(..) => tuning.load,
        _ => 2,
    }
}

/// Cycles until what was written can be read.
const FORWARD: usize = 8;

/// What each operation of `order` waits for: places in `order`, and cycles.
fn waits(
    tuning: &Tuning,
    body: &Body,
    next: &[Operation],
    folded: &[bool],
    order: &[(bool, Place)],
) -> Vec<Vec<(usize, usize)>> {
    let mut waits = vec![Vec::new(); order.len()];
    let mut made = HashMap::new();
    // Who reads and who writes each place in memory.
    let mut readers = HashMap::<(usize, Kind), Vec<usize>>::new();
    let mut writer = HashMap::<(usize, Kind), usize>::new();
    for (i, &(is_next, (group, id))) in order.iter().enumerate() {
        let operations = if is_next { next } else { &body.operations };
        let this = &operations[id];
        let mut reads = Vec::new();
        if matches!(this.kind, Kind::Word(_)) {
            reads.push((group, this.kind));
        }
        for source in &this.sources {
            let kind = operations[*source].kind;
            if !is_next && folded[*source] {
                reads.push((group, kind));
            } else if let Some(from) = made.get(&(is_next, group, *source)) {
                waits[i].push((*from, latency(tuning, kind)));
            }
        }
        for place in reads {
            if let Some(from) = writer.get(&place) {
                waits[i].push((*from, FORWARD));
            }
            readers.entry(place).or_default().push(i);
        }
        let written = match this.kind {
            Kind::SetWord(slot) => Some((group, Kind::Word(slot))),
            Kind::SetPark(slot) => Some((group, Kind::Park(slot))),
            _ => None,
        };
        if let Some(place) = written {
            for from in readers.remove(&place).unwrap_or_default() {
                waits[i].push((from, 0));
            }
            writer.insert(place, i);
        }
        made.insert((is_next, group, id), i);
    }
    waits
}

/// Orders operations anew, as a machine would start them that begins two a cycle, one of them a
/// rotation or a shuffle at most.
fn schedule(
    plan: &Plan,
    body: &Body,
    next: &[Operation],
    order: Vec<(bool, Place)>,
) -> Vec<(bool, Place)> {
    let Tuning {
        window,
        step,
        rotations_first,
        by_height,
        live: live_max,
        ..
    } = plan.tuning;
    let uses = uses(body, next);
    let folded = folded(body, &uses);
    let order: Vec<_> = order
        .into_iter()
        .filter(|(is_next, (_, id))| *is_next || !folded[*id])
        .collect();
    if window == 0 {
        return order;
    }
    let waits = waits(&plan.tuning, body, next, &folded, &order);
    let mut height = vec![0; order.len()];
    for i in (0..order.len()).rev() {
        for (from, cycles) in &waits[i] {
            height[*from] = height[*from].max(height[i] + cycles);
        }
    }
    let operation = |i: usize| -> &Operation {
        let (is_next, (_, id)) = order[i];
        if is_next {
            &next[id]
        } else {
            &body.operations[id]
        }
    };
    // Uses to come of each value in a register, and how many values have some.
    let mut left = HashMap::<(bool, usize, usize), usize>::new();
    for group in 0..plan.groups {
        for (&(is_next, id), uses) in &uses {
            if is_next || !folded[id] {
                left.insert((is_next, group, id), *uses);
            }
        }
    }
    let mut live = plan.groups * plan.state_words;
    let mut start: Vec<Option<usize>> = vec![None; order.len()];
    let mut result = Vec::new();
    let (mut now, mut oldest) = (0, 0);
    while result.len() < order.len() {
        while start[oldest].is_some() {
            oldest += 1;
        }
        let (mut slots, mut heavy_slots) = (2 * step, step);
        let mut chosen = Vec::new();
        while slots > 0 {
            let mut best: Option<(usize, isize)> = None;
            for i in (oldest..order.len()).take(window) {
                let is_ready = start[i].is_none()
                    && waits[i].iter().all(|(from, cycles)| {
                        start[*from].is_some_and(|start| start + cycles <= now)
                    });
                if !is_ready || (is_heavy(operation(i).kind) && heavy_slots == 0) {
                    continue;
                }
                // Registers that it takes less those that it frees.
                let (is_next, (group, _)) = order[i];
                let dying = |source: &&usize| left.get(&(is_next, group, **source)) == Some(&1);
                let dying = operation(i).sources.iter().filter(dying).count();
                let more = isize::from(makes_value(operation(i).kind)) - dying.cast_signed();
                if more > 0 && live >= live_max && i != oldest {
                    continue;
                }
                if best.is_none_or(|(best, _)| by_height && height[i] > height[best]) {
                    best = Some((i, more));
                }
            }
            let Some((i, more)) = best else { break };
            let (is_next, (group, _)) = order[i];
            for source in &operation(i).sources {
                if let Some(left) = left.get_mut(&(is_next, group, *source)) {
                    *left -= 1;
                }
            }
            live = live.saturating_add_signed(more);
            start[i] = Some(now);
            chosen.push(i);
            heavy_slots -= usize::from(is_heavy(operation(i).kind));
            slots -= usize::from(!is_move(operation(i).kind));
        }
        if rotations_first {
            chosen.sort_by_key(|i| !is_heavy(operation(*i).kind));
        }
        result.extend(chosen.into_iter().map(|i| order[i]));
        now += step;
    }
    result
}

/// Whether it only reads or writes memory, which other units do.
fn is_move(kind: Kind) -> bool {
    matches!(kind, Kind::Word(_) | Kind::Row(..)) || !makes_value(kind)
}

/// Whether it has a result.
fn makes_value(kind: Kind) -> bool {
    !matches!(kind, Kind::SetWord(_) | Kind::SetNext(_) | Kind::SetPark(_))
}

/// Whether fewer units can do it than can add.
fn is_heavy(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Rotr(_)
            | Kind::Rotl(_)
            | Kind::Shr(_)
            | Kind::Insert(..)
            | Kind::Two(_)
            | Kind::Quarters(_)
            | Kind::Swap
    )
}

/// Gives values registers and writes instructions.
struct Emitter<'a> {
    plan: &'a Plan,
    text: String,
}

impl Emitter<'_> {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "    {line}").expect("a string");
    }

    /// Writes `order`, operations of `body` (false) and of `next` (true).
    fn emit(&mut self, body: &Body, next: &[Operation], order: &[(bool, Place)]) {
        let list =
            |is_next: bool| -> &[Operation] { if is_next { next } else { &body.operations } };
        let uses = uses(body, next);
        let folded = folded(body, &uses);
        let words = self.plan.state_words;
        // The register of each value, and how many uses are to come.
        let mut place = HashMap::<(bool, usize, usize), usize>::new();
        let mut left = HashMap::<(bool, usize, usize), usize>::new();
        let mut free: Vec<usize> = (0..32).collect();
        for group in 0..self.plan.groups {
            for (id, operation) in body.operations.iter().enumerate() {
                if let Kind::State(i) = operation.kind
                    && i < words
                {
                    place.insert((false, group, id), group * words + i);
                    left.insert(
                        (false, group, id),
                        uses.get(&(false, id)).copied().unwrap_or(0),
                    );
                    free.retain(|register| *register != group * words + i);
                }
            }
        }
        for &(is_next, (group, id)) in order {
            let operation = &list(is_next)[id];
            if !is_next && folded[id] {
                continue;
            }
            let is_folded = |source: &usize| !is_next && folded[*source];
            // Sources: registers, and at most one operand in memory, which comes last.
            let mut sources: Vec<usize> = operation.sources.clone();
            let mut table = if let Kind::Ternary(table) = operation.kind {
                table
            } else {
                0
            };
            if let Some(at) = sources.iter().position(&is_folded) {
                let last = sources.len() - 1;
                if at != last {
                    sources.swap(at, last);
                    table = swapped(table, at, last);
                }
            }
            let registers = sources.iter().filter(|source| !is_folded(source)).count();
            // Those whose last use this is.
            let mut dying = vec![false; registers];
            for i in 0..registers {
                let uses = left
                    .get_mut(&(is_next, group, sources[i]))
                    .expect("made before");
                *uses -= 1;
                dying[i] = *uses == 0;
            }
            let register =
                |place: &HashMap<_, usize>, source: usize| place[&(is_next, group, source)];
            let mut copy = None;
            if matches!(operation.kind, Kind::Ternary(_)) {
                // It overwrites its first source.
                match dying.iter().position(|dying| *dying) {
                    Some(0) => {}
                    Some(at) => {
                        sources.swap(0, at);
                        dying.swap(0, at);
                        table = swapped(table, 0, at);
                    }
                    None => copy = Some(register(&place, sources[0])),
                }
            }
            let operands: Vec<String> = sources
                .iter()
                .map(|source| {
                    if is_folded(source) {
                        self.memory(body.operations[*source].kind, group)
                    } else {
                        format!("zmm{}", register(&place, *source))
                    }
                })
                .collect();
            let mut reuse = None;
            for (i, source) in sources[..registers].iter().enumerate() {
                if dying[i] {
                    let register = place.remove(&(is_next, group, *source)).expect("placed");
                    free.push(register);
                    reuse = reuse.or(Some(register));
                }
            }
            let to = if makes_value(operation.kind) {
                let to = reuse.unwrap_or_else(|| {
                    assert!(!free.is_empty(), "{}: too few registers", self.plan.file);
                    free[0]
                });
                free.retain(|register| *register != to);
                place.insert((is_next, group, id), to);
                left.insert(
                    (is_next, group, id),
                    uses.get(&(is_next, id)).copied().unwrap_or(0),
                );
                to
            } else {
                usize::MAX
            };
            if let Some(from) = copy {
                self.line(&format!("vmovdqa64 zmm{to}, zmm{from}"));
            }
            let s = self.plan.suffix;
            let line = match operation.kind {
                Kind::Nothing | Kind::State(_) | Kind::Splat(_) | Kind::Park(_) => {
                    unreachable!("folded")
                }
                Kind::Word(_) => {
                    format!("vmovdqa64 zmm{to}, {}", self.memory(operation.kind, group))
                }
                Kind::SetWord(_) | Kind::SetNext(_) | Kind::SetPark(_) => {
                    format!(
                        "vmovdqa64 {}, {}",
                        self.memory(operation.kind, group),
                        operands[0]
                    )
                }
                Kind::Add => format!("vpadd{s} zmm{to}, {}, {}", operands[0], operands[1]),
                Kind::Xor => format!("vpxor{s} zmm{to}, {}, {}", operands[0], operands[1]),
                Kind::Rotr(bits) => format!("vpror{s} zmm{to}, {}, {bits}", operands[0]),
                Kind::Rotl(bits) => format!("vprol{s} zmm{to}, {}, {bits}", operands[0]),
                Kind::Shr(bits) => format!("vpsrl{s} zmm{to}, {}, {bits}", operands[0]),
                Kind::Ternary(_) => {
                    format!(
                        "vpternlog{s} zmm{to}, {}, {}, {table:#04x}",
                        operands[1], operands[2]
                    )
                }
                Kind::Row(lane, at) => {
                    self.pointer(group, lane);
                    format!("vmovdqu64 ymm{to}, ymmword ptr [rax + r8 + {at}]")
                }
                Kind::Insert(lane, at) => {
                    self.pointer(group, lane);
                    format!(
                        "vinserti64x4 zmm{to}, {}, ymmword ptr [rax + r8 + {at}], 1",
                        operands[0]
                    )
                }
                Kind::Two(name) => format!("{name} zmm{to}, {}, {}", operands[0], operands[1]),
                Kind::Quarters(which) => {
                    format!(
                        "vshufi64x2 zmm{to}, {}, {}, {which:#04x}",
                        operands[0], operands[1]
                    )
                }
                Kind::Swap => format!("vpshufb zmm{to}, {}, zmmword ptr [r11]", operands[0]),
            };
            self.line(&line);
        }
        // Every word of the state goes where the next body expects it.
        let mut moves: Vec<(usize, usize)> = Vec::new();
        for group in 0..self.plan.groups {
            for (i, value) in body.state.iter().enumerate() {
                let from = place[&(false, group, *value)];
                if from != group * words + i {
                    moves.push((group * words + i, from));
                }
            }
        }
        while !moves.is_empty() {
            let ready = moves
                .iter()
                .position(|(to, _)| moves.iter().all(|(_, from)| from != to));
            let at = ready.expect("no body exchanges words of the state");
            let (to, from) = moves.swap_remove(at);
            self.line(&format!("vmovdqa64 zmm{to}, zmm{from}"));
        }
    }

    fn pointer(&mut self, group: usize, lane: usize) {
        let lanes = 64 / self.plan.word_bytes;
        self.line(&format!(
            "mov rax, qword ptr [rsi + {}]",
            8 * (group * lanes + lane)
        ));
    }

    /// Where an operand lies.
    fn memory(&self, kind: Kind, group: usize) -> String {
        match kind {
            Kind::Splat(word) => {
                let at = self
                    .plan
                    .constants
                    .iter()
                    .position(|constant| *constant == word);
                let at = at.expect("a constant of the hash") * self.plan.word_bytes;
                let (size, times) = if self.plan.word_bytes == 4 {
                    ("dword", 16)
                } else {
                    ("qword", 8)
                };
                format!("{size} ptr [r10 + {at}]{{1to{times}}}")
            }
            Kind::Word(slot) | Kind::SetWord(slot) => {
                format!("zmmword ptr [rdx + {}]", 64 * (16 * group + slot))
            }
            Kind::SetNext(slot) => format!("zmmword ptr [r9 + {}]", 64 * (16 * group + slot)),
            Kind::Park(i) | Kind::SetPark(i) => {
                format!("zmmword ptr [rdi + {}]", 64 * (8 * group + i))
            }
            _ => unreachable!("not in memory"),
        }
    }
}

/// The truth table of a function whose arguments `i` and `j` change places.
fn swapped(table: i32, i: usize, j: usize) -> i32 {
    (0..8)
        .filter(|index| {
            let mut bits = [index >> 2 & 1, index >> 1 & 1, index & 1];
            bits.swap(i, j);
            table >> (4 * bits[0] + 2 * bits[1] + bits[2]) & 1 == 1
        })
        .map(|index| 1 << index)
        .sum()
}

/// The whole kernel.
fn generate(plan: &Plan) -> String {
    let mut emitter = Emitter {
        plan,
        text: String::new(),
    };
    let nothing = Body {
        operations: Vec::new(),
        state: Vec::new(),
        times: 1,
    };
    emitter.line("xor r8d, r8d");
    let first: Vec<(bool, Place)> = (0..plan.groups)
        .flat_map(|group| (0..plan.next.len()).map(move |operation| (true, (group, operation))))
        .collect();
    emitter.emit(&nothing, &plan.next, &first);
    for group in 0..plan.groups {
        for i in 0..plan.state_words {
            let from = emitter.memory(Kind::Park(i), group);
            emitter.line(&format!(
                "vmovdqa64 zmm{}, {from}",
                group * plan.state_words + i
            ));
        }
    }
    // A block.
    emitter.text.push_str("2:\n");
    emitter.line("xchg rdx, r9");
    let constants = 16 * plan.word_bytes;
    let mut moved = 0;
    for (i, body) in plan.bodies.iter().enumerate() {
        if i + 1 == plan.bodies.len() {
            // Behind the last block that block is loaded again.
            let block = 16 * plan.word_bytes;
            emitter.line(&format!("lea r14, [r8 + {block}]"));
            emitter.line("cmp r14, r12");
            emitter.line("cmovb r8, r14");
        }
        if body.times > 1 {
            emitter.line(&format!("mov r13d, {}", body.times));
            emitter.text.push_str("3:\n");
        }
        let next: &[Operation] = if i + 1 == plan.bodies.len() {
            &plan.next
        } else {
            &[]
        };
        let order = interleave(plan, body, next);
        let order = schedule(plan, body, next, order);
        emitter.emit(body, next, &order);
        if body.times > 1 {
            emitter.line(&format!("add r10, {constants}"));
            emitter.line("dec r13d");
            emitter.line("jnz 3b");
            moved += body.times * constants;
        }
    }
    if moved > 0 {
        emitter.line(&format!("sub r10, {moved}"));
    }
    emitter.line("cmp r14, r12");
    emitter.line("jb 2b");
    emitter.text
}

fn plan<H: Compression<Word: TracedWord>>(
    file: &'static str,
    groups: usize,
    tuning: Tuning,
    constants: &[H::Word],
    bodies: Vec<Body>,
) -> Plan {
    Plan {
        file,
        groups,
        tuning,
        suffix: H::Word::SUFFIX,
        state_words: H::STATE_WORDS,
        word_bytes: H::Word::BYTES,
        constants: constants.iter().map(|word| (*word).into()).collect(),
        bodies,
        next: next_block::<H::Word>(H::BIG_ENDIAN),
    }
}

/// All rounds of a block written out.
fn straight<H: Compression<Word: TracedWord>>(
    file: &'static str,
    groups: usize,
    constants: &[H::Word],
    tuning: Tuning,
) -> Plan {
    let all = body::<H>(1, true, tuning.keep, |state, words| {
        // SAFETY: recording needs no instruction set.
        unsafe { H::rounds(state, words) }
    });
    plan::<H>(file, groups, tuning, constants, vec![all])
}

/// SHA-2: sixteen rounds again and again, and the last sixteen. Written out, two groups would
/// not fit the cache of decoded instructions.
fn looped<H: Sha2<Word: TracedWord>>(
    file: &'static str,
    groups: usize,
    constants: &[H::Word],
    tuning: Tuning,
) -> Plan {
    let scheduled = body::<H>(H::ROUNDS / 16 - 1, false, tuning.keep, |state, words| {
        // SAFETY: recording needs no instruction set.
        unsafe { sixteen::<H, _, true>(state, words, 0) }
    });
    let last = body::<H>(1, true, 0, |state, words| {
        // SAFETY: recording needs no instruction set.
        unsafe { sixteen::<H, _, false>(state, words, 0) }
    });
    plan::<H>(file, groups, tuning, constants, vec![scheduled, last])
}

/// Every file there is.
#[rustfmt::skip]
fn plans() -> Vec<Plan> {
    let tuning = |keep, transpose, window, load, step, rotations_first, by_height, live| Tuning {
        keep, transpose, window, load, step, rotations_first, by_height, live,
    };
    vec![
        straight::<md5::Md5>("md5_avx512x16.s", 1, &md5::K.0,
            tuning(16, (75, 90, 32), 0, 0, 12, false, false, 30)),
        straight::<md5::Md5>("md5_avx512x32.s", 2, &md5::K.0,
            tuning(0, (50, 80, 8), 0, 0, 3, false, false, 31)),
        straight::<md5::Md5>("md5_avx512x64.s", 4, &md5::K.0,
            tuning(0, (0, 95, 16), 32, 0, 4, false, false, 26)),
        straight::<sha1::Sha1>("sha1_avx512x16.s", 1, &sha1::K,
            tuning(16, (0, 60, 4), 16, 0, 6, false, false, 31)),
        straight::<sha1::Sha1>("sha1_avx512x32.s", 2, &sha1::K,
            tuning(3, (0, 80, 16), 0, 0, 3, true, true, 25)),
        straight::<sha256::Sha256>("sha256_avx512x16.s", 1, &sha256::K.0,
            tuning(16, (88, 90, 8), 24, 0, 10, false, false, 26)),
        looped::<sha256::Sha256>("sha256_avx512x32.s", 2, &sha256::K.0,
            tuning(6, (0, 70, 32), 96, 6, 5, true, false, 26)),
        straight::<sha512::Sha512>("sha512_avx512x8.s", 1, &sha512::K.0,
            tuning(16, (75, 80, 32), 64, 6, 2, true, false, 28)),
        looped::<sha512::Sha512>("sha512_avx512x16.s", 2, &sha512::K.0,
            tuning(0, (20, 95, 4), 96, 0, 3, true, false, 29)),
    ]
}

#[test]
fn generated_kernels_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kernel/generated");
    for plan in plans() {
        let path = folder.join(plan.file);
        let fresh = generate(&plan);
        if std::env::var_os("HASHLANE_REGENERATE").is_some() {
            fs::write(&path, &fresh).expect("writable");
        }
        assert!(
            fs::read_to_string(&path).unwrap_or_default() == fresh,
            "{} is stale: run HASHLANE_REGENERATE=1 cargo test -p hashlane-engine",
            plan.file
        );
    }
}

/// The registers that a stream writes: the first operand of what is not a comparison or jump.
fn written(stream: &str) -> BTreeSet<String> {
    let mut written = BTreeSet::new();
    for line in stream
        .lines()
        .map(str::trim)
        .filter(|line| !line.ends_with(':'))
    {
        let (instruction, operands) = line.split_once(' ').expect("an operand");
        let mut operands = operands.split(',').map(str::trim);
        let count = match instruction {
            "cmp" | "jb" | "jnz" => 0,
            "xchg" => 2,
            _ => 1,
        };
        for operand in operands
            .by_ref()
            .take(count)
            .filter(|operand| !operand.contains('['))
        {
            // The whole register.
            let name = match operand.strip_prefix("ymm") {
                Some(number) => format!("zmm{number}"),
                None if operand.starts_with('e') => operand.replacen('e', "r", 1),
                None => operand.trim_end_matches('d').to_owned(),
            };
            written.insert(name);
        }
    }
    written
}

/// What `streams.rs` tells the compiler is what the streams do.
#[test]
fn written_registers_are_declared() {
    let source = include_str!("streams.rs");
    let declared: BTreeSet<String> = ["out(\"", "inout(\""]
        .iter()
        .flat_map(|start| source.split(start).skip(1))
        .map(|rest| rest.split('"').next().expect("a name").to_owned())
        .collect();
    assert_eq!(declared.len(), 32 + 7, "{declared:?}");
    for plan in plans() {
        let undeclared: Vec<_> = written(&generate(&plan))
            .into_iter()
            .filter(|name| !declared.contains(name))
            .collect();
        assert!(undeclared.is_empty(), "{}: {undeclared:?}", plan.file);
    }
}
