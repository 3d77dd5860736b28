//! PUT /v1/digest over HTTP/1.1 and HTTP/2.

use std::future::poll_fn;

use bytes::Bytes;
use hashlane_engine::encoding::Encoding;
use hashlane_engine::{Algorithm, Hasher};
use hashlane_http2_frames::literal;
use hashlane_server::Settings;
use serde_json::Value;
use tokio::io::BufReader;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _,
};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::common::frame_client::{
    DATA, END_HEADERS, END_STREAM, HEADERS, RST_STREAM, Wire, frame,
};
use crate::common::h2_client::{Raw, read};
use crate::common::honest::Honest;
use crate::common::tls::{Ca, Files, TlsClient};
use crate::common::{Metrics, PATIENCE, TestServer};

const PATH: &str = "/v1/digest";

/// A response of HTTP/1.1.
#[derive(Debug)]
struct Response {
    status: u16,
    head: String,
    json: Value,
}

impl Response {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(found, _)| found.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value)
    }

    fn reason(&self) -> (u16, &str) {
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json")
        );
        assert_eq!(self.json["status"], self.status);
        (self.status, self.json["reason"].as_str().unwrap())
    }
}

/// A connection of HTTP/1.1.
struct Http1<S>(BufReader<S>);

impl Http1<TcpStream> {
    async fn tcp(server: &TestServer) -> Self {
        Self::over(TcpStream::connect(server.grpc).await.unwrap())
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Http1<S> {
    fn over(socket: S) -> Self {
        Self(BufReader::new(socket))
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).await.unwrap();
    }

    /// Reads a response, after any that say only that the client may go on.
    async fn response(&mut self) -> Response {
        timeout(PATIENCE, self.read()).await.unwrap()
    }

    async fn read(&mut self) -> Response {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let bytes = self.0.read_line(&mut head).await.unwrap();
            assert_ne!(bytes, 0, "the connection ended: {head}");
        }
        let mut response = Response {
            status: head[9..12].parse().unwrap(),
            head,
            json: Value::Null,
        };
        let length = response.header("content-length").unwrap_or("0").parse();
        let mut body = vec![0; length.unwrap()];
        self.0.read_exact(&mut body).await.unwrap();
        if !body.is_empty() {
            response.json = serde_json::from_slice(&body).unwrap();
        }
        response
    }

    async fn is_closed(&mut self) {
        let mut rest = Vec::new();
        let end = timeout(PATIENCE, self.0.read_to_end(&mut rest)).await;
        assert!(end.is_ok(), "still open");
        assert_eq!(rest, b"");
    }

    /// One request with a body of known length.
    async fn put(&mut self, query: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
        let length = body.len();
        let mut head =
            format!("PUT {PATH}{query} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n");
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += "\r\n";
        let mut request = head.into_bytes();
        request.extend_from_slice(body);
        self.send(&request).await;
        self.response().await
    }
}

fn data(bytes: usize) -> Vec<u8> {
    (0..251).cycle().take(bytes).collect()
}

fn text(encoding: Encoding, algorithm: Algorithm, data: &[u8]) -> String {
    let mut hasher = Hasher::new(algorithm);
    hasher.update(data);
    encoding.encode(algorithm, &hasher.finalize()).unwrap()
}

fn hex(algorithm: Algorithm, data: &[u8]) -> String {
    text(Encoding::Hex, algorithm, data)
}

