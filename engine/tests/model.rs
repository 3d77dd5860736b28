//! The scheduler against plain models of what it promises: order within a flow, shares between
//! groups as textbook deficit round-robin has them, time shared between compressions, and no part
//! left waiting.

#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // some megabytes
#![allow(clippy::cast_sign_loss)] // of no negative ones

mod common;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use common::{oracle, pattern};
use hashlane_engine::{Algorithm, Backend, Crossover, Digest, Engine, Event, GroupId, PartId};
use proptest::prelude::*;

/// Blocks of a turn.
const TURN_BLOCKS: usize = 256;
/// The most parts that a step takes.
const LANES_MAX: usize = Crossover::LANES;
/// Lanes of a usual step.
const LANES: usize = 32;

/// Costs that are the same for every lane of every kernel, so that no machine differs: a step
/// of 32 lanes may have `step_blocks` blocks per lane of SHA-256. MD5 costs four times as much,
/// SHA-512 twice.
fn crossover(step_blocks: f64) -> Crossover {
    let lane_ns = 100_000.0 / step_blocks / LANES as f64;
    Crossover::from_costs(Backend::detect(), |kernel| {
        kernel.lanes() as f64 * lane_ns * f64::from(cost(kernel.family().name()))
    })
}

/// What a block costs, in SHA-256's.
fn cost(family: &str) -> u32 {
    match family {
        "md5" => 4,
        "sha512" => 2,
        _ => 1,
    }
}

fn block_bytes(algorithm: Algorithm) -> usize {
    if algorithm == Algorithm::Sha512 {
        128
    } else {
        64
    }
}

/// Parts without an end: what a party has at work, kept topped up.
#[derive(Clone, Copy, Debug)]
struct Load {
    algorithm: Algorithm,
    parts: usize,
    /// Blocks that are pushed at a time.
    chunk_blocks: usize,
}

impl Load {
    const fn new(algorithm: Algorithm, parts: usize, chunk_blocks: usize) -> Self {
        Self {
            algorithm,
            parts,
            chunk_blocks,
        }
    }
}

struct Part {
    group: usize,
    load: Load,
    waiting: usize,
}

/// Groups that share an engine.
struct Shared {
    engine: Engine<&'static [u8]>,
    data: &'static [u8],
    groups: Vec<GroupId>,
    parts: HashMap<PartId, Part>,
    /// Time by group, in blocks of SHA-256.
    used: Vec<f64>,
}

impl Shared {
    fn new(crossover: Crossover, groups: usize) -> Self {
        let mut engine = Engine::new(crossover);
        Self {
            groups: (0..groups).map(|_| engine.group()).collect(),
            engine,
            data: pattern(0, 1 << 17).leak(),
            parts: HashMap::new(),
            used: vec![0.0; groups],
        }
    }

    fn begin(&mut self, group: usize, load: Load) {
        for _ in 0..load.parts {
            let part = self.engine.open_in(self.groups[group], &[load.algorithm]);
            self.parts.insert(
                part,
                Part {
                    group,
                    load,
                    waiting: 0,
                },
            );
            self.push(part);
        }
    }

    /// Two chunks wait at least, so that a part that was hashed is still ready.
    fn push(&mut self, id: PartId) {
        let part = self.parts.get_mut(&id).expect("open");
        let bytes = part.load.chunk_blocks * block_bytes(part.load.algorithm);
        while part.waiting < 2 * bytes {
            self.engine.push(id, &self.data[..bytes]);
            part.waiting += bytes;
        }
    }

    /// Steps once; returns the parts that were hashed, each with its blocks.
    fn step(&mut self) -> BTreeMap<usize, (PartId, usize)> {
        assert!(self.engine.step().is_some(), "parts are ready");
        let events: Vec<Event> = self.engine.take_events().collect();
        let mut served = BTreeMap::new();
        for event in events {
            let Event::Consumed { part: id, bytes } = event else {
                panic!("parts have no end");
            };
            let Some(part) = self.parts.get_mut(&id) else {
                continue;
            };
            part.waiting -= bytes;
            let blocks = bytes / block_bytes(part.load.algorithm);
            let family = part.load.algorithm.family().expect("lanes");
            self.used[part.group] += blocks as f64 * f64::from(cost(family.name()));
            served.insert(id.index(), (id, blocks));
            self.push(id);
        }
        served
    }

    /// Ends everything that a group does.
    fn cancel(&mut self, group: usize) {
        let ids: Vec<PartId> = self.parts.keys().copied().collect();
        for id in ids {
            if self.parts[&id].group == group {
                self.parts.remove(&id);
                assert!(self.engine.cancel(id));
            }
        }
    }

