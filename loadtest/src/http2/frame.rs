//! Frame heads (RFC 9113 section 4.1), and a parser of received frames.

use std::io::{self, Read};

/// Bytes of a frame's head.
pub(crate) const HEAD_BYTES: usize = 9;

/// The default of SETTINGS_MAX_FRAME_SIZE.
pub(crate) const PAYLOAD_BYTES_DEFAULT: usize = 16_384;

/// The initial window (RFC 9113 section 6.9.2).
pub(crate) const WINDOW_BYTES_DEFAULT: i64 = 65_535;

/// The largest window.
pub(crate) const WINDOW_BYTES_MAX: u32 = (1 << 31) - 1;

/// The largest stream number.
pub(crate) const STREAM_MAX: u32 = (1 << 31) - 1;

/// Room for received bytes: several frames of the largest size.
const BUFFER_BYTES: usize = 4 * (PAYLOAD_BYTES_DEFAULT + HEAD_BYTES);

/// Types of frames (RFC 9113 section 6).
pub(crate) mod kind {
    pub(crate) const DATA: u8 = 0;
    pub(crate) const HEADERS: u8 = 1;
    pub(crate) const PRIORITY: u8 = 2;
    pub(crate) const RST_STREAM: u8 = 3;
    pub(crate) const SETTINGS: u8 = 4;
    pub(crate) const PING: u8 = 6;
    pub(crate) const GOAWAY: u8 = 7;
    pub(crate) const WINDOW_UPDATE: u8 = 8;
    pub(crate) const CONTINUATION: u8 = 9;
}

/// Flags of frames. ACK and END_STREAM are the same bit, of different types.
pub(crate) mod flag {
    pub(crate) const ACK: u8 = 1;
    pub(crate) const END_STREAM: u8 = 1;
    pub(crate) const END_HEADERS: u8 = 4;
    pub(crate) const PADDED: u8 = 8;
}

/// Names of settings (RFC 9113 section 6.5.2).
pub(crate) mod setting {
    pub(crate) const INITIAL_WINDOW_SIZE: u16 = 4;
    pub(crate) const MAX_FRAME_SIZE: u16 = 5;
}

/// Error codes by number (RFC 9113 section 7).
const ERRORS: [&str; 14] = [
    "NO_ERROR",
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED",
];

/// The error code for a call that the client cancels.
pub(crate) const CANCEL: u32 = 8;

/// The name of an error code.
pub(crate) fn error_name(code: u32) -> &'static str {
    let name = usize::try_from(code).ok().and_then(|code| ERRORS.get(code));
    name.copied().unwrap_or("unknown")
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Bytes of payload.
    pub(crate) bytes: usize,
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
}

impl Head {
    pub(crate) fn encode(self) -> [u8; HEAD_BYTES] {
        let bytes = u32::try_from(self.bytes).expect("a frame is shorter than 16 MiB");
        let [_, b0, b1, b2] = bytes.to_be_bytes();
        let [s0, s1, s2, s3] = self.stream.to_be_bytes();
        [b0, b1, b2, self.kind, self.flags, s0, s1, s2, s3]
    }

    fn decode(head: &[u8; HEAD_BYTES]) -> Self {
        let [b0, b1, b2, kind, flags, s0, s1, s2, s3] = *head;
        Self {
            bytes: u32::from_be_bytes([0, b0, b1, b2]) as usize,
            kind,
            flags,
            stream: u32::from_be_bytes([s0 & 0x7f, s1, s2, s3]),
        }
    }

    /// Decodes the head at the start of `bytes`.
    pub(crate) fn decode_first(bytes: &[u8]) -> Option<Self> {
        bytes.first_chunk().map(Self::decode)
    }

    pub(crate) fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// A complete frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let bytes = payload.len();
    let head = Head {
        bytes,
        kind,
        flags,
        stream,
    };
    let mut frame = head.encode().to_vec();
    frame.extend_from_slice(payload);
    frame
}

