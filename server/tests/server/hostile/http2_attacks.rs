//! Known attacks on HTTP/2: each is ended or slowed down. Next to most of them, an honest client
//! requests digests from the same worker: all are right, and its calls continue during the attack
//! and after it. Afterwards nothing is left: no connection, call, job or byte. How much slower the
//! honest client becomes is not tested here: `hashlane-loadtest disturb` measures it
//! (docs/measurements.md).
//!
//! | attack | CVE | test |
//! |---|---|---|
//! | HPACK bomb | 2016-6581 | [`header_bombs`], [`headers_beyond_the_bound`] |
//! | data dribble | 2019-9511 | [`windows_that_open_byte_by_byte`] |
//! | PING flood | 2019-9512 | [`pings`], [`answers_of_http2_that_nobody_reads`] |
//! | resource loop | 2019-9513 | [`priorities`] |
//! | reset flood | 2019-9514 | [`solicited_resets`], [`answers_of_http2_that_nobody_reads`] |
//! | SETTINGS flood | 2019-9515 | [`settings`], [`settings_of_many_entries`], |
//! | | | [`answers_of_http2_that_nobody_reads`] |
//! | headers of no length | 2019-9516 | [`headers_of_no_length`] |
//! | updates of HPACK's table | | [`updates_of_the_tables_size`] |
//! | internal data buffering | 2019-9517 | `unread_answers.rs`: a socket that is not read; |
//! | | | `bounds/memory/answers.rs`: answers that wait for sockets |
//! | empty frames | 2019-9518 | [`empty_data`], [`empty_headers`], [`endless_continuations`] |
//! | rapid reset | 2023-44487 | [`rapid_resets`]; `connections/http2_rules.rs`: before they are accepted |
//! | CONTINUATION flood | 2024-27316 | [`endless_continuations`] |
//! | MadeYouReset, six ways | 2025-8671 | [`made_you_reset`], |
//! | | | [`made_you_reset_leaves_no_more_calls_than_streams`] |
//! | window games | | [`initial_windows_up_and_down_with_many_streams`], |
//! | | | [`windows_beyond_their_maximum`]; `connections/flow_control.rs`: answers come whole |
//! | tiny DATA | | [`frames_of_a_byte`], [`frames_of_a_byte_and_unread_pings`] |
//! | slow beginnings | | [`half_open_prefaces`] |

use crate::common::frame_client::{
    ACK, COMPRESSION_ERROR, CONTINUATION, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM,
    FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, GOAWAY, HEADERS, PADDED, PING, PREFACE, PRIORITY,
    PROTOCOL_ERROR, RST_STREAM, SETTINGS, STREAM_CLOSED, WINDOW_MAX, Wire, frame, headers,
    headers_and, headers_of, initial_window, priority, reset, streams, window_update,
};
use crate::common::h2_client::message;
use crate::common::honest::Honest;
use crate::common::program::Running;
use crate::common::{Metrics, TestServer, digest, pattern};
use hashlane_proto::v1::DigestResponse;
use prost::Message as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const BATCH: &str = "/hashlane.v1.HashService/DigestBatch";

/// A server with one worker, which the honest client shares with the hostile one. Credit refills
/// very slowly, so that slow floods are ended like fast ones.
fn server() -> TestServer {
    TestServer::start(&[("workers", "1"), ("http2.credit_per_second", "1")])
}

fn floods(metrics: &Metrics, kind: &str) -> f64 {
    metrics.sum("hashlane_connections_flooding_total", &[("frames", kind)])
}

fn all_floods(metrics: &Metrics) -> f64 {
    metrics.sum("hashlane_connections_flooding_total", &[])
}

/// The payload of a call's DATA frame: one complete part.
fn part(data: &[u8]) -> Vec<u8> {
    message(0, &digest(7, data, true).encode_to_vec()).to_vec()
}

/// Checks that the honest client continues, and that nothing is left of the others.
async fn all_is_well(server: &TestServer, honest: Honest) {
    honest.end().await;
    server
        .until("nothing is left", |m| {
            let gauges = ["connections", "streams", "open_jobs", "buffered_bytes"];
            gauges
                .iter()
                .all(|name| m.sum(&format!("hashlane_{name}"), &[]) == 0.0)
        })
        .await;
}

