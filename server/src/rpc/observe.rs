//! Calls that tonic answers: bounded in bytes and time, counted, and ended
//! when the drain's time is over.

use std::cell::RefCell;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body::{Body, Frame};
use hyper::body::Incoming;
use send_wrapper::SendWrapper;
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tonic::{Code, Status};

use super::call::Call;
use super::guard::{Guarded, Watch};
use super::service::CallSlot;
use super::status;
use super::stream::trailers;
use crate::metrics::grpc::{HASH_SERVICE, Method};
use crate::worker::Worker;

/// Bytes of one message of the other services: names of services and symbols.
pub(crate) const SMALL_MESSAGE_BYTES_MAX: usize = 16 * 1024;

/// Bytes of whole messages, which tonic gathers before a handler sees them,
/// counted against the worker's share of the process's bound. They are given
/// back when the call ends.
pub(super) struct Gathered {
    worker: Rc<Worker>,
    bytes: usize,
}

impl Gathered {
    pub(super) fn new(worker: &Rc<Worker>) -> Self {
        Self {
            worker: Rc::clone(worker),
            bytes: 0,
        }
    }

    /// Takes `bytes` more; false if the worker has no room for them. A unary
    /// call cannot wait for room: the others that hold it may wait as well.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        let gathered = self.worker.gathered_bytes.get() + bytes;
        if gathered > self.worker.gathered_bytes_max {
            return false;
        }
        self.worker.gathered_bytes.set(gathered);
        self.bytes += bytes;
        true
    }
}

impl Drop for Gathered {
    fn drop(&mut self) {
        let gathered = self.worker.gathered_bytes.get();
        self.worker
            .gathered_bytes
            .set(gathered.saturating_sub(self.bytes));
    }
}

/// The bound of a message that is gathered, in bytes and in time.
struct Gathering {
    /// `None` for messages of other services, which are bounded one by one:
    /// probes are answered however much the service itself holds.
    gathered: Option<Rc<RefCell<Gathered>>>,
    idle: Pin<Box<Sleep>>,
}

/// What a request body needs on the worker's thread.
struct RequestState {
    incoming: Incoming,
    /// `None` for streams, whose session bounds what waits.
    gathering: Option<Gathering>,
    idle_timeout: Duration,
}

/// A request body on its way to tonic.
pub(crate) struct RequestBody(SendWrapper<RequestState>);

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let state = &mut *self.get_mut().0;
        let polled = Pin::new(&mut state.incoming).poll_frame(cx);
        match (polled, &mut state.gathering) {
            (Poll::Ready(Some(Ok(frame))), gathering) => {
                if let Some(Gathering { gathered, idle }) = gathering {
                    let bytes = frame.data_ref().map_or(0, Bytes::len);
                    let has_room = gathered
                        .as_ref()
                        .is_none_or(|gathered| gathered.borrow_mut().take(bytes));
                    if !has_room {
                        return Poll::Ready(Some(Err(status::busy(
                            "SERVER_BUSY",
                            "the server holds as many unread messages as it may",
                        ))));
                    }
                    idle.as_mut().reset(Instant::now() + state.idle_timeout);
                }
                Poll::Ready(Some(Ok(frame)))
            }
            (Poll::Ready(Some(Err(_))), _) => Poll::Ready(Some(Err(status::body_gone()))),
            // As in stream.rs: only END_STREAM is a half-close.
            (Poll::Ready(None), _) if !state.incoming.is_end_stream() => {
                Poll::Ready(Some(Err(status::body_gone())))
            }
            (Poll::Ready(None), _) => Poll::Ready(None),
            (Poll::Pending, Some(Gathering { idle, .. })) => idle
                .as_mut()
                .poll(cx)
                .map(|()| Some(Err(status::stream_idle(state.idle_timeout)))),
            (Poll::Pending, None) => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.incoming.is_end_stream()
    }
}

/// A call that tonic answers.
pub(crate) struct Observed {
    slot: CallSlot,
    method: Method,
    deadline: Option<Pin<Box<Sleep>>>,
    watch: Rc<Watch>,
    /// Held until the call ends: the message lives as long as its handler.
    _gathered: Option<Rc<RefCell<Gathered>>>,
    message_bytes_max: usize,
}

