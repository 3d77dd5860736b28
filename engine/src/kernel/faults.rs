//! Makes a kernel compute wrong states, only in tests (feature `faults`).

use std::cell::Cell;

use super::kernels::Kernel;

thread_local! {
    static FAULT: Cell<Option<(Kernel, usize)>> = const { Cell::new(None) };
}

/// From now on, on this thread, each call of `kernel` leaves a wrong state in lane `lane`, as on a
/// faulty core. A thread has one faulty kernel at a time.
///
/// # Panics
/// If the kernel has no such lane.
pub fn inject(kernel: Kernel, lane: usize) {
    assert!(lane < kernel.lanes(), "{kernel} has no lane {lane}");
    FAULT.set(Some((kernel, lane)));
}

/// Makes all kernels of this thread correct again.
pub fn clear() {
    FAULT.set(None);
}

/// Calls `wrong` with the faulty lane of `kernel`, if it has one.
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
