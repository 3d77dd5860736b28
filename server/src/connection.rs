//! One connection: HTTP/2, and which handler answers which path.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::{self, Future, Ready, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::{HeaderValue, Method as HttpMethod, Request, Response, StatusCode, header};
use http_body::{Body, Frame};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tonic::Status;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::HealthService;
use tower::Service as TowerService;

use crate::config::Settings;
use crate::drain::Phase;
use crate::intake::{Gate, Reader};
use crate::metrics::grpc::{HASH_SERVICE, Method};
use crate::rpc::call::{Call, Shared, parse_timeout};
use crate::rpc::guard::{Begun, Executor};
use crate::rpc::observe::{Observed, ObservedBody, RequestBody, SMALL_MESSAGE_BYTES_MAX};
use crate::rpc::reflection;
use crate::rpc::service::HashServer;
use crate::rpc::status;
use crate::rpc::stream::StreamBody;
use crate::socket::Socket;
use crate::wire::MessageKind;
use crate::worker::unread::{Answers, Reader as AnswersReader};
use crate::worker::waiting::Bound;
use crate::worker::windows::{Window, Windows};
use crate::worker::{Arrived, Blueprint, Worker};

/// The client's first bytes (RFC 9113 section 3.4).
const PREFACE_BYTES: u64 = 24;

/// Time for them once the drain has begun: a client that connected just before
/// has them on their way, and is better told GOAWAY than reset.
const DRAIN_PREFACE_TIMEOUT: Duration = Duration::from_secs(1);

/// How far hyper lets an adaptive window grow.
const ADAPTIVE_WINDOW_BYTES_MAX: u32 = 16 << 20;

type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;
type TonicHandler = Box<dyn Fn(Request<RequestBody>) -> LocalFuture<Response<tonic::body::Body>>>;

/// What tonic answers, and how HTTP/2 is spoken; one per worker.
pub(crate) struct Routes {
    http2: http2::Builder<Executor>,
    adaptive_window: bool,
    /// From the handler to the executor.
    begun: Begun,
    hash: TonicHandler,
    health: TonicHandler,
    reflection: TonicHandler,
}

impl Routes {
    pub(crate) fn new(blueprint: &Blueprint) -> Result<Self, String> {
        let settings = &blueprint.settings;
        let hash = HashServer::new(settings);
        let health = HealthService::from_health_reporter(blueprint.health.clone());
        let health = HealthServer::new(health).max_decoding_message_size(SMALL_MESSAGE_BYTES_MAX);
        let reflection = reflection::service()?.max_decoding_message_size(SMALL_MESSAGE_BYTES_MAX);
        let begun = Begun::default();
        Ok(Self {
            http2: http2_builder(settings, &begun),
            adaptive_window: settings.http2.adaptive_window,
            begun,
            hash: handler(hash),
            health: handler(health),
            reflection: handler(reflection),
        })
    }

    /// HTTP/2 for a connection with this window.
    fn http2(&self, window: &Window) -> http2::Builder<Executor> {
        let mut http2 = self.http2.clone();
        http2.initial_connection_window_size(window.bytes());
        // An adaptive window has no bound but hyper's own, so it is for those
        // that were granted as much.
        if self.adaptive_window && window.is_full() {
            http2.adaptive_window(true);
        }
        http2
    }

    fn tonic(&self, method: Method) -> &TonicHandler {
        match method {
            Method::Digest
            | Method::Verify
            | Method::DigestBatch
            | Method::Compose
            | Method::GetServerInfo => &self.hash,
            Method::HealthCheck | Method::HealthWatch => &self.health,
            Method::Reflection => &self.reflection,
        }
    }
}

fn handler<S>(service: S) -> TonicHandler
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

fn http2_builder(settings: &Settings, begun: &Begun) -> http2::Builder<Executor> {
    let http2 = &settings.http2;
    let mut builder = http2::Builder::new(Executor::new(begun));
    builder
        .timer(TokioTimer::new())
        .initial_stream_window_size(http2.stream_window_bytes)
        .max_frame_size(http2.frame_bytes_max)
        .max_concurrent_streams(http2.streams_max)
        .max_header_list_size(http2.header_list_bytes_max)
        .max_pending_accept_reset_streams(http2.pending_reset_streams_max)
        .max_local_error_reset_streams(http2.local_error_reset_streams_max)
        .max_send_buf_size(http2.send_buffer_bytes_max)
        .keep_alive_interval(http2.keep_alive_interval)
        .keep_alive_timeout(http2.keep_alive_timeout);
    builder
}

