//! Decides what the worker's loop runs next. The schedule reads no clock: the caller passes
//! measured times, so tests use a fake clock.
//!
//! ```text
//! work for SLICE since the last poll?       yes ─> poll the sockets
//! a connection is ready?                    ─> run that of the client with the least time, unless
//!     the engine's backlog is high, or the engine is a slice behind that client
//!                                           ─> a step of the engine
//! the engine has ready jobs?                ─> a step of the engine, unless
//!     its lanes are not full, and more jobs are likely
//!                                           ─> poll the sockets once, then wait for lanes
//! nothing is ready?                         ─> sleep until a socket or a timer wakes a connection
//! ```
//!
//! So all ready connections fill the lanes before the engine steps, up to a backlog that fits into
//! the cache (limits/backlog.rs). While the backlog is high, no connection can read.
//!
//! Clients share the worker's time equally, regardless of their number of connections: a turn is
//! one poll of a connection, and its time is charged to the client. Connections of one client run
//! in the order in which they became ready. The engine is charged for its steps in the same way, so
//! a client that is always ready cannot stop the engine from hashing other clients' bytes.
//!
//! The clock of the schedule is the virtual time of fair queueing: it advances by the time of a
//! turn divided by the number of ready clients, and stays between their least and their most used
//! time. A new client starts at the clock. A client that becomes ready after a pause starts at most
//! [`CREDIT`] behind the clock: it keeps its place across short pauses, and gains no more from long
//! ones.
//!
//! Why a lone client steps the engine only after a millisecond of turns: only its own users wait,
//! and equal shares cost 7% over TLS and 57% on 1,000 connections (docs/measurements.md,
//! Alternatives that were measured).

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use slab::Slab;

use crate::hashing::EngineLoad;
use crate::metrics::counters::StepReason;

/// Work between two polls of the sockets. A turn or a step takes about as long at most, so no
/// socket waits for more than three times this.
const SLICE: Duration = Duration::from_micros(200);

/// Time of turns after which the engine steps although the lone client still has ready connections.
const UNSTEPPED_MAX: Duration = Duration::from_millis(1);

/// How far a client that was not ready may start behind the clock.
const CREDIT: Duration = Duration::from_millis(2);

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Run the connection with this key.
    Run(usize),
    /// Step the engine.
    Step(StepReason),
    /// Wait for more lanes if the plan says that waiting pays; otherwise step the engine.
    WaitForLanes,
    /// Poll the sockets and the timers.
    Poll,
    /// Nothing is ready.
    Sleep,
}

/// A client's place in the schedule.
#[derive(Debug)]
struct Account {
    client: u64,
    used: Duration,
    connections: usize,
    /// Keys of the client's ready connections, in order.
    ready: VecDeque<usize>,
}

/// The schedule of one worker.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    accounts: Slab<Account>,
    by_client: HashMap<u64, usize>,
    /// Accounts with a ready connection, ordered by used time.
    ready: BTreeSet<(Duration, usize)>,
    clock: Duration,
    /// Time the engine used, and whether it had ready jobs at the last call of `next`.
    engine: Duration,
    engine_was_ready: bool,
    /// Time of turns since the last step, while the engine has ready jobs.
    unstepped: Duration,
    /// Time worked since the last poll of the sockets.
    worked: Duration,
    /// True if the sockets were polled and nothing has run since.
    has_polled: bool,
}

impl Schedule {
    /// A connection of `client` opens. Returns its account.
    pub(super) fn open(&mut self, client: u64) -> usize {
        let accounts = &mut self.accounts;
        let clock = self.clock;
        let account = *self.by_client.entry(client).or_insert_with(|| {
            accounts.insert(Account {
                client,
                used: clock,
                connections: 0,
                ready: VecDeque::new(),
            })
        });
        accounts[account].connections += 1;
        account
    }

