//! Flow control: how much a client may send.
//!
//! ```text
//! received ──> hashing ──> collected ──────────> released: HTTP/2 may send a WINDOW_UPDATE
//!    │            │           ^ no rate             ^
//!    └────────────┴───────────┴─ a rate ──> owed ───┘ when the rate has paid for it
//! ```
//!
//! A [`WindowPermit`] holds the window of received bytes. The engine drops it once it has hashed
//! them, so windows bound all bytes that wait, wherever they wait.
//!
//! **Collected.** h2 writes a WINDOW_UPDATE when the released window is at least half of the
//! client's remaining window. A client that is faster than the server has no window left, so each
//! step of the engine would cause updates, in an extra turn and an extra write. So released window
//! is collected while more bytes of the connection are being hashed, up to a quarter of the
//! smallest window. While a client has used half of its window, the engine does not wait for more
//! jobs (hashing/wait.rs).
//!
//! **Owed.** A client's rate limit (client/throttle.rs) holds back window of its streams. Those
//! bytes are hashed and take no memory. The connection's window grows by the same amount, so they
//! do not block its other calls. A call ends only when its bytes are paid for; otherwise short
//! calls that fit the first window would never be limited. Answers of a stream's parts leave before
//! that: if they waited, they would take memory that no client is charged for.
//!
//! **The window's size** comes from a budget (limits/windows.rs) and grows with the measured
//! bandwidth and delay of the line (ping.rs).
//!
//! Why a quarter: a saturated server takes 0.337 CPU s/GB instead of 0.425. With half of the
//! window, the client runs out of window before the update arrives. One count for all connections
//! slows a client with four streams by 3 to 10% (docs/measurements.md, Alternatives that were
//! measured).
//!
//! Why a rate limit does not stop reads: that would block all clients behind a proxy. In
//! server/tests/server/quotas.rs another client sends 8 MiB on the same connection as four calls
//! that hold back four of its windows.

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Buf;
use h2::{FlowControl, server};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::client::{Client, Slot};
use crate::limits::windows::Windows;
use crate::limits::{Backlog, Permit};

/// Collected window is at most this fraction of the smallest window.
const COLLECTED_FRACTION: usize = 4;

/// Most streams with collected window: HTTP/2 keeps a stream's state meanwhile, even if it has
/// ended.
const COLLECTED_STREAMS_MAX: usize = 64;

/// The largest window that HTTP/2 allows (RFC 9113 section 6.9.1).
const WINDOW_BYTES_MAX: u32 = (1 << 31) - 1;

/// How often a call that owes bytes checks whether its client's rate has changed.
const RATE_CHECK: Duration = Duration::from_secs(1);

/// The windows of a connection and of its streams.
pub(crate) struct Flow {
    backlog: Rc<Backlog>,
    /// The connection's window from the budget, without owed bytes.
    window: RefCell<Permit>,
    /// The connection's window as set in HTTP/2.
    connection_bytes: Cell<u32>,
    /// The window of new streams now, and the one to set once the client has acknowledged the last
    /// settings.
    stream_bytes: Cell<u32>,
    stream_bytes_wanted: Cell<u32>,
    hashing_bytes: Cell<usize>,
    collected_bytes: Cell<usize>,
    owed_bytes: Cell<usize>,
    /// Streams with collected window.
    collected: RefCell<Vec<Rc<StreamFlow>>>,
    /// The client has used half of the smallest window.
    is_short: Cell<bool>,
}

impl Flow {
    /// A connection with this window, and streams with windows of `stream_bytes`.
    pub(super) fn new(backlog: &Rc<Backlog>, window: Permit, stream_bytes: u32) -> Rc<Self> {
        let flow = Self {
            backlog: Rc::clone(backlog),
            window: RefCell::new(window),
            connection_bytes: Cell::new(0),
            stream_bytes: Cell::new(stream_bytes),
            stream_bytes_wanted: Cell::new(stream_bytes),
            hashing_bytes: Cell::new(0),
            collected_bytes: Cell::new(0),
            owed_bytes: Cell::new(0),
            collected: RefCell::default(),
            is_short: Cell::new(false),
        };
        flow.connection_bytes.set(flow.window_bytes());
        Rc::new(flow)
    }

    /// The connection's window without owed bytes.
    pub(super) fn window_bytes(&self) -> u32 {
        u32::try_from(self.window.borrow().amount()).unwrap_or(u32::MAX)
    }

