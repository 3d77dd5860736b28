//! The client's errors, with the server's code, reason and message.

use std::error::Error as _;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hashlane_proto::v1;
use tonic::{Code, Status, TimeoutExpired};
use tonic_types::StatusExt as _;

/// The reason why a call was not answered. Cheap to clone: a stream's error goes to every part that
/// was open on it.
///
/// A mismatch is an answer, not an error: see [`crate::Verification`].
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The endpoint is not a URL that this client can use, or a setting of the builder is out of
    /// bounds.
    #[error("{0}")]
    Config(String),
    /// An argument that the server would refuse, found before anything was sent.
    #[error("{0}")]
    Argument(String),
    /// No connection could be made.
    #[error("cannot connect to {endpoint}: {message}{}", advise_connecting(.message))]
    Connect {
        /// The endpoint.
        endpoint: String,
        /// The innermost cause.
        message: String,
    },
    /// The connection was lost, or the stream was reset, before the answer.
    #[error("connection lost: {0}")]
    Transport(String),
    /// The server ended the call with a status.
    #[error("{message} ({}){}", describe(*.code, .reason), advise(*.code, .reason.as_deref()))]
    Rpc {
        /// The status code.
        code: Code,
        /// The reason from its `google.rpc.ErrorInfo`, if any.
        reason: Option<String>,
        /// The message for humans.
        message: String,
        /// When to retry, from the server's `google.rpc.RetryInfo`.
        retry_after: Option<Duration>,
    },
    /// The server answered this part with an error. The other parts of its
    /// stream go on.
    #[error(
        "{message} ({}){}",
        describe(*.code, &Some(.reason.clone())),
        advise(*.code, Some(.reason))
    )]
    Part {
        /// The error's code.
        code: Code,
        /// The reason in UPPER_SNAKE_CASE.
        reason: String,
        /// The message for humans.
        message: String,
    },
    /// The source could not be read. The call was cancelled, so the server never took the bytes
    /// before the fault as the whole part.
    #[error("cannot read the source: {0}")]
    Read(Arc<io::Error>),
    /// The call failed with an error that allows a retry, but the bytes of its source cannot be
    /// read again.
    #[error("{0}; the source cannot be read again: give bytes, a regular file, or Source::reopen")]
    NotRepeatable(Arc<Error>),
    /// The call was not answered within its timeout.
    #[error("no answer within {0:?}: allow more time, or send less")]
    Timeout(Duration),
    /// The server neither took a byte nor answered for this long.
    #[error("no progress for {0:?}")]
    Stalled(Duration),
    /// The call was cancelled on this side.
    #[error("cancelled")]
    Cancelled,
    /// The runtime in which the client was connected, or in which the part began, has ended. Its
    /// tasks kept the connections and took the answers. Connect a client in each runtime.
    #[error("the tokio runtime of the client has ended: connect another client in this runtime")]
    RuntimeEnded,
    /// The server's answer breaks the contract.
    #[error("the server broke the protocol: {0}")]
    Protocol(&'static str),
}

