//! Memory that clients of the Unix socket share with the server, so that the bytes of their calls
//! need no socket.
//!
//! ```text
//! client ── PATH.memory ──> listener.rs: a request (handshake.rs)  ──> Region, of the client's uid
//!        <── its id and its descriptor ──────────────────────────────────┘
//! client ── a call that names the id ──> Lease ──> call/memory_ranges.rs: a message names a range
//!                                                     └─ copied into copy_buffers.rs ──> hashing
//! ```
//!
//! | file | |
//! |---|---|
//! | listener.rs | listens on the socket, and keeps each region while its connection is open |
//! | handshake.rs | request and reply on that socket |
//! | region.rs | the memory of one connection, and the regions of a client |
//! | copy_buffers.rs | what ranges are copied into |
//!
//! **The server never has a reference to this memory**, because another process can change it at
//! any time. The crate vm-memory copies out of it, and what is hashed and checked is the copy. The
//! server makes the memory itself, as a sealed memfd: a client cannot truncate it, and it is no
//! file whose reads can block or fail.
//!
//! Why a second socket: gRPC libraries cannot pass descriptors.

mod copy_buffers;
pub(crate) mod handshake;
mod listener;
pub(crate) mod region;

pub(crate) use self::copy_buffers::{CopyBuffers, PIECE_BYTES};
pub(crate) use self::handshake::{Refusal, RegionId};
pub(crate) use self::listener::Listener;
pub(crate) use self::region::{Lease, Regions};
