//! A waker that does not wake its connection while a turn runs the connection's calls.
//!
//! A call that answers wakes its connection, and so does HTTP/2 when the answer gives it something
//! to write. But the turn still goes on: it polls the calls until none is awake, then writes.
//! Another turn would find nothing to do.
//!
//! ```text
//! loud ── begin ──> quiet ── wake ──> woken ── end ──> loud, and the turn polls once more
//!  ^                  └── end: no wake-up ──> loud
//!  └ wakes the connection
//! ```

use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::task::{Wake, Waker};

use futures_util::task::AtomicWaker;

const LOUD: u8 = 0;
const QUIET: u8 = 1;
const WOKEN: u8 = 2;

/// The waker for everything that is polled in a connection's turn.
#[derive(Debug, Default)]
pub(super) struct Quiet {
    state: AtomicU8,
    task: AtomicWaker,
}

impl Quiet {
    /// The connection's waker.
    pub(super) fn set_task(&self, task: &Waker) {
        self.task.register(task);
    }

    /// From now on wakes are only recorded.
    pub(super) fn begin(&self) {
        self.state.store(QUIET, Release);
    }

    /// From now on wakes reach the connection again. Returns whether a wake was recorded meanwhile.
    pub(super) fn end(&self) -> bool {
        self.state.swap(LOUD, AcqRel) == WOKEN
    }
}

impl Wake for Quiet {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let noted = self.state.compare_exchange(QUIET, WOKEN, AcqRel, Acquire);
        if noted == Err(LOUD) {
            self.task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[derive(Default)]
    struct Task(AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    #[test]
    fn wakes_are_noted_while_it_is_quiet_and_reach_the_task_otherwise() {
        let task = Arc::<Task>::default();
        let quiet = Arc::<Quiet>::default();
        let waker = Waker::from(Arc::clone(&quiet));
        let wakes = || task.0.swap(0, Relaxed);
        quiet.set_task(&Waker::from(Arc::clone(&task)));
        waker.wake_by_ref();
        assert_eq!(wakes(), 1);
        quiet.set_task(&Waker::from(Arc::clone(&task)));
        quiet.begin();
        assert!(!quiet.end());
        quiet.begin();
        waker.wake_by_ref();
        waker.wake_by_ref();
        assert_eq!(wakes(), 0);
        assert!(quiet.end());
        waker.wake_by_ref();
        assert_eq!(wakes(), 1);
    }
}
