//! The client: one call for each thing somebody wants to know.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use hashlane_proto::v1;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::OnceCell;

use crate::algorithm::Algorithm;
use crate::builder::{Builder, Settings};
use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};
use crate::object::{ObjectDigest, ObjectParts};
use crate::part::Part;
use crate::pool::Pool;
use crate::rpc::{self, PartDigest, PartOptions, Rpc, Verification};
use crate::stream::{DigestStream, PartStream, VerifyStream};

/// A slow source's bytes are sent after this long, though they fill no message:
/// the server ends streams on which nothing comes.
const FLUSH_AFTER: Duration = Duration::from_secs(1);

/// Bytes that a batch's blob takes in its message beyond its own: a tag and a
/// length of at most five bytes each.
const BLOB_OVERHEAD_BYTES: usize = 6;

/// What a server says of itself: its version, algorithms, kernels and limits.
pub type ServerInfo = v1::GetServerInfoResponse;

/// A client of one hashlane service. Cheap to clone; clones share connections.
#[derive(Debug, Clone)]
pub struct Client(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pool: Pool,
    settings: Settings,
    /// Asked for once, by the first batch.
    limits: OnceCell<v1::Limits>,
}

impl Client {
    /// Connects with the default settings to `https://host:port`,
    /// `http://host:port`, `host:port` without TLS, or `unix:/path`.
    ///
    /// # Errors
    /// As [`Builder::connect`].
    pub async fn connect(endpoint: impl AsRef<str>) -> Result<Self> {
        Self::builder().connect(endpoint).await
    }

