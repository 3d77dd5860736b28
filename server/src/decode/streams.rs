//! Made-up request streams: streams that encoders write, streams that they could write, and broken
//! streams.

use hashlane_proto::v1::{AlgorithmDigest, MemoryRange, PartOptions, VerifyRequest};
use proptest::prelude::*;
use prost::Message;
use prost::encoding::encode_varint;

/// A message of `body` after a gRPC prefix.
pub(super) fn framed(body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0];
    bytes.extend(u32::try_from(body.len()).expect("short").to_be_bytes());
    bytes.extend(body);
    bytes
}

/// A key, in an overlong form if `overlong`.
fn key(field: u32, wire_type: u32, overlong: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_varint(u64::from(field << 3 | wire_type), &mut bytes);
    if overlong {
        *bytes.last_mut().expect("not empty") |= 0x80;
        bytes.push(0);
    }
    bytes
}

fn varint(value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_varint(value, &mut bytes);
    bytes
}

fn with_length(field: u32, overlong: bool, content: &[u8]) -> Vec<u8> {
    [
        &key(field, 2, overlong)[..],
        &varint(content.len() as u64),
        content,
    ]
    .concat()
}

fn any_digest() -> impl Strategy<Value = AlgorithmDigest> {
    (-1..3i32, prop::collection::vec(any::<u8>(), 0..34)).prop_map(|(algorithm, digest)| {
        AlgorithmDigest {
            algorithm,
            digest: digest.into(),
        }
    })
}

pub(super) fn any_options() -> impl Strategy<Value = PartOptions> {
    (
        prop::collection::vec(any::<i32>(), 0..3),
        any::<Option<u64>>(),
    )
        .prop_map(|(algorithms, size_bytes)| PartOptions {
            algorithms,
            size_bytes,
        })
}

fn any_memory() -> impl Strategy<Value = Option<MemoryRange>> {
    let range = (any::<u64>(), any::<u32>());
    prop::option::of(range.prop_map(|(offset, length)| MemoryRange { offset, length }))
}

/// A field without groups, with a number from `number`.
fn leaf(number: BoxedStrategy<u32>) -> impl Strategy<Value = Vec<u8>> {
    let content = prop_oneof![
        9 => prop::collection::vec(any::<u8>(), 0..20),
        1 => prop::collection::vec(any::<u8>(), 100..300),
    ];
    prop_oneof![
        (number.clone(), any::<bool>(), any::<u64>()).prop_map(|(field, overlong, value)| [
            key(field, 0, overlong),
            varint(value)
        ]
        .concat()),
        (number.clone(), any::<bool>(), content)
            .prop_map(|(field, overlong, content)| with_length(field, overlong, &content)),
        (number.clone(), any::<[u8; 8]>()).prop_map(|(field, value)| [
            &key(field, 1, false)[..],
            &value
        ]
        .concat()),
        (number, any::<[u8; 4]>())
            .prop_map(|(field, value)| [&key(field, 5, false)[..], &value].concat()),
    ]
}

fn group(field: u32, fields: &[Vec<u8>]) -> Vec<u8> {
    [key(field, 3, false), fields.concat(), key(field, 4, false)].concat()
}

/// A field of any wire type that neither message knows, or that Digest does not know. Groups hold
/// more fields.
fn unknown_field() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![
        6 => 16..40u32,
        3 => 5..14u32,
        1 => Just(3u32),
        1 => 1000..(1u32 << 29),
    ]
    .boxed();
    // Within a group every number is unknown, even the number of data.
    let inner = prop_oneof![1..5u32, Just(15), 16..20u32].boxed();
    let grouped = leaf(inner.clone()).prop_recursive(3, 12, 3, move |fields| {
        (inner.clone(), prop::collection::vec(fields, 0..3))
            .prop_map(|(field, fields)| group(field, &fields))
    });
    prop_oneof![
        3 => leaf(number.clone()),
        1 => (number, prop::collection::vec(grouped, 0..3))
            .prop_map(|(field, fields)| group(field, &fields)),
    ]
}

