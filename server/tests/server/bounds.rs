//! Every bound driven to its end: what the server takes then is no more than it says that the
//! bound takes (`--memory`). Each test has a server of its own with one small bound, and
//! compares what is resident before and at the bound. `--nocapture` prints the figures.

use std::net::SocketAddr;

use crate::common::program::{Running, command};
use crate::common::raw::{Raw, message};
use crate::common::wire::{
    DATA, END_HEADERS, END_STREAM, HEADERS, Wire, frame, headers, headers_and, headers_of,
    initial_window, streams,
};
use crate::common::{Metrics, asking, assert_refused, digest, number, pattern};
use bytes::Bytes;
use hashlane_engine::Algorithm;
use hashlane_proto::v1::{DigestBatchRequest, DigestRequest};
use prost::Message as _;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tonic::Code;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const BATCH: &str = "/hashlane.v1.HashService/DigestBatch";

const MIB: f64 = 1024.0 * 1024.0;

/// What the allocator keeps of what comes and goes beside the bound: read buffers, answers, the
/// memory of tables that grew.
const SLACK_BYTES: f64 = 3.0 * MIB;

/// A server, and what it says of its memory.
struct Bounded {
    server: Running,
    table: String,
    before: f64,
}

impl Bounded {
    /// Starts, with one client that may have all of it.
    async fn start(bounds: &[&str]) -> Self {
        let flags = [bounds, &["--client-share-percent=100"]].concat();
        let table = command(&[&flags[..], &["--memory"]].concat()).output();
        let server = Running::start(&flags);
        // What every server has after its first call.
        let mut raw = Raw::tcp(server.grpc).await;
        let first = message(0, &digest(1, &pattern(200_000, 1), true).encode_to_vec());
        raw.call(DIGEST, &[], &[first]).await;
        drop(raw);
        let gone = |m: &Metrics| m.sum("hashlane_connections", &[]) == 0.0;
        server.until("nobody is connected", gone).await;
        Self {
            before: server.resident_bytes(),
            table: String::from_utf8(table.unwrap().stdout).unwrap(),
            server,
        }
    }

    fn grpc(&self) -> SocketAddr {
        self.server.grpc
    }

    /// The bytes of the rows of the table that begin so.
    fn computed(&self, rows: &[&str]) -> f64 {
        let bytes = |row: &&str| {
            let line = format!("| {row}");
            let mut lines = self.table.lines().filter(|l| l.starts_with(&line));
            let line = lines
                .next()
                .unwrap_or_else(|| panic!("{row} in {}", self.table));
            let mib: f64 = line.split('|').nth(3).unwrap().trim().parse().unwrap();
            mib * MIB
        };
        rows.iter().map(bytes).sum()
    }

    /// What is taken now, and the most that ever was.
    fn taken(&self) -> f64 {
        self.server.resident_bytes() - self.before
    }

    fn most_taken(&self) -> f64 {
        self.server.most_resident_bytes() - self.before
    }

    /// Checks that what is `taken` fits what these rows say. What is meant to be at the bound
    /// was `filled`, so that a bound that is not reached shows.
    #[track_caller]
    #[expect(clippy::print_stderr, reason = "the table of docs/measurements.md")]
    fn is_within(&self, what: &str, rows: &[&str], taken: f64, filled: f64) {
        let computed = self.computed(rows);
        let [c, t, f] = [computed, taken, filled].map(|bytes| bytes / MIB);
        eprintln!("| {what} | {c:.0} | {t:.1} |");
        assert!(
            taken < computed + SLACK_BYTES,
            "{what}: {t:.1} MiB of {c:.1}"
        );
        assert!(
            taken > filled / 2.0 || filled == 0.0,
            "{what}: only {t:.1} MiB of {f:.1}"
        );
    }

    async fn until(&self, what: &str, condition: impl Fn(&Metrics) -> bool) {
        self.server.until(what, condition).await;
    }

