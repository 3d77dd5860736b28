//! Whole messages of any lengths give the oracle's digests in input order, on every
//! kernel of this machine and on mixes of them.
#![no_main]

use hashlane_engine::Batch;
use hashlane_engine_fuzz::{ALGORITHMS, CROSSOVERS, oracle};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, u8, Vec<u16>)| {
    let (crossover, algorithm, lengths) = input;
    let crossover = &CROSSOVERS[usize::from(crossover) % CROSSOVERS.len()];
    let algorithm = ALGORITHMS[usize::from(algorithm) % ALGORITHMS.len()];
    let data: Vec<u8> = (0..(1 << 16) + 256).map(|i: u32| (i % 251) as u8).collect();
    let lengths = lengths.iter().take(128).enumerate();
    let messages: Vec<&[u8]> = lengths
        .map(|(i, len)| &data[i..i + usize::from(*len)])
        .collect();
    let digests = Batch::new(crossover.clone(), algorithm).hash(&messages);
    assert_eq!(digests.len(), messages.len());
    for (message, digest) in messages.iter().zip(&digests) {
        assert_eq!(*digest, oracle(algorithm, message));
    }
});
