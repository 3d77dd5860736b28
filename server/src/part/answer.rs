//! A part's answer, and the memory it holds until its client has it.

use bytes::BytesMut;
use hashlane_proto::v1::{AlgorithmDigest, DigestResponse, PartError, Verdict, VerifyResponse};
use prost::Message as _;

use crate::decode::{MessageKind, PREFIX_BYTES, encode_prefix};

/// Approximate bytes of a queued answer with one digest.
const ANSWER_BYTES: usize = 640;

/// Approximate bytes of each further digest.
const ANSWER_DIGEST_BYTES: usize = 192;

/// One part's answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    Digest(DigestResponse),
    /// With the digests that were not compared.
    Verify(VerifyResponse, Vec<AlgorithmDigest>),
}

impl Answer {
    /// The answer of a part that failed.
    pub(super) fn error(kind: MessageKind, part: u64, size_bytes: u64, error: PartError) -> Self {
        let error = Some(error);
        match kind {
            MessageKind::Digest => Self::Digest(DigestResponse {
                part,
                size_bytes,
                digests: Vec::new(),
                error,
                memory_messages_read: 0,
            }),
            MessageKind::Verify => {
                let answer = VerifyResponse {
                    part,
                    size_bytes,
                    verdict: Verdict::Unspecified.into(),
                    verdicts: Vec::new(),
                    error,
                    memory_messages_read: 0,
                };
                Self::Verify(answer, Vec::new())
            }
        }
    }

    /// Tells how much shared memory was read, and answers no part.
    pub(crate) fn of_memory(kind: MessageKind, messages_read: u64) -> Self {
        let mut answer = match kind {
            MessageKind::Digest => Self::Digest(DigestResponse::default()),
            MessageKind::Verify => Self::Verify(VerifyResponse::default(), Vec::new()),
        };
        answer.tell(messages_read);
        answer
    }

    /// Adds how many messages with shared memory were read; 0 for nothing new.
    pub(crate) fn tell(&mut self, messages_read: u64) {
        match self {
            Self::Digest(answer) => answer.memory_messages_read = messages_read,
            Self::Verify(answer, _) => answer.memory_messages_read = messages_read,
        }
    }

    /// Approximate bytes held until the client has the answer.
    pub(super) fn held_bytes(&self) -> usize {
        let digests = match self {
            Self::Digest(answer) => answer.digests.len(),
            Self::Verify(answer, _) => answer.verdicts.len(),
        };
        ANSWER_BYTES + digests.saturating_sub(1) * ANSWER_DIGEST_BYTES
    }

    /// Appends the answer as a gRPC message.
    pub(crate) fn write(&self, to: &mut BytesMut) {
        let bytes = match self {
            Self::Digest(answer) => answer.encoded_len(),
            Self::Verify(answer, _) => answer.encoded_len(),
        };
        to.reserve(PREFIX_BYTES + bytes);
        // An answer has at most some hundred bytes per algorithm, so its length fits.
        let length = u32::try_from(bytes).unwrap_or(u32::MAX);
        to.extend_from_slice(&encode_prefix(length));
        let written = match self {
            Self::Digest(answer) => answer.encode(to),
            Self::Verify(answer, _) => answer.encode(to),
        };
        debug_assert!(written.is_ok(), "the space was reserved");
    }
}
