//! The fake server on a Unix socket, and the memory that it shares there.

use std::collections::HashMap;
use std::fs::File;
use std::io::{IoSlice, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use hashlane_proto::v1::MemoryRange;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use tonic::metadata::MetadataMap;

use super::Fake;

/// Memory by its id. The server keeps the sockets of its clients open.
#[derive(Debug, Default)]
pub(crate) struct Regions(Mutex<HashMap<String, (File, UnixStream)>>);

impl Regions {
    /// Gives memory to everyone who asks at `path`, or refuses with `status`.
    fn serve(self: Arc<Self>, path: &Path, status: u8) {
        let listener = std::os::unix::net::UnixListener::bind(path).unwrap();
        std::thread::spawn(move || {
            for (number, socket) in (1..).zip(listener.incoming()) {
                self.give(socket.unwrap(), number, status);
            }
        });
    }

    fn give(&self, mut socket: UnixStream, number: u8, status: u8) {
        let mut request = [0; 16];
        socket.read_exact(&mut request).unwrap();
        assert_eq!(request[..8], *b"HLSM\0\0\0\x01");
        let file = tempfile::tempfile().unwrap();
        let bytes = u64::from_be_bytes(request[8..].try_into().unwrap());
        file.set_len(bytes).unwrap();
        let reply = [&b"HLSM\0\0\0"[..], &[status], &[number; 16], &request[8..]].concat();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let descriptors = [file.as_fd()];
        if status == 0 {
            ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
        }
        let reply = [IoSlice::new(&reply)];
        sendmsg(&socket, &reply, &mut ancillary, SendFlags::empty()).unwrap();
        let id = format!("{number:02x}").repeat(16);
        self.0.lock().unwrap().insert(id, (file, socket));
    }

    /// The data of a message with `data`, or with a range of the memory that its call names.
    pub(crate) fn data(
        &self,
        headers: &MetadataMap,
        data: Bytes,
        range: Option<&MemoryRange>,
    ) -> Bytes {
        let Some(MemoryRange { offset, length }) = range else {
            return data;
        };
        let regions = self.0.lock().unwrap();
        let id = headers.get("hashlane-memory").unwrap().to_str().unwrap();
        let mut data = vec![0; *length as usize];
        regions[id].0.read_exact_at(&mut data, *offset).unwrap();
        data.into()
    }
}

impl Fake {
    /// Serves gRPC on a Unix socket at `path`, and shares memory; with a `status` other than 0 it
    /// refuses that. It needs tokio's runtime.
    pub(crate) fn serve_unix(self: Arc<Self>, path: &Path, status: u8) {
        let memory = path.with_extension("sock.memory");
        Arc::clone(&self.regions).serve(&memory, status);
        let listener = tokio::net::UnixListener::bind(path).unwrap();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                Arc::clone(&self).serve_connection(stream);
            }
        });
    }
}
