//! Clients that stall or trickle: their memory is bounded, their calls are ended, and other clients
//! are not affected.

use crate::common::h2_client::{Raw, message, messages, read};
use crate::common::program::Running;
use crate::common::{TestServer, assert_refused, digest, pattern, sha256};
use bytes::Bytes;
use h2::SendStream;
use h2::client::ResponseFuture;
use hashlane_proto::v1::DigestResponse;
use prost::Message as _;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";

/// A stream with its job, its HTTP/2 state, its call and its timer. About 4 KiB, measured in a
/// separate process.
const STREAM_BYTES_MAX: f64 = 8.0 * 1024.0;

const CONNECTIONS: usize = 16;

fn request(data: &[u8], last: bool) -> Bytes {
    message(0, &digest(0, data, last).encode_to_vec())
}

/// Opens `count` streams, and sends the bytes of `begin` on each.
async fn open(
    server: std::net::SocketAddr,
    count: usize,
    begin: impl Fn(usize) -> Bytes,
) -> Vec<(ResponseFuture, SendStream<Bytes>)> {
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(Raw::tcp(server).await);
    }
    let mut streams = Vec::new();
    for stream in 0..count {
        let raw = &mut connections[stream % CONNECTIONS];
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        sending.send_data(begin(stream), false).unwrap();
        streams.push((response, sending));
    }
    streams
}

