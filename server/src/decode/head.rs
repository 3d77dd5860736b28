//! The fields of a message except its data, decoded by prost.

use hashlane_proto::v1::{AlgorithmDigest, DigestRequest, MemoryRange, PartOptions, VerifyRequest};
use prost::Message;

use super::error::WireError;

/// Field number of `data` in both messages.
pub(super) const DATA: u32 = 15;

/// Which message a stream carries. Both share their field numbers; `expected`
/// is unknown to `DigestRequest`, which skips it like any unknown field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageKind {
    /// `hashlane.v1.DigestRequest`.
    Digest,
    /// `hashlane.v1.VerifyRequest`.
    Verify,
}

/// All fields of a message except its data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// The part that the message belongs to.
    pub(crate) part: u64,
    /// The options of the part.
    pub(crate) open: Option<PartOptions>,
    /// The expected digests; always empty for `MessageKind::Digest`.
    pub(crate) expected: Vec<AlgorithmDigest>,
    /// Whether the message ends its part.
    pub(crate) last: bool,
    /// Where the bytes of the message are, if they are in shared memory.
    pub(crate) memory: Option<MemoryRange>,
}

impl Head {
    /// Decodes `fields`: whole fields of the message, without `data`.
    ///
    /// # Errors
    ///
    /// `Malformed` with the reason that prost gives.
    pub(super) fn decode(kind: MessageKind, fields: &[u8]) -> Result<Self, WireError> {
        if fields.is_empty() {
            return Ok(Self::default());
        }
        let head = match kind {
            MessageKind::Digest => DigestRequest::decode(fields).map(|request| Self {
                part: request.part,
                open: request.open,
                expected: Vec::new(),
                last: request.last,
                memory: request.memory,
            }),
            MessageKind::Verify => VerifyRequest::decode(fields).map(|request| Self {
                part: request.part,
                open: request.open,
                expected: request.expected,
                last: request.last,
                memory: request.memory,
            }),
        };
        head.map_err(|error| WireError::Malformed(error.to_string().into()))
    }
}