/// The crate's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The error as a gRPC status code.
    pub fn code(&self) -> Code {
        match self {
            Self::Config(_) | Self::Argument(_) => Code::InvalidArgument,
            Self::Connect { .. } | Self::Transport(_) => Code::Unavailable,
            Self::Rpc { code, .. } | Self::Part { code, .. } => *code,
            Self::Read(_) | Self::Cancelled => Code::Cancelled,
            Self::NotRepeatable(error) => error.code(),
            Self::Stalled(_) | Self::Timeout(_) => Code::DeadlineExceeded,
            Self::RuntimeEnded => Code::FailedPrecondition,
            Self::Protocol(_) => Code::Internal,
        }
    }

    /// The server's reason in UPPER_SNAKE_CASE, if any.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Rpc { reason, .. } => reason.as_deref(),
            Self::Part { reason, .. } => Some(reason),
            Self::NotRepeatable(error) => error.reason(),
            _ => None,
        }
    }

    /// How long the server asks to wait before a retry.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Rpc { retry_after, .. } => *retry_after,
            Self::NotRepeatable(error) => error.retry_after(),
            _ => None,
        }
    }

    /// Whether a later try or another server may succeed with the same bytes. The client has
    /// already retried if it had the bytes.
    pub fn is_retryable(&self) -> bool {
        // The server sends no delay for limits that a retry cannot change.
        self.is_unavailable()
            || self.is_idle()
            || self.reason() == Some("KERNEL_FAULT")
            || self.is_of_memory()
            || self.code() == Code::ResourceExhausted
                && self.retry_after().is_some_and(|delay| !delay.is_zero())
    }

    /// Whether the server made no progress. The same server would hold the next try up as long;
    /// another may succeed.
    pub(crate) fn is_stall(&self) -> bool {
        matches!(self, Self::Stalled(_))
    }

    /// Whether another server may succeed.
    pub(crate) fn is_of_server(&self) -> bool {
        match self {
            Self::Stalled(_) | Self::Timeout(_) => true,
            // Servers give a reason, so this status is the client's own timeout.
            Self::Rpc { reason: None, .. } if self.code() == Code::DeadlineExceeded => true,
            error => error.is_retryable() && !error.is_idle() && !error.is_of_memory(),
        }
    }

    /// Whether the server does not know the memory of the call. The next call has none.
    pub(crate) fn is_of_memory(&self) -> bool {
        self.reason() == Some("MEMORY_UNKNOWN")
    }

    /// Whether the server ended an idle call.
    fn is_idle(&self) -> bool {
        self.reason() == Some("STREAM_IDLE")
    }

    /// Whether a batch is beyond the server's limits.
    pub(crate) fn is_beyond_limits(&self) -> bool {
        matches!(self.reason(), Some("MESSAGE_TOO_LARGE" | "TOO_MANY_BLOBS"))
    }

    /// Whether the same call may succeed later or on another server: the
    /// connection failed, or the server is draining.
    pub fn is_unavailable(&self) -> bool {
        self.code() == Code::Unavailable
    }

    pub(crate) fn connect(endpoint: &str, error: &(dyn std::error::Error + 'static)) -> Self {
        Self::Connect {
            endpoint: endpoint.to_owned(),
            message: innermost(error),
        }
    }

    /// The same error, for a server that has never answered and so may not be a hashlane server.
    pub(crate) fn of_unheard(self) -> Self {
        match self {
            Self::Transport(message) if message.ends_with(NO_FRAME) => {
                Self::Transport(NOT_HTTP2.to_owned())
            }
            Self::Transport(message) => Self::Transport(format!("{message}{NOT_HASHLANE}")),
            error => error,
        }
    }

    /// Whether all that the server has answered so far was not HTTP/2. Another try there would fail.
    pub(crate) fn is_not_http2(&self) -> bool {
        matches!(self, Self::Transport(message) if message == NOT_HTTP2)
    }

    /// The server has not answered within the call timeout.
    pub(crate) fn unanswered() -> Self {
        Self::Rpc {
            code: Code::DeadlineExceeded,
            reason: None,
            message: "no answer within the time of the call".to_owned(),
            retry_after: None,
        }
    }

    pub(crate) fn of_status(status: &Status) -> Self {
        // A status from the server has no source. A status that tonic made for a broken connection
        // has the failure as its source, with any code: tonic ends a call that raced a GOAWAY with
        // CANCELLED, though no server has seen it.
        if status.source().is_some() {
            if is_timeout(status) {
                return Self::unanswered();
            }
            return Self::Transport(innermost(status));
        }
        if is_of_ended_runtime(status) {
            return Self::RuntimeEnded;
        }
        if is_cut(status) || is_of_proxy(status) {
            return Self::Transport(status.message().to_owned());
        }
        let details = status.get_error_details();
        Self::Rpc {
            code: status.code(),
            reason: details.error_info().map(|info| info.reason.clone()),
            message: if status.message().is_empty() {
                status.code().description().to_lowercase()
            } else {
                status.message().to_owned()
            },
            retry_after: details.retry_info().and_then(|info| info.retry_delay),
        }
    }

    pub(crate) fn of_part(error: v1::PartError) -> Self {
        Self::Part {
            code: Code::from(error.code),
            reason: error.reason,
            message: error.message,
        }
    }
}

