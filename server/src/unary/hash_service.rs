//! The unary methods of HashService: request bytes in, answer bytes out. Digest and Verify do not
//! come here: their frames are read as they arrive (call/stream.rs).

use std::rc::Rc;

use bytes::Bytes;
use hashlane_proto::v1::{ComposeRequest, GetServerInfoRequest, GetServerInfoResponse};
use tonic::Status;

use super::batch::{self, digest_batch};
use super::codec::{Bounds, encode};
use super::compose::{self, compose};
use crate::call::Call;
use crate::http2::Link;
use crate::metrics::grpc::Method;
use crate::part::algorithm;
use crate::worker_state::WorkerState;

/// Answers one message. The answer is in frames.
///
/// # Errors
/// The request is refused.
pub(super) async fn answer(
    call: &Rc<Call>,
    message: Bytes,
    link: &Link,
) -> Result<Vec<Bytes>, Status> {
    let state = call.state();
    match call.method {
        Method::DigestBatch => {
            let bounds = batch::bounds(state.settings.batch_blobs_max);
            let request = bounds.decode(message, link).await?;
            call.count_received(1);
            let room = &call.client().unary_bytes;
            let answered = digest_batch(state, room, call.mailbox(), call.tally(), request, link);
            let (frames, permit) = answered.await?;
            call.hold(permit);
            Ok(frames)
        }
        Method::Compose => {
            let request: ComposeRequest = compose::BOUNDS.decode(message, link).await?;
            call.count_received(1);
            Ok(vec![encode(&compose(request, link).await?)?])
        }
        // Streams are not dispatched here, and the service has no other method.
        _ => {
            let _: GetServerInfoRequest = Bounds::PLAIN.decode(message, link).await?;
            call.count_received(1);
            Ok(vec![encode(&server_info(state))?])
        }
    }
}

/// Information about the server, without kernels that were retired.
fn server_info(state: &WorkerState) -> GetServerInfoResponse {
    let mut info = GetServerInfoResponse::clone(&state.info);
    let faulty = state.kernels.now().faulty();
    for (algorithm, info) in algorithm::offered().zip(&mut info.algorithms) {
        let faulty = faulty.iter();
        let of_family = faulty.filter(|k| Some(k.family()) == algorithm.family());
        let names: Vec<_> = of_family.map(|kernel| kernel.name()).collect();
        info.kernels.retain(|name| !names.contains(&name.as_str()));
    }
    info
}
