//! Compares every kernel of this machine with the portable one, and the portable ones with sha2,
//! sha1 and md-5.

use std::fmt::Debug;

use rand::{
    Rng, SeedableRng, distr::StandardUniform, prelude::Distribution, rngs::SmallRng,
    seq::SliceRandom as _,
};

use super::{
    Compression, Family, Input, Kernel, LANES_MAX, Md5, Sha1, Sha256, Sha512, State, States,
    compress_chain, compress_dealt, compress_one,
};
use crate::kernel::word::Word;

/// Fewer cases under Miri.
const fn cases(count: usize) -> usize {
    if cfg!(miri) {
        count.div_ceil(64)
    } else {
        count
    }
}

/// A compression with an oracle.
trait Tested: Compression<Word: Distributed> {
    /// Absorbs a block with another crate.
    fn oracle(state: &mut State<Self::Word>, block: &[u8]);
}

/// A word that can be drawn at random.
trait Distributed: Word {
    fn random(random: &mut SmallRng) -> Self;
}

impl<W: Word> Distributed for W
where
    StandardUniform: Distribution<W>,
{
    fn random(random: &mut SmallRng) -> Self {
        random.random()
    }
}

impl Tested for Sha256 {
    fn oracle(state: &mut [u32; 8], block: &[u8]) {
        sha2::block_api::compress256(state, block.as_chunks().0);
    }
}

impl Tested for Sha512 {
    fn oracle(state: &mut [u64; 8], block: &[u8]) {
        sha2::block_api::compress512(state, block.as_chunks().0);
    }
}

impl Tested for Sha1 {
    fn oracle(state: &mut [u32; 8], block: &[u8]) {
        let five = state.first_chunk_mut().expect("eight words hold five");
        sha1::block_api::compress(five, block.as_chunks().0);
    }
}

impl Tested for Md5 {
    fn oracle(state: &mut [u32; 8], block: &[u8]) {
        let four = state.first_chunk_mut().expect("eight words hold four");
        md5::block_api::compress(four, block.as_chunks().0);
    }
}

/// A test of each compression.
macro_rules! for_each_compression {
    ($($test:ident;)*) => {$(
        mod $test {
            use super::*;

            #[test]
            fn sha256() {
                super::$test::<Sha256>();
            }

            #[test]
            fn sha512() {
                super::$test::<Sha512>();
            }

            #[test]
            fn sha1() {
                super::$test::<Sha1>();
            }

            #[test]
            fn md5() {
                super::$test::<Md5>();
            }
        }
    )*};
}

#[cfg(all(unix, not(miri)))]
mod pages;
mod pieces;

for_each_compression! {
    portable_agrees_with_the_other_crates;
    random_states_and_blocks_in_every_place;
    inputs_at_any_alignment_and_of_exact_length;
    fewer_inputs_than_lanes;
    a_long_call_is_many_short_ones;
    what_follows_an_input_does_not_matter;
    heads_and_feet_lie_apart;
    a_chain_is_its_segments;
    one_state_at_any_alignment;
    dealt_words;
}

fn available<H: Compression>() -> impl Iterator<Item = Kernel> {
    Kernel::of(H::FAMILY).filter(|kernel| kernel.is_available())
}

/// Bytes of period 251, so that swapped blocks are noticed.
fn pattern(len: usize, from: usize) -> Vec<u8> {
    (0u8..251).cycle().skip(from % 251).take(len).collect()
}

fn random_state<W: Distributed>(random: &mut SmallRng) -> State<W> {
    std::array::from_fn(|_| W::random(random))
}

fn random_states<W: Distributed>(random: &mut SmallRng) -> States<W> {
    let mut states = States::default();
    states.0.fill_with(|| random_state(random));
    states
}

fn random_bytes(random: &mut SmallRng, len: usize) -> Vec<u8> {
    (0..len).map(|_| random.random()).collect()
}

