//! Calls of one message: tonic's generated service, health and reflection, on the same
//! interface as the streams.
//!
//! ```text
//! call ──> answer ── RequestBody (bounded in bytes and time) ──> tonic ──> service.rs
//!             │                                                    batch.rs, compose.rs
//!             └── response, as far as the client's windows go
//! ```
//!
//! codec.rs counts the blobs of a batch before it decodes them; reflection.rs says what
//! there is.

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
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, Response, request};
use http_body::{Body, Frame};
use send_wrapper::SendWrapper;
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tonic::{Code, Status};
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};
use tower::Service as TowerService;

use self::service::{CallSlot, HashServer};
use crate::call::Call;
use crate::config::Settings;
use crate::http2::{Gone, Receive, Received, Respond};
use crate::limits::Permit;
use crate::metrics::grpc::{HASH_SERVICE, Method};
use crate::status;

/// Bytes of one message of the other services: names of services and symbols.
const SMALL_MESSAGE_BYTES_MAX: usize = 16 * 1024;

/// gRPC's prefix: the compressed flag and the length.
const PREFIX_BYTES: usize = 5;

/// What a header takes beside its bytes, names and values: strings of their own, and
/// entries in the tables of `http` and tonic.
const HEADER_BYTES: usize = 136;

type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;
type Handler = Box<dyn Fn(Request<RequestBody>) -> LocalFuture<Response<tonic::body::Body>>>;

/// What tonic answers; one per worker.
pub(crate) struct Services {
    hash: Handler,
    health: Handler,
    reflection: Handler,
}

impl Services {
    pub(crate) fn new(settings: &Settings, health: &HealthReporter) -> Result<Self, String> {
        let hash = HashServer::new(settings);
        let health = HealthService::from_health_reporter(health.clone());
        let health = HealthServer::new(health).max_decoding_message_size(SMALL_MESSAGE_BYTES_MAX);
        let reflection = reflection::service()?.max_decoding_message_size(SMALL_MESSAGE_BYTES_MAX);
        Ok(Self {
            hash: handler(hash),
            health: handler(health),
            reflection: handler(reflection),
        })
    }

    fn handler(&self, method: Method) -> &Handler {
        match method.service() {
            HASH_SERVICE => &self.hash,
            _ if method == Method::Reflection => &self.reflection,
            _ => &self.health,
        }
    }
}

fn handler<S>(service: S) -> Handler
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

/// A request's message, which tonic gathers before a handler sees it.
struct Gathering {
    receive: Receive,
    /// `None` for messages of other services, which are bounded one by one: probes are
    /// answered however much the service itself holds.
    permit: Option<Rc<RefCell<Permit>>>,
    message_bytes_max: usize,
    /// Bytes received, and of the prefix as many as there are.
    received_bytes: usize,
    prefix: [u8; PREFIX_BYTES],
    /// Bytes the permit was charged for.
    charged_bytes: usize,
    idle: Pin<Box<Sleep>>,
    idle_timeout: Duration,
}

impl Gathering {
    /// Counts a frame. As soon as the message's length is known all of it is charged,
    /// since tonic makes room for it then. A unary call cannot wait for room: the others
    /// that hold it may wait as well.
    fn count(&mut self, bytes: &[u8]) -> bool {
        let missing = PREFIX_BYTES
            .saturating_sub(self.received_bytes)
            .min(bytes.len());
        self.prefix[self.received_bytes.min(PREFIX_BYTES)..][..missing]
            .copy_from_slice(&bytes[..missing]);
        self.received_bytes += bytes.len();
        let mut wanted = self.received_bytes;
        if self.received_bytes >= PREFIX_BYTES {
            let [_, length @ ..] = self.prefix;
            let message = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
            // One that is too large is refused as such, by tonic.
            if message <= self.message_bytes_max {
                wanted = wanted.max(message + PREFIX_BYTES);
            }
        }
        let more = wanted.saturating_sub(self.charged_bytes);
        self.charged_bytes += more;
        let permit = self.permit.as_ref();
        permit.is_none_or(|permit| permit.borrow_mut().grow(more))
    }

    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Status>>> {
        Poll::Ready(match self.receive.poll(cx) {
            Poll::Ready(Received::Data(bytes, _window)) => {
                self.idle.as_mut().reset(Instant::now() + self.idle_timeout);
                Some(if self.count(&bytes) {
                    Ok(bytes)
                } else {
                    Err(no_room())
                })
            }
            Poll::Ready(Received::End) => None,
            Poll::Ready(Received::Gone) => Some(Err(status::body_gone())),
            Poll::Pending => {
                ready!(self.idle.as_mut().poll(cx));
                Some(Err(status::stream_idle(self.idle_timeout)))
            }
        })
    }
}

/// A request body on its way to tonic.
struct RequestBody(SendWrapper<Gathering>);

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let polled = self.get_mut().0.poll_frame(cx);
        polled.map(|frame| frame.map(|frame| frame.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.0.receive.is_end()
    }
}

/// About what a request's headers take for as long as its call lasts.
fn headers_bytes(headers: &HeaderMap) -> usize {
    let each = headers
        .iter()
        .map(|(name, value)| HEADER_BYTES + name.as_str().len() + value.len());
    each.sum()
}

