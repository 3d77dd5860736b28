//! The safe way to call a kernel. Everything above this folder is safe code because
//! [`compress_chain`] checks the conditions of the entries.
//!
//! ```text
//!         segment 0             segment 1             segment 2 (in part)
//! lanes   0 .. N                N .. 2N               2N .. 2N + 3
//! state   of each lane, wherever it lies; one may be in a segment and in those after it
//! input   head body foot, of each lane                lanes without one read what 2N reads
//! blocks  17                    17                    4
//! ```
//!
//! Why one folder has the unsafe code: a reader who trusts these functions can trust everything
//! above them. Tests place inaccessible pages directly before and after all memory that a kernel
//! reads or writes. Miri runs the portable kernels and the scheduler, the scheduler also on a
//! big-endian target.

use std::{cell::Cell, mem::MaybeUninit};

use super::{
    compression::Compression,
    kernels::Kernel,
    row::{Entry, LANES_MAX, Pieces, Place},
    word::{State, Word},
};

/// Bytes that [`compress_dealt`] gathers at once: a block of SHA-512 for every lane.
const GATHERED_BYTES: usize = LANES_MAX * 128;

/// Chaining values, lane after lane.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub(crate) struct States<W>(pub(crate) [State<W>; LANES_MAX]);

impl<W: Word> Default for States<W> {
    fn default() -> Self {
        Self([[W::default(); 8]; LANES_MAX])
    }
}

impl<W> States<W> {
    /// One cell per state, as [`compress_chain`] takes them.
    pub(crate) fn cells(&mut self) -> &[Cell<State<W>>] {
        Cell::from_mut(&mut self.0[..]).as_slice_of_cells()
    }
}

/// The input of one lane in a call: a first block, the blocks that follow it, and a last block,
/// each in its own place. So the block that joins a tail with the next chunk, and the block with
/// the padding, need neither a copy of the bytes between them nor a separate step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Input<'a> {
    /// The first block, if it is not directly before `body`; otherwise empty.
    pub(crate) head: &'a [u8],
    /// All blocks in between.
    pub(crate) body: &'a [u8],
    /// The last block, if it is not directly after `body`; otherwise empty.
    pub(crate) foot: &'a [u8],
}

impl<'a> Input<'a> {
    /// Input in one piece.
    #[must_use]
    #[inline]
    pub(crate) const fn whole(body: &'a [u8]) -> Self {
        Self {
            head: &[],
            body,
            foot: &[],
        }
    }
}

/// Absorbs one message into `lanes` states, its words dealt to them in turn: whole blocks of every
/// lane. A narrower kernel goes over the message several times. For a kernel without an entry for
/// dealt words each lane's blocks are gathered first.
///
/// # Panics
/// If the CPU lacks `kernel`, or it is another compression's; if its lanes do not divide
/// `lanes`, or these are more than [`LANES_MAX`]; if `message` ends within a block of the lanes.
pub(crate) fn compress_dealt<H: Compression>(
    kernel: Kernel,
    states: &mut States<H::Word>,
    lanes: usize,
    message: &[u8],
) {
    check::<H>(kernel);
    let width = kernel.lanes();
    assert!(
        lanes.is_multiple_of(width) && lanes <= LANES_MAX,
        "the kernel's lanes divide the message's"
    );
    let blocks = message.len() / (H::BLOCK_BYTES * lanes);
    assert!(
        message.len() == blocks * H::BLOCK_BYTES * lanes,
        "whole blocks of every lane"
    );
    let Some(entry) = H::ROWS[kernel.row()].dealt else {
        for first in (0..lanes).step_by(width) {
            compress_gathered::<H>(
                kernel,
                &mut states.0[first..][..width],
                first,
                lanes,
                message,
            );
        }
        return;
    };
    let stride = H::BLOCK_BYTES / 16 * lanes;
    for first in (0..if blocks > 0 { lanes } else { 0 }).step_by(width) {
        // SAFETY: the kernel is available and has a multiple of its lanes before it and all of them
        // within the states; word `w` of lane `first` is at `w * stride + first` words from the
        // message's start, followed by the words of the next lanes, and there are `16 * blocks` of
        // them.
        unsafe {
            let from = message.as_ptr().add(first * (H::BLOCK_BYTES / 16));
            entry(states.0.as_mut_ptr().add(first), from, stride, blocks);
        }
        #[cfg(any(test, feature = "faults"))]
        super::faults::spoil(kernel, |lane| states.0[first + lane].swap(0, 1));
    }
}

