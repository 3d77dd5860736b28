//! Memory that a client shares with a server on the same machine (docs/protocol.md, "Shared
//! memory").
//!
//! ```text
//! SharedMemory (of a server) ── first call ──> Region, or none: then bytes go through the socket
//! Region ── slot ──> filled ──> a message names it ──> the server has read it ──> free again
//! ```
//!
//! If no slot is free, a message goes through the socket: a slot may stay in use until another
//! part's source gives bytes.
//!
//! Why only few slots are with the server at a time ([`slots_sent_max`]), and the one that was freed
//! last is used first: their bytes stay in the caches until the server has read them. For MD5, 16 MiB
//! with the server cost both sides together 0.52 CPU s/GB, 1.5 MiB cost 0.31.

use std::fs::File;
use std::io::{self, IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashlane_proto::v1::MemoryRange;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recv, recvmsg};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use vm_memory::{FileOffset, MmapRegion, ReadVolatile as _, VolatileMemory as _, VolatileSlice};

/// Bytes of a slot, and so of a message that names one.
pub(crate) const SLOT_BYTES: usize = 64 << 10;

/// A message with fewer bytes goes through the socket: that costs less than to be told that a slot
/// is free.
pub(crate) const SLOT_USED_BYTES_MIN: usize = 16 << 10;

/// How long a message waits for a permit to be with the server. Without this bound it could wait
/// forever: the permits may be held by stalled calls, or by a future that nobody polls.
const SEND_WAIT_MAX: Duration = Duration::from_millis(5);

/// After a wait timed out, messages are sent without a permit for this time.
const SEND_FREELY: Duration = Duration::from_millis(100);

/// Slots that may be with the server at a time: 1.5 MiB fill a worker's lanes. Connections may be of
/// different workers.
fn slots_sent_max(connections: usize) -> usize {
    (8 + 4 * connections).max(24)
}

/// Time for the server's reply.
const REPLY_TIMEOUT: Duration = Duration::from_secs(1);

/// After a server shared no memory, it is asked again no sooner than this.
const PAUSE: Duration = Duration::from_secs(60);

/// The same after nobody listened: the server may be starting.
const GONE_PAUSE: Duration = Duration::from_secs(1);

/// A server that refuses memory is asked for half as much, down to this.
const BYTES_MIN: usize = 1 << 20;

const REPLY_BYTES: usize = 32;

/// The memory that is shared with one server.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    /// Where the server shares memory, if it may be on this machine.
    socket: Option<PathBuf>,
    bytes: usize,
    slots_sent_max: usize,
    state: tokio::sync::Mutex<State>,
}

#[derive(Debug)]
enum State {
    Unknown,
    Shared(Arc<Region>),
    /// The server is not asked before this time.
    None {
        until: Instant,
    },
}

impl SharedMemory {
    /// Memory of `bytes` bytes for `connections` connections to `endpoint`; 0 bytes for none.
    pub(crate) fn of(endpoint: &str, bytes: usize, connections: usize) -> Self {
        let path = endpoint.strip_prefix("unix:");
        let path = path.map(|path| path.strip_prefix("//").unwrap_or(path));
        let socket = path.map(|path| PathBuf::from(format!("{path}.memory")));
        Self {
            socket: socket.filter(|_| bytes > 0),
            bytes,
            slots_sent_max: slots_sent_max(connections),
            state: tokio::sync::Mutex::new(State::Unknown),
        }
    }

    /// Whether a server may share memory.
    pub(crate) fn is_possible(&self) -> bool {
        self.socket.is_some()
    }

