//! Frames by hand, valid or not, in any pieces.

use bytes::Bytes;
use hashlane_http2::frame::{HEAD_BYTES, Head, PREFACE, flag, kind};
use hashlane_http2::{Code, Config};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::echo::Echo;

const CONFIG: Config = Config {
    streams_max: 5,
    stream_window_bytes: 5000,
    connection_window_bytes: 70_000,
    frame_bytes_max: 16_384,
    header_list_bytes_max: 500,
};

/// `POST /` in indices of the static table.
const POST: &[u8] = b"\x83\x86\x84";
const EARLY: &[u8] = b"\x83\x86\x04\x06/early";
const SHUT_DOWN: &[u8] = b"\x83\x86\x04\x0a/shut-down";
const TRAILERS: &[u8] = b"\x00\x01a\x01b";
const BLOCK: u8 = flag::END_HEADERS;
/// A block that ends its stream.
pub(crate) const LAST: u8 = flag::END_HEADERS | flag::END_STREAM;

/// A whole frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let bytes = payload.len();
    let head = Head {
        bytes,
        kind,
        flags,
        stream,
    };
    [&head.encode()[..], payload].concat()
}

/// The whole frames that `bytes` consist of: heads and payloads.
fn frames(mut bytes: &[u8]) -> impl Iterator<Item = (Head, &[u8])> {
    std::iter::from_fn(move || {
        let head = Head::decode_first(bytes)?;
        let (payload, rest) = bytes[HEAD_BYTES..].split_at(head.bytes);
        bytes = rest;
        Some((head, payload))
    })
}

/// Preface and SETTINGS.
pub(crate) fn opening() -> Vec<u8> {
    [PREFACE, &frame(kind::SETTINGS, 0, 0, &[])].concat()
}

/// A server that was sent this in pieces of these lengths. Its last event is its error, if it has
/// one.
pub(crate) fn play(sent: &[u8], lengths: impl IntoIterator<Item = usize>) -> Echo {
    let mut echo = Echo::new(CONFIG);
    echo.connection.ping();
    let mut rest = Bytes::copy_from_slice(sent);
    for length in lengths {
        let piece = rest.split_to(length.min(rest.len()));
        if let Err(code) = echo.receive(piece) {
            echo.told.push((code.name().to_owned(), Vec::new()));
            echo.has_failed = true;
            break;
        }
        if rest.is_empty() {
            break;
        }
    }
    echo.answer();
    echo
}

/// A frame's type, flags, stream and payload. Streams are counted back from the newest, but for 0
/// and for those from [`NEW`] on.
type Sent = (u8, u8, u32, Vec<u8>);

/// The next stream. Those behind it are even, or leave one out.
const NEW: u32 = 100;

/// A request, mostly valid.
fn request() -> impl Strategy<Value = Vec<Sent>> {
    let indexed = [POST, b"\x40\x01a\x01b"].concat();
    let indexes = [POST, b"\xbe"].concat();
    let too_large = [POST, b"\x00\x01a\x7f\xd9\x03", &[b'x'; 600]].concat();
    let rare = vec![indexes, too_large, b"\x83".to_vec(), b"not HPACK".to_vec()];
    let measured = b"\x83\x86\x84\x0f\x0d\x03100".to_vec();
    let usual = vec![
        POST.to_vec(),
        indexed,
        EARLY.to_vec(),
        SHUT_DOWN.to_vec(),
        measured,
    ];
    let block = prop_oneof![8 => select(usual), 1 => select(rare)];
    (block, 0..2_u8, 0..4, 0..20_usize).prop_map(|(block, ends, how, cut)| {
        let headers = |flags, payload| (kind::HEADERS, flags | ends, NEW, payload);
        let prioritised = [&[0; 5], &block[..]].concat();
        match how {
            0 => vec![headers(BLOCK, block)],
            1 => vec![headers(BLOCK | flag::PADDED, padded(7, &block))],
            2 => vec![headers(BLOCK | flag::PRIORITY, prioritised)],
            _ => {
                let (first, rest) = block.split_at(cut.min(block.len()));
                let rest = (kind::CONTINUATION, BLOCK, 1, rest.to_vec());
                vec![headers(0, first.to_vec()), rest]
            }
        }
    })
}

