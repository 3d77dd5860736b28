//! Errors of one part, while its stream continues.

use hashlane_proto::v1::PartError;

use super::reason::Reason;
use crate::words::Words as _;

pub(super) const KERNEL_FAULT: &str = "what computes this digest gave a wrong answer on this CPU";

/// Why a part fails.
#[derive(Debug)]
pub(crate) struct PartFault {
    pub(crate) reason: Reason,
    message: String,
}

impl From<PartFault> for PartError {
    fn from(PartFault { reason, message }: PartFault) -> Self {
        Self {
            code: reason.code().into(),
            reason: reason.word().to_owned(),
            message,
        }
    }
}

fn fault(reason: Reason, message: impl Into<String>) -> PartFault {
    debug_assert!(Reason::OF_PARTS.contains(&reason), "{reason:?}");
    PartFault {
        reason,
        message: message.into(),
    }
}

/// The server or the connection accepts no more parts.
pub(crate) fn draining() -> PartFault {
    let message = "no more parts are taken: the stream is about to end";
    fault(Reason::Draining, message)
}

/// A faulty kernel hashed the part, or would have hashed it.
pub(crate) fn kernel_fault() -> PartFault {
    fault(Reason::KernelFault, KERNEL_FAULT)
}

/// The part's length differs from its declared length.
pub(crate) fn size_mismatch(declared: u64, received: u64) -> PartFault {
    let message = if received > declared {
        format!("more bytes than the {declared} declared")
    } else {
        format!("ended after {received} of the {declared} bytes declared")
    };
    fault(Reason::SizeMismatch, message)
}

/// The part exceeds the limit.
pub(crate) fn too_large(bytes_max: u64) -> PartFault {
    let message = format!("larger than the limit of {bytes_max} bytes");
    fault(Reason::PartTooLarge, message)
}

/// An expected digest of the wrong length; `message` names it.
pub(crate) fn digest_length(message: String) -> PartFault {
    fault(Reason::DigestLength, message)
}

/// A part of Verify without an expected digest.
pub(crate) fn no_expected_digest() -> PartFault {
    fault(Reason::NoExpectedDigest, "no expected digest was given")
}
