//! Connections share a worker evenly, however many streams each has.

use crate::common::program::Running;
use crate::common::raw::{Raw, message, messages, read};
use crate::common::{digest, pattern, sha256};
use bytes::Bytes;
use hashlane_proto::v1::DigestResponse;
use prost::Message as _;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";

const FRAME_BYTES: usize = 60 << 10;

/// The server hashes slowly, and the many have sent more than it hashes during
/// this test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_stream_keeps_its_share_beside_a_connection_with_two_hundred() {
    const STREAMS: usize = 200;
    const FRAMES: usize = 50;
    const OTHERS_FRAMES: usize = 80;
    let server = Running::start(&["--hashing=lanes", "--kernel=sha256:portable"]);
    let hashed = || server.metrics().sum("hashlane_hashed_bytes_total", &[]);
    let data = pattern(FRAME_BYTES, 3);
    let frame = message(0, &digest(0, &data, false).encode_to_vec());

    let mut crowd = Raw::tcp(server.grpc).await;
    let mut open = Vec::new();
    for _ in 0..STREAMS {
        let (response, mut sending) = crowd.begin(DIGEST, &[]).await;
        for _ in 0..OTHERS_FRAMES {
            sending.send_data(frame.clone(), false).unwrap();
        }
        open.push((response, sending));
    }
    let flowing = |m: &crate::common::Metrics| m.sum("hashlane_hashed_bytes_total", &[]) > 4e6;
    server.until("the many are at work", flowing).await;

    let before = hashed();
    let mut lone = Raw::tcp(server.grpc).await;
    let (response, mut sending) = lone.begin(DIGEST, &[]).await;
    for _ in 0..FRAMES {
        sending.send_data(frame.clone(), false).unwrap();
    }
    sending.send_data(Bytes::new(), true).unwrap();
    let answer = read(response).await;
    let (own, all) = ((FRAMES * FRAME_BYTES) as f64, hashed() - before);
    let answers: Vec<DigestResponse> = messages(&answer.body);
    assert_eq!(answers[0].digests[0].digest, sha256(&data.repeat(FRAMES)));
    // Twice its own if both are read and hashed evenly; turns by stream would
    // take two hundred times as much.
    assert!(all < 8.0 * own, "{all} bytes were hashed beside {own}");
}
