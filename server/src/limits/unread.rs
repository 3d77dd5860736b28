//! Answers that clients have not read, and which connections to cut when there are too many.
//!
//! All answers are counted, even beyond the bound. Beyond it, connections are cut until the cut
//! ones hold the excess: first the client that holds most, and of its connections those that hold
//! most. A client that reads holds almost nothing.

use std::collections::HashMap;
use std::sync::atomic::{
    AtomicBool, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use slab::Slab;
use tokio::sync::Notify;

use crate::client::Client;
use crate::limiter::Budget;

/// Beyond the bound, all connections are examined once per interval, not for each answer.
const LOOK_INTERVAL: Duration = Duration::from_millis(1);

/// The unread answers of all connections.
#[derive(Debug)]
pub(crate) struct Unread {
    pub(crate) budget: Arc<Budget>,
    holders: Mutex<Slab<Arc<Holder>>>,
    /// When all holders were last examined.
    looked: Mutex<Option<Instant>>,
}

/// A connection that holds unread answers.
#[derive(Debug)]
struct Holder {
    /// The key of its client, the same for all of its connections.
    client: usize,
    bytes: AtomicUsize,
    is_cut: AtomicBool,
    cut: Notify,
}

/// The unread answers of one connection, until dropped.
#[derive(Debug)]
pub(crate) struct Holding {
    unread: Arc<Unread>,
    holder: Arc<Holder>,
    key: usize,
}

impl Unread {
    /// Allows at most `max` bytes.
    pub(crate) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self {
            budget: Budget::new(max),
            holders: Mutex::default(),
            looked: Mutex::default(),
        })
    }

    /// A new holding for a connection of `client`.
    pub(crate) fn hold(self: &Arc<Self>, client: &Client) -> Holding {
        self.hold_as(std::ptr::from_ref(client).addr())
    }

    fn hold_as(self: &Arc<Self>, client: usize) -> Holding {
        let holder = Arc::new(Holder {
            client,
            bytes: AtomicUsize::new(0),
            is_cut: AtomicBool::new(false),
            cut: Notify::new(),
        });
        let key = self.holders().insert(Arc::clone(&holder));
        Holding {
            unread: Arc::clone(self),
            holder,
            key,
        }
    }

    fn holders(&self) -> MutexGuard<'_, Slab<Arc<Holder>>> {
        // No code that can panic runs under the lock.
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cuts connections, unless the cut ones already hold the excess.
    fn relieve(&self) {
        // A thread that holds the lock does it for this one.
        let Ok(mut looked) = self.looked.try_lock() else {
            return;
        };
        if looked.is_some_and(|at| at.elapsed() < LOOK_INTERVAL) {
            return;
        }
        *looked = Some(Instant::now());
        let holders = self.holders();
        let held = holders.iter().map(|(_, holder)| {
            let bytes = holder.bytes.load(Acquire);
            (bytes, holder.is_cut.load(Relaxed), holder)
        });
        let held: Vec<_> = held.filter(|(bytes, ..)| *bytes > 0).collect();
        // Read last, so that the excess does not contain bytes that a holder was seen to release.
        let excess = self.budget.used().saturating_sub(self.budget.max());
        let cut = held.iter().filter(|(_, is_cut, _)| *is_cut);
        let mut missing = excess.saturating_sub(cut.map(|(bytes, ..)| bytes).sum());
        if missing == 0 {
            return;
        }
        let mut of_client = HashMap::<usize, usize>::new();
        for (bytes, _, holder) in &held {
            *of_client.entry(holder.client).or_default() += bytes;
        }
        let mut left: Vec<_> = held.iter().filter(|(_, is_cut, _)| !is_cut).collect();
        left.sort_by_key(|(bytes, _, holder)| (of_client[&holder.client], holder.client, *bytes));
        while missing > 0
            && let Some((bytes, _, holder)) = left.pop()
        {
            holder.is_cut.store(true, Relaxed);
            holder.cut.notify_one();
            missing = missing.saturating_sub(*bytes);
        }
    }
}

impl Holding {
    /// Counts answers that wait, here or in HTTP/2. Cuts connections if the sum exceeds the bound.
    pub(crate) fn charge(&self, bytes: usize) {
        self.unread.budget.overdraw(bytes);
        self.holder.bytes.fetch_add(bytes, Relaxed);
        if self.unread.budget.used() > self.unread.budget.max() {
            self.unread.relieve();
        }
    }

    /// Releases bytes that `charge` counted.
    pub(crate) fn credit(&self, bytes: usize) {
        // In this order, so that `relieve` sees released bytes.
        self.unread.budget.credit(bytes);
        self.holder.bytes.fetch_sub(bytes, Release);
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.holder.bytes.load(Relaxed)
    }

    /// Ready when the connection must close.
    pub(crate) async fn cut(&self) {
        self.holder.cut.notified().await;
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.credit(self.holder.bytes.load(Relaxed));
        self.unread.holders().try_remove(self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut<const N: usize>(of: [&Holding; N]) -> [bool; N] {
        of.map(|holding| holding.holder.is_cut.load(Relaxed))
    }

    #[test]
    fn whoever_holds_most_is_cut_and_nobody_after_it() {
        let unread = Unread::new(1000);
        let [honest, worst, other] = [1, 2, 3].map(|client| unread.hold_as(client));
        honest.charge(10);
        worst.charge(700);
        other.charge(290);
        assert_eq!(cut([&honest, &worst, &other]), [false; 3]);
        honest.charge(1);
        assert_eq!(cut([&honest, &worst, &other]), [false, true, false]);
        // The cut connection still holds its bytes, and will soon release them.
        honest.charge(500);
        assert_eq!(cut([&honest, &worst, &other]), [false, true, false]);
        drop((worst, other));
        // There is no other look within the interval.
        std::thread::sleep(LOOK_INTERVAL);
        honest.charge(490);
        assert_eq!((unread.budget.used(), cut([&honest])), (1001, [true]));
    }

    /// No connection holds much: spreading answers over connections does not help a client.
    #[test]
    fn of_the_client_that_holds_most_as_many_as_it_takes_are_cut() {
        let unread = Unread::new(1000);
        let spread: Vec<Holding> = (0..99).map(|_| unread.hold_as(7)).collect();
        spread.iter().for_each(|holding| holding.charge(10));
        let honest = unread.hold_as(8);
        honest.charge(45);
        let counted = spread.iter().filter(|holding| cut([holding]) == [true]);
        assert_eq!((counted.count(), cut([&honest])), (4, [false]));
    }

    #[test]
    fn what_is_held_is_given_back_and_counted_beyond_the_bound() {
        let unread = Unread::new(100);
        let holding = unread.hold_as(1);
        holding.charge(90);
        holding.credit(40);
        holding.charge(200);
        assert_eq!(unread.budget.used(), 250);
        drop(holding);
        assert_eq!(unread.budget.used(), 0);
        assert!(unread.holders().is_empty());
    }
}