/// Sends `first`, then a flood of the bytes of `next` that exhausts the credit of its connection:
/// the connection is closed with an error, and counted as a flood of that kind.
async fn uses_up_its_credit(kind: &str, first: &[u8], mut next: impl FnMut() -> Vec<u8>) {
    let server = server();
    let honest = Honest::start(server.grpc).await;
    let mut wire = Wire::connect(server.grpc).await;
    wire.send(first).await;
    wire.all_is_read().await;
    let mut burst = || (0..50).flat_map(|_| next()).collect();
    let ((), said) = tokio::join!(honest.goes_on(), wire.flood(&mut burst));
    assert_eq!(said, Some(ENHANCE_YOUR_CALM), "{kind}");
    let metrics = server.metrics();
    assert_eq!(floods(&metrics, kind), 1.0, "{}", metrics.0);
    assert_eq!(all_floods(&metrics), 1.0);
    all_is_well(&server, honest).await;
}

/// Waits until exactly these numbers of connections were ended as floods of each kind.
async fn ended_as_floods(server: &TestServer, kinds: &[(&str, f64)]) {
    let all: f64 = kinds.iter().map(|(_, count)| count).sum();
    let counted = |m: &Metrics| all_floods(m) == all;
    let metrics = server.until("the floods are counted", counted).await;
    for (kind, count) in kinds {
        assert_eq!(floods(&metrics, kind), *count, "{kind}: {}", metrics.0);
    }
}

/// CVE-2023-44487, at the server's pace: each call begins before it is reset.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rapid_resets() {
    const TOGETHER: usize = 100;
    for path in [DIGEST, BATCH] {
        let server = server();
        let honest = Honest::start(server.grpc).await;
        let mut wire = Wire::connect(server.grpc).await;
        let (mut ids, mut begun) = (streams(), Vec::new());
        let said = loop {
            let mut bytes: Vec<u8> = begun.drain(..).flat_map(reset).collect();
            begun.extend(ids.by_ref().take(TOGETHER));
            for id in &begun {
                bytes.extend(headers_of(path, *id, 0, &[]));
                bytes.extend(frame(DATA, 0, *id, &part(b"abc")[..8]));
            }
            bytes.extend(frame(PING, 0, 0, b"all read"));
            wire.send(&bytes).await;
            let said = loop {
                let frame = wire.next().await.expect("closed without GOAWAY");
                match frame.kind {
                    PING if frame.flags == ACK => break None,
                    GOAWAY => break Some(frame.number()),
                    _ => {}
                }
            };
            // Many times the credit.
            assert!(begun[0] < 400_000, "{path}: the flood goes on");
            if said.is_some() {
                break said;
            }
        };
        assert_eq!(said, Some(ENHANCE_YOUR_CALM));
        // Most of them were admitted.
        assert!(begun[0] > 2000, "{begun:?}");
        let metrics = server.metrics();
        // Either may take the last of the credit.
        let counted = ["headers", "rst_stream"].map(|kind| floods(&metrics, kind));
        assert_eq!(counted.iter().sum::<f64>(), 1.0, "{}", metrics.0);
        assert_eq!(all_floods(&metrics), 1.0);
        drop(wire);
        all_is_well(&server, honest).await;
    }
}

/// A variant of CVE-2025-8671, MadeYouReset: the client makes the server reset a stream whose call
/// has begun.
struct Way {
    what: &'static str,
    /// Whether the request has ended before.
    ended: bool,
    /// Frames that follow the call on its stream.
    error: fn(u32) -> Vec<u8>,
    /// The error code of the stream.
    code: u32,
}

const MADE_YOU_RESET: [Way; 6] = [
    Way {
        what: "window of 0",
        ended: false,
        error: |id| window_update(id, 0),
        code: PROTOCOL_ERROR,
    },
    Way {
        what: "short PRIORITY",
        ended: false,
        error: |id| frame(PRIORITY, 0, id, &[0; 4]),
        code: FRAME_SIZE_ERROR,
    },
    Way {
        what: "PRIORITY of itself",
        ended: false,
        error: |id| priority(id, id, 0),
        code: PROTOCOL_ERROR,
    },
    Way {
        what: "window overflows",
        ended: false,
        error: |id| [window_update(id, WINDOW_MAX), window_update(id, WINDOW_MAX)].concat(),
        code: FLOW_CONTROL_ERROR,
    },
    Way {
        what: "HEADERS half-closed",
        ended: true,
        error: |id| headers(id, END_STREAM, &[]),
        code: STREAM_CLOSED,
    },
    Way {
        what: "DATA half-closed",
        ended: true,
        error: |id| frame(DATA, 0, id, b"more"),
        code: STREAM_CLOSED,
    },
];

