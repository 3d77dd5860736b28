//! What the engine is compared with: the single-stream crates in the handler (inline), or no
//! hashing at all (sink). Only in builds with the feature `measure`. The engine opens and cancels
//! the parts, but gets no bytes.

use std::collections::HashMap;
use std::time::Instant;

use hashlane_engine::{Algorithm, DIGEST_BYTES_MAX, Digest, Hasher, PartId};
use sha2::digest::DynDigest;

use super::Chunk;
use crate::config::Hashing;
use crate::metrics::counters::WorkerCounters;
use crate::metrics::instruments::nanos;

/// The parts of one worker.
pub(super) struct Measured {
    is_inline: bool,
    /// The digests of a part, each computed without lanes; `None` if nothing hashes.
    parts: HashMap<PartId, Vec<(Algorithm, Option<Computation>)>>,
}

enum Computation {
    Peer(Box<dyn DynDigest>),
    Own(Box<Hasher>),
}

impl Measured {
    /// `None` if the engine hashes.
    pub(super) fn new(hashing: Hashing) -> Option<Self> {
        (hashing != Hashing::Lanes).then(|| Self {
            is_inline: hashing == Hashing::Inline,
            parts: HashMap::new(),
        })
    }

    pub(super) fn open(&mut self, id: PartId, algorithms: &[Algorithm]) {
        let computation = |algorithm| self.is_inline.then(|| Computation::new(algorithm));
        let digests = algorithms.iter().map(|it| (*it, computation(*it)));
        self.parts.insert(id, digests.collect());
    }

    pub(super) fn push(&mut self, id: PartId, chunk: &Chunk, counters: &WorkerCounters) {
        let Some(digests) = self.parts.get_mut(&id).filter(|_| self.is_inline) else {
            return;
        };
        let start = Instant::now();
        for (algorithm, computation) in digests {
            if let Some(computation) = computation {
                computation.update(chunk.as_ref());
            }
            counters.hashed_bytes[algorithm.index()].add(chunk.len() as u64);
        }
        counters.hash_ns.add(nanos(start.elapsed()));
    }

    /// The digests of a part; zeros if nothing hashes.
    pub(super) fn finish(
        &mut self,
        id: PartId,
        counters: &WorkerCounters,
    ) -> Vec<(Algorithm, Digest)> {
        let start = Instant::now();
        let digests = self.parts.remove(&id).unwrap_or_default().into_iter();
        let digests = digests.map(|(algorithm, computation)| {
            let zeros = || Digest::new(&[0; DIGEST_BYTES_MAX][..algorithm.digest_bytes()]);
            (
                algorithm,
                computation.map_or_else(zeros, Computation::finalize),
            )
        });
        let digests = digests.collect();
        if self.is_inline {
            counters.hash_ns.add(nanos(start.elapsed()));
        }
        digests
    }

    pub(super) fn cancel(&mut self, id: PartId) {
        self.parts.remove(&id);
    }
}

impl Computation {
    fn new(algorithm: Algorithm) -> Self {
        Self::Peer(match algorithm {
            Algorithm::Sha256 => Box::<sha2::Sha256>::default(),
            Algorithm::Sha224 => Box::<sha2::Sha224>::default(),
            Algorithm::Sha512 => Box::<sha2::Sha512>::default(),
            Algorithm::Sha384 => Box::<sha2::Sha384>::default(),
            Algorithm::Sha1 => Box::<sha1::Sha1>::default(),
            Algorithm::Md5 => Box::<md5::Md5>::default(),
            // For algorithms without lanes, the engine uses the same crates.
            _ => return Self::Own(Box::new(Hasher::new(algorithm))),
        })
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Peer(hash) => hash.update(bytes),
            Self::Own(hash) => hash.update(bytes),
        }
    }

    fn finalize(self) -> Digest {
        match self {
            Self::Peer(mut hash) => {
                let mut bytes = [0; DIGEST_BYTES_MAX];
                let bytes = &mut bytes[..hash.output_size()];
                let sized = hash.finalize_into_reset(bytes);
                debug_assert!(sized.is_ok(), "it is as long as the digest");
                Digest::new(bytes)
            }
            Self::Own(hash) => hash.finalize(),
        }
    }
}
