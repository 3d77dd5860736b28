//! One connection: HTTP/2, and which handler answers which path.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hashlane_proto::v1::hash_service_server::HashServiceServer;
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
use crate::metrics::grpc::{HASH_SERVICE, Method};
use crate::rpc::call::{Call, parse_timeout};
use crate::rpc::observe::{Observed, ObservedBody, RequestBody, SMALL_MESSAGE_BYTES_MAX};
use crate::rpc::service::{CallSlot, Service};
use crate::rpc::status;
use crate::rpc::stream::StreamBody;
use crate::socket::{Accepted, Socket};
use crate::wire::MessageKind;
use crate::worker::waiting::Bound;
use crate::worker::{Blueprint, Worker};

/// The client's first bytes (RFC 9113 section 3.4).
const PREFACE_BYTES: u64 = 24;

/// Time for them once the drain has begun: a client that connected just before
/// has them on their way, and is better told GOAWAY than reset.
const DRAIN_PREFACE_TIMEOUT: Duration = Duration::from_secs(1);

type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;
type TonicHandler = Box<dyn Fn(Request<RequestBody>) -> LocalFuture<Response<tonic::body::Body>>>;

/// What tonic answers, and how HTTP/2 is spoken; one per worker.
pub(crate) struct Routes {
    http2: http2::Builder<LocalExecutor>,
    hash: TonicHandler,
    health: TonicHandler,
    reflection: TonicHandler,
}

impl Routes {
    pub(crate) fn new(blueprint: &Blueprint) -> Result<Self, String> {
        let settings = &blueprint.settings;
        let hash =
            HashServiceServer::new(Service).max_decoding_message_size(settings.message_bytes_max);
        let health = HealthService::from_health_reporter(blueprint.health.clone());
        let health = HealthServer::new(health).max_decoding_message_size(SMALL_MESSAGE_BYTES_MAX);
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(hashlane_proto::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .build_v1()
            .map_err(|error| format!("could not build reflection: {error}"))?
            .max_decoding_message_size(SMALL_MESSAGE_BYTES_MAX);
        Ok(Self {
            http2: http2_builder(settings),
            hash: handler(hash),
            health: handler(health),
            reflection: handler(reflection),
        })
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

fn http2_builder(settings: &Settings) -> http2::Builder<LocalExecutor> {
    let http2 = &settings.http2;
    let mut builder = http2::Builder::new(LocalExecutor);
    builder
        .timer(TokioTimer::new())
        .initial_stream_window_size(http2.stream_window_bytes)
        .initial_connection_window_size(http2.connection_window_bytes)
        .max_frame_size(http2.frame_bytes_max)
        .max_concurrent_streams(http2.streams_max)
        .max_header_list_size(http2.header_list_bytes_max)
        .max_pending_accept_reset_streams(http2.pending_reset_streams_max)
        .max_local_error_reset_streams(http2.local_error_reset_streams_max)
        .max_send_buf_size(http2.send_buffer_bytes_max)
        .keep_alive_interval(http2.keep_alive_interval)
        .keep_alive_timeout(http2.keep_alive_timeout);
    if http2.adaptive_window {
        builder.adaptive_window(true);
    }
    builder
}

/// Spawns onto the worker's own runtime.
#[derive(Clone, Copy, Debug)]
struct LocalExecutor;

impl<F> hyper::rt::Executor<F> for LocalExecutor
where
    F: Future + 'static,
    F::Output: 'static,
{
    fn execute(&self, future: F) {
        tokio::task::spawn_local(future);
    }
}

/// Serves one connection to its end.
pub(crate) async fn serve(
    worker: Rc<Worker>,
    routes: Rc<Routes>,
    accepted: Accepted,
    mut phase: watch::Receiver<Phase>,
) {
    let socket = match Socket::new(accepted, std::sync::Arc::clone(&worker.counters)) {
        Ok(socket) => socket,
        Err(error) => {
            tracing::debug!(%error, "could not register a connection");
            return;
        }
    };
    let read_bytes: Rc<Cell<u64>> = socket.read_bytes();
    let preface_timeout = worker.settings.preface_timeout;
    let handler = Handler {
        bound: Bound::new(worker.settings.connection_waiting_bytes_max),
        worker,
        routes: Rc::clone(&routes),
    };
    let serving = routes.http2.serve_connection(TokioIo::new(socket), handler);
    let mut serving = pin!(serving);
    let mut preface = pin!(sleep(preface_timeout));
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
            result = &mut serving => {
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
    /// Waiting bytes of all streams of the connection.
    bound: Rc<Bound>,
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
            .unwrap_or_else(|response| Answering::Now(ready(*response)))
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
        let mut call = Call::start(
            &self.worker,
            &self.bound,
            method,
            *timeout.as_ref().unwrap_or(&None),
        );
        let refusal = if let Err(refusal) = timeout {
            Some(refusal)
        } else if is_compressed(&request) {
            Some(status::compressed())
        } else if self.worker.is_draining() && method.service() == HASH_SERVICE {
            Some(status::draining())
        } else {
            None
        };
        if let Some(refusal) = refusal {
            call.end(refusal.code());
            return Err(refuse(refusal));
        }
        Ok(match method {
            Method::Digest if self.worker.settings.fast_path => {
                stream(MessageKind::Digest, request, call)
            }
            Method::Verify if self.worker.settings.fast_path => {
                stream(MessageKind::Verify, request, call)
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
        let slot = CallSlot::new(call);
        let (mut parts, incoming) = request.into_parts();
        let (observed, body) = Observed::new(&self.worker, method, slot.clone(), incoming);
        parts.extensions.insert(slot);
        let answer = (self.routes.tonic(method))(Request::from_parts(parts, body));
        Box::pin(async move {
            let (parts, body) = observed.answer(answer).await.into_parts();
            match body {
                Ok(body) => Response::from_parts(parts, ResponseBody::Tonic(body)),
                Err(status) => status.into_http(),
            }
        })
    }
}

/// Digest and Verify over the fast path. The headers leave at once, so that a
/// client may wait for them before it sends.
fn stream(kind: MessageKind, request: Request<Incoming>, call: Call) -> Answering {
    let body = Box::new(StreamBody::new(kind, request.into_body(), call));
    let mut response = Response::new(ResponseBody::Stream(body));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/grpc"),
    );
    Answering::Now(ready(response))
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
    Stream(Box<StreamBody>),
    Tonic(ObservedBody),
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Empty => Poll::Ready(None),
            Self::Stream(body) => Pin::new(&mut **body).poll_frame(cx),
            Self::Tonic(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Empty)
    }
}
