//! Compares valid, odd and broken streams, in every split, with prost.

use bytes::Bytes;
use hashlane_proto::v1::{AlgorithmDigest, DigestRequest, PartOptions, VerifyRequest};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use prost::Message;
use prost::encoding::encode_varint;

use super::decoder::{KEPT_BYTES_MAX, UNCHECKED_BYTES_MAX};
use super::oracle::{Bounds, Decoded, Outcome, check, decode};
use super::streams::{any_options, framed, pieces, stream};
use super::*;
use crate::limiter::Budget;

pub(super) const BOUNDS: Bounds = Bounds {
    message_bytes_max: 4096,
    head_bytes_max: 256,
    held_bytes_max: 4096,
};

/// A decoder with a separate budget.
fn decoder(kind: MessageKind, bounds: Bounds) -> Decoder {
    Decoder::new(kind, bounds.limits(), &Budget::new(bounds.held_bytes_max))
}

/// The outcome of `stream` in one frame.
fn outcome(kind: MessageKind, stream: &[u8]) -> Outcome {
    let stream = Bytes::copy_from_slice(stream);
    decode(kind, BOUNDS, &stream, &[])
}

/// The error of a Verify message of `body`, in one frame and byte by byte.
fn refusal(body: &[u8]) -> WireError {
    let stream = Bytes::from(framed(body));
    let whole = decode(MessageKind::Verify, BOUNDS, &stream, &[]);
    let bytewise = decode(MessageKind::Verify, BOUNDS, &stream, &[1]);
    assert_eq!(whole, bytewise);
    check(MessageKind::Verify, BOUNDS, &stream, &whole);
    whole.end.expect_err("taken")
}

pub(super) fn a_verify_request() -> VerifyRequest {
    VerifyRequest {
        part: 300,
        open: Some(PartOptions {
            algorithms: vec![1, 77],
            size_bytes: Some(1 << 40),
        }),
        expected: vec![
            AlgorithmDigest {
                algorithm: 1,
                digest: Bytes::from_static(&[0xd5; 32]),
            },
            AlgorithmDigest::default(),
        ],
        last: true,
        data: Bytes::from_static(b"the bytes of the part"),
        memory: None,
    }
}

#[test]
fn a_message_of_data_alone_is_one_slice_and_holds_nothing() {
    let data = vec![0x5a; 64 << 10];
    let message = DigestRequest {
        data: data.clone().into(),
        ..DigestRequest::default()
    };
    let stream = Bytes::from(framed(&message.encode_to_vec()));
    let mut decoder = decoder(
        MessageKind::Digest,
        Bounds {
            message_bytes_max: 1 << 20,
            head_bytes_max: 0,
            held_bytes_max: 0,
        },
    );
    for _ in 0..3 {
        decoder.push(stream.clone());
        assert_eq!(decoder.next(), Ok(Some(Item::Head(Head::default()))));
        let Ok(Some(Item::Data(slice))) = decoder.next() else {
            panic!("no data");
        };
        assert_eq!(slice, data);
        let in_stream = &stream[stream.len() - data.len()..];
        assert_eq!(slice.as_ptr(), in_stream.as_ptr(), "copied");
        assert_eq!(decoder.next(), Ok(Some(Item::End)));
        assert_eq!(decoder.next(), Ok(None));
        assert_eq!(decoder.end(), Ok(()));
        assert_eq!(decoder.head.capacity() + decoder.held.capacity(), 0);
    }
}

#[test]
fn every_cut_of_a_stream_decodes_alike() {
    let request = a_verify_request();
    let mut stream = framed(&request.encode_to_vec());
    let boundary = stream.len();
    stream.extend(framed(&[]));
    stream.extend(framed(&[0xfa, 0x80, 0x00, 0x82, 0x00, b'o', b'k'])); // overlong key and length
    let boundaries = [0, boundary, boundary + 5, stream.len()];
    let stream = Bytes::from(stream);
    let whole = decode(MessageKind::Verify, BOUNDS, &stream, &[]);
    check(MessageKind::Verify, BOUNDS, &stream, &whole);
    assert_eq!(whole.end, Ok(()));
    assert_eq!(whole.messages.len(), 3);
    assert_eq!(whole.messages[0].head.expected, request.expected);
    assert_eq!(whole.messages[0].data, request.data);
    assert_eq!(whole.messages[1], Decoded::default());
    assert_eq!(whole.messages[2].data, b"ok");
    for cut in 1..stream.len() {
        for pieces in [&[cut, stream.len()][..], &[cut]] {
            let cut_up = decode(MessageKind::Verify, BOUNDS, &stream, pieces);
            assert_eq!(cut_up, whole, "{pieces:?}");
        }
        let short = decode(MessageKind::Verify, BOUNDS, &stream.slice(..cut), &[]);
        let end = if boundaries.contains(&cut) {
            Ok(())
        } else {
            Err(WireError::Truncated)
        };
        assert_eq!(short.end, end, "after {cut} bytes");
    }
}

