//! The codec of DigestBatch and Compose, which looks at a message before it is decoded.
//!
//! An empty blob is two bytes of a message and 32 in memory: 4 MiB of them are 64 MiB,
//! and tens of milliseconds to decode. So what repeats is counted first, up to its bound.

use std::marker::PhantomData;

use bytes::{Buf as _, Bytes};
use prost::DecodeError;
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

use crate::status;

/// What tonic allocates for each call before its message has come. It makes room for the message
/// when it knows how long that is.
fn buffers() -> BufferSettings {
    BufferSettings::new(64, 32 << 10)
}

/// Bytes of a message's fields that do not repeat: more than any has use for.
pub(super) const HEAD_BYTES_MAX: usize = 4096;

/// How much a message may have of its field that repeats, and of all others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Its number and name.
    pub(super) field: u32,
    pub(super) name: &'static str,
    pub(super) max: usize,
    /// What is said of one more.
    pub(super) too_many: fn(usize) -> Status,
    /// Bytes of all other fields.
    pub(super) head_bytes_max: usize,
}

/// Decodes requests within bounds, and writes answers as prost does.
#[derive(Debug)]
pub(super) struct BoundedCodec<Request, Answer> {
    bounds: Bounds,
    messages: PhantomData<(Request, Answer)>,
}

impl<Request, Answer> BoundedCodec<Request, Answer> {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            messages: PhantomData,
        }
    }
}

impl<Request, Answer> Codec for BoundedCodec<Request, Answer>
where
    Request: Message + Default + 'static,
    Answer: Message + 'static,
{
    type Encode = Answer;
    type Decode = Request;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self::new(self.bounds)
    }

    fn decoder(&mut self) -> Self {
        Self::new(self.bounds)
    }
}

impl<Request, Answer: Message> Encoder for BoundedCodec<Request, Answer> {
    type Item = Answer;
    type Error = Status;

    fn encode(&mut self, item: Answer, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.reserve(item.encoded_len());
        item.encode(to)
            .map_err(|error| Status::internal(error.to_string()))
    }

    fn buffer_settings(&self) -> BufferSettings {
        buffers()
    }
}

impl<Request: Message + Default, Answer> Decoder for BoundedCodec<Request, Answer> {
    type Item = Request;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Request>, Status> {
        let message: Bytes = from.copy_to_bytes(from.remaining());
        self.bounds.check(&message)?;
        let decoded = Request::decode(message);
        decoded.map(Some).map_err(|error| malformed(&error))
    }

    fn buffer_settings(&self) -> BufferSettings {
        buffers()
    }
}

impl Bounds {
    /// Of a message in which nothing repeats.
    pub(super) const PLAIN: Self = Self {
        // The number of no field.
        field: 0,
        name: "none",
        max: 0,
        too_many: |max| status::limit("MESSAGE_HEAD_TOO_LARGE", format!("more than {max}")),
        head_bytes_max: HEAD_BYTES_MAX,
    };

    /// Checks that `message` keeps to them.
    ///
    /// # Errors
    /// It does not, or has no field where one should be.
    fn check(&self, mut message: &[u8]) -> Result<(), Status> {
        let mut count = 0;
        let mut head_bytes_left = self.head_bytes_max;
        while !message.is_empty() {
            let left = message.len();
            let (field, wire_type) = decode_key(&mut message).map_err(|e| malformed(&e))?;
            if field == self.field && wire_type == WireType::LengthDelimited {
                count += 1;
                if count > self.max {
                    return Err((self.too_many)(self.max));
                }
                let length = decode_varint(&mut message).map_err(|e| malformed(&e))?;
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                message = message.get(length..).ok_or_else(|| {
                    status::malformed(format!("one of {} is longer than its message", self.name))
                })?;
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
                    self.head_too_large()
                });
            }
            message = &message[window.len() - unread.len()..];
            head_bytes_left = head_bytes_left
                .checked_sub(left - message.len())
                .ok_or_else(|| self.head_too_large())?;
        }
        Ok(())
    }

    fn head_too_large(&self) -> Status {
        let Self {
            name,
            head_bytes_max,
            ..
        } = self;
        status::limit(
            "MESSAGE_HEAD_TOO_LARGE",
            format!("fields other than {name} take more than the limit of {head_bytes_max} bytes"),
        )
    }
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
    use crate::unary::batch;

    fn check(message: &[u8], blobs_max: usize) -> Result<(), Status> {
        batch::bounds(blobs_max).check(message)
    }

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
        let refusal = code(&group(batch::bounds(1).head_bytes_max), 1);
        assert_eq!(refusal.code(), Code::ResourceExhausted, "{refusal:?}");
        assert_eq!(code(&group(10), 1).code(), Code::InvalidArgument);
    }
}
