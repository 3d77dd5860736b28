//! Any sequence of open, push, finish, cancel and step, in any groups, gives sha2's
//! digests, on every kernel of this machine and on mixes of them.
#![no_main]

use std::collections::HashMap;

use arbitrary::Arbitrary;
use hashlane_engine::{Engine, Event, GroupId, JobId};
use hashlane_engine_fuzz::CROSSOVERS;
use libfuzzer_sys::fuzz_target;
use sha2::Digest as _;

/// Open and finishing jobs at a time.
const JOBS_MAX: usize = 100;
/// Open groups at a time.
const GROUPS_MAX: usize = 20;
/// Bytes of one input's messages, so that a run stays short.
const BYTES_MAX: usize = 1 << 20;

/// What to do next; numbers are reduced to what is open.
#[derive(Arbitrary, Debug)]
enum Action {
    Open,
    /// In a group, if there is one.
    OpenIn {
        group: u8,
    },
    Group,
    CloseGroup {
        group: u8,
    },
    Push {
        job: u8,
        len: u16,
        fill: u8,
    },
    Finish {
        job: u8,
    },
    /// An open job, or one that has been finished with and has not ended.
    Cancel {
        job: u8,
    },
    Step,
}

#[derive(Arbitrary, Debug)]
struct Input {
    crossover: u8,
    actions: Vec<Action>,
}

/// The engine and what it ought to answer.
struct Run {
    engine: Engine<Vec<u8>>,
    groups: Vec<GroupId>,
    open: Vec<JobId>,
    /// Finished with, and the digest they must give.
    ending: Vec<(JobId, [u8; 32])>,
    hashers: HashMap<JobId, sha2::Sha256>,
    waiting: HashMap<JobId, usize>,
}

impl Run {
    fn finish(&mut self, place: usize) {
        let job = self.open.swap_remove(place);
        let hasher = self.hashers.remove(&job).expect("open");
        self.ending.push((job, hasher.finalize().into()));
        self.engine.finish(job);
    }

    fn cancel(&mut self, place: usize) {
        self.settle(); // so that `ending` holds no job that has ended
        let (open, ending) = (self.open.len(), self.ending.len());
        let job = match place % (open + ending).max(1) {
            place if place < open => self.open.swap_remove(place),
            place if place < open + ending => self.ending.swap_remove(place - open).0,
            _ => return,
        };
        self.hashers.remove(&job);
        self.waiting.remove(&job);
        self.engine.cancel(job);
    }

    fn settle(&mut self) {
        for event in self.engine.take_events() {
            match event {
                Event::Consumed { job, bytes } => {
                    let waiting = self.waiting.get_mut(&job).expect("not gone");
                    *waiting = waiting.checked_sub(bytes).expect("consumed once");
                }
                Event::Finished { job, digest } => {
                    let place = self.ending.iter().position(|(id, _)| *id == job);
                    let (_, expected) = self.ending.swap_remove(place.expect("finished once"));
                    assert_eq!(digest, expected);
                    assert_eq!(self.waiting.remove(&job), Some(0));
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
        ending: Vec::new(),
        hashers: HashMap::new(),
        waiting: HashMap::new(),
    };
    let mut total = 0;
    for action in input.actions {
        let count = run.open.len();
        match action {
            Action::Group if run.groups.len() < GROUPS_MAX => {
                run.groups.push(run.engine.group());
            }
            Action::CloseGroup { group } if !run.groups.is_empty() => {
                let group = run
                    .groups
                    .swap_remove(usize::from(group) % run.groups.len());
                run.engine.close_group(group);
            }
            Action::Open | Action::OpenIn { .. } if count + run.ending.len() < JOBS_MAX => {
                let job = match action {
                    Action::OpenIn { group } if !run.groups.is_empty() => run
                        .engine
                        .open_in(run.groups[usize::from(group) % run.groups.len()]),
                    _ => run.engine.open(),
                };
                run.open.push(job);
                run.hashers.insert(job, sha2::Sha256::new());
                run.waiting.insert(job, 0);
            }
            Action::Push { job, len, fill } if count > 0 && total < BYTES_MAX => {
                let job = run.open[usize::from(job) % count];
                let byte = |i: u16| fill.wrapping_add((i % 251) as u8);
                let chunk: Vec<u8> = (0..len).map(byte).collect();
                total += chunk.len();
                run.hashers.get_mut(&job).expect("open").update(&chunk);
                *run.waiting.get_mut(&job).expect("open") += chunk.len();
                run.engine.push(job, chunk);
            }
            Action::Finish { job } if count > 0 => run.finish(usize::from(job) % count),
            Action::Cancel { job } => run.cancel(usize::from(job)),
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
    assert!(run.ending.is_empty(), "every finishing job ends");
    assert_eq!(
        run.engine.open_jobs() + run.engine.ready_jobs() + run.engine.waiting_bytes(),
        0
    );
});
