//! Frames (RFC 9113 sections 4 and 6): heads, and those that this side sends.

use bytes::{BufMut as _, BytesMut};

/// Bytes of a frame's head.
pub const HEAD_BYTES: usize = 9;

/// The largest payload that every peer accepts (SETTINGS_MAX_FRAME_SIZE).
pub const PAYLOAD_BYTES_DEFAULT: usize = 16_384;

/// Any flow-control window before a peer changes it (section 6.9.2).
pub const WINDOW_BYTES_DEFAULT: u32 = 65_535;

/// The largest window (section 6.9.1).
pub const WINDOW_BYTES_MAX: u32 = (1 << 31) - 1;

/// The largest stream number.
pub const STREAM_MAX: u32 = (1 << 31) - 1;

/// What a client sends first (section 3.4).
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Types of frames (section 6).
#[expect(missing_docs, reason = "the names are the RFC's")]
pub mod kind {
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const PRIORITY: u8 = 2;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PUSH_PROMISE: u8 = 5;
    pub const PING: u8 = 6;
    pub const GOAWAY: u8 = 7;
    pub const WINDOW_UPDATE: u8 = 8;
    pub const CONTINUATION: u8 = 9;
}

/// Flags of frames. ACK is of SETTINGS and PING, END_STREAM of DATA and HEADERS: the same bit.
#[expect(missing_docs, reason = "the names are the RFC's")]
pub mod flag {
    pub const ACK: u8 = 1;
    pub const END_STREAM: u8 = 1;
    pub const END_HEADERS: u8 = 4;
    pub const PADDED: u8 = 8;
    pub const PRIORITY: u8 = 0x20;
}

/// Numbers of settings (section 6.5.2).
#[expect(missing_docs, reason = "the names are the RFC's")]
pub mod setting {
    pub const HEADER_TABLE_SIZE: u16 = 1;
    pub const ENABLE_PUSH: u16 = 2;
    pub const MAX_CONCURRENT_STREAMS: u16 = 3;
    pub const INITIAL_WINDOW_SIZE: u16 = 4;
    pub const MAX_FRAME_SIZE: u16 = 5;
    pub const MAX_HEADER_LIST_SIZE: u16 = 6;
}

/// Why a stream or a connection ends (section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub u32);

#[expect(missing_docs, reason = "the names are the RFC's")]
impl Code {
    pub const NO_ERROR: Self = Self(0);
    pub const PROTOCOL_ERROR: Self = Self(1);
    pub const INTERNAL_ERROR: Self = Self(2);
    pub const FLOW_CONTROL_ERROR: Self = Self(3);
    pub const STREAM_CLOSED: Self = Self(5);
    pub const FRAME_SIZE_ERROR: Self = Self(6);
    pub const REFUSED_STREAM: Self = Self(7);
    pub const CANCEL: Self = Self(8);
    pub const COMPRESSION_ERROR: Self = Self(9);
    pub const ENHANCE_YOUR_CALM: Self = Self(11);

    /// The code's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 14] = [
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
        let name = usize::try_from(self.0)
            .ok()
            .and_then(|code| NAMES.get(code));
        name.copied().unwrap_or("unknown")
    }
}

/// What stands before a frame's payload (section 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Bytes of payload.
    pub bytes: usize,
    /// Its type, one of [`kind`]'s or an unknown one.
    pub kind: u8,
    /// Its flags.
    pub flags: u8,
    /// Its stream; 0 is the connection.
    pub stream: u32,
}

impl Head {
    /// The head as bytes.
    ///
    /// # Panics
    /// If the frame has 4 GiB or more.
    #[must_use]
    pub fn encode(self) -> [u8; HEAD_BYTES] {
        let bytes = u32::try_from(self.bytes).expect("a frame is shorter than 16 MiB");
        let [_, b0, b1, b2] = bytes.to_be_bytes();
        let [s0, s1, s2, s3] = self.stream.to_be_bytes();
        [b0, b1, b2, self.kind, self.flags, s0, s1, s2, s3]
    }