fn padded(padding_bytes: u8, payload: &[u8]) -> Vec<u8> {
    let padding = vec![0; padding_bytes.into()];
    [&[padding_bytes], payload, &padding].concat()
}

fn data() -> impl Strategy<Value = Sent> {
    let payload = prop_oneof![vec(any::<u8>(), 0..30), vec(any::<u8>(), 0..3000)];
    let padding = prop::option::weighted(0.25, any::<u8>());
    let flags = select(vec![0, 0, 0, flag::END_STREAM]);
    (payload, 1..7_u32, flags, padding).prop_map(|(payload, on, flags, padding)| match padding {
        Some(bytes) => (
            kind::DATA,
            flags | flag::PADDED,
            on,
            padded(bytes, &payload),
        ),
        None => (kind::DATA, flags, on, payload),
    })
}

/// Other frames, mostly valid.
fn other() -> impl Strategy<Value = Sent> {
    let bytes = select(vec![0, 1, 1, 1000, 1000, 65_535, (1 << 31) - 1]);
    let window = (0..7_u32, bytes)
        .prop_map(|(on, bytes)| (kind::WINDOW_UPDATE, 0, on, u32::to_be_bytes(bytes).to_vec()));
    let value = select(vec![0, 1, 2, 16_384, 70_000, 1 << 31]);
    let settings = (1..8_u8, value).prop_map(|(name, value)| {
        let entry = [&[0, name][..], &u32::to_be_bytes(value)].concat();
        (kind::SETTINGS, 0, 0, entry)
    });
    // The payloads of a connection's own.
    let ping = (0..2_u8, select(vec![b"hashlane", b"shutdown"]))
        .prop_map(|(flags, payload)| (kind::PING, flags, 0, payload.to_vec()));
    let reset = (1..7_u32).prop_map(|on| (kind::RST_STREAM, 0, on, vec![0, 0, 0, 8]));
    let trailers = (1..7_u32).prop_map(|on| (kind::HEADERS, LAST, on, TRAILERS.to_vec()));
    let goaway = (8..20_usize).prop_map(|bytes| (kind::GOAWAY, 0, 0, vec![0; bytes]));
    let streams = prop_oneof![0..7_u32, NEW..NEW + 3];
    let anything = (0..12_u8, any::<u8>(), streams, vec(any::<u8>(), 0..40));
    prop_oneof![4 => window, 2 => settings, 3 => ping, 2 => reset, 3 => trailers, 1 => goaway,
        1 => anything]
}

/// The frames as bytes, after a request on stream 1.
fn written(sent: Vec<Vec<Sent>>) -> Vec<u8> {
    let mut bytes = [opening(), frame(kind::HEADERS, BLOCK, 1, POST)].concat();
    let mut newest = 1_u32;
    for (kind, flags, on, payload) in sent.into_iter().flatten() {
        let stream = match on {
            0 => 0,
            NEW.. => newest + 2 + on - NEW,
            back => newest.saturating_sub(2 * (back - 1)).max(1),
        };
        if stream % 2 == 1 {
            newest = newest.max(stream);
        }
        bytes.extend(frame(kind, flags, stream, &payload));
    }
    bytes
}

#[test]
fn a_client_that_exceeds_a_window_is_told_so() {
    for (bytes, times, expected) in [
        (5000, 1, &[][..]),
        (5001, 1, &[kind::RST_STREAM]),
        (14_000, 5, &[kind::RST_STREAM]),
        (14_001, 5, &[kind::RST_STREAM, kind::GOAWAY]),
    ] {
        let data = frame(kind::DATA, 0, 1, &vec![0; bytes]).repeat(times);
        let mut echo = play(&[written(Vec::new()), data].concat(), [usize::MAX]);
        let code = Code::FLOW_CONTROL_ERROR.0.to_be_bytes();
        let is_error = |(_, payload): &(Head, &[u8])| payload.ends_with(&code);
        let errors = frames(echo.connection.output()).filter(is_error);
        let errors: Vec<u8> = errors.map(|(head, _)| head.kind).collect();
        assert_eq!(errors, expected, "{times} times {bytes} bytes");
    }
}

