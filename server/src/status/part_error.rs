//! Errors of one part, while its stream continues.

use hashlane_proto::v1::PartError;

use super::reason::Reason;

pub(super) const KERNEL_FAULT: &str = "what computes this digest gave a wrong answer on this CPU";

fn error(reason: &str, message: impl Into<String>) -> PartError {
    let reason = Reason::named(reason);
    PartError {
        code: reason.code().into(),
        reason: reason.name().to_owned(),
        message: message.into(),
    }
}

/// The server or the connection accepts no more parts.
pub(crate) fn draining() -> PartError {
    let message = "no more parts are taken: the stream is about to end";
    error("DRAINING", message)
}

/// A faulty kernel hashed the part, or would have hashed it.
pub(crate) fn kernel_fault() -> PartError {
    error("KERNEL_FAULT", KERNEL_FAULT)
}

/// The part's length differs from its declared length.
pub(crate) fn size_mismatch(declared: u64, received: u64) -> PartError {
    let message = if received > declared {
        format!("more bytes than the {declared} declared")
    } else {
        format!("ended after {received} of the {declared} bytes declared")
    };
    error("SIZE_MISMATCH", message)
}

/// The part exceeds the limit.
pub(crate) fn too_large(bytes_max: u64) -> PartError {
    let message = format!("larger than the limit of {bytes_max} bytes");
    error("PART_TOO_LARGE", message)
}

/// An expected digest of the wrong length; `message` names it.
pub(crate) fn digest_length(message: String) -> PartError {
    error("DIGEST_LENGTH", message)
}

/// A part of Verify without an expected digest.
pub(crate) fn no_expected_digest() -> PartError {
    error("NO_EXPECTED_DIGEST", "no expected digest was given")
}