/// Advice if the endpoint answers, but not like a hashlane server.
const NOT_HASHLANE: &str = ": nothing there answers as hashlane does: give the gRPC port of a server, with https:// if it \
     has TLS";

/// The end of h2's error if a server's first bytes, read as the length of a frame, are beyond any
/// bound, as those of TLS and of HTTP/1 are.
const NO_FRAME: &str = "connection error detected: frame with invalid size";

const NOT_HTTP2: &str = "the port does not speak HTTP/2 without TLS: give the gRPC port of a server, with https:// if \
     it has TLS";

/// Advice if the connection cannot be made.
fn advise_connecting(message: &str) -> &'static str {
    let has = |text| message.contains(text);
    if has("InvalidContentType") {
        ": the port has no TLS: use http:// and the gRPC port of a server"
    } else if has("tls handshake eof") {
        ": the port may have no TLS: use http:// if that is the server's gRPC port"
    } else if has("invalid peer certificate") {
        ": name the roots that the server's certificate leads to (ca)"
    } else if has("Connection refused") {
        ": start hashlane-server there, or give another URL"
    } else {
        ""
    }
}

/// `CODE` or `CODE, reason REASON`.
fn describe(code: Code, reason: &Option<String>) -> String {
    match reason.as_deref() {
        None | Some("") => format!("{code:?}"),
        Some(reason) => format!("{code:?}, {reason}"),
    }
}

/// Advice, if the message has none.
fn advise(code: Code, reason: Option<&str>) -> &'static str {
    match (reason, code) {
        (Some("DRAINING"), _) => ": try another server, or the same one later",
        (Some("SERVER_BUSY" | "QUOTA_EXCEEDED"), _) => ": try later, or send less at once",
        (Some("KERNEL_FAULT"), _) => ": send it again; if it fails again, to another server",
        (Some("STREAM_IDLE"), _) => ": open a call when there is data for it",
        (Some("SIZE_MISMATCH"), _) => ": the source changed or was cut, send the part again",
        (Some("PART_TOO_LARGE"), _) => ": send smaller parts",
        (Some("NO_EXPECTED_DIGEST"), _) => ": give an expected digest, or use digest",
        (None, Code::Unimplemented) => NOT_HASHLANE,
        (_, Code::Unauthenticated) => ": give a valid token, or a client certificate",
        _ => "",
    }
}

/// Whether tonic ended the call because its timeout had passed.
fn is_timeout(status: &Status) -> bool {
    let mut error = status.source();
    while let Some(source) = error {
        if source.is::<TimeoutExpired>() {
            return true;
        }
        error = source.source();
    }
    false
}

/// Whether the task that keeps the connection is gone, with its runtime. A connection that cannot be
/// made fails in the call instead. tonic has no other sign of it than its words.
fn is_of_ended_runtime(status: &Status) -> bool {
    status.code() == Code::Unknown
        && status.details().is_empty()
        && status.message().starts_with("Service was not ready")
}

/// Whether the stream ended without the trailers that have the server's status: a proxy that loses
/// its server in the middle of a call ends it so. tonic shows this in the message alone.
fn is_cut(status: &Status) -> bool {
    status.code() == Code::Unknown
        && status.details().is_empty()
        && status.message().contains("missing grpc-status trailer")
}

/// Whether a proxy answered with a page of its own, because it has no server now: gRPC counts the
/// HTTP statuses 502, 503 and 504 as UNAVAILABLE ("HTTP to gRPC Status Code Mapping"). tonic tries
/// to decode the page instead, and names the HTTP status in its words.
fn is_of_proxy(status: &Status) -> bool {
    const WORDS: &str = "while receiving response with status: ";
    let of_http = status.message().split_once(WORDS).map(|(_, rest)| rest);
    let is_away = |rest: &str| {
        ["502", "503", "504"]
            .iter()
            .any(|code| rest.starts_with(code))
    };
    status.details().is_empty() && of_http.is_some_and(is_away)
}

