//! A little of everything, short enough for Miri: parts of all digests with chunks around a block's
//! edges, batches, and the single-stream hashers.

mod common;

use std::collections::HashMap;

use common::{oracle, pattern};
use hashlane_engine::{
    Algorithm, Backend, Batch, Crossover, Digest, Engine, Event, Hasher, PartId,
};

/// With given costs, because measuring them takes minutes under Miri.
fn crossover() -> Crossover {
    // Two blocks a step: the rest of a run follows in the next step.
    Crossover::from_costs(Backend::detect(), |kernel| 2000.0 * kernel.lanes() as f64)
}

fn expected(algorithms: &[Algorithm], message: &[u8]) -> Vec<(Algorithm, Digest)> {
    let digest = |algorithm: &Algorithm| (*algorithm, oracle(*algorithm, message));
    algorithms.iter().map(digest).collect()
}

#[test]
fn parts_of_all_digests() {
    let all: Vec<Algorithm> = Algorithm::all().collect();
    let data = pattern(0, 1500);
    let mut engine: Engine<&[u8]> = Engine::new(crossover());
    let group = engine.group();
    let mut want: HashMap<PartId, Vec<(Algorithm, Digest)>> = HashMap::new();
    let chunks: [&[usize]; 6] = [
        &[],
        &[1, 62, 1, 120],
        &[63, 1100, 7],
        &[700],
        &[1, 1],
        &[111],
    ];
    for (i, chunks) in chunks.into_iter().enumerate() {
        // Every second has all, the others one.
        let algorithms = if i % 2 == 1 { &all[..] } else { &all[i..=i] };
        let part = engine.open_in(group, algorithms);
        let cancelled = engine.open(algorithms);
        let mut start = 0;
        for len in chunks {
            engine.push(part, &data[start..start + len]);
            engine.push(cancelled, &data[..*len]);
            start += len;
        }
        engine.finish(part);
        engine.step();
        assert!(engine.cancel(cancelled));
        want.insert(part, expected(algorithms, &data[..start]));
    }
    engine.close_group(group);
    loop {
        let stepped = engine.step().is_some();
        for event in engine.take_events() {
            match event {
                Event::Consumed { .. } => {}
                Event::Digest {
                    part,
                    algorithm,
                    digest,
                } => {
                    let want = want.get_mut(&part).expect("open");
                    let place = want.iter().position(|want| *want == (algorithm, digest));
                    want.swap_remove(place.expect("as the oracle has it"));
                }
                Event::Finished { part } => assert_eq!(want.remove(&part), Some(Vec::new())),
            }
        }
        if !stepped {
            break;
        }
    }
    assert!(want.is_empty());
}

#[test]
fn batches_and_single_streams() {
    let data = pattern(0, 300);
    let messages: Vec<&[u8]> = [0, 55, 64, 111, 129]
        .iter()
        .map(|len| &data[..*len])
        .collect();
    // Under Miri most of the time goes to planning for every number of lanes.
    let crossover = crossover();
    for algorithm in Algorithm::all() {
        let digests = Batch::new(crossover.clone(), algorithm).hash(&messages);
        for (digest, message) in digests.iter().zip(&messages) {
            assert_eq!(*digest, oracle(algorithm, message), "{algorithm}");
        }
        // The other hashers measure their kernels first.
        if algorithm.family().is_none() {
            let mut hasher = Hasher::new(algorithm);
            hasher.update(&data[..70]);
            hasher.update(&data[70..]);
            assert_eq!(hasher.finalize(), oracle(algorithm, &data), "{algorithm}");
        }
    }
}