/// Less than a block, or some KiB of an incomplete message.
fn stall(stream: usize) -> Bytes {
    let whole = request(&pattern(4000, stream), false);
    match stream % 2 {
        0 => request(&pattern(20, stream), false),
        _ => whole.slice(..3000),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_stalled_streams_take_little_memory() {
    let server = Running::start(&[]);
    let before = server.resident_bytes();
    let streams = open(server.grpc, 10_000, stall).await;
    // All data is hashed, and the tails are copied.
    let metrics = server
        .until("all are stalled", |m| {
            m.sum("hashlane_open_jobs", &[]) == 10_000.0 && m.sum("hashlane_ready_jobs", &[]) == 0.0
        })
        .await;
    let waiting = metrics.sum("hashlane_buffered_bytes", &[]);
    assert!(waiting.abs() < 0.5, "{waiting} bytes wait");
    let taken = server.resident_bytes() - before;
    assert!(taken < 10_000.0 * STREAM_BYTES_MAX, "{taken} bytes");
    drop(streams);
    server
        .until("all are gone", |m| m.sum("hashlane_streams", &[]) == 0.0)
        .await;
}

/// Later streams reuse the memory of earlier ones: it does not grow with each crowd.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crowds_of_streams_leave_no_more_each_time() {
    const STREAMS: usize = 4000;
    const MIB: f64 = 1024.0 * 1024.0;
    let server = Running::start(&[]);
    let mut left = Vec::new();
    for _ in 0..5 {
        let streams = open(server.grpc, STREAMS, stall).await;
        server
            .until("all are open", |m| {
                m.sum("hashlane_streams", &[]) == STREAMS as f64
            })
            .await;
        drop(streams);
        server
            .until("all are gone", |m| {
                let gauges = ["streams", "connections"].map(|name| format!("hashlane_{name}"));
                gauges.iter().all(|name| m.sum(name, &[]) == 0.0)
            })
            .await;
        left.push(server.resident_bytes() / MIB);
    }
    // The first crowds may have split the allocator's memory differently.
    assert!(left[4] < left[1] + 3.0, "{left:?} MiB");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_stalled_streams_end() {
    let server = Running::start(&["--set", "part_idle_timeout=500ms"]);
    for (response, sending) in open(server.grpc, 10_000, stall).await {
        let status = read(response).await.status.unwrap();
        assert_refused(&status, Code::DeadlineExceeded, "STREAM_IDLE");
        drop(sending);
    }
    let metrics = server
        .until("all are gone", |m| m.sum("hashlane_streams", &[]) == 0.0)
        .await;
    for left in ["open_jobs", "buffered_bytes"] {
        let left = metrics.sum(&format!("hashlane_{left}"), &[]);
        assert!(left.abs() < 0.5, "{left}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn honest_streams_are_answered_while_a_thousand_trickle() {
    let server = Running::start(&[]);
    let before = server.resident_bytes();
    // The part's bytes arrive one by one, each in a separate frame.
    let mut trickling = open(server.grpc, 1000, |stream| {
        let whole = request(&pattern(4000, stream), false);
        whole.slice(..whole.len() - 1000)
    })
    .await;
    let grpc = server.grpc;
    let honest: Vec<_> = (0..16)
        .map(|seed| {
            tokio::spawn(async move {
                let mut raw = Raw::tcp(grpc).await;
                let data = pattern(4 << 20, seed);
                let mut frames: Vec<_> = data.chunks(64 << 10).map(|c| request(c, false)).collect();
                frames.push(request(b"", true));
                let answer = raw.call(DIGEST, &[], &frames).await;
                let answers: Vec<DigestResponse> = messages(&answer.body);
                (answers[0].digests[0].digest.to_vec(), sha256(&data))
            })
        })
        .collect();
    // Fewer than the limit of h2's queue, even if the server reads late: some 8000 frames on a
    // connection, which has 63 of these streams.
    for _ in 0..100 {
        for (_, sending) in &mut trickling {
            sending.send_data(Bytes::from_static(b"x"), false).unwrap();
        }
        tokio::task::yield_now().await;
    }
    for task in honest {
        let (answered, right) = task.await.unwrap();
        assert_eq!(answered, right);
    }
    let metrics = server.metrics();
    assert_eq!(metrics.sum("hashlane_streams", &[]), 1000.0);
    let taken = server.resident_bytes() - before;
    // The honest clients may have full windows: 4 MiB for each connection.
    let bound = 1000.0 * STREAM_BYTES_MAX + 16.0 * f64::from(4 << 20) + f64::from(32 << 20);
    assert!(taken < bound, "{taken} of {bound} bytes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_with_an_open_part_must_keep_its_rate() {
    let server = TestServer::start(&[
        ("part_rate_bytes_per_second_min", "10KiB"),
        ("part_rate_window", "200ms"),
    ]);
    let mut raw = Raw::tcp(server.grpc).await;
    // This stream has no open part, so it may stay open.
    let (done, mut waiting) = raw.begin(DIGEST, &[]).await;
    waiting.send_data(request(b"abc", true), false).unwrap();
    server
        .until("it is answered", |m| {
            m.sum("hashlane_parts_total", &[("outcome", "digest")]) == 1.0
        })
        .await;
    for round in 0..2 {
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        sending.send_data(request(&[7; 100], false), false).unwrap();
        let status = read(response).await.status.unwrap();
        assert_refused(&status, Code::DeadlineExceeded, "STREAM_TOO_SLOW");
        assert_eq!(
            server.metrics().sum("hashlane_streams", &[]),
            1.0,
            "{round}"
        );
    }
    waiting.send_data(Bytes::new(), true).unwrap();
    assert_eq!(read(done).await.status.unwrap().code(), Code::Ok);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn open_calls_of_the_process_are_bounded_and_probes_answered() {
    let server = TestServer::start(&[("workers", "1"), ("streams_max", "20")]);
    let streams = open(server.grpc, 20, stall).await;
    server
        .until("all are open", |m| m.sum("hashlane_streams", &[]) == 20.0)
        .await;
    let mut raw = Raw::tcp(server.grpc).await;
    let refused = raw.call(DIGEST, &[], &[]).await.status.unwrap();
    assert_refused(&refused, Code::ResourceExhausted, "SERVER_BUSY");
    let mut health = HealthClient::new(server.channel().await);
    health.check(HealthCheckRequest::default()).await.unwrap();
    drop(streams);
    server
        .until("all are gone", |m| m.sum("hashlane_streams", &[]) == 0.0)
        .await;
    let answer = raw.call(DIGEST, &[], &[request(b"abc", true)]).await;
    assert_eq!(answer.status.unwrap().code(), Code::Ok);
}
