//! What the disturbing streams do, and what they did.

use std::collections::BTreeSet;

use serde_json::json;

use crate::args::DisturbArgs;
use crate::results::Row;

/// Maximum of end messages kept for the report.
const ENDS_MAX: usize = 8;

/// The disturbing streams and their behaviour.
#[derive(Clone, Debug)]
pub(crate) struct Disturbance {
    pub(super) args: DisturbArgs,
    /// Connections that read answers, and connections that do not.
    pub(super) connections: usize,
    pub(super) unread_connections: usize,
}

/// The behaviour of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    Drips,
    NeverReads,
    SaysNothing,
}

impl Disturbance {
    pub(crate) fn of(args: &DisturbArgs) -> Self {
        Self {
            args: args.clone(),
            connections: args.disturb_connections,
            unread_connections: args.disturb_connections,
        }
    }

    /// Number of all streams.
    pub(crate) fn streams(&self) -> usize {
        self.read_streams() + self.args.unread_streams
    }

    fn read_streams(&self) -> usize {
        self.args.drip_streams + self.args.idle_streams
    }

    /// The same on as many connections as `needed` computes for the number of streams.
    pub(crate) fn on_connections(&self, needed: impl Fn(usize) -> usize) -> Self {
        let (read, unread) = (self.read_streams(), self.args.unread_streams);
        Self {
            connections: self.connections.max(needed(read)).min(read),
            unread_connections: self.unread_connections.max(needed(unread)).min(unread),
            args: self.args.clone(),
        }
    }

    /// Number of all connections.
    pub(crate) fn connections(&self) -> usize {
        self.connections + self.unread_connections
    }

    /// The behaviour of stream `index`: first the streams that drip, then those that never read,
    /// then idle ones.
    pub(super) fn manner(&self, index: usize) -> Manner {
        if index < self.args.drip_streams {
            Manner::Drips
        } else if index < self.args.drip_streams + self.args.unread_streams {
            Manner::NeverReads
        } else {
            Manner::SaysNothing
        }
    }

    pub(super) fn row(&self) -> Row {
        Row::of(json!({
            "drip_streams": self.args.drip_streams,
            "drip_interval_seconds": self.args.drip_interval.as_secs_f64(),
            "drip_bytes": self.args.drip_bytes,
            "unread_streams": self.args.unread_streams,
            "idle_streams": self.args.idle_streams,
            "idle_bytes": self.args.idle_bytes,
            "disturb_connections": self.connections(),
        }))
    }

    /// What streams did in a window, by its row, for people.
    pub(crate) fn text(row: &Row) -> String {
        let [open, drips, ended] =
            ["disturb_streams_open", "drips", "disturb_streams_ended"].map(|name| row.get(name));
        let ends = row.get("disturb_ends");
        let ended = match ended.as_u64() {
            Some(1..) => format!(", {ended} ended: {ends}"),
            _ => String::new(),
        };
        format!(", {open} disturbing streams open, {drips} drips{ended}")
    }
}

/// What the streams did so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// Streams that the server accepted and that are still open.
    pub(crate) open: usize,
    pub(super) drips: u64,
    pub(super) ended: u64,
    /// Reasons of ends, or errors: a few distinct texts.
    pub(super) ends: BTreeSet<String>,
}

impl Counts {
    pub(super) fn note(&mut self, text: String) {
        if self.ends.len() < ENDS_MAX {
            self.ends.insert(text);
        }
    }

    pub(super) fn end(&mut self, text: String) {
        self.ended += 1;
        self.note(text);
    }

    /// Why streams ended.
    pub(crate) fn ends_text(&self) -> String {
        let ends: Vec<_> = self.ends.iter().map(String::as_str).collect();
        ends.join("; ")
    }
}
