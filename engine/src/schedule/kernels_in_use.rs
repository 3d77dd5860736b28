//! The kernels in use, common to the engines of several threads.
//!
//! ```text
//! a check of one engine fails ──> retire ──> version + 1
//! every engine, before it hashes: new version? ──> Engine::use_crossover
//! ```

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Crossover;
use crate::algorithm::Algorithm;
use crate::kernel::{Family, Kernel};

/// The kernels in use, shared by the engines of several threads: a kernel that gives a wrong result
/// on one core is taken out of use on all.
#[derive(Debug)]
pub struct KernelsInUse {
    /// The version of `now`.
    version: AtomicU64,
    now: Mutex<InUse>,
}

/// The kernels in use at one time.
#[derive(Clone, Debug)]
pub struct InUse {
    version: u64,
    crossover: Crossover,
    /// By [`Family::index`]: the kernel that was retired last, if its family has no other.
    exhausted: [Option<Kernel>; Family::ALL.len()],
    retired: Vec<Kernel>,
    /// Kernels of the plans that a retired kernel ended.
    planned_before: Vec<Kernel>,
}

impl InUse {
    /// Its version: see [`KernelsInUse::version`].
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The plans with these kernels, for [`Engine::use_crossover`](crate::Engine::use_crossover).
    pub fn crossover(&self) -> &Crossover {
        &self.crossover
    }

    /// Kernels that were taken out of use.
    pub fn retired(&self) -> &[Kernel] {
        &self.retired
    }

    /// Kernels that gave a wrong result, when they were measured or later. Measures those that are
    /// not measured yet.
    pub fn faulty(&self) -> Vec<Kernel> {
        let all = Family::ALL.into_iter();
        let measured = all.flat_map(|family| self.crossover.faulty(family));
        sorted(self.retired.iter().chain(measured).copied())
    }

    /// Kernels that some plan uses, or used before one of them was retired. Measures those that are
    /// not measured yet.
    pub fn planned(&self) -> Vec<Kernel> {
        let all = Family::ALL.into_iter();
        let now = all.flat_map(|family| self.crossover.planned(family));
        sorted(self.planned_before.iter().copied().chain(now))
    }

    /// Whether the family has a kernel left.
    pub fn has_any(&self, family: Family) -> bool {
        self.exhausted[family.index()].is_none()
    }

    /// The kernel for lack of which no digest of these algorithms can be computed.
    pub fn missing(&self, algorithms: &[Algorithm]) -> Option<Kernel> {
        let mut families = algorithms.iter().filter_map(|it| it.kernels_of());
        families.find_map(|family| self.exhausted[family.index()])
    }
}

impl KernelsInUse {
    /// The kernels of these plans. It measures none.
    pub fn new(crossover: Crossover) -> Self {
        let now = InUse {
            version: 0,
            exhausted: [None; Family::ALL.len()],
            retired: Vec::new(),
            planned_before: Vec::new(),
            crossover,
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

    /// The kernels that are in use now.
    pub fn now(&self) -> InUse {
        self.lock().clone()
    }

    /// Changes whenever the kernels in use change.
    #[inline]
    pub fn version(&self) -> u64 {
        // The lock orders access to the kernels themselves.
        self.version.load(Ordering::Relaxed)
    }

    /// Whether a compression has no kernel left.
    pub fn is_exhausted(&self) -> bool {
        self.lock().exhausted.iter().any(Option::is_some)
    }

    /// Takes `kernel` out of use. Returns false if it was out of use before.
    pub fn retire(&self, kernel: Kernel) -> bool {
        let mut now = self.lock();
        if now.retired.contains(&kernel) {
            return false;
        }
        now.retired.push(kernel);
        let planned: Vec<_> = now.crossover.planned(kernel.family()).collect();
        now.planned_before.extend(planned);
        match now.crossover.without(kernel) {
            Some(left) => now.crossover = left,
            None => now.exhausted[kernel.family().index()] = Some(kernel),
        }
        now.version += 1;
        self.version.store(now.version, Ordering::Relaxed);
        true
    }
}

/// Each of these once.
fn sorted(kernels: impl Iterator<Item = Kernel>) -> Vec<Kernel> {
    let mut kernels: Vec<_> = kernels.collect();
    kernels.sort_unstable();
    kernels.dedup();
    kernels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::available_kernels::Backend;

    /// A program that needs one algorithm does not wait for the measurement of all.
    #[test]
    fn only_what_is_asked_for_is_measured() {
        let kernels = KernelsInUse::new(Crossover::new(Backend::detect()));
        let now = kernels.now();
        assert!(now.missing(&[Algorithm::Md5]).is_none() && now.retired().is_empty());
        let measured = |family| now.crossover().is_measured(family);
        assert_eq!(Family::ALL.map(measured), [false; Family::ALL.len()]);
        assert!(!now.planned().is_empty());
        assert_eq!(Family::ALL.map(measured), [true; Family::ALL.len()]);
    }

    #[test]
    fn kernels_go_one_by_one_until_a_compression_has_none() {
        let [first, second] = ["portable", "crate"].map(|name| {
            let kernel = Kernel::named(Family::Md5, name);
            kernel.expect("it is everywhere")
        });
        let backend = Backend::of(&[first, second]).expect("both are available");
        let cost = |kernel| if kernel == second { 1.0 } else { 2.0 };
        let kernels = KernelsInUse::new(Crossover::from_costs(backend, cost));
        let plan = || kernels.now().crossover().describe(Family::Md5, 1);
        let of_md5 = |kernels: Vec<Kernel>| {
            let of_md5 = kernels.into_iter().filter(|it| it.family() == Family::Md5);
            of_md5.collect::<Vec<_>>()
        };
        assert_eq!((kernels.version(), plan().as_str()), (0, "crate"));

        assert!(kernels.retire(second));
        assert_eq!((kernels.version(), plan().as_str()), (1, "portable"));
        assert_eq!(kernels.now().retired(), [second]);
        assert_eq!(kernels.now().faulty(), [second]);
        assert_eq!(of_md5(kernels.now().planned()), [first, second]);
        assert!(!kernels.is_exhausted());

        assert!(!kernels.retire(second), "it is out of use");
        assert_eq!(kernels.version(), 1);

        assert!(kernels.retire(first));
        let now = kernels.now();
        assert_eq!((kernels.version(), now.version()), (2, 2));
        let missing = |algorithm| now.missing(&[Algorithm::Crc32c, algorithm]);
        assert_eq!(missing(Algorithm::Md5), Some(first));
        assert_eq!(missing(Algorithm::Sha256), None);
        assert!(now.has_any(Family::Sha256) && !now.has_any(Family::Md5));
        assert!(kernels.is_exhausted());
    }
}