    /// Steps until `time` has passed; returns the time of each group.
    fn run(&mut self, time: f64) -> Vec<f64> {
        let before = self.used.clone();
        let end = before.iter().sum::<f64>() + time;
        while self.used.iter().sum::<f64>() < end {
            self.step();
        }
        let pairs = self.used.iter().zip(before);
        pairs.map(|(now, before)| now - before).collect()
    }
}

/// Checks that all have the same, except for a fraction and the error of a step.
#[track_caller]
fn assert_even(used: &[f64], of: f64) {
    let least = used.iter().copied().fold(f64::INFINITY, f64::min);
    let most = used.iter().copied().fold(0.0, f64::max);
    let slack = (LANES * 2 * TURN_BLOCKS) as f64 * of;
    assert!(most <= least * 1.05 + slack, "{used:?}");
}

/// A flow's parts, the longest ready first; those of a step come back together.
#[derive(Debug, Default)]
struct Flow {
    queue: VecDeque<HashSet<PartId>>,
}

impl Flow {
    fn push(&mut self, parts: HashSet<PartId>) {
        if !parts.is_empty() {
            self.queue.push_back(parts);
        }
    }

    /// A step took these parts; no part that was ready before them was skipped.
    fn take(&mut self, served: &HashSet<PartId>) {
        let mut left = served.len();
        while left > 0 {
            let front = self.queue.front_mut().expect("only ready parts are served");
            let before = front.len();
            front.retain(|part| !served.contains(part));
            let taken = before - front.len();
            assert!(taken > 0, "a part was passed over: {front:?}");
            left -= taken;
            if front.is_empty() {
                self.queue.pop_front();
            } else {
                assert_eq!(left, 0, "a part was passed over: {front:?}");
            }
        }
    }
}

/// Textbook deficit round-robin, one job at a time: each group's share of `total` blocks. A job is
/// a run of `runs[group]` blocks.
fn textbook(runs: &[usize], total: usize) -> Vec<usize> {
    let mut had = vec![0; runs.len()];
    let mut deficits = vec![0_usize; runs.len()];
    let mut all = 0;
    for group in (0..runs.len()).cycle() {
        deficits[group] += TURN_BLOCKS;
        while deficits[group] >= runs[group] {
            deficits[group] -= runs[group];
            had[group] += runs[group];
            all += runs[group];
            if all >= total {
                return had;
            }
        }
    }
    unreachable!("a cycle has no end")
}

