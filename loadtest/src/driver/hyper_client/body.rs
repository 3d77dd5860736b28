//! The request body: encoded messages, passed without a copy when the transport polls.
//!
//! Data in shared memory counts as sent when the server has read it (shared_memory.rs).
//!
//! Another message counts as sent when the transport drops it, which it does after writing it to the
//! socket. Counting when the transport *takes* a message would be wrong with many streams: it holds
//! a message of every stream that waits for flow control, at 10,000 streams most of a GB.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::stream::{BoxStream, Stream, StreamExt as _};
use http_body::{Body, Frame};
use http_body_util::StreamBody;
use tokio::sync::mpsc;
use tonic::{Status, Streaming};

use crate::driver::answer::Answer;
use crate::driver::shared_memory::Unread;
use crate::driver::state::Shared;
use crate::load::payload::PreparedPart;

/// A part to send.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) part: Arc<PreparedPart>,
    /// Its number on a call with many parts at once.
    pub(super) number: Option<u64>,
    /// Counts its messages for its stream, which may share the call with others.
    pub(super) sent: Sent,
    /// When the transport took its first message.
    pub(super) taken: Arc<OnceLock<Instant>>,
}

impl Outgoing {
    pub(super) fn new(part: Arc<PreparedPart>, number: Option<u64>, sent: &Sent) -> Self {
        Self {
            part,
            number,
            sent: sent.clone(),
            taken: Arc::default(),
        }
    }
}

/// The messages of the open parts in turn, and of the parts from `more`.
///
/// Each frame of the body is one gRPC message, so it is one HTTP/2 DATA frame if the server's
/// settings allow that size.
#[derive(Debug)]
pub(super) struct RequestBody {
    /// Parts, and the index of their next message.
    open: VecDeque<(Outgoing, usize)>,
    more: Option<mpsc::UnboundedReceiver<Outgoing>>,
    unread: Arc<Unread>,
    pace: Option<Pace>,
}

impl RequestBody {
    pub(super) fn new(
        part: Option<Outgoing>,
        more: Option<mpsc::UnboundedReceiver<Outgoing>>,
        bandwidth: Option<u64>,
        unread: Arc<Unread>,
    ) -> Self {
        Self {
            open: part.into_iter().map(|part| (part, 0)).collect(),
            more,
            unread,
            pace: bandwidth.map(Pace::new),
        }
    }
}

/// Holds a call to a bandwidth: a message waits until those before had their time.
#[derive(Debug)]
struct Pace {
    bytes_per_s: f64,
    next: tokio::time::Instant,
    sleep: Pin<Box<tokio::time::Sleep>>,
}

impl Pace {
    fn new(bytes_per_s: u64) -> Self {
        let now = tokio::time::Instant::now();
        Self {
            bytes_per_s: bytes_per_s as f64,
            next: now,
            sleep: Box::pin(tokio::time::sleep_until(now)),
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if tokio::time::Instant::now() >= self.next {
            return Poll::Ready(());
        }
        self.sleep.as_mut().reset(self.next);
        self.sleep.as_mut().poll(cx)
    }

    fn sent(&mut self, bytes: u64) {
        let time = Duration::from_secs_f64(bytes as f64 / self.bytes_per_s);
        self.next = self.next.max(tokio::time::Instant::now()) + time;
    }
}

/// Counts messages of a stream that were written to the socket.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    shared: Arc<Shared>,
    thread: usize,
    /// Whether the stream already counts as sending.
    stream: Arc<AtomicBool>,
}

impl Sent {
    pub(super) fn new(shared: &Arc<Shared>, thread: usize) -> Self {
        Self {
            shared: Arc::clone(shared),
            thread,
            stream: Arc::default(),
        }
    }

    /// Bytes per second of the stream's calls.
    pub(super) fn bandwidth(&self) -> Option<u64> {
        self.shared.plan.bandwidth
    }

    fn message(&self, bytes: u64) {
        // Load before the swap, so that the cache line stays shared.
        let is_first =
            !self.stream.load(Ordering::Relaxed) && !self.stream.swap(true, Ordering::Relaxed);
        self.shared.sent(self.thread, bytes, is_first);
    }

    /// The next answer of a call, if there is one. Counts what the server has read meanwhile.
    pub(super) async fn next_answer<A: Answer>(
        &self,
        answers: &mut Streaming<A>,
        unread: &Unread,
    ) -> Result<Option<A>, Status> {
        while let Some(answer) = answers.message().await? {
            let (ranges_read, is_answer) = answer.memory_read();
            let bytes = unread.read(ranges_read).map_err(Status::internal)?;
            if bytes > 0 {
                self.message(bytes);
                self.shared.read_memory(self.thread, bytes);
            }
            if is_answer {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }
}

/// A message held by the transport.
struct InTransport {
    message: Bytes,
    data_bytes: u64,
    sent: Sent,
}

impl AsRef<[u8]> for InTransport {
    fn as_ref(&self) -> &[u8] {
        &self.message
    }
}

impl Drop for InTransport {
    fn drop(&mut self) {
        self.sent.message(self.data_bytes);
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        while let Some(more) = &mut this.more
            && let Poll::Ready(next) = more.poll_recv(cx)
        {
            match next {
                Some(part) => this.open.push_back((part, 0)),
                None => this.more = None,
            }
        }
        if this.open.is_empty() {
            return match this.more {
                // Its waker is registered.
                Some(_) => Poll::Pending,
                None => Poll::Ready(None),
            };
        }
        ready!(this.unread.poll_ready(cx));
        if let Some(pace) = &mut this.pace {
            ready!(pace.poll(cx));
        }
        let Some((outgoing, index)) = this.open.pop_front() else {
            return Poll::Ready(None);
        };
        let part = &outgoing.part;
        outgoing.taken.get_or_init(Instant::now);
        let data_bytes = part.message_bytes(index);
        let mut message = match outgoing.number {
            None => part.message(index),
            Some(number) => part.numbered_message(index, number),
        };
        if part.is_in_memory(index) {
            this.unread.named(data_bytes);
        } else {
            message = Bytes::from_owner(InTransport {
                message,
                data_bytes,
                sent: outgoing.sent.clone(),
            });
        }
        if let Some(pace) = &mut this.pace {
            pace.sent(data_bytes);
        }
        if index + 1 < part.messages() {
            this.open.push_back((outgoing, index + 1));
        }
        Poll::Ready(Some(Ok(Frame::data(message))))
    }

    // Lets the last message carry END_STREAM. There is no size hint, because it would become a
    // content-length, which gRPC clients do not send.
    fn is_end_stream(&self) -> bool {
        self.open.is_empty() && self.more.is_none()
    }
}

/// A body of what a stream yields, for clients that are not measured.
pub(crate) type Streamed = StreamBody<BoxStream<'static, Result<Frame<Bytes>, Infallible>>>;

/// A body of `data`.
pub(crate) fn streamed(data: impl Stream<Item = Bytes> + Send + 'static) -> Streamed {
    StreamBody::new(data.map(|data| Ok(Frame::data(data))).boxed())
}