    /// Waits until no part is answered any more, although its connections were read.
    async fn comes_to_rest(&self, open: &mut [Wire]) {
        let mut last = (-1.0, 0.0);
        loop {
            for wire in &mut *open {
                wire.all_is_read().await;
            }
            let metrics = self.server.metrics();
            let sum = |name| metrics.sum(name, &[]);
            let now = (sum("hashlane_parts_total"), sum("hashlane_open_jobs"));
            if now == last && now.1 == 0.0 {
                return;
            }
            last = now;
        }
    }

    /// Waits until the server has read so much.
    async fn has_read(&self, before: f64, bytes: usize) {
        self.until("all is read", |m| received(m) >= before + bytes as f64)
            .await;
    }
}

fn received(metrics: &Metrics) -> f64 {
    metrics.sum("hashlane_received_bytes_total", &[])
}

/// Fields that each count as 34 bytes (RFC 9113 section 6.5.2) and are not indexed.
fn tiny_fields(count: usize) -> Vec<u8> {
    b"\x00\x01a\x01b".repeat(count)
}

/// Fields that stay in HPACK's table: as many as it has room for.
fn indexed_fields() -> Vec<u8> {
    let field = |n: u8| [0x40, 1, b'a' + n % 26, 1, b'a' + n / 26];
    (0..120).flat_map(field).collect()
}

/// Connections whose clients have filled HPACK's table, and began headers that do not end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections() {
    const COUNT: usize = 300;
    let bounded = Bounded::start(&["--connections-max=300"]).await;
    let before = received(&bounded.server.metrics());
    let mut open = Vec::new();
    let mut sent = 0;
    for _ in 0..COUNT {
        let mut wire = Wire::connect(bounded.grpc()).await;
        wire.send(&headers_and(1, END_HEADERS | END_STREAM, &indexed_fields()))
            .await;
        wire.until(HEADERS).await;
        let endless = headers_and(3, 0, &tiny_fields(440));
        sent += endless.len();
        wire.send(&endless).await;
        open.push(wire);
    }
    bounded.has_read(before, sent).await;
    let mut refused = TcpStream::connect(bounded.grpc()).await.unwrap();
    let mut rest = Vec::new();
    let _ = refused.read_to_end(&mut rest).await;
    assert!(rest.is_empty());
    let filled = COUNT as f64 * 20.0 * 1024.0;
    bounded.is_within("connections", &["connections"], bounded.taken(), filled);
}

/// Connections whose table of HPACK has entries that each lay in a read of their own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_of_headers() {
    const COUNT: usize = 20;
    let bounded = Bounded::start(&["--connections-max=20"]).await;
    let mut open = Vec::new();
    // As large as it may be, and not indexed: of one letter, and 15,000 (RFC 7541 section 5.1).
    let large = [&b"\x00\x01a\x7f\x99\x74"[..], &[b'x'; 15_000]].concat();
    for _ in 0..COUNT {
        let mut wire = Wire::connect(bounded.grpc()).await;
        let mut ids = streams();
        for field in indexed_fields().chunks(5) {
            let block = [field, &large].concat();
            let id = ids.next().unwrap();
            let flags = END_HEADERS | END_STREAM;
            wire.send(&headers_and(id, flags, &block)).await;
        }
        wire.all_is_read().await;
        open.push(wire);
    }
    bounded.is_within("tables of headers", &["connections"], bounded.taken(), 0.0);
}

/// Calls that are open in [`open_calls`].
const CALLS: usize = 3000;

/// Opens calls with `more` headers, each of which begins a message whose fields are as many as may
/// be.
async fn open_calls(bounded: &Bounded, more: &[(&str, &str)]) -> Vec<Wire> {
    // A field of 4000 bytes that nobody knows, but for its end.
    let field = [&[0x3a, 0xa0, 0x1f][..], &[7; 4000]].concat();
    let begin = message(0, &field).slice(..4000);
    let mut wires = Vec::new();
    for _ in 0..3 {
        let mut wire = Wire::connect(bounded.grpc()).await;
        for id in streams().take(CALLS / 3) {
            let call = [headers(id, 0, more), frame(DATA, 0, id, &begin)];
            wire.send(&call.concat()).await;
            if id % 100 == 1 {
                wire.all_is_read().await;
            }
        }
        wire.all_is_read().await;
        wires.push(wire);
    }
    bounded
        .until("all are open", |m| {
            m.sum("hashlane_streams", &[]) == CALLS as f64
        })
        .await;
    wires
}

