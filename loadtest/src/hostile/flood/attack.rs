//! A flood by a number of connections from an address.

use std::net::Ipv4Addr;

use serde_json::json;

use super::catalogue::Flood;
use crate::results::Row;

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
            "flood": self.flood,
            "hostile": self.hostile,
            "hostile_from": self.from,
        }))
    }
}
