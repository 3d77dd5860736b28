//! HTTP/2 connections: decides when to read, to run calls and to close. The crate hashlane-http2
//! speaks the protocol.
//!
//! ```text
//! socket ──> buffers ──> protocol ──> Connection ──> Calls::begin(request, Receive, Respond)
//!                          │             └─ a turn: read, run the calls, hash, write
//!                          └─ frames ──> Credit
//!
//! up    Receive: data with its window permit, end, gone; the connection's clock and turns
//! down  Respond: headers, data, trailers, reset; WindowPermit dropped: window given back
//! ```
//!
//! | file | |
//! |---|---|
//! | connection.rs | one future a connection: HTTP/2, its calls, its timers |
//! | link.rs | what a connection and its calls share: turns, when the socket is read, a clock |
//! | calls.rs | the running calls |
//! | body.rs | what has arrived on a stream |
//! | stream.rs | what a call sees: [`Receive`], [`Respond`] |
//! | flow.rs | flow control: how much the client may still send |
//! | credit.rs | charges frames that carry nothing useful |
//! | life.rs | when the server ends a connection: drain, age, idleness |
//! | ping.rs | keep-alive, and the window size that the line needs |
//! | preface.rs | tells HTTP/1.1 from HTTP/2 by a connection's first bytes |
//! | http1.rs | connections of HTTP/1.1 |
//!
//! Outside of this folder only metrics/counters.rs names that crate, for the kinds of frames.

mod body;
mod calls;
pub(crate) mod connection;
mod credit;
mod flow;
mod http1;
mod life;
mod link;
mod ping;
mod preface;
mod stream;

pub(crate) use hashlane_http2::{FrameKind, Request};

pub(crate) use self::body::Received;
pub(crate) use self::calls::Calls;
pub(crate) use self::connection::serve;
pub(crate) use self::flow::{StreamFlow, WindowPermit};
pub(crate) use self::link::Link;
pub(crate) use self::stream::{Gone, Receive, Respond};
