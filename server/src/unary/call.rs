//! Calls of one message: the unary methods of HashService, and, through tonic, health and
//! reflection.
//!
//! ```text
//! call ──> answer ── Gathering (bounded in bytes and time) ──> codec.rs ──> service.rs
//!             │                        └─ RequestBody ──> tonic              batch.rs, compose.rs
//!             └── response, as far as the client's windows go
//! ```
//!
//! codec.rs counts a batch's blobs, and Compose's digests, before it decodes them. Long work is
//! done in pieces; turn.rs says when to yield. reflection.rs describes the services.
//!
//! Why in pieces, and not by tonic: tonic decodes and encodes a message in one go. 10,000 parts
//! took 40 ms of one poll, for which other connections waited. Now the longest poll of the most
//! expensive legal message takes 1.5 ms (docs/measurements.md, The longest poll;
//! server/tests/server/poll_times.rs).

mod batch;
mod codec;
mod compose;
mod reflection;
mod service;

use std::cell::RefCell;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use futures_util::future::LocalBoxFuture;
use http::{HeaderValue, Request, Response, header};
use http_body::{Body, Frame};
use send_wrapper::SendWrapper;
use tonic::{Code, Status};
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};
use tower::Service as TowerService;

use self::codec::{Answer, PREFIX_BYTES};
use crate::call::{Call, Life};
use crate::http2::{Gone, Link, Receive, Received, Respond};
use crate::limits::{Permit, UNARY_CALL_BYTES};
use crate::metrics::grpc::{HASH_SERVICE, Method};
use crate::status;

/// Maximum message of the other services: names of services and symbols.
const SMALL_MESSAGE_BYTES_MAX: usize = 16 * 1024;

/// Memory that tonic takes for a call of the other services: a buffer of 8 KiB, and the message.
const SMALL_CALL_BYTES: usize = (8 << 10) + 2 * SMALL_MESSAGE_BYTES_MAX;

/// Bytes of a request read ahead of its handler.
const AHEAD_BYTES_MAX: usize = SMALL_MESSAGE_BYTES_MAX;

type BoxedService =
    Box<dyn Fn(Request<RequestBody>) -> LocalBoxFuture<'static, Response<tonic::body::Body>>>;

/// The services that tonic answers; one per worker.
pub(crate) struct Services {
    health: BoxedService,
    reflection: BoxedService,
}

impl Services {
    pub(crate) fn new(health: &HealthReporter) -> Result<Self, String> {
        let health = HealthService::from_health_reporter(health.clone());
        let health = HealthServer::new(health).max_decoding_message_size(SMALL_MESSAGE_BYTES_MAX);
        let reflection = reflection::service()?.max_decoding_message_size(SMALL_MESSAGE_BYTES_MAX);
        Ok(Self {
            health: handler(health),
            reflection: handler(reflection),
        })
    }

    fn handler(&self, method: Method) -> &BoxedService {
        match method {
            Method::Reflection => &self.reflection,
            _ => &self.health,
        }
    }
}

fn handler<S>(service: S) -> BoxedService
where
    S: TowerService<
            Request<RequestBody>,
            Response = Response<tonic::body::Body>,
            Error = Infallible,
        > + Clone
        + 'static,
    S::Future: 'static,
{
    Box::new(move |request| {
        let mut service = service.clone();
        Box::pin(async move {
            match service.call(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            }
        })
    })
}

/// Collects the message of a request. Its handler sees only a complete message.
struct Gathering {
    /// `None` once the call has ended. tonic's reflection reads in a separate task, which outlives
    /// the call.
    receive: Option<(Receive, Rc<Life>)>,
    /// `None` for messages of other services, which are bounded one by one: probes are answered
    /// regardless of the service's load.
    permit: Option<Rc<RefCell<Permit>>>,
    message_bytes_max: usize,
    /// Bytes received, and the prefix as far as received.
    received_bytes: usize,
    prefix: [u8; PREFIX_BYTES],
    /// Bytes charged to the permit.
    charged_bytes: usize,
    /// Bytes that arrived before tonic read them, and the waker of its read.
    ahead: BytesMut,
    reading: Option<Waker>,
}

