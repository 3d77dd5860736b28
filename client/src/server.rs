//! One server: its connections, its health, and whether it rests after a failure.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;

use crate::backoff::backoff;
use crate::bearer::Bearer;
use crate::error::Error;
use crate::shared_memory::{Region, SharedMemory};
use crate::wire_messages::Service;

/// The maximum size of a response: a batch's digests are 40 bytes each.
const RESPONSE_BYTES_MAX: usize = 16 << 20;

/// The longest rest of a server: no retry waits longer.
const REST_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The known state of a server, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Health {
    /// It serves.
    Serving,
    /// It has not answered yet.
    Unknown,
    /// It drains, or cannot be reached.
    Away,
}

#[derive(Debug)]
pub(crate) struct Server {
    connections: Vec<Connection>,
    memory: SharedMemory,
    condition: Mutex<Condition>,
    /// Notified at each failure.
    failed: Arc<Notify>,
    /// Whether it has answered a call.
    is_heard: AtomicBool,
}

#[derive(Debug)]
struct Connection {
    channel: InterceptedService<Channel, Bearer>,
    /// Number of its open calls.
    open: AtomicUsize,
}

#[derive(Debug)]
struct Condition {
    health: Health,
    /// Consecutive failures.
    failures: u32,
    rest_until: Option<Instant>,
}

/// The order of servers: the least is the best. A server that is away comes after servers that
/// rest, which are soon available again.
pub(crate) type Rank = (bool, Option<Instant>, Health, usize);

impl Server {
    pub(crate) fn new(
        channels: impl Iterator<Item = Channel>,
        bearer: &Bearer,
        failed: Arc<Notify>,
        memory: SharedMemory,
    ) -> Arc<Self> {
        let connection = |channel| Connection {
            channel: InterceptedService::new(channel, bearer.clone()),
            open: AtomicUsize::new(0),
        };
        Arc::new(Self {
            connections: channels.map(connection).collect(),
            memory,
            condition: Mutex::new(Condition {
                health: Health::Unknown,
                failures: 0,
                rest_until: None,
            }),
            failed,
            is_heard: AtomicBool::new(false),
        })
    }

    fn condition(&self) -> MutexGuard<'_, Condition> {
        // No code that can panic runs under the lock.
        self.condition
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn rank(&self, now: Instant) -> Rank {
        let condition = self.condition();
        let rests = condition.rest_until.filter(|until| *until > now);
        let open = self.connections.iter().map(Connection::open).sum();
        let is_away = condition.health == Health::Away;
        (is_away, rests, condition.health, open)
    }

    /// How long the server still rests.
    pub(crate) fn rest(&self, now: Instant) -> Duration {
        let until = self.condition().rest_until;
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }

    /// A channel for calls without a lease.
    pub(crate) fn channel(&self) -> InterceptedService<Channel, Bearer> {
        self.connections[0].channel.clone()
    }

    pub(crate) fn learned_health(&self, health: Health) {
        let mut condition = self.condition();
        if health == Health::Away && condition.health != Health::Away {
            self.failed.notify_one();
        }
        condition.health = health;
    }

    /// Resets the failures but not the rest: an open call may succeed while its server drains.
    fn succeeded(&self) {
        self.condition().failures = 0;
    }

    /// Calls that fail together count as one failure.
    fn failed(&self, error: &Error) {
        self.failed.notify_one();
        let now = Instant::now();
        let mut condition = self.condition();
        if condition.rest_until.is_some_and(|until| until > now) {
            return;
        }
        let rest = backoff(condition.failures).max(error.retry_after().unwrap_or_default());
        condition.failures += 1;
        condition.rest_until = Some(now + rest.min(REST_MAX));
    }
}

impl Connection {
    fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }
}

/// A call's lease of a connection.
#[derive(Debug)]
pub(crate) struct Lease {
    server: Arc<Server>,
    connection: usize,
    /// A part failed because of the server, even if the call ends well.
    has_failed: AtomicBool,
}

impl Lease {
    /// Takes the connection with the fewest open calls, and the first of equals: a client with one
    /// call at a time stays on one connection.
    pub(crate) fn new(server: &Arc<Server>) -> Self {
        let connections = server.connections.iter().enumerate();
        let least = connections.min_by_key(|(_, connection)| connection.open());
        let (connection, held) = least.expect("a server has at least one connection");
        held.open.fetch_add(1, Ordering::Relaxed);
        Self {
            server: Arc::clone(server),
            connection,
            has_failed: AtomicBool::new(false),
        }
    }

    pub(crate) fn service(&self) -> Service {
        let channel = self.server.connections[self.connection].channel.clone();
        Service::new(channel).max_decoding_message_size(RESPONSE_BYTES_MAX)
    }

    /// Whether the call may use shared memory.
    pub(crate) fn may_share_memory(&self) -> bool {
        self.server.memory.is_possible()
    }

    /// The memory that the server shares, if any.
    pub(crate) async fn memory(&self) -> Option<Arc<Region>> {
        self.server.memory.get().await
    }

    /// The server does not know the memory.
    pub(crate) async fn forget_memory(&self, region: &Arc<Region>) {
        self.server.memory.forget(region).await;
    }

    /// Records that the server has answered.
    pub(crate) fn heard(&self) {
        self.server.is_heard.store(true, Ordering::Relaxed);
    }

    /// An error of the call, with advice if the endpoint has never answered.
    pub(crate) fn judged(&self, error: Error) -> Error {
        if self.server.is_heard.load(Ordering::Relaxed) {
            return error;
        }
        error.of_unheard()
    }

    /// Records the call's outcome for the server. Call it before a retry.
    pub(crate) fn learned(&self, error: Option<&Error>) {
        if matches!(error, None | Some(Error::Rpc { .. } | Error::Part { .. })) {
            self.heard();
        }
        match error {
            Some(error) if error.is_of_server() => {
                self.has_failed.store(true, Ordering::Relaxed);
                self.server.failed(error);
            }
            None if !self.has_failed.load(Ordering::Relaxed) => self.server.succeeded(),
            _ => {}
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let connection = &self.server.connections[self.connection];
        connection.open.fetch_sub(1, Ordering::Relaxed);
    }
}
