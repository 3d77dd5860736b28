//! Calls of one message: the unary methods of HashService, and, through tonic, health and
//! reflection.
//!
//! ```text
//! call.rs ── request_body.rs (bounded in bytes) ──> codec.rs ──> hash_service.rs
//!    │                   └─> health_and_reflection.rs                   batch.rs, compose.rs
//!    └── response, as far as the client's windows go
//! ```
//!
//! codec.rs counts a batch's blobs, and Compose's digests, before it decodes them. Long work is
//! done in pieces; http2/link.rs says when to yield. reflection.rs describes the services.
//!
//! Why in pieces, and not by tonic: tonic decodes and encodes a message in one go. 10,000 parts
//! took 40 ms of one poll, for which other connections waited. Now the longest poll of the most
//! expensive legal message takes 1.5 ms (docs/measurements.md, The longest poll;
//! server/tests/server/workers/longest_polls.rs).

mod batch;
mod call;
mod codec;
mod compose;
mod hash_service;
mod health_and_reflection;
mod reflection;
mod request_body;

pub(crate) use self::call::answer;
pub(crate) use self::health_and_reflection::Services;
