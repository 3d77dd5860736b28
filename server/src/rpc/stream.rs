//! The fast path: Digest and Verify straight from HTTP/2 DATA frames.
//!
//! The response body owns everything. When hyper polls it for a frame it reads
//! the request, feeds the session and returns answers.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue};
use http_body::{Body, Frame};
use hyper::body::Incoming;
use tonic::Status;

use super::call::Call;
use super::driver::{Driver, Source};
use super::session::Session;
use super::status;
use crate::wire::{Decoder, Limits, MessageKind};

/// Options and expected digests of one message: room for every algorithm there
/// will be, and no more.
const HEAD_BYTES_MAX: usize = 4096;

/// Answers that leave in one frame.
const FRAME_BYTES_MAX: usize = 16 * 1024;

/// The request, decoded frame by frame.
struct Frames {
    incoming: Incoming,
    decoder: Decoder,
}

impl Source for Frames {
    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        session: &mut Session,
    ) -> Poll<Result<bool, Status>> {
        let frame = match ready!(Pin::new(&mut self.incoming).poll_frame(cx)) {
            Some(Ok(frame)) => frame,
            Some(Err(_)) => return Poll::Ready(Err(status::client_gone())),
            // hyper ends the body without an error after a reset with NO_ERROR
            // too. Only END_STREAM is a half-close, which makes parts complete.
            None if !self.incoming.is_end_stream() => {
                return Poll::Ready(Err(status::client_gone()));
            }
            None => {
                let end = self
                    .decoder
                    .end()
                    .map_err(|error| status::from_wire(&error));
                return Poll::Ready(end.map(|()| false));
            }
        };
        // Trailers of a request mean nothing in gRPC.
        let Ok(data) = frame.into_data() else {
            return Poll::Ready(Ok(true));
        };
        self.decoder.push(data);
        loop {
            match self.decoder.next() {
                Ok(Some(item)) => session.apply(item)?,
                Ok(None) => return Poll::Ready(Ok(true)),
                Err(error) => return Poll::Ready(Err(status::from_wire(&error))),
            }
        }
    }
}

/// The response body of a stream.
pub(crate) struct StreamBody {
    driver: Driver<Frames>,
    /// Trailers that wait for the answers before them.
    trailers: Option<HeaderMap>,
    ended: bool,
}

impl StreamBody {
    pub(crate) fn new(kind: MessageKind, incoming: Incoming, call: Call) -> Self {
        let limits = Limits {
            message_bytes_max: call.worker().settings.message_bytes_max,
            head_bytes_max: HEAD_BYTES_MAX,
        };
        let frames = Frames {
            incoming,
            decoder: Decoder::new(kind, limits),
        };
        Self {
            driver: Driver::new(kind, frames, call),
            trailers: None,
            ended: false,
        }
    }
}

impl Body for StreamBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        let mut answers = BytesMut::new();
        while this.trailers.is_none() && !this.ended && answers.len() < FRAME_BYTES_MAX {
            match this.driver.poll_answer(cx) {
                Poll::Ready(Some(Ok(answer))) => answer.write(&mut answers),
                Poll::Ready(Some(Err(refusal))) => this.trailers = Some(trailers(&refusal)),
                Poll::Ready(None) => this.trailers = Some(trailers(&Status::ok(""))),
                Poll::Pending if answers.is_empty() => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        if !answers.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(answers.freeze()))));
        }
        this.ended = true;
        Poll::Ready(this.trailers.take().map(|map| Ok(Frame::trailers(map))))
    }
}

/// A status as trailers.
pub(crate) fn trailers(status: &Status) -> HeaderMap {
    let mut map = HeaderMap::with_capacity(3);
    if status.add_header(&mut map).is_err() {
        // Only a message that no header can hold gets here.
        map.clear();
        map.insert("grpc-status", HeaderValue::from(i32::from(status.code())));
    }
    map
}
