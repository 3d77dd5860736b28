//! The unary methods, as tonic calls them. Digest and Verify never get here: their frames are
//! read as they come (call/stream.rs).
//!
//! tonic wants futures and bodies that can move between threads. Ours never do: a worker is
//! one thread, and [`SendWrapper`] panics should that ever change.

use std::convert::Infallible;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures_util::future::LocalBoxFuture;
use hashlane_proto::v1::{
    ComposeRequest, DigestBatchRequest, GetServerInfoRequest, GetServerInfoResponse,
};
use prost::Message;
use send_wrapper::SendWrapper;
use tonic::server::{Grpc, UnaryService};
use tonic::{Request, Response, Status};
use tower::Service as TowerService;

use super::RequestBody;
use super::batch::{self, digest_batch};
use super::codec::{BoundedCodec, Bounds};
use super::compose::{self, compose};
use crate::call::Call;
use crate::config::Settings;
use crate::metrics::grpc::Method;
use crate::part::algorithm;
use crate::state::WorkerState;

/// The call of a request, which is put into its extensions.
#[derive(Clone)]
pub(super) struct CallSlot(SendWrapper<Rc<Call>>);

impl CallSlot {
    pub(super) fn new(call: &Rc<Call>) -> Self {
        Self(SendWrapper::new(Rc::clone(call)))
    }
}

/// The service, without a state of its own: a request brings its call.
#[derive(Clone)]
pub(super) struct HashServer {
    message_bytes_max: usize,
    blobs_max: usize,
}

impl HashServer {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            message_bytes_max: settings.message_bytes_max,
            blobs_max: settings.batch_blobs_max,
        }
    }

    /// Serves a call whose message is to be within `bounds`.
    fn serve<Request, Handle, Answering, Answer>(
        &self,
        bounds: Bounds,
        handle: Handle,
        request: http::Request<RequestBody>,
    ) -> <Self as TowerService<http::Request<RequestBody>>>::Future
    where
        Request: Message + Default + 'static,
        Answer: Message + 'static,
        Handle: FnMut(Rc<Call>, Request) -> Answering + 'static,
        Answering: Future<Output = Result<Answer, Status>> + 'static,
    {
        let codec = BoundedCodec::<Request, Answer>::new(bounds);
        let mut grpc =
            Grpc::new(codec).apply_max_message_size_config(Some(self.message_bytes_max), None);
        Box::pin(async move { Ok(grpc.unary(Handler(handle), request).await) })
    }
}

impl TowerService<http::Request<RequestBody>> for HashServer {
    type Response = http::Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = LocalBoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<RequestBody>) -> Self::Future {
        match Method::at(request.uri().path()) {
            Some(Method::DigestBatch) => self.serve(
                batch::bounds(self.blobs_max),
                |call, request: DigestBatchRequest| async move {
                    let room = &call.client().unary_bytes;
                    let answered =
                        digest_batch(call.state(), room, call.mailbox(), call.tally(), request);
                    let (answer, permit) = answered.await?;
                    call.hold(permit);
                    Ok(answer)
                },
                request,
            ),
            Some(Method::Compose) => self.serve(
                compose::BOUNDS,
                |_, request: ComposeRequest| async move { compose(&request) },
                request,
            ),
            // The streams are not sent here, and nothing else is of this service.
            _ => self.serve(
                Bounds::PLAIN,
                |call, _: GetServerInfoRequest| async move { Ok(server_info(call.state())) },
                request,
            ),
        }
    }
}

/// What the server offers, without kernels that were taken out of use.
fn server_info(state: &WorkerState) -> GetServerInfoResponse {
    let mut info = GetServerInfoResponse::clone(&state.info);
    let faulty = state.kernels.faulty();
    for (algorithm, info) in algorithm::offered().zip(&mut info.algorithms) {
        let of_family = faulty
            .iter()
            .filter(|k| Some(k.family()) == algorithm.family());
        let names: Vec<_> = of_family.map(|kernel| kernel.name()).collect();
        info.kernels.retain(|name| !names.contains(&name.as_str()));
    }
    info
}

/// What answers a method's messages.
struct Handler<Handle>(Handle);

impl<Message, Handle, Answering, Answer> UnaryService<Message> for Handler<Handle>
where
    Handle: FnMut(Rc<Call>, Message) -> Answering,
    Answering: Future<Output = Result<Answer, Status>> + 'static,
{
    type Response = Answer;
    type Future = LocalBoxFuture<'static, Result<Response<Answer>, Status>>;

    fn call(&mut self, request: Request<Message>) -> Self::Future {
        let Some(slot) = request.extensions().get::<CallSlot>().cloned() else {
            let status = Status::internal("the request came without its call");
            return Box::pin(async { Err(status) });
        };
        let call = slot.0.take();
        call.count_received(1);
        let answering = (self.0)(call, request.into_inner());
        Box::pin(async { answering.await.map(Response::new) })
    }
}
