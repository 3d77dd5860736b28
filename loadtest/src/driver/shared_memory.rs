//! Memory that a server on this machine shares (docs/protocol.md, "Shared memory").
//!
//! ```text
//! Space   the data of the load's messages, collected while the messages are encoded
//! Region  the server's memory, which gets this data before the load starts
//! Unread  of a call: the ranges that its messages named and the server has not read
//! ```
//!
//! The data of a load never changes, so a range can be named again at once: the client writes
//! nothing while the load runs. A call names further ranges only while the server has less than
//! [`UNREAD_BYTES_MAX`] to read, as a client does that must wait for its memory.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use hashlane_proto::v1::MemoryRange;
use http::HeaderValue;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use super::hyper_client::unix_path;
use crate::system::helper_thread::lock;

/// Data of this size goes into memory: shorter data as the Rust client sends it, and the longest
/// range that the server takes.
const RANGE_BYTES_MIN: usize = 16 << 10;
pub(crate) const RANGE_BYTES_MAX: usize = 1 << 20;

/// The largest memory of a client.
const REGION_BYTES_MAX: usize = 64 << 20;

/// Bytes of a call that the server has yet to read: as many as the Rust client buffers.
const UNREAD_BYTES_MAX: u64 = 512 << 10;

/// Time for the server's reply.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

const REPLY_BYTES: usize = 32;

/// The data that messages name; nothing if they carry their data themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space(Option<Arc<Mutex<Vec<u8>>>>);

impl Space {
    /// A space for data.
    pub(crate) fn shared() -> Self {
        Self(Some(Arc::default()))
    }

    /// Places `data`; `None` if its message must carry it.
    pub(crate) fn place(&self, data: &[u8]) -> Option<MemoryRange> {
        let mut contents = self.contents()?;
        let offset = contents.len();
        let fits = (RANGE_BYTES_MIN..=RANGE_BYTES_MAX).contains(&data.len())
            && offset + data.len() <= REGION_BYTES_MAX;
        fits.then(|| contents.extend_from_slice(data))?;
        Some(MemoryRange {
            offset: offset as u64,
            length: u32::try_from(data.len()).ok()?,
        })
    }

    /// The data so far.
    pub(crate) fn contents(&self) -> Option<MutexGuard<'_, Vec<u8>>> {
        self.0.as_deref().map(lock)
    }
}

/// Memory that a server shares. It lasts while this lives.
#[derive(Debug)]
pub(crate) struct Region {
    /// The id, as calls name it.
    pub(crate) id: HeaderValue,
    _socket: UnixStream,
}

/// The socket where the server at this address gives memory, if it is a Unix socket.
pub(crate) fn memory_path(server: &str) -> Option<PathBuf> {
    let mut path = unix_path(server)?.as_os_str().to_owned();
    path.push(".memory");
    Some(path.into())
}

impl Region {
    /// Asks the server for memory, and fills it.
    ///
    /// # Errors
    /// The server shares none, or not as much.
    pub(crate) fn fill(server: &str, contents: &[u8]) -> Result<Self> {
        let path = memory_path(server);
        let path = path.context("its address is not unix:/path")?;
        let mut socket = UnixStream::connect(&path)
            .with_context(|| format!("cannot connect to {}", path.display()))?;
        socket.set_read_timeout(Some(REPLY_TIMEOUT))?;
        let bytes = contents.len() as u64;
        socket.write_all(&[&b"HLSM\0\0\0\x01"[..], &bytes.to_be_bytes()].concat())?;
        let (reply, file) = receive(&socket)?;
        ensure!(reply.starts_with(b"HLSM"), "a reply of another protocol");
        let status = u32::from_be_bytes([reply[4], reply[5], reply[6], reply[7]]);
        ensure!(
            status == 0,
            "the server refused {bytes} bytes: status {status}"
        );
        let file = File::from(file.context("the reply has no descriptor")?);
        file.write_all_at(contents, 0)
            .context("cannot write into it")?;
        let id: String = reply[8..24]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Ok(Self {
            id: id.try_into()?,
            _socket: socket,
        })
    }
}

