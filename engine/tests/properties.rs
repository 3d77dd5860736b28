//! Any split, any interleaving, any cancel: the digest is sha2's, on every kernel.

mod common;

use std::{collections::HashMap, sync::LazyLock};

use common::{crossovers, finished, pattern, sha2_of};
use digest::Digest as _;
use hashlane_engine::{
    Backend, Batch, Crossover, Digest, Engine, Event, GroupId, JobId, Kernel, Sha256,
};
use proptest::prelude::*;

static CROSSOVERS: LazyLock<Vec<(String, Crossover)>> = LazyLock::new(crossovers);

/// What a driver does next; numbers are reduced to what is possible.
#[derive(Clone, Debug)]
enum Action {
    Open,
    /// In a group, if there is one.
    OpenIn {
        group: usize,
    },
    Group,
    CloseGroup {
        group: usize,
    },
    Push {
        job: usize,
        len: usize,
    },
    Finish {
        job: usize,
    },
    Cancel {
        job: usize,
    },
    Step {
        count: usize,
    },
}

fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        6 => 0_usize..200,
        4 => 200_usize..5000,
        2 => 5000_usize..40_000,
        2 => (0_usize..20, 0_usize..3).prop_map(|(n, d)| (n * 64 + d).saturating_sub(1)),
        1 => (1_usize..8, 0_usize..3).prop_map(|(n, d)| n * 4096 + d - 1),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        2 => Just(Action::Open),
        4 => any::<usize>().prop_map(|group| Action::OpenIn { group }),
        1 => Just(Action::Group),
        1 => any::<usize>().prop_map(|group| Action::CloseGroup { group }),
        20 => (any::<usize>(), length()).prop_map(|(job, len)| Action::Push { job, len }),
        4 => any::<usize>().prop_map(|job| Action::Finish { job }),
        2 => any::<usize>().prop_map(|job| Action::Cancel { job }),
        4 => (1_usize..6).prop_map(|count| Action::Step { count }),
    ]
}

/// Runs the actions and compares every digest; at most 100 jobs at a time.
fn drive(name: &str, crossover: &Crossover, actions: &[Action]) {
    let mut engine: Engine<Vec<u8>> = Engine::new(crossover.clone());
    let mut groups: Vec<GroupId> = Vec::new();
    let mut open: Vec<JobId> = Vec::new();
    let mut ending: Vec<JobId> = Vec::new();
    let mut messages: HashMap<JobId, Vec<u8>> = HashMap::new();
    let mut waiting: HashMap<JobId, usize> = HashMap::new();
    let check = |engine: &mut Engine<Vec<u8>>,
                 ending: &mut Vec<JobId>,
                 messages: &mut HashMap<JobId, Vec<u8>>,
                 waiting: &mut HashMap<JobId, usize>| {
        let events: Vec<Event> = engine.take_events().collect();
        for event in events {
            match event {
                Event::Consumed { job, bytes } => {
                    if let Some(left) = waiting.get_mut(&job) {
                        *left = left.checked_sub(bytes).expect("consumed once");
                    }
                }
                Event::Finished { job, digest } => {
                    let place = ending.iter().position(|id| *id == job);
                    ending.swap_remove(place.expect("only finishing jobs end"));
                    let message = messages.remove(&job).expect("ends once");
                    assert_eq!(waiting.remove(&job), Some(0), "{name}: all consumed");
                    assert_eq!(digest, sha2_of(&message), "{name}: {} bytes", message.len());
                }
            }
        }
    };
    for action in actions {
        match *action {
            Action::Group => groups.push(engine.group()),
            Action::CloseGroup { group } if !groups.is_empty() => {
                let group = groups.swap_remove(group % groups.len());
                engine.close_group(group);
            }
            Action::Open | Action::OpenIn { .. } if open.len() + ending.len() < 100 => {
                let job = match *action {
                    Action::OpenIn { group } if !groups.is_empty() => {
                        engine.open_in(groups[group % groups.len()])
                    }
                    _ => engine.open(),
                };
                open.push(job);
                messages.insert(job, Vec::new());
                waiting.insert(job, 0);
            }
            Action::Push { job, len } if !open.is_empty() => {
                let job = open[job % open.len()];
                let message = messages.get_mut(&job).expect("open");
                let chunk = pattern(message.len() + job.index() * 7, len);
                message.extend_from_slice(&chunk);
                *waiting.get_mut(&job).expect("open") += len;
                engine.push(job, chunk);
            }
            Action::Finish { job } if !open.is_empty() => {
                let job = open.swap_remove(job % open.len());
                engine.finish(job);
                ending.push(job);
            }
            Action::Cancel { job } if !(open.is_empty() && ending.is_empty()) => {
                check(&mut engine, &mut ending, &mut messages, &mut waiting);
                let all = open.len() + ending.len();
                if all == 0 {
                    continue;
                }
                let place = job % all;
                let job = if place < open.len() {
                    open.swap_remove(place)
                } else {
                    ending.swap_remove(place - open.len())
                };
                engine.cancel(job);
                messages.remove(&job);
                waiting.remove(&job);
            }
            Action::Step { count } => {
                for _ in 0..count {
                    engine.step();
                    check(&mut engine, &mut ending, &mut messages, &mut waiting);
                }
            }
            _ => {}
        }
    }
    for job in open.drain(..) {
        engine.finish(job);
        ending.push(job);
    }
    while engine.step().is_some() {
        check(&mut engine, &mut ending, &mut messages, &mut waiting);
    }
    check(&mut engine, &mut ending, &mut messages, &mut waiting);
    assert!(ending.is_empty(), "{name}: every finishing job ended");
    assert_eq!(engine.open_jobs(), 0, "{name}");
    assert_eq!(engine.ready_jobs(), 0, "{name}");
    assert_eq!(engine.waiting_bytes(), 0, "{name}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn interleaved_jobs_with_cancels(actions in prop::collection::vec(action(), 1..300)) {
        for (name, crossover) in CROSSOVERS.iter() {
            drive(name, crossover, &actions);
        }
    }

    #[test]
    fn any_split_of_the_single_stream(lengths in prop::collection::vec(length(), 0..12)) {
        let message = pattern(3, lengths.iter().sum());
        for kernel in Kernel::ALL {
            let Some(mut hasher) = Sha256::with_kernel(kernel) else { continue };
            let mut rest = message.as_slice();
            for len in &lengths {
                let (chunk, after) = rest.split_at(*len);
                hasher.update(chunk);
                rest = after;
            }
            let digest: Digest = hasher.finalize_reset().into();
            prop_assert_eq!(digest, sha2_of(&message), "{}", kernel);
            hasher.update(b"again");
            let digest: Digest = hasher.finalize().into();
            prop_assert_eq!(digest, sha2_of(b"again"), "{} after a reset", kernel);
        }
    }

    #[test]
    fn batches_of_any_lengths(lengths in prop::collection::vec(length(), 0..120)) {
        let whole = pattern(0, 41_000);
        let messages: Vec<&[u8]> = lengths
            .iter()
            .enumerate()
            .map(|(i, len)| &whole[i..i + len])
            .collect();
        for (name, crossover) in CROSSOVERS.iter() {
            let digests = Batch::new(crossover.clone()).hash(&messages);
            for (digest, message) in digests.iter().zip(&messages) {
                prop_assert_eq!(digest, &sha2_of(message), "{}: {} bytes", name, message.len());
            }
        }
    }
}

