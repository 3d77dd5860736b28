//! The generated service: the unary methods, and Digest and Verify from whole
//! messages, the oracle of the fast path.
//!
//! tonic wants futures that can move between threads. Ours never do: a worker
//! is one thread, and [`SendWrapper`] panics should that ever change.

use std::cell::RefCell;
use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use hashlane_proto::v1::hash_service_server::{HashService, HashServiceServer};
use hashlane_proto::v1::{
    ComposeRequest, ComposeResponse, DigestBatchRequest, DigestBatchResponse, DigestRequest,
    DigestResponse, GetServerInfoRequest, GetServerInfoResponse, VerifyRequest, VerifyResponse,
};
use send_wrapper::SendWrapper;
use tonic::codegen::BoxFuture;
use tonic::server::{Grpc, UnaryService};
use tonic::{Request, Response, Status, Streaming};
use tower::Service as TowerService;

use super::batch::digest_batch;
use super::call::Call;
use super::codec::BatchCodec;
use super::compose::compose;
use super::driver::{Driver, Source};
use super::observe::RequestBody;
use super::session::{Answer, Session};
use super::status;
use crate::config::Settings;
use crate::metrics::grpc::Method;
use crate::wire::{Head, Item, MessageKind};

/// The call of a request, which the router puts into its extensions. Digest
/// and Verify take it, since they end it themselves.
#[derive(Clone)]
pub(crate) struct CallSlot(SendWrapper<Rc<RefCell<Option<Call>>>>);

impl CallSlot {
    pub(crate) fn new(call: Call) -> Self {
        Self(SendWrapper::new(Rc::new(RefCell::new(Some(call)))))
    }

    /// The call, if nobody took it.
    pub(crate) fn take(&self) -> Option<Call> {
        self.0.borrow_mut().take()
    }

    /// Looks at the call, if nobody took it.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Call) -> T) -> Option<T> {
        self.0.borrow_mut().as_mut().map(look)
    }
}

/// The service, without a state of its own: a request brings its call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Service;

/// The service as the router calls it: as generated, but for DigestBatch, whose
/// messages are looked at before they are decoded.
#[derive(Clone)]
pub(crate) struct HashServer {
    generated: HashServiceServer<Service>,
    message_bytes_max: usize,
    blobs_max: usize,
}

impl HashServer {
    pub(crate) fn new(settings: &Settings) -> Self {
        let message_bytes_max = settings.message_bytes_max;
        Self {
            generated: HashServiceServer::new(Service).max_decoding_message_size(message_bytes_max),
            message_bytes_max,
            blobs_max: settings.batch_blobs_max,
        }
    }
}

impl TowerService<http::Request<RequestBody>> for HashServer {
    type Response = http::Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<RequestBody>) -> Self::Future {
        if Method::at(request.uri().path()) != Some(Method::DigestBatch) {
            return self.generated.call(request);
        }
        let codec = BatchCodec {
            blobs_max: self.blobs_max,
        };
        let mut grpc =
            Grpc::new(codec).apply_max_message_size_config(Some(self.message_bytes_max), None);
        Box::pin(async move { Ok(grpc.unary(BatchCall, request).await) })
    }
}

/// The handler of DigestBatch.
struct BatchCall;

impl UnaryService<DigestBatchRequest> for BatchCall {
    type Response = DigestBatchResponse;
    type Future = BoxFuture<Response<DigestBatchResponse>, Status>;

    fn call(&mut self, request: Request<DigestBatchRequest>) -> Self::Future {
        Box::pin(async move { Service.digest_batch(request).await })
    }
}

/// Messages that carry parts.
trait PartMessage: Send + 'static {
    fn split(self) -> (Head, Bytes);
}

impl PartMessage for DigestRequest {
    fn split(self) -> (Head, Bytes) {
        let head = Head {
            part: self.part,
            open: self.open,
            expected: Vec::new(),
            last: self.last,
        };
        (head, self.data)
    }
}

impl PartMessage for VerifyRequest {
    fn split(self) -> (Head, Bytes) {
        let head = Head {
            part: self.part,
            open: self.open,
            expected: self.expected,
            last: self.last,
        };
        (head, self.data)
    }
}

/// The request, decoded message by message.
struct Messages<M> {
    streaming: Streaming<M>,
    message_bytes_max: usize,
}

