//! HTTP/2 receive windows: bytes that clients may send before the server has hashed them.
//!
//! A received byte occupies its window until the engine has hashed it (http2/stream.rs), so the
//! windows of all connections bound the process's waiting bytes. A connection starts with a small
//! window, which grows with the line's measured bandwidth and delay (http2/ping.rs) while the
//! budget has room. The first half of the budget is granted in windows of
//! `http2.connection_window_bytes`, the second half in the smallest useful windows, so that more
//! fit. When the second half is used up too, connections are refused.

use std::sync::Arc;

use crate::limiter::{Budget, Permit};

/// The smallest window granted: the initial window of HTTP/2 (RFC 9113 section 6.9.2).
pub(super) const WINDOW_BYTES_MIN: usize = 65_535;

/// The windows of the process. Used when a connection opens, and when its window grows.
#[derive(Debug)]
pub(crate) struct Windows {
    /// The windows of all clients.
    pub(super) budget: Arc<Budget>,
    wanted_bytes: usize,
}

impl Windows {
    pub(crate) fn new(bytes_max: usize, wanted_bytes: u32) -> Self {
        Self {
            budget: Budget::new(bytes_max),
            wanted_bytes: wanted_bytes as usize,
        }
    }

    /// A window for a connection of the client with `share`, or `None` if none is left.
    pub(crate) fn grant(&self, share: &Arc<Budget>) -> Option<Permit> {
        let wanted = self.wanted_bytes;
        let permit = has_half_beside(&self.budget, share, wanted).then(|| share.take(wanted));
        let least = || share.take(wanted.min(WINDOW_BYTES_MIN));
        permit.flatten().or_else(least)
    }

    /// Grows a window to `bytes`, if half of the budget and half of the client's share stay free.
    pub(crate) fn grow(&self, share: &Budget, window: &mut Permit, bytes: u32) -> bool {
        let more = (bytes as usize).saturating_sub(window.amount());
        has_half_beside(&self.budget, share, more) && window.grow(more)
    }

    #[cfg(test)]
    fn used(&self) -> usize {
        self.budget.used()
    }
}

/// The largest number of windows in `bytes_max`.
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
        let granted: Vec<_> = std::iter::from_fn(|| windows.grant(&windows.budget)).collect();
        let bytes: Vec<_> = granted.iter().map(Permit::amount).collect();
        assert!(bytes.iter().sum::<usize>() <= 1 << 30);
        assert_eq!(bytes.iter().filter(|b| **b == 4 << 20).count(), 128);
        assert_eq!(*bytes.last().unwrap(), WINDOW_BYTES_MIN);
        assert!(bytes.len() > 128 + 8000);
        assert_eq!(bytes.len(), count_max(1 << 30, 4 << 20));
        drop(granted);
        assert_eq!(windows.used(), 0);
        assert_eq!(windows.grant(&windows.budget).unwrap().amount(), 4 << 20);
    }

    #[test]
    fn windows_grow_while_half_of_the_budget_is_free() {
        let windows = Windows::new(8 << 20, 1 << 20);
        let mut window = windows.grant(&windows.budget).unwrap();
        assert!(windows.grow(&windows.budget, &mut window, 4 << 20));
        assert!(!windows.grow(&windows.budget, &mut window, 5 << 20));
        assert_eq!(window.amount(), 4 << 20);
        assert_eq!(
            windows.grant(&windows.budget).unwrap().amount(),
            WINDOW_BYTES_MIN
        );
        drop(window);
        assert_eq!(windows.used(), 0);
    }
}