/// Every length around every block and staging edge, in every lane: 32 jobs of
/// one length, each with bytes of its own, so that lane `l` is compared with
/// what only lane `l` was given.
#[test]
fn lengths_0_to_1100_in_every_lane() {
    let whole = pattern(0, 2000);
    let lanes = Engine::<&[u8]>::LANES;
    let expected: Vec<Vec<Digest>> = (0..=1100)
        .map(|len| (0..lanes).map(|l| sha2_of(&whole[l..l + len])).collect())
        .collect();
    for (name, crossover) in CROSSOVERS.iter() {
        let mut engine: Engine<&[u8]> = Engine::new(crossover.clone());
        for (len, expected) in expected.iter().enumerate() {
            let jobs: Vec<JobId> = (0..lanes).map(|_| engine.open()).collect();
            for (lane, job) in jobs.iter().enumerate() {
                engine.push(*job, &whole[lane..lane + len]);
                engine.finish(*job);
            }
            let digests: HashMap<JobId, Digest> = common::run(&mut engine).into_iter().collect();
            for (lane, job) in jobs.iter().enumerate() {
                assert_eq!(
                    digests[job], expected[lane],
                    "{name}: {len} bytes, lane {lane}"
                );
            }
        }
    }
}

/// A short job that arrives while long ones hold all lanes is answered before
/// any of them: nobody waits for a 5 GiB part.
#[test]
fn a_short_job_does_not_wait_for_long_ones() {
    let long = pattern(0, 4 << 20);
    // Given costs, so that the length of a step does not depend on this machine.
    let backend = Backend::detect();
    let costs = vec![10.0; backend.kernels().len()];
    let mut engine: Engine<&[u8]> = Engine::new(Crossover::from_costs(backend, costs));
    for _ in 0..Engine::<&[u8]>::LANES {
        let job = engine.open();
        engine.push(job, &long);
        engine.finish(job);
    }
    engine.step();
    let short = engine.open();
    engine.push(short, &long[..4096]);
    engine.finish(short);
    let mut steps = 0;
    let first = loop {
        assert!(engine.step().is_some(), "jobs are ready");
        steps += 1;
        if let Some((job, digest)) = finished(&mut engine).first().copied() {
            break (job, digest);
        }
    };
    assert_eq!(first, (short, sha2_of(&long[..4096])));
    assert!(
        steps <= 6,
        "one step to get a lane, then its own blocks: {steps}"
    );
}