/// Inputs of one piece each.
fn compress<H: Compression>(
    kernel: Kernel,
    states: &mut States<H::Word>,
    first: usize,
    inputs: &[&[u8]],
    blocks: usize,
) {
    let inputs = inputs.iter().copied().map(Input::whole);
    let lanes = states.cells()[first..].iter().zip(inputs);
    compress_chain::<H, _>(kernel, [(lanes, blocks)]);
}

/// The state that the portable kernel computes.
fn expect<H: Compression>(state: &mut State<H::Word>, blocks: &[u8]) {
    compress_one::<H>(Kernel::portable(H::FAMILY), state, blocks);
}

/// The words that the hash uses.
fn words<H: Compression>(state: &State<H::Word>) -> &[H::Word] {
    &state[..H::STATE_WORDS]
}

#[track_caller]
fn assert_state<H: Compression>(
    got: &State<H::Word>,
    expected: &State<H::Word>,
    about: impl Debug,
) {
    assert_eq!(words::<H>(got), words::<H>(expected), "{about:?}");
}

/// Runs `kernel` from state `first` over `inputs` and compares every state with the portable
/// kernel's. Other states must not change.
#[track_caller]
fn check<H: Compression>(
    kernel: Kernel,
    before: &States<H::Word>,
    first: usize,
    inputs: &[&[u8]],
    blocks: usize,
) {
    let mut got = before.clone();
    compress::<H>(kernel, &mut got, first, inputs, blocks);
    let mut expected = before.clone();
    for (state, input) in expected.0[first..].iter_mut().zip(inputs) {
        expect::<H>(state, &input[..blocks * H::BLOCK_BYTES]);
    }
    for lane in 0..LANES_MAX {
        let about = (
            kernel,
            "lane",
            lane,
            "of a call at",
            first,
            "blocks",
            blocks,
        );
        if (first..first + inputs.len()).contains(&lane) {
            assert_state::<H>(&got.0[lane], &expected.0[lane], about);
        } else {
            assert_eq!(got.0[lane], before.0[lane], "{about:?}");
        }
    }
}

fn portable_agrees_with_the_other_crates<H: Tested>() {
    let mut random = SmallRng::seed_from_u64(0);
    for round in 0..cases(400) {
        let blocks = round % 7;
        let data = random_bytes(&mut random, blocks * H::BLOCK_BYTES);
        let mut got = random_state(&mut random);
        let mut expected = got;
        expect::<H>(&mut got, &data);
        H::oracle(&mut expected, &data);
        assert_state::<H>(&got, &expected, blocks);
    }
}

fn random_states_and_blocks_in_every_place<H: Tested>() {
    let mut random = SmallRng::seed_from_u64(1);
    for kernel in available::<H>() {
        let places = 0..=LANES_MAX - kernel.lanes();
        for first in places.step_by(if cfg!(miri) { 21 } else { 1 }) {
            for blocks in 1..=cases(9) {
                let states = random_states(&mut random);
                let data: Vec<Vec<u8>> = (0..kernel.lanes())
                    .map(|_| random_bytes(&mut random, blocks * H::BLOCK_BYTES))
                    .collect();
                let inputs: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
                check::<H>(kernel, &states, first, &inputs, blocks);
            }
        }
    }
}

/// Each buffer ends with its blocks, so that a memory checker reports reads beyond them.
fn inputs_at_any_alignment_and_of_exact_length<H: Tested>() {
    let mut random = SmallRng::seed_from_u64(2);
    for kernel in available::<H>() {
        for misaligned in 0..=cases(H::BLOCK_BYTES) {
            let blocks = 1 + misaligned % 5;
            let states = random_states(&mut random);
            let data: Vec<Vec<u8>> = (0..kernel.lanes())
                .map(|lane| pattern(misaligned + lane + blocks * H::BLOCK_BYTES, lane))
                .collect();
            let inputs: Vec<&[u8]> = data
                .iter()
                .enumerate()
                .map(|(lane, data)| &data[misaligned + lane..])
                .collect();
            check::<H>(kernel, &states, 0, &inputs, blocks);
        }
    }
}

