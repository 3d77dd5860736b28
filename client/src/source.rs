//! Where the bytes of a part come from, and whether they can be read again.

use std::fs::{File, Metadata};
use std::future::Future;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_stream::{Stream, StreamExt as _};

use crate::error::{Error, Result};
use crate::shared_memory::{Region, SLOT_BYTES, Slot};

/// A slow source's bytes are sent this long after their first byte, even if they do not fill a
/// message: the server ends idle streams.
const FLUSH_AFTER: Duration = Duration::from_secs(1);
/// Bytes of a file read at once. Each read is a task on a blocking thread.
const FILE_READ_BYTES: usize = 256 << 10;
/// The same in slots of shared memory. More leave the cache before the server reads them.
const SLOTS_READ: usize = 2;

type Reader<'a> = Box<dyn AsyncRead + Send + Unpin + 'a>;
type Opening<'a> = Pin<Box<dyn Future<Output = io::Result<Reader<'a>>> + Send + 'a>>;
type Items<'a> = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send + 'a>>;

/// Where the bytes of a part come from.
///
/// If a server is lost, bytes, slices, [files](Self::file) and sources that can be [opened
/// again](Self::reopen) are read again. A pipe, a [reader](Self::reader) or a
/// [stream](Self::stream) can be read only once.
#[derive(Debug)]
pub struct Source<'a> {
    kind: Kind<'a>,
    /// The reader of this try's bytes.
    pieces: Pieces<'a>,
    was_read: bool,
    pub(crate) size_bytes: Option<u64>,
}

enum Kind<'a> {
    Bytes(Bytes),
    Slice(&'a [u8]),
    File(PathBuf),
    Reopen(Box<dyn FnMut() -> Opening<'a> + Send + 'a>),
    /// Only `pieces` has the source.
    Once,
}

enum Pieces<'a> {
    Bytes(Bytes),
    Slice(&'a [u8]),
    File(Readahead),
    Reader(Reader<'a>),
    Stream(Gathered<'a>),
}

/// The next bytes.
#[derive(Debug)]
pub(crate) enum Piece {
    Bytes(Bytes),
    /// In shared memory, none of them empty.
    Slots(Vec<Slot>),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Slots(slots) => slots.iter().map(Slot::len).sum(),
        }
    }
}

/// The next bytes, and whether they are the last ones.
type Next<T> = (T, bool);

impl<'a> Source<'a> {
    fn new(kind: Kind<'a>) -> Self {
        Self {
            kind,
            pieces: Pieces::Slice(&[]),
            was_read: false,
            size_bytes: None,
        }
    }

    fn once(pieces: Pieces<'a>) -> Self {
        Self {
            pieces,
            ..Self::new(Kind::Once)
        }
    }

