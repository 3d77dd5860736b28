//! Lanes are shared between groups, however many parts each has and however long
//! these are.

#![allow(clippy::cast_precision_loss)] // some megabytes

mod common;

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use common::{available, digests, oracle, pattern};
use hashlane_engine::{
    Algorithm, Backend, Crossover, Digest, Engine, Event, Family, GroupId, Kernel, PartId,
};

/// Lanes of a usual step.
const LANES: usize = 32;

const SHA256: Algorithm = Algorithm::Sha256;

/// What a part may hash in its lane while others wait.
const TURN_BYTES: usize = 16 << 10;

/// No chunk here is longer: bytes are reported as consumed at a chunk's end.
const CHUNK_BYTES_MAX: usize = 16 << 10;

/// What groups may differ by at any time: a turn and a chunk per lane.
const SLACK_BYTES: usize = LANES * (TURN_BYTES + CHUNK_BYTES_MAX);

/// A message longer than any test.
const ENDLESS: usize = usize::MAX;

static POOL: LazyLock<Vec<u8>> = LazyLock::new(|| pattern(0, 64 << 10));
static CROSSOVERS: LazyLock<Vec<(String, Crossover)>> = LazyLock::new(crossovers);

/// For each number of lanes one kernel of this machine alone, and all together. The costs are
/// given, so that no step's length depends on this machine: with all lanes, much less than a turn,
/// or more than one. So kernels with as many lanes have the same steps, and the first of the table
/// will do: the last ones are fast on some CPUs and a hundred times slower on others.
fn crossovers() -> Vec<(String, Crossover)> {
    let all = Backend::detect();
    let kernels = available(Family::Sha256).into_iter();
    // Of those with one lane the portable one is slow too.
    let kernels = kernels.filter(|kernel| kernel.name() != "portable");
    let of_lanes: BTreeMap<usize, Kernel> = kernels
        .rev()
        .map(|kernel| (kernel.lanes(), kernel))
        .collect();
    let single = of_lanes
        .values()
        .filter_map(|kernel| Backend::of(&[*kernel]));
    let backends: Vec<Backend> = single.chain([all]).collect();
    let crossover = |backend: &Backend, step_blocks: f64| {
        let lane_ns = 100_000.0 / step_blocks / LANES as f64;
        let cost = |kernel: Kernel| kernel.lanes() as f64 * lane_ns;
        let crossover = Crossover::from_costs(backend.clone(), cost);
        let kernel = crossover.describe(Family::Sha256, LANES);
        (format!("{kernel}, {step_blocks} blocks"), crossover)
    };
    let pairs = backends
        .iter()
        .flat_map(|backend| [20.0, 400.0].map(|b| crossover(backend, b)));
    pairs.collect()
}

/// The load of a party: messages in parallel, their bytes, the bytes of a chunk; a new message
/// begins as soon as one is hashed.
#[derive(Clone, Copy, Debug)]
struct Load {
    parts: usize,
    message_bytes: usize,
    chunk_bytes: usize,
}

fn endless(parts: usize, chunk_bytes: usize) -> Load {
    Load {
        parts,
        message_bytes: ENDLESS,
        chunk_bytes,
    }
}

fn whole(parts: usize, message_bytes: usize) -> Load {
    Load {
        parts,
        message_bytes,
        chunk_bytes: message_bytes,
    }
}

struct Party {
    group: GroupId,
    load: Load,
    digest: Option<Digest>,
    /// Of all its blocks, padding included.
    hashed_bytes: usize,
}

/// A part's party and how far it is.
struct Progress {
    party: usize,
    sent_bytes: usize,
    waiting_bytes: usize,
}

/// Parties that share an engine, each with a group of its own.
struct Contest {
    engine: Engine<&'static [u8]>,
    parties: Vec<Party>,
    parts_open: HashMap<PartId, Progress>,
}

