//! Finds the frames in what a client sends (RFC 9113 section 4.1).

use crate::metrics::counters::FrameKind as Kind;

/// Bytes of a frame's head.
pub(super) const HEAD_BYTES: usize = 9;

/// A frame with fewer bytes costs more than it brings.
pub(crate) const SMALL_BYTES: usize = 256;

/// The client's preface (RFC 9113 section 3.4).
const PREFACE_BYTES: usize = 24;

/// Heads handed on at a time: some microseconds of HTTP/2's time.
const HEADS_MAX: usize = 64;

const END_STREAM: u8 = 1;

/// What a frame with this head is.
fn kind([a, b, c, kind, flags, ..]: [u8; HEAD_BYTES]) -> Kind {
    match kind {
        0 if [a, b, c] == [0; 3] && flags & END_STREAM == 0 => Kind::EmptyData,
        0 => Kind::Data,
        1 => Kind::Headers,
        2 => Kind::Priority,
        3 => Kind::Reset,
        4 => Kind::Settings,
        6 => Kind::Ping,
        8 => Kind::WindowUpdate,
        9 => Kind::Continuation,
        _ => Kind::Other,
    }
}

/// What began since somebody asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// By [`Kind`].
    pub(super) frames: [u32; Kind::ALL.len()],
    /// Those of [`Kind::Data`] with fewer than [`SMALL_BYTES`].
    pub(super) small_data: u32,
    /// Bytes of all [`Kind::Data`], and of all [`Kind::Settings`].
    pub(super) data_bytes: usize,
    pub(super) settings_bytes: usize,
}

/// Where in a client's frames its bytes are.
#[derive(Debug)]
pub(super) struct Frames {
    head: [u8; HEAD_BYTES],
    head_len: usize,
    /// Bytes before the next head; the client's preface at first.
    rest: usize,
    seen: Seen,
}

impl Frames {
    pub(super) fn new() -> Self {
        Self {
            head: [0; HEAD_BYTES],
            head_len: 0,
            rest: PREFACE_BYTES,
            seen: Seen::default(),
        }
    }

    /// Bytes left of the frame that has begun.
    pub(super) const fn rest(&self) -> usize {
        self.rest
    }

    /// What began since the last call.
    pub(super) fn take_seen(&mut self) -> Seen {
        std::mem::take(&mut self.seen)
    }

    /// Goes over all of `bytes`, which come next.
    pub(super) fn pass(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = &bytes[self.pass_piece(bytes)..];
        }
    }

    /// Goes over as much of `bytes` as should be handed on at once: all that has
    /// `room`, but no more than [`HEADS_MAX`] frames, and not the beginning of a frame
    /// whose end is missing or has no room. Of such a frame only the head is handed on:
    /// h2 then makes room for exactly the rest.
    pub(super) fn pass_whole(&mut self, bytes: &[u8], room: usize) -> usize {
        let bytes = &bytes[..bytes.len().min(room)];
        let mut end = 0;
        let mut heads = 0;
        while end < bytes.len() && heads < HEADS_MAX {
            end += self.pass_piece(&bytes[end..]);
            heads += usize::from(self.head_len == 0);
            let at_its_beginning = self.head_len == 0 && self.rest > 0;
            if at_its_beginning && self.rest > bytes.len() - end {
                break;
            }
        }
        end
    }

    /// The rest of a frame, or of a head, or as much of it as there is.
    fn pass_piece(&mut self, bytes: &[u8]) -> usize {
        if self.rest > 0 {
            let passed = self.rest.min(bytes.len());
            self.rest -= passed;
            return passed;
        }
        let passed = (HEAD_BYTES - self.head_len).min(bytes.len());
        self.head[self.head_len..][..passed].copy_from_slice(&bytes[..passed]);
        self.head_len += passed;
        if self.head_len == HEAD_BYTES {
            let [a, b, c, ..] = self.head;
            self.head_len = 0;
            self.rest = u32::from_be_bytes([0, a, b, c]) as usize;
            let kind = kind(self.head);
            self.seen.frames[kind as usize] += 1;
            match kind {
                Kind::Data => {
                    self.seen.small_data += u32::from(self.rest < SMALL_BYTES);
                    self.seen.data_bytes += self.rest;
                }
                Kind::Settings => self.seen.settings_bytes += self.rest,
                _ => {}
            }
        }
        passed
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

    #[test]
    fn frames_are_found_however_the_bytes_are_cut() {
        let sent = sent();
        for cut in 1..sent.len() {
            let mut frames = Frames::new();
            for bytes in sent.chunks(cut) {
                frames.pass(bytes);
            }
            let seen = frames.take_seen();
            assert_eq!(
                (seen.small_data, seen.data_bytes),
                (4, 30 + 256 + 255),
                "{cut}"
            );
            assert_eq!(seen.frames[Kind::Settings as usize], 1);
            assert_eq!(frames.take_seen(), Seen::default());
            assert_eq!((frames.rest(), frames.head_len), (0, 0));
        }
    }

    /// However the bytes come and whatever room there is: all are handed on in
    /// order, and behind the head of a frame that is not there yet.
    #[test]
    fn bytes_are_handed_on_up_to_the_head_of_a_frame_to_come() {
        let sent = sent();
        for cut in 1..=sent.len() {
            for room in [1, 9, 19, 64, 300, 1000] {
                let mut frames = Frames::new();
                let mut known = Frames::new();
                for bytes in sent.chunks(cut) {
                    let mut start = 0;
                    while start < bytes.len() {
                        let passed = frames.pass_whole(&bytes[start..], room);
                        assert!((1..=room).contains(&passed), "{cut} {room}");
                        known.pass(&bytes[start..start + passed]);
                        start += passed;
                        assert_eq!(known.rest(), frames.rest());
                        let more = bytes.len() - start;
                        if frames.rest() > 0 && passed < room && more > 0 {
                            assert!(frames.rest() > more.min(room - passed), "{cut} {room}");
                        }
                    }
                }
                assert_eq!(frames.take_seen().small_data, 4);
            }
        }
    }
}
