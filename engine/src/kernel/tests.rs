//! Every kernel this machine has against the portable one, and the portable one
//! against sha2.

use rand::{Rng, SeedableRng, rngs::SmallRng};
use sha2::Digest;

use super::{
    BLOCK_BYTES, Columns, INITIAL_STATE, Input, Kernel, LANES_MAX, compress as compress_pieces,
    compress_chain,
};

/// Inputs that are of one piece each.
fn compress(kernel: Kernel, columns: &mut Columns, first: usize, inputs: &[&[u8]], blocks: usize) {
    let inputs = inputs.iter().copied().map(Input::whole);
    compress_pieces(kernel, columns, first, inputs, blocks);
}

/// Bytes of period 251: two blocks that change places show.
fn pattern(len: usize, from: usize) -> Vec<u8> {
    (0u8..251).cycle().skip(from % 251).take(len).collect()
}

fn available() -> impl Iterator<Item = Kernel> {
    Kernel::ALL
        .into_iter()
        .filter(|kernel| kernel.is_available())
}

fn random_columns(random: &mut SmallRng) -> Columns {
    let mut columns = Columns::new();
    for lane in 0..LANES_MAX {
        columns.set(lane, &random.random());
    }
    columns
}

/// Runs `kernel` from column `first` over `inputs` and compares every column
/// with what portable makes of it; columns that are not the kernel's must keep
/// what they had.
fn check(kernel: Kernel, before: &Columns, first: usize, inputs: &[&[u8]], blocks: usize) {
    let mut got = before.clone();
    compress(kernel, &mut got, first, inputs, blocks);
    let mut expected = before.clone();
    for (i, input) in inputs.iter().enumerate() {
        compress(Kernel::Portable, &mut expected, first + i, &[input], blocks);
    }
    for lane in 0..LANES_MAX {
        if (first + inputs.len()..first + kernel.lanes()).contains(&lane) {
            continue; // an idle lane of the kernel: anything
        }
        assert_eq!(
            got.get(lane),
            expected.get(lane),
            "{kernel}: column {lane} of a call at {first} with {} inputs of {blocks} blocks",
            inputs.len(),
        );
    }
}

/// The digest of `message` by `kernel` in column `column`.
fn digest(kernel: Kernel, column: usize, message: &[u8]) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % BLOCK_BYTES != BLOCK_BYTES - 8 {
        padded.push(0);
    }
    padded.extend_from_slice(&(message.len() as u64 * 8).to_be_bytes());
    let mut columns = Columns::new();
    let blocks = padded.len() / BLOCK_BYTES;
    compress(kernel, &mut columns, column, &[&padded], blocks);
    columns
        .get(column)
        .iter()
        .flat_map(|word| word.to_be_bytes())
        .collect()
}

#[test]
fn portable_agrees_with_sha2() {
    for len in 0..=300 {
        let message = pattern(len, len);
        let expected = sha2::Sha256::digest(&message);
        assert_eq!(
            digest(Kernel::Portable, len % LANES_MAX, &message),
            expected.as_slice(),
            "{len}"
        );
    }
}

#[test]
fn every_kernel_agrees_with_sha2() {
    for kernel in available() {
        for len in [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000] {
            let message = pattern(len, 0);
            let expected = sha2::Sha256::digest(&message);
            assert_eq!(
                digest(kernel, 0, &message),
                expected.as_slice(),
                "{kernel}: {len}"
            );
        }
    }
}

#[test]
fn random_states_and_blocks_in_every_place() {
    let mut random = SmallRng::seed_from_u64(1);
    for kernel in available() {
        for first in (0..LANES_MAX).filter(|first| kernel.may_start_at(*first)) {
            for blocks in 1..=9 {
                let columns = random_columns(&mut random);
                let data: Vec<Vec<u8>> = (0..kernel.lanes())
                    .map(|_| (0..blocks * BLOCK_BYTES).map(|_| random.random()).collect())
                    .collect();
                let inputs: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
                check(kernel, &columns, first, &inputs, blocks);
            }
        }
    }
}

#[test]
fn inputs_at_any_alignment_and_of_exact_length() {
    let mut random = SmallRng::seed_from_u64(2);
    for kernel in available() {
        for misaligned in 0..=BLOCK_BYTES {
            let blocks = 1 + misaligned % 5;
            let columns = random_columns(&mut random);
            let data: Vec<Vec<u8>> = (0..kernel.lanes())
                .map(|lane| pattern(misaligned + lane + blocks * BLOCK_BYTES, lane))
                .collect();
            let inputs: Vec<&[u8]> = data
                .iter()
                .enumerate()
                .map(|(lane, data)| &data[misaligned + lane..])
                .collect();
            check(kernel, &columns, 0, &inputs, blocks);
        }
    }
}

#[test]
fn fewer_inputs_than_lanes() {
    let mut random = SmallRng::seed_from_u64(3);
    for kernel in available() {
        for active in 1..=kernel.lanes() {
            let columns = random_columns(&mut random);
            let blocks = 1 + active % 4;
            let data: Vec<Vec<u8>> = (0..active)
                .map(|lane| pattern(blocks * BLOCK_BYTES, lane * 7))
                .collect();
            let inputs: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
            check(kernel, &columns, 0, &inputs, blocks);
        }
    }
}

