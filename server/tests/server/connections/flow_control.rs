//! Streams in the smallest windows, in frames cut at random: all digests are right and nothing
//! stalls. A lost wake would show as STREAM_IDLE.

use std::time::{Duration, Instant};

use crate::common::frame_client::{
    ACK, DATA, END_STREAM, GOAWAY, HEADERS, PADDED, PING, SETTINGS, WINDOW_MAX, WINDOW_UPDATE,
    Wire, frame, headers, initial_window, reset, streams, window_update,
};
use crate::common::h2_client::{message, messages};
use crate::common::{
    PATIENCE, TestServer, asking, digest, expected_digests, numbers, pattern, sha256,
};
use bytes::Bytes;
use h2::client::{Builder, SendRequest};
use h2::{RecvStream, SendStream};
use hashlane_proto::v1::{DigestRequest, DigestResponse};
use http::Request;
use prost::Message as _;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::net::TcpStream;
use tokio::task::yield_now;
use tokio::time::timeout;

/// The smallest windows of streams and of connections, without room to grow.
const SMALL: &[(&str, &str)] = &[
    ("workers", "1"),
    ("http2.stream_window_bytes", "65535"),
    ("http2.connection_window_bytes", "65535"),
    ("http2.connection_window_bytes_max", "65535"),
    ("receive_windows_bytes_max", "1MiB"),
];

/// The parts of one stream.
fn parts(rng: &mut SmallRng) -> Vec<Vec<u8>> {
    let count = rng.random_range(1..=12);
    (0..count)
        .map(|part| {
            let bits = rng.random_range(0..=17);
            pattern(rng.random_range(0..=1 << bits), part)
        })
        .collect()
}

/// The messages of the parts, each cut at random.
fn body(parts: &[Vec<u8>], rng: &mut SmallRng) -> Bytes {
    let mut body = Vec::new();
    for (number, data) in (0..).zip(parts) {
        let mut rest = &data[..];
        while rest.len() > 1 && rng.random_ratio(3, 4) {
            let bits = rng.random_range(0..=16);
            let (piece, more) = rest.split_at(rng.random_range(0..=rest.len().min(1 << bits)));
            body.extend(message(0, &digest(number, piece, false).encode_to_vec()));
            rest = more;
        }
        body.extend(message(0, &digest(number, rest, true).encode_to_vec()));
    }
    body.into()
}

fn assert_right(parts: &[Vec<u8>], answered: &[u8], seed: u64) {
    let mut answers = messages::<DigestResponse>(answered);
    answers.sort_by_key(|answer| answer.part);
    assert_eq!(answers.len(), parts.len(), "seed {seed}");
    for (data, answer) in parts.iter().zip(answers) {
        assert_eq!(answer.digests[0].digest, sha256(data), "seed {seed}");
    }
}

/// Sends the body in frames from 1 byte to 64 KiB, as the window allows.
async fn send(mut sending: SendStream<Bytes>, mut body: Bytes, mut rng: SmallRng) {
    let bits_max = rng.random_range(6..=16);
    while !body.is_empty() {
        let bits = rng.random_range(0..=bits_max);
        let piece = body.split_to(rng.random_range(1..=1 << bits).min(body.len()));
        // Sometimes as HTTP/2 cuts it.
        if rng.random() {
            sending.reserve_capacity(piece.len());
            std::future::poll_fn(|cx| sending.poll_capacity(cx))
                .await
                .unwrap()
                .unwrap();
        }
        sending.send_data(piece, false).unwrap();
        if rng.random_ratio(1, 4) {
            yield_now().await;
        }
    }
    sending.send_data(Bytes::new(), true).unwrap();
}

/// Reads the answers with random pauses.
async fn receive(mut stream: RecvStream, mut rng: SmallRng) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(data) = stream.data().await {
        let data = data.unwrap();
        for _ in 0..rng.random_range(0..100) {
            yield_now().await;
        }
        stream.flow_control().release_capacity(data.len()).unwrap();
        body.extend_from_slice(&data);
    }
    let trailers = stream.trailers().await.unwrap().unwrap();
    assert_eq!(trailers["grpc-status"], "0", "{trailers:?}");
    body
}

async fn call(mut requests: SendRequest<Bytes>, mut rng: SmallRng, seed: u64) {
    let parts = parts(&mut rng);
    let request = Request::post("http://test/hashlane.v1.HashService/Digest")
        .header("te", "trailers")
        .header("content-type", "application/grpc")
        .body(())
        .unwrap();
    let (response, sending) = requests.send_request(request, false).unwrap();
    let body = body(&parts, &mut rng);
    let receiving = SmallRng::from_rng(&mut rng);
    let ((), answered) = tokio::join!(send(sending, body, rng), async {
        receive(response.await.unwrap().into_body(), receiving).await
    });
    assert_right(&parts, &answered, seed);
}

