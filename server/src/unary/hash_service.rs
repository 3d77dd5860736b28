//! The unary methods of HashService: request bytes in, answer bytes out. Digest and Verify do not
//! come here: their frames are read as they arrive (call/stream.rs).

use std::rc::Rc;

use bytes::Bytes;
use hashlane_engine::{Algorithm, Crossover};
use hashlane_proto::v1::{self, AlgorithmInfo};
use hashlane_proto::v1::{ComposeRequest, GetServerInfoRequest, GetServerInfoResponse};
use tonic::Status;

use super::batch::{self, digest_batch};
use super::codec::{Bounds, encode};
use super::compose::{self, compose};
use crate::call::Call;
use crate::config::Hashing;
use crate::http2::Link;
use crate::limiter::Permit;
use crate::metrics::grpc::Method;
use crate::part::algorithm;
use crate::process::Process;

/// Answers one message. Returns the answer's frames, and a permit for their memory if they take
/// much.
///
/// # Errors
/// The request is refused.
pub(super) async fn answer(
    call: &Rc<Call>,
    message: Bytes,
    link: &Link,
) -> Result<(Vec<Bytes>, Option<Permit>), Status> {
    let state = call.state();
    // For the decoded message. Whole messages are charged as they arrive.
    let mut permit = call.client().unary_bytes.nothing();
    match call.method {
        Method::DigestBatch => {
            let bounds = batch::bounds(state.process.settings.batch_blobs_max);
            let request = bounds.decode(message, &mut permit, link).await?;
            call.count_received(1);
            let (mailbox, tally) = (call.mailbox(), call.tally());
            let answered = digest_batch(state, permit, mailbox, tally, request, link);
            let (frames, permit) = answered.await?;
            Ok((frames, Some(permit)))
        }
        Method::Compose => {
            let request: ComposeRequest =
                compose::BOUNDS.decode(message, &mut permit, link).await?;
            call.count_received(1);
            Ok((vec![encode(&compose(request, link).await?)?], None))
        }
        // Streams are not dispatched here, and the service has no other method.
        _ => {
            let _: GetServerInfoRequest = Bounds::PLAIN.decode(message, &mut permit, link).await?;
            call.count_received(1);
            Ok((vec![encode(&server_info(&state.process))?], None))
        }
    }
}

/// Information about the server, without kernels that were retired.
fn server_info(process: &Process) -> GetServerInfoResponse {
    let settings = &process.settings;
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let backend = process.crossover.backend();
    let faulty = process.kernels.now().faulty();
    let of_algorithm = |algorithm: Algorithm| {
        let in_lanes = settings.hashing() == Hashing::Lanes;
        let family = algorithm.family().filter(|_| in_lanes);
        let kernels = family
            .into_iter()
            .flat_map(|family| backend.kernels(family));
        let in_use = kernels.filter(|kernel| !faulty.contains(kernel));
        AlgorithmInfo {
            algorithm: algorithm::number(algorithm),
            kernels: in_use.map(|kernel| kernel.name().to_owned()).collect(),
            lanes: narrow(family.map_or(1, |_| Crossover::LANES)),
            digest_bytes: narrow(algorithm.digest_bytes()),
            name: algorithm.name().to_owned(),
        }
    };
    GetServerInfoResponse {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        algorithms: algorithm::offered().map(of_algorithm).collect(),
        workers: narrow(process.cores.len()),
        limits: Some(v1::Limits {
            message_bytes_max: settings.message_bytes_max as u64,
            part_bytes_max: settings.part_bytes_max,
            parts_per_stream_max: narrow(settings.parts_per_stream_max),
            batch_blobs_max: narrow(settings.batch_blobs_max),
            streams_per_connection_max: settings.http2.streams_max,
        }),
    }
}
