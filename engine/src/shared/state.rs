//! What a part and its worker share.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::algorithm::Algorithm;
use crate::digest::Digest;
use crate::kernel::Kernel;
use crate::stream::PartId;

/// Unhashed bytes of a part at which its updates wait. A chunk may exceed it.
const BUFFER_BYTES: usize = 1 << 20;

/// Why a part has no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stopped {
    /// The thread that hashed it has panicked.
    Panic,
    /// This kernel gave a wrong answer for a sample of what the thread hashed. It is taken out of
    /// use, so the same message may get its digest if it is hashed again.
    KernelFault(Kernel),
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Panic => f.write_str("the hashing thread has panicked"),
            Self::KernelFault(kernel) => {
                write!(f, "the kernel {kernel} gave a wrong answer on this CPU")
            }
        }
    }
}

impl std::error::Error for Stopped {}

impl From<Stopped> for io::Error {
    fn from(stopped: Stopped) -> Self {
        Self::other(stopped)
    }
}

/// What the handle and the worker of a part share.
#[derive(Debug, Default)]
pub(super) struct PartState {
    state: Mutex<State>,
    /// The part in the worker's engine, once it is open.
    pub(super) id: OnceLock<PartId>,
}

/// The worker's reference to a part. Dropped before the part's end, as by a panic, it tells the
/// handle that no digest follows.
#[derive(Debug)]
pub(super) struct Unfinished(Arc<PartState>);

#[derive(Debug, Default)]
struct State {
    /// Bytes sent and not hashed.
    unhashed: usize,
    digests: Vec<(Algorithm, Digest)>,
    has_ended: bool,
    stopped: Option<Stopped>,
    /// Waits for room, or for the end.
    waker: Option<Waker>,
}

impl PartState {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ready while the part may send.
    pub(super) fn poll_room(&self, cx: &mut Context<'_>) -> Poll<Result<(), Stopped>> {
        let mut state = self.lock();
        if let Some(stopped) = state.stopped {
            return Poll::Ready(Err(stopped));
        }
        if state.unhashed < BUFFER_BYTES {
            return Poll::Ready(Ok(()));
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// The handle sends `bytes`.
    pub(super) fn sent(&self, bytes: usize) {
        self.lock().unhashed += bytes;
    }

    /// Ready when the part has ended.
    pub(super) fn poll_digests(
        &self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Vec<(Algorithm, Digest)>, Stopped>> {
        let mut state = self.lock();
        if state.has_ended {
            return Poll::Ready(Ok(std::mem::take(&mut state.digests)));
        }
        if let Some(stopped) = state.stopped {
            return Poll::Ready(Err(stopped));
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Unfinished {
    pub(super) fn new(state: &Arc<PartState>) -> Self {
        Self(Arc::clone(state))
    }

    /// The engine opened the part.
    pub(super) fn opened(&self, id: PartId) {
        // Set once, here.
        let _ = self.0.id.set(id);
    }

    /// `bytes` were hashed. Wakes the handle once half of the buffer is free: a wake-up for each
    /// step would cost more than the step.
    pub(super) fn hashed(&self, bytes: usize) {
        let mut state = self.0.lock();
        state.unhashed -= bytes;
        if state.unhashed <= BUFFER_BYTES / 2 {
            wake(state);
        }
    }

    /// No digest follows.
    pub(super) fn fail(&self, stopped: Stopped) {
        let mut state = self.0.lock();
        state.stopped = Some(stopped);
        wake(state);
    }

    /// All is hashed.
    pub(super) fn end(&self, digests: Vec<(Algorithm, Digest)>) {
        let mut state = self.0.lock();
        state.digests = digests;
        state.has_ended = true;
        wake(state);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if !state.has_ended && state.stopped.is_none() {
            state.stopped = Some(Stopped::Panic);
            wake(state);
        }
    }
}

/// Wakes after the lock is released: a waker may run any code.
fn wake(mut state: MutexGuard<'_, State>) {
    let waker = state.waker.take();
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}