impl Way {
    /// A call whose answer cannot be sent, if the initial window is 0.
    fn call(&self, id: u32) -> Vec<u8> {
        let flags = if self.ended { END_STREAM } else { 0 };
        [headers(id, 0, &[]), frame(DATA, flags, id, &part(b"abc"))].concat()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn made_you_reset() {
    for way in &MADE_YOU_RESET {
        let Way { what, error, .. } = way;
        let server = server();
        let honest = Honest::start(server.grpc).await;
        let mut wire = Wire::connect(server.grpc).await;
        // The call has begun before the error.
        wire.send(&initial_window(0)).await;
        wire.send(&way.call(1)).await;
        wire.all_is_read().await;
        server
            .until("the part is hashed", |m| {
                m.sum("hashlane_parts_total", &[("outcome", "digest")]) >= 1.0
            })
            .await;
        wire.send(&error(1)).await;
        let reset = wire.until(RST_STREAM).await;
        assert_eq!((reset.stream, reset.number()), (1, way.code), "{what}");
        wire.all_is_read().await;
        let mut id = 1;
        let said = wire.flood(|| {
            id += 2;
            [way.call(id), error(id)].concat()
        });
        let ((), said) = tokio::join!(honest.goes_on(), said);
        assert_eq!(said, Some(ENHANCE_YOUR_CALM), "{what}");
        all_is_well(&server, honest).await;
    }
}

/// The attack of CVE-2025-8671: the reset stream makes room for another, while its call continues.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn made_you_reset_leaves_no_more_calls_than_streams() {
    const STREAMS: usize = 8;
    const ROUNDS: usize = 12;
    for way in &MADE_YOU_RESET {
        // No call ends for inactivity.
        let changes = [("http2.streams_max", "8"), ("part_idle_timeout", "1h")];
        let server = TestServer::start(&changes);
        let running = |m: &Metrics| m.sum("hashlane_streams", &[]);
        // Some calls have an open part, the others a waiting answer.
        let open = message(0, &digest(7, b"abc", false).encode_to_vec());
        let call = |id: &u32| match id % 4 {
            1 if !way.ended => [headers(*id, 0, &[]), frame(DATA, 0, *id, &open)].concat(),
            _ => way.call(*id),
        };
        let mut wire = Wire::connect(server.grpc).await;
        wire.send(&initial_window(0)).await;
        let mut ids = streams();
        for round in 0..ROUNDS {
            let open: Vec<u32> = ids.by_ref().take(STREAMS).collect();
            let calls: Vec<u8> = open.iter().flat_map(call).collect();
            wire.send(&calls).await;
            let what = format!("{}: the calls of round {round} run alone", way.what);
            let alone = |m: &Metrics| running(m) == STREAMS as f64;
            server.until(&what, alone).await;
            let errors: Vec<u8> = open.iter().flat_map(|id| (way.error)(*id)).collect();
            wire.send(&errors).await;
            for _ in open {
                assert_eq!(wire.until(RST_STREAM).await.number(), way.code);
            }
        }
        server.until(way.what, |m| running(m) == 0.0).await;
    }
}

/// CVE-2024-27316: a header list without end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endless_continuations() {
    let field = b"\x00\x01a\x01b".repeat(10);
    for fields in [&field[..], &[]] {
        let server = server();
        let honest = Honest::start(server.grpc).await;
        let mut wire = Wire::connect(server.grpc).await;
        wire.send(&headers_and(1, 0, &[])).await;
        let next = || frame(CONTINUATION, 0, 1, fields).repeat(50);
        let ((), said) = tokio::join!(honest.goes_on(), wire.flood(next));
        assert_eq!(said, Some(ENHANCE_YOUR_CALM));
        ended_as_floods(&server, &[("continuation", 1.0)]).await;
        all_is_well(&server, honest).await;
    }
}

/// CVE-2019-9512.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pings() {
    uses_up_its_credit("ping", &[], || frame(PING, 0, 0, b"8 bytes.")).await;
}

/// CVE-2019-9515.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings() {
    uses_up_its_credit("settings", &[], || frame(SETTINGS, 0, 0, &[])).await;
}

