//! The fast path: Digest and Verify straight from HTTP/2 DATA frames.
//!
//! The response body owns everything. When hyper polls it for a frame it reads
//! the request, feeds the session and returns answers.

use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue};
use http_body::{Body, Frame};
use hyper::body::Incoming;
use tonic::Status;

use super::call::Call;
use super::driver::{Driver, Source};
use super::guard::Guarded;
use super::session::Session;
use super::status;
use crate::wire::{Decoder, Item, Limits, MessageKind};

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

impl Frames {
    /// Gives the decoder a frame; false if there will be none.
    fn poll_push(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, Status>> {
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
        if let Ok(data) = frame.into_data() {
            self.decoder.push(data);
        }
        Poll::Ready(Ok(true))
    }
}

impl Source for Frames {
    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        session: &mut Session,
    ) -> Poll<Result<bool, Status>> {
        // What is there goes before what is read.
        if !self.decoder.has_more() && !ready!(self.poll_push(cx))? {
            return Poll::Ready(Ok(false));
        }
        let _together = session.together();
        let taken = take_items(&mut self.decoder, |item| {
            let ends_message = matches!(item, Item::End);
            session.apply(item)?;
            Ok(!(ends_message && session.is_full()))
        });
        Poll::Ready(taken.map(|()| true))
    }
}

/// Takes what the decoder has, as long as `apply` goes on; but of data that was held
/// one piece, since a message held may be more than may wait: the bounds are asked
/// before each piece, as they are before each frame.
fn take_items(
    decoder: &mut Decoder,
    mut apply: impl FnMut(Item) -> Result<bool, Status>,
) -> Result<(), Status> {
    while let Some(item) = decoder.next().map_err(|error| status::from_wire(&error))? {
        if !apply(item)? || decoder.hands_out() {
            break;
        }
    }
    Ok(())
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
            decoder: Decoder::new(kind, limits, Rc::clone(&call.worker().held)),
        };
        Self {
            driver: Driver::new(kind, frames, call),
            trailers: None,
            ended: false,
        }
    }
}

impl StreamBody {
    /// What sees to the stream while hyper does not poll it.
    pub(crate) fn guard(&self) -> Rc<dyn Guarded> {
        self.driver.guard()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Budget;

    #[test]
    fn held_data_is_taken_piece_by_piece() {
        const DATA_BYTES: usize = 300_000;
        let limits = Limits {
            message_bytes_max: 1 << 20,
            head_bytes_max: HEAD_BYTES_MAX,
        };
        let mut decoder = Decoder::new(MessageKind::Digest, limits, Budget::new(1 << 20));
        // Data, then part 7; and behind it a message of one byte.
        let held = [&[0x7a, 0xe0, 0xa7, 0x12][..], &[1; DATA_BYTES], &[8, 7]].concat();
        let mut stream = vec![0];
        stream.extend(u32::try_from(held.len()).unwrap().to_be_bytes());
        stream.extend(held);
        stream.extend([0, 0, 0, 0, 3, 0x7a, 1, 2]);
        decoder.push(stream.into());
        let mut turns = Vec::new();
        while turns.is_empty() || decoder.has_more() {
            let mut data_bytes = 0;
            let taken = take_items(&mut decoder, |item| {
                if let Item::Data(data) = item {
                    data_bytes += data.len();
                }
                Ok(true)
            });
            taken.unwrap();
            turns.push(data_bytes);
        }
        // The head alone, the pieces, and with the last of them all the rest.
        assert_eq!(
            turns,
            [0, 65536, 65536, 65536, 65536, 300_000 - 4 * 65536 + 1]
        );
        assert_eq!(decoder.end(), Ok(()));
    }
}
