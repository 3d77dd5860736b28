//! The worker's loop gives time to connections and to the engine.
//!
//! ```text
//! loop:  woken connections ──> schedule.rs
//!        the schedule says:    run a connection    one poll of its future
//!                              step the engine     digests wake their connections
//!                              wait for lanes      the whole worker sleeps for about 100 us
//!                              poll                tokio looks at sockets and timers
//!                              sleep               until a waker fires
//! ```
//!
//! A connection's future does all its work: TLS handshake, HTTP/2, calls and timers. Its waker puts
//! it into the loop's inbox, from any thread.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use futures_util::future::LocalBoxFuture;
use slab::Slab;
use tokio::sync::Notify;
use tokio::task::yield_now;

use super::busy_poll::BusyPoll;
use super::schedule::{Next, Schedule};
use crate::hashing::{EngineLoad, Lanes};
use crate::metrics::counters::StepReason;
use crate::metrics::thread::cpu_time;
use crate::ready::{Entry, ReadyQueue};

/// The connections of one worker.
#[derive(Default)]
pub(crate) struct EventLoop {
    connections: RefCell<Slab<Rc<Connection>>>,
    schedule: RefCell<Schedule>,
    busy_poll: RefCell<BusyPoll>,
    /// Woken connections that the schedule does not know yet.
    woken: Arc<ReadyQueue>,
    /// The last connection has ended.
    emptied: Notify,
    /// The engine panicked.
    broken: Notify,
    is_broken: Cell<bool>,
    /// The worker takes no new calls, so no more jobs are likely.
    is_draining: Cell<bool>,
}

struct Connection {
    /// `None` after the connection has ended.
    future: RefCell<Option<LocalBoxFuture<'static, ()>>>,
    /// Number of the client to charge. The connection sets it.
    owner: Rc<Cell<u64>>,
    /// The client charged now, and its account in the schedule.
    client: Cell<u64>,
    account: Cell<usize>,
    entry: Arc<Entry>,
    waker: Waker,
}

impl EventLoop {
    /// Adds the connection that `begin` returns. Its turns are charged to `client`, until the
    /// connection puts the number of another client into the cell that it gets.
    pub(crate) fn spawn<F>(&self, client: u64, begin: impl FnOnce(Rc<Cell<u64>>) -> F)
    where
        F: Future<Output = ()> + 'static,
    {
        let owner = Rc::new(Cell::new(client));
        let future: LocalBoxFuture<'static, ()> = Box::pin(begin(Rc::clone(&owner)));
        let account = self.schedule.borrow_mut().open(client);
        let mut connections = self.connections.borrow_mut();
        let place = connections.vacant_entry();
        let entry = self.woken.add(place.key());
        let waker = Waker::from(Arc::clone(&entry));
        place.insert(Rc::new(Connection {
            future: RefCell::new(Some(future)),
            owner,
            client: Cell::new(client),
            account: Cell::new(account),
            entry,
            waker,
        }));
    }

    /// Number of open connections.
    pub(crate) fn len(&self) -> usize {
        self.connections.borrow().len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.connections.borrow().is_empty()
    }

    /// Ready when the last connection has ended.
    pub(crate) async fn emptied(&self) {
        while !self.is_empty() {
            self.emptied.notified().await;
        }
    }

    /// Ready when the engine has panicked.
    pub(crate) async fn broken(&self) {
        self.broken.notified().await;
    }

    /// From now on the engine steps without waiting for more jobs.
    pub(crate) fn drain(&self) {
        self.is_draining.set(true);
    }

