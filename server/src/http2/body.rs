//! What has arrived on a stream and its call has not yet taken.
//!
//! A call takes nothing while its client leaves answers unread, or while too many digests are
//! outstanding. Its window then bounds the bytes that wait here.
//!
//! Why small pieces are merged: a window bounds their bytes, not their number, and each takes 100
//! bytes of its own. 160,000 one-byte frames took 40 MiB, and less than 1 MiB merged
//! (server/tests/server/bounds/memory/).
//!
//! Why they are copied: a slice keeps the whole buffer that it was read into (read_buffers.rs).

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use super::flow::{Flow, StreamFlow, WindowPermit};

/// Pieces below this size are copied.
const COPIED_BYTES_MAX: usize = 1 << 10;

/// Copies are merged up to this many bytes.
const MERGED_BYTES_MAX: usize = 16 << 10;

/// What arrived on a request's body.
#[derive(Debug)]
pub(crate) enum Received {
    /// Some of a frame's bytes, or those of several small frames.
    Data(Bytes, WindowPermit),
    /// The half-close (END_STREAM).
    End,
    /// The client reset the stream, or the connection is gone.
    Gone,
}

/// What has arrived on a stream, and the wakers of its call.
#[derive(Debug)]
pub(crate) struct Body {
    id: u32,
    flow: Rc<StreamFlow>,
    pieces: RefCell<VecDeque<(Bytes, WindowPermit)>>,
    has_ended: Cell<bool>,
    /// The client or the server has reset the stream.
    is_reset: Cell<bool>,
    /// The call reads no more.
    is_unread: Cell<bool>,
    /// An answer was sent since blocked streams were last woken.
    has_sent: Cell<bool>,
    /// Reads the body.
    reader: RefCell<Option<Waker>>,
    /// Sends the answer. A reflection call reads and sends in two tasks.
    sender: RefCell<Option<Waker>>,
}

impl Body {
    pub(super) fn new(id: u32, flow: &Rc<Flow>, has_ended: bool) -> Rc<Self> {
        Rc::new(Self {
            id,
            flow: StreamFlow::new(id, flow),
            pieces: RefCell::default(),
            has_ended: Cell::new(has_ended),
            is_reset: Cell::new(false),
            is_unread: Cell::new(false),
            has_sent: Cell::new(false),
            reader: RefCell::default(),
            sender: RefCell::default(),
        })
    }

    /// A piece of the body has arrived.
    pub(super) fn receive(&self, bytes: Bytes, window_bytes: u32) {
        let permit = self.flow.receive(window_bytes);
        // A piece without bytes is padding.
        if self.is_unread.get() || bytes.is_empty() {
            return;
        }
        let mut pieces = self.pieces.borrow_mut();
        if bytes.len() >= COPIED_BYTES_MAX {
            pieces.push_back((bytes, permit));
        } else if let Some((last, window)) = pieces.back_mut()
            && append(last, &bytes)
        {
            window.join(permit);
        } else {
            pieces.push_back((Bytes::copy_from_slice(&bytes), permit));
        }
        wake(&self.reader);
    }

    /// The body has ended.
    pub(super) fn end(&self) {
        self.has_ended.set(true);
        wake(&self.reader);
    }

    /// The stream is gone.
    pub(super) fn reset(&self) {
        self.is_reset.set(true);
        self.pieces.take();
        wake(&self.reader);
        wake(&self.sender);
    }

    /// More may be sent.
    pub(super) fn unblock(&self) {
        self.has_sent.set(false);
        wake(&self.sender);
    }

    /// Some of an answer was sent.
    pub(super) fn note_sent(&self) {
        self.has_sent.set(true);
    }

    /// Whether an answer was sent since the last [`unblock`](Self::unblock).
    pub(super) fn has_sent(&self) -> bool {
        self.has_sent.get()
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    pub(super) fn flow(&self) -> &Rc<StreamFlow> {
        &self.flow
    }

    /// The next piece, unless the call must wait: then its task is registered.
    pub(super) fn poll(&self, cx: &mut Context<'_>) -> Poll<Received> {
        if self.is_reset.get() {
            return Poll::Ready(Received::Gone);
        }
        // Owed bytes hold back window, not data that has arrived.
        let _ = self.flow.poll_paid(cx);
        if let Some((bytes, permit)) = self.pieces.borrow_mut().pop_front() {
            return Poll::Ready(Received::Data(bytes, permit));
        }
        if self.has_ended.get() {
            return Poll::Ready(Received::End);
        }
        register(&self.reader, cx);
        Poll::Pending
    }

    /// Whether all of the body has been read.
    pub(super) fn is_end(&self) -> bool {
        self.has_ended.get() && self.pieces.borrow().is_empty()
    }

    /// Whether the body has ended, or the client is gone.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.get() || self.is_reset.get()
    }

