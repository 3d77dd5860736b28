//! The floods by name.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::batch::{Batch, headers, message, open_call};
use super::flood::{Flood, Method, of_frames};
use super::holds::HOLDS;
use super::resets::RESETS;
use super::work::WORK;
use crate::grpc::DIGEST_PATH;
use hashlane_http2_frames::{
    PAYLOAD_BYTES_DEFAULT, call, flag, frame, kind, preface, priority, reset, setting, settings,
    window_update,
};

/// Bytes of data in the message sent byte by byte.
const DRIPPED_BYTES: usize = 1024;

/// The control: as much CPU time, but no flood.
pub(crate) const SPINS: Flood = Flood {
    name: "spins",
    help: "the control: a thread that uses its CPU and sends nothing",
    method: Method::Spin,
    is_tls: false,
};

/// All floods.
pub(super) fn all() -> impl Iterator<Item = &'static Flood> {
    std::iter::once(&SPINS)
        .chain(&FLOODS)
        .chain(&RESETS)
        .chain(&HOLDS)
        .chain(&WORK)
}

/// Frames and connections that cost the server CPU time.
static FLOODS: [Flood; 16] = [
    of_frames("ping", "PING", || {
        Batch::of(&frame(kind::PING, 0, 0, &[7; 8]))
    }),
    of_frames("settings", "SETTINGS of one entry", || {
        Batch::of(&settings_of(1))
    }),
    of_frames("settings-many", "SETTINGS of 256 entries", || {
        Batch::of(&settings_of(256))
    }),
    of_frames(
        "window-update",
        "WINDOW_UPDATE of the connection by 1",
        || Batch {
            // Keep the connection's window small, or the first update would overflow it.
            opening: preface(),
            ..Batch::of(&window_update(0, 1))
        },
    ),
    of_frames("priority", "PRIORITY of a stream that is not open", || {
        Batch::of(&priority(1, 0, 15))
    }),
    of_frames(
        "rapid-reset",
        "HEADERS of a call and RST_STREAM of it",
        || Batch::of_calls(&[open_call(), reset(0)]),
    ),
    of_frames("headers", "HEADERS of calls that send nothing more", || {
        Batch::of_calls(&[open_call()])
    }),
    of_frames("empty-calls", "HEADERS of calls that end at once", || {
        Batch::of_calls(&[call(DIGEST_PATH, 0, flag::END_STREAM, &[])])
    }),
    of_frames(
        "continuation",
        "CONTINUATION of a header block without end",
        || {
            // The header `x: y`, without indexing.
            let block = [0, 1, b'x', 1, b'y'];
            let opener = frame(kind::HEADERS, 0, 0, &headers());
            Batch::on_call(opener, &frame(kind::CONTINUATION, 0, 0, &block), 0)
        },
    ),
    of_frames("empty-data", "DATA without a byte", || {
        Batch::on_call(open_call(), &frame(kind::DATA, 0, 0, &[]), 0)
    }),
    of_frames(
        "one-byte-data",
        "a message of 1 KiB in DATA of one byte",
        || {
            let message = message(DRIPPED_BYTES, false);
            let frames: Vec<u8> = message
                .iter()
                .flat_map(|&byte| frame(kind::DATA, 0, 0, &[byte]))
                .collect();
            Batch::on_call(open_call(), &frames, message.len())
        },
    ),
    of_frames(
        "tiny-messages",
        "messages of one byte, each in DATA of its own",
        || {
            let message = message(1, false);
            let frame = frame(kind::DATA, 0, 0, &message);
            Batch::on_call(open_call(), &frame, message.len())
        },
    ),
    of_frames(
        "packed-messages",
        "whole parts of one byte, 1,638 in each DATA",
        || {
            let message = message(1, true);
            let payload = message.repeat(PAYLOAD_BYTES_DEFAULT / message.len());
            let frame = frame(kind::DATA, 0, 0, &payload);
            Batch::on_call(open_call(), &frame, payload.len())
        },
    ),
    of_frames(
        "header-bomb",
        "HEADERS with 2,000 references to a field of 4 KB",
        || Batch::of_calls(&[frame(kind::HEADERS, flag::END_HEADERS, 0, &bomb())]),
    ),
    of_frames("tls-garbage", "connections that do not speak TLS", || {
        Batch::staying(vec![0x55; 512])
    })
    .over_tls(),
    Flood {
        name: "churn",
        help: "connections that speak HTTP/2 and leave",
        method: Method::Churn,
        is_tls: false,
    },
];

impl Flood {
    /// Parses a flood's name.
    pub fn parser() -> impl TypedValueParser<Value = Self> {
        let names = all().map(|flood| PossibleValue::new(flood.name).help(flood.help));
        PossibleValuesParser::new(names).map(|name| {
            let found = all().find(|flood| flood.name == name);
            *found.expect("the parser allows these names alone")
        })
    }

    /// All names.
    pub fn names() -> Vec<&'static str> {
        all().map(Self::name).collect()
    }
}

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
    let entry = |index: usize| {
        let value = if index.is_multiple_of(2) {
            65_535
        } else {
            65_534
        };
        (setting::INITIAL_WINDOW_SIZE, value)
    };
    let entries: Vec<_> = (0..entries).map(entry).collect();
    settings(&entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(name: &str) -> Batch {
        let flood = all().find(|flood| flood.name == name).unwrap();
        match flood.method {
            Method::Frames(batch) => batch(),
            _ => panic!("{flood:?}"),
        }
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
            ("packed-messages", &[kind::DATA], 1),
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
    fn names_are_parsed_and_distinct() {
        let names: std::collections::BTreeSet<_> = all().map(Flood::name).collect();
        assert_eq!(names.len(), all().count());
    }
}
