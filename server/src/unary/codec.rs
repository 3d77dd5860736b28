//! Decodes messages of unary calls in pieces, because thousands of fields take longer than a turn.
//! Encodes answers.
//!
//! ```text
//! message ── a piece's fields are counted ──> decoded, merged into the request ── next piece
//! ```
//!
//! An empty blob takes two bytes in a message and 32 bytes in memory: 4 MiB of empty blobs take 64
//! MiB. So repeated fields are counted, up to their bound, and charged before they are decoded.

use bytes::{Bytes, BytesMut};
use prost::DecodeError;
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use tonic::Status;

use crate::decode::{PREFIX_BYTES, encode_prefix};
use crate::http2::Link;
use crate::limiter::Permit;
use crate::limits::{DECODED_FIELD_BYTES, DECODED_NUMBER_BYTES};
use crate::status::{self, Reason};

/// Fields decoded between two checks of the turn: some 20 us.
const PIECE_FIELDS: usize = 256;

/// Bytes of a message's fields that do not repeat: more than any message needs.
pub(super) const HEAD_BYTES_MAX: usize = 4096;

/// Limits of a message: of its repeated field, and of all other fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Number and name of the repeated field.
    pub(super) field: u32,
    pub(super) name: &'static str,
    pub(super) max: usize,
    /// The status for one field too many.
    pub(super) too_many: fn(usize) -> Status,
    /// Bytes of all other fields.
    pub(super) head_bytes_max: usize,
}

impl Bounds {
    /// Limits of a message without a repeated field.
    pub(super) const PLAIN: Self = Self {
        // No field has this number.
        field: 0,
        name: "none",
        max: 0,
        too_many: |max| status::limit(Reason::MessageHeadTooLarge, format!("more than {max}")),
        head_bytes_max: HEAD_BYTES_MAX,
    };

    /// Decodes a message within these limits.
    ///
    /// Each piece of a message is a message; merging them yields the whole, because repeated fields
    /// are appended. `permit` grows by the decoded form.
    ///
    /// # Errors
    /// The message exceeds a limit, is malformed, or there is no room for its decoded form.
    pub(super) async fn decode<M>(
        &self,
        mut message: Bytes,
        permit: &mut Permit,
        link: &Link,
    ) -> Result<M, Status>
    where
        M: Message + Default,
    {
        let mut decoded = M::default();
        let mut left = *self;
        while !message.is_empty() {
            link.next_turn().await;
            self.decode_piece(&mut message, &mut left, permit, &mut decoded)?;
        }
        Ok(decoded)
    }

    /// Decodes one piece of a message; `left` is the rest of the limits.
    fn decode_piece(
        &self,
        message: &mut Bytes,
        left: &mut Self,
        permit: &mut Permit,
        decoded: &mut impl Message,
    ) -> Result<(), Status> {
        let (piece, bytes) = self.check(message, left)?;
        if !permit.grow(bytes) {
            return Err(status::no_unary_bytes(permit.budget(), bytes));
        }
        let merged = decoded.merge(message.split_to(piece));
        merged.map_err(|error| malformed(&error))
    }

    /// Checks fields of one piece. Returns their bytes, and those of their decoded form.
    fn check(&self, message: &[u8], left: &mut Self) -> Result<(usize, usize), Status> {
        let (mut unread, mut decoded) = (message, 0);
        for _ in 0..PIECE_FIELDS {
            if unread.is_empty() {
                break;
            }
            decoded += self.check_field(&mut unread, left)?;
        }
        Ok((message.len() - unread.len(), decoded))
    }

    /// Checks one field. Returns the bytes of its decoded form.
    fn check_field(&self, message: &mut &[u8], left: &mut Self) -> Result<usize, Status> {
        let whole = *message;
        let (field, wire_type) = decode_key(message).map_err(|e| malformed(&e))?;
        if field == self.field && wire_type == WireType::LengthDelimited {
            let fields = left.max.checked_sub(1);
            left.max = fields.ok_or_else(|| (self.too_many)(self.max))?;
            let length = decode_varint(message).map_err(|e| malformed(&e))?;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            *message = message.get(length..).ok_or_else(|| {
                status::malformed(format!("one of {} is longer than its message", self.name))
            })?;
            return Ok(DECODED_FIELD_BYTES);
        }
        // Examines no more bytes than the limit allows.
        let (window, beyond) = message.split_at(left.head_bytes_max.min(message.len()));
        let mut unread = window;
        let skipped = skip_field(wire_type, field, &mut unread, DecodeContext::default());
        if let Err(error) = skipped {
            return Err(if beyond.is_empty() {
                malformed(&error)
            } else {
                self.head_too_large()
            });
        }
        *message = &message[window.len() - unread.len()..];
        let field = &whole[..whole.len() - message.len()];
        let head_bytes = left.head_bytes_max.checked_sub(field.len());
        left.head_bytes_max = head_bytes.ok_or_else(|| self.head_too_large())?;
        // Each number ends with a byte below 128.
        let numbers = field.iter().filter(|byte| **byte < 0x80).count();
        Ok(numbers * DECODED_NUMBER_BYTES)
    }

