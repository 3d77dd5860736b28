//! Bytes that are to be hashed.

use std::any::Any;
use std::rc::Rc;

use bytes::Bytes;

/// A slice of a frame. The engine drops it once it is hashed.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    bytes: Bytes,
    /// A resource that the bytes hold until they are hashed, such as flow-control window. The
    /// digests of a part share it.
    _taken: Option<Rc<dyn Any>>,
}

impl Chunk {
    /// Bytes that hold `taken` until they are hashed.
    pub(crate) fn new(bytes: Bytes, taken: impl Any) -> Self {
        Self {
            bytes,
            _taken: Some(Rc::new(taken)),
        }
    }

    /// Bytes that are bounded in another place.
    pub(crate) fn unbound(bytes: Bytes) -> Self {
        Self {
            bytes,
            _taken: None,
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
