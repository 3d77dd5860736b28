use rand::{Rng as _, SeedableRng as _, rngs::SmallRng};

use super::*;
use crate::{
    Algorithm, Backend, Digest, Engine, Event, Hasher, PartId,
    kernel::{LANES_MAX, faults},
    schedule::single,
    tree::{JLanes, MultiHash, Tree, Width},
};

/// Available kernels; only a few under Miri.
fn available() -> impl Iterator<Item = Kernel> {
    let all = Kernel::all().filter(|kernel| kernel.is_available());
    all.step_by(if cfg!(miri) { 9 } else { 1 })
}

/// A crossover of `kernels` that prefers the first.
fn crossover(kernels: &[Kernel]) -> Crossover {
    let backend = Backend::of(kernels).expect("available");
    Crossover::from_costs(
        backend,
        |kernel| {
            if kernel == kernels[0] { 1.0 } else { 1e6 }
        },
    )
}

/// The kernel that checks `kernel`.
fn checker(kernel: Kernel) -> Kernel {
    other(kernel, &[]).expect("there are two everywhere")
}

/// Algorithms that use kernels of the family: in lanes, and in tree modes.
fn algorithms(family: Family) -> Vec<Algorithm> {
    Algorithm::all()
        .filter(|algorithm| algorithm.kernels_of() == Some(family))
        .collect()
}

fn pattern(seed: usize, len: usize) -> Vec<u8> {
    let byte = |i: usize| (i * 7 + seed * 31 + (i >> 8)) % 251;
    let bytes = (0..len).map(byte);
    bytes
        .map(|byte| u8::try_from(byte).expect("below 251"))
        .collect()
}

fn digest(algorithm: Algorithm, bytes: &[u8]) -> Digest {
    let mut hasher = Hasher::new(algorithm);
    hasher.update(bytes);
    hasher.finalize()
}

/// Messages, and their digests by each algorithm.
struct Load {
    algorithms: Vec<Algorithm>,
    messages: Vec<Vec<u8>>,
    /// By message, in the order of the algorithms.
    digests: Vec<Vec<Digest>>,
}

impl Load {
    fn new(algorithms: Vec<Algorithm>, count: usize) -> Self {
        // Long ones are in lanes for several steps; short ones are staged.
        let messages: Vec<_> = (0..count)
            .map(|i| pattern(i, (i * 977 + 13) % if i % 7 == 0 { 90_000 } else { 6000 }))
            .collect();
        let of = |message: &Vec<u8>| algorithms.iter().map(|a| digest(*a, message)).collect();
        Self {
            digests: messages.iter().map(of).collect(),
            messages,
            algorithms,
        }
    }

    /// Hashes all messages in random chunks. Samples everything, and passes checks to `seen`.
    fn run<'a>(&'a self, engine: &mut Engine<&'a [u8]>, mut seen: impl FnMut(Check)) -> Vec<Event> {
        let mut random = SmallRng::seed_from_u64(5);
        let parts: Vec<PartId> = self
            .messages
            .iter()
            .map(|_| engine.open(&self.algorithms))
            .collect();
        let mut rests: Vec<&[u8]> = self.messages.iter().map(Vec::as_slice).collect();
        let mut events = Vec::new();
        let mut check = |engine: &mut Engine<&'a [u8]>| {
            if let Some(check) = engine.check_sample() {
                seen(check);
            }
        };
        while rests.iter().any(|rest| !rest.is_empty()) || engine.ready_jobs() > 0 {
            for (part, rest) in parts.iter().zip(&mut rests).filter(|(_, r)| !r.is_empty()) {
                let bytes = random.random_range(1..=20_000).min(rest.len());
                let (chunk, left) = rest.split_at(bytes);
                *rest = left;
                engine.take_sample();
                engine.push(*part, chunk);
                check(engine);
                if left.is_empty() {
                    engine.finish(*part);
                }
            }
            engine.take_sample();
            engine.step();
            check(engine);
        }
        for (part, message) in parts.iter().zip(&self.messages) {
            if message.is_empty() {
                engine.finish(*part);
            }
        }
        while engine.step().is_some() {}
        events.extend(engine.take_events());
        events
    }

    #[track_caller]
    fn assert_right(&self, events: &[Event]) {
        let mut digests = 0;
        for event in events {
            let Event::Digest {
                part,
                algorithm,
                digest,
            } = event
            else {
                continue;
            };
            // The parts are opened in the order of the messages, in an engine without other parts.
            let at = self.algorithms.iter().position(|a| a == algorithm);
            let expected = self.digests[part.index()][at.expect("asked for")];
            assert_eq!(*digest, expected, "{algorithm} of message {}", part.index());
            digests += 1;
        }
        assert_eq!(digests, self.messages.len() * self.algorithms.len());
    }
}

