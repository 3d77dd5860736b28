//! The client on hyper: any RPC, with any number of parts, in a closed or an open loop.
//!
//! ```text
//! calls        streams as tasks: each opens calls and sends parts
//! multiplexed  many parts at once on one call
//! body         the request body of a call
//! connection   one HTTP/2 connection, and calls on it
//! ```

mod body;
mod calls;
mod connection;
mod multiplexed;

pub(crate) use body::{Streamed, streamed};
pub(super) use calls::connect;
pub(super) use connection::unix_path;
pub(crate) use connection::{Connection, status_text};
