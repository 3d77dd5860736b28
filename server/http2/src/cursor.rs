//! How far the received bytes have been read.

use bytes::{Buf as _, Bytes};

use crate::frame::{HEAD_BYTES, Head, PREFACE};

/// What is to be read next.
#[derive(Debug)]
pub(crate) enum Reading {
    /// The number of bytes of the preface that have been read.
    Preface(usize),
    Head,
    Payload(Head),
    Data(Data),
    /// Bytes without a meaning.
    Skip(usize),
}

/// The rest of a DATA frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    pub(crate) stream: u32,
    /// The padding's length is still to come.
    pub(crate) has_padding: bool,
    pub(crate) bytes_left: usize,
    pub(crate) padding_bytes: usize,
    pub(crate) ends: bool,
    /// Bytes of the flow-control windows that no piece has taken yet.
    pub(crate) window_bytes: u32,
}

/// A header block of which more is to come.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) stream: u32,
    pub(crate) ends: bool,
    pub(crate) depends_on_itself: bool,
    pub(crate) bytes: Vec<u8>,
}

/// How far the received bytes have been read.
#[derive(Debug)]
pub(crate) struct Receiving {
    pub(crate) reading: Reading,
    /// The beginning of a head or of a payload.
    pub(crate) partial: Vec<u8>,
    pub(crate) block: Option<Block>,
    pub(crate) has_settings: bool,
}

impl Receiving {
    pub(crate) const fn new() -> Self {
        Self {
            reading: Reading::Preface(0),
            partial: Vec::new(),
            block: None,
            has_settings: false,
        }
    }

    /// The part of the preface that has been read, if it is not complete.
    pub(crate) fn preface_read(&self) -> Option<&'static [u8]> {
        match self.reading {
            Reading::Preface(read) => Some(&PREFACE[..read]),
            _ => None,
        }
    }

    /// Whether the last frame has arrived completely.
    pub(crate) fn is_between_frames(&self) -> bool {
        matches!(self.reading, Reading::Head) && self.partial.is_empty() && self.block.is_none()
    }

    /// The next `count` bytes, if all have arrived.
    pub(crate) fn take(&mut self, count: usize, input: &mut Bytes) -> Option<Bytes> {
        if self.partial.is_empty() && input.len() >= count {
            return Some(input.split_to(count));
        }
        let missing = count - self.partial.len();
        let taken = input.split_to(missing.min(input.len()));
        self.partial.extend_from_slice(&taken);
        (taken.len() == missing).then(|| std::mem::take(&mut self.partial).into())
    }

    /// The next head, if it has arrived.
    pub(crate) fn take_head(&mut self, input: &mut Bytes) -> Option<Head> {
        if self.partial.is_empty()
            && let Some(head) = Head::decode_first(input)
        {
            input.advance(HEAD_BYTES);
            return Some(head);
        }
        let head = self.take(HEAD_BYTES, input)?;
        Head::decode_first(&head)
    }
}