/// Calls that began a message whose fields are as many as may be.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls() {
    let bounded = Bounded::start(&["--streams-max=3000"]).await;
    let _open = open_calls(&bounded, &[]).await;
    let mut raw = Raw::tcp(bounded.grpc()).await;
    let status = raw.call(DIGEST, &[], &[]).await.status.unwrap();
    assert_refused(&status, Code::ResourceExhausted, "SERVER_BUSY");
    bounded.is_within("calls", &["calls"], bounded.taken(), CALLS as f64 * 4000.0);
}

/// What traces of calls take beside the calls, with as much state of their clients as may be: 32
/// members in 512 bytes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stderr, reason = "the table of docs/measurements.md")]
async fn traces_of_calls() {
    // Four headers of eight: however short a member is, its key and value are strings.
    let members = |vendor| (0..8).map(move |n| format!("{vendor}{n}=0123456789a"));
    let states = ["a", "b", "c", "d"].map(|vendor| members(vendor).collect::<Vec<_>>().join(","));
    assert!(states.join(",").len() <= 512);
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let mut more = vec![("traceparent", parent)];
    more.extend(states.iter().map(|state| ("tracestate", state.as_str())));
    let mut figures = Vec::new();
    for endpoint in ["", "http://127.0.0.1:1"] {
        let endpoint = format!("--traces-endpoint={endpoint}");
        let bounded = Bounded::start(&["--streams-max=3000", &endpoint]).await;
        let _open = open_calls(&bounded, &more).await;
        figures.push([bounded.computed(&["calls"]), bounded.taken()]);
    }
    let [computed, taken] = [0, 1].map(|i| (figures[1][i] - figures[0][i]) / MIB);
    eprintln!("| traces of calls | {computed:.0} | {taken:.1} |");
    assert!(taken < computed + 1.0, "{taken:.1} MiB of {computed:.1}");
    assert!(
        taken > computed / 2.0,
        "only {taken:.1} MiB of {computed:.1}"
    );
}

/// Calls of one message, of which each began: of the service, and of others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unary_calls() {
    const COUNT: usize = 3000;
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    for path in [BATCH, reflection] {
        let bounded = Bounded::start(&["--streams-max=3000", "--unary-bytes-max=128MiB"]).await;
        let mut wires = Vec::new();
        for _ in 0..3 {
            let mut wire = Wire::connect(bounded.grpc()).await;
            for id in streams().take(COUNT / 3) {
                let more: Vec<_> = (0..8).map(|_| ("name", "of a value")).collect();
                let begin = message(0, &[10; 500]).slice(..499);
                let call = [headers_of(path, id, 0, &more), frame(DATA, 0, id, &begin)];
                wire.send(&call.concat()).await;
            }
            wire.all_is_read().await;
            wires.push(wire);
        }
        bounded
            .until("all are open", |m| {
                m.sum("hashlane_streams", &[]) == COUNT as f64
            })
            .await;
        let what = format!("calls of {path}");
        let filled = COUNT as f64 * 1000.0;
        bounded.is_within(&what, &["calls", "whole messages"], bounded.taken(), filled);
    }
}

