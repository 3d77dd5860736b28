//! The catalogue of floods: each by its name, with what a connection sends.

use clap::ValueEnum;
use hashlane_http2_frames::{
    PAYLOAD_BYTES_DEFAULT, WINDOW_BYTES_MAX, call, closed_preface, flag, frame, kind, opening,
    preface, priority, reset, setting, settings, window_update,
};
use hashlane_proto::v1::{Algorithm, ChecksumType, ComposeRequest, DigestRequest, PartOptions};
use serde::Serialize;

use super::repeated_frames::{Batch, ITSELF, headers, message, open_call};
use crate::args::shown_by_name;
use crate::protocol::grpc::{
    self, COMPOSE_PATH, DIGEST_BATCH_PATH, DIGEST_PATH, HEALTH_WATCH_PATH,
};

/// One kind of flood. The first cost the server CPU time for frames and connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flood {
    /// The control: a thread that uses its CPU and sends nothing.
    Spins,
    /// PING.
    Ping,
    /// SETTINGS of one entry.
    Settings,
    /// SETTINGS of 256 entries.
    SettingsMany,
    /// WINDOW_UPDATE of the connection by 1.
    WindowUpdate,
    /// PRIORITY of a stream that is not open.
    Priority,
    /// HEADERS of a call and RST_STREAM of it.
    RapidReset,
    /// HEADERS of calls that send nothing more.
    Headers,
    /// HEADERS of calls that end at once.
    EmptyCalls,
    /// CONTINUATION of a header block without end.
    Continuation,
    /// DATA without a byte.
    EmptyData,
    /// A message of 1 KiB in DATA of one byte.
    OneByteData,
    /// Messages of one byte, each in DATA of its own.
    TinyMessages,
    /// Calls of 1,270 whole parts of one byte in one DATA.
    PackedMessages,
    /// HEADERS with 2,000 references to a field of 4 KB.
    HeaderBomb,
    /// Connections that do not speak TLS.
    TlsGarbage,
    /// Connections that speak HTTP/2 and leave.
    Churn,
    // The six ways of CVE-2025-8671 to make the server reset an open call.
    /// Calls whose window is opened by 0.
    ResetZero,
    /// Calls whose window is opened too far.
    ResetOverflow,
    /// Calls with a PRIORITY of 4 bytes.
    ResetShort,
    /// Calls with a PRIORITY that depends on itself.
    ResetItself,
    /// Calls with HEADERS after their end.
    ResetHeaders,
    /// Calls with DATA after their end.
    ResetData,
    // Connections that make the server hold as much memory as allowed, then stay.
    /// Connections that stop within the preface.
    HalfPrefaces,
    /// Connections that stop within a header block.
    EndlessHeaders,
    /// Calls that send nothing more.
    OpenCalls,
    /// Calls of Health.Watch.
    Watches,
    /// Calls of a part that wants all digests.
    OpenParts,
    /// Calls with data that other fields are to follow.
    HeldData,
    /// Calls of DigestBatch whose message does not end.
    WholeMessages,
    /// Calls whose one answer may not be sent.
    ZeroWindows,
    /// Calls of many parts whose answers may not be sent.
    UnreadAnswers,
    /// Connections that stop within a TLS handshake.
    HalfHandshakes,
    // Calls that make the server compute as much as one message may request.
    /// Calls of Compose with 10,000 parts of different sizes.
    ComposeParts,
}

shown_by_name!(Flood);

impl Flood {
    /// Whether it opens connections.
    pub(crate) fn connects(self) -> bool {
        self != Self::Spins
    }

    /// Whether it suits a port with TLS, or without.
    pub(crate) fn fits(self, is_tls: bool) -> bool {
        let needs_tls = matches!(self, Self::TlsGarbage | Self::HalfHandshakes);
        !self.connects() || needs_tls == is_tls
    }

