//! Refusals of calls: a function for each, with its reason, code and message.

use std::collections::HashMap;
use std::time::Duration;

use http::{HeaderMap, HeaderValue};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use super::part_error::KERNEL_FAULT;
use super::reason::Reason;
use crate::decode::WireError;
use crate::limiter::Budget;
use crate::words::Words as _;

const DOMAIN: &str = "hashlane";

/// Retry delay for clients, here or at another server.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The longest delay for a client that exceeds its rate.
const RATE_RETRY_DELAY_MAX: Duration = Duration::from_secs(60);

/// A status with an ErrorInfo, and the code of its reason.
fn status(reason: Reason, message: impl Into<String>) -> Status {
    detailed(reason, message, |_, _| {})
}

/// The same with more details, which `add` makes of the message.
fn detailed(
    reason: Reason,
    message: impl Into<String>,
    add: impl FnOnce(&mut ErrorDetails, &str),
) -> Status {
    let message = message.into();
    let mut details = ErrorDetails::with_error_info(reason.word(), DOMAIN, HashMap::new());
    add(&mut details, &message);
    Status::with_error_details(reason.code(), message, details)
}

/// INVALID_ARGUMENT for one field of the request.
pub(crate) fn invalid(field: &str, reason: Reason, message: impl Into<String>) -> Status {
    detailed(reason, message, |details, message| {
        details.add_bad_request_violation(field, message);
    })
}

/// RESOURCE_EXHAUSTED: the client passed a limit of GetServerInfo.
pub(crate) fn limit(reason: Reason, message: impl Into<String>) -> Status {
    status(reason, message)
}

/// RESOURCE_EXHAUSTED: all clients together exceeded a limit; the client should retry later.
fn busy(reason: Reason, message: impl Into<String>) -> Status {
    detailed(reason, message, |details, _| {
        details.set_retry_info(Some(RETRY_DELAY));
    })
}

/// RESOURCE_EXHAUSTED: neither the client's `share` nor its parent budget has room for `amount`
/// more. `setting` bounds both; `what` names the resource.
pub(crate) fn no_room(share: &Budget, amount: usize, setting: &str, what: &str) -> Status {
    if !share.is_own_limit(amount) {
        return busy(
            Reason::ServerBusy,
            format!("the server has as many {what} as it may"),
        );
    }
    let message = format!("the client has as many {what} as it may: {}", share.max());
    quota_exceeded(setting, message, RETRY_DELAY)
}

/// The same for the `bytes` of a unary call.
pub(crate) fn no_unary_bytes(share: &Budget, bytes: usize) -> Status {
    no_room(share, bytes, "unary_bytes_max", "bytes of messages")
}

/// RESOURCE_EXHAUSTED: the client's calls already wait too long for its rate.
pub(crate) fn rate_exceeded(wait: Duration) -> Status {
    let message = "the client's calls wait for its bytes a second already";
    // A bound, so that a client learns of a new rate soon.
    let delay = wait.min(RATE_RETRY_DELAY_MAX);
    quota_exceeded("bytes_per_second", message.to_owned(), delay)
}

fn quota_exceeded(quota: &str, message: String, retry_delay: Duration) -> Status {
    detailed(Reason::QuotaExceeded, message, |details, message| {
        details.add_quota_failure_violation(format!("client:{quota}"), message);
        details.set_retry_info(Some(retry_delay));
    })
}

/// UNAUTHENTICATED: the call has no credentials, but needs them.
pub(crate) fn credentials_missing() -> Status {
    let message = "a bearer token is needed, or a client certificate with a URI, DNS name or \
                   address of mail";
    status(Reason::CredentialsMissing, message)
}

/// UNAUTHENTICATED: the credentials are wrong.
pub(crate) fn credentials_invalid(message: &str) -> Status {
    status(Reason::CredentialsInvalid, message)
}

/// UNAVAILABLE: the server is shutting down.
pub(crate) fn draining() -> Status {
    busy(Reason::Draining, "server is draining")
}

/// INTERNAL: no digest, because a kernel computes wrong results.
pub(crate) fn kernel_fault() -> Status {
    status(Reason::KernelFault, KERNEL_FAULT)
}

/// DEADLINE_EXCEEDED: the client sends nothing.
pub(crate) fn stream_idle(timeout: Duration) -> Status {
    let timeout = humantime::format_duration(timeout);
    status(
        Reason::StreamIdle,
        format!("nothing was received for {timeout}"),
    )
}

