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
    /// It was old, and did not end in the time it had then.
    Age,
    /// It had no call, and did not end in the time it had then.
    Idle,
    /// It was still open when its worker failed, or when the time for the drain was over.
    Cut,
}

impl ConnectionEnd {
    pub(crate) const ALL: [Self; 14] = [
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
        Self::Age,
        Self::Idle,
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
            Self::Age => "age",
            Self::Idle => "idle",
            Self::Cut => "cut",
        }
    }
}

/// Counts one connection's end when it is dropped: as `Cut` unless another is known.
pub(crate) struct Ending<'a> {
    counters: &'a WorkerCounters,
    /// Nothing if another tells.
    end: Cell<Option<ConnectionEnd>>,
}

impl<'a> Ending<'a> {
    pub(crate) fn new(counters: &'a WorkerCounters) -> Self {
        Self {
            counters,
            end: Cell::new(Some(ConnectionEnd::Cut)),
        }
    }

    pub(crate) fn is(&self, end: ConnectionEnd) {
        self.end.set(Some(end));
    }

    /// The connection goes on, and another tells of its end.
    pub(crate) fn goes_on(&self) {
        self.end.set(None);
    }
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if let Some(end) = self.end.get() {
            self.counters.connection_ends[end as usize].add(1);
        }
    }
}
