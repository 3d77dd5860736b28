//! The admin port: HTTP/1.1 with `/metrics`, `/healthz` and `/readyz`.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus::{Encoder as _, Registry, TextEncoder};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet, yield_now};
use tokio::time::{sleep, timeout};

use crate::drain::Phase;
use crate::supervisor::Roster;

/// What a client of the admin port may take.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Connections at a time. Scrapers and probes are few, and need one each for a
    /// moment: when all are taken, the oldest that has not asked for anything makes
    /// room for a new one, and if all have asked, the oldest.
    connections_max: usize,
    /// Time for a request's headers.
    headers_timeout: Duration,
    /// Time for a connection, from the request's first byte to the answer's last. One
    /// that stalls, in either direction, lasts no longer.
    connection_timeout: Duration,
}

const BOUNDS: Bounds = Bounds {
    connections_max: 64,
    headers_timeout: Duration::from_secs(2),
    // As long as Prometheus waits by default.
    connection_timeout: Duration::from_secs(10),
};

/// Time for a health check of this process's own.
const HEALTHCHECK_TIMEOUT: Duration = Duration::from_secs(3);

/// What the admin port shows.
#[derive(Clone)]
pub(crate) struct Admin {
    pub(crate) registry: Registry,
    pub(crate) phase: watch::Receiver<Phase>,
    pub(crate) roster: Arc<Roster>,
}

/// A connection that is served.
struct Open {
    task: AbortHandle,
    /// Its request has come.
    asked: Arc<AtomicBool>,
}

impl Admin {
    /// Serves until it is dropped.
    pub(crate) async fn run(self, listener: TcpListener) {
        self.run_within(BOUNDS, listener).await;
    }

    async fn run_within(self, bounds: Bounds, listener: TcpListener) {
        let mut connections = JoinSet::new();
        // In the order in which they came.
        let mut open: VecDeque<Open> = VecDeque::new();
        loop {
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::debug!(%error, "admin port could not accept");
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            while connections.try_join_next().is_some() {}
            open.retain(|connection| !connection.task.is_finished());
            if open.len() >= bounds.connections_max {
                let silent = open.iter().position(|c| !c.asked.load(Relaxed));
                if let Some(oldest) = open.remove(silent.unwrap_or(0)) {
                    oldest.task.abort();
                }
            }
            let asked = Arc::<AtomicBool>::default();
            let serving = self.clone().serve(stream, bounds, Arc::clone(&asked));
            let task = connections.spawn(serving);
            open.push_back(Open { task, asked });
            // Whoever asks at once is heard before the next takes its place.
            yield_now().await;
        }
    }

    /// Answers one request.
    async fn serve<S>(self, stream: S, bounds: Bounds, asked: Arc<AtomicBool>)
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let service = service_fn(|request| {
            asked.store(true, Relaxed);
            let response = self.answer(&request);
            async { Ok::<_, Infallible>(response) }
        });
        let serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(bounds.headers_timeout)
            // One request each, so that nobody keeps a connection.
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), service);
        match timeout(bounds.connection_timeout, serving).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "admin connection ended"),
            Err(_) => tracing::debug!("admin connection took too long"),
        }
    }

    fn answer(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "method not allowed\n");
            let allowed = HeaderValue::from_static("GET, HEAD");
            response.headers_mut().insert(header::ALLOW, allowed);
            return response;
        }
        match request.uri().path() {
            "/metrics" => self.metrics(),
            "/healthz" => self.health(Instant::now()),
            "/readyz" => self.readiness(Instant::now()),
            _ => plain(StatusCode::NOT_FOUND, "not found\n"),
        }
    }

    /// Whether calls are welcome.
    fn readiness(&self, now: Instant) -> Response<Full<Bytes>> {
        if *self.phase.borrow() > Phase::Serving {
            return plain(StatusCode::SERVICE_UNAVAILABLE, "shutting down\n");
        }
        match self.health(now) {
            healthy if healthy.status() == StatusCode::OK => plain(StatusCode::OK, "ready\n"),
            stuck => stuck,
        }
    }

    /// Whether every worker turns.
    fn health(&self, now: Instant) -> Response<Full<Bytes>> {
        let workers = self.roster.counters().serving;
        let mut workers = workers.iter();
        match workers.position(|worker| worker.heartbeat.is_stuck(now)) {
            None => plain(StatusCode::OK, "ok\n"),
            Some(id) => plain(
                StatusCode::SERVICE_UNAVAILABLE,
                format!("worker {id} is stuck\n"),
            ),
        }
    }

    fn metrics(&self) -> Response<Full<Bytes>> {
        let encoder = TextEncoder::new();
        let mut text = Vec::new();
        if let Err(error) = encoder.encode(&self.registry.gather(), &mut text) {
            tracing::error!(%error, "could not encode the metrics");
            return plain(StatusCode::INTERNAL_SERVER_ERROR, "could not encode\n");
        }
        let mut response = Response::new(Full::from(text));
        response.headers_mut().insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static(prometheus::TEXT_FORMAT),
        );
        response
    }
}

