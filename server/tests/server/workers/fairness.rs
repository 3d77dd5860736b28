//! Clients share a worker evenly, regardless of their numbers of connections and streams and the
//! size of their frames.

use crate::common::collector::{Collector, Does, attribute};
use crate::common::frame_client::{DATA, Wire, frame, headers, socket_from};
use crate::common::h2_client::{Raw, message, messages, read};
use crate::common::program::Running;
use crate::common::{Metrics, digest, pattern, sha256};
use bytes::Bytes;
use hashlane_proto::v1::DigestResponse;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";

const FRAME_BYTES: usize = 60 << 10;

/// The server hashes slowly, and the client with many streams has sent more than the server hashes
/// during this test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_stream_keeps_its_share_beside_a_client_with_twenty_connections() {
    const CONNECTIONS: usize = 20;
    const STREAMS: usize = 10;
    const FRAMES: usize = 50;
    const OTHERS_FRAMES: usize = 80;
    let server = Running::start(&["--hashing=lanes", "--kernel=sha256:portable"]);
    let hashed = || server.metrics().sum("hashlane_hashed_bytes_total", &[]);
    let data = pattern(FRAME_BYTES, 3);
    let frame = message(0, &digest(0, &data, false).encode_to_vec());

    let mut open = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut crowd = Raw::tcp(server.grpc).await;
        for _ in 0..STREAMS {
            let (response, mut sending) = crowd.begin(DIGEST, &[]).await;
            for _ in 0..OTHERS_FRAMES {
                sending.send_data(frame.clone(), false).unwrap();
            }
            open.push((response, sending));
        }
    }
    let flowing = |m: &Metrics| m.sum("hashlane_hashed_bytes_total", &[]) > 4e6;
    server.until("the many are at work", flowing).await;

    let before = hashed();
    let socket = socket_from([127, 0, 0, 2].into(), server.grpc).await;
    let mut lone = Raw::over(socket).await;
    let (response, mut sending) = lone.begin(DIGEST, &[]).await;
    for _ in 0..FRAMES {
        sending.send_data(frame.clone(), false).unwrap();
    }
    sending.send_data(Bytes::new(), true).unwrap();
    let answer = read(response).await;
    let (own, all) = ((FRAMES * FRAME_BYTES) as f64, hashed() - before);
    let answers: Vec<DigestResponse> = messages(&answer.body);
    assert_eq!(answers[0].digests[0].digest, sha256(&data.repeat(FRAMES)));
    // Equal shares give twice its own bytes; shares by connection would give 21 times as much.
    assert!(all < 8.0 * own, "{all} bytes were hashed beside {own}");
}

/// The server is stopped while two clients send: one a part in frames of one byte, the other one
/// large part. A turn is bounded in frames, so the large part is read first, in a few turns, while
/// the frames take 235 turns. Spans show when a part's last byte arrived.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_part_is_read_before_many_frames_of_a_byte() {
    const SMALL_FRAMES: usize = 15_000;
    let collector = Collector::start(Does::Take);
    let endpoint = format!("--traces-endpoint={}", collector.endpoint());
    let server = Running::start(&[&endpoint]);
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let part = |number, bytes| {
        let request = digest(number, &pattern(bytes, 1), true);
        message(0, &request.encode_to_vec())
    };
    let frames = |part: &[u8], bytes| -> Vec<u8> {
        let frames = part.chunks(bytes).flat_map(|some| frame(DATA, 0, 1, some));
        frames.collect()
    };
    let small = frames(&part(1, SMALL_FRAMES), 1);
    let large = frames(&part(2, 700_000), 16_000);
    let mut clients = Vec::new();
    for _ in 0..2 {
        let mut wire = Wire::connect(server.grpc).await;
        wire.send(&headers(1, 0, &[("traceparent", parent)])).await;
        wire.all_is_read().await;
        clients.push(wire);
    }
    server.signal("STOP");
    clients[0].send(&small).await;
    clients[1].send(&large).await;
    server.signal("CONT");
    let mut complete = Vec::new();
    for number in ["1", "2"] {
        let is_part = |span: &Span| {
            attribute(&span.attributes, "hashlane.part.number").as_deref() == Some(number)
        };
        let spans = collector.until(is_part).await;
        let part = spans.iter().find(|span| is_part(span)).unwrap();
        let wait = spans.iter().find(|s| s.parent_span_id == part.span_id);
        complete.push(wait.unwrap().start_time_unix_nano);
    }
    assert!(complete[1] < complete[0], "{complete:?}");
}
