//! SIGTERM with 64 streams, and a second server as the alternative. The first server finishes open
//! parts, and refuses everything else with statuses that let a client retry on the second server.
//! Every part is answered.
//!
//! tonic does not retry, so the clients here do.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::common::program::Running;
use crate::common::{
    Client, Metrics, PATIENCE, asking, connect, digest, get, number, pattern, sha256,
};
use hashlane_engine::Algorithm;
use hashlane_proto::v1::{DigestRequest, DigestResponse};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt as _;

/// Streams of each kind: with one part at a time, and with several.
const STREAMS: usize = 32;

/// Every second stream is in the middle of its parts when the signal arrives.
const HELD: usize = STREAMS / 2;

/// Simultaneous parts of a multiplexed stream.
const PARTS: usize = 4;

/// Calls that each client makes on the second server.
const CALLS_ON_SECOND: usize = 3;

const PART_BYTES: usize = 60_000;

/// Holds clients in the middle of parts, and counts their results.
struct Scene {
    servers: [SocketAddr; 2],
    held: AtomicUsize,
    go: watch::Receiver<bool>,
    parts: AtomicUsize,
    part_errors: AtomicUsize,
    statuses: AtomicUsize,
    transport: AtomicUsize,
}

impl Scene {
    async fn hold(&self) {
        self.held.fetch_add(1, Relaxed);
        self.go.clone().wait_for(|go| *go).await.unwrap();
    }

    /// Records a failed call: its status must allow a retry elsewhere.
    fn note(&self, status: &Status) {
        let details = status.get_error_details();
        let reason = details.error_info().map(|info| info.reason.clone());
        match reason.as_deref() {
            Some("DRAINING") => {
                assert_eq!(status.code(), Code::Unavailable);
                self.statuses.fetch_add(1, Relaxed);
            }
            Some(other) => panic!("{other}: {status:?}"),
            // REFUSED_STREAM, a GOAWAY, or a failed connection.
            None => {
                let by_transport = std::error::Error::source(status).is_some();
                assert!(by_transport, "{status:?}");
                self.transport.fetch_add(1, Relaxed);
            }
        }
    }
}

/// An open call.
struct Call {
    messages: mpsc::Sender<DigestRequest>,
    answers: Streaming<DigestResponse>,
}

impl Call {
    async fn open(client: &mut Client) -> Result<Self, Status> {
        let (messages, receiver) = mpsc::channel(1);
        let answers = client.digest(ReceiverStream::new(receiver)).await?;
        Ok(Self {
            messages,
            answers: answers.into_inner(),
        })
    }

    /// If the receiver is gone, the answers show why.
    async fn send(&self, message: DigestRequest) {
        let _ = self.messages.send(message).await;
    }

    /// Checks that the next answer is the right digest; `Refused` if the part must go to another
    /// server.
    async fn digest(&mut self, scene: &Scene, data: &[Vec<u8>]) -> Result<usize, Refused> {
        match self.answers.message().await {
            Ok(Some(answer)) => {
                let part = usize::try_from(answer.part).unwrap();
                if let Some(error) = answer.error {
                    assert_eq!(error.reason, "DRAINING");
                    scene.part_errors.fetch_add(1, Relaxed);
                    return Err(Refused);
                }
                assert_eq!(answer.digests[0].digest, sha256(&data[part]), "part {part}");
                scene.parts.fetch_add(1, Relaxed);
                Ok(part)
            }
            Ok(None) => panic!("the call ended without an answer"),
            Err(status) => {
                scene.note(&status);
                Err(Refused)
            }
        }
    }
}

/// The request must go to another server.
#[derive(Debug)]
struct Refused;

fn first_half(part: usize, data: &[u8]) -> DigestRequest {
    let mut message = digest(part as u64, &data[..data.len() / 2], false);
    message.open = asking(vec![number(Algorithm::Sha256)]);
    message
}

fn second_half(part: usize, data: &[u8]) -> DigestRequest {
    digest(part as u64, &data[data.len() / 2..], true)
}

