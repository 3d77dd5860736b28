//! What is between the client and the worker: pieces of messages, answers, and flow control.
//!
//! ```text
//! client ── pieces ──> a socket per connection ──> worker
//!        <── answers, WINDOW_UPDATEs ──────────────
//! ```
//!
//! An entry is visible from its time on. Flow control is that of a connection
//! (server/src/http2/flow.rs): a stream's window, 1 MiB, is larger than the connection's, and both
//! are released together.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use bytes::Bytes;

use super::time::Ns;

/// The window of a connection. It does not grow on a line without delay.
pub(super) const WINDOW_BYTES: usize = 768 << 10;

/// Collected window that is released, as a share of the window.
const COLLECTED_BYTES: usize = WINDOW_BYTES * 37 / 100;

/// A message, or the piece of it that fits the window or a read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// From when on the socket has it.
    pub(super) at: Ns,
    /// The part's number.
    pub(super) part: u64,
    pub(super) bytes: usize,
    /// It begins a part: a call's headers are before it.
    pub(super) begins: bool,
    /// It ends a part.
    pub(super) ends: bool,
}

/// What the server sends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reply {
    /// The answer to this part.
    Answer(u64),
    /// A connection may send this many bytes more.
    Window(usize, usize),
}

/// Both directions of all connections.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) sockets: Vec<VecDeque<Piece>>,
    pub(super) replies: VecDeque<(Ns, Reply)>,
}

impl Wire {
    pub(super) fn new(connections: usize) -> Self {
        Self {
            sockets: vec![VecDeque::new(); connections],
            replies: VecDeque::new(),
        }
    }

    /// When a socket first has something to read.
    pub(super) fn readable_at(&self) -> Option<Ns> {
        let fronts = self.sockets.iter().filter_map(VecDeque::front);
        fronts.map(|piece| piece.at).min()
    }

    /// Whether `connection` has something to read.
    pub(super) fn is_readable(&self, connection: usize, now: Ns) -> bool {
        let front = self.sockets[connection].front();
        front.is_some_and(|piece| piece.at <= now)
    }

    /// Takes the next reply.
    pub(super) fn reply(&mut self, now: Ns) -> Option<Reply> {
        let is_here = self.replies.front().is_some_and(|(at, _)| *at <= now);
        is_here
            .then(|| self.replies.pop_front())
            .flatten()
            .map(|(_, reply)| reply)
    }

    /// Reads a piece of at most `bytes_max` bytes.
    pub(super) fn read(&mut self, connection: usize, now: Ns, bytes_max: usize) -> Option<Piece> {
        let socket = &mut self.sockets[connection];
        let front = socket.front_mut().filter(|piece| piece.at <= now)?;
        if front.bytes <= bytes_max {
            return socket.pop_front();
        }
        front.bytes -= bytes_max;
        let begins = std::mem::take(&mut front.begins);
        Some(Piece {
            bytes: bytes_max,
            begins,
            ends: false,
            ..*front
        })
    }
}

/// A connection's window as the server sees it.
#[derive(Debug, Default)]
pub(super) struct Flow {
    hashing_bytes: Cell<usize>,
    collected_bytes: Cell<usize>,
}

impl Flow {
    /// Whether the collected window is to be released.
    pub(super) fn has_enough(&self) -> bool {
        let collected = self.collected_bytes.get();
        collected > 0 && (self.hashing_bytes.get() == 0 || collected >= COLLECTED_BYTES)
    }

    /// Whether the client has used half of the window: the engine waits for no more jobs.
    pub(super) fn is_short(&self) -> bool {
        self.hashing_bytes.get() + self.collected_bytes.get() > WINDOW_BYTES / 2
    }

    /// Takes the collected window, if there is enough.
    pub(super) fn release(&self) -> Option<usize> {
        self.has_enough().then(|| self.collected_bytes.take())
    }
}

/// Bytes that the engine hashes. It drops them once they are hashed.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    bytes: Bytes,
    _permit: Rc<Permit>,
}

/// The window of a chunk: a drop gives it back.
#[derive(Debug)]
struct Permit {
    flow: Rc<Flow>,
    bytes: usize,
}

impl Chunk {
    pub(super) fn new(bytes: Bytes, flow: &Rc<Flow>) -> Self {
        let permit = Permit {
            bytes: bytes.len(),
            flow: Rc::clone(flow),
        };
        let hashing = &flow.hashing_bytes;
        hashing.set(hashing.get() + permit.bytes);
        Self {
            bytes,
            _permit: Rc::new(permit),
        }
    }
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let (hashing, collected) = (&self.flow.hashing_bytes, &self.flow.collected_bytes);
        hashing.set(hashing.get() - self.bytes);
        collected.set(collected.get() + self.bytes);
    }
}
