//! What the service does, and what it says it saw.

use std::net::SocketAddr;
use std::time::Duration;

/// What the service does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// What it should.
    Honest,
    /// Ends Digest with a status that has details, after the first message.
    Refuse,
    /// Reads nothing and says nothing.
    Silent,
    /// Begins its responses, and says nothing more.
    HeadOnly,
    /// Answers MATCH to everything.
    Flatter,
    /// Gives digests in another order than they were asked for.
    Confuse,
    /// Ends every part of more bytes than this with an error, at once.
    PartBytesMax(usize),
    /// Ends the stream after the first message without an answer.
    Forget,
    /// Answers parts that were not opened.
    Babble,
    /// Refuses calls without [`TOKEN`].
    WantToken,
    /// Refuses this many calls at once, before it has read anything.
    RejectFirst(usize),
    /// Refuses this many calls at their end.
    RefuseFirst(usize),
    /// Drains: this many parts are answered with DRAINING.
    DrainParts(usize),
    /// Answers parts as if they were empty, at their first message.
    Hasty,
    /// Tells another length than it has hashed.
    Miscount,
    /// Ends calls on which no part is open as idle.
    Idle,
    /// Answers every part, and never ends a call.
    Linger,
    /// Takes this long for each call of one message.
    Slow(Duration),
    /// Says once that batches may have 10 blobs, and takes 5 at most.
    Shrink,
    /// Takes batches of at most this many digests.
    DigestsMax(usize),
    /// This many parts meet a kernel with wrong answers.
    FaultParts(usize),
}

/// What a refusal asks for: longer than any client here tries again.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(60);

pub(crate) const TOKEN: &str = "c29tZXRoaW5n";

/// What the service saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// A call began, from this connection.
    Began(SocketAddr),
    /// A message with this many bytes of data.
    Data(usize),
    /// The client half-closed: all open parts are complete.
    HalfClosed,
    /// The client reset the call, or its connection broke.
    Reset,
    /// A batch of this many blobs.
    Batch(usize),
}
