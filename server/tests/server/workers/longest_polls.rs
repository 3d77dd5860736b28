//! No call and no path of the admin port blocks a worker: for any message, a poll of its connection
//! takes little CPU time. CPU time of other threads does not count. The best of several tries
//! counts, because a busy machine has cold caches.

use std::time::Duration;

use crate::common::h2_client::{Raw, message};
use crate::common::{
    PATIENCE, TestServer, asking, digest, expected_digests, number, numbers, pattern,
};
use bytes::{Bytes, BytesMut};
use h2::{Reason, RecvStream, SendStream};
use hashlane_engine::Algorithm;
use hashlane_proto::v1::{
    ChecksumType, ComposeRequest, DigestBatchRequest, DigestRequest, GetServerInfoRequest,
    VerifyRequest,
};
use http::Request;
use prost::Message;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;

/// Limit of a poll's CPU time. It is higher in the test profile, which is several times slower than
/// a release build. Before calls worked in pieces, the largest messages took tens of milliseconds.
const LIMIT: Duration = if cfg!(debug_assertions) {
    Duration::from_millis(4)
} else {
    Duration::from_millis(1)
};

const TRIES: usize = 32;

/// Parts of Compose, blobs of DigestBatch, and open parts of a stream.
const PARTS: usize = 10_000;

/// Maximum of calls on a connection.
const CALLS: usize = 1_000;

const HASH: &str = "/hashlane.v1.HashService";
const HEALTH: &str = "/grpc.health.v1.Health";
const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/// The actions of a client.
struct Row {
    what: String,
    path: String,
    calls: usize,
    /// Messages of each call.
    body: Bytes,
    /// The body is the complete request.
    is_whole: bool,
    /// Answers of each call that arrive before its end.
    answers: usize,
    /// The server hashes before the calls end.
    is_begun: bool,
    end: End,
}

/// How all calls end at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The last byte of their single message arrives, and they are answered.
    LastByte,
    HalfClose,
    Reset,
    /// A refused message.
    Refused,
    /// The connection closes.
    Close,
    /// The server drains.
    Drain,
}

impl Row {
    fn new(what: impl Into<String>, path: &str, body: Bytes) -> Self {
        Self {
            what: what.into(),
            path: path.to_owned(),
            calls: 1,
            body,
            is_whole: false,
            answers: 0,
            is_begun: false,
            end: End::HalfClose,
        }
    }

    /// A unary call.
    fn unary(what: impl Into<String>, path: &str, request: &impl Message) -> Self {
        let body = message(0, &request.encode_to_vec());
        Self::new(what, path, body).end(End::LastByte)
    }

    fn calls(self, calls: usize) -> Self {
        Self { calls, ..self }
    }

    fn answers(self, answers: usize) -> Self {
        Self { answers, ..self }
    }

    fn end(self, end: End) -> Self {
        Self { end, ..self }
    }

    /// Sends the complete request, and ends the call while it is processed.
    fn ends_at_work(self, end: End) -> Self {
        Self {
            is_whole: true,
            is_begun: true,
            end,
            ..self
        }
    }
}

/// A connection with h2.
struct Connection {
    requests: h2::client::SendRequest<Bytes>,
    task: JoinHandle<()>,
}

impl Connection {
    async fn open(server: &TestServer) -> Self {
        let socket = TcpStream::connect(server.grpc).await.unwrap();
        let (requests, connection) = h2::client::Builder::new()
            .initial_window_size(8 << 20)
            .initial_connection_window_size(64 << 20)
            .max_send_buffer_size(64 << 20)
            .handshake(socket)
            .await
            .unwrap();
        let task = tokio::spawn(async move {
            let _ = connection.await;
        });
        Self { requests, task }
    }

    async fn begin(&mut self, path: &str) -> (h2::client::ResponseFuture, SendStream<Bytes>) {
        let request = Request::post(format!("http://test{path}"))
            .header("te", "trailers")
            .header("content-type", "application/grpc")
            .body(())
            .unwrap();
        let mut ready = self.requests.clone().ready().await.unwrap();
        ready.send_request(request, false).unwrap()
    }
}

/// The answer of one call.
struct Reading {
    response: Option<h2::client::ResponseFuture>,
    body: Option<RecvStream>,
    bytes: BytesMut,
}

impl Reading {
    /// Waits for `count` messages.
    async fn messages(&mut self, count: usize) {
        for _ in 0..count {
            while !self.has_message() {
                assert!(self.more().await, "it ends before its answers");
            }
            let bytes = self.message_bytes();
            let _message = self.bytes.split_to(bytes);
        }
    }

