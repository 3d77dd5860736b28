//! What the disturbing streams do.

use std::time::Duration;

use crate::args::DisturbArgs;
use crate::cpus::Cpus;

/// The disturbing streams and their behaviour.
#[derive(Clone, Debug)]
pub(crate) struct Disturbance {
    pub(super) drip_streams: usize,
    pub(super) drip_interval: Duration,
    pub(super) drip_bytes: usize,
    pub(super) unread_streams: usize,
    pub(super) idle_streams: usize,
    pub(super) idle_bytes: usize,
    /// Connections that read answers, and connections that do not.
    pub(super) connections: usize,
    pub(super) unread_connections: usize,
    pub(super) cpus: Option<Cpus>,
    pub(super) congestion: Option<String>,
}

impl Disturbance {
    pub(crate) fn of(args: &DisturbArgs) -> Self {
        Self {
            drip_streams: args.drip_streams,
            drip_interval: args.drip_interval,
            drip_bytes: args.drip_bytes,
            unread_streams: args.unread_streams,
            idle_streams: args.idle_streams,
            idle_bytes: args.idle_bytes,
            connections: args.disturb_connections,
            unread_connections: args.disturb_connections,
            cpus: args.load.pin_client.clone(),
            congestion: args.load.tcp_congestion.clone(),
        }
    }

    /// Number of all streams.
    pub(crate) fn streams(&self) -> usize {
        self.read_streams() + self.unread_streams
    }

    pub(super) fn read_streams(&self) -> usize {
        self.drip_streams + self.idle_streams
    }

    /// The same on as many connections as `needed` computes for the number of streams.
    pub(crate) fn on_connections(&self, needed: impl Fn(usize) -> usize) -> Self {
        let connections = self.connections.max(needed(self.read_streams()));
        let unread = self.unread_connections.max(needed(self.unread_streams));
        Self {
            connections: connections.min(self.read_streams()),
            unread_connections: unread.min(self.unread_streams),
            ..self.clone()
        }
    }

    /// Number of all connections.
    pub(crate) fn connections(&self) -> usize {
        self.connections + self.unread_connections
    }

    /// The behaviour of stream `index`: first the streams that drip, then those that never read,
    /// then idle ones.
    pub(super) fn manner(&self, index: usize) -> Manner {
        if index < self.drip_streams {
            Manner::Drips
        } else if index < self.drip_streams + self.unread_streams {
            Manner::NeverReads
        } else {
            Manner::SaysNothing
        }
    }
}

/// The behaviour of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    Drips,
    NeverReads,
    SaysNothing,
}
