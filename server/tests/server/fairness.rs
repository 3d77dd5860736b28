//! Connections share a worker evenly, however many streams each has, and however small its frames.

use crate::common::collector::{Collector, Does, attribute};
use crate::common::program::Running;
use crate::common::raw::{Raw, message, messages, read};
use crate::common::wire::{DATA, END_STREAM, Wire, frame, headers};
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

/// The server is stopped while two clients send: one a part in frames of a byte, the other one
/// large part. A turn is bounded in frames, so the large part is done first, after a few turns of
/// 157 that the frames take. Spans tell which call ended first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_part_is_done_before_many_frames_of_a_byte() {
    const SMALL_FRAMES: usize = 40_000;
    let collector = Collector::start(Does::Take);
    let endpoint = format!("--traces-endpoint={}", collector.endpoint());
    let server = Running::start(&[&endpoint]);
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let mut clients = Vec::new();
    for id in ["small", "large"] {
        let mut wire = Wire::connect(server.grpc).await;
        let more = [("traceparent", parent), ("x-request-id", id)];
        wire.send(&headers(1, 0, &more)).await;
        wire.all_is_read().await;
        clients.push(wire);
    }
    let part = |bytes| message(0, &digest(1, &pattern(bytes, 1), true).encode_to_vec());
    let small = part(SMALL_FRAMES);
    let small = small.chunks(1).flat_map(|byte| frame(DATA, 0, 1, byte));
    let small: Vec<u8> = small.chain(frame(DATA, END_STREAM, 1, &[])).collect();
    let large = part(1_000_000);
    let large = large
        .chunks(16_000)
        .flat_map(|some| frame(DATA, 0, 1, some));
    let large: Vec<u8> = large.chain(frame(DATA, END_STREAM, 1, &[])).collect();
    server.signal("STOP");
    for (wire, bytes) in clients.iter_mut().zip([&small, &large]) {
        wire.send(bytes).await;
    }
    server.signal("CONT");
    let id = |attributes: &Vec<_>| attribute(attributes, "hashlane.request_id");
    let is =
        |wanted: &'static str| move |attributes: &Vec<_>| id(attributes).as_deref() == Some(wanted);
    collector.until(|span| is("large")(&span.attributes)).await;
    let spans = collector.until(|span| is("small")(&span.attributes)).await;
    let ended: Vec<_> = spans
        .iter()
        .filter_map(|span| id(&span.attributes))
        .collect();
    assert_eq!(ended, ["large", "small"]);
}