    /// A file, from its beginning to its end. If the path is not a regular file or block device,
    /// for example a pipe, it is opened and read only once, like a [reader](Self::reader).
    ///
    /// A regular file that ends before the length that it had when it was opened gives an error,
    /// not a digest: it became shorter. One that grows is read to its end.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self::new(Kind::File(path.as_ref().to_owned()))
    }

    /// Reads what `open` returns, to its end. `open` is called once per try and must return the
    /// same bytes each time.
    pub fn reopen<F, R>(mut open: impl FnMut() -> F + Send + 'a) -> Self
    where
        F: Future<Output = io::Result<R>> + Send + 'a,
        R: AsyncRead + Send + Unpin + 'a,
    {
        Self::new(Kind::Reopen(Box::new(move || {
            let opening = open();
            Box::pin(async move { Ok(Box::new(opening.await?) as Reader<'a>) })
        })))
    }

    /// A reader, to its end. It is read only once, when a server has accepted the call.
    pub fn reader(reader: impl AsyncRead + Send + Unpin + 'a) -> Self {
        Self::once(Pieces::Reader(Box::new(reader)))
    }

    /// The items of a stream. It is read only once, when a server has accepted the call. Large
    /// items are not copied; small ones are merged.
    pub fn stream<B, E>(stream: impl Stream<Item = Result<B, E>> + Send + 'a) -> Self
    where
        B: Into<Bytes>,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let items = stream.map(|item| item.map(Into::into).map_err(io::Error::other));
        Self::once(Pieces::Stream(Gathered {
            items: Box::pin(items),
            buffer: BytesMut::new(),
            held: Bytes::new(),
        }))
    }

    /// The source's length in bytes. If the source has another length, the result is an error, not
    /// a digest.
    #[must_use]
    pub fn sized(mut self, size_bytes: u64) -> Self {
        self.size_bytes = Some(size_bytes);
        self
    }

    /// Whether all bytes can be read from the beginning.
    pub(crate) fn can_begin_again(&self) -> bool {
        !self.was_read || self.can_reopen()
    }

    pub(crate) fn can_reopen(&self) -> bool {
        !matches!(self.kind, Kind::Once)
    }

    /// Begins a try. Allowed only if [`can_begin_again`](Self::can_begin_again).
    pub(crate) async fn begin(&mut self) -> Result<()> {
        let pieces = match &mut self.kind {
            Kind::Bytes(bytes) => Pieces::Bytes(bytes.clone()),
            Kind::Slice(slice) => Pieces::Slice(slice),
            Kind::File(path) => {
                let path = path.clone();
                let opened = blocking(move || {
                    let file = File::open(path)?;
                    Ok((file.metadata()?, file))
                });
                match opened.await.map_err(unreadable)? {
                    (metadata, file) if has_contents(&metadata) => {
                        Pieces::File(Readahead::new(file, metadata.len()))
                    }
                    (_, file) => {
                        self.kind = Kind::Once;
                        Pieces::Reader(Box::new(tokio::fs::File::from_std(file)))
                    }
                }
            }
            Kind::Reopen(open) => Pieces::Reader(open().await.map_err(unreadable)?),
            Kind::Once => return Ok(()),
        };
        self.pieces = pieces;
        Ok(())
    }

    /// The bytes of the next message: fewer than `message_bytes` if the source is slow, more if
    /// they are already in memory.
    ///
    /// # Errors
    /// [`Error::Read`]
    pub(crate) async fn next(
        &mut self,
        message_bytes: usize,
        memory: Option<&Arc<Region>>,
    ) -> Result<Next<Piece>> {
        self.was_read = true;
        let piece = match &mut self.pieces {
            Pieces::Bytes(bytes) => Ok((std::mem::take(bytes), true)),
            Pieces::Slice(slice) => {
                let (piece, rest) = slice.split_at(slice.len().min(message_bytes));
                *slice = rest;
                Ok((Bytes::copy_from_slice(piece), rest.is_empty()))
            }
            Pieces::File(file) => return file.next(memory).await.map_err(unreadable),
            Pieces::Reader(reader) => read_message(reader, message_bytes).await,
            Pieces::Stream(stream) => stream.next(message_bytes).await,
        };
        let (piece, is_last) = piece.map_err(unreadable)?;
        Ok((Piece::Bytes(piece), is_last))
    }
}

fn unreadable(error: io::Error) -> Error {
    Error::Read(Arc::new(error))
}

impl From<Bytes> for Source<'_> {
    fn from(bytes: Bytes) -> Self {
        Self::new(Kind::Bytes(bytes))
    }
}

impl From<Vec<u8>> for Source<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::from(bytes).into()
    }
}

impl<'a> From<&'a [u8]> for Source<'a> {
    fn from(slice: &'a [u8]) -> Self {
        Self::new(Kind::Slice(slice))
    }
}

impl<'a> From<&'a str> for Source<'a> {
    fn from(text: &'a str) -> Self {
        text.as_bytes().into()
    }
}

impl<'a> From<&'a Vec<u8>> for Source<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        bytes[..].into()
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Source<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        bytes[..].into()
    }
}

/// Whether a file can be opened and read again. A pipe cannot.
fn has_contents(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_block_device(&metadata.file_type()) {
        return true;
    }
    metadata.is_file()
}