    fn message_bytes(&self) -> usize {
        5 + u32::from_be_bytes(self.bytes[1..5].try_into().unwrap()) as usize
    }

    fn has_message(&self) -> bool {
        self.bytes.len() >= 5 && self.bytes.len() >= self.message_bytes()
    }

    /// Reads to the end.
    async fn end(&mut self) {
        while self.more().await {}
    }

    async fn more(&mut self) -> bool {
        if let Some(response) = self.response.take() {
            self.body = response.await.ok().map(http::Response::into_body);
        }
        let Some(body) = &mut self.body else {
            return false;
        };
        let Some(Ok(data)) = body.data().await else {
            return false;
        };
        let _ = body.flow_control().release_capacity(data.len());
        self.bytes.extend_from_slice(&data);
        true
    }
}

/// Runs the row on a separate server. Returns the longest poll.
async fn longest_poll(row: &Row) -> Duration {
    let mut server = TestServer::start(&[("workers", "1"), ("drain_timeout", "100ms")]);
    let mut connection = Connection::open(&server).await;
    let whole = row.end != End::LastByte;
    let now = row.body.len() - usize::from(!whole);
    let mut calls = Vec::new();
    for _ in 0..row.calls {
        let (response, mut sending) = connection.begin(&row.path).await;
        let body = row.body.slice(..now);
        sending.send_data(body, row.is_whole).unwrap();
        let reading = Reading {
            response: Some(response),
            body: None,
            bytes: BytesMut::new(),
        };
        calls.push((reading, sending));
    }
    for (reading, _) in &mut calls {
        reading.messages(row.answers).await;
    }
    if row.is_begun {
        let begun = |m: &crate::common::Metrics| m.sum("hashlane_hashed_bytes_total", &[]) > 0.0;
        server.until("nothing is hashed", begun).await;
    }
    if !whole {
        // The answer to a later call.
        let info = message(0, &GetServerInfoRequest {}.encode_to_vec());
        let path = format!("{HASH}/GetServerInfo");
        let answer = Raw::tcp(server.grpc).await.call(&path, &[], &[info]).await;
        assert_eq!(answer.status.unwrap().code(), Code::Ok);
    }
    for (_, sending) in &mut calls {
        match row.end {
            End::LastByte => sending.send_data(row.body.slice(now..), true).unwrap(),
            End::HalfClose => sending.send_data(Bytes::new(), true).unwrap(),
            End::Refused => sending.send_data(message(9, &[]), true).unwrap(),
            End::Reset => sending.send_reset(Reason::CANCEL),
            End::Close | End::Drain => {}
        }
    }
    match row.end {
        End::LastByte | End::HalfClose | End::Refused => {
            for (reading, _) in &mut calls {
                reading.end().await;
            }
        }
        End::Close => connection.task.abort(),
        End::Drain => server.stop(),
        End::Reset => {}
    }
    if row.end == End::Drain {
        for (reading, _) in &mut calls {
            reading.end().await;
        }
        drop((calls, connection));
        server.join().unwrap();
    } else {
        let nothing_is_left = |m: &crate::common::Metrics| {
            m.sum("hashlane_streams", &[]) == 0.0 && m.sum("hashlane_open_jobs", &[]) == 0.0
        };
        server.until("calls are left", nothing_is_left).await;
    }
    server.faults.take_longest_poll()
}

