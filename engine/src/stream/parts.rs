//! Parts: messages with one or several digests each.
//!
//! A part with one algorithm that has lanes is a job. A part with several algorithms has a job for
//! each one with lanes. These jobs share the chunks but have their own pace; bytes are consumed
//! when the slowest job has hashed them. Sinks hash a chunk when it is pushed, while it is in
//! cache, so they never delay this.
//!
//! Why one pass: each digest reads the chunks while they are in cache, and because each has its own
//! cursor, each compression steps with the lanes and blocks that suit it. SHA-256, MD5 and
//! CRC-64/NVME together cost the server 1.59 times as much as SHA-256 alone (docs/measurements.md,
//! What adds to it).

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::arena::Arena;
use crate::{algorithm::Algorithm, digest::Digest, kernel::Family, sink::Sink};

/// Identifies a part of one engine. Stale once the part has ended or is cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PartId {
    at: PartRef,
    engine: EngineNumber,
}

/// Identifies a part within its engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PartRef {
    slot: u32,
    serial: u32,
}

/// Distinguishes the engines of a process. Numbers repeat after 2^32 engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EngineNumber(u32);

impl EngineNumber {
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self(NEXT.fetch_add(1, Relaxed))
    }
}

impl PartId {
    /// The part within its engine.
    #[inline]
    pub(crate) const fn at(self) -> PartRef {
        self.at
    }

    /// The part's index in the engine's table: a small number, which is reused after the part has
    /// ended. For side tables.
    #[must_use]
    pub const fn index(self) -> usize {
        self.at.slot as usize
    }
}

/// An event of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The engine no longer needs `bytes` bytes of the chunks pushed to `part`.
    Consumed {
        /// The part of the chunks.
        part: PartId,
        /// The number of bytes.
        bytes: usize,
    },
    /// One of the requested digests, over all bytes pushed to `part`, in order.
    Digest {
        /// The part.
        part: PartId,
        /// The digest's algorithm.
        algorithm: Algorithm,
        /// The digest.
        digest: Digest,
    },
    /// All digests of the part were returned, and its id is stale.
    Finished {
        /// The part.
        part: PartId,
    },
}

/// A job of a part: its pool, and its slot there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobRef {
    pub(crate) family: Family,
    pub(crate) slot: u32,
}

/// The jobs of a part.
#[derive(Debug)]
pub(crate) enum Jobs {
    One(JobRef),
    Several(Box<Several>),
}

/// A part with several digests.
#[derive(Debug)]
pub(crate) struct Several {
    /// The jobs of the digests with lanes.
    pub(crate) cursors: Vec<Cursor>,
    /// Digests without lanes, which hash a chunk as soon as it is pushed.
    pub(crate) sinks: Vec<(Algorithm, Sink)>,
    /// Bytes of the message so far. They may exceed a `usize`.
    pub(crate) pushed: u64,
    /// Bytes reported as consumed.
    told: u64,
}

/// The progress of one of a part's jobs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    pub(crate) algorithm: Algorithm,
    /// `None` once the digest is computed.
    pub(crate) job: Option<JobRef>,
    pub(crate) consumed: u64,
}

impl Several {
    pub(crate) const fn new(cursors: Vec<Cursor>, sinks: Vec<(Algorithm, Sink)>) -> Self {
        Self {
            cursors,
            sinks,
            pushed: 0,
            told: 0,
        }
    }

    /// Unconsumed bytes of chunks.
    pub(crate) fn waiting(&self) -> usize {
        waiting(self.pushed - self.told)
    }

    /// Bytes that all jobs have consumed since the last call.
    pub(crate) fn newly_consumed(&mut self) -> usize {
        let least = self.cursors.iter().map(|cursor| cursor.consumed).min();
        let all = least.unwrap_or(self.pushed);
        waiting(all - std::mem::replace(&mut self.told, all))
    }
}

/// Converts a number of bytes that wait or waited: they were in memory, and counted when they were
/// pushed.
fn waiting(bytes: u64) -> usize {
    usize::try_from(bytes).expect("no more than what was pushed and not consumed")
}

#[derive(Debug)]
struct Part {
    serial: u32,
    /// `None` in a free place.
    jobs: Option<Jobs>,
}

/// Number of events that keep their memory even if there are few.
const EVENTS_KEPT: usize = 4096;

/// All parts of an engine, and the events that are not yet taken.
#[derive(Debug)]
pub(crate) struct Parts {
    parts: Arena<Part>,
    engine: EngineNumber,
    serial: u32,
    events: Vec<Event>,
    /// The most events taken at once. It falls by a sixteenth each time.
    events_max: usize,
    /// Unconsumed bytes of chunks, over all parts.
    pub(crate) waiting_bytes: usize,
}

