//! Decodes one request stream: frames in, items out. Its states:
//!
//! ```text
//!  Prefix --> Before --- data ends the message, or there is none: Head --> Data -----+
//!    ^          |                                                         (Data)     |
//!    |          +------- fields follow data ---> Hold ---> After: Head --> HandOut --+
//!    |                   (room is reserved)     (copies)  (fields)        (Data)     |
//!    +------------------------------------- End -------------------------------------+
//! ```

use std::sync::Arc;

use bytes::{Buf, Bytes};

use super::error::WireError;
use super::fields::{Fields, VARINT_BYTES_MAX};
use super::head::{Head, MessageKind};
use super::held::Held;
use super::prefix::{PREFIX_BYTES, parse_prefix};
use crate::limiter::Budget;

/// The largest buffer for fields that is kept for the next message.
pub(super) const KEPT_BYTES_MAX: usize = 512;

/// The most bytes by which the kept fields can exceed `head_bytes_max`: a key and the varint after
/// it, which are checked only when both have been read.
pub(super) const UNCHECKED_BYTES_MAX: usize = 2 * VARINT_BYTES_MAX;

/// Memory limits of one stream's decoder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageLimits {
    /// The most bytes of one message, without its prefix.
    pub(crate) message_bytes_max: usize,
    /// The most bytes of all fields of a message except `data`.
    pub(crate) head_bytes_max: usize,
}

/// A step in the decoding of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A message began: all of its fields except `data`.
    Head(Head),
    /// The next bytes of the message's data, never empty.
    Data(Bytes),
    /// The message ended and is valid.
    End,
}

/// Which bytes of a message come next; see the diagram above.
#[derive(Clone, Copy, Debug)]
enum State {
    /// This many bytes of `Decoder::prefix` have been read.
    Prefix(usize),
    /// The fields before `data`.
    Before,
    /// This many bytes of `data` are left; the message ends with them.
    Data(usize),
    /// The bytes of `data` that `Decoder::held` still needs.
    Hold,
    /// The fields after `data`.
    After,
    /// No bytes: the message has ended, and `Decoder::held` is handed out.
    HandOut,
}

/// How a run of fields ended.
enum Ended {
    /// With the message, or with this many bytes of data that end it: all other fields are known.
    Whole(Head, Option<usize>),
    /// With this many bytes of data that other fields follow.
    Split(usize),
}

/// Incremental decoder of one request stream; see the folder.
#[derive(Debug)]
pub(crate) struct Decoder {
    kind: MessageKind,
    limits: MessageLimits,
    /// The most bytes of one `Item::Data`.
    piece_bytes_max: usize,
    state: State,
    /// The frame being read.
    pub(super) frame: Bytes,
    prefix: [u8; PREFIX_BYTES],
    /// Bytes of the message not yet read.
    message_left: usize,
    fields: Fields,
    /// Bytes of `fields` from frames that were used up, and from before held data.
    pub(super) head: Vec<u8>,
    pub(super) held: Held,
    /// Why the stream was refused, if it was; no other field matters then.
    refused: Option<WireError>,
}

impl Decoder {
    /// A decoder for a new stream of `kind`. It reserves room for held data in `budget`.
    pub(crate) fn new(kind: MessageKind, limits: MessageLimits, budget: &Arc<Budget>) -> Self {
        Self {
            kind,
            limits,
            piece_bytes_max: usize::MAX,
            state: State::Prefix(0),
            frame: Bytes::new(),
            prefix: [0; PREFIX_BYTES],
            message_left: 0,
            fields: Fields::new(),
            head: Vec::new(),
            held: Held::new(budget),
            refused: None,
        }
    }

    /// Adds the next bytes of the stream, which may be split anywhere, once
    /// [`has_more`](Self::has_more) is false.
    pub(crate) fn push(&mut self, frame: Bytes) {
        assert!(!self.has_more(), "unread bytes would be lost");
        if self.refused.is_none() {
            self.frame = frame;
        }
    }

    /// Limits later pieces of data to `bytes` bytes each, at least one.
    pub(crate) fn set_piece_bytes_max(&mut self, bytes: usize) {
        self.piece_bytes_max = bytes.max(1);
    }

