//! What goes wrong, in S3's words.

use std::io;

use hashlane_client::{Code, Error};
use http::StatusCode;
use s3s::{Body, HttpResponse, S3Error, S3ErrorCode, StdError, s3_error};

use crate::log;

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
    log::line(format_args!("{}: {error}", code.as_str()));
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

/// Adds S3's sentence to a response that has a code alone, as s3s writes it: SDKs show such a
/// response as "Unknown".
pub fn explain(mut response: HttpResponse) -> HttpResponse {
    if let Some(explained) = explained(&response) {
        *response.body_mut() = Body::from(explained);
    }
    response
}

fn explained(response: &HttpResponse) -> Option<String> {
    if response.status().is_success() {
        return None;
    }
    let xml = String::from_utf8(response.body().bytes()?.into()).ok()?;
    let (begin, end) = xml.split_once("</Code>")?;
    let (_, code) = begin.rsplit_once("<Code>")?;
    if end.starts_with("<Message>") {
        return None;
    }
    let message = sentence(code)?;
    Some(format!("{begin}</Code><Message>{message}</Message>{end}"))
}

/// "List of error codes" in the S3 API Reference. The last three are the gateway's own.
fn sentence(code: &str) -> Option<&'static str> {
    Some(match code {
        "BucketAlreadyOwnedByYou" => {
            "The bucket that you tried to create already exists, and you own it."
        }
        "BucketNotEmpty" => "The bucket that you tried to delete is not empty.",
        "EntityTooLarge" => "Your proposed upload exceeds the maximum allowed object size.",
        "EntityTooSmall" => "Your proposed upload is smaller than the minimum allowed object size.",
        "IncompleteBody" => {
            "You did not provide the number of bytes specified by the Content-Length HTTP header."
        }
        "InvalidAccessKeyId" => {
            "The AWS access key ID that you provided does not exist in our records."
        }
        "InvalidBucketName" => "The specified bucket is not valid.",
        "InvalidPart" => {
            "One or more of the specified parts could not be found. The part might not have been \
             uploaded, or the specified entity tag might not have matched the part's entity tag."
        }
        "InvalidPartOrder" => {
            "The list of parts was not in ascending order. The parts list must be specified in \
             order by part number."
        }
        "InvalidRange" => "The requested range is not satisfiable.",
        "InvalidURI" => "The specified URI couldn't be parsed.",
        "KeyTooLongError" => "Your key is too long.",
        "MalformedXML" => {
            "The XML that you provided was not well formed or did not validate against our \
             published schema."
        }
        "MethodNotAllowed" => "The specified method is not allowed against this resource.",
        "MissingContentLength" => "You must provide the Content-Length HTTP header.",
        "MissingRequestBodyError" => "The request body is empty.",
        "NoSuchBucket" => "The specified bucket does not exist.",
        "NoSuchKey" => "The specified key does not exist.",
        "NoSuchUpload" => {
            "The specified multipart upload does not exist. The upload ID might not be valid, or \
             the multipart upload might have been aborted or completed."
        }
        "NotImplemented" => {
            "A header that you provided implies functionality that is not implemented."
        }
        "PreconditionFailed" => {
            "At least one of the preconditions that you specified did not hold."
        }
        "RequestTimeout" => {
            "Your socket connection to the server was not read from or written to within the \
             timeout period."
        }
        "SignatureDoesNotMatch" => {
            "The request signature that the server calculated does not match the signature that \
             you provided. Check your AWS secret access key and signing method."
        }
        "InternalError" => "We encountered an internal error. The log of the gateway says more.",
        "ServiceUnavailable" => "hashlane cannot be reached. Please try again.",
        "SlowDown" => "hashlane has no room. Please reduce your request rate.",
        _ => return None,
    })
}