/// Each entry costs too, because it changes the window of all streams. Counting only frames would
/// allow 2,500 frames.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_of_many_entries() {
    const ENTRIES: u32 = 250;
    let server = server();
    let honest = Honest::start(server.grpc).await;
    let mut wire = Wire::connect(server.grpc).await;
    let body = part(b"abc");
    let mut first = initial_window(0);
    for id in streams().take(1000) {
        first.extend(headers(id, 0, &[]));
        first.extend(frame(DATA, END_STREAM, id, &body));
    }
    wire.send(&first).await;
    wire.all_is_read().await;
    let entries = (0..ENTRIES).map(|n| initial_window(n % 2)[9..].to_vec());
    let many = frame(SETTINGS, 0, 0, &entries.collect::<Vec<_>>().concat());
    wire.send(&many.repeat(200)).await;
    honest.goes_on().await;
    assert_eq!(wire.goodbye().await, ENHANCE_YOUR_CALM);
    ended_as_floods(&server, &[("settings", 1.0)]).await;
    all_is_well(&server, honest).await;
}

/// CVE-2019-9513: streams whose places in the priority tree change all the time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn priorities() {
    let mut shuffle = 0_u32;
    uses_up_its_credit("priority", &[], || {
        shuffle += 1;
        let depends_on = 1 + 2 * (shuffle % 7);
        let weight = u8::try_from(shuffle % 256).unwrap();
        priority(101 + 2 * (shuffle % 5), depends_on, weight)
    })
    .await;
}

/// CVE-2019-9514: frames that are errors of streams that have ended, each answered with RST_STREAM.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn solicited_resets() {
    let first = [headers(1, 0, &[]), reset(1)].concat();
    uses_up_its_credit("priority", &first, || priority(1, 1, 0)).await;

    // Of a stream that was never opened it is an error of the connection.
    let server = server();
    let mut wire = Wire::connect(server.grpc).await;
    wire.send(&priority(1, 1, 0)).await;
    assert_eq!(wire.goodbye().await, PROTOCOL_ERROR);
}

/// CVE-2019-9511: windows release waiting answers byte by byte.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn windows_that_open_byte_by_byte() {
    let body: Vec<u8> = (0..1000).flat_map(|_| part(b"abc")).collect();
    let mut first = initial_window(0);
    for id in [1, 3, 5] {
        first.extend(headers(id, 0, &[]));
        first.extend(frame(DATA, END_STREAM, id, &body));
    }
    let mut id = 0;
    uses_up_its_credit("window_update", &first, || {
        id = (id + 1) % 3;
        window_update(1 + 2 * id, 1)
    })
    .await;
}

/// A change of the initial window makes the server visit all streams.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn initial_windows_up_and_down_with_many_streams() {
    let body = part(b"abc");
    let mut first = initial_window(0);
    for id in streams().take(1000) {
        first.extend(headers(id, 0, &[]));
        first.extend(frame(DATA, END_STREAM, id, &body));
    }
    let mut up = false;
    uses_up_its_credit("settings", &first, || {
        up = !up;
        initial_window(u32::from(up))
    })
    .await;
}

/// CVE-2019-9518: DATA with neither bytes nor END_STREAM, with and without padding.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn empty_data() {
    let bare = || frame(DATA, 0, 1, &[]);
    uses_up_its_credit("empty_data", &headers(1, 0, &[]), bare).await;

    let padded = || frame(DATA, PADDED, 1, &[&[255][..], &[0; 255]].concat());
    uses_up_its_credit("empty_data", &headers(1, 0, &[]), padded).await;
}

/// Empty DATA within the credit is no attack, regardless of its duration.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn empty_data_that_comes_slowly() {
    const ROUNDS: usize = 30;
    let server = server();
    let mut wire = Wire::connect(server.grpc).await;
    // The data of a round earns its cost; all rounds cost more than the initial credit.
    let data = pattern(40_000, 1);
    for id in streams().take(ROUNDS) {
        wire.send(&headers(id, 0, &[])).await;
        for _ in 0..30 {
            wire.send(&frame(DATA, 0, id, &[]).repeat(33)).await;
            let part = message(0, &digest(1, &data, true).encode_to_vec());
            wire.send(&frame(DATA, 0, id, &part)).await;
            let answer = wire.until(DATA).await;
            let answers = crate::common::h2_client::messages::<DigestResponse>(&answer.payload);
            assert_eq!(answers[0].digests[0].digest, crate::common::sha256(&data));
        }
        wire.send(&frame(DATA, 0, id, &[]).repeat(10)).await;
        wire.digest(id).await;
    }
    assert_eq!(all_floods(&server.metrics()), 0.0);
}

