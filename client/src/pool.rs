//! The servers of a client, and its connections to them.
//!
//! A call goes to a server that serves and does not rest after a failure: to the one with the
//! fewest open calls, and there to the connection with the fewest. A server's worker owns its
//! connections, so one core serves a connection. Therefore a client with several calls at a time
//! keeps a few connections to each server.
//!
//! tonic's `Channel::balance_channel` is not enough: it does not count calls, keeps sending to
//! servers that are gone, does not check health, and does not report on which server a call failed.
//!
//! Why a reader is read only once a server has sent its response headers: a reader, stream or pipe
//! can be read only once, so a server that refuses the call at once must cost none of its bytes
//! (tests/library/retries.rs).

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use tonic::transport::Channel;

use crate::bearer::Bearer;
use crate::endpoint::{Resolver, Target};
use crate::error::{Error, Result};
use crate::health;
use crate::server::{Health, Lease, Server};
use crate::shared_memory::SharedMemory;

/// The maximum number of servers of a client. It bounds connections, tasks and health watches.
pub(crate) const SERVERS_MAX: usize = 256;
/// The shortest time between two lookups, however many calls fail.
const LOOKUP_PAUSE: Duration = Duration::from_secs(1);

/// How the client finds and reaches its servers.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) targets: Vec<Target>,
    pub(crate) connections: usize,
    /// Bytes of memory that is shared with each server.
    pub(crate) memory_bytes: usize,
    pub(crate) bearer: Bearer,
    pub(crate) resolver: Resolver,
    pub(crate) lookup_interval: Duration,
    pub(crate) lookup_timeout: Duration,
}

/// All servers.
#[derive(Debug)]
pub(crate) struct Pool {
    members: Arc<Members>,
    /// Looks up the endpoints' names again.
    _lookups: Option<Task>,
}

#[derive(Debug)]
struct Members {
    plan: Plan,
    list: Mutex<List>,
    /// Notified at each failure: a name's addresses may have changed.
    failed: Arc<Notify>,
}

#[derive(Debug)]
struct List {
    servers: Vec<Member>,
    /// Where the next search begins: after the server of the last call, so that equal servers take
    /// turns. If it moved on by one server at each call, the server after an unavailable one would
    /// get the calls of both.
    turn: usize,
}

/// The target's index and one of its addresses.
type Place = (usize, Option<SocketAddr>);

#[derive(Debug)]
struct Member {
    place: Place,
    server: Arc<Server>,
    /// Watches the server's health, if there are other servers to choose from.
    watch: Option<Task>,
}

/// A task that is aborted when this is dropped.
#[derive(Debug)]
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Pool {
    /// Finds the servers and connects to one of them.
    pub(crate) async fn connect(plan: Plan) -> Result<Self> {
        let places = plan.places().await?;
        let (first, channel) = plan.first_to_answer(&places).await?;
        let has_names = plan.targets.iter().any(Target::is_name);
        let members = Arc::new(Members {
            plan,
            list: Mutex::new(List {
                servers: Vec::new(),
                turn: 0,
            }),
            failed: Arc::default(),
        });
        let connected = members.server(first, Some(channel));
        connected.learned_health(Health::Serving);
        members.list().servers.push(Member {
            place: first,
            server: connected,
            watch: None,
        });
        members.replace(&places);
        let lookups = has_names.then(|| Task(tokio::spawn(look_up(Arc::downgrade(&members)))));
        Ok(Self {
            members,
            _lookups: lookups,
        })
    }

    /// Leases the best connection for the next call.
    pub(crate) fn lease(&self) -> Lease {
        let mut list = self.members.list();
        let best = list.best(Instant::now());
        list.turn = best + 1;
        Lease::new(&list.servers[best].server)
    }

    /// The number of servers, at least 1.
    pub(crate) fn servers(&self) -> u32 {
        u32::try_from(self.members.list().servers.len()).unwrap_or(u32::MAX)
    }

    /// How long the best server for the next call still rests.
    pub(crate) fn wait(&self) -> Duration {
        let now = Instant::now();
        let list = self.members.list();
        list.servers[list.best(now)].server.rest(now)
    }
}

