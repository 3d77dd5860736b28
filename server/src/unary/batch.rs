//! DigestBatch: hashes the blobs of one message, some at a time.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use std::time::Instant;
use std::vec;

use bytes::{Bytes, BytesMut};
use hashlane_engine::{Algorithm, PartId};
use hashlane_proto::v1::{AlgorithmDigest, BlobDigests, DigestBatchRequest, DigestBatchResponse};
use prost::Message as _;
use tonic::Status;

use super::codec::{self, Bounds, HEAD_BYTES_MAX};
use crate::decode::PREFIX_BYTES;
use crate::hashing::{Chunk, Computed, Mailbox};
use crate::http2::Link;
use crate::limiter::Permit;
use crate::limits::DIGEST_STATE_BYTES;
use crate::metrics::counters::{Outcome, PartRpc};
use crate::metrics::tally::Tally;
use crate::part::algorithm;
use crate::status::{self, Reason};
use crate::worker_state::WorkerState;

/// Blobs in the engine at a time: enough for all lanes several times over, but few enough that
/// other streams get turns.
const OPEN_BLOBS_MAX: usize = 256;

/// Bytes of a blob pushed between two checks of the turn, divided by the number of algorithms that
/// hash on push: some 20 us.
const PUSHED_BYTES_MAX: usize = 64 << 10;

/// Bytes of an answer in one frame.
const FRAME_BYTES: usize = 32 << 10;

/// Blobs dropped between two checks of the turn: some 20 us.
const DROPPED_MAX: usize = 512;

/// Digests collected between two checks of the turn.
const COLLECTED_MAX: usize = 64;

/// Limits of a batch's message.
pub(super) fn bounds(blobs_max: usize) -> Bounds {
    Bounds {
        field: 2,
        name: "blobs",
        max: blobs_max,
        too_many: |max| {
            let message = format!("more than {max} blobs in one batch");
            status::limit(Reason::TooManyBlobs, message)
        },
        head_bytes_max: HEAD_BYTES_MAX,
    }
}

/// A blob of a batch.
struct Blob {
    bytes: Bytes,
    /// `None` once its digests are computed.
    in_engine: Option<PartId>,
    /// Set from its opening until it is counted.
    opened: Option<Instant>,
    digests_left: usize,
}

/// A batch in progress. On drop it frees its blobs.
struct Batch<'a> {
    state: &'a WorkerState,
    tally: &'a Tally,
    mailbox: Rc<Mailbox>,
    algorithms: Rc<[Algorithm]>,
    /// The opened blobs.
    blobs: Vec<Blob>,
    unopened: vec::IntoIter<Bytes>,
    /// The answer for the opened blobs, with zeros for digests that are not computed yet.
    frames: Vec<BytesMut>,
    frame_blobs: usize,
    form: Form,
    /// Index of the blob being pushed, and its bytes pushed so far.
    pushing: usize,
    pushed_bytes: usize,
    push_bytes_max: usize,
    /// Maximum of open blobs: digests of tree modes have some KiB of state each.
    open_max: usize,
    open: usize,
    done: usize,
    /// A digest of a blob failed.
    has_failed: bool,
}

