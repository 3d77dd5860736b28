//! Frames out of received bytes.

use std::io::{self, Read};

use crate::{HEAD_BYTES, Head, PAYLOAD_BYTES_DEFAULT};

/// Room for received bytes: some frames of the largest size.
const BUFFER_BYTES: usize = 4 * (PAYLOAD_BYTES_DEFAULT + HEAD_BYTES);

/// Received bytes, and the frames in them.
#[derive(Debug, Default)]
pub struct Received {
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
}

impl Received {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            buffer: vec![0; BUFFER_BYTES].into(),
            start: 0,
            end: 0,
        }
    }

    /// Reads once from `socket`, as much as there is room for. 0 is the end of the stream.
    ///
    /// # Errors
    /// As `socket`.
    pub fn read(&mut self, socket: &mut impl Read) -> io::Result<usize> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        let read = socket.read(&mut self.buffer[self.end..])?;
        self.end += read;
        Ok(read)
    }

    /// The next whole frame: its head and its payload.
    ///
    /// # Errors
    /// If it is larger than this side allows.
    pub fn next_frame(&mut self) -> io::Result<Option<(Head, &[u8])>> {
        let bytes = &self.buffer[self.start..self.end];
        let Some((head, rest)) = bytes.split_first_chunk() else {
            return Ok(None);
        };
        let head = Head::decode(head);
        if head.bytes > PAYLOAD_BYTES_DEFAULT {
            return Err(io::Error::other(format!("a frame of {} bytes", head.bytes)));
        }
        let Some(payload) = rest.get(..head.bytes) else {
            return Ok(None);
        };
        self.start += HEAD_BYTES + head.bytes;
        Ok(Some((head, payload)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{flag, frame, kind, number_at, setting, settings, settings_of, window_update};

    #[test]
    fn frames_are_found_however_their_bytes_arrive() {
        let frames = [
            settings(&[(setting::MAX_FRAME_SIZE, 1 << 17), (99, 7)]),
            frame(kind::DATA, 0, 3, &[9; PAYLOAD_BYTES_DEFAULT]),
            window_update(3, 77),
            frame(kind::PING, flag::ACK, 0, &[1; 8]),
        ];
        let wire: Vec<u8> = frames
            .iter()
            .flatten()
            .copied()
            .cycle()
            .take(99_999)
            .collect();
        for piece in [1, 7, 4096, usize::MAX] {
            let (mut received, mut found) = (Received::new(), Vec::new());
            let mut rest = &wire[..];
            while !rest.is_empty() {
                let (mut now, later) = rest.split_at(piece.min(rest.len()));
                rest = later;
                while !now.is_empty() {
                    received.read(&mut now).unwrap();
                    while let Some((head, payload)) = received.next_frame().unwrap() {
                        found.extend(frame(head.kind, head.flags, head.stream, payload));
                    }
                }
            }
            assert!(found.len() > 80_000 && wire.starts_with(&found), "{piece}");
        }
        let values: Vec<_> = settings_of(&frames[0][HEAD_BYTES..]).collect();
        assert_eq!(values, [(setting::MAX_FRAME_SIZE, 1 << 17), (99, 7)]);
        assert_eq!(number_at(&frames[2][HEAD_BYTES..], 0), Some(77));
        assert_eq!(number_at(&[0; 3], 0), None);
    }

    #[test]
    fn frames_beyond_the_bound_are_refused() {
        let mut received = Received::new();
        let wire = frame(kind::DATA, 0, 1, &[0; PAYLOAD_BYTES_DEFAULT + 1]);
        received.read(&mut &wire[..]).unwrap();
        assert!(received.next_frame().is_err());
    }
}
