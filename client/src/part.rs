//! A part in progress, and its answer.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::backend::{Sink, Untaken};
use crate::buffer::{Buffer, Space};
use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};
use crate::outgoing::{Carried, Load};
use crate::shared_memory::Region;
use crate::source::{Piece, Source};
use crate::waiting_parts::Ledger;
use crate::wire_messages::{Digesting, Rpc, Verifying};

/// A part in progress. Parts of one stream may be written in any order and from different tasks.
///
/// A drop abandons the part: its end is sent to the server, and its answer is discarded.
pub struct Part<R: Rpc> {
    ledger: Arc<Ledger<R>>,
    number: u64,
    sink: Sink,
    sent_bytes: u64,
    /// A write is in progress, or did not end: some of its bytes may be missing.
    is_torn: bool,
    /// Taken when the part ends.
    answer: Option<Pending<R>>,
}

/// The answer of a part that has ended: a future.
#[must_use = "await the answer: only it has the digest, the verdict, or the part's error"]
pub struct Answer<R: Rpc> {
    ledger: Arc<Ledger<R>>,
    pending: Pending<R>,
}

/// A pending answer, or an error from before the part's end.
enum Pending<R: Rpc> {
    Receiver(oneshot::Receiver<Result<R::Answer>>),
    Failed(Error),
}

impl<R: Rpc> Part<R> {
    pub(crate) fn new(
        ledger: Arc<Ledger<R>>,
        number: u64,
        sink: Sink,
        answer: oneshot::Receiver<Result<R::Answer>>,
    ) -> Self {
        Self {
            ledger,
            number,
            sink,
            sent_bytes: 0,
            is_torn: false,
            answer: Some(Pending::Receiver(answer)),
        }
    }

    /// Sends the part's next bytes, in messages of the builder's `message_bytes`. Waits while too
    /// many bytes of the stream are queued.
    ///
    /// A server ends a stream, with all its parts, that gets no message for its `part_idle_timeout`
    /// (a minute by default). While there are no bytes, write empty ones, for example every 15
    /// seconds: they send a message that keeps the part alive, and do not change its digest.
    ///
    /// Not cancel safe: after a write that was dropped or that failed, later writes and the part's
    /// digest are errors, because bytes are missing.
    ///
    /// # Errors
    /// The part's error, if the server has already sent one, or the stream's.
    pub async fn write(&mut self, data: impl Into<Bytes>) -> Result<()> {
        let mut data: Bytes = data.into();
        self.begin_write()?;
        loop {
            let piece = data.split_to(data.len().min(self.sink.piece_bytes()));
            self.push(Load::Bytes(piece)).await?;
            if data.is_empty() {
                break;
            }
        }
        self.is_torn = false;
        Ok(())
    }

    /// Why no bytes can follow a write that did not end.
    fn torn(&self) -> Error {
        match &self.answer {
            Some(Pending::Failed(error)) => error.clone(),
            _ => Error::Argument("a write of the part did not end, so bytes are missing".into()),
        }
    }

    fn begin_write(&mut self) -> Result<()> {
        if self.is_torn {
            return Err(self.torn());
        }
        self.is_torn = true;
        Ok(())
    }

