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
//! **Collected.** Each WINDOW_UPDATE costs frames on both sides, and a turn and a write here. So
//! window is collected while more bytes of the connection are being hashed, up to 37% of the
//! smallest window. While a client has used half of its window, the engine does not wait for more
//! jobs (wait.rs in the engine).
//!
//! **Owed.** A client's rate limit (client/throttle.rs) holds back window of its streams. Those
//! bytes are hashed and take no memory. They release the connection's window, so they do not block
//! its other calls. A call ends only when its bytes are paid for; otherwise short
//! calls that fit the first window would never be limited. Answers of a stream's parts leave before
//! that: if they waited, they would take memory that no client is charged for.
//!
//! **The window's size** comes from a budget (limits/shares.rs) and grows with the measured
//! bandwidth and delay of the line (ping.rs).
//!
//! Why 37%: each update takes 5 us of the server, and with half of the window clients run
//! out of window before the update arrives. One count for all connections slows a client with four
//! streams by 3 to 10% (docs/measurements.md, Alternatives that were measured).
//!
//! Why a rate limit does not stop reads: that would block all clients behind a proxy. In
//! server/tests/server/bounds/quotas.rs another client sends 8 MiB on the same connection as four
//! calls that hold back four of its windows.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use hashlane_http2::Connection as Protocol;

use crate::client::{Client, Slot};
use crate::limiter::Permit;
use crate::limits::{Backlog, Limits};
use crate::ready::ReadyQueue;

/// Collected window is at most this share of the smallest window.
const COLLECTED_PERCENT: usize = 37;

/// How often a call that owes bytes checks whether its client's rate has changed.
const RATE_CHECK: Duration = Duration::from_secs(1);

/// The windows of a connection and of its streams.
#[derive(Debug)]
pub(crate) struct Flow {
    backlog: Rc<Backlog>,
    /// Wakes the connection to release window.
    ready: Arc<ReadyQueue>,
    /// The connection's window, from the budget.
    window: RefCell<Permit>,
    stream_bytes: Cell<u32>,
    hashing_bytes: Cell<usize>,
    collected_bytes: Cell<usize>,
    /// Streams with collected window.
    collected: RefCell<Vec<Rc<StreamFlow>>>,
    /// Some collected window is released at once.
    is_urgent: Cell<bool>,
    /// The client has used half of the smallest window.
    is_short: Cell<bool>,
    /// The connection is gone, and nothing is collected for it.
    is_closed: Cell<bool>,
}

impl Flow {
    /// A connection with this window, and streams with windows of `stream_bytes`.
    pub(super) fn new(
        backlog: &Rc<Backlog>,
        ready: &Arc<ReadyQueue>,
        window: Permit,
        stream_bytes: u32,
    ) -> Rc<Self> {
        Rc::new(Self {
            backlog: Rc::clone(backlog),
            ready: Arc::clone(ready),
            window: RefCell::new(window),
            stream_bytes: Cell::new(stream_bytes),
            hashing_bytes: Cell::new(0),
            collected_bytes: Cell::new(0),
            collected: RefCell::default(),
            is_urgent: Cell::new(false),
            is_short: Cell::new(false),
            is_closed: Cell::new(false),
        })
    }

    /// The connection is gone. Its chunks may still be hashed.
    pub(super) fn close(&self) {
        self.is_closed.set(true);
        self.collected.take();
    }

    /// The connection's window.
    pub(super) fn window_bytes(&self) -> u32 {
        u32::try_from(self.window.borrow().amount()).unwrap_or(u32::MAX)
    }

    /// Makes both windows large enough for a line that holds `held_bytes`, if the budget allows it.
    pub(super) fn grow<T: Clone>(
        &self,
        held_bytes: u64,
        bytes_max: u32,
        limits: &Limits,
        client: &Client,
        protocol: &mut Protocol<T>,
    ) {
        let before = self.window_bytes();
        let wanted = held_bytes.saturating_mul(2).min(bytes_max.into());
        let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
        let mut window = self.window.borrow_mut();
        if wanted > before && limits.grow_window(client, &mut window, wanted) {
            protocol.open_window(0, wanted - before);
            protocol.grow_stream_windows(wanted);
            self.stream_bytes.set(wanted.max(self.stream_bytes.get()));
        }
    }

    fn smallest_bytes(&self) -> usize {
        self.window_bytes().min(self.stream_bytes.get()) as usize
    }

