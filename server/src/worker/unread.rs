//! Answers that clients have not taken, and what is done about it.
//!
//! An answer counts from the moment it is handed to HTTP/2 until its bytes are
//! in the socket's buffer. A client that opens no window for its answers, or
//! does not read its socket, keeps them there. Three bounds hold it:
//!
//! - in time: a stream whose answers are not taken is reset (rpc/guard.rs);
//!   a stream that had ended cannot be, so its connection is closed;
//! - in number: a stream with [`ANSWERS_ENOUGH`] answers behind those that
//!   HTTP/2 holds is not read, so that flow control stops its client. That
//!   helps with large frames only (gate.rs); one that sends small ones is read
//!   until it has [`ANSWERS_UNREAD_MAX`], and is then reset;
//! - in bytes: beyond the worker's share of `unread_bytes_max` the connection
//!   that holds most is closed. Whoever reads holds next to nothing.

use std::cell::{Cell, RefCell};
use std::io::IoSlice;
use std::rc::Rc;

use bytes::{Buf, Bytes};
use slab::Slab;
use tokio::sync::Notify;

/// Answers queued beyond what HTTP/2 takes with which a stream has enough. A
/// window of 64 KiB holds a thousand before these.
pub(crate) const ANSWERS_ENOUGH: usize = 4096;

/// Answers queued with which a stream has far too many.
pub(crate) const ANSWERS_UNREAD_MAX: usize = 65_536;

/// About what a queued answer with one digest takes.
pub(crate) const ANSWER_BYTES: usize = 256;

/// About what every further digest adds to it.
pub(crate) const ANSWER_DIGEST_BYTES: usize = 192;

/// Overdue are answers of the generation before the last: they have waited for
/// more than one whole generation, the timeout of the streams themselves.
const GENERATIONS: usize = 3;

/// Unread answers of a worker.
#[derive(Debug)]
pub(crate) struct Unread {
    bytes_max: usize,
    bytes: Cell<usize>,
    readers: RefCell<Slab<Rc<Reader>>>,
}

impl Unread {
    pub(crate) fn new(bytes_max: usize) -> Rc<Self> {
        Rc::new(Self {
            bytes_max,
            bytes: Cell::new(0),
            readers: RefCell::default(),
        })
    }

    /// Registers a connection for as long as the guard lives.
    pub(crate) fn connect(self: &Rc<Self>) -> Connected {
        let reader = Rc::new(Reader {
            unread: Rc::clone(self),
            bytes: Cell::new(0),
            generation: Cell::new(0),
            answers: Default::default(),
            is_cut: Cell::new(false),
            cut: Notify::new(),
        });
        let key = self.readers.borrow_mut().insert(Rc::clone(&reader));
        Connected { reader, key }
    }

    /// Cuts whoever holds most, unless those already cut bring enough.
    fn relieve(&self) {
        let readers = self.readers.borrow();
        let staying = || readers.iter().filter(|(_, reader)| !reader.is_cut.get());
        if staying()
            .map(|(_, reader)| reader.bytes.get())
            .sum::<usize>()
            <= self.bytes_max
        {
            return;
        }
        if let Some((_, worst)) = staying().max_by_key(|(_, reader)| reader.bytes.get()) {
            worst.is_cut.set(true);
            worst.cut.notify_one();
        }
    }
}

/// A connection's place among those of its worker.
#[derive(Debug)]
pub(crate) struct Connected {
    reader: Rc<Reader>,
    key: usize,
}

impl Connected {
    pub(crate) fn reader(&self) -> &Rc<Reader> {
        &self.reader
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        let unread = &self.reader.unread;
        unread.readers.borrow_mut().try_remove(self.key);
    }
}

/// One connection's client, as a reader of its answers.
#[derive(Debug)]
pub(crate) struct Reader {
    unread: Rc<Unread>,
    bytes: Cell<usize>,
    generation: Cell<usize>,
    /// Answers in HTTP/2's hands, by the generation they were handed over in.
    answers: [Cell<usize>; GENERATIONS],
    is_cut: Cell<bool>,
    cut: Notify,
}

