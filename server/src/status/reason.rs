//! Reasons for refusing calls and parts.

use hashlane_proto::v1::PartError;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// Every reason of an ErrorInfo with its code, as listed in docs/protocol.md. Each has a series in
/// metrics, so the list is complete.
pub(super) const REASONS: [(&str, Code); Reason::COUNT] = [
    ("DRAINING", Code::Unavailable),
    ("KERNEL_FAULT", Code::Internal),
    ("SERVER_BUSY", Code::ResourceExhausted),
    ("QUOTA_EXCEEDED", Code::ResourceExhausted),
    ("CREDENTIALS_MISSING", Code::Unauthenticated),
    ("CREDENTIALS_INVALID", Code::Unauthenticated),
    ("DEADLINE_EXCEEDED", Code::DeadlineExceeded),
    ("STREAM_IDLE", Code::DeadlineExceeded),
    ("STREAM_TOO_SLOW", Code::DeadlineExceeded),
    ("ANSWERS_NOT_TAKEN", Code::DeadlineExceeded),
    ("CLIENT_GONE", Code::Cancelled),
    ("MESSAGE_TOO_LARGE", Code::ResourceExhausted),
    ("MESSAGE_HEAD_TOO_LARGE", Code::ResourceExhausted),
    ("MALFORMED_MESSAGE", Code::InvalidArgument),
    ("MALFORMED_TIMEOUT", Code::InvalidArgument),
    ("COMPRESSED", Code::Unimplemented),
    ("NO_SUCH_METHOD", Code::Unimplemented),
    ("UNSUPPORTED_ALGORITHM", Code::InvalidArgument),
    ("DUPLICATE_ALGORITHM", Code::InvalidArgument),
    ("TOO_MANY_PARTS", Code::ResourceExhausted),
    ("PART_ENDED", Code::InvalidArgument),
    ("OPEN_NOT_FIRST", Code::InvalidArgument),
    ("OUT_OF_ORDER_DATA_LIMIT", Code::ResourceExhausted),
    ("PART_ALREADY_FAILED", Code::ResourceExhausted),
    ("ALGORITHM_NOT_OPENED", Code::InvalidArgument),
    ("MEMORY_UNKNOWN", Code::FailedPrecondition),
    ("MEMORY_RANGE", Code::InvalidArgument),
    ("SIZE_MISMATCH", Code::InvalidArgument),
    ("PART_TOO_LARGE", Code::ResourceExhausted),
    ("DIGEST_LENGTH", Code::InvalidArgument),
    ("NO_EXPECTED_DIGEST", Code::InvalidArgument),
    ("TOO_MANY_BLOBS", Code::ResourceExhausted),
    ("TOO_MANY_DIGESTS", Code::ResourceExhausted),
    ("UNSUPPORTED_CHECKSUM_TYPE", Code::InvalidArgument),
    ("PART_COUNT", Code::InvalidArgument),
    ("PART_SIZES", Code::InvalidArgument),
    ("MALFORMED_EXPECTED", Code::InvalidArgument),
    ("MALFORMED_REQUEST", Code::InvalidArgument),
    ("OTHER", Code::Unknown),
];

/// Why something is refused: an index into [`REASONS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reason(usize);

impl Reason {
    pub(crate) const COUNT: usize = 39;

    /// For a status without a reason: those of health and reflection, which tonic makes.
    const OTHER: Self = Self(Self::COUNT - 1);

    /// Reasons that can fail a single part.
    const OF_PARTS: [&str; 6] = [
        "DRAINING",
        "KERNEL_FAULT",
        "SIZE_MISMATCH",
        "PART_TOO_LARGE",
        "DIGEST_LENGTH",
        "NO_EXPECTED_DIGEST",
    ];

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).map(Self)
    }

    /// The reason of a part's error.
    pub(crate) fn of_part(error: &PartError) -> Self {
        let name = error.reason.as_str();
        debug_assert!(Self::OF_PARTS.contains(&name), "{name} is none of OF_PARTS");
        Self::named(name)
    }

    pub(crate) fn of_parts() -> impl Iterator<Item = Self> {
        Self::OF_PARTS.into_iter().map(Self::named)
    }

    /// The reason of a status.
    pub(crate) fn of(status: &Status) -> Self {
        let info = status.get_details_error_info();
        info.map_or(Self::OTHER, |info| Self::named(&info.reason))
    }

    pub(super) fn named(name: &str) -> Self {
        let found = REASONS.iter().position(|(reason, _)| *reason == name);
        found.map_or(Self::OTHER, Self)
    }

    pub(crate) fn name(self) -> &'static str {
        REASONS[self.0].0
    }

    pub(crate) fn code(self) -> Code {
        REASONS[self.0].1
    }

    /// The index of its counter.
    pub(crate) fn index(self) -> usize {
        self.0
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
        let mut reasons = REASONS.map(|(reason, _)| reason).to_vec();
        reasons.sort_unstable();
        assert_eq!(reasons, documented);
        for (reason, code) in REASONS {
            let rows = text
                .lines()
                .filter(|line| line.starts_with(&format!("| `{reason}` |")));
            for row in rows {
                let (_, name) = CODES[code_index(code)];
                assert!(row.contains(name), "{name}: {row}");
            }
        }
    }

    #[test]
    fn a_status_has_its_reason() {
        assert_eq!(Reason::of(&draining()).name(), "DRAINING");
        assert_eq!(Reason::of(&Status::not_found("")).name(), "OTHER");
        for reason in Reason::all() {
            assert_eq!(Reason::named(reason.name()), reason);
        }
        assert!(Reason::of_parts().all(|reason| reason != Reason::OTHER));
    }
}