    /// Makes both windows large enough for a line that holds `held_bytes`, if the budget allows it.
    /// Returns whether there is something to [`announce`](Self::announce).
    pub(super) fn grow(
        &self,
        held_bytes: u64,
        bytes_max: u32,
        windows: &Windows,
        client: &Client,
    ) -> bool {
        let wanted = held_bytes.saturating_mul(2).min(bytes_max.into());
        let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
        let mut window = self.window.borrow_mut();
        let grows = wanted as usize > window.amount()
            && windows.grow(&client.windows_bytes, &mut window, wanted);
        if grows {
            // Never shrink: bytes in flight would not fit.
            self.stream_bytes_wanted
                .set(wanted.max(self.stream_bytes.get()));
        }
        grows
    }

    /// Sets HTTP/2's window sizes, if they have changed.
    pub(super) fn announce<T, B>(&self, http2: &mut server::Connection<T, B>)
    where
        T: AsyncRead + AsyncWrite + Unpin,
        B: Buf,
    {
        let owed = u32::try_from(self.owed_bytes.get()).unwrap_or(u32::MAX);
        let connection = self.window_bytes().saturating_add(owed);
        let connection = connection.min(WINDOW_BYTES_MAX);
        if self.connection_bytes.replace(connection) != connection {
            http2.set_target_window_size(connection);
        }
        // This fails while the client has not acknowledged the last settings. The frame that
        // acknowledges them brings the next turn.
        let stream = self.stream_bytes_wanted.get();
        if stream > self.stream_bytes.get() && http2.set_initial_window_size(stream).is_ok() {
            self.stream_bytes.set(stream);
        }
    }

    fn smallest_bytes(&self) -> usize {
        self.window_bytes().min(self.stream_bytes.get()) as usize
    }

    /// Releases the collected window, if it is large enough or if no byte is being hashed whose
    /// window could join it.
    fn release_enough(&self) {
        let mut streams = self.collected.borrow_mut();
        if self.hashing_bytes.get() == 0
            || self.collected_bytes.get() >= self.smallest_bytes() / COLLECTED_FRACTION
            || streams.len() >= COLLECTED_STREAMS_MAX
        {
            self.collected_bytes.set(0);
            for stream in streams.drain(..) {
                stream.release(stream.collected_bytes.take());
            }
        }
        drop(streams);
        self.note_short();
    }

    fn note_short(&self) {
        let used = self.hashing_bytes.get() + self.collected_bytes.get();
        let is_short = used > self.smallest_bytes() / 2;
        if self.is_short.replace(is_short) != is_short {
            self.backlog.set_short(is_short);
        }
    }
}

impl fmt::Debug for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flow")
            .field("window", &self.window)
            .field("hashing_bytes", &self.hashing_bytes)
            .field("collected_bytes", &self.collected_bytes)
            .field("owed_bytes", &self.owed_bytes)
            .finish_non_exhaustive()
    }
}

/// The window of a stream.
#[derive(Debug)]
pub(crate) struct StreamFlow {
    connection: Rc<Flow>,
    http2: RefCell<FlowControl>,
    /// The client whose rate applies. Empty until the call is known.
    client: OnceCell<Arc<Client>>,
    collected_bytes: Cell<usize>,
    owed_bytes: Cell<usize>,
    /// When the next owed bytes are paid.
    slot: Cell<Option<Slot>>,
    /// The call's waker, while it owes bytes or waits to owe some.
    waker: RefCell<Option<Waker>>,
    /// The call owed bytes when it last asked.
    owed: Cell<bool>,
}

impl StreamFlow {
    pub(super) fn new(http2: FlowControl, connection: &Rc<Flow>) -> Rc<Self> {
        Rc::new(Self {
            connection: Rc::clone(connection),
            http2: RefCell::new(http2),
            client: OnceCell::new(),
            collected_bytes: Cell::new(0),
            owed_bytes: Cell::new(0),
            slot: Cell::new(None),
            waker: RefCell::default(),
            owed: Cell::new(false),
        })
    }

    /// A permit for bytes that the stream has received.
    pub(super) fn receive(self: &Rc<Self>, bytes: usize) -> WindowPermit {
        WindowPermit {
            stream: Rc::clone(self),
            bytes,
            is_hashing: false,
        }
    }

    /// From now on the rate of `client` holds back window.
    pub(super) fn set_client(&self, client: &Arc<Client>) {
        // A call has one client.
        let _ = self.client.set(Arc::clone(client));
    }

