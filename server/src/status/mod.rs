//! Refusals: `google.rpc.Status` with the details that clients act on.
//!
//! Every status of the service is made in refusals.rs, so each has an ErrorInfo with domain
//! `hashlane` and a reason, and no message repeats bytes from a client. part_error.rs has the errors
//! of single parts, reason.rs the reasons of both. log.rs decides which refusals are logged.

mod log;
pub(crate) mod part_error;
mod reason;
mod refusals;

pub(crate) use self::log::RefusalLog;
pub(crate) use self::reason::Reason;
pub(crate) use self::refusals::{
    answers_not_taken, body_gone, compressed, credentials_invalid, credentials_missing, deadline,
    draining, from_tonic, from_wire, invalid, kernel_fault, limit, malformed, memory_range,
    memory_unknown, no_room, no_such_method, no_unary_bytes, rate_exceeded, stream_idle,
    stream_slow, trailers,
};
