//! What this CPU can run.
//!
//! A [`Backend`] is a set of kernels that are all available here: its only constructors check, so
//! its holder need not check again. [`Backend::of`] takes kernels by name, so that one machine
//! tests and measures all it has.

use crate::kernel::{Family, Kernel};

/// For every compression function a non-empty set of kernels that this CPU can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backend {
    /// By family, each in the order of its table.
    kernels: [Vec<Kernel>; Family::ALL.len()],
}

impl Backend {
    /// Everything this CPU can run.
    #[must_use]
    pub fn detect() -> Self {
        Self {
            kernels: Family::ALL.map(available),
        }
    }

    /// For the families that `kernels` names, exactly these kernels; for the others, all that this
    /// CPU can run. `None` if the CPU lacks one. Repetitions are dropped.
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

    /// The same without `kernel`; `None` if its family has no other.
    pub(crate) fn without(&self, kernel: Kernel) -> Option<Self> {
        let mut left = self.clone();
        let of_family = &mut left.kernels[kernel.family().index()];
        of_family.retain(|other| *other != kernel);
        (!of_family.is_empty()).then_some(left)
    }

    /// Plain Rust.
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
