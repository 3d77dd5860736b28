//! Records operations: the rounds of a block, and the transpose of the next block.

use std::{cell::RefCell, marker::PhantomData};

use crate::kernel::{
    compression::Compression,
    vector::{Vector, Words},
    word::Word,
};

/// The kind of an operation; [`Operation`] also has its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// An operation that is not needed.
    Nothing,
    /// A word of the state at the start of a body.
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
    /// Inserts 32 bytes above the loaded ones.
    Insert(usize, usize),
    /// An instruction of two sources.
    Two(&'static str),
    /// `vshufi64x2`.
    Quarters(i32),
    /// Reverses the bytes of every word.
    Swap,
}

#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) kind: Kind,
    pub(super) sources: Vec<usize>,
}

thread_local! {
    static TRACE: RefCell<Vec<Operation>> = const { RefCell::new(Vec::new()) };
}

/// A virtual register: the number of the operation that made it.
#[derive(Debug)]
pub(super) struct Traced<W>(usize, PhantomData<W>);

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

    /// Adjacent halves of a register from two lanes.
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

/// A word type in the trace.
pub(super) trait TracedWord: Word + Into<u64> {
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

/// The words of the block, in memory. The last `keep` words that were read or made are also in
/// registers.
pub(super) struct TracedWords<W> {
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

/// Records while `work` runs. Returns the operations and the result of `work`.
fn trace<R>(work: impl FnOnce() -> R) -> (Vec<Operation>, R) {
    TRACE.with_borrow_mut(Vec::clear);
    let result = work();
    (TRACE.with_borrow_mut(std::mem::take), result)
}

/// The transpose of the next block, as in `arch/avx512.rs`. Because registers are few, half a block
/// of 32-bit words, or a quarter of 64-bit words, is finished before the next begins.
pub(super) fn next_block<W: TracedWord>(big_endian: bool) -> Vec<Operation> {
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

/// A stretch of straight code: operations, and the values that become the new state.
pub(super) struct Body {
    pub(super) operations: Vec<Operation>,
    pub(super) state: Vec<usize>,
    /// How often it runs. The constants advance each time.
    pub(super) times: usize,
}

/// Records `work`, which changes the state. The last body of a block also adds the parked chaining
/// value.
pub(super) fn body<H: Compression<Word: TracedWord>>(
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
        // A word that is not read again need not be written.
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
