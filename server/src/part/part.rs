//! One part of a stream: its digests, its length and its expected digests.

use std::rc::Rc;
use std::time::Instant;

use bytes::Bytes;
use hashlane_engine::{Algorithm, Digest, PartId};
use hashlane_proto::v1::{AlgorithmDigest, DigestResponse, DigestVerdict, Verdict, VerifyResponse};
use tonic::Status;

use super::algorithm;
use super::answer::Answer;
use crate::decode::MessageKind;
use crate::hashing::{Chunk, Lanes, Mailbox};
use crate::limiter::Permit;
use crate::limits::backlog::BacklogPermit;
use crate::status::part_error::PartFault;
use crate::status::{self, Reason};

/// A digest the client expects.
struct Expected {
    algorithm: Algorithm,
    digest: Bytes,
}

/// State of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartState {
    /// More bytes may come.
    Receiving,
    /// All bytes have arrived; digests are being computed.
    Finishing,
    /// The part was answered with an error; its remaining bytes are skipped.
    Skipping,
}

/// An open part.
pub(super) struct Part {
    pub(super) number: u64,
    pub(super) state: PartState,
    pub(super) opened: Instant,
    pub(super) declared_bytes: Option<u64>,
    pub(super) received_bytes: u64,
    pub(super) skipped_bytes: u64,
    /// Why the part failed, if it did.
    pub(super) error: Option<Reason>,
    /// When its last byte arrived, if it is traced.
    pub(super) complete: Option<Instant>,
    expected: Vec<Expected>,
    /// In the order of the request.
    pub(super) algorithms: Rc<[Algorithm]>,
    /// Computed digests, in the order in which they were finished.
    digests: Vec<(Algorithm, Digest)>,
    digests_on_push: usize,
    /// `None` once it is cancelled.
    in_engine: Option<PartId>,
    /// Held while the part waits for its digests.
    waits: Option<BacklogPermit>,
    permit: Permit,
}

impl Part {
    /// Opens a part with a digest per algorithm.
    pub(super) fn open(
        number: u64,
        algorithms: Rc<[Algorithm]>,
        declared_bytes: Option<u64>,
        lanes: &mut Lanes,
        owner: &Rc<Mailbox>,
        permit: Permit,
    ) -> Self {
        Self {
            number,
            state: PartState::Receiving,
            opened: Instant::now(),
            declared_bytes,
            received_bytes: 0,
            skipped_bytes: 0,
            error: None,
            complete: None,
            expected: Vec::new(),
            in_engine: Some(lanes.open(owner, number, &algorithms)),
            digests: Vec::new(),
            digests_on_push: algorithms.iter().filter(|a| a.family().is_none()).count(),
            algorithms,
            waits: None,
            permit,
        }
    }

    /// Whether the client expects a digest of the part.
    pub(super) fn is_expected(&self) -> bool {
        !self.expected.is_empty()
    }

    /// Number of digests requested.
    pub(super) fn digest_count(&self) -> usize {
        self.algorithms.len()
    }

    /// Units of the parts budget that its digests take.
    pub(super) fn units(&self) -> usize {
        self.permit.amount()
    }

    /// Number of digests computed as bytes are pushed: those without lanes.
    pub(super) fn digests_on_push(&self) -> usize {
        match self.state {
            PartState::Receiving => self.digests_on_push,
            PartState::Finishing | PartState::Skipping => 0,
        }
    }

    /// Records the digests that a message expects.
    ///
    /// # Errors
    /// A fault that ends the stream; a fault of the part alone is the result.
    pub(super) fn expect(
        &mut self,
        expected: Vec<AlgorithmDigest>,
    ) -> Result<Option<PartFault>, Status> {
        let algorithms = algorithm::parse_expected(&expected)?;
        let mut fault = None;
        for (index, (algorithm, expected)) in algorithms.into_iter().zip(expected).enumerate() {
            let refuse = |field, reason, what| {
                let message = format!("expected[{index}].algorithm is {algorithm}, {what}");
                Err(status::invalid(field, reason, message))
            };
            if !self.algorithms.contains(&algorithm) {
                return refuse(
                    "expected.algorithm",
                    Reason::AlgorithmNotOpened,
                    "which the part's first message does not name",
                );
            }
            if self.expected.iter().any(|e| e.algorithm == algorithm) {
                return refuse(
                    "expected",
                    Reason::DuplicateAlgorithm,
                    "of which a digest is expected already",
                );
            }
            let length = algorithm::check_length(index, algorithm, &expected.digest);
            fault = fault.or(length.err());
            self.expected.push(Expected {
                algorithm,
                digest: expected.digest,
            });
        }
        Ok(fault)
    }

