//! Messages whose fields are not in the order of their numbers: data that other fields follow, and
//! the room that holds it.

use bytes::Bytes;
use hashlane_proto::v1::VerifyRequest;
use prost::Message;

use super::oracle::{Bounds, Decoded, check, decode};
use super::streams::framed;
use super::tests::{BOUNDS, a_verify_request};
use super::*;
use crate::limiter::Budget;

/// Decodes one Verify message in one frame, byte by byte, and cut once at every place.
fn taken(body: &[u8]) -> Decoded {
    let stream = Bytes::from(framed(body));
    let whole = decode(MessageKind::Verify, BOUNDS, &stream, &[]);
    check(MessageKind::Verify, BOUNDS, &stream, &whole);
    assert_eq!(whole.end, Ok(()));
    for cut in 1..stream.len() {
        for pieces in [&[cut, stream.len()][..], &[cut]] {
            let cut_up = decode(MessageKind::Verify, BOUNDS, &stream, pieces);
            assert_eq!(cut_up, whole, "{pieces:?}");
        }
    }
    whole.messages.into_iter().next().expect("one message")
}

#[test]
fn fields_may_come_in_any_order() {
    let request = a_verify_request();
    // Each field as prost writes it, alone.
    let none = VerifyRequest::default;
    let fields = [
        VerifyRequest {
            part: request.part,
            ..none()
        },
        VerifyRequest {
            open: request.open.clone(),
            ..none()
        },
        VerifyRequest {
            expected: request.expected.clone(),
            ..none()
        },
        VerifyRequest {
            last: request.last,
            ..none()
        },
        VerifyRequest {
            data: request.data.clone(),
            ..none()
        },
    ]
    .map(|field| field.encode_to_vec());
    let in_order = taken(&fields.concat());
    assert_eq!(fields.concat(), request.encode_to_vec());
    assert!(!in_order.copied);
    // Puts data at every place among the other fields, and the other fields in both orders.
    for data_at in 0..4 {
        for reversed in [false, true] {
            let mut order = vec![0, 1, 2, 3];
            if reversed {
                order.reverse();
            }
            order.insert(data_at, 4);
            let body: Vec<u8> = order
                .iter()
                .flat_map(|&i: &usize| fields[i].clone())
                .collect();
            let decoded = taken(&body);
            assert_eq!(decoded.head, in_order.head, "{order:?}");
            assert_eq!(decoded.data, request.data, "{order:?}");
            assert!(decoded.copied, "{order:?}");
        }
    }
}

#[test]
fn fields_on_both_sides_of_data_are_merged() {
    let digest = [0x1a, 0x02, 0x08, 0x01];
    let before = [0x08, 0x01, 0x12, 0x02, 0x08, 0x01]; // part 1, open with SHA-256
    let after = [0x08, 0x02, 0x12, 0x02, 0x10, 0x09, 0x20, 0x01]; // part 2, open with a size, last
    let body = [&before[..], &digest, &[0x7a, 0x01, 0xaa], &digest, &after].concat();
    let decoded = taken(&body);
    assert_eq!(decoded.head.part, 2);
    let open = decoded.head.open.expect("open");
    assert_eq!((open.algorithms, open.size_bytes), (vec![1], Some(9)));
    assert_eq!(decoded.head.expected.len(), 2);
    assert!(decoded.head.last);
    assert_eq!(decoded.data, [0xaa]);
    // Empty data needs no room.
    let bounds = Bounds {
        held_bytes_max: 0,
        ..BOUNDS
    };
    let stream = Bytes::from(framed(&[0x7a, 0x00, 0x08, 0x07]));
    let empty = decode(MessageKind::Verify, bounds, &stream, &[1]);
    assert_eq!(empty.messages[0].head.part, 7);
}

#[test]
fn data_that_fields_follow_is_held_until_its_message_ends() {
    let body = [&[0x7a, 0x90, 0x03][..], &[0xaa; 400], &[0x08, 0x07]].concat();
    let mut stream = framed(&body);
    stream.extend(framed(&[0x7a, 0x01, 0xbb]));
    let budget = Budget::new(400);
    let mut decoder = Decoder::new(MessageKind::Digest, BOUNDS.limits(), &budget);
    for (at, &byte) in stream[..5 + body.len() - 1].iter().enumerate() {
        // Each byte keeps a large buffer, as if it had arrived with many others.
        let frame = Bytes::from([&[byte][..], &[0; 1000]].concat());
        decoder.push(frame.slice(..1));
        assert_eq!(decoder.next(), Ok(None));
        assert!(frame.is_unique(), "byte {at} keeps its frame");
        let reserved = if at < 7 { 0 } else { 400 };
        assert_eq!(budget.used(), reserved, "byte {at}");
        assert!(decoder.held.capacity() <= reserved, "byte {at}");
        assert!(!decoder.hands_out());
    }
    decoder.push(Bytes::copy_from_slice(&stream[5 + body.len() - 1..]));
    let Ok(Some(Item::Head(head))) = decoder.next() else {
        panic!("no head");
    };
    assert_eq!(head.part, 7);
    // Held data stays here, and counts, until it is taken.
    assert!(decoder.hands_out());
    assert_eq!(budget.used(), 400);
    assert_eq!(decoder.next(), Ok(Some(Item::Data(vec![0xaa; 400].into()))));
    assert!(!decoder.hands_out());
    assert_eq!(budget.used(), 0);
    let rest = [
        Item::End,
        Item::Head(Head::default()),
        Item::Data(vec![0xbb].into()),
        Item::End,
    ];
    for item in rest {
        assert_eq!(decoder.next(), Ok(Some(item)));
    }
    assert_eq!(decoder.next(), Ok(None));
    assert_eq!(decoder.end(), Ok(()));
}

#[test]
fn data_beyond_the_budget_is_refused_as_soon_as_its_length_is_read() {
    let budget = Budget::new(1000);
    let new = || Decoder::new(MessageKind::Digest, BOUNDS.limits(), &budget);
    // 600 bytes of data, and a message long enough for fields after them.
    let begin = Bytes::from_static(&[0, 0, 0, 3, 0, 0x7a, 0xd8, 0x04]);
    let [mut one, mut two] = [new(), new()];
    one.push(begin.clone());
    assert_eq!(one.next(), Ok(None));
    two.push(begin.slice(..7));
    assert_eq!(two.next(), Ok(None));
    two.push(begin.slice(7..));
    assert_eq!(two.next(), Err(WireError::NoRoomToHold));
    assert_eq!(two.next(), Err(WireError::NoRoomToHold));
    assert_eq!(budget.used(), 600);
    // The usual order needs no room.
    let mut usual = new();
    usual.push(framed(&[&[0x08, 0x01, 0x7a, 0xd8, 0x04][..], &[0; 600]].concat()).into());
    assert!(matches!(usual.next(), Ok(Some(Item::Head(_)))));
    // A refusal releases the room, and so does the end of the stream.
    one.push(Bytes::from([&[0; 600][..], &[0x7a, 0x00]].concat()));
    assert_eq!(one.next(), Err(WireError::RepeatedData));
    assert_eq!(budget.used(), 0);
    let mut three = new();
    three.push(begin);
    assert_eq!(three.next(), Ok(None));
    assert_eq!(budget.used(), 600);
    drop(three);
    assert_eq!(budget.used(), 0);
}
