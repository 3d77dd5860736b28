//! Tells a reset from a half-close. tonic's decoder makes an end of stream of a reset with CANCEL,
//! so the frames below it are watched.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::Frame;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::{Service, http};

/// Set once the request's body has failed. In the request's extensions.
#[derive(Clone, Default)]
pub(crate) struct WasReset(Arc<AtomicBool>);

impl WasReset {
    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A service whose requests' bodies are watched.
#[derive(Clone)]
pub(crate) struct ResetWatch<S>(pub(crate) S);

impl<S: Service<http::Request<Body>>> Service<http::Request<Body>> for ResetWatch<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: http::Request<Body>) -> S::Future {
        let was_reset = WasReset::default();
        request.extensions_mut().insert(was_reset.clone());
        self.0
            .call(request.map(|inner| Body::new(WatchedBody { inner, was_reset })))
    }
}

struct WatchedBody {
    inner: Body,
    was_reset: WasReset,
}

impl http_body::Body for WatchedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = Pin::new(&mut self.inner).poll_frame(context);
        if let Poll::Ready(Some(Err(_))) = &frame {
            self.was_reset.0.store(true, Ordering::SeqCst);
        }
        frame
    }
}