    /// Settings other than the default.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn new(pool: Pool, settings: Settings) -> Self {
        Self(Arc::new(Inner {
            pool,
            settings,
            limits: OnceCell::new(),
        }))
    }

    /// Digests what the reader gives, to its end: once, however many digests are
    /// wanted. At most one message and the builder's `buffer_bytes` of it are in memory.
    ///
    /// # Errors
    /// [`Error::Read`] if the reader fails: the call is then cancelled, never
    /// half-closed, so no digest of a truncated part exists anywhere.
    pub async fn digest_reader(
        &self,
        reader: impl AsyncRead + Unpin,
        options: impl Into<PartOptions>,
    ) -> Result<PartDigest> {
        let mut lone = Lone::new(self.open_stream(), options).await?;
        lone.send(reader, self.0.settings.message_bytes).await?;
        let Lone { stream, part } = lone;
        let answer = part.finish();
        // Half-closed before the answer is awaited, so that the end of the part
        // and of the stream travel together.
        let finished = stream.finish();
        let digest = answer.await?;
        finished.await?;
        Ok(digest)
    }

    /// Compares what the reader gives, to its end, with the digests expected, on
    /// the server: all must match. A mismatch is an answer, not an error.
    ///
    /// # Errors
    /// As [`digest_reader`](Self::digest_reader).
    pub async fn verify_reader(
        &self,
        reader: impl AsyncRead + Unpin,
        expected: &[AlgorithmDigest],
    ) -> Result<Verification> {
        let algorithms: Vec<_> = expected.iter().map(AlgorithmDigest::algorithm).collect();
        let mut lone = Lone::new(self.open_verify_stream(), &algorithms[..]).await?;
        lone.send(reader, self.0.settings.message_bytes).await?;
        let Lone { stream, part } = lone;
        let answer = part.finish(expected);
        let finished = stream.finish();
        let verification = answer.await?;
        finished.await?;
        Ok(verification)
    }

    /// Digests bytes in memory. They are not copied before they are sent.
    ///
    /// # Errors
    /// With the server's or the connection's.
    pub async fn digest_bytes(
        &self,
        data: impl Into<Bytes>,
        options: impl Into<PartOptions>,
    ) -> Result<PartDigest> {
        let mut lone = Lone::new(self.open_stream(), options).await?;
        lone.part.write(data).await?;
        let Lone { stream, part } = lone;
        let answer = part.finish();
        let finished = stream.finish();
        let digest = answer.await?;
        finished.await?;
        Ok(digest)
    }

    /// Opens a stream on which many parts can be digested at once.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn open_stream(&self) -> DigestStream {
        PartStream::open(self.0.pool.lease(), self.0.settings)
    }

    /// Opens a stream on which many parts can be verified at once.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn open_verify_stream(&self) -> VerifyStream {
        PartStream::open(self.0.pool.lease(), self.0.settings)
    }

    /// Digests many small blobs, in as few requests as the server's limits
    /// allow, and gives their digests in the same order: for each blob those of
    /// `algorithms`, or SHA-256 if there are none. A blob that fits no request is
    /// streamed.
    ///
    /// # Errors
    /// With [`Error::Argument`] if an algorithm is named twice, or with the first
    /// that occurs.
    pub async fn digest_batch(
        &self,
        blobs: &[Bytes],
        algorithms: &[Algorithm],
    ) -> Result<Vec<Vec<AlgorithmDigest>>> {
        let options = PartOptions::from(algorithms);
        options.check()?;
        let limits = self.limits().await?;
        let bytes_max = usize::try_from(limits.message_bytes_max).unwrap_or(usize::MAX);
        // Each algorithm is a number of one byte; they share a tag and a length.
        let names_bytes = algorithms.len() + if algorithms.is_empty() { 0 } else { 2 };
        let bytes_max = bytes_max.saturating_sub(names_bytes);
        let blobs_max = usize::try_from(limits.batch_blobs_max).unwrap_or(usize::MAX);
        let mut digests = Vec::with_capacity(blobs.len());
        let mut rest = blobs;
        while let Some(first) = rest.first() {
            let count = batch_blobs(rest, bytes_max, blobs_max);
            if count == 0 {
                let answer = self.digest_bytes(first.clone(), algorithms).await?;
                digests.push(answer.digests);
                rest = &rest[1..];
                continue;
            }
            let (batch, after) = rest.split_at(count);
            digests.append(&mut self.digest_one_batch(batch, &options).await?);
            rest = after;
        }
        Ok(digests)
    }

    async fn digest_one_batch(
        &self,
        blobs: &[Bytes],
        options: &PartOptions,
    ) -> Result<Vec<Vec<AlgorithmDigest>>> {
        let lease = self.0.pool.lease();
        let request = self.request(v1::DigestBatchRequest {
            algorithms: rpc::to_wire(&options.algorithms),
            blobs: blobs.to_vec(),
        });
        let response = lease.service().digest_batch(request).await;
        let response = response
            .map_err(|status| Error::of_status(&status))?
            .into_inner();
        if response.blobs.len() != blobs.len() {
            return Err(Error::Protocol("not one answer for each blob of a batch"));
        }
        let answer = |blob: &v1::BlobDigests| {
            let digests = rpc::digests(&blob.digests)?;
            rpc::check_digests(&digests, options.wanted())?;
            Ok(digests)
        };
        response.blobs.iter().map(answer).collect()
    }

    /// The value of an object from those of its parts, compared with an expected
    /// one where it is given. A mismatch is an answer, not an error.
    ///
    /// # Errors
    /// With the server's: `INVALID_ARGUMENT` for an algorithm that S3 has no such
    /// value of, no parts or more than 10,000, a digest of the wrong length, an
    /// expected text that can be no such value.
    pub async fn compose(&self, parts: &ObjectParts) -> Result<ObjectDigest> {
        let lease = self.0.pool.lease();
        let request = self.request(parts.to_wire());
        let response = lease.service().compose(request).await;
        let response = response.map_err(|status| Error::of_status(&status))?;
        parts.answer(response.into_inner())
    }

    /// Asks the server for its version, algorithms, kernels and limits.
    ///
    /// # Errors
    /// With the server's or the connection's.
    pub async fn server_info(&self) -> Result<ServerInfo> {
        let lease = self.0.pool.lease();
        let request = self.request(v1::GetServerInfoRequest {});
        let response = lease.service().get_server_info(request).await;
        Ok(response
            .map_err(|status| Error::of_status(&status))?
            .into_inner())
    }

    async fn limits(&self) -> Result<v1::Limits> {
        let limits = self.0.limits.get_or_try_init(|| async {
            let info = self.server_info().await?;
            info.limits.ok_or(Error::Protocol("no limits"))
        });
        limits.await.copied()
    }

    /// A request with its deadline, which the server is told too.
    fn request<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        request.set_timeout(self.0.settings.call_timeout);
        request
    }
}