/// CVE-2019-9518: header blocks without a field, each on a separate stream.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn empty_headers() {
    let mut ids = streams();
    uses_up_its_credit("headers", &[], || {
        frame(HEADERS, END_HEADERS, ids.next().unwrap(), &[])
    })
    .await;
}

/// CVE-2019-9512, 9514 and 9515 in the original form: each frame makes HTTP/2 answer, and the
/// client reads nothing. The server stops reading, and closes the connection in time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_of_http2_that_nobody_reads() {
    let server = Running::start(&["--set=part_idle_timeout=400ms"]);
    let honest = Honest::start(server.grpc).await;
    let before = server.resident_bytes();
    let itself = |id: u32| frame(PRIORITY, 0, id, &[&id.to_be_bytes()[..], &[0]].concat());
    let mut ids = streams();
    let mut wrong = || itself(ids.next().unwrap());
    let mut pings = || frame(PING, 0, 0, b"8 bytes.");
    let mut settings = || frame(SETTINGS, 0, 0, &[]);
    let floods: [&mut (dyn FnMut() -> Vec<u8> + Send); 3] = [&mut wrong, &mut pings, &mut settings];
    for next in floods {
        let wire = Wire::connect(server.grpc).await;
        let burst = || (0..50).flat_map(|_| next()).collect();
        let ((), ()) = tokio::join!(honest.goes_on(), wire.flood_unread(burst));
    }
    let taken = server.most_resident_bytes() - before;
    assert!(taken < 16.0 * 1024.0 * 1024.0, "{taken} bytes");
    honest.end().await;
}

/// Windows above 2^31 - 1 bytes (RFC 9113 sections 6.9.1 and 6.9.2).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn windows_beyond_their_maximum() {
    let server = server();
    let honest = Honest::start(server.grpc).await;
    // Of the connection; of all streams, at once and through one that already has a wide window.
    let twice = [window_update(0, WINDOW_MAX), window_update(0, WINDOW_MAX)].concat();
    let stream = headers(1, 0, &[]);
    let wide = [
        stream,
        window_update(1, WINDOW_MAX - 65_535),
        initial_window(65_536),
    ]
    .concat();
    for (what, bytes, reason) in [
        ("connection", twice, FLOW_CONTROL_ERROR),
        (
            "setting",
            initial_window(WINDOW_MAX + 1),
            FLOW_CONTROL_ERROR,
        ),
        ("setting and stream", wide, FLOW_CONTROL_ERROR),
    ] {
        let mut wire = Wire::connect(server.grpc).await;
        wire.send(&bytes).await;
        assert_eq!(wire.goodbye().await, reason, "{what}");
    }
    all_is_well(&server, honest).await;
}

/// CVE-2019-9516: fields without a name.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_of_no_length() {
    let server = server();
    let honest = Honest::start(server.grpc).await;
    // Plain, and Huffman-coded with no byte: the request is malformed.
    for field in [&b"\x00\x00\x00"[..], b"\x00\x80\x80"] {
        let mut wire = Wire::connect(server.grpc).await;
        let nothing = field.repeat(100);
        wire.send(&headers_and(1, END_HEADERS, &nothing)).await;
        let reset = wire.until(RST_STREAM).await;
        assert_eq!((reset.stream, reset.number()), (1, PROTOCOL_ERROR));
    }
    // One byte of nothing but padding is no Huffman code (RFC 7541 section 5.2).
    let mut wire = Wire::connect(server.grpc).await;
    wire.send(&headers_and(1, END_HEADERS, b"\x00\x81\xff\x81\xff"))
        .await;
    assert_eq!(wire.goodbye().await, COMPRESSION_ERROR);
    // Fields without a value are normal fields.
    for field in [&b"\x00\x01a\x00"[..], b"\x00\x01a\x80"] {
        let mut wire = Wire::connect(server.grpc).await;
        let empty = field.repeat(100);
        wire.send(&headers_and(1, END_HEADERS, &empty)).await;
        wire.digest(1).await;
    }
    all_is_well(&server, honest).await;
}

