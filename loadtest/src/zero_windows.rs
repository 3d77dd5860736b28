//! Counts of zero TCP windows, over the whole system.

use serde::Serialize;

use crate::report::Row;

/// The system's counters (Linux, Documentation/networking/snmp_counter.rst). They cover all sockets
/// of this network namespace: both sides of a loopback, and others.
const PATH: &str = "/proc/net/netstat";

/// How often a socket announced a window of zero, and how often it would have, but could not revoke
/// its earlier announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ZeroWindows {
    tcp_to_zero_windows: u64,
    tcp_want_zero_windows: u64,
}

impl ZeroWindows {
    /// All counts so far; `None` if the system does not have them.
    pub(crate) fn read() -> Option<Self> {
        Self::parse(&std::fs::read_to_string(PATH).ok()?)
    }

    /// The counts since `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            tcp_to_zero_windows: self.tcp_to_zero_windows - before.tcp_to_zero_windows,
            tcp_want_zero_windows: self.tcp_want_zero_windows - before.tcp_want_zero_windows,
        }
    }

    /// The counts of a row, for people.
    pub(crate) fn text(row: &Row) -> String {
        let counts = ["tcp_to_zero_windows", "tcp_want_zero_windows"];
        let [to, want] = counts.map(|name| row.get(name).as_u64());
        let both = to.zip(want).map(|(to, want)| format!("{to} + {want}"));
        both.unwrap_or_else(|| "-".to_owned())
    }

    /// A line of names, then a line of numbers.
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| line.starts_with("TcpExt:"));
        let (names, numbers) = (lines.next()?, lines.next()?);
        let count = |name: &str| {
            let at = names.split(' ').position(|other| other == name)?;
            numbers.split(' ').nth(at)?.parse().ok()
        };
        Some(Self {
            tcp_to_zero_windows: count("TCPToZeroWindowAdv")?,
            tcp_want_zero_windows: count("TCPWantZeroWindowAdv")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_found_by_their_names() {
        let text = "Other: TCPToZeroWindowAdv\nOther: 1\n\
            TcpExt: A TCPWantZeroWindowAdv TCPToZeroWindowAdv\nTcpExt: 2 30 40\n";
        let counts = ZeroWindows::parse(text).unwrap();
        assert_eq!(ZeroWindows::text(&Row::of(counts.since(counts))), "0 + 0");
        assert_eq!(ZeroWindows::text(&Row::of(counts)), "40 + 30");
        assert_eq!(ZeroWindows::text(&Row::default()), "-");
        assert_eq!(ZeroWindows::parse("TcpExt: A\nTcpExt: 1\n"), None);
        assert_eq!(ZeroWindows::parse(""), None);
    }
}