    /// Drops all connections.
    pub(crate) fn clear(&self) {
        let connections = std::mem::take(&mut *self.connections.borrow_mut());
        for (_, connection) in connections {
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(connection.future.take())));
            if dropped.is_err() {
                tracing::error!("a connection panicked as it was cut");
            }
        }
        *self.schedule.borrow_mut() = Schedule::default();
    }

    /// Runs connections and the engine. After a panic of the engine, connections continue without
    /// it, to send errors to their clients.
    pub(crate) async fn run(&self, lanes: &RefCell<Lanes>) {
        let mut now = Instant::now();
        loop {
            self.take_woken();
            let engine = self.engine_load(lanes);
            let is_draining = self.is_draining.get();
            let next = self.schedule.borrow_mut().next(engine, is_draining);
            match next {
                Next::Run(key) => {
                    lanes
                        .borrow_mut()
                        .set_others_ready(self.schedule.borrow().has_ready());
                    now = self.turn(key, now);
                }
                Next::Step(reason) => now = self.step(lanes, reason, now),
                Next::WaitForLanes => {
                    if lanes.borrow_mut().wait(now) {
                        self.schedule.borrow_mut().waited();
                        now = Instant::now();
                    } else {
                        now = self.step(lanes, StepReason::Idle, now);
                    }
                }
                Next::Poll => now = self.poll(lanes).await,
                Next::Sleep => {
                    if lanes.borrow_mut().check() {
                        now = Instant::now();
                    } else if !is_draining && lanes.borrow_mut().wait_idle(now) {
                        now = self.poll(lanes).await;
                    } else {
                        self.sleep(now).await;
                        let since = std::mem::replace(&mut now, Instant::now());
                        lanes.borrow_mut().idled(now - since);
                    }
                }
            }
        }
    }

    /// Polls the sockets and the timers.
    async fn poll(&self, lanes: &RefCell<Lanes>) -> Instant {
        lanes.borrow_mut().publish();
        yield_now().await;
        lanes.borrow_mut().check();
        Instant::now()
    }

    fn engine_load(&self, lanes: &RefCell<Lanes>) -> EngineLoad {
        lanes.borrow().load().unwrap_or_else(|| {
            if !self.is_broken.replace(true) {
                self.broken.notify_one();
            }
            EngineLoad::default()
        })
    }

    fn step(&self, lanes: &RefCell<Lanes>, reason: StepReason, began: Instant) -> Instant {
        let now = lanes.borrow_mut().step(reason, began);
        self.schedule.borrow_mut().charge_engine(now - began);
        now
    }

    /// Polls a connection once.
    fn turn(&self, key: usize, began: Instant) -> Instant {
        let Some(connection) = self.connections.borrow().get(key).map(Rc::clone) else {
            return began;
        };
        connection.entry.begin();
        let mut future = connection.future.borrow_mut();
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let cx = &mut Context::from_waker(&connection.waker);
            let polled = future.as_mut().map(|future| future.as_mut().poll(cx));
            let has_ended = polled.is_none_or(|polled| polled.is_ready());
            if has_ended {
                *future = None;
            }
            has_ended
        }));
        let now = Instant::now();
        let mut schedule = self.schedule.borrow_mut();
        schedule.charge(connection.account.get(), now - began);
        let has_ended = polled.unwrap_or_else(|_| {
            tracing::error!("a connection task panicked");
            true
        });
        if has_ended {
            schedule.close(connection.account.get());
            let mut connections = self.connections.borrow_mut();
            connections.remove(key);
            if connections.is_empty() {
                self.emptied.notify_one();
            }
        } else if connection.owner.get() != connection.client.get() {
            schedule.close(connection.account.get());
            let client = connection.owner.get();
            connection.account.set(schedule.open(client));
            connection.client.set(client);
        }
        now
    }

    /// Tells the schedule which connections were woken.
    fn take_woken(&self) {
        let woken = self.woken.take();
        if woken.is_empty() {
            return;
        }
        let connections = self.connections.borrow();
        let mut schedule = self.schedule.borrow_mut();
        for entry in woken {
            // The key of an ended connection may belong to another connection now.
            if let Some(connection) = connections.get(entry.key)
                && Arc::ptr_eq(&connection.entry, &entry)
            {
                schedule.ready(connection.account.get(), entry.key);
            }
        }
    }

    /// Polls the sockets for a moment if that pays, then sleeps, until a connection is woken.
    async fn sleep(&self, since: Instant) {
        let polling = self.busy_poll.borrow_mut().begin();
        if let Some(longest) = polling {
            while self.woken.is_empty() && since.elapsed() < longest {
                yield_now().await;
            }
            let has_found = !self.woken.is_empty();
            self.busy_poll.borrow_mut().end(has_found);
            if has_found {
                return;
            }
        }
        let before = self.busy_poll.borrow_mut().is_measured().then(cpu_time);
        self.woken().await;
        if let Some(before) = before {
            let cost = cpu_time().saturating_sub(before);
            self.busy_poll.borrow_mut().slept(cost);
        }
    }

    /// Sleeps until a connection is woken.
    async fn woken(&self) {
        poll_fn(|cx| {
            self.woken.register(cx.waker());
            if self.woken.is_empty() {
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
    }
}

#[cfg(test)]
mod tests;
