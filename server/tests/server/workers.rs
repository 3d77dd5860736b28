//! Workers that fail while others go on.

use std::time::{Duration, Instant};

use crate::common::{
    Client, Metrics, PATIENCE, TestServer, all, assert_refused, digest, open_digest, sha256,
};
use hashlane_proto::v1::{DigestRequest, DigestResponse};
use hashlane_server::{Fault, ServerError};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tonic::{Code, Status, Streaming};

const WORKERS: [&str; 2] = ["0", "1"];

/// A client with an open part, the only one of its worker.
struct Open {
    worker: usize,
    sender: mpsc::Sender<DigestRequest>,
    answers: Streaming<DigestResponse>,
}

impl Open {
    async fn begin(mut client: Client, worker: usize) -> Self {
        let (sender, answers) = open_digest(&mut client).await;
        sender.send(digest(0, b"ab", false)).await.unwrap();
        Self {
            worker,
            sender,
            answers,
        }
    }

    async fn end(&mut self) -> Status {
        let end = timeout(PATIENCE, self.answers.message()).await;
        end.expect("its connection goes on").unwrap_err()
    }

    async fn finishes(self) {
        self.sender.send(digest(0, b"c", true)).await.unwrap();
        drop(self.sender);
        let answers = timeout(PATIENCE, all(self.answers)).await;
        let answers = answers.expect("it hangs").unwrap();
        assert_eq!(answers[0].digests[0].digest, sha256(b"abc"));
    }
}

fn connections(metrics: &Metrics, worker: usize) -> f64 {
    metrics.sum("hashlane_connections", &[("worker", WORKERS[worker])])
}

/// A server of two workers with a client each: one that is about to fail, and another.
async fn start() -> (TestServer, [Open; 2]) {
    let server = TestServer::start(&[("drain_timeout", "1h")]);
    let first = server.client().await;
    let metrics = server
        .until("one is connected", |m| {
            connections(m, 0) + connections(m, 1) == 1.0
        })
        .await;
    let failing = usize::from(connections(&metrics, 1) > 0.0);
    let first = Open::begin(first, failing).await;
    let second = server.client().await;
    server
        .until("each has one", |m| {
            [0, 1].map(|worker| connections(m, worker)) == [1.0, 1.0]
        })
        .await;
    let second = Open::begin(second, 1 - failing).await;
    server
        .until("two parts are open", |m| {
            m.sum("hashlane_open_jobs", &[]) == 2.0
        })
        .await;
    (server, [first, second])
}

fn replaced(metrics: &Metrics, failure: &str) -> f64 {
    let labels = [("failure", failure)];
    metrics.sum("hashlane_worker_replacements_total", &labels)
}

/// The worker was replaced, and both work.
async fn goes_on(server: &TestServer, failure: &str, other: Open) {
    server
        .until("another has its place", |m| replaced(m, failure) == 1.0)
        .await;
    other.finishes().await;
    server
        .until("nobody is connected", |m| {
            m.sum("hashlane_connections", &[]) == 0.0
        })
        .await;
    let mut open = Vec::new();
    for worker in [0, 1] {
        open.push(Open::begin(server.client().await, worker).await);
    }
    server
        .until("each has one", |m| {
            [0, 1].map(|worker| connections(m, worker)) == [1.0, 1.0]
        })
        .await;
    for open in open {
        open.finishes().await;
    }
    assert_eq!(server.get("/healthz").0, 200);
    assert_eq!(server.get("/readyz").0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_panics_is_replaced() {
    let (mut server, [mut failing, other]) = start().await;
    server.faults.inject(failing.worker, Fault::Panic);
    failing.end().await;
    goes_on(&server, "ended", other).await;
    server.stop();
    server.join().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_are_told_that_their_engine_failed() {
    let (mut server, [mut failing, other]) = start().await;
    server.faults.inject(failing.worker, Fault::PanicEngine);
    assert_refused(&failing.end().await, Code::Unavailable, "DRAINING");
    goes_on(&server, "ended", other).await;
    server.stop();
    server.join().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_hangs_is_replaced() {
    let (mut server, [mut failing, other]) = start().await;
    let (fault, hung) = Fault::hang();
    server.faults.inject(failing.worker, fault);
    failing.end().await;
    goes_on(&server, "hung", other).await;
    let hanging = |m: &Metrics| m.sum("hashlane_hung_threads", &[]);
    assert!((hanging(&server.metrics()) - 1.0).abs() < 1e-9);

    // It goes on, and finds that it is not needed any more.
    drop(hung);
    server.until("nobody hangs", |m| hanging(m) == 0.0).await;
    server.stop();
    server.join().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_hangs_does_not_hold_up_the_drain() {
    let (mut server, [mut failing, other]) = start().await;
    let (fault, _hung) = Fault::hang();
    server.faults.inject(failing.worker, fault);
    failing.end().await;
    other.finishes().await;
    server.stop();
    let start = Instant::now();
    while !server.has_ended() {
        assert!(start.elapsed() < PATIENCE, "the drain waits for it");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    server.join().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_too_many_have_failed_the_server_ends() {
    let mut server = TestServer::start(&[]);
    let start = Instant::now();
    while !server.has_ended() {
        assert!(start.elapsed() < PATIENCE, "{}", server.metrics().0);
        server.faults.inject(0, Fault::Panic);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let error = server.join().unwrap_err();
    assert!(matches!(&error, ServerError::Worker(failed) if failed.worker == 0));
    assert!(error.to_string().contains("8 were replaced"), "{error}");
}
