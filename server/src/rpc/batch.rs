//! DigestBatch: the blobs of one message, some at a time, through the engine.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use std::time::Instant;

use bytes::Bytes;
use hashlane_engine::Digest;
use hashlane_proto::v1::{
    Algorithm, AlgorithmDigest, BlobDigests, DigestBatchRequest, DigestBatchResponse,
};
use tonic::Status;

use super::observe::Gathered;
use super::{algorithm, status};
use crate::worker::Worker;
use crate::worker::counters::{Outcome, PartRpc};
use crate::worker::hasher::Job;
use crate::worker::waiting::{Bound, StreamShare, Tag};

/// Blobs in the engine at a time: enough for all lanes several times over, few
/// enough that other streams get their turn.
const OPEN_BLOBS_MAX: usize = 256;

/// About what one digest of a batch takes, from its job to its answer.
pub(crate) const BLOB_STATE_BYTES: usize = 320;

/// A batch in progress; dropped, it frees its jobs.
struct Batch<'a> {
    worker: &'a Worker,
    share: Rc<StreamShare>,
    algorithms: Vec<Algorithm>,
    blobs: Vec<Bytes>,
    /// By blob, then by algorithm.
    digests: Vec<Option<Digest>>,
    jobs: Vec<Option<Job>>,
    opened: Vec<Option<Instant>>,
    next: usize,
    open: usize,
    done: usize,
}

/// Answers a batch.
///
/// # Errors
/// Too many blobs, or an algorithm that is not supported.
pub(crate) async fn digest_batch(
    worker: &Rc<Worker>,
    connection: &Rc<Bound>,
    request: DigestBatchRequest,
) -> Result<DigestBatchResponse, Status> {
    let blobs_max = worker.settings.batch_blobs_max;
    if request.blobs.len() > blobs_max {
        return Err(status::limit(
            "TOO_MANY_BLOBS",
            format!("more than {blobs_max} blobs in one batch"),
        ));
    }
    let algorithms = algorithm::parse_list("algorithms", &request.algorithms)?;
    let count = request.blobs.len() * algorithms.len();
    // An empty blob is two bytes of the request and a hundred times as much
    // here, so the blobs count beside the message they came in.
    let mut state = Gathered::new(worker);
    if !state.take(count.saturating_mul(BLOB_STATE_BYTES)) {
        return Err(status::busy(
            "SERVER_BUSY",
            "the server holds as many blobs as it may",
        ));
    }
    let mut batch = Batch {
        worker,
        share: StreamShare::new(usize::MAX, Rc::clone(connection), Rc::clone(&worker.bound)),
        digests: vec![None; count],
        jobs: (0..count).map(|_| None).collect(),
        opened: vec![None; request.blobs.len()],
        algorithms,
        blobs: request.blobs,
        next: 0,
        open: 0,
        done: 0,
    };
    poll_fn(|cx| {
        batch.share.register(cx);
        loop {
            let progressed = batch.collect() | batch.fill();
            if batch.done == batch.blobs.len() {
                return Poll::Ready(());
            }
            if !progressed {
                return Poll::Pending;
            }
        }
    })
    .await;
    Ok(batch.response())
}

impl Batch<'_> {
    /// Opens blobs up to the bound; true if there were any.
    fn fill(&mut self) -> bool {
        let before = self.next;
        while self.open < OPEN_BLOBS_MAX && self.next < self.blobs.len() {
            let blob = self.next;
            self.next += 1;
            self.open += 1;
            self.opened[blob] = Some(Instant::now());
            for digest in 0..self.algorithms.len() {
                let tag = Tag {
                    part: blob as u64,
                    digest,
                };
                let hasher = &self.worker.hasher;
                let mut job = hasher.open(&self.share, tag);
                hasher.push(&mut job, self.blobs[blob].clone());
                self.jobs[blob * self.algorithms.len() + digest] = hasher.finish(job);
            }
        }
        self.next > before
    }

    /// Takes finished digests; true if there were any.
    fn collect(&mut self) -> bool {
        let mut any = false;
        while let Some((tag, digest)) = self.share.take_finished() {
            any = true;
            let Ok(blob) = usize::try_from(tag.part) else {
                continue;
            };
            let first = blob * self.algorithms.len();
            let range = first..first + self.algorithms.len();
            self.jobs[first + tag.digest] = None;
            self.digests[first + tag.digest] = Some(digest);
            if self.digests[range].iter().all(Option::is_some) {
                self.open -= 1;
                self.done += 1;
                self.count(blob, Outcome::Digest);
            }
        }
        any
    }

    fn count(&mut self, blob: usize, outcome: Outcome) {
        if let Some(opened) = self.opened[blob].take() {
            self.worker.counters.part(
                PartRpc::DigestBatch,
                outcome,
                self.blobs[blob].len() as u64,
                opened.elapsed(),
            );
        }
    }

    fn response(&self) -> DigestBatchResponse {
        let blobs = self
            .digests
            .chunks(self.algorithms.len())
            .map(|digests| BlobDigests {
                digests: digests
                    .iter()
                    .zip(&self.algorithms)
                    .map(|(digest, algorithm)| AlgorithmDigest {
                        algorithm: (*algorithm).into(),
                        digest: digest
                            .as_ref()
                            .map(|digest| Bytes::copy_from_slice(digest))
                            .unwrap_or_default(),
                    })
                    .collect(),
            })
            .collect();
        DigestBatchResponse { blobs }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        for job in self.jobs.iter_mut().filter_map(Option::take) {
            self.worker.hasher.cancel(job);
        }
        for blob in 0..self.blobs.len() {
            self.count(blob, Outcome::Cancelled);
        }
    }
}
