//! Bytes on their way to the lanes, and the window they take.

use std::rc::Rc;

use bytes::Bytes;

use crate::http2::WindowPermit;
use crate::limits::Backlog;
use crate::limits::backlog::BacklogPermit;

/// A slice of a frame. The engine drops it when it is hashed, which gives its window back.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    bytes: Bytes,
    /// Shared by the part's digests; none if something else bounds the bytes.
    _waits: Option<Rc<Waits>>,
}

/// What a chunk takes of its connection and its worker, until it is dropped.
#[derive(Debug)]
struct Waits {
    _window: WindowPermit,
    _backlog: BacklogPermit,
}

impl Chunk {
    /// Bytes that came within a window.
    pub(crate) fn new(bytes: Bytes, window: WindowPermit, backlog: &Rc<Backlog>) -> Self {
        Self {
            bytes,
            _waits: Some(Rc::new(Waits {
                _window: window,
                _backlog: backlog.enter(),
            })),
        }
    }

    /// Bytes that something else bounds.
    pub(crate) fn unbound(bytes: Bytes) -> Self {
        Self {
            bytes,
            _waits: None,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
