//! The clients' shares of the process's budgets, and the windows of their connections.
//!
//! **HTTP/2 receive windows** are the bytes that clients may send before the server has hashed them.
//! A received byte occupies its window until the engine has hashed it (http2/stream.rs), so the
//! windows of all connections bound the process's waiting bytes. A connection starts with a small
//! window, which grows with the line's measured bandwidth and delay (http2/ping.rs) while the
//! budget has room. The first half of the budget is granted in windows of
//! `http2.connection_window_bytes`, the second half in the smallest useful windows, so that more
//! fit. When the second half is used up too, connections are refused.

use std::cmp::Reverse;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::Limits;
use super::memory::{WINDOW_BYTES_MIN, part_units_max};
use crate::client::{Arrivals, Client, ClientId, Quota, Quotas, Throttle};
use crate::limiter::{Budget, Permit};
use crate::shared_memory::Regions;

impl Limits {
    /// Clients that have a connection or a call, those with the most first.
    pub(crate) fn clients(&self) -> Vec<Arc<Client>> {
        let known = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let mut clients: Vec<_> = known.by_id.values().cloned().collect();
        drop(known);
        let used = |client: &Client| (client.connections.used(), client.streams.used());
        clients.retain(|client| used(client) != (0, 0));
        clients.sort_by_cached_key(|client| (Reverse(used(client)), client.id.clone()));
        clients
    }

    /// Returns the client `id`. It is remembered while it has a connection, or its next connection
    /// must wait.
    pub(crate) fn client(&self, id: &ClientId, now: Instant) -> Arc<Client> {
        // No code panics under the lock.
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.by_id.get(id) {
            return Arc::clone(client);
        }
        clients.forget(now);
        clients.next_number += 1;
        let client = Arc::new(Client::new(self, id, clients.next_number, now));
        client.set_quota(self, &clients.quotas, now);
        clients.by_id.insert(id.clone(), Arc::clone(&client));
        client
    }

    /// Applies `quotas`, to connected clients too, and returns the changes.
    pub(crate) fn set_quotas(&self, quotas: Quotas, now: Instant) -> Vec<String> {
        let new = Arc::new(quotas);
        // Workers wait for this lock, so only pointers are copied under it.
        let (old, known) = {
            let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
            let old = std::mem::replace(&mut clients.quotas, Arc::clone(&new));
            let known: Vec<_> = clients.by_id.values().cloned().collect();
            (old, known)
        };
        for client in known {
            client.set_quota(self, &new, now);
        }
        new.changes(&old)
    }

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

    /// A client's share of `budget`, unless its quota sets another.
    fn share(&self, budget: &Budget) -> usize {
        let (hundreds, rest) = (budget.max() / 100, budget.max() % 100);
        hundreds * self.share_percent + (rest * self.share_percent).div_ceil(100)
    }
}

impl Client {
    /// A connection slot and its window.
    pub(crate) fn connect(&self, limits: &Limits) -> Option<(Permit, Permit)> {
        let permit = self.connections.take(1)?;
        Some((permit, limits.window(self)?))
    }

    fn new(limits: &Limits, id: &ClientId, number: u64, now: Instant) -> Self {
        let share =
            |budget: &Arc<Budget>, min: usize| Budget::share(budget, limits.share(budget).max(min));
        // `set_quota` sets the limits that quotas may change.
        let quota = |budget: &Arc<Budget>| Budget::share(budget, 0);
        Self {
            id: id.clone(),
            number,
            connections: quota(&limits.connections),
            handshakes: share(&limits.handshakes, 1),
            windows_bytes: quota(&limits.windows_bytes),
            streams: quota(&limits.streams),
            parts: quota(&limits.parts),
            unary_bytes: share(&limits.unary_bytes, limits.unary_bytes_min),
            held_bytes: share(&limits.held_bytes, limits.held_bytes_min),
            memory_bytes: share(&limits.memory_bytes, 1),
            memory_regions: share(&limits.memory_regions, 1),
            regions: Regions::default(),
            arrivals: Mutex::new(Arrivals::new(limits.connections_per_second, now)),
            throttle: Throttle::new(now),
        }
    }

