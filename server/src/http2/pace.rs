//! Window that a client's rate holds back.
//!
//! ```text
//! WindowPermit dropped ── no rate ──> to the stream and the connection (updates.rs)
//!                     └─ a rate ──> owed ── its slots come ──> to both
//! ```
//!
//! Bytes that are owed are hashed, and take no memory any more. So that they do not hold up the
//! connection's other calls, its window is larger by as much (connection.rs): what is held back is
//! missing in the stream's window alone. A call's end waits until its bytes are paid, or short
//! calls would never wait: their first window takes all they send. Answers of a stream's parts
//! leave before: kept back, they would be memory that no client is charged for.
//!
//! Why not stop reading: that would hold up all clients of a proxy. server/tests/server/quotas.rs
//! has another client's 8 MiB pass on the connection of four calls that hold back four of its
//! windows.

use std::cell::{Cell, OnceCell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use h2::FlowControl;
use tokio::time::{Sleep, sleep_until};

use super::intake::Intake;
use crate::client::{Client, Slot};

/// How long one sleeps at most before it looks whether there is another rate.
const SLEEP_MAX: Duration = Duration::from_secs(1);

/// A stream's window.
#[derive(Debug)]
pub(crate) struct StreamWindow {
    flow: RefCell<FlowControl>,
    pub(super) intake: Rc<Intake>,
    /// Whose rate holds; nobody's before the call is known.
    client: OnceCell<Arc<Client>>,
    /// Bytes that are given back with those of others (updates.rs).
    collected_bytes: Cell<usize>,
    /// Bytes given back that are not paid.
    owed_bytes: Cell<usize>,
    /// When the next of them are.
    slot: Cell<Option<Slot>>,
    timer: RefCell<Option<Pin<Box<Sleep>>>>,
    /// The call, for when bytes are owed.
    waker: RefCell<Option<Waker>>,
    /// Some were not paid when somebody last asked.
    waited: Cell<bool>,
}

impl StreamWindow {
    pub(super) fn new(flow: FlowControl, intake: &Rc<Intake>) -> Rc<Self> {
        Rc::new(Self {
            flow: RefCell::new(flow),
            intake: Rc::clone(intake),
            client: OnceCell::new(),
            collected_bytes: Cell::new(0),
            owed_bytes: Cell::new(0),
            slot: Cell::new(None),
            timer: RefCell::default(),
            waker: RefCell::default(),
            waited: Cell::new(false),
        })
    }

    /// From now on the rate of `client` holds.
    pub(super) fn set_client(&self, client: &Arc<Client>) {
        // It is told once.
        let _ = self.client.set(Arc::clone(client));
    }

    pub(super) fn give_back(self: &Rc<Self>, bytes: usize, is_hashed: bool) {
        let client = self.client.get();
        let is_bounded = client.is_some_and(|client| client.throttle.rate().is_some());
        let is_free = !is_bounded && self.owed_bytes.get() == 0;
        let updates = &self.intake.updates;
        updates.leave(if is_hashed { bytes } else { 0 });
        if is_free {
            updates.collect(self, bytes);
            return;
        }
        self.owed_bytes.set(self.owed_bytes.get() + bytes);
        self.intake.withhold(bytes);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Ready if nothing is owed. If not, gives back what is paid, and the call is woken when more
    /// is; and when something is owed again.
    pub(crate) fn poll_paid(&self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            let owed = self.owed_bytes.get();
            let Some(client) = self.client.get().filter(|_| owed > 0) else {
                self.register(cx);
                return Poll::Ready(());
            };
            let (throttle, now) = (&client.throttle, Instant::now());
            let current = self.slot.get().filter(|slot| throttle.is_current(slot));
            let slot = current.unwrap_or_else(|| throttle.take(owed, now));
            self.slot.set(Some(slot));
            if slot.at <= now {
                self.slot.set(None);
                let paid = slot.bytes.min(owed);
                self.owed_bytes.set(owed - paid);
                self.intake.restore(paid);
                self.release(paid);
            } else if self
                .poll_until(slot.at.min(now + SLEEP_MAX), cx)
                .is_pending()
            {
                self.waited.set(true);
                self.register(cx);
                return Poll::Pending;
            }
        }
    }

    /// Whether something was owed when somebody asked, since the last call of this.
    pub(crate) fn take_waited(&self) -> bool {
        self.waited.take()
    }

    fn poll_until(&self, at: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let mut timer = self.timer.borrow_mut();
        let timer = timer.get_or_insert_with(|| Box::pin(sleep_until(at.into())));
        timer.as_mut().reset(at.into());
        timer.as_mut().poll(cx)
    }

    fn register(&self, cx: &Context<'_>) {
        let mut waker = self.waker.borrow_mut();
        if !waker
            .as_ref()
            .is_some_and(|waker| waker.will_wake(cx.waker()))
        {
            *waker = Some(cx.waker().clone());
        }
    }

    /// Bytes that were not given back to HTTP/2.
    #[cfg(test)]
    pub(super) fn used_bytes(&self) -> usize {
        self.flow.borrow().used_capacity()
    }

    /// Bytes are to be given back with others. Whether they are the first of this stream.
    pub(super) fn collect(&self, bytes: usize) -> bool {
        self.collected_bytes
            .replace(self.collected_bytes.get() + bytes)
            == 0
    }

    /// Gives back those that were collected.
    pub(super) fn release_collected(&self) {
        self.release(self.collected_bytes.take());
    }

    fn release(&self, bytes: usize) {
        // It fails if the stream is gone, and its window with it.
        let _ = self.flow.borrow_mut().release_capacity(bytes);
    }
}

impl Drop for StreamWindow {
    fn drop(&mut self) {
        let owed = self.owed_bytes.get();
        if owed == 0 {
            return;
        }
        self.intake.restore(owed);
        if let Some(client) = self.client.get() {
            let charged = self.slot.get().map_or(0, |slot| slot.bytes);
            let rest = owed.saturating_sub(charged);
            client.throttle.charge(rest, Instant::now());
        }
    }
}