/// Retries until no poll is too long.
#[expect(clippy::print_stderr, reason = "the table of docs/measurements.md")]
async fn no_poll_is_long(rows: Vec<Row>) {
    let mut long = Vec::new();
    for row in rows {
        let mut longest = Vec::new();
        for _ in 0..TRIES {
            let took = timeout(PATIENCE, longest_poll(&row)).await;
            let took = took.unwrap_or_else(|_| panic!("{} does not end", row.what));
            assert!(!took.is_zero(), "polls are timed");
            longest.push(took);
            if took < LIMIT {
                break;
            }
        }
        let least = longest.iter().min().unwrap();
        eprintln!("{:?} {least:>12.1?} {longest:.1?}: {}", row.end, row.what);
        if *least >= LIMIT {
            long.push(format!("{}: {longest:?}", row.what));
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

fn compose(algorithm: Algorithm, checksum_type: ChecksumType) -> Row {
    let digest_bytes = algorithm.digest_bytes();
    let is_whole = checksum_type == ChecksumType::FullObject;
    let lengths = (0..PARTS as u64).map(|part| u64::MAX - 0x9E37_79B9_7F4A * part);
    let request = ComposeRequest {
        algorithm: number(algorithm),
        part_digests: (0..PARTS)
            .map(|part| pattern(digest_bytes, part).into())
            .collect(),
        checksum_type: checksum_type.into(),
        part_size_bytes: if is_whole {
            lengths.collect()
        } else {
            Vec::new()
        },
        ..Default::default()
    };
    let what = format!("Compose of {algorithm}, {checksum_type:?}");
    Row::unary(what, &format!("{HASH}/Compose"), &request).calls(4)
}

fn batch(blobs: usize, bytes: usize, digests: usize) -> Row {
    let algorithms: Vec<_> = numbers().into_iter().rev().take(digests).collect();
    let request = DigestBatchRequest {
        algorithms,
        blobs: vec![vec![7; bytes].into(); blobs],
    };
    let what = format!("DigestBatch of {blobs} blobs of {bytes} bytes, {digests} digests");
    Row::unary(what, &format!("{HASH}/DigestBatch"), &request)
}

/// Messages of a stream.
fn stream(messages: impl IntoIterator<Item = DigestRequest>) -> Bytes {
    let mut body = BytesMut::new();
    for request in messages {
        body.extend_from_slice(&message(0, &request.encode_to_vec()));
    }
    body.freeze()
}

/// A part with these digests.
fn part(number: u64, algorithms: &[i32], bytes: usize, last: bool) -> DigestRequest {
    DigestRequest {
        open: asking(algorithms.to_vec()),
        ..digest(number, &vec![7; bytes], last)
    }
}

/// Open parts, and one answered part, which shows that all have arrived.
fn open_parts(count: usize, algorithms: &[i32], bytes: usize) -> Bytes {
    let open = (1..=count as u64).map(|number| part(number, algorithms, bytes, false));
    stream(open.chain([part(0, &[], 1, true)]))
}

fn digest_rows(what: &str, body: Bytes) -> Row {
    Row::new(format!("Digest: {what}"), &format!("{HASH}/Digest"), body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unary_calls() {
    let crcs = [Algorithm::Crc32, Algorithm::Crc32c, Algorithm::Crc64Nvme];
    let others = [
        Algorithm::Md5,
        Algorithm::Sha1,
        Algorithm::Sha256,
        Algorithm::Sha512,
        Algorithm::Xxh128,
    ];
    let mut rows: Vec<_> = crcs.map(|a| compose(a, ChecksumType::FullObject)).into();
    rows.extend(others.map(|a| compose(a, ChecksumType::Composite)));
    for (blobs, bytes, digests) in [
        (PARTS, 0, 1),
        (PARTS, 400, 1),
        (7_000, 1, 28),
        (PARTS, 0, 20),
        (480, 8700, 28),
        (1, 4_000_000, 28),
    ] {
        rows.push(batch(blobs, bytes, digests));
    }
    for end in [End::Reset, End::Close] {
        let large = batch(480, 8700, 28).calls(8);
        rows.push(large.ends_at_work(end));
        let many = batch(7_000, 1, 28).calls(8);
        rows.push(many.ends_at_work(end));
    }
    let info = format!("{HASH}/GetServerInfo");
    rows.push(Row::unary("GetServerInfo", &info, &GetServerInfoRequest {}).calls(CALLS));
    no_poll_is_long(rows).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_of_many_digests() {
    let all = numbers();
    let large = stream((0..4).map(|number| part(number, &all, 1 << 20, true)));
    let small = stream((0..4000).map(|number| part(number, &all, 1, true)));
    let short = stream([part(0, &all, 60_000, true)]);
    // Data before the fields that describe it.
    let held = {
        let mut request = digest(1, &[7; 3 << 20], true).encode_to_vec();
        request.extend(part(1, &all, 0, true).encode_to_vec());
        message(0, &request)
    };
    let verify = (0..200).map(|number| VerifyRequest {
        part: number,
        expected: expected_digests(&[7; 1000]),
        last: true,
        data: vec![7; 1000].into(),
        ..Default::default()
    });
    let mut verified = BytesMut::new();
    for request in verify {
        verified.extend_from_slice(&message(0, &request.encode_to_vec()));
    }
    no_poll_is_long(vec![
        digest_rows("every digest of 1 MiB", large.clone()).answers(4),
        digest_rows("every digest of 1 MiB, 16 calls", large).calls(16),
        digest_rows("every digest of one frame, 100 calls", short).calls(100),
        digest_rows("every digest of a byte", small).answers(4000),
        digest_rows("every digest of data that is held", held),
        Row::new(
            "Verify: every digest",
            &format!("{HASH}/Verify"),
            verified.freeze(),
        )
        .answers(200),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_of_many_messages() {
    let empty = Bytes::from(vec![0; 5 << 17]);
    let one = stream((0..20_000).map(|number| part(number, &[], 1, true)));
    let piece = stream(
        [part(1, &[], 0, false)]
            .into_iter()
            .chain((0..100_000).map(|_| digest(1, b"x", false))),
    );
    no_poll_is_long(vec![
        digest_rows("empty messages", empty),
        digest_rows("parts of one byte", one),
        digest_rows("a part byte by byte", piece),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_many_parts() {
    let all = numbers();
    let ends = [
        End::HalfClose,
        End::Refused,
        End::Reset,
        End::Close,
        End::Drain,
    ];
    let mut rows = Vec::new();
    for end in ends {
        let many = open_parts(PARTS - 1, &[], 1);
        rows.push(digest_rows("open parts", many).answers(1).end(end));
        let wide = open_parts(1000, &all, 1);
        rows.push(
            digest_rows("open parts with every digest", wide)
                .answers(1)
                .end(end),
        );
        let few = open_parts(20, &[], 1);
        rows.push(
            digest_rows("calls with open parts", few)
                .calls(CALLS)
                .answers(1)
                .end(end),
        );
    }
    no_poll_is_long(rows).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_and_reflection() {
    let check = HealthCheckRequest {
        service: "hashlane.v1.HashService".to_owned(),
    };
    let health = |method: &str| {
        let path = format!("{HEALTH}/{method}");
        Row::unary(format!("Health {method}"), &path, &check).calls(CALLS)
    };
    let reflect = |what: &str, request: MessageRequest, count: usize| {
        let request = ServerReflectionRequest {
            host: String::new(),
            message_request: Some(request),
        };
        let one = message(0, &request.encode_to_vec());
        let body = Bytes::from(one.repeat(count));
        Row::new(format!("Reflection: {what}"), REFLECTION, body)
    };
    let symbol = |name: &str| MessageRequest::FileContainingSymbol(name.to_owned());
    let services = MessageRequest::ListServices(String::new());
    let watch = Row::new(
        "Health Watch",
        &format!("{HEALTH}/Watch"),
        message(0, &check.encode_to_vec()),
    );
    let mut watch = watch.calls(CALLS).answers(1);
    watch.is_whole = true;
    no_poll_is_long(vec![
        health("Check"),
        watch.end(End::Reset),
        reflect("a symbol", symbol("hashlane.v1.HashService"), 1).calls(200),
        reflect(
            "a symbol, many times",
            symbol("hashlane.v1.HashService"),
            300,
        )
        .calls(10),
        reflect("services, many times", services, 1000).calls(10),
        reflect("no symbol", symbol(&"x".repeat(16_000)), 20).calls(10),
    ])
    .await;
}

/// Nor is the thread blocked that accepts connections.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stderr, reason = "the table of docs/measurements.md")]
async fn paths_of_the_admin_port() {
    // The page shows the counters of all workers.
    let server = TestServer::start(&[("workers", "32")]);
    let body = open_parts(9, &numbers(), 1);
    let mut connections = Vec::new();
    for _ in 0..20 {
        let mut connection = Connection::open(&server).await;
        let mut calls = Vec::new();
        for _ in 0..20 {
            let (response, mut sending) = connection.begin(&format!("{HASH}/Digest")).await;
            sending.send_data(body.clone(), false).unwrap();
            calls.push((response, sending));
        }
        connections.push((connection, calls));
    }
    server
        .until("calls are open", |m| {
            m.sum("hashlane_streams", &[]) == 400.0
        })
        .await;
    for path in [
        "/",
        "/page.css",
        "/page.mjs",
        "/figures.mjs",
        "/metrics",
        "/debug/state",
        "/healthz",
        "/readyz",
        "/nothing",
    ] {
        let mut longest = Vec::new();
        for _ in 0..TRIES {
            let _ = server.faults.take_longest_admin_poll();
            let _answer = server.get(path);
            // The poll that answered has ended when its thread answers again.
            let _answer = server.get("/healthz");
            let took = server.faults.take_longest_admin_poll();
            longest.push(took);
            if took < LIMIT {
                break;
            }
        }
        eprintln!("{longest:.1?}: {path}");
        let is_short = longest.iter().any(|took| *took < LIMIT);
        assert!(is_short, "{path}: {longest:?}");
    }
}
