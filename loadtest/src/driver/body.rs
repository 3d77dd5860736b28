//! The request body: encoded messages, passed without a copy when the transport polls.
//!
//! A message counts as sent when the transport drops it, which it does after writing it to the
//! socket. Counting when the transport *takes* a message would be wrong with many streams: it holds
//! a message of every stream that waits for flow control, at 10,000 streams most of a GB.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::stream::{BoxStream, Stream, StreamExt as _};
use http_body::{Body, Frame};
use http_body_util::StreamBody;
use tokio::sync::mpsc;

use super::shared::Shared;
use crate::payload::Part;

/// The messages of one part, then of the parts from `more`.
///
/// Each frame of the body is one gRPC message, so it is one HTTP/2 DATA frame if the server's
/// settings allow that size.
#[derive(Debug)]
pub(super) struct RequestBody {
    part: Option<(Arc<Part>, usize)>,
    more: Option<mpsc::Receiver<Arc<Part>>>,
    sent: Sent,
}

impl RequestBody {
    pub(super) fn new(
        part: Arc<Part>,
        more: Option<mpsc::Receiver<Arc<Part>>>,
        sent: Sent,
    ) -> Self {
        Self {
            part: Some((part, 0)),
            more,
            sent,
        }
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

    fn message(&self, bytes: u64) {
        // Load before the swap, so that the cache line stays shared.
        let is_first =
            !self.stream.load(Ordering::Relaxed) && !self.stream.swap(true, Ordering::Relaxed);
        self.shared.sent(self.thread, bytes, is_first);
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
        loop {
            if let Some((part, next)) = &mut this.part {
                let index = *next;
                let message = Bytes::from_owner(InTransport {
                    message: part.message(index),
                    data_bytes: part.message_bytes(index),
                    sent: this.sent.clone(),
                });
                *next += 1;
                if *next == part.messages() {
                    this.part = None;
                }
                return Poll::Ready(Some(Ok(Frame::data(message))));
            }
            let Some(more) = &mut this.more else {
                return Poll::Ready(None);
            };
            match ready!(more.poll_recv(cx)) {
                Some(part) => this.part = Some((part, 0)),
                None => this.more = None,
            }
        }
    }

    // Lets the last message carry END_STREAM. There is no size hint, because it would become a
    // content-length, which gRPC clients do not send.
    fn is_end_stream(&self) -> bool {
        self.part.is_none() && self.more.is_none()
    }
}

/// A body of what a stream yields, for clients that are not measured.
pub(crate) type Streamed = StreamBody<BoxStream<'static, Result<Frame<Bytes>, Infallible>>>;

/// A body of `data`.
pub(crate) fn streamed(data: impl Stream<Item = Bytes> + Send + 'static) -> Streamed {
    StreamBody::new(data.map(|data| Ok(Frame::data(data))).boxed())
}
