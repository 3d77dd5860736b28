//! Which cores the process may use: its affinity mask and its CPU quota.

use core_affinity::CoreId;

use crate::config::Pin;

/// The number of workers, and the core of each.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// One entry per worker: its core, or `None` if it is not pinned.
    pub(crate) workers: Vec<Option<CoreId>>,
    /// Cores in the affinity mask.
    pub(crate) cores: usize,
    /// Cores that mask and quota allow.
    pub(crate) usable: usize,
}

/// The number of workers: `count` if set, else one for each usable core.
pub(crate) fn workers(count: Option<usize>) -> usize {
    count.unwrap_or_else(usable).max(1)
}

/// Cores that the affinity mask and the cgroup's quota allow.
fn usable() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Plan {
    /// The plan for this process. `count` is the number of workers, if set.
    pub(crate) fn new(count: Option<usize>, pin: Pin) -> Self {
        let mask = core_affinity::get_core_ids().unwrap_or_default();
        Self::of(&mask, usable(), workers(count), pin)
    }

    fn of(mask: &[CoreId], usable: usize, count: usize, pin: Pin) -> Self {
        let pinned = match pin {
            Pin::Always => true,
            Pin::Never => false,
            // With a quota below the mask, every container on the machine would pin its workers to
            // the same first cores.
            Pin::Auto => usable >= mask.len() && count <= mask.len(),
        };
        let workers = (0..count)
            .map(|worker| {
                let core = mask.get(worker % mask.len().max(1));
                core.copied().filter(|_| pinned)
            })
            .collect();
        Self {
            workers,
            cores: mask.len(),
            usable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(ids: &[usize]) -> Vec<CoreId> {
        ids.iter().map(|id| CoreId { id: *id }).collect()
    }

    fn ids(plan: &Plan) -> Vec<Option<usize>> {
        plan.workers.iter().map(|c| c.map(|c| c.id)).collect()
    }

    #[test]
    fn one_worker_per_core_of_the_mask() {
        let plan = Plan::of(&mask(&[2, 5]), 2, 2, Pin::Auto);
        assert_eq!(ids(&plan), [Some(2), Some(5)]);
    }

    #[test]
    fn a_quota_means_fewer_workers_and_no_pinning() {
        let plan = Plan::of(&mask(&[0, 1, 2, 3]), 2, 2, Pin::Auto);
        assert_eq!(ids(&plan), [None, None]);
        let plan = Plan::of(&mask(&[0, 1, 2, 3]), 2, 2, Pin::Always);
        assert_eq!(ids(&plan), [Some(0), Some(1)]);
    }

    #[test]
    fn the_number_can_be_set() {
        let plan = Plan::of(&mask(&[0, 1]), 2, 3, Pin::Auto);
        assert_eq!(ids(&plan), [None, None, None]);
        let plan = Plan::of(&mask(&[0, 1]), 2, 3, Pin::Always);
        assert_eq!(ids(&plan), [Some(0), Some(1), Some(0)]);
        let plan = Plan::of(&[], 1, 1, Pin::Always);
        assert_eq!(ids(&plan), [None]);
    }
}
