//! What reflection knows: the contract, health checking, and what refusals are made of.
//!
//! A refusal's details are of types that no method names, so a client that learns of
//! the service by reflection alone, such as grpcurl, asks for them by name when it
//! prints one.

use prost::Message as _;
use prost_types::FileDescriptorSet;
use tonic_reflection::server::v1::{ServerReflection, ServerReflectionServer};

/// Where others import the files of `google.rpc` from.
const FOLDER: &str = "google/rpc/";

/// The service.
///
/// # Errors
/// A descriptor that cannot be read.
pub(crate) fn service() -> Result<ServerReflectionServer<impl ServerReflection>, String> {
    let error = |error: &dyn std::fmt::Display| format!("could not build reflection: {error}");
    let details = details().map_err(|e| error(&e))?;
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(hashlane_proto::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .register_file_descriptor_set(details)
        .build_v1()
        .map_err(|e| error(&e))
}

/// The files of `google.rpc`, and those they import, under their usual names:
/// tonic's have no folder.
fn details() -> Result<FileDescriptorSet, prost::DecodeError> {
    let mut files = FileDescriptorSet::decode(tonic_types::pb::FILE_DESCRIPTOR_SET)?;
    for file in &mut files.file {
        if let Some(name) = file.name.take() {
            let folder = if name.contains('/') { "" } else { FOLDER };
            file.name = Some(format!("{folder}{name}"));
        }
    }
    Ok(files)
}