/// A file. A thread reads the next bytes while the previous ones are sent.
struct Readahead {
    file: Arc<File>,
    /// Bytes that it had when it was opened, and those that are still to come. A block device has
    /// none.
    bytes: u64,
    left_bytes: u64,
    /// From the first read on.
    next: Option<JoinHandle<io::Result<Next<Piece>>>>,
}

impl Readahead {
    fn new(file: File, bytes: u64) -> Self {
        Self {
            file: Arc::new(file),
            bytes,
            left_bytes: bytes,
            next: None,
        }
    }

    fn read(file: &Arc<File>, memory: Option<&Arc<Region>>) -> JoinHandle<io::Result<Next<Piece>>> {
        let (file, memory) = (Arc::clone(file), memory.cloned());
        tokio::task::spawn_blocking(move || {
            if let Some(memory) = memory {
                let slots = read_slots(&file, &memory)?;
                if let Some(read) = slots {
                    return Ok(read);
                }
            }
            let mut piece = Vec::with_capacity(FILE_READ_BYTES);
            (&*file)
                .take(FILE_READ_BYTES as u64)
                .read_to_end(&mut piece)?;
            let is_last = piece.len() < FILE_READ_BYTES;
            Ok((Piece::Bytes(piece.into()), is_last))
        })
    }

    async fn next(&mut self, memory: Option<&Arc<Region>>) -> io::Result<Next<Piece>> {
        let read = || Self::read(&self.file, memory);
        let next = self.next.get_or_insert_with(read);
        let (piece, is_last) = next.await.map_err(io::Error::other)??;
        self.left_bytes = self.left_bytes.saturating_sub(piece.len() as u64);
        if is_last && self.left_bytes > 0 && self.was_cut().await? {
            let why = "the file became shorter while it was read";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
        }
        self.next = (!is_last).then(read);
        Ok((piece, is_last))
    }

    /// Whether the file was cut, and perhaps written again. Files in Linux's `/sys` always end
    /// before their length.
    async fn was_cut(&self) -> io::Result<bool> {
        let (file, bytes) = (Arc::clone(&self.file), self.bytes);
        let was_cut = move || Ok(file.metadata()?.len() != bytes || (&*file).read(&mut [0])? > 0);
        blocking(was_cut).await
    }
}

/// Reads the next bytes of a file into shared memory; `None` if there is no free slot.
fn read_slots(file: &Arc<File>, memory: &Arc<Region>) -> io::Result<Option<Next<Piece>>> {
    let mut slots = Vec::new();
    while slots.len() < SLOTS_READ
        && let Some(mut slot) = memory.slot()
    {
        slot.read(file)?;
        let is_last = slot.len() < SLOT_BYTES;
        if slot.len() > 0 {
            slots.push(slot);
        }
        if is_last {
            return Ok(Some((Piece::Slots(slots), true)));
        }
    }
    Ok((!slots.is_empty()).then(|| (Piece::Slots(slots), false)))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(io::Error::other)?
}

/// Items of a stream; small ones are merged.
struct Gathered<'a> {
    items: Items<'a>,
    buffer: BytesMut,
    /// An item that was not copied to the buffer.
    held: Bytes,
}

impl Gathered<'_> {
    async fn next(&mut self, message_bytes: usize) -> io::Result<Next<Bytes>> {
        let mut flush_at = None;
        loop {
            // A copy costs more than a message.
            if !self.held.is_empty() && self.held.len() >= message_bytes / 2 {
                let full = if self.buffer.is_empty() {
                    std::mem::take(&mut self.held)
                } else {
                    self.buffer.split().freeze()
                };
                return Ok((full, false));
            }
            self.buffer
                .extend_from_slice(&std::mem::take(&mut self.held));
            if self.buffer.len() >= message_bytes {
                return Ok((self.buffer.split().freeze(), false));
            }
            let item = if self.buffer.is_empty() {
                self.items.next().await
            } else {
                let flush_at = *flush_at.get_or_insert_with(|| Instant::now() + FLUSH_AFTER);
                match tokio::time::timeout_at(flush_at, self.items.next()).await {
                    Ok(item) => item,
                    Err(_) => return Ok((self.buffer.split().freeze(), false)),
                }
            };
            match item {
                None => return Ok((self.buffer.split().freeze(), true)),
                Some(item) => self.held = item?,
            }
        }
    }
}

