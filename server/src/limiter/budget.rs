//! A limit of an amount in use: permits take from it, and release on drop.
//!
//! Why one count for all workers: bounds divided among workers are tiny on 64 cores, and refuse
//! honest calls while other workers have room. The maximum of a share is atomic, so SIGHUP changes
//! it for connected clients. Unread answers and probes have no shares.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A maximum, and the amount in use.
///
/// A share takes from itself and from its parent budget, so it bounds a client and also counts for
/// the process. Any thread may take.
#[derive(Debug)]
pub(crate) struct Budget {
    max: AtomicUsize,
    used: AtomicUsize,
    of: Option<Arc<Budget>>,
}

impl Budget {
    /// An unused budget of `max`.
    pub(crate) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self {
            max: AtomicUsize::new(max),
            used: AtomicUsize::new(0),
            of: None,
        })
    }

    /// A share of `budget`, of at most `max`.
    pub(crate) fn share(budget: &Arc<Self>, max: usize) -> Arc<Self> {
        Arc::new(Self {
            max: AtomicUsize::new(max),
            used: AtomicUsize::new(0),
            of: Some(Arc::clone(budget)),
        })
    }

    /// The maximum.
    pub(crate) fn max(&self) -> usize {
        self.max.load(Relaxed)
    }

    /// Sets the maximum. Permits stay valid, even if they exceed it.
    pub(crate) fn set_max(&self, max: usize) {
        self.max.store(max, Relaxed);
    }

    /// Whether this share has no room for `amount` more, while its parent budget has room.
    pub(crate) fn is_own_limit(&self, amount: usize) -> bool {
        let has_room = |budget: &Self| {
            let used = budget.used().checked_add(amount);
            used.is_some_and(|used| used <= budget.max())
        };
        !has_room(self) && self.of.as_ref().is_some_and(|of| has_room(of))
    }

    /// The amount in use.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Takes `amount`, unless it is more than the rest.
    pub(crate) fn take(self: &Arc<Self>, amount: usize) -> Option<Permit> {
        self.charge(amount).then(|| Permit {
            budget: Arc::clone(self),
            amount,
        })
    }

    /// An empty permit, which can grow.
    pub(crate) fn nothing(self: &Arc<Self>) -> Permit {
        Permit {
            budget: Arc::clone(self),
            amount: 0,
        }
    }

    fn charge(&self, amount: usize) -> bool {
        let max = self.max();
        let charged = self.used.fetch_update(Relaxed, Relaxed, |used| {
            used.checked_add(amount).filter(|used| *used <= max)
        });
        if charged.is_err() {
            return false;
        }
        let charged = self.of.as_ref().is_none_or(|of| of.charge(amount));
        if !charged {
            self.used.fetch_sub(amount, Relaxed);
        }
        charged
    }

    /// Takes `amount`, even beyond the maximum. Only for budgets that are no shares.
    pub(crate) fn overdraw(&self, amount: usize) {
        self.used.fetch_add(amount, Relaxed);
    }

    pub(crate) fn credit(&self, amount: usize) {
        self.used.fetch_sub(amount, Relaxed);
        if let Some(of) = &self.of {
            of.credit(amount);
        }
    }
}

/// An amount taken from a [`Budget`], until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    budget: Arc<Budget>,
    amount: usize,
}

impl Permit {
    /// The amount taken.
    pub(crate) fn amount(&self) -> usize {
        self.amount
    }

    /// The budget it was taken from.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Takes `amount` more. Returns false and takes nothing if it is more than the rest.
    pub(crate) fn grow(&mut self, amount: usize) -> bool {
        let charged = self.budget.charge(amount);
        if charged {
            self.amount += amount;
        }
        charged
    }

    /// Releases `amount`, or everything if the permit has less.
    pub(crate) fn shrink(&mut self, amount: usize) {
        let amount = amount.min(self.amount);
        self.amount -= amount;
        self.budget.credit(amount);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.budget.credit(self.amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_given_back_and_no_more_is_taken_than_there_is() {
        let budget = Budget::new(10);
        let mut permit = budget.take(6).unwrap();
        assert!(budget.take(5).is_none());
        assert!(budget.take(usize::MAX).is_none());
        assert!(permit.grow(4) && !permit.grow(1));
        assert_eq!((permit.amount(), budget.used()), (10, 10));
        permit.shrink(7);
        assert_eq!((permit.amount(), budget.used()), (3, 3));
        let other = budget.take(7).unwrap();
        permit.shrink(100);
        assert_eq!((permit.amount(), budget.used()), (0, 7));
        drop(permit);
        drop(other);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_share_takes_from_both() {
        let process = Budget::new(10);
        let [one, two] = [6, 6].map(|max| Budget::share(&process, max));
        let permit = one.take(6).unwrap();
        assert!(one.take(1).is_none());
        assert!(two.take(5).is_none(), "the process has 4 left");
        assert_eq!((two.used(), process.used()), (0, 6));
        let mut other = two.take(4).unwrap();
        assert!(!other.grow(1));
        assert_eq!((two.used(), process.used()), (4, 10));
        drop((permit, other));
        assert_eq!((one.used(), two.used(), process.used()), (0, 0, 0));
    }
}
