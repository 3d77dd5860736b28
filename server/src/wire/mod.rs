//! Decodes the request streams of `Digest` and `Verify` frame by frame, handing
//! the bytes of `data` on without a copy and before their message is whole.
//!
//! ```text
//! mod.rs      Decoder: frames in, items out
//! fields.rs   finds field boundaries, and `data`, in bytes split anywhere
//! varint.rs   a varint that may arrive a byte at a time
//! head.rs     Head: everything but `data`, decoded by prost
//! error.rs    WireError
//! oracle.rs   (tests, fuzzing) the same stream decoded by prost, and the comparison
//! streams.rs  (tests) made-up streams
//! tests.rs    the comparison over them
//! ```
//!
//! The way of a byte: an HTTP/2 DATA frame is `push`ed; `next` yields items until
//! it has used the frame up. Per message that is one `Head`, then the `Data`
//! slices (of the frames themselves, as many as frames hold a piece of them,
//! none empty), then `End`.
//!
//! ```text
//!             prefix read           data's length read            data used up
//!  +-> Prefix -----------> Before ---------------------> Data ------------------> After -+
//!  |                         |            Head          | ^ Data                  ^      |
//!  |                         +----------- message ends: Head ---------------------+      |
//!  +------------------------------------- message ends: End -----------------------------+
//! ```
//!
//! **It agrees with prost.** The fields before `data` and those after it are
//! decoded by prost itself from exactly the bytes they came in, so that the
//! merging of repeated fields, unknown fields, groups, depth and invalid input
//! mean what they mean to prost. What prost refuses is refused; what is accepted
//! is what prost decodes. Three things that prost takes are refused: more than
//! one `data` in a message, a known field after `data` (the usual encoders write
//! fields once and in the order of their numbers, so neither comes from them), and
//! fields besides `data` that exceed `Limits::head_bytes_max`.
//!
//! **It is bounded.** It holds the frames pushed but not yet taken, and at most
//! `head_bytes_max` bytes and two varints of fields whose end has not arrived.
//! Fields that lie in one frame are decoded where they are; a message of nothing
//! but `data` allocates nothing.
//!
//! Sources: gRPC over HTTP/2, "Length-Prefixed-Message"
//! (<https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>); protobuf
//! encoding (<https://protobuf.dev/programming-guides/encoding/>).

mod error;
mod fields;
mod head;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod tests;
mod varint;

use std::collections::VecDeque;

use bytes::{Buf, Bytes};

pub(crate) use error::WireError;
use fields::{Bounds, Fields, Scanned};
pub(crate) use head::{Head, MessageKind};

/// Bytes of gRPC's prefix: a compressed flag, and the length in big-endian order.
const PREFIX_BYTES: usize = 5;

/// The largest buffer for fields that is kept from one message to the next.
const KEPT_BYTES_MAX: usize = 512;

/// The most bytes by which held fields can exceed `head_bytes_max`: the key and
/// the varint after it, which count once both have been read.
const UNCHECKED_BYTES_MAX: usize = 20;

/// What a stream may ask of the decoder's memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The most bytes of one message, its prefix aside.
    pub(crate) message_bytes_max: usize,
    /// The most bytes of all fields before `data`, and of all after it.
    pub(crate) head_bytes_max: usize,
}

/// A step in the decoding of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A message began: everything in it but its data.
    Head(Head),
    /// The next bytes of the message's data, never empty.
    Data(Bytes),
    /// The message ended, and is valid as a whole.
    End,
}

/// Which bytes of a message come next; drawn at the top.
#[derive(Clone, Copy, Debug)]
enum State {
    /// This many bytes of `Decoder::prefix` have been read.
    Prefix(usize),
    /// The fields before `data`.
    Before,
    /// This many bytes of `data`.
    Data(usize),
    /// The fields after `data`, or nothing if there was no `data`.
    After,
}

/// What a run of fields ended with.
enum Ended {
    /// With `data`, of this many bytes.
    Data(usize),
    /// With the message.
    Message,
}

/// An incremental decoder of one request stream; see the module.
#[derive(Debug)]
pub(crate) struct Decoder {
    kind: MessageKind,
    limits: Limits,
    state: State,
    /// The frame being read.
    frame: Bytes,
    /// The frames behind it. Empty as long as each frame is used up before the
    /// next is pushed.
    frames: VecDeque<Bytes>,
    prefix: [u8; PREFIX_BYTES],
    /// Bytes of the message not yet read.
    message_left: usize,
    fields: Fields,
    /// The bytes of `fields` from frames that were used up.
    held: Vec<u8>,
    /// Why the stream was refused, if it was; then nothing else counts.
    refused: Option<WireError>,
}

impl Decoder {
    /// A decoder for a stream of `kind` that has read nothing.
    pub(crate) fn new(kind: MessageKind, limits: Limits) -> Self {
        Self {
            kind,
            limits,
            state: State::Prefix(0),
            frame: Bytes::new(),
            frames: VecDeque::new(),
            prefix: [0; PREFIX_BYTES],
            message_left: 0,
            fields: Fields::new(),
            held: Vec::new(),
            refused: None,
        }
    }

    /// Adds the next bytes of the stream, split from the others anywhere. Cheapest
    /// when `next` has returned `None` before.
    pub(crate) fn push(&mut self, frame: Bytes) {
        if frame.is_empty() || self.refused.is_some() {
            return;
        }
        if self.frame.is_empty() {
            self.frame = frame;
        } else {
            self.frames.push_back(frame);
        }
    }

