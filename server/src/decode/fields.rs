//! Finds where the top-level fields of a message begin and end, and where `data` begins. The bytes
//! may arrive in any pieces.
//!
//! ```text
//!            varint
//!   Key ---------------> Value ----+
//!    |  fixed or         Skip(n) --+--> the field ends: Key
//!    |  length --> Length --^
//!    |  group start, end: Key, one level deeper or less deep
//!    +- data at level 0 --> Length --> its length is the answer
//! ```
//!
//! The scan reads no values: prost decodes the fields it finds. So the scan only needs to find the
//! boundaries that prost would find. prost later checks the rest in the same bytes: that a group
//! ends with the number it began with, how deep groups go, that no number is 0, and the fields of
//! `open`.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/#structure>.

use super::error::WireError;
use super::head::DATA;
use super::varint::Varint;

/// What the next byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// A byte of a field's key.
    Key,
    /// A byte of a varint's value.
    Value,
    /// A byte of a length.
    Length { is_data: bool },
    /// The first of this many bytes of a value; never zero.
    Skip(usize),
}

/// What `Fields::scan` read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scanned {
    /// All of the bytes; they did not contain `data`.
    All,
    /// `used` bytes, which end with the key and the length of `data`.
    Data {
        /// Number of the given bytes that were read.
        used: usize,
        /// The length of `data`.
        data_bytes: usize,
    },
}

/// A scan over the fields of a message.
#[derive(Debug)]
pub(super) struct Fields {
    at: At,
    /// The varint of `at`.
    varint: Varint,
    /// Number of open groups.
    level: usize,
    /// Bytes read, without those of `data`.
    read: usize,
    /// Bytes of whole fields: `read` without the field being read.
    whole: usize,
}

impl Fields {
    /// A scan of a new message.
    pub(super) fn new() -> Self {
        Self {
            at: At::Key,
            varint: Varint::default(),
            level: 0,
            read: 0,
            whole: 0,
        }
    }

    /// Bytes of whole fields read, without those of `data`.
    pub(super) fn whole_bytes(&self) -> usize {
        self.whole
    }

    /// Continues after `data`, whose key and length were the last bytes read.
    pub(super) fn pass_data(&mut self) {
        self.read = self.whole;
        self.at = At::Key;
    }

    /// Reads more `bytes`: at least one, at most `message_left`, the unread bytes of the message.
    ///
    /// The outcome depends only on the bytes, not on how they are split.
    ///
    /// # Errors
    ///
    /// `Malformed` where prost would refuse the message whatever follows; `HeadTooLarge`.
    #[inline]
    pub(super) fn scan(
        &mut self,
        bytes: &[u8],
        message_left: usize,
        head_bytes_max: usize,
    ) -> Result<Scanned, WireError> {
        let mut used = 0;
        while used < bytes.len() {
            if let At::Skip(left) = self.at {
                let skipped = left.min(bytes.len() - used);
                used += skipped;
                self.read += skipped;
                if skipped == left {
                    self.end_field();
                } else {
                    self.at = At::Skip(left - skipped);
                }
                continue;
            }
            let (read, number) = self.varint.read(&bytes[used..])?;
            used += read;
            self.read += read;
            let Some(number) = number else { break };
            match self.at {
                At::Key => self.begin_field(number, message_left - used, head_bytes_max)?,
                At::Length { is_data: true } => {
                    return Ok(Scanned::Data {
                        used,
                        data_bytes: within(number, message_left - used)?,
                    });
                }
                At::Length { is_data: false } => {
                    let length = within(number, message_left - used)?;
                    self.skip(length, head_bytes_max)?;
                }
                At::Value | At::Skip(_) => {
                    self.skip(0, head_bytes_max)?;
                }
            }
        }
        Ok(Scanned::All)
    }

    /// Checks that the message may end here.
    ///
    /// # Errors
    ///
    /// `Malformed` if it ends inside a field.
    pub(super) fn end(&self) -> Result<(), WireError> {
        if self.whole == self.read {
            Ok(())
        } else {
            Err(WireError::Malformed("message ends inside a field".into()))
        }
    }

    /// Reads a key, after which the message has `message_left` bytes.
    fn begin_field(
        &mut self,
        key: u64,
        message_left: usize,
        head_bytes_max: usize,
    ) -> Result<(), WireError> {
        let key = u32::try_from(key)
            .map_err(|_| WireError::Malformed("field key beyond 32 bits".into()))?;
        let (field, wire_type) = (key >> 3, key & 7);
        if self.level == 0 && field == DATA {
            if wire_type != 2 {
                return Err(WireError::Malformed("field data is not bytes".into()));
            }
            self.at = At::Length { is_data: true };
            return Ok(());
        }
        match wire_type {
            0 => self.at = At::Value,
            1 => self.skip(within(8, message_left)?, head_bytes_max)?,
            2 => self.at = At::Length { is_data: false },
            3 => {
                self.level += 1;
                self.check_size(0, head_bytes_max)?;
            }
            4 => {
                self.level = self
                    .level
                    .checked_sub(1)
                    .ok_or_else(|| WireError::Malformed("end of a group never begun".into()))?;
                self.skip(0, head_bytes_max)?;
            }
            5 => self.skip(within(4, message_left)?, head_bytes_max)?,
            _ => return Err(WireError::Malformed("unknown wire type".into())),
        }
        Ok(())
    }

    /// Skips the `length` bytes of a value.
    fn skip(&mut self, length: usize, head_bytes_max: usize) -> Result<(), WireError> {
        self.check_size(length, head_bytes_max)?;
        if length == 0 {
            self.end_field();
        } else {
            self.at = At::Skip(length);
        }
        Ok(())
    }

    fn end_field(&mut self) {
        self.at = At::Key;
        if self.level == 0 {
            self.whole = self.read;
        }
    }

    /// Checks the size of all fields, with `more` bytes still to read.
    fn check_size(&self, more: usize, head_bytes_max: usize) -> Result<(), WireError> {
        if self.read.saturating_add(more) > head_bytes_max {
            return Err(WireError::HeadTooLarge { head_bytes_max });
        }
        Ok(())
    }
}

/// `length`, if the message has that many bytes left.
fn within(length: u64, message_left: usize) -> Result<usize, WireError> {
    usize::try_from(length)
        .ok()
        .filter(|&length| length <= message_left)
        .ok_or_else(|| WireError::Malformed("field is longer than its message".into()))
}
