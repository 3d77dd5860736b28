//! Groups of jobs, and the choice of the job that takes the next lane.
//!
//! Lanes are shared between groups, not between jobs: a group of a thousand jobs has no larger
//! share than a group of one. The ready jobs of a group and a compression are a *flow*, and flows
//! take turns by deficit round-robin (M. Shreedhar and G. Varghese, "Efficient fair queueing using
//! deficit round robin", SIGCOMM 1995), with blocks in place of bytes:
//!
//! ```text
//! a job is ready ----> gets a turn's worth, goes to the end of the ring
//!                      ring: the first flow is visited
//!                        no job left      leaves the ring; what it owes stays
//!                        deficit spent    gets a turn's worth, goes to the end of the ring
//!                        otherwise        its first job takes a lane and is charged
//! still ready -------> goes on with its turn, at the ring's front, while it has a deficit
//! ```
//!
//! A job is charged for its ready blocks, at most one turn. After the step the charge is corrected
//! to the blocks that it hashed, so a deficit may fall below zero, by at most a turn and a step.
//!
//! Blocks of different compressions take different times, so compressions share time. The next step
//! goes to the compression with the least time in proportion to the weight of the groups in its
//! ring. All groups have the same weight, however many rings they are in. A compression that was
//! idle starts level with the others (start-time fair queueing).
//!
//! Why time: a connection with a thousand streams gets the same time as one with forty, tiny parts
//! get the same as huge ones, and two digests get no second share. Bytes would not be fair, because
//! a block of SHA-512 takes longer than a block of MD5. A job has at most one lane, so a lone
//! stream's share is one lane. Sinks run on push and are exempt. tests/model.rs compares the order
//! with plain models; tests/fairness.rs measures shares.

use super::{
    arena::{Arena, NONE},
    parts::EngineNumber,
};
use crate::kernel::Family;

/// Blocks that a job may hash in a step while others wait for a lane, and that a flow may hash per
/// round: 16 KiB of SHA-256.
pub(crate) const TURN_BLOCKS: u16 = 256;

/// Blocks of a flow's turn, by the number of rings that its group is in: a group divides its share
/// among its rings.
const QUANTUM_BLOCKS: [i32; Family::ALL.len() + 1] = {
    let turn = TURN_BLOCKS as i32;
    [turn, turn, turn / 2, turn / 3, turn / 4]
};

/// A group's weight, which is divided among its rings.
const WEIGHT: u32 = 12;

/// How far a compression with full lanes may run ahead of its share while another one's lanes are
/// not full: two milliseconds, in which parts of several digests fill the lanes of each.
const AHEAD_NS: f64 = 2e6;

/// The group of jobs that were opened without a group.
pub(crate) const DEFAULT_GROUP: u32 = 0;

/// Identifies a group of jobs in one engine. Stale once the group is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupId {
    slot: u32,
    serial: u32,
    engine: EngineNumber,
}

/// The ready jobs of one group and one compression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    /// Both ends of the list of jobs.
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// Blocks that it may hash before the next flow is visited.
    pub(crate) deficit: i32,
    /// The next group in the ring.
    next: u32,
    in_ring: bool,
}

impl Flow {
    const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
        deficit: 0,
        next: NONE,
        in_ring: false,
    };
}

/// Jobs that share one group's time in the lanes.
#[derive(Debug)]
struct Group {
    flows: [Flow; Family::ALL.len()],
    /// Number of open jobs.
    jobs: u32,
    /// Number of rings that it is in.
    rings: u32,
    serial: u32,
    /// Whether its owner may still open jobs in it.
    is_open: bool,
}

/// The flows of one compression that are visited in turn.
#[derive(Clone, Copy, Debug)]
struct Ring {
    first: u32,
    last: u32,
    /// The last flow that resumed since the last visit.
    resumed: u32,
    /// The sum of its groups' weights.
    weight: u32,
    /// Time of its jobs, divided by its weight at that time.
    used_ns: f64,
}