/// Sums of the metrics of this path, once no call is open.
async fn counted(server: &TestServer) -> Metrics {
    let ended = |m: &Metrics| m.sum("hashlane_streams", &[]) == 0.0;
    server.until("all calls have ended", ended).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn digests_of_all_sizes_and_algorithms() {
    let server = TestServer::start(&[]);
    let mut client = Http1::tcp(&server).await;
    for bytes in [0, 1, 63, 64, 65, 1000, 70_000, 3_000_000] {
        let data = data(bytes);
        let response = client.put("", &[], &data).await;
        assert_eq!(response.status, 200, "{response:?}");
        assert_eq!(response.header("content-type"), Some("application/json"));
        assert_eq!(response.json["size_bytes"], bytes);
        assert_eq!(
            response.json["digests"]["sha256"],
            hex(Algorithm::Sha256, &data)
        );
        assert_eq!(response.json.get("verdict"), None);
        let field = text(Encoding::Rfc9530, Algorithm::Sha256, &data);
        assert_eq!(response.header("repr-digest"), Some(&field[..]));
    }
    let data = data(100_000);
    let names: Vec<_> = Algorithm::all().map(Algorithm::name).collect();
    let query = format!("?algorithm={}", names.join(","));
    let response = client.put(&query, &[("x-request-id", "mine")], &data).await;
    for algorithm in Algorithm::all() {
        let found = &response.json["digests"][algorithm.name()];
        assert_eq!(*found, hex(algorithm, &data), "{algorithm}");
    }
    let both = [Algorithm::Sha256, Algorithm::Sha512];
    let both = both.map(|algorithm| text(Encoding::Rfc9530, algorithm, &data));
    assert_eq!(response.header("repr-digest"), Some(&both.join(", ")[..]));
    assert_eq!(response.header("x-request-id"), Some("mine"));
    let metrics = counted(&server).await;
    let labels = [("grpc_method", "PUT"), ("grpc_code", "OK")];
    assert_eq!(metrics.sum("grpc_server_handled_total", &labels), 9.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_in_chunks_is_read_once_the_client_may_go_on() {
    let server = TestServer::start(&[]);
    let mut client = Http1::tcp(&server).await;
    for extension in ["", ";name=value"] {
        let head = format!(
            "PUT {PATH}?algorithm=md5 HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\
             expect: 100-continue\r\n\r\n"
        );
        client.send(head.as_bytes()).await;
        let response = client.response().await;
        assert_eq!(response.status, 100, "{response:?}");
        let data = data(5000);
        for piece in data.chunks(700) {
            client
                .send(format!("{:x}{extension}\r\n", piece.len()).as_bytes())
                .await;
            client.send(piece).await;
            client.send(b"\r\n").await;
        }
        client.send(b"0\r\nx-trailer: 1\r\n\r\n").await;
        let response = client.response().await;
        assert_eq!(response.json["digests"]["md5"], hex(Algorithm::Md5, &data));
        assert_eq!(response.json["size_bytes"], 5000);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn expected_digests_are_compared() {
    let server = TestServer::start(&[]);
    let mut client = Http1::tcp(&server).await;
    let (good, bad) = (data(10_000), data(10_001));
    let base64 = |algorithm, data: &[u8]| text(Encoding::Base64, algorithm, data);
    let mut fields = vec![("content-md5".to_owned(), Algorithm::Md5)];
    for algorithm in Algorithm::all() {
        fields.push((format!("x-amz-checksum-{algorithm}"), algorithm));
    }
    for (field, algorithm) in &fields {
        for (data, status, verdict) in [(&good, 200, "match"), (&bad, 400, "")] {
            let expected = base64(*algorithm, &good);
            let response = client.put("", &[(field, &expected)], data).await;
            assert_eq!(response.status, status, "{field}: {response:?}");
            assert_eq!(
                response.json["digests"][algorithm.name()],
                hex(*algorithm, data)
            );
            if status == 200 {
                assert_eq!(response.json["verdict"], verdict);
            } else {
                assert_eq!(response.reason(), (400, "DIGEST_MISMATCH"));
            }
        }
    }
    for field in ["repr-digest", "content-digest"] {
        let of = |data: &[u8]| text(Encoding::Rfc9530, Algorithm::Sha512, data);
        // Other digests may be wanted too.
        let query = "?algorithm=crc32,sha512";
        let response = client.put(query, &[(field, &of(&good))], &good).await;
        assert_eq!(response.json["verdict"], "match", "{response:?}");
        assert_eq!(
            response.json["digests"]["crc32"],
            hex(Algorithm::Crc32, &good)
        );
        let response = client.put("", &[(field, &of(&bad))], &good).await;
        assert_eq!(response.reason(), (400, "DIGEST_MISMATCH"));
    }
    let metrics = counted(&server).await;
    let of = |outcome| {
        let labels = [("rpc", "Verify"), ("outcome", outcome)];
        metrics.sum("hashlane_parts_total", &labels)
    };
    let count = f64::from(u32::try_from(fields.len()).unwrap()) + 2.0;
    assert_eq!(
        (of("match"), of("mismatch")),
        (count, count),
        "{}",
        metrics.0
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_answered_is_refused_with_a_reason() {
    let server = TestServer::start(&[("part_bytes_max", "1MiB")]);
    for (query, headers, expected) in [
        (
            "?algorithm=sha-256",
            &[][..],
            (400, "UNSUPPORTED_ALGORITHM"),
        ),
        ("?algorithm=md5,md5", &[], (400, "DUPLICATE_ALGORITHM")),
        ("?hash=md5", &[], (400, "MALFORMED_REQUEST")),
        ("", &[("content-md5", "AAAA")], (400, "DIGEST_LENGTH")),
        ("", &[("content-md5", "?")], (400, "MALFORMED_REQUEST")),
        (
            "",
            &[("content-range", "bytes 0-2/9")],
            (400, "MALFORMED_REQUEST"),
        ),
        (
            "",
            &[("content-encoding", "gzip, AWS-chunked")],
            (400, "MALFORMED_REQUEST"),
        ),
        (
            "",
            &[("repr-digest", "sha-256=abc")],
            (400, "MALFORMED_REQUEST"),
        ),
        (
            "",
            &[("repr-digest", "sha-256=:YWJj:")],
            (400, "MALFORMED_REQUEST"),
        ),
    ] {
        let mut client = Http1::tcp(&server).await;
        let response = client.put(query, headers, b"abc").await;
        assert_eq!(response.reason(), expected, "{query} {headers:?}");
        // The rest of a short body is read, so that the connection goes on.
        let response = client.put("", &[], b"abc").await;
        assert_eq!(response.json["size_bytes"], 3, "{query} {headers:?}");
    }
    for (request, status, allow) in [
        ("GET /v1/digest", 405, Some("PUT")),
        ("POST /v1/digest", 405, Some("PUT")),
        ("GET /", 404, None),
        ("POST /hashlane.v1.HashService/Digest", 404, None),
        ("OPTIONS *", 404, None),
        ("PROPFIND /v1/digest", 405, Some("PUT")),
        ("put /v1/digest", 405, Some("PUT")),
        ("\r\nGET /v1/digest", 405, Some("PUT")),
    ] {
        let mut client = Http1::tcp(&server).await;
        let request = format!("{request} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n");
        client.send(request.as_bytes()).await;
        let response = client.response().await;
        assert_eq!(response.status, status, "{request}");
        assert_eq!(response.header("allow"), allow);
        assert_eq!(response.header("connection"), None, "{request}");
    }
    // Refused by its length, and without a length by its bytes.
    let mut client = Http1::tcp(&server).await;
    let head = format!("PUT {PATH} HTTP/1.1\r\nhost: x\r\n");
    let declared = format!("{head}content-length: 1048577\r\n\r\n");
    client.send(declared.as_bytes()).await;
    let response = client.response().await;
    assert_eq!(response.reason(), (413, "PART_TOO_LARGE"));
    assert_eq!(response.header("connection"), Some("close"));
    client.is_closed().await;
    let mut client = Http1::tcp(&server).await;
    let chunked = format!("{head}transfer-encoding: chunked\r\n\r\n100001\r\n");
    client.send(chunked.as_bytes()).await;
    client.send(&data(0x0010_0001)).await;
    assert_eq!(client.response().await.reason(), (413, "PART_TOO_LARGE"));
    counted(&server).await;
}

/// What proxies and servers have understood differently (RFC 9112, section 11.2): the request is
/// refused and nothing after it is read as another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ambiguous_requests_are_refused() {
    let server = TestServer::start(&[]);
    let next = "GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n";
    for fields in [
        "content-length: 3\r\ncontent-length: 5",
        "content-length: +3",
        "content-length: 3, 5",
        "content-length: 0x3",
        "content-length : 3",
        "transfer-encoding: chunked\r\ntransfer-encoding: identity",
        "transfer-encoding: gzip",
        "transfer-encoding: chunked, gzip",
        " transfer-encoding: chunked",
        "x: a\r\n b",
    ] {
        let mut client = Http1::tcp(&server).await;
        let request = format!("PUT {PATH} HTTP/1.1\r\nhost: x\r\n{fields}\r\n\r\n0\r\n\r\n{next}");
        client.send(request.as_bytes()).await;
        let response = client.response().await;
        assert_eq!(response.status, 400, "{fields:?}: {response:?}");
        client.is_closed().await;
    }
    // RFC 9112, section 6.3: then the length is ignored, and the connection must not go on.
    let mut client = Http1::tcp(&server).await;
    let both = "content-length: 100\r\ntransfer-encoding: chunked";
    let request = format!("PUT {PATH} HTTP/1.1\r\nhost: x\r\n{both}\r\n\r\n0\r\n\r\n");
    client.send(request.as_bytes()).await;
    let response = client.response().await;
    let is_empty = response.json["size_bytes"] == 0;
    assert!(response.status == 400 || is_empty, "{response:?}");
}

/// What breaks the rules of HTTP/1.1 gets 400 without a document.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_are_no_http_are_refused() {
    let server = TestServer::start(&[]);
    let chunked = "host: x\r\ntransfer-encoding: chunked\r\n\r\n";
    let long = format!("{chunked}3;{}\r\nabc\r\n0\r\n\r\n", "x".repeat(100_000));
    for rest in [
        format!("{chunked}3\r\nabcd\r\n"),
        format!("{chunked}zz\r\nabc\r\n0\r\n\r\n"),
        format!("{chunked}0x3\r\nabc\r\n0\r\n\r\n"),
        long,
        "content-length: 3\r\n\r\nabc".to_owned(),
        "host: x\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc".to_owned(),
        "host: a b/c\r\ncontent-length: 3\r\n\r\nabc".to_owned(),
        "host: a@b\r\ncontent-length: 3\r\n\r\nabc".to_owned(),
    ] {
        let mut client = Http1::tcp(&server).await;
        client
            .send(format!("PUT {PATH} HTTP/1.1\r\n{rest}").as_bytes())
            .await;
        let response = client.response().await;
        let said = (response.status, response.header("connection"));
        assert_eq!(said, (400, Some("close")), "{rest:.200}");
    }
    for rest in [
        "HTTP/1.1\r\nhost:",
        "HTTP/1.1\r\nhost: [::1]:80",
        "HTTP/1.0\r\nx:",
    ] {
        let mut client = Http1::tcp(&server).await;
        let request = format!("PUT {PATH} {rest}\r\ncontent-length: 3\r\n\r\nabc");
        client.send(request.as_bytes()).await;
        assert_eq!(client.response().await.status, 200, "{rest}");
    }
}

/// Until the interim response, a client may send nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_http2_a_client_is_told_to_continue() {
    let server = TestServer::start(&[("part_bytes_max", "1MiB")]);
    let mut raw = Raw::tcp(server.grpc).await;
    let headers = [(":method", "PUT"), ("expect", "100-continue")];
    let (mut response, mut sending) = raw.begin(PATH, &headers).await;
    let interim = poll_fn(|cx| response.poll_informational(cx));
    let interim = timeout(PATIENCE, interim).await.unwrap().unwrap().unwrap();
    assert_eq!(interim.status(), 100);
    sending.send_data(Bytes::from_static(b"abc"), true).unwrap();
    let answer = read(response).await;
    assert_eq!(answer.http, 200);
    // A refusal comes in place of it.
    let too_large = [headers[0], headers[1], ("content-length", "1048577")];
    for (path, headers, status) in [
        ("/v1/digest?x=y", &headers[..], 400),
        (PATH, &too_large, 413),
    ] {
        let (mut response, _sending) = raw.begin(path, headers).await;
        let none = poll_fn(|cx| response.poll_informational(cx));
        assert!(timeout(PATIENCE, none).await.unwrap().is_none());
        assert_eq!(response.await.unwrap().status(), status);
    }
}

/// Some clients lose a response that comes before the end of their request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_http2_a_refusal_follows_a_short_body() {
    let server = TestServer::start(&[]);
    let mut wire = Wire::connect(server.grpc).await;
    let mut block = Vec::new();
    for (name, value) in [
        (":method", "PUT"),
        (":scheme", "http"),
        (":path", "/v1/digest?x=y"),
        ("content-length", "3"),
    ] {
        literal(&mut block, name, value);
    }
    wire.send(&frame(HEADERS, END_HEADERS, 1, &block)).await;
    wire.all_is_read().await;
    wire.send(&frame(DATA, END_STREAM, 1, b"abc")).await;
    loop {
        let frame = timeout(PATIENCE, wire.next()).await.unwrap().unwrap();
        assert_ne!(frame.kind, RST_STREAM, "the stream is reset");
        if frame.kind == DATA && frame.flags & END_STREAM != 0 {
            break;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_http2_it_is_the_same() {
    let server = TestServer::start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    let data = data(200_000);
    let length = data.len().to_string();
    let headers = [
        (":method", "PUT"),
        ("content-type", "text/plain"),
        ("content-length", &length),
    ];
    let answer = raw
        .call(
            "/v1/digest?algorithm=sha1",
            &headers,
            &[data.clone().into()],
        )
        .await;
    assert_eq!(answer.http, 200);
    assert!(answer.status.is_none());
    let json: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(json["digests"]["sha1"], hex(Algorithm::Sha1, &data));
    let wrong = [headers[0], ("content-md5", "CY9rzUYh03PK3k6DJie09g==")];
    let answer = raw.call(PATH, &wrong, &[data.clone().into()]).await;
    assert_eq!(answer.http, 400);
    let json: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(json["reason"], "DIGEST_MISMATCH");
    let get = raw.call(PATH, &[(":method", "GET")], &[]).await;
    assert!(get.http == 405 && !get.body.is_empty());
    let head = raw.call(PATH, &[(":method", "HEAD")], &[]).await;
    assert!(head.http == 405 && head.body.is_empty());
    server
        .until("refusals are counted", |m| {
            m.sum("hashlane_refusals_total", &[("reason", "NO_SUCH_METHOD")]) == 2.0
        })
        .await;
    // A client that resets its request leaves nothing behind.
    let (_response, mut sending) = raw.begin(PATH, &headers).await;
    sending
        .send_data(Bytes::from_static(b"abc"), false)
        .unwrap();
    server
        .until("it is open", |m| m.sum("hashlane_streams", &[]) == 1.0)
        .await;
    sending.send_reset(h2::Reason::CANCEL);
    counted(&server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_tls_a_client_may_ask_for_either_protocol_or_none() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let server = files.serve("off", &[]);
    let address = server.tls.unwrap();
    for alpn in [&["http/1.1"][..], &["x", "http/1.1"], &[]] {
        let mut tls = TlsClient::new(&ca);
        tls.alpn = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
        let mut client = Http1::over(tls.connect(address).await.unwrap());
        let response = client.put("", &[], &data(300_000)).await;
        assert_eq!(
            response.json["digests"]["sha256"],
            hex(Algorithm::Sha256, &data(300_000))
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_stall_or_leave_harm_only_themselves() {
    let settings = [("workers", "1"), ("part_idle_timeout", "300ms")];
    let server = TestServer::start(&settings);
    let honest = Honest::start(server.grpc).await;
    let head = format!("PUT {PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n");
    // It sends nothing more.
    let mut silent = Http1::tcp(&server).await;
    silent.send(head.as_bytes()).await;
    assert_eq!(silent.response().await.reason(), (408, "STREAM_IDLE"));
    silent.is_closed().await;
    // They leave within the head, the body, and before the answer.
    for sent in [&head[..20], &head, &format!("{head}abc")] {
        let mut leaving = Http1::tcp(&server).await;
        leaving.send(sent.as_bytes()).await;
    }
    // It sends requests, and reads no answer.
    let mut deaf = Http1::tcp(&server).await;
    let request = format!("PUT {PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n");
    deaf.send(request.repeat(1000).as_bytes()).await;
    counted(&server).await;
    drop(deaf);
    honest.end().await;
    let gone = |m: &Metrics| m.sum("hashlane_connections", &[]) == 0.0;
    server.until("all are gone", gone).await;
}

/// Sends requests until the server closes, and reads no answer.
async fn is_deaf(server: &TestServer, mut socket: impl AsyncWrite + Unpin) {
    let request = "GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n".repeat(1000);
    let sending = async { while socket.write_all(request.as_bytes()).await.is_ok() {} };
    timeout(PATIENCE, sending).await.unwrap();
    let labels = [("reason", "not_taken")];
    let ended = |m: &Metrics| m.sum("hashlane_connections_ended_total", &labels) == 1.0;
    server.until("it is closed", ended).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_no_answers_is_closed() {
    let settings = [("part_idle_timeout", "200ms")];
    let server = TestServer::start(&settings);
    is_deaf(&server, TcpStream::connect(server.grpc).await.unwrap()).await;
    let ca = Ca::new();
    let server = Files::new(&ca.server(), &ca).serve("off", &settings);
    let mut tls = TlsClient::new(&ca);
    tls.alpn = vec![b"http/1.1".to_vec()];
    is_deaf(&server, tls.connect(server.tls.unwrap()).await.unwrap()).await;
}

/// A worker that cannot hash keeps a client's bytes within the connection's window.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unhashed_bytes_are_bounded() {
    let server = TestServer::start(&[("workers", "1"), ("clients.bytes_per_second", "1MiB")]);
    let mut client = TcpStream::connect(server.grpc).await.unwrap();
    let head = format!("PUT {PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 100000000\r\n\r\n");
    client.write_all(head.as_bytes()).await.unwrap();
    let data = data(1 << 20);
    let sending = async {
        for _ in 0..90 {
            client.write_all(&data).await.unwrap();
        }
    };
    // At a MiB a second it takes longer than this.
    assert!(
        timeout(std::time::Duration::from_secs(3), sending)
            .await
            .is_err()
    );
    let metrics = server.metrics();
    let received = metrics.sum("hashlane_received_bytes_total", &[]);
    assert!(received < 8.0 * 1024.0 * 1024.0, "{received}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_ends_connections_after_their_requests() {
    let mut server = TestServer::start(&[("workers", "1")]);
    let mut busy = Http1::tcp(&server).await;
    let mut idle = Http1::tcp(&server).await;
    idle.put("", &[], b"abc").await;
    let mut late = Http1::tcp(&server).await;
    let head = format!("PUT {PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n");
    busy.send(head.as_bytes()).await;
    server
        .until("it is open", |m| m.sum("hashlane_streams", &[]) == 1.0)
        .await;
    let all_open = |m: &Metrics| m.sum("hashlane_connections", &[]) == 3.0;
    server.until("all are open", all_open).await;
    server.stop();
    idle.is_closed().await;
    // Its request comes after the drain has begun.
    let response = late.put("", &[], b"abc").await;
    assert_eq!(response.reason(), (503, "DRAINING"));
    late.is_closed().await;
    busy.send(b"abc").await;
    let response = busy.response().await;
    assert_eq!(
        response.json["digests"]["sha256"],
        hex(Algorithm::Sha256, b"abc")
    );
    busy.is_closed().await;
    tokio::task::spawn_blocking(move || server.join().unwrap())
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_has_the_identity_of_its_token() {
    let folder = tempfile::TempDir::new().unwrap();
    let tokens = folder.path().join("tokens");
    let hash = hex(Algorithm::Sha256, b"secret");
    std::fs::write(&tokens, format!("backup {hash}\n")).unwrap();
    let tokens = tokens.display().to_string();
    let settings = [
        ("clients.tokens_file", &tokens[..]),
        ("clients.identity_required", "true"),
    ];
    assert!(Settings::with(&settings).is_ok());
    let server = TestServer::start(&settings);
    for (token, expected) in [
        (None, (401, "CREDENTIALS_MISSING")),
        (Some("Bearer wrong"), (401, "CREDENTIALS_INVALID")),
    ] {
        let mut client = Http1::tcp(&server).await;
        let token: Vec<_> = token
            .map(|token| ("authorization", token))
            .into_iter()
            .collect();
        let response = client.put("", &token, b"abc").await;
        assert_eq!(response.reason(), expected);
        assert_eq!(response.header("www-authenticate"), Some("Bearer"));
    }
    let mut client = Http1::tcp(&server).await;
    let token = [("authorization", "Bearer secret")];
    assert_eq!(client.put("", &token, b"abc").await.status, 200);
}

/// Many connections fill the lanes together, and each body may wait for others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_connections_at_once() {
    let server = TestServer::start(&[]);
    let tasks = (0..64_usize).map(|n| {
        let address = server.grpc;
        tokio::spawn(async move {
            let mut client = Http1::over(TcpStream::connect(address).await.unwrap());
            for round in 0..4 {
                let data = data(n * 5000 + round * 77_777);
                let response = client.put("?algorithm=sha256,md5", &[], &data).await;
                for algorithm in [Algorithm::Sha256, Algorithm::Md5] {
                    let found = &response.json["digests"][algorithm.name()];
                    assert_eq!(*found, hex(algorithm, &data));
                }
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}
