//! Workers that fail or hang while others continue.

use std::time::{Duration, Instant};

use crate::common::{
    Client, Metrics, PATIENCE, TestServer, all, assert_refused, digest, open_digest, sha256,
};
use hashlane_proto::v1::{DigestRequest, DigestResponse};
use hashlane_server::Fault;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tonic::{Code, Status, Streaming};

const WORKERS: [&str; 2] = ["0", "1"];

/// A client with an open part on a worker without other clients.
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

/// A server of two workers with one client each: one worker will fail.
async fn start() -> (TestServer, [Open; 2]) {
    let server = TestServer::start_hastened(10, &[("drain_timeout", "1h")]);
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

fn count(metrics: &Metrics, name: &str, worker: usize) -> f64 {
    metrics.sum(name, &[("worker", WORKERS[worker])])
}

fn handled(metrics: &Metrics, code: &str) -> f64 {
    let labels = [("grpc_method", "Digest"), ("grpc_code", code)];
    metrics.sum("grpc_server_handled_total", &labels)
}

/// A worker failed and its call got an error: the call counts as cut, and both workers serve.
async fn goes_on(server: &TestServer, failed: usize, other: Open) {
    let metrics = server
        .until("it begins again", |m| {
            count(m, "hashlane_worker_restarts_total", failed) == 1.0
        })
        .await;
    let [cut, cancelled, unavailable] = [
        metrics.sum("hashlane_calls_cut_total", &[]),
        handled(&metrics, "Canceled"),
        handled(&metrics, "Unavailable"),
    ];
    assert_eq!((cut, cancelled, unavailable), (1.0, 0.0, 1.0));
    let state: serde_json::Value = serde_json::from_str(&server.get("/debug/state").1).unwrap();
    assert_eq!(
        (&state["workers"][failed]["restarts"], &state["calls_cut"]),
        (&1.into(), &1.into())
    );
    let ended = |reason| metrics.sum("hashlane_connections_ended_total", &[("reason", reason)]);
    assert_eq!(["cut", "closed", "error"].map(ended), [1.0, 0.0, 0.0]);
    // The worker's gauges are zero.
    assert_eq!(count(&metrics, "hashlane_connections", failed), 0.0);
    assert_eq!(count(&metrics, "hashlane_streams", failed), 0.0);
    assert_eq!(count(&metrics, "hashlane_open_jobs", failed), 0.0);
    let beats = count(&metrics, "hashlane_worker_beats_total", failed);
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
    server
        .until("it beats", |m| {
            count(m, "hashlane_worker_beats_total", failed) > beats
        })
        .await;
    assert_eq!(server.get("/healthz").0, 200);
    assert_eq!(server.get("/readyz").0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_panics_begins_again() {
    let (mut server, [mut failing, other]) = start().await;
    server.faults.inject(failing.worker, Fault::Panic);
    assert_refused(&failing.end().await, Code::Unavailable, "DRAINING");
    goes_on(&server, failing.worker, other).await;
    server.stop();
    server.join().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_are_told_that_their_engine_failed() {
    let (mut server, [mut failing, other]) = start().await;
    server.faults.inject(failing.worker, Fault::PanicLoop);
    assert_refused(&failing.end().await, Code::Unavailable, "DRAINING");
    goes_on(&server, failing.worker, other).await;
    server.stop();
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
    assert!(
        error.to_string().starts_with("worker 0 failed: ")
            && error.to_string().contains("8 times within an hour"),
        "{error}"
    );
}

/// Waits until the server detects that this worker hangs.
async fn hangs(server: &TestServer, worker: usize) {
    server
        .until("it is seen to hang", |m| {
            count(m, "hashlane_worker_hung", worker) == 1.0
        })
        .await;
    assert_eq!(server.get("/healthz").0, 503);
    assert_eq!(server.get("/readyz").0, 503);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_spins_gets_nothing_more_and_keeps_what_it_has() {
    let (mut server, [failing, other]) = start().await;
    let (fault, hung) = Fault::spin();
    server.faults.inject(failing.worker, fault);
    hangs(&server, failing.worker).await;
    // The other worker gets all new connections, regardless of its load.
    for _ in 0..3 {
        Open::begin(server.client().await, other.worker)
            .await
            .finishes()
            .await;
    }
    // The worker continues, and nothing is lost.
    drop(hung);
    server
        .until("it goes on", |m| m.sum("hashlane_worker_hung", &[]) == 0.0)
        .await;
    let metrics = server.metrics();
    let hangs = "hashlane_worker_hangs_total";
    assert_eq!(count(&metrics, hangs, failing.worker), 1.0);
    assert_eq!(count(&metrics, hangs, other.worker), 0.0);
    assert_eq!(server.get("/readyz").0, 200);
    failing.finishes().await;
    other.finishes().await;
    server.stop();
    server.join().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_blocks_for_good_ends_the_server_after_a_drain_of_the_others() {
    let (mut server, [failing, mut other]) = start().await;
    let (fault, _hung) = Fault::block();
    server.faults.inject(failing.worker, fault);
    hangs(&server, failing.worker).await;
    // New parts are refused when the drain begins; the open part may finish.
    let start = Instant::now();
    let refused = loop {
        assert!(start.elapsed() < PATIENCE, "{}", server.metrics().0);
        other.sender.send(digest(1, b"x", true)).await.unwrap();
        let answer = other.answers.message().await.unwrap().unwrap();
        if answer.digests.is_empty() {
            break answer;
        }
    };
    assert_eq!(refused.error.unwrap().reason, "DRAINING");
    other.finishes().await;
    while !server.has_ended() {
        assert!(start.elapsed() < PATIENCE, "the drain waits for it");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let error = server.join().unwrap_err();
    let worker = format!("worker {} failed: ", failing.worker);
    assert!(error.to_string().starts_with(&worker), "{error}");
    assert!(error.to_string().contains("it waits"), "{error}");
}

/// Nobody can see how it is any more, so it does not wait for its lame duck to end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lame_duck_without_an_admin_port_ends_with_an_error() {
    let mut server = TestServer::start(&[("lame_duck", "1h")]);
    server.stop();
    server
        .until("it is a lame duck", |_| server.get("/readyz").0 == 503)
        .await;
    server.faults.inject(0, Fault::PanicAdmin);
    let start = Instant::now();
    while !server.has_ended() {
        assert!(start.elapsed() < PATIENCE, "it goes on");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let error = server.join().unwrap_err().to_string();
    assert_eq!(error, "a task outside the workers panicked");
}
