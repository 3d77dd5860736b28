//! Waits for sockets.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

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