/// Updates of HPACK's table size (RFC 7541 section 6.3), to zero and back, at the beginning of each
/// block.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn updates_of_the_tables_size() {
    let block = |updates: usize| {
        let updates = b"\x20\x3f\xe1\x1f".repeat(updates);
        [&updates[..], &headers(1, 0, &[])[9..]].concat()
    };
    let server = server();
    let honest = Honest::start(server.grpc).await;
    // As many as the RFC allows in a block, and more.
    for updates in [1, 100] {
        let mut wire = Wire::connect(server.grpc).await;
        for id in streams().take(50) {
            wire.send(&frame(HEADERS, END_HEADERS, id, &block(updates)))
                .await;
            wire.digest(id).await;
        }
    }
    // After a field they are an error (section 4.2).
    let mut wire = Wire::connect(server.grpc).await;
    wire.send(&headers_and(1, END_HEADERS, b"\x20")).await;
    assert_eq!(wire.goodbye().await, COMPRESSION_ERROR);
    all_is_well(&server, honest).await;

    let mut ids = streams();
    let many = block(3500);
    // Counting only blocks, they would earn more than they cost.
    uses_up_its_credit("headers", &[], || {
        frame(
            HEADERS,
            END_HEADERS | END_STREAM,
            ids.next().unwrap(),
            &many,
        )
    })
    .await;
}

/// Header lists beyond the bound are answered with 431, and earn no credit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_beyond_the_bound() {
    let fields = b"\x00\x01a\x01b".repeat(1000);
    let mut ids = streams();
    uses_up_its_credit("headers", &[], || {
        headers_and(ids.next().unwrap(), END_HEADERS | END_STREAM, &fields)
    })
    .await;
}

/// Tiny headers up to the bound are no attack.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tiny_headers_within_the_bound() {
    let server = server();
    let honest = Honest::start(server.grpc).await;
    let mut wire = Wire::connect(server.grpc).await;
    // Each counts as 34 bytes (RFC 9113 section 6.5.2).
    let fields = b"\x00\x01a\x01b".repeat(450);
    for id in streams().take(20) {
        wire.send(&headers_and(id, END_HEADERS, &fields)).await;
        wire.digest(id).await;
    }
    drop(wire);
    all_is_well(&server, honest).await;
}

/// A field of 4 KB that is sent once and referenced by one byte, 390 MB in each list; and a field
/// that never ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn header_bombs() {
    const CONNECTIONS: u8 = 10;
    let server = Running::start(&["--set=http2.credit_per_second=1"]);
    let honest = Honest::start(server.grpc).await;
    // RFC 7541: an indexed literal with a name of one letter and a value of 3900 bytes, and
    // references to it; and a literal of 2 MB, of which only the bytes that fit into frames are
    // sent.
    let indexed = [&b"\x40\x01a\x7f\xbd\x1d"[..], &[b'x'; 3900]].concat();
    let references = vec![0xbe; 100_000];
    let endless = [&b"\x00\x01a\x7f\x81\xff\x7f"[..], &[b'x'; 60_000]].concat();
    let before = server.resident_bytes();
    for number in 1..=CONNECTIONS {
        // Each from a separate client, because a client's delay grows each time.
        let client = [127, 0, 1, number].into();
        let mut wire = Wire::connect_from(client, server.grpc).await;
        let first = headers_and(1, END_HEADERS | END_STREAM, &indexed);
        wire.send(&first).await;
        wire.all_is_read().await;
        let mut ids = streams().skip(1);
        let bomb = || headers_and(ids.next().unwrap(), END_HEADERS | END_STREAM, &references);
        let ((), said) = tokio::join!(honest.goes_on(), wire.flood(bomb));
        assert_eq!(said, Some(ENHANCE_YOUR_CALM));

        let mut wire = Wire::connect_from(client, server.grpc).await;
        wire.send(&headers_and(1, 0, &endless)).await;
        let more = || frame(CONTINUATION, 0, 1, &[b'x'; 60_000]);
        let ((), said) = tokio::join!(honest.goes_on(), wire.flood(more));
        assert_eq!(said, Some(ENHANCE_YOUR_CALM));
    }
    let taken = server.most_resident_bytes() - before;
    assert!(taken < 16.0 * 1024.0 * 1024.0, "{taken} bytes");
    honest.end().await;
}

/// Frames that HTTP/2 ignores.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_of_unknown_kinds() {
    uses_up_its_credit("other", &[], || frame(0x42, 0xff, 9, b"whatever")).await;
}

