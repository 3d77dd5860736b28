//! Answers that HTTP/2 holds and the socket has not accepted.
//!
//! Answers are handed to HTTP/2 only as far as the client's windows allow (stream.rs). So bytes in
//! HTTP/2 wait for the socket: the client opens windows but does not read. h2 does not report when
//! bytes were written, but it then drops their buffer, so [`Unsent`] counts them. Two bounds apply
//! to such a client:
//!
//! - time: if none of the waiting answers was written for `part_idle_timeout`, the connection is
//!   closed (connection.rs);
//! - bytes: `unread_bytes_max` bounds the answers of all clients, including those that still wait
//!   for windows (limits/unread.rs).

use std::cell::Cell;
use std::io::IoSlice;
use std::rc::Rc;

use bytes::{Buf, Bytes};

use crate::limits::unread::Holding;

/// A connection's client, as the recipient of its answers.
#[derive(Debug)]
pub(crate) struct Recipient {
    holding: Holding,
    /// Number of answers in HTTP/2.
    unsent: Cell<usize>,
    /// Since the last check: whether answers were written. At the last check: whether answers
    /// waited.
    sent: Cell<bool>,
    waited: Cell<bool>,
}

impl Recipient {
    pub(super) fn new(holding: Holding) -> Rc<Self> {
        Rc::new(Self {
            holding,
            unsent: Cell::new(0),
            sent: Cell::new(false),
            waited: Cell::new(false),
        })
    }

    /// Whether answers have waited for the socket since the last call, and none was written.
    pub(super) fn is_stuck(&self) -> bool {
        let waited = self.waited.replace(self.unsent.get() > 0);
        let sent = self.sent.replace(false);
        waited && !sent
    }

    /// Ready when the connection must be closed.
    pub(super) async fn cut(&self) {
        self.holding.cut().await;
    }
}

/// Waiting answers, counted for their recipient until this is dropped.
#[derive(Debug)]
pub(crate) struct Waiting {
    recipient: Rc<Recipient>,
    bytes: usize,
}

impl Waiting {
    /// Starts with no bytes.
    pub(crate) fn new(recipient: &Rc<Recipient>) -> Self {
        Self {
            recipient: Rc::clone(recipient),
            bytes: 0,
        }
    }

    /// Sets the number of waiting bytes.
    pub(crate) fn set(&mut self, bytes: usize) {
        let before = std::mem::replace(&mut self.bytes, bytes);
        if bytes > before {
            self.recipient.holding.charge(bytes - before);
        } else if bytes < before {
            self.recipient.holding.credit(before - bytes);
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// Bytes of answers in HTTP/2.
#[derive(Debug)]
pub(crate) struct Unsent {
    bytes: Bytes,
    waiting: Waiting,
}

impl Unsent {
    pub(super) fn new(bytes: Bytes, recipient: &Rc<Recipient>) -> Self {
        recipient.unsent.set(recipient.unsent.get() + 1);
        let mut waiting = Waiting::new(recipient);
        waiting.set(bytes.len());
        Self { bytes, waiting }
    }
}

impl Drop for Unsent {
    fn drop(&mut self) {
        let recipient = &self.waiting.recipient;
        recipient.unsent.set(recipient.unsent.get() - 1);
        recipient.sent.set(true);
    }
}

impl Buf for Unsent {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, bytes: usize) {
        self.bytes.advance(bytes);
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        self.bytes.chunks_vectored(slices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::ClientId;
    use crate::config::Settings;
    use crate::limits::Limits;

    fn recipient() -> Rc<Recipient> {
        let settings = Settings::default();
        let limits = Limits::new(&settings);
        let client = limits.client(&ClientId::Uid(1), std::time::Instant::now());
        Recipient::new(limits.unread.hold(&client))
    }

    #[test]
    fn answers_wait_until_they_are_dropped() {
        let recipient = recipient();
        let held = || recipient.holding.bytes();
        let mut unsent = Unsent::new(Bytes::from(vec![0; 900]), &recipient);
        unsent.advance(100);
        assert_eq!((unsent.remaining(), held()), (800, 900));
        let mut waiting = Waiting::new(&recipient);
        waiting.set(70);
        waiting.set(50);
        assert_eq!(held(), 950);
        drop(unsent);
        assert_eq!(held(), 50);
        drop(waiting);
        assert_eq!(held(), 0);
    }

    #[test]
    fn a_recipient_is_stuck_when_nothing_was_written_between_two_looks() {
        let recipient = &recipient();
        assert!(!recipient.is_stuck());
        let [one, two] = [b"a", b"b"].map(|b| Unsent::new(Bytes::from_static(b), recipient));
        assert!(!recipient.is_stuck(), "they may be new");
        assert!(recipient.is_stuck());
        drop(one);
        assert!(!recipient.is_stuck());
        assert!(recipient.is_stuck());
        drop(two);
        assert!(!recipient.is_stuck());
        assert!(!recipient.is_stuck());
    }
}
