//! DigestBatch: the blobs of one message, some at a time, through the engine.

use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use hashlane_engine::{Algorithm, Digest};
use hashlane_proto::v1::{AlgorithmDigest, BlobDigests, DigestBatchRequest, DigestBatchResponse};
use tokio::task::yield_now;
use tonic::Status;

use super::codec::{Bounds, HEAD_BYTES_MAX};
use super::no_room;
use crate::hashing::{Chunk, Computed, Mailbox, Running};
use crate::limits::{Budget, DIGEST_STATE_BYTES, Permit};
use crate::metrics::counters::{Outcome, PartRpc};
use crate::metrics::tally::Tally;
use crate::part::algorithm;
use crate::state::WorkerState;
use crate::status;

/// Blobs in the engine at a time: enough for all lanes several times over, few
/// enough that other streams get their turn.
const OPEN_BLOBS_MAX: usize = 256;

/// What a turn may cost before others have theirs, in bytes hashed in the handler: some
/// 100 us.
const TURN_BYTES_MAX: usize = 256 << 10;

/// What a digest costs beside its bytes, in the same measure.
const DIGEST_COST_BYTES: usize = 512;

/// Digests put into an answer in one turn.
const ANSWER_DIGESTS_MAX: usize = 4096;

/// What a message may have.
pub(super) fn bounds(blobs_max: usize) -> Bounds {
    Bounds {
        field: 2,
        name: "blobs",
        max: blobs_max,
        too_many: |max| {
            let message = format!("more than {max} blobs in one batch");
            status::limit("TOO_MANY_BLOBS", message)
        },
        head_bytes_max: HEAD_BYTES_MAX,
    }
}

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
    state: &'a WorkerState,
    tally: &'a Tally,
    mailbox: Rc<Mailbox>,
    algorithms: Rc<[Algorithm]>,
    blobs: Vec<Blob>,
    /// By blob, then by algorithm.
    digests: Vec<Option<Digest>>,
    /// The first that has not been opened.
    next: usize,
    /// The one that is being pushed, and how much of it was.
    pushing: usize,
    pushed_bytes: usize,
    /// Open at a time: the digests of tree modes have some KiB of state each.
    open_max: usize,
    open: usize,
    done: usize,
    /// A blob has no digest.
    has_failed: bool,
}