fn fewer_inputs_than_lanes<H: Tested>() {
    let mut random = SmallRng::seed_from_u64(3);
    for kernel in available::<H>() {
        for active in 1..=kernel.lanes() {
            let states = random_states(&mut random);
            let blocks = 1 + active % 4;
            let data: Vec<Vec<u8>> = (0..active)
                .map(|lane| pattern(blocks * H::BLOCK_BYTES, lane * 7))
                .collect();
            let inputs: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
            check::<H>(kernel, &states, 0, &inputs, blocks);
        }
    }
}

/// A call with many blocks equals many calls: only the chaining value passes from block to block.
fn a_long_call_is_many_short_ones<H: Tested>() {
    const PIECES: &[(usize, usize)] = if cfg!(miri) {
        &[(0, 1), (1, 2)]
    } else {
        &[(0, 1), (1, 2), (3, 5), (8, 16), (24, 16)]
    };
    let all = PIECES.iter().map(|(_, blocks)| blocks).sum::<usize>();
    let mut random = SmallRng::seed_from_u64(4);
    for kernel in available::<H>() {
        let data: Vec<Vec<u8>> = (0..kernel.lanes())
            .map(|lane| pattern(all * H::BLOCK_BYTES, lane))
            .collect();
        let inputs: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
        let before: States<H::Word> = random_states(&mut random);
        let mut once = before.clone();
        compress::<H>(kernel, &mut once, 0, &inputs, all);
        let mut often = before.clone();
        for &(start, blocks) in PIECES {
            let inputs: Vec<&[u8]> = inputs
                .iter()
                .map(|input| &input[start * H::BLOCK_BYTES..])
                .collect();
            compress::<H>(kernel, &mut often, 0, &inputs, blocks);
        }
        for lane in 0..kernel.lanes() {
            assert_state::<H>(&once.0[lane], &often.0[lane], (kernel, lane));
            let changed = words::<H>(&once.0[lane]) != words::<H>(&before.0[lane]);
            assert!(changed, "{kernel}: {lane}");
        }
    }
}

/// Bytes loaded ahead must not affect the result.
fn what_follows_an_input_does_not_matter<H: Tested>() {
    for kernel in available::<H>() {
        for blocks in 1..=3 {
            let run = |filler: u8| {
                let data: Vec<Vec<u8>> = (0..kernel.lanes())
                    .map(|lane| {
                        let mut data = pattern(blocks * H::BLOCK_BYTES, lane);
                        data.extend_from_slice(&[filler; 256]);
                        data
                    })
                    .collect();
                let inputs: Vec<&[u8]> = data
                    .iter()
                    .map(|data| &data[..blocks * H::BLOCK_BYTES])
                    .collect();
                let mut states = States::default();
                compress::<H>(kernel, &mut states, 0, &inputs, blocks);
                states.0[..kernel.lanes()].to_vec()
            };
            assert_eq!(run(0), run(0xff), "{kernel}");
        }
    }
}

/// Random blocks. The first and the last may lie apart from the others, which have unrelated bytes
/// around them.
struct Lane {
    blocks: Vec<u8>,
    head: Vec<u8>,
    body: Vec<u8>,
    foot: Vec<u8>,
    /// Bytes on either side of the body.
    margin: usize,
}

impl Lane {
    fn random<H: Compression>(
        random: &mut SmallRng,
        blocks: usize,
        (head, foot): (bool, bool),
    ) -> Self {
        // One block cannot be both head and foot.
        let foot = foot && (blocks > 1 || !head);
        let size = H::BLOCK_BYTES;
        let blocks = random_bytes(random, blocks * size);
        let start = if head { size } else { 0 };
        let end = blocks.len() - if foot { size } else { 0 };
        let nobodys = vec![0xee; size];
        Self {
            body: [&nobodys, &blocks[start..end], &nobodys].concat(),
            head: blocks[..start].to_vec(),
            foot: blocks[end..].to_vec(),
            blocks,
            margin: size,
        }
    }

