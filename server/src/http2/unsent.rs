//! Answers that HTTP/2 has taken and the socket has not.
//!
//! An answer is handed to HTTP/2 only when the client's windows take it (stream.rs), so
//! what lies there waits for the socket: for a client that opens windows and does not
//! read. h2 never says when bytes were written, but it drops their buffer then, so
//! [`Unsent`] counts them. Two bounds hold such a client:
//!
//! - in time: its connection is closed when nothing of what waits was written for
//!   `part_idle_timeout` (connection.rs);
//! - in bytes: when all clients' answers, those that still wait for windows too, exceed
//!   `unread_bytes_max`, the worker's connection that holds most is closed. Whoever reads
//!   holds next to nothing.

use std::cell::{Cell, RefCell};
use std::io::IoSlice;
use std::rc::Rc;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use slab::Slab;
use tokio::sync::Notify;

use crate::limits::{Budget, Permit};

/// A connection that holds less than the whole over this is not cut.
const MUCH: usize = 64;

/// The connections of a worker, as recipients of answers.
#[derive(Debug)]
pub(crate) struct Recipients {
    budget: Arc<Budget>,
    recipients: RefCell<Slab<Rc<Recipient>>>,
}

impl Recipients {
    pub(crate) fn new(budget: &Arc<Budget>) -> Rc<Self> {
        Rc::new(Self {
            budget: Arc::clone(budget),
            recipients: RefCell::default(),
        })
    }

    /// Registers a connection for as long as the guard lives.
    pub(super) fn connect(self: &Rc<Self>) -> Connected {
        let recipient = Rc::new(Recipient {
            recipients: Rc::clone(self),
            unread: RefCell::new(self.budget.nothing()),
            unsent: Cell::new(0),
            sent: Cell::new(false),
            waited: Cell::new(false),
            is_cut: Cell::new(false),
            cut: Notify::new(),
        });
        let key = self.recipients.borrow_mut().insert(Rc::clone(&recipient));
        Connected { recipient, key }
    }

    /// Cuts whoever holds most, unless one that holds something is cut already: what it
    /// holds will soon be given back.
    fn relieve(&self) {
        let recipients = self.recipients.borrow();
        let recipients = || recipients.iter().map(|(_, recipient)| recipient);
        if recipients().any(|recipient| recipient.is_cut.get() && recipient.unread_bytes() > 0) {
            return;
        }
        // The budget is the process's: if none of this worker's holds much, another's does.
        let much = self.budget.max() / MUCH;
        let worst = recipients().max_by_key(|recipient| recipient.unread_bytes());
        if let Some(worst) = worst.filter(|worst| worst.unread_bytes() >= much) {
            worst.is_cut.set(true);
            worst.cut.notify_one();
        }
    }
}

/// A connection's place among those of its worker.
#[derive(Debug)]
pub(super) struct Connected {
    recipient: Rc<Recipient>,
    key: usize,
}

impl Connected {
    pub(super) fn recipient(&self) -> &Rc<Recipient> {
        &self.recipient
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        let recipients = &self.recipient.recipients;
        recipients.recipients.borrow_mut().try_remove(self.key);
    }
}

/// One connection's client, as the recipient of its answers.
#[derive(Debug)]
pub(crate) struct Recipient {
    recipients: Rc<Recipients>,
    unread: RefCell<Permit>,
    /// Answers in HTTP/2's hands.
    unsent: Cell<usize>,
    /// Some were written since somebody asked, and some waited then.
    sent: Cell<bool>,
    waited: Cell<bool>,
    is_cut: Cell<bool>,
    cut: Notify,
}

impl Recipient {
    /// Counts answers that wait, here or in HTTP/2. If all together are too many
    /// somebody is cut; until it is gone no more are counted.
    pub(crate) fn charge(&self, bytes: usize) -> usize {
        if self.unread.borrow_mut().grow(bytes) {
            return bytes;
        }
        self.recipients.relieve();
        0
    }

    /// Takes back what `charge` counted.
    pub(crate) fn credit(&self, bytes: usize) {
        self.unread.borrow_mut().shrink(bytes);
    }

    fn unread_bytes(&self) -> usize {
        self.unread.borrow().amount()
    }

    /// Whether answers have waited for the socket since the last call, and none was
    /// written.
    pub(super) fn is_stuck(&self) -> bool {
        let waited = self.waited.replace(self.unsent.get() > 0);
        let sent = self.sent.replace(false);
        waited && !sent
    }

    /// Ready when the connection is to be closed.
    pub(super) async fn cut(&self) {
        self.cut.notified().await;
    }
}

/// Bytes of answers in HTTP/2's hands.
#[derive(Debug)]
pub(crate) struct Unsent {
    bytes: Bytes,
    charged_bytes: usize,
    recipient: Rc<Recipient>,
}

impl Unsent {
    pub(super) fn new(bytes: Bytes, recipient: &Rc<Recipient>) -> Self {
        recipient.unsent.set(recipient.unsent.get() + 1);
        Self {
            charged_bytes: recipient.charge(bytes.len()),
            bytes,
            recipient: Rc::clone(recipient),
        }
    }
}

impl Drop for Unsent {
    fn drop(&mut self) {
        self.recipient.unsent.set(self.recipient.unsent.get() - 1);
        self.recipient.sent.set(true);
        self.recipient.credit(self.charged_bytes);
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

    fn is_cut(connected: &Connected) -> bool {
        connected.recipient().is_cut.get()
    }

    #[test]
    fn whoever_holds_most_is_cut_and_nobody_after_it() {
        let recipients = Recipients::new(&Budget::new(1000));
        let [honest, worst, other] = [(); 3].map(|()| recipients.connect());
        let answers = |connected: &Connected, bytes: usize| {
            Unsent::new(Bytes::from(vec![0; bytes]), connected.recipient())
        };
        let _a = answers(&honest, 10);
        let b = [answers(&worst, 400), answers(&worst, 300)];
        let c = answers(&other, 290);
        assert!(!is_cut(&worst));
        let _d = answers(&honest, 1);
        assert_eq!([&honest, &worst, &other].map(is_cut), [false, true, false]);
        // Its bytes are still there, and will soon be given back.
        let _e = answers(&honest, 500);
        assert_eq!([&honest, &worst, &other].map(is_cut), [false, true, false]);
        drop((b, worst, c));
        let _f = [answers(&honest, 980), answers(&honest, 20)];
        assert_eq!([&honest, &other].map(is_cut), [true, false]);
    }

    #[test]
    fn bytes_sent_are_given_back() {
        let budget = Budget::new(1000);
        let recipients = Recipients::new(&budget);
        let connected = recipients.connect();
        let mut answers = Unsent::new(Bytes::from(vec![0; 900]), connected.recipient());
        answers.advance(100);
        assert_eq!((answers.remaining(), budget.used()), (800, 900));
        drop(answers);
        assert_eq!(budget.used(), 0);
        drop(connected);
        assert!(recipients.recipients.borrow().is_empty());
    }

    #[test]
    fn a_recipient_is_stuck_when_nothing_was_written_between_two_looks() {
        let connected = Recipients::new(&Budget::new(1000)).connect();
        let recipient = connected.recipient();
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
