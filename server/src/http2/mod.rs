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
//! | stream.rs | what a call sees: [`Receive`], [`Respond`] |
//! | flow.rs | flow control: how much the client may still send |
//! | reader.rs | reads the socket for h2 at the lowest cost |
//! | frames.rs | finds frame boundaries and frame kinds |
//! | intake.rs | decides whether the socket is read now |
//! | preface.rs | tells HTTP/1 clients which protocol this port speaks |
//! | credit.rs | charges frames that carry nothing useful |
//! | life.rs | when the server ends a connection: drain, age, idleness |
//! | quiet.rs | a turn does not wake itself |
//! | unsent.rs | answers that clients do not read |
//! | ping.rs | keep-alive, and the window size that the line needs |
//!
//! Nothing above this folder names h2, so another receive path could stand behind it.

pub(crate) mod connection;
mod credit;
mod flow;
pub(crate) mod frames;
pub(crate) mod intake;
mod life;
mod ping;
mod preface;
mod quiet;
pub(crate) mod reader;
mod stream;
mod unsent;

pub(crate) use self::connection::{Calls, Http2};
pub(crate) use self::flow::{StreamFlow, WindowPermit};
pub(crate) use self::frames::SMALL_BYTES;
pub(crate) use self::intake::Intake;
pub(crate) use self::stream::{Gone, Receive, Received, Respond};
pub(crate) use self::unsent::Waiting;