/// Why a call ends without its answer.
enum End {
    /// The client can be told.
    Refused(Status),
    /// It cannot: it takes nothing.
    Stuck(Status),
    /// It is not there.
    Gone,
}

impl From<Gone> for End {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

/// A call that is being answered, and what may end it from outside.
struct Answering {
    call: Rc<Call>,
    respond: Respond,
    deadline: Option<Pin<Box<Sleep>>>,
}

/// Answers a call, from its request to its status.
pub(crate) async fn answer(
    services: Rc<Services>,
    call: Call,
    head: request::Parts,
    receive: Receive,
    respond: Respond,
) {
    let intake = Rc::clone(receive.intake());
    let mut answering = Answering {
        respond,
        deadline: call.deadline().map(|at| Box::pin(sleep_until(at))),
        call: Rc::new(call),
    };
    match answering.run(&services, head, receive).await {
        Ok(code) => answering.call.end(code),
        Err(End::Refused(status)) => {
            answering.call.refuse(&status);
            answering.respond.refuse(&status);
        }
        Err(End::Stuck(status)) => {
            tracing::debug!("a client did not take its answer in time");
            answering.call.refuse(&status);
            answering.respond.reset();
        }
        Err(End::Gone) => {}
    }
    intake.answered();
}

impl Answering {
    async fn run(
        &mut self,
        services: &Services,
        head: request::Parts,
        receive: Receive,
    ) -> Result<Code, End> {
        let call = Rc::clone(&self.call);
        let state = call.state();
        let idle_timeout = state.settings.part_idle_timeout;
        let of_hash = call.method.service() == HASH_SERVICE;
        let message_bytes_max = if of_hash {
            state.settings.message_bytes_max
        } else {
            SMALL_MESSAGE_BYTES_MAX
        };
        let permit = of_hash.then(|| {
            let permit = call.client().unary_bytes.take(headers_bytes(&head.headers));
            permit.map(|permit| Rc::new(RefCell::new(permit)))
        });
        let permit = match permit {
            Some(None) => return Err(End::Refused(no_room())),
            // Held until the call ends: the message lives as long as its handler.
            Some(permit) => permit,
            None => None,
        };
        let body = RequestBody(SendWrapper::new(Gathering {
            receive,
            permit: permit.clone(),
            message_bytes_max,
            received_bytes: 0,
            prefix: [0; PREFIX_BYTES],
            charged_bytes: 0,
            idle: Box::pin(sleep(idle_timeout)),
            idle_timeout,
        }));
        let mut request = Request::from_parts(head, body);
        request.extensions_mut().insert(CallSlot::new(&call));
        let response = (services.handler(call.method))(request);
        let (head, mut body) = self.unless_ended(response).await?.into_parts();
        if let Some(status) = Status::from_header_map(&head.headers) {
            let own = status::from_tonic(&status, message_bytes_max);
            return Err(End::Refused(own.unwrap_or(status)));
        }
        self.respond
            .headers(Response::from_parts(head, ()), false)?;
        loop {
            let frame = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx));
            let Some(frame) = self.unless_ended(frame).await? else {
                self.respond.trailers(status::trailers(&Status::ok("")));
                return Ok(Code::Ok);
            };
            match frame.map_err(End::Refused)?.into_data() {
                Ok(bytes) => {
                    self.write(bytes, idle_timeout).await?;
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

    /// Waits for `future`, unless something ends the call before.
    async fn unless_ended<T>(&mut self, future: impl Future<Output = T>) -> Result<T, End> {
        let mut future = pin!(future);
        poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(value) => Poll::Ready(Ok(value)),
            Poll::Pending => {
                if self.respond.poll_gone(cx).is_ready() {
                    return Poll::Ready(Err(End::Gone));
                }
                self.poll_end(cx).map(|status| Err(End::Refused(status)))
            }
        })
        .await
    }

    /// Writes a message as far as the client takes it, and waits for it to take the rest.
    async fn write(&mut self, mut bytes: Bytes, idle_timeout: Duration) -> Result<(), End> {
        let mut overdue = pin!(sleep(idle_timeout));
        while !bytes.is_empty() {
            poll_fn(|cx| {
                if let Poll::Ready(written) = self.respond.poll_data(cx, &mut bytes) {
                    return Poll::Ready(written.map_err(End::from));
                }
                if overdue.as_mut().poll(cx).is_ready() {
                    let status = status::answers_not_taken(idle_timeout);
                    return Poll::Ready(Err(End::Stuck(status)));
                }
                self.poll_end(cx).map(|status| Err(End::Stuck(status)))
            })
            .await?;
        }
        Ok(())
    }

    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Status> {
        self.call.mailbox().register(cx);
        if let Some(status) = self.call.ends() {
            return Poll::Ready(status);
        }
        match &mut self.deadline {
            Some(deadline) => deadline.as_mut().poll(cx).map(|()| status::deadline()),
            None => Poll::Pending,
        }
    }
}

fn no_room() -> Status {
    status::busy(
        "SERVER_BUSY",
        "the server, or the client's share of it, holds as many unread messages as it may",
    )
}
