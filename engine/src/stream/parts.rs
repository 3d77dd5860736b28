//! Parts: the blobs whose digests are wanted, one or several of each.
//!
//! A part of one algorithm with lanes is a job. A part of several is a job for each that has lanes,
//! which share the chunks and go through them at their own pace; its bytes are consumed when the
//! slowest has hashed them. Sinks hash a chunk when it is pushed, while it is in cache, so they
//! never delay this.
//!
//! Why one pass: each digest reads the chunks while they are in cache, and with a cursor of its own
//! each compression steps with the lanes and blocks that suit it. SHA-256, MD5 and CRC-64/NVME
//! together cost the server 1.59 times as much as SHA-256 alone (docs/measurements.md, What adds to
//! it).

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::arena::Arena;
use crate::{algorithm::Algorithm, digest::Digest, kernel::Family, sink::Sink};

/// Names a part of one engine. Stale once the part has ended or is cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PartId {
    at: PartRef,
    engine: EngineNumber,
}

/// Names a part within its engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PartRef {
    slot: u32,
    serial: u32,
}

/// Tells the engines of a process apart: 2^32 of them, one after the other.
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

    /// The part's place in the engine's table: a small number, used again after
    /// the part is gone. For side tables.
    #[must_use]
    pub const fn index(self) -> usize {
        self.at.slot as usize
    }
}

/// What has happened to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The engine is done with `bytes` of the chunks pushed to `part`.
    Consumed {
        /// Whose chunks.
        part: PartId,
        /// How much of them.
        bytes: usize,
    },
    /// One of the digests asked for, of all bytes pushed to `part`, in order.
    Digest {
        /// Which part.
        part: PartId,
        /// Which digest.
        algorithm: Algorithm,
        /// Its bytes.
        digest: Digest,
    },
    /// All digests of the part are there, and its id is stale.
    Finished {
        /// Which part.
        part: PartId,
    },
}

/// A job of a part: in which pool, and where there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobRef {
    pub(crate) family: Family,
    pub(crate) slot: u32,
}

/// What a part consists of.
#[derive(Debug)]
pub(crate) enum Jobs {
    One(JobRef),
    Several(Box<Several>),
}

/// A part of several digests.
#[derive(Debug)]
pub(crate) struct Several {
    /// The jobs of the digests with lanes.
    pub(crate) cursors: Vec<Cursor>,
    /// Digests without lanes, which take a chunk as soon as it is pushed.
    pub(crate) sinks: Vec<(Algorithm, Sink)>,
    /// Bytes of the message so far: more than a chunk can have, so not in a `usize`.
    pub(crate) pushed: u64,
    /// Bytes reported as consumed.
    told: u64,
}

/// How far one of a part's jobs is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    pub(crate) algorithm: Algorithm,
    /// None once it has its digest.
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

    /// Bytes of chunks not yet consumed.
    pub(crate) fn waiting(&self) -> usize {
        waiting(self.pushed - self.told)
    }

    /// The bytes that all have consumed since this was asked last.
    pub(crate) fn newly_consumed(&mut self) -> usize {
        let least = self.cursors.iter().map(|cursor| cursor.consumed).min();
        let all = least.unwrap_or(self.pushed);
        waiting(all - std::mem::replace(&mut self.told, all))
    }
}

/// Bytes that wait or waited: chunks in memory, which were counted when they were pushed.
fn waiting(bytes: u64) -> usize {
    usize::try_from(bytes).expect("no more than what was pushed and not consumed")
}

#[derive(Debug)]
struct Part {
    serial: u32,
    /// None in a free place.
    jobs: Option<Jobs>,
}

/// Events for which memory is kept however few there are.
const EVENTS_KEPT: usize = 4096;

/// Every part of an engine, and the events that are not yet taken.
#[derive(Debug)]
pub(crate) struct Parts {
    parts: Arena<Part>,
    engine: EngineNumber,
    serial: u32,
    events: Vec<Event>,
    /// The most events taken at once; it falls by a sixteenth each time.
    events_max: usize,
    /// Bytes of chunks not yet consumed, over all parts.
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

    /// Parts that are open.
    pub(crate) const fn len(&self) -> usize {
        self.parts.len()
    }

    /// Makes a part of the jobs that `jobs` opens for it.
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

    /// Takes the waiting events. Their memory is freed when a sixteenth of it has been enough for a
    /// while.
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

    /// One of the part's several jobs has consumed `bytes`.
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

    /// The engine is done with `bytes` of the part's chunks.
    #[inline]
    pub(crate) fn tell_consumed(&mut self, part: PartRef, bytes: usize) {
        if bytes > 0 {
            self.waiting_bytes -= bytes;
            let part = self.id(part);
            self.events.push(Event::Consumed { part, bytes });
        }
    }

    /// One of the part's digests is there; its job is gone.
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

    /// One of the part's digests is there.
    #[inline]
    pub(crate) fn tell_digest(&mut self, part: PartRef, algorithm: Algorithm, digest: Digest) {
        let part = self.id(part);
        self.events.push(Event::Digest {
            part,
            algorithm,
            digest,
        });
    }

    /// All digests of the part are there.
    pub(crate) fn end(&mut self, part: PartRef) {
        self.free(part);
        let part = self.id(part);
        self.events.push(Event::Finished { part });
    }

    /// Drops a part; its jobs are gone.
    pub(crate) fn cancel(&mut self, id: PartId, waiting_bytes: usize) {
        self.waiting_bytes -= waiting_bytes;
        self.free(id.at);
    }

    fn free(&mut self, part: PartRef) {
        self.parts[part.slot].jobs = None;
        self.parts.free(part.slot);
    }
}
