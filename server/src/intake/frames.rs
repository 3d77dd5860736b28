//! Finds the frames in what a client sends (RFC 9113 section 4.1).

/// Bytes of a frame's head.
pub(super) const HEAD_BYTES: usize = 9;

/// h2 counts a DATA frame with fewer bytes as if it had so many.
pub(crate) const SMALL_BYTES: usize = 256;

/// The client's preface (RFC 9113 section 3.4).
const PREFACE_BYTES: usize = 24;

const DATA: u8 = 0;

/// Where in a client's frames its bytes are.
#[derive(Debug)]
pub(super) struct Frames {
    head: [u8; HEAD_BYTES],
    head_len: usize,
    /// Bytes before the next head; the client's preface at first.
    rest: usize,
    /// Small DATA frames begun since somebody asked.
    small: usize,
}

impl Frames {
    pub(super) const fn new() -> Self {
        Self {
            head: [0; HEAD_BYTES],
            head_len: 0,
            rest: PREFACE_BYTES,
            small: 0,
        }
    }

    /// Bytes left of the frame that has begun.
    pub(super) const fn rest(&self) -> usize {
        self.rest
    }

    /// Small DATA frames begun since the last call.
    pub(super) fn take_small(&mut self) -> usize {
        std::mem::take(&mut self.small)
    }

    /// Goes over all of `bytes`, which come next.
    pub(super) fn pass(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = &bytes[self.pass_piece(bytes)..];
        }
    }

    /// Goes over as much of `bytes` as should be handed on at once: all that has
    /// `room`, but not the beginning of a frame whose end is missing or has no
    /// room. Of such a frame only the head is handed on: h2 then makes room for
    /// exactly the rest.
    pub(super) fn pass_whole(&mut self, bytes: &[u8], room: usize) -> usize {
        let bytes = &bytes[..bytes.len().min(room)];
        let mut end = 0;
        while end < bytes.len() {
            end += self.pass_piece(&bytes[end..]);
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
            let [a, b, c, kind, ..] = self.head;
            self.head_len = 0;
            self.rest = u32::from_be_bytes([0, a, b, c]) as usize;
            self.small += usize::from(kind == DATA && self.rest < SMALL_BYTES);
        }
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(len: u8) -> Vec<u8> {
        let mut frame = vec![0, 0, len, DATA, 0, 0, 0, 0, 1];
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
        sent.extend_from_slice(&[0, 1, 0, DATA, 0, 0, 0, 0, 1]);
        sent.extend_from_slice(&[0; 256]);
        sent.extend(frame(255));
        sent
    }

    #[test]
    fn small_frames_are_found_however_the_bytes_are_cut() {
        let sent = sent();
        for cut in 1..sent.len() {
            let mut frames = Frames::new();
            for bytes in sent.chunks(cut) {
                frames.pass(bytes);
            }
            assert_eq!(frames.take_small(), 4, "{cut}");
            assert_eq!(frames.take_small(), 0);
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
                assert_eq!(frames.take_small(), 4);
            }
        }
    }
}
