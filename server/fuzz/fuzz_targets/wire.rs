//! Any bytes, in any split: the wire decoder against prost.
//!
//! An input is three bytes that choose, then bytes of a stream:
//!
//! ```text
//! 0   bit 0     Digest or Verify
//!     bit 1     the rest is the stream, or the body of one message, whose prefix is
//!               put before it (so that a mutation need not hit its length)
//!     bits 2-7  the limit for fields besides data, in steps of 8 bytes
//! 1   where the stream is cut
//! 2   room for data that fields follow, in steps of 16 bytes; 255 is room for all
//! ```
#![no_main]

// Included as source: the server keeps the module to itself.
#[allow(dead_code, unused_imports)]
#[path = "../../src/decode/mod.rs"]
mod decode;

#[path = "../../src/decode/oracle.rs"]
mod oracle;

#[allow(dead_code)]
#[path = "../../src/limiter/budget.rs"]
mod budget;

mod limiter {
    pub(crate) use crate::budget::{Budget, Permit};
}

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;

use decode::MessageKind;
use oracle::{Bounds, check, decode};

fuzz_target!(|input: &[u8]| {
    let [choice, cut, room, rest @ ..] = input else {
        return;
    };
    let kind = match choice & 1 {
        0 => MessageKind::Digest,
        _ => MessageKind::Verify,
    };
    let mut stream = Vec::with_capacity(rest.len() + 5);
    if choice & 2 != 0 {
        let length = u32::try_from(rest.len()).expect("libFuzzer's inputs are short");
        stream.push(0);
        stream.extend(length.to_be_bytes());
    }
    stream.extend(rest);
    let stream = Bytes::from(stream);
    let bounds = Bounds {
        message_bytes_max: 1 << 16,
        head_bytes_max: usize::from(choice >> 2) * 8,
        held_bytes_max: match room {
            255 => 1 << 16,
            room => usize::from(*room) * 16,
        },
    };

    let whole = decode(kind, bounds, &stream, &[]);
    check(kind, bounds, &stream, &whole);
    let bytewise = decode(kind, bounds, &stream, &[1]);
    assert_eq!(bytewise, whole);
    // Pieces of 1 to 256 bytes, from the multiples of an odd number.
    let pieces: Vec<usize> = (1..=7u8)
        .map(|index| usize::from((cut | 1).wrapping_mul(index)) + 1)
        .collect();
    let cut_up = decode(kind, bounds, &stream, &pieces);
    assert_eq!(cut_up, whole);
    let at_cut = decode(kind, bounds, &stream, &[usize::from(*cut), stream.len()]);
    assert_eq!(at_cut, whole);
});
