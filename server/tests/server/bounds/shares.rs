//! A client at its share of a bound leaves the rest to others. Clients are identified by address.

use std::net::SocketAddr;

use crate::common::h2_client::{Answer, Raw, message, messages, read};
use crate::common::tls::{Ca, Files, TlsClient};
use crate::common::{Metrics, TestServer, assert_refused, digest, pattern, sha256};
use bytes::Bytes;
use hashlane_proto::v1::{DigestBatchRequest, DigestResponse};
use prost::Message as _;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpSocket, TcpStream};
use tonic::Code;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const BATCH: &str = "/hashlane.v1.HashService/DigestBatch";
const WATCH: &str = "/grpc.health.v1.Health/Watch";

/// Stalled handshakes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handshakes() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let share = [("tls.handshakes_max", "8"), ("client_share_percent", "50")];
    let server = files.serve("off", &share);
    let address = server.tls.unwrap();
    let mut stalled = Vec::new();
    for _ in 0..10 {
        stalled.push(socket(address, 2).await);
    }
    let refused = [("reason", "handshakes")];
    let refused = |m: &Metrics| m.sum("hashlane_connections_refused_total", &refused);
    let metrics = server.until("six are refused", |m| refused(m) == 6.0).await;
    assert_eq!(used(&metrics, "handshakes"), 4.0);
    // Handshakes of another client succeed while those stall.
    for _ in 0..4 {
        let stream = TlsClient::new(&ca).connect(address).await.unwrap();
        works(&mut Raw::over(stream).await).await;
    }
    assert_eq!(refused(&server.metrics()), 6.0);
    drop(stalled);
    server
        .until("all are given back", |m| used(m, "handshakes") == 0.0)
        .await;
}

/// A socket of the client 127.0.0.`client`.
async fn socket(server: SocketAddr, client: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, client], 0).into()).unwrap();
    socket.connect(server).await.unwrap()
}

async fn connect(server: SocketAddr, client: u8) -> Raw {
    Raw::over(socket(server, client).await).await
}

async fn call(raw: &mut Raw) -> Answer {
    let request = digest(7, b"abc", true).encode_to_vec();
    raw.call(DIGEST, &[], &[message(0, &request)]).await
}

async fn works(raw: &mut Raw) {
    let answers: Vec<DigestResponse> = messages(&call(raw).await.body);
    assert_eq!(answers[0].digests[0].digest, sha256(b"abc"));
}

async fn is_over_its_share(raw: &mut Raw) {
    let status = call(raw).await.status.unwrap();
    assert_refused(&status, Code::ResourceExhausted, "QUOTA_EXCEEDED");
}

fn start(changes: &[(&str, &str)]) -> TestServer {
    let share = [("client_share_percent", "50")];
    TestServer::start(&[changes, &share].concat())
}

/// Calls that an operator hardly notices, because probes succeed: endless streams of the health
/// service.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls() {
    let server = start(&[("streams_max", "40")]);
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut raw = connect(server.grpc, 2).await;
        for _ in 0..10 {
            let (response, mut sending) = raw.begin(WATCH, &[]).await;
            sending.send_data(message(0, b""), true).unwrap();
            open.push((raw_response(response).await, sending));
        }
    }
    is_over_its_share(&mut connect(server.grpc, 2).await).await;
    works(&mut connect(server.grpc, 3).await).await;
    drop(open);
    server
        .until("all are gone", |m| m.sum("hashlane_streams", &[]) == 0.0)
        .await;
    works(&mut connect(server.grpc, 2).await).await;
}

