//! The wire contract of hashlane, as Rust.
//!
//! `hashlane/v1/hash_service.proto` is the source; [`v1`] is generated from it
//! and checked in, so that building hashlane needs neither protoc nor a code
//! generator. `tests/generated.rs` regenerates both files with protox and fails
//! if what is checked in differs; `HASHLANE_REGENERATE=1 cargo test -p
//! hashlane-proto` writes them again.
#![forbid(unsafe_code)]

/// Package `hashlane.v1`: messages, client and server of `HashService`.
#[allow(missing_docs, clippy::all, unreachable_pub, rust_2018_idioms)]
pub mod v1 {
    include!("generated/hashlane.v1.rs");
}

/// The encoded `google.protobuf.FileDescriptorSet` of the contract with its
/// comments, for server reflection and for tools.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("generated/hashlane.v1.bin");
