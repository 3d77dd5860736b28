//! Clients that do not read their answers.

use std::future::poll_fn;

use crate::common::frame_client::{DATA, SETTINGS, WINDOW_UPDATE, Wire, frame, headers};
use crate::common::h2_client::{Raw, message, messages, read};
use crate::common::{Metrics, TestServer, asking, digest, numbers, pattern, sha256};
use bytes::Bytes;
use hashlane_proto::v1::{DigestBatchRequest, DigestRequest, DigestResponse};
use prost::Message as _;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const BATCH: &str = "/hashlane.v1.HashService/DigestBatch";

/// A window for some answers of about 50 bytes each.
const WINDOW: u32 = 400;

fn parts(numbers: std::ops::Range<u64>) -> Bytes {
    parts_asking(numbers, &[])
}

fn parts_asking(numbers: std::ops::Range<u64>, algorithms: &[i32]) -> Bytes {
    let mut body = Vec::new();
    for part in numbers {
        let request = DigestRequest {
            open: asking(algorithms.to_vec()),
            ..digest(part, &pattern(100, 1), true)
        };
        body.extend_from_slice(&message(0, &request.encode_to_vec()));
    }
    body.into()
}

fn handled(metrics: &Metrics, code: &str) -> f64 {
    let labels = [("grpc_method", "Digest"), ("grpc_code", code)];
    metrics.sum("grpc_server_handled_total", &labels)
}

fn nothing_is_left(metrics: &Metrics) -> bool {
    ["streams", "open_jobs", "buffered_bytes"]
        .iter()
        .all(|name| metrics.sum(&format!("hashlane_{name}"), &[]) == 0.0)
}

/// The error code of the reset that ends a response.
async fn reset(response: h2::client::ResponseFuture) -> Option<h2::Reason> {
    let mut stream = match response.await {
        Ok(response) => response.into_body(),
        Err(error) => return error.reason(),
    };
    while let Some(data) = stream.data().await {
        // The window stays closed.
        if let Err(error) = data {
            return error.reason();
        }
    }
    stream.trailers().await.err().and_then(|e| e.reason())
}

