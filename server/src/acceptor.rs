//! Accepts sockets and gives each to the worker with the least open work.
//!
//! `SO_REUSEPORT` would spread connections by a hash of their addresses, which is uneven with few
//! clients. Open work is the number of connections plus streams. A connection counts as soon as it
//! is handed over, so a burst spreads before any worker has seen its share.
//!
//! ```text
//! accept ──> its client's Arrivals ──> now ────────────────────────> a worker
//!                      │ └─> later ──> delayed, nothing is read ──>
//!                      └─> never: closed; after many, attempts are dropped (packet_filter.rs)
//! ```

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::Poll;
use std::time::{Duration, Instant};

use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::task::coop::unconstrained;
use tokio::task::yield_now;
use tokio::time::{sleep, sleep_until};

use crate::client::Client;
use crate::drain::Phase;
use crate::limiter::Permit;
use crate::packet_filter::Dropped;
use crate::process::Process;
use crate::socket::Incoming;
use crate::unix_socket::SocketPath;
use crate::worker::{Arrived, WorkerHandle};

/// The pause after a failed accept doubles from minimum to maximum.
const PAUSE_MIN: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_millis(500);

/// Maximum of sockets taken from the backlog when the drain begins. The kernel would reset them.
const BACKLOG_TAKEN_MAX: usize = 4096;

/// The listening sockets.
pub(crate) struct Listeners {
    pub(crate) tcp: Option<TcpListener>,
    pub(crate) tls: Option<TcpListener>,
    /// With its path, if the server must remove it.
    pub(crate) unix: Option<(UnixListener, Option<SocketPath>)>,
}

impl Listeners {
    /// The listeners reachable from a network.
    fn of_tcp(&self) -> Vec<SockRef<'_>> {
        [&self.tcp, &self.tls]
            .into_iter()
            .flatten()
            .map(SockRef::from)
            .collect()
    }
}

/// Distributes connections over the workers.
pub(crate) struct Acceptor {
    workers: Vec<WorkerHandle>,
    /// The next search starts here, so that ties rotate.
    next: usize,
    process: Arc<Process>,
    /// Waiting connections, ordered by the time they are served and by arrival; at most
    /// `connections_max`. Each is counted for its client.
    delayed: BTreeMap<(Instant, u64), (Incoming, Arc<Client>, Permit)>,
    dropped: Dropped,
}

impl Acceptor {
    pub(crate) fn new(workers: Vec<WorkerHandle>, process: Arc<Process>) -> Self {
        Self {
            workers,
            next: 0,
            process,
            delayed: BTreeMap::new(),
            dropped: Dropped::default(),
        }
    }

