//! Reads ranges of shared memory for a call, in pieces that are hashed from the cache.
//!
//! ```text
//! a message names a range ──> begin ──> room? ──> read: a piece, copied ──> Chunk, to the engine
//!                                         ^                                    │ hashed
//!                                         └────────────── Copy dropped <───────┘
//! the last piece is copied ──> the message counts as read, and a response tells the client
//! ```
//!
//! A copy is made when the engine may get more (limits/backlog.rs) and the turn is not over, so
//! copies wait no longer than bytes of a socket. A call has at most [`COPIES_BYTES_MAX`] of them.
//! Where a client has a rate, copies that are hashed and not paid count too (http2/flow.rs).

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use hashlane_proto::v1::MemoryRange;
use http::HeaderMap;
use tonic::Status;

use super::peer::Peer;
use crate::http2::{Receive, StreamFlow};
use crate::metrics::counters::WorkerCounters;
use crate::shared_memory::{CopyBuffers, Lease, PIECE_BYTES, RegionId};
use crate::status;

/// The header that names a region.
const HEADER: &str = "hashlane-memory";

/// Most bytes of one message's range.
const RANGE_BYTES_MAX: u32 = 1 << 20;

/// Copies of a call that are not hashed or not paid: what a turn reads.
const COPIES_BYTES_MAX: usize = 256 << 10;

/// A call that has more to copy tells its client once it has read this many bytes. A smaller
/// value sends more responses.
const UNTOLD_BYTES_MAX: usize = 128 << 10;

impl Peer {
    /// The memory that a call names.
    ///
    /// # Errors
    /// The connection's client has no such memory.
    pub(super) fn memory_of(&self, headers: &HeaderMap) -> Result<Option<Lease>, Status> {
        let Some(header) = headers.get(HEADER) else {
            return Ok(None);
        };
        let id = RegionId::parse(header.as_bytes());
        // The client of the connection, not of the call: a token's name says nothing about who can
        // write the memory.
        let lease = id.and_then(|id| self.client.regions.lend(id));
        lease.map(Some).ok_or_else(status::memory_unknown)
    }
}

/// The shared memory of one call.
#[derive(Default)]
pub(super) struct SharedMemory {
    lease: Option<Lease>,
    /// The message being read names a range.
    has_range: bool,
    /// What is not copied yet of the range. It is within the memory.
    rest: Range<usize>,
    copies: Rc<Copies>,
    read_messages: u64,
    /// What the client was told of these.
    told_messages: u64,
    untold_bytes: usize,
}

impl SharedMemory {
    pub(super) fn new(lease: Option<Lease>) -> Self {
        Self {
            lease,
            ..Self::default()
        }
    }

    /// A message begins, with its range if it names one.
    ///
    /// # Errors
    /// The call names no memory, or the range is not within it.
    pub(super) fn begin(&mut self, range: Option<MemoryRange>) -> Result<(), Status> {
        self.has_range = range.is_some();
        let Some(MemoryRange { offset, length }) = range else {
            return Ok(());
        };
        let Some(lease) = &self.lease else {
            return Err(status::memory_unknown());
        };
        if length == 0 || length > RANGE_BYTES_MAX {
            let message = format!("a range has 1 to {RANGE_BYTES_MAX} bytes");
            return Err(status::memory_range(message));
        }
        let begin = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = begin.saturating_add(length as usize);
        if end > lease.region.bytes() {
            let message = format!("a range beyond the {} bytes", lease.region.bytes());
            return Err(status::memory_range(message));
        }
        self.rest = begin..end;
        Ok(())
    }

    /// Whether the message being read names a range. Then it must have no data.
    pub(super) fn has_range(&self) -> bool {
        self.has_range
    }

    /// Whether some of a range is not copied yet.
    pub(super) fn has_rest(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Ready if the call may have another copy. Otherwise wakes it when it may.
    pub(super) fn poll_room(&self, receive: &Receive, cx: &Context<'_>) -> Poll<()> {
        let bytes = self.copies.bytes.get() + receive.flow().owed_bytes();
        if bytes < COPIES_BYTES_MAX {
            return Poll::Ready(());
        }
        self.copies.waker.replace(Some(cx.waker().clone()));
        Poll::Pending
    }

    /// Copies the next piece of the range, of at most `bytes_max` bytes.
    pub(super) fn read(
        &mut self,
        bytes_max: usize,
        buffers: &CopyBuffers,
        receive: &Receive,
        counters: &WorkerCounters,
    ) -> Option<(Bytes, Copy)> {
        let lease = self.lease.as_ref().filter(|_| !self.rest.is_empty())?;
        let bytes = self.rest.len().min(bytes_max).min(PIECE_BYTES);
        let piece = buffers.piece(bytes, |piece| {
            let is_within = lease.region.copy(self.rest.start, piece);
            debug_assert!(is_within, "the range was checked");
        });
        self.rest.start += bytes;
        self.read_messages += u64::from(self.rest.is_empty());
        self.untold_bytes += bytes;
        receive.link().count_copied(bytes);
        counters.received_bytes.add(bytes as u64);
        counters.memory_bytes.add(bytes as u64);
        let copy = Copy::new(bytes, &self.copies, receive.flow());
        Some((piece, copy))
    }

    /// Whether a response has to tell the client what was read. `has_more` says whether more of the
    /// request has arrived.
    pub(super) fn is_told(&self, has_more: bool) -> bool {
        let enough = self.untold_bytes >= UNTOLD_BYTES_MAX || !self.has_rest() && !has_more;
        enough && self.read_messages > self.told_messages
    }

    /// The messages read, for a response; 0 if the client knows it.
    pub(super) fn tell(&mut self) -> u64 {
        if self.read_messages == self.told_messages {
            return 0;
        }
        self.told_messages = self.read_messages;
        self.untold_bytes = 0;
        self.read_messages
    }

    /// Nothing more is read.
    pub(super) fn end(&mut self) {
        self.lease = None;
        self.rest = 0..0;
    }
}

/// Copies of a call that are not hashed.
#[derive(Debug, Default)]
struct Copies {
    bytes: Cell<usize>,
    /// Woken when there are fewer.
    waker: RefCell<Option<Waker>>,
}

/// A copy that is not hashed. The engine drops it once it is.
#[derive(Debug)]
pub(super) struct Copy {
    bytes: usize,
    copies: Rc<Copies>,
    flow: Rc<StreamFlow>,
}

impl Copy {
    fn new(bytes: usize, copies: &Rc<Copies>, flow: &Rc<StreamFlow>) -> Self {
        copies.bytes.set(copies.bytes.get() + bytes);
        Self {
            bytes,
            copies: Rc::clone(copies),
            flow: Rc::clone(flow),
        }
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        self.copies.bytes.set(self.copies.bytes.get() - self.bytes);
        self.flow.hashed(self.bytes);
        if let Some(waker) = self.copies.waker.take() {
            waker.wake();
        }
    }
}
