//! What the engine's tests share.
#![allow(dead_code)] // each test binary uses a part

use hashlane_engine::{Backend, Crossover, Digest, Engine, Event, JobId, Kernel};
use sha2::Digest as _;

/// Bytes of period 251, a prime, so that swapped blocks and lanes show.
pub(crate) fn pattern(start: usize, len: usize) -> Vec<u8> {
    let byte = |i| u8::try_from((start + i) % 251).expect("below 251");
    (0..len).map(byte).collect()
}

/// The oracle.
pub(crate) fn sha2_of(message: &[u8]) -> Digest {
    sha2::Sha256::digest(message).into()
}

/// A crossover for each kernel this machine has alone, and for all together.
pub(crate) fn crossovers() -> Vec<(String, Crossover)> {
    let single = Kernel::ALL.into_iter().filter_map(|kernel| {
        let crossover = Crossover::only(kernel)?;
        Some((kernel.name().to_owned(), crossover))
    });
    let all = Crossover::calibrate(&Backend::detect());
    single.chain([("all".to_owned(), all)]).collect()
}

/// Steps until nothing is ready; digests by job.
pub(crate) fn run<C: AsRef<[u8]>>(engine: &mut Engine<C>) -> Vec<(JobId, Digest)> {
    let mut digests = Vec::new();
    while engine.step().is_some() {
        digests.extend(finished(engine));
    }
    digests.extend(finished(engine));
    digests
}

/// The digests among the engine's events.
pub(crate) fn finished<C: AsRef<[u8]>>(engine: &mut Engine<C>) -> Vec<(JobId, Digest)> {
    let events = engine.take_events();
    let digests = events.filter_map(|event| match event {
        Event::Finished { job, digest } => Some((job, digest)),
        Event::Consumed { .. } => None,
    });
    digests.collect()
}
