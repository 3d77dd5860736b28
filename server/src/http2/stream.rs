//! One request and its response: what a call sees of HTTP/2.
//!
//! ```text
//! Receive ── Received::Data(bytes, WindowPermit) ─> the call (flow.rs)
//!         ── End, Gone
//! Respond <─ headers, data as far as the client's window goes, trailers, reset
//! ```

use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use http::{HeaderMap, HeaderName, HeaderValue, Response};

use super::flow::{Flow, StreamFlow, WindowPermit};
use super::intake::Intake;
use super::unsent::{Recipient, Unsent, Waiting};
use crate::client::Client;
use crate::status;

/// What came of a request's body.
#[derive(Debug)]
pub(crate) enum Received {
    /// A frame's bytes.
    Data(Bytes, WindowPermit),
    /// The half-close: END_STREAM, nothing else.
    End,
    /// The client reset the stream, or is gone.
    Gone,
}

/// A request's body.
#[derive(Debug)]
pub(crate) struct Receive {
    stream: RecvStream,
    flow: Rc<StreamFlow>,
    /// The connection.
    intake: Rc<Intake>,
}

impl Receive {
    pub(super) fn new(mut stream: RecvStream, intake: &Rc<Intake>, flow: &Rc<Flow>) -> Self {
        Self {
            flow: StreamFlow::new(stream.flow_control().clone(), flow),
            stream,
            intake: Rc::clone(intake),
        }
    }

    /// The connection.
    pub(crate) fn intake(&self) -> &Rc<Intake> {
        &self.intake
    }

    /// From now on the rate of `client` holds the stream's window back.
    pub(crate) fn pace(&self, client: &Arc<Client>) {
        self.flow.set_client(client);
    }

    /// The stream's window.
    pub(crate) fn flow(&self) -> &Rc<StreamFlow> {
        &self.flow
    }

    /// The next of the body. Releases the window of bytes that the client's rate has paid.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Received> {
        if self.intake.is_gone() {
            return Poll::Ready(Received::Gone);
        }
        // Owed bytes hold the stream's window back, not what has arrived.
        let _ = self.flow.poll_paid(cx);
        match ready!(self.stream.poll_data(cx)) {
            Some(Ok(bytes)) => {
                let permit = self.flow.receive(bytes.len());
                return Poll::Ready(Received::Data(bytes, permit));
            }
            Some(Err(_)) => return Poll::Ready(Received::Gone),
            None => {}
        }
        // Trailers of a request mean nothing in gRPC, but they end it.
        let trailers = ready!(self.stream.poll_trailers(cx));
        // h2 ends the body without an error after a reset with NO_ERROR too.
        let ended = trailers.is_ok() && self.stream.is_end_stream();
        Poll::Ready(if ended { Received::End } else { Received::Gone })
    }

    /// Whether the body has ended already.
    pub(crate) fn is_end(&self) -> bool {
        self.stream.is_end_stream()
    }
}

/// The stream is reset, or the connection gone: nothing reaches the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

/// A response, first to last.
#[derive(Debug)]
enum SendState {
    Headers(SendResponse<Unsent>),
    Body(SendStream<Unsent>),
}

/// How a request is answered. Dropped before its end, it resets the stream.
#[derive(Debug)]
pub(crate) struct Respond {
    state: SendState,
    recipient: Rc<Recipient>,
    /// The connection.
    intake: Rc<Intake>,
    /// Goes with whatever ends the response.
    last: Option<(HeaderName, HeaderValue)>,
}

impl Respond {
    pub(super) fn new(
        response: SendResponse<Unsent>,
        recipient: &Rc<Recipient>,
        intake: &Rc<Intake>,
    ) -> Self {
        Self {
            state: SendState::Headers(response),
            recipient: Rc::clone(recipient),
            intake: Rc::clone(intake),
            last: None,
        }
    }

    /// Has the end of the response bring this header too, whatever the end is.
    pub(crate) fn end_with(&mut self, name: HeaderName, value: HeaderValue) {
        self.last = Some((name, value));
    }

    /// Counts answers that wait here, none yet.
    pub(crate) fn waiting(&self) -> Waiting {
        Waiting::new(&self.recipient)
    }

    /// Whether the connection is gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.intake.is_gone()
    }

    /// Earns the credit of a part's answer. The end of the response earns its own.
    pub(crate) fn answered(&self) {
        self.intake.answered();
    }

    /// Sends the headers; `end` if there is nothing else.
    ///
    /// # Errors
    /// The stream is gone.
    pub(crate) fn headers(&mut self, mut headers: Response<()>, end: bool) -> Result<(), Gone> {
        if end {
            headers.headers_mut().extend(self.last.take());
        }
        if let SendState::Headers(response) = &mut self.state {
            let body = response.send_response(headers, end).map_err(|_| Gone)?;
            self.state = SendState::Body(body);
            if end {
                self.answered();
            }
        }
        Ok(())
    }

    /// Sends of `bytes` what the client's windows take, and leaves the rest; ready when
    /// that was something. Nothing waits in HTTP/2 but for the socket.
    ///
    /// # Errors
    /// The stream is gone.
    pub(crate) fn poll_data(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &mut Bytes,
    ) -> Poll<Result<(), Gone>> {
        let SendState::Body(body) = &mut self.state else {
            return Poll::Ready(Err(Gone));
        };
        body.reserve_capacity(bytes.len());
        let mut room = body.capacity();
        while room == 0 {
            room = match ready!(body.poll_capacity(cx)) {
                Some(Ok(room)) => room,
                Some(Err(_)) | None => return Poll::Ready(Err(Gone)),
            };
        }
        let piece = bytes.split_to(room.min(bytes.len()));
        let sent = body.send_data(Unsent::new(piece, &self.recipient), false);
        Poll::Ready(sent.map_err(|_| Gone))
    }

    /// Sends the trailers, and with them the end.
    pub(crate) fn trailers(&mut self, mut trailers: HeaderMap) {
        trailers.extend(self.last.take());
        // It fails if the stream is gone, and nobody is there to be told.
        if let SendState::Body(body) = &mut self.state
            && body.send_trailers(trailers).is_ok()
        {
            self.answered();
        }
    }

    /// Ends the response with a status, whatever was sent before.
    pub(crate) fn end(&mut self, status: &tonic::Status) {
        match self.state {
            // If it fails the client is gone.
            SendState::Headers(_) => drop(self.headers(status.clone().into_http(), true)),
            SendState::Body(_) => self.trailers(status::trailers(status)),
        }
    }

    /// Resets the stream: nothing was done for it, so the client may try it again (RFC 9113
    /// section 8.7).
    pub(crate) fn refuse_stream(&mut self) {
        self.reset_for(Reason::REFUSED_STREAM);
    }

    /// Resets the stream: it cannot be answered to its end.
    pub(crate) fn reset(&mut self) {
        self.reset_for(Reason::CANCEL);
    }

    fn reset_for(&mut self, reason: Reason) {
        match &mut self.state {
            SendState::Headers(response) => response.send_reset(reason),
            SendState::Body(body) => body.send_reset(reason),
        }
        self.answered();
    }

    /// Ready when the client has reset the stream, or is gone.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.intake.is_gone() {
            return Poll::Ready(());
        }
        match &mut self.state {
            SendState::Headers(response) => response.poll_reset(cx).map(|_| ()),
            SendState::Body(body) => body.poll_reset(cx).map(|_| ()),
        }
    }
}
