//! One request and its response, as a call sees HTTP/2.
//!
//! ```text
//! Receive ── Received::Data(bytes, WindowPermit) ─> the call (flow.rs)
//!         ── End, Gone
//! Respond <─ headers, data as far as the client's window goes, trailers, reset
//! ```

use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf as _, Bytes};
use hashlane_http2::Code;
use http::{HeaderMap, HeaderName, HeaderValue, Response, header};

use super::body::{Body, Received};
use super::flow::StreamFlow;
use super::link::{Link, UNSENT_BYTES_MAX};
use crate::client::Client;
use crate::limits::unread::Waiting;
use crate::status;

/// A request's body.
#[derive(Debug)]
pub(crate) struct Receive {
    body: Rc<Body>,
    link: Rc<Link>,
}

impl Receive {
    pub(super) fn new(body: &Rc<Body>, link: &Rc<Link>) -> Self {
        Self {
            body: Rc::clone(body),
            link: Rc::clone(link),
        }
    }

    /// The connection.
    pub(crate) fn link(&self) -> &Rc<Link> {
        &self.link
    }

    /// From now on the rate of `client` holds back the stream's window.
    pub(crate) fn pace(&self, client: &Arc<Client>) {
        self.body.flow().set_client(client);
    }

    /// The stream's window.
    pub(crate) fn flow(&self) -> &Rc<StreamFlow> {
        self.body.flow()
    }

    /// The next piece of the body. Also releases the window of bytes that the client's rate has
    /// paid.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Received> {
        if self.link.is_gone() {
            return Poll::Ready(Received::Gone);
        }
        self.body.poll(cx)
    }

    /// Whether some of the body has arrived and was not taken.
    pub(crate) fn has_data(&self) -> bool {
        self.body.has_data()
    }

    /// Tells the client to send the body, unless some of it has arrived. hyper does so for HTTP/1.1.
    pub(crate) fn send_continue(&self) {
        if !self.body.has_ended() && !self.body.has_data() {
            self.link
                .protocol
                .borrow_mut()
                .send_continue(self.body.id());
        }
    }

    /// Drops what has arrived of the body, and what will.
    pub(crate) fn discard(&self) {
        self.body.leave_unread();
    }

    /// Whether the body has already ended.
    pub(crate) fn is_end(&self) -> bool {
        self.body.is_end()
    }
}

impl Drop for Receive {
    fn drop(&mut self) {
        self.discard();
    }
}

/// The stream is reset or the connection is gone: the client receives nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client is gone")]
pub(crate) struct Gone;

/// How much of a response was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    Nothing,
    Headers,
    All,
}

/// The response to a request. A drop before its end resets the stream.
#[derive(Debug)]
pub(crate) struct Respond {
    body: Rc<Body>,
    link: Rc<Link>,
    sent: Sent,
    /// A header to add to the end of the response.
    last: Option<(HeaderName, HeaderValue)>,
}

impl Respond {
    pub(super) fn new(body: &Rc<Body>, link: &Rc<Link>) -> Self {
        Self {
            body: Rc::clone(body),
            link: Rc::clone(link),
            sent: Sent::Nothing,
            last: None,
        }
    }

    /// Adds this header to the end of the response, whatever the end is.
    pub(crate) fn end_with(&mut self, name: HeaderName, value: HeaderValue) {
        self.last = Some((name, value));
    }

    /// A counter of waiting answers, zero at first.
    pub(crate) fn waiting(&self) -> Waiting {
        Waiting::new(&self.link.holding)
    }

