//! What turns chunks into digests, behind one interface.
//!
//! ```text
//! part: open, push, finish ──> Hasher ──> Lanes ──> engine ──> Mailbox ──> part: collect
//! ```
//!
//! kernels.rs has the kernels in use, selfcheck.rs says when they are checked.
//! lanes.rs is the engine of one worker and the task that steps it, open_parts.rs what the
//! engine's parts are here, group.rs a connection's share of it, wait.rs whether a step waits for
//! more of them, chunk.rs what a chunk takes until it is hashed, mailbox.rs where digests
//! wait for their call.
//!
//! [`Hasher::Lanes`] is the service. Builds with the feature `measure` have others to measure
//! it against (measure.rs).

mod chunk;
mod group;
mod kernels;
mod lanes;
mod mailbox;
#[cfg(feature = "measure")]
mod measure;
mod open_parts;
mod selfcheck;
mod wait;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use hashlane_engine::{Algorithm, PartId};

pub(crate) use self::chunk::Chunk;
pub(crate) use self::kernels::Kernels;
use self::lanes::Lanes;
pub(crate) use self::lanes::{Broken, step_forever};
pub(crate) use self::mailbox::{Computed, KernelFault, Mailbox, Share};
use crate::config::{Hashing, Settings};
use crate::limits::Backlog;
use crate::metrics::counters::WorkerCounters;

/// One worker's hasher.
pub(crate) enum Hasher {
    /// The multi-buffer engine.
    Lanes(Box<RefCell<Lanes>>),
    #[cfg(feature = "measure")]
    Measured(measure::Hasher),
}

/// A part whose digests are in progress. Hand it back with [`Hasher::finish`] or
/// [`Hasher::cancel`].
pub(crate) enum Running {
    Lanes(PartId),
    #[cfg(feature = "measure")]
    Measured(measure::Running),
}

impl Running {
    /// Whether `fault` hit this part.
    pub(crate) fn is_hit_by(&self, fault: KernelFault) -> bool {
        match self {
            Self::Lanes(id) => *id == fault.part,
            #[cfg(feature = "measure")]
            Self::Measured(_) => false,
        }
    }
}

impl Hasher {
    pub(crate) fn new(
        settings: &Settings,
        kernels: &Arc<Kernels>,
        counters: Arc<WorkerCounters>,
        backlog: &Rc<Backlog>,
    ) -> Self {
        let hashing = settings.hashing();
        #[cfg(feature = "measure")]
        if hashing != Hashing::Lanes {
            return Self::Measured(measure::Hasher::new(hashing, counters));
        }
        debug_assert!(
            hashing == Hashing::Lanes,
            "others take the feature `measure`"
        );
        let lanes = Lanes::new(settings, Arc::clone(kernels), counters, Rc::clone(backlog));
        Self::Lanes(Box::new(RefCell::new(lanes)))
    }

    /// Hashes what a connection's turn has pushed, if nobody else is likely to bring more.
    /// Returns whether it hashed.
    pub(crate) fn end_turn(&self) -> bool {
        match self {
            Self::Lanes(lanes) => lanes.borrow_mut().end_turn(),
            #[cfg(feature = "measure")]
            Self::Measured(_) => false,
        }
    }

    /// Opens a part whose digests go to `owner` under `tag`.
    pub(crate) fn open(
        &self,
        owner: &Rc<Mailbox>,
        tag: u64,
        algorithms: &Rc<[Algorithm]>,
    ) -> Running {
        match self {
            Self::Lanes(lanes) => Running::Lanes(lanes.borrow_mut().open(owner, tag, algorithms)),
            #[cfg(feature = "measure")]
            Self::Measured(hasher) => Running::Measured(hasher.open(owner, tag, algorithms)),
        }
    }

    /// Appends a chunk.
    pub(crate) fn push(&self, part: &mut Running, chunk: Chunk) {
        match (self, part) {
            (Self::Lanes(lanes), Running::Lanes(id)) => lanes.borrow_mut().push(*id, chunk),
            #[cfg(feature = "measure")]
            (Self::Measured(hasher), Running::Measured(part)) => hasher.push(part, &chunk),
            #[cfg(feature = "measure")]
            _ => mixed_up(),
        }
    }

    /// Ends the part's bytes; its owner is given the digests. What is returned can be
    /// cancelled until then.
    pub(crate) fn finish(&self, part: Running) -> Option<Running> {
        match (self, part) {
            (Self::Lanes(lanes), Running::Lanes(id)) => {
                lanes.borrow_mut().finish(id);
                Some(Running::Lanes(id))
            }
            #[cfg(feature = "measure")]
            (Self::Measured(hasher), Running::Measured(part)) => {
                hasher.finish(part);
                None
            }
            #[cfg(feature = "measure")]
            _ => mixed_up(),
        }
    }

    /// Drops the part, whatever it has.
    pub(crate) fn cancel(&self, part: Running) {
        match (self, part) {
            (Self::Lanes(lanes), Running::Lanes(id)) => lanes.borrow_mut().cancel(id),
            #[cfg(feature = "measure")]
            (Self::Measured(hasher), Running::Measured(part)) => hasher.cancel(&part),
            #[cfg(feature = "measure")]
            _ => mixed_up(),
        }
    }
}

/// A worker has one hasher for life, so its parts are of one kind.
#[cfg(feature = "measure")]
fn mixed_up() -> ! {
    unreachable!("a part was given to another kind of hasher")
}