/// What the client sent before it read RST_STREAM, or the last GOAWAY.
#[test]
fn late_frames_of_a_call_that_is_over_end_no_other_call() {
    let one = 1_u32.to_be_bytes();
    let sent = [
        opening(),
        frame(kind::HEADERS, BLOCK, 1, SHUT_DOWN),
        frame(kind::HEADERS, BLOCK, 3, EARLY),
        frame(kind::DATA, 0, 3, b"late"),
        frame(kind::HEADERS, LAST, 3, TRAILERS),
        frame(kind::PING, flag::ACK, 0, b"shutdown"),
        frame(kind::HEADERS, BLOCK, 5, POST),
        frame(kind::DATA, 0, 5, b"late"),
        frame(kind::WINDOW_UPDATE, 0, 5, &one),
        frame(kind::RST_STREAM, 0, 5, &one),
        frame(kind::DATA, flag::END_STREAM, 1, b"served"),
    ];
    let mut echo = play(&sent.concat(), [usize::MAX]);
    let [.., (_, body), (end, _)] = &echo.told[..] else {
        panic!("{:?}", echo.told);
    };
    assert_eq!((&body[..], &end[..]), (&b"served"[..], "end of 1"));
    assert_eq!(echo.window_bytes, b"latelateserved".len());
    let requests = echo.events().filter(|event| event.starts_with("Request"));
    assert_eq!(requests.count(), 2);
    let resets = frames(echo.connection.output()).filter(|(head, _)| head.kind == kind::RST_STREAM);
    let resets: Vec<_> = resets.map(|(head, code)| (head.stream, code)).collect();
    assert_eq!(resets, [(3, &Code::NO_ERROR.0.to_be_bytes()[..])]);
}

#[test]
fn a_ping_has_one_answer() {
    let pong = frame(kind::PING, flag::ACK, 0, b"hashlane");
    let echo = play(&[opening(), pong.repeat(2)].concat(), [usize::MAX]);
    let pongs = echo.events().filter(|event| *event == "Pong");
    assert_eq!(pongs.count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn however_bytes_are_split_the_same_becomes_of_them(
        sent in vec(prop_oneof![
            3 => request(),
            5 => data().prop_map(|frame| vec![frame]),
            3 => other().prop_map(|frame| vec![frame]),
        ], 0..40),
        lengths in vec(prop_oneof![1..30_usize, 1..3000_usize], 1..20),
        broken in prop::option::weighted(0.05, 0..PREFACE.len() + HEAD_BYTES),
    ) {
        let mut sent = written(sent);
        if let Some(at) = broken {
            sent[at] ^= 1;
        }
        let mut whole = play(&sent, [usize::MAX]);
        let seen = whole.connection.take_seen();
        for mut pieces in [
            play(&sent, lengths.into_iter().cycle()),
            play(&sent, std::iter::repeat(1)),
        ] {
            prop_assert_eq!(&whole.told, &pieces.told);
            prop_assert_eq!(whole.connection.output(), pieces.connection.output());
            prop_assert_eq!(whole.window_bytes, pieces.window_bytes);
            prop_assert_eq!(&seen, &pieces.connection.take_seen());
        }
        if !whole.has_failed {
            let data = frames(&sent[PREFACE.len()..]).filter(|(head, _)| head.kind == kind::DATA);
            let data_bytes: usize = data.map(|(head, _)| head.bytes).sum();
            prop_assert_eq!(whole.window_bytes, data_bytes, "a window is lost");
        }
    }
}
