//! Reasons for refusing calls and parts.

use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::words::{Words as _, words};

words! {
    /// Why a call or a part is refused, as in its ErrorInfo. docs/protocol.md lists them. Each has a
    /// series in metrics.
    pub(crate) enum Reason {
        Draining = "DRAINING",
        KernelFault = "KERNEL_FAULT",
        ServerBusy = "SERVER_BUSY",
        QuotaExceeded = "QUOTA_EXCEEDED",
        CredentialsMissing = "CREDENTIALS_MISSING",
        CredentialsInvalid = "CREDENTIALS_INVALID",
        DeadlineExceeded = "DEADLINE_EXCEEDED",
        StreamIdle = "STREAM_IDLE",
        StreamTooSlow = "STREAM_TOO_SLOW",
        AnswersNotTaken = "ANSWERS_NOT_TAKEN",
        ClientGone = "CLIENT_GONE",
        MessageTooLarge = "MESSAGE_TOO_LARGE",
        MessageHeadTooLarge = "MESSAGE_HEAD_TOO_LARGE",
        MalformedMessage = "MALFORMED_MESSAGE",
        MalformedTimeout = "MALFORMED_TIMEOUT",
        Compressed = "COMPRESSED",
        NoSuchMethod = "NO_SUCH_METHOD",
        UnsupportedAlgorithm = "UNSUPPORTED_ALGORITHM",
        DuplicateAlgorithm = "DUPLICATE_ALGORITHM",
        TooManyParts = "TOO_MANY_PARTS",
        PartEnded = "PART_ENDED",
        OpenNotFirst = "OPEN_NOT_FIRST",
        OutOfOrderDataLimit = "OUT_OF_ORDER_DATA_LIMIT",
        PartAlreadyFailed = "PART_ALREADY_FAILED",
        AlgorithmNotOpened = "ALGORITHM_NOT_OPENED",
        MemoryUnknown = "MEMORY_UNKNOWN",
        MemoryRange = "MEMORY_RANGE",
        SizeMismatch = "SIZE_MISMATCH",
        PartTooLarge = "PART_TOO_LARGE",
        DigestLength = "DIGEST_LENGTH",
        NoExpectedDigest = "NO_EXPECTED_DIGEST",
        TooManyBlobs = "TOO_MANY_BLOBS",
        TooManyDigests = "TOO_MANY_DIGESTS",
        UnsupportedChecksumType = "UNSUPPORTED_CHECKSUM_TYPE",
        PartCount = "PART_COUNT",
        PartSizes = "PART_SIZES",
        MalformedExpected = "MALFORMED_EXPECTED",
        MalformedRequest = "MALFORMED_REQUEST",
        /// For a status without a reason: those of health and reflection, which tonic makes.
        Other = "OTHER",
    }
}

impl Reason {
    /// Reasons that can fail a single part.
    pub(crate) const OF_PARTS: [Self; 6] = [
        Self::Draining,
        Self::KernelFault,
        Self::SizeMismatch,
        Self::PartTooLarge,
        Self::DigestLength,
        Self::NoExpectedDigest,
    ];

    /// The reason of a status.
    pub(crate) fn of(status: &Status) -> Self {
        let info = status.get_details_error_info();
        let mut reasons = Self::VALUES.iter().copied();
        info.and_then(|info| reasons.find(|reason| reason.word() == info.reason))
            .unwrap_or(Self::Other)
    }

    pub(crate) const fn code(self) -> Code {
        match self {
            Self::Draining => Code::Unavailable,
            Self::KernelFault => Code::Internal,
            Self::ServerBusy
            | Self::QuotaExceeded
            | Self::MessageTooLarge
            | Self::MessageHeadTooLarge
            | Self::TooManyParts
            | Self::OutOfOrderDataLimit
            | Self::PartAlreadyFailed
            | Self::PartTooLarge
            | Self::TooManyBlobs
            | Self::TooManyDigests => Code::ResourceExhausted,
            Self::CredentialsMissing | Self::CredentialsInvalid => Code::Unauthenticated,
            Self::DeadlineExceeded
            | Self::StreamIdle
            | Self::StreamTooSlow
            | Self::AnswersNotTaken => Code::DeadlineExceeded,
            Self::ClientGone => Code::Cancelled,
            Self::MalformedMessage
            | Self::MalformedTimeout
            | Self::UnsupportedAlgorithm
            | Self::DuplicateAlgorithm
            | Self::PartEnded
            | Self::OpenNotFirst
            | Self::AlgorithmNotOpened
            | Self::MemoryRange
            | Self::SizeMismatch
            | Self::DigestLength
            | Self::NoExpectedDigest
            | Self::UnsupportedChecksumType
            | Self::PartCount
            | Self::PartSizes
            | Self::MalformedExpected
            | Self::MalformedRequest => Code::InvalidArgument,
            Self::Compressed | Self::NoSuchMethod => Code::Unimplemented,
            Self::MemoryUnknown => Code::FailedPrecondition,
            Self::Other => Code::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::grpc::{CODES, code_index};
    use crate::status::draining;

    #[test]
    fn the_reasons_are_those_of_the_protocol() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/protocol.md");
        let text = std::fs::read_to_string(path).unwrap();
        let cell = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
        let is_reason = |name: &String| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
        let mut documented: Vec<_> = text.lines().filter_map(cell).filter(is_reason).collect();
        // Not documented: the client is gone, or the status has no reason.
        documented.extend(["ANSWERS_NOT_TAKEN", "CLIENT_GONE", "OTHER"].map(str::to_owned));
        documented.sort();
        documented.dedup();
        let mut reasons: Vec<_> = Reason::VALUES.iter().map(|r| r.word()).collect();
        reasons.sort_unstable();
        assert_eq!(reasons, documented);
        for reason in Reason::VALUES {
            let begin = format!("| `{}` |", reason.word());
            for row in text.lines().filter(|line| line.starts_with(&begin)) {
                let (_, name) = CODES[code_index(reason.code())];
                assert!(row.contains(name), "{name}: {row}");
            }
        }
    }

    #[test]
    fn a_status_has_its_reason() {
        assert_eq!(Reason::of(&draining()), Reason::Draining);
        assert_eq!(Reason::of(&Status::not_found("")), Reason::Other);
    }
}
