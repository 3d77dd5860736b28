//! Finds the frames in what a client sends (RFC 9113 section 4.1).
//!
//! Why the largest frame is 128 KiB: a message with 64 KiB of data fits one frame. gRPC's C core
//! sends frames as large as the server allows, grpc-go never more than 16 KiB. With frames of 16
//! KiB, receiving takes 0.38 of 0.57 CPU s/GB (docs/measurements.md, Alternatives that were
//! measured).

use crate::metrics::counters::FrameKind as Kind;

/// Bytes of a frame's head.
pub(crate) const HEAD_BYTES: usize = 9;

/// A smaller DATA frame costs more than it is worth.
pub(crate) const SMALL_BYTES: usize = 256;

/// The client's preface (RFC 9113 section 3.4).
const PREFACE_BYTES: usize = 24;

/// Heads handed on at a time: some microseconds of h2's time.
const HEADS_MAX: usize = 32;

const END_STREAM: u8 = 0x1;
const END_HEADERS: u8 = 0x4;
const PADDED: u8 = 0x8;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PUSH_PROMISE: u8 = 5;
const CONTINUATION: u8 = 9;

/// A frame's head.
#[derive(Clone, Copy)]
struct FrameHead {
    payload_bytes: usize,
    kind: u8,
    flags: u8,
    stream: u32,
}

impl FrameHead {
    /// The head at the start of `bytes`, if it is complete.
    fn first(bytes: &[u8]) -> Option<Self> {
        let [a, b, c, kind, flags, stream @ ..] = *bytes.first_chunk::<HEAD_BYTES>()?;
        Some(Self {
            payload_bytes: u32::from_be_bytes([0, a, b, c]) as usize,
            kind,
            flags,
            // The first bit is reserved.
            stream: u32::from_be_bytes(stream) & (u32::MAX >> 1),
        })
    }

    fn is_empty_data(self) -> bool {
        self.kind == DATA && self.payload_bytes == 0 && self.flags & END_STREAM == 0
    }

    fn kind(self) -> Kind {
        match self.kind {
            DATA if self.is_empty_data() => Kind::EmptyData,
            DATA => Kind::Data,
            HEADERS => Kind::Headers,
            2 => Kind::Priority,
            3 => Kind::Reset,
            4 => Kind::Settings,
            6 => Kind::Ping,
            8 => Kind::WindowUpdate,
            CONTINUATION => Kind::Continuation,
            _ => Kind::Other,
        }
    }
}

/// The frames that began since the last look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// By [`Kind`].
    pub(crate) frames: [u32; Kind::ALL.len()],
    /// Frames of [`Kind::Data`] with fewer than [`SMALL_BYTES`] bytes.
    pub(crate) small_data: u32,
    /// Payload bytes of all [`Kind::Data`], of all [`Kind::Settings`], and of header blocks.
    pub(crate) data_bytes: usize,
    pub(crate) settings_bytes: usize,
    pub(crate) headers_bytes: usize,
}

/// Tracks the frame boundaries in a client's bytes.
///
/// It reads only complete heads: the caller keeps an incomplete head until the rest arrives.
#[derive(Debug)]
pub(crate) struct Frames {
    /// Bytes before the next head. At first, the client's preface.
    rest: usize,
    /// The highest stream that the client opened.
    last_stream: u32,
    /// A header block has begun and continues in the next frame.
    in_headers: bool,
    seen: Seen,
}

impl Frames {
    pub(crate) fn new() -> Self {
        Self {
            rest: PREFACE_BYTES,
            last_stream: 0,
            in_headers: false,
            seen: Seen::default(),
        }
    }

    /// Bytes left of the current frame.
    pub(crate) const fn rest(&self) -> usize {
        self.rest
    }

    /// What began since the last call.
    pub(crate) fn take_seen(&mut self) -> Seen {
        std::mem::take(&mut self.seen)
    }

    /// Skips `bytes` of the current frame.
    pub(super) fn pass(&mut self, bytes: usize) {
        self.rest -= bytes;
    }

    /// Skips the frames at the start of `bytes` that mean nothing: DATA without bytes, padding or
    /// END_STREAM, on streams that were opened. h2 would count them for the connection's life and
    /// close it at the 101st. Skips at most [`HEADS_MAX`]; returns their bytes.
    pub(crate) fn skip(&mut self, bytes: &[u8]) -> usize {
        let mut end = 0;
        while self.rest == 0
            && end < HEADS_MAX * HEAD_BYTES
            && let Some(head) = FrameHead::first(&bytes[end..])
            && self.means_nothing(head)
        {
            self.begin(head);
            self.rest = 0;
            end += HEAD_BYTES;
        }
        end
    }

    /// Passes over the part of `bytes` to hand on at once, and returns its length. It is at most
    /// `room` bytes and [`HEADS_MAX`] frames. It has no incomplete head, no frame that
    /// [`Self::skip`] would skip, and no part of a frame whose end is missing or has no room,
    /// except the head: h2 then makes room for exactly the rest.
    pub(crate) fn pass_whole(&mut self, bytes: &[u8], room: usize) -> usize {
        let room = room.min(bytes.len());
        let mut end = self.rest.min(room);
        self.rest -= end;
        for _ in 0..HEADS_MAX {
            if self.rest > 0 || end == room {
                break;
            }
            let Some(head) = FrameHead::first(&bytes[end..]) else {
                break;
            };
            if self.means_nothing(head) {
                break;
            }
            self.begin(head);
            let is_whole = self.rest <= room - end;
            let passed = if is_whole {
                self.rest
            } else {
                HEAD_BYTES.min(room - end)
            };
            self.rest -= passed;
            end += passed;
        }
        end
    }

