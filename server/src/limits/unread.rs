//! Answers that clients have not read, and which connections to cut when there are too many.
//!
//! Calls hand their answers to HTTP/2 only as far as the client's windows and the socket take them
//! (http2/stream.rs). Two bounds apply to what is left:
//!
//! - time: if the socket takes nothing for `part_idle_timeout`, the connection is closed
//!   (http2/connection.rs), and if a window stays closed as long, the call ends (call/life.rs);
//! - bytes: `unread_bytes_max` bounds the answers of all clients, in calls and in HTTP/2.
//!
//! All answers are counted, even beyond the bound. Beyond it, connections are cut until the cut
//! ones hold the excess: first the client that holds most, and of its connections those that hold
//! most. A client that reads holds almost nothing.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{
    AtomicUsize,
    Ordering::{AcqRel, Acquire},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use slab::Slab;
use tokio::sync::Notify;

use crate::client::Client;
use crate::limiter::Budget;

/// The bit of [`Holder::held`] that says that the connection is cut.
const CUT: usize = !(usize::MAX >> 1);

/// The unread answers of all connections.
#[derive(Debug)]
pub(crate) struct Unread {
    pub(crate) budget: Arc<Budget>,
    holders: Mutex<Slab<Arc<Holder>>>,
    /// Bytes of connections that were cut and have not closed yet.
    cut_bytes: AtomicUsize,
}

/// A connection that holds unread answers.
#[derive(Debug)]
struct Holder {
    /// The key of its client, the same for all of its connections.
    client: usize,
    /// Its bytes, and [`CUT`]: one value, so that its bytes count as cut from one moment on.
    held: AtomicUsize,
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
            cut_bytes: AtomicUsize::new(0),
        })
    }

    /// A new holding for a connection of `client`.
    pub(crate) fn hold(self: &Arc<Self>, client: &Client) -> Holding {
        self.hold_as(std::ptr::from_ref(client).addr())
    }

    fn hold_as(self: &Arc<Self>, client: usize) -> Holding {
        let holder = Arc::new(Holder {
            client,
            held: AtomicUsize::new(0),
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

    /// Bytes beyond the bound that no cut connection holds.
    fn excess(&self) -> usize {
        let excess = self.budget.used().saturating_sub(self.budget.max());
        excess.saturating_sub(self.cut_bytes.load(Acquire))
    }

    /// Cuts connections until the cut ones hold the excess.
    fn relieve(&self) {
        let holders = self.holders();
        if self.excess() == 0 {
            // Another thread has done it.
            return;
        }
        let held = holders
            .iter()
            .map(|(_, holder)| (holder.held.load(Acquire), holder));
        let held: Vec<_> = held.filter(|(held, _)| held & !CUT > 0).collect();
        let mut of_client = HashMap::<usize, usize>::new();
        for (held, holder) in &held {
            *of_client.entry(holder.client).or_default() += held & !CUT;
        }
        let mut left: Vec<_> = held.iter().filter(|(held, _)| held & CUT == 0).collect();
        left.sort_by_key(|(bytes, holder)| (of_client[&holder.client], holder.client, *bytes));
        // Read each time, because other threads charge and release meanwhile.
        while self.excess() > 0
            && let Some((_, holder)) = left.pop()
        {
            let bytes = holder.held.fetch_or(CUT, AcqRel);
            self.cut_bytes.fetch_add(bytes, AcqRel);
            holder.cut.notify_one();
        }
    }
}

/// Each change is made in the order in which the excess seems too small in between, never too
/// large, and then the excess is read: no connection is cut needlessly. A cut that meets a `credit`
/// of the same connection may leave an excess; the next charge beyond the bound finds it.
impl Holding {
    /// Counts answers that wait, here or in HTTP/2. Cuts connections if the sum exceeds the bound.
    fn charge(&self, bytes: usize) {
        if self.holder.held.fetch_add(bytes, AcqRel) & CUT != 0 {
            self.unread.cut_bytes.fetch_add(bytes, AcqRel);
        }
        self.unread.budget.overdraw(bytes);
        self.relieve();
    }

    /// Releases bytes that `charge` counted.
    fn credit(&self, bytes: usize) {
        self.unread.budget.credit(bytes);
        if self.holder.held.fetch_sub(bytes, AcqRel) & CUT != 0 {
            self.unread.cut_bytes.fetch_sub(bytes, AcqRel);
            self.relieve();
        }
    }

    fn relieve(&self) {
        if self.unread.excess() > 0 {
            self.unread.relieve();
        }
    }

    fn bytes(&self) -> usize {
        self.holder.held.load(Acquire) & !CUT
    }

    /// Ready when the connection must close.
    pub(crate) async fn cut(&self) {
        self.holder.cut.notified().await;
    }
}

/// Waiting answers of one call or of HTTP/2, counted for their connection until this is dropped.
#[derive(Debug)]
pub(crate) struct Waiting {
    holding: Rc<Holding>,
    bytes: usize,
}

impl Waiting {
    /// Starts with no bytes.
    pub(crate) fn new(holding: &Rc<Holding>) -> Self {
        Self {
            holding: Rc::clone(holding),
            bytes: 0,
        }
    }

    /// Sets the number of waiting bytes.
    pub(crate) fn set(&mut self, bytes: usize) {
        let before = std::mem::replace(&mut self.bytes, bytes);
        if bytes > before {
            self.holding.charge(bytes - before);
        } else if bytes < before {
            self.holding.credit(before - bytes);
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.set(0);
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.credit(self.bytes());
        self.unread.holders().try_remove(self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut<const N: usize>(of: [&Holding; N]) -> [bool; N] {
        of.map(|holding| holding.holder.held.load(Acquire) & CUT != 0)
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
        honest.charge(490);
        assert_eq!((unread.budget.used(), cut([&honest])), (1001, [true]));
    }

    /// Nobody comes back to it if all clients are silent from then on.
    #[test]
    fn connections_that_hold_more_are_cut_while_others_close() {
        let unread = Unread::new(1000);
        let [first, second, honest] = [1, 2, 3].map(|client| unread.hold_as(client));
        honest.charge(10);
        first.charge(1001);
        second.charge(100_000);
        assert_eq!(cut([&first, &second, &honest]), [true, true, false]);
        // What the cut ones still receive is theirs.
        first.charge(1000);
        drop(second);
        assert_eq!(cut([&honest]), [false]);
        assert_eq!(unread.budget.used(), 2011);
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
    fn answers_wait_until_they_are_dropped() {
        let holding = Rc::new(Unread::new(1000).hold_as(1));
        let [mut one, mut two] = [(); 2].map(|()| Waiting::new(&holding));
        one.set(900);
        two.set(70);
        two.set(50);
        assert_eq!(holding.bytes(), 950);
        drop(one);
        assert_eq!(holding.bytes(), 50);
        drop(two);
        assert_eq!(holding.bytes(), 0);
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