    /// Decodes a head. The reserved bit is ignored.
    #[must_use]
    pub const fn decode(head: &[u8; HEAD_BYTES]) -> Self {
        let [b0, b1, b2, kind, flags, s0, s1, s2, s3] = *head;
        Self {
            bytes: u32::from_be_bytes([0, b0, b1, b2]) as usize,
            kind,
            flags,
            stream: u32::from_be_bytes([s0 & 0x7f, s1, s2, s3]),
        }
    }

    /// The head that `bytes` begin with, if it is complete.
    #[must_use]
    pub fn decode_first(bytes: &[u8]) -> Option<Self> {
        bytes.first_chunk().map(Self::decode)
    }

    /// Whether the frame has this flag.
    #[must_use]
    pub const fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Appends a frame's head.
pub(crate) fn head(out: &mut BytesMut, kind: u8, flags: u8, stream: u32, bytes: usize) {
    let head = Head {
        bytes,
        kind,
        flags,
        stream,
    };
    out.extend_from_slice(&head.encode());
}

/// Appends SETTINGS of these names and values.
pub(crate) fn settings(out: &mut BytesMut, values: &[(u16, u32)]) {
    head(out, kind::SETTINGS, 0, 0, 6 * values.len());
    for (name, value) in values {
        out.put_u16(*name);
        out.put_u32(*value);
    }
}

/// Appends the acknowledgement of the peer's SETTINGS.
pub(crate) fn settings_ack(out: &mut BytesMut) {
    head(out, kind::SETTINGS, flag::ACK, 0, 0);
}

/// Appends PING.
pub(crate) fn ping(out: &mut BytesMut, flags: u8, payload: [u8; 8]) {
    head(out, kind::PING, flags, 0, payload.len());
    out.extend_from_slice(&payload);
}

/// Appends GOAWAY without debug data.
pub(crate) fn goaway(out: &mut BytesMut, last_stream: u32, code: Code) {
    head(out, kind::GOAWAY, 0, 0, 8);
    out.put_u32(last_stream);
    out.put_u32(code.0);
}

/// Appends RST_STREAM.
pub(crate) fn rst_stream(out: &mut BytesMut, stream: u32, code: Code) {
    head(out, kind::RST_STREAM, 0, stream, 4);
    out.put_u32(code.0);
}

/// Appends WINDOW_UPDATE; stream 0 is the connection.
pub(crate) fn window_update(out: &mut BytesMut, stream: u32, bytes: u32) {
    head(out, kind::WINDOW_UPDATE, 0, stream, 4);
    out.put_u32(bytes);
}

/// Appends a header block as HEADERS, and as many CONTINUATIONs as it needs.
pub(crate) fn headers(out: &mut BytesMut, stream: u32, ends_stream: bool, block: &[u8]) {
    let mut kind = kind::HEADERS;
    let mut flags = if ends_stream { flag::END_STREAM } else { 0 };
    let mut rest = block;
    loop {
        let (piece, more) = rest.split_at(rest.len().min(PAYLOAD_BYTES_DEFAULT));
        if more.is_empty() {
            flags |= flag::END_HEADERS;
        }
        head(out, kind, flags, stream, piece.len());
        out.extend_from_slice(piece);
        if more.is_empty() {
            return;
        }
        (kind, flags, rest) = (kind::CONTINUATION, 0, more);
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
        // The reserved bit says nothing.
        let reserved = [1, 2, 3, 0, 1, 0xfa, 0xbb, 0xcc, 0xdd];
        assert_eq!(Head::decode(&reserved), head);
        assert_eq!(Head::decode_first(&wire[..8]), None);
    }

    #[test]
    fn a_long_block_takes_several_frames() {
        let mut out = BytesMut::new();
        headers(&mut out, 3, true, &[7; 2 * PAYLOAD_BYTES_DEFAULT + 1]);
        let mut heads = Vec::new();
        while let Some(head) = Head::decode_first(&out) {
            let _ = out.split_to(HEAD_BYTES + head.bytes);
            heads.push((head.kind, head.flags, head.bytes));
        }
        let expected = [
            (kind::HEADERS, flag::END_STREAM, PAYLOAD_BYTES_DEFAULT),
            (kind::CONTINUATION, 0, PAYLOAD_BYTES_DEFAULT),
            (kind::CONTINUATION, flag::END_HEADERS, 1),
        ];
        assert_eq!(heads, expected);
    }
}
