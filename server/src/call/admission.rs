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
use crate::status;

impl Peer {
    /// Begins the call of a request, or answers it at once.
    pub(crate) fn begin(
        self: &Rc<Self>,
        head: &Request,
        receive: &Receive,
        respond: &mut Respond,
    ) -> Option<Call> {
        let id = RequestId::of(&head.headers);
        respond.end_with(HeaderName::from_static(REQUEST_ID), id.header().clone());
        if let Some(refusal) = not_grpc(head) {
            // A failure means that the client is gone.
            let _ = respond.headers(refusal, true);
            return None;
        }
        let is_served =
            |method: &Method| *method != Method::Reflection || self.state.settings.reflection;
        let Some(method) = Method::at(&head.path).filter(is_served) else {
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

    /// Begins the call of a PUT request.
    ///
    /// # Errors
    /// It is refused. The refusal is counted.
    pub(crate) fn begin_put(
        self: &Rc<Self>,
        id: RequestId,
        headers: &HeaderMap,
    ) -> Result<Call, Status> {
        if self.phase.get() < Phase::Draining {
            return self.admit(id, Method::Put, headers);
        }
        let client = Arc::clone(&self.client);
        let call = Call::start(self, client, id, Method::Put, headers, None, None);
        let refusal = status::draining();
        call.refuse(&refusal);
        Err(refusal)
    }

    /// Counts a call that may begin; says why not if it may not.
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
        let memory = match method {
            Method::Digest | Method::Verify => self.memory_of(headers),
            _ => Ok(None),
        };
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
            match memory {
                Ok(lease) => {
                    call.lend(lease);
                    return Ok(call);
                }
                Err(refusal) => refusal,
            }
        };
        call.refuse(&refusal);
        Err(refusal)
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
