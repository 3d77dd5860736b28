//! The request body: messages that are already encoded, handed on without a
//! copy as the transport asks for them.
//!
//! A message counts as sent when the transport lets go of it, which it does when
//! the message has gone to the socket. Counting what the transport *takes* would
//! be wrong where streams are many: it holds a message of every stream that
//! waits for flow control, which at 10,000 streams is most of a GB.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::sync::mpsc;

use super::calls::Sent;
use crate::payload::Part;

/// The messages of one part, then those of the parts that `more` brings.
///
/// Each frame of the body is one gRPC message, so it travels in one HTTP/2 DATA
/// frame where the server's settings allow that size.
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

/// A message on its way to the socket.
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

    // Lets the last message carry END_STREAM. There is no size hint: it would become a content-length, which gRPC
    // clients do not send.
    fn is_end_stream(&self) -> bool {
        self.part.is_none() && self.more.is_none()
    }
}