/// One connection with streams of all kinds.
async fn connection(server: std::net::SocketAddr, seed: u64) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let socket = TcpStream::connect(server).await.unwrap();
    if rng.random() {
        socket.set_nodelay(true).unwrap();
    }
    let (requests, connection) = Builder::new()
        .initial_window_size(1 << rng.random_range(0..=16))
        .max_frame_size(1 << 14)
        .max_send_buffer_size(1 << rng.random_range(10..=20))
        .handshake(socket)
        .await
        .unwrap();
    let driving = tokio::spawn(connection);
    let calls: Vec<_> = (0..rng.random_range(1..=8))
        .map(|_| {
            let rng = SmallRng::from_rng(&mut rng);
            tokio::spawn(call(requests.clone(), rng, seed))
        })
        .collect();
    for call in calls {
        let ended = timeout(PATIENCE, call).await;
        ended
            .unwrap_or_else(|_| panic!("seed {seed} stalls"))
            .unwrap();
    }
    drop(requests);
    driving.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_of_all_sizes_in_small_windows() {
    // HASHLANE_TEST_SEEDS selects other seeds, as FIRST..END.
    let seeds = std::env::var("HASHLANE_TEST_SEEDS").unwrap_or_else(|_| "0..64".to_owned());
    let (first, end) = seeds.split_once("..").unwrap();
    let server = TestServer::start(SMALL);
    for seed in first.parse().unwrap()..end.parse().unwrap() {
        connection(server.grpc, seed).await;
    }
    server
        .until("nothing is left", |m| {
            let gauges = ["connections", "streams", "open_jobs", "buffered_bytes"];
            gauges
                .iter()
                .all(|name| m.sum(&format!("hashlane_{name}"), &[]) == 0.0)
        })
        .await;
}

/// A stream from the client's view.
#[derive(Default)]
struct Seen {
    parts: Vec<Vec<u8>>,
    /// Window in addition to the initial window.
    more: usize,
    answered: Vec<u8>,
    ended: bool,
}

/// CVE-2019-9517 and similar: the client's windows become negative and grow while answers wait. No
/// answer is lost, and none is sent without window.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_come_whole_however_the_clients_windows_change() {
    const STREAMS: usize = 20;
    let server = TestServer::start(SMALL);
    for seed in 0..8 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut wire = Wire::connect(server.grpc).await;
        wire.send(&initial_window(0)).await;
        let mut streams: Vec<Seen> = Vec::new();
        let id_of = |stream: usize| u32::try_from(2 * stream + 1).unwrap();
        for stream in 0..STREAMS {
            let parts: Vec<_> = (0..20).map(|part| pattern(100, part)).collect();
            wire.send(&headers(id_of(stream), 0, &[])).await;
            let body = body(&parts, &mut rng);
            wire.send(&frame(DATA, END_STREAM, id_of(stream), &body))
                .await;
            streams.push(Seen {
                parts,
                ..Seen::default()
            });
        }
        let mut before = 0;
        for round in 0.. {
            let bytes = if round < 60 {
                rng.random_range(0..150)
            } else {
                1 << 16
            };
            wire.send(&initial_window(bytes)).await;
            let stream = rng.random_range(0..STREAMS);
            let more = rng.random_range(1..50);
            streams[stream].more += more as usize;
            wire.send(&window_update(id_of(stream), more)).await;
            wire.send(&window_update(0, 1000)).await;
            wire.send(&frame(PING, 0, 0, b"settled!")).await;
            // The old window may have released bytes before the new one arrived.
            let room = before.max(bytes as usize);
            loop {
                let frame = wire.next().await.expect("closed");
                assert_ne!(frame.kind, GOAWAY, "{frame:?}");
                if (frame.kind, frame.flags) == (PING, ACK) {
                    break;
                }
                let stream = (frame.stream as usize).wrapping_sub(1) / 2;
                let Some(seen) = streams.get_mut(stream) else {
                    continue;
                };
                if frame.kind == DATA && !frame.payload.is_empty() {
                    seen.answered.extend_from_slice(&frame.payload);
                    assert!(seen.answered.len() <= room + seen.more, "seed {seed}");
                }
                seen.ended |= frame.kind == HEADERS && frame.flags & END_STREAM != 0;
            }
            before = bytes as usize;
            if streams.iter().all(|seen| seen.ended) {
                break;
            }
        }
        for seen in &streams {
            assert_right(&seen.parts, &seen.answered, seed);
        }
    }
}

