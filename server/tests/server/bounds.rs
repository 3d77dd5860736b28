//! Every bound driven to its end: what the server takes then is no more than it says that the
//! bound takes (`--memory`). Each test has a server of its own with one small bound, and
//! compares what is resident before and at the bound. `--nocapture` prints the figures.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use crate::common::collector::{Collector, Does};
use crate::common::honest::Honest;
use crate::common::program::{Running, command};
use crate::common::raw::{Raw, message};
use crate::common::tls::{Ca, Files, TlsClient};
use crate::common::wire::{
    ACK, DATA, END_HEADERS, END_STREAM, HEADERS, PING, WINDOW_MAX, WINDOW_UPDATE, Wire, frame,
    headers, headers_and, headers_of, initial_window, streams, window_update,
};
use crate::common::{Metrics, asking, assert_refused, digest, number, pattern, sized};
use bytes::Bytes;
use hashlane_engine::Algorithm;
use hashlane_proto::v1::{DigestBatchRequest, DigestRequest};
use prost::Message as _;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;
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

    /// Checks that what is `taken` fits what these rows say, and that it is more than `least_mib`:
    /// 60% of what was measured at the bound, so that a bound that is not reached shows.
    #[track_caller]
    #[expect(clippy::print_stderr, reason = "the table of docs/measurements.md")]
    fn is_within(&self, what: &str, rows: &[&str], taken: f64, least_mib: f64) {
        let computed = self.computed(rows);
        let [c, t] = [computed, taken].map(|bytes| bytes / MIB);
        eprintln!("| {what} | {c:.0} | {t:.1} |");
        assert!(
            taken < computed + SLACK_BYTES,
            "{what}: {t:.1} MiB of {c:.1}"
        );
        assert!(t > least_mib, "{what}: only {t:.1} MiB of {least_mib:.1}");
    }

    /// Checks that one more connection is closed at once, and counted.
    async fn takes_no_more_connections(&self) {
        let mut refused = TcpStream::connect(self.grpc()).await.unwrap();
        let mut rest = Vec::new();
        let _ = refused.read_to_end(&mut rest).await;
        assert!(rest.is_empty());
        let labels = [("reason", "limit")];
        self.until("it is counted", |m| {
            m.sum("hashlane_connections_refused_total", &labels) == 1.0
        })
        .await;
    }

    /// Checks that one more call is refused for this reason, and counted.
    async fn refuses(&self, raw: &mut Raw, path: &str, request: &[Bytes], reason: &str) {
        let before = refusals(&self.server.metrics(), reason);
        let status = raw.call(path, &[], request).await.status.unwrap();
        assert_refused(&status, Code::ResourceExhausted, reason);
        self.until("it is counted", |m| refusals(m, reason) > before)
            .await;
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

fn refusals(metrics: &Metrics, reason: &str) -> f64 {
    metrics.sum("hashlane_refusals_total", &[("reason", reason)])
}

fn used(metrics: &Metrics, budget: &str) -> f64 {
    metrics.sum("hashlane_budget_used", &[("budget", budget)])
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
    bounded.takes_no_more_connections().await;
    bounded.is_within("connections", &["connections"], bounded.taken(), 19.0);
}

/// Begins a call over `socket` whose client takes any answer as far as windows go.
fn greedy_call() -> Vec<u8> {
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let window = initial_window(WINDOW_MAX);
    let connection = window_update(0, WINDOW_MAX - 65_535);
    [&preface[..], &window, &connection, &headers(1, 0, &[])].concat()
}

/// What connections over TLS take beside what the same ones take without: they stall both ways.
/// Answers fill what TLS has room for, since their clients read nothing, and a record began that
/// does not end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stderr, reason = "the table of docs/measurements.md")]
async fn tls_of_connections() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let flags = files.flags("off");
    let mut flags: Vec<_> = flags.iter().map(String::as_str).collect();
    flags.extend(["--connections-max=200", "--tls-handshakes-max=200"]);
    let bounded = Bounded::start(&flags).await;
    let client = Arc::new(TlsClient::new(&ca).config());
    let over_tls = async |socket| {
        let name = ServerName::from(IpAddr::from([127, 0, 0, 1]));
        let connector = TlsConnector::from(Arc::clone(&client));
        connector.connect(name, socket).await.unwrap()
    };
    let address = bounded.server.tls.unwrap();
    let mut open = stalled_connections(&bounded, address, over_tls).await;
    for stream in &mut open {
        let record = [&[23, 3, 3, 0x41, 0][..], &[0; 16_600]].concat();
        stream.get_mut().0.write_all(&record).await.unwrap();
    }
    bounded.takes_no_more_connections().await;
    let plain = Bounded::start(&["--connections-max=200"]).await;
    let _open = stalled_connections(&plain, plain.grpc(), async |socket| socket).await;
    let [taken, without] = [&bounded, &plain].map(|b| b.taken() / MIB);
    let computed = bounded.computed(&["TLS of connections"]) / MIB;
    eprintln!("| TLS of connections | {computed:.0} | {taken:.1} - {without:.1} |");
    let taken = taken - without;
    assert!(taken < computed + 1.0, "{taken:.1} MiB of {computed:.1}");
    // glibc gives what is left of other connections' answers again.
    assert!(taken > 4.0, "only {taken:.1} MiB of {computed:.1}");
}