/// The call has begun when its response headers have arrived.
async fn raw_response(response: h2::client::ResponseFuture) -> h2::RecvStream {
    response.await.unwrap().into_body()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts() {
    let server = start(&[("parts_max", "300")]);
    let mut greedy = connect(server.grpc, 2).await;
    let (response, mut sending) = greedy.begin(DIGEST, &[]).await;
    for part in 0..150 {
        let open = digest(part, b"x", false).encode_to_vec();
        sending.send_data(message(0, &open), false).unwrap();
    }
    server
        .until("all are open", |m| {
            m.sum("hashlane_open_jobs", &[]) == 150.0
        })
        .await;
    is_over_its_share(&mut greedy).await;
    works(&mut connect(server.grpc, 3).await).await;
    sending.send_data(Bytes::new(), true).unwrap();
    assert_eq!(
        messages::<DigestResponse>(&read(response).await.body).len(),
        150
    );
    works(&mut greedy).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections() {
    let server = start(&[("connections_max", "6")]);
    let mut open = Vec::new();
    for _ in 0..3 {
        let mut raw = connect(server.grpc, 2).await;
        works(&mut raw).await;
        open.push(raw);
    }
    one_more_is_closed(&server).await;
}

/// The smallest windows granted: eight of them are half of 1 MiB.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn windows() {
    let server = start(&[
        ("receive_windows_bytes_max", "1MiB"),
        ("http2.connection_window_bytes", "65535"),
    ]);
    let mut open = Vec::new();
    for _ in 0..8 {
        let mut raw = connect(server.grpc, 2).await;
        works(&mut raw).await;
        open.push(raw);
    }
    one_more_is_closed(&server).await;
    drop(open);
    let given = |m: &Metrics| used(m, "receive_windows_bytes");
    server
        .until("all are given back", |m| given(m) == 0.0)
        .await;
    works(&mut connect(server.grpc, 2).await).await;
}

/// Checks that one more connection of the greedy client is closed at once and counted, and that
/// another client is served.
async fn one_more_is_closed(server: &TestServer) {
    let mut refused = socket(server.grpc, 2).await;
    let mut rest = Vec::new();
    let _ = refused.read_to_end(&mut rest).await;
    assert!(rest.is_empty());
    let labels = [("reason", "limit")];
    let refused = |m: &Metrics| m.sum("hashlane_connections_refused_total", &labels);
    server.until("it is counted", |m| refused(m) == 1.0).await;
    works(&mut connect(server.grpc, 3).await).await;
}

fn used(metrics: &Metrics, budget: &str) -> f64 {
    metrics.sum("hashlane_budget_used", &[("budget", budget)])
}

/// Data before another field: each message takes its announced length.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn held_bytes() {
    const DATA_BYTES: usize = 1_000_000;
    let server = start(&[("held_bytes_max", "4MiB"), ("message_bytes_max", "1MiB")]);
    let data = pattern(DATA_BYTES, 1);
    let fields = [digest(0, &data, false), digest(0, b"", true)];
    let whole = [message(
        0,
        &fields.map(|field| field.encode_to_vec()).concat(),
    )];
    let mut greedy = connect(server.grpc, 2).await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let (response, mut sending) = greedy.begin(DIGEST, &[]).await;
        sending.send_data(whole[0].slice(..100), false).unwrap();
        open.push((response, sending));
    }
    let held = |m: &Metrics| used(m, "held_bytes");
    let both = (2 * DATA_BYTES) as f64;
    server.until("both are held", |m| held(m) == both).await;
    // For this client, three are more than half of 4 MiB.
    let answer = greedy.call(DIGEST, &[], &whole).await;
    let status = answer.status.unwrap();
    assert_refused(&status, Code::ResourceExhausted, "OUT_OF_ORDER_DATA_LIMIT");
    let is_digested = |answer: &Answer| {
        let answers: Vec<DigestResponse> = messages(&answer.body);
        answers[0].digests[0].digest == sha256(&data)
    };
    let mut other = connect(server.grpc, 3).await;
    assert!(is_digested(&other.call(DIGEST, &[], &whole).await));
    drop(open);
    server.until("all is given back", |m| held(m) == 0.0).await;
    assert!(is_digested(&greedy.call(DIGEST, &[], &whole).await));
}

/// Messages of which only the prefix has arrived: each takes its announced length.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unary_bytes() {
    let server = start(&[
        ("unary_bytes_max", "4MiB"),
        ("message_bytes_max", "1MiB"),
        ("batch_blobs_max", "10"),
    ]);
    let mut greedy = connect(server.grpc, 2).await;
    let mut open = Vec::new();
    let begin = |bytes| message(0, &vec![0; bytes]).slice(..5);
    for _ in 0..3 {
        let (response, mut sending) = greedy.begin(BATCH, &[]).await;
        sending.send_data(begin(1 << 20), false).unwrap();
        open.push((response, sending));
    }
    // Three of 1 MiB are more than half of 4 MiB: the last is refused.
    let (last, _sending) = open.pop().unwrap();
    let status = read(last).await.status.unwrap();
    assert_refused(&status, Code::ResourceExhausted, "QUOTA_EXCEEDED");
    let batch = DigestBatchRequest {
        algorithms: Vec::new(),
        blobs: vec![Bytes::from(vec![1; 1 << 19])],
    };
    let batch = message(0, &batch.encode_to_vec());
    let mut other = connect(server.grpc, 3).await;
    let answer = other.call(BATCH, &[], &[batch]).await;
    assert_eq!(answer.status.unwrap().code(), Code::Ok);
}