/// Gathers the words of the lanes from `first` on, lane by lane, and hashes them as blocks.
fn compress_gathered<H: Compression>(
    kernel: Kernel,
    states: &mut [State<H::Word>],
    first: usize,
    lanes: usize,
    message: &[u8],
) {
    let states = Cell::from_mut(states).as_slice_of_cells();
    let word = H::Word::BYTES;
    let mut gathered = [0; GATHERED_BYTES];
    let blocks_max = GATHERED_BYTES / (states.len() * H::BLOCK_BYTES);
    for piece in message.chunks(blocks_max * lanes * H::BLOCK_BYTES) {
        let blocks = piece.len() / (lanes * H::BLOCK_BYTES);
        let own =
            |lane: usize| lane * blocks * H::BLOCK_BYTES..(lane + 1) * blocks * H::BLOCK_BYTES;
        for lane in 0..states.len() {
            let words = piece.chunks_exact(word * lanes);
            let words = words.map(|dealt| &dealt[(first + lane) * word..][..word]);
            for (to, from) in gathered[own(lane)].chunks_exact_mut(word).zip(words) {
                to.copy_from_slice(from);
            }
        }
        let inputs = (0..states.len()).map(|lane| Input::whole(&gathered[own(lane)]));
        compress_chain::<H, _>(kernel, [(states.iter().zip(inputs), blocks)]);
    }
}

/// Absorbs whole blocks into one state.
///
/// # Panics
/// If the CPU lacks `kernel` or it has more than one lane; if `blocks` ends within a block.
#[inline]
pub(crate) fn compress_one<H: Compression>(
    kernel: Kernel,
    state: &mut State<H::Word>,
    blocks: &[u8],
) {
    check::<H>(kernel);
    assert!(kernel.lanes() == 1, "{kernel} has several lanes");
    let (count, rest) = (blocks.len() / H::BLOCK_BYTES, blocks.len() % H::BLOCK_BYTES);
    assert!(rest == 0, "whole blocks");
    if count == 0 {
        return;
    }
    let Entry::Whole(entry) = H::ROWS[kernel.row()].entry else {
        unreachable!("chains are for several lanes");
    };
    // SAFETY: the kernel is available and has one lane; `state` is one state, aligned to
    // its word, which is all a kernel of one lane asks; the one input is readable for
    // `count` blocks, which is not 0.
    unsafe { entry(state, &blocks.as_ptr(), count) }
    #[cfg(any(test, feature = "faults"))]
    super::faults::spoil(kernel, |_| state.swap(0, 1));
}

/// [`compress_placed`] for data in cache.
#[inline]
pub(crate) fn compress_chain<'a, H, I>(
    kernel: Kernel,
    segments: impl IntoIterator<Item = (I, usize)>,
) where
    H: Compression,
    I: IntoIterator<Item = (&'a Cell<State<H::Word>>, Input<'a>)>,
{
    compress_placed::<H, I>(kernel, Place::Near, segments);
}

