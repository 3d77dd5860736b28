//! The Unix socket that the server listens on: its mode and its path.

use crate::common::h2_client::{Raw, message, messages};
use crate::common::{TestServer, digest, sha256};
use hashlane_proto::v1::DigestResponse;
use prost::Message as _;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_unix_socket_serves_too_and_a_stale_one_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hashlane.sock");
    // As a killed server leaves it.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let setting = path.to_str().unwrap();
    let mut server = TestServer::start(&[("listen_unix", setting)]);
    let socket = tokio::net::UnixStream::connect(&path).await.unwrap();
    let mut raw = Raw::over(socket).await;
    let frames = [message(0, &digest(0, b"abc", true).encode_to_vec())];
    let answer = raw.call(DIGEST, &[], &frames).await;
    let answers: Vec<DigestResponse> = messages(&answer.body);
    assert_eq!(answers[0].digests[0].digest, sha256(b"abc"));
    drop(raw);

    let taken = hashlane_server::Settings::with(&[
        ("listen", "127.0.0.1:0"),
        ("admin_listen", "127.0.0.1:0"),
        ("listen_unix", setting),
    ]);
    let error = hashlane_server::Server::bind(taken.unwrap()).err().unwrap();
    assert!(error.to_string().contains("listen_unix"), "{error}");
    server.stop();
    server.join().unwrap();
    assert!(!path.exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_unix_socket_has_the_mode_that_is_set() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    for (mode, bits) in [(None, 0o660), (Some("0600"), 0o600), (Some("0777"), 0o777)] {
        let path = folder.path().join("hashlane.sock");
        let mut changes = vec![("listen_unix", path.to_str().unwrap())];
        changes.extend(mode.map(|mode| ("unix_socket_mode", mode)));
        let _server = TestServer::start(&changes);
        let found = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(found & 0o7777, bits, "{found:o}");
    }
}

#[test]
fn a_unix_socket_of_a_successor_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hashlane.sock");
    let mut server = TestServer::start(&[("listen_unix", path.to_str().unwrap())]);
    std::fs::remove_file(&path).unwrap();
    let _successor = std::os::unix::net::UnixListener::bind(&path).unwrap();
    server.stop();
    server.join().unwrap();
    assert!(std::os::unix::net::UnixStream::connect(&path).is_ok());
}