/// How many of the first blobs fit one request.
fn batch_blobs(blobs: &[Bytes], bytes_max: usize, blobs_max: usize) -> usize {
    let mut bytes = 0_usize;
    let fitting = blobs.iter().take(blobs_max).take_while(|blob| {
        bytes = bytes.saturating_add(blob.len() + BLOB_OVERHEAD_BYTES);
        bytes <= bytes_max
    });
    fitting.count()
}

/// A stream for one part. The order of the fields matters: if the part is given
/// up, the stream is dropped first, which cancels the call before the part's
/// handle could end the part.
struct Lone<R: Rpc> {
    stream: PartStream<R>,
    part: Part<R>,
}

impl<R: Rpc> Lone<R> {
    async fn new(stream: PartStream<R>, options: impl Into<PartOptions>) -> Result<Self> {
        let part = stream.part(options).await?;
        Ok(Self { stream, part })
    }

    async fn send(
        &mut self,
        mut reader: impl AsyncRead + Unpin,
        message_bytes: usize,
    ) -> Result<()> {
        loop {
            let message = tokio::select! {
                biased;
                // A source that gives nothing does not hide a lost connection.
                error = self.part.failed() => return Err(error),
                message = read_message(&mut reader, message_bytes) => message,
            };
            let (message, at_end) = message.map_err(|error| Error::Read(Arc::new(error)))?;
            self.part.write(message).await?;
            if at_end {
                return Ok(());
            }
        }
    }
}

/// Reads until the message is full, the source has ended, or bytes have waited
/// for [`FLUSH_AFTER`].
async fn read_message(
    reader: &mut (impl AsyncRead + Unpin),
    message_bytes: usize,
) -> std::io::Result<(Bytes, bool)> {
    let mut message = BytesMut::with_capacity(message_bytes);
    while message.len() < message_bytes {
        let room = message_bytes - message.len();
        let mut source = (&mut *reader).take(room as u64);
        let read = if message.is_empty() {
            source.read_buf(&mut message).await?
        } else {
            // Reading into a buffer is cancel safe: nothing is lost.
            match tokio::time::timeout(FLUSH_AFTER, source.read_buf(&mut message)).await {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};
    use tokio::io::ReadBuf;

    #[test]
    fn a_batch_takes_what_fits() {
        let blobs = [
            Bytes::from_static(&[0; 10]),
            Bytes::new(),
            Bytes::from_static(&[0; 100]),
        ];
        assert_eq!(batch_blobs(&blobs, 1000, 1000), 3);
        assert_eq!(batch_blobs(&blobs, 1000, 2), 2);
        assert_eq!(batch_blobs(&blobs, 22, 1000), 2);
        assert_eq!(batch_blobs(&blobs, 21, 1000), 1);
        assert_eq!(batch_blobs(&blobs, 15, 1000), 0);
        assert_eq!(batch_blobs(&[], 15, 1000), 0);
    }

    /// Gives one byte at a time, and waits for ever at the end.
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

    #[tokio::test]
    async fn short_reads_fill_a_message_and_a_slow_source_is_flushed() {
        let mut source = Trickle(10);
        let (message, at_end) = read_message(&mut source, 8).await.unwrap();
        assert_eq!((message.len(), at_end), (8, false));
        let (message, at_end) = read_message(&mut source, 8).await.unwrap();
        assert_eq!((message.len(), at_end), (2, false));
    }

    #[tokio::test]
    async fn the_end_comes_with_the_last_bytes() {
        let mut source: &[u8] = &[1; 20];
        let (message, at_end) = read_message(&mut source, 16).await.unwrap();
        assert_eq!((message.len(), at_end), (16, false));
        let (message, at_end) = read_message(&mut source, 16).await.unwrap();
        assert_eq!((message.len(), at_end), (4, true));
    }
}
