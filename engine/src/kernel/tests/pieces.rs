//! Checks the pointers that kernels get, exhaustively for few blocks: each block of each lane is at
//! its place in its piece, and malformed inputs are refused.

use std::{
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind},
};

use super::*;
use crate::kernel::{
    Needs, Row,
    row::{Entry, Pieces},
    vector::{Vector, Words},
};

const BLOCK_BYTES: usize = 64;

thread_local! {
    /// The addresses of the blocks that a single-lane kernel absorbed, each with the first word of
    /// its state.
    static BLOCKS: RefCell<Vec<(u32, usize)>> = const { RefCell::new(Vec::new()) };
}

/// # Safety
/// `state` is one.
unsafe fn record(state: *const State<u32>, address: usize) {
    // SAFETY: the caller's.
    let state = unsafe { (*state)[0] };
    BLOCKS.with_borrow_mut(|blocks| blocks.push((state, address)));
}

/// Absorbs nothing, but records its input.
unsafe fn whole(states: *mut State<u32>, inputs: *const *const u8, blocks: usize) {
    assert!(blocks > 0, "an entry without blocks");
    // SAFETY: one lane has one pointer and one state.
    unsafe {
        let first = inputs.read();
        for block in 0..blocks {
            record(states, first.addr().wrapping_add(block * BLOCK_BYTES));
        }
    }
}

/// The same for a chain, as documented in [`Pieces`].
unsafe fn chain(pieces: *const Pieces<u32>) {
    let word = |of: *const usize, i: usize| {
        // SAFETY: written for each segment, and for one behind the last the bytes are.
        unsafe { of.add(i).read() }
    };
    // SAFETY: pointers to the arrays' first elements, of what the caller has.
    let (first, rest, last, states, bytes) = unsafe {
        (
            (&raw const (*pieces).first).cast::<usize>(),
            (&raw const (*pieces).rest).cast::<usize>(),
            (&raw const (*pieces).last).cast::<usize>(),
            (&raw const (*pieces).states).cast::<*const State<u32>>(),
            (&raw const (*pieces).bytes).cast::<usize>(),
        )
    };
    let mut segment = 0;
    while word(bytes, segment) > 0 {
        let blocks = word(bytes, segment) / BLOCK_BYTES;
        for block in 0..blocks {
            let from = if block == 0 {
                word(first, segment)
            } else if block + 1 == blocks {
                word(last, segment)
            } else {
                word(rest, segment)
            };
            let address = from.wrapping_add(block * BLOCK_BYTES);
            // SAFETY: a state for each segment.
            unsafe { record(states.add(segment).read(), address) };
        }
        segment += 1;
    }
}

/// SHA-256's shape, with an entry that records.
macro_rules! recorder {
    ($name:ident, $entry:expr) => {
        #[derive(Clone, Copy, Debug, Default)]
        struct $name;

        impl Compression for $name {
            type Word = u32;
            type Block = [u8; BLOCK_BYTES];
            const FAMILY: Family = Family::Sha256;
            const LENGTH_BYTES: usize = 8;
            const INITIAL: State<u32> = [0; 8];
            const STATE_WORDS: usize = 8;
            const BIG_ENDIAN: bool = true;
            const ROWS: &'static [Row<u32>] = &[Row::new("portable", 1, Needs::Nothing, $entry)];

            unsafe fn rounds<V: Vector<Word = u32>>(_: &mut [V; 8], _: &mut impl Words<V>) {
                unreachable!("no entry calls it");
            }
        }
    };
}

recorder!(Whole, Entry::Whole(whole));
recorder!(Chain, Entry::Chain(chain));

/// The input of one lane.
#[derive(Clone, Copy, Debug)]
struct Case {
    head: usize,
    body: usize,
    foot: usize,
    blocks: usize,
}

impl Case {
    /// Whether the input is valid according to [`compress_chain`].
    fn is_sound(&self) -> bool {
        let is_piece = |len| len == 0 || len == BLOCK_BYTES;
        let (heads, body) = (self.head / BLOCK_BYTES, self.body / BLOCK_BYTES);
        let enough = if self.foot == 0 {
            heads + body >= self.blocks
        } else {
            heads + body + 1 == self.blocks
        };
        is_piece(self.head) && is_piece(self.foot) && self.blocks > 0 && enough
    }

    /// The address of block `block`.
    fn address(&self, memory: &Memory, block: usize) -> usize {
        if block == 0 && self.head > 0 {
            memory.head.as_ptr().addr()
        } else if block + 1 == self.blocks && self.foot > 0 {
            memory.foot.as_ptr().addr()
        } else {
            let before = block - usize::from(self.head > 0);
            let offset = before * BLOCK_BYTES;
            assert!(
                offset + BLOCK_BYTES <= self.body,
                "within the body: {self:?}"
            );
            memory.body.as_ptr().addr() + offset
        }
    }
}