/// A call of many blocks is the same as many calls: nothing but the chaining
/// value passes from block to block.
#[test]
fn a_long_call_is_many_short_ones() {
    for kernel in available() {
        let data: Vec<Vec<u8>> = (0..kernel.lanes())
            .map(|lane| pattern(40 * BLOCK_BYTES, lane))
            .collect();
        let inputs: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
        let mut once = Columns::new();
        compress(kernel, &mut once, 0, &inputs, 40);
        let mut often = Columns::new();
        for (start, blocks) in [(0, 1), (1, 2), (3, 5), (8, 16), (24, 16)] {
            let inputs: Vec<&[u8]> = inputs
                .iter()
                .map(|input| &input[start * BLOCK_BYTES..])
                .collect();
            compress(kernel, &mut often, 0, &inputs, blocks);
        }
        for lane in 0..kernel.lanes() {
            assert_eq!(once.get(lane), often.get(lane), "{kernel}: {lane}");
            assert_ne!(once.get(lane), INITIAL_STATE, "{kernel}: {lane}");
        }
    }
}

/// The hand-ordered kernels load the block after the one they hash; what lies
/// behind an input's last block must have no part in the result.
#[test]
fn what_follows_an_input_does_not_matter() {
    for kernel in available() {
        for blocks in 1..=3 {
            let run = |filler: u8| {
                let data: Vec<Vec<u8>> = (0..kernel.lanes())
                    .map(|lane| {
                        let mut data = pattern(blocks * BLOCK_BYTES, lane);
                        data.extend_from_slice(&[filler; 256]);
                        data
                    })
                    .collect();
                let inputs: Vec<&[u8]> = data
                    .iter()
                    .map(|data| &data[..blocks * BLOCK_BYTES])
                    .collect();
                let mut columns = Columns::new();
                compress(kernel, &mut columns, 0, &inputs, blocks);
                (0..kernel.lanes())
                    .map(|lane| columns.get(lane))
                    .collect::<Vec<_>>()
            };
            assert_eq!(run(0), run(0xff), "{kernel}");
        }
    }
}

/// Random blocks; the first and the last may lie apart from the others, which lie in
/// the midst of bytes that are nobody's.
struct Lane {
    blocks: Vec<u8>,
    body: Vec<u8>,
    head: bool,
    foot: bool,
}

impl Lane {
    fn random(random: &mut SmallRng, blocks: usize, (head, foot): (bool, bool)) -> Self {
        // One block cannot be both.
        let foot = foot && (blocks > 1 || !head);
        let blocks: Vec<u8> = (0..blocks * BLOCK_BYTES).map(|_| random.random()).collect();
        let start = if head { BLOCK_BYTES } else { 0 };
        let end = blocks.len() - if foot { BLOCK_BYTES } else { 0 };
        let body = [&[0xee; 64], &blocks[start..end], &[0xee; 64]].concat();
        Self {
            blocks,
            body,
            head,
            foot,
        }
    }

    fn input(&self) -> Input<'_> {
        Input {
            head: self.head.then(|| self.blocks.first_chunk().unwrap()),
            // Nothing is nowhere: to read it would end the test.
            body: match &self.body[BLOCK_BYTES..self.body.len() - BLOCK_BYTES] {
                [] => &[],
                body => body,
            },
            foot: self.foot.then(|| self.blocks.last_chunk().unwrap()),
        }
    }
}

/// Runs a chain of `segments` from column `first` and compares every column with
/// what portable makes of it, one after the other; columns that are not the
/// chain's must keep what they had.
fn check_chain(kernel: Kernel, before: &Columns, first: usize, segments: &[Vec<Lane>]) {
    let blocks_of = |segment: &[Lane]| segment[0].blocks.len() / BLOCK_BYTES;
    let mut got = before.clone();
    let chain = segments
        .iter()
        .map(|lanes| (lanes.iter().map(Lane::input), blocks_of(lanes)));
    compress_chain(kernel, &mut got, first, chain);
    let mut expected = before.clone();
    for (column, lane) in (first..).zip(segments.iter().flatten()) {
        let blocks = lane.blocks.len() / BLOCK_BYTES;
        compress(
            Kernel::Portable,
            &mut expected,
            column,
            &[&lane.blocks],
            blocks,
        );
    }
    let active = first + segments.iter().map(Vec::len).sum::<usize>();
    let idle = active..first + segments.len() * kernel.lanes();
    for column in (0..LANES_MAX).filter(|column| !idle.contains(column)) {
        assert_eq!(
            got.get(column),
            expected.get(column),
            "{kernel}: column {column} of a chain at {first}, blocks {:?}, heads and feet {:?}",
            segments
                .iter()
                .map(|lanes| blocks_of(lanes))
                .collect::<Vec<_>>(),
            segments
                .iter()
                .flatten()
                .map(|lane| (lane.head, lane.foot))
                .collect::<Vec<_>>(),
        );
    }
}

