//! Clients that send faster than the server hashes, and frames that take more memory than their
//! bytes.

use crate::common::frame_client::{
    ENHANCE_YOUR_CALM, PING, WINDOW_UPDATE, Wire, frame, headers, reset,
};
use crate::common::h2_client::{Raw, message, messages, read};
use crate::common::program::Running;
use crate::common::{Metrics, TestServer, digest, pattern, sha256};
use bytes::Bytes;
use hashlane_proto::v1::DigestResponse;
use prost::Message as _;
use tokio::io::AsyncReadExt as _;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";

const MIB: f64 = 1024.0 * 1024.0;

fn request(part: u64, data: &[u8], last: bool) -> Bytes {
    message(0, &digest(part, data, last).encode_to_vec())
}

fn waiting(metrics: &Metrics) -> f64 {
    metrics.sum("hashlane_buffered_bytes", &[])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_fast_streams_stay_within_the_bound_and_are_right() {
    const CONNECTIONS: usize = 8;
    const STREAMS: usize = 1000;
    const WINDOWS_BYTES: f64 = 0.5 * MIB * CONNECTIONS as f64;
    const FRAME_BYTES: usize = 64 << 10;
    let server = Running::start(&[
        "--hashing=lanes",
        "--kernel=sha256:portable",
        "--set=http2.connection_window_bytes=512KiB",
        "--set=http2.connection_window_bytes_max=512KiB",
    ]);
    let before = server.resident_bytes();
    let mut clients = Vec::new();
    for connection in 0..CONNECTIONS {
        let mut raw = Raw::tcp(server.grpc).await;
        clients.push(tokio::spawn(async move {
            let mut streams = Vec::new();
            for stream in (connection..STREAMS).step_by(CONNECTIONS) {
                let data = pattern(3 * FRAME_BYTES + stream, stream);
                let (response, mut sending) = raw.begin(DIGEST, &[]).await;
                for chunk in data.chunks(FRAME_BYTES) {
                    sending.send_data(request(0, chunk, false), false).unwrap();
                }
                sending.send_data(Bytes::new(), true).unwrap();
                streams.push((response, sha256(&data)));
            }
            for (response, right) in streams {
                let answer = read(response).await;
                let answers: Vec<DigestResponse> = messages(&answer.body);
                assert_eq!(answers[0].digests[0].digest, right);
            }
        }));
    }
    let (mut most, mut resident) = (0.0_f64, 0.0_f64);
    while !clients.iter().all(tokio::task::JoinHandle::is_finished) {
        let metrics = server.metrics();
        most = most.max(waiting(&metrics));
        resident = resident.max(metrics.sum("process_resident_memory_bytes", &[]));
        tokio::task::yield_now().await;
    }
    for client in clients {
        client.await.unwrap();
    }
    let taken = resident - before;
    assert!(most <= WINDOWS_BYTES, "{most}");
    assert!(most > 0.0, "nothing waited at any look");
    // Waiting bytes, the windows, 8 KiB per stream, and the memory that the allocator keeps:
    // buffers of 64 KiB and more are allocated and freed.
    let bound = WINDOWS_BYTES + 8.0 * MIB + 48.0 * MIB;
    assert!(taken < bound, "{taken} of {bound} bytes");
}

/// One stream has unread answers and gets one byte after another, while large frames on another
/// stream keep HTTP/2's own limit of small frames from being reached.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_of_a_byte_do_not_pile_up_behind_answers_that_are_not_taken() {
    let server = Running::start(&["--kernel=auto"]);
    let mut raw = Raw::reluctant(server.grpc, 0).await;
    let (_response, mut small) = raw.begin(DIGEST, &[]).await;
    let mut answered = request(0, b"abc", true).to_vec();
    // The bytes belong to a long part.
    let tiny = request(1, &vec![7; 1 << 20], true);
    answered.extend_from_slice(&tiny[..64]);
    small.send_data(answered.into(), false).unwrap();
    let (_other, mut large) = raw.begin(DIGEST, &[]).await;
    server
        .until("the first is answered", |m| {
            m.sum("hashlane_parts_total", &[("outcome", "digest")]) == 1.0
        })
        .await;
    let before = server.resident_bytes();
    let filler = request(0, &vec![1; 60 << 10], false);
    for round in 0..400 {
        for _ in 0..200 {
            small.send_data(Bytes::from_static(b"x"), false).unwrap();
        }
        large.send_data(filler.clone(), false).unwrap();
        let sent = f64::from(round + 1) * 60.0 * 1024.0;
        server
            .until("all is read", |m| {
                m.sum("hashlane_received_bytes_total", &[]) >= sent && waiting(m) < 60.0 * 1024.0
            })
            .await;
    }
    let taken = server.resident_bytes() - before;
    assert_eq!(server.metrics().sum("hashlane_streams", &[]), 2.0);
    assert!(taken < 8.0 * MIB, "{taken} bytes");
}

