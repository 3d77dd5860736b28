//! Decodes the same stream with prost, message by message as tonic does, and checks the result of
//! `Decoder` against it.
//!
//! `tests.rs` and the fuzz target `wire` include this file, so it names the module by its path from
//! the crate's root.

use bytes::Bytes;
use hashlane_proto::v1::{DigestRequest, VerifyRequest};
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use crate::decode::{Decoder, Head, Item, MessageKind, MessageLimits, WireError};
use crate::limiter::Budget;

/// Limits of a stream: the decoder's limits, and a separate budget for held data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) message_bytes_max: usize,
    pub(crate) head_bytes_max: usize,
    pub(crate) held_bytes_max: usize,
}

impl Bounds {
    pub(crate) fn limits(self) -> MessageLimits {
        MessageLimits {
            message_bytes_max: self.message_bytes_max,
            head_bytes_max: self.head_bytes_max,
        }
    }
}

/// A message, or the part of it that arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// All fields except the data.
    pub(crate) head: Head,
    /// The data, joined.
    pub(crate) data: Vec<u8>,
    /// Whether the data is a copy: only held data is copied.
    pub(crate) copied: bool,
}

/// The result of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The messages that ended.
    pub(crate) messages: Vec<Decoded>,
    /// The last message, if it began and did not end.
    pub(crate) begun: Option<Decoded>,
    /// How the stream ended.
    pub(crate) end: Result<(), WireError>,
}

/// Decodes `stream`, cut into frames of `pieces` bytes (over and over), with
/// `Decoder`.
///
/// # Panics
///
/// If the items of a message are out of order, a piece of data is empty or lies before an earlier
/// piece, or the budget is not fully released.
pub(crate) fn decode(
    kind: MessageKind,
    bounds: Bounds,
    stream: &Bytes,
    pieces: &[usize],
) -> Outcome {
    let budget = Budget::new(bounds.held_bytes_max);
    let mut run = Run {
        decoder: Decoder::new(kind, bounds.limits(), &budget),
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
        end = run.take_items();
    }
    if let Err(error) = &end {
        run.decoder.push(stream.clone());
        let again = run.decoder.next();
        assert_eq!(again.as_ref(), Err(error), "a refusal must be final");
    }
    let end = end.and_then(|()| run.decoder.end());
    if end != Err(WireError::Truncated) {
        assert_eq!(budget.used(), 0, "reserved after {end:?}");
    }
    drop(run.decoder);
    assert_eq!(budget.used(), 0, "reserved by nobody");
    Outcome {
        messages: run.messages,
        begun: run.begun,
        end,
    }
}

