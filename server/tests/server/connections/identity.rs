//! The client of a call: from a certificate, a token, a uid, an address, or a trusted proxy.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use crate::common::h2_client::{Answer, Raw, message};
use crate::common::program::Running;
use crate::common::tls::{Ca, Files, TlsClient};
use crate::common::{Metrics, TestServer, assert_refused, digest, sha256};
use prost::Message as _;
use tempfile::TempDir;
use tokio::net::UnixStream;
use tonic::Code;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const CHECK: &str = "/grpc.health.v1.Health/Check";
const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/// `backup`'s token is "abc", `ci`'s is "xyz".
const TOKENS: &str = "\
backup ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
ci     3608bca1e44ea6c4d268eb6db02260269892c0b42b86bbf1e77a6fa16c3c9282
";
const BACKUP: (&str, &str) = ("authorization", "Bearer abc");
const WRONG: (&str, &str) = ("authorization", "Bearer abcd");

/// A file in a temporary directory that is removed on drop.
struct File(TempDir);

impl File {
    fn new(text: &str) -> Self {
        let file = Self(TempDir::new().unwrap());
        file.write(text);
        file
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("file")
    }

    fn setting(&self) -> String {
        self.path().display().to_string()
    }

    fn write(&self, text: &str) {
        std::fs::write(self.path(), text).unwrap();
    }
}

/// The client of a call, as the server reports it while the call is open.
async fn client_of(server: &TestServer, raw: &mut Raw, headers: &[(&str, &str)]) -> String {
    let (response, mut sending) = raw.begin(DIGEST, headers).await;
    let response = response.await.unwrap();
    let (_, state) = server.get("/debug/state");
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    let clients = state["clients"].as_array().unwrap().iter();
    let mut calling = clients.filter(|client| client["streams"] != 0);
    let client = calling.next().unwrap_or_else(|| panic!("nobody: {state}"));
    assert!(calling.next().is_none(), "{state}");
    let name = client["client"].as_str().unwrap().to_owned();
    sending.send_data(bytes::Bytes::new(), true).unwrap();
    let mut body = response.into_body();
    while let Some(data) = body.data().await {
        data.unwrap();
    }
    body.trailers().await.unwrap();
    server
        .until("the call has ended", |m| {
            m.sum("hashlane_streams", &[]) == 0.0
        })
        .await;
    name
}

async fn call(raw: &mut Raw, headers: &[(&str, &str)]) -> Answer {
    let request = message(0, &digest(1, b"abc", true).encode_to_vec());
    raw.call(DIGEST, headers, &[request]).await
}

async fn is_refused(raw: &mut Raw, headers: &[(&str, &str)], reason: &str) {
    let status = call(raw, headers).await.status.unwrap();
    assert_refused(&status, Code::Unauthenticated, reason);
}

