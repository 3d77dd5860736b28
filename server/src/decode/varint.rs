//! Base-128 varints that may arrive a byte at a time.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/#varints>. Accepts and refuses the
//! same as prost: up to ten bytes, overlong forms included, and a tenth byte of at most 1, because
//! more does not fit into 64 bits.

use super::error::WireError;

/// Bits of the number in one byte.
const GROUP_BITS: u32 = 7;

/// Shift of the bits of the tenth and last byte.
const LAST_SHIFT: u32 = 63;

/// The part of a varint read so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Varint {
    value: u64,
    shift: u32,
}

impl Varint {
    /// Whether no byte of a varint has been read.
    pub(super) fn is_empty(self) -> bool {
        self.shift == 0
    }

    /// Reads from `bytes`. Returns the number of bytes read and, if the varint ended there, its
    /// value; the next call then starts a new varint.
    ///
    /// # Errors
    ///
    /// `Malformed` if the number does not fit 64 bits.
    #[inline]
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<(usize, Option<u64>), WireError> {
        // The usual case: a varint of one byte.
        if let [byte @ ..0x80, ..] = *bytes
            && self.is_empty()
        {
            return Ok((1, Some(u64::from(byte))));
        }
        for (index, &byte) in bytes.iter().enumerate() {
            if self.shift == LAST_SHIFT && byte > 1 {
                return Err(WireError::Malformed("varint beyond 64 bits".into()));
            }
            self.value |= u64::from(byte & 0x7f) << self.shift;
            if byte < 0x80 {
                let value = self.value;
                *self = Self::default();
                return Ok((index + 1, Some(value)));
            }
            self.shift += GROUP_BITS;
        }
        Ok((bytes.len(), None))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Value and length as prost reads `bytes`.
    fn by_prost(bytes: &[u8]) -> Option<(u64, usize)> {
        let mut rest = bytes;
        let value = prost::encoding::decode_varint(&mut rest).ok()?;
        Some((value, bytes.len() - rest.len()))
    }

    /// The same in pieces of `piece` bytes.
    fn by_pieces(bytes: &[u8], piece: usize) -> Option<(u64, usize)> {
        let mut varint = Varint::default();
        let mut used = 0;
        for slice in bytes.chunks(piece) {
            let (read, value) = varint.read(slice).ok()?;
            used += read;
            if let Some(value) = value {
                assert!(varint.is_empty());
                return Some((value, used));
            }
            assert_eq!(read, slice.len());
        }
        None
    }

    #[test]
    fn edges_agree_with_prost() {
        for bytes in [
            &[0x00][..],
            &[0x7f],
            &[0x80, 0x01],
            &[0x80, 0x00], // overlong zero
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], // the longest one
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], // u64::MAX
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
            &[
                0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00,
            ],
            &[0x80],
            &[],
        ] {
            for piece in 1..=11 {
                assert_eq!(
                    by_pieces(bytes, piece),
                    by_prost(bytes),
                    "{bytes:02x?} by {piece}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_agree_with_prost(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), 0x80..=0xffu8, 0..3u8], 0..14),
            piece in 1usize..14,
        ) {
            prop_assert_eq!(by_pieces(&bytes, piece), by_prost(&bytes));
        }
    }
}
