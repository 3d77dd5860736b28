//! A well-behaved client next to hostile ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use hashlane_proto::v1::DigestResponse;
use prost::Message as _;
use tokio::task::{JoinHandle, yield_now};

use super::h2_client::{Raw, message, messages};
use super::{PATIENCE, digest, pattern, sha256};

#[derive(Default)]
struct Told {
    calls: AtomicU64,
    enough: AtomicBool,
}

/// Requests one digest after another on a separate connection, and checks all of them.
pub(crate) struct Honest {
    told: Arc<Told>,
    task: JoinHandle<()>,
}

impl Honest {
    pub(crate) async fn start(server: std::net::SocketAddr) -> Self {
        let mut raw = Raw::tcp(server).await;
        let told = Arc::<Told>::default();
        let tell = Arc::clone(&told);
        let task = tokio::spawn(async move {
            while !tell.enough.load(Relaxed) {
                works(&mut raw, tell.calls.load(Relaxed)).await;
                tell.calls.fetch_add(1, Relaxed);
            }
        });
        let honest = Self { told, task };
        honest.goes_on().await;
        honest
    }

    /// Waits for the answer to a call that starts after this one.
    pub(crate) async fn goes_on(&self) {
        let start = Instant::now();
        let before = self.told.calls.load(Relaxed);
        while self.told.calls.load(Relaxed) < before + 2 {
            let ended = self.task.is_finished();
            assert!(!ended && start.elapsed() < PATIENCE, "it gets no answers");
            yield_now().await;
        }
    }

    pub(crate) async fn end(self) {
        self.goes_on().await;
        self.told.enough.store(true, Relaxed);
        self.task.await.unwrap();
    }
}

/// Requests one digest.
async fn works(raw: &mut Raw, seed: u64) {
    let seed = usize::try_from(seed).unwrap();
    let data = pattern(1000 + seed % 5000, seed);
    let request = message(0, &digest(7, &data, true).encode_to_vec());
    let answer = raw
        .call("/hashlane.v1.HashService/Digest", &[], &[request])
        .await;
    let answers: Vec<DigestResponse> = messages(&answer.body);
    assert_eq!(answers[0].digests[0].digest, sha256(&data));
}
