//! Groups of jobs, and which group's job takes the next lane.
//!
//! Lanes are shared between groups, not between jobs: who opens a thousand
//! jobs gets no more of them than who opens one has use for. The order is
//! deficit round-robin (M. Shreedhar and G. Varghese, "Efficient fair queueing
//! using deficit round robin", SIGCOMM 1995), with blocks for bytes:
//!
//! ```text
//!  a job is ready                visited with its balance spent: + a turn
//! not listed ------> fresh ------> round <---.
//!     ^               | take         | take  |
//!     |               v              v       |
//!     |              lane          lane      |
//!     |                              '-------'
//!     '------------------------------' visited with a balance, but no ready job
//! ```
//!
//! A group is visited until its balance is spent, and then has its next turn's
//! worth after all others. Two things differ from the paper, since a job takes
//! its lane before anybody knows what it will hash there:
//!
//! - It is charged in advance, what it has ready but at most a turn, and the
//!   difference when it leaves. A balance may therefore be below zero.
//! - A group that has had no ready job for a whole round is visited before
//!   those in the round (RFC 8290 section 4.2 does the same), so that who sends
//!   little does not wait for who sends much. The round must come by it once
//!   more before it can do so again, and it keeps no more than a turn.

/// Blocks a job may hash in its lane while others wait for one, and what a
/// group may have hashed per round: 16 KiB, so that moving jobs in and out
/// stays below a hundredth of the hashing.
pub(crate) const TURN_BLOCKS: u16 = 256;

/// The group of jobs that were opened in none.
pub(crate) const DEFAULT_GROUP: u32 = 0;

/// No group, or no job.
pub(crate) const NONE: u32 = u32::MAX;

/// Names a group of one engine's jobs. Stale once the group is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupId {
    slot: u32,
    generation: u32,
}

/// Which list a group is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    No,
    Fresh,
    Round,
}

/// Jobs that share their lanes' time.
#[derive(Debug)]
pub(crate) struct Group {
    /// Its ready jobs, in the order they became ready.
    pub(crate) first_ready: u32,
    pub(crate) last_ready: u32,
    /// Neighbours in `listed`; `next` also links free slots.
    previous: u32,
    next: u32,
    /// Blocks it may have hashed before others are visited.
    balance: i32,
    /// Open jobs.
    jobs: u32,
    /// Jobs in lanes, when they were last counted.
    pub(crate) lanes: u32,
    generation: u32,
    listed: Listed,
    /// Whether its owner may still open jobs in it.
    owned: bool,
}

impl Group {
    const fn new(generation: u32) -> Self {
        Self {
            first_ready: NONE,
            last_ready: NONE,
            previous: NONE,
            next: NONE,
            balance: TURN_BLOCKS as i32,
            jobs: 0,
            lanes: 0,
            generation,
            listed: Listed::No,
            owned: true,
        }
    }

    /// Blocks that the group has hashed, or will; or did not, if below zero.
    #[inline]
    pub(crate) fn charge(&mut self, blocks: i32) {
        self.balance -= blocks;
    }

    /// How far the group is ahead of others: more lanes, then more served.
    pub(crate) const fn lead(&self) -> (u32, i32) {
        (self.lanes, -self.balance)
    }
}

/// Both ends of a list of groups.
#[derive(Clone, Copy, Debug)]
struct Ends {
    first: u32,
    last: u32,
}

impl Ends {
    const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
    };
}

/// Every group of an engine, and the order of visits.
#[derive(Debug)]
pub(crate) struct Groups {
    slots: Vec<Group>,
    free: u32,
    fresh: Ends,
    round: Ends,
    in_use: usize,
    in_lanes: usize,
}

impl Groups {
    /// With the default group alone.
    pub(crate) fn new() -> Self {
        Self {
            slots: vec![Group::new(0)],
            free: NONE,
            fresh: Ends::EMPTY,
            round: Ends::EMPTY,
            in_use: 0,
            in_lanes: 0,
        }
    }

    pub(crate) fn open(&mut self) -> GroupId {
        if self.free == NONE {
            let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 groups");
            assert_ne!(slot, NONE, "fewer than 2^32 - 1 groups");
            self.slots.push(Group::new(0));
            return GroupId {
                slot,
                generation: 0,
            };
        }
        let slot = self.free;
        let group = &mut self[slot];
        let (next, generation) = (group.next, group.generation);
        *group = Group::new(generation);
        self.free = next;
        GroupId { slot, generation }
    }

    /// The slot of `id`.
    ///
    /// # Panics
    /// If the group is closed.
    pub(crate) fn slot(&self, id: GroupId) -> u32 {
        assert!(
            self[id.slot].generation == id.generation,
            "the group is closed"
        );
        id.slot
    }