impl Parts {
    pub(crate) const fn new(engine: EngineNumber) -> Self {
        Self {
            parts: Arena::new(),
            engine,
            serial: 0,
            events: Vec::new(),
            events_max: 0,
            waiting_bytes: 0,
        }
    }

    /// Number of open parts.
    pub(crate) const fn len(&self) -> usize {
        self.parts.len()
    }

    /// Makes a part from the jobs that `jobs` opens for it.
    pub(crate) fn open(&mut self, jobs: impl FnOnce(PartRef) -> Jobs) -> PartId {
        self.serial = self.serial.wrapping_add(1);
        let serial = self.serial;
        let slot = self.parts.insert(Part { serial, jobs: None });
        let at = PartRef { slot, serial };
        self.parts[slot].jobs = Some(jobs(at));
        self.id(at)
    }

    #[inline]
    const fn id(&self, at: PartRef) -> PartId {
        let engine = self.engine;
        PartId { at, engine }
    }

    /// The jobs of `id`, if it is not stale.
    ///
    /// # Panics
    /// If it is another engine's.
    #[inline]
    pub(crate) fn get(&mut self, id: PartId) -> Option<&mut Jobs> {
        assert!(id.engine == self.engine, "the part is another engine's");
        let part = self.parts.get_mut(id.at.slot)?;
        part.jobs.as_mut().filter(|_| part.serial == id.at.serial)
    }

    /// Takes the waiting events. Their memory is freed once a sixteenth of it has been enough for
    /// some time.
    pub(crate) fn take_events(&mut self) -> std::vec::Drain<'_, Event> {
        let kept = self.events_max - self.events_max / 16;
        self.events_max = kept.max(self.events.len());
        let wanted = self.events_max.max(EVENTS_KEPT);
        if wanted <= self.events.capacity() / 16 {
            self.events.shrink_to(2 * wanted);
        }
        self.events.drain(..)
    }

    /// The sinks of all parts.
    pub(crate) fn sinks(&mut self) -> impl Iterator<Item = &mut Sink> {
        let several = self
            .parts
            .iter_mut()
            .filter_map(|part| match &mut part.jobs {
                Some(Jobs::Several(several)) => Some(several),
                Some(Jobs::One(_)) | None => None,
            });
        several.flat_map(|several| several.sinks.iter_mut().map(|(_, sink)| sink))
    }

    /// Records that one of the part's jobs has consumed `bytes` bytes.
    #[inline]
    pub(crate) fn consumed(&mut self, part: PartRef, algorithm: Algorithm, bytes: usize) {
        if let Some(Jobs::Several(several)) = &mut self.parts[part.slot].jobs {
            let mut cursors = several.cursors.iter_mut();
            if let Some(cursor) = cursors.find(|cursor| cursor.algorithm == algorithm) {
                cursor.consumed += bytes as u64;
            }
            let bytes = several.newly_consumed();
            self.tell_consumed(part, bytes);
        }
    }

    /// Reports that the engine no longer needs `bytes` bytes of the part's chunks.
    #[inline]
    pub(crate) fn tell_consumed(&mut self, part: PartRef, bytes: usize) {
        if bytes > 0 {
            self.waiting_bytes -= bytes;
            let part = self.id(part);
            self.events.push(Event::Consumed { part, bytes });
        }
    }

    /// Reports one of the part's digests, whose job has ended.
    #[inline]
    pub(crate) fn finished(&mut self, part: PartRef, algorithm: Algorithm, digest: Digest) {
        self.tell_digest(part, algorithm, digest);
        if let Some(Jobs::Several(several)) = &mut self.parts[part.slot].jobs {
            let mut cursors = several.cursors.iter_mut();
            if let Some(cursor) = cursors.find(|cursor| cursor.algorithm == algorithm) {
                cursor.job = None;
            }
            if several.cursors.iter().any(|cursor| cursor.job.is_some()) {
                return;
            }
        }
        self.end(part);
    }

    /// Reports one of the part's digests.
    #[inline]
    pub(crate) fn tell_digest(&mut self, part: PartRef, algorithm: Algorithm, digest: Digest) {
        let part = self.id(part);
        self.events.push(Event::Digest {
            part,
            algorithm,
            digest,
        });
    }

    /// Ends a part, all of whose digests are reported.
    pub(crate) fn end(&mut self, part: PartRef) {
        self.free(part);
        let part = self.id(part);
        self.events.push(Event::Finished { part });
    }

    /// Drops a part whose jobs have ended.
    pub(crate) fn cancel(&mut self, id: PartId, waiting_bytes: usize) {
        self.waiting_bytes -= waiting_bytes;
        self.free(id.at);
    }

    fn free(&mut self, part: PartRef) {
        self.parts[part.slot].jobs = None;
        self.parts.free(part.slot);
    }
}