    /// In other places even an empty frame is an error that h2 must see.
    fn means_nothing(&self, head: FrameHead) -> bool {
        let opened = head.stream % 2 == 1 && head.stream <= self.last_stream;
        head.is_empty_data() && head.flags & PADDED == 0 && opened && !self.in_headers
    }

    fn begin(&mut self, head: FrameHead) {
        self.rest = HEAD_BYTES + head.payload_bytes;
        let kind = head.kind();
        self.seen.frames[kind as usize] += 1;
        match kind {
            Kind::Data => {
                self.seen.small_data += u32::from(head.payload_bytes < SMALL_BYTES);
                self.seen.data_bytes += head.payload_bytes;
            }
            Kind::Settings => self.seen.settings_bytes += head.payload_bytes,
            Kind::Headers => {
                self.seen.headers_bytes += head.payload_bytes;
                self.last_stream = self.last_stream.max(head.stream);
            }
            Kind::Continuation => self.seen.headers_bytes += head.payload_bytes,
            _ => {}
        }
        if let HEADERS | PUSH_PROMISE | CONTINUATION = head.kind {
            self.in_headers = head.flags & END_HEADERS == 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(len: u8) -> Vec<u8> {
        let mut frame = vec![0, 0, len, 0, 0, 0, 0, 0, 1];
        frame.resize(HEAD_BYTES + usize::from(len), 7);
        frame
    }

    /// Preface, settings, three frames of 10 bytes, one of 256, one of 255.
    fn sent() -> Vec<u8> {
        let mut sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        sent.extend_from_slice(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
        for _ in 0..3 {
            sent.extend(frame(10));
        }
        sent.extend_from_slice(&[0, 1, 0, 0, 0, 0, 0, 0, 1]);
        sent.extend_from_slice(&[0; 256]);
        sent.extend(frame(255));
        sent
    }

    /// For any number of bytes at a time and any room, all bytes are handed on in order, and a
    /// frame that has not arrived is handed on only up to its head.
    #[test]
    fn bytes_are_handed_on_up_to_the_head_of_a_frame_to_come() {
        let sent = sent();
        for there in HEAD_BYTES..=sent.len() {
            for room in [1, 9, 19, 64, 300, 1000] {
                let mut frames = Frames::new();
                let mut start = 0;
                while start < sent.len() {
                    let bytes = &sent[start..sent.len().min(start + there)];
                    let at_a_head = frames.rest() == 0;
                    let passed = frames.pass_whole(bytes, room);
                    assert!((1..=room).contains(&passed), "{there} {room}");
                    start += passed;
                    let more = bytes.len() - passed;
                    if at_a_head && frames.rest() > 0 && passed < room && more > 0 {
                        assert!(frames.rest() > more.min(room - passed), "{there} {room}");
                    }
                }
                let seen = frames.take_seen();
                assert_eq!(
                    (seen.small_data, seen.data_bytes),
                    (4, 30 + 256 + 255),
                    "{there} {room}"
                );
                assert_eq!(seen.frames[Kind::Settings as usize], 1);
                assert_eq!(frames.take_seen(), Seen::default());
                assert_eq!(frames.rest(), 0);
            }
        }
    }

    /// Bytes handed on of an empty frame of `kind` with `flags` on `stream`, after HEADERS of
    /// stream 5 with `headers_flags`.
    fn handed_on(headers_flags: u8, kind: u8, flags: u8, stream: u8) -> usize {
        let mut frames = Frames::new();
        frames.pass(PREFACE_BYTES);
        let headers = [0, 0, 0, HEADERS, headers_flags, 0, 0, 0, 5];
        assert_eq!(frames.pass_whole(&headers, 100), HEAD_BYTES);
        let empty = [0, 0, 0, kind, flags, 0, 0, 0, stream];
        assert_eq!(frames.skip(&empty[..HEAD_BYTES - 1]), 0);
        let skipped = frames.skip(&empty);
        frames.pass_whole(&empty[skipped..], 100)
    }

    #[test]
    fn empty_data_that_means_nothing_is_not_handed_on() {
        for stream in [1, 3, 5] {
            assert_eq!(handed_on(END_HEADERS, DATA, 0, stream), 0);
        }
        // Errors, and frames with a meaning.
        for stream in [0, 2, 4, 6, 7] {
            assert_eq!(handed_on(END_HEADERS, DATA, 0, stream), HEAD_BYTES);
        }
        assert_eq!(handed_on(0, DATA, 0, 5), HEAD_BYTES);
        assert_eq!(handed_on(END_HEADERS, DATA, END_STREAM, 5), HEAD_BYTES);
        assert_eq!(handed_on(END_HEADERS, DATA, PADDED, 5), HEAD_BYTES);
        assert_eq!(handed_on(END_HEADERS, CONTINUATION, 0, 5), HEAD_BYTES);
    }
}
