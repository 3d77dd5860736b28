//! Code shared by the kernel tests of several hashes.

use std::{array, fmt::Debug};

use rand::{Rng, SeedableRng, distr::StandardUniform, prelude::Distribution, rngs::SmallRng};

/// Chaining values, aligned as kernels require.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct States<W, const N: usize>([[W; 8]; N]);

/// The entry of a kernel that takes a pointer for each lane.
pub(crate) type Entry<W> = unsafe fn(*mut [W; 8], *const *const u8, usize);

/// Runs `entry`, `N` lanes wide, over random states and blocks at any alignment and compares the
/// results with `oracle`, which absorbs a block. The lanes' buffers end with their blocks, so that
/// a memory checker reports reads beyond them.
///
/// # Safety
/// `entry` is a kernel of `N` lanes of blocks of `BLOCK` bytes, and the CPU can run it.
pub(crate) unsafe fn check<W, const N: usize, const BLOCK: usize>(
    entry: Entry<W>,
    oracle: impl Fn(&mut [W; 8], &[u8; BLOCK]),
) where
    W: Copy + Debug + PartialEq,
    StandardUniform: Distribution<W>,
{
    let mut random = SmallRng::seed_from_u64(N as u64);
    for round in 0..300 {
        let blocks = if round < 100 {
            1 + round % 4
        } else {
            random.random_range(1..=40)
        };
        let data: [Vec<u8>; N] = array::from_fn(|lane| {
            let misaligned = (round + lane * 7) % 65;
            let bytes = misaligned + blocks * BLOCK;
            (0..bytes).map(|_| random.random::<u8>()).collect()
        });
        let inputs = data
            .each_ref()
            .map(|data| &data[data.len() - blocks * BLOCK..]);
        let before: [[W; 8]; N] = array::from_fn(|_| array::from_fn(|_| random.random()));
        let mut states = States(before);
        // SAFETY: the CPU can run it; there are `N` states, aligned, and as many inputs
        // of `blocks` blocks, at least one.
        unsafe {
            entry(
                states.0.as_mut_ptr(),
                inputs.map(<[u8]>::as_ptr).as_ptr(),
                blocks,
            )
        };
        let mut expected = before;
        for (state, input) in expected.iter_mut().zip(inputs) {
            for block in input.as_chunks().0 {
                oracle(state, block);
            }
        }
        assert_eq!(states.0, expected, "{N} lanes, {blocks} blocks");
    }
}