    /// Space for the part's next bytes: in shared memory if the server shares any and has some
    /// free, so that they are not copied again. Waits until that is known.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub async fn buffer(&mut self) -> Result<Buffer> {
        let memory = self.memory().await?;
        let slot = memory.and_then(|memory| memory.slot());
        Ok(Buffer::new(slot, self.sink.piece_bytes()))
    }

    /// Sends what is in the buffer as the part's next bytes. Waits while too many bytes of the
    /// stream are queued.
    ///
    /// # Errors
    /// As [`write`](Self::write); [`Error::Argument`] if the buffer is in memory of another call.
    pub async fn write_buffer(&mut self, buffer: Buffer) -> Result<()> {
        if buffer.is_empty() {
            return Ok(());
        }
        let slot = match buffer.into_space() {
            Space::Own { bytes, .. } => return self.write(bytes).await,
            Space::Shared(slot) => slot,
        };
        self.begin_write()?;
        let is_of_call = match self.memory().await? {
            Some(memory) if slot.is_of(&memory) => {
                self.push(Load::Slot(slot)).await?;
                true
            }
            _ => false,
        };
        self.is_torn = false;
        if is_of_call {
            Ok(())
        } else {
            // The part is as it was.
            Err(Error::Argument("the buffer is of another call".into()))
        }
    }

    /// The memory that the server shares, if any. Waits until that is known.
    async fn memory(&mut self) -> Result<Option<Arc<Region>>> {
        tokio::select! {
            biased;
            error = failed(&mut self.answer, &self.ledger) => Err(error),
            memory = self.sink.memory() => Ok(memory),
        }
    }

    async fn untaken(&mut self, untaken: Untaken) -> Error {
        match untaken {
            Untaken::CallIsOver => self.failed().await,
            #[cfg(feature = "embedded")]
            Untaken::Failed(error) => {
                // This fits any part.
                let _ = self.ledger.answer(self.number, Err(error));
                self.failed().await
            }
        }
    }

    /// Waits until the part can no longer get a digest: the server has answered it with an error,
    /// or the stream is over. Use it while waiting for a slow source.
    ///
    /// Cancel safe.
    pub async fn failed(&mut self) -> Error {
        failed(&mut self.answer, &self.ledger).await
    }

    /// Waits until a server has taken the call.
    ///
    /// # Errors
    /// As [`failed`](Self::failed).
    pub(crate) async fn accepted(&mut self) -> Result<()> {
        tokio::select! {
            biased;
            error = failed(&mut self.answer, &self.ledger) => Err(error),
            accepted = self.sink.accepted() => accepted,
        }
    }

    /// Sends the source's bytes to the end, except the last message, which also carries the part's
    /// end.
    pub(crate) async fn send(&mut self, source: &mut Source<'_>) -> Result<Carried> {
        let memory = self.memory().await?;
        let piece_bytes = self.sink.piece_bytes();
        loop {
            let (piece, is_last) = {
                let mut next = pin!(source.next(piece_bytes, memory.as_ref()));
                loop {
                    tokio::select! {
                        biased;
                        // Polled first, so that a source without data does not hide a lost
                        // connection.
                        error = failed(&mut self.answer, &self.ledger) => return Err(error),
                        piece = &mut next => break piece?,
                        () = self.sink.is_quiet() => self.write("").await?,
                    }
                }
            };
            let last = match piece {
                Piece::Bytes(mut piece) if is_last => {
                    let before = piece.len().saturating_sub(1) / piece_bytes * piece_bytes;
                    if before > 0 {
                        self.write(piece.split_to(before)).await?;
                    }
                    Load::Bytes(piece)
                }
                Piece::Bytes(piece) => {
                    self.write(piece).await?;
                    continue;
                }
                Piece::Slots(mut slots) => {
                    let last = if is_last { slots.pop() } else { None };
                    for slot in slots {
                        self.push(Load::Slot(slot)).await?;
                    }
                    if !is_last {
                        continue;
                    }
                    last.map_or(Load::Bytes(Bytes::new()), Load::Slot)
                }
            };
            return self.carry(last).await;
        }
    }

    /// Sends one message.
    async fn push(&mut self, load: Load) -> Result<()> {
        let carried = self.carry(load).await?;
        match self.sink.push(carried) {
            Ok(()) => Ok(()),
            Err(untaken) => Err(self.untaken(untaken).await),
        }
    }

    /// Waits until one message can be sent.
    async fn carry(&mut self, load: Load) -> Result<Carried> {
        let bytes = load.len() as u64;
        let carried = tokio::select! {
            biased;
            error = failed(&mut self.answer, &self.ledger) => return Err(error),
            carried = self.sink.carry(load) => carried,
        };
        match carried {
            Ok(carried) => {
                self.sent_bytes += bytes;
                Ok(carried)
            }
            Err(untaken) => Err(self.untaken(untaken).await),
        }
    }

    /// The answer of a part that cannot have one. Dropping the part abandons it.
    fn refused(self, error: Error) -> Answer<R> {
        Answer {
            ledger: Arc::clone(&self.ledger),
            pending: Pending::Failed(error),
        }
    }

    /// Ends the part.
    pub(crate) fn conclude(mut self, tail: Carried, expected: &[AlgorithmDigest]) -> Answer<R> {
        let pending = self.answer.take();
        let pending = pending.expect("only conclude and drop end a part");
        self.ledger.ended(self.number, expected, self.sent_bytes);
        self.sink.end(&self.ledger, tail, expected);
        Answer {
            ledger: Arc::clone(&self.ledger),
            pending,
        }
    }
}