/// Open parts of every algorithm, each with a byte.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts() {
    for algorithm in Algorithm::all() {
        let bounded = Bounded::start(&["--parts-max=20000", "--parts-per-stream-max=20000"]).await;
        let mut raw = Raw::tcp(bounded.grpc()).await;
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        let mut open = |part| {
            let request = DigestRequest {
                open: asking(vec![number(algorithm)]),
                ..digest(part, b"x", false)
            };
            let request = message(0, &request.encode_to_vec());
            sending.send_data(request, false).unwrap();
        };
        let used = |m: &Metrics| m.sum("hashlane_budget_used", &[("budget", "parts")]);
        open(0);
        bounded.until("one is open", |m| used(m) > 0.0).await;
        let of_each = used(&bounded.server.metrics());
        let mut count = 1;
        while (count + 1) as f64 * of_each <= 20_000.0 {
            open(count);
            count += 1;
        }
        bounded
            .until("all are open", |m| used(m) == count as f64 * of_each)
            .await;
        let mut other = Raw::tcp(bounded.grpc()).await;
        let one = DigestRequest {
            open: asking(crate::common::numbers()),
            ..digest(1, b"x", false)
        };
        let one = message(0, &one.encode_to_vec());
        let status = other.call(DIGEST, &[], &[one]).await.status.unwrap();
        assert_refused(&status, Code::ResourceExhausted, "SERVER_BUSY");
        let what = format!("{count} parts of {algorithm}");
        bounded.is_within(&what, &["digests of open parts"], bounded.taken(), 1e6);
        drop((response, sending));
    }
}

/// Messages of a byte, many in a frame: each byte is a chunk that waits for the engine.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chunks() {
    const CONNECTIONS: usize = 8;
    let bounded =
        Bounded::start(&["--connections-max=8", "--receive-windows-bytes-max=8MiB"]).await;
    let one = message(0, &digest(1, b"x", false).encode_to_vec());
    let frame = one.repeat(64 * 1024 / one.len());
    let before = received(&bounded.server.metrics());
    let mut open = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut raw = Raw::tcp(bounded.grpc()).await;
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        for _ in 0..40 {
            sending.send_data(frame.clone().into(), false).unwrap();
        }
        open.push((raw, response, sending));
    }
    let sent = CONNECTIONS * 40 * frame.len();
    bounded.has_read(before, sent).await;
    let rows = ["chunks", "connections", "bytes read"];
    bounded.is_within("chunks", &rows, bounded.most_taken(), 2.0 * MIB);
}

/// Frames of a byte, more than a connection has credit for: it is not read for a moment, in
/// which what was read with the last of them waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn read_ahead() {
    const CONNECTIONS: usize = 100;
    const FRAMES: usize = 70_000;
    let bounded = Bounded::start(&["--connections-max=100"]).await;
    let message = message(0, &digest(1, &[7; FRAMES], true).encode_to_vec());
    let bytes: Vec<u8> = message
        .chunks(1)
        .take(FRAMES)
        .flat_map(|byte| frame(DATA, 0, 1, byte))
        .collect();
    let before = received(&bounded.server.metrics());
    let bytes = Bytes::from([headers(1, 0, &[]), bytes].concat());
    let mut open = tokio::task::JoinSet::new();
    for _ in 0..CONNECTIONS {
        let mut wire = Wire::connect(bounded.grpc()).await;
        let bytes = bytes.clone();
        open.spawn(async move {
            wire.send(&bytes).await;
            wire
        });
    }
    bounded.has_read(before, CONNECTIONS * bytes.len()).await;
    let rows = ["bytes read", "chunks", "connections"];
    let filled = CONNECTIONS as f64 * 64.0 * 1024.0;
    bounded.is_within("read ahead", &rows, bounded.most_taken(), filled);
    drop(open.join_all().await);
}

/// Data that fields are to follow.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn held_data() {
    const PIECE: usize = 100_000;
    const COUNT: usize = 320;
    let bounded = Bounded::start(&["--held-bytes-max=32000000"]).await;
    // `data`, and a field that is missing.
    let data = [&[0x7a, 0xa0, 0x8d, 6][..], &[7; PIECE], &[8, 1]].concat();
    let whole = message(0, &data);
    let begin = whole.slice(..whole.len() - 1);
    let before = received(&bounded.server.metrics());
    let mut raw = Raw::tcp(bounded.grpc()).await;
    let mut open = Vec::new();
    for _ in 0..COUNT {
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        sending.send_data(begin.clone(), false).unwrap();
        open.push((response, sending));
    }
    bounded.has_read(before, COUNT * begin.len()).await;
    let status = raw.call(DIGEST, &[], &[begin]).await.status.unwrap();
    assert_refused(&status, Code::ResourceExhausted, "OUT_OF_ORDER_DATA_LIMIT");
    let filled = (COUNT * PIECE) as f64;
    bounded.is_within("held data", &["data held"], bounded.taken(), filled);
}

