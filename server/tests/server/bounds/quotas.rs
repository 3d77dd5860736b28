//! Limits of single clients: quotas by name, and bytes per second.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::h2_client::{Answer, Raw, message, messages, read};
use crate::common::program::Running;
use crate::common::tls::{Ca, Files, TlsClient};
use crate::common::{Metrics, PATIENCE, TestServer, assert_refused, digest, pattern, sha256};
use bytes::Bytes;
use h2::SendStream;
use h2::client::ResponseFuture;
use hashlane_proto::v1::{DigestBatchRequest, DigestResponse};
use prost::Message as _;
use tempfile::TempDir;
use tokio::time::timeout;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const BATCH: &str = "/hashlane.v1.HashService/DigestBatch";

/// `backup`'s token is "abc", `ci`'s is "xyz".
const TOKENS: &str = "\
backup ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
ci     3608bca1e44ea6c4d268eb6db02260269892c0b42b86bbf1e77a6fa16c3c9282
";
const BACKUP: [(&str, &str); 1] = [("authorization", "Bearer abc")];
const CI: [(&str, &str); 1] = [("authorization", "Bearer xyz")];

/// Files of tokens and quotas in a temporary directory, removed on drop.
struct Clients(TempDir);

impl Clients {
    fn new(quotas: &str) -> Self {
        let clients = Self(TempDir::new().unwrap());
        std::fs::write(clients.path("tokens"), TOKENS).unwrap();
        clients.write(quotas);
        clients
    }

    fn path(&self, name: &str) -> String {
        Path::join(self.0.path(), name).display().to_string()
    }

    fn write(&self, quotas: &str) {
        std::fs::write(self.path("quotas"), quotas).unwrap();
    }

    fn start(&self, more: &[(&str, &str)]) -> TestServer {
        let [tokens, quotas] = ["tokens", "quotas"].map(|name| self.path(name));
        let files = [
            ("clients.tokens_file", tokens.as_str()),
            ("clients.quotas_file", &quotas),
        ];
        TestServer::start(&[&files, more].concat())
    }

    fn run(&self) -> Running {
        let [tokens, quotas] = ["tokens", "quotas"].map(|name| self.path(name));
        Running::start(&[
            "--clients-tokens-file",
            &tokens,
            "--clients-quotas-file",
            &quotas,
        ])
    }
}

async fn call(raw: &mut Raw, client: &[(&str, &str)]) -> Answer {
    let request = message(0, &digest(1, b"abc", true).encode_to_vec());
    raw.call(DIGEST, client, &[request]).await
}

async fn works(raw: &mut Raw, client: &[(&str, &str)]) {
    let answers: Vec<DigestResponse> = messages(&call(raw, client).await.body);
    assert_eq!(answers[0].digests[0].digest, sha256(b"abc"));
}

#[track_caller]
fn assert_over(status: &Status, quota: &str) {
    assert_refused(status, Code::ResourceExhausted, "QUOTA_EXCEEDED");
    let details = status.get_error_details();
    let violation = &details.quota_failure().unwrap().violations[0];
    assert_eq!(violation.subject, format!("client:{quota}"));
    assert_eq!(violation.description, status.message());
    let delay = details.retry_info().unwrap().retry_delay.unwrap();
    assert!(delay >= Duration::from_secs(1), "{delay:?}");
}

async fn is_over(raw: &mut Raw, client: &[(&str, &str)], quota: &str) {
    assert_over(&call(raw, client).await.status.unwrap(), quota);
}

