//! Frames waiting for the socket.

use std::collections::VecDeque;
use std::io::{self, IoSlice, Write};

use bytes::Bytes;
use hashlane_http2_frames::{HEAD_BYTES, Head};

/// The outbox is full at this size. A write this large is worth its system call, and a larger
/// outbox would fix the order of streams earlier.
const BYTES_MAX: usize = 256 << 10;

/// Pieces of one `writev`; the limit of the system is 1024.
const PIECES_MAX: usize = 256;

/// One frame. The payload is shared.
#[derive(Debug)]
struct Frame {
    head: [u8; HEAD_BYTES],
    payload: Bytes,
    /// Reported when the frame was written to the socket.
    sent: Option<Sent>,
}

/// A message that was written to the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    /// Its stream.
    pub(super) stream: usize,
    /// Bytes of data in it.
    pub(super) bytes: u64,
}

/// The frames in their order.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    frames: VecDeque<Frame>,
    bytes: usize,
    /// Bytes of the first frame already written.
    gone: usize,
}

impl Outbox {
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes >= BYTES_MAX
    }

    pub(super) fn push(&mut self, kind: u8, flags: u8, stream: u32, payload: Bytes) {
        self.push_message(kind, flags, stream, payload, None);
    }

    /// Adds a frame that ends a message.
    pub(super) fn push_message(
        &mut self,
        kind: u8,
        flags: u8,
        stream: u32,
        payload: Bytes,
        sent: Option<Sent>,
    ) {
        let bytes = payload.len();
        let head = Head {
            bytes,
            kind,
            flags,
            stream,
        };
        self.bytes += HEAD_BYTES + bytes;
        self.frames.push_back(Frame {
            head: head.encode(),
            payload,
            sent,
        });
    }

    /// Writes once, and reports the messages written. Returns false if the socket is full.
    ///
    /// # Errors
    /// An error of `socket`.
    pub(super) fn write(
        &mut self,
        socket: &mut impl Write,
        mut gone: impl FnMut(Sent),
    ) -> io::Result<bool> {
        if self.frames.is_empty() {
            return Ok(false);
        }
        let mut pieces = Vec::with_capacity(PIECES_MAX.min(2 * self.frames.len()));
        let mut skip = self.gone;
        for frame in self.frames.iter().take(PIECES_MAX / 2) {
            for piece in [&frame.head[..], &frame.payload[..]] {
                let piece_skip = skip.min(piece.len());
                skip -= piece_skip;
                if piece_skip < piece.len() {
                    pieces.push(IoSlice::new(&piece[piece_skip..]));
                }
            }
        }
        let written = match socket.write_vectored(&pieces) {
            Ok(written) => written,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
            Err(error) => return Err(error),
        };
        self.bytes -= written;
        self.gone += written;
        while let Some(frame) = self.frames.front()
            && self.gone >= HEAD_BYTES + frame.payload.len()
        {
            self.gone -= HEAD_BYTES + frame.payload.len();
            frame.sent.into_iter().for_each(&mut gone);
            self.frames.pop_front();
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashlane_http2_frames::{frame, kind};

    /// A socket that accepts a few bytes at a time, and is sometimes full.
    struct Narrow {
        taken: Vec<u8>,
        limits: std::iter::Cycle<std::vec::IntoIter<usize>>,
    }

    impl Write for Narrow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
            let limit = self.limits.next().unwrap();
            if limit == 0 {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let bytes = pieces.iter().flat_map(|piece| piece.iter()).take(limit);
            let before = self.taken.len();
            self.taken.extend(bytes);
            Ok(self.taken.len() - before)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn frames_go_out_whole_and_in_order_whatever_the_socket_takes() {
        for limits in [vec![1], vec![9, 0, 10, 1], vec![1000, 3], vec![usize::MAX]] {
            let (mut outbox, mut expected) = (Outbox::default(), Vec::new());
            let mut sent = Vec::new();
            for stream in 0..300_u32 {
                let payload = vec![stream.to_be_bytes()[3]; stream as usize % 50];
                expected.extend(frame(kind::DATA, 1, stream, &payload));
                let message = (stream % 3 == 0).then_some(Sent {
                    stream: stream as usize,
                    bytes: u64::from(stream),
                });
                sent.extend(message);
                outbox.push_message(kind::DATA, 1, stream, payload.into(), message);
            }
            let mut socket = Narrow {
                taken: Vec::new(),
                limits: limits.into_iter().cycle(),
            };
            let mut gone = Vec::new();
            while !outbox.is_empty() {
                outbox.write(&mut socket, |sent| gone.push(sent)).unwrap();
            }
            assert!(socket.taken == expected && gone == sent);
            assert_eq!((outbox.bytes, outbox.gone), (0, 0));
        }
    }
}