    /// The next item, or `None` if it needs more bytes than were pushed.
    ///
    /// # Errors
    ///
    /// The reason why the stream is refused; every later call returns it again. Discard the items
    /// already returned of the refused message.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Item>, WireError> {
        if let Some(error) = &self.refused {
            return Err(error.clone());
        }
        self.read_item().map_err(|error| self.refuse(error))
    }

    /// Whether the next item is held data. It needs no more pushed bytes, and stays here until
    /// `next` is called.
    pub(crate) fn hands_out(&self) -> bool {
        matches!(self.state, State::HandOut) && self.held.has_block()
    }

    /// Whether the pushed bytes may yield an item.
    pub(crate) fn has_more(&self) -> bool {
        self.hands_out() || !self.frame.is_empty()
    }

    /// Checks that the stream may end after the pushed bytes. Call it after `next` has returned
    /// `None`.
    ///
    /// # Errors
    ///
    /// `Truncated` inside a message; the reason if the stream was refused.
    pub(crate) fn end(&self) -> Result<(), WireError> {
        match (&self.refused, self.state) {
            (Some(error), _) => Err(error.clone()),
            (None, State::Prefix(0)) if !self.has_more() => Ok(()),
            (None, _) => Err(WireError::Truncated),
        }
    }

    #[inline]
    fn read_item(&mut self) -> Result<Option<Item>, WireError> {
        loop {
            match self.state {
                State::Prefix(read) => {
                    if !self.read_prefix(read)? {
                        return Ok(None);
                    }
                    self.fields = Fields::new();
                    self.state = State::Before;
                }
                State::Before => match self.read_fields()? {
                    None => return Ok(None),
                    Some(Ended::Whole(head, data_bytes)) => {
                        self.state = State::Data(data_bytes.unwrap_or(0));
                        return Ok(Some(Item::Head(head)));
                    }
                    Some(Ended::Split(data_bytes)) => {
                        self.held.reserve(data_bytes)?;
                        self.head.truncate(self.fields.whole_bytes());
                        self.state = State::Hold;
                    }
                },
                State::Data(0) => {
                    self.state = State::Prefix(0);
                    return Ok(Some(Item::End));
                }
                State::Data(data_left) => {
                    if !self.has_frame() {
                        return Ok(None);
                    }
                    let piece = data_left.min(self.frame.len()).min(self.piece_bytes_max);
                    let data = self.frame.split_to(piece);
                    self.message_left -= data.len();
                    self.state = State::Data(data_left - data.len());
                    return Ok(Some(Item::Data(data)));
                }
                State::Hold => {
                    let data_left = self.held.missing_bytes();
                    if data_left == 0 {
                        self.state = State::After;
                        continue;
                    }
                    if !self.has_frame() {
                        return Ok(None);
                    }
                    let piece = data_left.min(self.frame.len());
                    self.held.push(&self.frame[..piece]);
                    self.frame.advance(piece);
                    self.message_left -= piece;
                }
                State::After => match self.read_fields()? {
                    None => return Ok(None),
                    Some(Ended::Whole(head, None)) => {
                        self.state = State::HandOut;
                        return Ok(Some(Item::Head(head)));
                    }
                    Some(Ended::Whole(_, Some(_)) | Ended::Split(_)) => {
                        return Err(WireError::RepeatedData);
                    }
                },
                State::HandOut => match self.held.pop(self.piece_bytes_max) {
                    Some(data) => return Ok(Some(Item::Data(data))),
                    None => self.state = State::Data(0),
                },
            }
        }
    }

    /// Whether some of the frame is left. If not, drops it, because a `Bytes` keeps its memory even
    /// when it is used up.
    #[inline]
    pub(crate) fn has_frame(&mut self) -> bool {
        if self.frame.is_empty() {
            self.frame = Bytes::new();
            return false;
        }
        true
    }

    /// Continues the prefix, of which `read` bytes are known; returns false if it is incomplete.
    #[inline]
    fn read_prefix(&mut self, mut read: usize) -> Result<bool, WireError> {
        while read < PREFIX_BYTES {
            if !self.has_frame() {
                self.state = State::Prefix(read);
                return Ok(false);
            }
            let piece = self.frame.len().min(PREFIX_BYTES - read);
            self.frame
                .copy_to_slice(&mut self.prefix[read..read + piece]);
            read += piece;
        }
        self.message_left = parse_prefix(self.prefix, self.limits.message_bytes_max)?;
        Ok(true)
    }

    /// Continues a run of fields; `None` if its end has not arrived.
    #[inline]
    fn read_fields(&mut self) -> Result<Option<Ended>, WireError> {
        let head_bytes_max = self.limits.head_bytes_max;
        while self.message_left > 0 {
            if !self.has_frame() {
                return Ok(None);
            }
            let mut used = self.frame.len().min(self.message_left);
            let in_place = self.head.is_empty();
            let bytes = if in_place {
                &self.frame[..used]
            } else {
                used = used.min(self.fields.missing_bytes());
                append(&mut self.head, &self.frame[..used], head_bytes_max);
                &self.head[..]
            };
            let mut left = self.message_left - used;
            let mut data_bytes = None;
            if let Some((length, at)) = self.fields.scan(bytes, left, head_bytes_max)? {
                data_bytes = Some(length);
                used -= bytes.len() - at;
                left = self.message_left - used;
            }
            let ended = if left > data_bytes.unwrap_or(0) {
                if in_place {
                    append(&mut self.head, &self.frame[..used], head_bytes_max);
                }
                data_bytes.map(Ended::Split)
            } else {
                // The usual case: all fields are in one frame, and are decoded in place.
                let head = Head::decode(self.kind, &bytes[..self.fields.whole_bytes()])?;
                self.head.clear();
                self.head.shrink_to(KEPT_BYTES_MAX);
                Some(Ended::Whole(head, data_bytes))
            };
            self.frame.advance(used);
            self.message_left = left;
            if ended.is_some() {
                return Ok(ended);
            }
        }
        // An empty message.
        Ok(Some(Ended::Whole(Head::default(), None)))
    }

    /// Ends the stream permanently and frees held data.
    #[cold]
    fn refuse(&mut self, error: WireError) -> WireError {
        self.frame = Bytes::new();
        self.head = Vec::new();
        self.held.clear();
        self.refused = Some(error.clone());
        error
    }
}

/// Appends `bytes` to `head`. The capacity doubles, up to what fields of `head_bytes_max` bytes can
/// need.
fn append(head: &mut Vec<u8>, bytes: &[u8], head_bytes_max: usize) {
    let needed = head.len() + bytes.len();
    if needed > head.capacity() {
        let most = head_bytes_max.saturating_add(UNCHECKED_BYTES_MAX);
        let capacity = (2 * head.capacity()).min(most).max(needed);
        head.reserve_exact(capacity - head.len());
    }
    head.extend_from_slice(bytes);
}