#[test]
fn no_kernel_raises_a_false_alarm() {
    for kernel in available() {
        let load = Load::new(algorithms(kernel.family()), if cfg!(miri) { 3 } else { 40 });
        let mut engine = Engine::new(crossover(&[kernel]));
        let (mut of_steps, mut of_trees) = (0, 0);
        let events = load.run(&mut engine, |check| {
            assert!(check.agrees, "{check:?}");
            assert_ne!(check.kernel, check.by);
            assert!((1..=SAMPLE_BYTES_MAX).contains(&check.bytes), "{check:?}");
            of_steps += usize::from(check.kernel == kernel);
            of_trees += usize::from(check.kernel != kernel);
        });
        load.assert_right(&events);
        assert!(of_steps > 0, "{kernel}");
        assert!(of_steps + of_trees > load.messages.len(), "{kernel}");
    }
}

#[test]
fn no_kernel_of_a_tree_raises_a_false_alarm_and_each_of_its_lanes_is_seen() {
    for kernel in available() {
        for width in Width::ALL {
            let trees = || {
                let multi_hash = MultiHash::with_kernel(width, kernel).map(Tree::MultiHash);
                let j_lanes = JLanes::with_kernel(width, kernel).map(Tree::JLanes);
                multi_hash.into_iter().chain(j_lanes)
            };
            let crossover = crossover(&[kernel]);
            let message = pattern(width.lanes(), 300_000);
            for (mut tree, mut plain) in trees().zip(trees()) {
                let mut sampler = Sampler::new();
                let mut samples = 0;
                for (i, chunk) in message.chunks(7001).enumerate() {
                    sampler.want();
                    tree.update_sampled(chunk, &mut sampler);
                    if let Some(check) = sampler.check(&crossover) {
                        assert!(check.agrees, "{width:?} {i} {check:?}");
                        assert_eq!(check.kernel, kernel);
                        samples += 1;
                    }
                }
                plain.update(&message);
                assert_eq!(tree.finalize(), plain.finalize(), "{kernel} {width:?}");
                assert!(samples > 40, "{kernel} {width:?}: {samples}");
            }
            for lane in 0..kernel.lanes() {
                let Some(mut tree) = trees().next() else {
                    continue;
                };
                faults::inject(kernel, lane);
                let mut sampler = Sampler::new();
                let mut chunks = message.chunks(7001).cycle().take(2000);
                let found = chunks.any(|chunk| {
                    sampler.want();
                    tree.update_sampled(chunk, &mut sampler);
                    sampler.check(&crossover).is_some_and(|check| !check.agrees)
                });
                faults::clear();
                assert!(found, "{kernel} {width:?} lane {lane}");
            }
        }
    }
}

#[test]
fn a_kernel_that_is_wrong_in_one_lane_is_found_and_done_without() {
    for kernel in available() {
        let by = checker(kernel);
        let in_lanes = algorithms(kernel.family()).into_iter();
        let in_lanes = in_lanes.filter(|algorithm| algorithm.family().is_some());
        let load = Load::new(
            in_lanes.collect(),
            if cfg!(miri) { 3 } else { 2 * LANES_MAX },
        );
        // Only short runs use the last of 64 lanes.
        for lane in [0, kernel.lanes() * 3 / 4] {
            if cfg!(miri) && lane > 2 {
                continue;
            }
            faults::inject(kernel, lane);
            let mut engine = Engine::new(crossover(&[kernel, by]));
            let (mut checks, mut wrong) = (0, 0);
            // A given lane of 64 is rarely sampled, and its kernel is not in every step.
            for _ in 0..200 {
                load.run(&mut engine, |check| {
                    checks += usize::from(check.kernel == kernel);
                    if !check.agrees {
                        assert_eq!((check.kernel, check.by), (kernel, by));
                        wrong += 1;
                    }
                });
                if wrong > 0 {
                    break;
                }
            }
            assert!(wrong > 0, "{kernel} lane {lane}: none in {checks}");
            assert!(
                kernel.lanes() == 1 || wrong < checks,
                "{kernel}: every lane"
            );

            let left = engine.crossover().without(kernel).expect("another kernel");
            assert_eq!(left.faulty(kernel.family()), [kernel]);
            assert_eq!(left.backend().kernels(kernel.family()), [by]);
            let family = (by.family(), by.name().to_owned());
            assert!((1..=LANES_MAX).all(|lanes| {
                let plan = left.describe(family.0, lanes);
                plan.split('+').all(|name| name == family.1)
            }));
            assert!(left.without(by).is_none(), "none would be left");
            // The engine goes on with correct digests, although the kernel is still wrong.
            let mut engine = Engine::new(engine.crossover().clone());
            engine.use_crossover(left);
            let events = load.run(&mut engine, |check| assert!(check.agrees, "{check:?}"));
            faults::clear();
            load.assert_right(&events);
        }
    }
}