    /// Whether the collected window is to be released: it is large enough, or no byte is being
    /// hashed whose window could join it.
    fn has_enough(&self) -> bool {
        let collected = self.collected_bytes.get();
        self.is_urgent.get()
            || collected > 0
                && (self.hashing_bytes.get() == 0
                    || collected >= self.smallest_bytes() * COLLECTED_PERCENT / 100)
    }

    /// Releases the collected window if there is enough of it.
    pub(super) fn release<T: Clone>(&self, protocol: &mut Protocol<T>) {
        let unclaimed = protocol.take_unclaimed();
        self.collect(unclaimed as usize);
        if !self.has_enough() {
            return;
        }
        self.is_urgent.set(false);
        let bytes = u32::try_from(self.collected_bytes.take()).unwrap_or(u32::MAX);
        protocol.open_window(0, bytes);
        for stream in self.collected.borrow_mut().drain(..) {
            let bytes = u32::try_from(stream.collected_bytes.take()).unwrap_or(u32::MAX);
            protocol.open_window(stream.id, bytes);
        }
        self.note_short();
    }

    /// Releases all collected window of a connection whose client is not told: HTTP/1.1.
    pub(super) fn release_untold(&self) {
        self.is_urgent.set(false);
        self.collected_bytes.set(0);
        for stream in self.collected.borrow_mut().drain(..) {
            stream.collected_bytes.set(0);
        }
        self.note_short();
    }

    fn collect(&self, bytes: usize) {
        let collected = self.collected_bytes.get();
        self.collected_bytes.set(collected + bytes);
    }

    fn note_short(&self) {
        let used = self.hashing_bytes.get() + self.collected_bytes.get();
        let is_short = used > self.smallest_bytes() / 2;
        if self.is_short.replace(is_short) != is_short {
            self.backlog.set_short(is_short);
        }
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        if self.is_short.get() {
            self.backlog.set_short(false);
        }
    }
}

/// The window of a stream.
#[derive(Debug)]
pub(crate) struct StreamFlow {
    id: u32,
    connection: Rc<Flow>,
    /// The client whose rate applies. Empty until the call is known.
    client: OnceCell<Arc<Client>>,
    collected_bytes: Cell<usize>,
    owed_bytes: Cell<usize>,
    /// Those that took no window: the last ones.
    windowless_bytes: Cell<usize>,
    /// When the next owed bytes are paid.
    slot: Cell<Option<Slot>>,
    /// Woken when the call comes to owe bytes, and when they may be paid.
    waker: RefCell<Option<Waker>>,
    /// The call owed bytes when it last asked.
    owed: Cell<bool>,
}

impl StreamFlow {
    pub(super) fn new(id: u32, connection: &Rc<Flow>) -> Rc<Self> {
        Rc::new(Self {
            id,
            connection: Rc::clone(connection),
            client: OnceCell::new(),
            collected_bytes: Cell::new(0),
            owed_bytes: Cell::new(0),
            windowless_bytes: Cell::new(0),
            slot: Cell::new(None),
            waker: RefCell::default(),
            owed: Cell::new(false),
        })
    }

    /// A permit for bytes that the stream has received.
    pub(super) fn receive(self: &Rc<Self>, bytes: u32) -> WindowPermit {
        WindowPermit {
            stream: Rc::clone(self),
            bytes: bytes as usize,
            is_hashing: false,
        }
    }

    /// Bytes of the connection that are being hashed, and bytes that this stream owes.
    pub(crate) fn unhashed_bytes(&self) -> usize {
        self.connection.hashing_bytes.get() + self.owed_bytes.get()
    }

    /// From now on the rate of `client` holds back window.
    pub(super) fn set_client(&self, client: &Arc<Client>) {
        // A call has one client.
        let _ = self.client.set(Arc::clone(client));
    }

