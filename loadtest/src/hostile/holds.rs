//! Connections that make the server hold as much memory as allowed, then stay.

use hashlane_proto::v1::{DigestRequest, PartOptions};

use super::batch::{Batch, message, open_call};
use super::flood::{Flood, of_frames};
use crate::grpc::{self, DIGEST_BATCH_PATH, HEALTH_WATCH_PATH};
use hashlane_http2_frames::{
    PAYLOAD_BYTES_DEFAULT, call, closed_preface, flag, frame, kind, opening,
};

/// Calls of a connection, the server's default maximum, and the most in one batch.
const CALLS: usize = 1024;
const CALLS_IN_BATCH_MAX: usize = 128;

/// Length in a message's prefix; most of the message is never sent.
const PROMISED_BYTES: u32 = 1 << 20;

/// Number of algorithms that a part may name.
const ALGORITHMS: i32 = 28;

pub(super) static HOLDS: [Flood; 10] = [
    of_frames(
        "half-prefaces",
        "connections that stop within the preface",
        || {
            let mut opening = opening();
            opening.truncate(12);
            Batch::staying(opening)
        },
    ),
    of_frames(
        "endless-headers",
        "connections that stop within a header block",
        || {
            let block = vec![0; PAYLOAD_BYTES_DEFAULT];
            Batch {
                times: 1,
                ..Batch::of_calls(&[frame(kind::HEADERS, 0, 0, &block)])
            }
        },
    ),
    of_frames("open-calls", "calls that send nothing more", || {
        calls(&[open_call()])
    }),
    of_frames("watches", "calls of Health.Watch", || {
        let open = call(HEALTH_WATCH_PATH, 0, 0, &[]);
        // A message without a field: all of the server.
        calls(&[open, frame(kind::DATA, flag::END_STREAM, 0, &[0; 5])])
    }),
    of_frames(
        "open-parts",
        "calls of a part that wants all digests",
        || {
            let message = grpc::frame(&DigestRequest {
                open: Some(PartOptions {
                    algorithms: (1..=ALGORITHMS).collect(),
                    size_bytes: None,
                }),
                data: vec![b'a'].into(),
                ..Default::default()
            });
            calls(&[open_call(), frame(kind::DATA, 0, 0, &message)])
        },
    ),
    of_frames(
        "held-data",
        "calls with data that other fields are to follow",
        || {
            // Field 15, with fewer bytes than the message has left.
            let field = [&[0x7a][..], &varint(PROMISED_BYTES - 16)].concat();
            calls(&[open_call(), promising(&field)])
        },
    ),
    of_frames(
        "whole-messages",
        "calls of DigestBatch whose message does not end",
        || {
            let field = [&[0x12][..], &varint(PROMISED_BYTES - 16)].concat();
            let open = call(DIGEST_BATCH_PATH, 0, 0, &[]);
            calls(&[open, promising(&field)])
        },
    ),
    of_frames(
        "zero-windows",
        "calls whose one answer may not be sent",
        || {
            let data = frame(kind::DATA, flag::END_STREAM, 0, &message(1, true));
            unread(calls(&[open_call(), data]))
        },
    ),
    of_frames(
        "unread-answers",
        "calls of many parts whose answers may not be sent",
        || {
            let message = message(1, true);
            let payload = message.repeat(PAYLOAD_BYTES_DEFAULT / message.len());
            unread(calls(&[open_call(), frame(kind::DATA, 0, 0, &payload)]))
        },
    ),
    of_frames(
        "half-handshakes",
        "connections that stop within a TLS handshake",
        || {
            // A handshake record of 512 bytes, with the beginning of a ClientHello (RFC 8446).
            Batch::staying(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec())
        },
    )
    .over_tls(),
];

/// As many calls with these frames as a connection may have.
fn calls(frames: &[Vec<u8>]) -> Batch {
    let batch = Batch::of_calls(frames);
    let calls_in_batch = usize::try_from(batch.frames).unwrap_or(usize::MAX) / frames.len();
    let calls_in_batch = power_of_two_up_to(calls_in_batch.min(CALLS_IN_BATCH_MAX));
    Batch {
        times: CALLS / calls_in_batch,
        ..Batch::of_calls_at_once(frames, calls_in_batch)
    }
}

/// The largest power of two that is at most `number`.
fn power_of_two_up_to(number: usize) -> usize {
    1 << number.max(1).ilog2()
}

fn unread(batch: Batch) -> Batch {
    Batch {
        opening: closed_preface(),
        ..batch
    }
}

/// A frame of an incomplete message that begins with `field`.
fn promising(field: &[u8]) -> Vec<u8> {
    let prefix = [&[0][..], &PROMISED_BYTES.to_be_bytes(), field].concat();
    let mut payload = prefix;
    payload.resize(PAYLOAD_BYTES_DEFAULT, b'a');
    frame(kind::DATA, 0, 0, &payload)
}

fn varint(number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    prost::encoding::encode_varint(number.into(), &mut bytes);
    bytes
}
