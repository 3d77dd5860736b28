//! Several servers, retries, and the time of a call.

use std::time::Duration;

use hashlane_client::{Algorithm, Client};

/// Calls go to servers that serve, and of these to the one with the fewest. A name stands for all
/// its addresses, so the name of a headless Kubernetes service is enough. With https:// endpoints,
/// `ca`, `certificate` and `token` say whom to trust and who this is.
pub(crate) async fn run(endpoint: &str) -> Result<(), Box<dyn std::error::Error>> {
    let endpoints = [endpoint, "127.0.0.1:9"]; // Nobody answers at the second.
    let client = Client::builder()
        .token("c29tZXRoaW5n")
        .lookup_interval(Duration::from_secs(10))
        .tries_max(5)
        .retry_time(Duration::from_secs(20));
    let client = client.connect_all(endpoints).await?;
    // At most so long for a call, with all its tries.
    let client = client.with_timeout(Duration::from_secs(60));
    let answer = client.digest("123456789", Algorithm::Crc32c).await?;
    assert_eq!(answer.digests[0].to_string(), "crc32c:e3069283");
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::args().nth(1);
    run(endpoint.as_deref().unwrap_or("127.0.0.1:50051")).await
}
