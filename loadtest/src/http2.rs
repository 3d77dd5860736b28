//! The part of HTTP/2 (RFC 9113) for clients that write their own frames.
//!
//! ```text
//! frame    frame heads, types, flags and error codes; parses received frames
//! request  the connection preface, and the header block of a call
//! ```
//! Received header blocks are skipped without decompression, so these clients recognize an answer
//! by its DATA and the end of a call by END_STREAM.
//! clients know an answer by its DATA and the end of a call by END_STREAM.

pub(crate) mod frame;
pub(crate) mod request;
