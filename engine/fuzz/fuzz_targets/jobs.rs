//! Any sequence of open, push, finish, cancel and step, in any groups, with any digests, gives
//! the oracle's digests, on every kernel of this machine and on mixes of them.
#![no_main]

use std::collections::HashMap;

use arbitrary::Arbitrary;
use hashlane_engine::{Algorithm, Engine, Event, GroupId, PartId};
use hashlane_engine_fuzz::{ALGORITHMS, CROSSOVERS, oracle};
use libfuzzer_sys::fuzz_target;

/// Open and finishing parts at a time.
const PARTS_MAX: usize = 100;
/// Open groups at a time.
const GROUPS_MAX: usize = 20;
/// Bytes of one input's messages, so that a run stays short.
const BYTES_MAX: usize = 1 << 20;

/// What to do next; numbers are reduced to what is open.
#[derive(Arbitrary, Debug)]
enum Action {
    /// Bits of `algorithms` choose among [`ALGORITHMS`].
    Open {
        algorithms: u8,
    },
    /// In a group, if there is one.
    OpenIn {
        group: u8,
        algorithms: u8,
    },
    Group,
    CloseGroup {
        group: u8,
    },
    Push {
        part: u8,
        len: u16,
        fill: u8,
    },
    Finish {
        part: u8,
    },
    /// Any part there was, open or not.
    Cancel {
        part: u16,
    },
    Step,
}

#[derive(Arbitrary, Debug)]
struct Input {
    crossover: u8,
    actions: Vec<Action>,
}

/// What a part ought to give.
#[derive(Default)]
struct Expected {
    /// Those without a digest yet.
    algorithms: Vec<Algorithm>,
    message: Vec<u8>,
    waiting: usize,
}

/// The engine and what it ought to answer.
struct Run {
    engine: Engine<Vec<u8>>,
    groups: Vec<GroupId>,
    /// Parts that take data.
    open: Vec<PartId>,
    /// Every part there was.
    ids: Vec<PartId>,
    parts: HashMap<PartId, Expected>,
}

/// At least one algorithm.
fn choose(bits: u8) -> Vec<Algorithm> {
    let chosen = (0..)
        .zip(ALGORITHMS)
        .filter(|(bit, _)| bits >> bit & 1 == 1);
    let mut chosen: Vec<Algorithm> = chosen.map(|(_, algorithm)| algorithm).collect();
    if bits >> 7 == 1 || chosen.is_empty() {
        chosen.push(Algorithm::Crc32);
    }
    chosen
}

impl Run {
    fn open(&mut self, group: Option<u8>, algorithms: u8) {
        let algorithms = choose(algorithms);
        let part = match group {
            Some(group) if !self.groups.is_empty() => {
                let group = self.groups[usize::from(group) % self.groups.len()];
                self.engine.open_in(group, &algorithms)
            }
            _ => self.engine.open(&algorithms),
        };
        self.open.push(part);
        self.ids.push(part);
        let expected = Expected {
            algorithms,
            ..Expected::default()
        };
        self.parts.insert(part, expected);
    }

    fn finish(&mut self, place: usize) {
        let part = self.open.swap_remove(place);
        self.engine.finish(part);
    }

    fn cancel(&mut self, place: usize) {
        self.settle(); // so that `parts` holds none that has ended
        if self.ids.is_empty() {
            return;
        }
        let part = self.ids[place % self.ids.len()];
        self.open.retain(|open| *open != part);
        let was_open = self.parts.remove(&part).is_some();
        assert_eq!(self.engine.cancel(part), was_open);
    }

    fn settle(&mut self) {
        for event in self.engine.take_events() {
            match event {
                Event::Consumed { part, bytes } => {
                    let expected = self.parts.get_mut(&part).expect("not gone");
                    expected.waiting = expected.waiting.checked_sub(bytes).expect("once");
                }
                Event::Digest {
                    part,
                    algorithm,
                    digest,
                } => {
                    let expected = self.parts.get_mut(&part).expect("not gone");
                    let place = expected.algorithms.iter().position(|a| *a == algorithm);
                    expected.algorithms.remove(place.expect("told once"));
                    assert_eq!(digest, oracle(algorithm, &expected.message));
                }
                Event::Finished { part } => {
                    assert!(!self.open.contains(&part));
                    let expected = self.parts.remove(&part).expect("finished once");
                    assert!(expected.algorithms.is_empty() && expected.waiting == 0);
                }
            }
        }
    }
}

fuzz_target!(|input: Input| {
    let crossover = &CROSSOVERS[usize::from(input.crossover) % CROSSOVERS.len()];
    let mut run = Run {
        engine: Engine::new(crossover.clone()),
        groups: Vec::new(),
        open: Vec::new(),
        ids: Vec::new(),
        parts: HashMap::new(),
    };
    let mut total = 0;
    for action in input.actions {
        let count = run.open.len();
        let has_room = run.parts.len() < PARTS_MAX;
        match action {
            Action::Group if run.groups.len() < GROUPS_MAX => {
                run.groups.push(run.engine.group());
            }
            Action::CloseGroup { group } if !run.groups.is_empty() => {
                let group = usize::from(group) % run.groups.len();
                let group = run.groups.swap_remove(group);
                run.engine.close_group(group);
            }
            Action::Open { algorithms } if has_room => run.open(None, algorithms),
            Action::OpenIn { group, algorithms } if has_room => run.open(Some(group), algorithms),
            Action::Push { part, len, fill } if count > 0 && total < BYTES_MAX => {
                let part = run.open[usize::from(part) % count];
                let byte = |i: u16| fill.wrapping_add((i % 251) as u8);
                let chunk: Vec<u8> = (0..len).map(byte).collect();
                total += chunk.len();
                let expected = run.parts.get_mut(&part).expect("open");
                expected.message.extend_from_slice(&chunk);
                expected.waiting += chunk.len();
                run.engine.push(part, chunk);
            }
            Action::Finish { part } if count > 0 => run.finish(usize::from(part) % count),
            Action::Cancel { part } => run.cancel(usize::from(part)),
            Action::Step => {
                run.engine.step();
                run.settle();
            }
            _ => {}
        }
    }
    while !run.open.is_empty() {
        run.finish(0);
    }
    while run.engine.step().is_some() {
        run.settle();
    }
    run.settle();
    assert!(run.parts.is_empty(), "every finishing part ends");
    assert_eq!(
        run.engine.open_parts() + run.engine.ready_jobs() + run.engine.waiting_bytes(),
        0
    );
});