#[test]
fn data_is_handed_on_before_its_message_is_whole() {
    let stream = framed(&a_verify_request().encode_to_vec());
    let begun = outcome(MessageKind::Verify, &stream[..stream.len() - 4]).begun;
    assert_eq!(begun.expect("begun").data, b"the bytes of the ");
    // Only the head, as soon as the length of the data is known.
    let data_bytes = a_verify_request().data.len();
    let begun = outcome(MessageKind::Verify, &stream[..stream.len() - data_bytes]).begun;
    assert_eq!(begun.expect("begun").head.part, 300);
    let begun = outcome(
        MessageKind::Verify,
        &stream[..stream.len() - data_bytes - 1],
    )
    .begun;
    assert_eq!(begun, None);
}

#[test]
fn prefixes_are_checked_as_soon_as_they_are_read() {
    let end = |prefix: &[u8]| outcome(MessageKind::Digest, prefix).end;
    assert_eq!(end(&[1, 0, 0, 0, 9]), Err(WireError::Compressed));
    assert!(matches!(
        end(&[2, 0, 0, 0, 0]),
        Err(WireError::Malformed(_))
    ));
    assert_eq!(end(&[0, 0, 0, 16, 0]), Err(WireError::Truncated));
    for (prefix, message_bytes) in [
        ([0, 0, 0, 16, 1], 4097),
        ([0, 255, 255, 255, 255], 0xffff_ffff),
    ] {
        assert_eq!(
            end(&prefix),
            Err(WireError::MessageTooLarge {
                message_bytes,
                message_bytes_max: 4096,
            })
        );
    }
    assert_eq!(end(&[0, 0, 0, 0]), Err(WireError::Truncated));
}

#[test]
fn expected_is_unknown_to_digest() {
    let body = a_verify_request().encode_to_vec();
    let digest = outcome(MessageKind::Digest, &framed(&body));
    check(MessageKind::Digest, BOUNDS, &framed(&body), &digest);
    assert_eq!(digest.end, Ok(()));
    assert_eq!(digest.messages[0].head.expected, []);
    assert_eq!(digest.messages[0].head.part, 300);
    // The wrong type for Verify; any bytes for Digest.
    let ill_typed = [0x18, 0x05];
    assert!(matches!(refusal(&ill_typed), WireError::Malformed(_)));
    assert_eq!(
        outcome(MessageKind::Digest, &framed(&ill_typed)).end,
        Ok(())
    );
    // The same after data.
    let after = [0x7a, 0x01, 0xaa, 0x18, 0x05];
    assert!(matches!(refusal(&after), WireError::Malformed(_)));
    let digest = outcome(MessageKind::Digest, &framed(&after));
    check(MessageKind::Digest, BOUNDS, &framed(&after), &digest);
    assert_eq!(digest.messages[0].data, [0xaa]);
}

#[test]
fn documented_refusals_name_their_reason() {
    assert_eq!(refusal(&[0x7a, 0x00, 0x7a, 0x00]), WireError::RepeatedData);
    assert_eq!(
        refusal(&[0x7a, 0x01, 0xaa, 0x88, 0x01, 0x05, 0x7a, 0x00]),
        WireError::RepeatedData
    );
    assert_eq!(
        refusal(&[0x7a, 0x01, 0xaa, 0x08, 0x05, 0x7a, 0x00]),
        WireError::RepeatedData
    );
    // Field 16 has 3 bytes of key and length, so 253 more bytes reach the limit.
    let too_large = WireError::HeadTooLarge {
        head_bytes_max: 256,
    };
    for data in [&[][..], &[0x7a, 0x00]] {
        for (length, end) in [(252, Ok(())), (253, Err(too_large.clone()))] {
            let mut field = vec![0x82, 0x01];
            encode_varint(length, &mut field);
            field.resize(field.len() + usize::try_from(length).expect("small"), 0);
            let body = [data, &field].concat();
            let outcome = outcome(MessageKind::Verify, &framed(&body));
            check(MessageKind::Verify, BOUNDS, &framed(&body), &outcome);
            assert_eq!(outcome.end, end, "{length}");
        }
    }
}

