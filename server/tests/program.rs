//! The program itself: flags, exit codes, signals.

mod common;

use std::io::{BufRead as _, BufReader};
use std::os::fd::AsFd as _;
use std::process::Output;

use common::program::{Running, command};
use common::raw::{Raw, read};
use common::{PATIENCE, assert_refused, connect, digest, get, sha256};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;

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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_descriptors_accepting_pauses_and_goes_on_when_there_are_some() {
    const DESCRIPTORS_MAX: u32 = 64;
    let running = Running::start_with_descriptors(DESCRIPTORS_MAX, &[]);
    let mut raw = Raw::tcp(running.grpc).await;
    // The kernel accepts them all; the server cannot, having some files open.
    let crowd: Vec<_> = (0..DESCRIPTORS_MAX)
        .map(|_| std::net::TcpStream::connect(running.grpc).unwrap())
        .collect();
    let log = running.log.get_ref().as_fd().try_clone_to_owned().unwrap();
    let failing = tokio::task::spawn_blocking(|| {
        let mut lines = BufReader::new(std::fs::File::from(log)).lines();
        lines.any(|line| line.unwrap().contains("\"could not accept; trying again\""))
    });
    let failing = tokio::time::timeout(PATIENCE, failing).await;
    assert!(failing.unwrap().unwrap(), "it ended");

    // Who is connected is served, until a second and a half have passed by the
    // server's clock.
    let method = "/hashlane.v1.HashService/Digest";
    let (response, _sending) = raw.begin(method, &[("grpc-timeout", "1500m")]).await;
    let status = read(response).await.status.unwrap();
    assert_refused(&status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");

    drop(crowd);
    let again = async {
        let mut client = connect(running.grpc).await;
        let request = tokio_stream::iter([digest(0, b"abc", true)]);
        let mut answers = client.digest(request).await.unwrap().into_inner();
        answers.message().await.unwrap().unwrap()
    };
    let answer = tokio::time::timeout(PATIENCE, again).await.unwrap();
    assert_eq!(answer.digests[0].digest, sha256(b"abc"));
    // With pauses that double from 10 ms it tries seven times in that while,
    // and without them more than a thousand times.
    let errors = running.metrics().sum("hashlane_accept_errors_total", &[]);
    assert!((2.0..50.0).contains(&errors), "{errors}");
}

#[test]
fn a_health_check_that_is_not_answered_says_so() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let output = output(&["--healthcheck", "--admin-listen", &address]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("timed out"), "{text}");
}
