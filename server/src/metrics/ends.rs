//! How connections end.

use std::cell::Cell;

use super::instruments::Counter;

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConnectionEnd {
    /// The client closed it, or obeyed the GOAWAY of a drain.
    Closed,
    /// An HTTP/2 error or a socket error.
    Error,
    /// The TLS handshake failed.
    Handshake,
    /// The client that the certificate names has its maximum of connections.
    ClientLimit,
    /// No byte arrived, as from a probe that only connects.
    Unused,
    /// The client sent something other than the HTTP/2 preface, or closed within it.
    Preface,
    /// The preface did not arrive in time.
    PrefaceTimeout,
    /// Its frames were useless.
    Flood,
    /// The connection held the most unread answers when the bound was exceeded.
    Unread,
    /// The client did not read answers in time.
    NotTaken,
    /// The client answered no PING.
    NoPong,
    /// It exceeded its age, and did not end in the grace time.
    Age,
    /// It had no call for too long, and did not end in the grace time.
    Idle,
    /// It was still open when its worker failed or when the drain ended.
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

    /// The label in its metric.
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

/// Counts one connection's end on drop: as `Cut` unless another reason is set.
pub(crate) struct Ending<'a> {
    counts: &'a [Counter; ConnectionEnd::ALL.len()],
    /// `None` if other code counts the end.
    end: Cell<Option<ConnectionEnd>>,
}

impl<'a> Ending<'a> {
    pub(crate) fn new(counts: &'a [Counter; ConnectionEnd::ALL.len()]) -> Self {
        Self {
            counts,
            end: Cell::new(Some(ConnectionEnd::Cut)),
        }
    }

    pub(crate) fn is(&self, end: ConnectionEnd) {
        self.end.set(Some(end));
    }

    /// The connection continues, and other code counts its end.
    pub(crate) fn goes_on(&self) {
        self.end.set(None);
    }
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if let Some(end) = self.end.get() {
            self.counts[end as usize].add(1);
        }
    }
}