/// The last error of the chain: "transport error" alone does not name the cause.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use tonic_types::ErrorDetails;

    #[test]
    fn a_status_keeps_code_reason_message_and_delay() {
        let mut details = ErrorDetails::with_retry_info(Some(Duration::from_secs(3)));
        details.set_error_info("DRAINING", "hashlane", HashMap::new());
        let status = Status::with_error_details(Code::Unavailable, "draining", details);
        let error = Error::of_status(&status);
        assert_eq!(error.code(), Code::Unavailable);
        assert_eq!(error.reason(), Some("DRAINING"));
        assert!(error.is_unavailable());
        assert_eq!(
            error.to_string(),
            "draining (Unavailable, DRAINING): try another server, or the same one later"
        );
        let Error::Rpc { retry_after, .. } = error else {
            panic!("not an rpc error: {error:?}");
        };
        assert_eq!(retry_after, Some(Duration::from_secs(3)));
    }

    #[test]
    fn a_call_that_raced_a_goaway_may_be_tried_again() {
        let mut status = Status::cancelled("operation was canceled");
        status.set_source(Arc::new(io::Error::other("connection closed")));
        assert!(Error::of_status(&status).is_retryable());
        // A status from the server may not be retried.
        assert!(!Error::of_status(&Status::cancelled("")).is_retryable());
    }

    #[test]
    fn a_proxy_without_a_server_is_tried_again() {
        let page = |code| {
            let text = "protocol error: received message with invalid compression flag: 60 (valid \
                        flags are 0 and 1) while receiving response with status: ";
            Error::of_status(&Status::internal(format!("{text}{code}")))
        };
        assert!(page("503 Service Unavailable").is_unavailable());
        assert!(page("502 Bad Gateway").is_retryable());
        assert!(!page("400 Bad Request").is_retryable());
    }

    #[test]
    fn a_limit_may_be_tried_again_if_the_server_says_when() {
        let busy = |delay| {
            let details = ErrorDetails::with_retry_info(delay);
            let status = Status::with_error_details(Code::ResourceExhausted, "full", details);
            Error::of_status(&status)
        };
        assert!(busy(Some(Duration::from_secs(1))).is_retryable());
        assert!(!busy(Some(Duration::ZERO)).is_retryable());
        assert!(!busy(None).is_retryable());
    }

    #[test]
    fn what_a_server_is_at_fault_for_is_told_from_what_it_is_not() {
        let of = |code, reason: &str| {
            let details = ErrorDetails::with_error_info(reason, "hashlane", HashMap::new());
            Error::of_status(&Status::with_error_details(code, "", details))
        };
        let fault = of(Code::Internal, "KERNEL_FAULT");
        assert!(fault.is_retryable() && fault.is_of_server());
        let idle = of(Code::DeadlineExceeded, "STREAM_IDLE");
        assert!(idle.is_retryable() && !idle.is_of_server());
        let late = of(Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
        assert!(!late.is_retryable() && !late.is_of_server());
        for silent in [
            Error::Timeout(Duration::ZERO),
            Error::Stalled(Duration::ZERO),
            Error::of_status(&Status::deadline_exceeded("")),
        ] {
            assert!(!silent.is_retryable() && silent.is_of_server());
        }
    }

    #[test]
    fn a_bare_status_is_told_by_its_code() {
        let error = Error::of_status(&Status::new(Code::NotFound, ""));
        assert_eq!(error.reason(), None);
        assert!(error.to_string().ends_with("(NotFound)"), "{error}");
    }

    #[test]
    fn a_status_made_of_a_broken_connection_is_a_transport_error() {
        let mut status = Status::unknown("h2 protocol error");
        status.set_source(Arc::new(io::Error::other("broken pipe")));
        let error = Error::of_status(&status);
        assert!(
            matches!(&error, Error::Transport(m) if m == "broken pipe"),
            "{error:?}"
        );
        assert!(error.is_unavailable());
    }
}