impl Observed {
    /// Takes over a call and its request body.
    pub(crate) fn new(
        worker: &Rc<Worker>,
        method: Method,
        call: Call,
        incoming: Incoming,
    ) -> (Self, RequestBody) {
        let is_stream = matches!(method, Method::Digest | Method::Verify);
        let gathered = (!is_stream && method.service() == HASH_SERVICE)
            .then(|| Rc::new(RefCell::new(Gathered::new(worker))));
        let idle_timeout = worker.settings.part_idle_timeout;
        let body = RequestBody(SendWrapper::new(RequestState {
            incoming,
            gathering: (!is_stream).then(|| Gathering {
                gathered: gathered.clone(),
                idle: Box::pin(sleep(idle_timeout)),
            }),
            idle_timeout,
        }));
        let deadline = call.deadline();
        let watch = Watch::new(call.share(), deadline, idle_timeout);
        let slot = CallSlot::new(call);
        let observed = Self {
            slot,
            method,
            deadline: deadline.map(|at| Box::pin(sleep_until(at))),
            watch,
            _gathered: gathered,
            message_bytes_max: match method.service() {
                HASH_SERVICE => worker.settings.message_bytes_max,
                _ => SMALL_MESSAGE_BYTES_MAX,
            },
        };
        (observed, body)
    }

    /// The call, for a handler.
    pub(crate) fn slot(&self) -> CallSlot {
        self.slot.clone()
    }

    /// What sees to the call while hyper does not poll it.
    pub(crate) fn guard(&self) -> Rc<dyn Guarded> {
        Rc::clone(&self.watch) as Rc<dyn Guarded>
    }

    /// Waits for the response, unless something ends the call before.
    pub(crate) async fn answer(
        mut self,
        handler: impl Future<Output = Response<tonic::body::Body>>,
    ) -> Response<Result<ObservedBody, Status>> {
        let mut handler = std::pin::pin!(handler);
        let response = std::future::poll_fn(|cx| {
            let polled = match handler.as_mut().poll(cx) {
                Poll::Ready(response) => Poll::Ready(Ok(response)),
                Poll::Pending => self.poll_end(cx).map(Err),
            };
            self.watch.polled(polled)
        })
        .await;
        match response {
            Err(refusal) => self.refuse(refusal),
            Ok(response) => {
                let (parts, body) = response.into_parts();
                match Status::from_header_map(&parts.headers) {
                    Some(status) => match status::from_tonic(&status, self.message_bytes_max) {
                        Some(refusal) => self.refuse(refusal),
                        None => self.refuse(status),
                    },
                    None => Response::from_parts(
                        parts,
                        Ok(ObservedBody {
                            inner: body,
                            observed: self,
                            ended: false,
                        }),
                    ),
                }
            }
        }
    }

    fn refuse(&mut self, status: Status) -> Response<Result<ObservedBody, Status>> {
        self.end(status.code());
        Response::new(Err(status))
    }

    /// What ends a call from outside. Calls that watch have no end of their
    /// own, so they end when the drain begins.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Status> {
        let ends = self.slot.with(|call| {
            call.share().register(cx);
            let watches = matches!(self.method, Method::HealthWatch | Method::Reflection);
            call.share().is_cut() || watches && call.worker().is_draining()
        });
        match ends {
            // Digest and Verify took their call and see to it themselves.
            None => Poll::Pending,
            Some(true) => Poll::Ready(status::draining()),
            Some(false) => match &mut self.deadline {
                Some(deadline) => deadline.as_mut().poll(cx).map(|()| status::deadline()),
                None => Poll::Pending,
            },
        }
    }

    fn end(&mut self, code: Code) {
        self.slot.with(|call| call.end(code));
    }
}

/// A response body of tonic's on its way to the client.
pub(crate) struct ObservedBody {
    inner: tonic::body::Body,
    observed: Observed,
    ended: bool,
}

impl Body for ObservedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        let polled = this.poll_inner(cx);
        this.observed.watch.polled(polled)
    }
}

impl ObservedBody {
    fn poll_inner(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let end = match Pin::new(&mut self.inner).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                match frame.trailers_ref().map(Status::from_header_map) {
                    Some(Some(status)) => self.end(status.code()),
                    Some(None) => self.end(Code::Unknown),
                    None => {}
                }
                return Poll::Ready(Some(Ok(frame)));
            }
            Poll::Ready(Some(Err(status))) => status,
            Poll::Ready(None) => {
                self.end(Code::Ok);
                return Poll::Ready(None);
            }
            Poll::Pending => match self.observed.poll_end(cx) {
                Poll::Ready(status) => status,
                Poll::Pending => return Poll::Pending,
            },
        };
        self.end(end.code());
        let trailers: HeaderMap = trailers(&end);
        Poll::Ready(Some(Ok(Frame::trailers(trailers))))
    }

    fn end(&mut self, code: Code) {
        self.ended = true;
        let unary = matches!(
            self.observed.method,
            Method::DigestBatch | Method::Compose | Method::GetServerInfo
        );
        if unary && code == Code::Ok {
            self.observed.slot.with(|call| call.count_sent(1));
        }
        self.observed.end(code);
    }
}