/// Bytes in the connection's window are returned when their streams end with errors: many times the
/// window is transferred.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_connections_window_comes_back_however_its_streams_end() {
    const BYTES: usize = 16_000;
    type Ends = fn(u32, &[u8]) -> Vec<u8>;
    let ways: [(&str, Ends); 6] = [
        ("reset by the client", |id, data| {
            [headers(id, 0, &[]), frame(DATA, 0, id, data), reset(id)].concat()
        }),
        ("reset before its data", |id, data| {
            [headers(id, 0, &[]), reset(id), frame(DATA, 0, id, data)].concat()
        }),
        ("refused by its headers", |id, data| {
            let headers = headers(id, 0, &[("grpc-timeout", "soon")]);
            [headers, frame(DATA, 0, id, data)].concat()
        }),
        ("refused for its encoding", |id, data| {
            let headers = headers(
                id,
                0,
                &[("content-length", "99999"), ("grpc-encoding", "x")],
            );
            [headers, frame(DATA, 0, id, data)].concat()
        }),
        ("longer than it says", |id, data| {
            let headers = headers(id, 0, &[("content-length", "5")]);
            [headers, frame(DATA, 0, id, data)].concat()
        }),
        ("padding alone", |id, data| {
            let padding = [&[255][..], &[0; 255]].concat();
            let padded = frame(DATA, PADDED, id, &padding);
            let end = frame(DATA, END_STREAM, id, &data[..BYTES - padding.len()]);
            [headers(id, 0, &[]), padded, end].concat()
        }),
    ];
    for streams_max in ["100", "1"] {
        let server =
            TestServer::start(&[SMALL, &[("http2.streams_max", streams_max)][..]].concat());
        for (way, bytes) in ways {
            let mut wire = Wire::connect(server.grpc).await;
            // With a limit of 1 all others are refused.
            wire.send(&headers(1, 0, &[])).await;
            let mut window = 65_535;
            for id in streams().skip(1).take(60) {
                while window < BYTES {
                    let frame = wire.next().await;
                    let frame = frame.unwrap_or_else(|| panic!("{way}: closed"));
                    assert_ne!(frame.kind, GOAWAY, "{way}");
                    if (frame.kind, frame.stream) == (WINDOW_UPDATE, 0) {
                        window += frame.number() as usize;
                    }
                }
                window -= BYTES;
                wire.send(&bytes(id, &[0; BYTES])).await;
            }
            drop(wire);
        }
    }
}

/// Answers fill the sockets while the client continues sending, including PINGs, and reads nothing.
/// When it reads, all answers arrive, and the server continues reading.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_that_was_full_goes_on() {
    const PARTS: u64 = 15_000;
    let server = TestServer::start(&[("workers", "1")]);
    let mut wire = Wire::connect(server.grpc).await;
    wire.send(&initial_window(WINDOW_MAX)).await;
    wire.send(&window_update(0, WINDOW_MAX - 65_535)).await;
    let request = |part| DigestRequest {
        open: asking(numbers()),
        ..digest(part, b"", true)
    };
    let body: Vec<u8> = (0..PARTS)
        .flat_map(|part| message(0, &request(part).encode_to_vec()))
        .collect();
    wire.send(&headers(1, 0, &[])).await;
    for piece in body.chunks(16 << 10) {
        wire.send(&frame(DATA, 0, 1, piece)).await;
        wire.send(&frame(PING, 0, 0, b"well now")).await;
    }
    wire.send(&headers(3, 0, &[])).await;
    server
        .until("some are answered", |m| {
            m.sum("hashlane_parts_total", &[("outcome", "digest")]) > 4096.0
        })
        .await;
    let answer_bytes = {
        let answers = expected_digests(b"");
        let of = |part| DigestResponse {
            part,
            size_bytes: 0,
            digests: answers.clone(),
            ..DigestResponse::default()
        };
        (0..PARTS)
            .map(|part| message(0, &of(part).encode_to_vec()).len())
            .sum()
    };
    let mut answered: Vec<u8> = Vec::new();
    let mut pongs = 0;
    while answered.len() < answer_bytes || pongs < body.chunks(16 << 10).len() {
        let frame = wire.next().await.expect("closed");
        match frame.kind {
            DATA => answered.extend_from_slice(&frame.payload),
            PING if frame.flags == ACK => pongs += 1,
            _ => {}
        }
    }
    wire.digest(3).await;
}