impl<M: PartMessage> Source for Messages<M> {
    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        session: &mut Session,
    ) -> Poll<Result<bool, Status>> {
        let message = match ready!(Pin::new(&mut self.streaming).poll_next(cx)) {
            Some(Ok(message)) => message,
            Some(Err(status)) => {
                let own = status::from_tonic(&status, self.message_bytes_max);
                return Poll::Ready(Err(own.unwrap_or(status)));
            }
            None => return Poll::Ready(Ok(false)),
        };
        let (head, data) = message.split();
        session.apply(Item::Head(head))?;
        if !data.is_empty() {
            session.apply(Item::Data(data))?;
        }
        session.apply(Item::End)?;
        Poll::Ready(Ok(true))
    }
}

/// The answers of a stream, as tonic wants them.
pub(crate) struct Answers<M, A> {
    driver: SendWrapper<Driver<Messages<M>>>,
    unwrap: fn(Answer) -> Option<A>,
}

impl<M: PartMessage, A> Stream for Answers<M, A> {
    type Item = Result<A, Status>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        Poll::Ready(match ready!(this.driver.poll_answer(cx)) {
            None => None,
            Some(Err(status)) => Some(Err(status)),
            // A session of one kind gives answers of one kind.
            Some(Ok(answer)) => (this.unwrap)(answer).map(Ok),
        })
    }
}

fn stream<M: PartMessage, A>(
    kind: MessageKind,
    request: Request<Streaming<M>>,
    unwrap: fn(Answer) -> Option<A>,
) -> Result<Response<Answers<M, A>>, Status> {
    let call = slot(&request)?.take().ok_or_else(no_call)?;
    let messages = Messages {
        message_bytes_max: call.worker().settings.message_bytes_max,
        streaming: request.into_inner(),
    };
    Ok(Response::new(Answers {
        driver: SendWrapper::new(Driver::new(kind, messages, call)),
        unwrap,
    }))
}

fn slot<T>(request: &Request<T>) -> Result<CallSlot, Status> {
    request
        .extensions()
        .get::<CallSlot>()
        .cloned()
        .ok_or_else(no_call)
}

fn no_call() -> Status {
    Status::internal("the request did not come through the router")
}

#[tonic::async_trait]
impl HashService for Service {
    type DigestStream = Answers<DigestRequest, DigestResponse>;
    type VerifyStream = Answers<VerifyRequest, VerifyResponse>;

    async fn digest(
        &self,
        request: Request<Streaming<DigestRequest>>,
    ) -> Result<Response<Self::DigestStream>, Status> {
        stream(MessageKind::Digest, request, |answer| match answer {
            Answer::Digest(answer) => Some(answer),
            Answer::Verify(_) => None,
        })
    }

    async fn verify(
        &self,
        request: Request<Streaming<VerifyRequest>>,
    ) -> Result<Response<Self::VerifyStream>, Status> {
        stream(MessageKind::Verify, request, |answer| match answer {
            Answer::Verify(answer) => Some(answer),
            Answer::Digest(_) => None,
        })
    }

    async fn digest_batch(
        &self,
        request: Request<DigestBatchRequest>,
    ) -> Result<Response<DigestBatchResponse>, Status> {
        let (worker, connection) = slot(&request)?
            .with(|call| {
                call.count_received(1);
                (
                    Rc::clone(call.worker()),
                    Rc::clone(&call.connection().bound),
                )
            })
            .ok_or_else(no_call)?;
        let request = request.into_inner();
        let answer =
            SendWrapper::new(async move { digest_batch(&worker, &connection, request).await });
        Ok(Response::new(answer.await?))
    }

    async fn compose(
        &self,
        request: Request<ComposeRequest>,
    ) -> Result<Response<ComposeResponse>, Status> {
        slot(&request)?.with(|call| call.count_received(1));
        Ok(Response::new(compose(request.get_ref())?))
    }

    async fn get_server_info(
        &self,
        request: Request<GetServerInfoRequest>,
    ) -> Result<Response<GetServerInfoResponse>, Status> {
        let info = slot(&request)?
            .with(|call| {
                call.count_received(1);
                GetServerInfoResponse::clone(&call.worker().info)
            })
            .ok_or_else(no_call)?;
        Ok(Response::new(info))
    }
}