    /// Ready if the call owes nothing. Otherwise releases the bytes that are paid by now; the call
    /// must ask again at [`Self::paid_at`]. Wakes the call when it owes bytes again.
    pub(crate) fn poll_paid(&self, cx: &Context<'_>) -> Poll<()> {
        loop {
            let owed = self.owed_bytes.get();
            let Some(client) = self.client.get().filter(|_| owed > 0) else {
                self.register(cx);
                return Poll::Ready(());
            };
            let (throttle, now) = (&client.throttle, Instant::now());
            let current = self.slot.get().filter(|slot| throttle.is_current(slot));
            let slot = current.unwrap_or_else(|| throttle.take(owed, now));
            if slot.at > now {
                self.slot.set(Some(slot));
                self.owed.set(true);
                self.register(cx);
                return Poll::Pending;
            }
            self.slot.set(None);
            let paid = slot.bytes.min(owed);
            self.owed_bytes.set(owed - paid);
            let connection = &self.connection.owed_bytes;
            connection.set(connection.get() - paid);
            self.release(paid);
        }
    }

    /// When a call that owes bytes must ask again.
    pub(crate) fn paid_at(&self) -> Option<Instant> {
        let slot = self.slot.get()?;
        Some(slot.at.min(Instant::now() + RATE_CHECK))
    }

    /// Whether the call owed bytes when it last asked, since this was last called.
    pub(crate) fn take_owed(&self) -> bool {
        self.owed.take()
    }

    fn register(&self, cx: &Context<'_>) {
        let mut waker = self.waker.borrow_mut();
        let known = waker.as_ref();
        if !known.is_some_and(|waker| waker.will_wake(cx.waker())) {
            *waker = Some(cx.waker().clone());
        }
    }

    /// Handles the drop of a permit for `bytes`.
    fn give_back(self: &Rc<Self>, bytes: usize, is_hashed: bool) {
        let connection = &self.connection;
        if is_hashed {
            let hashing = connection.hashing_bytes.get();
            connection.hashing_bytes.set(hashing - bytes);
        }
        let client = self.client.get();
        let has_rate = client.is_some_and(|client| client.throttle.rate().is_some());
        if has_rate || self.owed_bytes.get() > 0 {
            self.owed_bytes.set(self.owed_bytes.get() + bytes);
            let owed = connection.owed_bytes.get();
            connection.owed_bytes.set(owed + bytes);
            if let Some(waker) = self.waker.take() {
                waker.wake();
            }
        } else {
            let collected = connection.collected_bytes.get();
            connection.collected_bytes.set(collected + bytes);
            let own = self.collected_bytes.get();
            self.collected_bytes.set(own + bytes);
            if own == 0 {
                connection.collected.borrow_mut().push(Rc::clone(self));
            }
        }
        connection.release_enough();
    }

    fn release(&self, bytes: usize) {
        // This fails if the stream is gone, and its window with it.
        let _ = self.http2.borrow_mut().release_capacity(bytes);
    }

    /// Bytes whose window was not released to HTTP/2.
    #[cfg(test)]
    fn used_bytes(&self) -> usize {
        self.http2.borrow().used_capacity()
    }
}

impl Drop for StreamFlow {
    fn drop(&mut self) {
        let owed = self.owed_bytes.get();
        if owed == 0 {
            return;
        }
        let connection = &self.connection.owed_bytes;
        connection.set(connection.get() - owed);
        if let Some(client) = self.client.get() {
            let charged = self.slot.get().map_or(0, |slot| slot.bytes);
            let rest = owed.saturating_sub(charged);
            client.throttle.charge(rest, Instant::now());
        }
    }
}

/// The window of received bytes. A drop gives it back.
#[derive(Debug)]
pub(crate) struct WindowPermit {
    stream: Rc<StreamFlow>,
    bytes: usize,
    /// The engine has the bytes, and will drop this permit even if the client leaves.
    is_hashing: bool,
}

impl WindowPermit {
    /// Splits off the permit for the first `bytes`, which are about to be hashed.
    pub(crate) fn split(&mut self, bytes: usize) -> Self {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        let connection = &self.stream.connection;
        let hashing = connection.hashing_bytes.get();
        connection.hashing_bytes.set(hashing + bytes);
        connection.note_short();
        Self {
            stream: Rc::clone(&self.stream),
            bytes,
            is_hashing: true,
        }
    }

    /// Adds the window of `other`, a permit of the same stream.
    pub(crate) fn join(&mut self, mut other: Self) {
        debug_assert!(Rc::ptr_eq(&self.stream, &other.stream));
        debug_assert!(!self.is_hashing && !other.is_hashing);
        self.bytes += std::mem::take(&mut other.bytes);
    }
}

impl Drop for WindowPermit {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.stream.give_back(self.bytes, self.is_hashing);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use futures_util::FutureExt as _;
    use h2::{client, server};
    use http::Request;
    use tokio::io::duplex;
    use tokio::task::yield_now;

    use super::super::intake::Intake;
    use super::super::stream::{Receive, Received};
    use super::*;
    use crate::limiter::Budget;

