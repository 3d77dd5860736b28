//! The RPCs.
//!
//! ```text
//!                  connection.rs
//!     Digest, Verify │             │ everything else
//!          stream.rs │             │ observe.rs ─> tonic ─> service.rs
//!   (HTTP/2 frames,  │             │   │              │  batch.rs, compose.rs
//!     wire::Decoder) │             │   │ Digest, Verify (fast_path = false)
//!                    v             v   v
//!                 driver.rs ──> session.rs ──> worker::hasher
//! ```
//!
//! guard.rs sees to calls whose answers the client does not take, rate.rs is
//! the least rate. call.rs counts and registers a call, part.rs is one part, answer.rs
//! what it is answered with, algorithm.rs checks the algorithms named, status.rs makes
//! every refusal, reflection.rs says what there is, codec.rs counts the blobs of a
//! batch before it decodes them.

pub(crate) mod algorithm;
mod answer;
pub(crate) mod batch;
pub(crate) mod call;
mod codec;
mod compose;
mod driver;
pub(crate) mod guard;
pub(crate) mod observe;
mod part;
mod rate;
pub(crate) mod reflection;
pub(crate) mod service;
mod session;
pub(crate) mod status;
pub(crate) mod stream;
