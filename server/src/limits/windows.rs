//! HTTP/2 receive windows: bytes that clients may send and that are not hashed yet.
//!
//! Whatever arrives lies within a window until the engine has hashed it (http2/stream.rs),
//! so the windows of all connections are the bound on the process's waiting bytes. A
//! connection begins with a small one, which grows with its line's measured bandwidth and
//! delay (http2/ping.rs) as long as the budget has more. The first half of the budget is
//! given in windows as large as `http2.connection_window_bytes`, the second in the least
//! that is of use, so that many more fit; when that is gone too, connections are refused.

use std::sync::Arc;

use crate::limiter::{Budget, Permit};

/// The smallest window given: what HTTP/2 begins with (RFC 9113 section 6.9.2).
pub(super) const WINDOW_BYTES_MIN: usize = 65_535;

/// The windows of the process. Asked for each connection, and when one grows.
#[derive(Debug)]
pub(crate) struct Windows {
    budget: Arc<Budget>,
    wanted_bytes: usize,
}

impl Windows {
    pub(crate) fn new(bytes_max: usize, wanted_bytes: u32) -> Self {
        Self {
            budget: Budget::new(bytes_max),
            wanted_bytes: wanted_bytes as usize,
        }
    }

    /// The windows of all clients.
    pub(super) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// A window for a connection of the client with `share`, or `None` if there is none left.
    pub(crate) fn grant(&self, share: &Arc<Budget>) -> Option<Permit> {
        let wanted = self.wanted_bytes;
        let permit = has_half_beside(&self.budget, share, wanted).then(|| share.take(wanted));
        let least = || share.take(wanted.min(WINDOW_BYTES_MIN));
        permit.flatten().or_else(least)
    }

    /// Makes a window as large as `bytes`, if half of all of them and of the client's stays
    /// free.
    pub(crate) fn grow(&self, share: &Budget, window: &mut Permit, bytes: u32) -> bool {
        let more = (bytes as usize).saturating_sub(window.amount());
        has_half_beside(&self.budget, share, more) && window.grow(more)
    }

    #[cfg(test)]
    fn used(&self) -> usize {
        self.budget.used()
    }
}

/// How many there are at most in `bytes_max`.
pub(super) fn count_max(bytes_max: usize, wanted_bytes: usize) -> usize {
    let large = bytes_max / 2 / wanted_bytes;
    large + (bytes_max - large * wanted_bytes) / wanted_bytes.min(WINDOW_BYTES_MIN)
}

fn has_half_beside(all: &Budget, share: &Budget, bytes: usize) -> bool {
    [all, share]
        .iter()
        .all(|of| of.used().saturating_add(bytes) <= of.max() / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_bounded_and_there_are_always_some_for_many() {
        let windows = Windows::new(1 << 30, 4 << 20);
        let granted: Vec<_> = std::iter::from_fn(|| windows.grant(windows.budget())).collect();
        let bytes: Vec<_> = granted.iter().map(Permit::amount).collect();
        assert!(bytes.iter().sum::<usize>() <= 1 << 30);
        assert_eq!(bytes.iter().filter(|b| **b == 4 << 20).count(), 128);
        assert_eq!(*bytes.last().unwrap(), WINDOW_BYTES_MIN);
        assert!(bytes.len() > 128 + 8000);
        assert_eq!(bytes.len(), count_max(1 << 30, 4 << 20));
        drop(granted);
        assert_eq!(windows.used(), 0);
        assert_eq!(windows.grant(windows.budget()).unwrap().amount(), 4 << 20);
    }

    #[test]
    fn windows_grow_while_half_of_the_budget_is_free() {
        let windows = Windows::new(8 << 20, 1 << 20);
        let mut window = windows.grant(windows.budget()).unwrap();
        assert!(windows.grow(windows.budget(), &mut window, 4 << 20));
        assert!(!windows.grow(windows.budget(), &mut window, 5 << 20));
        assert_eq!(window.amount(), 4 << 20);
        assert_eq!(
            windows.grant(windows.budget()).unwrap().amount(),
            WINDOW_BYTES_MIN
        );
        drop(window);
        assert_eq!(windows.used(), 0);
    }
}
