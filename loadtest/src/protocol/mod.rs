//! What all connections share.
//!
//! ```text
//! grpc  paths of methods, and the prefix of a message
//! tls   trusted roots, a certificate for a comparison, a connection without a runtime
//! ```

pub(crate) mod grpc;
pub(crate) mod tls;
