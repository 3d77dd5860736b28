//! A hasher as calls use it: the engine, or what it is compared with (feature `measure`).

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hashlane_engine::{Algorithm, KernelsInUse, PartId};

use super::chunk::Chunk;
use super::lanes::{Broken, EngineLoad, Lanes};
use super::mailbox::{KernelFault, Mailbox, Source};
#[cfg(feature = "measure")]
use super::measure;
use crate::config::{Hashing, Settings};
use crate::limits::Backlog;
use crate::metrics::counters::{StepReason, WorkerCounters};

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
    /// Whether `fault` is about this part.
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
        kernels: &Arc<KernelsInUse>,
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

    /// Hashes what a connection's turn has pushed, if more jobs are not likely to arrive. Returns
    /// whether it hashed.
    pub(crate) fn end_turn(&self) -> bool {
        match self {
            Self::Lanes(lanes) => lanes.borrow_mut().end_turn(),
            #[cfg(feature = "measure")]
            Self::Measured(_) => false,
        }
    }

    /// Sets whether other connections are ready, as a connection's turn begins.
    pub(crate) fn set_others_ready(&self, are_ready: bool) {
        match self {
            Self::Lanes(lanes) => lanes.borrow_mut().set_others_ready(are_ready),
            #[cfg(feature = "measure")]
            Self::Measured(_) => {}
        }
    }

    /// The engine's current work.
    ///
    /// # Errors
    /// The engine panicked.
    pub(crate) fn load(&self) -> Result<EngineLoad, Broken> {
        match self {
            Self::Lanes(lanes) => lanes.borrow().load(),
            #[cfg(feature = "measure")]
            Self::Measured(_) => Ok(EngineLoad::default()),
        }
    }

    /// Runs a step of the engine that began at `start`. Returns when it ended.
    pub(crate) fn step(&self, reason: StepReason, start: Instant) -> Instant {
        match self {
            Self::Lanes(lanes) => lanes.borrow_mut().step(reason, start),
            #[cfg(feature = "measure")]
            Self::Measured(_) => start,
        }
    }

    /// The worker had nothing to do for this time.
    pub(crate) fn idled(&self, time: Duration) {
        match self {
            Self::Lanes(lanes) => lanes.borrow_mut().idled(time),
            #[cfg(feature = "measure")]
            Self::Measured(_) => {}
        }
    }

    /// Sets the idle time that waits may use, and returns what it was.
    #[cfg(test)]
    pub(crate) fn replace_idle(&self, time: Duration) -> Duration {
        match self {
            Self::Lanes(lanes) => std::mem::replace(lanes.borrow_mut().idle(), time),
            #[cfg(feature = "measure")]
            Self::Measured(_) => time,
        }
    }

    /// Sleeps if that is likely to fill lanes. Returns whether it slept.
    pub(crate) fn wait(&self, now: Instant) -> bool {
        match self {
            Self::Lanes(lanes) => lanes.borrow_mut().wait(now),
            #[cfg(feature = "measure")]
            Self::Measured(_) => false,
        }
    }

    /// Hashes a sample of the last step again, with another kernel. Returns whether there was a
    /// sample.
    pub(crate) fn check(&self) -> bool {
        match self {
            Self::Lanes(lanes) => lanes.borrow_mut().check(),
            #[cfg(feature = "measure")]
            Self::Measured(_) => false,
        }
    }

    /// Copies the engine's counts to the worker's counters.
    pub(crate) fn publish(&self) {
        match self {
            Self::Lanes(lanes) => lanes.borrow().publish(),
            #[cfg(feature = "measure")]
            Self::Measured(_) => {}
        }
    }

    /// The connection of `source` has ended.
    pub(crate) fn forget(&self, source: &Source) {
        match self {
            Self::Lanes(lanes) => lanes.borrow_mut().forget(source),
            #[cfg(feature = "measure")]
            Self::Measured(_) => {}
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

    /// Ends the part's bytes; its owner will receive the digests. Until then the returned part can
    /// be cancelled.
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

    /// Drops the part in any state.
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
