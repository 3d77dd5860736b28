//! Which cores the process may use: its affinity mask and its CPU quota.

use core_affinity::CoreId;

use crate::config::Pin;

/// The number of workers: `count` if set, else one for each usable core.
pub(crate) fn workers(count: Option<usize>) -> usize {
    count.unwrap_or_else(usable).max(1)
}

/// Cores that the affinity mask and the cgroup's quota allow.
pub(crate) fn usable() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The cores of the affinity mask.
pub(crate) fn mask() -> Vec<CoreId> {
    core_affinity::get_core_ids().unwrap_or_default()
}

/// The core of each worker, or `None` if it is not pinned. `count` is the number of workers, if
/// set.
pub(crate) fn of_workers(count: Option<usize>, pin: Pin) -> Vec<Option<CoreId>> {
    pinned(&mask(), usable(), workers(count), pin)
}

fn pinned(mask: &[CoreId], usable: usize, count: usize, pin: Pin) -> Vec<Option<CoreId>> {
    let is_pinned = match pin {
        Pin::Always => true,
        Pin::Never => false,
        // With a quota below the mask, every container on the machine would pin its workers to the
        // same first cores.
        Pin::Auto => usable >= mask.len() && count <= mask.len(),
    };
    let cores = (0..count).map(|worker| mask.get(worker % mask.len().max(1)).copied());
    cores.map(|core| core.filter(|_| is_pinned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(mask: &[usize], usable: usize, count: usize, pin: Pin) -> Vec<Option<usize>> {
        let mask: Vec<_> = mask.iter().map(|id| CoreId { id: *id }).collect();
        let cores = pinned(&mask, usable, count, pin).into_iter();
        cores.map(|core| core.map(|core| core.id)).collect()
    }

    #[test]
    fn one_worker_per_core_of_the_mask() {
        assert_eq!(cores(&[2, 5], 2, 2, Pin::Auto), [Some(2), Some(5)]);
    }

    #[test]
    fn a_quota_means_fewer_workers_and_no_pinning() {
        assert_eq!(cores(&[0, 1, 2, 3], 2, 2, Pin::Auto), [None, None]);
        let always = cores(&[0, 1, 2, 3], 2, 2, Pin::Always);
        assert_eq!(always, [Some(0), Some(1)]);
    }

    #[test]
    fn the_number_can_be_set() {
        assert_eq!(cores(&[0, 1], 2, 3, Pin::Auto), [None, None, None]);
        let always = cores(&[0, 1], 2, 3, Pin::Always);
        assert_eq!(always, [Some(0), Some(1), Some(0)]);
        assert_eq!(cores(&[], 1, 1, Pin::Always), [None]);
    }
}
