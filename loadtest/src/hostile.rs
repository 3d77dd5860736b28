//! Hostile clients: kinds of floods, and the thread that sends them.
//!
//! ```text
//! flood        the floods by name: a table
//! batch        the frames that a connection sends repeatedly
//! connection   a connection, which keeps the protocol's limits
//! thread       all connections of a flood
//! ```

use std::net::Ipv4Addr;

use serde_json::json;

use crate::report::Row;

mod batch;
mod connection;
mod flood;
mod thread;

pub(crate) use connection::Counts;
pub(crate) use flood::{Flood, SPINS};
pub(crate) use thread::Hostiles;

/// A flood by a number of connections from an address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Attack {
    pub(crate) flood: Flood,
    pub(crate) hostile: usize,
    pub(crate) from: Ipv4Addr,
}

impl Attack {
    pub(crate) fn row(&self) -> Row {
        Row::of(json!({
            "flood": self.flood.name,
            "hostile": self.hostile,
            "hostile_from": self.from,
        }))
    }
}
