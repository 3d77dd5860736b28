//! Turns chunks into digests, behind one interface.
//!
//! ```text
//! part: open, push, finish ──> Hasher ──> Lanes ──> engine ──> Mailbox ──> part: collect
//! ```
//!
//! | file | |
//! |---|---|
//! | hasher.rs | [`Hasher`], and a part whose digests are in progress |
//! | lanes.rs | the engine of one worker, as its loop drives it |
//! | open_parts.rs | the engine's parts: their calls, and how long their bytes have waited |
//! | groups.rs | the clients' groups in the engine |
//! | chunk.rs | bytes with the permit of their window |
//! | mailbox.rs | where digests wait until their call collects them |
//! | measure.rs | hashers to compare the engine with (feature `measure`) |
//!
//! The service uses [`Hasher::Lanes`].

mod chunk;
mod groups;
mod hasher;
mod lanes;
mod mailbox;
#[cfg(feature = "measure")]
mod measure;
mod open_parts;

pub(crate) use self::chunk::Chunk;
pub(crate) use self::hasher::{Hasher, Running};
pub(crate) use self::lanes::EngineLoad;
pub(crate) use self::mailbox::{Computed, KernelFault, Mailbox, Source};
