//! The client: one call for each thing somebody wants to know.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hashlane_proto::v1;
use tokio::sync::Mutex;
use tokio::time::Instant;
use tonic::{Request, Response, Status};

use crate::algorithm::Algorithm;
use crate::builder::{Builder, Settings};
use crate::call::Call;
use crate::deadline::Deadline;
use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};
use crate::multipart::Multipart;
use crate::object::{ObjectDigest, ObjectParts};
use crate::pool::Pool;
use crate::retry::{Budget, Tries};
use crate::rpc::{self, Digesting, PartDigest, PartOptions, Rpc, Service, Verification, Verifying};
use crate::source::Source;
use crate::stream::{DigestStream, PartStream, VerifyStream};
use crate::whole::{self, Place};

/// Bytes that a batch's blob takes in its message beyond its own: a tag and a
/// length of at most five bytes each.
const BLOB_OVERHEAD_BYTES: usize = 6;

/// What a server says of itself: its version, algorithms, kernels and limits.
pub type ServerInfo = v1::GetServerInfoResponse;

/// A client of one hashlane service, at one or several servers. Cheap to clone; clones share
/// connections.
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<Inner>,
    /// Of each thing to do.
    timeout: Option<Duration>,
    /// Of one thing that takes several calls, while they are made.
    deadline: Option<Deadline>,
}

#[derive(Debug)]
struct Inner {
    pool: Pool,
    settings: Settings,
    budget: Budget,
    /// Asked for by the first batch, and after a refusal.
    limits: Mutex<Option<v1::Limits>>,
}

impl Client {
    /// Connects with the default settings to `https://host:port`,
    /// `http://host:port`, `host:port` without TLS, or `unix:/path`: to all addresses of a name.
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
        let inner = Inner {
            pool,
            settings,
            budget: Budget::default(),
            limits: Mutex::default(),
        };
        Self {
            inner: Arc::new(inner),
            timeout: None,
            deadline: None,
        }
    }

    /// The same client, whose methods take at most so long, all their requests and tries together.
    /// The server is told. Streams are not bounded by it, but their whole parts are.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            timeout: Some(timeout),
            deadline: None,
        }
    }

    /// The same client, whose calls share the time of one thing to do.
    pub(crate) fn for_one_thing(&self) -> Self {
        Self {
            deadline: Some(self.deadline()),
            ..self.clone()
        }
    }

    /// Digests a source, once, however many digests are wanted. If its server is lost, it is sent
    /// again from its first byte, to whatever server is well then.
    ///
    /// # Errors
    /// [`Error::Read`] if the source fails: the call is then cancelled, never half-closed, so no
    /// digest of a truncated part exists anywhere. [`Error::NotRepeatable`] if the source cannot
    /// be read again, and would have to be. [`Error::Timeout`], or the last try's.
    pub async fn digest<'a>(
        &self,
        source: impl Into<Source<'a>>,
        options: impl Into<PartOptions>,
    ) -> Result<PartDigest> {
        whole::send(
            self,
            Place::<Digesting>::Alone,
            source.into(),
            options.into(),
            &[],
        )
        .await
    }

    /// Compares a source with the digests expected, on the server: all must match. A mismatch is
    /// an answer, not an error, and is never tried again.
    ///
    /// # Errors
    /// As [`digest`](Self::digest).
    pub async fn verify<'a>(
        &self,
        source: impl Into<Source<'a>>,
        expected: &[AlgorithmDigest],
    ) -> Result<Verification> {
        let options = whole::options_of(expected)?;
        whole::send(
            self,
            Place::<Verifying>::Alone,
            source.into(),
            options,
            expected,
        )
        .await
    }

    /// Opens a stream on which many parts can be digested at once.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn open_stream(&self) -> DigestStream {
        PartStream::open(self.clone())
    }

    /// Opens a stream on which many parts can be verified at once.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn open_verify_stream(&self) -> VerifyStream {
        PartStream::open(self.clone())
    }

    /// Begins an upload in parts, as S3 has them: its values come from those of its parts.
    ///
    /// # Errors
    /// With [`Error::Argument`] if an algorithm is named twice, or a length is given.
    pub fn multipart(&self, algorithms: impl Into<PartOptions>) -> Result<Multipart> {
        Multipart::new(self.clone(), algorithms.into())
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
        let client = self.for_one_thing();
        let mut limits = client.limits().await?;
        let mut are_new = false;
        let mut digests = Vec::with_capacity(blobs.len());
        let mut rest = blobs;
        while let Some(first) = rest.first() {
            let count = batch_blobs(rest, &limits, algorithms.len());
            if count == 0 {
                let answer = client.digest(first.clone(), algorithms).await?;
                digests.push(answer.digests);
                rest = &rest[1..];
                continue;
            }
            let (batch, after) = rest.split_at(count);
            match client.digest_one_batch(batch, &options).await {
                Ok(mut answers) => digests.append(&mut answers),
                // The server was started anew with other limits, or it is another one.
                Err(error) if error.is_beyond_limits() && !are_new => {
                    *client.inner.limits.lock().await = None;
                    limits = client.limits().await?;
                    are_new = true;
                    continue;
                }
                Err(error) => return Err(error),
            }
            rest = after;
        }
        Ok(digests)
    }

    async fn digest_one_batch(
        &self,
        blobs: &[Bytes],
        options: &PartOptions,
    ) -> Result<Vec<Vec<AlgorithmDigest>>> {
        let request = v1::DigestBatchRequest {
            algorithms: rpc::to_wire(&options.algorithms),
            blobs: blobs.to_vec(),
        };
        let call = async |mut service: Service, request| service.digest_batch(request).await;
        let response = self.unary(request, call).await?;
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
        let call = async |mut service: Service, request| service.compose(request).await;
        parts.answer(self.unary(parts.to_wire(), call).await?)
    }

    /// Asks the server for its version, algorithms, kernels and limits.
    ///
    /// # Errors
    /// With the server's or the connection's.
    pub async fn server_info(&self) -> Result<ServerInfo> {
        let call = async |mut service: Service, request| service.get_server_info(request).await;
        self.unary(v1::GetServerInfoRequest {}, call).await
    }

    async fn limits(&self) -> Result<v1::Limits> {
        let asked = async {
            let mut known = self.inner.limits.lock().await;
            if let Some(limits) = *known {
                return Ok(limits);
            }
            let info = self.server_info().await?;
            let limits = info.limits.ok_or(Error::Protocol("no limits"))?;
            Ok(*known.insert(limits))
        };
        self.deadline().bound(asked).await
    }

    /// A call of one message, tried again where it may be.
    async fn unary<T: Clone, A>(
        &self,
        message: T,
        call: impl AsyncFn(Service, Request<T>) -> Result<Response<A>, Status>,
    ) -> Result<A> {
        let deadline = self.deadline();
        // They end with the deadline too.
        let mut tries = self.tries(deadline.end);
        loop {
            let lease = self.inner.pool.lease();
            let mut request = Request::new(message.clone());
            let timeout = self.inner.settings.call_timeout;
            request.set_timeout(deadline.left().unwrap_or(timeout).min(timeout));
            let answered = async {
                let answer = call(lease.service(), request).await;
                answer.map_err(|status| Error::of_status(&status))
            };
            let answer = deadline.bound(answered).await;
            lease.learned(answer.as_ref().err());
            drop(lease);
            match answer {
                Ok(answer) => return Ok(answer.into_inner()),
                Err(error) => tries.again(error).await?,
            }
        }
    }

    /// A new call, on the server that is best for it.
    pub(crate) fn call<R: Rpc>(&self, deadline: Deadline) -> Call<R> {
        Call::open(self.inner.pool.lease(), self.inner.settings, deadline)
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn tries(&self, deadline: Option<Instant>) -> Tries<'_> {
        let Inner { pool, budget, .. } = &*self.inner;
        Tries::new(pool, budget, self.inner.settings.retries, deadline)
    }

    pub(crate) fn deadline(&self) -> Deadline {
        let begun = self.deadline;
        begun.unwrap_or_else(|| Deadline::after(self.timeout))
    }
}

