//! The body of a request. If the answer does not need the rest, it is read and discarded.
//!
//! Many clients read the answer only after they have sent everything. If the connection is closed
//! earlier, they report a network error.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

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
}

impl RequestBody {
    pub fn new(incoming: Incoming) -> Self {
        let was_read = false;
        Self(Arc::new(Mutex::new(State { incoming, was_read })))
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
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let mut state = self.lock();
        state.was_read = true;
        Pin::new(&mut state.incoming).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.lock().incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().incoming.size_hint()
    }
}
