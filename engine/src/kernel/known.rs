//! The known-answer test that a kernel must pass before it is used.

use super::{Compression, Input, Kernel, State, States, Word as _, compress_chain, compress_dealt};

/// Blocks of each lane: a head, a body and a foot.
const BLOCKS: usize = 4;

/// Whether `kernel` passes the known-answer test: every lane of a call, each with its own message
/// and with separate first and last blocks, and every lane of a call for dealt words.
///
/// # Panics
/// If the CPU lacks `kernel`.
pub(crate) fn is_sound<H: Compression>(kernel: Kernel) -> bool {
    let run = |states: &mut States<H::Word>, inputs: &[Input<'_>]| {
        let chain = states.cells().iter().zip(inputs.iter().copied());
        compress_chain::<H, _>(kernel, [(chain, BLOCKS)]);
    };
    let dealt = |states: &mut States<H::Word>, message: &[u8]| {
        compress_dealt::<H>(kernel, states, kernel.lanes(), message);
    };
    agrees::<H>(kernel.lanes(), run) && agrees_dealt::<H>(kernel.lanes(), dealt)
}

/// Bytes that differ between all lanes.
fn message<H: Compression>(lane: usize) -> Vec<u8> {
    let byte = |i: usize| (i * 7 + lane * 31 + (i >> 8)) % 251;
    let bytes = (0..BLOCKS * H::BLOCK_BYTES).map(byte);
    bytes
        .map(|byte| u8::try_from(byte).expect("below 251"))
        .collect()
}

/// The state of one lane's message, computed in plain Rust without vector units and extensions.
/// Tests compare it with published vectors.
fn expected<H: Compression>(message: &[u8]) -> State<H::Word> {
    let mut state = H::INITIAL;
    super::compress_one::<H>(Kernel::portable(H::FAMILY), &mut state, message);
    state
}

fn agrees<H: Compression>(
    lanes: usize,
    run: impl FnOnce(&mut States<H::Word>, &[Input<'_>]),
) -> bool {
    let messages: Vec<Vec<u8>> = (0..lanes).map(message::<H>).collect();
    let input = |message: &'_ Vec<u8>| -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let (head, rest) = message.split_at(H::BLOCK_BYTES);
        let (body, foot) = rest.split_at(rest.len() - H::BLOCK_BYTES);
        (head.to_vec(), body.to_vec(), foot.to_vec())
    };
    let pieces: Vec<_> = messages.iter().map(input).collect();
    let inputs: Vec<Input<'_>> = pieces
        .iter()
        .map(|(head, body, foot)| Input { head, body, foot })
        .collect();
    let mut states = Box::<States<H::Word>>::default();
    states.0[..lanes].fill(H::INITIAL);
    run(&mut states, &inputs);
    let same = |(lane, message): (usize, &Vec<u8>)| {
        states.0[lane][..H::STATE_WORDS] == expected::<H>(message)[..H::STATE_WORDS]
    };
    messages.iter().enumerate().all(same)
}

fn agrees_dealt<H: Compression>(
    lanes: usize,
    run: impl FnOnce(&mut States<H::Word>, &[u8]),
) -> bool {
    let messages: Vec<Vec<u8>> = (0..lanes).map(message::<H>).collect();
    let words = BLOCKS * 16;
    let dealt: Vec<u8> = (0..words)
        .flat_map(|word| {
            let bytes = word * H::Word::BYTES..(word + 1) * H::Word::BYTES;
            messages
                .iter()
                .flat_map(move |message| message[bytes.clone()].to_vec())
        })
        .collect();
    let mut states = Box::<States<H::Word>>::default();
    states.0[..lanes].fill(H::INITIAL);
    run(&mut states, &dealt);
    let same = |(lane, message): (usize, &Vec<u8>)| {
        states.0[lane][..H::STATE_WORDS] == expected::<H>(message)[..H::STATE_WORDS]
    };
    messages.iter().enumerate().all(same)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Md5, Sha1, Sha256, Sha512},
        *,
    };

    fn check<H: Compression>() {
        let available = Kernel::of(H::FAMILY).filter(|kernel| kernel.is_available());
        for kernel in available {
            assert!(is_sound::<H>(kernel), "{kernel}");
            // Two lanes of its result swapped, or one bit wrong.
            let lanes = kernel.lanes();
            let wrong = |spoil: fn(&mut States<H::Word>, usize)| {
                agrees::<H>(lanes, |states, inputs| {
                    let chain = states.cells().iter().zip(inputs.iter().copied());
                    compress_chain::<H, _>(kernel, [(chain, BLOCKS)]);
                    spoil(states, lanes);
                })
            };
            if lanes > 1 {
                assert!(
                    !wrong(|states, lanes| states.0.swap(0, lanes - 1)),
                    "{kernel}"
                );
            }
            assert!(
                !wrong(|states, lanes| states.0[lanes - 1].swap(0, 1)),
                "{kernel}"
            );
        }
    }

    #[test]
    fn every_kernel_is_sound_and_a_wrong_one_is_not() {
        check::<Sha256>();
        check::<Sha512>();
        check::<Sha1>();
        check::<Md5>();
    }
}