impl Gathering {
    /// The compressed flag and the length of the message, once received.
    fn prefix(&self) -> Option<(u8, usize)> {
        let [flag, length @ ..] = self.prefix;
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        (self.received_bytes >= PREFIX_BYTES).then_some((flag, length))
    }

    /// The single message of the request.
    async fn message(&mut self) -> Result<Bytes, Status> {
        let mut body = BytesMut::new();
        while let Some(frame) = poll_fn(|cx| self.poll_frame(cx)).await {
            body.extend_from_slice(&frame?);
            let Some((flag, length)) = self.prefix() else {
                continue;
            };
            match flag {
                0 => {}
                1 => return Err(status::compressed()),
                _ => {
                    return Err(status::malformed(
                        "a message's compressed flag is not 0 or 1",
                    ));
                }
            }
            if length > self.message_bytes_max {
                return Err(status::message_too_large(self.message_bytes_max));
            }
            let missing = (PREFIX_BYTES + length).checked_sub(body.len());
            let more = || status::malformed("more than one message");
            body.reserve(missing.ok_or_else(more)?);
        }
        match self.prefix() {
            Some((_, length)) if body.len() == PREFIX_BYTES + length => {
                Ok(body.freeze().slice(PREFIX_BYTES..))
            }
            _ => Err(status::malformed("the call ended before its message did")),
        }
    }

    /// Counts a frame. As soon as the message's length is known, all of it is charged, because its
    /// memory is then allocated. A unary call cannot wait for room, because the calls that hold the
    /// room may wait too.
    fn count(&mut self, bytes: &[u8]) -> Result<(), Status> {
        let missing = PREFIX_BYTES
            .saturating_sub(self.received_bytes)
            .min(bytes.len());
        self.prefix[self.received_bytes.min(PREFIX_BYTES)..][..missing]
            .copy_from_slice(&bytes[..missing]);
        self.received_bytes += bytes.len();
        let mut wanted = self.received_bytes;
        // A message that is too large is refused with its own error.
        if let Some((_, length)) = self.prefix()
            && length <= self.message_bytes_max
        {
            wanted = wanted.max(length + PREFIX_BYTES);
        }
        let more = wanted.saturating_sub(self.charged_bytes);
        self.charged_bytes += more;
        match &self.permit {
            Some(permit) if !permit.borrow_mut().grow(more) => {
                Err(status::no_unary_bytes(permit.borrow().budget(), more))
            }
            _ => Ok(()),
        }
    }

    /// Reads while tonic does not, because bytes in HTTP/2 take more memory than their length.
    /// Ready if there are too many.
    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> Poll<Status> {
        loop {
            let Some((receive, life)) = &mut self.receive else {
                return Poll::Pending;
            };
            let Poll::Ready(received) = receive.poll(cx) else {
                return Poll::Pending;
            };
            if let Some(reading) = self.reading.take() {
                reading.wake();
            }
            let Received::Data(bytes, _window) = received else {
                return Poll::Pending;
            };
            if self.ahead.len() + bytes.len() > AHEAD_BYTES_MAX {
                return Poll::Ready(status::answers_piled_up());
            }
            life.hear();
            self.ahead.extend_from_slice(&bytes);
        }
    }

    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Status>>> {
        if !self.ahead.is_empty() {
            return Poll::Ready(Some(Ok(self.ahead.split().freeze())));
        }
        self.reading = Some(cx.waker().clone());
        let Some((receive, life)) = &mut self.receive else {
            return Poll::Ready(Some(Err(status::body_gone())));
        };
        let received = receive.poll(cx);
        life.set_reading(received.is_pending());
        if matches!(received, Poll::Ready(Received::Data(..))) {
            life.hear();
        }
        received.map(|received| match received {
            Received::Data(bytes, _window) => Some(self.count(&bytes).map(|()| bytes)),
            Received::End => None,
            Received::Gone => Some(Err(status::body_gone())),
        })
    }
}

