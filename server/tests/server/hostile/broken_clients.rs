//! Clients that vanish, fall silent, send too much at once, or do not send gRPC.

use crate::common::h2_client::{Raw, message, messages, read};
use crate::common::{
    TestServer, asking, assert_refused, digest, open_digest, pattern, sha256, verify,
};
use bytes::Bytes;
use hashlane_proto::v1::{DigestRequest, DigestResponse};
use prost::Message as _;
use tonic::Code;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const VERIFY: &str = "/hashlane.v1.HashService/Verify";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_vanishes_leaves_nothing_behind() {
    let server = TestServer::start(&[]);
    // With either reset the parts are incomplete.
    let resets = [Some(h2::Reason::CANCEL), Some(h2::Reason::NO_ERROR), None];
    for reset in resets {
        let mut raw = Raw::tcp(server.grpc).await;
        let mut streams = Vec::new();
        for _ in 0..10 {
            let (response, mut sending) = raw.begin(DIGEST, &[]).await;
            for part in 0..5 {
                let request = digest(part, &pattern(1000, 1), false).encode_to_vec();
                sending.send_data(message(0, &request), false).unwrap();
            }
            streams.push((response, sending));
        }
        server
            .until("all jobs open", |m| {
                m.sum("hashlane_open_jobs", &[]) == 50.0
            })
            .await;
        if let Some(reason) = reset {
            for (_, sending) in &mut streams {
                sending.send_reset(reason);
            }
            server
                .until("all streams gone", |m| {
                    m.sum("hashlane_streams", &[]) == 0.0
                })
                .await;
        }
        drop(streams);
        drop(raw);
        server
            .until("all jobs freed", |m| {
                m.sum("hashlane_open_jobs", &[]) == 0.0
                    && m.sum("hashlane_connections", &[]) == 0.0
                    && m.sum("hashlane_buffered_bytes", &[]) == 0.0
            })
            .await;
    }
    let metrics = server.metrics();
    let cancelled = metrics.sum("hashlane_parts_total", &[("outcome", "cancelled")]);
    assert_eq!(cancelled, 150.0);
    let codes = [("grpc_code", "Canceled"), ("grpc_method", "Digest")];
    assert_eq!(metrics.sum("grpc_server_handled_total", &codes), 30.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_vanishes_within_a_message_is_no_fault_of_the_message() {
    let server = TestServer::start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    for reason in [h2::Reason::CANCEL, h2::Reason::NO_ERROR] {
        let (_response, mut sending) = raw.begin("/hashlane.v1.HashService/Compose", &[]).await;
        let half = message(0, &[0; 100]).slice(..50);
        sending.send_data(half, false).unwrap();
        server
            .until("the call began", |m| m.sum("hashlane_streams", &[]) == 1.0)
            .await;
        sending.send_reset(reason);
        server
            .until("the call is gone", |m| {
                m.sum("hashlane_streams", &[]) == 0.0
            })
            .await;
    }
    let handled = |code| {
        let labels = [("grpc_method", "Compose"), ("grpc_code", code)];
        server.metrics().sum("grpc_server_handled_total", &labels)
    };
    assert_eq!(
        (handled("Canceled"), handled("InvalidArgument")),
        (2.0, 0.0)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bounds_on_waiting_bytes_slow_clients_down_and_lose_nothing() {
    for hashing in ["lanes", "inline"] {
        let server = TestServer::start(&[
            ("hashing", hashing),
            ("workers", "1"),
            ("receive_windows_bytes_max", "256KiB"),
        ]);
        let mut clients = Vec::new();
        for _ in 0..3 {
            clients.push(server.client().await);
        }
        let tasks: Vec<_> = (0..60)
            .map(|i: usize| {
                let mut client = clients[i % clients.len()].clone();
                tokio::spawn(async move {
                    let data = pattern(150_000 + i * 1000, i);
                    let requests: Vec<_> = data
                        .chunks(20_000)
                        .map(|chunk| digest(0, chunk, false))
                        .collect();
                    let answers = client.digest(tokio_stream::iter(requests)).await.unwrap();
                    let answer = answers.into_inner().message().await.unwrap().unwrap();
                    assert_eq!(answer.digests[0].digest, sha256(&data));
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(server.metrics().sum("hashlane_buffered_bytes", &[]), 0.0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_process_has_a_bound_on_open_parts() {
    let plain = (0..100).map(|part| digest(part, b"x", false));
    let several = |part, algorithms| DigestRequest {
        open: asking(algorithms),
        ..digest(part, b"x", false)
    };
    let several: Vec<_> = (0..50).map(|part| several(part, vec![1, 6])).collect();
    let plain: Vec<_> = plain.collect();
    bound_on_open_parts(plain).await;
    bound_on_open_parts(several).await;
}

async fn bound_on_open_parts(requests: Vec<DigestRequest>) {
    let server = TestServer::start(&[("parts_max", "100")]);
    let mut client = server.client().await;
    let (sender, mut held) = open_digest(&mut client).await;
    let parts = requests.len();
    for request in requests {
        sender.send(request).await.unwrap();
    }
    server
        .until("all are open", |m| {
            m.sum("hashlane_open_jobs", &[]) == 100.0
        })
        .await;
    let one = || tokio_stream::iter([digest(0, b"x", true)]);
    let refused = match client.digest(one()).await {
        Ok(answers) => answers.into_inner().message().await.map(drop),
        Err(status) => Err(status),
    };
    assert_refused(
        &refused.unwrap_err(),
        Code::ResourceExhausted,
        "SERVER_BUSY",
    );
    drop(sender);
    for _ in 0..parts {
        assert!(held.message().await.unwrap().is_some());
    }
    let answers = client.digest(one()).await.unwrap();
    assert!(answers.into_inner().message().await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_stream_is_ended() {
    let changes = [("part_idle_timeout", "50ms")];
    let server = TestServer::start(&changes);
    let mut client = server.client().await;
    let (sender, mut answers) = open_digest(&mut client).await;
    sender.send(digest(0, b"x", false)).await.unwrap();
    let status = answers.message().await.unwrap_err();
    assert_refused(&status, Code::DeadlineExceeded, "STREAM_IDLE");
    server
        .until("its job is freed", |m| {
            m.sum("hashlane_open_jobs", &[]) == 0.0
        })
        .await;
    let server = TestServer::start(&[("part_idle_timeout", "50ms")]);
    let mut raw = Raw::tcp(server.grpc).await;
    let (response, mut sending) = raw.begin("/hashlane.v1.HashService/Compose", &[]).await;
    let half = message(0, &[0; 100]).slice(..50);
    sending.send_data(half, false).unwrap();
    let status = read(response).await.status.unwrap();
    assert_refused(&status, Code::DeadlineExceeded, "STREAM_IDLE");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_deadline_of_a_call_is_kept() {
    let server = TestServer::start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    for method in [DIGEST, "/hashlane.v1.HashService/DigestBatch"] {
        let (response, sending) = raw.begin(method, &[("grpc-timeout", "20m")]).await;
        let status = read(response).await.status.unwrap();
        assert_refused(&status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
        drop(sending);
    }
    // A deadline of zero, even for a message that has arrived.
    let whole = [message(0, &digest(0, b"abc", true).encode_to_vec())];
    let answer = raw.call(DIGEST, &[("grpc-timeout", "0n")], &whole).await;
    assert_refused(
        &answer.status.unwrap(),
        Code::DeadlineExceeded,
        "DEADLINE_EXCEEDED",
    );
    let answer = raw.call(DIGEST, &[("grpc-timeout", "soon")], &[]).await;
    assert_refused(
        &answer.status.unwrap(),
        Code::InvalidArgument,
        "MALFORMED_TIMEOUT",
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_without_a_preface_is_closed() {
    let server = TestServer::start(&[("handshake_timeout", "30ms")]);
    for sent in [&b""[..], b"PRI * HTTP/2.0\r\n"] {
        let mut socket = std::net::TcpStream::connect(server.grpc).unwrap();
        std::io::Write::write_all(&mut socket, sent).unwrap();
        let mut rest = Vec::new();
        // The server's settings may come first, then the end.
        let _ = std::io::Read::read_to_end(&mut socket, &mut rest);
    }
    let mut garbage = std::net::TcpStream::connect(server.grpc).unwrap();
    std::io::Write::write_all(&mut garbage, b"EHLO client.example\r\n").unwrap();
    let mut rest = Vec::new();
    let _ = std::io::Read::read_to_end(&mut garbage, &mut rest);
    server
        .until("all closed", |m| m.sum("hashlane_connections", &[]) == 0.0)
        .await;
    assert_eq!(server.metrics().sum("hashlane_connections_total", &[]), 3.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_grpc_is_refused_in_http_terms() {
    let server = TestServer::start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    for (headers, http) in [
        (&[(":method", "GET")][..], 405),
        (&[("content-type", "application/json")], 415),
        (&[("content-type", "application/grpc+json")], 415),
        (&[("content-type", "application/grpc-web")], 415),
    ] {
        let answer = raw.call(DIGEST, headers, &[]).await;
        assert_eq!(answer.http.as_u16(), http, "{headers:?}");
        assert!(answer.status.is_none());
    }
    for path in ["/", "/hashlane.v1.HashService/Nothing", "/other/Digest"] {
        let status = raw.call(path, &[], &[]).await.status.unwrap();
        assert_refused(&status, Code::Unimplemented, "NO_SUCH_METHOD");
    }
    for content_type in [
        "application/grpc",
        "application/grpc+proto",
        "Application/GRPC",
    ] {
        let frames = [message(0, &digest(0, b"abc", true).encode_to_vec())];
        let headers = [
            ("content-type", content_type),
            ("grpc-encoding", "identity"),
        ];
        let answer = raw.call(DIGEST, &headers, &frames).await;
        assert_eq!(answer.status.unwrap().code(), Code::Ok);
        let answers: Vec<DigestResponse> = messages(&answer.body);
        assert_eq!(answers[0].digests[0].digest, sha256(b"abc"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_bytes_are_refused_on_both_paths() {
    let good = digest(3, b"abcdef", true).encode_to_vec();
    let server = TestServer::start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    let answer = raw.call(DIGEST, &[("grpc-encoding", "gzip")], &[]).await;
    assert_refused(&answer.status.unwrap(), Code::Unimplemented, "COMPRESSED");
    assert_eq!(answer.headers["grpc-accept-encoding"], "identity");

    for (name, frames, reason) in [
        (
            "cut in the prefix",
            vec![message(0, &good).slice(..3)],
            "MALFORMED_MESSAGE",
        ),
        (
            "cut in the message",
            vec![message(0, &good).slice(..9)],
            "MALFORMED_MESSAGE",
        ),
        (
            "no protobuf",
            vec![message(0, &[0xff; 20])],
            "MALFORMED_MESSAGE",
        ),
        (
            "flag of nothing",
            vec![message(9, &good)],
            "MALFORMED_MESSAGE",
        ),
    ] {
        for method in [DIGEST, VERIFY] {
            let answer = raw.call(method, &[], &frames).await;
            let status = answer.status.unwrap();
            assert_eq!(status.code(), Code::InvalidArgument, "{name}");
            assert_refused(&status, Code::InvalidArgument, reason);
        }
    }
    let frames = [Bytes::from_static(&[0, 0xff, 0xff, 0xff, 0xff])];
    let status = raw.call(DIGEST, &[], &frames).await.status.unwrap();
    assert_refused(&status, Code::ResourceExhausted, "MESSAGE_TOO_LARGE");
    let frames = [message(1, &good)];
    for method in [DIGEST, VERIFY, "/hashlane.v1.HashService/Compose"] {
        let status = raw.call(method, &[], &frames).await.status.unwrap();
        assert_refused(&status, Code::Unimplemented, "COMPRESSED");
    }

    server
        .until("nothing is left", |m| {
            m.sum("hashlane_open_jobs", &[]) == 0.0
        })
        .await;
    let answer = raw.call(DIGEST, &[], &[message(0, &good)]).await;
    assert_eq!(messages::<DigestResponse>(&answer.body)[0].part, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_paths_give_the_same_answers_however_frames_are_cut() {
    let mut body = Vec::new();
    for part in 0..20 {
        let data = pattern(usize::try_from(part).unwrap() * 777, 2);
        let right = sha256(&data);
        let expected = (part % 3 > 0).then_some(&right[..]);
        let request = verify(part, &data, expected, part % 2 == 0);
        body.extend_from_slice(&message(0, &request.encode_to_vec()));
    }
    let mut seen: Vec<Vec<hashlane_proto::v1::VerifyResponse>> = Vec::new();
    for cut in [1000, 4999, 16_384] {
        let server = TestServer::start(&[]);
        let mut raw = Raw::tcp(server.grpc).await;
        let frames: Vec<_> = body.chunks(cut).map(Bytes::copy_from_slice).collect();
        let answer = raw.call(VERIFY, &[], &frames).await;
        assert_eq!(answer.status.unwrap().code(), Code::Ok);
        let mut answers = messages::<hashlane_proto::v1::VerifyResponse>(&answer.body);
        answers.sort_by_key(|answer| answer.part);
        assert_eq!(answers.len(), 20);
        seen.push(answers);
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}
