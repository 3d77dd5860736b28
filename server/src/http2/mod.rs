//! HTTP/2, over the h2 crate: events up, commands down.
//!
//! ```text
//! socket ──> Reader ──> h2 ──> Connection ──> Calls::begin(head, Receive, Respond)
//!              │ └─ Frames ──> Credit            │
//!              └─ Intake::poll_may_read          └─ a turn: read, run the calls, write
//!
//! up    Receive: data with its window permit, end, gone; the connection's clock and turns
//! down  Respond: headers, data, trailers, reset; WindowPermit dropped: window given back
//! ```
//!
//! | file | |
//! |---|---|
//! | connection.rs | one future a connection: HTTP/2, its calls, its timers |
//! | stream.rs | what a call sees: [`Receive`], [`Respond`], [`WindowPermit`] |
//! | reader.rs | hands h2 the socket's bytes as it costs least |
//! | frames.rs | where frames begin and end, and of what kind they are |
//! | intake.rs | whether the socket is read now |
//! | idle.rs | a client's silence, by the connection's clock |
//! | preface.rs | clients of HTTP/1 are told what this port speaks |
//! | credit.rs | frames that bring nothing |
//! | pace.rs | window that a client's rate holds back |
//! | updates.rs | windows that are given back together |
//! | life.rs | when a connection ends although its client goes on |
//! | quiet.rs | a turn is not woken by what it does itself |
//! | unsent.rs | answers that clients do not take |
//! | ping.rs | keep-alive, and how large a window the line needs |
//!
//! Nothing above this folder names h2, so another receive path could stand behind it.

pub(crate) mod connection;
mod credit;
pub(crate) mod frames;
mod idle;
pub(crate) mod intake;
mod life;
mod pace;
mod ping;
mod preface;
mod quiet;
pub(crate) mod reader;
mod stream;
mod unsent;
mod updates;

pub(crate) use self::connection::{Calls, Http2};
pub(crate) use self::frames::SMALL_BYTES;
pub(crate) use self::idle::Idle;
pub(crate) use self::intake::Intake;
pub(crate) use self::stream::{Gone, Receive, Received, Respond, WindowPermit};
pub(crate) use self::unsent::Waiting;
