//! Calls of PUT: admitted, fed with the body, answered.

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use tokio::time::timeout;
use tonic::{Code, Status};

use super::{request, response};
use crate::call::{Call, Life, Peer};
use crate::decode::Head;
use crate::hashing::Chunk;
use crate::http2::{Receive, Received, Request, Respond, WindowPermit};
use crate::metrics::grpc;
use crate::part::{Answer, Session};
use crate::request_id::{REQUEST_ID, RequestId};
use crate::status;

/// The path of the resource.
const PATH: &str = "/v1/digest";

/// The body of a refused request is read to its end, if it is at most this long and arrives within
/// this time.
const DISCARDED_BYTES_MAX: u64 = 64 << 10;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(1);

/// Whether a request is for [`PATH`].
pub(crate) fn is_for(request: &Request) -> bool {
    path_and_query(request).0 == PATH
}

fn path_and_query(request: &Request) -> (&str, Option<&str>) {
    match request.path.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (&request.path, None),
    }
}

/// Answers a request that is not gRPC. `None` if the client is gone.
pub(crate) async fn answer(
    peer: Rc<Peer>,
    request: Request,
    receive: Receive,
) -> Option<Response<Bytes>> {
    let (response, _) = answered(&peer, &request, receive).await?;
    Some(response)
}

/// The same on a stream of HTTP/2.
pub(crate) async fn answer_stream(
    peer: Rc<Peer>,
    request: Request,
    receive: Receive,
    mut respond: Respond,
) {
    let time = peer.state().process.settings.part_idle_timeout;
    let mut answering = pin!(answered(&peer, &request, receive));
    let answered = poll_fn(|cx| match respond.poll_gone(cx) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => answering.as_mut().poll(cx),
    });
    // The call is open, and counts, until its answer is sent.
    let Some((response, call)) = answered.await else {
        return;
    };
    let (head, mut body) = response.into_parts();
    if request.method == Method::HEAD {
        body.clear();
    }
    let mut waiting = respond.waiting();
    waiting.set(body.len());
    let sending = async {
        respond.headers(Response::from_parts(head, ()), false)?;
        while !body.is_empty() {
            poll_fn(|cx| respond.poll_data(cx, &mut body)).await?;
        }
        respond.finish();
        Ok::<_, crate::http2::Gone>(())
    };
    // If the client does not read it in time, the stream is reset. A refusal that no call bounds
    // does not wait.
    let time = if call.is_some() { time } else { Duration::ZERO };
    let _ = timeout(time, sending).await;
}

/// The response, with its call if the request was admitted. `None` if the client is gone.
async fn answered(
    peer: &Rc<Peer>,
    request: &Request,
    mut receive: Receive,
) -> Option<(Response<Bytes>, Option<Rc<Call>>)> {
    let id = RequestId::of(&request.headers);
    let header = id.header().clone();
    let (mut response, call) = respond(peer, id, request, &mut receive).await?;
    let is_refused = [StatusCode::BAD_REQUEST, StatusCode::PAYLOAD_TOO_LARGE];
    // Limits do not bound what is read for a request without a call.
    if call.is_some() && is_refused.contains(&response.status()) {
        discard(&mut receive, &request.headers).await;
    }
    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static(REQUEST_ID), header);
    Some((response, call))
}

async fn respond(
    peer: &Rc<Peer>,
    id: RequestId,
    request: &Request,
    receive: &mut Receive,
) -> Option<(Response<Bytes>, Option<Rc<Call>>)> {
    let refused = |refusal: &Status| peer.refused(&id, &peer.client, None, refusal);
    if let Err(refusal) = request::check_framing(&request.headers) {
        refused(&refusal);
        let mut response = response::refused(&refusal);
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
        return Some((response, None));
    }
    let (path, query) = path_and_query(request);
    if path != PATH {
        refused(&status::no_such_method());
        let detail = "this port has PUT /v1/digest, and gRPC over HTTP/2";
        return Some((response::no_such(StatusCode::NOT_FOUND, detail), None));
    }
    if request.method != Method::PUT {
        refused(&status::no_such_method());
        let detail = "send the bytes with PUT";
        let mut response = response::no_such(StatusCode::METHOD_NOT_ALLOWED, detail);
        let allowed = HeaderValue::from_static("PUT");
        response.headers_mut().insert(header::ALLOW, allowed);
        return Some((response, None));
    }
    let call = match peer.admit(id, grpc::Method::Put, &request.headers) {
        Ok((call, _)) => Rc::new(call),
        Err(refusal) => return Some((response::refused(&refusal), None)),
    };
    receive.pace(call.client());
    let (kind, head) = match request::parse(query, &request.headers) {
        Ok(parsed) => parsed,
        Err(refusal) => return Some(refuse(call, &refusal)),
    };
    let mut session = call.session(kind);
    let continues = request::expects_continue(&request.headers);
    match digest(&mut session, head, &call, receive, continues).await {
        Ok(answer) => {
            call.count_sent(1);
            call.end(Code::Ok);
            Some((response::answered(answer), Some(call)))
        }
        Err(refusal) => {
            // Its end counts the part, before the call is logged.
            drop(session);
            Some(refuse(call, &refusal?))
        }
    }
}

