//! One request and its response, as a call sees HTTP/2.
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

/// What arrived on a request's body.
#[derive(Debug)]
pub(crate) enum Received {
    /// A frame's bytes.
    Data(Bytes, WindowPermit),
    /// The half-close (END_STREAM).
    End,
    /// The client reset the stream, or the connection is gone.
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

    /// From now on the rate of `client` holds back the stream's window.
    pub(crate) fn pace(&self, client: &Arc<Client>) {
        self.flow.set_client(client);
    }

    /// The stream's window.
    pub(crate) fn flow(&self) -> &Rc<StreamFlow> {
        &self.flow
    }

    /// The next piece of the body. Also releases the window of bytes that the client's rate has
    /// paid.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Received> {
        if self.intake.is_gone() {
            return Poll::Ready(Received::Gone);
        }
        // Owed bytes hold back window, not data that has arrived.
        let _ = self.flow.poll_paid(cx);
        match ready!(self.stream.poll_data(cx)) {
            Some(Ok(bytes)) => {
                let permit = self.flow.receive(bytes.len());
                return Poll::Ready(Received::Data(bytes, permit));
            }
            Some(Err(_)) => return Poll::Ready(Received::Gone),
            None => {}
        }
        // A request's trailers have no meaning in gRPC, but they end it.
        let trailers = ready!(self.stream.poll_trailers(cx));
        // After a reset with NO_ERROR, h2 also ends the body without an error.
        let ended = trailers.is_ok() && self.stream.is_end_stream();
        Poll::Ready(if ended { Received::End } else { Received::Gone })
    }

    /// Whether the body has already ended.
    pub(crate) fn is_end(&self) -> bool {
        self.stream.is_end_stream()
    }
}

/// The stream is reset or the connection is gone: the client receives nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

/// State of a response.
#[derive(Debug)]
enum SendState {
    Headers(SendResponse<Unsent>),
    Body(SendStream<Unsent>),
}

/// The response to a request. A drop before its end resets the stream.
#[derive(Debug)]
pub(crate) struct Respond {
    state: SendState,
    recipient: Rc<Recipient>,
    /// The connection.
    intake: Rc<Intake>,
    /// A header to add to the end of the response.
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

    /// Adds this header to the end of the response, whatever the end is.
    pub(crate) fn end_with(&mut self, name: HeaderName, value: HeaderValue) {
        self.last = Some((name, value));
    }

    /// A counter of waiting answers, zero at first.
    pub(crate) fn waiting(&self) -> Waiting {
        Waiting::new(&self.recipient)
    }

    /// Whether the connection is gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.intake.is_gone()
    }

    /// Earns the credit for a part's answer. The end of the response earns its own.
    pub(crate) fn answered(&self) {
        self.intake.answered();
    }

    /// Sends the headers. With `end`, nothing follows.
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

    /// Sends as much of `bytes` as the client's windows allow, and leaves the rest. Ready when it
    /// sent something. So data in HTTP/2 waits only for the socket.
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

    /// Sends the trailers, which end the response.
    pub(crate) fn trailers(&mut self, mut trailers: HeaderMap) {
        trailers.extend(self.last.take());
        // If the stream is gone this fails, and there is no client to tell.
        if let SendState::Body(body) = &mut self.state
            && body.send_trailers(trailers).is_ok()
        {
            self.answered();
        }
    }

    /// Ends the response with a status, whatever was sent before.
    pub(crate) fn end(&mut self, status: &tonic::Status) {
        match self.state {
            // A failure means that the client is gone.
            SendState::Headers(_) => drop(self.headers(status.clone().into_http(), true)),
            SendState::Body(_) => self.trailers(status::trailers(status)),
        }
    }

    /// Resets the stream: nothing was done for it, so the client may retry (RFC 9113 section 8.7).
    pub(crate) fn refuse_stream(&mut self) {
        self.reset_for(Reason::REFUSED_STREAM);
    }

    /// Resets the stream because the response cannot be completed.
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

    /// Ready when the client has reset the stream or is gone.
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
