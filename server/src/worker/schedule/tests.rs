//! A worker on a fake clock: each test sets the times of turns and steps.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const STEP: Duration = us(100);

const fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

struct Connection {
    client: u64,
    account: usize,
    turn: Duration,
    /// Turns that the connection still needs.
    work: usize,
    is_ready: bool,
}

#[derive(Default)]
struct Worker {
    schedule: Schedule,
    now: Duration,
    connections: BTreeMap<usize, Connection>,
    next_key: usize,
    /// Steps for which the engine has ready jobs.
    steps: usize,
    /// The backlog is high while the engine has ready jobs.
    is_high: bool,
    used: BTreeMap<u64, Duration>,
    used_by_engine: Duration,
    /// Keys in the order of their turns, and the times of polls.
    turns: Vec<usize>,
    polls: Vec<Duration>,
}

impl Worker {
    fn open(&mut self, client: u64, count: usize, turn: Duration) -> Vec<usize> {
        let open = |_| {
            let key = self.next_key;
            self.next_key += 1;
            let account = self.schedule.open(client);
            let connection = Connection {
                client,
                account,
                turn,
                work: 0,
                is_ready: false,
            };
            self.connections.insert(key, connection);
            key
        };
        (0..count).map(open).collect()
    }

    /// Opens connections that are always ready.
    fn busy(&mut self, client: u64, count: usize, turn: Duration) -> Vec<usize> {
        let keys = self.open(client, count, turn);
        keys.iter().for_each(|key| self.give(*key, usize::MAX));
        keys
    }

    /// Bytes arrive that take `work` turns.
    fn give(&mut self, key: usize, work: usize) {
        let connection = self.connections.get_mut(&key).unwrap();
        connection.work = connection.work.saturating_add(work);
        if !std::mem::replace(&mut connection.is_ready, true) {
            self.schedule.ready(connection.account, key);
        }
    }

    /// Does the next action. Returns false if nothing is ready.
    fn act(&mut self) -> bool {
        let engine = EngineLoad {
            is_ready: self.steps > 0,
            is_full: false,
            is_high: self.steps > 0 && self.is_high,
            expects_more: false,
        };
        match self.schedule.next(engine, false) {
            Next::Run(key) => {
                let connection = self.connections.get_mut(&key).unwrap();
                assert!(std::mem::replace(&mut connection.is_ready, false));
                self.now += connection.turn;
                *self.used.entry(connection.client).or_default() += connection.turn;
                self.schedule.charge(connection.account, connection.turn);
                self.turns.push(key);
                connection.work -= 1;
                if connection.work > 0 {
                    self.give(key, 0);
                }
            }
            Next::Step(_) => {
                self.now += STEP;
                self.used_by_engine += STEP;
                self.steps -= 1;
                self.schedule.charge_engine(STEP);
            }
            Next::Poll => self.polls.push(self.now),
            Next::WaitForLanes => unreachable!("no more jobs are expected"),
            Next::Sleep => return false,
        }
        true
    }

    fn run_for(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end && self.act() {}
    }

    fn used(&self, client: u64) -> Duration {
        self.used.get(&client).copied().unwrap_or_default()
    }

    /// Shares of the next `time`.
    fn shares<const N: usize>(&mut self, clients: [u64; N], time: Duration) -> [f64; N] {
        let before = clients.map(|client| self.used(client));
        let began = self.now;
        self.run_for(time);
        let took = self.now - began;
        std::array::from_fn(|i| (self.used(clients[i]) - before[i]).div_duration_f64(took))
    }
}

#[test]
fn clients_share_time_however_many_connections_they_have_and_long_their_turns_are() {
    for (connections, turn) in [(8, 200), (100, 200), (8, 1000), (1, 200), (8, 10)] {
        let mut worker = Worker::default();
        worker.busy(1, 1, us(80));
        worker.busy(2, connections, us(turn));
        let [one, many] = worker.shares([1, 2], Duration::from_secs(1));
        assert!((0.48..0.52).contains(&one), "{turn}: {one}");
        assert!(one + many > 0.99);
    }
}

#[test]
fn the_engine_and_clients_share_time_while_its_backlog_is_low() {
    let mut worker = Worker {
        steps: usize::MAX,
        ..Worker::default()
    };
    worker.busy(1, 1, us(80));
    worker.busy(2, 8, us(200));
    let shares = worker.shares([1, 2], Duration::from_secs(1));
    for share in shares {
        assert!((0.31..0.36).contains(&share), "{shares:?}");
    }
    worker.is_high = true;
    assert_eq!(worker.shares([1, 2], Duration::from_secs(1)), [0.0; 2]);
}

