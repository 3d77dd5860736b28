//! What this CPU can run.
//!
//! A [`Backend`] is a set of kernels that are all available here: its only
//! constructors check, so whoever holds one need not ask again.
//! [`Backend::of`] takes kernels by name, so that one machine tests and measures
//! all it has.

use crate::kernel::Kernel;

/// A non-empty set of kernels this CPU can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backend {
    kernels: Vec<Kernel>,
}

impl Backend {
    /// Everything this CPU can run.
    #[must_use]
    pub fn detect() -> Self {
        Self::of(&Kernel::ALL.map(|k| {
            if k.is_available() {
                k
            } else {
                Kernel::Portable
            }
        }))
        .expect("portable is always available")
    }

    /// Exactly `kernels`, or nothing if the CPU lacks one or the list is empty.
    /// Repetitions are dropped.
    #[must_use]
    pub fn of(kernels: &[Kernel]) -> Option<Self> {
        let mut kernels = kernels.to_vec();
        kernels.sort_unstable();
        kernels.dedup();
        let sound = !kernels.is_empty() && kernels.iter().all(|kernel| kernel.is_available());
        sound.then_some(Self { kernels })
    }

    /// Plain Rust.
    #[must_use]
    pub fn portable() -> Self {
        Self {
            kernels: vec![Kernel::Portable],
        }
    }

    /// The kernels, each available on this CPU.
    #[must_use]
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }
}

impl Default for Backend {
    fn default() -> Self {
        Self::detect()
    }
}
