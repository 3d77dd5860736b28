//! Calls of honest clients: what each method answers.
//!
//! | file | |
//! |---|---|
//! | parts.rs | digests and verdicts of real bytes: Digest and Verify |
//! | algorithms.rs | parts that request other digests than SHA-256, or several |
//! | field_order.rs | messages whose fields are in any order, and data held for later fields |
//! | shared_memory.rs | calls whose messages name ranges of shared memory; clients that misuse it |
//! | unary.rs | DigestBatch, GetServerInfo, health and reflection |
//! | compose.rs | Compose: the values that S3 gives multipart uploads |
//! | put.rs | `PUT /v1/digest` |

mod algorithms;
mod compose;
mod field_order;
mod parts;
mod put;
mod shared_memory;
mod unary;
