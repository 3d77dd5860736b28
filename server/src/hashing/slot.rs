//! What the engine's parts are to the server: whose each is, how long its chunks have
//! waited, and how much work all of them may bring.

use std::rc::Rc;
use std::time::Instant;

use hashlane_engine::{Algorithm, Crossover, Family, PartId};

use super::Mailbox;
use super::linger::{LastSeen, Lively, PERIOD};

/// What the engine's part is to the server.
pub(super) struct Slot {
    id: PartId,
    pub(super) owner: Rc<Mailbox>,
    /// What the owner knows it by.
    pub(super) tag: u64,
    pub(super) algorithms: Rc<[Algorithm]>,
    waiting_bytes: usize,
    /// When a chunk came to the part that had none, until some of it is consumed.
    pub(super) since: Option<Instant>,
    last_seen: LastSeen,
    /// Some of its bytes were hashed, or may have been: of several digests, each has its own pace.
    is_touched: bool,
}

impl Slot {
    /// The engine needs `bytes` no more.
    pub(super) fn consumed(&mut self, bytes: usize) {
        self.is_touched = true;
        self.waiting_bytes = self.waiting_bytes.saturating_sub(bytes);
    }

    /// Whether bytes are hashed as they are pushed, for one of its digests at least.
    fn hashes_on_push(&self) -> bool {
        self.algorithms.iter().any(|a| a.family().is_none())
    }
}

/// The slots of all open parts.
pub(super) struct Slots {
    /// By [`PartId::index`].
    slots: Vec<Option<Slot>>,
    pub(super) lively: Lively,
    /// Digests of all parts. One that is ready counts until its part ends.
    digests: usize,
    /// Those of them that have lanes, by family.
    jobs: [usize; Family::ALL.len()],
}

impl Slots {
    pub(super) fn new() -> Self {
        Self {
            slots: Vec::new(),
            lively: Lively::new(PERIOD, Instant::now()),
            digests: 0,
            jobs: [0; Family::ALL.len()],
        }
    }

    /// Notes a part that has nothing yet.
    pub(super) fn open(
        &mut self,
        id: PartId,
        owner: &Rc<Mailbox>,
        tag: u64,
        algorithms: &Rc<[Algorithm]>,
    ) {
        self.digests += algorithms.len();
        let mut jobs = 0;
        for family in families(algorithms) {
            self.jobs[family.index()] += 1;
            jobs += 1;
        }
        let index = id.index();
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        }
        self.slots[index] = Some(Slot {
            id,
            owner: Rc::clone(owner),
            tag,
            algorithms: Rc::clone(algorithms),
            waiting_bytes: 0,
            since: None,
            last_seen: LastSeen::new(jobs),
            is_touched: false,
        });
    }

    /// The slot of a part that is still open.
    pub(super) fn get(&mut self, id: PartId) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(id.index())?.as_mut();
        // An id whose part has ended is stale, and its place another's.
        slot.filter(|slot| slot.id == id)
    }

    /// Notes a chunk. The result is whether some of the part's digests take it at once;
    /// nothing if the part is gone.
    pub(super) fn push(&mut self, id: PartId, chunk_bytes: usize) -> Option<bool> {
        let slot = self.slots.get_mut(id.index()).and_then(Option::as_mut);
        let slot = slot.filter(|slot| slot.id == id)?;
        if slot.waiting_bytes == 0 {
            let now = Instant::now();
            slot.since = Some(now);
            self.lively.saw(&mut slot.last_seen, now);
        }
        slot.waiting_bytes += chunk_bytes;
        slot.is_touched |= slot.algorithms.len() > 1;
        Some(slot.hashes_on_push())
    }

    /// Forgets a part; nothing if it is gone.
    pub(super) fn close(&mut self, id: PartId) -> Option<Slot> {
        let slot = self.slots.get_mut(id.index())?.take_if(|s| s.id == id)?;
        self.lively.forget(slot.last_seen);
        self.digests -= slot.algorithms.len();
        for family in families(&slot.algorithms) {
            self.jobs[family.index()] -= 1;
        }
        Some(slot)
    }

    /// The open parts that are computed with kernels of a family; if `touched`, those of them of
    /// which some bytes were hashed.
    pub(super) fn of_kernels(&self, family: Family, touched: bool) -> Vec<PartId> {
        let slots = self.slots.iter().flatten();
        let slots = slots.filter(|slot| slot.is_touched || !touched);
        let of_family = slots.filter(|slot| {
            let mut algorithms = slot.algorithms.iter();
            algorithms.any(|algorithm| algorithm.kernels_of() == Some(family))
        });
        of_family.map(|slot| slot.id).collect()
    }

    /// Digests of all open parts.
    pub(super) fn digests(&self) -> usize {
        self.digests
    }

    /// Those of them that have lanes.
    pub(super) fn jobs(&self) -> usize {
        self.jobs.iter().sum()
    }

    /// The fewest ready jobs for the best rate of every family that has any open.
    pub(super) fn lanes_enough(&self, crossover: &Crossover) -> usize {
        let open = Family::ALL.into_iter().filter(|f| self.jobs[f.index()] > 0);
        open.map(|family| crossover.lanes_enough(family)).sum()
    }
}

fn families(algorithms: &[Algorithm]) -> impl Iterator<Item = Family> {
    algorithms.iter().filter_map(|a| a.family())
}
