//! Turns on a made-up clock and by a made-up scheduler, which does as tokio's: tasks that are
//! ready run in their order, and those that yielded come back when none is.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::Wake;

use proptest::prelude::*;

use super::*;

const fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// Tasks that are woken, by their numbers.
type Woken = Arc<Mutex<Vec<usize>>>;

struct Wakes {
    task: usize,
    woken: Woken,
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.woken.lock().unwrap().push(self.task);
    }
}

/// A connection that has work for some turns.
struct Task<'a> {
    participant: Participant<'a>,
    client: u64,
    turn: Duration,
    work: usize,
    waker: Waker,
    /// It is in the queue.
    is_ready: bool,
}

/// The engine's task, which looks at the sockets between its steps.
#[derive(Default)]
struct Engine<'a> {
    turns: Option<EngineTurns<'a>>,
    /// Steps for which it has work.
    work: usize,
    /// Where it is: asleep, yielding, at the end of the queue, about to step.
    place: usize,
}

/// Its number, and the time of a step.
const ENGINE: usize = usize::MAX;
const STEP: Duration = us(100);

struct Scheduler<'a> {
    turns: &'a Turns,
    engine: Engine<'a>,
    start: Instant,
    now: Instant,
    tasks: BTreeMap<usize, Task<'a>>,
    queue: VecDeque<usize>,
    yielded: Vec<usize>,
    woken: Woken,
    polls: usize,
    had: BTreeMap<u64, Duration>,
    had_engine: Duration,
}

impl<'a> Scheduler<'a> {
    fn new(turns: &'a Turns) -> Self {
        let now = Instant::now();
        Self {
            turns,
            engine: Engine::default(),
            start: now,
            now,
            tasks: BTreeMap::new(),
            queue: VecDeque::new(),
            yielded: Vec::new(),
            woken: Woken::default(),
            polls: 0,
            had: BTreeMap::new(),
            had_engine: Duration::ZERO,
        }
    }

    /// `count` connections of `client`, whose turns take so long each.
    fn connect(&mut self, client: u64, count: usize, turn: Duration) -> Vec<usize> {
        let connect = |_| {
            let task = self.tasks.keys().next_back().map_or(0, |last| last + 1);
            let woken = Arc::clone(&self.woken);
            let waker = Arc::new(Wakes { task, woken }).into();
            let participant = Participant::new(self.turns, client);
            let new = Task {
                participant,
                client,
                turn,
                work: 0,
                waker,
                is_ready: false,
            };
            self.tasks.insert(task, new);
            task
        };
        (0..count).map(connect).collect()
    }

    /// Bytes came: the task has work for so many turns more.
    fn give(&mut self, task: usize, work: usize) {
        if let Some(entry) = self.tasks.get_mut(&task) {
            entry.work += work;
            self.wake(task);
        }
    }

    /// The engine has work for so many steps more.
    fn push(&mut self, work: usize) {
        self.engine.work += work;
        if self.engine.place == 0 && work > 0 {
            self.engine.turns = Some(self.turns.engine());
            self.engine.place = 1;
            self.queue.push_back(ENGINE);
        }
    }

    fn poll_engine(&mut self) {
        match self.engine.place {
            1 => self.yielded.push(ENGINE),
            2 => self.queue.push_back(ENGINE),
            _ => {
                self.now += STEP;
                self.had_engine += STEP;
                self.engine.turns.as_ref().unwrap().ran(STEP);
                self.engine.work -= 1;
                if self.engine.work == 0 {
                    self.engine.place = 0;
                    self.engine.turns = None;
                    return;
                }
                self.engine.place = 0;
                self.queue.push_front(ENGINE);
            }
        }
        self.engine.place += 1;
    }

    fn wake(&mut self, task: usize) {
        if task == ENGINE {
            self.queue.push_back(ENGINE);
        }
        if let Some(entry) = self.tasks.get_mut(&task)
            && !std::mem::replace(&mut entry.is_ready, true)
        {
            self.queue.push_back(task);
        }
    }

