//! DigestBatch: the blobs of one message, some at a time, through the engine.

use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use bytes::Bytes;
use hashlane_engine::{Algorithm, Digest};
use hashlane_proto::v1::{AlgorithmDigest, BlobDigests, DigestBatchRequest, DigestBatchResponse};
use tonic::Status;

use crate::hashing::{Chunk, Mailbox, Running};
use crate::limits::{Budget, DIGEST_STATE_BYTES};
use crate::metrics::counters::{Outcome, PartRpc};
use crate::part::algorithm;
use crate::state::State;
use crate::status;

/// Blobs in the engine at a time: enough for all lanes several times over, few
/// enough that other streams get their turn.
const OPEN_BLOBS_MAX: usize = 256;

/// A blob of a batch.
struct Blob {
    bytes: Bytes,
    /// As long as there is something to cancel.
    running: Option<Running>,
    /// From its opening until it is counted.
    opened: Option<Instant>,
    digests_left: usize,
}

/// A batch in progress; dropped, it frees its blobs.
struct Batch<'a> {
    state: &'a State,
    mailbox: Rc<Mailbox>,
    algorithms: Rc<[Algorithm]>,
    blobs: Vec<Blob>,
    /// By blob, then by algorithm.
    digests: Vec<Option<Digest>>,
    next: usize,
    open: usize,
    done: usize,
}

/// Answers a batch.
///
/// # Errors
/// Too many blobs or digests, or an algorithm that is not supported.
pub(crate) async fn digest_batch(
    state: &State,
    room: &Arc<Budget>,
    mailbox: &Mailbox,
    request: DigestBatchRequest,
) -> Result<DigestBatchResponse, Status> {
    let blobs_max = state.settings.batch_blobs_max;
    if request.blobs.len() > blobs_max {
        return Err(status::limit(
            "TOO_MANY_BLOBS",
            format!("more than {blobs_max} blobs in one batch"),
        ));
    }
    let algorithms = algorithm::parse_list("algorithms", &request.algorithms)?;
    let count = request.blobs.len() * algorithms.len();
    // An empty blob is two bytes of the request and a hundred times as much
    // here, so the digests count beside the message they came in.
    let digests_max =
        room.max().saturating_sub(state.settings.message_bytes_max) / 2 / DIGEST_STATE_BYTES;
    let digests_max = digests_max.max(blobs_max);
    if count > digests_max {
        return Err(status::limit(
            "TOO_MANY_DIGESTS",
            format!("more than {digests_max} digests in one batch"),
        ));
    }
    let Some(_permit) = room.take(count.saturating_mul(DIGEST_STATE_BYTES)) else {
        return Err(status::busy(
            "SERVER_BUSY",
            "the server, or the client's share of it, holds as many blobs as it may",
        ));
    };
    let blobs = request.blobs.into_iter().map(|bytes| Blob {
        bytes,
        running: None,
        opened: None,
        digests_left: algorithms.len(),
    });
    let mut batch = Batch {
        state,
        mailbox: Mailbox::new(mailbox.share()),
        blobs: blobs.collect(),
        digests: vec![None; count],
        algorithms,
        next: 0,
        open: 0,
        done: 0,
    };
    poll_fn(|cx| {
        batch.mailbox.register(cx);
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
        let hasher = &self.state.hasher;
        let first = self.next;
        let room = OPEN_BLOBS_MAX.saturating_sub(self.open);
        self.next = self.blobs.len().min(first.saturating_add(room));
        self.open += self.next - first;
        let tags = first as u64..;
        let blobs = &mut self.blobs[first..self.next];
        // All are open before the first has bytes, or that would be hashed alone.
        for (blob, tag) in blobs.iter_mut().zip(tags) {
            blob.opened = Some(Instant::now());
            blob.running = Some(hasher.open(&self.mailbox, tag, &self.algorithms));
        }
        for blob in blobs.iter_mut() {
            if let Some(mut running) = blob.running.take() {
                hasher.push(&mut running, Chunk::unbound(blob.bytes.clone()));
                blob.running = hasher.finish(running);
            }
        }
        self.next > first
    }

    /// Takes finished digests; true if there were any.
    fn collect(&mut self) -> bool {
        let mut any = false;
        while let Some(computed) = self.mailbox.take() {
            any = true;
            let place = self
                .algorithms
                .iter()
                .position(|a| *a == computed.algorithm);
            let (Ok(index), Some(place)) = (usize::try_from(computed.tag), place) else {
                continue;
            };
            self.digests[index * self.algorithms.len() + place] = Some(computed.digest);
            let blob = &mut self.blobs[index];
            blob.digests_left -= 1;
            if blob.digests_left == 0 {
                blob.running = None;
                self.open -= 1;
                self.done += 1;
                blob.count(self.state, Outcome::Digest);
            }
        }
        any
    }

    fn response(&self) -> DigestBatchResponse {
        let blobs = self.digests.chunks(self.algorithms.len());
        let blobs = blobs.map(|digests| BlobDigests {
            digests: digests
                .iter()
                .zip(&*self.algorithms)
                .map(|(digest, algorithm)| AlgorithmDigest {
                    algorithm: algorithm::number(*algorithm),
                    digest: digest
                        .as_ref()
                        .map(|digest| Bytes::copy_from_slice(digest))
                        .unwrap_or_default(),
                })
                .collect(),
        });
        DigestBatchResponse {
            blobs: blobs.collect(),
        }
    }
}

impl Blob {
    /// Counts it, once, if it was opened.
    fn count(&mut self, state: &State, outcome: Outcome) {
        if let Some(opened) = self.opened.take() {
            let bytes = self.bytes.len() as u64;
            let counters = &state.counters;
            counters.part(PartRpc::DigestBatch, outcome, bytes, opened.elapsed());
        }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        for blob in &mut self.blobs {
            if let Some(running) = blob.running.take() {
                self.state.hasher.cancel(running);
            }
            blob.count(self.state, Outcome::Cancelled);
        }
    }
}