fn plain(status: StatusCode, text: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(text.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    response
}

/// Asks a running server's admin port whether it is ready. For container
/// images that have no other program to ask with.
///
/// # Errors
/// The server cannot be reached, or says that it is not ready.
pub fn healthcheck(mut admin: SocketAddr) -> io::Result<()> {
    if admin.ip().is_unspecified() {
        admin.set_ip(match admin {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    let during = |what: &str, error: &io::Error| {
        let words = match error.kind() {
            // What a socket says whose time is over.
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "timed out".to_owned(),
            io::ErrorKind::UnexpectedEof => "closed without an answer".to_owned(),
            _ => error.to_string(),
        };
        io::Error::new(error.kind(), format!("cannot {what} {admin}: {words}"))
    };
    let mut stream = TcpStream::connect_timeout(&admin, HEALTHCHECK_TIMEOUT)
        .map_err(|error| during("connect to", &error))?;
    let mut head = [0; 12];
    let mut ask = || {
        stream.set_read_timeout(Some(HEALTHCHECK_TIMEOUT))?;
        stream.set_write_timeout(Some(HEALTHCHECK_TIMEOUT))?;
        stream
            .write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
        stream.read_exact(&mut head)
    };
    ask().map_err(|error| during("ask", &error))?;
    match &head {
        b"HTTP/1.1 200" => Ok(()),
        _ => Err(io::Error::other("the server is not ready")),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;
    use crate::drain::Drain;
    use crate::metrics::counters::WorkerCounters;

    /// Far beyond any test machine's hiccups for what answers at once, soon
    /// enough for what never will.
    const WITHIN: Duration = Duration::from_millis(300);

    const PATIENCE: Duration = Duration::from_secs(30);

    fn admin() -> Admin {
        let registry = Registry::new();
        let gauge = prometheus::IntGauge::new("tests", "x".repeat(10_000)).unwrap();
        registry.register(Box::new(gauge)).unwrap();
        Admin {
            registry,
            phase: Drain::new().watch(),
            roster: Roster::of(vec![
                Arc::new(WorkerCounters::new()),
                Arc::new(WorkerCounters::new()),
            ]),
        }
    }

    /// A connection may last so long, and so may its headers.
    fn bounds(timeout: Duration) -> Bounds {
        Bounds {
            headers_timeout: timeout,
            connection_timeout: timeout,
            ..BOUNDS
        }
    }

    async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, within: Duration) {
        let asked = Arc::default();
        admin().serve(stream, bounds(within), asked).await;
    }

    #[tokio::test]
    async fn a_scraper_that_does_not_read_keeps_its_slot_no_longer_than_any() {
        // The answer does not fit the pipe.
        let (mut scraper, stream) = duplex(1000);
        let request = b"GET /metrics HTTP/1.1\r\nhost: test\r\n\r\n";
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
        let request = b"GET /metrics HTTP/1.1\r\nhost: test\r\n\r\n";
        scraper.write_all(request).await.unwrap();
        serve(stream, PATIENCE).await;
        let mut text = String::new();
        scraper.read_to_string(&mut text).await.unwrap();
        assert!(text.contains("connection: close") && text.ends_with("tests 0\n"));
    }

    /// Nobody loses patience with the others during this test.
    #[tokio::test]
    async fn probes_are_answered_however_many_say_nothing_or_half_of_it() {
        const HOUR: Duration = Duration::from_secs(3600);
        const CROWD: usize = 300;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(admin().run_within(bounds(HOUR), listener));
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
            let request = b"GET /readyz HTTP/1.1\r\nhost: test\r\n\r\n";
            probe.write_all(request).await.unwrap();
            let mut text = String::new();
            let answer = timeout(PATIENCE, probe.read_to_string(&mut text)).await;
            answer.expect("no answer").unwrap();
            assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
        }
        // The last ones still have their connections.
        let last = crowd.last_mut().unwrap();
        let rest = b"test\r\n\r\n";
        last.write_all(rest).await.unwrap();
        let mut text = String::new();
        last.read_to_string(&mut text).await.unwrap();
        assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
        serving.abort();
    }

    #[test]
    fn health_is_that_of_every_worker() {
        let admin = admin();
        let now = Instant::now();
        assert_eq!(admin.health(now).status(), StatusCode::OK);
        let stuck = admin.health(now + Duration::from_secs(60));
        assert_eq!(stuck.status(), StatusCode::SERVICE_UNAVAILABLE);
    }

    #[test]
    fn who_is_unhealthy_or_shuts_down_is_not_ready() {
        let drain = Drain::new();
        let admin = Admin {
            phase: drain.watch(),
            ..admin()
        };
        let now = Instant::now();
        assert_eq!(admin.readiness(now).status(), StatusCode::OK);
        let stuck = admin.readiness(now + Duration::from_secs(60));
        assert_eq!(stuck.status(), StatusCode::SERVICE_UNAVAILABLE);
        for phase in [Phase::LameDuck, Phase::Draining] {
            drain.enter(phase);
            let ends = admin.readiness(now);
            assert_eq!(ends.status(), StatusCode::SERVICE_UNAVAILABLE);
        }
    }
}