/// Opens 200 connections, each of which asks for as many digests as the sockets and TLS have room
/// for. One at a time, or their parts would take more than they leave.
async fn stalled_connections<S: AsyncWrite + Unpin>(
    bounded: &Bounded,
    address: SocketAddr,
    over: impl AsyncFn(TcpStream) -> S,
) -> Vec<S> {
    const COUNT: usize = 200;
    let part = |part| {
        let request = DigestRequest {
            open: asking(crate::common::numbers()),
            ..digest(part, b"", true)
        };
        message(0, &request.encode_to_vec())
    };
    let some = |first| {
        let parts: Vec<u8> = (first..first + 10).flat_map(part).collect();
        frame(DATA, 0, 1, &parts)
    };
    let waiting = |m: &Metrics| used(m, "unread_bytes");
    let answered = |m: &Metrics| m.sum("hashlane_parts_total", &[]);
    let mut open = Vec::new();
    let mut count = 0;
    for _ in 0..COUNT {
        let mut stream = over(small_socket(address).await).await;
        stream.write_all(&greedy_call()).await.unwrap();
        // The first shows how many answers there is room for.
        if open.is_empty() {
            while waiting(&bounded.server.metrics()) == 0.0 {
                let before = answered(&bounded.server.metrics());
                stream.write_all(&some(count)).await.unwrap();
                stream.flush().await.unwrap();
                bounded
                    .until("some are answered", |m| answered(m) == before + 10.0)
                    .await;
                count += 10;
            }
        } else {
            for first in (0..count).step_by(10) {
                stream.write_all(&some(first)).await.unwrap();
            }
            stream.flush().await.unwrap();
        }
        open.push(stream);
        let parts = 1.0 + open.len() as f64 * count as f64;
        bounded
            .until("all is answered", |m| answered(m) == parts)
            .await;
    }
    open
}

/// A socket of a client that takes few bytes: what the kernels hold between it and the server is
/// small too.
async fn small_socket(server: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket2::SockRef::from(&socket).set_tcp_mss(536).unwrap();
    socket.connect(server).await.unwrap()
}

/// Spans that wait for a collector that hangs, with as much state of their clients as may be: 32
/// members in 512 bytes; of parts that name every algorithm.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spans_of_traces() {
    let collector = Collector::start(Does::Hang);
    let endpoint = format!("--traces-endpoint={}", collector.endpoint());
    let bounded = Bounded::start(&[&endpoint]).await;
    let mut raw = Raw::tcp(bounded.grpc()).await;
    let states = trace_state();
    let more = [("traceparent", TRACE_PARENT), ("tracestate", &states)];
    // Each fails at its first byte, so that no state of its digests stays behind.
    let part = |part| {
        let mut request = sized(part, 0, b"x", true);
        request.open.as_mut().unwrap().algorithms = crate::common::numbers();
        message(0, &request.encode_to_vec())
    };
    let parts: Vec<_> = (0..256).map(part).collect();
    let lost = |m: &Metrics| m.sum("hashlane_trace_spans_total", &[("outcome", "dropped")]);
    while lost(&bounded.server.metrics()) == 0.0 {
        let answer = raw.call(DIGEST, &more, &parts).await;
        assert_eq!(answer.status.unwrap().code(), Code::Ok);
    }
    let rows = ["spans of traces"];
    bounded.is_within("spans of traces", &rows, bounded.taken(), 4.0);
}

