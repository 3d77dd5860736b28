//! One part of a stream: its jobs, its length, the digests expected of it.

use std::rc::Rc;
use std::time::Instant;

use bytes::Bytes;
use hashlane_engine::Digest;
use hashlane_proto::v1::{Algorithm, AlgorithmDigest, DigestVerdict, Verdict};

use crate::worker::hasher::{Hasher, Job};
use crate::worker::waiting::{StreamShare, Tag};

/// One digest of a part.
struct PartDigest {
    algorithm: Algorithm,
    /// Until the digest is there.
    job: Option<Job>,
    digest: Option<Digest>,
}

/// A digest the client expects.
pub(super) struct Expected {
    pub(super) algorithm: Algorithm,
    pub(super) digest: Bytes,
}

/// Where a part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartState {
    /// More may come.
    Receiving,
    /// Its bytes have ended; its digests are on their way.
    Finishing,
    /// It was answered with an error; what still comes for it is skipped.
    Skipping,
}

/// A part that is open.
pub(super) struct Part {
    pub(super) state: PartState,
    pub(super) opened: Instant,
    pub(super) declared_bytes: Option<u64>,
    pub(super) received_bytes: u64,
    pub(super) skipped_bytes: u64,
    pub(super) expected: Vec<Expected>,
    digests: Vec<PartDigest>,
}

impl Part {
    /// Opens a part with a job per algorithm.
    pub(super) fn open(
        number: u64,
        algorithms: Vec<Algorithm>,
        declared_bytes: Option<u64>,
        hasher: &Hasher,
        owner: &Rc<StreamShare>,
    ) -> Self {
        let digests = algorithms
            .into_iter()
            .enumerate()
            .map(|(digest, algorithm)| PartDigest {
                algorithm,
                job: Some(hasher.open(
                    owner,
                    Tag {
                        part: number,
                        digest,
                    },
                )),
                digest: None,
            })
            .collect();
        Self {
            state: PartState::Receiving,
            opened: Instant::now(),
            declared_bytes,
            received_bytes: 0,
            skipped_bytes: 0,
            expected: Vec::new(),
            digests,
        }
    }

    pub(super) fn has_algorithm(&self, algorithm: Algorithm) -> bool {
        self.digests.iter().any(|d| d.algorithm == algorithm)
    }

    /// Gives every job the same bytes.
    pub(super) fn push(&mut self, hasher: &Hasher, chunk: &Bytes) {
        for job in self.digests.iter_mut().filter_map(|d| d.job.as_mut()) {
            hasher.push(job, chunk.clone());
        }
    }

    /// No more bytes will come.
    pub(super) fn finish(&mut self, hasher: &Hasher) {
        self.state = PartState::Finishing;
        for digest in &mut self.digests {
            digest.job = digest.job.take().and_then(|job| hasher.finish(job));
        }
    }

    /// Frees the jobs.
    pub(super) fn cancel(&mut self, hasher: &Hasher) {
        for job in self.digests.iter_mut().filter_map(|d| d.job.take()) {
            hasher.cancel(job);
        }
    }

    /// Takes a finished digest; true if it was the part's last.
    pub(super) fn complete(&mut self, place: usize, digest: Digest) -> bool {
        if let Some(entry) = self.digests.get_mut(place) {
            entry.job = None;
            entry.digest = Some(digest);
        }
        self.digests.iter().all(|d| d.digest.is_some())
    }

    /// The digests, in the order they were asked for.
    pub(super) fn digests(&self) -> Vec<AlgorithmDigest> {
        self.digests
            .iter()
            .filter_map(|entry| {
                Some(AlgorithmDigest {
                    algorithm: entry.algorithm.into(),
                    digest: Bytes::copy_from_slice(&entry.digest?),
                })
            })
            .collect()
    }

    /// The comparison with each digest expected, in the order they were given.
    pub(super) fn verdicts(&self) -> Vec<DigestVerdict> {
        self.expected
            .iter()
            .filter_map(|expected| {
                let entry = self
                    .digests
                    .iter()
                    .find(|d| d.algorithm == expected.algorithm)?;
                let computed = entry.digest?;
                Some(DigestVerdict {
                    algorithm: expected.algorithm.into(),
                    verdict: verdict(expected.digest[..] == computed[..]).into(),
                    expected: expected.digest.clone(),
                    computed: Bytes::copy_from_slice(&computed),
                })
            })
            .collect()
    }
}

/// A comparison in the contract's words.
pub(crate) fn verdict(equal: bool) -> Verdict {
    if equal {
        Verdict::Match
    } else {
        Verdict::Mismatch
    }
}
