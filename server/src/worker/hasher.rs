//! What turns chunks into digests, behind one interface.
//!
//! [`Hasher::Lanes`] is the service. The other two exist to measure it against:
//! `Inline` hashes with sha2 in the handler, `Sink` hashes nothing.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hashlane_engine::{Crossover, JobId};
use sha2::Digest as _;

use super::counters::{WorkerCounters, nanos};
use super::lanes::Lanes;
use super::waiting::{StreamShare, Tag};
use crate::config::Hashing;
use crate::intake::Level;

/// One worker's hasher.
pub(crate) enum Hasher {
    /// The multi-buffer engine.
    Lanes(Box<RefCell<Lanes>>),
    /// sha2, at once.
    Inline(Arc<WorkerCounters>),
    /// Nothing: every digest is zero.
    Sink(Arc<WorkerCounters>),
}

/// A digest in progress. Hand it back with [`Hasher::finish`] or
/// [`Hasher::cancel`].
pub(crate) enum Job {
    Lanes(JobId),
    Inline(Box<sha2::Sha256>, Rc<StreamShare>, Tag),
    Sink(Rc<StreamShare>, Tag),
}

impl Hasher {
    pub(crate) fn new(
        hashing: Hashing,
        crossover: Crossover,
        counters: Arc<WorkerCounters>,
        level: &Rc<Level>,
        linger: Duration,
    ) -> Self {
        match hashing {
            Hashing::Lanes => Self::Lanes(Box::new(RefCell::new(Lanes::new(
                crossover,
                counters,
                Rc::clone(level),
                linger,
            )))),
            Hashing::Inline => Self::Inline(counters),
            Hashing::Sink => Self::Sink(counters),
        }
    }

    /// Opens a job whose digest goes to `owner` under `tag`.
    pub(crate) fn open(&self, owner: &Rc<StreamShare>, tag: Tag) -> Job {
        match self {
            Self::Lanes(lanes) => Job::Lanes(lanes.borrow_mut().open(owner, tag)),
            Self::Inline(counters) => {
                counters.open_jobs.add(1);
                Job::Inline(Box::default(), Rc::clone(owner), tag)
            }
            Self::Sink(counters) => {
                counters.open_jobs.add(1);
                Job::Sink(Rc::clone(owner), tag)
            }
        }
    }

    /// Appends a chunk.
    pub(crate) fn push(&self, job: &mut Job, chunk: Bytes) {
        match (self, job) {
            (Self::Lanes(lanes), Job::Lanes(id)) => lanes.borrow_mut().push(*id, chunk),
            (Self::Inline(counters), Job::Inline(hash, ..)) => {
                let start = Instant::now();
                hash.update(&chunk);
                counters.hash_ns.add(nanos(start.elapsed()));
                counters.hashed_bytes.add(chunk.len() as u64);
            }
            (Self::Sink(_), Job::Sink(..)) => {}
            _ => mixed_up(),
        }
    }

    /// Ends the job's bytes; its owner is given the digest. The job is gone
    /// except with lanes, where it can be cancelled until then.
    pub(crate) fn finish(&self, job: Job) -> Option<Job> {
        match (self, job) {
            (Self::Lanes(lanes), Job::Lanes(id)) => {
                // A digest of nothing but a tail may be there already.
                lanes.borrow_mut().finish(id).then_some(Job::Lanes(id))
            }
            (Self::Inline(counters), Job::Inline(hash, owner, tag)) => {
                let start = Instant::now();
                let digest = hash.finalize();
                counters.hash_ns.add(nanos(start.elapsed()));
                counters.open_jobs.sub(1);
                owner.finish(tag, digest.into());
                None
            }
            (Self::Sink(counters), Job::Sink(owner, tag)) => {
                counters.open_jobs.sub(1);
                owner.finish(tag, [0; 32]);
                None
            }
            _ => mixed_up(),
        }
    }

    /// Drops the job, whatever it has.
    pub(crate) fn cancel(&self, job: Job) {
        match (self, job) {
            (Self::Lanes(lanes), Job::Lanes(id)) => lanes.borrow_mut().cancel(id),
            (Self::Inline(counters), Job::Inline(..)) | (Self::Sink(counters), Job::Sink(..)) => {
                counters.open_jobs.sub(1);
            }
            _ => mixed_up(),
        }
    }
}

/// A worker has one hasher for life, so its jobs are of one kind.
fn mixed_up() -> ! {
    unreachable!("a job was given to another kind of hasher")
}