    /// Whether the connection is gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.link.is_gone()
    }

    /// Earns the credit for a part's answer. The end of the response earns its own.
    pub(crate) fn answered(&self) {
        self.link.answered();
    }

    /// Sends the headers. With `end`, nothing follows.
    ///
    /// # Errors
    /// The stream is gone.
    pub(crate) fn headers(&mut self, mut response: Response<()>, end: bool) -> Result<(), Gone> {
        if self.sent != Sent::Nothing {
            return Ok(());
        }
        if end {
            response.headers_mut().extend(self.last.take());
        }
        let (status, headers) = (response.status(), response.headers());
        let mut protocol = self.link.protocol.borrow_mut();
        if !protocol.send_headers(self.body.id(), status, headers, end) {
            return Err(Gone);
        }
        self.sent = if end { Sent::All } else { Sent::Headers };
        if end {
            self.answered();
        }
        Ok(())
    }

    /// Sends the headers of a gRPC response.
    ///
    /// # Errors
    /// The stream is gone.
    pub(crate) fn grpc_headers(&mut self) -> Result<(), Gone> {
        let mut response = Response::new(());
        let grpc = HeaderValue::from_static("application/grpc");
        response.headers_mut().insert(header::CONTENT_TYPE, grpc);
        self.headers(response, false)
    }

    /// Sends as much of `bytes` as the client's windows and the socket take, and leaves the rest.
    /// Ready when it sent something.
    ///
    /// # Errors
    /// The stream is gone.
    pub(crate) fn poll_data(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &mut Bytes,
    ) -> Poll<Result<(), Gone>> {
        let mut protocol = self.link.protocol.borrow_mut();
        let room = protocol
            .send_room(self.body.id())
            .filter(|_| self.sent == Sent::Headers);
        let Some(room) = room else {
            return Poll::Ready(Err(Gone));
        };
        let unsent_bytes = protocol.output_bytes();
        let room = room
            .min(UNSENT_BYTES_MAX.saturating_sub(unsent_bytes))
            .min(bytes.len());
        if room == 0 {
            self.body.wait_to_send(cx);
            self.link.block(&self.body);
            return Poll::Pending;
        }
        protocol.send_data(self.body.id(), &bytes[..room]);
        self.body.note_sent();
        bytes.advance(room);
        Poll::Ready(Ok(()))
    }

    /// Ends a response that has no trailers.
    pub(crate) fn finish(&mut self) {
        if self.sent == Sent::Headers {
            self.link.protocol.borrow_mut().send_end(self.body.id());
            self.answered();
        }
        self.sent = Sent::All;
    }

    /// Sends the trailers, which end the response.
    pub(crate) fn trailers(&mut self, mut trailers: HeaderMap) {
        trailers.extend(self.last.take());
        let mut protocol = self.link.protocol.borrow_mut();
        // If the stream is gone there is no client to tell.
        if self.sent == Sent::Headers && protocol.send_trailers(self.body.id(), &trailers) {
            self.answered();
        }
        self.sent = Sent::All;
    }

    /// Ends the response with a status, whatever was sent before.
    pub(crate) fn end(&mut self, status: &tonic::Status) {
        match self.sent {
            // A failure means that the client is gone.
            Sent::Nothing => drop(self.headers(status.clone().into_http(), true)),
            Sent::Headers => self.trailers(status::trailers(status)),
            Sent::All => {}
        }
    }

    /// Resets the stream: nothing was done for it, so the client may retry (RFC 9113 section 8.7).
    pub(crate) fn refuse_stream(&mut self) {
        self.reset_for(Code::REFUSED_STREAM);
    }

    /// Resets the stream because the response cannot be completed.
    pub(crate) fn reset(&mut self) {
        self.reset_for(Code::CANCEL);
    }

    fn reset_for(&mut self, code: Code) {
        self.link.protocol.borrow_mut().reset(self.body.id(), code);
        self.sent = Sent::All;
        self.answered();
    }

    /// Ready when the client has reset the stream or is gone.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.link.is_gone() {
            return Poll::Ready(());
        }
        self.body.poll_reset(cx)
    }
}

impl Drop for Respond {
    fn drop(&mut self) {
        self.link.forget(&self.body);
        self.link.protocol.borrow_mut().abandon(self.body.id());
    }
}