    /// Accepts until the drain begins. Dropping the acceptor tells the workers that no more
    /// connections come.
    pub(crate) async fn run(mut self, listeners: Listeners) {
        let mut phase = self.process.phase.clone();
        let mut pause = PAUSE_MIN;
        let mut failing = false;
        self.dropped.clear(&listeners.of_tcp());
        while *phase.borrow_and_update() < Phase::Draining {
            let delayed = self.delayed.keys().next().map(|(due, _)| *due);
            let due = delayed.into_iter().chain(self.dropped.expires()).min();
            let accepted = tokio::select! {
                biased;
                _ = phase.changed() => continue,
                () = sleep_until(due.unwrap_or_else(Instant::now).into()), if due.is_some() => {
                    let now = Instant::now();
                    self.serve_delayed(now);
                    if self.dropped.expires().is_some_and(|expires| expires <= now) {
                        self.dropped.expire(now, &listeners.of_tcp());
                    }
                    continue;
                }
                accepted = accept(&listeners) => accepted,
            };
            match accepted {
                Ok(incoming) => {
                    if std::mem::take(&mut failing) {
                        tracing::info!("accepting again");
                        pause = PAUSE_MIN;
                    }
                    let now = Instant::now();
                    let address = incoming.address();
                    if !self.admit(incoming, now)
                        && let Some(address) = address
                        && self.dropped.refused(address, now, &listeners.of_tcp())
                    {
                        self.process.acceptor.dropped.fetch_add(1, Relaxed);
                    }
                }
                // The client gave up before it was accepted.
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    self.process.acceptor.errors.fetch_add(1, Relaxed);
                    if !std::mem::replace(&mut failing, true) {
                        tracing::warn!(%error, "could not accept; trying again");
                    }
                    tokio::select! {
                        _ = phase.changed() => {}
                        () = sleep(pause) => pause = (pause * 2).min(PAUSE_MAX),
                    }
                }
            }
        }
        self.dropped.clear(&listeners.of_tcp());
        self.take_backlog(&listeners).await;
        for (_, (incoming, client, permit)) in std::mem::take(&mut self.delayed) {
            self.hand_over(incoming, client, permit);
        }
        if let Some((_, Some(socket_path))) = &listeners.unix
            && let Err(error) = socket_path.remove()
        {
            tracing::debug!(%error, "could not remove the unix socket");
        }
    }

    /// Hands over connections made before the drain began.
    async fn take_backlog(&mut self, listeners: &Listeners) {
        // The reactor may not have reported all of them yet.
        yield_now().await;
        for _ in 0..BACKLOG_TAKEN_MAX {
            // Pending must mean that no connection waits, not that the task's budget is exhausted.
            let mut accepting = std::pin::pin!(unconstrained(accept(listeners)));
            let polled = poll_fn(|cx| Poll::Ready(accepting.as_mut().poll(cx))).await;
            match polled {
                Poll::Ready(Ok(incoming)) => {
                    self.admit(incoming, Instant::now());
                }
                Poll::Ready(Err(error)) if is_of_one_connection(&error) => {}
                Poll::Ready(Err(_)) | Poll::Pending => return,
            }
        }
    }

    /// Serves, delays or closes a new connection. False if its client has its maximum, or connects
    /// too fast.
    fn admit(&mut self, incoming: Incoming, now: Instant) -> bool {
        let client = self.process.limits.client(&incoming.client(), now);
        let Some(permit) = client.connections.take(1) else {
            self.process.acceptor.refused_limit.fetch_add(1, Relaxed);
            return !client.connections.is_own_limit(1);
        };
        let Some(delay) = client.arrivals().arrive(now) else {
            self.process.acceptor.refused_rate.fetch_add(1, Relaxed);
            return false;
        };
        if delay.is_zero() {
            self.hand_over(incoming, client, permit);
        } else {
            let count = self.process.acceptor.delayed.fetch_add(1, Relaxed);
            self.delayed
                .insert((now + delay, count), (incoming, client, permit));
        }
        true
    }

    /// Serves connections whose wait ends by `now`.
    fn serve_delayed(&mut self, now: Instant) {
        while let Some(first) = self.delayed.first_entry()
            && first.key().0 <= now
        {
            let (incoming, client, permit) = first.remove();
            self.hand_over(incoming, client, permit);
        }
    }

    /// Takes the connection's permits, and gives it to a worker.
    fn hand_over(&mut self, incoming: Incoming, client: Arc<Client>, permit: Permit) {
        let mut handshake = None;
        if let Incoming::Tls(..) = incoming {
            handshake = client.handshakes.take(1);
            if handshake.is_none() {
                self.process
                    .acceptor
                    .refused_handshakes
                    .fetch_add(1, Relaxed);
                return;
            }
        }
        let Some(window) = self.process.limits.window(&client) else {
            self.process.acceptor.refused_limit.fetch_add(1, Relaxed);
            return;
        };
        let open_work = |worker: usize| self.workers[worker].counters.open_work();
        for worker in least_work_first(self.workers.len(), self.next, open_work) {
            let handle = &self.workers[worker];
            if handle.counters.heartbeat.hangs() {
                continue;
            }
            let Ok(place) = handle.sockets.try_reserve() else {
                // The worker has ended, or its queue is full.
                continue;
            };
            handle.counters.connections_given.add(1);
            self.next = (worker + 1) % self.workers.len();
            place.send(Arrived {
                incoming,
                handshake,
                window,
                client,
                permit,
            });
            return;
        }
        self.process.acceptor.refused_busy.fetch_add(1, Relaxed);
    }
}

/// The workers by open work; ties in order from `next` on.
fn least_work_first(
    workers: usize,
    next: usize,
    open_work: impl Fn(usize) -> u64,
) -> impl Iterator<Item = usize> {
    // Counters change meanwhile. Each is read once, because sorting panics without a total order.
    let round = (0..workers).map(|i| (next + i) % workers);
    let mut order: Vec<(u64, usize)> = round.map(|worker| (open_work(worker), worker)).collect();
    order.sort_by_key(|(work, _)| *work);
    order.into_iter().map(|(_, worker)| worker)
}

async fn accept(listeners: &Listeners) -> io::Result<Incoming> {
    let unix = async {
        match &listeners.unix {
            Some((unix, _)) => unix.accept().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        tcp = accept_tcp(listeners.tcp.as_ref()) => {
            let (stream, address) = tcp?;
            Ok(Incoming::Tcp(stream.into_std()?, address))
        }
        tls = accept_tcp(listeners.tls.as_ref()) => {
            let (stream, address) = tls?;
            Ok(Incoming::Tls(stream.into_std()?, address))
        }
        unix = unix => {
            let (stream, _) = unix?;
            // The user at the time it connected (unix(7), SO_PEERCRED).
            let uid = stream.peer_cred()?.uid();
            Ok(Incoming::Unix(stream.into_std()?, uid))
        }
    }
}

async fn accept_tcp(listener: Option<&TcpListener>) -> io::Result<(TcpStream, SocketAddr)> {
    let Some(listener) = listener else {
        return std::future::pending().await;
    };
    let (stream, address) = listener.accept().await?;
    // Answers are small and must not wait for more data.
    stream.set_nodelay(true)?;
    Ok((stream, address))
}

/// Whether the error concerns only the connection, not the listener.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::NotConnected
            | io::ErrorKind::InvalidInput
    )
}