    const WINDOW_BYTES: u32 = 65_535;

    /// A connection with `count` streams, each with `frames` of these lengths. Returns the streams,
    /// and the permits in order.
    async fn streams(
        count: usize,
        frames: &[usize],
    ) -> (Rc<Backlog>, Vec<Receive>, Vec<WindowPermit>) {
        let backlog = Backlog::new();
        let intake = Intake::new(&backlog, 1);
        let window = Budget::new(WINDOW_BYTES as usize).take(WINDOW_BYTES as usize);
        let flow = Flow::new(&backlog, window.unwrap(), WINDOW_BYTES);
        let (ours, theirs) = duplex(1 << 20);
        let (client, server) = tokio::join!(client::handshake(ours), server::handshake(theirs));
        let ((mut client, sends), mut server) = (client.unwrap(), server.unwrap());
        let mut sends = Box::pin(sends);
        let (mut receives, mut permits) = (Vec::new(), Vec::new());
        for _ in 0..count {
            // Otherwise tokio's poll budget would run out.
            yield_now().await;
            let request = Request::post("http://test/").body(()).unwrap();
            let (_response, mut body) = client.send_request(request, false).unwrap();
            for len in frames {
                body.send_data(vec![0; *len].into(), false).unwrap();
            }
            assert!((&mut sends).now_or_never().is_none());
            let (request, _) = server.accept().await.unwrap().unwrap();
            let mut receive = Receive::new(request.into_body(), &intake, &flow);
            for _ in frames {
                assert!(server.accept().now_or_never().is_none());
                let received = poll_fn(|cx| receive.poll(cx)).now_or_never();
                let Some(Received::Data(bytes, permit)) = received else {
                    panic!("{received:?}");
                };
                assert!(!bytes.is_empty());
                permits.push(permit);
            }
            receives.push(receive);
        }
        (backlog, receives, permits)
    }

    /// Permits as the engine holds them.
    fn hashing(permits: Vec<WindowPermit>) -> Vec<WindowPermit> {
        let split = |mut permit: WindowPermit| permit.split(usize::MAX);
        permits.into_iter().map(split).collect()
    }

    fn used(receives: &[Receive]) -> Vec<usize> {
        let used = |receive: &Receive| receive.flow().used_bytes();
        receives.iter().map(used).collect()
    }

    #[tokio::test]
    async fn windows_come_back_together_when_none_is_left_to_be_dropped() {
        let (_, receives, permits) = streams(3, &[100]).await;
        let mut permits = hashing(permits).into_iter();
        permits.next();
        permits.next();
        assert_eq!(used(&receives), [100, 100, 100]);
        permits.next();
        assert_eq!(used(&receives), [0, 0, 0]);
    }

    /// Such bytes may wait for the client to read answers.
    #[tokio::test]
    async fn bytes_that_are_not_hashed_yet_keep_no_window_back() {
        let (_, receives, mut permits) = streams(3, &[100]).await;
        let held = permits.pop();
        drop(hashing(permits));
        assert_eq!(used(&receives), [0, 0, 100]);
        drop(held);
        assert_eq!(used(&receives), [0, 0, 0]);
    }

    #[tokio::test]
    async fn a_quarter_of_the_window_comes_back_at_once() {
        let (_, receives, permits) = streams(2, &[8_000, 8_000, 400]).await;
        let mut permits = hashing(permits).into_iter();
        permits.next();
        permits.next();
        assert_eq!(used(&receives), [16_400, 16_400]);
        permits.next();
        assert_eq!(used(&receives), [0, 16_400]);
        permits.next();
        assert_eq!(used(&receives), [0, 16_400]);
    }

    /// Each of these streams may have ended.
    #[tokio::test]
    async fn few_streams_are_kept() {
        let (_, receives, mut permits) = streams(COLLECTED_STREAMS_MAX + 1, &[10]).await;
        permits = hashing(permits);
        let used = || used(&receives).iter().sum::<usize>();
        let mut some = permits.split_off(COLLECTED_STREAMS_MAX - 1);
        drop(permits);
        assert_eq!(used(), 650);
        some.pop();
        assert_eq!(used(), 10);
        some.pop();
        assert_eq!(used(), 0);
    }

    #[tokio::test]
    async fn a_client_that_has_used_half_of_its_window_is_short_of_it() {
        let (backlog, _receives, mut permits) = streams(3, &[12_000]).await;
        permits = hashing(permits);
        assert!(backlog.is_short());
        // The collected window counts as used until it is released.
        permits.pop();
        assert!(backlog.is_short());
        permits.pop();
        assert!(!backlog.is_short());
    }
}
