//! One call's life: from the request's headers to its status.
//!
//! ```text
//! router.rs ──> Peer::begin ── refused? ──> a status at once
//!                   │
//!                   v
//!                 Call ── Digest, Verify ──> stream.rs ──> decode ──> part
//! ```
//!
//! call.rs registers and counts a call; life.rs ends it in time; rate.rs is the minimum rate of a
//! stream.

#[allow(clippy::module_inception, reason = "one call, of the folder of calls")]
mod call;
mod life;
mod rate;
mod stream;

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{
    HeaderMap, HeaderName, HeaderValue, Method as HttpMethod, Response, StatusCode, header, request,
};
use slab::Slab;
use tonic::Status;

pub(crate) use self::call::Call;
use self::call::parse_timeout;
pub(crate) use self::life::Life;
pub(crate) use self::stream::Stream;
use crate::client::{Client, Logged, WAIT_MAX};
use crate::drain::Phase;
use crate::hashing::{Mailbox, Share};
use crate::http2::{Receive, Respond};
use crate::limits::Permit;
use crate::metrics::grpc::{HASH_SERVICE, Method};
use crate::request_id::{REQUEST_ID, RequestId};
use crate::state::WorkerState;
use crate::status::{self, Reason};

/// State shared by the calls of one connection.
pub(crate) struct Peer {
    state: Rc<WorkerState>,
    /// The connection's client.
    client: Arc<Client>,
    /// The client of the last call that had another one.
    last: RefCell<Option<Arc<Client>>>,
    /// The peer's address, if it has one.
    from: Option<SocketAddr>,
    share: Share,
    /// The connection's phase: it may end before the server does.
    phase: Cell<Phase>,
    /// Mailboxes of the calls in progress, to wake them when the phase changes.
    mailboxes: RefCell<Slab<Rc<Mailbox>>>,
}

impl Peer {
    /// For a connection of `client`.
    pub(crate) fn new(
        state: &Rc<WorkerState>,
        client: Arc<Client>,
        from: Option<SocketAddr>,
    ) -> Rc<Self> {
        Rc::new(Self {
            state: Rc::clone(state),
            client,
            last: RefCell::default(),
            from,
            share: Share::default(),
            phase: Cell::new(Phase::Serving),
            mailboxes: RefCell::default(),
        })
    }

    /// Begins the call of a request, or answers it at once.
    pub(crate) fn begin(
        self: &Rc<Self>,
        head: &request::Parts,
        receive: &Receive,
        respond: &mut Respond,
    ) -> Option<Call> {
        let id = RequestId::of(&head.headers, &self.state.request_ids);
        respond.end_with(HeaderName::from_static(REQUEST_ID), id.header().clone());
        if let Some(refusal) = not_grpc(head) {
            // A failure means that the client is gone.
            let _ = respond.headers(refusal, true);
            return None;
        }
        let is_served =
            |method: &Method| *method != Method::Reflection || self.state.settings.reflection;
        let Some(method) = Method::at(head.uri.path()).filter(is_served) else {
            let refusal = status::no_such_method();
            self.refused(&id, &self.client, None, &refusal);
            respond.end(&refusal);
            return None;
        };
        if self.phase.get() >= Phase::Draining && method.service() == HASH_SERVICE {
            // The call raced the GOAWAY. Nothing was done for it. A status that says so makes gRPC
            // clients retry it by themselves, on another connection.
            let client = Arc::clone(&self.client);
            let call = Call::start(self, client, id, method, &head.headers, None, None);
            call.refuse(&status::draining());
            respond.refuse_stream();
            return None;
        }
        let call = match self.admit(id, method, &head.headers) {
            Ok(call) => call,
            Err(refusal) => {
                respond.end(&refusal);
                return None;
            }
        };
        if method.service() == HASH_SERVICE {
            receive.pace(call.client());
        }
        Some(call)
    }

    /// Ends a turn of the connection: hashes what its calls have pushed, if more jobs are not
    /// likely to arrive. Returns whether it hashed.
    pub(crate) fn end_turn(&self) -> bool {
        self.state.hasher.end_turn()
    }

