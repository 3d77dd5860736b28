//! Small budgets serve honest clients with any number of workers.

use crate::common::h2_client::{Raw, message, messages};
use crate::common::{TestServer, digest, pattern, sha256};
use hashlane_proto::v1::{DigestBatchRequest, DigestBatchResponse, DigestResponse};
use hashlane_server::Settings;
use prost::Message as _;
use prost::encoding::encode_varint;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const BATCH: &str = "/hashlane.v1.HashService/DigestBatch";

/// Budgets belong to the process: a call on any worker may use a whole budget, not only a worker's
/// share.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_share_budgets() {
    const PARTS: u64 = 190;
    let server = TestServer::start(&[
        ("workers", "16"),
        ("message_bytes_max", "1MiB"),
        ("batch_blobs_max", "1"),
        ("unary_bytes_max", "1MiB"),
        ("held_bytes_max", "1MiB"),
        ("parts_max", "200"),
        ("parts_per_stream_max", "200"),
        ("unread_bytes_max", "1MiB"),
    ]);
    let data = pattern(1_000_000, 3);
    for _ in 0..3 {
        let mut raw = Raw::tcp(server.grpc).await;
        // A message of the maximum size.
        let batch = DigestBatchRequest {
            algorithms: Vec::new(),
            blobs: vec![data.clone().into()],
        };
        let batch = message(0, &batch.encode_to_vec());
        let answer = raw.call(BATCH, &[], &[batch]).await;
        let answers: Vec<DigestBatchResponse> = messages(&answer.body);
        assert_eq!(answers[0].blobs[0].digests[0].digest, sha256(&data));

        // Data that is held for later fields: field 15 of Digest's request.
        let mut held = vec![0x7a];
        encode_varint(data.len() as u64, &mut held);
        held.extend_from_slice(&data);
        held.extend(digest(1, b"", true).encode_to_vec());
        let answer = raw.call(DIGEST, &[], &[message(0, &held)]).await;
        let answers: Vec<DigestResponse> = messages(&answer.body);
        assert_eq!(answers[0].digests[0].digest, sha256(&data));

        // Parts that are all open at once.
        let begun = (0..PARTS).map(|part| digest(part, b"a", false));
        let ended = (0..PARTS).map(|part| digest(part, b"b", true));
        let requests: Vec<_> = begun
            .chain(ended)
            .map(|request| message(0, &request.encode_to_vec()))
            .collect();
        let answer = raw.call(DIGEST, &[], &requests).await;
        let answers: Vec<DigestResponse> = messages(&answer.body);
        assert_eq!(answers.len() as u64, PARTS, "{:?}", answer.status);
        for answer in answers {
            assert_eq!(answer.digests[0].digest, sha256(b"ab"));
        }
    }
}

/// The bound of all windows is smaller than one connection's window: one smallest window is
/// granted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_least_windows_serve_one_connection() {
    let too_few = Settings::with(&[("receive_windows_bytes_max", "63KiB")]).unwrap_err();
    let text = too_few.to_string();
    assert!(text.contains("receive_windows_bytes_max"), "{text}");

    let server = TestServer::start(&[("workers", "4"), ("receive_windows_bytes_max", "64KiB")]);
    let data = pattern(300_000, 3);
    for _ in 0..3 {
        let mut raw = Raw::tcp(server.grpc).await;
        let request = message(0, &digest(1, &data, true).encode_to_vec());
        let answer = raw.call(DIGEST, &[], &[request]).await;
        let answers: Vec<DigestResponse> = messages(&answer.body);
        assert_eq!(answers[0].digests[0].digest, sha256(&data));
        assert_eq!(server.get("/readyz").0, 200);
        // Another connection is closed at once.
        let mut refused = TcpStream::connect(server.grpc).await.unwrap();
        let mut rest = Vec::new();
        let _ = refused.read_to_end(&mut rest).await;
        assert!(rest.is_empty());
        drop(raw);
        server
            .until("its window is back", |m| {
                let labels = [("budget", "receive_windows_bytes")];
                m.sum("hashlane_budget_used", &labels) == 0.0
            })
            .await;
    }
}
