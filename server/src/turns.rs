//! Whose turn it is: clients share a worker's time, however many connections each has.
//!
//! A turn is one poll of a connection's task. Its time is charged to the client.
//!
//! ```text
//! poll ── has the client's turn another of its connections?  yes ─> waits in the client's line
//!      ── has the client had more time than one that is awake, or the engine?
//!             yes ─> yields: comes back when no task is ready and the sockets were looked at;
//!                    if nobody had a turn meanwhile, and it is the least of those who yield,
//!                    it has a spare one
//!      └─> runs; the next in the client's line is woken
//! ```
//!
//! While the engine has work its steps are turns too, unless one client is alone: a client whose
//! bytes all wait to be hashed asks for no turn, and one that always wants one would keep them
//! waiting. So nobody has more time than the engine since it began.
//!
//! A client that wakes has had as much time as whoever had least: nobody saves up. It is awake
//! for [`AWAKE`] after its last turn, since a client that keeps a worker busy is now and then
//! without bytes for a moment.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::future::poll_fn;
use std::pin::pin;
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use tokio::task::yield_now;

/// How far a client may be ahead before it yields: about one turn (http2/intake.rs), so that
/// clients that are alike have their turns without yielding.
const AHEAD_MAX: Duration = Duration::from_micros(250);

/// How long others yield to a client that says nothing.
const AWAKE: Duration = Duration::from_millis(10);

/// The turns of one worker.
#[derive(Debug, Default)]
pub(crate) struct Turns(RefCell<Ledger>);

/// Who has had how much time.
#[derive(Debug, Default)]
struct Ledger {
    /// Turns so far.
    turns: u64,
    clients: HashMap<u64, Account>,
    /// The clients that are awake, by their time.
    awake: BTreeSet<(Duration, u64)>,
    /// The time of a client that wakes.
    least: Duration,
    /// The engine's time since it began, while it has work.
    engine: Option<Duration>,
    /// Times that it began.
    engine_begun: u64,
    next_connection: u64,
}

/// A client.
#[derive(Debug)]
struct Account {
    time: Duration,
    connections: usize,
    is_awake: bool,
    /// When one of its connections last wanted a turn.
    seen: Instant,
    /// The connection whose turn is next, if one yields or was woken for it.
    next: Option<u64>,
    /// Turns when that one yielded.
    yielded: Option<u64>,
    /// Those that come after it. If there are any, there is a next one.
    line: VecDeque<(u64, Waker)>,
    /// Lines that were sent home.
    lines: u64,
    /// Time since the engine began, and which time that was.
    beside_engine: Duration,
    engine_begun: u64,
}

/// What a connection's task is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Do {
    Run,
    /// Come back when all others had their chance.
    Yield,
    /// Wait to be woken.
    Wait,
}

impl Turns {
    /// The engine has work. It never yields itself: its steps are short, and the clients have
    /// turns between them.
    pub(crate) fn engine(&self) -> EngineTurns<'_> {
        let mut ledger = self.0.borrow_mut();
        ledger.engine = Some(Duration::ZERO);
        ledger.engine_begun += 1;
        EngineTurns(self)
    }

    /// Runs `future`, which is all that a connection of `client` does, in turns.
    pub(crate) async fn run<F: Future>(&self, client: u64, future: F) -> F::Output {
        let mut future = pin!(future);
        let mut participant = Participant::new(self, client);
        loop {
            match poll_fn(|cx| Poll::Ready(participant.ask(cx.waker(), Instant::now()))).await {
                Do::Run => {}
                Do::Yield => {
                    yield_now().await;
                    continue;
                }
                Do::Wait => {
                    woken().await;
                    continue;
                }
            }
            let mut has_run = false;
            let ended = poll_fn(|cx| {
                if std::mem::replace(&mut has_run, true) {
                    // Woken: it wants another turn.
                    return Poll::Ready(None);
                }
                let began = Instant::now();
                let polled = future.as_mut().poll(cx);
                let now = Instant::now();
                participant.ran(now - began, now);
                polled.map(Some)
            });
            if let Some(output) = ended.await {
                return output;
            }
        }
    }
}

/// The engine's turns, while it has work.
pub(crate) struct EngineTurns<'a>(&'a Turns);

impl EngineTurns<'_> {
    /// A step took so long.
    pub(crate) fn ran(&self, time: Duration) {
        if let Some(had) = &mut self.0.0.borrow_mut().engine {
            *had += time;
        }
    }
}

impl Drop for EngineTurns<'_> {
    fn drop(&mut self) {
        self.0.0.borrow_mut().engine = None;
    }
}

