//! Turns chunks into digests.
//!
//! ```text
//! part: open, push, finish ──> Lanes ──> engine ──> Mailbox ──> part: collect
//! ```
//!
//! | file | |
//! |---|---|
//! | lanes.rs | the engine of one worker, as its loop drives it |
//! | open_parts.rs | the engine's parts: their calls, and how long their bytes have waited |
//! | groups.rs | the clients' groups in the engine |
//! | chunk.rs | bytes with the permit of their window |
//! | mailbox.rs | where digests wait until their call collects them |
//! | measure.rs | what the engine is compared with (feature `measure`) |

mod chunk;
mod groups;
mod lanes;
mod mailbox;
#[cfg(feature = "measure")]
mod measure;
mod open_parts;

pub(crate) use self::chunk::Chunk;
pub(crate) use self::lanes::{EngineLoad, Lanes};
pub(crate) use self::mailbox::{Computed, Mailbox};
