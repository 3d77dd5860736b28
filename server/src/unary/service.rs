//! The generated service: the unary methods. Digest and Verify never get here: their
//! frames are read as they come (call/stream.rs).
//!
//! tonic wants futures that can move between threads. Ours never do: a worker
//! is one thread, and [`SendWrapper`] panics should that ever change.

use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use hashlane_proto::v1::hash_service_server::{HashService, HashServiceServer};
use hashlane_proto::v1::{
    ComposeRequest, ComposeResponse, DigestBatchRequest, DigestBatchResponse, DigestRequest,
    DigestResponse, GetServerInfoRequest, GetServerInfoResponse, VerifyRequest, VerifyResponse,
};
use send_wrapper::SendWrapper;
use tokio_stream::Pending;
use tonic::codegen::BoxFuture;
use tonic::server::{Grpc, UnaryService};
use tonic::{Request, Response, Status, Streaming};
use tower::Service as TowerService;

use super::batch::digest_batch;
use super::codec::BatchCodec;
use super::compose::compose;
use super::{Call, RequestBody};
use crate::config::Settings;
use crate::metrics::grpc::Method;

/// The call of a request, which is put into its extensions.
#[derive(Clone)]
pub(super) struct CallSlot(SendWrapper<Rc<Call>>);

impl CallSlot {
    pub(super) fn new(call: &Rc<Call>) -> Self {
        Self(SendWrapper::new(Rc::clone(call)))
    }
}

/// The service, without a state of its own: a request brings its call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Service;

/// The call of a request, whose message has been received.
fn received<T>(request: &Request<T>) -> Result<CallSlot, Status> {
    let slot = request.extensions().get::<CallSlot>().cloned();
    let slot = slot.ok_or_else(|| Status::internal("the request came without its call"))?;
    slot.0.count_received(1);
    Ok(slot)
}

fn not_here() -> Status {
    Status::internal("a stream reached the unary service")
}

/// The service as the router calls it: as generated, but for DigestBatch, whose
/// messages are looked at before they are decoded.
#[derive(Clone)]
pub(super) struct HashServer {
    generated: HashServiceServer<Service>,
    message_bytes_max: usize,
    blobs_max: usize,
}

impl HashServer {
    pub(super) fn new(settings: &Settings) -> Self {
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

#[tonic::async_trait]
impl HashService for Service {
    type DigestStream = Pending<Result<DigestResponse, Status>>;
    type VerifyStream = Pending<Result<VerifyResponse, Status>>;

    async fn digest(
        &self,
        _: Request<Streaming<DigestRequest>>,
    ) -> Result<Response<Self::DigestStream>, Status> {
        Err(not_here())
    }

    async fn verify(
        &self,
        _: Request<Streaming<VerifyRequest>>,
    ) -> Result<Response<Self::VerifyStream>, Status> {
        Err(not_here())
    }

    async fn digest_batch(
        &self,
        request: Request<DigestBatchRequest>,
    ) -> Result<Response<DigestBatchResponse>, Status> {
        let slot = received(&request)?;
        let request = request.into_inner();
        let answer = SendWrapper::new(async move {
            let call = &slot.0;
            let room = &call.client().unary_bytes;
            digest_batch(call.state(), room, call.mailbox(), call.tally(), request).await
        });
        Ok(Response::new(answer.await?))
    }

    async fn compose(
        &self,
        request: Request<ComposeRequest>,
    ) -> Result<Response<ComposeResponse>, Status> {
        received(&request)?;
        Ok(Response::new(compose(request.get_ref())?))
    }

    async fn get_server_info(
        &self,
        request: Request<GetServerInfoRequest>,
    ) -> Result<Response<GetServerInfoResponse>, Status> {
        let slot = received(&request)?;
        let info = GetServerInfoResponse::clone(&slot.0.state().info);
        Ok(Response::new(info))
    }
}