    fn input(&self) -> Input<'_> {
        Input {
            head: &self.head,
            // An empty body has an invalid address: a read from it would end the test.
            body: match &self.body[self.margin..self.body.len() - self.margin] {
                [] => &[],
                body => body,
            },
            foot: &self.foot,
        }
    }
}

/// Runs a chain of `segments`, each with states in any order and often those of another, and
/// compares every state with the portable kernel's, one segment after another. Other states must
/// not change.
#[track_caller]
fn check_chain<H: Tested>(random: &mut SmallRng, kernel: Kernel, segments: &[Vec<Lane>]) {
    let blocks_of = |segment: &[Lane]| segment[0].blocks.len() / H::BLOCK_BYTES;
    let before: States<H::Word> = random_states(random);
    let few = random.random_range(kernel.lanes()..=LANES_MAX.min(kernel.lanes() + 2));
    let places = [few, LANES_MAX][random.random_range(0..2)];
    let segments: Vec<(Vec<usize>, &Vec<Lane>)> = segments
        .iter()
        .map(|lanes| {
            let mut places: Vec<usize> = (0..places).collect();
            places.shuffle(random);
            (places, lanes)
        })
        .collect();
    let mut got = before.clone();
    let states = got.cells();
    let chain = segments.iter().map(|(places, lanes)| {
        let states = places.iter().map(|place| &states[*place]);
        (states.zip(lanes.iter().map(Lane::input)), blocks_of(lanes))
    });
    compress_chain::<H, _>(kernel, chain);
    let mut expected = before;
    for (places, lanes) in &segments {
        for (place, lane) in places.iter().zip(*lanes) {
            expect::<H>(&mut expected.0[*place], &lane.blocks);
        }
    }
    for state in 0..LANES_MAX {
        if words::<H>(&got.0[state]) != words::<H>(&expected.0[state]) {
            let about = segments.iter().map(|(places, lanes)| {
                let apart = lanes.iter().map(|lane| (lane.head.len(), lane.foot.len()));
                (&places[..lanes.len()], blocks_of(lanes), apart.collect())
            });
            let about: Vec<(_, _, Vec<_>)> = about.collect();
            panic!("{kernel}, state {state} of {about:?}");
        }
    }
}

/// A separate head and foot, in some lanes or all, are the first and the last block. Bytes before
/// and after the body do not matter.
fn heads_and_feet_lie_apart<H: Tested>() {
    let mut random = SmallRng::seed_from_u64(5);
    for kernel in available::<H>() {
        for blocks in 1..=if cfg!(miri) { 3 } else { 9 } {
            for round in 0..if cfg!(miri) { 4 } else { 16 } {
                // All lanes alike in each possible way, then at random.
                let all = (round & 1 == 1, round & 2 == 2);
                let mut lane = |_| {
                    let apart = if round < 4 { all } else { random.random() };
                    Lane::random::<H>(&mut random, blocks, apart)
                };
                let lanes: Vec<Lane> = (0..kernel.lanes()).map(&mut lane).collect();
                check_chain::<H>(&mut random, kernel, &[lanes]);
            }
        }
    }
}