async fn failed<R: Rpc>(answer: &mut Option<Pending<R>>, ledger: &Ledger<R>) -> Error {
    let error = match answer {
        None => return ledger.over(),
        Some(Pending::Failed(error)) => return error.clone(),
        Some(Pending::Receiver(receiver)) => match receiver.await {
            Err(_) => ledger.over(),
            Ok(Err(error)) => error,
            Ok(Ok(_)) => Error::Protocol("a part was answered before it ended"),
        },
    };
    *answer = Some(Pending::Failed(error.clone()));
    error
}

impl Part<Digesting> {
    /// Ends the part. The returned future has the digest; the part ends even if the future is not
    /// awaited.
    pub fn finish(self) -> Answer<Digesting> {
        if self.is_torn {
            let error = self.torn();
            return self.refused(error);
        }
        self.conclude(Carried::default(), &[])
    }
}

impl Part<Verifying> {
    /// Ends the part and sends its expected digests: each of an algorithm in the part's options,
    /// each at most once. The returned future has the verdict.
    pub fn finish(self, expected: &[AlgorithmDigest]) -> Answer<Verifying> {
        if self.is_torn {
            let error = self.torn();
            return self.refused(error);
        }
        if let Err(error) = self.ledger.may_expect(self.number, expected) {
            return self.refused(error);
        }
        self.conclude(Carried::default(), expected)
    }
}

impl<R: Rpc> Drop for Part<R> {
    fn drop(&mut self) {
        if self.answer.is_some() {
            self.ledger.ended(self.number, &[], self.sent_bytes);
            self.sink.abandon(&self.ledger);
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
        Poll::Ready(answer.unwrap_or_else(|_| Err(self.ledger.over())))
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hashlane_proto::v1::DigestRequest;
    use tokio::time::Instant;
    use tokio_stream::StreamExt as _;

    use super::*;
    use crate::outgoing::{Line, Messages};
    use crate::settings::{Retries, Settings};
    use crate::wire_messages::PartOptions;

    const SETTINGS: Settings = Settings {
        message_bytes: 10,
        buffer_bytes: 100,
        parts_max: 1,
        stall_timeout: Duration::from_secs(60),
        call_timeout: Duration::from_secs(60),
        retries: Retries {
            tries_max: 1,
            time: Duration::ZERO,
        },
    };

    #[tokio::test(start_paused = true)]
    async fn a_part_is_kept_alive_while_its_source_pauses() {
        let ledger = Arc::<Ledger<Digesting>>::default();
        let (line, mut outgoing) = Line::new(&ledger, SETTINGS);
        let _ = line.memory.set(None);
        let options = PartOptions::default();
        let slot = Arc::new(tokio::sync::Semaphore::new(1));
        let slot = slot.try_acquire_owned().unwrap();
        let (sender, receiver) = oneshot::channel();
        let number = ledger.begin(&options, slot, sender).ok().unwrap();
        let sink = Sink::Server(Messages::new(&line, number, &options));
        let mut part = Part::new(Arc::clone(&ledger), number, sink, receiver);

        let (mut writer, reader) = tokio::io::duplex(100);
        let mut source = Source::reader(reader);
        let sends = part.send(&mut source);
        let receives = async {
            let mut next = async || -> DigestRequest { outgoing.next().await.unwrap() };
            // Before the first byte, and after it.
            for data in ["", "abc"] {
                tokio::io::AsyncWriteExt::write_all(&mut writer, data.as_bytes())
                    .await
                    .unwrap();
                if !data.is_empty() {
                    assert_eq!(next().await.data, data);
                }
                let progress = ledger.progress();
                for number in 0..5 {
                    let since = Instant::now();
                    assert_eq!(next().await.data.len(), 0);
                    let pause = since.elapsed();
                    assert!(pause <= Duration::from_secs(16), "{number}: {pause:?}");
                    assert!(pause >= Duration::from_secs(13), "{number}: {pause:?}");
                }
                // They tell nothing of what the server does.
                assert!(ledger.progress() <= progress + u64::from(data.is_empty()));
            }
            drop(writer);
        };
        let ended = async { tokio::join!(sends, receives).0.map(drop) };
        let ended = tokio::time::timeout(Duration::from_secs(1000), ended).await;
        ended.expect("nothing is sent").unwrap();
    }
}