    /// Makes `id` stale; the group goes with its last job.
    pub(crate) fn close(&mut self, id: GroupId) {
        let slot = self.slot(id);
        let group = &mut self[slot];
        group.generation = group.generation.wrapping_add(1);
        group.owned = false;
        self.free_if_unused(slot);
    }

    /// A job was opened in the group.
    pub(crate) fn join(&mut self, slot: u32) {
        let group = &mut self[slot];
        group.jobs += 1;
        self.in_use += usize::from(group.jobs == 1);
    }

    /// A job of the group is gone.
    pub(crate) fn part(&mut self, slot: u32) {
        let group = &mut self[slot];
        group.jobs -= 1;
        self.in_use -= usize::from(group.jobs == 0);
        self.free_if_unused(slot);
    }

    /// The group has a ready job.
    pub(crate) fn has_ready(&mut self, slot: u32) {
        let group = &mut self[slot];
        if group.listed == Listed::No {
            group.balance = group.balance.min(i32::from(TURN_BLOCKS));
            let list = if group.balance > 0 {
                Listed::Fresh
            } else {
                Listed::Round
            };
            self.append(list, slot);
        }
    }

    /// The group whose job takes the next lane. Amortised, a visit or two: each
    /// visit that finds nothing to take pays off a turn that was served or
    /// ends a listing.
    ///
    /// # Panics
    /// If no group has a ready job.
    #[inline]
    pub(crate) fn visit(&mut self) -> u32 {
        let slot = self.first();
        let group = &self[slot];
        if group.balance > 0 && group.first_ready != NONE {
            slot
        } else {
            self.visit_next()
        }
    }

    #[inline]
    fn first(&self) -> u32 {
        if self.fresh.first == NONE {
            self.round.first
        } else {
            self.fresh.first
        }
    }

    /// The rest of a visit, if the first group in line has nothing to take.
    #[inline(never)] // the usual visit is short
    fn visit_next(&mut self) -> u32 {
        loop {
            let slot = self.first();
            let group = &mut self[slot];
            let listed = group.listed;
            let is_spent = group.balance <= 0;
            if is_spent {
                group.balance += i32::from(TURN_BLOCKS);
            } else if group.first_ready != NONE {
                return slot;
            }
            self.unlink(slot);
            if is_spent || listed == Listed::Fresh {
                self.append(Listed::Round, slot);
            }
        }
    }

    /// Counts the lanes of each group, given the group in each lane. The counts
    /// stay until the next call: keeping them with every lane that changes
    /// hands costs more than counting where they are wanted.
    pub(crate) fn count_lanes(&mut self, groups: impl Iterator<Item = u32> + Clone) {
        for slot in groups.clone() {
            self[slot].lanes = 0;
        }
        self.in_lanes = 0;
        for slot in groups {
            let group = &mut self[slot];
            group.lanes += 1;
            self.in_lanes += usize::from(group.lanes == 1);
        }
    }

    /// Groups that have an open job.
    #[inline]
    pub(crate) const fn in_use(&self) -> usize {
        self.in_use
    }

    /// Groups that had a lane when they were counted.
    pub(crate) const fn in_lanes(&self) -> usize {
        self.in_lanes
    }

    fn free_if_unused(&mut self, slot: u32) {
        if self[slot].owned || self[slot].jobs > 0 {
            return;
        }
        if self[slot].listed != Listed::No {
            self.unlink(slot);
        }
        self[slot].next = self.free;
        self.free = slot;
    }

    fn append(&mut self, list: Listed, slot: u32) {
        let ends = self.ends(list);
        let last = std::mem::replace(&mut ends.last, slot);
        if last == NONE {
            ends.first = slot;
        } else {
            self[last].next = slot;
        }
        let group = &mut self[slot];
        group.listed = list;
        group.previous = last;
        group.next = NONE;
    }

    fn unlink(&mut self, slot: u32) {
        let group = &mut self[slot];
        let list = std::mem::replace(&mut group.listed, Listed::No);
        let (previous, next) = (group.previous, group.next);
        if previous == NONE {
            self.ends(list).first = next;
        } else {
            self[previous].next = next;
        }
        if next == NONE {
            self.ends(list).last = previous;
        } else {
            self[next].previous = previous;
        }
    }

    fn ends(&mut self, list: Listed) -> &mut Ends {
        debug_assert!(list != Listed::No);
        if list == Listed::Fresh {
            &mut self.fresh
        } else {
            &mut self.round
        }
    }
}

impl std::ops::Index<u32> for Groups {
    type Output = Group;

    #[inline]
    fn index(&self, slot: u32) -> &Group {
        &self.slots[slot as usize]
    }
}

impl std::ops::IndexMut<u32> for Groups {
    #[inline]
    fn index_mut(&mut self, slot: u32) -> &mut Group {
        &mut self.slots[slot as usize]
    }
}