/// Messages that a step leaves no lane for take turns with the others, so that all
/// end together.
#[test]
fn messages_that_are_left_out_take_turns() {
    const BLOCKS: usize = 256;
    let mut kernels = Kernel::ALL.into_iter();
    let four = kernels.find(|kernel| kernel.is_available() && kernel.lanes() == 4);
    let Some(four) = four else {
        return; // Every plan takes all.
    };
    // A step costs the same with one lane and with four.
    let backend = Backend::of(&[Kernel::Portable, four]).unwrap();
    let crossover = Crossover::from_costs(backend, vec![100.0; 2]);
    let like = |count: usize| (0..count).map(|i| 64 * BLOCKS - 9 - i % 2).collect();
    let with_a_long_one = |count| (0..count).map(|i| 64 * BLOCKS * if i == 2 { 9 } else { 1 });
    let mut cases: Vec<Vec<usize>> = (4..=11).map(like).collect();
    cases.extend([4, 5, 7, 8, 11, 32, 40].map(|count| with_a_long_one(count).collect()));
    cases.extend((4..=11).map(|count| (0..count).map(|i| 64 * BLOCKS * (1 + i % 3)).collect()));
    for lengths in cases {
        let data = vec![7; 64 * BLOCKS * 9];
        let messages: Vec<&[u8]> = lengths.iter().map(|len| &data[..*len]).collect();
        let mut batch = Batch::new(crossover.clone());
        let digests = batch.hash(&messages);
        for (digest, message) in digests.iter().zip(&messages) {
            assert_eq!(digest[..], sha2::Sha256::digest(message)[..]);
        }
        let kernels = batch.occupancy().by_kernel();
        let blocks = kernels.map(|(kernel, counts)| {
            (counts.active_lane_blocks + counts.idle_lane_blocks) / kernel.lanes() as u64
        });
        // One after the other the last ones would take as long as four.
        let even = lengths.iter().sum::<usize>() / 64 / 4;
        let best = even.max(lengths.iter().max().unwrap() / 64) as u64;
        let blocks = blocks.sum::<u64>();
        assert!(
            blocks <= best + best / 16 + 8,
            "{lengths:?}: {blocks} for {best}"
        );
    }
}

/// Jobs that have nothing left but their padding take turns in the lanes with
/// jobs that have more data than one turn, and with others that wait.
#[test]
fn more_jobs_than_lanes_in_every_state() {
    let data = pattern(0, 60_000);
    for (name, crossover) in CROSSOVERS.iter() {
        for whole_blocks in [true, false] {
            let mut engine: Engine<&[u8]> = Engine::new(crossover.clone());
            let mut expected = HashMap::new();
            for i in 0..150 {
                let len = if whole_blocks { i % 7 * 8192 } else { i * 397 };
                let job = engine.open();
                engine.push(job, &data[..len]);
                engine.finish(job);
                expected.insert(job, sha2_of(&data[..len]));
            }
            for (job, digest) in common::run(&mut engine) {
                assert_eq!(expected.remove(&job), Some(digest), "{name}");
            }
            assert!(expected.is_empty(), "{name}: every job ended");
        }
    }
}

#[test]
fn cancelled_jobs_cost_nothing_more() {
    let (_, crossover) = CROSSOVERS.last().expect("all kernels");
    let mut engine: Engine<Vec<u8>> = Engine::new(crossover.clone());
    let jobs: Vec<JobId> = (0..64).map(|_| engine.open()).collect();
    for job in &jobs {
        engine.push(*job, pattern(job.index(), 100_000));
    }
    engine.step();
    for job in jobs {
        engine.cancel(job);
    }
    let finished = finished(&mut engine);
    assert!(finished.is_empty());
    assert_eq!(
        (
            engine.open_jobs(),
            engine.ready_jobs(),
            engine.waiting_bytes()
        ),
        (0, 0, 0)
    );
    assert!(engine.step().is_none());
}

#[test]
#[should_panic(expected = "the job is finished or cancelled")]
fn a_stale_id_is_refused_even_if_its_slot_is_used_again() {
    let (_, crossover) = CROSSOVERS.last().expect("all kernels");
    let mut engine: Engine<Vec<u8>> = Engine::new(crossover.clone());
    let stale = engine.open();
    engine.cancel(stale);
    let fresh = engine.open();
    assert_eq!(stale.index(), fresh.index(), "the slot is used again");
    engine.push(stale, vec![1]);
}
