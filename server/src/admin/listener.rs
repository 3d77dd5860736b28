//! Accepts connections of the admin port, and serves one request on each.

use std::cmp::Reverse;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet, yield_now};
use tokio::time::{sleep, timeout};

use super::routes::Caller;
use super::state::Admin;
use crate::client::ClientId;

/// The bounds of the admin port's connections.
#[derive(Clone, Copy, Debug)]
struct ConnectionBounds {
    /// Maximum of connections. A new connection beyond it replaces one of the address with the most
    /// connections: the oldest without a request, else the oldest.
    connections_max: usize,
    /// Time for a request's headers.
    headers_timeout: Duration,
    /// Time for a connection, from the first byte of the request to the last byte of the answer.
    /// Stalled connections end then, too.
    connection_timeout: Duration,
}

const BOUNDS: ConnectionBounds = ConnectionBounds {
    connections_max: 64,
    headers_timeout: Duration::from_secs(2),
    // The default timeout of Prometheus.
    connection_timeout: Duration::from_secs(10),
};

/// An open connection.
struct Open {
    /// Its source address.
    client: ClientId,
    task: AbortHandle,
    /// True once its request has arrived.
    asked: Arc<AtomicBool>,
}

impl Admin {
    /// Serves until dropped.
    pub(crate) async fn run(self: Arc<Self>, listener: TcpListener) {
        self.run_within(BOUNDS, listener).await;
    }

    async fn run_within(self: Arc<Self>, bounds: ConnectionBounds, listener: TcpListener) {
        let mut connections = JoinSet::new();
        // In order of arrival.
        let mut open = Vec::<Open>::new();
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::debug!(%error, "admin port could not accept");
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            while connections.try_join_next().is_some() {}
            open.retain(|connection| !connection.task.is_finished());
            if open.len() >= bounds.connections_max {
                make_room(&mut open);
            }
            let client = ClientId::of(peer.ip());
            let asked = Arc::<AtomicBool>::default();
            let serving = Arc::clone(&self).open(stream, peer, bounds, Arc::clone(&asked));
            #[cfg(feature = "faults")]
            let serving = self.process.faults.timed_admin(serving);
            let task = connections.spawn(serving);
            open.push(Open {
                client,
                task,
                asked,
            });
            // Answers a client that sends its request at once before another connection replaces
            // it.
            yield_now().await;
        }
    }

    /// Performs the TLS handshake if the port speaks TLS, then serves.
    async fn open(
        self: Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        bounds: ConnectionBounds,
        asked: Arc<AtomicBool>,
    ) {
        let address = peer.ip();
        let Some(tls) = self.process.admin_tls.clone() else {
            let caller = Caller {
                address,
                is_let_in: true,
            };
            return self.serve(stream, caller, bounds, asked).await;
        };
        match timeout(bounds.headers_timeout, tls.accept(stream)).await {
            Ok(Ok((stream, is_let_in))) => {
                let caller = Caller { address, is_let_in };
                self.serve(stream, caller, bounds, asked).await;
            }
            Ok(Err(error)) => tracing::debug!(%error, "admin port: tls handshake failed"),
            Err(_) => tracing::debug!("admin port: tls handshake was not done in time"),
        }
    }

    /// Answers one request.
    async fn serve<S>(
        self: Arc<Self>,
        stream: S,
        caller: Caller,
        bounds: ConnectionBounds,
        asked: Arc<AtomicBool>,
    ) where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let service = service_fn(|request| {
            asked.store(true, Relaxed);
            async { Ok::<_, Infallible>(self.answer(caller, request).await) }
        });
        let serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(bounds.headers_timeout)
            // One request per connection, so no client keeps a connection.
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), service);
        match timeout(bounds.connection_timeout, serving).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "admin connection ended"),
            Err(_) => tracing::debug!("admin connection took too long"),
        }
    }
}

/// Ends a connection of the client that has the most, so that a crowd replaces only its own
/// connections.
fn make_room(open: &mut Vec<Open>) {
    let held = |client: &ClientId| open.iter().filter(|each| each.client == *client).count();
    // The first of equal keys is the oldest.
    let first = (0..open.len()).min_by_key(|&at| {
        let connection: &Open = &open[at];
        let asked = connection.asked.load(Relaxed);
        (Reverse(held(&connection.client)), asked)
    });
    if let Some(first) = first {
        open.remove(first).task.abort();
    }
}

#[cfg(test)]
mod tests {
    use http::{Request, StatusCode};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::net::TcpSocket;
    use tokio::sync::{Semaphore, watch};

    use super::*;
    use crate::config::Settings;
    use crate::drain::Phase;
    use crate::metrics::counters::WorkerCounters;
    use crate::process::Process;

    /// Far beyond scheduling delays of a test machine for immediate answers, and short enough for
    /// answers that never come.
    const WITHIN: Duration = Duration::from_millis(300);

    const PATIENCE: Duration = Duration::from_secs(30);

    const LOCAL: &str = "127.0.0.1";

    fn caller(address: &str) -> Caller {
        Caller {
            address: address.parse().unwrap(),
            is_let_in: true,
        }
    }

    fn admin() -> Admin {
        admin_of(Process::of_test(Settings::default()))
    }

    fn admin_of(process: Arc<Process>) -> Admin {
        Admin {
            process,
            workers: [(), ()].map(|()| Arc::new(WorkerCounters::new())).into(),
            showing: Arc::new(Semaphore::new(1)),
        }
    }

    /// Limits for a connection and its headers.
    fn bounds(timeout: Duration) -> ConnectionBounds {
        ConnectionBounds {
            headers_timeout: timeout,
            connection_timeout: timeout,
            ..BOUNDS
        }
    }