impl List {
    /// The index of the best server.
    fn best(&self, now: Instant) -> usize {
        let turn = self.turn % self.servers.len();
        let places = (turn..self.servers.len()).chain(0..turn);
        let best = places.min_by_key(|&place| self.servers[place].server.rank(now));
        best.expect("a pool has at least one server")
    }
}

impl Plan {
    /// Every address of every target.
    async fn places(&self) -> Result<Vec<Place>> {
        let mut places = Vec::new();
        let mut failed = None;
        for (index, target) in self.targets.iter().enumerate() {
            match target.addresses(&self.resolver, self.lookup_timeout).await {
                Ok(addresses) => places.extend(addresses.into_iter().map(|each| (index, each))),
                Err(error) => failed = failed.or(Some(Error::connect(&target.shown, &error))),
            }
        }
        places.truncate(SERVERS_MAX);
        match failed {
            Some(error) if places.is_empty() => Err(error),
            _ => Ok(places),
        }
    }

    /// Connects to all places, and keeps the first connection that succeeds.
    async fn first_to_answer(&self, places: &[Place]) -> Result<(Place, Channel)> {
        let mut attempts = JoinSet::new();
        for &(index, address) in places {
            let attempt = self.targets[index].connect(address);
            attempts.spawn(async move { ((index, address), attempt.await) });
        }
        let mut failed = None;
        while let Some(ended) = attempts.join_next().await {
            match ended {
                Ok((place, Ok(channel))) => return Ok((place, channel)),
                Ok(((index, _), Err(error))) => {
                    let shown = &self.targets[index].shown;
                    failed = failed.or(Some(Error::connect(shown, &error)));
                }
                Err(_) => {}
            }
        }
        Err(failed.unwrap_or(Error::Cancelled))
    }
}

impl Members {
    fn list(&self) -> MutexGuard<'_, List> {
        // No code that can panic runs under the lock.
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn server(&self, place: Place, connected: Option<Channel>) -> Arc<Server> {
        let (index, address) = place;
        let target = &self.plan.targets[index];
        let lazy = std::iter::repeat_with(|| target.connect_lazy(address));
        let connections = self.plan.connections;
        let channels = connected.into_iter().chain(lazy).take(connections);
        let memory = SharedMemory::of(&target.shown, self.plan.memory_bytes, connections);
        Server::new(
            channels,
            &self.plan.bearer,
            Arc::clone(&self.failed),
            memory,
        )
    }

    /// Keeps the servers of these places, drops the others and adds missing ones. Calls to dropped
    /// servers go on.
    fn replace(&self, places: &[Place]) {
        let wanted: HashSet<_> = places.iter().copied().collect();
        let mut list = self.list();
        list.servers.retain(|member| wanted.contains(&member.place));
        let known: HashSet<_> = list.servers.iter().map(|member| member.place).collect();
        for &place in places.iter().filter(|place| !known.contains(place)) {
            let server = self.server(place, None);
            list.servers.push(Member {
                place,
                server,
                watch: None,
            });
        }
        let has_choice = list.servers.len() > 1;
        for member in &mut list.servers {
            if has_choice && member.watch.is_none() {
                let server = Arc::clone(&member.server);
                member.watch = Some(Task(tokio::spawn(health::watch(server))));
            }
        }
    }

    /// Looks up all names. If a lookup fails, the name keeps its servers.
    async fn look_up(&self) {
        let plan = &self.plan;
        let mut places = Vec::new();
        for (index, target) in plan.targets.iter().enumerate() {
            match target.addresses(&plan.resolver, plan.lookup_timeout).await {
                Ok(addresses) => places.extend(addresses.into_iter().map(|each| (index, each))),
                Err(_) => {
                    let list = self.list();
                    let kept = list.servers.iter().map(|member| member.place);
                    places.extend(kept.filter(|place| place.0 == index));
                }
            }
        }
        places.truncate(SERVERS_MAX);
        self.replace(&places);
    }
}

