//! Refusals, results and ends are counted in the right metrics.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::common::frame_client::{PING, Wire, frame, headers};
use crate::common::h2_client::{Raw, message, read};
use crate::common::program::Running;
use crate::common::{
    Metrics, TestServer, all, assert_refused, connect, digest, digests, open_digest, pattern,
    sized, verdicts, verify,
};
use bytes::Bytes;
use hashlane_proto::v1::{DigestBatchRequest, GetServerInfoRequest};
use prost::Message as _;
use tonic::Code;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const BATCH: &str = "/hashlane.v1.HashService/DigestBatch";

fn refusals(metrics: &Metrics, reason: &str) -> f64 {
    metrics.sum("hashlane_refusals_total", &[("reason", reason)])
}

fn ended(metrics: &Metrics, reason: &str) -> f64 {
    metrics.sum("hashlane_connections_ended_total", &[("reason", reason)])
}

fn budget(metrics: &Metrics, of: &str, name: &str) -> f64 {
    metrics.sum(&format!("hashlane_budget_{of}"), &[("budget", name)])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_are_counted_by_reason() {
    let server = TestServer::start(&[("batch_blobs_max", "1"), ("streams_max", "1")]);
    let before = server.metrics();
    let sum = |metrics: &Metrics| metrics.sum("hashlane_refusals_total", &[]);
    assert_eq!(sum(&before), 0.0);
    // Each has a series from the start; otherwise no rate would show its first event.
    assert!(
        before
            .0
            .contains("hashlane_refusals_total{reason=\"STREAM_IDLE\"} 0")
    );

    let mut raw = Raw::tcp(server.grpc).await;
    let none = raw.call("/hashlane.v1.HashService/Nothing", &[], &[]).await;
    assert_eq!(none.status.unwrap().code(), Code::Unimplemented);
    raw.call(DIGEST, &[("grpc-timeout", "x")], &[]).await;
    raw.call(DIGEST, &[], &[message(0, b"\xff")]).await;
    let blobs = DigestBatchRequest {
        algorithms: Vec::new(),
        blobs: vec![Bytes::new(); 2],
    };
    raw.call(BATCH, &[], &[message(0, &blobs.encode_to_vec())])
        .await;
    raw.call(
        "/grpc.health.v1.Health/Check",
        &[],
        &[message(0, b"\x0a\x01x")],
    )
    .await;
    let (held, _sending) = raw.begin(DIGEST, &[]).await;
    server
        .until("a call is open", |m| m.sum("hashlane_streams", &[]) == 1.0)
        .await;
    raw.call(DIGEST, &[], &[]).await;
    drop(held);

    let metrics = server.metrics();
    for reason in [
        "NO_SUCH_METHOD",
        "MALFORMED_TIMEOUT",
        "MALFORMED_MESSAGE",
        "TOO_MANY_BLOBS",
        "SERVER_BUSY",
        "OTHER",
    ] {
        assert_eq!(refusals(&metrics, reason), 1.0, "{reason}\n{}", metrics.0);
    }
    assert_eq!(sum(&metrics), 6.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_for_parts_that_have_ended_is_refused_and_counted() {
    let server = TestServer::start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    let twice = [digest(1, b"ab", true), digest(1, b"c", true)];
    let twice = twice.map(|request| message(0, &request.encode_to_vec()));
    let answer = raw.call(DIGEST, &[], &[twice.concat().into()]).await;
    let status = answer.status.unwrap();
    assert_refused(&status, Code::InvalidArgument, "PART_ENDED");

    // The part has failed, and continues for more than 64 MiB.
    let (response, mut sending) = raw.begin(DIGEST, &[]).await;
    let data = pattern(1 << 20, 1);
    let failing = message(0, &sized(1, 3, &data, false).encode_to_vec());
    let more = message(0, &digest(1, &data, false).encode_to_vec());
    sending.send_data(failing, false).unwrap();
    for _ in 0..65 {
        sending.send_data(more.clone(), false).unwrap();
    }
    let status = read(response).await.status.unwrap();
    assert_refused(&status, Code::ResourceExhausted, "PART_ALREADY_FAILED");
    let metrics = server.metrics();
    for reason in ["PART_ENDED", "PART_ALREADY_FAILED"] {
        assert_eq!(refusals(&metrics, reason), 1.0, "{reason}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_that_no_client_sees_are_counted() {
    let server = TestServer::start(&[("part_idle_timeout", "100ms")]);
    let mut reluctant = Raw::reluctant(server.grpc, 10).await;
    let part = message(0, &digest(1, b"ab", true).encode_to_vec());
    let (_response, mut sending) = reluctant.begin(DIGEST, &[]).await;
    sending.send_data(part, true).unwrap();
    server
        .until("its answers are not taken", |m| {
            refusals(m, "ANSWERS_NOT_TAKEN") == 1.0
        })
        .await;

    assert_eq!(server.metrics().sum("hashlane_refusals_total", &[]), 1.0);

    let server = TestServer::start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    let (_response, mut sending) = raw.begin(BATCH, &[]).await;
    let half = message(0, &[0; 10_000]).slice(..100);
    sending.send_data(half, false).unwrap();
    server
        .until("half a batch is there", |m| {
            budget(m, "used", "unary_bytes") >= 10_000.0
        })
        .await;
    sending.send_reset(h2::Reason::CANCEL);
    server
        .until("its client has gone", |m| refusals(m, "CLIENT_GONE") == 1.0)
        .await;
    assert_eq!(server.metrics().sum("hashlane_refusals_total", &[]), 1.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_of_parts_are_counted_by_reason() {
    let server = TestServer::start(&[("part_bytes_max", "10")]);
    let parts = vec![
        sized(1, 3, b"ab", true),
        sized(2, 11, b"", true),
        digest(3, b"0123456789a", true),
    ];
    let answers = digests(&server, parts).await.unwrap();
    assert_eq!(answers.len(), 3);
    let parts = vec![
        verify(1, b"ab", None, true),
        verify(2, b"ab", Some(b"short"), true),
    ];
    assert_eq!(verdicts(&server, parts).await.unwrap().len(), 2);
    let metrics = server.metrics();
    for (reason, count) in [
        ("SIZE_MISMATCH", 1.0),
        ("PART_TOO_LARGE", 2.0),
        ("NO_EXPECTED_DIGEST", 1.0),
        ("DIGEST_LENGTH", 1.0),
    ] {
        let labels = [("reason", reason)];
        let counted = metrics.sum("hashlane_part_errors_total", &labels);
        assert_eq!(counted, count, "{reason}");
    }
    // The calls did not fail.
    assert_eq!(metrics.sum("hashlane_refusals_total", &[]), 0.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn budgets_show_what_is_taken_and_the_bound() {
    let server = TestServer::start(&[
        ("connections_max", "11"),
        ("streams_max", "12"),
        ("parts_max", "1300"),
        ("http2.connection_window_bytes", "128KiB"),
        ("http2.connection_window_bytes_max", "128KiB"),
    ]);
    let before = server.metrics();
    for (name, max) in [
        ("connections", 11.0),
        ("handshakes", 1024.0),
        ("streams", 12.0),
        ("parts", 1300.0),
        ("probes", 64.0),
        ("receive_windows_bytes", 2.0 * 1024.0 * 1024.0 * 1024.0),
        ("held_bytes", 64.0 * 1024.0 * 1024.0),
        ("unary_bytes", 256.0 * 1024.0 * 1024.0),
        ("unread_bytes", 64.0 * 1024.0 * 1024.0),
    ] {
        assert_eq!(budget(&before, "max", name), max, "{name}");
        assert_eq!(budget(&before, "used", name), 0.0, "{name}");
    }

    let mut raw = Raw::tcp(server.grpc).await;
    // An open part, with data that other fields may follow.
    let request = digest(0, &pattern(5000, 1), false).encode_to_vec();
    let (part, mut sending) = raw.begin(DIGEST, &[]).await;
    let request = message(0, &request);
    sending
        .send_data(request.slice(..request.len() - 1000), false)
        .unwrap();
    // Half of a batch.
    let (batch, mut sending_batch) = raw.begin(BATCH, &[]).await;
    let half = message(0, &[0; 10_000]).slice(..100);
    sending_batch.send_data(half, false).unwrap();
    let metrics = server
        .until("all of it is taken", |m| {
            budget(m, "used", "unary_bytes") >= 10_000.0
                && budget(m, "used", "streams") == 2.0
                && budget(m, "used", "connections") == 1.0
        })
        .await;
    let windows = budget(&metrics, "used", "receive_windows_bytes");
    assert_eq!(windows, 128.0 * 1024.0);
    drop((part, batch, sending, sending_batch, raw));
    server
        .until("all of it is given back", |m| {
            [
                "connections",
                "streams",
                "unary_bytes",
                "receive_windows_bytes",
                "parts",
            ]
            .iter()
            .all(|name| budget(m, "used", name) == 0.0)
        })
        .await;

    let mut client = server.client().await;
    let (sender, answers) = open_digest(&mut client).await;
    sender.send(digest(0, b"ab", false)).await.unwrap();
    server
        .until("a part is open", |m| budget(m, "used", "parts") == 1.0)
        .await;
    drop((sender, answers));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn budgets_of_what_waits_and_of_probes_move_and_come_back() {
    let server = TestServer::start(&[("streams_max", "2")]);
    let used = |m: &Metrics, name: &str| budget(m, "used", name);
    // Data before another field.
    let data = [&[0x7a, 0xa0, 0x8d, 6][..], &[7; 100_000], &[8, 1]].concat();
    let whole = message(0, &data);
    let mut raw = Raw::tcp(server.grpc).await;
    let (held, mut sending) = raw.begin(DIGEST, &[]).await;
    sending
        .send_data(whole.slice(..whole.len() - 1), false)
        .unwrap();
    // An unread answer.
    let mut reluctant = Raw::reluctant(server.grpc, 0).await;
    let (unread, mut sending_unread) = reluctant.begin(DIGEST, &[]).await;
    let part = message(0, &digest(1, b"ab", true).encode_to_vec());
    sending_unread.send_data(part, false).unwrap();
    server
        .until("both wait", |m| {
            used(m, "held_bytes") >= 100_000.0 && used(m, "unread_bytes") > 0.0
        })
        .await;
    // There is no room for calls, except probes.
    let (probe, sending_probe) = raw.begin("/grpc.health.v1.Health/Check", &[]).await;
    server
        .until("a probe is open", |m| used(m, "probes") == 1.0)
        .await;
    drop((held, sending, unread, sending_unread, probe, sending_probe));
    server
        .until("all of it is given back", |m| {
            ["held_bytes", "unread_bytes", "probes", "streams"]
                .iter()
                .all(|name| used(m, name) == 0.0)
        })
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_are_timed() {
    let server = TestServer::start(&[]);
    let mut client = server.client().await;
    for _ in 0..3 {
        client
            .get_server_info(GetServerInfoRequest {})
            .await
            .unwrap();
    }
    let (sender, answers) = open_digest(&mut client).await;
    let open = std::time::Instant::now();
    sender.send(digest(0, b"ab", false)).await.unwrap();
    let labels = |method| {
        [
            ("grpc_service", "hashlane.v1.HashService"),
            ("grpc_method", method),
        ]
    };
    let sum = |metrics: &Metrics, what: &str, method| {
        metrics.sum(
            &format!("grpc_server_handling_seconds_{what}"),
            &labels(method),
        )
    };
    let metrics = server
        .until("the part is open", |m| {
            m.sum("hashlane_open_jobs", &[]) == 1.0
        })
        .await;
    assert_eq!(sum(&metrics, "count", "GetServerInfo"), 3.0);
    assert_eq!(sum(&metrics, "count", "Digest"), 0.0, "it goes on");
    let least = open.elapsed().as_secs_f64();
    drop(sender);
    all(answers).await.unwrap();
    let metrics = server.metrics();
    assert_eq!(sum(&metrics, "count", "Digest"), 1.0);
    assert!(sum(&metrics, "sum", "Digest") >= least, "{}", metrics.0);
    let info = sum(&metrics, "sum", "GetServerInfo");
    assert!(info > 0.0 && info < 3.0 * 3600.0, "{info}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connections_end_is_counted_by_its_reason() {
    let server = TestServer::start(&[]);
    drop(TcpStream::connect(server.grpc).unwrap());
    let mut other = TcpStream::connect(server.grpc).unwrap();
    other.write_all(b"EHLO client.example\r\n").unwrap();
    let _ = other.read_to_end(&mut Vec::new());
    let mut wire = Wire::connect(server.grpc).await;
    wire.send(&headers(1, 0, &[])).await;
    wire.digest(1).await;
    wire.close().await;
    let mut broken = Wire::connect(server.grpc).await;
    broken.send(&frame(PING, 0, 0, b"short")).await;
    while broken.next().await.is_some() {}
    let flood = Wire::connect(server.grpc).await;
    flood
        .flood(|| frame(PING, 0, 0, b"8 bytes.").repeat(1000))
        .await;
    let all_gone = |m: &Metrics| m.sum("hashlane_connections", &[]) == 0.0;
    let metrics = server.until("all are gone", all_gone).await;
    for (reason, count) in [
        ("unused", 1.0),
        ("preface", 1.0),
        ("preface_timeout", 0.0),
        ("closed", 1.0),
        ("error", 1.0),
        ("flood", 1.0),
        ("cut", 0.0),
    ] {
        assert_eq!(ended(&metrics, reason), count, "{reason}\n{}", metrics.0);
    }

    let server = TestServer::start(&[("handshake_timeout", "20ms")]);
    let mut late = TcpStream::connect(server.grpc).unwrap();
    let _ = late.write_all(b"PRI * ");
    let _ = late.read_to_end(&mut Vec::new());
    let metrics = server.until("it is gone", all_gone).await;
    assert_eq!(ended(&metrics, "preface_timeout"), 1.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_the_drain_cuts_are_counted() {
    let running = Running::start(&["--drain-timeout", "50ms"]);
    let mut client = connect(running.grpc).await;
    let (sender, answers) = open_digest(&mut client).await;
    sender.send(digest(0, b"ab", false)).await.unwrap();
    running.signal("TERM");
    let ended = all(answers).await;
    assert_eq!(ended.unwrap_err().code(), Code::Unavailable);
    let (code, log) = running.end();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("\"calls_cut\":1"), "{log}");
}
