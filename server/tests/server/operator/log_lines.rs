//! The lines that are logged, and data that never is.

use std::io::{Read as _, Write as _};

use crate::common::frame_client::{GOAWAY, Wire, frame};
use crate::common::h2_client::{Raw, message, read};
use crate::common::program::Running;
use crate::common::{PATIENCE, TestServer, all, connect, digest, pattern, sha256, verify};
use prost::Message as _;
use tonic::Code;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const VERIFY: &str = "/hashlane.v1.HashService/Verify";
const CHECK: &str = "/grpc.health.v1.Health/Check";

/// The value of a field in a JSON line.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("\"{name}\":"))?;
    let end = rest.find([',', '}'])?;
    Some(rest[..end].trim_matches('"'))
}

/// From a call's trailers, or from the headers of a trailers-only response.
async fn request_id(raw: &mut Raw, path: &str, headers: &[(&str, &str)]) -> String {
    let (response, mut sending) = raw.begin(path, headers).await;
    let _ = sending.send_data(bytes::Bytes::new(), true);
    let (parts, mut body) = response.await.unwrap().into_parts();
    while let Some(data) = body.data().await {
        let bytes = data.unwrap().len();
        let _ = body.flow_control().release_capacity(bytes);
    }
    let trailers = body.trailers().await.unwrap().unwrap_or_default();
    let id = trailers
        .get("x-request-id")
        .or(parts.headers.get("x-request-id"));
    id.unwrap_or_else(|| panic!("{parts:?} {trailers:?}"))
        .to_str()
        .unwrap()
        .to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_end_of_a_call_brings_its_request_id() {
    let server = TestServer::start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    for (path, more) in [
        (DIGEST, ("te", "trailers")),
        (CHECK, ("te", "trailers")),
        // Refused: an unknown method, a malformed header, no message, a request that is not gRPC.
        ("/hashlane.v1.HashService/Nothing", ("te", "trailers")),
        (DIGEST, ("grpc-timeout", "x")),
        ("/hashlane.v1.HashService/Compose", ("te", "trailers")),
        (DIGEST, ("content-type", "text/plain")),
    ] {
        let given = [more, ("x-request-id", "client-7")];
        assert_eq!(
            request_id(&mut raw, path, &given).await,
            "client-7",
            "{path}"
        );
        for headers in [&[more][..], &[more, ("x-request-id", "not safe")]] {
            let made = request_id(&mut raw, path, headers).await;
            assert_eq!(made.len(), 16, "{path} {made}");
            assert!(made.bytes().all(|b| b.is_ascii_hexdigit()), "{made}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_one_line_and_a_refusal_another() {
    let running = Running::start(&["--log", "hashlane_server=debug"]);
    let mut raw = Raw::tcp(running.grpc).await;
    let parts = [
        verify(1, b"abc", Some(&sha256(b"abc")), true),
        verify(2, b"abcd", Some(&sha256(b"abc")), true),
        verify(3, b"abcde", None, true),
    ];
    let parts: Vec<_> = parts
        .iter()
        .map(|part| message(0, &part.encode_to_vec()))
        .collect();
    let answer = raw.call(VERIFY, &[("x-request-id", "seven")], &parts).await;
    assert_eq!(answer.status.unwrap().code(), Code::Ok);
    let refused = [("x-request-id", "eight"), ("grpc-timeout", "x")];
    raw.call(DIGEST, &refused, &[]).await;
    // An upload that ends early.
    let mut cut = std::net::TcpStream::connect(running.grpc).unwrap();
    let head = "PUT /v1/digest HTTP/1.1\r\nhost: x\r\nx-request-id: nine\r\ncontent-length: 9\r\n";
    cut.write_all(format!("{head}\r\nabcd").as_bytes()).unwrap();
    cut.shutdown(std::net::Shutdown::Write).unwrap();
    let _ = cut.read_to_end(&mut Vec::new());
    running.signal("TERM");
    drop(raw);
    let (_, log) = running.end();
    let lines_of = |id: &str| -> Vec<&str> {
        let of_id = |line: &&str| field(line, "request_id") == Some(id);
        log.lines().filter(of_id).collect()
    };
    let [call] = lines_of("seven")[..] else {
        panic!("{log}");
    };
    for (name, value) in [
        ("level", "DEBUG"),
        ("message", "call"),
        ("method", "Verify"),
        ("code", "Ok"),
        ("client", "127.0.0.1"),
        ("parts", "3"),
        ("bytes", "12"),
        ("matches", "1"),
        ("mismatches", "1"),
        ("errors", "1"),
    ] {
        assert_eq!(field(call, name), Some(value), "{name} in {call}");
    }
    let peer = field(call, "peer").unwrap();
    assert!(peer.starts_with("127.0.0.1:"), "{call}");
    let [cut] = lines_of("nine")[..] else {
        panic!("{log}");
    };
    for (name, value) in [("method", "PUT"), ("parts", "1"), ("bytes", "4")] {
        assert_eq!(field(cut, name), Some(value), "{name} in {cut}");
    }
    let lines = lines_of("eight");
    let [refusal, call] = lines[..] else {
        panic!("{log}");
    };
    for (name, value) in [
        ("level", "INFO"),
        ("message", "refused"),
        ("method", "Digest"),
        ("code", "InvalidArgument"),
        ("reason", "MALFORMED_TIMEOUT"),
        ("left_out", "0"),
    ] {
        assert_eq!(field(refusal, name), Some(value), "{name} in {refusal}");
    }
    assert_eq!(field(call, "code"), Some("InvalidArgument"));
}

/// A connection of another protocol is closed, and the log has the reason.
#[test]
fn a_connection_of_another_protocol_is_a_line() {
    let server = Running::start(&["--log=debug"]);
    let mut socket = std::net::TcpStream::connect(server.grpc).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.write_all(b"EHLO client.example\r\n").unwrap();
    // A frame of HTTP/2, then the end; the unread request may reset the connection.
    if let Err(error) = socket.read_to_end(&mut Vec::new()) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    }
    drop(socket);
    server.signal("TERM");
    let (_, log) = server.end();
    assert!(log.contains("connection ended before its preface"), "{log}");
}

/// Neither data nor digests, metadata or names of a client are logged.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_client_sends_is_not_logged() {
    let running = Running::start(&["--log", "trace"]);
    let secret = "confidential-confidential";
    let mut raw = Raw::tcp(running.grpc).await;
    let good = message(0, &digest(1, secret.as_bytes(), true).encode_to_vec());
    let digest = sha256(secret.as_bytes());
    let expected = verify(1, secret.as_bytes(), Some(&digest), true);
    let expected = message(0, &expected.encode_to_vec());
    let short = verify(1, secret.as_bytes(), Some(secret.as_bytes()), true);
    let short = message(0, &short.encode_to_vec());
    let bad = message(0, &[&b"\x0a\xff"[..], secret.as_bytes()].concat());
    let with_token = [("authorization", secret), ("x-secret", secret)];
    for (path, headers, body) in [
        (DIGEST, &with_token[..], good),
        (VERIFY, &[], expected),
        (VERIFY, &[], short),
        (DIGEST, &[], bad.clone()),
        ("/hashlane.v1.HashService/Compose", &[], bad.clone()),
        ("/confidential-confidential/x", &[], bad),
        (DIGEST, &[("grpc-timeout", secret)], bytes::Bytes::new()),
        (DIGEST, &[("grpc-encoding", secret)], bytes::Bytes::new()),
        (DIGEST, &[("content-type", secret)], bytes::Bytes::new()),
        // The request id is too long, so it is not used.
        (
            DIGEST,
            &[(
                "x-request-id",
                "confidential-confidential-confidential-confidential-confidential-",
            )],
            bytes::Bytes::new(),
        ),
    ] {
        let (response, mut sending) = raw.begin(path, headers).await;
        let _ = sending.send_data(body, true);
        read(response).await;
    }
    // The debug data of a client's GOAWAY.
    let mut wire = Wire::connect(running.grpc).await;
    let internal_error = [&[0, 0, 0, 0, 0, 0, 0, 2], secret.as_bytes()].concat();
    wire.send(&frame(GOAWAY, 0, 0, &internal_error)).await;
    while wire.next().await.is_some() {}
    running.signal("TERM");
    drop(raw);
    let (_, log) = running.end();
    assert!(log.contains("INTERNAL_ERROR"), "{log}");
    assert!(log.lines().count() > 10, "{log}");
    let hex: String = digest.iter().map(|b| format!("{b:02x}")).collect();
    let listed = format!("{:?}", &digest[..4]);
    for shown in [
        secret,
        &hex,
        &hex.to_uppercase(),
        listed.trim_matches(['[', ']']),
    ] {
        assert!(!log.contains(shown), "{shown}\n{log}");
    }
}

/// The pipe is full after some hundred lines, because the test does not read it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_nobody_reads_holds_nobody_up() {
    let mut running = Running::start(&["--log", "hashlane_server=debug"]);
    let mut raw = Raw::tcp(running.grpc).await;
    let request = message(0, &digest(1, &pattern(1000, 1), true).encode_to_vec());
    let lost = || running.metrics().sum("hashlane_log_lines_lost_total", &[]);
    assert_eq!(lost(), 0.0);
    // The buffer has room for some thousand lines.
    for _ in 0..40 {
        if lost() > 0.0 {
            break;
        }
        for _ in 0..500 {
            let answer = raw.call(DIGEST, &[], std::slice::from_ref(&request)).await;
            assert_eq!(answer.status.unwrap().code(), Code::Ok);
        }
    }
    assert!(lost() > 0.0);
    let mut client = connect(running.grpc).await;
    let answers = client.digest(tokio_stream::iter([digest(0, b"abc", true)]));
    let answers = all(answers.await.unwrap().into_inner()).await;
    assert_eq!(answers.unwrap()[0].digests[0].digest, sha256(b"abc"));
    // The full pipe does not delay the end either.
    drop((raw, client));
    running.signal("TERM");
    assert_eq!(running.child.wait().unwrap().code(), Some(0));
    let mut log = String::new();
    running.log.read_to_string(&mut log).unwrap();
    // Complete lines.
    let cut: Vec<_> = log.lines().filter(|line| !line.ends_with('}')).collect();
    assert!(cut.len() <= 1, "{cut:?}");
}
