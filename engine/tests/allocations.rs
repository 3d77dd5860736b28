//! What the engine allocates: bounded per idle part, nothing per step once warm.

mod common;

use std::hint::black_box;

use common::pattern;
use hashlane_engine::{Algorithm, Backend, Crossover, Engine, Event, PartId, hash_many};

/// Bytes of a part of one digest: opened, and idle after some data.
fn bytes_per_part(algorithm: Algorithm) -> [u64; 2] {
    // A power of two, which fills a table that doubles; a growing table may be twice as long as
    // needed.
    const PARTS: u64 = 1 << 17;
    let crossover = Crossover::calibrate(&Backend::detect());
    // Allocated before the parts, so that only the parts are counted.
    let mut engine: Engine<Vec<u8>> = Engine::new(crossover);
    let part = engine.open(&[algorithm]);
    engine.cancel(part);
    let mut parts = Vec::with_capacity(usize::try_from(PARTS).expect("fits"));
    let usage = allocation_counter::measure(|| {
        for _ in 0..PARTS {
            parts.push(engine.open(&[algorithm]));
        }
    });
    let opened = u64::try_from(usage.bytes_current).expect("memory was taken");
    let usage = allocation_counter::measure(|| {
        for chunk in parts.chunks(1000) {
            for part in chunk {
                engine.push(*part, pattern(0, 200));
            }
            while engine.step().is_some() {}
            engine.take_events();
        }
    });
    let idle = opened + u64::try_from(usage.bytes_current.max(0)).expect("not negative");
    assert_eq!(engine.open_parts(), parts.len());
    [opened / PARTS, idle / PARTS]
}

#[test]
fn an_idle_part_costs_some_hundreds_of_bytes() {
    let limits = [
        (Algorithm::Sha256, 256),
        (Algorithm::Sha1, 256),
        (Algorithm::Md5, 256),
        (Algorithm::Sha512, 400),
    ];
    for (algorithm, limit) in limits {
        let [opened, idle] = bytes_per_part(algorithm);
        assert!(opened <= limit, "{algorithm}: {opened} bytes, opened");
        // A part that has had data and waits for more costs no more than that.
        assert!(idle <= limit, "{algorithm}: {idle} bytes, idle");
    }
}

#[test]
fn a_group_costs_some_ninety_bytes() {
    const GROUPS: u64 = 1 << 14;
    let crossover = Crossover::calibrate(&Backend::detect());
    let mut engine: Engine<Vec<u8>> = Engine::new(crossover);
    let usage = allocation_counter::measure(|| {
        for _ in 0..GROUPS {
            black_box(engine.group());
        }
    });
    let bytes = u64::try_from(usage.bytes_current).expect("memory was taken");
    // A growing table may be twice as long as needed.
    assert!(
        bytes / GROUPS <= 2 * 96,
        "{} bytes per group",
        bytes / GROUPS
    );
}

#[test]
fn a_warm_engine_allocates_nothing() {
    const LANES: [Algorithm; 3] = [Algorithm::Sha256, Algorithm::Sha512, Algorithm::Md5];
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
        let mut parts = [None; 80];
        let groups = [engine.group(), engine.group(), engine.group()];
        for (i, part) in parts.iter_mut().enumerate() {
            let algorithm = LANES[i % LANES.len()];
            let id = *part.insert(match groups.get(i % 4) {
                Some(group) => engine.open_in(*group, &[algorithm]),
                None => engine.open(&[algorithm]),
            });
            engine.push(id, &data[..1 + i * 37]);
            engine.push(id, &data[..i * 1021]);
        }
        for part in parts.into_iter().flatten() {
            engine.finish(part);
        }
        // Groups go with their last parts, and their places are used again.
        for group in groups {
            engine.close_group(group);
        }
        loop {
            engine.take_sample();
            if engine.step().is_none() {
                break;
            }
            assert!(engine.check_sample().expect("a sample").agrees);
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

#[test]
fn a_burst_gives_its_memory_back() {
    const PARTS: usize = 100_000;
    let crossover = Crossover::calibrate(&Backend::detect());
    let mut engine: Engine<&[u8]> = Engine::new(crossover);
    let data = pattern(0, 200);
    // Everything that is made once.
    let part = engine.open(&[Algorithm::Sha256]);
    engine.cancel(part);
    let usage = allocation_counter::measure(|| {
        let mut parts: Vec<PartId> = Vec::with_capacity(PARTS);
        for _ in 0..PARTS {
            parts.push(engine.open(&[Algorithm::Sha256]));
        }
        for parts in parts.chunks(1000) {
            for part in parts {
                engine.push(*part, &data[..100]);
                engine.push(*part, &data[100..]);
            }
            while engine.step().is_some() {}
            engine.take_events();
        }
        for part in parts {
            assert!(engine.cancel(part));
        }
    });
    assert!(
        usage.bytes_max > 20 << 20,
        "{} bytes at most",
        usage.bytes_max
    );
    assert!(
        usage.bytes_current < 2 << 20,
        "{} bytes stay",
        usage.bytes_current
    );
}

#[test]
fn a_small_batch_takes_little_memory() {
    let data = pattern(0, 64);
    let messages = [&data[..]; 32];
    black_box(hash_many(Algorithm::Sha256, &messages));
    let usage = allocation_counter::measure(|| {
        black_box(hash_many(Algorithm::Sha256, &messages));
    });
    assert!(usage.bytes_total < 64 << 10, "{} bytes", usage.bytes_total);
}
