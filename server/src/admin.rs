//! The admin port: HTTP/1.1 with `/metrics`, `/healthz` and `/readyz`.

use std::convert::Infallible;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

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
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::drain::Phase;

/// Scrapers and probes are few; more wait in the backlog.
const CONNECTIONS_MAX: usize = 64;

/// Time for a connection, from the request's first byte to the answer's last:
/// as long as Prometheus waits by default. One that stalls, in either
/// direction, keeps its slot no longer.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// Time for a request's headers.
const HEADERS_TIMEOUT: Duration = Duration::from_secs(5);

/// Time for a health check of this process's own.
const HEALTHCHECK_TIMEOUT: Duration = Duration::from_secs(3);

/// What the admin port shows.
#[derive(Clone)]
pub(crate) struct Admin {
    pub(crate) registry: Registry,
    pub(crate) phase: watch::Receiver<Phase>,
}

impl Admin {
    /// Serves until it is dropped.
    pub(crate) async fn run(self, listener: TcpListener) {
        let slots = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let mut connections = JoinSet::new();
        loop {
            let Ok(slot) = Arc::clone(&slots).acquire_owned().await else {
                return;
            };
            while connections.try_join_next().is_some() {}
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::debug!(%error, "admin port could not accept");
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let admin = self.clone();
            connections.spawn(async move {
                admin.serve(stream, CONNECTION_TIMEOUT).await;
                drop(slot);
            });
        }
    }

    /// Answers one request.
    async fn serve<S>(self, stream: S, within: Duration)
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let service = service_fn(|request| {
            let response = self.answer(&request);
            async { Ok::<_, Infallible>(response) }
        });
        let serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS_TIMEOUT)
            // A slot for each request, so that nobody keeps one.
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), service);
        match timeout(within, serving).await {
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
            "/healthz" => plain(StatusCode::OK, "ok\n"),
            "/readyz" if *self.phase.borrow() == Phase::Serving => plain(StatusCode::OK, "ready\n"),
            "/readyz" => plain(StatusCode::SERVICE_UNAVAILABLE, "draining\n"),
            _ => plain(StatusCode::NOT_FOUND, "not found\n"),
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

fn plain(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
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
    let unreachable = |error: io::Error| {
        io::Error::new(error.kind(), format!("cannot connect to {admin}: {error}"))
    };
    let mut stream =
        TcpStream::connect_timeout(&admin, HEALTHCHECK_TIMEOUT).map_err(unreachable)?;
    stream.set_read_timeout(Some(HEALTHCHECK_TIMEOUT))?;
    stream.set_write_timeout(Some(HEALTHCHECK_TIMEOUT))?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut head = [0; 12];
    stream.read_exact(&mut head)?;
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

    /// Far beyond any test machine's hiccups for what answers at once, soon
    /// enough for what never will.
    const WITHIN: Duration = Duration::from_millis(300);

    fn admin() -> Admin {
        let registry = Registry::new();
        let gauge = prometheus::IntGauge::new("tests", "x".repeat(10_000)).unwrap();
        registry.register(Box::new(gauge)).unwrap();
        Admin {
            registry,
            phase: Drain::new().watch(),
        }
    }

    #[tokio::test]
    async fn a_scraper_that_does_not_read_keeps_its_slot_no_longer_than_any() {
        // The answer does not fit the pipe.
        let (mut scraper, stream) = duplex(1000);
        let request = b"GET /metrics HTTP/1.1\r\nhost: test\r\n\r\n";
        scraper.write_all(request).await.unwrap();
        admin().serve(stream, WITHIN).await;
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
            admin().serve(stream, WITHIN).await;
        }
    }

    #[tokio::test]
    async fn each_request_has_a_connection_of_its_own() {
        let (mut scraper, stream) = duplex(100_000);
        let request = b"GET /metrics HTTP/1.1\r\nhost: test\r\n\r\n";
        scraper.write_all(request).await.unwrap();
        admin().serve(stream, PATIENCE).await;
        let mut text = String::new();
        scraper.read_to_string(&mut text).await.unwrap();
        assert!(text.contains("connection: close") && text.ends_with("tests 0\n"));
    }

    const PATIENCE: Duration = Duration::from_secs(30);
}
