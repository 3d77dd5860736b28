//! What the engine allocates: bounded per idle job, nothing per step once warm.

mod common;

use std::hint::black_box;

use common::pattern;
use hashlane_engine::{Backend, Crossover, Engine, Event};

#[test]
fn an_idle_job_costs_at_most_256_bytes() {
    const JOBS: u64 = 100_000;
    let crossover = Crossover::calibrate(&Backend::detect());
    // Everything but the jobs, so that only they are counted.
    let mut engine: Engine<Vec<u8>> = Engine::new(crossover);
    let mut jobs = Vec::with_capacity(usize::try_from(JOBS).expect("fits"));
    let usage = allocation_counter::measure(|| {
        for _ in 0..JOBS {
            jobs.push(engine.open());
        }
    });
    let before = u64::try_from(usage.bytes_current).expect("memory was taken");
    assert!(
        before / JOBS <= 256,
        "{} bytes per opened job",
        before / JOBS
    );
    // A job that has had data and waits for more costs no more than that.
    let usage = allocation_counter::measure(|| {
        for chunk in jobs.chunks(1000) {
            for job in chunk {
                engine.push(*job, pattern(0, 100));
            }
            while engine.step().is_some() {}
            engine.take_events();
        }
    });
    let after = before + u64::try_from(usage.bytes_current.max(0)).expect("not negative");
    assert!(after / JOBS <= 256, "{} bytes per idle job", after / JOBS);
    assert_eq!(engine.open_jobs(), jobs.len());
}

#[test]
fn a_group_costs_some_tens_of_bytes() {
    const GROUPS: u64 = 1 << 14;
    let crossover = Crossover::calibrate(&Backend::detect());
    let mut engine: Engine<Vec<u8>> = Engine::new(crossover);
    let usage = allocation_counter::measure(|| {
        for _ in 0..GROUPS {
            black_box(engine.group());
        }
    });
    let bytes = u64::try_from(usage.bytes_current).expect("memory was taken");
    // A table that grows may be twice as long as it must be.
    assert!(
        bytes / GROUPS <= 2 * 40,
        "{} bytes per group",
        bytes / GROUPS
    );
}

#[test]
fn a_warm_engine_allocates_nothing() {
    let crossover = Crossover::calibrate(&Backend::detect());
    let mut engine: Engine<&[u8]> = Engine::new(crossover);
    let data = pattern(0, 100_000);
    let mut load = || {
        let mut finished = 0;
        let mut take = |engine: &mut Engine<&[u8]>| {
            let events = engine.take_events();
            finished += events
                .filter(|e| matches!(e, Event::Finished { .. }))
                .count();
        };
        let mut jobs = [None; 80];
        let groups = [engine.group(), engine.group(), engine.group()];
        for (i, job) in jobs.iter_mut().enumerate() {
            let id = *job.insert(match groups.get(i % 4) {
                Some(group) => engine.open_in(*group),
                None => engine.open(),
            });
            engine.push(id, &data[..1 + i * 37]);
            engine.push(id, &data[..i * 1021]);
        }
        for job in jobs.into_iter().flatten() {
            engine.finish(job);
        }
        // They go with their last jobs, and their places are used again.
        for group in groups {
            engine.close_group(group);
        }
        while engine.step().is_some() {
            take(&mut engine);
        }
        take(&mut engine);
        finished
    };
    assert_eq!(load(), 80, "the first load warms the engine");
    let usage = allocation_counter::measure(|| {
        black_box(load());
    });
    assert_eq!(usage.count_total, 0, "allocations once warm");
}
