//! Whole parts: sent from the first byte to the last, and again if a server is lost.
//!
//! A failed try does not affect the verdict: the server keeps nothing of a call, and the next try
//! is a new part with all its bytes.
//!
//! Why whole: so that no part is put together from two tries. gRPC's own retries buffer messages
//! and cannot replay a stream that is larger than their buffer. The client itself compares expected
//! with computed digests, and the bytes hashed with the bytes sent. Tests verify 1,000 parts while
//! one server is killed and another drains.

use std::sync::Arc;

use crate::call::Call;
use crate::client::Client;
use crate::deadline::Deadline;
use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};
use crate::part::Part;
use crate::source::Source;
use crate::stream::PartStream;
use crate::wire_messages::{Digesting, PartDigest, PartOptions, Rpc, Verification, Verifying};

impl Client {
    /// Digests a source, reading it once for all algorithms. If its server is lost, the source is
    /// sent again from its first byte, to the best server at that time.
    ///
    /// # Errors
    /// [`Error::Read`] if the source fails: the call is then cancelled, never half-closed, so no
    /// digest of a truncated part can exist. [`Error::NotRepeatable`] if the source must be read
    /// again but cannot. [`Error::Timeout`], or the error of the last try.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn digest<'a>(
        &self,
        source: impl Into<Source<'a>>,
        options: impl Into<PartOptions>,
    ) -> Result<PartDigest> {
        send(
            self,
            Place::<Digesting>::Alone,
            source.into(),
            options.into(),
            &[],
        )
        .await
    }

    /// Verifies a source on the server: all its digests must be as expected. A mismatch is an
    /// answer, not an error, and is never retried.
    ///
    /// # Errors
    /// As [`digest`](Self::digest).
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn verify<'a>(
        &self,
        source: impl Into<Source<'a>>,
        expected: &[AlgorithmDigest],
    ) -> Result<Verification> {
        let options = options_of(expected)?;
        send(
            self,
            Place::<Verifying>::Alone,
            source.into(),
            options,
            expected,
        )
        .await
    }
}

impl PartStream<Digesting> {
    /// Digests a source as a part of this stream. As with [`Client::digest`], it is sent again on
    /// another call if its server drains or is gone.
    ///
    /// # Errors
    /// As [`Client::digest`]. If the source fails, the part's answer is discarded.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn digest<'a>(
        &self,
        source: impl Into<Source<'a>>,
        options: impl Into<PartOptions>,
    ) -> Result<PartDigest> {
        let place = Place::Stream(self);
        send(&self.client, place, source.into(), options.into(), &[]).await
    }
}

impl PartStream<Verifying> {
    /// Verifies a source as a part of this stream. As with [`Client::verify`], it is sent again on
    /// another call if its server drains or is gone.
    ///
    /// # Errors
    /// As [`Client::verify`]. If the source fails, the part's answer is discarded.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn verify<'a>(
        &self,
        source: impl Into<Source<'a>>,
        expected: &[AlgorithmDigest],
    ) -> Result<Verification> {
        let options = options_of(expected)?;
        send(
            &self.client,
            Place::Stream(self),
            source.into(),
            options,
            expected,
        )
        .await
    }
}

/// Where a part is sent.
enum Place<'a, R: Rpc> {
    /// On its own call. If the part is abandoned, that call is cancelled, so that no digest of a
    /// truncated part can exist.
    Alone,
    /// On a stream with other parts.
    Stream(&'a PartStream<R>),
}

/// The order of the fields matters: if the part is abandoned, the call is dropped first and so
/// cancelled before the part's handle can end the part.
struct Attempt<R: Rpc> {
    call: Option<Call<R>>,
    part: Part<R>,
}

/// The options of a part with these expected digests.
fn options_of(expected: &[AlgorithmDigest]) -> Result<PartOptions> {
    if expected.is_empty() {
        return Err(Error::Argument("expected: there is no digest".to_owned()));
    }
    let algorithms: Vec<_> = expected.iter().map(AlgorithmDigest::algorithm).collect();
    Ok(algorithms[..].into())
}

/// Sends a part until it is answered or must not be sent again.
async fn send<R: Rpc>(
    client: &Client,
    place: Place<'_, R>,
    mut source: Source<'_>,
    mut options: PartOptions,
    expected: &[AlgorithmDigest],
) -> Result<R::Answer> {
    options.check()?;
    if let (Some(of_options), Some(of_source)) = (options.size_bytes, source.size_bytes)
        && of_options != of_source
    {
        return Err(Error::Argument(format!(
            "size_bytes: {of_options} by the options, {of_source} by the source"
        )));
    }
    options.size_bytes = options.size_bytes.or(source.size_bytes);
    let deadline = client.deadline();
    let sent = async {
        let mut tries = client.tries(deadline.end);
        loop {
            let sent = attempt(client, &place, &mut source, &options, expected, deadline).await;
            match sent {
                Err(error) if error.is_retryable() && !source.can_begin_again() => {
                    return Err(match error.is_not_http2() {
                        true => error,
                        false => Error::NotRepeatable(Arc::new(error)),
                    });
                }
                Err(error) if error.is_stall() && !source.can_begin_again() => return Err(error),
                Err(error) => tries.again(error).await?,
                Ok(answer) => return Ok(answer),
            }
        }
    };
    deadline.bound(sent).await
}

async fn attempt<R: Rpc>(
    client: &Client,
    place: &Place<'_, R>,
    source: &mut Source<'_>,
    options: &PartOptions,
    expected: &[AlgorithmDigest],
    deadline: Deadline,
) -> Result<R::Answer> {
    source.begin().await?;
    let mut attempt = match place {
        Place::Alone => alone(client, options, deadline)?,
        Place::Stream(stream) => Attempt {
            call: None,
            part: stream.part(options.clone()).await?,
        },
    };
    if !source.can_reopen() {
        // Read nothing before a server has accepted the call: the source can be read only once.
        attempt.part.accepted().await?;
    }
    let tail = attempt.part.send(source).await?;
    let Attempt { call, part } = attempt;
    let answer = part.conclude(tail, expected);
    // Half-close before the answer arrives, so that the end of the part and of the call leave
    // together.
    if let Some(call) = &call {
        call.half_close()?;
    }
    let answer = answer.await?;
    if let Some(call) = call {
        call.finish().await?;
    }
    Ok(answer)
}

fn alone<R: Rpc>(client: &Client, options: &PartOptions, deadline: Deadline) -> Result<Attempt<R>> {
    let call = client.call(deadline);
    let slot = Arc::new(tokio::sync::Semaphore::new(1)).try_acquire_owned();
    let slot = slot.map_err(|_| Error::Cancelled)?;
    match call.part(options, slot) {
        Ok(part) => Ok(Attempt {
            call: Some(call),
            part,
        }),
        Err(refused) => Err(refused.over.unwrap_or(Error::Cancelled)),
    }
}
