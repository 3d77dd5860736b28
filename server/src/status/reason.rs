//! Reasons for refusing calls and parts.

use tonic::Status;
use tonic_types::StatusExt as _;

/// Every reason of an ErrorInfo, as listed in docs/protocol.md. Each has a series in metrics, so
/// the list is complete.
pub(super) const REASONS: [&str; Reason::COUNT] = [
    "DRAINING",
    "KERNEL_FAULT",
    "SERVER_BUSY",
    "QUOTA_EXCEEDED",
    "CREDENTIALS_MISSING",
    "CREDENTIALS_INVALID",
    "DEADLINE_EXCEEDED",
    "STREAM_IDLE",
    "STREAM_TOO_SLOW",
    "ANSWERS_NOT_TAKEN",
    "CLIENT_GONE",
    "MESSAGE_TOO_LARGE",
    "MESSAGE_HEAD_TOO_LARGE",
    "MALFORMED_MESSAGE",
    "MALFORMED_TIMEOUT",
    "COMPRESSED",
    "NO_SUCH_METHOD",
    "UNSUPPORTED_ALGORITHM",
    "DUPLICATE_ALGORITHM",
    "TOO_MANY_PARTS",
    "PART_ENDED",
    "OPEN_NOT_FIRST",
    "OUT_OF_ORDER_DATA_LIMIT",
    "PART_ALREADY_FAILED",
    "ALGORITHM_NOT_OPENED",
    "MEMORY_UNKNOWN",
    "MEMORY_RANGE",
    "SIZE_MISMATCH",
    "PART_TOO_LARGE",
    "DIGEST_LENGTH",
    "NO_EXPECTED_DIGEST",
    "TOO_MANY_BLOBS",
    "TOO_MANY_DIGESTS",
    "UNSUPPORTED_CHECKSUM_TYPE",
    "PART_COUNT",
    "PART_SIZES",
    "MALFORMED_EXPECTED",
    "MALFORMED_REQUEST",
    "OTHER",
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
    pub(super) fn of_part(name: &str) -> Self {
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

    fn named(name: &str) -> Self {
        let found = REASONS.iter().position(|reason| *reason == name);
        found.map_or(Self::OTHER, Self)
    }

    pub(crate) fn name(self) -> &'static str {
        REASONS[self.0]
    }

    /// The index of its counter.
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let mut reasons = REASONS.to_vec();
        reasons.sort_unstable();
        assert_eq!(reasons, documented);
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