/// Receives a reply and its descriptor.
fn receive(socket: &UnixStream) -> Result<([u8; REPLY_BYTES], Option<OwnedFd>)> {
    let mut reply = [0; REPLY_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let into = &mut [IoSliceMut::new(&mut reply)];
    let received =
        recvmsg(socket, into, &mut ancillary, RecvFlags::CMSG_CLOEXEC).context("no reply")?;
    ensure!(received.bytes == REPLY_BYTES, "the reply is too short");
    let descriptors = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    Ok((reply, descriptors.flatten().next()))
}

/// The ranges of a call that the server has not read.
#[derive(Debug, Default)]
pub(super) struct Unread(Mutex<Ranges>);

#[derive(Debug, Default)]
struct Ranges {
    /// The bytes of each, and their sum.
    lengths: VecDeque<u64>,
    bytes: u64,
    /// How many ranges the server has read since the call began.
    read: u64,
    /// The request body, if it waits for the server.
    waiting: Option<Waker>,
}

impl Unread {
    /// Waits until the call may name another range.
    pub(super) fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut ranges = lock(&self.0);
        if ranges.bytes < UNREAD_BYTES_MAX {
            return Poll::Ready(());
        }
        ranges.waiting = Some(cx.waker().clone());
        Poll::Pending
    }

    /// The call names another range.
    pub(super) fn named(&self, bytes: u64) {
        let mut ranges = lock(&self.0);
        ranges.lengths.push_back(bytes);
        ranges.bytes += bytes;
    }

    /// The server has read this many ranges since the call began; 0 means no change. Returns the
    /// bytes of those that it had not read before.
    ///
    /// # Errors
    /// It has read more than were named.
    pub(super) fn read(&self, count: u64) -> Result<u64, &'static str> {
        let mut ranges = lock(&self.0);
        let more = count.saturating_sub(ranges.read);
        let more = usize::try_from(more).unwrap_or(usize::MAX);
        if more > ranges.lengths.len() {
            return Err("the server has read more memory than was named");
        }
        let bytes = ranges.lengths.drain(..more).sum();
        ranges.read += more as u64;
        ranges.bytes -= bytes;
        if let Some(waiting) = ranges.waiting.take_if(|_| more > 0) {
            waiting.wake();
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ranges_that_the_server_takes_are_placed() {
        let space = Space::shared();
        let place = |bytes: usize| space.place(&vec![7; bytes]);
        assert_eq!(place(RANGE_BYTES_MIN - 1), None);
        assert_eq!(place(RANGE_BYTES_MAX + 1), None);
        let range = |offset: usize, length: usize| MemoryRange {
            offset: offset as u64,
            length: u32::try_from(length).unwrap(),
        };
        assert_eq!(place(RANGE_BYTES_MIN), Some(range(0, RANGE_BYTES_MIN)));
        let next = Some(range(RANGE_BYTES_MIN, RANGE_BYTES_MAX));
        assert_eq!(place(RANGE_BYTES_MAX), next);
        while place(RANGE_BYTES_MAX).is_some() {}
        let bytes = space.contents().unwrap().len();
        let left = REGION_BYTES_MAX - bytes;
        assert!(left < RANGE_BYTES_MAX, "{left}");
        assert_eq!(Space::default().place(&[7; RANGE_BYTES_MIN]), None);
    }

    #[test]
    fn a_call_waits_for_the_server_to_read() {
        let unread = Unread::default();
        let cx = &mut Context::from_waker(Waker::noop());
        while unread.poll_ready(cx).is_ready() {
            unread.named(200_000);
        }
        assert_eq!(lock(&unread.0).bytes, 600_000);
        assert_eq!(unread.read(0), Ok(0));
        assert!(unread.poll_ready(cx).is_pending());
        assert_eq!(unread.read(2), Ok(400_000));
        assert!(unread.poll_ready(cx).is_ready() && lock(&unread.0).waiting.is_none());
        // The same count again is no news.
        assert_eq!(unread.read(2), Ok(0));
        assert!(unread.read(4).is_err());
        assert_eq!(unread.read(3), Ok(200_000));
    }

    #[test]
    fn only_unix_sockets_have_memory() {
        let expected = Some("/run/a.memory".into());
        assert_eq!(memory_path("unix:/run/a"), expected);
        assert_eq!(memory_path("unix:///run/a"), expected);
        assert_eq!(memory_path("http://127.0.0.1:1"), None);
        let error = Region::fill("http://127.0.0.1:1", &[]).unwrap_err();
        assert!(error.to_string().contains("unix:"), "{error:#}");
    }
}
