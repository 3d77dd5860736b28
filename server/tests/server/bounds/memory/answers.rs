//! Unread answers.

use super::bounded_server::{Bounded, DIGEST, greedy_call};
use crate::common::frame_client::small_socket;
use crate::common::frame_client::{DATA, frame};
use crate::common::h2_client::{Raw, message};
use crate::common::honest::Honest;
use crate::common::{Metrics, asking, digest};
use bytes::Bytes;
use hashlane_proto::v1::DigestRequest;
use prost::Message as _;
use tokio::io::AsyncWriteExt as _;

/// Parts that request all digests, with unread answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers() {
    for (algorithms, least_mib) in [(vec![], 17.0), (crate::common::numbers(), 10.7)] {
        let bounded = Bounded::start(&["--unread-bytes-max=32MiB", "--connections-max=100"]).await;
        let parts = (128 << 10) / (20 + algorithms.len() * 2);
        let body: Vec<u8> = (0..parts as u64)
            .flat_map(|part| {
                let request = DigestRequest {
                    open: asking(algorithms.clone()),
                    ..digest(part, b"", true)
                };
                message(0, &request.encode_to_vec())
            })
            .collect();
        let body = Bytes::from(body);
        let mut open = Vec::new();
        // Until a connection is cut.
        while bounded.server.metrics().sum("hashlane_connections", &[]) >= open.len() as f64 {
            let labels = [("outcome", "digest")];
            let answered = |m: &Metrics| m.sum("hashlane_parts_total", &labels);
            let before = answered(&bounded.server.metrics());
            let mut raw = Raw::reluctant(bounded.grpc(), 0).await;
            let (response, mut sending) = raw.begin(DIGEST, &[]).await;
            sending.send_data(body.clone(), false).unwrap();
            bounded
                .until("some are answered", |m| {
                    answered(m) > before + 900.0
                        || m.sum("hashlane_connections", &[]) < open.len() as f64
                })
                .await;
            open.push((raw, response, sending));
        }
        // The connection that held most.
        let labels = [("reason", "unread")];
        let cut = |m: &Metrics| m.sum("hashlane_connections_ended_total", &labels);
        bounded.until("one is cut off", |m| cut(m) >= 1.0).await;
        let what = format!("answers of {} digests", algorithms.len().max(1));
        let rows = ["answers", "connections"];
        bounded.is_within(&what, &rows, bounded.taken(), least_mib);
    }
}

/// CVE-2019-9517: HTTP/2 windows are open, but the sockets are not read, so answers wait only for
/// sockets. The connection that holds most is closed, and an honest client continues.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_wait_for_sockets() {
    const CONNECTIONS: usize = 30;
    let flags = ["--unread-bytes-max=16MiB", "--connections-max=40"];
    let bounded = Bounded::start(&flags).await;
    let honest = Honest::start(bounded.grpc()).await;
    let part = |part| {
        let request = DigestRequest {
            open: asking(crate::common::numbers()),
            ..digest(part, b"", true)
        };
        message(0, &request.encode_to_vec())
    };
    let some: Vec<u8> = (0..1000).flat_map(part).collect();
    let labels = [("reason", "unread")];
    let cut = |m: &Metrics| m.sum("hashlane_connections_ended_total", &labels);
    let mut open = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut socket = small_socket(bounded.grpc()).await;
        let bytes = [greedy_call(), frame(DATA, 0, 1, &some)].concat();
        socket.write_all(&bytes).await.unwrap();
        honest.goes_on().await;
        open.push(socket);
    }
    bounded.until("one is cut off", |m| cut(m) >= 1.0).await;
    honest.end().await;
    let rows = ["answers", "connections"];
    let taken = bounded.most_taken();
    bounded.is_within("answers that wait for sockets", &rows, taken, 9.6);
}
