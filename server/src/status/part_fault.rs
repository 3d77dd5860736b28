//! Faults of one part, while its stream continues.

use hashlane_proto::v1::PartError;

use super::reason::Reason;

pub(super) const KERNEL_FAULT: &str = "what computes this digest gave a wrong answer on this CPU";

/// Why one part failed while its stream continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PartFault {
    reason: Reason,
    message: String,
}

impl PartFault {
    fn new(reason: &str, message: impl Into<String>) -> Self {
        Self {
            reason: Reason::of_part(reason),
            message: message.into(),
        }
    }

    /// The server or the connection accepts no more parts.
    pub(crate) fn draining() -> Self {
        let message = "no more parts are taken: the stream is about to end";
        Self::new("DRAINING", message)
    }

    /// A faulty kernel hashed the part, or would have hashed it.
    pub(crate) fn kernel_fault() -> Self {
        Self::new("KERNEL_FAULT", KERNEL_FAULT)
    }

    pub(crate) fn reason(&self) -> Reason {
        self.reason
    }

    /// The part's length differs from its declared length.
    pub(crate) fn size_mismatch(declared: u64, received: u64) -> Self {
        let message = if received > declared {
            format!("more bytes than the {declared} declared")
        } else {
            format!("ended after {received} of the {declared} bytes declared")
        };
        Self::new("SIZE_MISMATCH", message)
    }

    /// The part exceeds the limit.
    pub(crate) fn too_large(bytes_max: u64) -> Self {
        let message = format!("larger than the limit of {bytes_max} bytes");
        Self::new("PART_TOO_LARGE", message)
    }

    /// An expected digest of the wrong length; `message` names it.
    pub(crate) fn digest_length(message: String) -> Self {
        Self::new("DIGEST_LENGTH", message)
    }

    /// A part of Verify without an expected digest.
    pub(crate) fn no_expected_digest() -> Self {
        Self::new("NO_EXPECTED_DIGEST", "no expected digest was given")
    }
}

impl From<PartFault> for PartError {
    fn from(fault: PartFault) -> Self {
        Self {
            code: fault.reason.code().into(),
            reason: fault.reason.name().to_owned(),
            message: fault.message,
        }
    }
}
