//! The state of one stream (RFC 9113 section 5.1), while at least one side has not ended it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::Code;

/// The streams of a connection, by their numbers.
pub(crate) type Streams<T> = HashMap<u32, Stream<T>, BuildHasherDefault<NumberHasher>>;

/// Hashes stream numbers. A client that chooses them so that they collide slows down its own
/// connection only, by as much as its streams are allowed.
#[derive(Debug, Default)]
pub(crate) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn write_u32(&mut self, number: u32) {
        // Fibonacci hashing: the high bits depend on all bits of the number.
        self.0 = u64::from(number)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(32);
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// An open or half-closed stream.
#[derive(Debug)]
pub(crate) struct Stream<T> {
    /// The caller's, once it has accepted the request.
    pub(crate) user: Option<T>,
    /// Bytes that the peer may still send.
    pub(crate) receive_window: u32,
    /// Bytes that this side may still send. A change of SETTINGS may make it negative.
    pub(crate) send_window: i64,
    /// Bytes of the body that are still to come, if the request announced its length.
    content_left: Option<u64>,
    pub(crate) is_remote_ended: bool,
    pub(crate) has_sent_headers: bool,
    pub(crate) is_local_ended: bool,
}

impl<T> Stream<T> {
    /// A stream whose request has arrived. `ends`: it has no body.
    pub(crate) const fn new(
        receive_window: u32,
        send_window: u32,
        content_length: Option<u64>,
        ends: bool,
    ) -> Self {
        Self {
            user: None,
            receive_window,
            send_window: send_window as i64,
            content_left: content_length,
            is_remote_ended: ends,
            has_sent_headers: false,
            is_local_ended: false,
        }
    }

    pub(crate) const fn is_closed(&self) -> bool {
        self.is_remote_ended && self.is_local_ended
    }

    /// A frame has `bytes` of the body, and is the last one if it `ends` the body.
    ///
    /// # Errors
    /// The request announced another length (section 8.1.1).
    pub(crate) fn expect(&mut self, bytes: usize, ends: bool) -> Result<(), Code> {
        if let Some(left) = &mut self.content_left {
            *left = left.checked_sub(bytes as u64).ok_or(Code::PROTOCOL_ERROR)?;
            if ends && *left > 0 {
                return Err(Code::PROTOCOL_ERROR);
            }
        }
        Ok(())
    }
}
