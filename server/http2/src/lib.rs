//! HTTP/2 for servers (RFC 9113), without I/O: received bytes in, events and bytes to send out. No
//! sockets, no clock, no tasks.
//!
//! ```text
//! bytes ──> Connection::step ──> Step::Event: a request, a piece of its body, its end
//!             │ receive.rs   frame by frame; DATA piece by piece, without a copy
//!             │ hpack/       header blocks ──> request.rs
//!             v
//!           connection.rs    streams, windows, settings, GOAWAY
//!             ^
//! answers ────┘ send_headers, send_data, reset; open_window, ping, shut_down
//!             └──> Connection::output: bytes for the socket
//! ```
//!
//! | file | |
//! |---|---|
//! | frame.rs | heads of frames, and frames that this side sends |
//! | cursor.rs | how far the received bytes have been read |
//! | receive.rs | handles frames in received bytes, however they are split |
//! | connection.rs | the state of a connection; what this side sends |
//! | stream.rs | the state of a stream |
//! | request.rs | a request's head, and what makes it malformed |
//! | frame_counts.rs | counts of received frames |
//! | hpack/ | header compression (RFC 7541) |
//!
//! # Use
//!
//! Feed all received bytes to [`Connection::step`] until it returns [`Step::NeedMore`]. After an
//! error, send [`Connection::output`], which ends with GOAWAY, and close the socket. The caller
//! bounds what a peer may cost: it counts frames by [`Connection::take_seen`], reads no more while
//! too much output waits, and opens windows only for bytes that it has handled.
//!
//! # Why not h2
//!
//! The crate h2 copies each frame's payload into a buffer of its own, wakes a task for each frame,
//! and releases windows by rules of its own. A saturated server takes 1.2 times as much CPU time
//! with it (docs/measurements.md, Alternatives that were measured). h2 is the peer and the oracle
//! of the tests and fuzz targets.
#![forbid(unsafe_code)]

mod connection;
mod cursor;
pub mod frame;
mod frame_counts;
mod hpack;
mod receive;
mod request;
mod stream;

pub use self::connection::{Config, Connection, Event, Step};
pub use self::frame::Code;
pub use self::frame_counts::{FrameKind, SMALL_BYTES, Seen};
pub use self::request::Request;
