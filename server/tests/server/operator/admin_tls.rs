//! TLS on the admin port: which client gets which answer, and reloaded certificates.

use std::io;
use std::net::SocketAddr;

use crate::common::program::{Running, command};
use crate::common::tls::{Ca, Files, TlsClient, flags};
use crate::common::{PATIENCE, TestServer, get};
use hashlane_server::{Settings, healthcheck};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

fn client(ca: &Ca) -> TlsClient {
    let mut client = TlsClient::new(ca);
    client.alpn = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    client
}

/// The status of an answer, and its text.
async fn ask(client: &TlsClient, admin: SocketAddr, path: &str) -> io::Result<(u16, String)> {
    let asking = async {
        let mut stream = client.connect(admin).await?;
        let request = format!("GET {path} HTTP/1.1\r\nhost: {admin}\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        let status = text.get(9..12).and_then(|status| status.parse().ok());
        Ok((status.ok_or(io::ErrorKind::UnexpectedEof)?, text))
    };
    timeout(PATIENCE, asking).await.unwrap()
}

fn start(settings: &[(&'static str, String)]) -> TestServer {
    let settings: Vec<_> = settings.iter().map(|(n, v)| (*n, v.as_str())).collect();
    TestServer::start(&settings)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_admin_port_speaks_tls_alone() {
    let (ca, others) = (Ca::new(), Ca::new());
    let files = Files::new(&ca.server(), &ca);
    let server = start(&files.of_admin(false));
    let (status, text) = ask(&client(&ca), server.admin, "/metrics").await.unwrap();
    assert_eq!(status, 200);
    assert!(text.contains("hashlane_connections"), "{text}");
    let (_, state) = ask(&client(&ca), server.admin, "/debug/state")
        .await
        .unwrap();
    let state = state.split_once("\r\n\r\n").unwrap().1;
    let state: serde_json::Value = serde_json::from_str(state).unwrap();
    let [certificate] = &state["certificates"].as_array().unwrap()[..] else {
        panic!("{state}")
    };
    assert_eq!(certificate["port"], "admin");
    let year_seconds = 365.0 * 24.0 * 3600.0;
    assert!(certificate["expires_in_seconds"].as_f64() > Some(year_seconds));
    assert!(
        ask(&client(&others), server.admin, "/metrics")
            .await
            .is_err()
    );
    healthcheck(server.admin, true).unwrap();
    // Without TLS there is no answer.
    let mut plain = TcpStream::connect(server.admin).await.unwrap();
    let request = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    plain.write_all(request).await.unwrap();
    let mut said = Vec::new();
    let _ = timeout(PATIENCE, plain.read_to_end(&mut said)).await;
    assert!(!said.starts_with(b"HTTP"), "{said:?}");
    assert!(healthcheck(server.admin, false).is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_certificate_that_is_asked_for_only_probes_are_answered() {
    let (ca, others) = (Ca::new(), Ca::new());
    let files = Files::new(&ca.server(), &ca);
    let server = start(&files.of_admin(true));
    let operator = client(&ca).showing(&ca.client("spiffe://test/operator"));
    let nobody = client(&ca);
    for path in ["/", "/metrics", "/debug/state", "/nothing"] {
        let (status, text) = ask(&nobody, server.admin, path).await.unwrap();
        assert_eq!(status, 403, "{path}: {text}");
        let (status, _) = ask(&operator, server.admin, path).await.unwrap();
        assert_ne!(status, 403, "{path}");
    }
    for path in ["/healthz", "/readyz"] {
        for client in [&nobody, &operator] {
            assert_eq!(ask(client, server.admin, path).await.unwrap().0, 200);
        }
    }
    healthcheck(server.admin, true).unwrap();
    for bad in [others.client("spiffe://test/operator"), ca.expired()] {
        let stranger = client(&ca).showing(&bad);
        assert!(ask(&stranger, server.admin, "/readyz").await.is_err());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_both_ports_are_read_anew_or_none() {
    let (old, new) = (Ca::new(), Ca::new());
    let (grpc, admin) = (
        Files::new(&old.server(), &old),
        Files::new(&old.server(), &old),
    );
    let settings = [grpc.settings("off"), admin.of_admin(false)].concat();
    let server = start(&settings);
    let parsed: Vec<_> = settings.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let parsed = Settings::with(&parsed).unwrap();
    let address = server.tls.unwrap();
    let knows = |ca: &Ca| {
        let (of_grpc, of_admin) = (TlsClient::new(ca), client(ca));
        let admin = server.admin;
        async move {
            let of_grpc = of_grpc.connect(address).await.is_ok();
            (of_grpc, ask(&of_admin, admin, "/readyz").await.is_ok())
        }
    };
    assert_eq!(knows(&old).await, (true, true));
    grpc.put(&new.server());
    std::fs::write(admin.path("key"), "none").unwrap();
    let error = server.reload.reload(&parsed).unwrap_err();
    assert!(error.contains("setting admin.key: "), "{error}");
    assert_eq!(knows(&old).await, (true, true));
    admin.put(&new.server());
    server.reload.reload(&parsed).unwrap();
    assert_eq!(knows(&new).await, (true, true));
    assert_eq!(knows(&old).await, (false, false));
    // The port continues with TLS.
    for without in [&grpc.parsed("off"), &Settings::with(&[]).unwrap()] {
        server.reload.reload(without).unwrap();
        assert_eq!(knows(&new).await, (true, true));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_stalls_in_a_handshake_holds_no_probe_up() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let server = start(&files.of_admin(false));
    let mut crowd = Vec::new();
    for _ in 0..150 {
        let mut stalled = TcpStream::connect(server.admin).await.unwrap();
        // An incomplete handshake record.
        stalled.write_all(&[22, 3, 1, 1, 0, 1]).await.unwrap();
        crowd.push(stalled);
    }
    let (status, _) = ask(&client(&ca), server.admin, "/readyz").await.unwrap();
    assert_eq!(status, 200);
    // The server ends all of them.
    for mut stalled in crowd {
        let ended = timeout(PATIENCE, stalled.read(&mut [0; 100])).await;
        assert!(!matches!(ended, Ok(Ok(1..)) | Err(_)), "{ended:?}");
    }
}

#[test]
fn its_health_check_is_over_tls_and_a_port_in_the_clear_is_told() {
    const WORDS: &str = "the admin port speaks no tls";
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let flags = flags(&files.of_admin(true));
    let mut flags: Vec<_> = flags.iter().map(String::as_str).collect();
    flags.push("--set=admin_listen=0.0.0.0:0");
    let running = Running::start(&flags);
    assert!(!running.start.contains(WORDS), "{}", running.start);
    let check = |flags: &[&str]| command(flags).status().unwrap().code();
    let address = format!("--admin-listen={}", running.admin);
    flags.extend(["--healthcheck", &address]);
    assert_eq!(check(&flags), Some(0));
    // The settings have changed since the server started.
    assert_eq!(check(&["--healthcheck", &address]), Some(0));

    let clear = Running::start(&["--set=admin_listen=0.0.0.0:0"]);
    assert!(clear.start.contains(WORDS), "{}", clear.start);
    assert_eq!(get(clear.admin, "/readyz").unwrap().0, 200);
    assert!(!Running::start(&[]).start.contains(WORDS));
}