    async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, within: Duration) {
        let asked = Arc::default();
        let serving = Arc::new(admin()).serve(stream, caller(LOCAL), bounds(within), asked);
        serving.await;
    }

    #[tokio::test]
    async fn what_is_shown_is_only_read() {
        for path in ["/", "/metrics", "/healthz", "/readyz", "/debug/state"] {
            let answer = |method: &str| {
                let request = Request::builder().method(method).uri(path);
                let request = request.body(()).unwrap();
                async { Arc::new(admin()).answer(caller(LOCAL), request).await }
            };
            assert_eq!(answer("HEAD").await.status(), StatusCode::OK, "{path}");
            let refused = answer("POST").await;
            assert_eq!(refused.status(), StatusCode::METHOD_NOT_ALLOWED, "{path}");
            assert_eq!(refused.headers()["allow"], "GET, HEAD", "{path}");
        }
    }

    #[tokio::test]
    async fn a_scraper_that_does_not_read_keeps_its_slot_no_longer_than_any() {
        // The answer does not fit into the pipe.
        let (mut scraper, stream) = duplex(1000);
        let request = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n";
        scraper.write_all(request).await.unwrap();
        serve(stream, WITHIN).await;
        let mut rest = Vec::new();
        scraper.read_to_end(&mut rest).await.unwrap();
        assert!(rest.starts_with(b"HTTP/1.1 200 "), "{rest:?}");
        assert!(rest.len() <= 1000);
    }

    #[tokio::test]
    async fn one_that_says_nothing_or_half_of_it_neither() {
        for said in ["", "GET /metrics HTT"] {
            let (mut scraper, stream) = duplex(1000);
            scraper.write_all(said.as_bytes()).await.unwrap();
            serve(stream, WITHIN).await;
        }
    }

    #[tokio::test]
    async fn each_request_has_a_connection_of_its_own() {
        let (mut scraper, stream) = duplex(100_000);
        let request = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n";
        scraper.write_all(request).await.unwrap();
        serve(stream, PATIENCE).await;
        let mut text = String::new();
        scraper.read_to_string(&mut text).await.unwrap();
        assert!(text.contains("connection: close") && text.contains("\nhashlane_build_info{"));
    }

    /// No timeout ends a connection during this test.
    #[tokio::test]
    async fn probes_are_answered_however_many_say_nothing_or_half_of_it() {
        const HOUR: Duration = Duration::from_secs(3600);
        const CROWD: usize = 300;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(Arc::new(admin()).run_within(bounds(HOUR), listener));
        let mut crowd = Vec::new();
        for said in ["", "GET /readyz HTTP/1.1\r\nhost: "]
            .iter()
            .cycle()
            .take(CROWD)
        {
            let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
            stream.write_all(said.as_bytes()).await.unwrap();
            crowd.push(stream);
        }
        for _ in 0..10 {
            let mut probe = tokio::net::TcpStream::connect(address).await.unwrap();
            let request = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n";
            probe.write_all(request).await.unwrap();
            let mut text = String::new();
            let answer = timeout(PATIENCE, probe.read_to_string(&mut text)).await;
            answer.expect("no answer").unwrap();
            assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
        }
        // The last connections are still open.
        let last = crowd.last_mut().unwrap();
        let rest = b"test\r\n\r\n";
        last.write_all(rest).await.unwrap();
        let mut text = String::new();
        last.read_to_string(&mut text).await.unwrap();
        assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
        serving.abort();
    }

    /// The crowd opens a new connection for each closed one, all from one address.
    #[tokio::test]
    async fn a_crowd_takes_no_place_of_another_address() {
        const HOUR: Duration = Duration::from_secs(3600);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(Arc::new(admin()).run_within(bounds(HOUR), listener));
        let connect = async |from: &str| {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
            socket.connect(address).await.unwrap()
        };
        let mut crowd = Vec::new();
        for _ in 0..BOUNDS.connections_max {
            crowd.push(connect("127.0.0.2").await);
        }
        let mut probes = Vec::new();
        for _ in 0..3 {
            probes.push(connect("127.0.0.1").await);
        }
        for _ in 0..200 {
            crowd.push(connect("127.0.0.2").await);
        }
        // The last connection of the crowd is answered, so all earlier ones were accepted.
        let mut asking = crowd.pop().unwrap();
        let mut text = String::new();
        for probe in [&mut asking].into_iter().chain(&mut probes) {
            let request = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n";
            probe.write_all(request).await.unwrap();
            text.clear();
            let answer = timeout(PATIENCE, probe.read_to_string(&mut text)).await;
            answer.expect("no answer").unwrap();
            assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
        }
        serving.abort();
    }

    #[test]
    fn health_is_that_of_every_worker() {
        let admin = admin();
        assert_eq!(admin.health().status(), StatusCode::OK);
        admin.workers[1].heartbeat.hang();
        assert_eq!(admin.health().status(), StatusCode::SERVICE_UNAVAILABLE);
        let state = admin.state();
        for why in ["unhealthy", "not_ready"] {
            assert_eq!(state[why], "worker 1 hangs", "{why}");
        }
        assert_eq!(admin.readiness().status(), StatusCode::SERVICE_UNAVAILABLE);
    }

    #[test]
    fn who_shuts_down_is_not_ready() {
        let sender = watch::Sender::new(Phase::Serving);
        let mut process = Process::of_test(Settings::default());
        Arc::get_mut(&mut process).unwrap().phase = sender.subscribe();
        let admin = admin_of(process);
        assert_eq!(admin.readiness().status(), StatusCode::OK);
        for phase in [Phase::LameDuck, Phase::Draining] {
            sender.send_replace(phase);
            let ends = admin.readiness();
            assert_eq!(ends.status(), StatusCode::SERVICE_UNAVAILABLE);
        }
    }
}