    /// All names. They leak: flags live as long as the process anyway.
    pub(crate) fn names() -> Vec<&'static str> {
        let names = Self::value_variants().iter().map(Self::to_string);
        names.map(|name| &*name.leak()).collect()
    }

    /// What a connection sends.
    pub(super) fn batch(self) -> Batch {
        match self {
            Self::Spins => Batch::staying(Vec::new()),
            Self::Ping => Batch::of(&frame(kind::PING, 0, 0, &[7; 8])),
            Self::Settings => Batch::of(&settings_of(1)),
            Self::SettingsMany => Batch::of(&settings_of(256)),
            Self::WindowUpdate => Batch {
                // Keep the connection's window small, or the first update would overflow it.
                opening: preface(),
                ..Batch::of(&window_update(0, 1))
            },
            Self::Priority => Batch::of(&priority(1, 0, 15)),
            Self::RapidReset => Batch::of_calls(&[open_call(), reset(0)]),
            Self::Headers => Batch::of_calls(&[open_call()]),
            Self::EmptyCalls => Batch::of_calls(&[call(DIGEST_PATH, 0, flag::END_STREAM, &[])]),
            Self::Continuation => {
                // The header `x: y`, without indexing.
                let block = [0, 1, b'x', 1, b'y'];
                let opener = frame(kind::HEADERS, 0, 0, &headers());
                Batch::on_call(opener, &frame(kind::CONTINUATION, 0, 0, &block))
            }
            Self::EmptyData => Batch::on_call(open_call(), &frame(kind::DATA, 0, 0, &[])),
            Self::OneByteData => {
                let message = message(0, DRIPPED_BYTES, false);
                let frames = message.iter().map(|&byte| frame(kind::DATA, 0, 0, &[byte]));
                Batch::on_call(open_call(), &frames.collect::<Vec<_>>().concat())
            }
            Self::TinyMessages => {
                Batch::on_call(open_call(), &frame(kind::DATA, 0, 0, &message(0, 1, false)))
            }
            Self::PackedMessages => Batch::of_calls(&[open_call(), packed_parts(flag::END_STREAM)]),
            Self::HeaderBomb => {
                Batch::of_calls(&[frame(kind::HEADERS, flag::END_HEADERS, 0, &bomb())])
            }
            Self::TlsGarbage => Batch::staying(vec![0x55; 512]),
            Self::Churn => Batch {
                leaves: true,
                ..Batch::staying(opening())
            },
            Self::ResetZero => Batch::of_calls(&[open_call(), window_update(0, 0)]),
            Self::ResetOverflow => {
                let update = window_update(0, WINDOW_BYTES_MAX);
                Batch::of_calls(&[open_call(), update.clone(), update])
            }
            Self::ResetShort => {
                Batch::of_calls(&[open_call(), frame(kind::PRIORITY, 0, 0, &[0; 4])])
            }
            Self::ResetItself => Batch::of_calls(&[open_call(), priority(0, ITSELF, 0)]),
            Self::ResetHeaders => Batch::of_calls(&[open_call(), last_data(), open_call()]),
            Self::ResetData => {
                Batch::of_calls(&[open_call(), last_data(), frame(kind::DATA, 0, 0, b"more")])
            }
            Self::HalfPrefaces => {
                let mut opening = opening();
                opening.truncate(12);
                Batch::staying(opening)
            }
            Self::EndlessHeaders => {
                let block = vec![0; PAYLOAD_BYTES_DEFAULT];
                Batch {
                    times: 1,
                    ..Batch::of_calls(&[frame(kind::HEADERS, 0, 0, &block)])
                }
            }
            Self::OpenCalls => calls(&[open_call()]),
            Self::Watches => {
                let open = call(HEALTH_WATCH_PATH, 0, 0, &[]);
                // A message without a field: all of the server.
                calls(&[open, frame(kind::DATA, flag::END_STREAM, 0, &[0; 5])])
            }
            Self::OpenParts => {
                let message = grpc::frame(&DigestRequest {
                    open: Some(PartOptions {
                        algorithms: (1..=ALGORITHMS).collect(),
                        size_bytes: None,
                    }),
                    data: vec![b'a'].into(),
                    ..Default::default()
                });
                calls(&[open_call(), frame(kind::DATA, 0, 0, &message)])
            }
            Self::HeldData => {
                // Field 15, with fewer bytes than the message has left.
                let field = [&[0x7a][..], &varint(PROMISED_BYTES - 16)].concat();
                calls(&[open_call(), promising(&field)])
            }
            Self::WholeMessages => {
                let field = [&[0x12][..], &varint(PROMISED_BYTES - 16)].concat();
                let open = call(DIGEST_BATCH_PATH, 0, 0, &[]);
                calls(&[open, promising(&field)])
            }
            Self::ZeroWindows => unread(calls(&[open_call(), last_data()])),
            Self::UnreadAnswers => unread(calls(&[open_call(), packed_parts(0)])),
            Self::HalfHandshakes => {
                // A handshake record of 512 bytes, with the beginning of a ClientHello (RFC 8446).
                Batch::staying(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec())
            }
            Self::ComposeParts => {
                Batch::of_calls(&whole_call(COMPOSE_PATH, &grpc::frame(&compose())))
            }
        }
    }
}

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
        Flood::from_str(name, false).unwrap().batch()
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