/// All groups of an engine, and the order of visits.
#[derive(Debug)]
pub(crate) struct Groups {
    groups: Arena<Group>,
    rings: [Ring; Family::ALL.len()],
    /// `used_ns` of the ring that was served last, from before that step.
    virtual_ns: f64,
    serial: u32,
    engine: EngineNumber,
}

impl Groups {
    /// Only the default group.
    pub(crate) fn new(engine: EngineNumber) -> Self {
        let mut groups = Self {
            groups: Arena::new(),
            rings: [Ring {
                first: NONE,
                last: NONE,
                resumed: NONE,
                weight: 0,
                used_ns: 0.0,
            }; Family::ALL.len()],
            virtual_ns: 0.0,
            serial: 0,
            engine,
        };
        groups.open();
        groups
    }

    pub(crate) fn open(&mut self) -> GroupId {
        self.serial = self.serial.wrapping_add(1);
        let serial = self.serial;
        let slot = self.groups.insert(Group {
            flows: [Flow::EMPTY; Family::ALL.len()],
            jobs: 0,
            rings: 0,
            serial,
            is_open: true,
        });
        let engine = self.engine;
        GroupId {
            slot,
            serial,
            engine,
        }
    }

    /// The slot of `id`.
    ///
    /// # Panics
    /// If the group is closed, or another engine's.
    pub(crate) fn slot(&self, id: GroupId) -> u32 {
        assert!(id.engine == self.engine, "the group is another engine's");
        let group = self.groups.get(id.slot);
        let is_open = group.is_some_and(|group| group.serial == id.serial && group.is_open);
        assert!(is_open, "the group is closed");
        id.slot
    }

    /// Makes `id` stale. The group is removed with its last job.
    pub(crate) fn close(&mut self, id: GroupId) {
        let slot = self.slot(id);
        self.groups[slot].is_open = false;
        self.free_if_unused(slot);
    }

    /// Counts a job that was opened in the group.
    #[inline]
    pub(crate) fn join(&mut self, slot: u32) {
        let jobs = &mut self.groups[slot].jobs;
        *jobs = jobs.checked_add(1).expect("fewer than 2^32 jobs");
    }

    /// Counts the end of a job of the group that is in no flow.
    #[inline]
    pub(crate) fn part(&mut self, slot: u32) {
        self.groups[slot].jobs -= 1;
        self.free_if_unused(slot);
    }

    fn free_if_unused(&mut self, slot: u32) {
        let group = &self.groups[slot];
        if !group.is_open && group.jobs == 0 && group.rings == 0 {
            self.groups.free(slot);
        }
    }

    #[inline]
    pub(crate) fn flow(&mut self, slot: u32, family: Family) -> &mut Flow {
        &mut self.groups[slot].flows[family.index()]
    }

    /// The flow has a ready job, so it joins the ring.
    #[inline]
    pub(crate) fn enter(&mut self, slot: u32, family: Family) {
        if self.groups[slot].flows[family.index()].in_ring {
            return;
        }
        let ring = &mut self.rings[family.index()];
        if ring.first == NONE {
            // An idle ring earns no time.
            ring.used_ns = ring.used_ns.max(self.virtual_ns);
        }
        self.set_in_ring(slot, family, true);
        let group = &mut self.groups[slot];
        group.flows[family.index()].deficit += QUANTUM_BLOCKS[group.rings as usize];
        self.append(slot, family);
    }

    /// A job of the flow is still ready after a step: the flow continues its turn, if that is not
    /// over.
    #[inline]
    pub(crate) fn resume(&mut self, slot: u32, family: Family) {
        let flow = &self.groups[slot].flows[family.index()];
        if flow.in_ring || flow.deficit <= 0 {
            return self.enter(slot, family);
        }
        self.set_in_ring(slot, family, true);
        // After the flows that resumed before it, to keep their order.
        let ring = &mut self.rings[family.index()];
        let before = std::mem::replace(&mut ring.resumed, slot);
        let next = if before == NONE {
            std::mem::replace(&mut ring.first, slot)
        } else {
            let before = &mut self.groups[before].flows[family.index()];
            std::mem::replace(&mut before.next, slot)
        };
        if next == NONE {
            ring.last = slot;
        }
        self.groups[slot].flows[family.index()].next = next;
    }

