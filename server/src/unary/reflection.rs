//! The services and types of reflection: the contract, health checking, and the details of
//! refusals.
//!
//! The details of a refusal have types that no method names. A client that knows the service only
//! by reflection, such as grpcurl, requests these types by name when it prints a refusal.

use prost::Message as _;
use prost_types::FileDescriptorSet;
use tonic_reflection::server::v1::{ServerReflection, ServerReflectionServer};

/// The folder from which other files import `google.rpc`.
const FOLDER: &str = "google/rpc/";

/// The reflection service.
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

/// The files of `google.rpc` and their imports, under their usual names: tonic's copies have no
/// folder.
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
