//! Errors with S3's codes and messages.

use std::io;

use hashlane_client::{Code, Error};
use http::StatusCode;
use s3s::{S3Error, S3ErrorCode, StdError, s3_error};

use crate::auth::REGION;
use crate::log;

/// An error with a code that s3s does not know, and status 400.
pub fn custom(code: &'static str, message: &'static str) -> S3Error {
    let mut error = S3Error::with_message(S3ErrorCode::Custom(code.into()), message);
    error.set_status_code(StatusCode::BAD_REQUEST);
    error
}

/// The error when hashlane gave no digest. S3 clients retry after a 5xx status and after
/// RequestTimeout.
pub fn hashlane(error: Error) -> S3Error {
    match (error.reason(), error.code()) {
        // The body is shorter or longer than announced.
        (Some("SIZE_MISMATCH"), _) => s3_error!(IncompleteBody),
        (Some("STREAM_IDLE" | "STREAM_TOO_SLOW"), _) => s3_error!(RequestTimeout),
        (_, Code::ResourceExhausted) => logged(&error, S3ErrorCode::SlowDown),
        (_, Code::Unavailable | Code::DeadlineExceeded) => {
            logged(&error, S3ErrorCode::ServiceUnavailable)
        }
        _ => logged(&error, S3ErrorCode::InternalError),
    }
}

/// The error when the folder cannot be read or written.
pub fn io(error: io::Error) -> S3Error {
    logged(&error, S3ErrorCode::InternalError)
}

/// The error for a fault that is already logged.
pub fn internal() -> S3Error {
    S3ErrorCode::InternalError.into()
}

/// Logs the error for the operator; the client gets only the code.
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

/// Adds the request's ID to an error that s3s wrote. If the error has only a code, also adds S3's
/// message: SDKs show an error without one as "Unknown".
pub fn explain(xml: String, id: &str) -> String {
    let xml = of_region(&xml).unwrap_or(xml);
    let Some((begin, end)) = xml.split_once("</Code>") else {
        return xml;
    };
    let code = begin.rsplit_once("<Code>").map(|(_, code)| code);
    let sentence = code
        .and_then(sentence)
        .filter(|_| !end.starts_with("<Message>"));
    let message = sentence.map(|sentence| format!("<Message>{sentence}</Message>"));
    let message = message.unwrap_or_default();
    let end = end.replace(
        "</Error>",
        &format!("<RequestId>{id}</RequestId><HostId>{id}</HostId></Error>"),
    );
    format!("{begin}</Code>{message}{end}")
}

/// s3s refuses a region with capital letters, such as s3cmd's "US". S3 answers with the correct
/// region, and s3cmd retries with it.
fn of_region(xml: &str) -> Option<String> {
    let (_, wrong) = xml.split_once("invalid credential region: invalid region: ")?;
    let (wrong, _) = wrong.split_once("</Message>")?;
    let wrong = wrong.replace("&quot;", "");
    Some(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error>\
         <Code>AuthorizationHeaderMalformed</Code><Message>The authorization header is malformed; \
         the region '{wrong}' is wrong; expecting '{REGION}'</Message><Region>{REGION}</Region>\
         </Error>"
    ))
}

/// S3's message for an error in a list of errors.
pub fn message(error: &S3Error) -> Option<String> {
    let message = error.message().or_else(|| sentence(error.code().as_str()));
    message.map(str::to_owned)
}

/// From "List of error codes" in the S3 API Reference. The last three are the gateway's own.
fn sentence(code: &str) -> Option<&'static str> {
    Some(match code {
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
        "NoSuchVersion" => "The specified version does not exist.",
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
