//! Messages on their way to a server: a call's bounded queue, and one part's messages.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SetOnce, mpsc};
use tokio_stream::Stream;

use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};
use crate::settings::Settings;
use crate::shared_memory::{Region, SLOT_BYTES, SLOT_USED_BYTES_MIN, Slot};
use crate::waiting_parts::Ledger;
use crate::wire_messages::{Frame, PartOptions, Rpc};

/// While a source gives nothing, a message without bytes is sent after this time, again and again. A
/// server ends streams without messages after its `part_idle_timeout`, a minute by default.
pub(crate) const KEEP_ALIVE_AFTER: Duration = Duration::from_secs(15);

/// The queue of one call.
pub(crate) struct Line {
    queue: mpsc::UnboundedSender<Queued>,
    /// Bytes that may still be queued.
    pub(crate) budget: Arc<Semaphore>,
    pub(crate) settings: Settings,
    /// Set once a server has taken the call.
    pub(crate) accepted: SetOnce<()>,
    /// The memory that the call may use, once that is known.
    pub(crate) memory: SetOnce<Option<Arc<Region>>>,
    unread: Mutex<Unread>,
}

/// Slots that were sent.
#[derive(Default)]
struct Unread {
    /// Those that the server has not read, with the permits of their bytes.
    slots: VecDeque<(Slot, Option<OwnedSemaphorePermit>)>,
    /// How many the server has read.
    read: u64,
}

/// The stream of request messages that the transport takes.
pub(crate) struct Outgoing<R: Rpc> {
    ledger: Arc<Ledger<R>>,
    /// It holds a sender, so the queue is never closed.
    line: Arc<Line>,
    queue: mpsc::UnboundedReceiver<Queued>,
}

enum Queued {
    /// A message, with the permits of its bytes.
    Frame(Frame, Option<OwnedSemaphorePermit>),
    HalfClose,
}

/// The call is over, so nothing can be queued.
#[derive(Debug)]
pub(crate) struct Closed;

impl Line {
    /// The queue of a call, and its messages.
    pub(crate) fn new<R: Rpc>(
        ledger: &Arc<Ledger<R>>,
        settings: Settings,
    ) -> (Arc<Self>, Outgoing<R>) {
        let (sender, queue) = mpsc::unbounded_channel();
        let line = Arc::new(Self {
            queue: sender,
            budget: Arc::new(Semaphore::new(settings.buffer_bytes)),
            settings,
            accepted: SetOnce::new(),
            memory: SetOnce::new(),
            unread: Mutex::default(),
        });
        let outgoing = Outgoing {
            ledger: Arc::clone(ledger),
            line: Arc::clone(&line),
            queue,
        };
        (line, outgoing)
    }

    fn send(&self, queued: Queued) -> Result<(), Closed> {
        self.queue.send(queued).map_err(|_| Closed)
    }

    /// No message follows.
    pub(crate) fn half_close(&self) {
        // This fails if the call is over; the driver then reports why.
        let _ = self.send(Queued::HalfClose);
    }

    fn unread(&self) -> MutexGuard<'_, Unread> {
        // No code panics under the lock.
        self.unread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server has read so many slots since the call began: they are free again.
    ///
    /// # Errors
    /// It has read more than were sent.
    pub(crate) fn read(&self, slots: u64) -> Result<()> {
        let mut unread = self.unread();
        let more = slots.saturating_sub(unread.read);
        let more = usize::try_from(more).unwrap_or(usize::MAX);
        if more > unread.slots.len() {
            return Err(Error::Protocol("more memory was read than was sent"));
        }
        unread.read += more as u64;
        let read: Vec<_> = unread.slots.drain(..more).collect();
        drop(unread);
        drop(read);
        Ok(())
    }

    /// The call is over. The server may still read slots, for digests that nobody gets.
    pub(crate) fn end(&self) {
        self.budget.close();
        let slots = std::mem::take(&mut self.unread().slots);
        drop(slots);
    }

    /// Whether bytes wait for the transport, or for the server to read them.
    pub(crate) fn has_bytes(&self) -> bool {
        self.budget.available_permits() < self.settings.buffer_bytes
    }
}

/// The messages of one part.
pub(crate) struct Messages {
    line: Arc<Line>,
    number: u64,
    /// Sent with the part's first message.
    open: Option<PartOptions>,
    /// Whether a message of the part was sent.
    started: bool,
}

/// The bytes of one message.
pub(crate) enum Load {
    Bytes(Bytes),
    /// In shared memory.
    Slot(Slot),
}

impl Load {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Slot(slot) => slot.len(),
        }
    }
}