/// DEADLINE_EXCEEDED: the client sends more slowly than allowed.
pub(crate) fn stream_slow(bytes_per_second_min: u64, window: Duration) -> Status {
    let window = humantime::format_duration(window);
    let least = format!("less than {bytes_per_second_min} bytes a second over {window}");
    status(Reason::StreamTooSlow, format!("open parts brought {least}"))
}

/// DEADLINE_EXCEEDED: the client read no answer. Only counted, because no status can reach such a
/// client.
pub(crate) fn answers_not_taken(timeout: Duration) -> Status {
    let timeout = humantime::format_duration(timeout);
    status(
        Reason::AnswersNotTaken,
        format!("no answer was taken for {timeout}"),
    )
}

/// DEADLINE_EXCEEDED: the client's `grpc-timeout`.
pub(crate) fn deadline() -> Status {
    status(Reason::DeadlineExceeded, "the call's deadline passed")
}

/// CANCELLED: the client is gone and does not see this.
fn client_gone() -> Status {
    status(Reason::ClientGone, "the client went away")
}

/// The same for tonic, which treats CANCELLED from a request body as its orderly end and would
/// half-close a stream whose client is gone.
pub(crate) fn body_gone() -> Status {
    Status::aborted("the client went away")
}

/// UNIMPLEMENTED: compressed messages.
pub(crate) fn compressed() -> Status {
    let mut status = status(Reason::Compressed, "compressed messages are not supported");
    status.metadata_mut().insert(
        "grpc-accept-encoding",
        tonic::metadata::MetadataValue::from_static("identity"),
    );
    status
}

/// UNIMPLEMENTED: no such method.
pub(crate) fn no_such_method() -> Status {
    status(Reason::NoSuchMethod, "there is no such method")
}

/// FAILED_PRECONDITION: a call names shared memory that its client does not have, or none.
pub(crate) fn memory_unknown() -> Status {
    status(
        Reason::MemoryUnknown,
        "the client of this connection has no such shared memory",
    )
}

/// INVALID_ARGUMENT: a range of shared memory that cannot be read.
pub(crate) fn memory_range(message: impl Into<String>) -> Status {
    invalid("memory", Reason::MemoryRange, message)
}

/// INVALID_ARGUMENT: bytes that do not decode as the message.
pub(crate) fn malformed(message: impl Into<String>) -> Status {
    status(Reason::MalformedMessage, message)
}

/// RESOURCE_EXHAUSTED: one message is too large.
pub(crate) fn message_too_large(bytes_max: usize) -> Status {
    limit(
        Reason::MessageTooLarge,
        format!("a message is larger than the limit of {bytes_max} bytes"),
    )
}

/// The status for a refused byte stream.
pub(crate) fn from_wire(error: &WireError) -> Status {
    match error {
        WireError::Compressed => compressed(),
        WireError::MessageTooLarge {
            message_bytes_max, ..
        } => message_too_large(*message_bytes_max),
        WireError::HeadTooLarge { .. } => limit(Reason::MessageHeadTooLarge, error.to_string()),
        WireError::RepeatedData => invalid("data", Reason::MalformedMessage, error.to_string()),
        WireError::NoRoomToHold => busy(Reason::OutOfOrderDataLimit, error.to_string()),
        WireError::Malformed(_) | WireError::Truncated => malformed(error.to_string()),
    }
}

/// Converts refusals of tonic to the contract's statuses: tonic uses OUT_OF_RANGE for large
/// messages and INTERNAL for malformed and for compressed ones. `None` if the status is already
/// ours.
pub(crate) fn from_tonic(status: &Status, message_bytes_max: usize) -> Option<Status> {
    if !status.details().is_empty() {
        return None; // Ours, with its reason.
    }
    match status.code() {
        Code::OutOfRange => Some(message_too_large(message_bytes_max)),
        // Only its message identifies this error; a test checks it.
        Code::Internal if status.message().contains("compressed-flag") => Some(compressed()),
        Code::Internal => Some(malformed("malformed message")),
        // Only `body_gone` uses this code.
        Code::Aborted => Some(client_gone()),
        _ => None,
    }
}

/// A status as trailers.
pub(crate) fn trailers(status: &Status) -> HeaderMap {
    let mut map = HeaderMap::with_capacity(3);
    if status.add_header(&mut map).is_err() {
        // Only for a message that does not fit into a header.
        map.clear();
        map.insert("grpc-status", HeaderValue::from(i32::from(status.code())));
    }
    map
}
