//! Errors with the codes and reasons that a server gives.

use hashlane_engine::Stopped;
use tonic::Code;

use crate::error::Error;

/// The part's length differs from its declared length.
pub(super) fn size_mismatch(declared: u64, received: u64) -> Error {
    let message = if received > declared {
        format!("more bytes than the {declared} declared")
    } else {
        format!("ended after {received} of the {declared} bytes declared")
    };
    Error::Part {
        code: Code::InvalidArgument,
        reason: "SIZE_MISMATCH".to_owned(),
        message,
    }
}

/// A part has no digest.
pub(super) fn stopped(stopped: Stopped) -> Error {
    match stopped {
        Stopped::KernelFault(_) => Error::Part {
            code: Code::Internal,
            reason: "KERNEL_FAULT".to_owned(),
            message: stopped.to_string(),
        },
        // On a server this ends the connection. Here no other try can succeed.
        stopped => Error::Rpc {
            code: Code::Internal,
            reason: None,
            message: stopped.to_string(),
            retry_after: None,
        },
    }
}

/// A request is refused.
pub(super) fn invalid(reason: &str, message: String) -> Error {
    Error::Rpc {
        code: Code::InvalidArgument,
        reason: Some(reason.to_owned()),
        message,
        retry_after: None,
    }
}