/// A decoder and its items.
struct Run {
    decoder: Decoder,
    stream: Bytes,
    /// End of the last piece of data in `stream`.
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
                        ..Decoded::default()
                    });
                }
                Item::Data(data) => {
                    assert!(!data.is_empty(), "empty data");
                    let begun = self.begun.as_mut().expect("data before its head");
                    // Not a copy if it lies in the stream; then it must follow all earlier data.
                    let start =
                        (data.as_ptr() as usize).wrapping_sub(self.stream.as_ptr() as usize);
                    let copied = start >= self.stream.len();
                    if !copied {
                        assert!(
                            start >= self.data_end && start + data.len() <= self.stream.len(),
                            "data is not a slice of its frame"
                        );
                        self.data_end = start + data.len();
                    }
                    assert!(
                        begun.data.is_empty() || begun.copied == copied,
                        "some data is a copy"
                    );
                    begun.copied = copied;
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

/// Checks that `outcome` is what prost makes of `stream`, or a refusal that the module `decode`
/// documents, for the documented reason.
///
/// # Panics
///
/// If it is neither.
pub(crate) fn check(kind: MessageKind, bounds: Bounds, stream: &[u8], outcome: &Outcome) {
    let mut rest = stream;
    for decoded in &outcome.messages {
        let Framed::Message(message, after) = framed(bounds, rest) else {
            panic!("a message where gRPC has none");
        };
        let expected = by_prost(kind, message).expect("a message that prost refuses");
        assert_eq!(decoded, &expected);
        assert_eq!(
            documented_refusal(bounds, message),
            None,
            "should be refused"
        );
        rest = after;
    }
    let end = &outcome.end;
    match framed(bounds, rest) {
        Framed::Nothing => assert_eq!(end, &Ok(())),
        Framed::Refused(error) => assert_eq!(end, &Err(error)),
        Framed::Message(message, _) => {
            let error = end.as_ref().expect_err("the stream goes on");
            if by_prost(kind, message).is_some() {
                // Refused only for a documented reason, and with that reason.
                assert_eq!(Some(error), documented_refusal(bounds, message).as_ref());
            } else {
                assert!(is_of_fields(error), "{error} for a message prost refuses");
            }
        }
        Framed::Truncated(message_bytes, begun) => {
            let error = end.as_ref().expect_err("the stream ends inside a message");
            if matches!(error, WireError::Malformed(_)) {
                // Refused early: then prost must refuse every continuation.
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

/// Whether `error` may result from a message's fields.
fn is_of_fields(error: &WireError) -> bool {
    matches!(
        error,
        WireError::Malformed(_)
            | WireError::HeadTooLarge { .. }
            | WireError::RepeatedData
            | WireError::NoRoomToHold
    )
}

/// The next element in gRPC's framing.
enum Framed<'a> {
    /// The end of the stream.
    Nothing,
    /// A message, and the stream after it.
    Message(&'a [u8], &'a [u8]),
    /// The stream ends inside the prefix, or inside a message of this many bytes; with the bytes
    /// that arrived.
    Truncated(usize, &'a [u8]),
    /// A prefix that hashlane refuses.
    Refused(WireError),
}

fn framed(bounds: Bounds, stream: &[u8]) -> Framed<'_> {
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
    if message_bytes > bounds.message_bytes_max {
        return Framed::Refused(WireError::MessageTooLarge {
            message_bytes,
            message_bytes_max: bounds.message_bytes_max,
        });
    }
    match rest.split_at_checked(message_bytes) {
        Some((message, rest)) => Framed::Message(message, rest),
        None => Framed::Truncated(message_bytes, rest),
    }
}

/// `message` as prost decodes it; `None` if prost refuses it.
fn by_prost(kind: MessageKind, message: &[u8]) -> Option<Decoded> {
    let (head, data) = match kind {
        MessageKind::Digest => {
            let request = DigestRequest::decode(message).ok()?;
            let head = Head {
                part: request.part,
                open: request.open,
                expected: Vec::new(),
                last: request.last,
                memory: request.memory,
            };
            (head, request.data)
        }
        MessageKind::Verify => {
            let request = VerifyRequest::decode(message).ok()?;
            let head = Head {
                part: request.part,
                open: request.open,
                expected: request.expected,
                last: request.last,
                memory: request.memory,
            };
            (head, request.data)
        }
    };
    Some(Decoded {
        head,
        copied: !data.is_empty() && !ends_with_data(message),
        data: data.to_vec(),
    })
}

/// Whether `message`, which prost accepts, ends with its data.
fn ends_with_data(message: &[u8]) -> bool {
    let mut rest = message;
    let mut data_is_last = false;
    while !rest.is_empty() {
        data_is_last = pass_field(&mut rest).is_some();
    }
    data_is_last
}

/// The documented reason to refuse `message`, which prost accepts. Walks the fields with prost's
/// functions.
fn documented_refusal(bounds: Bounds, message: &[u8]) -> Option<WireError> {
    let head_bytes_max = bounds.head_bytes_max;
    let mut rest = message;
    let mut data_seen = false;
    let mut head_bytes = 0;
    while !rest.is_empty() {
        let before = rest.len();
        if let Some(data_bytes) = pass_field(&mut rest) {
            if data_seen {
                return Some(WireError::RepeatedData);
            }
            if !rest.is_empty() && data_bytes > bounds.held_bytes_max {
                return Some(WireError::NoRoomToHold);
            }
            data_seen = true;
            continue;
        }
        head_bytes += before - rest.len();
        if head_bytes > head_bytes_max {
            return Some(WireError::HeadTooLarge { head_bytes_max });
        }
    }
    None
}

/// Skips the next field of a message that prost accepts. Returns the length of `data`, if the field
/// is `data`.
fn pass_field(rest: &mut &[u8]) -> Option<usize> {
    let (field, wire_type) = decode_key(rest).expect("taken by prost");
    if field != 15 {
        skip_field(wire_type, field, rest, DecodeContext::default()).expect("taken by prost");
        return None;
    }
    assert_eq!(wire_type, WireType::LengthDelimited);
    let data_bytes = decode_varint(rest).expect("taken by prost");
    let data_bytes = usize::try_from(data_bytes).expect("taken by prost");
    *rest = &rest[data_bytes..];
    Some(data_bytes)
}
