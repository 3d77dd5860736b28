//! Keeps a stream alive while its source pauses.
//!
//! A server ends a stream without data after `part_idle_timeout`, a minute by default. The protocol
//! has no keep-alive message. So some of the bytes already read are held back and sent one by one
//! while the source pauses.

use std::future::Future as _;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// Pause after which a byte is sent: a third of the server's default minute.
const INTERVAL: Duration = Duration::from_secs(20);
/// Bytes held back, enough for a pause of 22 hours.
const RESERVE_BYTES: usize = 4096;
/// Bytes read at once. Each read is a task on a blocking thread.
const READ_BYTES: usize = 64 << 10;

/// A reader that returns a byte at least every [`INTERVAL`], once its source has begun.
pub(crate) struct KeepAlive<R> {
    reader: R,
    held: BytesMut,
    is_at_end: bool,
    pause: Pin<Box<Sleep>>,
}

impl<R: AsyncRead + Unpin> KeepAlive<R> {
    /// Waits for the source's first byte or its end. Before that there is nothing to send, so no
    /// stream should be open.
    pub(crate) async fn begin(mut reader: R) -> io::Result<Self> {
        let mut held = BytesMut::with_capacity(RESERVE_BYTES + READ_BYTES);
        let bytes = reader.read_buf(&mut held).await?;
        Ok(Self {
            reader,
            held,
            is_at_end: bytes == 0,
            pause: Box::pin(sleep(INTERVAL)),
        })
    }

    /// Moves `bytes` bytes, or as many as fit.
    fn give(&mut self, bytes: usize, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let bytes = bytes.min(room.remaining());
        room.put_slice(&self.held[..bytes]);
        self.held.advance(bytes);
        self.pause.as_mut().reset(Instant::now() + INTERVAL);
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for KeepAlive<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if room.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        loop {
            let spare = match this.is_at_end {
                true => this.held.len(),
                false => this.held.len().saturating_sub(RESERVE_BYTES),
            };
            if spare > 0 || this.is_at_end {
                return this.give(spare, room);
            }
            this.held.reserve(READ_BYTES);
            // A read into a buffer is cancel safe: no bytes are lost.
            match pin!(this.reader.read_buf(&mut this.held)).poll(context) {
                Poll::Ready(Ok(bytes)) => this.is_at_end = bytes == 0,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    // Both the source and the end of the pause wake this task.
                    let is_long = this.pause.as_mut().poll(context).is_ready();
                    if is_long && !this.held.is_empty() {
                        return this.give(1, room);
                    }
                    return Poll::Pending;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncWriteExt as _, duplex};
    use tokio::time::timeout;

    #[tokio::test(start_paused = true)]
    async fn bytes_come_in_pauses_until_none_are_left() {
        let (mut writer, reader) = duplex(1 << 20);
        writer.write_all(b"abc").await.unwrap();
        let mut reader = KeepAlive::begin(reader).await.unwrap();
        let mut byte = [0; 100];
        for expected in [b"a", b"b"] {
            // The paused clock advances when all tasks are idle.
            let start = Instant::now();
            assert_eq!(reader.read(&mut byte).await.unwrap(), 1);
            assert_eq!(&byte[..1], expected);
            assert!(start.elapsed() >= INTERVAL, "{:?}", start.elapsed());
        }
        writer.write_all(b"de").await.unwrap();
        drop(writer);
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).await.unwrap();
        assert_eq!(rest, b"cde");
    }

    #[tokio::test(start_paused = true)]
    async fn a_source_without_pauses_goes_through_as_it_is() {
        let data: Vec<u8> = (0..=250).cycle().take(1_000_003).collect();
        let (mut writer, reader) = duplex(7000);
        let start = Instant::now();
        let read = async {
            let mut reader = KeepAlive::begin(reader).await.unwrap();
            let mut all = Vec::new();
            reader.read_to_end(&mut all).await.unwrap();
            all
        };
        let write = async {
            writer.write_all(&data).await.unwrap();
            drop(writer);
        };
        let (all, ()) = tokio::join!(read, write);
        assert_eq!(all, data);
        assert!(start.elapsed() < INTERVAL);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_used_up_is_waited_for() {
        let (mut writer, reader) = duplex(100);
        writer.write_all(b"a").await.unwrap();
        let mut reader = KeepAlive::begin(reader).await.unwrap();
        let mut byte = [0; 1];
        reader.read_exact(&mut byte).await.unwrap();
        assert!(timeout(3 * INTERVAL, reader.read(&mut byte)).await.is_err());
        writer.write_all(b"b").await.unwrap();
        reader.read_exact(&mut byte).await.unwrap();
        assert_eq!(&byte, b"b");
        drop(writer);
        assert_eq!(reader.read(&mut byte).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn a_source_without_bytes_is_at_its_end() {
        let mut reader = KeepAlive::begin(&b""[..]).await.unwrap();
        assert_eq!(reader.read(&mut [0; 10]).await.unwrap(), 0);
    }
}
