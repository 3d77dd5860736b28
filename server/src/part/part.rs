//! One part of a stream: its digests, its length, the digests expected of it.

use std::rc::Rc;
use std::time::Instant;

use bytes::Bytes;
use hashlane_engine::{Algorithm, Digest};
use hashlane_proto::v1::{AlgorithmDigest, DigestVerdict, Verdict};

use super::algorithm;
use crate::hashing::{Chunk, Hasher, Item, Mailbox, Running};
use crate::limits::Permit;

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
    /// In the order they were asked for.
    algorithms: Rc<[Algorithm]>,
    /// Those that are there, in the order they came.
    digests: Vec<(Algorithm, Digest)>,
    /// As long as there is something to cancel.
    running: Option<Running>,
    /// While it waits for its digests.
    waits: Option<Item>,
    _permit: Permit,
}

impl Part {
    /// Opens a part with a digest per algorithm.
    pub(super) fn open(
        number: u64,
        algorithms: Rc<[Algorithm]>,
        declared_bytes: Option<u64>,
        hasher: &Hasher,
        owner: &Rc<Mailbox>,
        permit: Permit,
    ) -> Self {
        Self {
            state: PartState::Receiving,
            opened: Instant::now(),
            declared_bytes,
            received_bytes: 0,
            skipped_bytes: 0,
            expected: Vec::new(),
            running: Some(hasher.open(owner, number, &algorithms)),
            digests: Vec::new(),
            algorithms,
            waits: None,
            _permit: permit,
        }
    }

    /// How many digests it asks for.
    pub(super) fn digest_count(&self) -> usize {
        self.algorithms.len()
    }

    pub(super) fn has_algorithm(&self, algorithm: Algorithm) -> bool {
        self.algorithms.contains(&algorithm)
    }

    pub(super) fn push(&mut self, hasher: &Hasher, chunk: Chunk) {
        if let Some(running) = &mut self.running {
            hasher.push(running, chunk);
        }
    }

    /// No more bytes will come.
    pub(super) fn finish(&mut self, hasher: &Hasher, waits: Item) {
        self.waits = Some(waits);
        self.state = PartState::Finishing;
        self.running = self.running.take().and_then(|r| hasher.finish(r));
    }

    pub(super) fn cancel(&mut self, hasher: &Hasher) {
        if let Some(running) = self.running.take() {
            hasher.cancel(running);
        }
    }

    /// Takes a finished digest; true if it was the part's last.
    pub(super) fn complete(&mut self, algorithm: Algorithm, digest: Digest) -> bool {
        self.digests.push((algorithm, digest));
        self.digests.len() == self.algorithms.len()
    }

    fn digest(&self, algorithm: Algorithm) -> Option<Bytes> {
        let (_, digest) = self.digests.iter().find(|(a, _)| *a == algorithm)?;
        Some(Bytes::copy_from_slice(digest))
    }

    /// The digests, in the order they were asked for.
    pub(super) fn digests(&self) -> Vec<AlgorithmDigest> {
        let digests = self.algorithms.iter().filter_map(|algorithm| {
            Some(AlgorithmDigest {
                algorithm: algorithm::number(*algorithm),
                digest: self.digest(*algorithm)?,
            })
        });
        digests.collect()
    }

    /// The comparison with each digest expected, in the order they were given.
    pub(super) fn verdicts(&self) -> Vec<DigestVerdict> {
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

/// A comparison in the contract's words.
pub(crate) fn verdict(equal: bool) -> Verdict {
    if equal {
        Verdict::Match
    } else {
        Verdict::Mismatch
    }
}
