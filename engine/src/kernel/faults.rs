//! Makes a kernel compute wrong states, for tests only (feature `faults`).

use std::cell::Cell;

use super::kernels::Kernel;

thread_local! {
    static FAULT: Cell<Option<(Kernel, usize)>> = const { Cell::new(None) };
}

/// From now on, on this thread, each call of `kernel` leaves a wrong state in that lane of its
/// lanes, as a core with a fault would. One kernel of a thread has a fault at a time.
///
/// # Panics
/// If the kernel has no such lane.
pub fn inject(kernel: Kernel, lane: usize) {
    assert!(lane < kernel.lanes(), "{kernel} has no lane {lane}");
    FAULT.set(Some((kernel, lane)));
}

/// From now on all kernels of this thread are sound.
pub fn clear() {
    FAULT.set(None);
}

/// Calls `wrong` with the lane that `kernel` computes wrongly, if there is one.
pub(super) fn spoil(kernel: Kernel, wrong: impl FnOnce(usize)) {
    if let Some((faulty, lane)) = FAULT.get()
        && faulty == kernel
    {
        wrong(lane);
    }
}

/// Calls a function when it is dropped.
pub(super) struct Later<F: FnMut()>(pub(super) F);

impl<F: FnMut()> Drop for Later<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