    fn see_to_woken(&mut self) {
        let woken = std::mem::take(&mut *self.woken.lock().unwrap());
        woken.into_iter().for_each(|task| self.wake(task));
    }

    /// Polls the next task. False if none is ready.
    fn step(&mut self) -> bool {
        self.see_to_woken();
        if self.queue.is_empty() {
            let yielded = std::mem::take(&mut self.yielded);
            yielded.into_iter().for_each(|task| self.wake(task));
        }
        let Some(number) = self.queue.pop_front() else {
            return false;
        };
        if number == ENGINE {
            self.poll_engine();
            return true;
        }
        self.polls += 1;
        let Some(task) = self.tasks.get_mut(&number) else {
            return true;
        };
        task.is_ready = false;
        match task.participant.ask(&task.waker, self.now) {
            Do::Run => {
                // A task that was woken for nothing is polled too.
                let time = if task.work > 0 { task.turn } else { us(1) };
                task.work = task.work.saturating_sub(1);
                self.now += time;
                *self.had.entry(task.client).or_default() += time;
                task.participant.ran(time, self.now);
                if task.work > 0 {
                    self.wake(number);
                }
            }
            Do::Yield => self.yielded.push(number),
            Do::Wait => {}
        }
        true
    }

    fn run_for(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end && self.step() {}
    }

    /// The client's share of all time so far.
    fn share(&self, client: u64) -> f64 {
        let had = self.had.get(&client).copied().unwrap_or_default();
        had.as_secs_f64() / (self.now - self.start).as_secs_f64()
    }
}

#[test]
fn clients_share_time_however_many_connections_they_have_and_long_their_turns_are() {
    for (hostile, turn) in [(8, 200), (100, 200), (8, 1000), (1, 200), (8, 10)] {
        let turns = Turns::default();
        let mut scheduler = Scheduler::new(&turns);
        let honest = scheduler.connect(1, 1, us(80));
        let hostile = scheduler.connect(2, hostile, us(turn));
        for task in hostile.into_iter().chain(honest) {
            scheduler.give(task, usize::MAX);
        }
        scheduler.run_for(Duration::from_secs(1));
        let share = scheduler.share(1);
        // Until the honest one is polled first, the others are alone.
        assert!((0.48..0.52).contains(&share), "{turn}: {share}");
    }
}

/// The bytes of a client that waits for its windows are in lanes, so it asks for no turn.
#[test]
fn a_client_that_always_wants_a_turn_leaves_the_engine_its_share() {
    for (hostile, turn) in [(1, 200), (8, 200), (100, 200), (1, 10)] {
        let turns = Turns::default();
        let mut scheduler = Scheduler::new(&turns);
        let honest = scheduler.connect(1, 1, us(80))[0];
        for task in scheduler.connect(2, hostile, us(turn)) {
            scheduler.give(task, usize::MAX);
        }
        scheduler.run_for(Duration::from_secs(1));
        for work in [1, 10, 1000] {
            scheduler.give(honest, 1);
            while scheduler.tasks[&honest].work > 0 {
                assert!(scheduler.step());
            }
            let (had, began) = (scheduler.had_engine, scheduler.now);
            scheduler.push(work);
            while scheduler.engine.work > 0 {
                assert!(scheduler.step());
                let took = scheduler.now - began;
                // At first they are equals, and a turn may have begun before the step was due.
                let most = 2 * (scheduler.had_engine - had) + 2 * AHEAD_MAX + us(2 * turn);
                assert!(took <= most, "{turn}: {took:?} for {work}");
            }
        }
    }
}

/// One has had seconds more than the other, which has the engine work without end.
#[test]
fn the_engine_leaves_clients_their_share_whatever_they_had_before() {
    let turns = Turns::default();
    let mut scheduler = Scheduler::new(&turns);
    let light = scheduler.connect(1, 1, us(5))[0];
    for task in scheduler.connect(2, 8, us(200)) {
        scheduler.give(task, usize::MAX);
    }
    let run = |scheduler: &mut Scheduler<'_>, ms: u32| {
        for _ in 0..ms {
            scheduler.give(light, 1);
            scheduler.run_for(us(1000));
        }
        scheduler.had[&2]
    };
    let before = run(&mut scheduler, 2000);
    scheduler.push(usize::MAX);
    let during = run(&mut scheduler, 100) - before;
    assert!(during >= Duration::from_millis(45), "{during:?}");
}