/// One call with these simultaneous parts. True if all were answered. Parts that were open at the
/// signal are always answered.
async fn call(scene: &Scene, client: &mut Client, data: &[Vec<u8>], held: bool) -> bool {
    let mut call = match Call::open(client).await {
        Ok(call) => call,
        Err(status) => {
            scene.note(&status);
            return false;
        }
    };
    for (part, data) in data.iter().enumerate() {
        call.send(first_half(part, data)).await;
    }
    if held {
        scene.hold().await;
    }
    for (part, data) in data.iter().enumerate() {
        call.send(second_half(part, data)).await;
    }
    for _ in data {
        let answered = call.digest(scene, data).await;
        assert!(answered.is_ok() || !held, "an open part was not finished");
        if answered.is_err() {
            return false;
        }
    }
    if held {
        // The stream knows of the drain, and refuses new parts.
        call.send(first_half(0, &data[0])).await;
        call.send(second_half(0, &data[0])).await;
        let new = call.digest(scene, data).await;
        assert!(new.is_err(), "a part was begun after the drain");
    }
    true
}

/// One client: calls on the first server until it refuses them, then on the second.
async fn client(scene: Arc<Scene>, index: usize, parts: usize) {
    let mut held = index.is_multiple_of(2);
    let mut client = connect(scene.servers[0]).await;
    let (mut is_on_second, mut calls_on_second) = (false, 0);
    let mut seed = index;
    while calls_on_second < CALLS_ON_SECOND {
        let part = |part| pattern(PART_BYTES, seed + part);
        let data: Vec<_> = (0..parts).map(part).collect();
        if call(&scene, &mut client, &data, std::mem::take(&mut held)).await {
            seed += STREAMS;
            calls_on_second += usize::from(is_on_second);
        } else {
            // Repeat the same parts.
            assert!(!is_on_second, "the server that stays refuses a call");
            is_on_second = true;
            client = connect(scene.servers[1]).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stderr, reason = "what clients saw")]
async fn every_part_is_answered_by_one_of_two_servers() {
    let (first, second) = (Running::start(&[]), Running::start(&[]));
    let (go, gone) = watch::channel(false);
    let scene = Arc::new(Scene {
        servers: [first.grpc, second.grpc],
        held: AtomicUsize::default(),
        go: gone,
        parts: AtomicUsize::default(),
        part_errors: AtomicUsize::default(),
        statuses: AtomicUsize::default(),
        transport: AtomicUsize::default(),
    });
    let begin = |index: usize| {
        let parts = if index < STREAMS { 1 } else { PARTS };
        tokio::spawn(client(Arc::clone(&scene), index, parts))
    };
    // First the clients that hold their parts open, while no other client has parts.
    let mut clients: Vec<_> = (0..2 * STREAMS).step_by(2).map(begin).collect();
    let open = (HELD * (1 + PARTS)) as f64;
    let all_are_open = |m: &Metrics| {
        scene.held.load(Relaxed) == 2 * HELD && m.sum("hashlane_open_jobs", &[]) == open
    };
    first
        .until("half of the streams are in mid-part", all_are_open)
        .await;
    clients.extend((1..2 * STREAMS).step_by(2).map(begin));
    first
        .until("the others have answers", |_| scene.parts.load(Relaxed) > 0)
        .await;
    first.signal("TERM");
    let start = std::time::Instant::now();
    while get(first.admin, "/readyz").unwrap().0 != 503 {
        assert!(start.elapsed() < PATIENCE, "the server does not drain");
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    go.send(true).unwrap();
    for client in clients {
        tokio::time::timeout(PATIENCE, client)
            .await
            .expect("a client makes no progress")
            .unwrap();
    }
    assert_eq!(first.end().0, Some(0));
    let seen = |count: &AtomicUsize| count.load(Relaxed);
    eprintln!(
        "{} parts answered; refused: {} parts and {} calls with DRAINING, {} by HTTP/2 or TCP",
        seen(&scene.parts),
        seen(&scene.part_errors),
        seen(&scene.statuses),
        seen(&scene.transport)
    );
}
