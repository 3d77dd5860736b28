//! A part in progress, and its answer.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};
use crate::rpc::{Digesting, Frame, PartOptions, Rpc, Verifying};
use crate::shared::{Queued, Shared};
use crate::source::Source;

/// A part in progress. Parts of one stream may be written in any order and from different tasks.
///
/// A drop abandons the part: its end is sent to the server, and its answer is discarded.
pub struct Part<R: Rpc> {
    shared: Arc<Shared<R>>,
    number: u64,
    /// Sent with the part's first message.
    open: Option<PartOptions>,
    /// Whether a message of the part was sent.
    started: bool,
    sent_bytes: u64,
    /// Taken when the part ends.
    answer: Option<Pending<R>>,
}

/// The answer of a part that has ended: a future.
pub struct Answer<R: Rpc> {
    shared: Arc<Shared<R>>,
    pending: Pending<R>,
}

/// A pending answer, or an error from before the part's end.
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

    /// Sends the part's next bytes, in messages of the builder's `message_bytes`. Waits while too
    /// many bytes of the stream are queued.
    ///
    /// # Errors
    /// The part's error, if the server has already sent one, or the stream's.
    pub async fn write(&mut self, data: impl Into<Bytes>) -> Result<()> {
        let mut data: Bytes = data.into();
        while !data.is_empty() {
            let message = data.split_to(data.len().min(self.shared.settings.message_bytes));
            let permit = self.permit(&message).await?;
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
                // The transport has dropped the call; its status has the reason.
                return Err(self.failed().await);
            }
        }
        Ok(())
    }

    /// Waits until a message may be queued.
    async fn permit(&mut self, message: &Bytes) -> Result<OwnedSemaphorePermit> {
        // A message is at most MESSAGE_BYTES_MAX long.
        let permits = u32::try_from(message.len()).unwrap_or(u32::MAX);
        let budget = Arc::clone(&self.shared.budget);
        let permit = tokio::select! {
            biased;
            error = self.failed() => return Err(error),
            permit = budget.acquire_many_owned(permits) => permit,
        };
        permit.map_err(|_| self.shared.over())
    }

    /// Waits until the part can no longer get a digest: the server has answered it with an error,
    /// or the stream is over. Use it while waiting for a slow source.
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

    /// Sends the source's bytes to the end, except the last message, which also carries the part's
    /// end.
    pub(crate) async fn send(&mut self, source: &mut Source<'_>) -> Result<Tail> {
        let message_bytes = self.shared.settings.message_bytes;
        loop {
            let piece = tokio::select! {
                biased;
                // Polled first, so that a source without data does not hide a lost connection.
                error = self.failed() => return Err(error),
                piece = source.next(message_bytes) => piece,
            };
            let (mut piece, is_last) = piece?;
            if is_last {
                let before = piece.len().saturating_sub(1) / message_bytes * message_bytes;
                self.write(piece.split_to(before)).await?;
                let permit = self.permit(&piece).await?;
                return Ok(Tail(piece, Some(permit)));
            }
            self.write(piece).await?;
        }
    }

    /// Ends the part.
    pub(crate) fn conclude(mut self, tail: Tail, expected: &[AlgorithmDigest]) -> Answer<R> {
        self.end(tail, expected)
            .expect("only conclude and drop end a part")
    }

    fn end(&mut self, Tail(data, permit): Tail, expected: &[AlgorithmDigest]) -> Option<Answer<R>> {
        let pending = self.answer.take()?;
        self.sent_bytes += data.len() as u64;
        let frame = Frame {
            last: true,
            expected: expected.to_vec(),
            data,
            ..self.frame()
        };
        self.shared.ended(self.number, expected, self.sent_bytes);
        // This fails only if the stream is over, which the answer reports.
        let _ = self.shared.send(Queued::Frame(frame, permit));
        self.shared.finished();
        Some(Answer {
            shared: Arc::clone(&self.shared),
            pending,
        })
    }
}

/// A part's last bytes, at most one message, and their permit.
#[derive(Default)]
pub(crate) struct Tail(Bytes, Option<OwnedSemaphorePermit>);

impl Part<Digesting> {
    /// Ends the part. The returned future has the digest; the part ends even if the future is not
    /// awaited.
    pub fn finish(self) -> Answer<Digesting> {
        self.conclude(Tail::default(), &[])
    }
}

impl Part<Verifying> {
    /// Ends the part and sends its expected digests: each of an algorithm in the part's options,
    /// each at most once. The returned future has the verdict.
    pub fn finish(self, expected: &[AlgorithmDigest]) -> Answer<Verifying> {
        if let Err(error) = self.shared.may_expect(self.number, expected) {
            // Dropping the part abandons it.
            return Answer {
                shared: Arc::clone(&self.shared),
                pending: Pending::Failed(error),
            };
        }
        self.conclude(Tail::default(), expected)
    }
}

impl<R: Rpc> Drop for Part<R> {
    fn drop(&mut self) {
        if self.answer.is_none() {
            return;
        }
        if self.started {
            let _ = self.end(Tail::default(), &[]);
        } else {
            // No message of the part was sent.
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