/// The client waits for its windows while its bytes are in lanes, so it is not ready.
#[test]
fn a_client_that_is_always_ready_leaves_the_engine_its_share() {
    for (connections, turn) in [(1, 200), (8, 200), (100, 200), (1, 10)] {
        let mut worker = Worker::default();
        worker.open(1, 1, us(80));
        worker.busy(2, connections, us(turn));
        worker.run_for(Duration::from_secs(1));
        for steps in [1, 10, 1000] {
            let began = worker.now;
            worker.steps = steps;
            while worker.steps > 0 {
                assert!(worker.act());
            }
            let (took, hashing) = (worker.now - began, STEP * u32::try_from(steps).unwrap());
            let most = 2 * hashing + 2 * SLICE + us(2 * turn);
            assert!(took <= most, "{turn}: {took:?} for {steps}");
        }
    }
}

/// Steps while no connection was ready are free, and so are turns while the engine had no jobs.
#[test]
fn time_that_nobody_else_wanted_is_not_held_against_its_user() {
    let mut worker = Worker {
        steps: 20_000,
        ..Worker::default()
    };
    while worker.steps > 100 {
        assert!(worker.act());
    }
    worker.busy(1, 8, us(200));
    worker.steps = usize::MAX;
    let other = worker.open(3, 1, us(80));
    let [share] = worker.shares([1], Duration::from_millis(30));
    assert!((0.45..0.55).contains(&share), "{share}");
    assert_eq!(other.len(), 1);
    worker.steps = 0;
    worker.run_for(Duration::from_secs(2));
    worker.busy(2, 1, us(80));
    worker.steps = usize::MAX;
    let shares = worker.shares([1, 2], Duration::from_millis(30));
    for share in shares {
        assert!((0.28..0.38).contains(&share), "{shares:?}");
    }
}

/// The client wants more than half of the time, and has no bytes for 300 us after each 320 us.
#[test]
fn a_client_that_pauses_for_a_moment_keeps_its_place() {
    let mut worker = Worker::default();
    let pauses = worker.open(1, 1, us(80))[0];
    worker.busy(2, 8, us(200));
    for _ in 0..1000 {
        worker.give(pauses, 4);
        while worker.connections[&pauses].work > 0 {
            assert!(worker.act());
        }
        worker.run_for(us(300));
    }
    let share = worker.used(1).div_duration_f64(worker.now);
    assert!((0.4..0.51).contains(&share), "{share}");
}

/// The client wants one turn each millisecond, between clients that are always ready.
#[test]
fn a_client_that_wants_little_gets_it_at_once() {
    let mut worker = Worker::default();
    let light = worker.open(1, 1, us(80))[0];
    for client in [2, 3] {
        worker.busy(client, 8, us(200));
    }
    let mut late = Duration::ZERO;
    for _ in 0..1000 {
        let asked = worker.now;
        worker.give(light, 1);
        while worker.connections[&light].work > 0 {
            assert!(worker.act());
        }
        late = late.max(worker.now - asked - us(80));
        worker.run_for(us(1000).saturating_sub(worker.now - asked));
    }
    assert!(late <= us(3 * 200), "{late:?}");
    let [two, three] = [2, 3].map(|client| worker.used(client).div_duration_f64(worker.now));
    assert!((two - three).abs() < 0.02 && two + three > 0.9);
}

#[test]
fn no_client_saves_up_more_than_its_credit() {
    let mut worker = Worker::default();
    let [busy] = worker.busy(1, 1, us(100))[..] else {
        unreachable!()
    };
    let rested = worker.open(2, 1, us(100))[0];
    worker.run_for(Duration::from_secs(10));
    assert_eq!(worker.turns.last(), Some(&busy));
    worker.give(rested, usize::MAX);
    let before = worker.used(1);
    worker.run_for(Duration::from_millis(20));
    let since = worker.used(1) - before;
    assert!(since + CREDIT >= Duration::from_millis(10), "{since:?}");
}

/// Each new client has a handshake of 1 ms, then leaves.
#[test]
fn clients_that_come_and_go_leave_others_their_share() {
    let mut worker = Worker::default();
    worker.busy(0, 1, us(80));
    worker.steps = usize::MAX;
    let mut client = 0;
    let mut newcomers = Vec::new();
    while worker.now < Duration::from_secs(1) {
        // Two are ready at any time.
        newcomers.retain(|key| {
            let is_done = worker.connections[key].work == 0;
            if is_done {
                let closed = worker.connections.remove(key).unwrap();
                worker.schedule.close(closed.account);
            }
            !is_done
        });
        while newcomers.len() < 2 {
            client += 1;
            let key = worker.open(client, 1, us(1000))[0];
            worker.give(key, 1);
            newcomers.push(key);
        }
        assert!(worker.act());
    }
    let share = worker.used(0).div_duration_f64(worker.now);
    let engine = worker.used_by_engine.div_duration_f64(worker.now);
    assert!(share > 0.15 && engine > 0.15, "{share} {engine}");
}

