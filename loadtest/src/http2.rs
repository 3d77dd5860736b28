//! As much of HTTP/2 (RFC 9113) as clients need that write their frames themselves.
//!
//! ```text
//! frame    heads of frames, their kinds and flags, error codes; frames out of received bytes
//! request  what opens a connection, and the header block that opens a call
//! ```
//!
//! Header blocks that arrive are passed over: their compression is not undone, so these
//! clients know an answer by its DATA and the end of a call by END_STREAM.

pub(crate) mod frame;
pub(crate) mod request;