/// Looks names up at an interval, and after failures.
async fn look_up(members: Weak<Members>) {
    loop {
        let Some((failed, interval)) = members
            .upgrade()
            .map(|members| (Arc::clone(&members.failed), members.plan.lookup_interval))
        else {
            return;
        };
        let pause = LOOKUP_PAUSE.min(interval);
        tokio::time::sleep(pause).await;
        tokio::select! {
            () = failed.notified() => {}
            () = tokio::time::sleep(interval.saturating_sub(pause)) => {}
        }
        let Some(members) = members.upgrade() else {
            return;
        };
        members.look_up().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::Code;

    /// A pool of servers in the given states.
    fn pool(states: &[Health]) -> (Pool, Vec<Arc<Server>>) {
        let endpoint = tonic::transport::Endpoint::from_static("http://127.0.0.1:1");
        let target = Target {
            shown: "127.0.0.1:1".to_owned(),
            endpoint,
        };
        let members = Members {
            plan: Plan {
                targets: vec![target],
                connections: 1,
                memory_bytes: 0,
                bearer: Bearer::default(),
                resolver: Resolver::default(),
                lookup_interval: Duration::from_secs(1),
                lookup_timeout: Duration::from_secs(1),
            },
            list: Mutex::new(List {
                servers: Vec::new(),
                turn: 0,
            }),
            failed: Arc::default(),
        };
        let mut servers = Vec::new();
        for &state in states {
            let server = members.server((0, None), None);
            server.learned_health(state);
            servers.push(Arc::clone(&server));
            members.list().servers.push(Member {
                place: (0, None),
                server,
                watch: None,
            });
        }
        let members = Arc::new(members);
        let pool = Pool {
            members,
            _lookups: None,
        };
        (pool, servers)
    }

    const STALLED: Error = Error::Stalled(Duration::from_secs(1));

    fn fail(server: &Arc<Server>, error: &Error) {
        Lease::new(server).learned(Some(error));
    }

    #[tokio::test]
    async fn a_server_that_serves_after_a_rest_is_better_than_one_that_is_away() {
        for state in [Health::Serving, Health::Unknown] {
            let (pool, servers) = pool(&[Health::Away, state]);
            fail(&servers[1], &STALLED);
            let now = Instant::now();
            assert!(servers[1].rank(now) < servers[0].rank(now));
            assert!(pool.wait() > Duration::ZERO, "{state:?}");
        }
        // Even then a call needs a server.
        let (pool, servers) = pool(&[Health::Away, Health::Away]);
        fail(&servers[0], &STALLED);
        assert_eq!(pool.wait(), Duration::ZERO);
    }

    #[tokio::test]
    async fn equal_servers_take_turns_though_another_one_is_away() {
        let states = [Health::Serving, Health::Away, Health::Serving];
        let (pool, servers) = pool(&states);
        let mut calls = [0; 3];
        for _ in 0..30 {
            let lease = pool.lease();
            let chosen = servers
                .iter()
                .position(|each| each.rank(Instant::now()).3 > 0);
            calls[chosen.expect("a server has the call")] += 1;
            drop(lease);
        }
        assert_eq!(calls, [15, 0, 15]);
    }

    #[tokio::test]
    async fn a_server_that_asks_for_more_time_than_a_clock_has_rests() {
        let (pool, servers) = pool(&[Health::Serving]);
        let busy = Error::Rpc {
            code: Code::ResourceExhausted,
            reason: None,
            message: String::new(),
            retry_after: Some(Duration::MAX),
        };
        fail(&servers[0], &busy);
        assert!(pool.wait() > Duration::from_secs(60 * 60));
    }
}
