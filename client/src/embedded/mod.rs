//! Digests computed in this process, in lanes that all tasks of a client share.
//!
//! ```text
//! Part::write ──> lane.rs ──chunk──> SharedPart ──> a worker thread of the engine
//!      waits while its part has 1 MiB of unhashed bytes   │
//! Answer <──oneshot── ledger <── a task per ended part <──┘
//! ```
//!
//! | | |
//! |---|---|
//! | engine.rs | the engine of a client, and how many workers it has |
//! | lane.rs | one part |
//! | unary.rs | server info, batches, S3's values |
//! | algorithm.rs | the engine's algorithms |
//! | refusal.rs | errors, as a server gives them |
//!
//! A part's task takes its digests even if nobody awaits the answer: until then the part holds one
//! of its stream's slots.
//!
//! Why a quarter of the CPUs: one worker with many parts hashes some GB per second, and the fewer
//! workers there are, the more parts fill the lanes of each. The rest is left to the program.

mod algorithm;
mod engine;
mod lane;
mod refusal;
#[cfg(test)]
mod tests;
mod unary;

pub(crate) use self::engine::Embedded;
pub(crate) use self::lane::{Lane, PIECE_BYTES};
