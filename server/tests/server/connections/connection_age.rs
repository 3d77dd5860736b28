//! Connections that end because of their age, or because they have no calls.

use std::time::Instant;

use crate::common::frame_client::{
    ACK, DATA, END_STREAM, GOAWAY, HEADERS, PING, RST_STREAM, WINDOW_MAX, Wire, frame, headers,
};
use crate::common::h2_client::message;
use crate::common::{PATIENCE, TestServer, assert_refused, digest};
use prost::Message as _;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;

/// Part 7 of the call on stream 1.
fn part(bytes: &[u8], last: bool) -> Vec<u8> {
    let request = digest(7, bytes, last).encode_to_vec();
    let flags = if last { END_STREAM } else { 0 };
    frame(DATA, flags, 1, &message(0, &request))
}

/// A connection with an open call; retries if the connection ends first.
async fn with_call(server: &TestServer) -> Wire {
    let start = Instant::now();
    'again: loop {
        assert!(start.elapsed() < PATIENCE, "no call is ever in time");
        let mut wire = Wire::connect(server.grpc).await;
        wire.send(&headers(1, 0, &[])).await;
        wire.send(&part(b"ab", false)).await;
        loop {
            match wire.next().await.map(|frame| frame.kind) {
                Some(HEADERS) => return wire,
                Some(RST_STREAM | GOAWAY) | None => continue 'again,
                Some(_) => {}
            }
        }
    }
}

/// Answers PINGs until the connection ends. Sends `rest` after the first GOAWAY. Returns the last
/// streams of its GOAWAYs, and whether the call was answered and ended.
async fn until_the_end(mut wire: Wire, rest: &[u8]) -> (Vec<u32>, bool) {
    let (mut said, mut answers, mut ended) = (Vec::new(), 0, false);
    while let Some(next) = wire.next().await {
        match next.kind {
            GOAWAY => {
                assert_eq!(next.number(), 0, "{next:?}");
                said.push(u32::from_be_bytes(next.payload[..4].try_into().unwrap()));
                if said.len() == 1 {
                    wire.send(rest).await;
                }
            }
            PING if next.flags != ACK => wire.send(&frame(PING, ACK, 0, &next.payload)).await,
            DATA => answers += 1,
            HEADERS => ended = next.flags & END_STREAM != 0,
            _ => {}
        }
    }
    (said, answers == 1 && ended)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_connection_finishes_its_calls() {
    let settings = [("connection_age_max", "200ms"), ("drain_timeout", "1h")];
    let server = TestServer::start(&settings);
    let wire = with_call(&server).await;
    let (said, answered) = until_the_end(wire, &part(b"c", true)).await;
    assert_eq!((said, answered), (vec![WINDOW_MAX, 1], true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_finish_within_the_grace_is_cut() {
    let settings = [("connection_age_max", "200ms"), ("drain_timeout", "10ms")];
    let server = TestServer::start(&settings);
    let start = Instant::now();
    let (_sender, mut answers) = loop {
        assert!(start.elapsed() < PATIENCE, "no call is ever in time");
        let (sender, receiver) = mpsc::channel(1);
        let mut client = server.client().await;
        let _ = sender.try_send(digest(0, b"never ends", false));
        if let Ok(answers) = client.digest(ReceiverStream::new(receiver)).await {
            break (sender, answers.into_inner());
        }
    };
    let end = timeout(PATIENCE, answers.message()).await;
    let status = end.expect("it goes on").unwrap_err();
    assert_refused(&status, Code::Unavailable, "DRAINING");
    let metrics = server.metrics();
    assert_eq!(metrics.sum("hashlane_calls_cut_total", &[]), 1.0);
    server
        .until("the connection is closed", |m| {
            m.sum("hashlane_connections", &[]) == 0.0
        })
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_that_do_not_leave_are_counted_by_why_they_had_to() {
    for (setting, reason) in [
        ("connection_age_max", "age"),
        ("connection_idle_timeout", "idle"),
    ] {
        let server = TestServer::start(&[(setting, "200ms"), ("drain_timeout", "10ms")]);
        // The client never answers the PING that follows the GOAWAY.
        let _wire = Wire::connect(server.grpc).await;
        server
            .until(reason, |m| {
                m.sum("hashlane_connections_ended_total", &[("reason", reason)]) == 1.0
            })
            .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_is_idle_without_calls_only() {
    let settings = [("connection_idle_timeout", "200ms")];
    let server = TestServer::start(&settings);
    let mut busy = with_call(&server).await;
    // A later connection ends.
    let idle = Wire::connect(server.grpc).await;
    let (said, _) = until_the_end(idle, &[]).await;
    assert_eq!(said.first(), Some(&WINDOW_MAX));
    busy.all_is_read().await;
    busy.send(&part(b"c", true)).await;
    let (said, answered) = until_the_end(busy, &[]).await;
    assert_eq!((said, answered), (vec![WINDOW_MAX, 1], true));
}