/// Whole messages but for a byte.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whole_messages() {
    for piece in [1_000, 9_000, 40_000, 1 << 20] {
        let bounded = Bounded::start(&["--unary-bytes-max=32MiB", "--streams-max=12000"]).await;
        let batch = DigestBatchRequest {
            algorithms: Vec::new(),
            blobs: vec![vec![7; piece].into()],
        };
        let whole = message(0, &batch.encode_to_vec());
        let begin = whole.slice(..whole.len() - 1);
        let before = received(&bounded.server.metrics());
        let mut open = Vec::new();
        let mut sent = 0;
        'all: loop {
            let mut raw = Raw::tcp(bounded.grpc()).await;
            for _ in 0..500 {
                let (response, mut sending) = raw.begin(BATCH, &[]).await;
                // One that was refused takes no more.
                let _ = sending.send_data(begin.clone(), false);
                sent += begin.len();
                open.push((response, sending));
                let refused = |m: &Metrics| {
                    let labels = [("grpc_code", "ResourceExhausted")];
                    m.sum("grpc_server_handled_total", &labels) > 0.0
                };
                if open.len() % 100 == 0 || piece > 100_000 {
                    bounded
                        .until("all is read, or there is no room", |m| {
                            refused(m) || received(m) >= before + sent as f64
                        })
                        .await;
                    if refused(&bounded.server.metrics()) {
                        break 'all;
                    }
                }
            }
        }
        let what = format!("whole messages of {piece} bytes");
        bounded.is_within(
            &what,
            &["whole messages", "calls"],
            bounded.taken(),
            8.0 * MIB,
        );
    }
}

/// Batches of as many blobs as may be, whose answers are not taken.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches() {
    let bounded = Bounded::start(&["--unary-bytes-max=32MiB"]).await;
    let batch = DigestBatchRequest {
        algorithms: vec![3, 1],
        blobs: vec![Bytes::new(); 10_000],
    };
    let whole = message(0, &batch.encode_to_vec());
    let mut raw = Raw::reluctant(bounded.grpc(), 0).await;
    let mut open = Vec::new();
    for _ in 0..8 {
        let (response, mut sending) = raw.begin(BATCH, &[]).await;
        sending.send_data(whole.clone(), true).unwrap();
        open.push((response, sending));
    }
    bounded
        .until("all are answered or refused", |m| {
            let refused = m.sum(
                "grpc_server_handled_total",
                &[("grpc_method", "DigestBatch")],
            );
            let parts = m.sum("hashlane_parts_total", &[("outcome", "digest")]);
            (parts - 1.0) / 10_000.0 + refused == 8.0
        })
        .await;
    bounded.is_within("batches", &["whole messages"], bounded.most_taken(), 1e6);
}

/// Parts that ask for all digests, and whose answers are not taken.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers() {
    for algorithms in [vec![], crate::common::numbers()] {
        let bounded = Bounded::start(&["--unread-bytes-max=32MiB", "--connections-max=100"]).await;
        let parts = (128 << 10) / (20 + algorithms.len() * 2);
        let body: Vec<u8> = (0..parts as u64)
            .flat_map(|part| {
                let request = DigestRequest {
                    open: asking(algorithms.clone()),
                    ..digest(part, b"", true)
                };
                message(0, &request.encode_to_vec())
            })
            .collect();
        let body = Bytes::from(body);
        let mut open = Vec::new();
        // Until one is cut off.
        while bounded.server.metrics().sum("hashlane_connections", &[]) >= open.len() as f64 {
            let mut raw = Raw::reluctant(bounded.grpc(), 0).await;
            let (response, mut sending) = raw.begin(DIGEST, &[]).await;
            sending.send_data(body.clone(), false).unwrap();
            let labels = [("outcome", "digest")];
            let before = bounded
                .server
                .metrics()
                .sum("hashlane_parts_total", &labels);
            bounded
                .until("some are answered", |m| {
                    m.sum("hashlane_parts_total", &labels) > before + 900.0
                        || m.sum("hashlane_connections", &[]) < open.len() as f64
                })
                .await;
            open.push((raw, response, sending));
        }
        let what = format!("answers of {} digests", algorithms.len().max(1));
        bounded.is_within(
            &what,
            &["answers", "connections"],
            bounded.taken(),
            8.0 * MIB,
        );
    }
}