impl Contest {
    fn new(crossover: &Crossover, loads: &[Load]) -> Self {
        let mut engine = Engine::new(crossover.clone());
        let party = |load: &Load| Party {
            group: engine.group(),
            load: *load,
            digest: (load.message_bytes != ENDLESS)
                .then(|| oracle(SHA256, &POOL[..load.message_bytes])),
            hashed_bytes: 0,
        };
        let parties = loads.iter().map(party).collect();
        Self {
            engine,
            parties,
            parts_open: HashMap::new(),
        }
    }

    /// With every party at work.
    fn begun(crossover: &Crossover, loads: &[Load]) -> Self {
        let mut contest = Self::new(crossover, loads);
        for party in 0..loads.len() {
            contest.begin(party);
        }
        contest
    }

    fn begin(&mut self, party: usize) {
        for _ in 0..self.parties[party].load.parts {
            self.open(party);
        }
    }

    fn open(&mut self, party: usize) {
        let part = self.engine.open_in(self.parties[party].group, &[SHA256]);
        let progress = Progress {
            party,
            sent_bytes: 0,
            waiting_bytes: 0,
        };
        self.parts_open.insert(part, progress);
        self.send(part);
    }

    /// Sends until one chunk waits behind another, or the message ends.
    fn send(&mut self, part: PartId) {
        let progress = self.parts_open.get_mut(&part).unwrap();
        let load = self.parties[progress.party].load;
        while progress.waiting_bytes < 2 * load.chunk_bytes
            && progress.sent_bytes < load.message_bytes
        {
            self.engine.push(part, &POOL[..load.chunk_bytes]);
            progress.sent_bytes += load.chunk_bytes;
            progress.waiting_bytes += load.chunk_bytes;
            if progress.sent_bytes == load.message_bytes {
                self.engine.finish(part);
            }
        }
    }

    fn step(&mut self) {
        assert!(self.engine.step().is_some(), "parts are ready");
        let events: Vec<Event> = self.engine.take_events().collect();
        for event in events {
            match event {
                Event::Consumed { part, bytes } => {
                    if let Some(progress) = self.parts_open.get_mut(&part) {
                        progress.waiting_bytes -= bytes;
                        self.parties[progress.party].hashed_bytes += bytes;
                        self.send(part);
                    }
                }
                Event::Finished { .. } => {}
                Event::Digest { part, digest, .. } => {
                    let index = self.parts_open.remove(&part).unwrap().party;
                    let party = &mut self.parties[index];
                    assert_eq!(Some(digest), party.digest);
                    let len = party.load.message_bytes;
                    party.hashed_bytes += (len + 9).next_multiple_of(64) - len;
                    self.open(index);
                }
            }
        }
    }

    fn hashed_bytes(&self) -> Vec<usize> {
        self.parties
            .iter()
            .map(|party| party.hashed_bytes)
            .collect()
    }

    /// Steps until `bytes` more are hashed; returns each party's bytes.
    fn run(&mut self, bytes: usize) -> Vec<usize> {
        let before = self.hashed_bytes();
        let end = before.iter().sum::<usize>() + bytes;
        while self.hashed_bytes().iter().sum::<usize>() < end {
            self.step();
        }
        let pairs = self.hashed_bytes().into_iter().zip(before);
        pairs.map(|(now, before)| now - before).collect()
    }
}

/// Checks that all have the same, except for a twentieth and the slack.
#[track_caller]
fn assert_even(name: &str, loads: &[Load], bytes: &[usize]) {
    let (least, most) = (bytes.iter().min().unwrap(), bytes.iter().max().unwrap());
    assert!(
        *most <= *least + *least / 20 + SLACK_BYTES,
        "{name}: {bytes:?} bytes for {loads:?}"
    );
}

