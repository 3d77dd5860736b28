//! Admits calls: begins one, or refuses it with a status or an HTTP response.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{
    HeaderMap, HeaderName, HeaderValue, Method as HttpMethod, Response, StatusCode, header,
};
use tonic::Status;

use super::call::{Call, parse_timeout};
use super::peer::Peer;
use crate::client::WAIT_MAX;
use crate::drain::Phase;
use crate::http2::{Receive, Request, Respond};
use crate::metrics::grpc::{HASH_SERVICE, Method};
use crate::request_id::{REQUEST_ID, RequestId};
use crate::shared_memory::Lease;
use crate::status;

impl Peer {
    /// Begins the call of a request, with the shared memory that it may read, or answers it at once.
    pub(crate) fn begin(
        self: &Rc<Self>,
        head: &Request,
        receive: &Receive,
        respond: &mut Respond,
    ) -> Option<(Call, Option<Lease>)> {
        let id = RequestId::of(&head.headers);
        respond.end_with(HeaderName::from_static(REQUEST_ID), id.header().clone());
        if let Some(refusal) = not_grpc(head) {
            // A failure means that the client is gone.
            let _ = respond.headers(refusal, true);
            return None;
        }
        let is_served = |method: &Method| {
            *method != Method::Reflection || self.state.process.settings.reflection
        };
        let Some(method) = Method::at(&head.path).filter(is_served) else {
            let refusal = status::no_such_method();
            self.refused(&id, &self.client, None, &refusal);
            respond.end(&refusal);
            return None;
        };
        let (call, memory) = match self.admit(id, method, &head.headers) {
            Ok(admitted) => admitted,
            Err(_) if self.is_closed_to(method) => {
                // The call raced the GOAWAY. Nothing was done for it. A reset that says so makes
                // gRPC clients retry it by themselves, on another connection.
                respond.refuse_stream();
                return None;
            }
            Err(refusal) => {
                respond.end(&refusal);
                return None;
            }
        };
        if method.service() == HASH_SERVICE {
            receive.pace(call.client());
        }
        Some((call, memory))
    }

    /// Starts a call, which counts also if it is refused. Returns the shared memory that it may read
    /// too.
    ///
    /// # Errors
    /// It is refused. The refusal is counted.
    pub(crate) fn admit(
        self: &Rc<Self>,
        id: RequestId,
        method: Method,
        headers: &HeaderMap,
    ) -> Result<(Call, Option<Lease>), Status> {
        let client = match self.is_closed_to(method) {
            true => Err(status::draining()),
            false => self.client_of(method, headers),
        };
        let known = client.as_ref().unwrap_or(&self.client);
        let mut call = Call::start(self, Arc::clone(known), id, method, headers);
        match client.and_then(|_| self.provide(&mut call, headers)) {
            Ok(memory) => Ok((call, memory)),
            Err(refusal) => {
                call.refuse(&refusal);
                Err(refusal)
            }
        }
    }

    /// Whether the drain refuses calls of this method.
    fn is_closed_to(&self, method: Method) -> bool {
        self.phase.get() >= Phase::Draining && method.service() == HASH_SERVICE
    }

    /// Gives a call what it needs; says why not if it may not begin.
    fn provide(&self, call: &mut Call, headers: &HeaderMap) -> Result<Option<Lease>, Status> {
        let timeout = parse_timeout(headers)?;
        if timeout == Some(Duration::ZERO) {
            return Err(status::deadline());
        }
        if is_compressed(headers) {
            return Err(status::compressed());
        }
        let (client, method) = (call.client(), call.method);
        if method.service() == HASH_SERVICE {
            let wait = client.throttle.wait(Instant::now());
            if wait > WAIT_MAX {
                return Err(status::rate_exceeded(wait));
            }
        }
        let Some(permit) = self.permit(client, method) else {
            return Err(status::no_room(
                &client.streams,
                1,
                "streams_max",
                "open calls",
            ));
        };
        let memory = match method {
            Method::Digest | Method::Verify => self.memory_of(headers)?,
            _ => None,
        };
        call.provide(timeout, permit);
        Ok(memory)
    }
}

/// Requests that are not gRPC get an HTTP status, as the gRPC specification requires.
fn not_grpc(request: &Request) -> Option<Response<()>> {
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
