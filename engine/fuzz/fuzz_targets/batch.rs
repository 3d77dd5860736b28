//! Whole messages of any lengths give sha2's digests in input order, on every
//! kernel of this machine and on mixes of them.
#![no_main]

use hashlane_engine::Batch;
use hashlane_engine_fuzz::CROSSOVERS;
use libfuzzer_sys::fuzz_target;
use sha2::Digest as _;

fuzz_target!(|input: (u8, Vec<u16>)| {
    let (crossover, lengths) = input;
    let crossover = &CROSSOVERS[usize::from(crossover) % CROSSOVERS.len()];
    let data: Vec<u8> = (0..(1 << 16) + 256).map(|i: u32| (i % 251) as u8).collect();
    let lengths = lengths.iter().take(64).enumerate();
    let messages: Vec<&[u8]> = lengths
        .map(|(i, len)| &data[i..i + usize::from(*len)])
        .collect();
    let digests = Batch::new(crossover.clone()).hash(&messages);
    assert_eq!(digests.len(), messages.len());
    for (message, digest) in messages.iter().zip(&digests) {
        assert_eq!(digest[..], sha2::Sha256::digest(message)[..]);
    }
});