/// A field of the contract except `data`, as an encoder may write it.
fn known_field() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        (any::<bool>(), any::<u64>()).prop_map(|(overlong, part)| [
            key(1, 0, overlong),
            varint(part)
        ]
        .concat()),
        any_options().prop_map(|open| with_length(2, false, &open.encode_to_vec())),
        (any_options(), unknown_field()).prop_map(|(open, unknown)| {
            with_length(2, false, &[unknown, open.encode_to_vec()].concat())
        }),
        any_digest().prop_map(|digest| with_length(3, false, &digest.encode_to_vec())),
        (0..3u64).prop_map(|last| [key(4, 0, false), varint(last)].concat()),
        any_memory().prop_map(|memory| with_length(
            14,
            false,
            &memory.unwrap_or_default().encode_to_vec()
        )),
    ]
}

fn data_field() -> impl Strategy<Value = Vec<u8>> {
    (
        prop::bool::weighted(0.1),
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            prop::collection::vec(any::<u8>(), 120..300),
        ],
    )
        .prop_map(|(overlong, data)| with_length(15, overlong, &data))
}

/// The body of one message: as an encoder writes it, the same with unknown fields, fields in any
/// order and number, or random bytes.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let many = |field: BoxedStrategy<Vec<u8>>| {
        prop::collection::vec(field, 0..4).prop_map(|fields| fields.concat())
    };
    let any_field = prop_oneof![
        3 => known_field(),
        2 => unknown_field(),
        3 => data_field(),
        1 => leaf(Just(15).boxed()),
        1 => prop::collection::vec(any::<u8>(), 1..6),
    ];
    prop_oneof![
        3 => (
            any::<u64>(),
            prop::option::of(any_options()),
            prop::collection::vec(any_digest(), 0..3),
            any::<bool>(),
            any_memory(),
            prop::collection::vec(any::<u8>(), 0..300),
        )
            .prop_map(|(part, open, expected, last, memory, data)| {
                let data = data.into();
                VerifyRequest { part, open, expected, last, memory, data }.encode_to_vec()
            }),
        4 => (
            many(prop_oneof![known_field(), unknown_field()].boxed()),
            prop::option::of(data_field()),
            many(prop_oneof![known_field(), unknown_field()].boxed()),
        )
            .prop_map(|(head, data, tail)| [head, data.unwrap_or_default(), tail].concat()),
        2 => many(any_field.boxed()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
}

/// A change to the bytes of a stream.
#[derive(Clone, Debug)]
enum Change {
    Set(u8),
    Flip(u8),
    Insert(u8),
    Remove,
    Truncate,
}

fn change() -> impl Strategy<Value = (prop::sample::Index, Change)> {
    let change = prop_oneof![
        any::<u8>().prop_map(Change::Set),
        (0..8u32).prop_map(|bit| Change::Flip(1 << bit)),
        any::<u8>().prop_map(Change::Insert),
        Just(Change::Remove),
        Just(Change::Truncate),
    ];
    (any::<prop::sample::Index>(), change)
}

fn changed(mut bytes: Vec<u8>, changes: Vec<(prop::sample::Index, Change)>) -> Vec<u8> {
    for (index, change) in changes {
        if bytes.is_empty() {
            break;
        }
        let at = index.index(bytes.len());
        match change {
            Change::Set(byte) => bytes[at] = byte,
            Change::Flip(bit) => bytes[at] ^= bit,
            Change::Insert(byte) => bytes.insert(at, byte),
            Change::Remove => drop(bytes.remove(at)),
            Change::Truncate => bytes.truncate(at),
        }
    }
    bytes
}

/// A stream of messages: most are whole, some have broken fields with a correct length, some are
/// broken anywhere.
pub(super) fn stream() -> impl Strategy<Value = Vec<u8>> {
    let message = prop_oneof![
        8 => body().prop_map(|body| framed(&body)),
        1 => (body(), 0..4u8).prop_map(|(body, flag)| {
            let mut bytes = framed(&body);
            bytes[0] = flag;
            bytes
        }),
        2 => (body(), prop::collection::vec(change(), 1..3))
            .prop_map(|(body, changes)| framed(&changed(body, changes))),
    ];
    let messages = prop::collection::vec(message, 0..4).prop_map(|messages| messages.concat());
    prop_oneof![
        4 => messages.clone(),
        1 => (messages, prop::collection::vec(change(), 1..4))
            .prop_map(|(bytes, changes)| changed(bytes, changes)),
    ]
}

pub(super) fn pieces() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        Just(vec![1]),
        Just(vec![]),
        prop::collection::vec(1..6usize, 1..8),
        prop::collection::vec(1..200usize, 1..8),
    ]
}