/// The windows that connections want.
pub(crate) fn windows(settings: &Settings) -> Windows {
    let wanted_bytes = if settings.http2.adaptive_window {
        ADAPTIVE_WINDOW_BYTES_MAX
    } else {
        settings.http2.connection_window_bytes
    };
    Windows::new(settings.receive_windows_bytes_max, wanted_bytes)
}

/// Serves one connection to its end.
pub(crate) async fn serve(
    worker: Rc<Worker>,
    routes: Rc<Routes>,
    arrived: Arrived,
    mut phase: watch::Receiver<Phase>,
) {
    let Arrived { socket, window } = arrived;
    let socket = match Socket::new(socket, std::sync::Arc::clone(&worker.counters)) {
        Ok(socket) => socket,
        Err(error) => {
            tracing::debug!(%error, "could not register a connection");
            return;
        }
    };
    let read_bytes: Rc<Cell<u64>> = socket.read_bytes();
    let preface_timeout = worker.settings.preface_timeout;
    let unread_timeout = worker.settings.part_idle_timeout;
    let connected = worker.unread.connect();
    let reader = Rc::clone(connected.reader());
    let gate = Gate::new(window.bytes());
    let socket = Reader::new(socket, &gate, &worker.level, &worker.scratch);
    let handler = Handler {
        shared: Rc::new(Shared {
            bound: Bound::new(worker.settings.connection_waiting_bytes_max),
            reader: Rc::clone(&reader),
            gate: Rc::clone(&gate),
        }),
        worker,
        routes: Rc::clone(&routes),
    };
    let serving = routes
        .http2(&window)
        .serve_connection(TokioIo::new(socket), handler);
    let mut serving = pin!(serving);
    let mut preface = pin!(sleep(preface_timeout));
    let mut turn = pin!(sleep(unread_timeout));
    let mut greeted = false;
    let mut draining = false;
    loop {
        if !draining && *phase.borrow_and_update() > Phase::Serving {
            draining = true;
            // Without a preface yet, hyper does it as soon as there is one.
            serving.as_mut().graceful_shutdown();
            let within = Instant::now() + DRAIN_PREFACE_TIMEOUT;
            if !greeted && within < preface.deadline() {
                preface.as_mut().reset(within);
            }
        }
        tokio::select! {
            result = poll_fn(|cx| {
                gate.turn();
                serving.as_mut().poll(cx)
            }) => {
                if let Err(error) = result {
                    tracing::debug!(%error, "connection ended");
                }
                return;
            }
            () = &mut preface, if !greeted => {
                if read_bytes.get() < PREFACE_BYTES {
                    tracing::debug!("connection brought no http/2 preface in time");
                    return;
                }
                greeted = true;
            }
            () = reader.cut() => {
                tracing::debug!("connection closed: it held the most unread answers");
                return;
            }
            () = &mut turn => {
                if reader.turn() {
                    tracing::debug!("connection closed: answers were not taken in time");
                    return;
                }
                turn.as_mut().reset(Instant::now() + unread_timeout);
            }
            changed = phase.changed(), if !draining => if changed.is_err() {
                return;
            },
        }
    }
}

/// Answers the requests of one connection.
struct Handler {
    worker: Rc<Worker>,
    routes: Rc<Routes>,
    shared: Rc<Shared>,
}

/// The fast path answers at once, tonic when it is done.
pub(crate) enum Answering {
    Now(Ready<Response<ResponseBody>>),
    Later(LocalFuture<Response<ResponseBody>>),
}

impl Future for Answering {
    type Output = Result<Response<ResponseBody>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Now(response) => Pin::new(response).poll(cx).map(Ok),
            Self::Later(response) => response.as_mut().poll(cx).map(Ok),
        }
    }
}

impl hyper::service::Service<Request<Incoming>> for Handler {
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = Answering;

    fn call(&self, request: Request<Incoming>) -> Answering {
        self.route(request)
            .unwrap_or_else(|response| Answering::Now(future::ready(*response)))
    }
}