    /// Sets the client's limits from `quotas` or from its share.
    fn set_quota(&self, limits: &Limits, quotas: &Quotas, now: Instant) {
        let Quota {
            connections_max,
            streams_max,
            parts_max,
            receive_windows_bytes_max,
            bytes_per_second,
        } = quotas.of(&self.id);
        let rate = bytes_per_second.unwrap_or(quotas.bytes_per_second);
        self.throttle.set_rate(rate, now);
        let set = |own: &Budget, of: &Budget, quota: Option<usize>, min: usize| {
            own.set_max(quota.unwrap_or_else(|| limits.share(of)).max(min));
        };
        let windows = &limits.windows_bytes;
        set(&self.connections, &limits.connections, connections_max, 1);
        set(&self.streams, &limits.streams, streams_max, 1);
        set(&self.parts, &limits.parts, parts_max, part_units_max());
        set(
            &self.windows_bytes,
            windows,
            receive_windows_bytes_max,
            WINDOW_BYTES_MIN,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::clients::REMEMBERED_MAX;
    use super::super::memory::windows_max;
    use super::*;
    use crate::config::Settings;

    fn id(n: u32) -> ClientId {
        ClientId::of(std::net::IpAddr::V4(n.into()))
    }

    #[test]
    fn a_client_has_its_share_and_leaves_the_rest_to_others() {
        let settings = Settings::with(&[("streams_max", "10"), ("client_share_percent", "60")]);
        let limits = Limits::new(&settings.unwrap());
        let client = |n| limits.client(&id(n), Instant::now());
        let [one, two] = [1, 2].map(client);
        let same = client(1);
        assert!(one.number == same.number && one.number != two.number);
        let taken: Vec<_> = std::iter::from_fn(|| one.streams.take(1)).collect();
        assert_eq!(taken.len(), 6);
        assert!(same.streams.take(1).is_none());
        assert_eq!(
            std::iter::from_fn(|| two.streams.take(1))
                .take(9)
                .collect::<Vec<_>>()
                .len(),
            4
        );
        drop(taken);
        assert!(same.streams.take(6).is_some());
        assert_eq!(limits.streams.used(), 0);
    }

    #[test]
    fn clients_without_a_connection_are_forgotten_unless_their_next_one_is_to_wait() {
        let limits = Limits::new(&Settings::with(&[]).unwrap());
        let now = Instant::now();
        let client = |n: u32| limits.client(&id(n), now);
        let known = || limits.clients.lock().unwrap().by_id.len();
        let here = client(0);
        client(1).arrivals().flooded(now);
        let flooding = client(1).number;
        (2..10_000).for_each(|n| drop(client(n)));
        assert!(known() < 100);
        assert_eq!(
            (client(0).number, client(1).number),
            (here.number, flooding)
        );
        // Not more clients are remembered than there is memory for.
        for n in 2..200_000 {
            client(n).arrivals().flooded(now);
            assert!(known() <= 2 * (REMEMBERED_MAX + 2));
        }
        assert_eq!(client(0).number, here.number);
    }

    /// The limits of a process, and a client that may have all of it.
    fn windows_of(bytes_max: &str, wanted_bytes: &str) -> (Arc<Limits>, Arc<Client>) {
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
        let (limits, client) = windows_of("1GiB", "4MiB");
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
        let (limits, client) = windows_of("8MiB", "1MiB");
        let mut window = limits.window(&client).unwrap();
        assert!(limits.grow_window(&client, &mut window, 4 << 20));
        assert!(!limits.grow_window(&client, &mut window, 5 << 20));
        assert_eq!(window.amount(), 4 << 20);
        assert_eq!(limits.window(&client).unwrap().amount(), WINDOW_BYTES_MIN);
        drop(window);
        assert_eq!(limits.windows_bytes.used(), 0);
    }
}