async fn works(raw: &mut Raw, headers: &[(&str, &str)]) {
    let status = call(raw, headers).await.status.unwrap();
    assert_eq!(status.code(), Code::Ok, "{status:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_goes_before_a_token_and_a_token_before_an_address() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let tokens = File::new(TOKENS);
    let server = files.serve("optional", &[("clients.tokens_file", &tokens.setting())]);
    let address = server.tls.unwrap();
    let named = TlsClient::new(&ca).showing(&ca.client("spiffe://test/a"));
    let mut named = Raw::over(named.connect(address).await.unwrap()).await;
    let mut nameless = Raw::over(TlsClient::new(&ca).connect(address).await.unwrap()).await;
    let mut plain = Raw::tcp(server.grpc).await;
    let certificate = "certificate:spiffe://test/a";
    assert_eq!(client_of(&server, &mut named, &[]).await, certificate);
    assert_eq!(client_of(&server, &mut named, &[BACKUP]).await, certificate);
    assert_eq!(client_of(&server, &mut nameless, &[]).await, "127.0.0.1");
    assert_eq!(
        client_of(&server, &mut nameless, &[BACKUP]).await,
        "token:backup"
    );
    assert_eq!(
        client_of(&server, &mut plain, &[BACKUP]).await,
        "token:backup"
    );
    // One connection may carry calls of several clients.
    let ci = ("authorization", "bearer xyz");
    assert_eq!(client_of(&server, &mut plain, &[ci]).await, "token:ci");
    assert_eq!(client_of(&server, &mut plain, &[]).await, "127.0.0.1");
    // Without a trusted proxy the header is ignored.
    let forwarded = ("x-forwarded-client", "other");
    assert_eq!(
        client_of(&server, &mut plain, &[forwarded]).await,
        "127.0.0.1"
    );
    // A wrong token is refused, even if the client is otherwise identified.
    is_refused(&mut plain, &[WRONG], "CREDENTIALS_INVALID").await;
    is_refused(&mut named, &[WRONG], "CREDENTIALS_INVALID").await;
    works(&mut named, &[]).await;
    let reason = [("reason", "CREDENTIALS_INVALID")];
    let refused = |m: &Metrics| m.sum("hashlane_refusals_total", &reason);
    server
        .until("they are counted", |m| refused(m) == 2.0)
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_of_the_unix_socket_is_its_uid() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("socket");
    let tokens = File::new(TOKENS);
    let server = TestServer::start(&[
        ("listen_unix", path.to_str().unwrap()),
        ("clients.tokens_file", &tokens.setting()),
        ("clients.identity_required", "true"),
    ]);
    let own = std::fs::metadata(folder.path()).unwrap().uid();
    let mut raw = Raw::over(UnixStream::connect(&path).await.unwrap()).await;
    assert_eq!(
        client_of(&server, &mut raw, &[]).await,
        format!("uid:{own}")
    );
    assert_eq!(
        client_of(&server, &mut raw, &[BACKUP]).await,
        "token:backup"
    );
    // An address does not authenticate.
    let mut raw = Raw::tcp(server.grpc).await;
    is_refused(&mut raw, &[], "CREDENTIALS_MISSING").await;
    works(&mut raw, &[BACKUP]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_and_reflection_need_no_identity() {
    let tokens = File::new(TOKENS);
    let required = [
        ("clients.tokens_file", tokens.setting()),
        ("clients.identity_required", "true".to_owned()),
    ];
    let required = required
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let server = TestServer::start(&required);
    let mut raw = Raw::tcp(server.grpc).await;
    for path in [CHECK, REFLECTION] {
        for headers in [&[][..], &[WRONG]] {
            let answer = raw.call(path, headers, &[message(0, b"")]).await;
            let status = answer.status.unwrap();
            assert_ne!(status.code(), Code::Unauthenticated, "{path}");
            assert_ne!(status.code(), Code::Unimplemented, "{path}");
        }
    }
    for path in [
        "Digest",
        "Verify",
        "DigestBatch",
        "Compose",
        "GetServerInfo",
    ] {
        let path = format!("/hashlane.v1.HashService/{path}");
        let answer = raw.call(&path, &[], &[message(0, b"")]).await;
        assert_refused(
            &answer.status.unwrap(),
            Code::Unauthenticated,
            "CREDENTIALS_MISSING",
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reflection_can_be_turned_off() {
    let server = TestServer::start(&[("reflection", "false")]);
    let mut raw = Raw::tcp(server.grpc).await;
    let answer = raw.call(REFLECTION, &[], &[message(0, b"")]).await;
    assert_refused(
        &answer.status.unwrap(),
        Code::Unimplemented,
        "NO_SUCH_METHOD",
    );
    let answer = raw.call(CHECK, &[], &[message(0, b"")]).await;
    assert_eq!(answer.status.unwrap().code(), Code::Ok);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trusted_proxy_names_its_clients() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let tokens = File::new(TOKENS);
    let server = files.serve(
        "optional",
        &[
            (
                "clients.trusted_proxies",
                "127.0.0.0/30,certificate:spiffe://test/proxy",
            ),
            ("clients.identity_required", "true"),
            ("clients.tokens_file", &tokens.setting()),
        ],
    );
    let address = server.tls.unwrap();
    let over_tls = async |name: &str| {
        let client = TlsClient::new(&ca).showing(&ca.client(name));
        // From an untrusted address.
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 0, 9], 0).into()).unwrap();
        let socket = socket.connect(address).await.unwrap();
        let connector = tokio_rustls::TlsConnector::from(std::sync::Arc::new(client.config()));
        let name = rustls::pki_types::ServerName::from(address.ip());
        Raw::over(connector.connect(name, socket).await.unwrap()).await
    };
    let alice = ("x-forwarded-client", "alice");
    let mut proxy = over_tls("spiffe://test/proxy").await;
    assert_eq!(
        client_of(&server, &mut proxy, &[alice]).await,
        "forwarded:alice"
    );
    let own = "certificate:spiffe://test/proxy";
    assert_eq!(client_of(&server, &mut proxy, &[]).await, own);
    let mut other = over_tls("spiffe://test/other").await;
    let own = "certificate:spiffe://test/other";
    assert_eq!(client_of(&server, &mut other, &[alice]).await, own);
    let mut near = Raw::tcp(server.grpc).await;
    assert_eq!(
        client_of(&server, &mut near, &[alice]).await,
        "forwarded:alice"
    );
    is_refused(
        &mut near,
        &[("x-forwarded-client", "")],
        "CREDENTIALS_INVALID",
    )
    .await;
    let long = "a".repeat(257);
    is_refused(
        &mut near,
        &[("x-forwarded-client", &long)],
        "CREDENTIALS_INVALID",
    )
    .await;
    is_refused(&mut near, &[alice, WRONG], "CREDENTIALS_INVALID").await;
    is_refused(&mut near, &[], "CREDENTIALS_MISSING").await;
}

/// A proxy that appends its header to the client's.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_several_names_the_last_is_the_proxys() {
    let server = TestServer::start(&[("clients.trusted_proxies", "127.0.0.1")]);
    let socket = tokio::net::TcpStream::connect(server.grpc).await.unwrap();
    let (requests, connection) = h2::client::handshake(socket).await.unwrap();
    tokio::spawn(async move {
        let _ = connection.await;
    });
    let request = http::Request::post(format!("http://test{DIGEST}"))
        .header("content-type", "application/grpc")
        .header("x-forwarded-client", "forged")
        .header("x-forwarded-client", "alice")
        .body(())
        .unwrap();
    let mut ready = requests.ready().await.unwrap();
    let (response, _sending) = ready.send_request(request, false).unwrap();
    response.await.unwrap();
    let (_, state) = server.get("/debug/state");
    assert!(
        state.contains("forwarded:alice") && !state.contains("forged"),
        "{state}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sighup_reads_tokens_anew_and_says_what_changed() {
    let tokens = File::new(TOKENS);
    let config = File::new("");
    let write_config = |required: bool| {
        let path = tokens.path();
        config.write(&format!(
            "[clients]\ntokens_file = {path:?}\nidentity_required = {required}\n"
        ));
    };
    write_config(true);
    let mut running = Running::start(&["--config", &config.setting(), "--log", "debug"]);
    let mut raw = Raw::tcp(running.grpc).await;
    let xyz = ("authorization", "Bearer xyz");
    works(&mut raw, &[xyz]).await;
    let line = running.line_with("\"call\"");
    assert!(line.contains("\"client\":\"token:ci\""), "{line}");

    // A different token for the same name; and a new name.
    let other = "ci cb8379ac2098aa165029e3938a51da0bcecfc008fd6795f401178647f96c5b34\n";
    tokens.write(&format!("{other}{}", TOKENS.lines().next().unwrap()));
    running.signal("HUP");
    let line = running.line_with("SIGHUP: tokens");
    assert!(line.contains("\"token:ci changed\""), "{line}");
    is_refused(&mut raw, &[xyz], "CREDENTIALS_INVALID").await;
    works(&mut raw, &[BACKUP]).await;
    works(&mut raw, &[("authorization", "Bearer def")]).await;

    // A faulty file changes nothing.
    tokens.write("ci cb8379\n");
    running.signal("HUP");
    let line = running.line_with("not in force");
    assert!(
        line.contains("file:1: a SHA-256 is 64 hexadecimal digits"),
        "{line}"
    );
    works(&mut raw, &[BACKUP]).await;

    is_refused(&mut raw, &[], "CREDENTIALS_MISSING").await;
    tokens.write(TOKENS);
    write_config(false);
    running.signal("HUP");
    running.line_with("SIGHUP: tokens");
    works(&mut raw, &[]).await;
    works(&mut raw, &[xyz]).await;
    running.signal("TERM");
    drop(raw);
    let (code, rest) = running.end();
    assert_eq!(code, Some(0), "{rest}");
}

#[test]
fn tokens_in_the_clear_are_told_at_the_start_and_by_a_reload() {
    const WORDS: &str = "tokens cross the network in the clear";
    let (tokens, config) = (File::new(TOKENS), File::new(""));
    let setting = config.setting();
    let with_tokens = format!("[clients]\ntokens_file = {:?}\n", tokens.path());
    let clear = ["--config", &setting, "--insecure", "--set=listen=0.0.0.0:0"];
    let mut running = Running::start(&clear);
    assert!(!running.start.contains(WORDS), "{}", running.start);
    config.write(&with_tokens);
    running.signal("HUP");
    running.line_with(WORDS);
    drop(running);

    assert!(Running::start(&clear).start.contains(WORDS));
    // Other machines do not see the loopback.
    let mut running = Running::start(&clear[..2]);
    running.signal("HUP");
    running.line_with("SIGHUP: new settings");
    running.signal("TERM");
    let start = running.start.clone();
    let (_, rest) = running.end();
    assert!(!start.contains(WORDS) && !rest.contains(WORDS), "{rest}");
}

#[test]
fn a_file_that_cannot_be_used_ends_the_start() {
    let tokens = File::new("# none\nbackup abc\n");
    for (setting, file, words) in [
        (
            "clients.tokens_file",
            tokens.setting(),
            ":2: a SHA-256 is 64",
        ),
        ("clients.tokens_file", "/nowhere".to_owned(), "No such file"),
        (
            "clients.quotas_file",
            tokens.setting(),
            "setting clients.quotas_file: ",
        ),
    ] {
        let changes = [("listen", "127.0.0.1:0"), ("admin_listen", "127.0.0.1:0")];
        let changes = [&changes[..], &[(setting, &file)]].concat();
        let settings = hashlane_server::Settings::with(&changes).unwrap();
        let error = hashlane_server::Server::bind(settings).err().unwrap();
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_token_is_logged() {
    const TOKEN: &str = "confidential-confidential";
    let hex: String = sha256(TOKEN.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let tokens = File::new(&format!("backup {hex}\n"));
    let flags = ["--log", "trace", "--clients-tokens-file", &tokens.setting()];
    let running = Running::start(&flags);
    let mut raw = Raw::tcp(running.grpc).await;
    let known = format!("Bearer {TOKEN}");
    works(&mut raw, &[("authorization", &known)]).await;
    let unknown = format!("Bearer {TOKEN}-{TOKEN}");
    is_refused(
        &mut raw,
        &[("authorization", &unknown)],
        "CREDENTIALS_INVALID",
    )
    .await;
    running.signal("TERM");
    drop(raw);
    let (_, log) = running.end();
    assert!(log.contains("token:backup") && log.contains("CREDENTIALS_INVALID"));
    for secret in [TOKEN, &hex] {
        assert!(!log.contains(secret), "{log}");
    }
}