/// The connection window that the server announces: 64 KiB plus its first WINDOW_UPDATE (RFC 9113
/// sections 6.9 and 6.9.2).
async fn window(server: std::net::SocketAddr) -> (Wire, u32) {
    let mut wire = Wire::connect(server).await;
    wire.send(&frame(PING, 0, 0, b"last one")).await;
    let mut bytes = 65_535;
    loop {
        let frame = wire.next().await.unwrap();
        match frame.kind {
            WINDOW_UPDATE => bytes += frame.number(),
            PING => return (wire, bytes),
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_windows_of_all_connections_are_bounded() {
    let server = TestServer::start(&[("receive_windows_bytes_max", "64MiB")]);
    let mut open = Vec::new();
    let mut windows = Vec::new();
    for _ in 0..100 {
        let (wire, bytes) = window(server.grpc).await;
        open.push(wire);
        windows.push(bytes);
    }
    assert!(windows.iter().map(|bytes| u64::from(*bytes)).sum::<u64>() <= 64 << 20);
    assert!(windows.iter().all(|bytes| *bytes >= 65_535));
    // Half of it in windows of 1 MiB, half in windows of 64 KiB less one byte; one more connection
    // is closed at once.
    while open.len() < 32 + 512 {
        open.push(window(server.grpc).await.0);
    }
    let mut refused = tokio::net::TcpStream::connect(server.grpc).await.unwrap();
    let mut rest = Vec::new();
    let _ = refused.read_to_end(&mut rest).await;
    assert!(rest.is_empty());
    // A connection returns its window when it closes.
    drop(open);
    server
        .until("all are closed", |m| {
            m.sum("hashlane_connections", &[]) == 0.0
        })
        .await;
    window(server.grpc).await;
}

/// Parts of a few bytes, each in a separate frame, as fast as possible: more than may be open, but
/// each is ended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_burst_of_tiny_parts_is_answered_whole() {
    const PARTS: u64 = 30_000;
    // The whole window, and the smallest.
    for windows in ["1GiB", "1MiB"] {
        let server = TestServer::start(&[
            ("workers", "1"),
            ("parts_per_stream_max", "10"),
            ("receive_windows_bytes_max", windows),
        ]);
        let mut raw = Raw::tcp(server.grpc).await;
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        let reading = tokio::spawn(read(response));
        for part in 0..PARTS {
            let whole = request(part, &part.to_le_bytes(), true);
            sending.send_data(whole, part + 1 == PARTS).unwrap();
            // In portions larger than the server handles in a turn.
            if part % 8192 == 0 {
                tokio::task::yield_now().await;
            }
        }
        let answer = reading.await.unwrap();
        assert_eq!(answer.status.unwrap().code(), tonic::Code::Ok);
        let answers = messages::<DigestResponse>(&answer.body);
        assert_eq!(answers.len() as u64, PARTS);
        for answer in answers {
            let right = sha256(&answer.part.to_le_bytes());
            assert_eq!(answer.digests[0].digest, right);
        }
    }
}

/// Streams that stay open after a frame that only ends parts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frame_of_many_parts_leaves_little_behind() {
    const STREAMS: u32 = 16;
    const FRAME_BYTES: usize = 120 << 10;
    let server = Running::start(&["--kernel=auto"]);
    let mut raw = Raw::tcp(server.grpc).await;
    // The server's frame size is known after an answer.
    raw.call(DIGEST, &[], &[request(0, b"abc", true)]).await;
    let mut frame = Vec::new();
    let mut parts = 0_u32;
    while frame.len() < FRAME_BYTES {
        frame.extend_from_slice(&request(parts.into(), &[], true));
        parts += 1;
    }
    let frame = Bytes::from(frame);
    let mut open = Vec::new();
    let mut resident = Vec::new();
    for stream in 1..=STREAMS {
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        sending.send_data(frame.clone(), false).unwrap();
        open.push((tokio::spawn(read(response)), sending));
        let ended = f64::from(stream * parts + 1);
        let parts_ended = |m: &Metrics| m.sum("hashlane_parts_total", &[]) == ended;
        server.until("all are hashed", parts_ended).await;
        resident.push(server.resident_bytes());
    }
    // The first stream allocates what all share, and the allocator keeps some freed memory. Queues
    // of all parts would take 7 MiB.
    let taken = (resident[resident.len() - 1] - resident[0]) / f64::from(STREAMS - 1);
    assert!(
        taken < 3.0 * MIB,
        "{taken} bytes for a stream: {resident:?}"
    );
    for (reading, mut sending) in open {
        sending.send_data(Bytes::new(), true).unwrap();
        let answer = reading.await.unwrap();
        assert_eq!(answer.status.unwrap().code(), tonic::Code::Ok);
        let answers = messages::<DigestResponse>(&answer.body);
        assert_eq!(answers.len(), usize::try_from(parts).unwrap());
    }
}

/// Streams that are opened and reset at once (CVE-2023-44487), on one connection after another.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_resets_is_no_flood_of_log_lines() {
    let server = Running::start(&["--set=http2.credit_per_second=1"]);
    for host in 1..=3 {
        // Each is another client: one that has flooded waits for its next connection.
        let client = [127, 0, 7, host].into();
        let wire = Wire::connect_from(client, server.grpc).await;
        let mut ids = (1..).step_by(2);
        let flood = wire.flood(|| {
            let pairs = ids.by_ref().take(50);
            pairs
                .flat_map(|id| [headers(id, 0, &[]), reset(id)].concat())
                .collect()
        });
        assert_eq!(flood.await, Some(ENHANCE_YOUR_CALM));
    }
    server.signal("TERM");
    let (code, log) = server.end();
    assert_eq!(code, Some(0), "{log}");
    // Start, drain and end, and no line of a stream.
    assert!(
        log.lines().count() < 20 && !log.contains("\"WARN\""),
        "{log}"
    );
}

/// As many complete parts as fit into one frame: more answers than the server reads ahead of their
/// client.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frame_of_small_parts_is_answered_whole() {
    let server = TestServer::start(&[("workers", "1")]);
    let mut raw = Raw::tcp(server.grpc).await;
    for parts in [1000, 2500, 5000, 9000] {
        let messages_of = |part: u64| request(part, &[], true);
        let frame: Vec<u8> = (0..parts).flat_map(messages_of).collect();
        assert!(frame.len() < 128 << 10);
        let answer = raw.call(DIGEST, &[], &[frame.into()]).await;
        assert_eq!(messages::<DigestResponse>(&answer.body).len() as u64, parts);
    }
}