    /// The memory, if the server shares any. The first call asks for it.
    pub(crate) async fn get(&self) -> Option<Arc<Region>> {
        let socket = self.socket.as_ref()?;
        let mut state = self.state.lock().await;
        match &*state {
            State::Shared(region) if region.is_alive() => return Some(Arc::clone(region)),
            State::None { until } if Instant::now() < *until => return None,
            _ => {}
        }
        let (path, bytes, sent_max) = (socket.clone(), self.bytes, self.slots_sent_max);
        let asked = tokio::task::spawn_blocking(move || ask(&path, bytes, sent_max));
        // To connect blocks while the server accepts nothing.
        let asked = match timeout(REPLY_TIMEOUT, asked).await {
            Ok(asked) => asked.unwrap_or_else(|panic| Err(io::Error::other(panic))),
            Err(late) => Err(late.into()),
        };
        match asked {
            Ok(region) => {
                let region = Arc::new(region);
                *state = State::Shared(Arc::clone(&region));
                Some(region)
            }
            Err(error) => {
                if !matches!(*state, State::None { .. }) {
                    tracing::info!(socket = %socket.display(), %error, "the server shares no memory");
                }
                let pause = match error.kind() {
                    io::ErrorKind::NotFound
                    | io::ErrorKind::ConnectionRefused
                    | io::ErrorKind::ConnectionReset
                    | io::ErrorKind::BrokenPipe
                    | io::ErrorKind::UnexpectedEof => GONE_PAUSE,
                    _ => PAUSE,
                };
                let until = Instant::now() + pause;
                *state = State::None { until };
                None
            }
        }
    }

    /// The server does not know this memory. Another region may have replaced it.
    pub(crate) async fn forget(&self, region: &Arc<Region>) {
        let mut state = self.state.lock().await;
        if matches!(&*state, State::Shared(current) if Arc::ptr_eq(current, region)) {
            let until = Instant::now() + PAUSE;
            *state = match region.is_alive() {
                true => State::None { until },
                // Its server has ended. The next one is asked.
                false => State::Unknown,
            };
        }
    }
}

/// Asks for `bytes` bytes, and for less while the server refuses that much.
fn ask(path: &Path, bytes: usize, slots_sent_max: usize) -> io::Result<Region> {
    let mut bytes = bytes;
    loop {
        match Region::ask(path, bytes, slots_sent_max) {
            Err(error) if error.kind() == io::ErrorKind::QuotaExceeded && bytes > BYTES_MIN => {
                bytes = (bytes / 2).max(BYTES_MIN);
            }
            asked => return asked,
        }
    }
}

/// Memory that is mapped here and by the server, in slots.
#[derive(Debug)]
pub(crate) struct Region {
    map: MmapRegion,
    free: Mutex<Vec<usize>>,
    /// Permits for slots to be with the server.
    unsent: Arc<Semaphore>,
    /// Until then no slot waits for a permit.
    free_until: Mutex<Instant>,
    /// As calls name it.
    pub(crate) id: String,
    /// The memory lives while this is open.
    socket: UnixStream,
}

impl Region {
    /// # Errors
    /// Of the kind `QuotaExceeded` if the server may have less memory to share.
    fn ask(path: &Path, bytes: usize, slots_sent_max: usize) -> io::Result<Self> {
        let mut socket = UnixStream::connect(path)?;
        socket.set_read_timeout(Some(REPLY_TIMEOUT))?;
        let request = [&b"HLSM\0\0\0\x01"[..], &(bytes as u64).to_be_bytes()];
        socket.write_all(&request.concat())?;
        let (reply, file) = receive(&socket)?;
        let [m0, m1, m2, m3, s0, s1, s2, s3, ..] = reply;
        if [m0, m1, m2, m3] != *b"HLSM" {
            return Err(io::Error::other("the reply is not of this protocol"));
        }
        let (status, file) = match (u32::from_be_bytes([s0, s1, s2, s3]), file) {
            (0, Some(file)) => (0, file),
            (status, _) => {
                let kind = match status {
                    // The size, the server's room, the client's share, the system's memory.
                    3..=6 => io::ErrorKind::QuotaExceeded,
                    _ => io::ErrorKind::Other,
                };
                return Err(io::Error::new(kind, format!("refused: status {status}")));
            }
        };
        debug_assert_eq!(status, 0);
        let file = File::from(file);
        // Beyond the end of the file there is no memory.
        let mapped = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        if mapped < bytes {
            return Err(io::Error::other("the memory is smaller than asked for"));
        }
        let map = MmapRegion::from_file(FileOffset::new(file, 0), bytes);
        Ok(Self {
            map: map.map_err(io::Error::other)?,
            free: Mutex::new((0..bytes / SLOT_BYTES).rev().collect()),
            unsent: Arc::new(Semaphore::new(slots_sent_max)),
            free_until: Mutex::new(Instant::now()),
            id: reply[8..24]
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect(),
            socket,
        })
    }

