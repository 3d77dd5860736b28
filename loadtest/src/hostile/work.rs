//! Calls that make the server compute as much as one message may request.

use hashlane_proto::v1::{Algorithm, ChecksumType, ComposeRequest};

use super::batch::Batch;
use super::flood::{Flood, of_frames};
use crate::grpc::{self, COMPOSE_PATH};
use hashlane_http2_frames::{PAYLOAD_BYTES_DEFAULT, call, flag, frame, kind};

/// S3's largest number of parts.
const PARTS: usize = 10_000;

pub(super) static WORK: [Flood; 1] = [of_frames(
    "compose-parts",
    "calls of Compose with 10,000 parts of different sizes",
    || Batch::of_calls(&whole_call(COMPOSE_PATH, &grpc::frame(&compose()))),
)];

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
    let mut pieces = message.chunks(PAYLOAD_BYTES_DEFAULT).peekable();
    while let Some(piece) = pieces.next() {
        let flags = if pieces.peek().is_none() {
            flag::END_STREAM
        } else {
            0
        };
        frames.push(frame(kind::DATA, flags, 0, piece));
    }
    frames
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use prost::Message as _;

    use super::*;

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
