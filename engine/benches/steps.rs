//! The overhead of a step: 32 lanes with long chunks, in steps of bounded length, and with chunks
//! whose ends are spread so that some lane is refilled in every kernel call.
//!
//! The cost of a step is what it takes longer than the same bytes in long steps.

mod common;

use std::{cell::Cell, hint::black_box};

use common::{Bench, Who, buffers, chosen_kernel, crossover, human};
use hashlane_engine::{Algorithm, Crossover, Engine, Event, Family, Kernel};

const LANES: usize = 32;
const CHUNK_BYTES: usize = 64 << 10;

/// How long a step may take; `Crossover` plans with it.
const STEP_NS_MAX: f64 = 100_000.0;

/// The plans of `crossover`, but with steps of about `bytes` of each lane: the costs of all kernels
/// are raised by one factor.
fn with_steps_of(crossover: &Crossover, bytes: usize) -> Crossover {
    let lane_bytes = bytes as f64;
    let step_ns =
        LANES as f64 * lane_bytes / crossover.step_bytes_per_second(Family::Sha256, LANES) * 1e9;
    let factor = STEP_NS_MAX / step_ns;
    let costs: Vec<(Kernel, f64)> = crossover.bytes_per_second(Family::Sha256).collect();
    Crossover::from_costs(crossover.backend().clone(), |kernel| {
        let rate = costs
            .iter()
            .find(|(k, _)| *k == kernel)
            .map_or(1e9, |(_, rate)| *rate);
        (kernel.lanes() * 64) as f64 / rate * 1e9 * factor
    })
}

/// Hashes `pool`'s chunks in every lane; returns the steps it took.
fn run<'a>(engine: &mut Engine<&'a [u8]>, pool: &'a [u8], spread: bool) -> usize {
    let jobs: Vec<_> = (0..LANES)
        .map(|_| engine.open(&[Algorithm::Sha256]))
        .collect();
    for (lane, job) in jobs.iter().enumerate() {
        let chunks = &pool[lane * (CHUNK_BYTES / 4 + 192)..][..2 * CHUNK_BYTES];
        // The lanes of a kernel call end evenly spread over a chunk.
        let first = if spread {
            (lane % 8 + 1) * (CHUNK_BYTES / 8)
        } else {
            CHUNK_BYTES
        };
        engine.push(*job, &chunks[..first]);
        engine.push(*job, &chunks[first..]);
    }
    let mut steps = 0;
    while engine.step().is_some() {
        steps += 1;
        engine.take_events();
    }
    for job in jobs {
        engine.finish(job);
    }
    while engine.step().is_some() {}
    let finished = |event: &Event| matches!(event, Event::Finished { .. });
    assert_eq!(engine.take_events().filter(finished).count(), LANES);
    steps
}

fn main() {
    let bench = Bench::new("steps");
    let buffer = buffers(&[LANES * (CHUNK_BYTES / 4 + 192) + 2 * CHUNK_BYTES], 7);
    let pool = &buffer[0][..];
    if let Some(kernel) = chosen_kernel() {
        return measure(&bench, kernel.name(), &crossover(), pool);
    }
    measure(&bench, "measured", &crossover(), pool);
    // One call for all lanes: the rest is the engine's own overhead.
    let avx512x32 = Kernel::named(Family::Sha256, "avx512x32").and_then(Crossover::only);
    if let Some(crossover) = avx512x32 {
        measure(&bench, "avx512x32", &crossover, pool);
    }
}

fn measure(bench: &Bench, kernels: &str, crossover: &Crossover, pool: &[u8]) {
    let bytes = 2 * CHUNK_BYTES * LANES;
    let case = |name: &str, crossover: Crossover, spread: bool| {
        let mut engine = Engine::new(crossover);
        let steps = Cell::new(0);
        let who = Who::new("hashlane", || {
            steps.set(run(black_box(&mut engine), black_box(pool), spread));
        });
        let rate = bench.case(name, bytes, vec![who]);
        rate.first().map(|rate| (bytes as f64 / rate, steps.get()))
    };
    let long = case(&format!("{kernels}, long steps"), crossover.clone(), false);
    let mut others: Vec<_> = [2048, 4096, 16_384]
        .into_iter()
        .map(|step_bytes| {
            let name = format!("{kernels}, steps of {}", human(step_bytes));
            let measured = case(&name, with_steps_of(crossover, step_bytes), false);
            (name, measured)
        })
        .collect();
    let name = format!("{kernels}, refills in every call");
    let measured = case(&name, crossover.clone(), true);
    others.push((name, measured));
    for (name, measured) in others {
        if let (Some((ns, steps)), Some((long_ns, long_steps))) = (measured, long)
            && steps > long_steps
        {
            let cost_ns = (ns - long_ns) / (steps - long_steps) as f64;
            bench.note(&name, bytes as f64 / ns, "ns_per_step", cost_ns);
        }
    }
}