/// A head and a foot that lie elsewhere, in some lanes or all, are the first and
/// the last block; what lies before and behind the body has no part in it.
#[test]
fn heads_and_feet_lie_apart() {
    let mut random = SmallRng::seed_from_u64(4);
    for kernel in available() {
        for blocks in 1..=9 {
            for round in 0..8 {
                let columns = random_columns(&mut random);
                // Odd rounds: all lanes alike; even ones: at random.
                let all: (bool, bool) = random.random();
                let mut lane = |_| {
                    let apart = if round % 2 == 1 { all } else { random.random() };
                    Lane::random(&mut random, blocks, apart)
                };
                let lanes: Vec<Lane> = (0..kernel.lanes()).map(&mut lane).collect();
                check_chain(kernel, &columns, 0, &[lanes]);
            }
        }
    }
}

/// Segments of a chain are what they are in calls of their own, whatever numbers of
/// blocks stand side by side: every combination in chains of up to three, from
/// which longer ones are put together, and some of those.
#[test]
fn a_chain_is_its_segments() {
    const BLOCKS_MAX: usize = 5;
    let mut random = SmallRng::seed_from_u64(5);
    for kernel in available() {
        let lanes = kernel.lanes();
        for count in 1..=(LANES_MAX / lanes).min(8) {
            let combinations = BLOCKS_MAX.pow(u32::try_from(count.min(3)).unwrap());
            for mut combination in 0..combinations {
                let places = (0..=LANES_MAX - count * lanes).filter(|f| f.is_multiple_of(lanes));
                let first = random.random_range(0..places.count()) * lanes;
                let last_lanes = random.random_range(1..=lanes);
                let segment = |place: usize| {
                    let blocks = if place < 3 {
                        let blocks = 1 + combination % BLOCKS_MAX;
                        combination /= BLOCKS_MAX;
                        blocks
                    } else {
                        random.random_range(1..=BLOCKS_MAX)
                    };
                    let lanes = if place + 1 == count {
                        last_lanes
                    } else {
                        lanes
                    };
                    (0..lanes)
                        .map(|_| {
                            let apart = random.random();
                            Lane::random(&mut random, blocks, apart)
                        })
                        .collect()
                };
                let segments: Vec<Vec<Lane>> = (0..count).map(segment).collect();
                check_chain(kernel, &random_columns(&mut random), first, &segments);
            }
        }
    }
}

#[test]
#[should_panic(expected = "idle lanes")]
fn idle_lanes_within_a_chain_are_refused() {
    let data = [0; 64];
    let chain = [1, 1].map(|blocks| ([Input::whole(&data)], blocks));
    let kernel = available().find(|kernel| kernel.lanes() > 1);
    let kernel = kernel.expect("idle lanes need a kernel with several");
    compress_chain(kernel, &mut Columns::new(), 0, chain);
}

#[test]
#[should_panic(expected = "without blocks")]
fn a_segment_without_blocks_is_refused() {
    let data = [0; 64];
    let chain = [1, 0].map(|blocks| ([Input::whole(&data)], blocks));
    compress_chain(Kernel::Portable, &mut Columns::new(), 0, chain);
}

#[test]
#[should_panic(expected = "may not start")]
fn a_chain_past_the_end_is_refused() {
    let data = [0; 64];
    let chain = [1; 2].map(|blocks| ([Input::whole(&data)], blocks));
    compress_chain(Kernel::Portable, &mut Columns::new(), LANES_MAX - 1, chain);
}

#[test]
fn no_column_beyond_the_last_is_a_start() {
    for kernel in Kernel::ALL {
        let lanes = kernel.lanes();
        assert!(kernel.may_start_at(LANES_MAX - lanes), "{kernel}");
        for first in [LANES_MAX, usize::MAX - lanes + 1, usize::MAX] {
            assert!(!kernel.may_start_at(first), "{kernel} at {first}");
        }
    }
}

#[test]
#[should_panic(expected = "longer than the step")]
fn a_foot_beyond_the_step_is_refused() {
    let (body, foot) = ([0; 128], [0; 64]);
    let input = Input {
        foot: Some(&foot),
        ..Input::whole(&body)
    };
    compress_pieces(Kernel::Portable, &mut Columns::new(), 0, [input], 2);
}

#[test]
fn names_are_unique_and_parse() {
    for (place, kernel) in Kernel::ALL.into_iter().enumerate() {
        assert_eq!(kernel.index(), place);
        assert_eq!(kernel.name().parse(), Ok(kernel));
        assert!((1..=LANES_MAX).contains(&kernel.lanes()));
        assert!(kernel.may_start_at(0));
    }
    assert!("avx512".parse::<Kernel>().is_err());
}

#[test]
#[should_panic(expected = "shorter than the step")]
fn a_short_input_is_refused() {
    let data = [0; 127];
    compress(Kernel::Portable, &mut Columns::new(), 0, &[&data], 2);
}

#[test]
#[should_panic(expected = "may not start")]
fn a_column_past_the_end_is_refused() {
    let data = [0; 64];
    compress(
        Kernel::Portable,
        &mut Columns::new(),
        LANES_MAX,
        &[&data],
        1,
    );
}