    fn head_too_large(&self) -> Status {
        let Self {
            name,
            head_bytes_max,
            ..
        } = self;
        status::limit(
            Reason::MessageHeadTooLarge,
            format!("fields other than {name} take more than the limit of {head_bytes_max} bytes"),
        )
    }
}

/// An answer as a gRPC message.
pub(super) fn encode(message: &impl Message) -> Result<Bytes, Status> {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(PREFIX_BYTES + length);
    bytes.extend_from_slice(&prefix(length)?);
    let encoded = message.encode(&mut bytes);
    encoded.map_err(|error| Status::internal(error.to_string()))?;
    Ok(bytes.freeze())
}

/// The gRPC prefix of a message of `length` bytes.
///
/// # Errors
/// The length does not fit into the 32 bits of the prefix.
pub(super) fn prefix(length: usize) -> Result<[u8; PREFIX_BYTES], Status> {
    let length = u32::try_from(length).map_err(|error| Status::internal(error.to_string()))?;
    Ok(encode_prefix(length))
}

fn malformed(error: &DecodeError) -> Status {
    status::malformed(format!("malformed message: {error}"))
}

#[cfg(test)]
mod tests {
    use hashlane_proto::v1::DigestBatchRequest;
    use proptest::prelude::*;
    use tonic::Code;

    use super::*;
    use crate::limiter::Budget;
    use crate::unary::batch;

    fn decode(message: &[u8], blobs_max: usize) -> Result<DigestBatchRequest, Status> {
        let bounds = batch::bounds(blobs_max);
        let (mut left, mut decoded) = (bounds, DigestBatchRequest::default());
        let mut message = Bytes::copy_from_slice(message);
        let mut permit = Budget::new(usize::MAX).nothing();
        while !message.is_empty() {
            bounds.decode_piece(&mut message, &mut left, &mut permit, &mut decoded)?;
        }
        Ok(decoded)
    }

    proptest! {
        /// Accepts the messages that are well-formed and small, and decodes them as prost does.
        #[test]
        fn it_agrees_with_prost(
            algorithms in prop::collection::vec(any::<i32>(), 0..20),
            blobs in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..8),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        ) {
            let blobs = blobs.into_iter().map(Bytes::from).collect();
            let mut bytes = DigestBatchRequest { algorithms, blobs }.encode_to_vec();
            for (index, byte) in changes {
                if !bytes.is_empty() {
                    let at = index.index(bytes.len());
                    bytes[at] = byte;
                }
            }
            let decoded = DigestBatchRequest::decode(&bytes[..]);
            match decode(&bytes, 7) {
                Ok(batch) => {
                    prop_assert!(batch.blobs.len() <= 7);
                    prop_assert_eq!(decoded, Ok(batch));
                }
                Err(refusal) if refusal.code() == Code::ResourceExhausted => {}
                Err(refusal) => prop_assert!(decoded.is_err(), "{refusal:?}"),
            }
        }
    }

    #[test]
    fn pieces_make_the_whole() {
        let blob = |index: usize| vec![b'x'; index % 7].into();
        let batch = DigestBatchRequest {
            algorithms: vec![1, 6],
            blobs: (0..5 * PIECE_FIELDS).map(blob).collect(),
        };
        let bytes = batch.encode_to_vec();
        assert_eq!(decode(&bytes, batch.blobs.len()).unwrap(), batch);
        let refusal = decode(&bytes, batch.blobs.len() - 1).unwrap_err();
        assert_eq!(refusal.code(), Code::ResourceExhausted, "{refusal:?}");
    }

    #[test]
    fn it_looks_no_further_than_the_bounds() {
        let code = |message: &[u8], blobs_max| decode(message, blobs_max).unwrap_err();
        // Two blobs, then bytes that cannot be decoded.
        let blobs = [0x12, 0, 0x12, 0, 0xff];
        let refusal = code(&blobs, 1);
        assert_eq!(refusal.code(), Code::ResourceExhausted, "{refusal:?}");
        assert_eq!(code(&blobs, 2).code(), Code::InvalidArgument);
        // A group that exceeds the limit, and a group without an end.
        let group = |len| [&[0x1b][..], &[0x20, 1].repeat(len)].concat();
        let refusal = code(&group(batch::bounds(1).head_bytes_max), 1);
        assert_eq!(refusal.code(), Code::ResourceExhausted, "{refusal:?}");
        assert_eq!(code(&group(10), 1).code(), Code::InvalidArgument);
    }
}