fn load() -> impl Strategy<Value = (usize, usize)> {
    // Parts, of which a step cannot take all; blocks of a chunk.
    (
        LANES_MAX + 1..3 * LANES_MAX,
        prop_oneof![1_usize..8, 8_usize..64, 64_usize..400],
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// The part that is ready first is hashed first, and none waits for ever.
    #[test]
    fn a_flow_is_first_in_first_out(
        loads in prop::collection::vec((1_usize..80, 1_usize..300), 1..8),
        step_blocks in prop::sample::select(vec![20.0, 150.0, 400.0]),
    ) {
        let mut shared = Shared::new(crossover(step_blocks), loads.len());
        for (group, (parts, chunk_blocks)) in loads.iter().enumerate() {
            shared.begin(group, Load::new(Algorithm::Sha256, *parts, *chunk_blocks));
        }
        let mut flows: Vec<Flow> = Vec::new();
        flows.resize_with(loads.len(), Flow::default);
        for (id, part) in &shared.parts {
            // Their order is unknown: they were all ready at the start.
            match flows[part.group].queue.back_mut() {
                Some(first) => { first.insert(*id); }
                None => flows[part.group].push(HashSet::from([*id])),
            }
        }
        let mut waits: HashMap<PartId, usize> = HashMap::new();
        // Rounds until a flow has hashed all its parts once, and the lanes that a round takes;
        // a run may be cut short by the step, or be two chunks.
        let run = |chunk_blocks: usize| (chunk_blocks as f64).min(step_blocks);
        let turn = TURN_BLOCKS as f64;
        let rounds = |&(parts, chunk): &(usize, usize)| parts as f64 * run(2 * chunk) / turn;
        let rounds = loads.iter().map(rounds).fold(0.0, f64::max) + 2.0;
        let lanes = loads.iter().map(|(_, chunk)| turn / run(*chunk) + 1.0).sum::<f64>();
        let bound = rounds * lanes.max(LANES as f64) / LANES as f64 + 4.0;
        for _ in 0..150 {
            let mut served: Vec<HashSet<PartId>> = vec![HashSet::new(); loads.len()];
            for (id, _) in shared.step().into_values() {
                served[shared.parts[&id].group].insert(id);
                waits.insert(id, 0);
            }
            for (flow, served) in flows.iter_mut().zip(served) {
                flow.take(&served);
                flow.push(served);
            }
            for part in shared.parts.keys() {
                let wait = waits.entry(*part).or_default();
                *wait += 1;
                prop_assert!(*wait as f64 <= bound, "{} steps, at most {}", wait, bound);
            }
        }
    }

    /// Groups that always have more than a step takes have what textbook deficit round-robin
    /// would give them, but for a turn and a step.
    #[test]
    fn shares_are_those_of_the_textbook(
        loads in prop::collection::vec(load(), 2..6),
        step_blocks in prop::sample::select(vec![150.0, 400.0]),
    ) {
        let mut shared = Shared::new(crossover(step_blocks), loads.len());
        for (group, (parts, chunk_blocks)) in loads.iter().enumerate() {
            shared.begin(group, Load::new(Algorithm::Sha256, *parts, *chunk_blocks));
        }
        let runs: Vec<usize> = loads.iter().map(|load| load.1.min(TURN_BLOCKS)).collect();
        // The error of a step: a run for each lane, and a turn.
        let slack = (LANES * TURN_BLOCKS.max(400) + 2 * TURN_BLOCKS) as f64;
        for _ in 0..6 {
            shared.run(40_000.0);
            let total = shared.used.iter().sum::<f64>();
            let expected = textbook(&runs, total as usize);
            for (used, expected) in shared.used.iter().zip(expected) {
                let off = (used - expected as f64).abs();
                prop_assert!(
                    off <= slack + expected as f64 / 50.0,
                    "{:?}: {:?} for {:?}",
                    shared.used,
                    textbook(&runs, total as usize),
                    loads
                );
            }
        }
    }
}

const SHA256: Algorithm = Algorithm::Sha256;
const MD5: Algorithm = Algorithm::Md5;

/// Whatever each costs, and also if one group is in both.
#[test]
fn compressions_share_time_by_group() {
    let sha256 = Load::new(SHA256, 100, 64);
    let md5 = Load::new(MD5, 100, 64);
    let sha512 = Load::new(Algorithm::Sha512, 100, 64);
    let cases: [&[&[Load]]; 6] = [
        &[&[sha256], &[md5]],
        &[&[sha256], &[sha256], &[md5]],
        &[&[md5], &[sha512], &[md5], &[sha256]],
        &[&[sha256, md5], &[sha256]],
        &[&[sha256, md5, sha512], &[md5], &[sha256], &[sha256]],
        &[&[md5, sha512], &[md5], &[sha512]],
    ];
    for loads in cases {
        for step_blocks in [150.0, 400.0] {
            let mut shared = Shared::new(crossover(step_blocks), loads.len());
            for (group, loads) in loads.iter().enumerate() {
                for load in *loads {
                    shared.begin(group, *load);
                }
            }
            shared.run(100_000.0);
            // Neither soon nor later has one more.
            for _ in 0..2 {
                let used = shared.run(800_000.0);
                assert_even(&used, 4.0);
            }
        }
    }
}

/// Time used while alone is no debt, and time not used is no credit, whichever group was idle in
/// between.
#[test]
fn a_compression_that_was_idle_has_its_share_at_once() {
    let (sha256, md5) = (Load::new(SHA256, 100, 64), Load::new(MD5, 100, 64));
    let mut shared = Shared::new(crossover(400.0), 2);
    for _ in 0..2 {
        // One group alone for long; then none; then the other, and the first again.
        shared.begin(0, sha256);
        shared.run(1_000_000.0);
        shared.cancel(0);
        shared.begin(1, md5);
        shared.run(100_000.0);
        shared.begin(0, sha256);
        assert_even(&shared.run(500_000.0), 4.0);
        shared.cancel(1);
        shared.cancel(0);
        shared.begin(1, md5);
        shared.run(1_000_000.0);
        shared.begin(0, sha256);
        assert_even(&shared.run(500_000.0), 4.0);
        shared.cancel(0);
        shared.cancel(1);
        assert_eq!(
            (shared.engine.ready_jobs(), shared.engine.waiting_bytes()),
            (0, 0)
        );
    }
}

/// A digest that a group asked for once does not lessen its share of another for ever.
#[test]
fn a_group_is_in_no_ring_that_it_has_nothing_in() {
    let mut shared = Shared::new(crossover(400.0), 2);
    for how in ["cancelled", "ended"] {
        let once = shared.engine.open_in(shared.groups[0], &[MD5]);
        shared.engine.push(once, shared.data);
        if how == "ended" {
            shared.engine.finish(once);
            while shared.engine.step().is_some() {}
            shared.engine.take_events();
        } else {
            shared.engine.cancel(once);
        }
        shared.begin(0, Load::new(SHA256, 100, 64));
        shared.begin(1, Load::new(SHA256, 100, 64));
        assert_even(&shared.run(1_000_000.0), 1.0);
        shared.cancel(0);
        shared.cancel(1);
    }
}

/// A client that opens a group for every request gets no more than the share of its open groups,
/// and is served too.
#[test]
fn a_new_group_per_request_starves_nobody() {
    const REQUEST_BYTES: usize = 40_000;
    const STEPS: usize = 300;
    for (at_a_time, parts) in [(1, 100), (7, 100), (40, 100), (40, 1)] {
        let mut shared = Shared::new(crossover(400.0), 1);
        shared.begin(0, Load::new(SHA256, parts, 128));
        let digest = oracle(SHA256, &shared.data[..REQUEST_BYTES]);
        let mut requests: HashMap<PartId, usize> = HashMap::new();
        let (mut strangers, mut answered, mut longest) = (0.0, 0, 0);
        let before = shared.used[0];
        for step in 0..STEPS {
            while requests.len() < at_a_time {
                let group = shared.engine.group();
                let part = shared.engine.open_in(group, &[SHA256]);
                shared.engine.push(part, &shared.data[..REQUEST_BYTES]);
                shared.engine.finish(part);
                shared.engine.close_group(group);
                requests.insert(part, step);
            }
            shared.engine.step();
            let events: Vec<Event> = shared.engine.take_events().collect();
            for event in events {
                match event {
                    Event::Consumed { part, bytes } => {
                        let blocks = (bytes / 64) as f64;
                        if let Some(own) = shared.parts.get_mut(&part) {
                            own.waiting -= bytes;
                            shared.used[0] += blocks;
                            shared.push(part);
                        } else {
                            strangers += blocks;
                        }
                    }
                    Event::Digest { digest: got, .. } => assert_eq!(got, digest),
                    Event::Finished { part } => {
                        let begun = requests.remove(&part).expect("asked for");
                        longest = longest.max(step - begun);
                        answered += 1;
                    }
                }
            }
        }
        let established = shared.used[0] - before;
        // One part has one lane, of all those that a step has.
        if parts > 1 {
            let share = strangers / at_a_time as f64;
            assert!(
                established >= share * 0.9,
                "{at_a_time}: {established} beside {share} each"
            );
        } else {
            assert!(established >= STEPS as f64 * 128.0 / 4.0, "{established}");
        }
        assert!(answered > 10 && longest <= 60, "{answered} in {longest}");
    }
}

/// All algorithms of one part in one pass, with others of each by itself.
#[test]
fn all_digests_of_many_parts_at_once() {
    let all: Vec<Algorithm> = Algorithm::all().collect();
    let data = pattern(0, 100_000);
    let mut engine: Engine<&[u8]> = Engine::new(crossover(150.0));
    let mut expected: HashMap<(PartId, Algorithm), Digest> = HashMap::new();
    let mut consumed: HashMap<PartId, usize> = HashMap::new();
    for i in 0..40_usize {
        let len = i * i * 53 % 90_000;
        let algorithms = if i % 2 == 0 {
            all.clone()
        } else {
            vec![all[i / 2 % all.len()]]
        };
        let part = engine.open(&algorithms);
        for chunk in data[..len].chunks(1 + i * 977 % 9000) {
            engine.push(part, chunk);
        }
        engine.finish(part);
        for algorithm in algorithms {
            expected.insert((part, algorithm), oracle(algorithm, &data[..len]));
        }
        consumed.insert(part, len);
    }
    loop {
        let stepped = engine.step().is_some();
        for event in engine.take_events() {
            match event {
                Event::Consumed { part, bytes } => {
                    let left = consumed.get_mut(&part).expect("open");
                    *left = left.checked_sub(bytes).expect("once");
                }
                Event::Digest {
                    part,
                    algorithm,
                    digest,
                } => assert_eq!(expected.remove(&(part, algorithm)), Some(digest)),
                Event::Finished { part } => {
                    assert_eq!(consumed.remove(&part), Some(0));
                    assert!(expected.keys().all(|key| key.0 != part), "all are told");
                }
            }
        }
        if !stepped {
            break;
        }
    }
    assert!(expected.is_empty() && consumed.is_empty());
}