/// The same once they may be queued.
#[derive(Default)]
pub(crate) struct Carried {
    data: Bytes,
    slot: Option<Slot>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Messages {
    pub(crate) fn new(line: &Arc<Line>, number: u64, options: &PartOptions) -> Self {
        Self {
            line: Arc::clone(line),
            number,
            open: Some(options.clone()),
            started: false,
        }
    }

    /// The maximum bytes of a message. Once the memory is known, what a slot holds.
    pub(crate) fn message_bytes(&self) -> usize {
        let message_bytes = self.line.settings.message_bytes;
        match self.line.memory.get() {
            Some(Some(_)) => message_bytes.min(SLOT_BYTES),
            _ => message_bytes,
        }
    }

    /// The memory that the call may use. Waits until that is known.
    pub(crate) async fn memory(&self) -> Option<Arc<Region>> {
        self.line.memory.wait().await.clone()
    }

    fn frame(&mut self) -> Frame {
        self.started = true;
        Frame {
            part: self.number,
            open: self.open.take(),
            ..Frame::default()
        }
    }

    /// Waits until a message may be queued.
    async fn permit(&self, message_bytes: usize) -> Result<OwnedSemaphorePermit, Closed> {
        // A message is at most MESSAGE_BYTES_MAX long. A slot may be longer than the budget. An empty
        // message takes a permit, so that the queue has a bound.
        let permits = message_bytes.min(self.line.settings.buffer_bytes).max(1);
        let permits = u32::try_from(permits).unwrap_or(u32::MAX);
        let budget = Arc::clone(&self.line.budget);
        let permit = budget.acquire_many_owned(permits).await;
        permit.map_err(|_| Closed)
    }

    /// Waits until these bytes may be queued.
    pub(crate) async fn carry(&self, load: Load) -> Result<Carried, Closed> {
        let permit = Some(self.permit(load.len()).await?);
        let (data, slot) = match load {
            Load::Bytes(data) => {
                let slot = match self.memory().await {
                    // A longer message does not fit into a slot.
                    Some(memory) if (SLOT_USED_BYTES_MIN..=SLOT_BYTES).contains(&data.len()) => {
                        memory.slot_to_send(&data).await
                    }
                    _ => None,
                };
                (if slot.is_some() { Bytes::new() } else { data }, slot)
            }
            Load::Slot(mut slot) => {
                slot.may_be_sent().await;
                (Bytes::new(), Some(slot))
            }
        };
        Ok(Carried { data, slot, permit })
    }

    /// Queues one message.
    pub(crate) fn push(&mut self, carried: Carried) -> Result<(), Closed> {
        let Carried { data, slot, permit } = carried;
        let frame = Frame {
            data,
            slot,
            ..self.frame()
        };
        self.line.send(Queued::Frame(frame, permit))
    }

    /// Waits until a server has taken the call.
    ///
    /// # Errors
    /// [`Error::Stalled`]
    pub(crate) async fn accepted(&self) -> Result<()> {
        let timeout = self.line.settings.stall_timeout;
        let accepted = tokio::time::timeout(timeout, self.line.accepted.wait()).await;
        accepted.map(drop).map_err(|_| Error::Stalled(timeout))
    }

    /// Queues the last message.
    pub(crate) fn end<R: Rpc>(
        &mut self,
        ledger: &Ledger<R>,
        tail: Carried,
        expected: &[AlgorithmDigest],
    ) {
        let frame = Frame {
            last: true,
            expected: expected.to_vec(),
            data: tail.data,
            slot: tail.slot,
            ..self.frame()
        };
        // This fails only if the stream is over, which the answer reports.
        let _ = self.line.send(Queued::Frame(frame, tail.permit));
        if ledger.finished() {
            self.line.half_close();
        }
    }

    /// Ends a part of which no answer is wanted.
    pub(crate) fn abandon<R: Rpc>(&mut self, ledger: &Ledger<R>) {
        if self.started {
            self.end(ledger, Carried::default(), &[]);
        } else if ledger.forget(self.number) {
            self.line.half_close();
        }
    }
}

impl<R: Rpc> Stream for Outgoing<R> {
    type Item = R::Request;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match ready!(self.queue.poll_recv(context)) {
            Some(Queued::Frame(mut frame, permit)) => {
                if !frame.is_keep_alive() {
                    self.ledger.progressed();
                }
                let request = R::request(&frame);
                if let Some(slot) = frame.slot.take() {
                    self.line.unread().slots.push_back((slot, permit));
                }
                Poll::Ready(Some(request))
            }
            Some(Queued::HalfClose) => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}
