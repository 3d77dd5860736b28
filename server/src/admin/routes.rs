//! What each path of the admin port answers.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Body;
use prometheus::{Encoder as _, Registry, TextEncoder};
use tokio::sync::{Semaphore, oneshot, watch};

use super::state::View;
use crate::drain::Phase;
use crate::logging::{Filter, Log};
use crate::profile::Wanted;
use crate::tls::Tls;

/// Bytes of a request's body: of a log filter.
const BODY_BYTES_MAX: usize = 4096;

/// Nothing but the page's own files, and nobody may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What answers without a certificate: probes have none.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

const PROFILE: &str = "/debug/pprof/profile";

const TEXT: &str = "text/plain; charset=utf-8";

type HttpAnswer = Response<Full<Bytes>>;

/// Who asks.
#[derive(Clone, Copy)]
pub(super) struct Caller {
    pub(super) address: IpAddr,
    /// No certificate is asked for, or it showed one.
    pub(super) is_let_in: bool,
}

/// What the admin port shows.
#[derive(Clone)]
pub(crate) struct Admin {
    pub(crate) registry: Registry,
    pub(crate) phase: watch::Receiver<Phase>,
    pub(crate) view: Arc<View>,
    pub(crate) log: Option<Log>,
    pub(crate) tls: Option<Arc<Tls>>,
    /// Held by whoever takes a profile.
    pub(crate) profiling: Arc<Semaphore>,
}

impl Admin {
    /// Answers one request of `caller`.
    pub(super) async fn answer<B>(&self, caller: Caller, request: Request<B>) -> HttpAnswer
    where
        B: Body<Data = Bytes, Error: std::error::Error + Send + Sync + 'static>,
    {
        let (head, body) = request.into_parts();
        let Parts { method, uri, .. } = head;
        if !caller.is_let_in && !PROBES.contains(&uri.path()) {
            return plain(StatusCode::FORBIDDEN, "a certificate is needed\n");
        }
        let peer = caller.address;
        if (&method, uri.path()) == (&Method::PUT, "/log") {
            if let Err(reason) = may_change(peer, &head.headers) {
                return plain(StatusCode::FORBIDDEN, reason);
            }
            return match Limited::new(body, BODY_BYTES_MAX).collect().await {
                Ok(body) => self.set_log(&body.to_bytes()),
                Err(error) => {
                    let text = format!("no filter of at most {BODY_BYTES_MAX} bytes: {error}\n");
                    plain(StatusCode::BAD_REQUEST, text)
                }
            };
        }
        let allowed = match uri.path() {
            "/log" => "GET, HEAD, PUT",
            // Its headers alone are not worth a profile.
            PROFILE => "GET",
            _ => "GET, HEAD",
        };
        if !allowed.split(", ").any(|allowed| allowed == method) {
            let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "method not allowed\n");
            let allowed = HeaderValue::from_static(allowed);
            response.headers_mut().insert(header::ALLOW, allowed);
            return response;
        }
        match uri.path() {
            "/" => file("text/html; charset=utf-8", include_str!("page/page.html")),
            "/page.css" => file("text/css; charset=utf-8", include_str!("page/page.css")),
            "/page.js" => file(
                "text/javascript; charset=utf-8",
                include_str!("page/page.js"),
            ),
            "/debug/state" => self.state(),
            PROFILE => match may_change(peer, &head.headers) {
                Ok(()) => self.profile(uri.query().unwrap_or_default()).await,
                Err(reason) => plain(StatusCode::FORBIDDEN, reason),
            },
            "/metrics" => self.metrics(),
            "/log" => self.log(),
            "/healthz" => self.health(),
            "/readyz" => self.readiness(),
            _ => plain(StatusCode::NOT_FOUND, "not found\n"),
        }
    }

    /// Whether calls are welcome.
    pub(super) fn readiness(&self) -> HttpAnswer {
        if *self.phase.borrow() > Phase::Serving {
            return plain(StatusCode::SERVICE_UNAVAILABLE, "shutting down\n");
        }
        if self.view.kernels.is_exhausted() {
            let reason = "every kernel of an algorithm gave a wrong answer\n";
            return plain(StatusCode::SERVICE_UNAVAILABLE, reason);
        }
        match self.health() {
            healthy if healthy.status() == StatusCode::OK => plain(StatusCode::OK, "ready\n"),
            hung => hung,
        }
    }

    /// Whether no worker hangs.
    pub(super) fn health(&self) -> HttpAnswer {
        match self.view.hung() {
            None => plain(StatusCode::OK, "ok\n"),
            Some(id) => plain(
                StatusCode::SERVICE_UNAVAILABLE,
                format!("worker {id} hangs\n"),
            ),
        }
    }

    fn metrics(&self) -> HttpAnswer {
        let encoder = TextEncoder::new();
        let mut text = Vec::new();
        if let Err(error) = encoder.encode(&self.registry.gather(), &mut text) {
            tracing::error!(%error, "could not encode the metrics");
            return plain(StatusCode::INTERNAL_SERVER_ERROR, "could not encode\n");
        }
        with_type(StatusCode::OK, prometheus::TEXT_FORMAT, text)
    }

    fn state(&self) -> HttpAnswer {
        let state = self.view.state(Instant::now(), *self.phase.borrow());
        with_type(StatusCode::OK, "application/json", state.to_string())
    }

    /// A profile of the process's CPU time. A thread of its own takes it: it lasts longer than the
    /// server has to end, so that nobody may wait for it then.
    async fn profile(&self, query: &str) -> HttpAnswer {
        let wanted = match Wanted::parse(query) {
            Ok(wanted) => wanted,
            Err(reason) => return plain(StatusCode::BAD_REQUEST, reason),
        };
        let Ok(permit) = Arc::clone(&self.profiling).try_acquire_owned() else {
            let text = "another profile is being taken\n";
            return plain(StatusCode::TOO_MANY_REQUESTS, text);
        };
        let (done, taken) = oneshot::channel();
        let thread = std::thread::Builder::new().name("profile".to_owned());
        let started = thread.spawn(move || {
            let profile = wanted.take();
            drop(permit);
            // Whoever asked may be gone.
            let _ = done.send(profile);
        });
        let profile = match started {
            Ok(_) => taken
                .await
                .unwrap_or_else(|_| Err(io::Error::other("it panicked"))),
            Err(error) => Err(error),
        };
        match profile {
            Ok(profile) => with_type(StatusCode::OK, "application/octet-stream", profile),
            Err(error) => {
                let text = format!(
                    "no profile: {error}; the process must be allowed perf_event_open(2), by \
                     kernel.perf_event_paranoid of at most 2 and by its container\n"
                );
                plain(StatusCode::SERVICE_UNAVAILABLE, text)
            }
        }
    }

    fn log(&self) -> HttpAnswer {
        match &self.log {
            Some(log) => plain(StatusCode::OK, log.filter() + "\n"),
            None => no_log(),
        }
    }

    fn set_log(&self, body: &[u8]) -> HttpAnswer {
        let Some(log) = &self.log else {
            return no_log();
        };
        let Ok(filter) = std::str::from_utf8(body) else {
            return plain(StatusCode::BAD_REQUEST, "the filter is not UTF-8\n");
        };
        let no_filter = |error| {
            let text = format!("no log filter: {error}\n");
            plain(StatusCode::BAD_REQUEST, text)
        };
        let filter = match Filter::read(filter) {
            Ok(filter) => filter,
            Err(error) => return no_filter(error),
        };
        let text = filter.text.clone();
        // Under the old filter and under the new one: either may hide the line.
        tracing::warn!(filter = text, "the admin port changes the log filter");
        if let Err(error) = log.put(filter) {
            return no_filter(error);
        }
        tracing::info!(filter = text, "log filter changed by the admin port");
        plain(StatusCode::OK, text + "\n")
    }
}