/// More frames of one byte than the credit allows: the connection is paused repeatedly, and the
/// result is right.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_of_a_byte() {
    const BYTES: usize = 52_000;
    let server = server();
    let honest = Honest::start(server.grpc).await;
    let mut wire = Wire::connect(server.grpc).await;
    wire.send(&headers(1, 0, &[])).await;
    let body = part(&pattern(BYTES, 3));
    let frames = body.chunks(1).flat_map(|byte| frame(DATA, 0, 1, byte));
    let frames: Vec<u8> = frames.collect();
    wire.send(&frames).await;
    honest.goes_on().await;
    // The part's answer comes before the end of the stream.
    let answer = wire.until(DATA).await;
    let answers = crate::common::h2_client::messages::<DigestResponse>(&answer.payload);
    let right = crate::common::sha256(&pattern(BYTES, 3));
    assert_eq!(answers[0].digests[0].digest, right);
    let metrics = server.metrics();
    assert_eq!(all_floods(&metrics), 0.0);
    assert!(metrics.sum("hashlane_connection_pauses_total", &[]) > 0.0);
    drop(wire);
    all_is_well(&server, honest).await;
}

/// The same between PINGs. Their answers fill the socket, since nobody reads them: the connection is
/// paused and blocked at the same time, until it is closed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_of_a_byte_and_unread_pings() {
    let server = TestServer::start(&[("workers", "1"), ("part_idle_timeout", "1s")]);
    let honest = Honest::start(server.grpc).await;
    let mut wire = Wire::connect_small(server.grpc).await;
    // A part of a MiB begins, in frames that take all credit of frames of a byte. After that the
    // server reads as many of them as time refills, and as many PINGs.
    let body = part(&[0; 1 << 20]);
    let begin = frame(DATA, 0, 1, &body[..64]);
    let byte = frame(DATA, 0, 1, &[0]);
    wire.send(&[headers(1, 0, &[]), begin, byte.repeat(50_000)].concat())
        .await;
    let frames = [frame(PING, 0, 0, &[0; 8]), byte].concat().repeat(100);
    tokio::join!(wire.flood_unread(|| frames.clone()), honest.goes_on());
    // The end is counted after the socket is closed.
    let not_taken = [("reason", "not_taken")];
    let metrics = server
        .until("it is closed for its unread answers", |metrics| {
            metrics.sum("hashlane_connections_ended_total", &not_taken) == 1.0
        })
        .await;
    let pauses = metrics.sum("hashlane_connection_pauses_total", &[]);
    assert!(pauses > 0.0, "{}", metrics.0);
    all_is_well(&server, honest).await;
}

/// Connections that never finish their preface, and silent ones.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_open_prefaces() {
    const CONNECTIONS: usize = 200;
    let server = TestServer::start(&[("workers", "1"), ("handshake_timeout", "200ms")]);
    let honest = Honest::start(server.grpc).await;
    let mut open = Vec::new();
    for connection in 0..CONNECTIONS {
        let mut socket = TcpStream::connect(server.grpc).await.unwrap();
        let piece = &PREFACE[..connection % PREFACE.len()];
        socket.write_all(piece).await.unwrap();
        open.push(socket);
    }
    for mut socket in open {
        // Closed, with or without earlier bytes.
        let _ = socket.read_to_end(&mut Vec::new()).await;
    }
    all_is_well(&server, honest).await;
}

/// A client of another protocol is closed at once, without waiting for the preface timeout, and
/// counted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_protocols() {
    let server = TestServer::start(&[("workers", "1"), ("handshake_timeout", "1h")]);
    let honest = Honest::start(server.grpc).await;
    for hello in [
        &b"PRI * HTTP/1.1\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\n",
    ] {
        let mut socket = TcpStream::connect(server.grpc).await.unwrap();
        socket.write_all(hello).await.unwrap();
        // Like a client that waits for the end of the answer before it closes.
        let mut said = Vec::new();
        let closed = socket.read_to_end(&mut said);
        let closed = tokio::time::timeout(crate::common::PATIENCE, closed).await;
        assert!(closed.is_ok(), "{hello:?} was met with silence");
    }
    let labels = [("reason", "preface")];
    let ended = |m: &Metrics| m.sum("hashlane_connections_ended_total", &labels);
    server.until("all are counted", |m| ended(m) == 3.0).await;
    all_is_well(&server, honest).await;
}
