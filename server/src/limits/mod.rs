//! Every bound of the process, and what each protects.
//!
//! ```text
//! process (Budget) ── shared by all workers
//!    └─ client (Budget::share) ── at most client_share of it
//!          └─ Permit ── held for as long as what it was taken for, given back when dropped
//! ```
//!
//! | bound | unit | protects | beyond it |
//! |---|---|---|---|
//! | `connections_max` | connections | descriptors, buffers | closed at once |
//! | `tls.handshakes_max` | handshakes | computing, buffers | closed at once |
//! | `receive_windows_bytes_max` | bytes | data received and not hashed | closed at once |
//! | `streams_max` | calls | a call's state | RESOURCE_EXHAUSTED |
//! | `parts_max` | KiB of state | a part's digests | RESOURCE_EXHAUSTED |
//! | `unary_bytes_max` | bytes | whole messages and their answers | RESOURCE_EXHAUSTED |
//! | `held_bytes_max` | bytes | the reorder buffer of the decoder | RESOURCE_EXHAUSTED |
//! | `unread_bytes_max` | bytes | answers that clients do not take | who holds most is closed |
//! | [`Backlog`] of a worker | bytes | the cache: what waits to be hashed lies in L2 | not read |
//! | the same | chunks, parts | what small frames take beside their bytes | not read |
//! | `client_connections_per_second` | connections | time of acceptor and workers | served later, then closed at once |
//! | [`REMEMBERED_MAX`] | clients | 500 bytes for each without a connection | forgotten |
//!
//! memory.rs says what all of it takes.

mod arrivals;
pub(crate) mod backlog;
mod budget;
mod memory;
pub(crate) mod windows;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use self::arrivals::Arrivals;
pub(crate) use self::backlog::Backlog;
pub(crate) use self::budget::{Budget, Permit};
pub(crate) use self::memory::part_units;
use self::memory::part_units_max;
pub use self::memory::{memory_table, worst_bytes};
use self::windows::Windows;
use crate::config::Settings;

/// Calls of the health service that are let in beyond `streams_max`, or a server
/// that is only busy would be taken for dead.
const PROBES_MAX: usize = 64;

/// Bytes read from a connection's socket that HTTP/2 has not taken: four frames of 16 KiB,
/// which is what most clients send.
pub(crate) const AHEAD_BYTES: usize = 64 << 10;

/// Clients without a connection that are remembered because their next one is to wait.
const REMEMBERED_MAX: usize = 10_000;

/// Fewer clients are not looked through for some to forget.
const CLIENTS_MIN: usize = 64;

/// About what one digest of a batch takes, from its job to its answer.
pub(crate) const DIGEST_STATE_BYTES: usize = 320;

/// What tonic takes for a call of one message, beside the message.
pub(crate) const UNARY_CALL_BYTES: usize = 2 << 10;

/// The process's budgets.
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) connections: Arc<Budget>,
    pub(crate) handshakes: Arc<Budget>,
    pub(crate) windows: Windows,
    pub(crate) streams: Arc<Budget>,
    pub(crate) probes: Arc<Budget>,
    pub(crate) parts: Arc<Budget>,
    pub(crate) unary_bytes: Arc<Budget>,
    pub(crate) held_bytes: Arc<Budget>,
    pub(crate) unread_bytes: Arc<Budget>,
    share_percent: usize,
    /// The least that any client may have: one message and its answer.
    unary_bytes_min: usize,
    held_bytes_min: usize,
    connections_per_second: u32,
    clients: Mutex<Clients>,
}

/// The clients that have a connection, and those that are remembered.
#[derive(Debug, Default)]
struct Clients {
    by_address: HashMap<Address, Arc<Client>>,
    /// So many are too many: those that need not be remembered are forgotten.
    enough: usize,
    next_id: u64,
}

/// What one client has: its own shares of the process's budgets.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) address: Address,
    /// No other client has it.
    pub(crate) id: u64,
    pub(crate) connections: Arc<Budget>,
    pub(crate) handshakes: Arc<Budget>,
    pub(crate) windows_bytes: Arc<Budget>,
    pub(crate) streams: Arc<Budget>,
    pub(crate) parts: Arc<Budget>,
    pub(crate) unary_bytes: Arc<Budget>,
    pub(crate) held_bytes: Arc<Budget>,
    pub(crate) arrivals: Arrivals,
}

/// Who a client is: its address, of IPv6 the first 64 bits, since a host has all
/// that follow. All clients of the Unix socket are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Address {
    Ip(IpAddr),
    Unix,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(ip @ IpAddr::V4(_)) => write!(f, "{ip}"),
            Self::Ip(ip @ IpAddr::V6(_)) => write!(f, "{ip}/64"),
            Self::Unix => f.write_str("unix"),
        }
    }
}

impl Address {
    /// The client at `ip`.
    pub(crate) fn of(ip: IpAddr) -> Self {
        Self::Ip(match ip.to_canonical() {
            IpAddr::V4(ip) => ip.into(),
            IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64).into(),
        })
    }
}