#[test]
fn what_prost_refuses_is_refused() {
    for body in [
        &[0x00, 0x00][..],                     // field 0
        &[0x02, 0x00],                         // field 0 as bytes
        &[0x7a, 0x00, 0x00, 0x00],             // field 0 after data
        &[0xfa, 0x80, 0x80, 0x80, 0x10, 0x00], // data, but for bit 32 of its key
        &[0x78, 0x00],                         // data as a varint of 0
        &[0x7b, 0x00],                         // data as a group
        &[0x79, 0, 0, 0, 0, 0, 0, 0, 0],       // data as 8 bytes
        &[0x7d, 0, 0, 0, 0],                   // data as 4 bytes
        &[0x7a, 0x00, 0x78, 0x00],             // data, and as a varint
        &[0x0e, 0x00],                         // wire type 6
        &[0x0f, 0x00],                         // wire type 7
        &[0x80, 0x80, 0x80, 0x80, 0x80, 0x01], // key beyond 32 bits
        &[0x08],                               // no value
        &[0x08, 0x80],                         // half a value
        &[0x78, 0x01],                         // data as a varint
        &[0x7b, 0x7c],                         // data as a group
        &[0x7a],                               // no length
        &[0x7a, 0x01],                         // no data
        &[
            0x7a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
        ],
        // A value beyond 64 bits, and one of eleven bytes.
        &[
            0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02,
        ],
        &[
            0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00,
        ],
        &[0x0a, 0x00],                               // part as bytes
        &[0x12, 0x02, 0x08],                         // open beyond the message
        &[0x12, 0x01, 0x08, 0x01],                   // algorithms beyond open
        &[0x1a, 0x02, 0x12, 0x01],                   // digest beyond expected
        &[0x81, 0x01, 0, 0, 0, 0, 0, 0, 0],          // 7 of 8 bytes
        &[0x85, 0x01, 0, 0, 0],                      // 3 of 4 bytes
        &[0x84, 0x01],                               // end of no group
        &[0x83, 0x01],                               // group without end
        &[0x83, 0x01, 0x8c, 0x01],                   // group with another's end
        &[0x83, 0x01, 0x8c, 0x01, 0x7a, 0x01, 0xaa], // the same before data
        &[0x7a, 0x01, 0xaa, 0x83, 0x01, 0x8c, 0x01], // and after data
        &[0x0b, 0x0c],                               // part as a group
    ] {
        assert!(
            matches!(refusal(body), WireError::Malformed(_)),
            "{body:02x?}"
        );
    }
}

#[test]
fn the_longest_varints_are_taken() {
    // Overlong zero, and the largest number.
    for (value, part) in [([0x80; 9], 0), ([0xff; 9], u64::MAX)] {
        let last = u8::from(part > 0);
        let stream = Bytes::from(framed(&[&[0x08][..], &value, &[last]].concat()));
        for pieces in [&[][..], &[1], &[7, 20]] {
            let outcome = decode(MessageKind::Digest, BOUNDS, &stream, pieces);
            check(MessageKind::Digest, BOUNDS, &stream, &outcome);
            assert_eq!(outcome.messages[0].head.part, part);
        }
    }
}

#[test]
fn groups_go_as_deep_as_prost_lets_them() {
    let mut taken = 0;
    for depth in 95usize..=105 {
        let body = [[0x83, 0x01].repeat(depth), [0x84, 0x01].repeat(depth)].concat();
        let bounds = Bounds {
            head_bytes_max: 4096,
            ..BOUNDS
        };
        for body in [body.clone(), [&[0x7a, 0x00][..], &body].concat()] {
            let stream = Bytes::from(framed(&body));
            let outcome = decode(MessageKind::Digest, bounds, &stream, &[3]);
            check(MessageKind::Digest, bounds, &stream, &outcome);
            taken += usize::from(outcome.end.is_ok());
        }
    }
    assert!(taken > 0 && taken < 22, "{taken} of 22");
}

#[test]
fn memory_is_bounded_whatever_arrives() {
    let most = BOUNDS.head_bytes_max + UNCHECKED_BYTES_MAX;
    let mut groups = [0x83, 0x80, 0x80, 0x80, 0x01].repeat(800);
    groups.extend([0xff; 4]);
    for body in [
        groups,
        [&[0x82, 0x01, 0xff, 0x01][..], &[0; 4000]].concat(), // a field of 255 bytes, and more
        [
            &[0x82, 0x01, 0xf8, 0x01][..],
            &[0; 248],
            &[0x88, 0x80, 0x80, 0x80, 0x01],
            &[0x80; 9],
        ]
        .concat(),
        [0x08, 0x80, 0x80, 0x00].repeat(1000),
    ] {
        let mut decoder = decoder(MessageKind::Verify, BOUNDS);
        let mut prefix = framed(&body);
        prefix[3] = 16; // 4096 bytes, never complete
        prefix[4] = 0;
        for byte in prefix {
            decoder.push(Bytes::copy_from_slice(&[byte]));
            while let Ok(Some(_)) = decoder.next() {}
            assert!(
                decoder.head.capacity() <= most,
                "{}",
                decoder.head.capacity()
            );
            assert_eq!(decoder.frame.len(), 0);
        }
    }
    // The buffer of one message is not kept for the next.
    let mut decoder = decoder(
        MessageKind::Verify,
        Bounds {
            head_bytes_max: 4096,
            ..BOUNDS
        },
    );
    for byte in framed(&[&[0x82, 0x01, 0xd0, 0x0f][..], &[0; 2000]].concat()) {
        decoder.push(Bytes::copy_from_slice(&[byte]));
        while decoder.next().expect("taken").is_some() {}
    }
    assert_eq!(decoder.end(), Ok(()));
    assert!(decoder.head.capacity() <= KEPT_BYTES_MAX);
}

