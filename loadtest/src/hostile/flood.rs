//! One kind of flood.

use super::batch::Batch;

/// One kind of flood.
#[derive(Clone, Copy, Debug)]
pub struct Flood {
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) method: Method,
    /// True for a port with TLS.
    pub(super) is_tls: bool,
}

/// The work of a hostile thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    /// Writes these frames.
    Frames(fn() -> Batch),
    /// Connects, sends the HTTP/2 preface, and leaves.
    Churn,
    /// Sends nothing, but uses its CPU as the other floods do.
    Spin,
}

pub(super) const fn of_frames(
    name: &'static str,
    help: &'static str,
    batch: fn() -> Batch,
) -> Flood {
    Flood {
        name,
        help,
        method: Method::Frames(batch),
        is_tls: false,
    }
}

impl Flood {
    /// The name in flags and rows.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it opens connections.
    pub(crate) fn connects(&self) -> bool {
        !matches!(self.method, Method::Spin)
    }

    /// Whether it suits a port with TLS, or without.
    pub(crate) fn fits(&self, is_tls: bool) -> bool {
        !self.connects() || self.is_tls == is_tls
    }

    /// The same on a port with TLS.
    pub(super) const fn over_tls(self) -> Self {
        Self {
            is_tls: true,
            ..self
        }
    }
}