#[test]
fn backlogged_groups_get_the_same_bytes_whatever_they_send() {
    let cases: [&[Load]; 7] = [
        &[endless(40, 16 << 10), endless(1000, 16 << 10)],
        &[endless(40, 1000), endless(400, 16 << 10)],
        &[endless(400, 1000), endless(40, 16 << 10)],
        // A padding block next to a block of data.
        &[whole(1000, 119), endless(40, 16 << 10)],
        &[whole(100, 5000), endless(1000, 4096)],
        &[endless(20, 4093), endless(200, 16 << 10), whole(500, 700)],
        &[whole(1000, 30), whole(100, 16_000), endless(64, 1024)],
    ];
    for (name, crossover) in CROSSOVERS.iter() {
        for loads in cases {
            let mut contest = Contest::begun(crossover, loads);
            let bytes = contest.run(8 << 20);
            assert_even(name, loads, &bytes);
            // No group is ahead of another by more after three times as long.
            let bytes = contest.run(24 << 20);
            assert_even(name, loads, &bytes);
        }
    }
}

/// One part can use one lane only, and always has one.
#[test]
fn a_lone_part_keeps_its_lane_beside_a_thousand() {
    for (name, crossover) in CROSSOVERS.iter() {
        for (other, least) in [
            (endless(1000, 16 << 10), 0.95),
            (endless(40, 16 << 10), 0.95),
            // The runs of the others end at other blocks, so most calls with it are short. Turns by
            // part would leave it a thirtieth.
            (whole(1000, 5000), 0.4),
        ] {
            let loads = [endless(1, 16 << 10), other];
            let bytes = Contest::begun(crossover, &loads).run(32 << 20);
            let lane = bytes[1] as f64 / (LANES - 1) as f64;
            assert!(
                (bytes[0] + TURN_BYTES + CHUNK_BYTES_MAX) as f64 >= lane * least,
                "{name}: {bytes:?} bytes for {loads:?}"
            );
        }
    }
}

/// With more groups than lanes each has its turn, also if it ends its job and
/// begins another after each.
#[test]
fn a_group_that_comes_anew_all_the_time_gets_no_more() {
    for (name, crossover) in CROSSOVERS.iter() {
        let mut loads = vec![endless(1, 8192); 2 * LANES];
        loads.push(whole(1, 16 << 10));
        let bytes = Contest::begun(crossover, &loads).run(64 << 20);
        let (last, others) = bytes.split_last().unwrap();
        let even = others.iter().sum::<usize>() / others.len();
        assert!(
            *last <= even + even / 20 + TURN_BYTES + CHUNK_BYTES_MAX,
            "{name}: {last} bytes, the others {even}"
        );
    }
}

#[test]
fn idling_earns_nothing_and_working_alone_costs_nothing() {
    let loads = [endless(200, 16 << 10), endless(200, 16 << 10)];
    for (name, crossover) in CROSSOVERS.iter() {
        let mut contest = Contest::new(crossover, &loads);
        contest.begin(0);
        contest.run(16 << 20);
        contest.begin(1);
        // A time so short that leftovers from before would show.
        let bytes = contest.run(4 << 20);
        assert_even(name, &loads, &bytes);
    }
}

/// A crossover whose plan for one part more than a kernel's lanes leaves one out.
fn leaves_one_out() -> Option<(Crossover, usize)> {
    let wide = available(Family::Sha256).into_iter();
    let wide = wide.filter(|kernel| (2..LANES).contains(&kernel.lanes()));
    let wide = wide.max_by_key(|kernel| kernel.lanes())?;
    let backend = Backend::of(&[wide, Kernel::portable(Family::Sha256)])?;
    let cost = |kernel| if kernel == wide { 100.0 } else { 10_000.0 };
    let crossover = Crossover::from_costs(backend, cost);
    let parts = wide.lanes() + 1;
    let plan = crossover.describe(Family::Sha256, parts);
    assert_eq!(plan, wide.name(), "one is left out");
    Some((crossover, parts))
}