/// While it was alone it did not wait for the engine, which has worked all the time.
#[test]
fn who_was_alone_owes_the_engine_nothing() {
    let turns = Turns::default();
    let mut scheduler = Scheduler::new(&turns);
    for task in scheduler.connect(1, 8, us(200)) {
        scheduler.give(task, usize::MAX);
    }
    scheduler.push(usize::MAX);
    scheduler.run_for(Duration::from_secs(2));
    let before = scheduler.had[&1];
    let second = scheduler.connect(2, 1, us(80))[0];
    scheduler.give(second, usize::MAX);
    scheduler.run_for(Duration::from_millis(30));
    let during = scheduler.had[&1] - before;
    assert!(during >= Duration::from_millis(8), "{during:?}");
}

/// What is hashed is one's own share of the worker, and takes nothing from others' shares.
#[test]
fn the_engine_and_two_clients_have_a_third_each() {
    let turns = Turns::default();
    let mut scheduler = Scheduler::new(&turns);
    let honest = scheduler.connect(1, 1, us(80));
    let hostile = scheduler.connect(2, 8, us(200));
    for task in hostile.into_iter().chain(honest) {
        scheduler.give(task, usize::MAX);
    }
    scheduler.push(usize::MAX);
    scheduler.run_for(Duration::from_secs(1));
    for client in [1, 2] {
        let share = scheduler.share(client);
        assert!((0.31..0.36).contains(&share), "{client}: {share}");
    }
}

/// The honest client is without bytes now and then, as one that waits for its windows is.
#[test]
fn a_client_that_is_not_always_ready_has_what_it_wants_up_to_its_share() {
    let turns = Turns::default();
    let mut scheduler = Scheduler::new(&turns);
    let honest = scheduler.connect(1, 1, us(80))[0];
    for task in scheduler.connect(2, 8, us(200)) {
        scheduler.give(task, usize::MAX);
    }
    // It wants a turn a millisecond, of which it waits for one of the others at most.
    let mut late = Duration::ZERO;
    for _ in 0..1000 {
        let before = scheduler.had.get(&1).copied().unwrap_or_default();
        let asked = scheduler.now;
        scheduler.give(honest, 1);
        while scheduler.had.get(&1).copied().unwrap_or_default() == before {
            assert!(scheduler.step());
        }
        late = late.max(scheduler.now - asked - us(80));
        scheduler.run_for(us(1000).saturating_sub(scheduler.now - asked));
    }
    // At first they are equals.
    assert!(late <= us(8 * 200), "{late:?}");
    let share = scheduler.share(1);
    assert!((0.06..0.09).contains(&share), "{share}");
    // All of the time is somebody's.
    assert!(scheduler.share(2) > 0.9);
}

/// It wants more than half, and is without bytes for 300 us after each 320 us.
#[test]
fn a_client_that_is_without_bytes_for_a_moment_keeps_its_place() {
    let turns = Turns::default();
    let mut scheduler = Scheduler::new(&turns);
    let honest = scheduler.connect(1, 1, us(80))[0];
    for task in scheduler.connect(2, 8, us(200)) {
        scheduler.give(task, usize::MAX);
    }
    for _ in 0..1000 {
        scheduler.give(honest, 4);
        while scheduler.tasks[&honest].work > 0 {
            assert!(scheduler.step());
        }
        scheduler.run_for(us(300));
    }
    let share = scheduler.share(1);
    assert!((0.4..0.51).contains(&share), "{share}");
}

#[test]
fn what_one_client_leaves_the_others_share() {
    let turns = Turns::default();
    let mut scheduler = Scheduler::new(&turns);
    let light = scheduler.connect(1, 1, us(5))[0];
    let busy = [(2, 8), (3, 1)].map(|(client, count)| scheduler.connect(client, count, us(200)));
    for task in busy.concat() {
        scheduler.give(task, usize::MAX);
    }
    for _ in 0..1000 {
        scheduler.give(light, 1);
        scheduler.run_for(us(1000));
    }
    let [many, one] = [2, 3].map(|client| scheduler.share(client));
    assert!(
        (many - one).abs() < 0.02 && many + one > 0.99,
        "{many} {one}"
    );
}

