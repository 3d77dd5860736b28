//! Many streams hashed at once, whose bytes come in chunks.
//!
//! ```text
//! engine.rs   what the caller sees: open, push, finish, cancel, step, events
//! parts.rs    a blob and its digests: one job, or several that share its chunks
//! pool.rs     the jobs of one compression; a step of those that are ready
//! job.rs      one digest in progress; what it hashes next
//! chunks.rs   the chunks that wait, of each job
//! flows.rs    whose job takes the next lane
//! arena.rs    places that are used again
//! memory.rs   what a digest in progress takes
//! ```

mod arena;
mod chunks;
mod engine;
mod flows;
mod job;
mod memory;
mod parts;
mod pool;

pub use engine::Engine;
pub use flows::GroupId;
pub use parts::{Event, PartId};
