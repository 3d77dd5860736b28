//! Finds where the top-level fields of a message begin and end, and where `data` begins.
//!
//! The scan reads no values: prost decodes the fields it finds. So the scan only needs to find the
//! boundaries that prost would find. prost later checks the rest in the same bytes: that a group
//! ends with the number it began with, how deep groups go, and the fields of `open`.
//!
//! **Why a field is read from its start again.** Bytes may arrive one at a time. The scan needs a
//! field's bytes in one slice, and tells how many are missing. To read the key and the length again
//! costs less than the state between two of their bytes. The scan never reads a whole field twice,
//! and in a group it continues after the last whole field of the group.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/#structure>.

use prost::DecodeError;
use prost::encoding::{WireType, decode_key, decode_varint};

use super::error::WireError;
use super::head::DATA;

/// The most bytes of a varint.
pub(super) const VARINT_BYTES_MAX: usize = 10;

/// A scan over the fields of a message.
#[derive(Debug)]
pub(super) struct Fields {
    /// Number of open groups.
    level: usize,
    /// Bytes of whole fields, at any level, and of the keys of open groups.
    read: usize,
    /// Bytes of whole fields at level 0.
    whole: usize,
    /// The fewest bytes that the next field still needs.
    missing: usize,
}

impl Fields {
    /// A scan of a new message.
    pub(super) fn new() -> Self {
        Self {
            level: 0,
            read: 0,
            whole: 0,
            missing: 1,
        }
    }

    /// Bytes of whole fields read, without those of `data`.
    pub(super) fn whole_bytes(&self) -> usize {
        self.whole
    }

    /// The fewest bytes that `scan` needs in addition to the bytes of its last call. They are not
    /// bytes of `data`.
    pub(super) fn missing_bytes(&self) -> usize {
        self.missing
    }

    /// Reads on in `bytes`, the bytes of all fields but `data` that have arrived. The message has
    /// `left` more bytes. Returns the length of `data` and how many of the `bytes` end with the key
    /// and the length of `data`, if `bytes` contain both.
    ///
    /// The outcome depends only on the bytes, not on the calls in which they are added.
    ///
    /// # Errors
    ///
    /// `Malformed` where prost would refuse the message whatever follows; `HeadTooLarge`.
    #[inline]
    pub(super) fn scan(
        &mut self,
        bytes: &[u8],
        left: usize,
        head_bytes_max: usize,
    ) -> Result<Option<(usize, usize)>, WireError> {
        self.missing = 1;
        loop {
            let mut rest = &bytes[self.read..];
            if rest.is_empty() && left == 0 && self.level == 0 {
                return Ok(None);
            }
            if is_cut(rest) {
                return goes_on(left);
            }
            let (field, wire_type) = decode_key(&mut rest).map_err(malformed)?;
            let is_data = self.level == 0 && field == DATA;
            if is_data && wire_type != WireType::LengthDelimited {
                return Err(WireError::Malformed("field data is not bytes".into()));
            }
            let mut value_bytes = 0;
            match wire_type {
                WireType::Varint | WireType::LengthDelimited => {
                    if is_cut(rest) {
                        return goes_on(left);
                    }
                    let number = decode_varint(&mut rest).map_err(malformed)?;
                    if wire_type == WireType::LengthDelimited {
                        value_bytes = usize::try_from(number).unwrap_or(usize::MAX);
                    }
                }
                WireType::SixtyFourBit => value_bytes = 8,
                WireType::ThirtyTwoBit => value_bytes = 4,
                WireType::StartGroup => self.level += 1,
                WireType::EndGroup => {
                    self.level = self
                        .level
                        .checked_sub(1)
                        .ok_or_else(|| WireError::Malformed("end of a group never begun".into()))?;
                }
            }
            if value_bytes > rest.len() + left {
                return Err(WireError::Malformed(
                    "field is longer than its message".into(),
                ));
            }
            let value_at = bytes.len() - rest.len();
            if is_data {
                return Ok(Some((value_bytes, value_at)));
            }
            let end = value_at + value_bytes;
            if end > head_bytes_max {
                return Err(WireError::HeadTooLarge { head_bytes_max });
            }
            if end > bytes.len() {
                self.missing = end - bytes.len();
                return Ok(None);
            }
            self.read = end;
            if self.level == 0 {
                self.whole = end;
            }
        }
    }
}

/// Whether `bytes` end inside the varint that they begin with.
fn is_cut(bytes: &[u8]) -> bool {
    bytes.len() < VARINT_BYTES_MAX && bytes.iter().all(|&byte| byte >= 0x80)
}

/// Nothing yet, if the message has bytes left.
fn goes_on(left: usize) -> Result<Option<(usize, usize)>, WireError> {
    if left > 0 {
        Ok(None)
    } else {
        Err(WireError::Malformed("message ends inside a field".into()))
    }
}

#[cold]
fn malformed(error: DecodeError) -> WireError {
    WireError::Malformed(error.to_string().into())
}