/// Small frames that no call takes: of streams that wait for their answers to be taken.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_frames_that_wait() {
    const FRAMES: usize = 40_000;
    const CONNECTIONS: usize = 4;
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    for path in [DIGEST, reflection] {
        let mut bounded = Bounded::start(&[
            "--connections-max=4",
            "--streams-max=4",
            "--receive-windows-bytes-max=8MiB",
        ])
        .await;
        let mut open = Vec::new();
        // Parts and names whose answers are more than are read ahead of a client.
        let first: Vec<u8> = match path {
            DIGEST => (0..5000)
                .flat_map(|part| message(0, &digest(part, b"", true).encode_to_vec()))
                .collect(),
            _ => message(0, &[0x3a, 0]).repeat(50),
        };
        for _ in 0..CONNECTIONS {
            let mut wire = Wire::connect(bounded.grpc()).await;
            let call = [
                initial_window(0),
                headers_of(path, 1, 0, &[]),
                frame(DATA, 0, 1, &first),
            ];
            wire.send(&call.concat()).await;
            open.push(wire);
        }
        bounded.comes_to_rest(&mut open).await;
        bounded.before = bounded.server.resident_bytes();
        let before = received(&bounded.server.metrics());
        let begin = message(0, &[7; 16_000]);
        for wire in &mut open {
            for piece in 0..FRAMES / 1000 {
                let byte = |n| frame(DATA, 0, 1, &begin[n % 16_000..][..1]);
                let bytes: Vec<u8> = (0..1000).flat_map(|n| byte(piece * 1000 + n)).collect();
                wire.send(&bytes).await;
            }
            wire.all_is_read().await;
        }
        bounded.has_read(before, CONNECTIONS * FRAMES).await;
        let what = format!("small frames of {path}");
        let rows = ["bytes received", "calls", "connections"];
        bounded.is_within(&what, &rows, bounded.taken(), 0.0);
    }
}

/// Windows that are full: of streams whose answers are not taken.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn windows() {
    const CONNECTIONS: usize = 64;
    for frame_bytes in [32, 256, 8000] {
        let mut bounded = Bounded::start(&[
            "--http2-connection-window-bytes=65535",
            "--http2-stream-window-bytes=65535",
            "--http2-connection-window-bytes-max=65535",
            "--receive-windows-bytes-max=4194304",
            "--unread-bytes-max=1GiB",
        ])
        .await;
        let parts: Vec<u8> = (0..5000)
            .flat_map(|part| message(0, &digest(part, b"", true).encode_to_vec()))
            .collect();
        let mut open = Vec::new();
        for _ in 0..CONNECTIONS {
            let mut wire = Wire::connect(bounded.grpc()).await;
            let call = [
                initial_window(0),
                headers(1, 0, &[]),
                frame(DATA, 0, 1, &parts),
            ];
            wire.send(&call.concat()).await;
            open.push(wire);
        }
        bounded.comes_to_rest(&mut open).await;
        let mut refused = TcpStream::connect(bounded.grpc()).await.unwrap();
        let mut rest = Vec::new();
        let _ = refused.read_to_end(&mut rest).await;
        assert!(rest.is_empty());
        bounded.before = bounded.server.resident_bytes();
        let begin = message(0, &digest(5000, &[7; 12_000], true).encode_to_vec()).slice(..12_000);
        for wire in &mut open {
            for piece in begin.chunks(frame_bytes) {
                wire.send(&frame(DATA, 0, 1, piece)).await;
            }
            wire.all_is_read().await;
        }
        let what = format!("windows in frames of {frame_bytes} bytes");
        // Some of it is memory that answers took before, and gave back.
        bounded.is_within(&what, &["bytes received"], bounded.taken(), 0.0);
    }
}
