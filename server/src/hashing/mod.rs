//! What turns chunks into digests, behind one interface.
//!
//! ```text
//! part: open, push, finish ──> Hasher ──> Lanes ──> engine ──> Mailbox ──> part: collect
//! ```
//!
//! lanes.rs is the engine of one worker and the task that steps it, slot.rs what the
//! engine's parts are here, group.rs a connection's share of it, linger.rs when to wait for
//! more of them, chunk.rs what a chunk takes until it is hashed, mailbox.rs where digests
//! wait for their call.
//!
//! [`Hasher::Lanes`] is the service. The other two exist to measure it against:
//! `Inline` hashes with sha2, sha1 and md-5 in the handler, `Sink` hashes nothing.

mod chunk;
mod group;
mod lanes;
mod linger;
mod mailbox;
mod slot;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hashlane_engine::{Algorithm, Crossover, DIGEST_BYTES_MAX, Digest, PartId};
use sha2::digest::DynDigest;

pub(crate) use self::chunk::{Chunk, Item};
use self::lanes::Lanes;
pub(crate) use self::lanes::{Broken, step_forever};
pub(crate) use self::mailbox::{Mailbox, Share};
use crate::config::Hashing;
use crate::limits::Backlog;
use crate::metrics::counters::{WorkerCounters, nanos};

/// One worker's hasher.
pub(crate) enum Hasher {
    /// The multi-buffer engine.
    Lanes(Box<RefCell<Lanes>>),
    /// The single-stream crates, at once.
    Inline(Arc<WorkerCounters>),
    /// Nothing: every digest is zero.
    Sink(Arc<WorkerCounters>),
}

/// A part whose digests are in progress. Hand it back with [`Hasher::finish`] or
/// [`Hasher::cancel`].
pub(crate) enum Running {
    Lanes(PartId),
    Inline(Vec<(Algorithm, Plain)>, Owner),
    Sink(Rc<[Algorithm]>, Owner),
}

/// Who is given the digests, and what the part is called there.
pub(crate) struct Owner {
    mailbox: Rc<Mailbox>,
    tag: u64,
}

impl Owner {
    fn give(&self, digests: impl Iterator<Item = (Algorithm, Digest)>) {
        digests.for_each(|(algorithm, digest)| self.mailbox.give(self.tag, algorithm, digest));
        self.mailbox.wake();
    }
}

/// One stream of an algorithm without lanes of ours.
pub(crate) enum Plain {
    Peer(Box<dyn DynDigest>),
    Own(Box<hashlane_engine::Hasher>),
}

impl Plain {
    fn new(algorithm: Algorithm) -> Self {
        Self::Peer(match algorithm {
            Algorithm::Sha256 => Box::<sha2::Sha256>::default(),
            Algorithm::Sha224 => Box::<sha2::Sha224>::default(),
            Algorithm::Sha512 => Box::<sha2::Sha512>::default(),
            Algorithm::Sha384 => Box::<sha2::Sha384>::default(),
            Algorithm::Sha1 => Box::<sha1::Sha1>::default(),
            Algorithm::Md5 => Box::<md5::Md5>::default(),
            // What has no lanes is computed by the same crates in the engine.
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

impl Hasher {
    pub(crate) fn new(
        hashing: Hashing,
        crossover: Crossover,
        counters: Arc<WorkerCounters>,
        backlog: &Rc<Backlog>,
        linger: Duration,
    ) -> Self {
        match hashing {
            Hashing::Lanes => Self::Lanes(Box::new(RefCell::new(Lanes::new(
                crossover,
                counters,
                Rc::clone(backlog),
                linger,
            )))),
            Hashing::Inline => Self::Inline(counters),
            Hashing::Sink => Self::Sink(counters),
        }
    }

    /// What is pushed from now on comes together, up to [`Self::gathered`]: a part that
    /// could be hashed alone waits for the others.
    pub(crate) fn gather(&self) {
        if let Self::Lanes(lanes) = self {
            lanes.borrow_mut().gather();
        }
    }

    /// That was all of it.
    pub(crate) fn gathered(&self) {
        if let Self::Lanes(lanes) = self {
            lanes.borrow_mut().gathered();
        }
    }

    /// Opens a part whose digests go to `owner` under `tag`.
    pub(crate) fn open(
        &self,
        owner: &Rc<Mailbox>,
        tag: u64,
        algorithms: &Rc<[Algorithm]>,
    ) -> Running {
        let of_owner = || Owner {
            mailbox: Rc::clone(owner),
            tag,
        };
        match self {
            Self::Lanes(lanes) => Running::Lanes(lanes.borrow_mut().open(owner, tag, algorithms)),
            Self::Inline(counters) => {
                counters.open_jobs.add(algorithms.len() as u64);
                let hashes = algorithms.iter().map(|a| (*a, Plain::new(*a)));
                Running::Inline(hashes.collect(), of_owner())
            }
            Self::Sink(counters) => {
                counters.open_jobs.add(algorithms.len() as u64);
                Running::Sink(Rc::clone(algorithms), of_owner())
            }
        }
    }

    /// Appends a chunk.
    pub(crate) fn push(&self, part: &mut Running, chunk: Chunk) {
        match (self, part) {
            (Self::Lanes(lanes), Running::Lanes(id)) => lanes.borrow_mut().push(*id, chunk),
            (Self::Inline(counters), Running::Inline(hashes, _)) => {
                let start = Instant::now();
                for (algorithm, hash) in hashes {
                    hash.update(chunk.as_ref());
                    counters.hashed_bytes[algorithm.index()].add(chunk.len() as u64);
                }
                counters.hash_ns.add(nanos(start.elapsed()));
            }
            (Self::Sink(_), Running::Sink(..)) => {}
            _ => mixed_up(),
        }
    }

    /// Ends the part's bytes; its owner is given the digests. The part is gone
    /// except with lanes, where it can be cancelled until then.
    pub(crate) fn finish(&self, part: Running) -> Option<Running> {
        match (self, part) {
            (Self::Lanes(lanes), Running::Lanes(id)) => {
                lanes.borrow_mut().finish(id);
                Some(Running::Lanes(id))
            }
            (Self::Inline(counters), Running::Inline(hashes, owner)) => {
                counters.open_jobs.sub(hashes.len() as u64);
                let start = Instant::now();
                owner.give(hashes.into_iter().map(|(a, hash)| (a, hash.finalize())));
                counters.hash_ns.add(nanos(start.elapsed()));
                None
            }
            (Self::Sink(counters), Running::Sink(algorithms, owner)) => {
                counters.open_jobs.sub(algorithms.len() as u64);
                let zero = |a: &Algorithm| Digest::new(&[0; DIGEST_BYTES_MAX][..a.digest_bytes()]);
                owner.give(algorithms.iter().map(|a| (*a, zero(a))));
                None
            }
            _ => mixed_up(),
        }
    }

    /// Drops the part, whatever it has.
    pub(crate) fn cancel(&self, part: Running) {
        match (self, part) {
            (Self::Lanes(lanes), Running::Lanes(id)) => lanes.borrow_mut().cancel(id),
            (Self::Inline(counters), Running::Inline(hashes, _)) => {
                counters.open_jobs.sub(hashes.len() as u64);
            }
            (Self::Sink(counters), Running::Sink(algorithms, _)) => {
                counters.open_jobs.sub(algorithms.len() as u64);
            }
            _ => mixed_up(),
        }
    }
}

/// A worker has one hasher for life, so its parts are of one kind.
fn mixed_up() -> ! {
    unreachable!("a part was given to another kind of hasher")
}