    /// The flow whose job takes the next lane of that compression, as its group's slot. Amortised,
    /// this takes one or two visits: each visit without a job to take either follows a turn that
    /// was served or removes a flow from the ring.
    #[inline]
    pub(crate) fn visit(&mut self, family: Family) -> Option<u32> {
        self.rings[family.index()].resumed = NONE;
        loop {
            let slot = self.rings[family.index()].first;
            if slot == NONE {
                return None;
            }
            let group = &mut self.groups[slot];
            let rings = group.rings;
            let flow = &mut group.flows[family.index()];
            let is_empty = flow.first == NONE;
            if !is_empty && flow.deficit > 0 {
                return Some(slot);
            }
            self.rings[family.index()].first = flow.next;
            if is_empty {
                flow.deficit = flow.deficit.min(0);
                self.set_in_ring(slot, family, false);
                self.free_if_unused(slot);
            } else {
                flow.deficit += QUANTUM_BLOCKS[rings as usize];
                self.append(slot, family);
            }
        }
    }

    /// Records the time of a step of this compression, about `step_ns`.
    #[inline]
    pub(crate) fn used(&mut self, family: Family, weight: u32, step_ns: f64) {
        let ring = &mut self.rings[family.index()];
        self.virtual_ns = ring.used_ns;
        ring.used_ns += step_ns / f64::from(weight.max(1));
    }

    /// The weight of the groups with ready jobs of that compression.
    #[inline]
    pub(crate) const fn weight(&self, family: Family) -> u32 {
        self.rings[family.index()].weight
    }

    /// The compression with ready jobs that has had the least time. One with full lanes goes first,
    /// by up to [`AHEAD_NS`].
    #[inline]
    pub(crate) fn next(
        &self,
        has_ready: impl Fn(Family) -> bool,
        is_full: impl Fn(Family) -> bool,
    ) -> Option<Family> {
        let used = |family: Family| self.rings[family.index()].used_ns;
        let least = |families: &dyn Fn(Family) -> bool| {
            let families = Family::ALL.into_iter().filter(|family| families(*family));
            families.min_by(|a, b| used(*a).total_cmp(&used(*b)))
        };
        let next = least(&has_ready)?;
        let full = least(&|family| has_ready(family) && is_full(family));
        let ahead_ns = |family| (used(family) - used(next)) * f64::from(self.weight(family));
        let full = full.filter(|full| ahead_ns(*full) < AHEAD_NS);
        Some(full.unwrap_or(next))
    }

    /// Adds a flow to the ring or removes it, and divides the group's weight again.
    #[inline]
    fn set_in_ring(&mut self, slot: u32, family: Family, in_ring: bool) {
        let group = &mut self.groups[slot];
        let (rings, before) = (&mut self.rings, group.rings);
        let mut share = |group: &Group, rings_of: u32, add: bool| {
            for (flow, ring) in group.flows.iter().zip(rings.iter_mut()) {
                if flow.in_ring {
                    let weight = WEIGHT / rings_of;
                    ring.weight = if add {
                        ring.weight + weight
                    } else {
                        ring.weight - weight
                    };
                }
            }
        };
        share(group, before, false);
        group.flows[family.index()].in_ring = in_ring;
        group.rings = if in_ring { before + 1 } else { before - 1 };
        share(group, group.rings, true);
    }

    fn append(&mut self, slot: u32, family: Family) {
        self.groups[slot].flows[family.index()].next = NONE;
        let ring = &mut self.rings[family.index()];
        if ring.first == NONE {
            ring.first = slot;
        } else {
            self.groups[ring.last].flows[family.index()].next = slot;
        }
        ring.last = slot;
    }
}
