//! HTTP/2 receive windows: bytes that clients may send before the server has hashed them.
//!
//! A received byte occupies its window until the engine has hashed it (http2/stream.rs), so the
//! windows of all connections bound the process's waiting bytes. A connection starts with a small
//! window, which grows with the line's measured bandwidth and delay (http2/ping.rs) while the
//! budget has room. The first half of the budget is granted in windows of
//! `http2.connection_window_bytes`, the second half in the smallest useful windows, so that more
//! fit. When the second half is used up too, connections are refused.

use super::Limits;
use super::memory::WINDOW_BYTES_MIN;
use crate::client::Client;
use crate::limiter::{Budget, Permit};

impl Limits {
    /// A window for a connection of `client`, or `None` if none is left.
    pub(crate) fn window(&self, client: &Client) -> Option<Permit> {
        let (share, wanted) = (&client.windows_bytes, self.window_bytes);
        let permit = self
            .half_stays_free(share, wanted)
            .then(|| share.take(wanted));
        let least = || share.take(wanted.min(WINDOW_BYTES_MIN));
        permit.flatten().or_else(least)
    }

    /// Grows a window of `client` to `bytes`, if half of the budget and half of the client's share
    /// stay free.
    pub(crate) fn grow_window(&self, client: &Client, window: &mut Permit, bytes: u32) -> bool {
        let more = (bytes as usize).saturating_sub(window.amount());
        self.half_stays_free(&client.windows_bytes, more) && window.grow(more)
    }

    fn half_stays_free(&self, share: &Budget, bytes: usize) -> bool {
        [&*self.windows_bytes, share]
            .iter()
            .all(|of| of.used().saturating_add(bytes) <= of.max() / 2)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use super::super::memory::windows_max;
    use super::*;
    use crate::client::ClientId;
    use crate::config::Settings;

    /// The limits of a process, and a client that may have all of it.
    fn limits(bytes_max: &str, wanted_bytes: &str) -> (Arc<Limits>, Arc<Client>) {
        let settings = Settings::with(&[
            ("receive_windows_bytes_max", bytes_max),
            ("http2.connection_window_bytes", wanted_bytes),
            ("http2.connection_window_bytes_max", "4MiB"),
            ("client_share_percent", "100"),
        ]);
        let limits = Limits::new(&settings.unwrap());
        let client = limits.client(&ClientId::Uid(1), Instant::now());
        (limits, client)
    }

    #[test]
    fn the_sum_is_bounded_and_there_are_always_some_for_many() {
        let (limits, client) = limits("1GiB", "4MiB");
        let granted: Vec<_> = std::iter::from_fn(|| limits.window(&client)).collect();
        let bytes: Vec<_> = granted.iter().map(Permit::amount).collect();
        assert!(bytes.iter().sum::<usize>() <= 1 << 30);
        assert_eq!(bytes.iter().filter(|b| **b == 4 << 20).count(), 128);
        assert_eq!(*bytes.last().unwrap(), WINDOW_BYTES_MIN);
        assert!(bytes.len() > 128 + 8000);
        assert_eq!(bytes.len(), windows_max(1 << 30, 4 << 20));
        drop(granted);
        assert_eq!(limits.windows_bytes.used(), 0);
        assert_eq!(limits.window(&client).unwrap().amount(), 4 << 20);
    }

    #[test]
    fn windows_grow_while_half_of_the_budget_is_free() {
        let (limits, client) = limits("8MiB", "1MiB");
        let mut window = limits.window(&client).unwrap();
        assert!(limits.grow_window(&client, &mut window, 4 << 20));
        assert!(!limits.grow_window(&client, &mut window, 5 << 20));
        assert_eq!(window.amount(), 4 << 20);
        assert_eq!(limits.window(&client).unwrap().amount(), WINDOW_BYTES_MIN);
        drop(window);
        assert_eq!(limits.windows_bytes.used(), 0);
    }
}