#[test]
fn parts_that_run_go_on_without_the_kernel() {
    let wide = available().filter(|kernel| kernel.family() == Family::Sha256);
    let kernel = wide.max_by_key(|kernel| kernel.lanes()).expect("portable");
    let by = checker(kernel);
    let load = Load::new(vec![Algorithm::Sha256], 20);
    let mut engine = Engine::new(crossover(&[kernel, by]));
    let parts: Vec<PartId> = load
        .messages
        .iter()
        .map(|_| engine.open(&load.algorithms))
        .collect();
    let halves = load
        .messages
        .iter()
        .map(|message| message.split_at(message.len() / 2));
    for (part, (first, _)) in parts.iter().zip(halves.clone()) {
        engine.push(*part, first);
    }
    // Some parts are between two of their blocks.
    engine.take_sample();
    assert!(engine.step().is_some_and(|step| step.kernel == kernel));
    assert!(engine.check_sample().is_some_and(|check| check.agrees));
    faults::inject(kernel, 0);
    engine.use_crossover(engine.crossover().without(kernel).expect("another"));
    for (part, (_, second)) in parts.iter().zip(halves) {
        engine.push(*part, second);
        engine.finish(*part);
    }
    while engine.step().is_some() {}
    faults::clear();
    load.assert_right(&engine.take_events().collect::<Vec<_>>());
}

#[test]
fn tree_modes_go_on_without_the_kernel() {
    for family in Family::ALL {
        let trees: Vec<_> = algorithms(family)
            .into_iter()
            .filter(|a| a.family().is_none())
            .collect();
        let load = Load::new(trees, if cfg!(miri) { 2 } else { 9 });
        let fastest = MultiHash::new(family, Width::X16).kernel();
        for kernel in [fastest, single(family)] {
            let mut engine = Engine::new(crossover(&[checker(kernel), kernel]));
            let parts: Vec<PartId> = load
                .messages
                .iter()
                .map(|_| engine.open(&load.algorithms))
                .collect();
            let halves = load
                .messages
                .iter()
                .map(|message| message.split_at(message.len() / 2));
            for (part, (first, _)) in parts.iter().zip(halves.clone()) {
                engine.push(*part, first);
            }
            faults::inject(kernel, 0);
            engine.use_crossover(engine.crossover().without(kernel).expect("another"));
            for (part, (_, second)) in parts.iter().zip(halves) {
                engine.push(*part, second);
                engine.finish(*part);
            }
            load.assert_right(&engine.take_events().collect::<Vec<_>>());
            // Parts that begin now are correct too.
            let mut engine = Engine::new(engine.crossover().clone());
            let events = load.run(&mut engine, |check| assert!(check.agrees, "{check:?}"));
            faults::clear();
            load.assert_right(&events);
        }
    }
}

#[test]
fn a_kernel_that_is_wrong_from_the_start_does_not_serve() {
    for kernel in available() {
        for lane in 0..kernel.lanes() {
            faults::inject(kernel, lane);
            let crossover = Crossover::new(Backend::of(&[kernel, checker(kernel)]).unwrap());
            let is_oracle = kernel == Kernel::portable(kernel.family());
            // The portable kernel is the reference for the others.
            let expected = if is_oracle {
                vec![checker(kernel)]
            } else {
                vec![kernel]
            };
            assert_eq!(crossover.faulty(kernel.family()), expected, "lane {lane}");
            faults::clear();
        }
    }
}

#[test]
fn plain_rust_checks_all_others_and_what_is_left_checks_it() {
    for family in Family::ALL {
        let portable = Kernel::portable(family);
        for kernel in Kernel::of(family).filter(|kernel| *kernel != portable) {
            assert_eq!(other(kernel, &[]), Some(portable));
        }
        let second = other(portable, &[]).expect("the crate's");
        assert_ne!(second, portable);
        assert_eq!(
            other(second, &[portable]).is_some(),
            Kernel::of(family)
                .any(|kernel| { kernel.is_available() && kernel != portable && kernel != second })
        );
        let all: Vec<Kernel> = Kernel::of(family).collect();
        assert_eq!(other(portable, &all), None);
    }
}

#[test]
fn every_lane_is_chosen_as_often() {
    let mut sampler = Sampler::new();
    for lanes in [1, 2, 3, 16, 33, LANES_MAX] {
        let mut chosen = vec![0; lanes];
        for _ in 0..lanes * 1000 {
            chosen[sampler.choose(lanes)] += 1;
        }
        assert!(chosen.iter().all(|n| (850..1150).contains(n)), "{chosen:?}");
    }
}
