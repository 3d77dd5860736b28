//! Ordered shutdown.

use crate::common::frame_client::{
    ACK, DATA, END_STREAM, Frame, GOAWAY, HEADERS, PING, REFUSED_STREAM, RST_STREAM, Received,
    WINDOW_MAX, Wire, frame, headers, opening,
};
use crate::common::h2_client::{message, messages};
use crate::common::{PATIENCE, TestServer, assert_refused, digest, open_digest, pattern, sha256};
use hashlane_proto::v1::{DigestResponse, GetServerInfoRequest};
use prost::Message as _;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

async fn until_draining(server: &TestServer) {
    let start = std::time::Instant::now();
    while server.get("/readyz").0 != 503 {
        assert!(start.elapsed() < PATIENCE);
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts_in_flight_finish_and_new_calls_are_refused() {
    let mut server = TestServer::start(&[]);
    let mut open = Vec::new();
    for i in 0..4 {
        let mut client = server.client().await;
        let (sender, answers) = open_digest(&mut client).await;
        let data = pattern(300_000, i);
        for chunk in data[..200_000].chunks(50_000) {
            sender.send(digest(0, chunk, false)).await.unwrap();
        }
        open.push((client, sender, answers, data));
    }
    server
        .until("four parts in flight", |m| {
            m.sum("hashlane_open_jobs", &[]) == 4.0
        })
        .await;
    server.stop();
    until_draining(&server).await;
    assert_eq!(server.get("/healthz").0, 200);

    let start = std::time::Instant::now();
    for (client, _, _, _) in &mut open {
        // Until the connection knows of the drain, it serves calls.
        let status = loop {
            match client.get_server_info(GetServerInfoRequest {}).await {
                Ok(_) => assert!(start.elapsed() < PATIENCE, "calls are taken"),
                Err(status) => break status,
            }
        };
        // Refused by the server, or by the client if the GOAWAY arrived before the call or while it
        // was sent.
        let refused = status.code() == Code::Unavailable;
        let gone = std::error::Error::source(&status).is_some();
        assert!(refused || gone, "{status:?}");
    }
    while std::net::TcpStream::connect(server.grpc).is_ok() {
        assert!(start.elapsed() < PATIENCE, "connections are taken");
    }
    for (_, sender, answers, data) in &mut open {
        sender
            .send(digest(0, &data[200_000..], true))
            .await
            .unwrap();
        let answer = answers.message().await.unwrap().unwrap();
        assert_eq!(answer.digests[0].digest, sha256(data));
    }
    drop(open);
    server.join().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_finish_in_time_is_cut() {
    let changes = [("drain_timeout", "100ms")];
    let mut server = TestServer::start(&changes);
    let mut client = server.client().await;
    let (sender, mut answers) = open_digest(&mut client).await;
    sender.send(digest(0, b"never ends", false)).await.unwrap();
    server
        .until("the part is open", |m| {
            m.sum("hashlane_open_jobs", &[]) == 1.0
        })
        .await;
    server.stop();
    let status = answers.message().await.unwrap_err();
    assert_refused(&status, Code::Unavailable, "DRAINING");
    server.join().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_watchers_learn_of_the_drain_and_do_not_hold_it_up() {
    let mut server = TestServer::start(&[]);
    let mut client = HealthClient::new(server.channel().await);
    let request = HealthCheckRequest {
        service: "hashlane.v1.HashService".to_owned(),
    };
    let mut watch = client.watch(request).await.unwrap().into_inner();
    let first = watch.message().await.unwrap().unwrap();
    assert_eq!(first.status(), ServingStatus::Serving);
    let start = std::time::Instant::now();
    server.stop();
    let second = watch.message().await.unwrap().unwrap();
    assert_eq!(second.status(), ServingStatus::NotServing);
    let status = watch.message().await.unwrap_err();
    assert_refused(&status, Code::Unavailable, "DRAINING");
    server.join().unwrap();
    assert!(start.elapsed() < std::time::Duration::from_secs(20));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_and_unfinished_connections_do_not_hold_up_the_drain() {
    let mut server = TestServer::start(&[]);
    let _idle = server.client().await;
    let _silent = std::net::TcpStream::connect(server.grpc).unwrap();
    server
        .until("both are there", |m| {
            m.sum("hashlane_connections", &[]) == 2.0
        })
        .await;
    let start = std::time::Instant::now();
    server.stop();
    server.join().unwrap();
    assert!(start.elapsed() < std::time::Duration::from_secs(20));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_whose_preface_comes_late_is_told_goaway() {
    use std::io::Write as _;
    let mut server = TestServer::start(&[]);
    let mut late = std::net::TcpStream::connect(server.grpc).unwrap();
    late.set_read_timeout(Some(PATIENCE)).unwrap();
    server
        .until("it is there", |m| m.sum("hashlane_connections", &[]) == 1.0)
        .await;
    server.stop();
    until_draining(&server).await;
    late.write_all(&opening()).unwrap();
    let (mut received, mut types) = (Received::new(), Vec::new());
    while !types.contains(&GOAWAY) && received.read(&mut late).unwrap_or(0) > 0 {
        while let Some((head, _)) = received.next_frame().unwrap() {
            types.push(head.kind);
        }
    }
    assert!(types.contains(&GOAWAY), "among frames {types:?}");
    drop(late);
    server.join().unwrap();
}

/// A gateway's stream, kept open for future parts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_without_an_open_part_does_not_hold_up_the_drain() {
    let mut server = TestServer::start(&[("drain_timeout", "1h")]);
    let mut streams = Vec::new();
    for parts in [0, 1] {
        let mut client = server.client().await;
        let (sender, mut answers) = open_digest(&mut client).await;
        for part in 0..parts {
            sender.send(digest(part, b"abc", true)).await.unwrap();
            let answer = answers.message().await.unwrap().unwrap();
            assert_eq!(answer.digests[0].digest, sha256(b"abc"));
        }
        streams.push((sender, answers));
    }
    server.stop();
    for (_, answers) in &mut streams {
        let end = tokio::time::timeout(PATIENCE, answers.message()).await;
        let status = end.expect("the stream goes on").unwrap_err();
        assert_refused(&status, Code::Unavailable, "DRAINING");
    }
    server.join().unwrap();
}

/// The next frame of this kind on this stream, and every frame before it.
async fn until_frame(wire: &mut Wire, kind: u8, stream: u32) -> (Frame, Vec<Frame>) {
    let mut before = Vec::new();
    loop {
        let frame = wire.next().await;
        let frame = frame.unwrap_or_else(|| panic!("closed before {kind}, after {before:?}"));
        if frame.kind == kind && frame.stream == stream && !(kind == PING && frame.flags == ACK) {
            return (frame, before);
        }
        before.push(frame);
    }
}

fn last_stream(goaway: &Frame) -> u32 {
    u32::from_be_bytes(goaway.payload[..4].try_into().unwrap())
}

fn answer_in(data: &Frame) -> DigestResponse {
    let mut answers = messages(&data.payload);
    assert_eq!(answers.len(), 1, "{answers:?}");
    answers.remove(0)
}

/// The actions of a client in the round trip between the two GOAWAYs (RFC 9113 section 6.8).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_races_the_drain_is_refused_and_what_is_open_finishes() {
    let part = |number, bytes: &[u8], last| {
        let request = digest(number, bytes, last).encode_to_vec();
        frame(DATA, 0, 1, &message(0, &request))
    };
    let mut server = TestServer::start(&[("drain_timeout", "1h")]);
    let mut wire = Wire::connect(server.grpc).await;
    wire.send(&headers(1, 0, &[])).await;
    wire.send(&part(7, b"ab", false)).await;
    wire.all_is_read().await;
    server.stop();
    let (goaway, _) = until_frame(&mut wire, GOAWAY, 0).await;
    assert_eq!((last_stream(&goaway), goaway.number()), (WINDOW_MAX, 0));
    let (ping, _) = until_frame(&mut wire, PING, 0).await;

    // A call in flight.
    wire.send(&headers(3, END_STREAM, &[])).await;
    let (reset, _) = until_frame(&mut wire, RST_STREAM, 3).await;
    assert_eq!(reset.number(), REFUSED_STREAM);
    // A part of an open call, in flight.
    wire.send(&part(8, b"new", true)).await;
    let (answer, _) = until_frame(&mut wire, DATA, 1).await;
    let answer = answer_in(&answer);
    let error = answer.error.unwrap();
    assert_eq!(answer.part, 8);
    assert_eq!((error.reason.as_str(), error.code), ("DRAINING", 14));

    wire.send(&frame(PING, ACK, 0, &ping.payload)).await;
    let (goaway, _) = until_frame(&mut wire, GOAWAY, 0).await;
    assert_eq!((last_stream(&goaway), goaway.number()), (3, 0));
    // A later call is ignored, as the GOAWAY said.
    wire.send(&headers(5, END_STREAM, &[])).await;

    // The open part finishes; then the stream ends, without a half-close.
    wire.send(&part(7, b"c", true)).await;
    let (answer, before) = until_frame(&mut wire, DATA, 1).await;
    assert_eq!(answer_in(&answer).digests[0].digest, sha256(b"abc"));
    assert!(before.iter().all(|frame| frame.stream != 5), "{before:?}");
    let (trailers, before) = until_frame(&mut wire, HEADERS, 1).await;
    assert_eq!(trailers.flags & END_STREAM, END_STREAM);
    assert!(before.iter().all(|frame| frame.stream != 5), "{before:?}");
    while let Some(frame) = wire.next().await {
        assert_ne!(frame.stream, 5, "{frame:?}");
    }
    server.join().unwrap();
}
