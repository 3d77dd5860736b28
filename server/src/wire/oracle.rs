//! The same stream decoded by prost, message by message as tonic would have it,
//! and what `Decoder` has to make of it.
//!
//! Shared by `tests.rs` and by the fuzz target, which includes this file beside
//! `wire`; so it names the module by its path from the crate's root.

use bytes::Bytes;
use hashlane_proto::v1::{DigestRequest, VerifyRequest};
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use crate::wire::{Decoder, Head, Item, Limits, MessageKind, WireError};

/// A message, or as much of it as arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// Everything but the data.
    pub(crate) head: Head,
    /// The data, joined.
    pub(crate) data: Vec<u8>,
}

/// What became of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The messages that ended.
    pub(crate) messages: Vec<Decoded>,
    /// The message that was begun and not ended.
    pub(crate) begun: Option<Decoded>,
    /// How the stream ended.
    pub(crate) end: Result<(), WireError>,
}

/// When the decoder is asked for items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// After every frame, until there is none: the way of the server.
    AfterEach,
    /// Only after all frames have been pushed.
    AtTheEnd,
}

/// Decodes `stream`, cut into frames of `pieces` bytes (over and over), with
/// `Decoder`.
///
/// # Panics
///
/// If the items of a message come out of order, or a piece of data is empty, is a
/// copy, or lies before an earlier one.
pub(crate) fn decode(
    kind: MessageKind,
    limits: Limits,
    stream: &Bytes,
    pieces: &[usize],
    asked: Asked,
) -> Outcome {
    let mut run = Run {
        decoder: Decoder::new(kind, limits),
        stream: stream.clone(),
        data_end: 0,
        messages: Vec::new(),
        begun: None,
    };
    let mut end = Ok(());
    let mut rest = stream.clone();
    let mut pieces = pieces.iter().cycle();
    while !rest.is_empty() && end.is_ok() {
        let piece = pieces
            .next()
            .map_or(rest.len(), |&piece| piece.min(rest.len()));
        run.decoder.push(rest.split_to(piece.max(1)));
        if asked == Asked::AfterEach {
            end = run.take_items();
        }
    }
    if end.is_ok() {
        end = run.take_items();
    }
    if let Err(error) = &end {
        run.decoder.push(stream.clone());
        let again = run.decoder.next();
        assert_eq!(again.as_ref(), Err(error), "a refusal must be final");
    }
    Outcome {
        messages: run.messages,
        begun: run.begun,
        end: end.and_then(|()| run.decoder.end()),
    }
}

/// A decoder and what has come out of it.
struct Run {
    decoder: Decoder,
    stream: Bytes,
    /// Where in `stream` the last piece of data ended.
    data_end: usize,
    messages: Vec<Decoded>,
    begun: Option<Decoded>,
}

impl Run {
    fn take_items(&mut self) -> Result<(), WireError> {
        while let Some(item) = self.decoder.next()? {
            match item {
                Item::Head(head) => {
                    assert!(self.begun.is_none(), "two heads in one message");
                    self.begun = Some(Decoded {
                        head,
                        data: Vec::new(),
                    });
                }
                Item::Data(data) => {
                    assert!(!data.is_empty(), "empty data");
                    // Not a copy: it lies in the stream, beyond all data so far.
                    let start =
                        (data.as_ptr() as usize).wrapping_sub(self.stream.as_ptr() as usize);
                    assert!(
                        start >= self.data_end && start + data.len() <= self.stream.len(),
                        "data is not a slice of its frame"
                    );
                    self.data_end = start + data.len();
                    let begun = self.begun.as_mut().expect("data before its head");
                    begun.data.extend_from_slice(&data);
                }
                Item::End => {
                    let begun = self.begun.take().expect("end before its head");
                    self.messages.push(begun);
                }
            }
        }
        Ok(())
    }
}

/// Checks that `outcome` is what prost makes of `stream`, or a refusal that the
/// module `wire` documents, for the reason it gives.
///
/// # Panics
///
/// If it is not.
pub(crate) fn check(kind: MessageKind, limits: Limits, stream: &[u8], outcome: &Outcome) {
    let mut rest = stream;
    for decoded in &outcome.messages {
        let Framed::Message(message, after) = framed(limits, rest) else {
            panic!("a message where gRPC has none");
        };
        let expected = by_prost(kind, message).expect("a message that prost refuses");
        assert_eq!(decoded, &expected);
        assert_eq!(
            documented_refusal(kind, limits, message),
            None,
            "should be refused"
        );
        rest = after;
    }
    let end = &outcome.end;
    match framed(limits, rest) {
        Framed::Nothing => assert_eq!(end, &Ok(())),
        Framed::Refused(error) => assert_eq!(end, &Err(error)),
        Framed::Message(message, _) => {
            let error = end.as_ref().expect_err("the stream goes on");
            if by_prost(kind, message).is_some() {
                // Not refused without a documented reason, and for no other one.
                assert_eq!(
                    Some(error),
                    documented_refusal(kind, limits, message).as_ref()
                );
            } else {
                assert!(is_of_fields(error), "{error} for a message prost refuses");
            }
        }
        Framed::Truncated(message_bytes, begun) => {
            let error = end.as_ref().expect_err("the stream ends inside a message");
            if matches!(error, WireError::Malformed(_)) {
                // Refused early: then no way to go on may be one that prost takes.
                for filler in [&[0x78, 0x01][..], &[0x20], &[0x01], &[0x7a, 0x00], &[0x54]] {
                    let missing = message_bytes - begun.len();
                    let mut whole = begun.to_vec();
                    whole.extend(filler.iter().cycle().take(missing.min(1 << 16)));
                    assert_eq!(
                        by_prost(kind, &whole),
                        None,
                        "refused early without a reason"
                    );
                }
            } else {
                assert!(
                    error == &WireError::Truncated || is_of_fields(error),
                    "{error}"
                );
            }
        }
    }
}

