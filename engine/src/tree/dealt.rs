//! Code shared by the tree modes: lanes to which a message is dealt, and the plain hash that ends
//! them all.

use std::{
    fmt,
    sync::OnceLock,
    time::{Duration, Instant},
};

use super::width::Width;
use crate::{
    digest::Digest,
    kernel::{
        Compression, Family, Kernel, State, States, Word as _, compress_dealt, compress_one,
        is_sound,
    },
    padding::{PADDING_BYTES_MAX, longer, pad},
    schedule::single,
    selfcheck::Sampler,
};

/// A kernel that is narrower than the tree passes over this many bytes before it goes on, so that
/// all passes but the first find them in L1 or L2. A multiple of all super-blocks.
const PIECE_BYTES: usize = 64 << 10;

/// The maximum bytes of a super-block: a block of SHA-512 in sixteen lanes.
const SUPER_BLOCK_BYTES_MAX: usize = 16 * 128;

/// Lanes to which a message is dealt, word by word.
#[derive(Clone)]
pub(super) struct Dealt<H: Compression> {
    kernel: Kernel,
    /// The kernel that hashes the lanes' digests, if it is not the fastest.
    single: Option<Kernel>,
    width: Width,
    states: Box<States<H::Word>>,
    /// Bytes short of a super-block. Allocated only when needed.
    tail: Vec<u8>,
    /// All bytes so far.
    length_bytes: u64,
}

impl<H: Compression> Dealt<H> {
    /// Lanes that start from `initial`, which has absorbed `length_bytes` bytes: whole
    /// super-blocks.
    pub(super) fn new(
        width: Width,
        kernel: Kernel,
        initial: &State<H::Word>,
        length_bytes: u64,
    ) -> Self {
        let mut states = Box::<States<H::Word>>::default();
        states.0[..width.lanes()].fill(*initial);
        Self {
            kernel,
            single: None,
            width,
            states,
            tail: Vec::new(),
            length_bytes,
        }
    }

    /// Bytes of memory of the states and the tail.
    pub(super) const fn boxed_bytes(width: Width) -> usize {
        size_of::<States<H::Word>>() + width.lanes() * H::BLOCK_BYTES
    }

    pub(super) const fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The kernel that hashes the lanes' digests.
    pub(super) fn single(&self) -> Kernel {
        self.single.unwrap_or_else(|| single(H::FAMILY))
    }

    /// Avoids these kernels from now on, if there are others.
    pub(super) fn avoid(&mut self, kernels: &[Kernel]) {
        let others = || {
            // Plain Rust computes the known answer, so it must be correct itself.
            let is_known = !kernels.contains(&Kernel::portable(H::FAMILY));
            let sound = move |kernel: &Kernel| {
                kernel.is_available() && (!is_known || is_sound::<H>(*kernel))
            };
            Kernel::of(H::FAMILY).filter(move |kernel| !kernels.contains(kernel) && sound(kernel))
        };
        if kernels.contains(&self.kernel) {
            let fitting = others().filter(|kernel| fits(*kernel, H::FAMILY, self.width));
            let widest = fitting.max_by_key(|kernel| kernel.lanes());
            self.kernel = widest.unwrap_or(self.kernel);
        }
        let is_single = |kernel: &&Kernel| kernel.family() == H::FAMILY && kernel.lanes() == 1;
        if kernels.iter().any(|kernel| is_single(&kernel)) {
            self.single = others().find(|kernel| is_single(&kernel));
        }
    }

    pub(super) const fn lanes(&self) -> usize {
        self.width.lanes()
    }

    pub(super) const fn super_block_bytes(&self) -> usize {
        self.lanes() * H::BLOCK_BYTES
    }

    pub(super) const fn length_bytes(&self) -> u64 {
        self.length_bytes
    }

