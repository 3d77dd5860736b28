//! What ranges of shared memory are copied into. All calls of a worker share it.
//!
//! A piece is a slice of a buffer. The buffer is used again once the piece is dropped, so in the
//! steady state nothing is allocated but the permit of a chunk. The buffer that was used last is
//! the next one, because it is in cache.
//!
//! Why 64 KiB: the bytes are hashed while they are in L2, and a piece is copied in 5 to 10 us, so a
//! turn ends in time.

use std::cell::RefCell;

use bytes::{Bytes, BytesMut};

use crate::limits::COPY_BUFFERS_MAX;

/// Most bytes of a piece.
pub(crate) const PIECE_BYTES: usize = 64 << 10;

/// A smaller piece gets memory of its own, because it would keep a whole buffer.
const OWN_BYTES_MAX: usize = PIECE_BYTES / 4;

/// Free buffers that are kept.
const FREE_MAX: usize = COPY_BUFFERS_MAX / 2;

/// The buffers of a worker, the one used last at the end.
#[derive(Debug, Default)]
pub(crate) struct CopyBuffers(RefCell<Vec<Bytes>>);

impl CopyBuffers {
    /// A piece of `bytes` bytes, at most [`PIECE_BYTES`], that `fill` writes.
    pub(crate) fn piece(&self, bytes: usize, fill: impl FnOnce(&mut [u8])) -> Bytes {
        let mut buffers = self.0.borrow_mut();
        let buffer = if bytes < OWN_BYTES_MAX {
            None
        } else {
            take(&mut buffers)
        };
        let Some(mut buffer) = buffer else {
            let mut own = vec![0; bytes];
            fill(&mut own);
            return own.into();
        };
        fill(&mut buffer[..bytes]);
        let buffer = buffer.freeze();
        let piece = buffer.slice(..bytes);
        buffers.push(buffer);
        piece
    }
}

/// A free buffer, or a new one if there may be more.
fn take(buffers: &mut Vec<Bytes>) -> Option<BytesMut> {
    if let Some(free) = buffers.iter().rposition(Bytes::is_unique) {
        let buffer = buffers.remove(free);
        if buffers.len() > FREE_MAX {
            let mut free = 0;
            buffers.retain(|buffer| {
                free += usize::from(buffer.is_unique());
                !buffer.is_unique() || free <= FREE_MAX
            });
        }
        return buffer.try_into_mut().ok();
    }
    (buffers.len() < COPY_BUFFERS_MAX).then(|| {
        let mut buffer = BytesMut::zeroed(PIECE_BYTES);
        // A buffer with a second handle is frozen and thawed without an allocation.
        drop(buffer.split_off(PIECE_BYTES));
        buffer
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(buffers: &CopyBuffers, bytes: usize, with: u8) -> Bytes {
        buffers.piece(bytes, |piece| piece.fill(with))
    }

    #[test]
    fn a_buffer_is_used_again_once_its_piece_is_dropped() {
        let buffers = CopyBuffers::default();
        let first = piece(&buffers, PIECE_BYTES, 1);
        let second = piece(&buffers, PIECE_BYTES - 1, 2);
        let (at_first, at_second) = (first.as_ptr(), second.as_ptr());
        assert_ne!(at_first, at_second);
        drop(second.clone());
        drop(first);
        let third = piece(&buffers, OWN_BYTES_MAX, 3);
        assert_eq!(third.as_ptr(), at_first);
        assert!(second.iter().all(|byte| *byte == 2) && second.len() == PIECE_BYTES - 1);
        assert!(third.iter().all(|byte| *byte == 3) && third.len() == OWN_BYTES_MAX);
        // The whole buffer can be used again.
        drop((second, third));
        let last = piece(&buffers, PIECE_BYTES, 4);
        assert_eq!(last.len(), PIECE_BYTES);
        assert_eq!(buffers.0.borrow().len(), 2);
    }

    #[test]
    fn buffers_are_bounded_and_pieces_are_not_refused() {
        let buffers = CopyBuffers::default();
        let pieces: Vec<_> = (0..=255).map(|n| piece(&buffers, PIECE_BYTES, n)).collect();
        assert_eq!(buffers.0.borrow().len(), COPY_BUFFERS_MAX);
        for (n, piece) in pieces.iter().enumerate() {
            assert!(piece.iter().all(|byte| usize::from(*byte) == n));
        }
        drop(pieces);
        drop(piece(&buffers, PIECE_BYTES, 0));
        assert!(buffers.0.borrow().len() <= FREE_MAX + 1);
        let small = piece(&buffers, OWN_BYTES_MAX - 1, 5);
        assert!(buffers.0.borrow().iter().all(Bytes::is_unique));
        assert_eq!(small.len(), OWN_BYTES_MAX - 1);
    }

    #[test]
    fn one_buffer_is_enough_for_pieces_one_after_the_other() {
        let buffers = CopyBuffers::default();
        for n in 0..100 {
            let piece = piece(&buffers, PIECE_BYTES - usize::from(n), n);
            assert!(piece.iter().all(|byte| *byte == n));
        }
        assert_eq!(buffers.0.borrow().len(), 1);
        assert_eq!(buffers.0.borrow()[0].len(), PIECE_BYTES);
    }
}