/// Reads the rest of a refused request's body, if it is short: some clients lose a response that
/// precedes the end of their request, and HTTP/1.1 would end the connection.
async fn discard(receive: &mut Receive, headers: &HeaderMap) {
    let length = request::content_length(headers);
    let is_short = length.is_some_and(|length| length <= DISCARDED_BYTES_MAX);
    if !is_short || request::expects_continue(headers) {
        return;
    }
    let discarding = poll_fn(|cx| {
        while let Received::Data(..) = ready!(receive.poll(cx)) {}
        Poll::Ready(())
    });
    let _ = timeout(DISCARD_TIMEOUT, discarding).await;
}

fn refuse(call: Rc<Call>, refusal: &Status) -> (Response<Bytes>, Option<Rc<Call>>) {
    call.refuse(refusal);
    (response::refused(refusal), Some(call))
}

/// Pushes what arrives, until the part is answered. If the client `continues` only once it is told
/// to, tells it so, unless the part has failed.
///
/// # Errors
/// The status with which the server ends the call; `None` if the client is gone.
async fn digest(
    session: &mut Session,
    head: Head,
    call: &Rc<Call>,
    receive: &mut Receive,
    continues: bool,
) -> Result<Answer, Option<Status>> {
    let life = Life::of_stream(call, receive);
    life.set_reading(true);
    call.count_received(1);
    session.begin_message(head)?;
    if continues && session.answers_waiting() == 0 {
        receive.send_continue();
    }
    let link = Rc::clone(receive.link());
    // `None` once all of the body has arrived.
    let mut receive = Some(receive);
    // Bytes that have arrived and are not pushed yet, with their window.
    let mut arrived: Option<(Bytes, WindowPermit)> = None;
    poll_fn(|cx| {
        loop {
            let mut has_read = false;
            if let Some(body) = &mut receive
                && link.poll_low_backlog(cx).is_ready()
            {
                if arrived.is_none()
                    && let Poll::Ready(received) = body.poll(cx)
                {
                    match received {
                        Received::Gone => return Poll::Ready(Err(None)),
                        Received::End => {
                            receive = None;
                            life.set_reading(false);
                            session.end_message();
                            has_read = true;
                        }
                        Received::Data(bytes, window) => {
                            life.hear();
                            arrived = Some((bytes, window));
                        }
                    }
                }
                if let Some((bytes, window)) = &mut arrived {
                    let piece = bytes.split_to(bytes.len().min(session.piece_bytes()));
                    let permit = window.split(piece.len());
                    let chunk = Chunk::new(piece, (permit, call.state().backlog.enter()));
                    if let Err(refusal) = session.push(chunk) {
                        return Poll::Ready(Err(Some(refusal)));
                    }
                    session.ends_piece();
                    if bytes.is_empty() {
                        arrived = None;
                    }
                    has_read = true;
                }
            }
            let has_more = session.work();
            let is_answered = session.answers_waiting() > 0;
            if is_answered
                && life.poll_paid(cx).is_ready()
                && let Some(answer) = session.pop_answer()
            {
                return Poll::Ready(Ok(answer));
            }
            if (has_read || has_more) && !is_answered {
                if receive.is_some() && link.turn_is_over() {
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                continue;
            }
            let is_receiving = receive.is_some() && !is_answered;
            let received_bytes = is_receiving.then(|| session.received_bytes());
            let refusal = ready!(life.poll_end(cx, received_bytes));
            return Poll::Ready(Err(Some(refusal)));
        }
    })
    .await
}