/// Answers a batch, in frames. `permit`, which has grown by the decoded message, grows to what its
/// digests take. It is returned too, and held until the frames were sent.
///
/// # Errors
/// Too many digests, an unsupported algorithm, or a faulty kernel. codec.rs has already checked the
/// number of blobs.
pub(crate) async fn digest_batch(
    state: &WorkerState,
    mut permit: Permit,
    mailbox: &Mailbox,
    tally: &Tally,
    request: DigestBatchRequest,
    link: &Link,
) -> Result<(Vec<Bytes>, Permit), Status> {
    let algorithms = algorithm::parse_list("algorithms", &request.algorithms)?;
    let count = request.blobs.len() * algorithms.len();
    // An empty blob takes two bytes of the request, but about a hundred times as much here. So
    // digests are charged in addition to their message.
    let room = permit.budget().max();
    let digests_max =
        room.saturating_sub(state.process.settings.message_bytes_max) / 2 / DIGEST_STATE_BYTES;
    let digests_max = digests_max.max(state.process.settings.batch_blobs_max);
    if count > digests_max {
        return Err(status::limit(
            Reason::TooManyDigests,
            format!("more than {digests_max} digests in one batch"),
        ));
    }
    let digests_bytes: usize = algorithms.iter().map(|a| a.state_bytes()).sum();
    let answer_bytes = count.saturating_mul(DIGEST_STATE_BYTES);
    let taken = answer_bytes + state.process.settings.message_bytes_max;
    let open_bytes = room.saturating_sub(taken) / 2;
    let open_max = (open_bytes / digests_bytes).clamp(1, OPEN_BLOBS_MAX);
    let state_bytes = answer_bytes + open_max.min(request.blobs.len()) * digests_bytes;
    let more = state_bytes.saturating_sub(permit.amount());
    if !permit.grow(more) {
        return Err(status::no_unary_bytes(permit.budget(), more));
    }
    let form = Form::of(&algorithms);
    let frame_blobs = (FRAME_BYTES / form.blob.len()).max(1);
    let prefix = codec::prefix(request.blobs.len() * form.blob.len())?;
    let hashed_on_push = algorithms.iter().filter(|a| a.family().is_none()).count();
    let mut batch = Batch {
        state,
        tally,
        mailbox: mailbox.another(),
        open_max,
        // Filled as blobs are opened.
        blobs: Vec::with_capacity(request.blobs.len()),
        unopened: request.blobs.into_iter(),
        frames: vec![BytesMut::from(&prefix[..])],
        frame_blobs,
        form,
        push_bytes_max: PUSHED_BYTES_MAX
            .checked_div(hashed_on_push)
            .unwrap_or(usize::MAX),
        algorithms,
        pushing: 0,
        pushed_bytes: 0,
        open: 0,
        done: 0,
        has_failed: false,
    };
    poll_fn(|cx| {
        batch.mailbox.register(cx);
        loop {
            let mut progressed = batch.collect();
            if batch.is_done() || batch.has_failed {
                return Poll::Ready(());
            }
            progressed |= batch.open(link);
            if batch.can_push() && link.poll_low_backlog(cx).is_ready() {
                progressed |= batch.push(link);
            }
            if link.turn_is_over() {
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
    Ok((batch.finish(link).await, permit))
}

impl Batch<'_> {
    fn is_done(&self) -> bool {
        self.unopened.len() == 0 && self.done == self.blobs.len()
    }

    fn can_open(&self) -> bool {
        self.open < self.open_max && self.unopened.len() > 0
    }

    /// Opens blobs up to the bound, while the turn lasts; true if there were any.
    fn open(&mut self, link: &Link) -> bool {
        let first = self.blobs.len();
        while self.can_open()
            && !link.turn_is_over()
            && let Some(bytes) = self.unopened.next()
        {
            let index = self.blobs.len();
            let mut lanes = self.state.lanes.borrow_mut();
            let id = lanes.open(&self.mailbox, index as u64, &self.algorithms);
            self.blobs.push(Blob {
                bytes,
                in_engine: Some(id),
                opened: Some(Instant::now()),
                digests_left: self.algorithms.len(),
            });
            self.open += 1;
            if index == self.frames.len() * self.frame_blobs {
                self.frames.push(BytesMut::new());
            }
            if let Some(frame) = self.frames.last_mut() {
                if index.is_multiple_of(self.frame_blobs) {
                    let blobs = self.frame_blobs.min(1 + self.unopened.len());
                    frame.reserve(blobs * self.form.blob.len());
                }
                frame.extend_from_slice(&self.form.blob);
            }
        }
        self.blobs.len() > first
    }

    /// Whether bytes are ready to push. That is only after as many blobs as possible were opened,
    /// because the first blob would be hashed alone.
    fn can_push(&self) -> bool {
        self.pushing < self.blobs.len() && !self.can_open()
    }

    /// Pushes bytes of open blobs while the turn lasts and the backlog is low; true if there were
    /// any.
    fn push(&mut self, link: &Link) -> bool {
        let mut any = false;
        while self.can_push() && !link.turn_is_over() && !self.state.backlog.is_high() {
            any = true;
            let blob = &mut self.blobs[self.pushing];
            let rest = self.pushed_bytes..blob.bytes.len();
            let bytes = rest.len().min(self.push_bytes_max);
            let Some(id) = blob.in_engine else {
                self.pushing += 1;
                continue;
            };
            let piece = rest.start..rest.start + bytes;
            let mut lanes = self.state.lanes.borrow_mut();
            lanes.push(id, Chunk::unbound(blob.bytes.slice(piece)));
            if bytes < rest.len() {
                self.pushed_bytes += bytes;
            } else {
                lanes.finish(id);
                self.pushed_bytes = 0;
                self.pushing += 1;
            }
        }
        any
    }

    /// Takes some finished digests; true if there were any.
    fn collect(&mut self) -> bool {
        let mut any = false;
        for _ in 0..COLLECTED_MAX {
            let Some(Computed { tag, result }) = self.mailbox.take() else {
                break;
            };
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
            let frame = index / self.frame_blobs;
            let prefix_bytes = if frame == 0 { PREFIX_BYTES } else { 0 };
            let begin = prefix_bytes + index % self.frame_blobs * self.form.blob.len();
            let at = begin + self.form.digests_at[place];
            self.frames[frame][at..at + digest.len()].copy_from_slice(&digest);
            blob.digests_left -= 1;
            if blob.digests_left == 0 {
                blob.in_engine = None;
                self.open -= 1;
                self.done += 1;
                blob.count(self.state, self.tally, Outcome::Digest);
            }
        }
        any
    }

    /// The answer, once all digests are computed.
    async fn finish(&mut self, link: &Link) -> Vec<Bytes> {
        // Dropping ten thousand blobs takes long.
        while !self.blobs.is_empty() {
            link.next_turn().await;
            let left = self.blobs.len().saturating_sub(DROPPED_MAX);
            self.blobs.truncate(left);
        }
        let frames = std::mem::take(&mut self.frames).into_iter();
        frames.map(BytesMut::freeze).collect()
    }
}

/// The encoded form of a blob's answer. It is the same for all blobs, because their algorithms, and
/// so their lengths, are the same.
struct Form {
    /// The answer, with zeros for the digests.
    blob: Vec<u8>,
    /// Where each digest begins.
    digests_at: Vec<usize>,
}

impl Form {
    fn of(algorithms: &[Algorithm]) -> Self {
        let zero = |algorithm: &Algorithm| AlgorithmDigest {
            algorithm: algorithm::number(*algorithm),
            digest: vec![0; algorithm.digest_bytes()].into(),
        };
        let digests: Vec<_> = algorithms.iter().map(zero).collect();
        let alone = digests.iter().map(|digest| BlobDigests {
            digests: vec![digest.clone()],
        });
        let bytes: Vec<_> = alone.map(|blob| blob.encoded_len()).collect();
        let blob = DigestBatchResponse {
            blobs: vec![BlobDigests { digests }],
        };
        let blob = blob.encode_to_vec();
        let mut digests_at = Vec::new();
        // The first digest comes after the blob's prefix. Each digest ends its message.
        let mut end = blob.len() - bytes.iter().sum::<usize>();
        for (algorithm, bytes) in algorithms.iter().zip(bytes) {
            end += bytes;
            digests_at.push(end - algorithm.digest_bytes());
        }
        Self { blob, digests_at }
    }
}

impl Blob {
    /// Counts the blob once, if it was opened.
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
            if let Some(id) = blob.in_engine.take() {
                self.state.lanes.borrow_mut().cancel(id);
            }
            blob.count(self.state, self.tally, Outcome::Cancelled);
        }
    }
}