    /// Whether a piece waits for the call.
    pub(super) fn has_data(&self) -> bool {
        !self.pieces.borrow().is_empty()
    }

    /// The call reads no more.
    pub(super) fn leave_unread(&self) {
        self.is_unread.set(true);
        self.pieces.take();
    }

    /// Ready if the stream is reset.
    pub(super) fn poll_reset(&self, cx: &Context<'_>) -> Poll<()> {
        if self.is_reset.get() {
            return Poll::Ready(());
        }
        self.wait_to_send(cx);
        Poll::Pending
    }

    /// Wakes the task once more may be sent, or the stream is reset.
    pub(super) fn wait_to_send(&self, cx: &Context<'_>) {
        register(&self.sender, cx);
    }
}

/// Appends `bytes` to `piece`. Returns false if that has no room, or is not a copy.
fn append(piece: &mut Bytes, bytes: &[u8]) -> bool {
    if piece.len() + bytes.len() > MERGED_BYTES_MAX {
        return false;
    }
    match std::mem::take(piece).try_into_mut() {
        Ok(mut copy) => {
            copy.extend_from_slice(bytes);
            *piece = copy.freeze();
            true
        }
        Err(slice) => {
            *piece = slice;
            false
        }
    }
}

fn wake(place: &RefCell<Option<Waker>>) {
    if let Some(waker) = &*place.borrow() {
        waker.wake_by_ref();
    }
}

fn register(place: &RefCell<Option<Waker>>, cx: &Context<'_>) {
    match &mut *place.borrow_mut() {
        Some(waker) => waker.clone_from(cx.waker()),
        none => *none = Some(cx.waker().clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::link::tests::link;
    use super::*;
    use crate::limits::Backlog;
    use crate::ready::ReadyQueue;
    use std::sync::Arc;

    #[tokio::test]
    async fn small_pieces_are_merged_in_order_with_their_windows() {
        let body = Body::new(1, &link(&Backlog::new()).flow, false);
        let sent: Bytes = (0..=250).cycle().take(57_026).collect();
        let mut rest = sent.clone();
        // The pieces of 1024 bytes and more are slices, which nothing is appended to.
        for bytes in [1, 1, 5000, 1, 999, 1024].into_iter().chain([500; 100]) {
            let with_padding = u32::try_from(bytes + 1).unwrap();
            body.receive(rest.split_to(bytes), with_padding);
        }
        let cx = &mut Context::from_waker(Waker::noop());
        let (mut received, mut pieces) = (Vec::new(), Vec::new());
        while let Poll::Ready(Received::Data(bytes, mut window)) = body.poll(cx) {
            received.extend_from_slice(&bytes);
            let _hashing = window.split(usize::MAX);
            pieces.push((bytes.len(), body.flow().unhashed_bytes()));
        }
        assert_eq!(received, sent);
        let merged = [
            (16_000, 16_032),
            (16_000, 16_032),
            (16_000, 16_032),
            (2000, 2004),
        ];
        let others = [(2, 4), (5000, 5001), (1000, 1002), (1024, 1025)];
        assert_eq!(pieces, [others, merged].concat());
    }

    #[tokio::test]
    async fn a_reader_and_a_sender_wait_apart() {
        let body = Body::new(1, &link(&Backlog::new()).flow, false);
        let queue = Arc::<ReadyQueue>::default();
        let [reader, sender] = [0, 1].map(|key| queue.add(key));
        let woken = || {
            let entries = queue.take();
            entries.iter().for_each(|entry| entry.begin());
            entries.iter().map(|entry| entry.key).collect::<Vec<_>>()
        };
        woken();
        let [reader, sender] = [reader, sender].map(Waker::from);
        assert!(body.poll(&mut Context::from_waker(&reader)).is_pending());
        body.wait_to_send(&Context::from_waker(&sender));
        body.receive(Bytes::from_static(b"abc"), 3);
        assert_eq!(woken(), [0]);
        body.unblock();
        assert_eq!(woken(), [1]);
        body.reset();
        assert_eq!(woken(), [0, 1]);
    }
}
