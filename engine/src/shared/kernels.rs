//! The kernels in use, common to all workers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::algorithm::Algorithm;
use crate::kernel::{Family, Kernel};
use crate::schedule::Crossover;

/// The kernels in use.
#[derive(Clone, Debug)]
pub(super) struct InUse {
    pub(super) version: u64,
    pub(super) crossover: Crossover,
    /// By [`Family::index`]: the kernel that was retired last, if its family has no other.
    exhausted: [Option<Kernel>; Family::ALL.len()],
    /// Kernels that were retired.
    faulty: Vec<Kernel>,
}

#[derive(Debug)]
pub(super) struct Kernels {
    /// The version of `now`.
    version: AtomicU64,
    now: Mutex<InUse>,
}

impl InUse {
    /// The kernel for lack of which no digest of these algorithms can be computed.
    pub(super) fn missing(&self, algorithms: &[Algorithm]) -> Option<Kernel> {
        let mut families = algorithms.iter().filter_map(|it| it.kernels_of());
        families.find_map(|family| self.exhausted[family.index()])
    }
}

impl Kernels {
    pub(super) fn new(crossover: &Crossover) -> Self {
        let now = InUse {
            version: 0,
            crossover: crossover.clone(),
            exhausted: [None; Family::ALL.len()],
            faulty: Vec::new(),
        };
        Self {
            version: AtomicU64::new(0),
            now: Mutex::new(now),
        }
    }

    fn lock(&self) -> MutexGuard<'_, InUse> {
        // No code that can panic runs under the lock.
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> InUse {
        self.lock().clone()
    }

    /// Kernels that were retired.
    pub(super) fn faulty(&self) -> Vec<Kernel> {
        self.lock().faulty.clone()
    }

    /// Changes whenever the kernels in use change.
    #[inline]
    pub(super) fn version(&self) -> u64 {
        // The lock orders access to the kernels themselves.
        self.version.load(Ordering::Relaxed)
    }

    /// Takes `kernel` out of use.
    pub(super) fn retire(&self, kernel: Kernel) {
        let mut now = self.lock();
        if now.faulty.contains(&kernel) {
            return;
        }
        now.faulty.push(kernel);
        match now.crossover.without(kernel) {
            Some(left) => now.crossover = left,
            None => now.exhausted[kernel.family().index()] = Some(kernel),
        }
        now.version += 1;
        self.version.store(now.version, Ordering::Relaxed);
    }
}
