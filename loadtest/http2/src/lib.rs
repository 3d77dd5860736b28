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
    Head, call, data_of, frame, frames, number_at, priority, reset, settings, settings_of,
    window_update,
};
pub use opening::{PREFACE, closed_preface, opening, preface};
pub use received::Received;

/// Bytes of a frame's head.
pub const HEAD_BYTES: usize = 9;

/// The largest payload that a peer accepts by default (SETTINGS_MAX_FRAME_SIZE).
pub const PAYLOAD_BYTES_DEFAULT: usize = 16_384;

/// Any flow-control window before a peer changes it (RFC 9113 section 6.9.2).
pub const WINDOW_BYTES_DEFAULT: u32 = 65_535;

/// The largest window (section 6.9.1).
pub const WINDOW_BYTES_MAX: u32 = (1 << 31) - 1;

/// The largest stream number.
pub const STREAM_MAX: u32 = (1 << 31) - 1;

/// Types of frames (RFC 9113 section 6).
#[expect(missing_docs, reason = "the names are the RFC's")]
pub mod kind {
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const PRIORITY: u8 = 2;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PUSH_PROMISE: u8 = 5;
    pub const PING: u8 = 6;
    pub const GOAWAY: u8 = 7;
    pub const WINDOW_UPDATE: u8 = 8;
    pub const CONTINUATION: u8 = 9;
}

/// Flags of frames. ACK is of SETTINGS and PING, END_STREAM of DATA and HEADERS: the same bit.
#[expect(missing_docs, reason = "the names are the RFC's")]
pub mod flag {
    pub const ACK: u8 = 1;
    pub const END_STREAM: u8 = 1;
    pub const END_HEADERS: u8 = 4;
    pub const PADDED: u8 = 8;
}

/// Numbers of settings (RFC 9113 section 6.5.2).
#[expect(missing_docs, reason = "the names are the RFC's")]
pub mod setting {
    pub const INITIAL_WINDOW_SIZE: u16 = 4;
    pub const MAX_FRAME_SIZE: u16 = 5;
}

/// Error codes: why a stream or a connection ends (RFC 9113 section 7).
#[expect(missing_docs, reason = "the names are the RFC's")]
pub mod error {
    pub const PROTOCOL_ERROR: u32 = 1;
    pub const FLOW_CONTROL_ERROR: u32 = 3;
    pub const REFUSED_STREAM: u32 = 7;
    pub const CANCEL: u32 = 8;
    pub const COMPRESSION_ERROR: u32 = 9;
    pub const ENHANCE_YOUR_CALM: u32 = 11;

    /// All codes by number.
    const NAMES: [&str; 14] = [
        "NO_ERROR",
        "PROTOCOL_ERROR",
        "INTERNAL_ERROR",
        "FLOW_CONTROL_ERROR",
        "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
        "FRAME_SIZE_ERROR",
        "REFUSED_STREAM",
        "CANCEL",
        "COMPRESSION_ERROR",
        "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY",
        "HTTP_1_1_REQUIRED",
    ];

    /// The name of an error code.
    #[must_use]
    pub fn name(code: u32) -> &'static str {
        let name = usize::try_from(code).ok().and_then(|code| NAMES.get(code));
        name.copied().unwrap_or("unknown")
    }
}