    /// The connection enters `phase` of its drain.
    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.set(phase);
        for (_, mailbox) in self.mailboxes.borrow().iter() {
            mailbox.wake();
        }
    }

    /// Counts a call that may begin. Otherwise returns the reason why it may not.
    fn admit(
        self: &Rc<Self>,
        id: RequestId,
        method: Method,
        headers: &HeaderMap,
    ) -> Result<Call, Status> {
        let client = match self.client_of(method, headers) {
            Ok(client) => client,
            Err(refusal) => {
                let call = Call::start(
                    self,
                    Arc::clone(&self.client),
                    id,
                    method,
                    headers,
                    None,
                    None,
                );
                call.refuse(&refusal);
                return Err(refusal);
            }
        };
        let timeout = parse_timeout(headers);
        let permit = self.permit(&client, method);
        let known = *timeout.as_ref().unwrap_or(&None);
        let has_room = permit.is_some();
        let call = Call::start(self, client, id, method, headers, known, permit);
        let refusal = if let Err(refusal) = timeout {
            refusal
        } else if known == Some(Duration::ZERO) {
            status::deadline()
        } else if is_compressed(headers) {
            status::compressed()
        } else if method.service() == HASH_SERVICE
            && let wait = call.client().throttle.wait(Instant::now())
            && wait > WAIT_MAX
        {
            status::rate_exceeded(wait)
        } else if !has_room {
            status::no_room(&call.client().streams, 1, "streams_max", "open calls")
        } else {
            return Ok(call);
        };
        call.refuse(&refusal);
        Err(refusal)
    }

    /// The client of a call.
    fn client_of(&self, method: Method, headers: &HeaderMap) -> Result<Arc<Client>, Status> {
        if method.service() != HASH_SERVICE {
            return Ok(Arc::clone(&self.client));
        }
        let ip = self.from.map(|from| from.ip());
        let id = self
            .state
            .identities
            .of_call(&self.client.id, ip, headers)?;
        let Some(id) = id else {
            return Ok(Arc::clone(&self.client));
        };
        let mut last = self.last.borrow_mut();
        match &*last {
            Some(client) if client.id == id => Ok(Arc::clone(client)),
            _ => {
                let client = self.state.limits.client(&id, Instant::now());
                *last = Some(Arc::clone(&client));
                Ok(client)
            }
        }
    }

    /// Counts and logs a refused call. `method` is set if it is known.
    fn refused(&self, id: &RequestId, client: &Client, method: Option<Method>, refusal: &Status) {
        let reason = Reason::of(refusal);
        self.state.counters.refusals[reason.index()].add(1);
        let admitted = self.state.refusal_log.admit(reason, Instant::now());
        if let Some(left_out) = admitted {
            tracing::info!(
                request_id = id.as_str(),
                peer = self.from.map(tracing::field::display),
                client = %Logged(&client.id),
                method = method.map(Method::name),
                code = ?refusal.code(),
                reason = reason.name(),
                left_out,
                "refused"
            );
        }
    }

    /// A permit for a call. Probes have a separate budget.
    fn permit(&self, client: &Client, method: Method) -> Option<Permit> {
        let permit = client.streams.take(1);
        let probe = || self.state.limits.probes.take(1);
        permit.or_else(|| probe().filter(|_| method == Method::HealthCheck))
    }
}

/// Requests that are not gRPC get an HTTP status, as the gRPC specification requires.
fn not_grpc(request: &request::Parts) -> Option<Response<()>> {
    let plain = |code: StatusCode| {
        let mut response = Response::new(());
        *response.status_mut() = code;
        response
    };
    if request.method != HttpMethod::POST {
        let mut response = plain(StatusCode::METHOD_NOT_ALLOWED);
        response
            .headers_mut()
            .insert(header::ALLOW, HeaderValue::from_static("POST"));
        return Some(response);
    }
    let content_type = request.headers.get(header::CONTENT_TYPE);
    let is_grpc = content_type.is_some_and(|value| {
        let value = value.as_bytes();
        let media_type = value.split(|b| *b == b';').next().unwrap_or_default();
        // RFC 9110 section 8.3.1: case does not matter.
        let is = |known: &[u8]| media_type.trim_ascii().eq_ignore_ascii_case(known);
        is(b"application/grpc") || is(b"application/grpc+proto")
    });
    (!is_grpc).then(|| plain(StatusCode::UNSUPPORTED_MEDIA_TYPE))
}

fn is_compressed(headers: &HeaderMap) -> bool {
    headers
        .get("grpc-encoding")
        .is_some_and(|encoding| encoding != "identity")
}