#[test]
fn the_connections_of_a_lone_client_leave_its_jobs_some_time() {
    let mut worker = Worker {
        steps: 100,
        ..Worker::default()
    };
    worker.busy(1, 8, us(100));
    worker.run_for(Duration::from_millis(150));
    assert_eq!(worker.steps, 0);
}

#[test]
fn connections_of_one_client_run_in_order() {
    let mut worker = Worker::default();
    let keys = worker.busy(2, 10, us(100));
    worker.busy(1, 1, us(100));
    worker.run_for(Duration::from_millis(100));
    let turns = worker.turns.iter().filter(|key| keys.contains(key));
    assert!(turns.zip(keys.iter().cycle()).all(|(ran, due)| ran == due));
}

#[test]
fn sockets_are_polled_after_a_slice_of_work() {
    for (turn, is_high) in [(us(80), false), (us(80), true), (us(1000), true)] {
        let mut worker = Worker {
            steps: usize::MAX,
            is_high,
            ..Worker::default()
        };
        worker.busy(1, 100, turn);
        worker.run_for(Duration::from_secs(1));
        let gaps = worker.polls.windows(2).map(|polls| polls[1] - polls[0]);
        let (least, most) = (gaps.clone().min().unwrap(), gaps.max().unwrap());
        assert!(least >= SLICE && most <= SLICE + turn.max(STEP), "{most:?}");
    }
}

#[test]
fn few_jobs_wait_for_a_poll_and_then_for_lanes() {
    let few = EngineLoad {
        is_ready: true,
        is_full: false,
        is_high: false,
        expects_more: true,
    };
    let mut schedule = Schedule::default();
    assert_eq!(schedule.next(few, false), Next::Poll);
    assert_eq!(schedule.next(few, false), Next::WaitForLanes);
    // The worker slept, so bytes may have arrived.
    schedule.waited();
    assert_eq!(schedule.next(few, false), Next::Poll);
    let account = schedule.open(1);
    schedule.ready(account, 7);
    assert_eq!(schedule.next(few, false), Next::Run(7));
    assert_eq!(schedule.next(few, false), Next::Poll);
    assert_eq!(schedule.next(few, true), Next::Step(StepReason::Drain));
    let (all, full) = (
        EngineLoad {
            expects_more: false,
            ..few
        },
        EngineLoad {
            is_full: true,
            ..few
        },
    );
    assert_eq!(schedule.next(all, false), Next::Step(StepReason::Idle));
    assert_eq!(schedule.next(full, false), Next::Step(StepReason::Full));
    // Ready connections fill the lanes before the engine steps, unless the backlog is high.
    schedule.ready(account, 7);
    let high = EngineLoad {
        is_high: true,
        ..full
    };
    assert_eq!(schedule.next(high, false), Next::Step(StepReason::Full));
    assert_eq!(schedule.next(full, false), Next::Run(7));
    assert_eq!(schedule.next(EngineLoad::default(), false), Next::Sleep);
}

proptest! {
    /// Connections open, become ready and close in any order: all their work is done.
    #[test]
    fn no_work_is_forgotten(
        acts in prop::collection::vec((0..5_u8, 0..12_usize, 1..400_u64), 1..200)
    ) {
        let mut worker = Worker::default();
        for (act, which, time) in acts {
            match act {
                0 => drop(worker.open(which as u64 % 4, 1 + which % 3, us(time))),
                1 => {
                    let keys: Vec<_> = worker.connections.keys().copied().collect();
                    for key in keys.into_iter().skip(which).step_by(3) {
                        worker.give(key, 1 + which);
                    }
                }
                2 => {
                    let mut idle = worker.connections.iter().filter(|(_, c)| !c.is_ready);
                    if let Some(key) = idle.nth(which).map(|(key, _)| *key) {
                        let closed = worker.connections.remove(&key).unwrap();
                        worker.schedule.close(closed.account);
                    }
                }
                3 => {
                    worker.steps += which;
                    worker.is_high = time > 200;
                }
                _ => worker.run_for(us(10 * time)),
            }
        }
        let mut acts = 0;
        while worker.act() {
            acts += 1;
            prop_assert!(acts < 100_000);
        }
        prop_assert!(worker.connections.values().all(|c| c.work == 0 && !c.is_ready));
        prop_assert_eq!(worker.steps, 0);
        for closed in std::mem::take(&mut worker.connections).into_values() {
            worker.schedule.close(closed.account);
        }
        let schedule = &worker.schedule;
        prop_assert!(schedule.accounts.is_empty() && schedule.by_client.is_empty());
        prop_assert!(schedule.ready.is_empty());
    }
}