    pub(super) fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// Takes the message's next bytes. Hashes whole super-blocks in place.
    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        self.length_bytes = longer(self.length_bytes, bytes.len());
        let super_block = self.super_block_bytes();
        if !self.tail.is_empty() {
            let missing = super_block - self.tail.len();
            let (head, rest) = bytes.split_at(missing.min(bytes.len()));
            self.tail.extend_from_slice(head);
            if self.tail.len() < super_block {
                return;
            }
            absorb::<H>(self.kernel, &mut self.states, self.width, &self.tail);
            self.tail.clear();
            bytes = rest;
        }
        let (whole, rest) = bytes.split_at(bytes.len() - bytes.len() % super_block);
        absorb::<H>(self.kernel, &mut self.states, self.width, whole);
        if !rest.is_empty() {
            self.tail.reserve_exact(super_block);
            self.tail.extend_from_slice(rest);
        }
    }

    /// The same, and takes a sample if there is a super-block to hash.
    pub(super) fn update_sampled(&mut self, bytes: &[u8], sampler: &mut Sampler) {
        let super_block = self.super_block_bytes();
        let missing = (super_block - self.tail.len()) % super_block;
        if bytes.len() < missing + super_block {
            return self.update(bytes);
        }
        let (joined, bytes) = bytes.split_at(missing);
        self.update(joined);
        let blocks = (bytes.len() / super_block).min(Sampler::blocks_max::<H>());
        let (sampled, rest) = bytes.split_at(blocks * super_block);
        let lane = sampler.choose(self.lanes());
        let before = self.states.0[lane];
        self.update(sampled);
        // The words of a lane are `lanes` words apart.
        let words = sampled
            .chunks_exact(H::Word::BYTES)
            .skip(lane)
            .step_by(self.lanes());
        sampler.take::<H>(self.kernel, &before, &self.states.0[lane], words);
        self.update(rest);
    }

    /// The lanes' chaining values after `last`, one or two more super-blocks.
    pub(super) fn states_after(&self, last: &[u8]) -> Box<States<H::Word>> {
        let mut states = self.states.clone();
        absorb::<H>(self.kernel, &mut states, self.width, last);
        states
    }

    /// Absorbs one more super-block.
    pub(super) fn absorb(&self, states: &mut States<H::Word>, super_block: &[u8]) {
        absorb::<H>(self.kernel, states, self.width, super_block);
    }
}

/// Without the states, which would reveal the message's digest.
impl<H: Compression> fmt::Debug for Dealt<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dealt")
            .field("kernel", &self.kernel)
            .field("width", &self.width)
            .finish_non_exhaustive()
    }
}

/// Absorbs whole super-blocks.
fn absorb<H: Compression>(
    kernel: Kernel,
    states: &mut States<H::Word>,
    width: Width,
    message: &[u8],
) {
    let lanes = width.lanes();
    if kernel.lanes() == lanes {
        return compress_dealt::<H>(kernel, states, lanes, message);
    }
    for piece in message.chunks(PIECE_BYTES) {
        compress_dealt::<H>(kernel, states, lanes, piece);
    }
}

/// Two super-blocks with the message's last bytes, followed by zeros.
pub(super) fn last_blocks(tail: &[u8]) -> [u8; 2 * SUPER_BLOCK_BYTES_MAX] {
    let mut blocks = [0; 2 * SUPER_BLOCK_BYTES_MAX];
    blocks[..tail.len()].copy_from_slice(tail);
    blocks
}

/// Whether `kernel` can hash a message that is dealt to `width` lanes.
pub(super) fn fits(kernel: Kernel, family: Family, width: Width) -> bool {
    kernel.family() == family
        && kernel.is_available()
        && width.lanes().is_multiple_of(kernel.lanes())
}