    /// Ready if the call owes nothing. Otherwise releases the bytes that are paid by now; the call
    /// must ask again at [`Self::paid_at`]. Wakes the call when it owes bytes again.
    pub(crate) fn poll_paid(self: &Rc<Self>, cx: &Context<'_>) -> Poll<()> {
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
            let windowless = self.windowless_bytes.get();
            let kept = windowless.min(owed - paid);
            self.windowless_bytes.set(kept);
            self.collect(paid - (windowless - kept));
            self.connection.is_urgent.set(true);
            self.connection.ready.wake_owner();
        }
    }

    /// Bytes that are hashed and not paid.
    pub(crate) fn owed_bytes(&self) -> usize {
        self.owed_bytes.get()
    }

    /// Bytes that took no window are hashed. Where the client has a rate, it must pay for them.
    pub(crate) fn hashed(&self, bytes: usize) {
        if self.must_pay() {
            let windowless = self.windowless_bytes.get();
            self.windowless_bytes.set(windowless + bytes);
            self.owe(bytes);
        }
    }

    /// Whether hashed bytes are owed.
    fn must_pay(&self) -> bool {
        let client = self.client.get();
        let has_rate = client.is_some_and(|client| client.throttle.rate().is_some());
        has_rate || self.owed_bytes.get() > 0
    }

    fn owe(&self, bytes: usize) {
        self.owed_bytes.set(self.owed_bytes.get() + bytes);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// When a call that owes bytes must ask again.
    pub(crate) fn paid_at(&self) -> Option<Instant> {
        let slot = self.slot.get()?;
        Some(slot.at.min(Instant::now() + RATE_CHECK))
    }

    /// Whether `poll_paid` has found owed bytes since the last call. Clears the flag.
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

    /// Adds window of this stream alone to what is collected.
    fn collect(self: &Rc<Self>, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let collected = self.collected_bytes.get();
        self.collected_bytes.set(collected + bytes);
        if collected == 0 && !self.connection.is_closed.get() {
            self.connection.collected.borrow_mut().push(Rc::clone(self));
        }
    }

    /// Handles the drop of a permit for `bytes`.
    fn give_back(self: &Rc<Self>, bytes: usize, is_hashed: bool) {
        let connection = &self.connection;
        if is_hashed {
            let hashing = connection.hashing_bytes.get();
            connection.hashing_bytes.set(hashing - bytes);
        }
        if self.must_pay() {
            self.owe(bytes);
        } else {
            self.collect(bytes);
        }
        connection.collect(bytes);
        connection.note_short();
        if connection.has_enough() {
            connection.ready.wake_owner();
        }
    }
}

