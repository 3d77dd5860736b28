//! HTTP/1.1 on the same port, for clients without HTTP/2: hyper parses, and each request is a call
//! as a stream of HTTP/2 is.
//!
//! ```text
//! socket ──> hyper ──> frames of the body ──> Body ──> Receive ──> the call
//!                 <─────────── response ───────────────────────────┘
//! ```
//!
//! HTTP/1.1 has no windows, so this reads a body only while less than the connection's window is
//! unhashed. hyper's buffers are part of that window: two of them may be in use by chunks.

use std::cell::{Cell, RefCell};
use std::error::Error as _;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Response, StatusCode, Version, header};
use http_body_util::Full;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::task::coop::unconstrained;
use tokio::time::Instant;

use super::body::Body;
use super::calls::Calls;
use super::connection::{Connection, Timer};
use super::link::Link;
use super::stream::{Gone, Receive};
use crate::drain::Phase;
use crate::hashing::Lanes;
use crate::metrics::connection_ends::ConnectionEnd;
use crate::metrics::instruments::Counter;
use crate::timers::Timers;

/// hyper's smallest and our largest buffer.
const BUFFER_BYTES: std::ops::RangeInclusive<usize> = 8 << 10..=128 << 10;

/// Most fields of a request's head.
const HEADERS_MAX: usize = 64;

/// The number of each request's stream, of which a connection has one at a time.
const STREAM: u32 = 1;

impl<S: AsyncRead + AsyncWrite + Unpin, C: Calls> Connection<'_, S, C> {
    /// Goes on with HTTP/1.1, to the connection's end.
    pub(super) async fn serve_http1(&mut self, mut phase: watch::Receiver<Phase>) -> ConnectionEnd {
        let (link, calls) = (&self.link, &self.begin);
        let (life, lanes) = (&mut self.life, &self.state.lanes);
        let settings = &self.state.process.settings;
        let mut read = BytesMut::from(link.protocol.borrow().preface_read());
        read.extend_from_slice(self.input.bytes());
        self.input.discard();
        let window_bytes = link.flow.window_bytes() as usize;
        let buffer_bytes = (window_bytes / 4).clamp(*BUFFER_BYTES.start(), *BUFFER_BYTES.end());
        let unhashed_bytes_max = window_bytes.saturating_sub(2 * buffer_bytes).max(1);
        let (has_call, requests) = (Cell::new(false), Cell::new(0_u64));
        let service = service_fn(|request| {
            has_call.set(true);
            requests.set(requests.get() + 1);
            let answered = answer(link, calls, request, unhashed_bytes_max);
            async {
                let response = answered.await;
                has_call.set(false);
                response
            }
        });
        let timers = RefCell::new(Timers::new([Timer::Life, Timer::Unsent]));
        let socket = Rewound {
            read: read.freeze(),
            socket: &mut self.socket,
            received_bytes: &self.state.counters.received_bytes,
            timers: &timers,
            unsent_timeout: settings.part_idle_timeout,
        };
        let serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(settings.handshake_timeout)
            .max_headers(HEADERS_MAX)
            // A client that half-closes after its request gets its response.
            .half_close(true)
            .max_buf_size(buffer_bytes)
            .serve_connection(TokioIo::new(socket), service);
        let mut serving = pin!(serving);
        let mut is_shut_down = false;
        loop {
            let now = Instant::now();
            if let Some(entered) = life.enter(now, *phase.borrow_and_update()) {
                // hyper polls its call at each poll of the connection.
                calls.enter(entered);
            }
            if life.is_over(now) {
                return life.end();
            }
            let is_draining = life.is_draining();
            timers.borrow_mut().set(Timer::Life, Some(life.due(now)));
            tokio::select! {
                biased;
                ended = unconstrained(poll_fn(|cx| {
                    link.begin_turn(cx.waker());
                    let mut polled = poll_turn(link, lanes, serving.as_mut(), cx);
                    if is_draining && polled.is_pending() && !is_shut_down {
                        // hyper would drop a request that it has not begun to read.
                        is_shut_down = true;
                        serving.as_mut().graceful_shutdown();
                        polled = poll_turn(link, lanes, serving.as_mut(), cx);
                    }
                    link.end_turn();
                    life.note_calls(has_call.get());
                    match polled {
                        Poll::Ready(ended) => Poll::Ready(Ok(ended)),
                        Poll::Pending => timers.borrow_mut().poll(cx).map(Err),
                    }
                })) => match ended {
                    Err(Timer::Unsent) => return ConnectionEnd::NotTaken,
                    Err(_) => {}
                    Ok(Ok(())) if life.is_cut() => return life.end(),
                    Ok(Ok(())) => return ConnectionEnd::Closed,
                    Ok(Err(error)) if error.is_timeout() && requests.get() == 0 => {
                        return ConnectionEnd::PrefaceTimeout;
                    }
                    Ok(Err(error)) if error.is_timeout() => return ConnectionEnd::Idle,
                    Ok(Err(error)) => {
                        tracing::debug!(%error, "connection of http/1 ended");
                        return ConnectionEnd::Error;
                    }
                },
                () = link.holding.cut() => return ConnectionEnd::Unread,
                changed = phase.changed() => if changed.is_err() {
                    return ConnectionEnd::Cut;
                },
            }
        }
    }
}

