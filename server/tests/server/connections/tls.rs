//! TLS: which clients are admitted, and that calls work as without TLS.

use std::net::SocketAddr;
use std::sync::Arc;

use crate::common::h2_client::{Raw, message, messages, read};
use crate::common::program::Running;
use crate::common::tls::{Ca, Files, Stream, TlsClient, connect};
use crate::common::{Metrics, PATIENCE, TestServer, digest, frame_client, pattern, sha256};
use bytes::Bytes;
use hashlane_proto::v1::DigestResponse;
use hashlane_server::Fault;
use prost::Message as _;
use rustls::version::{TLS12, TLS13};
use rustls::{CipherSuite, HandshakeKind, SupportedProtocolVersion};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

type Versions = &'static [&'static SupportedProtocolVersion];
static V12: &[&SupportedProtocolVersion] = &[&TLS12];
static V13: &[&SupportedProtocolVersion] = &[&TLS13];

const DIGEST: &str = "/hashlane.v1.HashService/Digest";

fn address(server: &TestServer) -> SocketAddr {
    server.tls.unwrap()
}

/// Digests `data` on an open connection.
async fn digest_on(raw: &mut Raw, data: &[u8]) -> Vec<u8> {
    let request = digest(1, data, true).encode_to_vec();
    let answer = raw.call(DIGEST, &[], &[message(0, &request)]).await;
    let answers: Vec<DigestResponse> = messages(&answer.body);
    answers[0].digests[0].digest.to_vec()
}

async fn digest_over(stream: Stream, data: &[u8]) -> Vec<u8> {
    digest_on(&mut Raw::over(stream).await, data).await
}

/// Whether the server sends at most a TLS alert, and closes.
async fn is_turned_away(stream: std::io::Result<Stream>) -> bool {
    match stream {
        // In TLS 1.3 the client finishes before the server has checked its certificate.
        Ok(mut stream) => {
            let mut said = [0; 100];
            let read = timeout(PATIENCE, stream.read(&mut said)).await;
            !matches!(read.unwrap(), Ok(1..))
        }
        Err(_) => true,
    }
}

