//! A part in progress, and its answer.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};
use crate::rpc::{Digesting, Frame, PartOptions, Rpc, Verifying};
use crate::shared::{Queued, Shared};
use crate::source::Source;

/// A part in progress. Parts of one stream may be written in any order and
/// from different tasks.
///
/// Dropping it abandons the part: the server is told that it ends, and its
/// answer is thrown away.
pub struct Part<R: Rpc> {
    shared: Arc<Shared<R>>,
    number: u64,
    /// Told in the part's first message, and taken then.
    open: Option<PartOptions>,
    /// Whether the server has heard of the part.
    started: bool,
    sent_bytes: u64,
    /// Taken by whoever ends the part.
    answer: Option<Pending<R>>,
}

/// The answer of a part that has ended: a future.
pub struct Answer<R: Rpc> {
    shared: Arc<Shared<R>>,
    pending: Pending<R>,
}

/// An answer on its way, or the error that came before the part had ended.
enum Pending<R: Rpc> {
    Receiver(oneshot::Receiver<Result<R::Answer>>),
    Failed(Error),
}

impl<R: Rpc> Part<R> {
    pub(crate) fn new(
        shared: Arc<Shared<R>>,
        number: u64,
        options: PartOptions,
        answer: oneshot::Receiver<Result<R::Answer>>,
    ) -> Self {
        Self {
            shared,
            number,
            open: Some(options),
            started: false,
            sent_bytes: 0,
            answer: Some(Pending::Receiver(answer)),
        }
    }

    /// Sends the part's next bytes, in messages of the builder's
    /// `message_bytes`. Waits while too much of the stream is on its way.
    ///
    /// # Errors
    /// With the part's error, if the server has given one already, or with the
    /// stream's.
    pub async fn write(&mut self, data: impl Into<Bytes>) -> Result<()> {
        let mut data: Bytes = data.into();
        while !data.is_empty() {
            let message = data.split_to(data.len().min(self.shared.settings.message_bytes));
            // A message is at most MESSAGE_BYTES_MAX long.
            let permits = u32::try_from(message.len()).unwrap_or(u32::MAX);
            let budget = Arc::clone(&self.shared.budget);
            let permit = tokio::select! {
                biased;
                error = self.failed() => return Err(error),
                permit = budget.acquire_many_owned(permits) => permit,
            };
            let permit = permit.map_err(|_| self.shared.over())?;
            self.sent_bytes += message.len() as u64;
            let frame = Frame {
                data: message,
                ..self.frame()
            };
            if self
                .shared
                .send(Queued::Frame(frame, Some(permit)))
                .is_err()
            {
                // The transport has let go of the call; why, comes with its status.
                return Err(self.failed().await);
            }
        }
        Ok(())
    }

    /// Waits until nothing that is written can lead to a digest any more: the
    /// server has answered the part with an error, or the stream is over. For
    /// whoever waits for a slow source meanwhile.
    ///
    /// Cancel safe.
    pub async fn failed(&mut self) -> Error {
        let error = match &mut self.answer {
            None => return self.shared.over(),
            Some(Pending::Failed(error)) => return error.clone(),
            Some(Pending::Receiver(receiver)) => match receiver.await {
                Err(_) => self.shared.over(),
                Ok(Err(error)) => error,
                Ok(Ok(_)) => Error::Protocol("a part was answered before it ended"),
            },
        };
        self.answer = Some(Pending::Failed(error.clone()));
        error
    }

    fn frame(&mut self) -> Frame {
        self.started = true;
        Frame {
            part: self.number,
            open: self.open.take(),
            ..Frame::default()
        }
    }

    /// Waits until a server has taken the call.
    ///
    /// # Errors
    /// As [`failed`](Self::failed).
    pub(crate) async fn accepted(&mut self) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let timeout = shared.settings.stall_timeout;
        tokio::select! {
            biased;
            error = self.failed() => Err(error),
            _ = shared.accepted.wait() => Ok(()),
            () = tokio::time::sleep(timeout) => Err(Error::Stalled(timeout)),
        }
    }

    /// Sends what the source gives, to its end.
    pub(crate) async fn send(&mut self, source: &mut Source<'_>) -> Result<()> {
        let message_bytes = self.shared.settings.message_bytes;
        loop {
            let piece = tokio::select! {
                biased;
                // A source that gives nothing does not hide a lost connection.
                error = self.failed() => return Err(error),
                piece = source.next(message_bytes) => piece,
            };
            let (piece, is_last) = piece?;
            self.write(piece).await?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Ends the part.
    pub(crate) fn conclude(mut self, expected: &[AlgorithmDigest]) -> Answer<R> {
        self.end(expected)
            .expect("only conclude and drop end a part")
    }

    fn end(&mut self, expected: &[AlgorithmDigest]) -> Option<Answer<R>> {
        let pending = self.answer.take()?;
        let frame = Frame {
            last: true,
            expected: expected.to_vec(),
            ..self.frame()
        };
        self.shared.ended(self.number, expected, self.sent_bytes);
        // Fails only if the stream is over, which the answer tells.
        let _ = self.shared.send(Queued::Frame(frame, None));
        self.shared.finished();
        Some(Answer {
            shared: Arc::clone(&self.shared),
            pending,
        })
    }
}

impl Part<Digesting> {
    /// Ends the part. The digest comes with the future returned; the part ends
    /// whether or not anybody waits for it.
    pub fn finish(self) -> Answer<Digesting> {
        self.conclude(&[])
    }
}

impl Part<Verifying> {
    /// Ends the part and says what its digests should be: of algorithms that its
    /// options name, each at most once. The verdict comes with the future returned.
    pub fn finish(self, expected: &[AlgorithmDigest]) -> Answer<Verifying> {
        if let Err(error) = self.shared.may_expect(self.number, expected) {
            // The part itself is given up as it goes.
            return Answer {
                shared: Arc::clone(&self.shared),
                pending: Pending::Failed(error),
            };
        }
        self.conclude(expected)
    }
}

impl<R: Rpc> Drop for Part<R> {
    fn drop(&mut self) {
        if self.answer.is_none() {
            return;
        }
        if self.started {
            let _ = self.end(&[]);
        } else {
            // The server has never heard of it.
            self.shared.forget(self.number);
        }
    }
}

impl<R: Rpc> Future for Answer<R> {
    type Output = Result<R::Answer>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = match &mut self.pending {
            Pending::Receiver(receiver) => ready!(Pin::new(receiver).poll(context)),
            Pending::Failed(error) => Ok(Err(error.clone())),
        };
        Poll::Ready(answer.unwrap_or_else(|_| Err(self.shared.over())))
    }
}

impl<R: Rpc> std::fmt::Debug for Part<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Part")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

impl<R: Rpc> std::fmt::Debug for Answer<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer").finish_non_exhaustive()
    }
}