#[test]
fn who_is_left_out_of_a_plan_takes_turns() {
    let Some((crossover, parts)) = leaves_one_out() else {
        return; // a CPU without vectors
    };
    // Each a group of its own, and all in one, which is told by part.
    let loads = vec![endless(1, 4096); parts];
    let bytes = Contest::begun(&crossover, &loads).run(32 << 20);
    let (least, most) = (bytes.iter().min().unwrap(), bytes.iter().max().unwrap());
    assert!(
        *most <= least + least / 20 + SLACK_BYTES / LANES,
        "{bytes:?}"
    );

    let mut engine = Engine::new(crossover);
    let chunks = 256;
    let ids: Vec<PartId> = (0..parts).map(|_| engine.open(&[SHA256])).collect();
    for id in &ids {
        for _ in 0..chunks {
            engine.push(*id, &POOL[..4096]);
        }
    }
    let mut hashed: HashMap<PartId, usize> = HashMap::new();
    while engine.waiting_bytes() > parts * chunks * 4096 / 2 {
        engine.step();
        for event in engine.take_events() {
            if let Event::Consumed { part, bytes } = event {
                *hashed.entry(part).or_default() += bytes;
            }
        }
    }
    let (least, most) = (
        hashed.values().min().unwrap(),
        hashed.values().max().unwrap(),
    );
    assert!(
        *most <= least + least / 20 + SLACK_BYTES / LANES,
        "{hashed:?}"
    );
}

#[test]
fn a_group_with_less_than_its_share_is_not_left_out_of_a_plan() {
    let Some((crossover, parts)) = leaves_one_out() else {
        return;
    };
    let loads = [endless(1, 4096), endless(parts - 1, 4096)];
    let bytes = Contest::begun(&crossover, &loads).run(32 << 20);
    // All of the kernel's lanes except one belong to the other group.
    let lane = bytes[1] / (parts - 2);
    assert!(bytes[0] + bytes[0] / 20 >= lane, "{bytes:?}");
}

/// As the test of the same name without a group, but with many long parts of another group.
#[test]
fn a_short_part_does_not_wait_for_anothers_long_ones() {
    let crossover = Crossover::from_costs(Backend::detect(), |_| 10.0);
    let loads = [endless(1000, 16 << 10), whole(0, 4096)];
    let mut contest = Contest::begun(&crossover, &loads);
    contest.run(8 << 20);
    for _ in 0..20 {
        let short = contest.engine.open_in(contest.parties[1].group, &[SHA256]);
        contest.engine.push(short, &POOL[..4096]);
        contest.engine.finish(short);
        let mut steps = 0;
        loop {
            assert!(contest.engine.step().is_some());
            steps += 1;
            if digests(&mut contest.engine)
                .iter()
                .any(|(part, ..)| *part == short)
            {
                break;
            }
        }
        assert!(
            steps <= 6,
            "one step to get a lane, then its own blocks: {steps}"
        );
        // The other parts get new chunks.
        let long: Vec<PartId> = contest.parts_open.keys().copied().collect();
        for part in long {
            contest.parts_open.get_mut(&part).unwrap().waiting_bytes = 0;
            contest.send(part);
        }
    }
}

#[test]
fn parts_of_a_closed_group_end_as_any_other() {
    let (_, crossover) = CROSSOVERS.last().expect("all kernels");
    let mut engine: Engine<&[u8]> = Engine::new(crossover.clone());
    for _ in 0..3 {
        let group = engine.group();
        let parts: Vec<PartId> = (0..100).map(|_| engine.open_in(group, &[SHA256])).collect();
        for part in &parts {
            engine.push(*part, &POOL[..40_000]);
        }
        engine.step();
        engine.close_group(group);
        for part in &parts {
            engine.push(*part, &POOL[..100]);
            engine.finish(*part);
        }
        let digests = common::run(&mut engine);
        let message = [&POOL[..40_000], &POOL[..100]].concat();
        assert_eq!(digests.len(), parts.len());
        assert!(
            digests
                .iter()
                .all(|(.., digest)| *digest == oracle(SHA256, &message))
        );
        assert_eq!(engine.open_parts(), 0);
    }
}

#[test]
#[should_panic(expected = "the group is closed")]
fn a_closed_group_is_refused_even_if_its_place_is_used_again() {
    let (_, crossover) = CROSSOVERS.last().expect("all kernels");
    let mut engine: Engine<&[u8]> = Engine::new(crossover.clone());
    let stale = engine.group();
    engine.close_group(stale);
    engine.group();
    engine.open_in(stale, &[SHA256]);
}
