//! Windows that are given back together, while more of the connection's bytes are to be hashed.
//!
//! HTTP/2 writes a WINDOW_UPDATE when it would give back half of what the client has left. A client
//! that is faster than the server has nothing left: each step of the engine would cause some, in a
//! turn of the connection and a write of their own.
//!
//! ```text
//! WindowPermit dropped ──> collected ──> HTTP/2: when they are a quarter of the window, or of
//!                                        many streams, or no more are to come from the engine
//! ```
//!
//! While a client has little window left the engine does not wait for more jobs (hashing/wait.rs).
//!
//! Why a quarter: a saturated server takes 0.337 CPU s/GB in place of 0.425; with half of the
//! window the client runs dry before it is back, and one count for all connections slows a client
//! with four streams by 3 to 10% (docs/measurements.md, Alternatives that were measured).

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use super::pace::StreamWindow;
use crate::limits::Backlog;

/// A quarter of the window is collected. With more, a client runs out of window before that is
/// back.
const FRACTION: usize = 4;

/// Streams whose windows are collected: each keeps the stream's state, if it has ended.
const STREAMS_MAX: usize = 64;

/// What is collected on a connection.
pub(super) struct Updates {
    backlog: Rc<Backlog>,
    /// The smallest window of the connection and its streams.
    window_bytes: Cell<usize>,
    /// Bytes that are to be hashed.
    hashing_bytes: Cell<usize>,
    /// Bytes whose window is collected.
    collected_bytes: Cell<usize>,
    /// Streams they came on. Each refers to its connection, until what it has is given back.
    streams: RefCell<Vec<Rc<StreamWindow>>>,
    /// Together they are more than half of that window.
    is_short: Cell<bool>,
}

impl Updates {
    pub(super) fn new(backlog: &Rc<Backlog>) -> Self {
        Self {
            backlog: Rc::clone(backlog),
            window_bytes: Cell::default(),
            hashing_bytes: Cell::default(),
            collected_bytes: Cell::default(),
            streams: RefCell::default(),
            is_short: Cell::default(),
        }
    }

    /// The smallest window is this.
    pub(super) fn set_window(&self, bytes: u32) {
        self.window_bytes.set(bytes as usize);
    }

    /// So many bytes are to be hashed.
    pub(super) fn enter(&self, bytes: usize) {
        self.hashing_bytes.set(self.hashing_bytes.get() + bytes);
        self.note_short();
    }

    /// So many are hashed. What was collected may wait for no others.
    pub(super) fn leave(&self, bytes: usize) {
        self.hashing_bytes.set(self.hashing_bytes.get() - bytes);
        self.give_back();
    }

    /// So many bytes' window is to be given back.
    pub(super) fn collect(&self, stream: &Rc<StreamWindow>, bytes: usize) {
        self.collected_bytes.set(self.collected_bytes.get() + bytes);
        if stream.collect(bytes) {
            self.streams.borrow_mut().push(Rc::clone(stream));
        }
        self.give_back();
    }

    fn give_back(&self) {
        let mut streams = self.streams.borrow_mut();
        if self.hashing_bytes.get() == 0
            || self.collected_bytes.get() >= self.window_bytes.get() / FRACTION
            || streams.len() >= STREAMS_MAX
        {
            self.collected_bytes.set(0);
            for stream in streams.drain(..) {
                stream.release_collected();
            }
        }
        self.note_short();
    }

    fn note_short(&self) {
        let used = self.hashing_bytes.get() + self.collected_bytes.get();
        let is_short = used > self.window_bytes.get() / 2;
        if self.is_short.replace(is_short) != is_short {
            self.backlog.set_short(is_short);
        }
    }
}

impl fmt::Debug for Updates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Updates")
            .field("hashing_bytes", &self.hashing_bytes)
            .field("collected_bytes", &self.collected_bytes)
            .field("streams", &self.streams.borrow().len())
            .finish()
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
    use super::super::stream::{Receive, Received, WindowPermit};
    use super::*;

    const WINDOW_BYTES: u32 = 65_535;

    /// A connection with so many streams, each with `frames` of these lengths: what came of
    /// each, and the permits in order.
    async fn streams(
        count: usize,
        frames: &[usize],
    ) -> (Rc<Backlog>, Vec<Receive>, Vec<WindowPermit>) {
        let backlog = Backlog::new();
        let intake = Intake::new(&backlog, 1);
        intake.updates.set_window(WINDOW_BYTES);
        let (ours, theirs) = duplex(1 << 20);
        let (client, server) = tokio::join!(client::handshake(ours), server::handshake(theirs));
        let ((mut client, sends), mut server) = (client.unwrap(), server.unwrap());
        let mut sends = Box::pin(sends);
        let (mut receives, mut permits) = (Vec::new(), Vec::new());
        for _ in 0..count {
            // Or its budget of polls would be used up.
            yield_now().await;
            let request = Request::post("http://test/").body(()).unwrap();
            let (_response, mut body) = client.send_request(request, false).unwrap();
            for len in frames {
                body.send_data(vec![0; *len].into(), false).unwrap();
            }
            assert!((&mut sends).now_or_never().is_none());
            let (request, _) = server.accept().await.unwrap().unwrap();
            let mut receive = Receive::new(request.into_body(), &intake);
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

    /// What goes to the engine.
    fn hashing(permits: Vec<WindowPermit>) -> Vec<WindowPermit> {
        let split = |mut permit: WindowPermit| permit.split(usize::MAX);
        permits.into_iter().map(split).collect()
    }

    fn used(receives: &[Receive]) -> Vec<usize> {
        let used = |receive: &Receive| receive.window().used_bytes();
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

    /// They may wait for answers to be taken.
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

    /// Each of them may have ended.
    #[tokio::test]
    async fn few_streams_are_kept() {
        let (_, receives, mut permits) = streams(STREAMS_MAX + 1, &[10]).await;
        permits = hashing(permits);
        let used = || used(&receives).iter().sum::<usize>();
        let mut some = permits.split_off(STREAMS_MAX - 1);
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
        // It has used as much, until that is given back.
        permits.pop();
        assert!(backlog.is_short());
        permits.pop();
        assert!(!backlog.is_short());
    }
}
