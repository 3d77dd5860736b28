//! The kernels that this CPU can run.
//!
//! A [`Backend`] is a set of available kernels. All its constructors check availability, so its
//! users need no check. [`Backend::of`] takes a choice of kernels, so that one machine can test and
//! measure all kernels it has.

use crate::kernel::{Family, Kernel};

/// A non-empty set of available kernels for every compression function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backend {
    /// By family, in the order of the family's table.
    kernels: [Vec<Kernel>; Family::ALL.len()],
}

impl Backend {
    /// All kernels that this CPU can run.
    #[must_use]
    pub fn detect() -> Self {
        Self {
            kernels: Family::ALL.map(available),
        }
    }

    /// Exactly `kernels` for the families that they name, and for other families all kernels that
    /// this CPU can run. `None` if the CPU lacks one. Repetitions are dropped.
    #[must_use]
    pub fn of(kernels: &[Kernel]) -> Option<Self> {
        let sound = kernels.iter().all(|kernel| kernel.is_available());
        sound.then(|| Self {
            kernels: Family::ALL.map(|family| {
                let named = kernels.iter().filter(|kernel| kernel.family() == family);
                let mut named: Vec<Kernel> = named.copied().collect();
                named.sort_unstable();
                named.dedup();
                if named.is_empty() {
                    available(family)
                } else {
                    named
                }
            }),
        })
    }

    /// The same without `kernel`; `None` if its family has no other kernel.
    pub(crate) fn without(&self, kernel: Kernel) -> Option<Self> {
        let mut left = self.clone();
        let of_family = &mut left.kernels[kernel.family().index()];
        of_family.retain(|other| *other != kernel);
        (!of_family.is_empty()).then_some(left)
    }

    /// Only the plain Rust kernels.
    #[must_use]
    pub fn portable() -> Self {
        Self {
            kernels: Family::ALL.map(|family| vec![Kernel::portable(family)]),
        }
    }

    /// The kernels of a family, each available on this CPU.
    #[must_use]
    pub fn kernels(&self, family: Family) -> &[Kernel] {
        &self.kernels[family.index()]
    }
}

fn available(family: Family) -> Vec<Kernel> {
    Kernel::of(family)
        .filter(|kernel| kernel.is_available())
        .collect()
}

impl Default for Backend {
    fn default() -> Self {
        Self::detect()
    }
}