#[test]
fn nobody_yields_to_a_client_that_sleeps() {
    let turns = Turns::default();
    let mut scheduler = Scheduler::new(&turns);
    let sleeper = scheduler.connect(1, 1, us(5))[0];
    scheduler.give(sleeper, 1);
    for task in scheduler.connect(2, 8, us(100)) {
        scheduler.give(task, usize::MAX);
    }
    scheduler.run_for(2 * AWAKE);
    let before = scheduler.polls;
    scheduler.run_for(us(100 * 1000));
    assert_eq!(scheduler.polls - before, 1000);
}

#[test]
fn connections_of_one_client_have_their_turns_in_order() {
    let turns = Turns::default();
    let mut scheduler = Scheduler::new(&turns);
    let other = scheduler.connect(1, 1, us(100))[0];
    scheduler.give(other, usize::MAX);
    let tasks = scheduler.connect(2, 10, us(100));
    let work = 1_000_000;
    for &task in &tasks {
        scheduler.give(task, work);
    }
    scheduler.run_for(Duration::from_secs(1));
    let done = |task: &usize| work - scheduler.tasks[task].work;
    let done: Vec<_> = tasks.iter().map(done).collect();
    let (least, most) = (done.iter().min().unwrap(), done.iter().max().unwrap());
    assert!(*least > 400 && most - least <= 2, "{done:?}");
}

#[test]
fn a_client_alone_never_yields() {
    let turns = Turns::default();
    let mut scheduler = Scheduler::new(&turns);
    for task in scheduler.connect(1, 100, us(100)) {
        scheduler.give(task, 100);
    }
    while scheduler.step() {}
    assert_eq!(scheduler.polls, 100 * 100);
}

/// A thousand busy connections do not all look whether they may run.
#[test]
fn to_yield_costs_little_however_many_connections_there_are() {
    let turns = Turns::default();
    let mut scheduler = Scheduler::new(&turns);
    let light = scheduler.connect(1, 1, us(5))[0];
    for task in scheduler.connect(2, 1000, us(80)) {
        scheduler.give(task, usize::MAX);
    }
    scheduler.run_for(Duration::from_millis(100));
    let (before, began) = (scheduler.polls, scheduler.now);
    for _ in 0..200 {
        scheduler.give(light, 1);
        scheduler.run_for(Duration::from_millis(5));
    }
    let turns = (scheduler.now - began).as_micros() / 80;
    let polls = scheduler.polls - before;
    assert!(polls as u128 <= 5 * turns, "{polls} for {turns}");
}

#[test]
fn nobody_saves_up_time() {
    let turns = Turns::default();
    let mut scheduler = Scheduler::new(&turns);
    let busy = scheduler.connect(1, 1, us(100))[0];
    let rested = scheduler.connect(2, 1, us(100))[0];
    scheduler.give(busy, usize::MAX);
    scheduler.run_for(Duration::from_secs(10));
    scheduler.give(rested, usize::MAX);
    let had = scheduler.had[&1];
    scheduler.run_for(Duration::from_millis(20));
    let since = scheduler.had[&1] - had;
    assert!(since >= Duration::from_millis(9), "{since:?}");
}