#[test]
fn a_frame_is_let_go_once_it_is_used_up() {
    let stream = framed(&a_verify_request().encode_to_vec());
    for cut in 1..=stream.len() {
        let mut decoder = decoder(MessageKind::Verify, BOUNDS);
        for piece in [&stream[..cut], &stream[cut..]] {
            let frame = Bytes::copy_from_slice(piece);
            decoder.push(frame.clone());
            while decoder.next().expect("taken").is_some() {}
            assert!(piece.is_empty() || frame.is_unique(), "cut at {cut}");
        }
    }
}

fn kind() -> impl Strategy<Value = MessageKind> {
    prop_oneof![Just(MessageKind::Digest), Just(MessageKind::Verify)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_stream_in_any_split_agrees_with_prost(
        kind in kind(),
        stream in stream(),
        pieces in pieces(),
        head_bytes_max in prop_oneof![3 => Just(256), 1 => 0..300usize],
        held_bytes_max in prop_oneof![3 => Just(4096), 1 => 0..300usize],
    ) {
        let stream = Bytes::from(stream);
        let bounds = Bounds { head_bytes_max, held_bytes_max, ..BOUNDS };
        let whole = decode(kind, bounds, &stream, &[]);
        check(kind, bounds, &stream, &whole);
        let split = decode(kind, bounds, &stream, &pieces);
        prop_assert_eq!(split, whole);
    }

    #[test]
    fn what_encoders_write_is_taken(
        messages in prop::collection::vec((any::<u64>(), prop::option::of(any_options()), any::<bool>(), prop::collection::vec(any::<u8>(), 0..3000)), 1..5),
        pieces in pieces(),
    ) {
        let requests: Vec<_> = messages
            .into_iter()
            .map(|(part, open, last, data)| DigestRequest { part, open, last, memory: None, data: data.into() })
            .collect();
        let stream = requests.iter().flat_map(|request| framed(&request.encode_to_vec())).collect::<Vec<_>>();
        let outcome = decode(MessageKind::Digest, BOUNDS, &stream.into(), &pieces);
        prop_assert_eq!(outcome.end, Ok(()));
        prop_assert_eq!(outcome.messages.len(), requests.len());
        for (decoded, request) in outcome.messages.iter().zip(&requests) {
            prop_assert_eq!(decoded.head.part, request.part);
            prop_assert_eq!(&decoded.head.open, &request.open);
            prop_assert_eq!(decoded.head.last, request.last);
            prop_assert_eq!(&decoded.data, &request.data);
        }
    }
}

/// The comparison above needs streams that end in different ways.
#[test]
fn made_up_streams_end_in_every_way() {
    let mut runner = TestRunner::deterministic();
    let mut ends = std::collections::BTreeMap::<String, usize>::new();
    let (mut messages, mut held) = (0, 0);
    for _ in 0..3000 {
        let stream = stream().new_tree(&mut runner).expect("a stream").current();
        let bounds = Bounds {
            held_bytes_max: 200,
            ..BOUNDS
        };
        let stream = Bytes::from(stream);
        let outcome = decode(MessageKind::Verify, bounds, &stream, &[]);
        messages += outcome.messages.len();
        held += outcome.messages.iter().filter(|m| m.copied).count();
        let end = match outcome.end {
            Ok(()) => "taken".to_owned(),
            Err(error) => format!("{error:?}")
                .chars()
                .take_while(char::is_ascii_alphabetic)
                .collect(),
        };
        *ends.entry(end).or_default() += 1;
    }
    assert!(messages > 1500, "{messages}");
    assert!(held > 100, "{held}");
    for (end, least) in [
        ("taken", 500),
        ("Malformed", 100),
        ("RepeatedData", 20),
        ("NoRoomToHold", 20),
        ("HeadTooLarge", 15),
        ("MessageTooLarge", 5),
        ("Truncated", 50),
        ("Compressed", 1),
    ] {
        assert!(
            ends.get(end).copied().unwrap_or(0) >= least,
            "{end}: {ends:?}"
        );
    }
}