#[cfg(test)]
mod tests {
    use tokio::sync::{mpsc, watch};

    use super::*;
    use crate::client::ClientId;
    use crate::config::Settings;
    use crate::metrics::counters::WorkerCounters;

    /// Any values may be read.
    #[test]
    fn workers_are_sorted_while_their_work_changes() {
        let reads = std::cell::Cell::new(0_u64);
        let open_work = |_| {
            reads.set(reads.get() + 1);
            reads.get().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
        };
        for workers in [1, 24, 200] {
            let mut order: Vec<usize> = least_work_first(workers, 7, open_work).collect();
            order.sort_unstable();
            assert!(order.into_iter().eq(0..workers));
        }
        let work = [3, 1, 2, 1];
        let order: Vec<usize> = least_work_first(4, 2, |worker| work[worker]).collect();
        assert_eq!(order, [3, 1, 2, 0]);
    }

    fn acceptor(
        workers: usize,
        queue: usize,
        settings: &[(&str, &str)],
    ) -> (Acceptor, Vec<mpsc::Receiver<Arrived>>) {
        let (handles, receivers) = (0..workers)
            .map(|_| {
                let (sockets, receiver) = mpsc::channel(queue);
                let handle = WorkerHandle {
                    sockets,
                    counters: Arc::new(WorkerCounters::new()),
                };
                (handle, receiver)
            })
            .unzip();
        let process = Process::of_test(Settings::with(settings).unwrap());
        let acceptor = Acceptor::new(handles, process);
        (acceptor, receivers)
    }

    fn local() -> Incoming {
        Incoming::Unix(std::os::unix::net::UnixStream::pair().unwrap().0, 7)
    }

    /// A TCP socket of any peer.
    fn tcp() -> std::net::TcpStream {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap()
    }

    fn remote() -> Incoming {
        Incoming::Tcp(tcp(), ([10, 0, 0, 1], 1).into())
    }

    fn spread(acceptor: &Acceptor) -> Vec<u64> {
        let connections = |w: &WorkerHandle| w.counters.connections();
        acceptor.workers.iter().map(connections).collect()
    }

    #[test]
    fn a_burst_spreads_evenly() {
        let (mut acceptor, _receivers) = acceptor(3, 100, &[]);
        for _ in 0..10 {
            acceptor.admit(local(), Instant::now());
        }
        let mut spread = spread(&acceptor);
        spread.sort_unstable();
        assert_eq!(spread, [3, 3, 4]);
    }

    #[test]
    fn the_worker_with_the_least_work_is_next() {
        let (mut acceptor, _receivers) = acceptor(3, 100, &[]);
        acceptor.workers[0].counters.streams.set(5);
        acceptor.workers[2].counters.streams.set(5);
        for _ in 0..5 {
            acceptor.admit(local(), Instant::now());
        }
        assert_eq!(spread(&acceptor), [0, 5, 0]);
    }

    #[test]
    fn a_worker_that_failed_gets_nothing() {
        let (mut acceptor, mut receivers) = acceptor(3, 100, &[]);
        // One worker hangs, and one has ended.
        acceptor.workers[0].counters.heartbeat.hang();
        drop(receivers.pop());
        for _ in 0..3 {
            acceptor.admit(local(), Instant::now());
        }
        assert_eq!(spread(&acceptor), [0, 3, 0]);
        assert_eq!(acceptor.process.acceptor.refused_busy.load(Relaxed), 0);
    }

    #[test]
    fn bounds_are_kept_and_counted() {
        let bounds = [("connections_max", "4"), ("client_share_percent", "75")];
        let (mut limited, mut receivers) = acceptor(2, 100, &bounds);
        for _ in 0..5 {
            limited.admit(local(), Instant::now());
        }
        assert_eq!(spread(&limited).iter().sum::<u64>(), 3);
        assert_eq!(limited.process.acceptor.refused_limit.load(Relaxed), 2);
        // Another client gets the rest, and a connection that ends makes room.
        limited.admit(remote(), Instant::now());
        limited.admit(remote(), Instant::now());
        assert_eq!(limited.process.acceptor.refused_limit.load(Relaxed), 3);
        drop(receivers[0].try_recv().unwrap());
        limited.admit(remote(), Instant::now());
        assert_eq!(limited.process.acceptor.refused_limit.load(Relaxed), 3);

        let windows = [("receive_windows_bytes_max", "64KiB")];
        let (mut windowless, _receivers) = acceptor(1, 100, &windows);
        for _ in 0..2 {
            windowless.admit(local(), Instant::now());
        }
        assert_eq!(windowless.process.acceptor.refused_limit.load(Relaxed), 1);

        let (mut full, _receivers) = acceptor(2, 1, &[]);
        for _ in 0..3 {
            full.admit(local(), Instant::now());
        }
        assert_eq!(full.process.acceptor.refused_busy.load(Relaxed), 1);
    }

