//! Hostile clients: kinds of floods, and the thread that sends them.
//!
//! ```text
//! flood    one kind of flood
//! kind     the floods by name; holds, resets, work: more of them
//! batch    the frames that a connection sends repeatedly
//! thread   the connections
//! ```

use std::net::Ipv4Addr;

mod batch;
mod flood;
mod holds;
mod kind;
mod resets;
mod thread;
mod work;

pub use flood::Flood;
pub(crate) use kind::SPINS;
pub(crate) use thread::{Counts, Hostiles};

/// A flood by a number of connections from an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attack {
    pub(crate) flood: Flood,
    pub(crate) hostile: usize,
    pub(crate) from: Ipv4Addr,
}