/// Reads until the message is full, the source has ended, or its first byte has waited for
/// [`FLUSH_AFTER`].
async fn read_message(
    reader: &mut (impl AsyncRead + Unpin),
    message_bytes: usize,
) -> io::Result<Next<Bytes>> {
    let mut message = BytesMut::with_capacity(message_bytes);
    let mut flush_at = None;
    while message.len() < message_bytes {
        let room = message_bytes - message.len();
        let mut source = (&mut *reader).take(room as u64);
        let read = if message.is_empty() {
            source.read_buf(&mut message).await?
        } else {
            // A read into a buffer is cancel safe: no bytes are lost.
            let flush_at = *flush_at.get_or_insert_with(|| Instant::now() + FLUSH_AFTER);
            match tokio::time::timeout_at(flush_at, source.read_buf(&mut message)).await {
                Ok(read) => read?,
                Err(_) => return Ok((message.freeze(), false)),
            }
        };
        if read == 0 {
            return Ok((message.freeze(), true));
        }
    }
    Ok((message.freeze(), false))
}

impl std::fmt::Debug for Kind<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never show the bytes.
        f.write_str(match self {
            Self::Bytes(_) => "Bytes",
            Self::Slice(_) => "Slice",
            Self::File(_) => "File",
            Self::Reopen(_) => "Reopen",
            Self::Once => "Once",
        })
    }
}