/// A WINDOW_UPDATE of `stream`, or of the connection if `stream` is 0.
pub(crate) fn window_update(stream: u32, bytes: u32) -> Vec<u8> {
    frame(kind::WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes())
}

/// A SETTINGS frame with these names and values.
pub(crate) fn settings(values: &[(u16, u32)]) -> Vec<u8> {
    let mut payload = Vec::with_capacity(6 * values.len());
    for (name, value) in values {
        payload.extend_from_slice(&name.to_be_bytes());
        payload.extend_from_slice(&value.to_be_bytes());
    }
    frame(kind::SETTINGS, 0, 0, &payload)
}

/// The names and values of a SETTINGS payload.
pub(crate) fn settings_of(payload: &[u8]) -> impl Iterator<Item = (u16, u32)> {
    let (entries, _) = payload.as_chunks::<6>();
    entries.iter().map(|&[n0, n1, v0, v1, v2, v3]| {
        (
            u16::from_be_bytes([n0, n1]),
            u32::from_be_bytes([v0, v1, v2, v3]),
        )
    })
}

/// The number at offset `at` of a payload: an error code, or a window increment.
pub(crate) fn number_at(payload: &[u8], at: usize) -> Option<u32> {
    let bytes = payload.get(at..at + 4)?;
    bytes.try_into().ok().map(u32::from_be_bytes)
}

/// The data of a DATA frame without padding. `None` if the padding is longer than the frame.
pub(crate) fn data_of(head: Head, payload: &[u8]) -> Option<&[u8]> {
    if !head.has(flag::PADDED) {
        return Some(payload);
    }
    let (padding, rest) = payload.split_first()?;
    rest.get(..rest.len().checked_sub(usize::from(*padding))?)
}

/// A buffer of received bytes, which yields frames.
#[derive(Debug, Default)]
pub(crate) struct Received {
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
}

impl Received {
    pub(crate) fn new() -> Self {
        Self {
            buffer: vec![0; BUFFER_BYTES].into(),
            start: 0,
            end: 0,
        }
    }

    /// Reads once from `socket`, at most as much as fits. Returns 0 at the end of the stream.
    ///
    /// # Errors
    /// An error of `socket`.
    pub(crate) fn read(&mut self, socket: &mut impl Read) -> io::Result<usize> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        let read = socket.read(&mut self.buffer[self.end..])?;
        self.end += read;
        Ok(read)
    }

    /// The next complete frame: its head and its payload.
    ///
    /// # Errors
    /// The frame exceeds the maximum size.
    pub(crate) fn next(&mut self) -> io::Result<Option<(Head, &[u8])>> {
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

    #[test]
    fn heads_are_laid_out_as_in_the_rfc() {
        let head = Head {
            bytes: 0x01_02_03,
            kind: kind::DATA,
            flags: flag::END_STREAM,
            stream: 0x7a_bb_cc_dd,
        };
        let wire = [1, 2, 3, 0, 1, 0x7a, 0xbb, 0xcc, 0xdd];
        assert_eq!(head.encode(), wire);
        assert_eq!(Head::decode(&wire), head);
        // The reserved bit is ignored.
        let reserved = [1, 2, 3, 0, 1, 0xfa, 0xbb, 0xcc, 0xdd];
        assert_eq!(Head::decode(&reserved), head);
    }

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
                    while let Some((head, payload)) = received.next().unwrap() {
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
    fn frames_beyond_the_bound_and_bad_padding_are_refused() {
        let mut received = Received::new();
        let wire = frame(kind::DATA, 0, 1, &[0; PAYLOAD_BYTES_DEFAULT + 1]);
        received.read(&mut &wire[..]).unwrap();
        assert!(received.next().is_err());
        let head = |flags| Head {
            bytes: 3,
            kind: kind::DATA,
            flags,
            stream: 1,
        };
        assert_eq!(data_of(head(0), &[1, 2, 3]), Some(&[1, 2, 3][..]));
        assert_eq!(data_of(head(flag::PADDED), &[1, 2, 3]), Some(&[2][..]));
        assert_eq!(data_of(head(flag::PADDED), &[3, 2, 3]), None);
    }
}
