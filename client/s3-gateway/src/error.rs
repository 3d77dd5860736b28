//! What goes wrong, in S3's words.

use std::io;

use hashlane_client::{Code, Error};
use http::StatusCode;
use s3s::{S3Error, S3ErrorCode, StdError, s3_error};

/// A code that s3s does not know, with status 400.
pub fn custom(code: &'static str, message: &'static str) -> S3Error {
    let mut error = S3Error::with_message(S3ErrorCode::Custom(code.into()), message);
    error.set_status_code(StatusCode::BAD_REQUEST);
    error
}

/// hashlane gave no digest. Clients of S3 try again at a status of 5xx, and at RequestTimeout.
pub fn hashlane(error: Error) -> S3Error {
    match (error.reason(), error.code()) {
        // The body is shorter or longer than the request said.
        (Some("SIZE_MISMATCH"), _) => s3_error!(IncompleteBody),
        (Some("STREAM_IDLE" | "STREAM_TOO_SLOW"), _) => s3_error!(RequestTimeout),
        (_, Code::ResourceExhausted) => logged(&error, S3ErrorCode::SlowDown),
        (_, Code::Unavailable | Code::DeadlineExceeded) => {
            logged(&error, S3ErrorCode::ServiceUnavailable)
        }
        _ => logged(&error, S3ErrorCode::InternalError),
    }
}

/// The folder cannot be read or written.
pub fn io(error: io::Error) -> S3Error {
    logged(&error, S3ErrorCode::InternalError)
}

/// For the operator: the client learns the code alone.
fn logged(error: &dyn std::error::Error, code: S3ErrorCode) -> S3Error {
    eprintln!("hashlane-s3-gateway: {}: {error}", code.as_str());
    code.into()
}

/// The client's bytes ended early, or s3s refused them. s3s does not export the types of its
/// errors, so their text must tell them apart.
pub fn body(error: StdError) -> S3Error {
    let text = error.to_string();
    if text.contains("Sha256Mismatch") {
        return custom(
            "XAmzContentSHA256Mismatch",
            "The provided 'x-amz-content-sha256' header does not match what was computed.",
        );
    }
    if text.contains("SignatureMismatch") {
        return s3_error!(SignatureDoesNotMatch);
    }
    s3_error!(IncompleteBody)
}
