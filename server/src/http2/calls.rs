//! The running calls of a connection. Each is a future; those that were woken run in the
//! connection's turn.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Waker};

use bytes::Bytes;
use futures_util::future::LocalBoxFuture;
use hashlane_http2::Request;
use http::Response;
use slab::Slab;

use super::stream::{Receive, Respond};
use crate::drain::Phase;
use crate::ready::{Entry, ReadyQueue};

/// Begins a connection's calls.
pub(crate) trait Calls {
    /// Begins the call of a request, or answers it at once.
    fn begin(
        &self,
        request: Request,
        receive: Receive,
        respond: Respond,
    ) -> Option<LocalBoxFuture<'static, ()>>;

    /// Answers a request that is not gRPC. `None` if the client is gone.
    fn answer(
        &self,
        request: Request,
        receive: Receive,
    ) -> LocalBoxFuture<'static, Option<Response<Bytes>>>;

    /// The connection enters `phase` of its drain. All calls run after this.
    fn enter(&self, phase: Phase);
}

/// Places that a connection without calls keeps.
const CALLS_KEPT: usize = 64;

/// Running calls.
pub(super) struct Running {
    calls: Slab<Call>,
    queue: Arc<ReadyQueue>,
    /// Woken calls that have not run yet.
    ready: VecDeque<Arc<Entry>>,
}

struct Call {
    future: LocalBoxFuture<'static, ()>,
    entry: Arc<Entry>,
    waker: Waker,
}

impl Running {
    /// Calls whose wakers use `queue`.
    pub(super) fn new(queue: &Arc<ReadyQueue>) -> Self {
        Self {
            calls: Slab::new(),
            queue: Arc::clone(queue),
            ready: VecDeque::new(),
        }
    }

    /// Adds a call, which is ready.
    pub(super) fn push(&mut self, future: LocalBoxFuture<'static, ()>) {
        let place = self.calls.vacant_entry();
        let entry = self.queue.add(place.key());
        let waker = Waker::from(Arc::clone(&entry));
        place.insert(Call {
            future,
            entry,
            waker,
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether ready calls did not run in the last turn.
    pub(super) fn has_turn_left(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Whether a call is ready.
    pub(super) fn has_ready(&self) -> bool {
        !self.ready.is_empty() || !self.queue.is_empty()
    }

    /// Runs the ready calls until none is left, or until `is_over`.
    pub(super) fn run(&mut self, is_over: impl Fn() -> bool) {
        loop {
            while let Some(entry) = self.ready.pop_front() {
                self.poll(&entry);
                if is_over() {
                    return;
                }
            }
            self.ready.extend(self.queue.take());
            if self.ready.is_empty() {
                return;
            }
        }
    }

    fn poll(&mut self, entry: &Arc<Entry>) {
        // The key of an ended call may belong to another one now.
        let call = self.calls.get_mut(entry.key);
        let Some(call) = call.filter(|call| Arc::ptr_eq(&call.entry, entry)) else {
            return;
        };
        entry.begin();
        let cx = &mut Context::from_waker(&call.waker);
        if call.future.as_mut().poll(cx).is_ready() {
            self.calls.remove(entry.key);
            if self.calls.is_empty() && self.calls.capacity() > CALLS_KEPT {
                self.calls = Slab::new();
            }
        }
    }

    /// Has all calls run.
    pub(super) fn wake_all(&self) {
        for (_, call) in &self.calls {
            call.waker.wake_by_ref();
        }
    }

    /// Drops the calls.
    pub(super) fn clear(&mut self) {
        self.calls = Slab::new();
        self.ready = VecDeque::new();
    }
}