    /// The next item, or `None` if that takes more bytes than were pushed.
    ///
    /// # Errors
    ///
    /// The reason why the stream is refused; every later call returns it again.
    /// The items of its message that came before must be thrown away.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Item>, WireError> {
        if let Some(error) = &self.refused {
            return Err(error.clone());
        }
        self.read_item().map_err(|error| self.refuse(error))
    }

    /// Checks that the stream may end after the bytes pushed, once `next` has
    /// returned `None`.
    ///
    /// # Errors
    ///
    /// `Truncated` inside a message; the reason if the stream was refused.
    pub(crate) fn end(&self) -> Result<(), WireError> {
        match (&self.refused, self.state) {
            (Some(error), _) => Err(error.clone()),
            (None, State::Prefix(0)) if self.frame.is_empty() => Ok(()),
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
                State::Before => {
                    let Some((head, ended)) = self.read_fields(false)? else {
                        return Ok(None);
                    };
                    self.state = match ended {
                        Ended::Data(data_bytes) => State::Data(data_bytes),
                        Ended::Message => State::After,
                    };
                    return Ok(Some(Item::Head(head)));
                }
                State::Data(0) => {
                    self.fields = Fields::new();
                    self.state = State::After;
                }
                State::Data(data_left) => {
                    if !self.has_frame() {
                        return Ok(None);
                    }
                    let data = self.frame.split_to(data_left.min(self.frame.len()));
                    self.message_left -= data.len();
                    self.state = State::Data(data_left - data.len());
                    return Ok(Some(Item::Data(data)));
                }
                State::After => {
                    if self.message_left > 0 {
                        match self.read_fields(true)? {
                            None => return Ok(None),
                            Some((_, Ended::Data(_))) => return Err(WireError::RepeatedData),
                            Some((_, Ended::Message)) => {}
                        }
                    }
                    self.state = State::Prefix(0);
                    return Ok(Some(Item::End));
                }
            }
        }
    }

    /// Makes `frame` the next one that holds anything; false if there is none. Then
    /// the last one is let go: a `Bytes` keeps its memory even when used up.
    #[inline]
    fn has_frame(&mut self) -> bool {
        if self.frame.is_empty() {
            match self.frames.pop_front() {
                Some(frame) => self.frame = frame,
                None => {
                    self.frame = Bytes::new();
                    return false;
                }
            }
        }
        true
    }

    /// Reads on in the prefix, of which `read` bytes are known; false if it has
    /// not arrived whole.
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
        let [compressed, length @ ..] = self.prefix;
        match compressed {
            0 => {}
            1 => return Err(WireError::Compressed),
            _ => {
                return Err(WireError::Malformed(
                    "compressed flag is neither 0 nor 1".into(),
                ));
            }
        }
        let message_bytes = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        let message_bytes_max = self.limits.message_bytes_max;
        if message_bytes > message_bytes_max {
            return Err(WireError::MessageTooLarge {
                message_bytes,
                message_bytes_max,
            });
        }
        self.message_left = message_bytes;
        Ok(true)
    }

    /// Reads on in a run of fields; `None` if its end has not arrived. Fields
    /// after `data` are read so that prost can refuse them: what they decode to
    /// is a default `Head`, since none of them is known.
    #[inline]
    fn read_fields(&mut self, after_data: bool) -> Result<Option<(Head, Ended)>, WireError> {
        let bounds = Bounds {
            kind: self.kind,
            after_data,
            head_bytes_max: self.limits.head_bytes_max,
        };
        while self.message_left > 0 {
            if !self.has_frame() {
                return Ok(None);
            }
            let window = &self.frame[..self.frame.len().min(self.message_left)];
            let (used, ended) = match self.fields.scan(window, self.message_left, bounds)? {
                Scanned::Data { used, data_bytes } => (used, Some(Ended::Data(data_bytes))),
                Scanned::All if window.len() < self.message_left => (window.len(), None),
                Scanned::All => {
                    self.fields.end()?;
                    (window.len(), Some(Ended::Message))
                }
            };
            let head = match &ended {
                // The usual case: all in one frame, decoded where it lies.
                Some(_) if self.held.is_empty() => Some(Head::decode(
                    self.kind,
                    &window[..self.fields.whole_bytes()],
                )?),
                Some(_) => {
                    hold(&mut self.held, &window[..used], bounds.head_bytes_max);
                    let whole = &self.held[..self.fields.whole_bytes()];
                    let head = Head::decode(self.kind, whole)?;
                    self.held.clear();
                    self.held.shrink_to(KEPT_BYTES_MAX);
                    Some(head)
                }
                None => {
                    hold(&mut self.held, window, bounds.head_bytes_max);
                    None
                }
            };
            self.frame.advance(used);
            self.message_left -= used;
            if let (Some(head), Some(ended)) = (head, ended) {
                return Ok(Some((head, ended)));
            }
        }
        // Nothing at all: an empty message, or one whose data was its end.
        Ok(Some((Head::default(), Ended::Message)))
    }

    /// Ends the stream for good and frees what is held.
    #[cold]
    fn refuse(&mut self, error: WireError) -> WireError {
        self.frame = Bytes::new();
        self.frames = VecDeque::new();
        self.held = Vec::new();
        self.refused = Some(error.clone());
        error
    }
}

/// Appends `bytes` to `held`, which doubles as it grows, but not beyond what
/// fields of `head_bytes_max` bytes can need.
fn hold(held: &mut Vec<u8>, bytes: &[u8], head_bytes_max: usize) {
    let needed = held.len() + bytes.len();
    if needed > held.capacity() {
        let most = head_bytes_max.saturating_add(UNCHECKED_BYTES_MAX);
        let capacity = (2 * held.capacity()).min(most).max(needed);
        held.reserve_exact(capacity - held.len());
    }
    held.extend_from_slice(bytes);
}
