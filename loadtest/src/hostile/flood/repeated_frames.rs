//! Frames that a hostile connection sends repeatedly.

use hashlane_http2_frames::{HEAD_BYTES, Head, STREAM_MAX, call, call_headers, kind, opening};
use hashlane_proto::v1::DigestRequest;

use crate::protocol::grpc::{self, DIGEST_PATH};

/// Bytes of a batch: one write, large enough that the system call costs little.
const BATCH_BYTES: usize = 16 << 10;

/// Marks a PRIORITY frame that depends on its own stream.
pub(super) const ITSELF: u32 = STREAM_MAX;

/// Frames of one write.
#[derive(Debug)]
pub(super) struct Batch {
    /// Bytes sent first on the connection.
    pub(super) opening: Vec<u8>,
    pub(super) bytes: Vec<u8>,
    /// Number of frames in `bytes`.
    pub(super) frames: u64,
    /// Bytes of the flow-control windows that they use.
    pub(super) window_bytes: i64,
    pub(super) calls: Calls,
    /// How often to send it before the connection stays silent; `usize::MAX` for no limit.
    pub(super) times: usize,
    /// Whether the client leaves after the opening.
    pub(super) leaves: bool,
}

/// The calls of a batch's frames.
#[derive(Debug)]
pub(super) enum Calls {
    /// Frames of the connection.
    None,
    /// Frames of new calls, `per_call` for each.
    New { per_call: usize },
    /// Frames of one call, which `opener` opens.
    Open { opener: Vec<u8> },
}

impl Batch {
    /// Sends only `opening`, then stays silent.
    pub(super) fn staying(opening: Vec<u8>) -> Self {
        Self {
            opening,
            bytes: Vec::new(),
            frames: 0,
            window_bytes: 0,
            calls: Calls::None,
            times: 0,
            leaves: false,
        }
    }

    /// Sends `bytes`, without end.
    fn endless(bytes: Vec<u8>, calls: Calls) -> Self {
        let heads = frames_in(&bytes).filter_map(|at| Head::decode_first(&bytes[at..]));
        let data_bytes = heads.filter(|head| head.kind == kind::DATA);
        Self {
            frames: frames_in(&bytes).count() as u64,
            window_bytes: data_bytes.map(|head| head.bytes as i64).sum(),
            bytes,
            calls,
            times: usize::MAX,
            ..Self::staying(opening())
        }
    }

    /// Repeats `frames` as often as they fit.
    pub(super) fn of(frames: &[u8]) -> Self {
        let bytes = frames.repeat((BATCH_BYTES / frames.len()).max(1));
        Self::endless(bytes, Calls::None)
    }

    /// As many calls as fit, each with these frames.
    pub(super) fn of_calls(frames: &[Vec<u8>]) -> Self {
        let bytes: usize = frames.iter().map(Vec::len).sum();
        Self::of_calls_at_once(frames, (BATCH_BYTES / bytes).max(1))
    }

    /// `calls` calls, each with these frames.
    pub(super) fn of_calls_at_once(frames: &[Vec<u8>], calls: usize) -> Self {
        let per_call = frames.len();
        Self::endless(frames.concat().repeat(calls), Calls::New { per_call })
    }

    /// Repeats `frames` of one call as often as they fit.
    pub(super) fn on_call(opener: Vec<u8>, frames: &[u8]) -> Self {
        Self {
            calls: Calls::Open { opener },
            ..Self::of(frames)
        }
    }
}

/// The offsets of frames.
pub(super) fn frames_in(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let at = next;
        next += HEAD_BYTES + Head::decode_first(bytes.get(at..)?)?.bytes;
        Some(at)
    })
}

/// Writes a stream number into the frame at `at`; also into the dependency of a PRIORITY frame that
/// depends on [`ITSELF`] or on its earlier number.
pub(super) fn set_stream(bytes: &mut [u8], at: usize, stream: u32) {
    let own = at + 5..at + 9;
    let depends_on = at + 9..at + 13;
    let is_itself = bytes[at + 3] == kind::PRIORITY
        && bytes
            .get(depends_on.clone())
            .is_some_and(|on| on == ITSELF.to_be_bytes() || on == &bytes[own.clone()]);
    bytes[own].copy_from_slice(&stream.to_be_bytes());
    if is_itself {
        bytes[depends_on].copy_from_slice(&stream.to_be_bytes());
    }
}

pub(super) fn headers() -> Vec<u8> {
    call_headers("localhost", DIGEST_PATH, &[])
}

pub(super) fn open_call() -> Vec<u8> {
    call(DIGEST_PATH, 0, 0, &[])
}

pub(super) fn message(part: u64, data_bytes: usize, last: bool) -> Vec<u8> {
    let message = DigestRequest {
        part,
        data: vec![b'a'; data_bytes].into(),
        last,
        ..Default::default()
    };
    grpc::frame(&message).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashlane_http2_frames::{frame, number_at};

    #[test]
    fn a_priority_of_itself_stays_one() {
        let of = |depends_on: u32| {
            let payload = [&depends_on.to_be_bytes()[..], &[0]].concat();
            frame(kind::PRIORITY, 0, 0, &payload)
        };
        let (mut itself, mut other) = (of(ITSELF), of(7));
        for stream in [1, 3, 5] {
            set_stream(&mut itself, 0, stream);
            set_stream(&mut other, 0, stream);
            assert_eq!(number_at(&itself, 9), Some(stream));
            assert_eq!(number_at(&other, 9), Some(7));
        }
    }
}
