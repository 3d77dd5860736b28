//! Finds the frames in what a client sends (RFC 9113 section 4.1).
//!
//! Why the largest frame is 128 KiB: a message with 64 KiB of data fits one. gRPC's C core sends
//! frames as large as the server allows, grpc-go never more than 16 KiB. With frames of 16 KiB
//! receiving takes 0.38 of 0.57 CPU s/GB (docs/measurements.md, Alternatives that were measured).

use crate::metrics::counters::FrameKind as Kind;

/// Bytes of a frame's head.
pub(crate) const HEAD_BYTES: usize = 9;

/// A frame with fewer bytes costs more than it brings.
pub(crate) const SMALL_BYTES: usize = 256;

/// The client's preface (RFC 9113 section 3.4).
const PREFACE_BYTES: usize = 24;

/// Heads handed on at a time: some microseconds of HTTP/2's time.
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
    /// The head that `bytes` begin with, if all of it is there.
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

/// What began since somebody asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// By [`Kind`].
    pub(crate) frames: [u32; Kind::ALL.len()],
    /// Those of [`Kind::Data`] with fewer than [`SMALL_BYTES`].
    pub(crate) small_data: u32,
    /// Bytes of all [`Kind::Data`], of all [`Kind::Settings`], and of blocks of headers.
    pub(crate) data_bytes: usize,
    pub(crate) settings_bytes: usize,
    pub(crate) headers_bytes: usize,
}

/// Where in a client's frames its bytes are.
///
/// Heads are looked at whole: whoever has the beginning of one keeps it until the rest comes.
#[derive(Debug)]
pub(crate) struct Frames {
    /// Bytes before the next head: the client's preface at first.
    rest: usize,
    /// The last stream that the client opened.
    last_stream: u32,
    /// A block of headers has begun and goes on in the next frame.
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

    /// Bytes left of the frame that has begun.
    pub(crate) const fn rest(&self) -> usize {
        self.rest
    }

    /// What began since the last call.
    pub(crate) fn take_seen(&mut self) -> Seen {
        std::mem::take(&mut self.seen)
    }

    /// Goes over so many bytes of the frame that has begun.
    pub(super) fn pass(&mut self, bytes: usize) {
        self.rest -= bytes;
    }

    /// Goes over the frames at the beginning of `bytes` that mean nothing and are not handed
    /// on: DATA with neither bytes nor padding nor an end, of streams that were opened. h2
    /// counts them for the connection's life, and closes it at the 101st. No more than
    /// [`HEADS_MAX`]; returns how many bytes they have.
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

    /// Goes over as much of `bytes` as should be handed on at once: all that has
    /// `room`, but no more than [`HEADS_MAX`] frames, no head that is not whole, none that
    /// [`Self::skip`] goes over, and not the beginning of a frame whose end is missing or has
    /// no room. Of such a frame only the head is handed on: h2 then makes room for exactly the
    /// rest.
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

    /// Elsewhere even an empty frame is an error that h2 is to see.
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

    /// Preface, settings, three small frames, two that are not.
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

    /// However many bytes there are at a time and whatever room there is: all are handed on
    /// in order, and behind the head of a frame that is not there yet.
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

    /// What is handed on of `kind` with `flags` on `stream`, empty, after HEADERS of stream 5
    /// with these flags.
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
        // What is an error, and what means something.
        for stream in [0, 2, 4, 6, 7] {
            assert_eq!(handed_on(END_HEADERS, DATA, 0, stream), HEAD_BYTES);
        }
        assert_eq!(handed_on(0, DATA, 0, 5), HEAD_BYTES);
        assert_eq!(handed_on(END_HEADERS, DATA, END_STREAM, 5), HEAD_BYTES);
        assert_eq!(handed_on(END_HEADERS, DATA, PADDED, 5), HEAD_BYTES);
        assert_eq!(handed_on(END_HEADERS, CONTINUATION, 0, 5), HEAD_BYTES);
    }
}