/// The segments of a chain give the same results as separate calls, for any adjacent numbers of
/// blocks: every combination in chains of up to three, and some of the longer chains, which consist
/// of these.
fn a_chain_is_its_segments<H: Tested>() {
    const BLOCKS_MAX: usize = 5;
    let mut random = SmallRng::seed_from_u64(6);
    for kernel in available::<H>() {
        let lanes = kernel.lanes();
        for count in 1..=(LANES_MAX / lanes).min(if cfg!(miri) { 3 } else { 8 }) {
            let combinations = BLOCKS_MAX.pow(u32::try_from(count.min(3)).unwrap());
            for mut combination in 0..cases(combinations) {
                let segment = |place: usize| {
                    let blocks = if place < 3 {
                        let blocks = 1 + combination % BLOCKS_MAX;
                        combination /= BLOCKS_MAX;
                        blocks
                    } else {
                        random.random_range(1..=BLOCKS_MAX)
                    };
                    let lanes = if random.random() {
                        lanes
                    } else {
                        random.random_range(1..=lanes)
                    };
                    (0..lanes)
                        .map(|_| {
                            let apart = random.random();
                            Lane::random::<H>(&mut random, blocks, apart)
                        })
                        .collect()
                };
                let segments: Vec<Vec<Lane>> = (0..count).map(segment).collect();
                check_chain::<H>(&mut random, kernel, &segments);
            }
        }
        // As many segments as there are lanes.
        let segment = |random: &mut SmallRng| {
            let blocks = random.random_range(1..=3);
            let lane = |_| {
                let apart = random.random();
                Lane::random::<H>(random, blocks, apart)
            };
            (0..lanes).map(lane).collect()
        };
        let segments: Vec<Vec<Lane>> = (0..LANES_MAX / lanes / if cfg!(miri) { 16 } else { 1 })
            .map(|_| segment(&mut random))
            .collect();
        check_chain::<H>(&mut random, kernel, &segments);
    }
}

/// A state that is aligned only to its words.
fn one_state_at_any_alignment<H: Tested>() {
    let mut random = SmallRng::seed_from_u64(7);
    for kernel in available::<H>().filter(|kernel| kernel.lanes() == 1) {
        for round in 0..cases(200) {
            let mut room: [H::Word; 16] = std::array::from_fn(|_| H::Word::random(&mut random));
            let before = room;
            let at = round % 9;
            let state: &mut State<H::Word> = (&mut room[at..at + 8]).try_into().expect("8 words");
            let mut expected = *state;
            let data = random_bytes(&mut random, round % 65 + round % 5 * H::BLOCK_BYTES);
            let data = &data[round % 65..];
            H::oracle(&mut expected, data);
            compress_one::<H>(kernel, state, data);
            assert_state::<H>(state, &expected, kernel);
            assert_eq!(room[..at], before[..at], "{kernel}");
            assert_eq!(room[at + 8..], before[at + 8..], "{kernel}");
        }
    }
}

/// Words dealt to 1 to 64 lanes equal each lane's own blocks.
fn dealt_words<H: Tested>() {
    let mut random = SmallRng::seed_from_u64(8);
    let word_bytes = H::BLOCK_BYTES / 16;
    for kernel in available::<H>() {
        let widths = [1, 2, 4, 8, 16, 32, 64].into_iter();
        let widths = widths.filter(|lanes: &usize| lanes.is_multiple_of(kernel.lanes()));
        for lanes in widths.take(if cfg!(miri) { 3 } else { 7 }) {
            for blocks in 0..=cases(5) {
                let misaligned = random.random_range(0..=64);
                let bytes = misaligned + blocks * lanes * H::BLOCK_BYTES;
                let data = random_bytes(&mut random, bytes);
                let message = &data[misaligned..];
                let before = random_states(&mut random);
                let mut got = before.clone();
                compress_dealt::<H>(kernel, &mut got, lanes, message);
                let mut expected = before.clone();
                for (lane, state) in expected.0.iter_mut().enumerate().take(lanes) {
                    let words = message.chunks_exact(word_bytes);
                    let own: Vec<u8> = words.skip(lane).step_by(lanes).flatten().copied().collect();
                    H::oracle(state, &own);
                }
                for (lane, (got, expected)) in got.0.iter().zip(&expected.0).enumerate() {
                    assert_state::<H>(got, expected, (kernel, lane, lanes, blocks));
                }
            }
        }
    }
}