impl std::fmt::Debug for Pieces<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pieces(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The next bytes, without shared memory.
    async fn next(source: &mut Source<'_>, message_bytes: usize) -> Result<Next<Bytes>> {
        match source.next(message_bytes, None).await? {
            (Piece::Bytes(bytes), is_last) => Ok((bytes, is_last)),
            (Piece::Slots(_), _) => panic!("there are no slots"),
        }
    }
    use std::task::{Context, Poll};
    use tokio::io::ReadBuf;

    /// Returns one byte at a time, and then waits forever.
    struct Trickle(usize);

    impl AsyncRead for Trickle {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            if self.0 == 0 {
                return Poll::Pending;
            }
            self.0 -= 1;
            buf.put_slice(&[7]);
            Poll::Ready(Ok(()))
        }
    }

    /// Returns a byte every 50 ms, forever.
    struct Drip(tokio::time::Interval);

    impl Drip {
        fn new() -> Self {
            Self(tokio::time::interval(Duration::from_millis(50)))
        }
    }

    impl AsyncRead for Drip {
        fn poll_read(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            self.0.poll_tick(context).map(|_| {
                buf.put_slice(&[7]);
                Ok(())
            })
        }
    }

    impl Stream for Drip {
        type Item = io::Result<Vec<u8>>;

        fn poll_next(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Self::Item>> {
            self.0.poll_tick(context).map(|_| Some(Ok(vec![7])))
        }
    }

    #[tokio::test]
    async fn each_byte_does_not_put_off_the_flush() {
        for mut source in [Source::reader(Drip::new()), Source::stream(Drip::new())] {
            // Filling the message would take hours.
            let flushed =
                tokio::time::timeout(Duration::from_secs(15), next(&mut source, 1 << 20)).await;
            let (message, is_last) = flushed.expect("nothing is flushed").unwrap();
            assert!(!message.is_empty() && !is_last);
        }
    }

    async fn lengths(mut source: Source<'_>, message_bytes: usize) -> Vec<usize> {
        source.begin().await.unwrap();
        let mut lengths = Vec::new();
        loop {
            let (piece, is_last) = next(&mut source, message_bytes).await.unwrap();
            lengths.push(piece.len());
            if is_last {
                return lengths;
            }
        }
    }

    #[tokio::test]
    async fn short_reads_fill_a_message_and_a_slow_source_is_flushed() {
        let mut source = Source::reader(Trickle(10));
        let (message, at_end) = next(&mut source, 8).await.unwrap();
        assert_eq!((message.len(), at_end), (8, false));
        let (message, at_end) = next(&mut source, 8).await.unwrap();
        assert_eq!((message.len(), at_end), (2, false));
    }

    #[tokio::test]
    async fn the_end_comes_with_the_last_bytes() {
        assert_eq!(lengths(Source::reader(&[1; 20][..]), 16).await, [16, 4]);
        assert_eq!(lengths(Source::from(&[1; 20]), 16).await, [16, 4]);
    }

    #[tokio::test]
    async fn small_items_are_put_together_and_large_ones_stay() {
        let items = [1, 0, 2, 5, 9, 8, 1].map(|len| Ok::<_, io::Error>(vec![0; len]));
        let source = Source::stream(tokio_stream::iter(items));
        assert_eq!(lengths(source, 10).await, [3, 5, 9, 8, 1]);
        let items = [4, 4, 4, 1].map(|len| Ok::<_, io::Error>(vec![0; len]));
        let source = Source::stream(tokio_stream::iter(items));
        assert_eq!(lengths(source, 10).await, [12, 1]);

        let slow = tokio_stream::iter([Ok::<_, io::Error>("a")]).chain(tokio_stream::pending());
        let mut source = Source::stream(slow);
        assert_eq!(
            next(&mut source, 10).await.unwrap(),
            (Bytes::from("a"), false)
        );
    }

    #[tokio::test]
    async fn what_was_read_can_be_had_again_if_it_can_be_opened_again() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let data = vec![3; FILE_READ_BYTES + 5];
        io::Write::write_all(&mut file, &data).unwrap();
        let opened = data.clone();
        let sources = [
            Source::from(data.clone()),
            Source::from(&data),
            Source::file(file.path()),
            Source::reopen(move || std::future::ready(Ok(io::Cursor::new(opened.clone())))),
        ];
        for mut source in sources {
            for _ in 0..2 {
                assert!(source.can_begin_again());
                source.begin().await.unwrap();
                let mut read = Vec::new();
                loop {
                    let (piece, is_last) = next(&mut source, 1000).await.unwrap();
                    read.extend_from_slice(&piece);
                    if is_last {
                        break;
                    }
                }
                assert!(read == data, "{source:?}");
            }
        }
        let mut once = Source::reader(&data[..]);
        assert!(once.can_begin_again());
        next(&mut once, 10).await.unwrap();
        assert!(!once.can_begin_again());
        let missing = Source::file("/does/not/exist").begin().await;
        assert!(matches!(missing, Err(Error::Read(_))));
    }

    /// It says that it has a page, and has fewer bytes.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_file_of_the_kernel_may_end_before_its_length() {
        let mut source = Source::file("/sys/kernel/uevent_seqnum");
        if source.begin().await.is_ok() {
            let (piece, is_last) = next(&mut source, 1000).await.unwrap();
            assert!(is_last && !piece.is_empty());
        }
    }

    #[tokio::test]
    async fn a_file_that_became_shorter_is_an_error_and_one_that_grew_is_read_to_its_end() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let pieces = FILE_READ_BYTES as u64;
        for (at_first, in_between, is_whole) in [
            (3 * pieces, pieces, false),
            (3 * pieces, 2 * pieces + 1, false),
            (3 * pieces, 3 * pieces, true),
            (2 * pieces + 1, 5 * pieces + 3, true),
        ] {
            file.as_file().set_len(at_first).unwrap();
            let mut source = Source::file(file.path());
            source.begin().await.unwrap();
            let (first, _) = next(&mut source, 1000).await.unwrap();
            let mut read = first.len() as u64;
            // At most the second piece is read by now.
            file.as_file().set_len(in_between).unwrap();
            let error = loop {
                match next(&mut source, 1000).await {
                    Ok((piece, is_last)) => {
                        read += piece.len() as u64;
                        if is_last {
                            break None;
                        }
                    }
                    Err(error) => break Some(error.to_string()),
                }
            };
            match error {
                None => assert!(is_whole && read == in_between, "{read} of {in_between}"),
                Some(error) => {
                    assert!(!is_whole, "{error}");
                    assert!(
                        error.contains("became shorter while it was read"),
                        "{error}"
                    );
                }
            }
        }
    }
}
