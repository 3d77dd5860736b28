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
//! | `receive_windows_bytes_max` | bytes | data received and not hashed | closed at once |
//! | `streams_max` | calls | a call's state | RESOURCE_EXHAUSTED |
//! | `parts_max` | digests | a part's state | RESOURCE_EXHAUSTED |
//! | `unary_bytes_max` | bytes | whole messages and their answers | RESOURCE_EXHAUSTED |
//! | `held_bytes_max` | bytes | the reorder buffer of the decoder | RESOURCE_EXHAUSTED |
//! | `unread_bytes_max` | bytes | answers that clients do not take | who holds most is closed |
//! | [`backlog::ITEMS_MAX`] | chunks, parts | what small frames take beside their bytes | not read |
//! | [`Backlog`] | bytes | the cache: what waits to be hashed lies in L2 | not read |

pub(crate) mod backlog;
mod budget;
mod floods;
pub(crate) mod windows;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hashlane_engine::Algorithm;

pub(crate) use self::backlog::Backlog;
pub(crate) use self::budget::{Budget, Permit};
use self::floods::Floods;
use self::windows::Windows;
use crate::config::Settings;

/// Calls of the health service that are let in beyond `streams_max`, or a server
/// that is only busy would be taken for dead.
const PROBES_MAX: usize = 64;

/// About what one digest of a batch takes, from its job to its answer.
pub(crate) const DIGEST_STATE_BYTES: usize = 320;

/// What a byte of a request's headers takes, at most: names of one letter are strings of
/// their own, and entries in tables.
pub(crate) const HEADERS_STATE: usize = 5;

/// The process's budgets.
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) connections: Arc<Budget>,
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
    clients: Mutex<HashMap<Address, Weak<Client>>>,
}

/// What one client has: its own shares of the process's budgets.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) address: Address,
    pub(crate) connections: Arc<Budget>,
    pub(crate) windows_bytes: Arc<Budget>,
    pub(crate) streams: Arc<Budget>,
    pub(crate) parts: Arc<Budget>,
    pub(crate) unary_bytes: Arc<Budget>,
    pub(crate) held_bytes: Arc<Budget>,
    pub(crate) floods: Floods,
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
        let unary_bytes_min = settings.message_bytes_max
            + settings.http2.header_list_bytes_max as usize * HEADERS_STATE
            + settings.batch_blobs_max * DIGEST_STATE_BYTES;
        let connections_max = usize::try_from(settings.connections_max).unwrap_or(usize::MAX);
        Arc::new(Self {
            connections: Budget::new(connections_max),
            windows: Windows::new(
                settings.receive_windows_bytes_max,
                settings.http2.connection_window_bytes,
            ),
            streams: Budget::new(settings.streams_max),
            probes: Budget::new(PROBES_MAX),
            parts: Budget::new(settings.parts_max.max(digests_max())),
            unary_bytes: Budget::new(settings.unary_bytes_max.max(unary_bytes_min)),
            held_bytes: Budget::new(settings.held_bytes_max.max(settings.message_bytes_max)),
            unread_bytes: Budget::new(settings.unread_bytes_max),
            share_percent: settings.client_share_percent,
            unary_bytes_min,
            held_bytes_min: settings.message_bytes_max,
            clients: Mutex::default(),
        })
    }

    /// The clients that have a connection, those with the most first.
    pub(crate) fn clients(&self) -> Vec<Arc<Client>> {
        let known = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let mut clients: Vec<_> = known.values().filter_map(Weak::upgrade).collect();
        drop(known);
        clients.sort_by_cached_key(|client| (Reverse(client.connections.used()), client.address));
        clients
    }

    /// Each budget by its name, which ends with its unit.
    pub(crate) fn budgets(&self) -> [(&'static str, &Budget); 8] {
        [
            ("connections", &self.connections),
            ("receive_windows_bytes", self.windows.budget()),
            ("streams", &self.streams),
            ("probes", &self.probes),
            ("parts", &self.parts),
            ("unary_bytes", &self.unary_bytes),
            ("held_bytes", &self.held_bytes),
            ("unread_bytes", &self.unread_bytes),
        ]
    }

    /// The client at `address`, known for as long as it has a connection.
    pub(crate) fn client(&self, address: Address) -> Arc<Client> {
        // Nothing panics while it is locked.
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&address).and_then(Weak::upgrade) {
            return client;
        }
        if clients.len() == clients.capacity() {
            clients.retain(|_, client| client.strong_count() > 0);
        }
        let share = |budget: &Arc<Budget>, min: usize| {
            let (hundreds, rest) = (budget.max() / 100, budget.max() % 100);
            let percent = self.share_percent;
            let of_client = hundreds * percent + (rest * percent).div_ceil(100);
            Budget::share(budget, of_client.max(min))
        };
        let client = Arc::new(Client {
            address,
            connections: share(&self.connections, 1),
            windows_bytes: share(self.windows.budget(), windows::WINDOW_BYTES_MIN),
            streams: share(&self.streams, 1),
            parts: share(&self.parts, digests_max()),
            unary_bytes: share(&self.unary_bytes, self.unary_bytes_min),
            held_bytes: share(&self.held_bytes, self.held_bytes_min),
            floods: Floods::new(),
        });
        clients.insert(address, Arc::downgrade(&client));
        client
    }
}

/// Digests of one part, which all fit at least.
fn digests_max() -> usize {
    Algorithm::all().count()
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
        let [one, two] = [1, 2].map(|n| limits.client(Address::of([10, 0, 0, n].into())));
        let same = limits.client(Address::of([10, 0, 0, 1].into()));
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
    fn clients_without_a_connection_are_forgotten() {
        let limits = Limits::new(&Settings::with(&[]).unwrap());
        for n in 0..10_000_u32 {
            limits.client(Address::of(IpAddr::V4(n.into())));
        }
        assert!(limits.clients.lock().unwrap().len() < 100);
    }
}
