//! `PUT /v1/digest`: digests of a request's body for clients without gRPC, over HTTP/1.1 and
//! HTTP/2.
//!
//! ```text
//! router.rs ──> call.rs ── request.rs: query, digest fields ──> the head of a part
//!                  │
//!                  └── body ──> Session (part/) ──> Answer ──> response.rs: JSON, Repr-Digest
//! ```
//!
//! A request is a call with one part: limits, timers, identity, metrics and traces are those of
//! gRPC (call/). With an expected digest it is a Verify, else a Digest.

mod call;
mod request;
mod response;

pub(crate) use self::call::{answer, answer_stream, is_for};