impl Limits {
    pub(crate) fn new(settings: &Settings) -> Arc<Self> {
        let unary_bytes_min = unary_bytes_min(settings);
        let connections_max = usize::try_from(settings.connections_max).unwrap_or(usize::MAX);
        Arc::new(Self {
            connections: Budget::new(connections_max),
            handshakes: Budget::new(settings.tls.handshakes_max),
            windows: Windows::new(
                settings.receive_windows_bytes_max,
                settings.http2.connection_window_bytes,
            ),
            streams: Budget::new(settings.streams_max),
            probes: Budget::new(PROBES_MAX),
            parts: Budget::new(settings.parts_max.max(part_units_max())),
            unary_bytes: Budget::new(settings.unary_bytes_max.max(unary_bytes_min)),
            held_bytes: Budget::new(settings.held_bytes_max.max(settings.message_bytes_max)),
            unread_bytes: Budget::new(settings.unread_bytes_max),
            share_percent: settings.client_share_percent,
            unary_bytes_min,
            held_bytes_min: settings.message_bytes_max,
            connections_per_second: settings.client_connections_per_second,
            clients: Mutex::default(),
        })
    }

    /// The clients that have a connection, those with the most first.
    pub(crate) fn clients(&self) -> Vec<Arc<Client>> {
        let known = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let mut clients: Vec<_> = known.by_address.values().cloned().collect();
        clients.retain(|client| client.connections.used() > 0);
        drop(known);
        clients.sort_by_cached_key(|client| (Reverse(client.connections.used()), client.address));
        clients
    }

    /// Each budget by its name, which ends with its unit.
    pub(crate) fn budgets(&self) -> [(&'static str, &Budget); 9] {
        [
            ("connections", &self.connections),
            ("handshakes", &self.handshakes),
            ("receive_windows_bytes", self.windows.budget()),
            ("streams", &self.streams),
            ("probes", &self.probes),
            ("parts", &self.parts),
            ("unary_bytes", &self.unary_bytes),
            ("held_bytes", &self.held_bytes),
            ("unread_bytes", &self.unread_bytes),
        ]
    }

    /// The client at `address`, known for as long as it has a connection or its next one
    /// would have to wait.
    pub(crate) fn client(&self, address: Address, now: Instant) -> Arc<Client> {
        // Nothing panics while it is locked.
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.by_address.get(&address) {
            return Arc::clone(client);
        }
        clients.forget(now);
        clients.next_id += 1;
        let share = |budget: &Arc<Budget>, min: usize| {
            let (hundreds, rest) = (budget.max() / 100, budget.max() % 100);
            let percent = self.share_percent;
            let of_client = hundreds * percent + (rest * percent).div_ceil(100);
            Budget::share(budget, of_client.max(min))
        };
        let client = Arc::new(Client {
            address,
            id: clients.next_id,
            connections: share(&self.connections, 1),
            handshakes: share(&self.handshakes, 1),
            windows_bytes: share(self.windows.budget(), windows::WINDOW_BYTES_MIN),
            streams: share(&self.streams, 1),
            parts: share(&self.parts, part_units_max()),
            unary_bytes: share(&self.unary_bytes, self.unary_bytes_min),
            held_bytes: share(&self.held_bytes, self.held_bytes_min),
            arrivals: Arrivals::new(self.connections_per_second, now),
        });
        clients.by_address.insert(address, Arc::clone(&client));
        client
    }
}

/// One whole message and its answer, and some calls.
fn unary_bytes_min(settings: &Settings) -> usize {
    let answer_bytes = settings.batch_blobs_max * DIGEST_STATE_BYTES;
    settings.message_bytes_max + answer_bytes + 32 * UNARY_CALL_BYTES
}

impl Clients {
    /// Forgets clients without a connection, now and then.
    fn forget(&mut self, now: Instant) {
        if self.by_address.len() < self.enough {
            return;
        }
        let is_here = |client: &Arc<Client>| Arc::strong_count(client) > 1;
        self.by_address
            .retain(|_, client| is_here(client) || client.arrivals.matters(now));
        let here = self.by_address.values().filter(|client| is_here(client));
        if self.by_address.len() - here.count() > REMEMBERED_MAX {
            self.by_address.retain(|_, client| is_here(client));
        }
        // Amortised, a new client looks at two others.
        self.enough = (2 * self.by_address.len()).max(CLIENTS_MIN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_its_address() {
        let of = |text: &str| Address::of(text.parse().unwrap());
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }

    #[test]
    fn a_client_has_its_share_and_leaves_the_rest_to_others() {
        let settings = Settings::with(&[("streams_max", "10"), ("client_share_percent", "60")]);
        let limits = Limits::new(&settings.unwrap());
        let client = |n| limits.client(Address::of([10, 0, 0, n].into()), Instant::now());
        let [one, two] = [1, 2].map(client);
        let same = client(1);
        assert!(one.id == same.id && one.id != two.id);
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
        let client = |n: u32| limits.client(Address::of(IpAddr::V4(n.into())), now);
        let known = || limits.clients.lock().unwrap().by_address.len();
        let here = client(0);
        client(1).arrivals.flooded(now);
        let flooding = client(1).id;
        (2..10_000).for_each(|n| drop(client(n)));
        assert!(known() < 100);
        assert_eq!((client(0).id, client(1).id), (here.id, flooding));
        // Nor are more remembered than there is memory for.
        for n in 2..200_000 {
            client(n).arrivals.flooded(now);
            assert!(known() <= 2 * (REMEMBERED_MAX + 2));
        }
        assert_eq!(client(0).id, here.id);
    }
}