/// Requests one part's digest on a connection with a small window.
async fn works(raw: &mut Raw) {
    let data = pattern(100, 1);
    let request = digest(7, &data, true).encode_to_vec();
    let answer = raw.call(DIGEST, &[], &[message(0, &request)]).await;
    let answers: Vec<DigestResponse> = messages(&answer.body);
    assert_eq!(answers[0].digests[0].digest, sha256(&data));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_whose_answers_are_not_taken_is_reset_and_its_connection_goes_on() {
    let server = TestServer::start(&[("part_idle_timeout", "400ms")]);
    let mut raw = Raw::reluctant(server.grpc, WINDOW).await;
    // One call continues sending, one has ended.
    for end in [false, true] {
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        // More than one chunk of answers, so that some wait.
        sending.send_data(parts(0..1000), end).unwrap();
        assert_eq!(reset(response).await, Some(h2::Reason::CANCEL));
        server.until("nothing is left", nothing_is_left).await;
    }
    works(&mut raw).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deadline_is_kept_although_answers_are_not_taken() {
    let server = TestServer::start(&[]);
    let mut raw = Raw::reluctant(server.grpc, WINDOW).await;
    let (response, mut sending) = raw.begin(DIGEST, &[("grpc-timeout", "300m")]).await;
    sending.send_data(parts(0..1000), false).unwrap();
    assert_eq!(reset(response).await, Some(h2::Reason::CANCEL));
    let metrics = server.until("nothing is left", nothing_is_left).await;
    assert_eq!(handled(&metrics, "DeadlineExceeded"), 1.0);
    works(&mut raw).await;
}

/// A call with more answers than the client's window takes, and then a malformed message.
async fn faulty_call(
    server: &TestServer,
    raw: &mut Raw,
) -> (h2::client::ResponseFuture, h2::SendStream<Bytes>) {
    let (response, mut sending) = raw.begin(DIGEST, &[]).await;
    sending.send_data(parts(0..50), false).unwrap();
    server
        .until("all answered", |m| {
            m.sum("hashlane_parts_total", &[("outcome", "digest")]) == 50.0
        })
        .await;
    let neither_compressed_nor_not = message(2, b"");
    sending
        .send_data(neither_compressed_nor_not, false)
        .unwrap();
    // Once a later call is answered, the message has been read.
    works(raw).await;
    (response, sending)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fault_of_the_stream_ends_it_after_the_answers_that_wait() {
    let server = TestServer::start(&[]);
    let mut raw = Raw::reluctant(server.grpc, 100).await;
    let (response, mut sending) = faulty_call(&server, &mut raw).await;
    // The client may write more than its windows before it reads.
    let mut left = 2 << 20;
    while left > 0 {
        sending.reserve_capacity(left);
        let granted = poll_fn(|cx| sending.poll_capacity(cx)).await;
        let piece = Bytes::from(vec![0; granted.unwrap().unwrap()]);
        left -= piece.len();
        sending.send_data(piece, false).unwrap();
    }
    let answer = read(response).await;
    assert_eq!(messages::<DigestResponse>(&answer.body).len(), 50);
    let status = answer.status.unwrap();
    assert_eq!(status.code(), tonic::Code::InvalidArgument);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fault_of_the_stream_does_not_wait_longer_than_answers_do() {
    let server = TestServer::start(&[("part_idle_timeout", "400ms")]);
    let mut raw = Raw::reluctant(server.grpc, 100).await;
    let (response, _sending) = faulty_call(&server, &mut raw).await;
    assert_eq!(reset(response).await, Some(h2::Reason::CANCEL));
    let metrics = server.until("nothing is left", nothing_is_left).await;
    assert_eq!(handled(&metrics, "InvalidArgument"), 1.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_to_a_batch_must_be_taken_too() {
    let server = TestServer::start(&[("part_idle_timeout", "400ms")]);
    let mut raw = Raw::reluctant(server.grpc, 0).await;
    let request = DigestBatchRequest {
        algorithms: Vec::new(),
        blobs: vec![Bytes::new(); 1000],
    };
    let (response, mut sending) = raw.begin(BATCH, &[]).await;
    let request = message(0, &request.encode_to_vec());
    sending.send_data(request, true).unwrap();
    assert_eq!(reset(response).await, Some(h2::Reason::CANCEL));
    server.until("nothing is left", nothing_is_left).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_begins_to_leave_must_be_taken_to_its_end() {
    let server = TestServer::start(&[("part_idle_timeout", "400ms")]);
    let mut raw = Raw::reluctant(server.grpc, 10).await;
    let (response, mut sending) = raw.begin(DIGEST, &[]).await;
    sending.send_data(parts(0..1), true).unwrap();
    assert_eq!(reset(response).await, Some(h2::Reason::CANCEL));
    let metrics = server.until("nothing is left", nothing_is_left).await;
    assert_eq!(handled(&metrics, "DeadlineExceeded"), 1.0);
    works(&mut raw).await;
}

/// The windows are open, so answers wait only for the socket.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_whose_socket_is_not_read_is_closed() {
    let server = TestServer::start(&[("part_idle_timeout", "400ms")]);
    let mut wire = Wire::connect(server.grpc).await;
    let most: u32 = (1 << 31) - 1;
    let setting = [&[0, 4][..], &most.to_be_bytes()].concat();
    wire.send(&frame(SETTINGS, 0, 0, &setting)).await;
    let update = (most - 65_535).to_be_bytes();
    wire.send(&frame(WINDOW_UPDATE, 0, 0, &update)).await;
    // Some MB of answers, more than the sockets' buffers hold, to requests within the server's
    // window.
    let mut body = Vec::new();
    for part in 0..15_000 {
        let request = DigestRequest {
            open: asking(numbers()),
            ..digest(part, b"", true)
        };
        body.extend_from_slice(&message(0, &request.encode_to_vec()));
    }
    assert!(body.len() < 768 << 10);
    wire.send(&headers(1, 0, &[])).await;
    for piece in body.chunks(16 << 10) {
        wire.send(&frame(DATA, 0, 1, piece)).await;
    }
    server
        .until("the connection is closed", |m| {
            m.sum("hashlane_connections", &[]) == 0.0
        })
        .await;
    let not_taken = [("reason", "not_taken")];
    let ended = server.metrics();
    assert_eq!(
        ended.sum("hashlane_connections_ended_total", &not_taken),
        1.0
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cut_ends_streams_whose_answers_are_not_taken() {
    let mut server = TestServer::start(&[("drain_timeout", "50ms")]);
    let mut raw = Raw::reluctant(server.grpc, WINDOW).await;
    let (response, mut sending) = raw.begin(DIGEST, &[]).await;
    sending.send_data(parts(0..1000), false).unwrap();
    server
        .until("all answered", |m| {
            m.sum("hashlane_parts_total", &[("outcome", "digest")]) == 1000.0
        })
        .await;
    server.stop();
    assert_eq!(reset(response).await, Some(h2::Reason::CANCEL));
    server.join().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_pile_up_to_a_bound_if_the_client_goes_on_sending() {
    let server = TestServer::start(&[]);
    let mut raw = Raw::reluctant(server.grpc, 0).await;
    // In large frames: flow control stops the client.
    let (response, mut sending) = raw.begin(DIGEST, &[]).await;
    sending.send_data(parts(0..100_000), false).unwrap();
    let metrics = server
        .until("it has enough", |m| {
            m.sum("hashlane_parts_total", &[("outcome", "digest")]) > 4096.0
        })
        .await;
    assert_eq!(metrics.sum("hashlane_streams", &[]), 1.0);
    drop((response, sending));
    let metrics = server.until("nothing is left", nothing_is_left).await;
    let answered = metrics.sum("hashlane_parts_total", &[("outcome", "digest")]);
    assert!(answered < 20_000.0, "{answered} were answered");

    // The same in small frames, one part each.
    let (response, mut sending) = raw.begin(DIGEST, &[]).await;
    for part in 0..70_000 {
        sending.send_data(parts(part..part + 1), false).unwrap();
        tokio::task::yield_now().await;
    }
    server
        .until("it has enough", |m| {
            m.sum("hashlane_parts_total", &[("outcome", "digest")]) > answered + 4096.0
        })
        .await;
    drop((response, sending));
    let metrics = server.until("nothing is left", nothing_is_left).await;
    let answered = metrics.sum("hashlane_parts_total", &[("outcome", "digest")]) - answered;
    assert!(answered < 20_000.0, "{answered} were answered");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_answers_come_late_but_whole_to_a_client_that_takes_them_late() {
    let server = TestServer::start(&[]);
    let mut raw = Raw::reluctant(server.grpc, WINDOW).await;
    let (response, mut sending) = raw.begin(DIGEST, &[]).await;
    sending.send_data(parts(0..3000), true).unwrap();
    server
        .until("all answered", |m| {
            m.sum("hashlane_parts_total", &[("outcome", "digest")]) == 3000.0
        })
        .await;
    let answer = read(response).await;
    assert_eq!(answer.status.unwrap().code(), tonic::Code::Ok);
    let mut seen: Vec<u64> = messages::<DigestResponse>(&answer.body)
        .iter()
        .map(|answer| answer.part)
        .collect();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..3000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beyond_the_bound_whoever_holds_most_is_cut_off() {
    whoever_holds_most_is_cut_off(&[]).await;
    // Answers with more digests take more memory, so the bound holds fewer.
    whoever_holds_most_is_cut_off(&numbers()).await;
}

async fn whoever_holds_most_is_cut_off(algorithms: &[i32]) {
    // The approximate charge of an answer.
    let answer_bytes = 448 + 192 * algorithms.len().max(1) as u64;
    let answers = (768 << 10) / answer_bytes;
    let server = TestServer::start(&[
        ("workers", "1"),
        ("unread_bytes_max", "1MiB"),
        ("batch_blobs_max", "1"),
    ]);
    let mut little = Raw::reluctant(server.grpc, 0).await;
    let (_response, mut sending) = little.begin(DIGEST, &[]).await;
    sending.send_data(parts(0..500), false).unwrap();
    server
        .until("all answered", |m| {
            m.sum("hashlane_parts_total", &[("outcome", "digest")]) == 500.0
        })
        .await;

    // Two streams of a connection, each within its limit.
    let mut most = Raw::reluctant(server.grpc, 0).await;
    let mut streams = Vec::new();
    for _ in 0..2 {
        let (response, mut sending) = most.begin(DIGEST, &[]).await;
        let body = parts_asking(0..answers, algorithms);
        sending.send_data(body, false).unwrap();
        streams.push((response, sending));
    }
    server
        .until("one is cut off", |m| {
            m.sum("hashlane_connections", &[]) == 1.0
        })
        .await;
    let metrics = server.metrics();
    assert_eq!(metrics.sum("hashlane_streams", &[]), 1.0);
    let unread = [("reason", "unread")];
    assert_eq!(
        metrics.sum("hashlane_connections_ended_total", &unread),
        1.0
    );
    for (response, _) in streams {
        assert!(reset(response).await.is_none(), "the connection is gone");
    }
    // The other connection can still read its answers.
    let (response, mut sending) = little.begin(DIGEST, &[]).await;
    sending.send_data(parts(0..1), true).unwrap();
    server
        .until("its part is answered", |m| {
            m.sum("hashlane_parts_total", &[("outcome", "digest")]) > 500.0
        })
        .await;
    drop(response);
}