    /// A connection that is not ready closes.
    pub(super) fn close(&mut self, account: usize) {
        let entry = &mut self.accounts[account];
        entry.connections -= 1;
        if entry.connections == 0 {
            self.by_client.remove(&entry.client);
            self.accounts.remove(account);
        }
    }

    /// A connection that is not ready becomes ready.
    pub(super) fn ready(&mut self, account: usize, connection: usize) {
        let entry = &mut self.accounts[account];
        entry.ready.push_back(connection);
        if entry.ready.len() == 1 {
            entry.used = entry.used.max(self.clock.saturating_sub(CREDIT));
            self.ready.insert((entry.used, account));
        }
    }

    /// Whether a connection is ready.
    pub(super) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// A connection of `account` ran.
    pub(super) fn charge(&mut self, account: usize, took: Duration) {
        self.worked += took;
        self.unstepped += took;
        let entry = &mut self.accounts[account];
        let before = entry.used;
        entry.used += took;
        if !entry.ready.is_empty() {
            self.ready.remove(&(before, account));
            self.ready.insert((entry.used, account));
        }
        // New clients start at the clock. If the clock stood still while they arrive, they would
        // all run before a client that was charged meanwhile.
        let (used, is_ready) = (entry.used, !entry.ready.is_empty());
        let clients = self.ready.len() + usize::from(!is_ready);
        let most = self.ready.last().map_or(used, |(last, _)| used.max(*last));
        let clock = self.clock + took / u32::try_from(clients).unwrap_or(u32::MAX);
        self.clock = self.clock.max(clock.min(most));
    }

    /// Charges the engine for a step. Its account stays within two slices of the clock, so steps made
    /// while no connection was ready do not delay later steps.
    pub(super) fn charge_engine(&mut self, took: Duration) {
        self.worked += took;
        self.has_polled = false;
        self.unstepped = Duration::ZERO;
        self.engine = (self.engine + took).min(self.clock + 2 * SLICE);
    }

    /// The worker slept for lanes, so sockets may have become readable.
    pub(super) fn waited(&mut self) {
        self.has_polled = false;
    }

    /// Returns what to do next. A connection that is returned is no longer ready.
    pub(super) fn next(&mut self, engine: EngineLoad, is_draining: bool) -> Next {
        if self.worked >= SLICE {
            return self.poll();
        }
        if engine.is_ready && !self.engine_was_ready {
            self.engine = self.engine.max(self.clock);
            self.unstepped = Duration::ZERO;
        }
        self.engine_was_ready = engine.is_ready;
        if let Some((used, account)) = self.ready.first().copied() {
            // With a lone client, only its own users wait.
            let engine_is_late = if self.accounts.len() > 1 {
                self.engine + SLICE <= used
            } else {
                self.unstepped >= UNSTEPPED_MAX
            };
            if !engine.is_ready || !engine.is_high && !engine_is_late {
                return self.take(used, account);
            }
        }
        match engine {
            _ if !engine.is_ready => Next::Sleep,
            _ if engine.is_full => Next::Step(StepReason::Full),
            _ if is_draining => Next::Step(StepReason::Drain),
            _ if !engine.expects_more || !self.ready.is_empty() => Next::Step(StepReason::Idle),
            _ if !self.has_polled => self.poll(),
            _ => Next::WaitForLanes,
        }
    }

    fn poll(&mut self) -> Next {
        self.worked = Duration::ZERO;
        self.has_polled = true;
        Next::Poll
    }

    fn take(&mut self, used: Duration, account: usize) -> Next {
        self.clock = self.clock.max(used);
        self.has_polled = false;
        let entry = &mut self.accounts[account];
        let connection = entry.ready.pop_front();
        if entry.ready.is_empty() {
            self.ready.remove(&(used, account));
        }
        // An account in the set has a ready connection.
        connection.map_or(Next::Sleep, Next::Run)
    }
}

#[cfg(test)]
mod tests;
