//! Memory after a burst.

use super::bounded_server::{Bounded, DIGEST, MIB, used};
use crate::common::h2_client::{Raw, message};
use crate::common::{Metrics, asking, digest, numbers};
use hashlane_proto::v1::DigestRequest;
use prost::Message as _;

/// Opens parts with all digests over several connections, then closes them. Without malloc_trim.rs most of
/// their memory stays resident.
#[cfg(target_env = "gnu")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_of_a_burst_returns_to_the_system() {
    const CONNECTIONS: usize = 10;
    const PARTS: u64 = 400;
    let bounded = Bounded::start(&["--parts-max=1000000", "--parts-per-stream-max=20000"]).await;
    let mut open = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut raw = Raw::tcp(bounded.grpc()).await;
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        for part in 0..PARTS {
            let request = DigestRequest {
                open: asking(numbers()),
                ..digest(part, b"x", false)
            };
            let request = message(0, &request.encode_to_vec());
            sending.send_data(request, false).unwrap();
        }
        open.push((raw, response, sending));
    }
    let all = (CONNECTIONS as f64) * (PARTS as f64) * numbers().len() as f64;
    bounded
        .until("all are open", |m| used(m, "parts") >= all)
        .await;
    let peak = bounded.taken();
    assert!(peak > 64.0 * MIB, "a burst of {:.1} MiB", peak / MIB);
    drop(open);
    let gone = |m: &Metrics| m.sum("hashlane_connections", &[]) == 0.0;
    bounded.until("nobody is connected", gone).await;
    let is_small = |_: &Metrics| bounded.taken() < 24.0 * MIB;
    bounded.until("the memory is returned", is_small).await;
}
