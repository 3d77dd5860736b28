//! The body of a request. If the answer does not need the rest, it is read and discarded.
//!
//! Many clients read the answer only after they have sent everything. If the connection is closed
//! earlier, they report a network error.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use s3s::StdError;

use crate::framing::Framing;

/// How long the rest of a body is read before the connection is closed.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(10);
/// A client that sends nothing for this long may be waiting for the answer.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(2);

/// Shared by the code that answers the request and the code that reads the rest.
#[derive(Debug, Clone)]
pub struct RequestBody(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    incoming: Incoming,
    was_read: bool,
    /// Of an aws-chunked body that has not ended yet.
    framing: Option<Framing>,
}

/// The body is cut.
#[derive(Debug)]
struct Incomplete;

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the aws-chunked body has no end")
    }
}

impl std::error::Error for Incomplete {}

impl RequestBody {
    pub fn new(incoming: Incoming, headers: &HeaderMap) -> Self {
        let digest = headers.get("x-amz-content-sha256");
        let is_chunked = digest.is_some_and(|digest| digest.as_bytes().starts_with(b"STREAMING-"));
        Self(Arc::new(Mutex::new(State {
            incoming,
            was_read: false,
            framing: is_chunked.then(Framing::new),
        })))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a read has begun, which tells a client with `Expect: 100-continue` to send.
    pub fn was_read(&self) -> bool {
        self.lock().was_read
    }

    /// Reads and discards the rest.
    pub async fn discard(mut self) {
        let rest = async {
            loop {
                let frame = poll_fn(|context| Pin::new(&mut self).poll_frame(context));
                match tokio::time::timeout(SILENCE_TIMEOUT, frame).await {
                    Ok(Some(Ok(_))) => {}
                    _ => break,
                }
            }
        };
        let _ = tokio::time::timeout(DISCARD_TIMEOUT, rest).await;
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = StdError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, StdError>>> {
        let mut state = self.lock();
        state.was_read = true;
        let frame = ready!(Pin::new(&mut state.incoming).poll_frame(context));
        let Some(read) = &frame else {
            let is_cut = |framing: Framing| !framing.is_whole();
            return Poll::Ready(match state.framing.take().is_some_and(is_cut) {
                true => Some(Err(Box::new(Incomplete))),
                false => None,
            });
        };
        let data = read.as_ref().ok().and_then(Frame::data_ref);
        if let (Some(data), Some(framing)) = (data, &mut state.framing) {
            framing.push(data);
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        let state = self.lock();
        state.framing.is_none() && state.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().incoming.size_hint()
    }
}
