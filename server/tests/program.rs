//! The program itself: flags, exit codes, signals.

mod common;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Output, Stdio};

use common::{connect, digest, get, sha256};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

fn command(flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashlane-server"));
    command.args(flags).env_clear();
    command
}

fn output(flags: &[&str]) -> Output {
    command(flags).output().unwrap()
}

/// A running program and the rest of its log.
struct Running {
    child: Child,
    log: BufReader<std::process::ChildStderr>,
    grpc: std::net::SocketAddr,
    admin: std::net::SocketAddr,
}

impl Running {
    fn start(flags: &[&str]) -> Self {
        let mut child = command(&["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
            .args(["--log-format", "json", "--workers", "1"])
            .args(flags)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let (mut grpc, mut admin) = (None, None);
        loop {
            let mut line = String::new();
            assert_ne!(log.read_line(&mut line).unwrap(), 0, "ended before ready");
            let field = |name: &str| {
                let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
                rest.split_once('"')?.0.parse().ok()
            };
            grpc = grpc.or_else(|| field("grpc"));
            admin = admin.or_else(|| field("admin"));
            if line.contains("\"ready\"") {
                break;
            }
        }
        Self {
            child,
            log,
            grpc: grpc.unwrap(),
            admin: admin.unwrap(),
        }
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success());
    }

    fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.log.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn a_bad_setting_ends_start_up_with_one_line() {
    for (flags, names) in [
        (&["--workers", "many"][..], "setting workers: \"many\""),
        (
            &["--set", "http2.streams_max=0"],
            "setting http2.streams_max",
        ),
        (&["--set", "nothing=0"], "setting nothing"),
        (&["--config", "/nonexistent/hashlane.toml"], "/nonexistent"),
        (&["--kernel", "abacus"], "setting kernel"),
    ] {
        let output = output(flags);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains(names), "{text}");
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = output(&["--listen", &address]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("setting listen: cannot listen on"), "{text}");
}

#[test]
fn the_settings_are_printed() {
    let output = output(&["--print-config"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    for line in [
        "listen = \"127.0.0.1:50051\"",
        "# environment: HASHLANE_HTTP2__FRAME_BYTES_MAX",
        "[http2]",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigterm_drains_and_the_health_check_tells() {
    for name in ["TERM", "INT"] {
        let running = Running::start(&[]);
        let admin = running.admin.to_string();
        let check = || {
            output(&["--healthcheck", "--admin-listen", &admin])
                .status
                .code()
        };
        assert_eq!(check(), Some(0));
        let mut client = connect(running.grpc).await;
        let (sender, receiver) = mpsc::channel(1);
        let answers = client.digest(ReceiverStream::new(receiver)).await;
        let mut answers = answers.unwrap().into_inner();
        sender.send(digest(0, b"ab", false)).await.unwrap();
        running.signal(name);
        while get(running.admin, "/readyz").unwrap().0 != 503 {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        assert_eq!(check(), Some(1));
        sender.send(digest(0, b"c", true)).await.unwrap();
        let answer = answers.message().await.unwrap().unwrap();
        assert_eq!(answer.digests[0].digest, sha256(b"abc"));
        drop((sender, answers, client));
        let (code, log) = running.end();
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("\"stopped\""), "{log}");
        assert_eq!(
            output(&["--healthcheck", "--admin-listen", &admin])
                .status
                .code(),
            Some(1)
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_signal_ends_it_at_once() {
    let running = Running::start(&["--drain-timeout", "1h"]);
    let mut client = connect(running.grpc).await;
    let (sender, receiver) = mpsc::channel(1);
    let answers = client.digest(ReceiverStream::new(receiver)).await.unwrap();
    sender.send(digest(0, b"ab", false)).await.unwrap();
    running.signal("TERM");
    while get(running.admin, "/readyz").unwrap().0 != 503 {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    running.signal("TERM");
    let (code, log) = running.end();
    assert_eq!(code, Some(1), "{log}");
    drop((sender, answers));
}
