//! The codec of DigestBatch, which looks at a message before it is decoded.
//!
//! An empty blob is two bytes of a message and 32 in memory: 4 MiB of them are 64 MiB,
//! and tens of milliseconds to decode. So the blobs are counted first, up to the bound.

use bytes::{Buf as _, Bytes};
use hashlane_proto::v1::{DigestBatchRequest, DigestBatchResponse};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use prost::{DecodeError, Message as _};
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

use crate::status;

/// Field number of `blobs`.
const BLOBS: u32 = 2;

/// Bytes of all else in a message: room for every algorithm there will be, and no more.
const HEAD_BYTES_MAX: usize = 4096;

/// Decodes batches of so many blobs at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchCodec {
    pub(super) blobs_max: usize,
}

/// Writes answers, as prost does.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchEncoder;

impl Codec for BatchCodec {
    type Encode = DigestBatchResponse;
    type Decode = DigestBatchRequest;
    type Encoder = BatchEncoder;
    type Decoder = Self;

    fn encoder(&mut self) -> Self::Encoder {
        BatchEncoder
    }

    fn decoder(&mut self) -> Self::Decoder {
        *self
    }
}

impl Encoder for BatchEncoder {
    type Item = DigestBatchResponse;
    type Error = Status;

    fn encode(&mut self, item: Self::Item, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        item.encode(to)
            .map_err(|error| Status::internal(error.to_string()))
    }
}

impl Decoder for BatchCodec {
    type Item = DigestBatchRequest;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Self::Item>, Status> {
        let message: Bytes = from.copy_to_bytes(from.remaining());
        check(&message, self.blobs_max)?;
        let decoded = DigestBatchRequest::decode(message);
        decoded.map(Some).map_err(|error| malformed(&error))
    }
}

/// Checks that `message` has `blobs_max` blobs at most, and little else.
///
/// # Errors
/// It has more of either, or no field where one should be.
fn check(mut message: &[u8], blobs_max: usize) -> Result<(), Status> {
    let mut blobs = 0;
    let mut head_bytes_left = HEAD_BYTES_MAX;
    while !message.is_empty() {
        let left = message.len();
        let (field, wire_type) = decode_key(&mut message).map_err(|e| malformed(&e))?;
        if field == BLOBS && wire_type == WireType::LengthDelimited {
            blobs += 1;
            if blobs > blobs_max {
                return Err(status::limit(
                    "TOO_MANY_BLOBS",
                    format!("more than {blobs_max} blobs in one batch"),
                ));
            }
            let length = decode_varint(&mut message).map_err(|e| malformed(&e))?;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            message = message
                .get(length..)
                .ok_or_else(|| status::malformed("blob is longer than its message"))?;
            continue;
        }
        // No more is looked at than there may be.
        let (window, beyond) = message.split_at(head_bytes_left.min(message.len()));
        let mut unread = window;
        let skipped = skip_field(wire_type, field, &mut unread, DecodeContext::default());
        if let Err(error) = skipped {
            return Err(if beyond.is_empty() {
                malformed(&error)
            } else {
                head_too_large()
            });
        }
        message = &message[window.len() - unread.len()..];
        head_bytes_left = head_bytes_left
            .checked_sub(left - message.len())
            .ok_or_else(head_too_large)?;
    }
    Ok(())
}

fn malformed(error: &DecodeError) -> Status {
    status::malformed(format!("malformed message: {error}"))
}

fn head_too_large() -> Status {
    status::limit(
        "MESSAGE_HEAD_TOO_LARGE",
        format!("fields other than blobs take more than the limit of {HEAD_BYTES_MAX} bytes"),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tonic::Code;

    use super::*;

    proptest! {
        /// What it takes to be well-formed and small is what prost decodes.
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
            match check(&bytes, 7) {
                Ok(()) => prop_assert!(!decoded.is_ok_and(|batch| batch.blobs.len() > 7)),
                Err(refusal) if refusal.code() == Code::ResourceExhausted => {}
                Err(refusal) => prop_assert!(decoded.is_err(), "{refusal:?}"),
            }
        }
    }

    #[test]
    fn it_looks_no_further_than_the_bounds() {
        let code = |message: &[u8], blobs_max| check(message, blobs_max).unwrap_err();
        // Two blobs, and then nothing that could be decoded.
        let blobs = [0x12, 0, 0x12, 0, 0xff];
        let refusal = code(&blobs, 1);
        assert_eq!(refusal.code(), Code::ResourceExhausted, "{refusal:?}");
        assert_eq!(code(&blobs, 2).code(), Code::InvalidArgument);
        // A group that does not end within the bound, and one that does not end.
        let group = |len| [&[0x1b][..], &[0x20, 1].repeat(len)].concat();
        let refusal = code(&group(HEAD_BYTES_MAX), 1);
        assert_eq!(refusal.code(), Code::ResourceExhausted, "{refusal:?}");
        assert_eq!(code(&group(10), 1).code(), Code::InvalidArgument);
    }
}
