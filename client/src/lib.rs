//! Client of the hashlane hashing service.
//!
//! | | |
//! |---|---|
//! | [`Client`] | one method per task: digest or verify a source, a batch, an upload, server info |
//! | [`Source`] | where bytes come from, and whether they can be sent again |
//! | [`PartStream`], [`Part`], [`Answer`] | many parts at once on one stream |
//! | [`Buffer`] | space for a part's bytes, in memory that the server shares if it can |
//! | [`Multipart`], [`Object`] | an upload in parts, and S3's values of the whole |
//! | [`Builder`] | servers, connections, retries, timeouts, sizes: every bound is a setting |
//! | [`Error`] | code, reason and message of an error, and whether to try again |
//! | [`Algorithm`], [`Digest`], [`AlgorithmDigest`] | names, lengths, digests and their hex |
//! | [`ObjectParts`], [`ObjectDigest`] | the same values, computed from known digests |
//!
//! The path of the data: source -> message of 64 KiB -> the call's bounded queue -> one of a few
//! HTTP/2 connections, each served by one worker of a server. With the endpoint `embedded:` and the
//! feature `embedded` there is no server: source -> pieces of 64 KiB -> a worker thread of this
//! process. So a program chooses by a setting.
//!
//! ```text
//! builder.rs       how a client is made; settings.rs: the bounds of its calls
//! whole_parts.rs   a part from its first byte to its last; retry.rs, backoff.rs: its retries
//! source.rs        where a part's bytes come from
//! stream.rs        many parts, on one call after the other
//! multipart.rs     an upload in parts; batch.rs: many blobs in few requests
//! client.rs        what all of these share; deadline.rs: their time limit
//! call.rs          one call; part.rs: one of its parts; waiting_parts.rs: the parts that wait for answers
//! backend.rs       what computes: the differences between the ways to it, for client, call and
//!                  part
//! embedded/        lanes in this process
//! server_call.rs   a call on a server; outgoing.rs: its messages
//! wire_messages.rs           Digest and Verify on the wire, and whether an answer fits the request
//! pool.rs          which server; health.rs: whether it serves; server.rs: its connections
//! shared_memory.rs memory shared with a server on this machine; no_shared_memory.rs: elsewhere
//!                  than Linux
//! buffer.rs        space for a part's bytes, there or in this process
//! endpoint.rs      names, addresses, connections; bearer.rs: token and private key
//! algorithm.rs     names and numbers of algorithms; digest.rs: a digest; object.rs: S3's values
//! error.rs         errors, and whether to try again
//! ```
//!
//! # Digests
//!
//! ```no_run
#![doc = include_str!("../examples/digest.rs")]
//! ```
//!
//! # Verdicts
//!
//! ```no_run
#![doc = include_str!("../examples/verify.rs")]
//! ```
//!
//! # Sources
//!
//! ```no_run
#![doc = include_str!("../examples/sources.rs")]
//! ```
//!
//! # Many parts on one stream
//!
//! ```no_run
#![doc = include_str!("../examples/stream.rs")]
//! ```
//!
//! # Uploads in parts
//!
//! ```no_run
#![doc = include_str!("../examples/multipart.rs")]
//! ```
//!
//! # Several servers, retries, time
//!
//! ```no_run
#![doc = include_str!("../examples/servers.rs")]
//! ```
#![forbid(unsafe_code)]

mod algorithm;
mod backend;
mod backoff;
mod batch;
mod bearer;
mod buffer;
mod builder;
mod call;
mod client;
mod deadline;
mod digest;
#[cfg(feature = "embedded")]
mod embedded;
mod endpoint;
mod error;
mod health;
mod multipart;
mod object;
mod outgoing;
mod part;
mod pool;
mod retry;
mod server;
mod server_call;
mod settings;
#[cfg(target_os = "linux")]
mod shared_memory;
#[cfg(not(target_os = "linux"))]
#[path = "no_shared_memory.rs"]
mod shared_memory;
mod source;
mod stream;
mod waiting_parts;
mod whole_parts;
mod wire_messages;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use buffer::Buffer;
pub use builder::{Builder, CONNECTIONS_MAX, MESSAGE_BYTES, MESSAGE_BYTES_MAX};
pub use client::{Client, ServerInfo};
pub use digest::{AlgorithmDigest, DIGEST_BYTES_MAX, Digest, NotHex};
pub use error::{Error, Result};
pub use multipart::{Multipart, Object};
pub use object::{ObjectDigest, ObjectParts};
pub use part::{Answer, Part};
pub use source::Source;
pub use stream::{DigestStream, PartStream, VerifyStream};
pub use tonic::Code;
pub use wire_messages::{
    DigestVerdict, Digesting, PartDigest, PartOptions, Rpc, Verdict, Verification, Verifying,
};
