//! One digest in progress, and the table of them.
//!
//! A job that has sent nothing costs its midstate and its tail, never a lane.
//!
//! ```text
//!            push                refill            run over, no more data
//!   idle ----------> ready list ---------> lane ---------------------------> idle
//!     \---- finish (padding is a block too) --^    \--- last block: digest --> freed
//! ```

use crate::{
    chunks::ChunkList,
    kernel::{BLOCK_BYTES, INITIAL_STATE},
};

/// Names a job of one engine. Stale once the job is finished or cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JobId {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl JobId {
    /// The job's place in the engine's table: a small number, used again after
    /// the job is gone. For side tables.
    #[must_use]
    pub const fn index(self) -> usize {
        self.slot as usize
    }
}

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The slot holds no job.
    Free,
    /// Less than a block to hash.
    Idle,
    /// Waiting for a lane.
    Ready,
    /// In this lane.
    Lane(u8),
}

/// One digest in progress.
#[derive(Debug)]
pub(crate) struct Job {
    /// State after whole blocks. Stale while the job is in a lane.
    pub(crate) midstate: [u32; 8],
    /// Bytes short of a block: `..tail_len`.
    pub(crate) tail: [u8; 64],
    pub(crate) tail_len: u8,
    pub(crate) place: Place,
    /// No further push; padding follows the data.
    pub(crate) finishing: bool,
    /// Bytes pushed.
    pub(crate) length: u64,
    /// Bytes of chunks not yet consumed.
    pub(crate) waiting: usize,
    pub(crate) chunks: ChunkList,
    pub(crate) generation: u32,
    /// Neighbours in the ready list; `next` also links free slots.
    previous: u32,
    next: u32,
}

const NONE: u32 = u32::MAX;

/// Every job of an engine, and the list of those waiting for a lane in the
/// order they became ready.
#[derive(Debug)]
pub(crate) struct Jobs {
    slots: Vec<Job>,
    free: u32,
    first_ready: u32,
    last_ready: u32,
    open: usize,
    ready: usize,
}

impl Jobs {
    pub(crate) const fn new() -> Self {
        Self {
            slots: Vec::new(),
            free: NONE,
            first_ready: NONE,
            last_ready: NONE,
            open: 0,
            ready: 0,
        }
    }

    /// Jobs that are open, wherever they are.
    pub(crate) const fn open_count(&self) -> usize {
        self.open
    }

    /// Jobs waiting for a lane.
    pub(crate) const fn ready_count(&self) -> usize {
        self.ready
    }

    pub(crate) fn open(&mut self) -> JobId {
        self.open += 1;
        if self.free == NONE {
            let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 jobs");
            assert_ne!(slot, NONE, "fewer than 2^32 - 1 jobs");
            self.slots.push(Job::new(0));
            return JobId {
                slot,
                generation: 0,
            };
        }
        let slot = self.free;
        let job = &mut self.slots[slot as usize];
        self.free = job.next;
        let generation = job.generation;
        *job = Job::new(generation);
        JobId { slot, generation }
    }

    /// Frees the slot of a job that is in no list.
    pub(crate) fn free(&mut self, slot: u32) {
        let job = &mut self.slots[slot as usize];
        debug_assert!(job.chunks.is_empty());
        job.place = Place::Free;
        job.generation = job.generation.wrapping_add(1);
        job.next = self.free;
        self.free = slot;
        self.open -= 1;
    }

    /// The slot of `id`.
    ///
    /// # Panics
    /// If the job is finished or cancelled.
    #[inline]
    pub(crate) fn slot(&self, id: JobId) -> u32 {
        let job = &self.slots[id.index()];
        assert!(
            job.generation == id.generation && job.place != Place::Free,
            "the job is finished or cancelled"
        );
        id.slot
    }

    pub(crate) fn id(&self, slot: u32) -> JobId {
        let generation = self[slot].generation;
        JobId { slot, generation }
    }

    /// Puts an idle job, or one that leaves its lane, at the end of the ready list.
    pub(crate) fn push_ready(&mut self, slot: u32) {
        let last = std::mem::replace(&mut self.last_ready, slot);
        if last == NONE {
            self.first_ready = slot;
        } else {
            self[last].next = slot;
        }
        let job = &mut self[slot];
        debug_assert!(job.place != Place::Ready);
        job.place = Place::Ready;
        job.previous = last;
        job.next = NONE;
        self.ready += 1;
    }

    /// Takes the job that has been ready the longest.
    pub(crate) fn pop_ready(&mut self) -> Option<u32> {
        let slot = self.first_ready;
        (slot != NONE).then(|| {
            self.remove_ready(slot);
            slot
        })
    }

    /// Takes a job out of the ready list; it is idle then.
    pub(crate) fn remove_ready(&mut self, slot: u32) {
        let job = &mut self[slot];
        debug_assert!(job.place == Place::Ready);
        job.place = Place::Idle;
        let (previous, next) = (job.previous, job.next);
        if previous == NONE {
            self.first_ready = next;
        } else {
            self[previous].next = next;
        }
        if next == NONE {
            self.last_ready = previous;
        } else {
            self[next].previous = previous;
        }
        self.ready -= 1;
    }
}

impl std::ops::Index<u32> for Jobs {
    type Output = Job;

    #[inline]
    fn index(&self, slot: u32) -> &Job {
        &self.slots[slot as usize]
    }
}

impl std::ops::IndexMut<u32> for Jobs {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut Job {
        &mut self.slots[slot as usize]
    }
}

impl Job {
    /// Whether there is a block to hash: of data, or the padding.
    #[inline]
    pub(crate) fn has_block(&self) -> bool {
        self.finishing || usize::from(self.tail_len) + self.waiting >= BLOCK_BYTES
    }

    const fn new(generation: u32) -> Self {
        Self {
            midstate: INITIAL_STATE,
            tail: [0; 64],
            tail_len: 0,
            place: Place::Idle,
            finishing: false,
            length: 0,
            waiting: 0,
            chunks: ChunkList::EMPTY,
            generation,
            previous: NONE,
            next: NONE,
        }
    }
}
