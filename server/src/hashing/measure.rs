//! Hashers to compare the engine with: the single-stream crates in the handler (inline), or no
//! hashing at all (sink). Only in builds with the feature `measure`.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use hashlane_engine::{Algorithm, DIGEST_BYTES_MAX, Digest};
use sha2::digest::DynDigest;

use super::{Chunk, Mailbox};
use crate::config::Hashing;
use crate::metrics::counters::WorkerCounters;
use crate::metrics::instruments::nanos;

/// Hashes inline, or not at all.
pub(crate) struct Hasher {
    is_inline: bool,
    counters: Arc<WorkerCounters>,
}

/// A part in progress.
pub(crate) struct Running {
    owner: Rc<Mailbox>,
    tag: u64,
    algorithms: Rc<[Algorithm]>,
    /// One for each algorithm, if the hasher is inline.
    streams: Vec<Computation>,
}

/// One digest in progress, computed without lanes.
enum Computation {
    Peer(Box<dyn DynDigest>),
    Own(Box<hashlane_engine::Hasher>),
}

impl Hasher {
    pub(super) fn new(hashing: Hashing, counters: Arc<WorkerCounters>) -> Self {
        Self {
            is_inline: hashing == Hashing::Inline,
            counters,
        }
    }

    pub(super) fn open(
        &self,
        owner: &Rc<Mailbox>,
        tag: u64,
        algorithms: &Rc<[Algorithm]>,
    ) -> Running {
        self.counters.open_jobs.add(algorithms.len() as u64);
        let hashing = algorithms.iter().filter(|_| self.is_inline);
        Running {
            owner: Rc::clone(owner),
            tag,
            algorithms: Rc::clone(algorithms),
            streams: hashing
                .map(|algorithm| Computation::new(*algorithm))
                .collect(),
        }
    }

    pub(super) fn push(&self, part: &mut Running, chunk: &Chunk) {
        if part.streams.is_empty() {
            return;
        }
        let start = Instant::now();
        for (algorithm, stream) in part.algorithms.iter().zip(&mut part.streams) {
            stream.update(chunk.as_ref());
            self.counters.hashed_bytes[algorithm.index()].add(chunk.len() as u64);
        }
        self.counters.hash_ns.add(nanos(start.elapsed()));
    }

    pub(super) fn finish(&self, part: Running) {
        self.cancel(&part);
        let start = Instant::now();
        let mut streams = part.streams.into_iter();
        for algorithm in part.algorithms.iter() {
            let digest = match streams.next() {
                Some(stream) => stream.finalize(),
                None => Digest::new(&[0; DIGEST_BYTES_MAX][..algorithm.digest_bytes()]),
            };
            part.owner.give(part.tag, *algorithm, digest);
        }
        if self.is_inline {
            self.counters.hash_ns.add(nanos(start.elapsed()));
        }
        part.owner.wake();
    }

    pub(super) fn cancel(&self, part: &Running) {
        self.counters.open_jobs.sub(part.algorithms.len() as u64);
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
            _ => return Self::Own(Box::new(hashlane_engine::Hasher::new(algorithm))),
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
