//! The program itself: flags, exit codes, signals.

mod common;

use std::process::Output;

use common::program::{Running, command};
use common::{connect, digest, get, sha256};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

fn output(flags: &[&str]) -> Output {
    command(flags).output().unwrap()
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