/// Time that a request takes by itself, beside that for its way.
pub(super) fn time_wanted<B>(request: &Request<B>) -> Duration {
    let uri = request.uri();
    if request.method() != Method::GET || uri.path() != PROFILE {
        return Duration::ZERO;
    }
    let wanted = Wanted::parse(uri.query().unwrap_or_default());
    wanted.map_or(Duration::ZERO, Wanted::time)
}

/// Whether a request may change something, or have a profile taken. Nobody says who they are at
/// this port, so that it must come from this machine, and not from a page of another site in a
/// browser there. Such a page may have a name of its own that leads here (DNS rebinding).
fn may_change(peer: IpAddr, headers: &HeaderMap) -> Result<(), &'static str> {
    if !peer.to_canonical().is_loopback() {
        return Err("only loopback addresses may do this\n");
    }
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    if !matches!(site, None | Some(b"same-origin" | b"none")) {
        return Err("pages of other sites may not do this\n");
    }
    match headers.get(header::HOST) {
        Some(host) if !is_own_name(host) => Err("the host is no address and not localhost\n"),
        _ => Ok(()),
    }
}

/// Whether no other machine's name can be in `host`.
fn is_own_name(host: &HeaderValue) -> bool {
    let Ok(host) = Authority::try_from(host.as_bytes()) else {
        return false;
    };
    let host = host.host();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok()
}

/// Of a server inside another program, whose log is that program's own.
fn no_log() -> HttpAnswer {
    plain(StatusCode::NOT_FOUND, "this server has no log\n")
}

pub(super) fn plain(status: StatusCode, text: impl Into<Bytes>) -> HttpAnswer {
    with_type(status, TEXT, text)
}

fn file(content_type: &'static str, text: &'static str) -> HttpAnswer {
    let mut response = with_type(StatusCode::OK, content_type, text);
    let headers = response.headers_mut();
    let policy = HeaderValue::from_static(POLICY);
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    let no_referrer = HeaderValue::from_static("no-referrer");
    headers.insert(header::REFERRER_POLICY, no_referrer);
    response
}

fn with_type(status: StatusCode, content_type: &'static str, text: impl Into<Bytes>) -> HttpAnswer {
    let mut response = Response::new(Full::new(text.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    // A browser takes it for what it says, and asks again each time.
    let nosniff = HeaderValue::from_static("nosniff");
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
    let no_store = HeaderValue::from_static("no-store");
    headers.insert(header::CACHE_CONTROL, no_store);
    response
}
