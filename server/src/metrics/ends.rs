//! How connections end.

use std::cell::Cell;

use super::counters::WorkerCounters;

/// Why a connection is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionEnd {
    /// The client closed it, or took the GOAWAY of a drain.
    Closed,
    /// An error of HTTP/2 or of the socket.
    Error,
    /// Its TLS handshake came to nothing.
    Handshake,
    /// The client that its certificate names has as many as it may.
    ClientLimit,
    /// Not a byte came, as of a probe that only connects.
    Unused,
    /// It brought something else than the preface of HTTP/2, or ended within it.
    Preface,
    /// The preface was not there in time.
    PrefaceTimeout,
    /// Its frames brought nothing.
    Flood,
    /// It held the most answers that were not taken, when they were too many.
    Unread,
    /// Answers were not taken in time.
    NotTaken,
    /// It answered no PING.
    NoPong,
    /// It was still open when its worker ended.
    Cut,
}

impl ConnectionEnd {
    pub(crate) const ALL: [Self; 12] = [
        Self::Closed,
        Self::Error,
        Self::Handshake,
        Self::ClientLimit,
        Self::Unused,
        Self::Preface,
        Self::PrefaceTimeout,
        Self::Flood,
        Self::Unread,
        Self::NotTaken,
        Self::NoPong,
        Self::Cut,
    ];

    /// The label of its metric.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Error => "error",
            Self::Handshake => "tls_handshake",
            Self::ClientLimit => "client_limit",
            Self::Unused => "unused",
            Self::Preface => "preface",
            Self::PrefaceTimeout => "preface_timeout",
            Self::Flood => "flood",
            Self::Unread => "unread",
            Self::NotTaken => "not_taken",
            Self::NoPong => "no_pong",
            Self::Cut => "cut",
        }
    }
}

/// Counts one connection's end when it is dropped: as `Cut` unless another is known.
pub(crate) struct Ending<'a> {
    counters: &'a WorkerCounters,
    end: Cell<ConnectionEnd>,
}

impl<'a> Ending<'a> {
    pub(crate) fn new(counters: &'a WorkerCounters) -> Self {
        Self {
            counters,
            end: Cell::new(ConnectionEnd::Cut),
        }
    }

    pub(crate) fn is(&self, end: ConnectionEnd) {
        self.end.set(end);
    }
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.counters.connection_ends[self.end.get() as usize].add(1);
    }
}