/// The line holds more than the windows: the stream windows grow, although the client has not yet
/// acknowledged the server's settings.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn windows_of_streams_grow_before_settings_are_acknowledged() {
    // More than half of a window, and more than two thirds of it.
    const PIECES: [usize; 2] = [40_000, 60_000];
    let server = TestServer::start(&[
        ("workers", "1"),
        ("http2.stream_window_bytes", "65535"),
        ("http2.connection_window_bytes", "65535"),
        ("receive_windows_bytes_max", "16MiB"),
    ]);
    let mut wire = Wire::connect_without_ack(server.grpc, 24).await;
    let whole = digest(0, &pattern(200_000, 1), true).encode_to_vec();
    let whole = message(0, &whole);
    let (first, rest) = whole.split_at(PIECES[0]);
    wire.send(&headers(1, 0, &[])).await;
    wire.send(&frame(DATA, 0, 1, first)).await;
    let ping = wire.until(PING).await;
    // Earlier data is hashed, so there is room for the rest.
    server
        .until("all is hashed", |m| {
            m.sum("hashlane_ready_jobs", &[]) + m.sum("hashlane_buffered_bytes", &[]) < 64.0
        })
        .await;
    // Imitates a line with at least 5 ms delay.
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(6) {
        wire.all_is_read().await;
    }
    for piece in rest[..PIECES[1]].chunks(16 << 10) {
        wire.send(&frame(DATA, 0, 1, piece)).await;
    }
    wire.all_is_read().await;
    wire.send(&frame(PING, ACK, 0, &ping.payload)).await;
    let settings = wire.until(SETTINGS).await;
    let (number, bytes) = settings.payload.split_at(2);
    let bytes = u32::from_be_bytes(bytes.try_into().unwrap());
    assert_eq!(number, [0, 4], "of one setting, the initial window");
    assert!(bytes > 65_535, "{bytes}");
}

/// Two streams have many answers, and the client opens the connection's window bit by bit. Each
/// gets its turns: the second stream's answers do not wait until the first has sent all of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_take_turns_to_answer() {
    const PARTS: u64 = 3000;
    const OPENED: u32 = 1000;
    let server = TestServer::start(&[("workers", "1")]);
    let mut wire = Wire::connect(server.grpc).await;
    wire.send(&initial_window(WINDOW_MAX)).await;
    let body: Vec<u8> = (0..PARTS)
        .flat_map(|part| message(0, &digest(part, b"", true).encode_to_vec()))
        .collect();
    for id in [1, 3] {
        wire.send(&headers(id, 0, &[])).await;
        for piece in body.chunks(16 << 10) {
            wire.send(&frame(DATA, 0, id, piece)).await;
        }
        server
            .until("they are answered", |m| {
                let digests = [("outcome", "digest")];
                m.sum("hashlane_parts_total", &digests)
                    >= (PARTS * u64::from(id.div_ceil(2))) as f64
            })
            .await;
    }
    // The first window is used up by the first stream alone.
    let mut answered = 0;
    while answered < 65_535 {
        answered += wire.until(DATA).await.payload.len();
    }
    let mut by_stream = [0_usize; 2];
    for _ in 0..20 {
        wire.send(&window_update(0, OPENED)).await;
        let mut left = OPENED as usize;
        while left > 0 {
            let data = wire.until(DATA).await;
            left -= data.payload.len();
            by_stream[usize::from(data.stream == 3)] += data.payload.len();
        }
    }
    assert!(
        by_stream.iter().all(|bytes| *bytes >= 9000),
        "{by_stream:?}"
    );
}

/// A line that takes answers more slowly than the server makes them: the server still reads what
/// the client sends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_is_heard() {
    const PARTS: u64 = 3000;
    let server = TestServer::start(&[("workers", "1"), ("part_idle_timeout", "1h")]);
    let mut wire = Wire::connect_small(server.grpc).await;
    wire.send(&initial_window(WINDOW_MAX)).await;
    wire.send(&window_update(0, WINDOW_MAX - 65_535)).await;
    let request = |part| DigestRequest {
        open: asking(numbers()),
        ..digest(part, b"", true)
    };
    wire.send(&headers(1, 0, &[])).await;
    let body: Vec<u8> = (0..PARTS)
        .flat_map(|part| message(0, &request(part).encode_to_vec()))
        .collect();
    for piece in body.chunks(16 << 10) {
        wire.send(&frame(DATA, 0, 1, piece)).await;
    }
    server
        .until("answers wait", |m| {
            let unread = [("budget", "unread_bytes")];
            m.sum("hashlane_budget_used", &unread) > f64::from(64 << 10)
        })
        .await;
    // The client reads nothing, and its reset is heard.
    wire.send(&reset(1)).await;
    server
        .until("the call has ended", |m| {
            m.sum("hashlane_streams", &[]) < 1.0
        })
        .await;
}