impl Handler {
    /// Answers the request, or says at once why not.
    fn route(&self, request: Request<Incoming>) -> Result<Answering, Box<Response<ResponseBody>>> {
        if let Some(refusal) = not_grpc(&request) {
            return Err(Box::new(refusal));
        }
        let refuse = |status: Status| Box::new(status.into_http());
        let Some(method) = Method::at(request.uri().path()) else {
            return Err(refuse(status::no_such_method()));
        };
        let timeout = parse_timeout(request.headers());
        let has_room = self.worker.has_room_for_call(method == Method::HealthCheck);
        let mut call = Call::start(
            &self.worker,
            &self.shared,
            method,
            *timeout.as_ref().unwrap_or(&None),
        );
        let refusal = if let Err(refusal) = timeout {
            Some(refusal)
        } else if is_compressed(&request) {
            Some(status::compressed())
        } else if self.worker.is_draining() && method.service() == HASH_SERVICE {
            Some(status::draining())
        } else if !has_room {
            Some(status::busy(
                "SERVER_BUSY",
                "the server has as many open calls as it may",
            ))
        } else {
            None
        };
        if let Some(refusal) = refusal {
            call.end(refusal.code());
            return Err(refuse(refusal));
        }
        Ok(match method {
            Method::Digest if self.worker.settings.fast_path => {
                self.stream(MessageKind::Digest, request, call)
            }
            Method::Verify if self.worker.settings.fast_path => {
                self.stream(MessageKind::Verify, request, call)
            }
            _ => Answering::Later(self.tonic(method, request, call)),
        })
    }

    fn tonic(
        &self,
        method: Method,
        request: Request<Incoming>,
        call: Call,
    ) -> LocalFuture<Response<ResponseBody>> {
        let reader = Rc::clone(&self.shared.reader);
        let (mut parts, incoming) = request.into_parts();
        let (observed, body) = Observed::new(&self.worker, method, call, incoming);
        self.routes.begun.set(Some(observed.guard()));
        parts.extensions.insert(observed.slot());
        let answer = (self.routes.tonic(method))(Request::from_parts(parts, body));
        Box::pin(async move {
            let (parts, body) = observed.answer(answer).await.into_parts();
            match body {
                Ok(body) => Response::from_parts(parts, ResponseBody::Tonic(body, reader)),
                Err(status) => status.into_http(),
            }
        })
    }

    /// Digest and Verify over the fast path. The headers leave at once, so
    /// that a client may wait for them before it sends.
    fn stream(&self, kind: MessageKind, request: Request<Incoming>, call: Call) -> Answering {
        let body = Box::new(StreamBody::new(kind, request.into_body(), call));
        self.routes.begun.set(Some(body.guard()));
        let body = ResponseBody::Stream(body, Rc::clone(&self.shared.reader));
        let mut response = Response::new(body);
        response.headers_mut().insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/grpc"),
        );
        Answering::Now(future::ready(response))
    }
}

/// What is not gRPC at all is answered in HTTP's own terms, as the gRPC
/// specification has it.
fn not_grpc<B>(request: &Request<B>) -> Option<Response<ResponseBody>> {
    let plain = |code: StatusCode| {
        let mut response = Response::new(ResponseBody::Empty);
        *response.status_mut() = code;
        response
    };
    if request.method() != HttpMethod::POST {
        let mut response = plain(StatusCode::METHOD_NOT_ALLOWED);
        response
            .headers_mut()
            .insert(header::ALLOW, HeaderValue::from_static("POST"));
        return Some(response);
    }
    let content_type = request.headers().get(header::CONTENT_TYPE);
    let is_grpc = content_type.is_some_and(|value| {
        let value = value.as_bytes();
        let media_type = value.split(|b| *b == b';').next().unwrap_or_default();
        matches!(
            media_type.trim_ascii(),
            b"application/grpc" | b"application/grpc+proto"
        )
    });
    (!is_grpc).then(|| plain(StatusCode::UNSUPPORTED_MEDIA_TYPE))
}

fn is_compressed<B>(request: &Request<B>) -> bool {
    request
        .headers()
        .get("grpc-encoding")
        .is_some_and(|encoding| encoding != "identity")
}

/// A response body of either path.
#[derive(Default)]
pub(crate) enum ResponseBody {
    #[default]
    Empty,
    Stream(Box<StreamBody>, Rc<AnswersReader>),
    Tonic(ObservedBody, Rc<AnswersReader>),
}

impl Body for ResponseBody {
    type Data = Answers;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Answers>, Infallible>>> {
        let (frame, reader) = match self.get_mut() {
            Self::Empty => return Poll::Ready(None),
            Self::Stream(body, reader) => (ready!(Pin::new(&mut **body).poll_frame(cx)), reader),
            Self::Tonic(body, reader) => (ready!(Pin::new(body).poll_frame(cx)), reader),
        };
        let answers = |bytes| Answers::new(bytes, reader);
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(answers))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Empty)
    }
}
