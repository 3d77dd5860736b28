//! HTTP/2 frame by frame (RFC 9113), for clients that write their frames themselves: the load
//! generator, the server's tests and its fuzz targets. They send what no HTTP/2 library would.
//!
//! ```text
//! frame      heads of frames; whole frames
//! received   frames out of received bytes
//! opening    what opens a connection
//! fields     header blocks
//! ```
//!
//! Header blocks that arrive are not decoded: these clients recognise an answer by its DATA, and
//! the end of a call by END_STREAM.

mod fields;
mod frame;
mod opening;
mod received;

pub use fields::{call_headers, literal};
pub use frame::{
    call, data_of, frame, frames, number_at, priority, reset, settings, settings_of, window_update,
};
pub use hashlane_http2::frame::{
    HEAD_BYTES, Head, PAYLOAD_BYTES_DEFAULT, PREFACE, STREAM_MAX, WINDOW_BYTES_DEFAULT,
    WINDOW_BYTES_MAX, flag, kind, setting,
};
pub use opening::{closed_preface, opening, preface};
pub use received::Received;

/// Error codes as numbers.
#[expect(missing_docs, reason = "the names are the RFC's")]
pub mod error {
    use hashlane_http2::Code;

    pub const NO_ERROR: u32 = Code::NO_ERROR.0;
    pub const PROTOCOL_ERROR: u32 = Code::PROTOCOL_ERROR.0;
    pub const FLOW_CONTROL_ERROR: u32 = Code::FLOW_CONTROL_ERROR.0;
    pub const STREAM_CLOSED: u32 = Code::STREAM_CLOSED.0;
    pub const FRAME_SIZE_ERROR: u32 = Code::FRAME_SIZE_ERROR.0;
    pub const REFUSED_STREAM: u32 = Code::REFUSED_STREAM.0;
    pub const CANCEL: u32 = Code::CANCEL.0;
    pub const COMPRESSION_ERROR: u32 = Code::COMPRESSION_ERROR.0;
    pub const ENHANCE_YOUR_CALM: u32 = Code::ENHANCE_YOUR_CALM.0;

    /// The name of an error code.
    #[must_use]
    pub fn name(code: u32) -> &'static str {
        Code(code).name()
    }
}