/// Absorbs several segments, one after another. Each has a number of blocks and states with one
/// input each, at most as many as the kernel has lanes. A state may be in several segments, but
/// only once in each. Kernels that chain take all segments in one call; other kernels take one call
/// per segment.
///
/// # Panics
/// If the CPU lacks `kernel` or it is another compression's; if the segments have more than
/// [`LANES_MAX`] lanes; if one has no blocks, no inputs, or more inputs than lanes; if an
/// input has fewer blocks than its segment, or more and a foot; if a head or a foot is not one
/// block.
#[inline]
pub(crate) fn compress_placed<'a, H, I>(
    kernel: Kernel,
    place: Place,
    segments: impl IntoIterator<Item = (I, usize)>,
) where
    H: Compression,
    I: IntoIterator<Item = (&'a Cell<State<H::Word>>, Input<'a>)>,
{
    check::<H>(kernel);
    let lanes = kernel.lanes();
    let mut pieces = MaybeUninit::<Pieces<H::Word>>::uninit();
    let at = pieces.as_mut_ptr();
    // The state that lanes without an input change.
    let mut nobody = State::<H::Word>::default();
    let nobody = &raw mut nobody;
    let mut chained = 0;
    let mut whole = true;
    for (inputs, blocks) in segments {
        let start = chained * lanes;
        assert!(start + lanes <= LANES_MAX, "a chain with too many lanes");
        assert!(blocks > 0, "a segment without blocks");
        let set = |lane: usize, state, (first, rest, last)| {
            // SAFETY: the assertion says that all lanes of the segment, of which this is
            // one, are below `LANES_MAX`.
            unsafe {
                let pointers = |of: *mut [*const u8; LANES_MAX]| of.cast::<*const u8>().add(lane);
                pointers(&raw mut (*at).first).write(first);
                pointers(&raw mut (*at).rest).write(rest);
                pointers(&raw mut (*at).last).write(last);
                let states = (&raw mut (*at).states).cast::<*mut State<H::Word>>();
                states.add(lane).write(state);
            }
        };
        let mut idle = None;
        let mut end = start;
        for (state, input) in inputs {
            assert!(end < start + lanes, "more inputs than lanes");
            whole &= input.head.is_empty() && input.foot.is_empty();
            let pointers = locate::<H>(&input, blocks);
            idle.get_or_insert(pointers);
            set(end, state.as_ptr(), pointers);
            end += 1;
        }
        // Idle lanes read the first lane's input: valid memory, and already in cache.
        let idle = idle.expect("a segment without inputs");
        for lane in end..start + lanes {
            set(lane, nobody, idle);
        }
        // SAFETY: there are no more segments than lanes.
        unsafe {
            let bytes = (&raw mut (*at).bytes).cast::<usize>();
            bytes.add(chained).write(blocks * H::BLOCK_BYTES);
            bytes.add(chained + 1).write(0);
        }
        chained += 1;
    }
    if chained == 0 {
        return;
    }
    #[cfg(any(test, feature = "faults"))]
    let _spoiled = super::faults::Later(|| {
        super::faults::spoil(kernel, |lane| {
            // SAFETY: the lane is one of the kernel's, and `at` has the states of each segment's;
            // they are cells' or `nobody`, which no other code reads when this is dropped.
            unsafe {
                for segment in 0..chained {
                    let states = (&raw const (*at).states).cast::<*mut State<H::Word>>();
                    (**states.add(segment * lanes + lane)).swap(0, 1);
                }
            }
        });
    });
    let mut rows = MaybeUninit::<States<H::Word>>::uninit();
    // SAFETY: the kernel is available, the first `chained * lanes` pointers of every array of the
    // pieces are written, their blocks readable as `locate` says, and no segment has 0 of them. The
    // states are cells' or `nobody`, which no other code reads during the call; entries that need
    // them contiguous and aligned get copies. If an input is one piece, all three pointers are the
    // pointer to its blocks. The calls for a part of the blocks step over those before them, which
    // moves `rest` and `last` to where `locate` says their blocks are; the pointers of lanes beyond
    // `chained * lanes` are neither read nor moved.
    unsafe {
        let entry = match H::ROWS[kernel.row()].entry {
            Entry::Chain(entry) => return entry(at),
            other => other,
        };
        let call = |states, inputs, blocks| match entry {
            Entry::Whole(entry) => entry(states, inputs, blocks),
            Entry::Placed(entry) => entry(states, inputs, blocks, place),
            Entry::Chain(_) => {}
        };
        let rows = rows.as_mut_ptr().cast::<State<H::Word>>();
        for segment in 0..chained {
            let start = segment * lanes;
            let blocks = (&raw const (*at).bytes[segment]).read() / H::BLOCK_BYTES;
            let states = (&raw const (*at).states).cast::<*mut State<H::Word>>();
            let states = states.add(start);
            for lane in 0..lanes {
                rows.add(lane)
                    .copy_from_nonoverlapping(*states.add(lane), 1);
            }
            let pointers = |of: *const [*const u8; LANES_MAX]| of.cast::<*const u8>().add(start);
            let first = pointers(&raw const (*at).first);
            if whole {
                call(rows, first, blocks);
            } else {
                call(rows, first, 1);
                let mut moved = [std::ptr::null(); LANES_MAX];
                let mut call_moved = |of: *const *const u8, before: usize, blocks: usize| {
                    for (lane, moved) in moved.iter_mut().enumerate().take(lanes) {
                        *moved = of.add(lane).read().wrapping_add(before * H::BLOCK_BYTES);
                    }
                    call(rows, moved.as_ptr(), blocks);
                };
                if blocks > 2 {
                    call_moved(pointers(&raw const (*at).rest), 1, blocks - 2);
                }
                if blocks > 1 {
                    call_moved(pointers(&raw const (*at).last), blocks - 1, 1);
                }
            }
            for lane in 0..lanes {
                rows.add(lane).copy_to_nonoverlapping(*states.add(lane), 1);
            }
        }
    }
}

/// # Panics
/// If the CPU lacks `kernel` or it is another compression's.
#[inline]
fn check<H: Compression>(kernel: Kernel) {
    assert!(
        kernel.family() == H::FAMILY && kernel.is_available(),
        "this CPU lacks {kernel} of {}",
        H::FAMILY
    );
}

/// The pointers of [`Pieces`] for one lane. They are moved back by the blocks before their piece
/// with arithmetic that may leave the piece; block `k` is within it.
///
/// # Panics
/// If `input` does not have `blocks` blocks; see [`compress_chain`].
#[inline]
fn locate<H: Compression>(input: &Input<'_>, blocks: usize) -> (*const u8, *const u8, *const u8) {
    let is_piece = |piece: &[u8]| piece.is_empty() || piece.len() == H::BLOCK_BYTES;
    assert!(is_piece(input.head) && is_piece(input.foot), "one block");
    let heads = usize::from(!input.head.is_empty());
    let body_blocks = input.body.len() / H::BLOCK_BYTES;
    let body = input.body.as_ptr().wrapping_sub(heads * H::BLOCK_BYTES);
    let first = if heads > 0 { input.head.as_ptr() } else { body };
    if input.foot.is_empty() {
        assert!(
            heads + body_blocks >= blocks,
            "an input is shorter than the step"
        );
        return (first, body, body);
    }
    assert!(
        heads + body_blocks + 1 == blocks,
        "an input with a foot has as many blocks as the step"
    );
    let last = input
        .foot
        .as_ptr()
        .wrapping_sub((blocks - 1) * H::BLOCK_BYTES);
    let first = if blocks == 1 { last } else { first };
    (first, body, last)
}