/// An open call.
async fn open(raw: &mut Raw, client: &[(&str, &str)]) -> (h2::RecvStream, SendStream<Bytes>) {
    let (response, sending) = raw.begin(DIGEST, client).await;
    (response.await.unwrap().into_body(), sending)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_client_at_its_quota_leaves_others_theirs() {
    let clients = Clients::new("[client.\"token:backup\"]\nstreams_max = 2\nparts_max = 120");
    let server = clients.start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    let (_one, mut sending) = open(&mut raw, &BACKUP).await;
    let two = open(&mut raw, &BACKUP).await;
    is_over(&mut raw, &BACKUP, "streams_max").await;
    works(&mut raw, &CI).await;
    works(&mut raw, &[]).await;
    drop(two);
    let streams = |m: &Metrics| m.sum("hashlane_streams", &[]);
    server.until("one is left", |m| streams(m) == 1.0).await;
    works(&mut raw, &BACKUP).await;

    for number in 0..120 {
        let begun = digest(number, b"x", false).encode_to_vec();
        sending.send_data(message(0, &begun), false).unwrap();
    }
    let jobs = |m: &Metrics| m.sum("hashlane_open_jobs", &[]);
    server.until("all are open", |m| jobs(m) == 120.0).await;
    is_over(&mut raw, &BACKUP, "parts_max").await;
    works(&mut raw, &CI).await;
    let over = [("reason", "QUOTA_EXCEEDED")];
    let refused = |m: &Metrics| m.sum("hashlane_refusals_total", &over);
    server
        .until("they are counted", |m| refused(m) == 2.0)
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_those_of_the_certificate() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let clients = Clients::new(
        "[client.\"certificate:spiffe://test/a\"]\nconnections_max = 2\n\
         [client.\"127.0.0.1\"]\nconnections_max = 3\n",
    );
    let server = files.serve(
        "required",
        &[("clients.quotas_file", &clients.path("quotas"))],
    );
    let address = server.tls.unwrap();
    let connect = async |name: &str| {
        let client = TlsClient::new(&ca).showing(&ca.client(name));
        client.connect(address).await.unwrap()
    };
    let mut open = Vec::new();
    // More than the address may have, because named clients do not count for it.
    for name in ["a", "a", "b", "b", "b"] {
        let stream = connect(&format!("spiffe://test/{name}")).await;
        let mut raw = Raw::over(stream).await;
        works(&mut raw, &[]).await;
        open.push(raw);
    }
    let refused = connect("spiffe://test/a").await;
    let closed = |m: &Metrics| {
        m.sum(
            "hashlane_connections_ended_total",
            &[("reason", "client_limit")],
        )
    };
    server.until("one is refused", |m| closed(m) == 1.0).await;
    drop((open.remove(0), refused));
    let connections = |m: &Metrics| m.sum("hashlane_connections", &[]);
    server
        .until("one has gone", |m| connections(m) == 4.0)
        .await;
    let mut raw = Raw::over(connect("spiffe://test/a").await).await;
    works(&mut raw, &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sighup_changes_quotas_of_clients_that_are_connected() {
    let clients = Clients::new("[client.\"token:backup\"]\nstreams_max = 1");
    let mut running = clients.run();
    let mut raw = Raw::tcp(running.grpc).await;
    let _one = open(&mut raw, &BACKUP).await;
    is_over(&mut raw, &BACKUP, "streams_max").await;
    clients.write("[client.\"token:backup\"]\nstreams_max = 2");
    running.signal("HUP");
    let line = running.line_with("SIGHUP: quotas");
    assert!(line.contains("\"token:backup changed\""), "{line}");
    works(&mut raw, &BACKUP).await;
    clients.write("[client.\"token:backup\"]\nstreams_max = 1\nstream_max = 1");
    running.signal("HUP");
    let line = running.line_with("not in force");
    assert!(
        line.contains("quotas:3: there is no quota stream_max"),
        "{line}"
    );
    works(&mut raw, &BACKUP).await;
}

const MIB: usize = 1 << 20;

/// Begins to send a part of `bytes` bytes.
async fn send(
    raw: &mut Raw,
    client: &[(&str, &str)],
    bytes: usize,
) -> (ResponseFuture, SendStream<Bytes>) {
    let (response, mut sending) = raw.begin(DIGEST, client).await;
    let data = pattern(bytes, 1);
    let mut pieces = data.chunks(MIB).peekable();
    while let Some(piece) = pieces.next() {
        let last = pieces.peek().is_none();
        let piece = digest(1, piece, last).encode_to_vec();
        sending.send_data(message(0, &piece), last).unwrap();
    }
    (response, sending)
}

/// On any machine: never more bytes than the rate and a burst.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_a_second_hold_for_long_calls_and_for_short_ones() {
    const RATE: usize = 2 * MIB;
    let clients = Clients::new("[client.\"token:backup\"]\nbytes_per_second = \"2MiB\"");
    let server = clients.start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    let (start, mut answered_bytes) = (Instant::now(), 0);
    let mut answered = |bytes: usize| {
        answered_bytes += bytes;
        let passed = usize::try_from(start.elapsed().as_millis()).unwrap();
        let most = RATE / 1000 * (passed + 1) + RATE / 2;
        assert!(answered_bytes <= most, "{answered_bytes} of {most}");
    };
    // A call with more than its window, calls with less, and unary calls.
    let (response, _sending) = send(&mut raw, &BACKUP, 3 * MIB).await;
    let answer = read(response).await;
    let answers: Vec<DigestResponse> = messages(&answer.body);
    assert_eq!(answers[0].digests[0].digest, sha256(&pattern(3 * MIB, 1)));
    answered(3 * MIB);
    for _ in 0..8 {
        let calls = [
            send(&mut raw, &BACKUP, MIB / 8).await,
            send(&mut raw, &BACKUP, MIB / 8).await,
        ];
        for (response, _sending) in calls {
            assert_eq!(read(response).await.status.unwrap().code(), Code::Ok);
            answered(MIB / 8);
        }
    }
    let batch = DigestBatchRequest {
        algorithms: Vec::new(),
        blobs: vec![Bytes::from(vec![1; 3 * MIB / 2]); 2],
    };
    let batch = message(0, &batch.encode_to_vec());
    let answer = raw.call(BATCH, &BACKUP, &[batch]).await;
    assert_eq!(answer.status.unwrap().code(), Code::Ok);
    answered(3 * MIB);
    assert!(start.elapsed() >= Duration::from_secs(3), "nothing waited");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_of_a_slowed_stream_leave_at_once_and_its_end_waits() {
    let clients = Clients::new("[client.\"token:backup\"]\nbytes_per_second = \"64KiB\"");
    let mut running = clients.run();
    let mut raw = Raw::tcp(running.grpc).await;
    // 14 seconds at its rate.
    let data_bytes = MIB - 100;
    let (response, _sending) = send(&mut raw, &BACKUP, data_bytes).await;
    let response = timeout(PATIENCE, response).await.unwrap().unwrap();
    let mut body = response.into_body();
    let answer = timeout(PATIENCE, body.data()).await.unwrap();
    let answers: Vec<DigestResponse> = messages(&answer.unwrap().unwrap());
    assert_eq!(
        answers[0].digests[0].digest,
        sha256(&pattern(data_bytes, 1))
    );
    assert_eq!(running.metrics().sum("hashlane_streams", &[]), 1.0);
    clients.write("");
    running.signal("HUP");
    running.line_with("token:backup removed");
    let end = timeout(PATIENCE, body.trailers()).await.unwrap();
    assert_eq!(end.unwrap().unwrap()["grpc-status"], "0");
}

/// The windows of the waiting calls would exhaust the connection's window four times.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_slowed_down_holds_nobody_up_and_a_new_rate_reaches_it() {
    let clients = Clients::new("[client.\"token:backup\"]\nbytes_per_second = \"64KiB\"");
    let mut running = clients.run();
    let mut raw = Raw::tcp(running.grpc).await;
    let mut slow = Vec::new();
    for _ in 0..4 {
        slow.push(send(&mut raw, &BACKUP, 4 * MIB).await);
    }
    let hashed = |m: &Metrics| m.sum("hashlane_hashed_bytes_total", &[]);
    let windows = 4.0 * 1_048_576.0;
    running
        .until("all windows are used", |m| hashed(m) >= windows - 100_000.0)
        .await;
    // It needs the connection's window several times.
    let (response, _sending) = send(&mut raw, &CI, 8 * MIB).await;
    let answer = timeout(PATIENCE, read(response)).await.unwrap();
    let answers: Vec<DigestResponse> = messages(&answer.body);
    assert_eq!(answers[0].digests[0].digest, sha256(&pattern(8 * MIB, 1)));
    assert_eq!(running.metrics().sum("hashlane_streams", &[]), 4.0);
    // At 64 KiB per second the other calls would take four minutes.
    clients.write("");
    running.signal("HUP");
    running.line_with("token:backup removed");
    for (response, _sending) in slow {
        let answer = timeout(PATIENCE, read(response)).await.unwrap();
        let answers: Vec<DigestResponse> = messages(&answer.body);
        assert_eq!(answers[0].digests[0].digest, sha256(&pattern(4 * MIB, 1)));
    }
}

/// The rate lets through less than streams must bring.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_slowed_down_is_not_too_slow() {
    let clients = Clients::new("[client.\"token:backup\"]\nbytes_per_second = \"256KiB\"");
    let server = clients.start(&[
        ("http2.stream_window_bytes", "65535"),
        ("part_rate_bytes_per_second_min", "1MiB"),
        ("part_rate_window", "2s"),
    ]);
    let mut raw = Raw::tcp(server.grpc).await;
    let (response, _sending) = send(&mut raw, &BACKUP, MIB).await;
    let answer = read(response).await;
    assert_eq!(answer.status.unwrap().code(), Code::Ok);
}

/// Bytes of reset calls must be paid too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_resets_calls_rather_than_wait_is_refused_new_ones() {
    let clients = Clients::new("[client.\"token:backup\"]\nbytes_per_second = \"64KiB\"");
    let server = clients.start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    let mut calls = Vec::new();
    for _ in 0..4 {
        calls.push(send(&mut raw, &BACKUP, MIB - 100).await);
    }
    let hashed = |m: &Metrics| m.sum("hashlane_hashed_bytes_total", &[]);
    server
        .until("all is hashed", |m| hashed(m) >= 4_000_000.0)
        .await;
    for (_, mut sending) in calls {
        sending.send_reset(h2::Reason::CANCEL);
    }
    let streams = |m: &Metrics| m.sum("hashlane_streams", &[]);
    server.until("they are gone", |m| streams(m) == 0.0).await;
    is_over(&mut raw, &BACKUP, "bytes_per_second").await;
    works(&mut raw, &CI).await;
}

/// A default for all clients, and a client without a limit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_may_have_no_bound_where_others_have_one() {
    let clients = Clients::new("[client.\"token:ci\"]\nbytes_per_second = \"\"");
    let server = clients.start(&[("clients.bytes_per_second", "64KiB")]);
    let mut raw = Raw::tcp(server.grpc).await;
    let (slow, _sending) = send(&mut raw, &BACKUP, 4 * MIB).await;
    let (fast, _sending) = send(&mut raw, &CI, 8 * MIB).await;
    let answer = timeout(PATIENCE, read(fast)).await.unwrap();
    assert_eq!(answer.status.unwrap().code(), Code::Ok);
    assert_eq!(server.metrics().sum("hashlane_streams", &[]), 1.0);
    drop(slow);
}
