//! The paths of the admin port.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use rustix::system::uname;
use tokio::task::spawn_blocking;

use super::state::Admin;

/// The page loads its own files only, and no other page may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Paths that answer without a certificate, because probes have none.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

const TEXT: &str = "text/plain; charset=utf-8";

const SCRIPT: &str = "text/javascript; charset=utf-8";

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
    ) -> Response<Full<Bytes>> {
        let path = request.uri().path();
        let is_probe = PROBES.contains(&path);
        if !caller.is_let_in && !is_probe {
            return plain(StatusCode::FORBIDDEN, "a certificate is needed\n");
        }
        // Probes reveal nothing that another page could use.
        if is_rebound(caller.address, request.headers()) && !is_probe {
            return plain(StatusCode::FORBIDDEN, OTHER_HOST);
        }
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "method not allowed\n");
            let allowed = HeaderValue::from_static("GET, HEAD");
            response.headers_mut().insert(header::ALLOW, allowed);
            return response;
        }
        match path {
            "/" => file("text/html; charset=utf-8", include_str!("page/page.html")),
            "/page.css" => file("text/css; charset=utf-8", include_str!("page/page.css")),
            "/page.mjs" => file(SCRIPT, include_str!("page/page.mjs")),
            "/figures.mjs" => file(SCRIPT, include_str!("page/figures.mjs")),
            "/debug/state" => {
                let state = |admin: &Self| Ok(admin.state().to_string());
                self.shown("application/json", state).await
            }
            "/metrics" => self.shown(prometheus::TEXT_FORMAT, Self::metrics).await,
            "/healthz" => self.health(),
            "/readyz" => self.readiness(),
            _ => plain(StatusCode::NOT_FOUND, "not found\n"),
        }
    }

    /// Whether the server accepts calls.
    pub(super) fn readiness(&self) -> Response<Full<Bytes>> {
        probe("ready", self.not_ready())
    }

    /// Whether no worker hangs.
    pub(super) fn health(&self) -> Response<Full<Bytes>> {
        probe("ok", self.unhealthy())
    }

    /// Reading the counters of many workers takes milliseconds. A separate thread does it, one
    /// request at a time, because this thread accepts connections.
    async fn shown(
        self: &Arc<Self>,
        content_type: &'static str,
        show: fn(&Self) -> Result<String, prometheus::Error>,
    ) -> Response<Full<Bytes>> {
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
}

const OTHER_HOST: &str = "the host is no address, not localhost and not this machine's name\n";

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

/// `well`, unless there is a reason to fail.
fn probe(well: &str, against: Option<String>) -> Response<Full<Bytes>> {
    match against {
        None => plain(StatusCode::OK, format!("{well}\n")),
        Some(reason) => plain(StatusCode::SERVICE_UNAVAILABLE, reason + "\n"),
    }
}

pub(super) fn plain(status: StatusCode, text: impl Into<Bytes>) -> Response<Full<Bytes>> {
    with_type(status, TEXT, text)
}

fn file(content_type: &'static str, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = with_type(StatusCode::OK, content_type, text);
    let headers = response.headers_mut();
    let policy = HeaderValue::from_static(POLICY);
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    let no_referrer = HeaderValue::from_static("no-referrer");
    headers.insert(header::REFERRER_POLICY, no_referrer);
    response
}

fn with_type(
    status: StatusCode,
    content_type: &'static str,
    text: impl Into<Bytes>,
) -> Response<Full<Bytes>> {
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