/// Answers a batch, and has the permit for what it takes until the answer has left.
///
/// # Errors
/// Too many digests, an algorithm that is not supported, or a kernel that is at fault. How many blobs there may
/// be, codec.rs has seen to.
pub(crate) async fn digest_batch(
    state: &WorkerState,
    room: &Arc<Budget>,
    mailbox: &Mailbox,
    tally: &Tally,
    request: DigestBatchRequest,
) -> Result<(DigestBatchResponse, Permit), Status> {
    let algorithms = algorithm::parse_list("algorithms", &request.algorithms)?;
    let count = request.blobs.len() * algorithms.len();
    // An empty blob is two bytes of the request and a hundred times as much
    // here, so the digests count beside the message they came in.
    let digests_max =
        room.max().saturating_sub(state.settings.message_bytes_max) / 2 / DIGEST_STATE_BYTES;
    let digests_max = digests_max.max(state.settings.batch_blobs_max);
    if count > digests_max {
        return Err(status::limit(
            "TOO_MANY_DIGESTS",
            format!("more than {digests_max} digests in one batch"),
        ));
    }
    let digests_bytes: usize = algorithms.iter().map(|a| a.state_bytes()).sum();
    let answer_bytes = count.saturating_mul(DIGEST_STATE_BYTES);
    let taken = answer_bytes + state.settings.message_bytes_max;
    let open_bytes = room.max().saturating_sub(taken) / 2;
    let open_max = (open_bytes / digests_bytes).clamp(1, OPEN_BLOBS_MAX);
    let state_bytes = answer_bytes + open_max.min(request.blobs.len()) * digests_bytes;
    let Some(permit) = room.take(state_bytes) else {
        return Err(no_room(room, state_bytes));
    };
    let blobs = request.blobs.into_iter().map(|bytes| Blob {
        bytes,
        running: None,
        opened: None,
        digests_left: algorithms.len(),
    });
    let mut batch = Batch {
        state,
        tally,
        mailbox: Mailbox::new(mailbox.share()),
        open_max,
        blobs: blobs.collect(),
        digests: vec![None; count],
        algorithms,
        next: 0,
        pushing: 0,
        pushed_bytes: 0,
        open: 0,
        done: 0,
        has_failed: false,
    };
    poll_fn(|cx| {
        batch.mailbox.register(cx);
        let mut quantum = Quantum::new(&batch.algorithms);
        loop {
            let progressed = batch.collect() | batch.open() | batch.push(&mut quantum);
            if batch.done == batch.blobs.len() || batch.has_failed {
                return Poll::Ready(());
            }
            if quantum.is_over() {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            if !progressed {
                return Poll::Pending;
            }
        }
    })
    .await;
    if batch.has_failed {
        return Err(status::kernel_fault());
    }
    Ok((batch.response().await, permit))
}

impl Batch<'_> {
    /// Opens blobs up to the bound; true if there were any. All are open before the
    /// first has bytes, or that would be hashed alone.
    fn open(&mut self) -> bool {
        let first = self.next;
        let room = self.open_max.saturating_sub(self.open);
        self.next = self.blobs.len().min(first.saturating_add(room));
        self.open += self.next - first;
        for (blob, tag) in self.blobs[first..self.next].iter_mut().zip(first as u64..) {
            blob.opened = Some(Instant::now());
            let hasher = &self.state.hasher;
            blob.running = Some(hasher.open(&self.mailbox, tag, &self.algorithms));
        }
        self.next > first
    }

    /// Pushes the bytes of those that are open, as far as the turn lets it; true if
    /// there were any.
    fn push(&mut self, quantum: &mut Quantum) -> bool {
        let hasher = &self.state.hasher;
        let mut any = false;
        while self.pushing < self.next && !quantum.is_over() {
            any = true;
            let blob = &mut self.blobs[self.pushing];
            let rest = self.pushed_bytes..blob.bytes.len();
            let bytes = quantum.take(rest.len());
            let Some(mut running) = blob.running.take() else {
                self.pushing += 1;
                continue;
            };
            let piece = rest.start..rest.start + bytes;
            hasher.push(&mut running, Chunk::unbound(blob.bytes.slice(piece)));
            if bytes < rest.len() {
                blob.running = Some(running);
                self.pushed_bytes += bytes;
            } else {
                blob.running = hasher.finish(running);
                self.pushed_bytes = 0;
                self.pushing += 1;
            }
        }
        any
    }

    /// Takes finished digests; true if there were any.
    fn collect(&mut self) -> bool {
        let mut any = false;
        while let Some(Computed { tag, result }) = self.mailbox.take() {
            any = true;
            let Ok(index) = usize::try_from(tag) else {
                continue;
            };
            let blob = &mut self.blobs[index];
            let Ok((algorithm, digest)) = result else {
                self.has_failed = true;
                blob.count(self.state, self.tally, Outcome::Error);
                continue;
            };
            let Some(place) = self.algorithms.iter().position(|a| *a == algorithm) else {
                continue;
            };
            self.digests[index * self.algorithms.len() + place] = Some(digest);
            blob.digests_left -= 1;
            if blob.digests_left == 0 {
                blob.running = None;
                self.open -= 1;
                self.done += 1;
                blob.count(self.state, self.tally, Outcome::Digest);
            }
        }
        any
    }

    /// The answer. Its digests share one allocation.
    async fn response(&self) -> DigestBatchResponse {
        let digest_bytes = self.algorithms.iter().map(|a| a.digest_bytes());
        let blob_bytes: usize = digest_bytes.sum();
        let mut bytes = BytesMut::with_capacity(self.blobs.len() * blob_bytes);
        for digest in self.digests.iter().flatten() {
            bytes.extend_from_slice(digest);
        }
        let mut bytes = bytes.freeze();
        let mut blobs = Vec::with_capacity(self.blobs.len());
        let mut digest = |algorithm: &Algorithm| AlgorithmDigest {
            algorithm: algorithm::number(*algorithm),
            digest: bytes.split_to(algorithm.digest_bytes().min(bytes.len())),
        };
        for blob in 0..self.blobs.len() {
            if blob % (ANSWER_DIGESTS_MAX / self.algorithms.len()).max(1) == 0 {
                yield_now().await;
            }
            blobs.push(BlobDigests {
                digests: self.algorithms.iter().map(&mut digest).collect(),
            });
        }
        DigestBatchResponse { blobs }
    }
}

