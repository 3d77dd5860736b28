//! Measurements that are made once per process.

use std::sync::OnceLock;

use super::crossover::Crossover;
use crate::{
    available_kernels::Backend,
    kernel::{Family, Kernel},
};

/// The crossover of this process, measured by the first call.
pub(crate) fn crossover() -> Crossover {
    static CROSSOVER: OnceLock<Crossover> = OnceLock::new();
    CROSSOVER
        .get_or_init(|| Crossover::new(Backend::detect()))
        .clone()
}

/// The family's fastest kernel of one lane on this CPU, measured once per process.
pub(crate) fn single(family: Family) -> Kernel {
    static BEST: [OnceLock<Kernel>; Family::ALL.len()] =
        [const { OnceLock::new() }; Family::ALL.len()];
    *BEST[family.index()].get_or_init(|| {
        // Kernels with several lanes would take ten times as long to measure.
        let detected = Backend::detect();
        let of_one_lane = detected.kernels(family).iter().copied();
        let of_one_lane: Vec<Kernel> = of_one_lane.filter(|k| k.lanes() == 1).collect();
        let best = Backend::of(&of_one_lane).and_then(|backend| {
            let crossover = Crossover::new(backend);
            let rates = crossover.bytes_per_second(family);
            rates.max_by(|a, b| a.1.total_cmp(&b.1))
        });
        best.map_or(Kernel::portable(family), |(kernel, _)| kernel)
    })
}