const TRACE_PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// 32 members: however short one is, its key and value are strings.
fn trace_state() -> String {
    let vendors = ["a", "b", "c", "d"].into_iter();
    let members = vendors.flat_map(|vendor| (0..8).map(move |n| (vendor, n)));
    let members: Vec<_> = members
        .map(|(vendor, n)| format!("{vendor}{n}=0123456789a"))
        .collect();
    members.join(",")
}

/// Connections whose table of HPACK has entries that each lay in a read of their own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_of_headers() {
    const COUNT: usize = 60;
    let bounded = Bounded::start(&["--connections-max=60"]).await;
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
    bounded.takes_no_more_connections().await;
    bounded.is_within("tables of headers", &["connections"], bounded.taken(), 3.0);
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
    bounded.refuses(&mut raw, DIGEST, &[], "SERVER_BUSY").await;
    bounded.is_within("calls", &["calls"], bounded.taken(), 9.6);
}

/// What traces of calls take beside the calls, with as much state of their clients as may be: 32
/// members in 512 bytes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stderr, reason = "the table of docs/measurements.md")]
async fn traces_of_calls() {
    let state = trace_state();
    assert!(state.len() <= 512);
    // In four headers: each is below 127 bytes.
    let states: Vec<_> = state.split(",").collect();
    let states: Vec<_> = states.chunks(8).map(|some| some.join(",")).collect();
    let mut more = vec![("traceparent", TRACE_PARENT)];
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

/// What many headers leave of a call: nothing, or 480 of a letter each would take 56 KB of it
/// while its message is incomplete, whatever calls are said to take.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_with_many_headers() {
    const COUNT: usize = 3000;
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    for (path, least_mib) in [(DIGEST, 9.6), (BATCH, 9.0), (reflection, 20.0)] {
        let bounded = Bounded::start(&[
            "--connections-max=4",
            "--streams-max=3000",
            "--unary-bytes-max=128MiB",
        ])
        .await;
        let begin = message(0, &[10; 4000]).slice(..3999);
        let mut wires = Vec::new();
        for _ in 0..3 {
            let mut wire = Wire::connect(bounded.grpc()).await;
            for id in streams().take(COUNT / 3) {
                let usual = headers_of(path, id, 0, &[]);
                let block = [&usual[9..], &tiny_fields(440)].concat();
                let call = [
                    frame(HEADERS, END_HEADERS, id, &block),
                    frame(DATA, 0, id, &begin),
                ];
                wire.send(&call.concat()).await;
                if id % 40 == 1 {
                    wire.all_is_read().await;
                }
            }
            wire.all_is_read().await;
            wires.push(wire);
        }
        bounded
            .until("all are open", |m| {
                m.sum("hashlane_streams", &[]) == COUNT as f64
            })
            .await;
        let what = format!("calls of {path} with 440 headers");
        let rows: &[&str] = match path {
            DIGEST => &["calls", "connections"],
            _ => &["calls", "connections", "whole messages"],
        };
        let taken = bounded.taken();
        bounded.is_within(&what, rows, taken, least_mib);
        // A call with its message, however many rows allow more.
        assert!(taken < 3000.0 * 30.0 * 1024.0, "{what}: {taken}");
    }
}