/// A connection that was sent home with its line and is asked to wait again, before it ran.
#[test]
fn who_was_sent_home_may_stand_in_line_again() {
    let turns = Turns::default();
    let woken = Woken::default();
    let wakes = Arc::clone(&woken);
    let waker = Arc::new(Wakes {
        task: 2,
        woken: wakes,
    })
    .into();
    let now = Instant::now();
    let ms = Duration::from_millis;
    let (mut first, mut second) = (Participant::new(&turns, 2), Participant::new(&turns, 2));
    let light = || {
        let mut other = Participant::new(&turns, 1);
        assert_eq!(other.ask(Waker::noop(), now), Do::Run);
        other.ran(ms(0), now);
        other
    };
    let run = |participant: &mut Participant<'_>| {
        assert_eq!(participant.ask(Waker::noop(), now), Do::Run);
        participant.ran(ms(1), now);
    };
    let other = light();
    run(&mut first);
    assert_eq!(first.ask(Waker::noop(), now), Do::Yield);
    assert_eq!(second.ask(&waker, now), Do::Wait);
    drop(other);
    run(&mut first);
    assert_eq!(std::mem::take(&mut *woken.lock().unwrap()), [2]);
    let _other = light();
    run(&mut first);
    assert_eq!(first.ask(Waker::noop(), now), Do::Yield);
    assert_eq!(second.ask(&waker, now), Do::Wait);
    run(&mut first);
    assert_eq!(*woken.lock().unwrap(), [2]);
    assert_eq!(second.ask(&waker, now), Do::Yield);
    run(&mut second);
}

proptest! {
    /// However clients come, want, go: whoever has work gets its turns, until none is left.
    #[test]
    fn nobody_is_forgotten(
        acts in prop::collection::vec((0..5_u8, 0..12_usize, 1..400_u64), 1..200)
    ) {
        let turns = Turns::default();
        let mut scheduler = Scheduler::new(&turns);
        for (act, which, time) in acts {
            match act {
                0 => {
                    scheduler.connect(which as u64 % 4, 1 + which % 3, us(time));
                }
                1 => {
                    let tasks: Vec<_> = scheduler.tasks.keys().copied().collect();
                    for task in tasks.into_iter().skip(which).step_by(3) {
                        scheduler.give(task, 1 + which);
                    }
                }
                2 => {
                    let gone = scheduler.tasks.keys().nth(which).copied();
                    gone.map(|gone| scheduler.tasks.remove(&gone));
                }
                3 => scheduler.push(which),
                _ => scheduler.run_for(us(10 * time)),
            }
        }
        let mut steps = 0;
        while scheduler.step() {
            steps += 1;
            prop_assert!(steps < 100_000);
        }
        prop_assert!(scheduler.tasks.values().all(|task| task.work == 0));
        prop_assert_eq!(scheduler.engine.work, 0);
        let ledger = turns.0.borrow();
        let clients = ledger.clients.values();
        prop_assert!(clients.into_iter().all(|c| c.line.is_empty() && c.next.is_none()));
        drop(ledger);
        scheduler.tasks.clear();
        let ledger = turns.0.borrow();
        prop_assert!(ledger.clients.is_empty() && ledger.awake.is_empty());
    }
}

/// The same by tokio: every task comes to its end, whoever is aborted before.
#[tokio::test]
async fn tasks_run_to_their_end() {
    let turns = Rc::new(Turns::default());
    let task = |n: u64| {
        let turns = Rc::clone(&turns);
        let work = async move {
            for _ in 0..20 {
                let began = Instant::now();
                while began.elapsed() < us(20 * (n % 3)) {
                    std::hint::spin_loop();
                }
                // Back to the queue, as after the end of a turn.
                let mut has_run = false;
                poll_fn(|cx| {
                    if std::mem::replace(&mut has_run, true) {
                        return Poll::Ready(());
                    }
                    cx.waker().wake_by_ref();
                    Poll::Pending
                })
                .await;
            }
            n
        };
        tokio::task::spawn_local(async move { turns.run(n % 3, work).await })
    };
    let tasks = tokio::task::LocalSet::new();
    let ended = tasks.run_until(async {
        let tasks: Vec<_> = (0..60).map(task).collect();
        tokio::task::yield_now().await;
        tasks.iter().step_by(7).for_each(|task| task.abort());
        let mut ended = 0;
        for task in tasks {
            ended += usize::from(task.await.is_ok());
        }
        ended
    });
    let ended = tokio::time::timeout(Duration::from_secs(60), ended).await;
    assert_eq!(ended.unwrap(), 60 - 9);
    assert!(turns.0.borrow().clients.is_empty());
}