/// The fastest kernel for `width` lanes on this CPU, measured once per process in less than a
/// millisecond.
pub(super) fn fastest<H: Compression>(width: Width) -> Kernel {
    static BEST: [[OnceLock<Kernel>; Width::ALL.len()]; Family::ALL.len()] =
        [const { [const { OnceLock::new() }; Width::ALL.len()] }; Family::ALL.len()];
    *BEST[H::FAMILY.index()][width as usize].get_or_init(|| {
        let blocks = if cfg!(miri) { 1 } else { 8 };
        let message = vec![0; blocks * width.lanes() * H::BLOCK_BYTES];
        let mut states = States::default();
        let kernels = Kernel::of(H::FAMILY)
            .filter(|kernel| fits(*kernel, H::FAMILY, width) && is_sound::<H>(*kernel));
        quickest(kernels, |kernel| {
            compress_dealt::<H>(kernel, &mut states, width.lanes(), &message);
        })
    })
}

/// The kernel with the shortest run of all.
fn quickest(kernels: impl Iterator<Item = Kernel>, mut run: impl FnMut(Kernel)) -> Kernel {
    // Times measured under Miri are meaningless.
    const ROUNDS: usize = if cfg!(miri) { 1 } else { 6 };
    let mut times: Vec<(Kernel, Duration)> =
        kernels.map(|kernel| (kernel, Duration::MAX)).collect();
    // In turn, so that noise on the machine does not affect only one kernel.
    for _ in 0..ROUNDS {
        for (kernel, best) in &mut times {
            let start = Instant::now();
            run(*kernel);
            *best = start.elapsed().min(*best);
        }
    }
    let quickest = times.into_iter().min_by_key(|(_, time)| *time);
    quickest.expect("the portable kernel at least").0
}

/// The plain hash of the `before` bytes that `state` has absorbed, whole blocks, followed by
/// `last`, at most the digests of all lanes.
pub(super) fn finish<H: Compression>(
    kernel: Kernel,
    mut state: State<H::Word>,
    before: u64,
    last: &[u8],
) -> Digest {
    let mut blocks = [0; SUPER_BLOCK_BYTES_MAX + PADDING_BYTES_MAX];
    blocks[..last.len()].copy_from_slice(last);
    let end = pad::<H>(&mut blocks, last.len(), before + last.len() as u64);
    compress_one::<H>(kernel, &mut state, &blocks[..end]);
    digest_of::<H>(&state)
}

/// The digest of the plain hash that ends with `state`.
pub(super) fn digest_of<H: Compression>(state: &State<H::Word>) -> Digest {
    Digest::of_state::<H>(H::STATE_WORDS * H::Word::BYTES, state)
}

/// Absorbs one block.
pub(super) fn absorb_block<H: Compression>(state: &mut State<H::Word>, block: &[u8]) {
    compress_one::<H>(single(H::FAMILY), state, block);
}

/// The lanes' digests, as Multi-Hash hashes them: first words in the order of the lanes, then
/// second words, and so on, each word's least significant byte first whatever the hash.
pub(super) fn interleaved<H: Compression>(states: &States<H::Word>, width: Width) -> Vec<u8> {
    let states = &states.0[..width.lanes()];
    let words = (0..H::STATE_WORDS).flat_map(|word| states.iter().map(move |state| state[word]));
    let mut bytes = vec![0; H::STATE_WORDS * states.len() * H::Word::BYTES];
    for (bytes, word) in bytes.chunks_exact_mut(H::Word::BYTES).zip(words) {
        word.write_le(bytes);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Sha256;

    /// As for the plain hash: the padding cannot hold the length.
    #[test]
    fn no_message_has_2_to_the_61_bytes() {
        let super_block = 4 * 64;
        let refuses = |more: usize| {
            let before = (1 << 61) - super_block;
            let kernel = Kernel::portable(Family::Sha256);
            let mut dealt = Dealt::<Sha256>::new(Width::X4, kernel, &Sha256::INITIAL, before);
            let bytes = [0; 256];
            std::panic::catch_unwind(move || dealt.update(&bytes[..more])).is_err()
        };
        assert!(!refuses(255));
        assert!(refuses(256));
    }
}
