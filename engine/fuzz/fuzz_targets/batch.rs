//! Whole messages of any lengths give sha2's digests in input order, on every
//! kernel of this machine and on all of them together.
#![no_main]

use std::sync::LazyLock;

use hashlane_engine::{Backend, Batch, Crossover, Kernel};
use libfuzzer_sys::fuzz_target;
use sha2::Digest as _;

static CROSSOVERS: LazyLock<Vec<Crossover>> = LazyLock::new(|| {
    let single = Kernel::ALL.into_iter().filter_map(Crossover::only);
    single.chain([Crossover::calibrate(&Backend::detect())]).collect()
});

fuzz_target!(|input: (u8, Vec<u16>)| {
    let (crossover, lengths) = input;
    let crossover = &CROSSOVERS[usize::from(crossover) % CROSSOVERS.len()];
    let data: Vec<u8> = (0..(1 << 16) + 256).map(|i: u32| (i % 251) as u8).collect();
    let lengths = lengths.iter().take(64).enumerate();
    let messages: Vec<&[u8]> = lengths.map(|(i, len)| &data[i..i + usize::from(*len)]).collect();
    let digests = Batch::new(crossover.clone()).hash(&messages);
    assert_eq!(digests.len(), messages.len());
    for (message, digest) in messages.iter().zip(&digests) {
        assert_eq!(digest[..], sha2::Sha256::digest(message)[..]);
    }
});