/// How many of the first blobs fit one request, beside the names of so many algorithms.
fn batch_blobs(blobs: &[Bytes], limits: &v1::Limits, algorithms: usize) -> usize {
    let bytes_max = usize::try_from(limits.message_bytes_max).unwrap_or(usize::MAX);
    let blobs_max = usize::try_from(limits.batch_blobs_max).unwrap_or(usize::MAX);
    // Each algorithm is a number of one byte; they share a tag and a length.
    let mut bytes = algorithms + if algorithms == 0 { 0 } else { 2 };
    let fitting = blobs.iter().take(blobs_max).take_while(|blob| {
        bytes = bytes.saturating_add(blob.len() + BLOB_OVERHEAD_BYTES);
        bytes <= bytes_max
    });
    fitting.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_takes_what_fits() {
        let blobs = [
            Bytes::from_static(&[0; 10]),
            Bytes::new(),
            Bytes::from_static(&[0; 100]),
        ];
        let count = |blobs: &[Bytes], message_bytes_max, batch_blobs_max, algorithms| {
            let limits = v1::Limits {
                message_bytes_max,
                batch_blobs_max,
                ..v1::Limits::default()
            };
            batch_blobs(blobs, &limits, algorithms)
        };
        assert_eq!(count(&blobs, 1000, 1000, 0), 3);
        assert_eq!(count(&blobs, 1000, 2, 0), 2);
        assert_eq!(count(&blobs, 22, 1000, 0), 2);
        assert_eq!(count(&blobs, 21, 1000, 0), 1);
        assert_eq!(count(&blobs, 24, 1000, 1), 1);
        assert_eq!(count(&blobs, 15, 1000, 0), 0);
        assert_eq!(count(&[], 15, 1000, 0), 0);
    }
}