async fn counted(server: &TestServer, outcome: &str, count: f64) {
    let what = format!("{count} handshakes that ended with {outcome}");
    let name = "hashlane_tls_handshakes_total";
    let metrics = server
        .until(&what, |m| m.sum(name, &[("outcome", outcome)]) >= count)
        .await;
    assert_eq!(metrics.sum(name, &[("outcome", outcome)]), count, "{what}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn digests_are_the_same_over_either_version() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let server = files.serve("off", &[]);
    let cases: [(Versions, _); 3] = [
        (V13, pattern(0, 1)),
        (V12, pattern(1_000_000, 2)),
        (V13, pattern(1_000_001, 3)),
    ];
    for (versions, data) in cases {
        let client = TlsClient::new(&ca).speaking(versions);
        let stream = client.connect(address(&server)).await.unwrap();
        let (_, session) = stream.get_ref();
        assert_eq!(session.protocol_version(), Some(versions[0].version));
        assert_eq!(session.alpn_protocol(), Some(&b"h2"[..]));
        assert_eq!(digest_over(stream, &data).await, sha256(&data));
    }
    counted(&server, "done", 3.0).await;
    // The plaintext is counted, which is more than the data.
    let received = server.metrics().sum("hashlane_received_bytes_total", &[]);
    assert!((2_000_001.0..2_030_000.0).contains(&received), "{received}");
}

/// All of it arrives at once, in few records: no data may stay in them when the socket has no more
/// to read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_records_hold_is_never_forgotten() {
    const PARTS: u64 = 3000;
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let server = files.serve("off", &[("workers", "1"), ("parts_per_stream_max", "10")]);
    let stream = TlsClient::new(&ca).connect(address(&server)).await.unwrap();
    let mut raw = Raw::over(stream).await;
    for frame_bytes in [40, 5000, 100_000] {
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        let mut all = Vec::new();
        for part in 0..PARTS {
            let request = digest(part, &part.to_be_bytes(), true).encode_to_vec();
            all.extend_from_slice(&message(0, &request));
        }
        for frame in Bytes::from(all).chunks(frame_bytes) {
            let frame = Bytes::copy_from_slice(frame);
            sending.send_data(frame, false).unwrap();
        }
        sending.send_data(Bytes::new(), true).unwrap();
        let answers: Vec<DigestResponse> = messages(&read(response).await.body);
        assert_eq!(answers.len(), usize::try_from(PARTS).unwrap());
        for answer in answers {
            let expected = sha256(&answer.part.to_be_bytes());
            assert_eq!(answer.digests[0].digest, expected);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_for_another_protocol_is_turned_away() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let server = files.serve("off", &[]);
    let mut client = TlsClient::new(&ca);
    client.alpn = vec![b"imap".to_vec()];
    let error = client.connect(address(&server)).await.unwrap_err();
    assert!(
        error.to_string().contains("NoApplicationProtocol"),
        "{error}"
    );
    counted(&server, "alpn", 1.0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_show_certificates_as_the_setting_says() {
    let (ca, others) = (Ca::new(), Ca::new());
    let files = Files::new(&ca.server(), &ca);
    let known = ca.client("spiffe://test/backup");
    let (stranger, expired) = (others.client("spiffe://test/backup"), ca.expired());
    for (setting, refused) in [("required", 3.0), ("optional", 2.0), ("off", 0.0)] {
        let server = files.serve(setting, &[]);
        for version in [V13, V12] {
            let client = || TlsClient::new(&ca).speaking(version);
            let good = client().showing(&known).connect(address(&server)).await;
            assert_eq!(digest_over(good.unwrap(), b"abc").await, sha256(b"abc"));
            for (client, is_let_in) in [
                (client(), setting != "required"),
                (client().showing(&stranger), setting == "off"),
                (client().showing(&expired), setting == "off"),
            ] {
                let stream = client.connect(address(&server)).await;
                if is_let_in {
                    assert_eq!(digest_over(stream.unwrap(), b"abc").await, sha256(b"abc"));
                } else {
                    assert!(is_turned_away(stream).await, "{setting}");
                }
            }
        }
        counted(&server, "certificate", 2.0 * refused).await;
        counted(&server, "done", 2.0 * (4.0 - refused)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_client_is_refused_from_its_next_connection_on() {
    let (ca, others) = (Ca::new(), Ca::new());
    let files = Files::new(&ca.server(), &ca);
    files.revoke(&ca, &[]);
    let server = files.serve("required", &[]);
    let (revoked, other) = (ca.numbered(7), ca.numbered(8));
    let connect = |issued| {
        let (client, address) = (TlsClient::new(&ca).showing(issued), address(&server));
        async move { client.connect(address).await }
    };
    let mut open = Raw::over(connect(&revoked).await.unwrap()).await;
    assert_eq!(digest_on(&mut open, b"abc").await, sha256(b"abc"));

    let reload = || server.reload.reload_certificates(&files.parsed("required"));
    files.revoke(&ca, &[7]);
    reload().unwrap();
    assert!(is_turned_away(connect(&revoked).await).await);
    counted(&server, "certificate", 1.0).await;
    let stream = connect(&other).await.unwrap();
    assert_eq!(digest_over(stream, b"abc").await, sha256(b"abc"));
    // Open connections are not cut.
    assert_eq!(digest_on(&mut open, b"xyz").await, sha256(b"xyz"));

    // A faulty file changes nothing.
    std::fs::write(files.path("crl"), "").unwrap();
    let error = reload().unwrap_err();
    let expected = "tls stays as it is: setting tls.client_crl: ";
    assert!(error.starts_with(expected), "{error}");
    assert!(is_turned_away(connect(&revoked).await).await);

    // Without an issuer's revocation list, its certificates are refused.
    files.revoke(&others, &[]);
    reload().unwrap();
    assert!(is_turned_away(connect(&other).await).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_whose_worker_fails_in_its_handshake_is_counted() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let server = files.serve("off", &[("workers", "1")]);
    let _silent = TcpStream::connect(address(&server)).await.unwrap();
    // Another client is served meanwhile, by the same worker.
    let stream = TlsClient::new(&ca).connect(address(&server)).await.unwrap();
    let mut open = Raw::over(stream).await;
    assert_eq!(digest_on(&mut open, b"abc").await, sha256(b"abc"));
    server.faults.inject(0, Fault::Panic);
    server
        .until("both are counted", |m| {
            m.sum("hashlane_connections_ended_total", &[("reason", "cut")]) == 2.0
        })
        .await;
}

/// A ticket would admit a client whose certificate is no longer accepted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_are_resumed_unless_clients_show_certificates() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    for (setting, second) in [
        ("off", HandshakeKind::Resumed),
        ("optional", HandshakeKind::Full),
    ] {
        let server = files.serve(setting, &[]);
        for version in [V13, V12] {
            let client = TlsClient::new(&ca).speaking(version);
            let config = Arc::new(client.config());
            let mut kinds = Vec::new();
            for _ in 0..2 {
                let stream = connect(address(&server), &config).await.unwrap();
                kinds.push(stream.get_ref().1.handshake_kind().unwrap());
                // Tickets of TLS 1.3 follow the handshake, before any answer.
                assert_eq!(digest_over(stream, b"abc").await, sha256(b"abc"));
            }
            assert_eq!(kinds, [HandshakeKind::Full, second], "{setting}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_read_anew_and_bad_ones_change_nothing() {
    let (old, new) = (Ca::new(), Ca::new());
    let files = Files::new(&old.server(), &old);
    let server = files.serve("off", &[]);
    let reload = || server.reload.reload_certificates(&files.parsed("off"));
    let connected = |ca: &Ca| {
        let client = TlsClient::new(ca);
        let address = address(&server);
        async move { client.connect(address).await.is_ok() }
    };
    let stream = TlsClient::new(&old).connect(address(&server)).await;
    let mut open = Raw::over(stream.unwrap()).await;
    assert_eq!(digest_on(&mut open, b"abc").await, sha256(b"abc"));

    files.put(&new.server());
    assert!(connected(&old).await, "nobody has told it");
    reload().unwrap();
    assert!(connected(&new).await && !connected(&old).await);
    assert_eq!(digest_on(&mut open, b"xyz").await, sha256(b"xyz"));

    let key = std::fs::read(files.path("key")).unwrap();
    let nothing = "nothing of this kind is in it";
    for (name, content, reason) in [
        ("key", &b""[..], nothing),
        ("key", new.pem().as_bytes(), nothing),
        ("certificate", &key, nothing),
        (
            "certificate",
            b"-----BEGIN CERTIFICATE-----\n!",
            "end marker",
        ),
    ] {
        let whole = std::fs::read(files.path(name)).unwrap();
        std::fs::write(files.path(name), content).unwrap();
        let error = reload().unwrap_err();
        let expected = format!("tls stays as it is: setting tls.{name}: ");
        assert!(error.starts_with(&expected), "{error}");
        assert!(error.contains(reason) && !error.contains('\n'), "{error}");
        std::fs::write(files.path(name), whole).unwrap();
    }
    // A key of another certificate.
    let certificate = std::fs::read(files.path("certificate")).unwrap();
    files.put(&new.server());
    std::fs::write(files.path("certificate"), certificate).unwrap();
    let error = reload().unwrap_err();
    assert!(error.contains("setting tls.key: "), "{error}");
    assert!(connected(&new).await);
    assert_eq!(digest_on(&mut open, b"abc").await, sha256(b"abc"));
}

/// A server whose certificate changes: first to faulty files, then to valid ones. Calls `changed`
/// each time, then waits for the log line that contains the words of `told`.
async fn certificates_change(changed: impl Fn(&Running), told: [&str; 2]) {
    let [old, new] = [Ca::new(), Ca::new()];
    let files = Files::new(&old.server(), &old);
    let flags = files.flags("off");
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let mut running = Running::start(&flags);
    let tls = running.tls.unwrap();
    assert!(TlsClient::new(&old).connect(tls).await.is_ok());

    std::fs::write(files.path("key"), "none").unwrap();
    changed(&running);
    let line = running.line_with(told[0]);
    assert!(line.contains("tls stays as it is"), "{line}");
    assert!(line.contains("tls.key"), "{line}");
    assert!(TlsClient::new(&old).connect(tls).await.is_ok());

    files.put(&new.server());
    changed(&running);
    running.line_with(told[1]);
    assert!(TlsClient::new(&new).connect(tls).await.is_ok());
    assert!(TlsClient::new(&old).connect(tls).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sighup_reads_the_files_anew() {
    // The server may have noticed the changed files before the signal.
    let told = ["SIGHUP: not in force", "SIGHUP: new connections have"];
    certificates_change(|running| running.signal("HUP"), told).await;
}

/// As Kubernetes and certbot change them: without a signal.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_change_are_read_anew() {
    let told = [
        "files of certificates have changed",
        "files have changed: new connections",
    ];
    certificates_change(|_| {}, told).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handshake_has_its_time() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let server = files.serve("off", &[("handshake_timeout", "50ms")]);
    let mut silent = TcpStream::connect(address(&server)).await.unwrap();
    let mut half = TcpStream::connect(address(&server)).await.unwrap();
    // An incomplete handshake record.
    half.write_all(&[22, 3, 1, 1, 0, 1]).await.unwrap();
    for stream in [&mut silent, &mut half] {
        let mut said = [0; 100];
        let ended = timeout(PATIENCE, stream.read(&mut said)).await;
        assert!(!matches!(ended.unwrap(), Ok(1..)));
    }
    counted(&server, "timeout", 2.0).await;
    server
        .until("both are gone", |m| {
            m.sum("hashlane_connections", &[]) == 0.0
        })
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handshakes_at_once_are_bounded() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let server = files.serve("off", &[("tls.handshakes_max", "4")]);
    let stream = TlsClient::new(&ca).connect(address(&server)).await;
    let mut open = Raw::over(stream.unwrap()).await;
    assert_eq!(digest_on(&mut open, b"abc").await, sha256(b"abc"));
    let mut silent = Vec::new();
    for _ in 0..10 {
        silent.push(TcpStream::connect(address(&server)).await.unwrap());
    }
    let refused = [("reason", "handshakes")];
    let refused = |m: &Metrics| m.sum("hashlane_connections_refused_total", &refused);
    server.until("six are refused", |m| refused(m) == 6.0).await;
    // Connections after their handshake are not affected, nor those without TLS.
    assert_eq!(digest_on(&mut open, b"xyz").await, sha256(b"xyz"));
    let mut plain = Raw::tcp(server.grpc).await;
    assert_eq!(digest_on(&mut plain, b"abc").await, sha256(b"abc"));
    drop(silent);
    counted(&server, "closed", 4.0).await;
    let stream = TlsClient::new(&ca).connect(address(&server)).await;
    assert_eq!(digest_over(stream.unwrap(), b"abc").await, sha256(b"abc"));
    assert_eq!(refused(&server.metrics()), 6.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handshake_that_fails_is_counted_by_why_it_did() {
    let (ca, others) = (Ca::new(), Ca::new());
    let files = Files::new(&ca.server(), &ca);
    let server = files.serve("off", &[]);
    // The client does not trust the server.
    assert!(
        TlsClient::new(&others)
            .connect(address(&server))
            .await
            .is_err()
    );
    counted(&server, "alert", 1.0).await;
    // The server's key has another signature type.
    let mut client = TlsClient::new(&ca).speaking(V12);
    let suites = &mut client.provider.cipher_suites;
    suites.retain(|s| s.suite() == CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256);
    assert!(client.connect(address(&server)).await.is_err());
    counted(&server, "incompatible", 1.0).await;
    let ended = [("reason", "tls_handshake")];
    let ended = |m: &Metrics| m.sum("hashlane_connections_ended_total", &ended);
    server.until("both have ended", |m| ended(m) == 2.0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_is_told_when_the_certificate_in_force_ends() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let server = files.serve("off", &[]);
    let name = "hashlane_tls_certificate_expiry_timestamp_seconds";
    let year_3000 = 32_503_680_000.0;
    assert!(server.metrics().sum(name, &[]) > year_3000);
    files.put(&ca.expired());
    server.reload.reload(&files.parsed("off")).unwrap();
    let year_2001 = 978_307_200.0;
    assert_eq!(server.metrics().sum(name, &[]), year_2001);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_tls_is_turned_away() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let server = files.serve("off", &[]);
    let preface = frame_client::opening();
    for bytes in [&preface[..], &[0xff; 3000], b"GET / HTTP/1.1\r\n\r\n"] {
        let mut stream = TcpStream::connect(address(&server)).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut said = Vec::new();
        let ended = timeout(PATIENCE, stream.read_to_end(&mut said)).await;
        ended.unwrap().unwrap();
        // At most an alert, which arrives although the server left bytes unread.
        assert!(
            said.is_empty() || said[0] == 21 && said.len() < 20,
            "{said:?}"
        );
    }
    counted(&server, "malformed", 3.0).await;
    // The other way round: TLS to the port without TLS.
    let client = TlsClient::new(&ca);
    assert!(client.connect(server.grpc).await.is_err());
    server
        .until("all are gone", |m| {
            m.sum("hashlane_connections", &[]) == 0.0
        })
        .await;
    let stream = client.connect(address(&server)).await.unwrap();
    assert_eq!(digest_over(stream, b"abc").await, sha256(b"abc"));
}

/// An open part never becomes complete when its connection ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_truncated_connection_ends_no_part() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let server = files.serve("off", &[]);
    for (ended, says_so) in [(1.0, false), (2.0, true)] {
        let mut stream = TlsClient::new(&ca).connect(address(&server)).await.unwrap();
        // HTTP/2 by hand: the connection itself is to end as this test likes.
        let mut sent = frame_client::opening();
        let headers = frame_client::headers(1, 0, &[]);
        sent.extend_from_slice(&headers);
        let request = message(0, &digest(1, &pattern(1000, 1), false).encode_to_vec());
        sent.extend_from_slice(&frame_client::frame(frame_client::DATA, 0, 1, &request));
        stream.write_all(&sent).await.unwrap();
        server
            .until("the part is open", |m| {
                m.sum("hashlane_open_jobs", &[]) == 1.0
            })
            .await;
        if says_so {
            stream.shutdown().await.unwrap();
        } else {
            let (socket, _) = stream.get_mut();
            socket.shutdown().await.unwrap();
        }
        let cancelled = [("outcome", "cancelled")];
        server
            .until("the part is gone", |m| {
                m.sum("hashlane_parts_total", &cancelled) == ended
                    && m.sum("hashlane_open_jobs", &[]) == 0.0
            })
            .await;
    }
    assert_eq!(
        server.metrics().sum("hashlane_parts_total", &[]),
        2.0,
        "none was answered"
    );
}
