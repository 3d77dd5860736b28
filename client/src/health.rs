//! Watches whether a server serves, through its health service (`grpc.health.v1`, Watch).

use std::sync::Arc;

use hashlane_proto::v1::hash_service_server::SERVICE_NAME;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::backoff::backoff;
use crate::error::Error;
use crate::server::{Health, Server};

/// Keeps the server's health state up to date while it is polled.
pub(crate) async fn watch(server: Arc<Server>) {
    let mut failures = 0;
    loop {
        match follow(&server, &mut failures).await {
            Ok(()) => server.learned_health(Health::Away),
            // The server has no health service; calls show whether it serves.
            Err(error) if error.code() == Code::Unimplemented => {
                return server.learned_health(Health::Serving);
            }
            Err(error) if error.is_unavailable() => server.learned_health(Health::Away),
            Err(_) => server.learned_health(Health::Serving),
        }
        tokio::time::sleep(backoff(failures)).await;
        failures += 1;
    }
}

/// Follows one Watch call to its end.
async fn follow(server: &Server, failures: &mut u32) -> Result<(), Error> {
    let request = HealthCheckRequest {
        service: SERVICE_NAME.to_owned(),
    };
    let answers = HealthClient::new(server.channel()).watch(request).await;
    let mut answers = answers
        .map_err(|status| Error::of_status(&status))?
        .into_inner();
    loop {
        let answer = answers.message().await;
        let Some(answer) = answer.map_err(|status| Error::of_status(&status))? else {
            return Ok(());
        };
        *failures = 0;
        server.learned_health(match answer.status() {
            ServingStatus::Serving => Health::Serving,
            _ => Health::Away,
        });
    }
}