/// Calls of one message, of which each began, until there is no room for another: of the
/// service, which take their message and 2 KiB, and of reflection, which take 40 KiB. The row
/// of calls has more for each than they need: it has room for a message that is decoded as it
/// comes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unary_calls() {
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    for (path, bound, least_mib) in [(BATCH, "8MiB", 8.0), (reflection, "64MiB", 15.0)] {
        let unary = format!("--unary-bytes-max={bound}");
        let bounded = Bounded::start(&["--streams-max=4000", &unary]).await;
        let begin = message(0, &[10; 500]).slice(..499);
        let mut wires = Vec::new();
        let mut count = 0;
        while refusals(&bounded.server.metrics(), "SERVER_BUSY") == 0.0 {
            let mut wire = Wire::connect(bounded.grpc()).await;
            for id in streams().take(100) {
                let more: Vec<_> = (0..8).map(|_| ("name", "of a value")).collect();
                let call = [headers_of(path, id, 0, &more), frame(DATA, 0, id, &begin)];
                wire.send(&call.concat()).await;
                count += 1;
            }
            wire.all_is_read().await;
            wires.push(wire);
            bounded
                .until("all are open or refused", |m| {
                    m.sum("hashlane_streams", &[]) + refusals(m, "SERVER_BUSY") == f64::from(count)
                })
                .await;
        }
        let max = bounded.server.metrics();
        let labels = [("budget", "unary_bytes")];
        let max = max.sum("hashlane_budget_max", &labels);
        let taken = used(&bounded.server.metrics(), "unary_bytes");
        assert!(taken > max - 41.0 * 1024.0, "{taken} of {max}");
        let mut raw = Raw::tcp(bounded.grpc()).await;
        let request = [message(0, &[10; 500])];
        bounded
            .refuses(&mut raw, path, &request, "SERVER_BUSY")
            .await;
        let what = format!("{count} calls of {path}");
        let rows = ["calls", "whole messages"];
        bounded.is_within(&what, &rows, bounded.taken(), least_mib);
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
        let used = |m: &Metrics| used(m, "parts");
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
        let one = [message(0, &one.encode_to_vec())];
        bounded
            .refuses(&mut other, DIGEST, &one, "SERVER_BUSY")
            .await;
        // What takes a little more than a KiB counts as two.
        let least_mib = if of_each == 2.0 { 5.5 } else { 8.8 };
        let what = format!("{count} parts of {algorithm}");
        let rows = ["digests of open parts"];
        bounded.is_within(&what, &rows, bounded.taken(), least_mib);
        drop((response, sending));
    }
}

/// Messages of a byte, many in a frame: each byte is a chunk that waits for the engine. Its bound
/// refuses nothing: sockets are not read meanwhile. Without it these take 91 MiB.
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
    bounded.is_within("chunks", &rows, bounded.most_taken(), 3.7);
}

/// Frames of a byte, more than a connection has credit for: it is not refused, but not read for
/// a moment, in which what was read with the last of them waits. attacks.rs sees it wait.
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
    bounded.is_within("read ahead", &rows, bounded.most_taken(), 13.0);
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
    bounded
        .refuses(&mut raw, DIGEST, &[begin], "OUT_OF_ORDER_DATA_LIMIT")
        .await;
    bounded.is_within("held data", &["data held"], bounded.taken(), 18.9);
}

/// Whole messages but for a byte.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whole_messages() {
    for (piece, least_mib) in [
        (1_000, 46.0),
        (9_000, 36.0),
        (40_000, 25.0),
        (1 << 20, 19.0),
    ] {
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
        let mut raw = Raw::tcp(bounded.grpc()).await;
        bounded
            .refuses(&mut raw, BATCH, &[begin], "SERVER_BUSY")
            .await;
        let what = format!("whole messages of {piece} bytes");
        let rows = ["whole messages", "calls"];
        bounded.is_within(&what, &rows, bounded.taken(), least_mib);
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
    // Each takes 6.1 MiB of the bound, until its answer has left.
    for _ in 0..5 {
        let (response, mut sending) = raw.begin(BATCH, &[]).await;
        sending.send_data(whole.clone(), true).unwrap();
        open.push((response, sending));
    }
    bounded
        .until("all are answered", |m| {
            m.sum("hashlane_parts_total", &[("outcome", "digest")]) == 50_001.0
        })
        .await;
    bounded
        .refuses(&mut raw, BATCH, &[whole], "SERVER_BUSY")
        .await;
    bounded.is_within("batches", &["whole messages"], bounded.most_taken(), 5.0);
}

/// Parts that ask for all digests, and whose answers are not taken.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers() {
    for (algorithms, least_mib) in [(vec![], 20.0), (crate::common::numbers(), 10.7)] {
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
        // Whoever held most.
        let labels = [("reason", "unread")];
        let cut = |m: &Metrics| m.sum("hashlane_connections_ended_total", &labels);
        bounded.until("one is cut off", |m| cut(m) >= 1.0).await;
        let what = format!("answers of {} digests", algorithms.len().max(1));
        let rows = ["answers", "connections"];
        bounded.is_within(&what, &rows, bounded.taken(), least_mib);
    }
}

/// Parts whose answers are more than are read ahead of a client that does not take them.
fn answered_parts() -> Vec<u8> {
    let parts = 0..5000;
    let parts = parts.flat_map(|part| message(0, &digest(part, b"", true).encode_to_vec()));
    parts.collect()
}