impl Reader {
    pub(crate) fn charge(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes);
        let all = self.unread.bytes.get() + bytes;
        self.unread.bytes.set(all);
        if bytes > 0 && all > self.unread.bytes_max {
            self.unread.relieve();
        }
    }

    pub(crate) fn credit(&self, bytes: usize) {
        self.bytes.set(self.bytes.get().saturating_sub(bytes));
        let all = self.unread.bytes.get();
        self.unread.bytes.set(all.saturating_sub(bytes));
    }

    /// Begins a new generation; true if answers are overdue.
    pub(crate) fn turn(&self) -> bool {
        let generation = (self.generation.get() + 1) % GENERATIONS;
        self.generation.set(generation);
        self.answers[generation].get() > 0
    }

    /// Ready when the connection is to be closed.
    pub(crate) async fn cut(&self) {
        self.cut.notified().await;
    }
}

/// Bytes of answers in HTTP/2's hands.
#[derive(Debug)]
pub(crate) struct Answers {
    bytes: Bytes,
    charged_bytes: usize,
    generation: usize,
    /// `None` for what is empty.
    reader: Option<Rc<Reader>>,
}

impl Answers {
    pub(crate) fn new(bytes: Bytes, reader: &Rc<Reader>) -> Self {
        let generation = reader.generation.get();
        let charged_bytes = bytes.len();
        let answers = &reader.answers[generation];
        answers.set(answers.get() + 1);
        reader.charge(charged_bytes);
        Self {
            bytes,
            charged_bytes,
            generation,
            reader: Some(Rc::clone(reader)),
        }
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        if let Some(reader) = &self.reader {
            let answers = &reader.answers[self.generation];
            answers.set(answers.get().saturating_sub(1));
            reader.credit(self.charged_bytes);
        }
    }
}

impl Buf for Answers {
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
        connected.reader().is_cut.get()
    }

    #[test]
    fn whoever_holds_most_is_cut_and_nobody_after_it() {
        let unread = Unread::new(1000);
        let [honest, worst, other] = [(); 3].map(|()| unread.connect());
        let answers = |connected: &Connected, bytes: usize| {
            Answers::new(Bytes::from(vec![0; bytes]), connected.reader())
        };
        let _a = answers(&honest, 10);
        let _b = [answers(&worst, 400), answers(&worst, 300)];
        let _c = answers(&other, 290);
        assert!(!is_cut(&worst));
        let _d = answers(&honest, 1);
        assert_eq!([&honest, &worst, &other].map(is_cut), [false, true, false]);
        // Its bytes are still there, and will soon be given back.
        let _e = answers(&honest, 500);
        assert_eq!([&honest, &worst, &other].map(is_cut), [false, true, false]);
        let _f = answers(&honest, 500);
        assert_eq!([&honest, &worst, &other].map(is_cut), [true, true, false]);
    }

    #[test]
    fn bytes_taken_are_given_back() {
        let unread = Unread::new(1000);
        let connected = unread.connect();
        let mut answers = Answers::new(Bytes::from(vec![0; 900]), connected.reader());
        answers.advance(100);
        assert_eq!((answers.remaining(), unread.bytes.get()), (800, 900));
        drop(answers);
        assert_eq!(unread.bytes.get(), 0);
        drop(connected);
        assert!(unread.readers.borrow().is_empty());
    }

    #[test]
    fn answers_are_overdue_after_a_whole_generation() {
        let connected = Unread::new(1000).connect();
        let reader = connected.reader();
        assert!(!reader.turn());
        let first = Answers::new(Bytes::from_static(b"a"), reader);
        let turns = [reader.turn(), reader.turn(), reader.turn()];
        assert_eq!(turns, [false, false, true]);
        drop(first);
        assert!((0..5).all(|_| !reader.turn()));
    }
}