/// A request body for tonic.
struct RequestBody(SendWrapper<Rc<RefCell<Gathering>>>);

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let polled = self.0.borrow_mut().poll_frame(cx);
        polled.map(|frame| frame.map(|frame| frame.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        let gathering = self.0.borrow();
        let is_end = gathering
            .receive
            .as_ref()
            .is_none_or(|(receive, _)| receive.is_end());
        gathering.ahead.is_empty() && is_end
    }
}

/// Why a call ends without an answer.
enum CallEnd {
    /// The server ends it.
    Refused(Status),
    /// The client is gone.
    Gone,
}

impl From<Gone> for CallEnd {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

/// A call that is being answered.
struct Answering {
    call: Rc<Call>,
    life: Rc<Life>,
    respond: Respond,
    /// The request of a call whose handler reads and answers in its own order.
    request: Option<Rc<RefCell<Gathering>>>,
}

impl Drop for Answering {
    fn drop(&mut self) {
        if let Some(request) = &self.request {
            let mut request = request.borrow_mut();
            request.receive = None;
            request.ahead = BytesMut::new();
            if let Some(reading) = request.reading.take() {
                reading.wake();
            }
        }
    }
}

/// Answers a call, from the request to the status.
pub(crate) async fn answer(services: Rc<Services>, call: Call, receive: Receive, respond: Respond) {
    let call = Rc::new(call);
    let mut answering = Answering {
        respond,
        request: None,
        life: Rc::new(Life::new(&call, &receive)),
        call,
    };
    match answering.run(&services, receive).await {
        Ok(code) => answering.call.end(code),
        Err(CallEnd::Refused(status)) => answering.life.end(&mut answering.respond, &status),
        Err(CallEnd::Gone) => {}
    }
}

impl Answering {
    async fn run(&mut self, services: &Services, receive: Receive) -> Result<Code, CallEnd> {
        let call = Rc::clone(&self.call);
        let state = call.state();
        let of_hash = call.method.service() == HASH_SERVICE;
        let message_bytes_max = if of_hash {
            state.settings.message_bytes_max
        } else {
            SMALL_MESSAGE_BYTES_MAX
        };
        let taken = if of_hash {
            UNARY_CALL_BYTES
        } else {
            SMALL_CALL_BYTES
        };
        let permit = call.client().unary_bytes.take(taken);
        // Held until the call ends, because the message lives as long as its handler.
        let Some(permit) = permit.or_else(|| call.probe()) else {
            let refusal = status::no_unary_bytes(&call.client().unary_bytes, taken);
            return Err(CallEnd::Refused(refusal));
        };
        let permit = Rc::new(RefCell::new(permit));
        let link = Rc::clone(receive.link());
        let life = Rc::clone(&self.life);
        let mut gathering = Gathering {
            receive: Some((receive, Rc::clone(&life))),
            permit: of_hash.then(|| Rc::clone(&permit)),
            message_bytes_max,
            received_bytes: 0,
            prefix: [0; PREFIX_BYTES],
            charged_bytes: 0,
            ahead: BytesMut::new(),
            reading: None,
        };
        let paid = poll_fn(move |cx| life.poll_paid(cx));
        let own = |status: Status| {
            let own = status::from_tonic(&status, message_bytes_max);
            own.unwrap_or(status)
        };
        if of_hash {
            // Boxed, so that calls of the other services do not reserve space for it.
            let answer = Box::pin(async {
                let message = gathering.message().await.map_err(own)?;
                service::answer(&call, message, &link).await
            });
            let answer = self.unless_ended(answer).await?;
            self.unless_ended(paid).await?;
            let answer = answer.map_err(CallEnd::Refused)?;
            self.write_answer(answer, &link).await?;
            call.count_sent(1);
            self.respond.trailers(status::trailers(&Status::ok("")));
            return Ok(Code::Ok);
        }
        let gathering = Rc::new(RefCell::new(gathering));
        if call.method == Method::Reflection {
            self.request = Some(Rc::clone(&gathering));
        }
        // Without the request's headers: nothing needs them, and they would keep their read buffer
        // alive.
        let path = format!("/{}/{}", call.method.service(), call.method.name());
        let request = Request::post(path).body(RequestBody(SendWrapper::new(gathering)));
        let request =
            request.map_err(|error| CallEnd::Refused(Status::internal(error.to_string())))?;
        let response = (services.handler(call.method))(request);
        let (head, mut body) = self.unless_ended(response).await?.into_parts();
        self.unless_ended(paid).await?;
        if let Some(status) = Status::from_header_map(&head.headers) {
            return Err(CallEnd::Refused(own(status)));
        }
        self.respond
            .headers(Response::from_parts(head, ()), false)?;
        loop {
            let frame = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx));
            let Some(frame) = self.unless_ended(frame).await? else {
                self.respond.trailers(status::trailers(&Status::ok("")));
                return Ok(Code::Ok);
            };
            match frame.map_err(CallEnd::Refused)?.into_data() {
                Ok(bytes) => {
                    self.write(bytes).await?;
                    call.count_sent(1);
                }
                Err(frame) => {
                    let trailers = frame.into_trailers().unwrap_or_default();
                    let status = Status::from_header_map(&trailers);
                    self.respond.trailers(trailers);
                    let status = status.unwrap_or_else(|| Status::unknown(""));
                    if status.code() != Code::Ok {
                        call.refuse(&status);
                    }
                    return Ok(status.code());
                }
            }
        }
    }

    /// Waits for `future`, unless an event ends the call first.
    async fn unless_ended<T>(&mut self, future: impl Future<Output = T>) -> Result<T, CallEnd> {
        let mut future = pin!(future);
        poll_fn(|cx| {
            // Neither work nor refuse for a client that has left.
            if self.respond.is_gone() {
                return Poll::Ready(Err(CallEnd::Gone));
            }
            match future.as_mut().poll(cx) {
                Poll::Ready(value) => Poll::Ready(Ok(value)),
                Poll::Pending => {
                    if self.respond.poll_gone(cx).is_ready() {
                        return Poll::Ready(Err(CallEnd::Gone));
                    }
                    self.poll_end(cx)
                        .map(|status| Err(CallEnd::Refused(status)))
                }
            }
        })
        .await
    }

    /// Writes an answer.
    async fn write_answer(&mut self, answer: Answer, link: &Link) -> Result<(), CallEnd> {
        let mut headers = Response::new(());
        let grpc = HeaderValue::from_static("application/grpc");
        headers.headers_mut().insert(header::CONTENT_TYPE, grpc);
        self.respond.headers(headers, false)?;
        for frame in answer.into_frames() {
            self.unless_ended(link.next_turn()).await?;
            self.write(frame).await?;
        }
        Ok(())
    }

    /// Writes bytes as far as the client takes them, and waits for it to take the rest.
    async fn write(&mut self, mut bytes: Bytes) -> Result<(), CallEnd> {
        while !bytes.is_empty() {
            poll_fn(|cx| {
                let written = self.life.poll_write(cx, &mut self.respond, &mut bytes);
                if let Poll::Ready(written) = written {
                    return Poll::Ready(written.map_err(CallEnd::from));
                }
                self.poll_end(cx)
                    .map(|status| Err(CallEnd::Refused(status)))
            })
            .await?;
        }
        Ok(())
    }

    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Status> {
        if let Some(request) = &self.request
            && let Poll::Ready(status) = request.borrow_mut().poll_ahead(cx)
        {
            return Poll::Ready(status);
        }
        self.life.poll_end(cx, None)
    }
}
