//! The services that tonic answers: health and reflection.

use std::convert::Infallible;

use futures_util::future::LocalBoxFuture;
use http::{Request, Response};
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};
use tower::Service as TowerService;

use super::reflection;
use super::request_body::{RequestBody, SMALL_MESSAGE_BYTES_MAX};
use crate::metrics::grpc::Method;

/// Memory that tonic takes for a call of the other services: a buffer of 8 KiB, and the message.
pub(super) const SMALL_CALL_BYTES: usize = (8 << 10) + 2 * SMALL_MESSAGE_BYTES_MAX;

pub(super) type BoxedService =
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

    pub(super) fn handler(&self, method: Method) -> &BoxedService {
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
