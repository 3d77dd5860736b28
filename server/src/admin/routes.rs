//! The paths of the admin port.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Body;
use rustix::system::uname;
use tokio::task::spawn_blocking;

use super::state::Admin;
use crate::logging::Filter;

/// Maximum body of a request, which is a log filter.
const BODY_BYTES_MAX: usize = 4096;

/// The page loads its own files only, and no other page may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Paths that answer without a certificate, because probes have none.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

const TEXT: &str = "text/plain; charset=utf-8";

const SCRIPT: &str = "text/javascript; charset=utf-8";

type HttpAnswer = Response<Full<Bytes>>;

/// The client of a request.
#[derive(Clone, Copy)]
pub(super) struct Caller {
    pub(super) address: IpAddr,
    /// True if no certificate is required or the caller showed one.
    pub(super) is_let_in: bool,
}

impl Admin {
    /// Answers one request of `caller`.
    pub(super) async fn answer<B>(
        self: &Arc<Self>,
        caller: Caller,
        request: Request<B>,
    ) -> HttpAnswer
    where
        B: Body<Data = Bytes, Error: std::error::Error + Send + Sync + 'static>,
    {
        let (head, body) = request.into_parts();
        let Parts { method, uri, .. } = head;
        if !caller.is_let_in && !PROBES.contains(&uri.path()) {
            return plain(StatusCode::FORBIDDEN, "a certificate is needed\n");
        }
        let peer = caller.address;
        // Probes reveal nothing that another page could use.
        if is_rebound(peer, &head.headers) && !PROBES.contains(&uri.path()) {
            return plain(StatusCode::FORBIDDEN, OTHER_HOST);
        }
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
            "/page.mjs" => file(SCRIPT, include_str!("page/page.mjs")),
            "/figures.mjs" => file(SCRIPT, include_str!("page/figures.mjs")),
            "/debug/state" => {
                let state = |admin: &Self| Ok(admin.state().to_string());
                self.shown("application/json", state).await
            }
            "/metrics" => self.shown(prometheus::TEXT_FORMAT, Self::metrics).await,
            "/log" => self.log_filter(),
            "/healthz" => self.health(),
            "/readyz" => self.readiness(),
            _ => plain(StatusCode::NOT_FOUND, "not found\n"),
        }
    }

    /// Whether the server accepts calls.
    pub(super) fn readiness(&self) -> HttpAnswer {
        probe("ready", self.not_ready())
    }

    /// Whether no worker hangs.
    pub(super) fn health(&self) -> HttpAnswer {
        probe("ok", self.unhealthy())
    }

    /// Reading the counters of many workers takes milliseconds. A separate thread does it, one
    /// request at a time, because this thread accepts connections.
    async fn shown(
        self: &Arc<Self>,
        content_type: &'static str,
        show: fn(&Self) -> Result<String, prometheus::Error>,
    ) -> HttpAnswer {
        let failed = |error: &dyn std::fmt::Display| {
            tracing::error!(%error, "could not show the state");
            plain(
                StatusCode::INTERNAL_SERVER_ERROR,
                "could not show the state\n",
            )
        };
        // The semaphore is never closed.
        let turn = Arc::clone(&self.showing).acquire_owned().await;
        let admin = Arc::clone(self);
        let shown = spawn_blocking(move || {
            let _turn = turn;
            show(&admin)
        });
        match shown.await {
            Ok(Ok(text)) => with_type(StatusCode::OK, content_type, text),
            Ok(Err(error)) => failed(&error),
            Err(error) => failed(&error),
        }
    }

    fn log_filter(&self) -> HttpAnswer {
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
        // Logged under the old filter and under the new filter, because either may hide the line.
        tracing::warn!(filter = text, "the admin port changes the log filter");
        if let Err(error) = log.put(filter) {
            return no_filter(error);
        }
        tracing::info!(filter = text, "log filter changed by the admin port");
        plain(StatusCode::OK, text + "\n")
    }
}

const OTHER_HOST: &str = "the host is no address, not localhost and not this machine's name\n";

/// Whether a request may change something. The port authenticates no one, so the request must come
/// from this machine, and not from another site's page in a local browser. The name of such a page
/// may resolve to this address (DNS rebinding).
fn may_change(peer: IpAddr, headers: &HeaderMap) -> Result<(), &'static str> {
    if !peer.to_canonical().is_loopback() {
        return Err("only loopback addresses may do this\n");
    }
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    if !matches!(site, None | Some(b"same-origin" | b"none")) {
        return Err("pages of other sites may not do this\n");
    }
    match headers.get(header::HOST) {
        Some(host) if !is_own_name(host) => Err(OTHER_HOST),
        _ => Ok(()),
    }
}

/// Whether a page of another site, whose name resolves to this address (DNS rebinding), may have
/// led a local browser here. Names that other machines use for this server are unknown.
fn is_rebound(peer: IpAddr, headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST);
    peer.to_canonical().is_loopback() && host.is_some_and(|host| !is_own_name(host))
}

/// Whether `host` cannot be another machine's name.
fn is_own_name(host: &HeaderValue) -> bool {
    let Ok(host) = Authority::try_from(host.as_bytes()) else {
        return false;
    };
    let host = host.host();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let machine = uname();
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok()
        || host
            .as_bytes()
            .eq_ignore_ascii_case(machine.nodename().to_bytes())
}

/// For a server embedded in another program, which owns the log.
fn no_log() -> HttpAnswer {
    plain(StatusCode::NOT_FOUND, "this server has no log\n")
}

/// `well`, unless there is a reason to fail.
fn probe(well: &str, against: Option<String>) -> HttpAnswer {
    match against {
        None => plain(StatusCode::OK, format!("{well}\n")),
        Some(reason) => plain(StatusCode::SERVICE_UNAVAILABLE, reason + "\n"),
    }
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
    // The browser must use the declared type, and must not cache.
    let nosniff = HeaderValue::from_static("nosniff");
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
    let no_store = HeaderValue::from_static("no-store");
    headers.insert(header::CACHE_CONTROL, no_store);
    response
}