    /// Whether the server still shares it.
    fn is_alive(&self) -> bool {
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        // Nothing ever arrives but the end.
        let received = recv(&self.socket, &mut [0; 1], flags);
        matches!(received, Err(rustix::io::Errno::AGAIN))
    }

    /// A free slot.
    pub(crate) fn slot(self: &Arc<Self>) -> Option<Slot> {
        let number = self.free().pop()?;
        Some(Slot {
            region: Arc::clone(self),
            number,
            bytes: 0,
            sent: None,
        })
    }

    /// Waits until one more slot may be with the server.
    async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        let permit = Arc::clone(&self.unsent).try_acquire_owned();
        if permit.is_ok() || Instant::now() < *self.free_until() {
            return permit.ok();
        }
        let permit = Arc::clone(&self.unsent).acquire_owned();
        if let Ok(permit) = timeout(SEND_WAIT_MAX, permit).await {
            return permit.ok();
        }
        *self.free_until() = Instant::now() + SEND_FREELY;
        None
    }

    /// A slot with these bytes, at most [`SLOT_BYTES`], which may be sent. `None` if no slot is free.
    pub(crate) async fn slot_to_send(self: &Arc<Self>, bytes: &[u8]) -> Option<Slot> {
        if self.free().is_empty() {
            return None;
        }
        let permit = self.permit().await;
        let mut slot = self.slot()?;
        slot.sent = permit;
        slot.append(bytes).ok()?;
        Some(slot)
    }

    fn free_until(&self) -> MutexGuard<'_, Instant> {
        // No code panics under the lock.
        self.free_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn free(&self) -> MutexGuard<'_, Vec<usize>> {
        // No code panics under the lock.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receives a reply and its descriptor.
