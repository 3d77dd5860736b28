//! Socket activation and notifications of systemd.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};

use crate::common::program::{Running, command};
use crate::common::{PATIENCE, all, connect, digest, get, sha256};

/// The next message that contains these words.
fn told(socket: &UnixDatagram, words: &str) -> String {
    loop {
        let mut message = [0; 1000];
        let bytes = socket.recv(&mut message);
        let bytes = bytes.unwrap_or_else(|error| panic!("{words}: {error}"));
        let message = str::from_utf8(&message[..bytes]).unwrap();
        if message.contains(words) {
            return message.to_owned();
        }
    }
}

#[test]
fn systemd_is_told_of_readiness_reloads_and_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut service = command(&[]);
    service
        .env("NOTIFY_SOCKET", &path)
        .env("WATCHDOG_USEC", "20000");
    let running = Running::start_by(service, &[]);
    told(&socket, "READY=1");
    for _ in 0..3 {
        told(&socket, "WATCHDOG=1");
    }
    running.signal("HUP");
    assert!(told(&socket, "RELOADING=1").contains("MONOTONIC_USEC="));
    told(&socket, "READY=1");
    running.signal("TERM");
    told(&socket, "STOPPING=1");
    let (code, log) = running.end();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn the_unit_restarts_no_server_with_wrong_settings_but_any_other() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../deploy/systemd/hashlane.service"
    );
    let unit = std::fs::read_to_string(path).unwrap();
    let ends_restarts = |flags: &[&str]| {
        let status = command(flags).output().unwrap().status.code().unwrap();
        let line = format!("RestartPreventExitStatus={status}");
        unit.lines().any(|found| found == line)
    };
    assert!(ends_restarts(&["--workers", "0"]));
    assert!(ends_restarts(&["--worker", "1"]));
    let taken = listener();
    let address = taken.local_addr().unwrap().to_string();
    assert!(!ends_restarts(&["--listen", &address]));
}

fn listener() -> std::net::TcpListener {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap()
}

/// The program with these sockets as descriptors 3 and 4.
fn activated(names: &str, third: impl Into<OwnedFd>, fourth: impl Into<OwnedFd>) -> Command {
    let script = "exec 3<&0 4<&1 0</dev/null 1>/dev/null && exec \"$0\" \"$@\"";
    let [third, fourth]: [OwnedFd; 2] = [third.into(), fourth.into()];
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", script, env!("CARGO_BIN_EXE_hashlane-server")])
        .env_clear()
        .env("LISTEN_FDS", "2")
        .env("LISTEN_FDNAMES", names)
        .stdin(Stdio::from(third))
        .stdout(Stdio::from(fourth));
    shell
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sockets_of_systemd_take_the_place_of_addresses() {
    let (grpc, admin) = (listener(), listener());
    let [of_grpc, of_admin] = [&grpc, &admin].map(|socket| socket.local_addr().unwrap());
    // A client that connects early waits for the server.
    let early = tokio::spawn(connect(of_grpc));
    let running = Running::start_by(activated("grpc:admin", grpc, admin), &[]);
    assert_eq!((running.grpc, running.admin), (of_grpc, of_admin));
    let request = tokio_stream::iter([digest(0, b"abc", true)]);
    let answers = early.await.unwrap().digest(request).await.unwrap();
    let answers = all(answers.into_inner()).await.unwrap();
    assert_eq!(answers[0].digests[0].digest, sha256(b"abc"));
    assert_eq!(get(of_admin, "/readyz").unwrap().0, 200);
}

#[test]
fn two_sockets_for_one_purpose_are_an_error() {
    let mut command = activated("", listener(), listener());
    let output = command.stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("two tcp sockets for grpc"), "{text}");
}