/// Chains of single blocks. Refusals do not depend on the compression.
fn chain(kernel: Kernel, segments: &[(&[Input<'_>], usize)]) {
    let mut states = States::default();
    let states = states.cells();
    let segments = segments
        .iter()
        .map(|(inputs, blocks)| (states.iter().zip(inputs.iter().copied()), *blocks));
    compress_chain::<Sha256, _>(kernel, segments);
}

const PORTABLE: Kernel = Kernel::portable(Family::Sha256);
const BLOCK: Input<'static> = Input::whole(&[0; 64]);

#[test]
fn more_inputs_than_lanes_are_refused() {
    let refused = std::panic::catch_unwind(|| chain(PORTABLE, &[(&[BLOCK, BLOCK], 1)]));
    assert!(refused.is_err());
}

#[test]
#[should_panic(expected = "without inputs")]
fn a_segment_without_inputs_is_refused() {
    chain(PORTABLE, &[(&[], 1)]);
}

#[test]
#[should_panic(expected = "without blocks")]
fn a_segment_without_blocks_is_refused() {
    chain(PORTABLE, &[(&[BLOCK], 1), (&[BLOCK], 0)]);
}

#[test]
#[should_panic(expected = "too many lanes")]
fn a_chain_with_too_many_lanes_is_refused() {
    chain(PORTABLE, &[(&[BLOCK] as &[_], 1); LANES_MAX + 1]);
}

#[test]
#[should_panic(expected = "as many blocks as the step")]
fn a_foot_beyond_the_step_is_refused() {
    let input = Input {
        foot: &[0; 64],
        ..Input::whole(&[0; 128])
    };
    chain(PORTABLE, &[(&[input], 2)]);
}

#[test]
#[should_panic(expected = "one block")]
fn a_head_of_more_than_a_block_is_refused() {
    let input = Input {
        head: &[0; 128],
        ..Input::whole(&[0; 128])
    };
    chain(PORTABLE, &[(&[input], 3)]);
}

#[test]
#[should_panic(expected = "shorter than the step")]
fn a_short_input_is_refused() {
    chain(PORTABLE, &[(&[Input::whole(&[0; 127])], 2)]);
}

#[test]
#[should_panic(expected = "this CPU lacks md5:portable of sha256")]
fn another_hashs_kernel_is_refused() {
    chain(Kernel::portable(Family::Md5), &[(&[BLOCK], 1)]);
}

#[test]
#[should_panic(expected = "whole blocks of every lane")]
fn a_dealt_message_that_ends_within_a_block_is_refused() {
    compress_dealt::<Sha256>(PORTABLE, &mut States::default(), 4, &[0; 4 * 64 - 4]);
}

#[test]
fn no_kernel_that_is_not_there_runs() {
    for kernel in Kernel::of(Family::Sha256).filter(|kernel| !kernel.is_available()) {
        let refused = std::panic::catch_unwind(|| chain(kernel, &[(&[BLOCK], 1)]));
        assert!(refused.is_err(), "{kernel}");
    }
}

#[test]
fn names_are_unique_and_parse() {
    for (place, kernel) in Kernel::all().enumerate() {
        assert_eq!(kernel.index(), place);
        assert_eq!(kernel.to_string().parse(), Ok(kernel));
        assert!((1..=LANES_MAX).contains(&kernel.lanes()));
        assert!(kernel.lanes().is_power_of_two());
        let same = Kernel::of(kernel.family()).filter(|other| other.name() == kernel.name());
        assert_eq!(same.count(), 1, "{kernel}");
    }
    assert_eq!(Kernel::all().count(), Kernel::count());
    for text in [
        "avx512x16",
        "sha256:",
        ":portable",
        "sha256:avx1024x64",
        "SHA256:portable",
    ] {
        assert!(text.parse::<Kernel>().is_err(), "{text}");
    }
}
