//! Waits for sockets, and counts of zero TCP windows over the whole system.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;

use crate::results::Row;

/// The longest sleep, and so the time between two checks of what else ends a loop.
pub(crate) const SLEEP: Duration = Duration::from_millis(10);

/// Sleeps until one of these can be read, or written if it is `true` for it. Returns which can be
/// read or have ended.
///
/// # Errors
/// The system refuses it.
pub(crate) fn wait<'a>(sockets: impl Iterator<Item = (BorrowedFd<'a>, bool)>) -> Result<Vec<bool>> {
    let wanted = sockets.map(|(socket, writes)| {
        let mut events = PollFlags::IN;
        events.set(PollFlags::OUT, writes);
        PollFd::from_borrowed_fd(socket, events)
    });
    let mut wanted: Vec<_> = wanted.collect();
    let timeout = Timespec::try_from(SLEEP).context("a constant that fits")?;
    match poll(&mut wanted, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error).context("cannot wait for sockets"),
    }
    let readable = PollFlags::IN | PollFlags::HUP | PollFlags::ERR;
    let is_readable = |socket: &PollFd<'_>| socket.revents().intersects(readable);
    Ok(wanted.iter().map(is_readable).collect())
}

/// The system's counters (Linux, Documentation/networking/snmp_counter.rst). They cover all sockets
/// of this network namespace: both sides of a loopback, and others.
const PATH: &str = "/proc/net/netstat";

/// How often a socket announced a window of zero, and how often it would have, but could not revoke
/// its earlier announcement; so far. `None` if the system does not count them.
pub(crate) fn zero_windows() -> Option<[u64; 2]> {
    parse(&std::fs::read_to_string(PATH).ok()?)
}

/// A line of names, then a line of numbers.
fn parse(text: &str) -> Option<[u64; 2]> {
    let mut lines = text.lines().filter(|line| line.starts_with("TcpExt:"));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let count = |name: &str| {
        let at = names.split(' ').position(|other| other == name)?;
        numbers.split(' ').nth(at)?.parse().ok()
    };
    Some([count("TCPToZeroWindowAdv")?, count("TCPWantZeroWindowAdv")?])
}

/// The counts of a window, for rows.
pub(crate) fn zero_windows_row(before: Option<[u64; 2]>, after: Option<[u64; 2]>) -> Row {
    let row = |(before, after): ([u64; 2], [u64; 2])| {
        json!({
            "tcp_to_zero_windows": after[0] - before[0],
            "tcp_want_zero_windows": after[1] - before[1],
        })
    };
    Row::of(before.zip(after).map(row))
}

/// The counts of a row, for people.
pub(crate) fn zero_windows_text(row: &Row) -> String {
    let counts = ["tcp_to_zero_windows", "tcp_want_zero_windows"];
    let [to, want] = counts.map(|name| row.get(name).as_u64());
    let both = to.zip(want).map(|(to, want)| format!("{to} + {want}"));
    both.unwrap_or_else(|| "-".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_found_by_their_names() {
        let netstat = "Other: TCPToZeroWindowAdv\nOther: 1\n\
            TcpExt: A TCPWantZeroWindowAdv TCPToZeroWindowAdv\nTcpExt: 2 30 40\n";
        assert_eq!(parse(netstat), Some([40, 30]));
        assert_eq!(parse("TcpExt: A\nTcpExt: 1\n"), None);
        assert_eq!(parse(""), None);
        assert_eq!(
            zero_windows_text(&zero_windows_row(Some([40, 30]), Some([42, 33]))),
            "2 + 3"
        );
        assert_eq!(
            zero_windows_text(&zero_windows_row(None, Some([40, 30]))),
            "-"
        );
    }
}