/// What a batch may do before others have their turn.
#[derive(Debug)]
struct Quantum {
    left_bytes: usize,
    /// Algorithms that hash a byte as it is pushed: those without lanes.
    on_push: usize,
    blob_cost_bytes: usize,
}

impl Quantum {
    fn new(algorithms: &[Algorithm]) -> Self {
        Self {
            left_bytes: TURN_BYTES_MAX,
            on_push: algorithms.iter().filter(|a| a.family().is_none()).count(),
            blob_cost_bytes: DIGEST_COST_BYTES * algorithms.len(),
        }
    }

    fn is_over(&self) -> bool {
        self.left_bytes == 0
    }

    /// How many of a blob's next `bytes` are pushed now; a byte at least.
    fn take(&mut self, bytes: usize) -> usize {
        self.left_bytes = self.left_bytes.saturating_sub(self.blob_cost_bytes);
        let fitting = self.left_bytes.checked_div(self.on_push);
        let piece = bytes.min(fitting.unwrap_or(bytes).max(1));
        self.left_bytes = self.left_bytes.saturating_sub(piece * self.on_push);
        piece
    }
}

impl Blob {
    /// Counts it, once, if it was opened.
    fn count(&mut self, state: &WorkerState, tally: &Tally, outcome: Outcome) {
        if let Some(opened) = self.opened.take() {
            let bytes = self.bytes.len() as u64;
            let took = opened.elapsed();
            tally.part(&state.counters, PartRpc::DigestBatch, outcome, bytes, took);
        }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        for blob in &mut self.blobs {
            if let Some(running) = blob.running.take() {
                self.state.hasher.cancel(running);
            }
            blob.count(self.state, self.tally, Outcome::Cancelled);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns, and blobs in the first, for `count` blobs of `bytes` each.
    fn turns(algorithms: &[Algorithm], count: usize, bytes: usize) -> (usize, usize) {
        let (mut turns, mut first) = (1, count);
        let mut quantum = Quantum::new(algorithms);
        for blob in 0..count {
            let mut left = bytes;
            loop {
                if quantum.is_over() {
                    if turns == 1 {
                        first = blob;
                    }
                    turns += 1;
                    quantum = Quantum::new(algorithms);
                }
                left -= quantum.take(left);
                if left == 0 {
                    break;
                }
            }
        }
        (turns, first)
    }

    #[test]
    fn turns_are_bounded_in_blobs_and_in_bytes_hashed_on_push() {
        use Algorithm::{Blake3, Crc32, Md5, Sha256};
        // Those in lanes cost little until they are stepped.
        assert_eq!(
            turns(&[Sha256], OPEN_BLOBS_MAX, 100_000),
            (1, OPEN_BLOBS_MAX)
        );
        assert_eq!(
            turns(&[Md5, Sha256], OPEN_BLOBS_MAX, 0),
            (1, OPEN_BLOBS_MAX)
        );
        assert_eq!(turns(&[Sha256], 10_000, 0), (20, 512));
        // 1 MiB in pieces of a quantum.
        assert_eq!(turns(&[Crc32], 1, 1 << 20), (5, 0));
        assert_eq!(turns(&[Crc32, Blake3, Sha256], 1, 1 << 20), (9, 0));
        let all: Vec<_> = Algorithm::all().collect();
        let (many, first) = turns(&all, 1000, 100);
        assert!(many > 50 && first < 20, "{many} {first}");
    }
}
