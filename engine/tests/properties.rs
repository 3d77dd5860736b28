//! Any split, any interleaving, any cancel, any digests at once: each digest equals that of the
//! crate that hashes one message at a time, on every kernel.

mod common;

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
    sync::LazyLock,
};

use common::{available, crossovers, crossovers_of, digests, oracle, pattern, with_lanes};
use digest::FixedOutputReset;
use hashlane_engine::{
    Algorithm, Backend, Batch, Crossover, Digest, Engine, Event, Family, GroupId, Kernel, PartId,
};
use proptest::prelude::*;

static CROSSOVERS: LazyLock<Vec<(String, Crossover)>> = LazyLock::new(crossovers);

/// Parts open at a time.
const PARTS_MAX: usize = 100;

/// The next action of a driver; numbers are reduced to what is possible.
#[derive(Clone, Debug)]
enum Action {
    Open {
        algorithms: Vec<Algorithm>,
    },
    /// In a group, if there is one.
    OpenIn {
        group: usize,
        algorithms: Vec<Algorithm>,
    },
    Group,
    CloseGroup {
        group: usize,
    },
    Push {
        part: usize,
        len: usize,
    },
    Finish {
        part: usize,
    },
    /// Any part there was, also one that has ended or was cancelled before.
    Cancel {
        part: usize,
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

/// Mostly one with lanes; several, in any order; or all there are.
fn algorithms() -> impl Strategy<Value = Vec<Algorithm>> {
    let all: Vec<Algorithm> = Algorithm::all().collect();
    let count = all.len();
    prop_oneof![
        6 => prop::sample::select(with_lanes()).prop_map(|algorithm| vec![algorithm]),
        3 => prop::sample::subsequence(all.clone(), 1..=4).prop_shuffle(),
        1 => prop::sample::subsequence(all, count).prop_shuffle(),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        2 => algorithms().prop_map(|algorithms| Action::Open { algorithms }),
        4 => (any::<usize>(), algorithms())
            .prop_map(|(group, algorithms)| Action::OpenIn { group, algorithms }),
        1 => Just(Action::Group),
        1 => any::<usize>().prop_map(|group| Action::CloseGroup { group }),
        20 => (any::<usize>(), length()).prop_map(|(part, len)| Action::Push { part, len }),
        4 => any::<usize>().prop_map(|part| Action::Finish { part }),
        2 => any::<usize>().prop_map(|part| Action::Cancel { part }),
        4 => (1_usize..6).prop_map(|count| Action::Step { count }),
    ]
}

/// A chunk whose reference count tells how many are alive.
#[derive(Clone)]
struct Chunk {
    bytes: Rc<Vec<u8>>,
    _alive: Rc<()>,
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The expected events of a part.
struct Expected {
    algorithms: Vec<Algorithm>,
    message: Vec<u8>,
    /// Bytes pushed and not yet consumed.
    waiting: usize,
    is_finishing: bool,
    told: HashSet<Algorithm>,
}

/// An engine and what it ought to answer.
struct Driver<'a> {
    name: &'a str,
    engine: Engine<Chunk>,
    groups: Vec<GroupId>,
    parts: HashMap<PartId, Expected>,
    /// Every part there was, open or not.
    ids: Vec<PartId>,
    alive: Rc<()>,
}

impl<'a> Driver<'a> {
    fn new(name: &'a str, crossover: &Crossover) -> Self {
        Self {
            name,
            engine: Engine::new(crossover.clone()),
            groups: Vec::new(),
            parts: HashMap::new(),
            ids: Vec::new(),
            alive: Rc::new(()),
        }
    }

    /// Compares every event with the expected ones.
    fn check(&mut self) {
        let name = self.name;
        let events: Vec<Event> = self.engine.take_events().collect();
        for event in events {
            match event {
                Event::Consumed { part, bytes } => {
                    assert!(bytes > 0, "{name}: something is consumed");
                    let expected = self.parts.get_mut(&part).expect("an open part");
                    expected.waiting = expected.waiting.checked_sub(bytes).expect("once");
                }
                Event::Digest {
                    part,
                    algorithm,
                    digest,
                } => {
                    let expected = self.parts.get_mut(&part).expect("an open part");
                    assert!(expected.is_finishing, "{name}: only finishing parts end");
                    assert!(expected.algorithms.contains(&algorithm), "{name}");
                    assert!(expected.told.insert(algorithm), "{name}: told once");
                    let message = &expected.message;
                    assert_eq!(
                        digest,
                        oracle(algorithm, message),
                        "{name}: {algorithm} of {} bytes",
                        message.len()
                    );
                }
                Event::Finished { part } => {
                    let expected = self.parts.remove(&part).expect("ends once");
                    assert_eq!(expected.waiting, 0, "{name}: all consumed");
                    assert_eq!(expected.told.len(), expected.algorithms.len(), "{name}");
                    assert!(!self.engine.cancel(part), "{name}: it has ended");
                }
            }
        }
        let waiting = self.parts.values().map(|part| part.waiting).sum::<usize>();
        assert_eq!(self.engine.waiting_bytes(), waiting, "{name}");
        assert_eq!(self.engine.open_parts(), self.parts.len(), "{name}");
    }

    fn open(&mut self, group: Option<usize>, algorithms: &[Algorithm]) {
        let group = group.filter(|_| !self.groups.is_empty());
        let part = match group {
            Some(group) => {
                let group = self.groups[group % self.groups.len()];
                self.engine.open_in(group, algorithms)
            }
            None => self.engine.open(algorithms),
        };
        self.ids.push(part);
        let expected = Expected {
            algorithms: algorithms.to_vec(),
            message: Vec::new(),
            waiting: 0,
            is_finishing: false,
            told: HashSet::new(),
        };
        assert!(self.parts.insert(part, expected).is_none());
    }

    /// One of the parts that take data.
    fn open_part(&self, part: usize) -> Option<PartId> {
        let is_open = |id: &&PartId| self.parts.get(id).is_some_and(|part| !part.is_finishing);
        let open: Vec<PartId> = self.ids.iter().filter(is_open).copied().collect();
        (!open.is_empty()).then(|| open[part % open.len()])
    }

    fn push(&mut self, part: PartId, len: usize) {
        let expected = self.parts.get_mut(&part).expect("open");
        let bytes = pattern(expected.message.len() + part.index() * 7, len);
        expected.message.extend_from_slice(&bytes);
        expected.waiting += len;
        let chunk = Chunk {
            bytes: Rc::new(bytes),
            _alive: Rc::clone(&self.alive),
        };
        self.engine.push(part, chunk);
    }

    fn finish(&mut self, part: PartId) {
        self.parts.get_mut(&part).expect("open").is_finishing = true;
        self.engine.finish(part);
    }

    fn act(&mut self, action: &Action) {
        let has_room = self.parts.len() < PARTS_MAX;
        match action {
            Action::Group => self.groups.push(self.engine.group()),
            Action::CloseGroup { group } if !self.groups.is_empty() => {
                let group = self.groups.swap_remove(group % self.groups.len());
                self.engine.close_group(group);
            }
            Action::Open { algorithms } if has_room => self.open(None, algorithms),
            Action::OpenIn { group, algorithms } if has_room => {
                self.open(Some(*group), algorithms);
            }
            Action::Push { part, len } => {
                if let Some(part) = self.open_part(*part) {
                    self.push(part, *len);
                }
            }
            Action::Finish { part } => {
                if let Some(part) = self.open_part(*part) {
                    self.finish(part);
                }
            }
            Action::Cancel { part } if !self.ids.is_empty() => {
                // Its last events first: none follows.
                self.check();
                let part = self.ids[part % self.ids.len()];
                let was_open = self.parts.remove(&part).is_some();
                assert_eq!(self.engine.cancel(part), was_open, "{}", self.name);
            }
            Action::Step { count } => {
                for _ in 0..*count {
                    self.engine.step();
                    self.check();
                }
            }
            _ => {}
        }
    }

    /// Ends every part, and sees that nothing is left.
    fn end(mut self) {
        while let Some(part) = self.open_part(0) {
            self.finish(part);
        }
        while self.engine.step().is_some() {
            self.check();
        }
        self.check();
        let name = self.name;
        assert!(self.parts.is_empty(), "{name}: every part ended");
        assert_eq!(self.engine.ready_jobs(), 0, "{name}");
        assert_eq!(Rc::strong_count(&self.alive), 1, "{name}: chunks are freed");
        for part in self.ids {
            assert!(!self.engine.cancel(part), "{name}: it has ended");
        }
    }
}

/// What a drop-in hasher gives for the chunks, and afterwards for another message.
fn hasher<H: digest::Digest + FixedOutputReset>(
    hasher: Option<H>,
    chunks: &[&[u8]],
) -> Option<[Digest; 2]> {
    let mut hasher = hasher?;
    for chunk in chunks {
        digest::Digest::update(&mut hasher, chunk);
    }
    let first = Digest::new(&digest::Digest::finalize_reset(&mut hasher));
    digest::Digest::update(&mut hasher, b"again");
    Some([first, Digest::new(&hasher.finalize())])
}

/// By the drop-in hasher with that kernel, if it has one lane and computes the algorithm.
fn by_hasher(algorithm: Algorithm, kernel: Kernel, chunks: &[&[u8]]) -> Option<[Digest; 2]> {
    use hashlane_engine::{Md5, Sha1, Sha224, Sha256, Sha384, Sha512};
    match algorithm {
        Algorithm::Sha256 => hasher(Sha256::with_kernel(kernel), chunks),
        Algorithm::Sha224 => hasher(Sha224::with_kernel(kernel), chunks),
        Algorithm::Sha512 => hasher(Sha512::with_kernel(kernel), chunks),
        Algorithm::Sha384 => hasher(Sha384::with_kernel(kernel), chunks),
        Algorithm::Sha1 => hasher(Sha1::with_kernel(kernel), chunks),
        Algorithm::Md5 => hasher(Md5::with_kernel(kernel), chunks),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn interleaved_parts_with_cancels(actions in prop::collection::vec(action(), 1..300)) {
        for (name, crossover) in CROSSOVERS.iter() {
            let mut driver = Driver::new(name, crossover);
            for action in &actions {
                driver.act(action);
            }
            driver.end();
        }
    }

    #[test]
    fn any_split_of_the_single_stream(lengths in prop::collection::vec(length(), 0..12)) {
        let message = pattern(3, lengths.iter().sum());
        let mut rest = message.as_slice();
        let chunks: Vec<&[u8]> = lengths
            .iter()
            .map(|len| {
                let (chunk, after) = rest.split_at(*len);
                rest = after;
                chunk
            })
            .collect();
        for algorithm in with_lanes() {
            let expected = [&message[..], b"again"].map(|message| oracle(algorithm, message));
            let mut tried = 0;
            for kernel in Kernel::all() {
                if let Some(digests) = by_hasher(algorithm, kernel, &chunks) {
                    prop_assert_eq!(digests, expected, "{} of {}", algorithm, kernel);
                    tried += 1;
                }
            }
            prop_assert!(tried > 0, "portable runs everywhere");
        }
        for algorithm in Algorithm::all() {
            let mut hasher = hashlane_engine::Hasher::new(algorithm);
            for chunk in &chunks {
                hasher.update(chunk);
            }
            prop_assert_eq!(hasher.finalize(), oracle(algorithm, &message), "{}", algorithm);
        }
    }

    #[test]
    fn batches_of_any_lengths(
        lengths in prop::collection::vec(length(), 0..120),
        algorithm in prop::sample::select(Algorithm::all().collect::<Vec<_>>()),
    ) {
        let whole = pattern(0, 41_000);
        let messages: Vec<&[u8]> = lengths
            .iter()
            .enumerate()
            .map(|(i, len)| &whole[i..i + len])
            .collect();
        let expected: Vec<Digest> = messages
            .iter()
            .map(|message| oracle(algorithm, message))
            .collect();
        for (name, crossover) in CROSSOVERS.iter() {
            let digests = Batch::new(crossover.clone(), algorithm).hash(&messages);
            prop_assert_eq!(&digests, &expected, "{}: {}", name, algorithm);
        }
    }
}

/// Every length around every block and staging edge, in every lane: 64 parts of one length, each
/// with different bytes, so that lane `l` is compared with what only lane `l` was given.
fn lengths_0_to_1100_in_every_lane(algorithm: Algorithm) {
    let whole = pattern(0, 2000);
    let lanes = Crossover::LANES;
    let expected: Vec<Vec<Digest>> = (0..=1100)
        .map(|len| {
            let of = |lane| oracle(algorithm, &whole[lane..lane + len]);
            (0..lanes).map(of).collect()
        })
        .collect();
    for (name, crossover) in crossovers_of(algorithm.family().expect("lanes")) {
        let mut engine: Engine<&[u8]> = Engine::new(crossover);
        for (len, expected) in expected.iter().enumerate() {
            let parts: Vec<PartId> = (0..lanes).map(|_| engine.open(&[algorithm])).collect();
            for (lane, part) in parts.iter().enumerate() {
                engine.push(*part, &whole[lane..lane + len]);
                engine.finish(*part);
            }
            let digests = common::run(&mut engine).into_iter();
            let digests: HashMap<PartId, Digest> =
                digests.map(|(part, _, digest)| (part, digest)).collect();
            for (lane, part) in parts.iter().enumerate() {
                assert_eq!(
                    digests[part], expected[lane],
                    "{name}: {algorithm} of {len} bytes, lane {lane}"
                );
            }
        }
    }
}

#[test]
fn lengths_0_to_1100_in_every_lane_of_sha256() {
    lengths_0_to_1100_in_every_lane(Algorithm::Sha256);
}

#[test]
fn lengths_0_to_1100_in_every_lane_of_sha512() {
    lengths_0_to_1100_in_every_lane(Algorithm::Sha512);
}

#[test]
fn lengths_0_to_1100_in_every_lane_of_sha1() {
    lengths_0_to_1100_in_every_lane(Algorithm::Sha1);
}

#[test]
fn lengths_0_to_1100_in_every_lane_of_md5() {
    lengths_0_to_1100_in_every_lane(Algorithm::Md5);
}

/// A short part that arrives while long ones take all lanes is answered before any of them: no part
/// waits for one of 5 GiB.
#[test]
fn a_short_part_does_not_wait_for_long_ones() {
    let long = pattern(0, 4 << 20);
    // Given costs, so that the length of a step does not depend on this machine.
    let crossover = Crossover::from_costs(Backend::detect(), |_| 10.0);
    let mut engine: Engine<&[u8]> = Engine::new(crossover);
    for _ in 0..32 {
        let part = engine.open(&[Algorithm::Sha256]);
        engine.push(part, &long);
        engine.finish(part);
    }
    engine.step();
    let short = engine.open(&[Algorithm::Sha256]);
    engine.push(short, &long[..4096]);
    engine.finish(short);
    let mut steps = 0;
    let first = loop {
        assert!(engine.step().is_some(), "parts are ready");
        steps += 1;
        if let Some((part, _, digest)) = digests(&mut engine).first().copied() {
            break (part, digest);
        }
    };
    assert_eq!(first, (short, oracle(Algorithm::Sha256, &long[..4096])));
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
    let mut kernels = available(Family::Sha256).into_iter();
    let Some(four) = kernels.find(|kernel| kernel.lanes() == 4) else {
        return; // Every plan takes all.
    };
    // A step costs the same with one lane and with four.
    let backend = Backend::of(&[Kernel::portable(Family::Sha256), four]).expect("available");
    let crossover = Crossover::from_costs(backend, |_| 100.0);
    let like = |count: usize| (0..count).map(|i| 64 * BLOCKS - 9 - i % 2).collect();
    let with_a_long_one = |count| (0..count).map(|i| 64 * BLOCKS * if i == 2 { 9 } else { 1 });
    let mut cases: Vec<Vec<usize>> = (4..=11).map(like).collect();
    cases.extend([4, 5, 7, 8, 11, 32, 40].map(|count| with_a_long_one(count).collect()));
    cases.extend((4..=11).map(|count| (0..count).map(|i| 64 * BLOCKS * (1 + i % 3)).collect()));
    for lengths in cases {
        let data = vec![7; 64 * BLOCKS * 9];
        let messages: Vec<&[u8]> = lengths.iter().map(|len| &data[..*len]).collect();
        let mut batch = Batch::new(crossover.clone(), Algorithm::Sha256);
        let digests = batch.hash(&messages);
        for (digest, message) in digests.iter().zip(&messages) {
            assert_eq!(*digest, oracle(Algorithm::Sha256, message));
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

/// Parts that have nothing left but their padding take turns in the lanes with
/// parts that have more data than one turn, and with others that wait.
#[test]
fn more_parts_than_lanes_in_every_state() {
    let data = pattern(0, 60_000);
    for algorithm in with_lanes() {
        for whole_blocks in [true, false] {
            let length = |i| if whole_blocks { i % 7 * 8192 } else { i * 397 };
            let oracle = |i| oracle(algorithm, &data[..length(i)]);
            let digests: Vec<Digest> = (0..150).map(oracle).collect();
            for (name, crossover) in crossovers_of(algorithm.family().expect("lanes")) {
                let mut engine: Engine<&[u8]> = Engine::new(crossover);
                let mut expected = HashMap::new();
                for (i, digest) in digests.iter().enumerate() {
                    let part = engine.open(&[algorithm]);
                    engine.push(part, &data[..length(i)]);
                    engine.finish(part);
                    expected.insert(part, *digest);
                }
                for (part, _, digest) in common::run(&mut engine) {
                    assert_eq!(expected.remove(&part), Some(digest), "{name}: {algorithm}");
                }
                assert!(expected.is_empty(), "{name}: every part ended");
            }
        }
    }
}

#[test]
fn cancelled_parts_cost_nothing_more() {
    let (_, crossover) = CROSSOVERS.last().expect("all kernels");
    let mut engine: Engine<Vec<u8>> = Engine::new(crossover.clone());
    let parts: Vec<PartId> = with_lanes()
        .into_iter()
        .cycle()
        .take(64)
        .map(|algorithm| engine.open(&[algorithm]))
        .collect();
    for part in &parts {
        engine.push(*part, pattern(part.index(), 100_000));
    }
    engine.step();
    for part in parts {
        assert!(engine.cancel(part));
        assert!(!engine.cancel(part), "cancelled before");
    }
    assert!(digests(&mut engine).is_empty());
    assert_eq!(
        (
            engine.open_parts(),
            engine.ready_jobs(),
            engine.waiting_bytes()
        ),
        (0, 0, 0)
    );
    assert!(engine.step().is_none());
}

/// Its owner cannot know yet.
#[test]
fn a_part_that_has_just_finished_is_not_cancelled() {
    let (_, crossover) = CROSSOVERS.last().expect("all kernels");
    for algorithms in [
        &[Algorithm::Sha256][..],
        &[Algorithm::Crc32],
        &[Algorithm::Md5, Algorithm::Crc32],
    ] {
        let mut engine: Engine<&[u8]> = Engine::new(crossover.clone());
        let part = engine.open(algorithms);
        engine.push(part, b"abc");
        engine.finish(part);
        while engine.step().is_some() {}
        assert!(!engine.cancel(part));
        let finished = engine.take_events().next_back();
        assert_eq!(finished, Some(Event::Finished { part }));
    }
}

#[test]
#[should_panic(expected = "the part is finished or cancelled")]
fn a_stale_id_is_refused_even_if_its_slot_is_used_again() {
    let (_, crossover) = CROSSOVERS.last().expect("all kernels");
    let mut engine: Engine<Vec<u8>> = Engine::new(crossover.clone());
    let stale = engine.open(&[Algorithm::Sha256]);
    engine.cancel(stale);
    let fresh = engine.open(&[Algorithm::Sha256]);
    assert_eq!(stale.index(), fresh.index(), "the slot is used again");
    engine.push(stale, vec![1]);
}

/// Also an empty chunk, and with any digests.
#[test]
fn a_finishing_part_takes_nothing() {
    let (_, crossover) = CROSSOVERS.last().expect("all kernels");
    for algorithms in [
        &[Algorithm::Sha256][..],
        &[Algorithm::Sha1, Algorithm::Crc32],
        &[Algorithm::Crc32],
    ] {
        let refused = |act: fn(&mut Engine<&[u8]>, PartId)| {
            let mut engine: Engine<&[u8]> = Engine::new(crossover.clone());
            let part = engine.open(algorithms);
            engine.finish(part);
            let act = std::panic::AssertUnwindSafe(|| act(&mut engine, part));
            assert!(std::panic::catch_unwind(act).is_err(), "{algorithms:?}");
        };
        refused(|engine, part| engine.push(part, b"a"));
        refused(|engine, part| engine.push(part, b""));
        refused(|engine, part| engine.finish(part));
    }
}

#[test]
#[should_panic(expected = "an algorithm named twice")]
fn an_algorithm_is_named_once() {
    let (_, crossover) = CROSSOVERS.last().expect("all kernels");
    let mut engine: Engine<Vec<u8>> = Engine::new(crossover.clone());
    engine.open(&[Algorithm::Md5, Algorithm::Sha1, Algorithm::Md5]);
}

#[test]
fn ids_of_another_engine_are_refused() {
    let (_, crossover) = CROSSOVERS.last().expect("all kernels");
    let mut one: Engine<&[u8]> = Engine::new(crossover.clone());
    let (part, group) = (one.open(&[Algorithm::Sha256]), one.group());
    let refused = |act: fn(&mut Engine<&[u8]>, PartId, GroupId)| {
        let mut other: Engine<&[u8]> = Engine::new(crossover.clone());
        let (own, own_group) = (other.open(&[Algorithm::Sha256]), other.group());
        assert!(own.index() == part.index() && own != part && own_group != group);
        let act = std::panic::AssertUnwindSafe(|| act(&mut other, part, group));
        let message = std::panic::catch_unwind(act).expect_err("a panic");
        let message = message.downcast_ref::<&str>().expect("a text");
        assert!(message.contains("another engine's"), "{message}");
        assert!(other.is_usable() && other.cancel(own));
    };
    refused(|engine, part, _| engine.push(part, b"a"));
    refused(|engine, part, _| engine.finish(part));
    refused(|engine, part, _| {
        engine.cancel(part);
    });
    refused(|engine, _, group| {
        engine.open_in(group, &[Algorithm::Sha256]);
    });
    refused(|engine, _, group| engine.close_group(group));
}

/// A chunk that panics when it is read, once that is switched on.
#[derive(Clone)]
struct Bomb<'a>(&'a std::cell::Cell<bool>);

impl AsRef<[u8]> for Bomb<'_> {
    fn as_ref(&self) -> &[u8] {
        assert!(!self.0.get(), "bang");
        &[7; 5000]
    }
}

#[test]
fn an_engine_says_that_a_chunk_has_panicked_in_it() {
    let (_, crossover) = CROSSOVERS.last().expect("all kernels");
    let is_armed = std::cell::Cell::new(false);
    let mut engine = Engine::new(crossover.clone());
    let part = engine.open(&[Algorithm::Sha256]);
    engine.push(part, Bomb(&is_armed));
    let step = |engine: &mut Engine<Bomb<'_>>| {
        let step = std::panic::AssertUnwindSafe(|| engine.step());
        let message = std::panic::catch_unwind(step).expect_err("a panic");
        message.downcast_ref::<&str>().map_or_else(
            || {
                message
                    .downcast_ref::<String>()
                    .cloned()
                    .unwrap_or_default()
            },
            |text| (*text).to_owned(),
        )
    };
    is_armed.set(true);
    assert!(engine.is_usable());
    assert_eq!(step(&mut engine), "bang");
    is_armed.set(false);
    assert!(!engine.is_usable());
    assert!(step(&mut engine).contains("unusable"));
}

#[test]
fn digests_go_into_memory_of_the_callers() {
    let (_, crossover) = CROSSOVERS.last().expect("all kernels");
    let data = pattern(0, 5000);
    let messages: Vec<&[u8]> = (0..100).map(|i| &data[..i * 49]).collect();
    for algorithm in Algorithm::all() {
        let mut batch = Batch::new(crossover.clone(), algorithm);
        let mut digests = vec![0; messages.len() * algorithm.digest_bytes()];
        batch.hash_into(&messages, &mut digests);
        let expected: Vec<u8> = batch
            .hash(&messages)
            .iter()
            .flat_map(|d| d.to_vec())
            .collect();
        assert_eq!(digests, expected, "{algorithm}");
    }
}
