//! Client of the hashlane hashing service.
//!
//! | | |
//! |---|---|
//! | [`Client`] | one call for each thing: digest or verify a source, a batch, an upload, server info |
//! | [`Source`] | where bytes come from, and whether they can be sent again |
//! | [`PartStream`], [`Part`], [`Answer`] | many parts at once on one stream |
//! | [`Multipart`], [`Object`] | an upload in parts, and S3's values of the whole |
//! | [`Builder`] | servers, connections, retries, timeouts, sizes: every bound is a setting |
//! | [`Error`] | code, reason and message of what went wrong, and whether to try again |
//! | [`Algorithm`], [`Digest`], [`AlgorithmDigest`] | names, lengths, digests and their hex |
//! | [`ObjectParts`], [`ObjectDigest`] | the same values from digests that are known |
//!
//! The way of a byte: source -> message of 64 KiB -> the call's bounded queue
//! -> one of a few HTTP/2 connections, each served by one worker of a server.
//!
//! ```text
//! client.rs    what can be asked; deadline.rs: for how long
//! whole.rs     a part from its first byte to its last; retry.rs: again
//! source.rs    where its bytes come from
//! stream.rs    many parts, on one call after the other
//! call.rs      one call, its parts, their answers; part.rs: one of them
//! rpc.rs       Digest and Verify on the wire, and whether an answer is one to what was asked
//! pool.rs      which server; server.rs: its connections; health.rs: whether it serves
//! endpoint.rs  names, addresses, connections; builder.rs: settings
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
mod bearer;
mod builder;
mod call;
mod client;
mod deadline;
mod digest;
mod endpoint;
mod error;
mod health;
mod multipart;
mod object;
mod part;
mod pool;
mod retry;
mod rpc;
mod server;
mod source;
mod stream;
mod whole;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use builder::{Builder, CONNECTIONS_MAX, MESSAGE_BYTES, MESSAGE_BYTES_MAX};
pub use client::{Client, ServerInfo};
pub use digest::{AlgorithmDigest, DIGEST_BYTES_MAX, Digest, NotHex};
pub use error::{Error, Result};
pub use multipart::{Multipart, Object};
pub use object::{ObjectDigest, ObjectParts};
pub use part::{Answer, Part};
pub use rpc::{
    DigestVerdict, Digesting, PartDigest, PartOptions, Rpc, Verdict, Verification, Verifying,
};
pub use source::Source;
pub use stream::{DigestStream, PartStream, VerifyStream};
pub use tonic::Code;
