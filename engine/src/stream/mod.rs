//! Hashes many streams at once, whose bytes arrive in chunks.
//!
//! ```text
//! engine.rs         the interface: open, push, finish, cancel, step, events
//! parts.rs          a blob and its digests: one job, or several that share its chunks
//! pool.rs           the jobs of one compression; a step of those that are ready
//! job.rs            one digest in progress; what it hashes next
//! chunks.rs         the chunks that wait, of each job
//! flows.rs          whose job takes the next lane
//! arena.rs          tables with reused places
//! digest_memory.rs  memory of a digest in progress
//! ```

mod arena;
mod chunks;
mod digest_memory;
mod engine;
mod flows;
mod job;
mod parts;
mod pool;

pub use engine::Engine;
#[cfg(feature = "shared")]
pub(crate) use engine::check_algorithms;
pub use flows::GroupId;
pub use parts::{Event, PartId};
