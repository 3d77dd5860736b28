//! The body of a request: gathered into its message, or read by tonic.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame};
use send_wrapper::SendWrapper;
use tonic::Status;

use crate::call::Life;
use crate::decode::{PREFIX_BYTES, WireError, parse_prefix};
use crate::http2::{Receive, Received};
use crate::limiter::Permit;
use crate::status;

/// Maximum message of the other services: names of services and symbols.
pub(super) const SMALL_MESSAGE_BYTES_MAX: usize = 16 * 1024;

/// Collects the message of a request. Its handler sees only a complete message.
pub(super) struct Gathering {
    /// `None` once the call has ended. tonic's reflection reads in a separate task, which outlives
    /// the call.
    receive: Option<(Receive, Rc<Life>)>,
    /// `None` for messages of other services, which are bounded one by one: probes are answered
    /// regardless of the service's load.
    permit: Option<Rc<RefCell<Permit>>>,
    message_bytes_max: usize,
    /// Bytes received, and the prefix as far as received.
    received_bytes: usize,
    prefix: [u8; PREFIX_BYTES],
    /// Bytes charged to the permit.
    charged_bytes: usize,
    /// The waker of its read.
    reading: Option<Waker>,
}

impl Gathering {
    pub(super) fn new(
        receive: Receive,
        life: Rc<Life>,
        permit: Option<Rc<RefCell<Permit>>>,
        message_bytes_max: usize,
    ) -> Self {
        Self {
            receive: Some((receive, life)),
            permit,
            message_bytes_max,
            received_bytes: 0,
            prefix: [0; PREFIX_BYTES],
            charged_bytes: 0,
            reading: None,
        }
    }

    /// The call has ended: frees what has arrived, and wakes who reads it.
    pub(super) fn end(&mut self) {
        self.receive = None;
        if let Some(reading) = self.reading.take() {
            reading.wake();
        }
    }

    /// The length of the message, once received.
    fn length(&self) -> Option<Result<usize, WireError>> {
        (self.received_bytes >= PREFIX_BYTES)
            .then(|| parse_prefix(self.prefix, self.message_bytes_max))
    }

    /// The single message of the request.
    pub(super) async fn message(&mut self) -> Result<Bytes, Status> {
        let mut body = BytesMut::new();
        while let Some(frame) = poll_fn(|cx| self.poll_frame(cx)).await {
            body.extend_from_slice(&frame?);
            let Some(length) = self.length() else {
                continue;
            };
            let length = length.map_err(|error| status::from_wire(&error))?;
            let missing = (PREFIX_BYTES + length).checked_sub(body.len());
            let more = || status::malformed("more than one message");
            body.reserve(missing.ok_or_else(more)?);
        }
        match self.length() {
            Some(Ok(length)) if body.len() == PREFIX_BYTES + length => {
                Ok(body.freeze().slice(PREFIX_BYTES..))
            }
            _ => Err(status::malformed("the call ended before its message did")),
        }
    }

    /// Counts a frame. As soon as the message's length is known, all of it is charged, because its
    /// memory is then allocated. A unary call cannot wait for room, because the calls that hold the
    /// room may wait too.
    fn count(&mut self, bytes: &[u8]) -> Result<(), Status> {
        let missing = PREFIX_BYTES
            .saturating_sub(self.received_bytes)
            .min(bytes.len());
        self.prefix[self.received_bytes.min(PREFIX_BYTES)..][..missing]
            .copy_from_slice(&bytes[..missing]);
        self.received_bytes += bytes.len();
        let mut wanted = self.received_bytes;
        // A message that is refused for its prefix gets its own error.
        if let Some(Ok(length)) = self.length() {
            wanted = wanted.max(length + PREFIX_BYTES);
        }
        let more = wanted.saturating_sub(self.charged_bytes);
        self.charged_bytes += more;
        match &self.permit {
            Some(permit) if !permit.borrow_mut().grow(more) => {
                Err(status::no_unary_bytes(permit.borrow().budget(), more))
            }
            _ => Ok(()),
        }
    }

    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Status>>> {
        self.reading = Some(cx.waker().clone());
        let Some((receive, life)) = &mut self.receive else {
            return Poll::Ready(Some(Err(status::body_gone())));
        };
        let received = receive.poll(cx);
        life.set_reading(received.is_pending());
        if matches!(received, Poll::Ready(Received::Data(..))) {
            life.hear();
        }
        received.map(|received| match received {
            Received::Data(bytes, _window) => Some(self.count(&bytes).map(|()| bytes)),
            Received::End => None,
            Received::Gone => Some(Err(status::body_gone())),
        })
    }
}

/// A request body for tonic.
pub(super) struct RequestBody(SendWrapper<Rc<RefCell<Gathering>>>);

impl RequestBody {
    pub(super) fn new(gathering: Rc<RefCell<Gathering>>) -> Self {
        Self(SendWrapper::new(gathering))
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let polled = self.0.borrow_mut().poll_frame(cx);
        polled.map(|frame| frame.map(|frame| frame.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        let receive = &self.0.borrow().receive;
        receive.as_ref().is_none_or(|(receive, _)| receive.is_end())
    }
}
