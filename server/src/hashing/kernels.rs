//! The kernels in use, common to all workers.
//!
//! ```text
//! a worker's check fails ──> retire ──> version + 1
//! every worker, before it hashes: new version? ──> its engine switches to the kernels in use
//! ```

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use hashlane_engine::{Crossover, Family, Kernel};
use tokio::sync::watch;

/// The kernels in use.
#[derive(Clone, Debug)]
pub(crate) struct InUse {
    pub(super) version: u64,
    pub(crate) crossover: Crossover,
    /// By [`Family::index`]: whether the family has no usable kernel.
    pub(super) exhausted: [bool; Family::ALL.len()],
    /// Kernels that gave a wrong result, at start-up or later.
    pub(crate) faulty: Vec<Kernel>,
    /// Kernels that some plan uses, or used before they were retired.
    pub(crate) planned: Vec<Kernel>,
}

/// The kernels in use, shared by all threads.
#[derive(Debug)]
pub(crate) struct Kernels {
    /// The version of `now`.
    version: AtomicU64,
    now: Mutex<InUse>,
    /// Whether any family has no usable kernel.
    is_exhausted: watch::Sender<bool>,
}

impl Kernels {
    pub(crate) fn new(crossover: Crossover) -> Self {
        let faulty = Family::ALL.into_iter().flat_map(|f| crossover.faulty(f));
        let in_use = InUse {
            version: 0,
            exhausted: [false; Family::ALL.len()],
            faulty: faulty.copied().collect(),
            planned: planned(&crossover),
            crossover,
        };
        Self {
            version: AtomicU64::new(0),
            now: Mutex::new(in_use),
            is_exhausted: watch::Sender::new(false),
        }
    }

    fn with<T>(&self, on: impl FnOnce(&mut InUse) -> T) -> T {
        // No code panics while it holds the lock.
        on(&mut self.now.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Kernels that gave a wrong result, at start-up or later.
    pub(crate) fn faulty(&self) -> Vec<Kernel> {
        self.with(|now| now.faulty.clone())
    }

    pub(crate) fn now(&self) -> InUse {
        self.with(|now| now.clone())
    }

    /// Changes whenever the kernels in use change.
    #[inline]
    pub(super) fn version(&self) -> u64 {
        // The lock orders access to the kernels themselves.
        self.version.load(Ordering::Relaxed)
    }

    /// Retires a kernel. Returns false if it was retired before.
    pub(crate) fn retire(&self, kernel: Kernel) -> bool {
        let changed = self.with(|now| {
            if now.faulty.contains(&kernel) {
                return false;
            }
            now.faulty.push(kernel);
            match now.crossover.without(kernel) {
                Some(left) => {
                    now.planned.extend(planned(&left));
                    now.planned.sort_unstable();
                    now.planned.dedup();
                    now.crossover = left;
                }
                None => now.exhausted[kernel.family().index()] = true,
            }
            now.version += 1;
            self.version.store(now.version, Ordering::Relaxed);
            true
        });
        if self.with(|now| now.exhausted.contains(&true)) {
            self.is_exhausted.send_replace(true);
        }
        changed
    }

    /// Whether any family has no usable kernel.
    pub(crate) fn is_exhausted(&self) -> bool {
        *self.is_exhausted.borrow()
    }

    /// Waits until a family has no usable kernel.
    pub(crate) async fn exhausted(&self) {
        // The sender is alive, so this cannot fail.
        let _ = self.is_exhausted.subscribe().wait_for(|is| *is).await;
    }
}

/// Kernels that some plan uses. Others are slower on this CPU for any number of lanes.
fn planned(crossover: &Crossover) -> Vec<Kernel> {
    let of_family = |family: Family| {
        let plans: Vec<String> = (1..=Crossover::LANES)
            .map(|lanes| crossover.describe(family, lanes))
            .collect();
        let kernels = Kernel::of(family);
        kernels.filter(move |kernel| {
            let mut names = plans.iter().flat_map(|plan| plan.split('+'));
            names.any(|name| name == kernel.name())
        })
    };
    Family::ALL.into_iter().flat_map(of_family).collect()
}

#[cfg(test)]
mod tests {
    use hashlane_engine::Backend;

    use super::*;

    #[test]
    fn kernels_go_one_by_one_until_a_compression_has_none() {
        let [first, second] = ["portable", "crate"].map(|name| {
            let kernel = Kernel::named(Family::Md5, name);
            kernel.expect("it is everywhere")
        });
        let backend = Backend::of(&[first, second]).expect("both are available");
        let cost = |kernel| if kernel == second { 1.0 } else { 2.0 };
        let kernels = Kernels::new(Crossover::from_costs(backend, cost));
        let plan = || kernels.now().crossover.describe(Family::Md5, 1);
        let of_md5 = |kernels: Vec<Kernel>| {
            let of_md5 = kernels.into_iter().filter(|k| k.family() == Family::Md5);
            of_md5.collect::<Vec<_>>()
        };
        assert_eq!((kernels.version(), plan().as_str()), (0, "crate"));

        assert!(kernels.retire(second));
        assert_eq!((kernels.version(), plan().as_str()), (1, "portable"));
        assert_eq!(kernels.now().faulty, [second]);
        assert_eq!(of_md5(kernels.now().planned), [first, second]);
        assert!(!kernels.is_exhausted());

        assert!(!kernels.retire(second), "it is out of use");
        assert_eq!(kernels.version(), 1);

        assert!(kernels.retire(first));
        assert_eq!(kernels.version(), 2);
        let now = kernels.now();
        let exhausted = Family::ALL.map(|family| now.exhausted[family.index()]);
        assert_eq!(exhausted, Family::ALL.map(|family| family == Family::Md5));
        assert!(kernels.is_exhausted());
    }
}