/// Waits until the task is woken.
async fn woken() {
    let mut waits = false;
    poll_fn(|_| {
        if std::mem::replace(&mut waits, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

/// A connection's place among the turns, until it is dropped.
struct Participant<'a> {
    turns: &'a Turns,
    client: u64,
    connection: u64,
    /// The line in which it waits, if that one is still there.
    line: Option<u64>,
    /// Turns when it yielded.
    yielded: Option<u64>,
}

impl<'a> Participant<'a> {
    fn new(turns: &'a Turns, client: u64) -> Self {
        let mut ledger = turns.0.borrow_mut();
        let account = ledger.clients.entry(client).or_insert_with(Account::new);
        account.connections += 1;
        ledger.next_connection += 1;
        Self {
            turns,
            client,
            connection: ledger.next_connection,
            line: None,
            yielded: None,
        }
    }

    /// Asks for a turn. `waker` wakes the task that waits for it.
    fn ask(&mut self, waker: &Waker, now: Instant) -> Do {
        let mut ledger = self.turns.0.borrow_mut();
        let Some(account) = ledger.clients.get_mut(&self.client) else {
            return Do::Run;
        };
        if account.next.is_some_and(|next| next != self.connection) {
            if self.line.replace(account.lines) != Some(account.lines) {
                account.line.push_back((self.connection, waker.clone()));
            }
            return Do::Wait;
        }
        self.line = None;
        account.next = Some(self.connection);
        if ledger.may_run(self.client, self.yielded, now) {
            self.yielded = None;
            return Do::Run;
        }
        self.yielded = Some(ledger.turns);
        Do::Yield
    }

    /// A turn took so long.
    fn ran(&self, time: Duration, now: Instant) {
        let mut ledger = self.turns.0.borrow_mut();
        ledger.charge(self.client, time, now);
        ledger.pass_on(self.client);
    }
}

impl Drop for Participant<'_> {
    fn drop(&mut self) {
        let mut ledger = self.turns.0.borrow_mut();
        let ledger = &mut *ledger;
        let Some(account) = ledger.clients.get_mut(&self.client) else {
            return;
        };
        account.connections -= 1;
        if account.connections == 0 {
            ledger.awake.remove(&(account.time, self.client));
            ledger.clients.remove(&self.client);
        } else if account.next == Some(self.connection) {
            ledger.pass_on(self.client);
        } else if self.line.is_some() {
            account.line.retain(|(id, _)| *id != self.connection);
        }
    }
}

impl Account {
    fn new() -> Self {
        Self {
            time: Duration::ZERO,
            connections: 0,
            is_awake: false,
            seen: Instant::now(),
            next: None,
            yielded: None,
            line: VecDeque::new(),
            lines: 0,
            beside_engine: Duration::ZERO,
            engine_begun: 0,
        }
    }
}

impl Ledger {
    /// Whether `client` may have a turn; if not it yields. Its connection `yielded` at this
    /// number of turns before.
    fn may_run(&mut self, client: u64, yielded: Option<u64>, now: Instant) -> bool {
        let Some(account) = self.clients.get_mut(&client) else {
            return true;
        };
        account.seen = now;
        if !std::mem::replace(&mut account.is_awake, true) {
            account.time = account.time.max(self.least);
            self.awake.insert((account.time, client));
        }
        let time = account.time;
        // Nobody had a turn since it yielded: nobody who should be before it is ready.
        let is_spare = yielded == Some(self.turns);
        if is_spare {
            self.forget_sleepers(time, now);
        }
        let waits_for_engine = self.waits_for_engine(client);
        let waits_for_client = time > self.least_awake() + AHEAD_MAX
            && !(is_spare && self.is_first_of_those_who_yield(client));
        if !waits_for_engine && !waits_for_client {
            return true;
        }
        if let Some(account) = self.clients.get_mut(&client) {
            account.yielded = Some(self.turns);
        }
        false
    }

    /// Whether the engine has work, perhaps of others, and has had less time than `client` since it
    /// began.
    fn waits_for_engine(&mut self, client: u64) -> bool {
        let is_alone = self.clients.len() <= 1;
        let (Some(had), Some(account)) = (self.engine, self.clients.get_mut(&client)) else {
            return false;
        };
        if account.engine_begun != self.engine_begun {
            account.engine_begun = self.engine_begun;
            account.beside_engine = Duration::ZERO;
        }
        if is_alone {
            // What it took from nobody it does not owe.
            account.beside_engine = account.beside_engine.min(had);
        }
        // Nobody saves up.
        account.beside_engine = account.beside_engine.max(had.saturating_sub(AHEAD_MAX));
        account.beside_engine > had + AHEAD_MAX
    }

    /// The time of the client that is awake and has had the least.
    fn least_awake(&self) -> Duration {
        let first = self.awake.first();
        first.map_or(self.least, |(least, _)| *least)
    }

    /// Nobody yields any more to clients that were not seen lately, of those with less than
    /// `time`.
    fn forget_sleepers(&mut self, time: Duration, now: Instant) {
        while let Some(&(least, client)) = self.awake.first()
            && least < time
            && let Some(account) = self.clients.get_mut(&client)
            && now.saturating_duration_since(account.seen) >= AWAKE
        {
            account.is_awake = false;
            self.awake.pop_first();
        }
    }

    fn is_first_of_those_who_yield(&self, client: u64) -> bool {
        let yields = |other: &u64| {
            let account = self.clients.get(other);
            account.is_some_and(|account| account.yielded == Some(self.turns))
        };
        let mut others = self.awake.iter().map(|(_, other)| other);
        others.find(|other| **other == client || yields(other)) == Some(&client)
    }

    fn charge(&mut self, client: u64, time: Duration, now: Instant) {
        self.turns += 1;
        if let Some(account) = self.clients.get_mut(&client) {
            self.awake.remove(&(account.time, client));
            account.time += time;
            account.beside_engine += time;
            account.seen = now;
            self.awake.insert((account.time, client));
        }
        self.least = self.least.max(self.least_awake());
    }

    /// The turn of the client's connection is over, or will never be: the next one's is next.
    fn pass_on(&mut self, client: u64) {
        let waits_for_nobody = self.engine.is_none() || self.clients.len() <= 1;
        let is_alone = self.awake.len() <= 1 && waits_for_nobody;
        if let Some(account) = self.clients.get_mut(&client) {
            account.yielded = None;
            account.next = None;
            if is_alone {
                // Nobody has to wait for a turn.
                account.lines += 1;
                account.line.drain(..).for_each(|(_, waker)| waker.wake());
            } else if let Some((next, waker)) = account.line.pop_front() {
                account.next = Some(next);
                waker.wake();
            }
        }
    }
}

#[cfg(test)]
mod tests;
