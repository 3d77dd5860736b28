//! A client of shared memory. It writes by system calls, so it maps nothing.

use std::fs::File;
use std::io::{IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use hashlane_proto::v1::{DigestRequest, MemoryRange};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

/// The socket for shared memory next to `unix`.
pub(crate) fn memory_path(unix: &Path) -> PathBuf {
    format!("{}.memory", unix.display()).into()
}

/// A request for `bytes` bytes.
pub(crate) fn request(bytes: u64) -> Vec<u8> {
    [&b"HLSM\0\0\0\x01"[..], &bytes.to_be_bytes()].concat()
}

/// The server's reply.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u32,
    pub(crate) bytes: u64,
    id: String,
    file: Option<File>,
}

/// Memory that a server shares, until it is dropped.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) socket: UnixStream,
    pub(crate) file: File,
    /// For the header `hashlane-memory`.
    pub(crate) id: String,
    pub(crate) bytes: u64,
}

/// Reads a reply; `None` if the server closes without it.
pub(crate) fn reply(socket: &UnixStream) -> Option<Reply> {
    let mut bytes = [0; 32];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let into = &mut [IoSliceMut::new(&mut bytes)];
    let received = recvmsg(socket, into, &mut ancillary, RecvFlags::CMSG_CLOEXEC).ok()?;
    if received.bytes == 0 {
        return None;
    }
    let files = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    let file = files.flatten().next().map(File::from);
    assert_eq!((received.bytes, &bytes[..4]), (32, &b"HLSM"[..]));
    Some(Reply {
        status: u32::from_be_bytes(bytes[4..8].try_into().unwrap()),
        bytes: u64::from_be_bytes(bytes[24..].try_into().unwrap()),
        id: bytes[8..24].iter().map(|b| format!("{b:02x}")).collect(),
        file,
    })
}

/// Asks the server of `unix` for memory.
///
/// # Errors
/// The reply that refuses it.
pub(crate) fn ask(unix: &Path, bytes: u64) -> Result<Memory, Reply> {
    let mut socket = UnixStream::connect(memory_path(unix)).unwrap();
    socket.write_all(&request(bytes)).unwrap();
    let reply = reply(&socket).expect("closed without a reply");
    match reply {
        Reply {
            status: 0,
            file: Some(file),
            id,
            bytes,
        } => Ok(Memory {
            socket,
            file,
            id,
            bytes,
        }),
        refused => {
            assert!(refused.file.is_none() && refused.id == "0".repeat(32));
            Err(refused)
        }
    }
}

impl Memory {
    /// Writes `data` at `offset`, and returns the message of a part that names it.
    pub(crate) fn message(&self, part: u64, offset: u64, data: &[u8], last: bool) -> DigestRequest {
        self.file.write_all_at(data, offset).unwrap();
        named(part, offset, u32::try_from(data.len()).unwrap(), last)
    }

    pub(crate) fn header(&self) -> (&'static str, &str) {
        ("hashlane-memory", &self.id)
    }
}

/// A message of a part that names a range.
pub(crate) fn named(part: u64, offset: u64, length: u32, last: bool) -> DigestRequest {
    DigestRequest {
        part,
        last,
        memory: Some(MemoryRange { offset, length }),
        ..DigestRequest::default()
    }
}