/// One turn: runs the connection, hashes what its call has pushed, and runs it again.
fn poll_turn<F: Future>(
    link: &Link,
    lanes: &RefCell<Lanes>,
    mut serving: Pin<&mut F>,
    cx: &mut Context<'_>,
) -> Poll<F::Output> {
    loop {
        let polled = serving.as_mut().poll(cx);
        link.flow.release_untold();
        if polled.is_ready() || !lanes.borrow_mut().end_turn() {
            return polled;
        }
        if link.turn_is_over() {
            link.wake();
            return Poll::Pending;
        }
    }
}

/// Answers a request. An error closes the connection without a response: the client is gone.
async fn answer(
    link: &Rc<Link>,
    calls: &impl Calls,
    request: http::Request<Incoming>,
    unhashed_bytes_max: usize,
) -> Result<Response<Full<Bytes>>, Gone> {
    let (head, mut incoming) = request.into_parts();
    if !has_host(head.version, &head.headers) {
        return Ok(malformed());
    }
    let target = head.uri.path_and_query();
    let request = hashlane_http2::Request {
        method: head.method,
        path: target.map_or_else(String::new, |target| target.as_str().to_owned()),
        headers: head.headers,
    };
    let body = Body::new(STREAM, &link.flow, false);
    let mut answer = calls.answer(request, Receive::new(&body, link));
    poll_fn(|cx| {
        loop {
            if let Poll::Ready(response) = answer.as_mut().poll(cx) {
                let mut response = response.ok_or(Gone)?.map(Full::new);
                if !body.has_ended() && !incoming.is_end_stream() {
                    // hyper closes the connection without reading the rest.
                    let close = HeaderValue::from_static("close");
                    response.headers_mut().insert(header::CONNECTION, close);
                }
                return Poll::Ready(Ok(response));
            }
            let read = poll_body(link, &body, &mut incoming, unhashed_bytes_max, cx);
            if ready!(read).is_err() {
                return Poll::Ready(Ok(malformed()));
            }
        }
    })
    .await
}

/// Whether a request names its host as it must (RFC 9112 section 3.2).
fn has_host(version: Version, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => version < Version::HTTP_11,
        (Some(host), None) => {
            let text = host.as_bytes();
            text.is_empty() || Authority::try_from(text).is_ok_and(|it| !it.as_str().contains('@'))
        }
        (Some(_), Some(_)) => false,
    }
}

/// The response to a request that breaks the rules of HTTP/1.1.
fn malformed() -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

/// Whether the body has an invalid chunk. A closed connection is none.
fn is_malformed(error: &hyper::Error) -> bool {
    let cause = error
        .source()
        .and_then(|cause| cause.downcast_ref::<io::Error>());
    let kind = cause.map(io::Error::kind);
    matches!(
        kind,
        Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput)
    )
}

/// Reads some of a request's body. Ready if the call must run again.
///
/// # Errors
/// The body is malformed.
fn poll_body(
    link: &Link,
    body: &Body,
    incoming: &mut Incoming,
    unhashed_bytes_max: usize,
    cx: &mut Context<'_>,
) -> Poll<Result<(), hyper::Error>> {
    if body.has_ended() || body.has_data() || body.flow().unhashed_bytes() >= unhashed_bytes_max {
        return Poll::Pending;
    }
    if link.may_read().is_none() {
        return Poll::Pending;
    }
    match ready!(Pin::new(incoming).poll_frame(cx)) {
        Some(Ok(frame)) => {
            if let Ok(bytes) = frame.into_data() {
                link.count_bytes(bytes.len());
                link.count_frame();
                let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                body.receive(bytes, length);
            }
        }
        Some(Err(error)) if is_malformed(&error) => return Poll::Ready(Err(error)),
        Some(Err(_)) => body.reset(),
        None => body.end(),
    }
    Poll::Ready(Ok(()))
}

/// A socket of which some was read before.
struct Rewound<'a, S> {
    read: Bytes,
    socket: &'a mut S,
    received_bytes: &'a Counter,
    timers: &'a RefCell<Timers<Timer, 2>>,
    /// Time for the socket to take some of the output.
    unsent_timeout: Duration,
}

impl<S> Rewound<'_, S> {
    /// Notes whether the socket takes no output now.
    fn note_blocked(&self, is_blocked: bool) {
        let mut timers = self.timers.borrow_mut();
        if !is_blocked {
            timers.set(Timer::Unsent, None);
        } else if !timers.is_set(Timer::Unsent) {
            timers.set(Timer::Unsent, Some(Instant::now() + self.unsent_timeout));
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Rewound<'_, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read.is_empty() {
            let before = buf.filled().len();
            let polled = Pin::new(&mut *self.socket).poll_read(cx, buf);
            self.received_bytes
                .add((buf.filled().len() - before) as u64);
            return polled;
        }
        let bytes = self.read.len().min(buf.remaining());
        buf.put_slice(&self.read[..bytes]);
        self.read.advance(bytes);
        if self.read.is_empty() {
            // Used up, it would keep its memory.
            self.read = Bytes::new();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Rewound<'_, S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut *self.socket).poll_write(cx, bytes);
        self.note_blocked(polled.is_pending());
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Over TLS a write may be taken that the socket does not take.
        let polled = Pin::new(&mut *self.socket).poll_flush(cx);
        self.note_blocked(polled.is_pending());
        polled
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.socket).poll_shutdown(cx)
    }
}