/// Waits until the server has read all, and checks that no window has come back, but for that of
/// the parts before.
async fn keeps_its_window(wire: &mut Wire) {
    let parts = answered_parts().len();
    wire.send(&frame(PING, 0, 0, b"all read")).await;
    loop {
        let frame = wire.next().await.expect("closed");
        if frame.kind == WINDOW_UPDATE {
            assert!(frame.number() as usize <= parts, "{frame:?}");
        }
        if frame.kind == PING && frame.flags == ACK {
            return;
        }
    }
}

/// CVE-2019-9517: HTTP/2's windows are open and the sockets are not read, so answers wait for
/// sockets alone. Whoever holds most is closed, and an honest client goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_wait_for_sockets() {
    const CONNECTIONS: usize = 30;
    let flags = ["--unread-bytes-max=16MiB", "--connections-max=40"];
    let bounded = Bounded::start(&flags).await;
    let honest = Honest::start(bounded.grpc()).await;
    let part = |part| {
        let request = DigestRequest {
            open: asking(crate::common::numbers()),
            ..digest(part, b"", true)
        };
        message(0, &request.encode_to_vec())
    };
    let some: Vec<u8> = (0..1000).flat_map(part).collect();
    let labels = [("reason", "unread")];
    let cut = |m: &Metrics| m.sum("hashlane_connections_ended_total", &labels);
    let mut open = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut socket = small_socket(bounded.grpc()).await;
        let bytes = [greedy_call(), frame(DATA, 0, 1, &some)].concat();
        socket.write_all(&bytes).await.unwrap();
        honest.goes_on().await;
        open.push(socket);
    }
    bounded.until("one is cut off", |m| cut(m) >= 1.0).await;
    honest.end().await;
    let rows = ["answers", "connections"];
    let taken = bounded.most_taken();
    bounded.is_within("answers that wait for sockets", &rows, taken, 9.6);
}

/// Small frames that no call takes: of streams that wait for their answers to be taken. They are
/// put together, so they take what their bytes take, which is too little to be measured: that the
/// bound is reached shows by the window, which does not come back. A call of reflection is
/// refused beyond 16 KiB.
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
            DIGEST => answered_parts(),
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
            if path == DIGEST {
                keeps_its_window(wire).await;
            } else {
                wire.all_is_read().await;
            }
        }
        bounded.has_read(before, CONNECTIONS * FRAMES).await;
        if path != DIGEST {
            let piled_up = |m: &Metrics| refusals(m, "ANSWERS_NOT_TAKEN");
            bounded
                .until("all are refused", |m| piled_up(m) == CONNECTIONS as f64)
                .await;
        }
        let what = format!("small frames of {path}");
        let rows = ["bytes received", "calls", "connections"];
        bounded.is_within(&what, &rows, bounded.taken(), -1.0);
    }
}

/// Windows that are full: of streams whose answers are not taken. Eight have 4 MiB each; all
/// others, half of the bound, would have 64 KiB each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn windows() {
    const CONNECTIONS: usize = 8;
    const WINDOW: usize = 4 << 20;
    for (frame_bytes, least_mib) in [(256, 19.0), (1000, 19.0), (16_000, 19.0)] {
        let mut bounded = Bounded::start(&[
            "--http2-connection-window-bytes=4MiB",
            "--http2-stream-window-bytes=4MiB",
            "--http2-connection-window-bytes-max=4MiB",
            "--receive-windows-bytes-max=64MiB",
            "--unread-bytes-max=1GiB",
        ])
        .await;
        let parts = answered_parts();
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
        bounded.before = bounded.server.resident_bytes();
        let before = received(&bounded.server.metrics());
        let message = message(0, &digest(5000, &[7; 1 << 20], true).encode_to_vec());
        let bytes = message.repeat(4);
        // The parts may have theirs still.
        let bytes = &bytes[..WINDOW - parts.len()];
        let frames: Vec<u8> = bytes
            .chunks(frame_bytes)
            .flat_map(|piece| frame(DATA, 0, 1, piece))
            .collect();
        for wire in &mut open {
            wire.send(&frames).await;
            keeps_its_window(wire).await;
        }
        bounded.has_read(before, CONNECTIONS * bytes.len()).await;
        let what = format!("windows in frames of {frame_bytes} bytes");
        bounded.is_within(&what, &["bytes received"], bounded.taken(), least_mib);
        // The windows of the others.
        let mut others = Vec::new();
        for _ in 0..(32 << 20) / 65_535 {
            others.push(TcpStream::connect(bounded.grpc()).await.unwrap());
        }
        bounded.takes_no_more_connections().await;
    }
}