fn receive(socket: &UnixStream) -> io::Result<([u8; REPLY_BYTES], Option<OwnedFd>)> {
    let mut reply = [0; REPLY_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let into = &mut [IoSliceMut::new(&mut reply)];
    let received = recvmsg(socket, into, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    // The server sends a reply at once.
    if received.bytes < REPLY_BYTES {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let descriptors = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    Ok((reply, descriptors.flatten().next()))
}

/// A slot in use. It is free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    region: Arc<Region>,
    number: usize,
    /// How much of it is filled.
    bytes: usize,
    /// Its permit to be with the server.
    sent: Option<OwnedSemaphorePermit>,
}

impl Slot {
    pub(crate) fn is_of(&self, region: &Arc<Region>) -> bool {
        Arc::ptr_eq(&self.region, region)
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Waits until it may be sent.
    pub(crate) async fn may_be_sent(&mut self) {
        if self.sent.is_none() {
            self.sent = self.region.permit().await;
        }
    }

    /// The range that is filled.
    pub(crate) fn range(&self) -> MemoryRange {
        MemoryRange {
            offset: (self.number * SLOT_BYTES) as u64,
            // A slot is shorter.
            length: u32::try_from(self.bytes).unwrap_or(u32::MAX),
        }
    }

    /// The memory of the whole slot.
    fn memory(&self) -> io::Result<VolatileSlice<'_>> {
        let slice = self
            .region
            .map
            .get_slice(self.number * SLOT_BYTES, SLOT_BYTES);
        slice.map_err(io::Error::other)
    }

    /// Appends what fits of `bytes`. Returns how many bytes that is.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let rest = self.memory()?.offset(self.bytes);
        let rest = rest.map_err(io::Error::other)?;
        let appended = bytes.len().min(rest.len());
        rest.copy_from(&bytes[..appended]);
        self.bytes += appended;
        Ok(appended)
    }

    /// Appends the next bytes of a file, until it is full or the file has ended. Returns how many.
    pub(crate) fn read(&mut self, file: &File) -> io::Result<usize> {
        let before = self.bytes;
        let mut filled = before;
        let (memory, mut file) = (self.memory()?, file.as_fd());
        while filled < SLOT_BYTES {
            let mut rest = memory.offset(filled).map_err(io::Error::other)?;
            match file.read_volatile(&mut rest) {
                Ok(0) => break,
                Ok(bytes) => filled += bytes,
                Err(vm_memory::VolatileMemoryError::IOError(error))
                    if error.kind() == io::ErrorKind::Interrupted => {}
                Err(vm_memory::VolatileMemoryError::IOError(error)) => return Err(error),
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        self.bytes = filled;
        Ok(filled - before)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.region.free().push(self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{IoSlice, Read as _};
    use std::os::unix::fs::FileExt as _;
    use std::os::unix::net::UnixListener;
    use std::pin::pin;
    use std::task::{Context, Waker};
    use std::thread::JoinHandle;

    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    use tempfile::TempDir;

    use super::*;
    use crate::source::Source;

    const BYTES: usize = 3 * SLOT_BYTES;

    /// A server that shares memory of `bytes` bytes with one client, or refuses.
    fn server(folder: &TempDir, status: u8, bytes: usize) -> JoinHandle<(UnixStream, File)> {
        let listener = UnixListener::bind(folder.path().join("a.memory")).unwrap();
        std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            assert_eq!(wanted(&mut socket), BYTES);
            let file = reply(&socket, status, bytes);
            (socket, file)
        })
    }

    /// How many bytes a client asks for.
    fn wanted(socket: &mut UnixStream) -> usize {
        let mut request = [0; 16];
        socket.read_exact(&mut request).unwrap();
        let (head, wanted) = request.split_at(8);
        assert_eq!(head, b"HLSM\0\0\0\x01");
        usize::try_from(u64::from_be_bytes(wanted.try_into().unwrap())).unwrap()
    }

    fn reply(socket: &UnixStream, status: u8, bytes: usize) -> File {
        let flags = rustix::fs::MemfdFlags::CLOEXEC;
        let file = File::from(rustix::fs::memfd_create("test", flags).unwrap());
        file.set_len(bytes as u64).unwrap();
        let mut reply = [&b"HLSM\0\0\0"[..], &[status], &[0xab; 16]].concat();
        reply.extend_from_slice(&(bytes as u64).to_be_bytes());
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let descriptors = [file.as_fd()];
        if status == 0 {
            ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
        }
        let reply = [IoSlice::new(&reply)];
        sendmsg(socket, &reply, &mut ancillary, SendFlags::empty()).unwrap();
        file
    }

    #[tokio::test]
    async fn a_server_that_refuses_much_memory_is_asked_for_less() {
        for (most, got) in [
            (5 << 20, Some(4 << 20)),
            (1 << 20, Some(1 << 20)),
            (1, None),
        ] {
            let folder = TempDir::new().unwrap();
            let listener = UnixListener::bind(folder.path().join("a.memory")).unwrap();
            let server = std::thread::spawn(move || {
                let mut asked = Vec::new();
                loop {
                    let (mut socket, _) = listener.accept().unwrap();
                    asked.push(wanted(&mut socket));
                    let bytes = asked[asked.len() - 1];
                    let status = if bytes > most { 5 } else { 0 };
                    let file = reply(&socket, status, bytes);
                    if status == 0 || bytes <= 1 << 20 {
                        return (asked, socket, file);
                    }
                }
            });
            let endpoint = format!("unix:{}/a", folder.path().display());
            let memory = SharedMemory::of(&endpoint, 16 << 20, 1);
            let region = memory.get().await;
            let slots = region.as_ref().map(|region| region.free().len());
            assert_eq!(slots, got.map(|bytes: usize| bytes / SLOT_BYTES));
            let (asked, _socket, _file) = server.join().unwrap();
            let all = [16, 8, 4, 2, 1].map(|mib| mib << 20);
            assert_eq!(asked, all[..asked.len()]);
            assert_eq!(asked.last(), Some(&got.unwrap_or(1 << 20)));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_gone_is_asked_again_soon() {
        let folder = TempDir::new().unwrap();
        let memory = memory(&folder);
        assert!(memory.get().await.is_none(), "there is no socket");
        let path = folder.path().join("a.memory");
        drop(UnixListener::bind(&path).unwrap());
        tokio::time::advance(GONE_PAUSE).await;
        assert!(memory.get().await.is_none(), "nobody listens");
        std::fs::remove_file(&path).unwrap();
        let server = server(&folder, 0, BYTES);
        assert!(memory.get().await.is_none(), "it was asked just before");
        tokio::time::advance(GONE_PAUSE).await;
        assert!(memory.get().await.is_some());
        drop(server.join().unwrap());
    }

    #[tokio::test]
    async fn a_file_that_became_shorter_is_an_error() {
        let folder = TempDir::new().unwrap();
        let server = server(&folder, 0, BYTES);
        let region = memory(&folder).get().await.unwrap();
        let _shared = server.join().unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        for in_between in [0, 1000] {
            file.as_file().set_len(SLOT_BYTES as u64).unwrap();
            let mut source = Source::file(file.path());
            source.begin().await.unwrap();
            file.as_file().set_len(in_between).unwrap();
            let error = source.next(1, Some(&region)).await.unwrap_err();
            assert!(error.to_string().contains("became shorter"), "{error}");
        }
    }

    fn memory(folder: &TempDir) -> SharedMemory {
        SharedMemory::of(&format!("unix:{}/a", folder.path().display()), BYTES, 1)
    }

    #[tokio::test]
    async fn slots_are_written_where_their_range_says() {
        let folder = TempDir::new().unwrap();
        let server = server(&folder, 0, BYTES);
        let memory = memory(&folder);
        let region = memory.get().await.unwrap();
        let (socket, shared) = server.join().unwrap();
        assert_eq!(region.id, "ab".repeat(16));
        let source = folder.path().join("file");
        let contents: Vec<u8> = (0..=250).cycle().take(SLOT_BYTES + 1000).collect();
        std::fs::write(&source, &contents).unwrap();
        let source = File::open(source).unwrap();
        let mut slots = [(); 3].map(|()| region.slot().unwrap());
        assert_eq!(slots[0].append(b"some ").unwrap(), 5);
        assert_eq!(slots[0].append(b"bytes").unwrap(), 5);
        assert_eq!(slots[1].read(&source).unwrap(), SLOT_BYTES);
        assert_eq!(slots[1].append(b"more").unwrap(), 0, "it is full");
        assert_eq!(slots[2].read(&source).unwrap(), 1000);
        assert!(region.slot().is_none());
        let (first, rest) = contents.split_at(SLOT_BYTES);
        for (slot, expected) in slots.iter().zip([b"some bytes", first, rest]) {
            let MemoryRange { offset, length } = slot.range();
            let mut written = vec![0; length as usize];
            shared.read_exact_at(&mut written, offset).unwrap();
            assert!(written == expected && slot.len() == expected.len());
        }
        // The last one that is free again is the next.
        let [_, second, _] = slots;
        let range = second.range();
        drop(second);
        let mut next = region.slot().unwrap();
        assert_eq!(next.append(&[1; SLOT_BYTES + 1]).unwrap(), SLOT_BYTES);
        assert_eq!(next.range().offset, range.offset);
        // The same memory serves later calls, until the server ends.
        assert!(Arc::ptr_eq(&memory.get().await.unwrap(), &region));
        drop(socket);
        assert!(memory.get().await.is_none(), "nobody accepts a request");
    }

    #[tokio::test(start_paused = true)]
    async fn few_slots_are_with_the_server_at_a_time() {
        let folder = TempDir::new().unwrap();
        let server = server(&folder, 0, BYTES);
        let mut memory = memory(&folder);
        memory.slots_sent_max = 1;
        let region = memory.get().await.unwrap();
        let _server = server.join().unwrap();
        let first = region.slot_to_send(b"first").await.unwrap();
        let mut filled = region.slot().unwrap();
        {
            let mut sends = pin!(filled.may_be_sent());
            let cx = &mut Context::from_waker(Waker::noop());
            assert!(sends.as_mut().poll(cx).is_pending());
            drop(first);
            assert!(sends.as_mut().poll(cx).is_ready());
        }
        // It waits no longer than this, although the server has read none. Then others do not wait
        // at all for a while.
        for waited in [SEND_WAIT_MAX, Duration::ZERO, SEND_WAIT_MAX] {
            let start = Instant::now();
            let over = region.slot_to_send(b"over").await.unwrap();
            assert_eq!((start.elapsed(), over.sent.is_none()), (waited, true));
            if waited.is_zero() {
                tokio::time::advance(SEND_FREELY).await;
            }
        }
        drop(filled);
        assert!(region.slot_to_send(b"next").await.unwrap().sent.is_some());
        // There is no slot for these.
        let _all: Vec<_> = std::iter::from_fn(|| region.slot()).collect();
        assert!(region.slot_to_send(b"none").await.is_none());
    }

    #[tokio::test]
    async fn only_memory_of_a_server_that_lives_is_given_up() {
        let folder = TempDir::new().unwrap();
        let ended = server(&folder, 0, BYTES);
        let memory = memory(&folder);
        let first = memory.get().await.unwrap();
        drop(ended.join().unwrap());
        std::fs::remove_file(folder.path().join("a.memory")).unwrap();
        // Its successor's memory stays, and so does the right to ask.
        memory.forget(&first).await;
        let _successor = server(&folder, 0, BYTES);
        let second = memory.get().await.unwrap();
        memory.forget(&first).await;
        assert!(Arc::ptr_eq(&memory.get().await.unwrap(), &second));
        memory.forget(&second).await;
        assert!(
            memory.get().await.is_none(),
            "the server that lives does not know it"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_shares_nothing_is_asked_again_after_a_while() {
        for (status, bytes) in [(4, BYTES), (0, BYTES - 1)] {
            let folder = TempDir::new().unwrap();
            let memory = memory(&folder);
            let refusing = server(&folder, status, bytes);
            assert!(memory.get().await.is_none());
            refusing.join().unwrap();
            std::fs::remove_file(folder.path().join("a.memory")).unwrap();
            let sharing = server(&folder, 0, BYTES);
            tokio::time::advance(PAUSE - Duration::from_millis(1)).await;
            assert!(memory.get().await.is_none());
            tokio::time::advance(Duration::from_millis(1)).await;
            // It was asked only now.
            assert!(memory.get().await.is_some());
            sharing.join().unwrap();
        }
    }

    #[test]
    fn only_unix_sockets_have_memory() {
        let socket = |endpoint, bytes| SharedMemory::of(endpoint, bytes, 1).socket;
        for endpoint in ["unix:/run/a", "unix:///run/a"] {
            assert_eq!(socket(endpoint, 1), Some("/run/a.memory".into()));
            assert_eq!(socket(endpoint, 0), None);
        }
        assert_eq!(socket("http://127.0.0.1:1", 1), None);
        assert_eq!(socket("127.0.0.1:1", 1), None);
    }
}
