//! Client of the hashlane hashing service.
//!
//! | | |
//! |---|---|
//! | [`Client`] | one call for each thing: digest or verify a reader, a batch, an upload, server info |
//! | [`PartStream`], [`Part`], [`Answer`] | many parts at once on one stream |
//! | [`Builder`] | connections, timeouts, sizes: every bound is a setting |
//! | [`Error`] | code, reason and message of what went wrong |
//! | [`Algorithm`], [`Digest`], [`AlgorithmDigest`] | names, lengths, digests and their hex |
//! | [`ObjectParts`], [`ObjectDigest`] | what S3 gives an object that was uploaded in parts |
//!
//! The way of a byte: reader -> message of 64 KiB -> the stream's bounded queue
//! -> one of a few HTTP/2 connections, each served by one worker of the server.
//!
//! ```no_run
//! use hashlane_client::{Algorithm, Client, PartOptions};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::connect("http://127.0.0.1:50051").await?;
//!
//! // A source is streamed, never loaded whole, and read once for all its digests.
//! let source = tokio::net::TcpStream::connect("127.0.0.1:9000").await?;
//! let answer = client.digest_reader(source, [Algorithm::Sha256, Algorithm::Md5]).await?;
//! for digest in &answer.digests {
//!     println!("{digest} of {} bytes", answer.size_bytes);
//! }
//!
//! // A mismatch is an answer, not an error.
//! let verification = client.verify_reader(&b"abc"[..], &answer.digests).await?;
//! assert!(!verification.is_match());
//!
//! // Many parts on one stream, interleaved; each is answered when it ends.
//! let stream = client.open_stream();
//! let mut first = stream.part(PartOptions::default()).await?;
//! let mut second = stream.part(PartOptions::of_size(3)).await?;
//! first.write("a").await?;
//! second.write("abc").await?;
//! let second = second.finish();
//! first.write("bc").await?;
//! let first = first.finish();
//! assert_eq!(first.await?.digests, second.await?.digests);
//! stream.finish().await?;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod algorithm;
mod bearer;
mod builder;
mod call;
mod client;
mod digest;
mod error;
mod object;
mod part;
mod pool;
mod rpc;
mod stream;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use builder::{Builder, CONNECTIONS_MAX, MESSAGE_BYTES, MESSAGE_BYTES_MAX};
pub use client::{Client, ServerInfo};
pub use digest::{AlgorithmDigest, DIGEST_BYTES_MAX, Digest, NotHex};
pub use error::{Error, Result};
pub use object::{ObjectDigest, ObjectParts};
pub use part::{Answer, Part};
pub use rpc::{
    DigestVerdict, Digesting, PartDigest, PartOptions, Rpc, Verdict, Verification, Verifying,
};
pub use stream::{DigestStream, PartStream, VerifyStream};
pub use tonic::Code;

// The examples of the README are compiled with the documentation's.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
