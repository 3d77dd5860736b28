//! One digest in progress, and the table of them.
//!
//! A job that has sent nothing costs its midstate and its tail, never a lane.
//!
//! ```text
//!            push                refill            run over, no more data
//!   idle ----------> ready list ---------> lane ---------------------------> idle
//!     \---- finish (padding is a block too) --^    \--- last block: digest --> freed
//! ```
//!
//! Each group has a ready list of its own; groups.rs says whose is next.

use crate::{
    chunks::ChunkList,
    groups::{Group, Groups, NONE, TURN_BLOCKS},
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
#[repr(C)] // what a push and a turn in a lane look at lies together
pub(crate) struct Job {
    pub(crate) chunks: ChunkList,
    /// Bytes of chunks not yet consumed.
    pub(crate) waiting: usize,
    /// Bytes pushed.
    pub(crate) length: u64,
    pub(crate) generation: u32,
    /// Its group's slot.
    group: u32,
    /// Neighbours in the ready list; `next` also links free slots.
    previous: u32,
    next: u32,
    /// Blocks its group was charged when it took its lane; none if no other
    /// group had jobs.
    advance: u16,
    pub(crate) place: Place,
    /// No further push; padding follows the data.
    pub(crate) finishing: bool,
    pub(crate) tail_len: u8,
    /// State after whole blocks. Stale while the job is in a lane.
    pub(crate) midstate: [u32; 8],
    /// Bytes short of a block: `..tail_len`.
    pub(crate) tail: [u8; 64],
}

/// Every job of an engine, its group, and who of them waits for a lane.
#[derive(Debug)]
pub(crate) struct Jobs {
    pub(crate) groups: Groups,
    slots: Vec<Job>,
    free: u32,
    open: usize,
    ready: usize,
}

impl Jobs {
    pub(crate) fn new() -> Self {
        Self {
            groups: Groups::new(),
            slots: Vec::new(),
            free: NONE,
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

    /// Starts a job in the group at that slot.
    pub(crate) fn open(&mut self, group: u32) -> JobId {
        self.open += 1;
        self.groups.join(group);
        if self.free == NONE {
            let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 jobs");
            assert_ne!(slot, NONE, "fewer than 2^32 - 1 jobs");
            self.slots.push(Job::new(group, 0));
            return JobId {
                slot,
                generation: 0,
            };
        }
        let slot = self.free;
        let job = &mut self.slots[slot as usize];
        self.free = job.next;
        let generation = job.generation;
        *job = Job::new(group, generation);
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
        let group = job.group;
        self.groups.part(group);
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

    /// Puts an idle job, or one that has left its lane, at the end of its
    /// group's ready list.
    #[inline]
    pub(crate) fn push_ready(&mut self, slot: u32) {
        let group_slot = self[slot].group;
        let group = &mut self.groups[group_slot];
        let last = std::mem::replace(&mut group.last_ready, slot);
        if last == NONE {
            group.first_ready = slot;
            self.groups.has_ready(group_slot);
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

    /// Takes the job that is next for a lane: of the group whose turn it is, the
    /// one that has been ready the longest. Hand it back with
    /// [`leave_lane`](Self::leave_lane).
    #[inline]
    pub(crate) fn take_lane(&mut self) -> Option<u32> {
        if self.ready == 0 {
            return None;
        }
        self.ready -= 1;
        let is_shared = self.groups.in_use() > 1;
        let group_slot = self.groups.visit();
        // Not by way of `remove_ready`: the job's own entry for its group would
        // be known later than this, and the next visit would wait for it.
        let group = &mut self.groups[group_slot];
        let slot = group.first_ready;
        let job = &mut self.slots[slot as usize];
        debug_assert!(job.place == Place::Ready && job.group == group_slot);
        job.place = Place::Idle;
        let next = job.next;
        if is_shared {
            job.advance = job.turn_blocks();
            group.charge(i32::from(job.advance));
        } else {
            job.advance = 0;
        }
        group.first_ready = next;
        if next == NONE {
            group.last_ready = NONE;
        } else {
            self[next].previous = NONE;
        }
        Some(slot)
    }

    /// The job's time in its lane is over, after `served` blocks; it is idle.
    pub(crate) fn leave_lane(&mut self, slot: u32, served: u16) {
        let job = &mut self[slot];
        job.place = Place::Idle;
        if job.advance > 0 {
            let (group, advance) = (job.group, job.advance);
            self.groups[group].charge(i32::from(served) - i32::from(advance));
        }
    }

    /// The job's group.
    pub(crate) fn group_of(&self, slot: u32) -> &Group {
        &self.groups[self[slot].group]
    }

    /// The job's group has a lane less than was counted.
    pub(crate) fn lane_is_given_up(&mut self, slot: u32) {
        let group = self[slot].group;
        self.groups[group].lanes -= 1;
    }

    /// Counts the lanes of each group; these are the jobs in them.
    pub(crate) fn count_lanes(&mut self, slots: impl Iterator<Item = u32> + Clone) {
        let groups = slots.map(|slot| self.slots[slot as usize].group);
        self.groups.count_lanes(groups);
    }

    /// Takes a job out of the ready list; it is idle then.
    pub(crate) fn remove_ready(&mut self, slot: u32) {
        let job = &mut self[slot];
        debug_assert!(job.place == Place::Ready);
        job.place = Place::Idle;
        let (previous, next, group) = (job.previous, job.next, job.group);
        if previous == NONE {
            self.groups[group].first_ready = next;
        } else {
            self[previous].next = next;
        }
        if next == NONE {
            self.groups[group].last_ready = previous;
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

    /// The blocks it has ready, as far as they are within a turn.
    fn turn_blocks(&self) -> u16 {
        let blocks = (usize::from(self.tail_len) + self.waiting) / BLOCK_BYTES;
        let blocks = blocks + usize::from(self.finishing);
        u16::try_from(blocks).map_or(TURN_BLOCKS, |blocks| blocks.min(TURN_BLOCKS))
    }

    const fn new(group: u32, generation: u32) -> Self {
        Self {
            midstate: INITIAL_STATE,
            tail: [0; 64],
            tail_len: 0,
            place: Place::Idle,
            finishing: false,
            advance: 0,
            group,
            length: 0,
            waiting: 0,
            chunks: ChunkList::EMPTY,
            generation,
            previous: NONE,
            next: NONE,
        }
    }
}
