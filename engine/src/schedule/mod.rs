//! Decides which kernels hash which jobs, and for how long.
//!
//! ```text
//! crossover.rs       how long a kernel takes here, and the plan for each number of lanes
//! measured.rs        the crossover of this process, and its kernels for one stream
//! kernels_in_use.rs  the kernels that the engines of several threads may use
//! lanes.rs           one step: runs into lanes, kernel calls by the plan
//! wrapped.rs         runs cut so that any number fills the lanes of a kernel
//! occupancy.rs       how full the lanes were
//! wait.rs            whether a step waits for more jobs
//! selfcheck.rs       when a sample of the work is hashed again
//! ```

mod crossover;
mod kernels_in_use;
mod lanes;
mod measured;
mod occupancy;
mod selfcheck;
pub mod wait;
mod wrapped;

pub use crossover::Crossover;
#[cfg(test)]
pub(crate) use crossover::tests::wide_md5;
pub(crate) use crossover::{Plan, Plans};
pub use kernels_in_use::{InUse, KernelsInUse};
pub use lanes::Step;
pub(crate) use lanes::{Done, Feed, Lanes, Run, STAGE_BYTES};
pub(crate) use measured::{crossover, single};
pub use occupancy::{KernelCounts, Occupancy};
pub use selfcheck::SelfCheck;
pub(crate) use wrapped::Wrapped;