impl Drop for StreamFlow {
    fn drop(&mut self) {
        let owed = self.owed_bytes.get();
        if owed == 0 {
            return;
        }
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

    /// A permit for `bytes` of a stream whose connection is gone, and that stream's window.
    #[cfg(test)]
    pub(crate) fn of_test(bytes: usize) -> (Self, Rc<StreamFlow>) {
        let budget = crate::limiter::Budget::new(bytes);
        let window = budget.nothing();
        let flow = Flow::new(&Backlog::new(), &Arc::default(), window, 0);
        flow.close();
        let stream = StreamFlow::new(1, &flow);
        (stream.receive(u32::try_from(bytes).unwrap()), stream)
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
    use hashlane_http2::{Config, Event, Step};
    use hashlane_http2_frames::{call, frames, kind, number_at, preface};

    use super::*;
    use crate::client::ClientId;
    use crate::config::Settings;
    use crate::limiter::Budget;

    const WINDOW_BYTES: u32 = 65_535;

    /// A connection with open streams.
    struct Opened {
        backlog: Rc<Backlog>,
        protocol: Protocol<()>,
        flow: Rc<Flow>,
        streams: Vec<Rc<StreamFlow>>,
    }

    fn opened(count: u32) -> Opened {
        let backlog = Backlog::new();
        let window = Budget::new(WINDOW_BYTES as usize).take(WINDOW_BYTES as usize);
        let ready = Arc::<ReadyQueue>::default();
        let flow = Flow::new(&backlog, &ready, window.unwrap(), WINDOW_BYTES);
        let mut protocol = Protocol::new(Config {
            streams_max: count,
            stream_window_bytes: WINDOW_BYTES,
            connection_window_bytes: WINDOW_BYTES,
            frame_bytes_max: 16_384,
            header_list_bytes_max: 16_384,
        });
        let ids = (0..count).map(|at| 2 * at + 1);
        let calls = ids.clone().flat_map(|id| call("/a/b", id, 0, &[]));
        let mut sent = preface().into_iter().chain(calls).collect();
        loop {
            match protocol.step(&mut sent).unwrap() {
                Step::NeedMore => break,
                Step::Event(Event::Request { stream, .. }) => protocol.accept(stream, ()),
                Step::Event(_) | Step::Frame => {}
            }
        }
        protocol.output().clear();
        let streams = ids.map(|id| StreamFlow::new(id, &flow)).collect();
        Opened {
            backlog,
            protocol,
            flow,
            streams,
        }
    }

    impl Opened {
        /// Permits of all streams for frames of these lengths, as the engine holds them.
        fn hashing(&self, frames: &[u32]) -> impl Iterator<Item = WindowPermit> + use<> {
            let streams = self.streams.iter();
            let permits = streams.flat_map(|s| frames.iter().map(|bytes| s.receive(*bytes)));
            let permits: Vec<_> = permits.map(|mut p| p.split(usize::MAX)).collect();
            permits.into_iter()
        }

        /// The streams whose windows a turn opens, and by how many bytes. Stream 0 is the
        /// connection.
        fn released(&mut self) -> Vec<(u32, u32)> {
            self.flow.release(&mut self.protocol);
            let output = self.protocol.output().split();
            let updates = frames(&output).map(|(head, payload)| {
                assert_eq!(head.kind, kind::WINDOW_UPDATE);
                (head.stream, number_at(payload, 0).unwrap())
            });
            updates.collect()
        }
    }

    #[test]
    fn windows_come_back_together_when_none_is_left_to_be_dropped() {
        let mut opened = opened(3);
        let mut permits = opened.hashing(&[100]);
        permits.next();
        permits.next();
        assert_eq!(opened.released(), []);
        permits.next();
        assert_eq!(opened.released(), [(0, 300), (1, 100), (3, 100), (5, 100)]);
        assert_eq!(opened.released(), []);
    }

    /// Such bytes may wait for the client to read answers.
    #[test]
    fn bytes_that_are_not_hashed_yet_keep_no_window_back() {
        let mut opened = opened(2);
        let held = opened.streams[1].receive(100);
        drop(opened.hashing(&[70]));
        assert_eq!(opened.released(), [(0, 140), (1, 70), (3, 70)]);
        drop(held);
        assert_eq!(opened.released(), [(0, 100), (3, 100)]);
    }

    #[test]
    fn enough_of_the_window_comes_back_at_once() {
        let mut opened = opened(2);
        let mut permits = opened.hashing(&[12_000, 12_000, 400]);
        permits.next();
        permits.next();
        assert_eq!(opened.released(), []);
        permits.next();
        assert_eq!(opened.released(), [(0, 24_400), (1, 24_400)]);
        permits.next();
        assert_eq!(opened.released(), []);
    }

    /// What arrives for no stream takes the connection's window alone.
    #[test]
    fn data_of_closed_streams_gives_its_window_back() {
        let mut opened = opened(1);
        opened.protocol.reset(1, hashlane_http2::Code::CANCEL);
        opened.protocol.output().clear();
        let mut data = hashlane_http2_frames::frame(kind::DATA, 0, 1, &[0; 70]).into();
        while !matches!(opened.protocol.step(&mut data), Ok(Step::NeedMore)) {}
        assert_eq!(opened.released(), [(0, 70)]);
    }

    #[test]
    fn bytes_that_took_no_window_are_paid_and_give_none_back() {
        let mut opened = opened(1);
        let now = Instant::now();
        let client = Limits::new(&Settings::default()).client(&ClientId::Uid(1), now);
        client.throttle.set_rate(Some(64 << 10), now);
        let stream = Rc::clone(&opened.streams[0]);
        stream.set_client(&client);
        stream.hashed(1000);
        drop(opened.hashing(&[70]));
        assert_eq!(
            (stream.owed_bytes(), opened.released()),
            (1070, vec![(0, 70)])
        );
        let cx = &Context::from_waker(Waker::noop());
        assert!(stream.poll_paid(cx).is_ready());
        assert_eq!((stream.owed_bytes(), opened.released()), (0, vec![(1, 70)]));
        // Without a rate nothing is owed.
        client.throttle.set_rate(None, now);
        stream.hashed(1000);
        assert_eq!((stream.owed_bytes(), opened.released()), (0, vec![]));
    }

    #[test]
    fn a_connection_that_is_gone_keeps_nothing() {
        let opened = opened(1);
        let permits = opened.hashing(&[100]);
        opened.flow.close();
        drop(permits);
        let flow = Rc::downgrade(&opened.flow);
        drop(opened);
        assert!(flow.upgrade().is_none());
    }

    #[test]
    fn a_client_that_has_used_half_of_its_window_is_short_of_it() {
        let mut opened = opened(3);
        let mut permits = opened.hashing(&[12_200]);
        assert!(opened.backlog.is_short());
        // The collected window counts as used until it is released.
        permits.next();
        assert!(opened.backlog.is_short());
        permits.next();
        assert!(opened.backlog.is_short());
        assert_eq!(opened.released(), [(0, 24_400), (1, 12_200), (3, 12_200)]);
        assert!(!opened.backlog.is_short());
        // So does what a connection that is gone leaves to be hashed.
        let more = opened.hashing(&[20_000]);
        assert!(opened.backlog.is_short());
        opened.flow.close();
        let backlog = Rc::clone(&opened.backlog);
        drop((opened, more, permits));
        assert!(!backlog.is_short());
    }
}