    pub(super) fn push(&mut self, lanes: &mut Lanes, chunk: Chunk) {
        if let Some(id) = self.in_engine {
            lanes.push(id, chunk);
        }
    }

    /// No more bytes will come.
    pub(super) fn finish(&mut self, lanes: &mut Lanes, waits: BacklogPermit) {
        self.waits = Some(waits);
        self.state = PartState::Finishing;
        if let Some(id) = self.in_engine {
            lanes.finish(id);
        }
    }

    pub(super) fn cancel(&mut self, lanes: &mut Lanes) {
        if let Some(id) = self.in_engine.take() {
            lanes.cancel(id);
        }
    }

    /// Whether the engine knows it by this id. An earlier part with the same number has another.
    pub(super) fn is(&self, id: PartId) -> bool {
        self.in_engine == Some(id)
    }

    /// Takes a finished digest; returns true if it was the part's last.
    pub(super) fn complete(&mut self, algorithm: Algorithm, digest: Digest) -> bool {
        self.digests.push((algorithm, digest));
        self.digests.len() == self.algorithms.len()
    }

    fn digest(&self, algorithm: Algorithm) -> Option<Bytes> {
        let (_, digest) = self.digests.iter().find(|(a, _)| *a == algorithm)?;
        Some(Bytes::copy_from_slice(digest))
    }

    /// The answer, once all digests are computed.
    pub(super) fn answer(&self, kind: MessageKind, number: u64) -> Answer {
        let size_bytes = self.received_bytes;
        match kind {
            MessageKind::Digest => Answer::Digest(DigestResponse {
                part: number,
                size_bytes,
                digests: self.digests(|_| true),
                error: None,
                memory_messages_read: 0,
            }),
            MessageKind::Verify => {
                let verdicts = self.verdicts();
                let matched = i32::from(Verdict::Match);
                let all = verdicts.iter().all(|v| v.verdict == matched);
                let answer = VerifyResponse {
                    part: number,
                    size_bytes,
                    verdict: verdict(all).into(),
                    verdicts,
                    error: None,
                    memory_messages_read: 0,
                };
                let is_compared = |a: &Algorithm| self.expected.iter().any(|e| e.algorithm == *a);
                Answer::Verify(answer, self.digests(|algorithm| !is_compared(algorithm)))
            }
        }
    }

    /// The digests of some algorithms, in the order of the request.
    fn digests(&self, wanted: impl Fn(&Algorithm) -> bool) -> Vec<AlgorithmDigest> {
        let algorithms = self.algorithms.iter().filter(|algorithm| wanted(algorithm));
        let digests = algorithms.filter_map(|algorithm| {
            Some(AlgorithmDigest {
                algorithm: algorithm::number(*algorithm),
                digest: self.digest(*algorithm)?,
            })
        });
        digests.collect()
    }

    /// The comparison with each expected digest, in the order given.
    fn verdicts(&self) -> Vec<DigestVerdict> {
        let verdicts = self.expected.iter().filter_map(|expected| {
            let computed = self.digest(expected.algorithm)?;
            Some(DigestVerdict {
                algorithm: algorithm::number(expected.algorithm),
                verdict: verdict(expected.digest == computed).into(),
                expected: expected.digest.clone(),
                computed,
            })
        });
        verdicts.collect()
    }
}

/// The contract's verdict for a comparison.
pub(crate) fn verdict(equal: bool) -> Verdict {
    if equal {
        Verdict::Match
    } else {
        Verdict::Mismatch
    }
}