    #[test]
    fn handshakes_are_bounded_by_client_and_in_all() {
        let bounds = [("tls.handshakes_max", "4"), ("client_share_percent", "75")];
        let (mut acceptor, mut receivers) = acceptor(1, 100, &bounds);
        let from = |n| Incoming::Tls(tcp(), ([10, 0, 0, n], 1).into());
        let refused =
            |acceptor: &Acceptor| acceptor.process.acceptor.refused_handshakes.load(Relaxed);
        for _ in 0..5 {
            acceptor.admit(from(1), Instant::now());
        }
        assert_eq!(refused(&acceptor), 2);
        acceptor.admit(from(2), Instant::now());
        acceptor.admit(from(2), Instant::now());
        assert_eq!(refused(&acceptor), 3);
        // A connection without a handshake is admitted, and a handshake that ends makes room.
        acceptor.admit(remote(), Instant::now());
        assert_eq!(refused(&acceptor), 3);
        drop(receivers[0].try_recv().unwrap());
        acceptor.admit(from(2), Instant::now());
        assert_eq!(refused(&acceptor), 3);
        assert_eq!(acceptor.process.acceptor.refused_limit.load(Relaxed), 0);
    }

    #[test]
    fn who_comes_too_fast_waits_and_others_do_not() {
        let rate = [
            ("client_connections_per_second", "1"),
            ("connections_max", "1000"),
        ];
        let (mut acceptor, _receivers) = acceptor(1, 100, &rate);
        let now = Instant::now();
        let served = |acceptor: &Acceptor| spread(acceptor)[0];
        let admitted: Vec<bool> = (0..8).map(|_| acceptor.admit(local(), now)).collect();
        assert_eq!(admitted[..7], [true; 7]);
        assert!(!admitted[7]);
        assert_eq!((served(&acceptor), acceptor.delayed.len()), (2, 5));
        assert_eq!(acceptor.process.acceptor.refused_rate.load(Relaxed), 1);
        acceptor.admit(remote(), now);
        assert_eq!(served(&acceptor), 3);
        for (seconds, expected) in [(0, 3), (1, 4), (3, 6), (5, 8)] {
            acceptor.serve_delayed(now + Duration::from_secs(seconds));
            assert_eq!(served(&acceptor), expected);
        }
        assert_eq!(acceptor.process.acceptor.delayed.load(Relaxed), 5);
    }

    #[test]
    fn a_client_that_floods_waits_and_others_do_not() {
        let (mut acceptor, _receivers) = acceptor(1, 100, &[]);
        let now = Instant::now();
        let served = |acceptor: &Acceptor| spread(acceptor)[0];
        let flooding = acceptor.process.limits.client(&ClientId::Uid(7), now);
        flooding.arrivals().flooded(now);
        acceptor.admit(local(), now);
        assert_eq!(served(&acceptor), 0);
        acceptor.admit(remote(), now);
        assert_eq!(served(&acceptor), 1);
        acceptor.serve_delayed(now + Duration::from_secs(1));
        assert_eq!(served(&acceptor), 2);
    }

    #[tokio::test]
    async fn who_connected_before_the_drain_is_handed_over() {
        const CLIENTS: usize = 300;
        let tcp = crate::server::listen(([127, 0, 0, 1], 0).into()).unwrap();
        let tcp = TcpListener::from_std(tcp).unwrap();
        let address = tcp.local_addr().unwrap();
        let connect = |_| std::net::TcpStream::connect(address).unwrap();
        let _clients: Vec<_> = (0..CLIENTS).map(connect).collect();
        let (mut acceptor, receivers) = acceptor(2, 1000, &[]);
        let mut process = Process::of_test(Settings::default());
        Arc::get_mut(&mut process).unwrap().phase = watch::channel(Phase::Draining).1;
        acceptor.process = process;
        let listeners = Listeners {
            tcp: Some(tcp),
            tls: None,
            unix: None,
        };
        acceptor.run(listeners).await;
        let handed_over = receivers.iter().map(mpsc::Receiver::len).sum::<usize>();
        assert_eq!(handed_over, CLIENTS);
    }
}
