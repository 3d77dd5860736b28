//! Clients that disturb others: slow streams, and floods of frames.
//!
//! ```text
//! disturb      the subcommand: an honest load with and without them
//! slow         streams that drip or stay silent
//! flood        an honest client before and during a flood; flood/alone.rs: the subcommand `flood`
//! kinds        the floods by name: a table
//! batch        the frames that a connection sends repeatedly
//! connection   a hostile connection, which keeps the protocol's limits
//! thread       all connections of a flood
//! ```

use std::net::Ipv4Addr;

use serde_json::json;

use crate::report::Row;

mod batch;
mod connection;
mod disturb;
mod flood;
mod kinds;
mod slow;
mod thread;

pub(crate) use connection::Counts;
pub use disturb::disturb;
pub use flood::flood_alone;
pub(crate) use kinds::{Flood, SPINS};
pub(crate) use slow::{Disturbance, Disturber};
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
