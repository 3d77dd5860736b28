//! The generated service: the unary methods. Digest and Verify never get here: their
//! frames are read as they come (call/stream.rs).
//!
//! tonic wants futures that can move between threads. Ours never do: a worker
//! is one thread, and [`SendWrapper`] panics should that ever change.

use std::rc::Rc;

use hashlane_proto::v1::hash_service_server::HashService;
use hashlane_proto::v1::{
    ComposeRequest, ComposeResponse, DigestBatchRequest, DigestBatchResponse, DigestRequest,
    DigestResponse, GetServerInfoRequest, GetServerInfoResponse, VerifyRequest, VerifyResponse,
};
use send_wrapper::SendWrapper;
use tokio_stream::Pending;
use tonic::{Request, Response, Status, Streaming};

use super::Call;
use super::batch::digest_batch;
use super::compose::compose;

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
            digest_batch(call.state(), room, call.mailbox(), request).await
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