struct Memory {
    head: Vec<u8>,
    body: Vec<u8>,
    foot: Vec<u8>,
}

impl Memory {
    fn new() -> Self {
        let room = || vec![0; 9 * BLOCK_BYTES];
        Self {
            head: room(),
            body: room(),
            foot: room(),
        }
    }

    fn input(&self, case: &Case) -> Input<'_> {
        Input {
            head: &self.head[..case.head],
            body: &self.body[..case.body],
            foot: &self.foot[..case.foot],
        }
    }
}

/// Up to six blocks, with bodies up to two blocks longer, and lengths next to whole blocks.
fn cases() -> Vec<Case> {
    let pieces = [
        0,
        BLOCK_BYTES,
        1,
        BLOCK_BYTES - 1,
        BLOCK_BYTES + 1,
        2 * BLOCK_BYTES,
    ];
    let mut cases = Vec::new();
    for blocks in 0..=6 {
        for head in pieces {
            for foot in pieces {
                for body_blocks in 0..=blocks + 2 {
                    for more in [0, 1, BLOCK_BYTES - 1] {
                        cases.push(Case {
                            head,
                            body: body_blocks * BLOCK_BYTES + more,
                            foot,
                            blocks,
                        });
                    }
                }
            }
        }
    }
    cases
}

/// Runs a chain with one segment per case and compares the recorded blocks.
fn check<H: Compression<Word = u32>>(memory: &[Memory], cases: &[Case]) {
    let mut states: [State<u32>; 3] = [[7; 8], [8; 8], [9; 8]];
    let states = Cell::from_mut(&mut states[..]).as_slice_of_cells();
    BLOCKS.with_borrow_mut(Vec::clear);
    let segments = memory.iter().zip(cases).zip(states.iter().rev());
    let segments =
        segments.map(|((memory, case), state)| ([(state, memory.input(case))], case.blocks));
    compress_chain::<H, _>(PORTABLE, segments);
    let mut expected = Vec::new();
    for ((memory, case), state) in memory.iter().zip(cases).zip(states.iter().rev()) {
        let blocks = 0..case.blocks;
        expected.extend(blocks.map(|block| (state.get()[0], case.address(memory, block))));
    }
    BLOCKS.with_borrow(|blocks| assert_eq!(*blocks, expected, "{cases:?}"));
}

#[test]
fn every_block_lies_in_its_piece() {
    let memory = [Memory::new()];
    let sound: Vec<Case> = cases().into_iter().filter(Case::is_sound).collect();
    assert!(sound.len() > 100, "{}", sound.len());
    for case in sound {
        check::<Whole>(&memory, &[case]);
        check::<Chain>(&memory, &[case]);
    }
}

/// Every pair of cases as neighbours: a segment's pieces do not depend on its neighbour's.
#[test]
fn every_block_of_two_segments_lies_in_its_piece() {
    let memory = [Memory::new(), Memory::new(), Memory::new()];
    let mut sound: Vec<Case> = cases().into_iter().filter(Case::is_sound).collect();
    // Inputs that are longer than necessary differ only at their end.
    sound.retain(|case| case.body.is_multiple_of(BLOCK_BYTES) && case.blocks <= 4);
    if cfg!(miri) {
        sound.truncate(12);
    }
    for (i, first) in sound.iter().enumerate() {
        for second in &sound {
            let third = sound[(i * 7) % sound.len()];
            check::<Whole>(&memory, &[*first, *second, third]);
            check::<Chain>(&memory, &[*first, *second, third]);
        }
    }
}

#[test]
fn all_else_is_refused() {
    let memory = Memory::new();
    let mut unsound: Vec<Case> = cases()
        .into_iter()
        .filter(|case| !case.is_sound())
        .collect();
    unsound.retain(|case| case.blocks <= 2);
    if cfg!(miri) {
        unsound = unsound.into_iter().step_by(97).collect();
    }
    let accepted: Vec<Case> = unsound
        .into_iter()
        .filter(|case| {
            let input = memory.input(case);
            let state = Cell::new([0; 8]);
            let run = || compress_chain::<Whole, _>(PORTABLE, [([(&state, input)], case.blocks)]);
            catch_unwind(AssertUnwindSafe(run)).is_ok()
        })
        .collect();
    assert!(accepted.is_empty(), "{accepted:?}");
}
