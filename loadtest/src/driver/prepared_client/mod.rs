//! A client with a low cost per byte: it writes frames whose payloads were made at start-up.
//!
//! ```text
//! poll_loop   a thread: poll; of every connection: read, fill the outbox, write
//! connection  HTTP/2 as far as Digest needs it: windows, SETTINGS, PING, answers
//! outbox      frames waiting for the socket
//! ```

mod connection;
mod outbox;
mod poll_loop;

pub(super) use poll_loop::connect;