/// Whether `error` may be the answer to a message's fields.
fn is_of_fields(error: &WireError) -> bool {
    matches!(
        error,
        WireError::Malformed(_)
            | WireError::HeadTooLarge { .. }
            | WireError::RepeatedData
            | WireError::FieldAfterData { .. }
    )
}

/// What gRPC's framing finds next.
enum Framed<'a> {
    /// The end of the stream.
    Nothing,
    /// A message, and the stream after it.
    Message(&'a [u8], &'a [u8]),
    /// The end of the stream inside the prefix or inside a message of so many
    /// bytes; what there is of it.
    Truncated(usize, &'a [u8]),
    /// A prefix that hashlane refuses.
    Refused(WireError),
}

fn framed(limits: Limits, stream: &[u8]) -> Framed<'_> {
    let Some((prefix, rest)) = stream.split_first_chunk::<5>() else {
        return if stream.is_empty() {
            Framed::Nothing
        } else {
            Framed::Truncated(0, &[])
        };
    };
    match prefix[0] {
        0 => {}
        1 => return Framed::Refused(WireError::Compressed),
        _ => {
            return Framed::Refused(WireError::Malformed(
                "compressed flag is neither 0 nor 1".into(),
            ));
        }
    }
    let message_bytes = u32::from_be_bytes([prefix[1], prefix[2], prefix[3], prefix[4]]) as usize;
    if message_bytes > limits.message_bytes_max {
        return Framed::Refused(WireError::MessageTooLarge {
            message_bytes,
            message_bytes_max: limits.message_bytes_max,
        });
    }
    match rest.split_at_checked(message_bytes) {
        Some((message, rest)) => Framed::Message(message, rest),
        None => Framed::Truncated(message_bytes, rest),
    }
}

/// `message` as prost decodes it, if it does.
fn by_prost(kind: MessageKind, message: &[u8]) -> Option<Decoded> {
    Some(match kind {
        MessageKind::Digest => {
            let request = DigestRequest::decode(message).ok()?;
            Decoded {
                head: Head {
                    part: request.part,
                    open: request.open,
                    expected: Vec::new(),
                    last: request.last,
                },
                data: request.data.to_vec(),
            }
        }
        MessageKind::Verify => {
            let request = VerifyRequest::decode(message).ok()?;
            Decoded {
                head: Head {
                    part: request.part,
                    open: request.open,
                    expected: request.expected,
                    last: request.last,
                },
                data: request.data.to_vec(),
            }
        }
    })
}

/// Why `message`, which prost takes, is refused nonetheless: found by walking its
/// fields with prost's own means.
fn documented_refusal(kind: MessageKind, limits: Limits, message: &[u8]) -> Option<WireError> {
    let known: &[u32] = match kind {
        MessageKind::Digest => &[1, 2, 4],
        MessageKind::Verify => &[1, 2, 3, 4],
    };
    let head_bytes_max = limits.head_bytes_max;
    let mut rest = message;
    let mut data_seen = false;
    let mut head_bytes = 0;
    while !rest.is_empty() {
        let before = rest.len();
        let (field, wire_type) = decode_key(&mut rest).expect("taken by prost");
        if field == 15 {
            if data_seen {
                return Some(WireError::RepeatedData);
            }
            assert_eq!(wire_type, WireType::LengthDelimited);
            let length = decode_varint(&mut rest).expect("taken by prost");
            rest = &rest[usize::try_from(length).expect("taken by prost")..];
            data_seen = true;
            head_bytes = 0;
            continue;
        }
        if data_seen && known.contains(&field) {
            return Some(WireError::FieldAfterData { field });
        }
        skip_field(wire_type, field, &mut rest, DecodeContext::default()).expect("taken by prost");
        head_bytes += before - rest.len();
        if head_bytes > head_bytes_max {
            return Some(WireError::HeadTooLarge { head_bytes_max });
        }
    }
    None
}
