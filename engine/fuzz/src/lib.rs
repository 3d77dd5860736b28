//! Every kernel alone, and mixes of kernels. Their costs are given, so that a finding
//! comes again: what is measured at start-up differs from run to run.

use std::sync::LazyLock;

use hashlane_engine::{Backend, Crossover, Kernel};

/// What an input chooses from.
pub static CROSSOVERS: LazyLock<Vec<Crossover>> = LazyLock::new(|| {
    let single = Kernel::ALL.map(|kernel| with_costs(&[kernel], |_| 100.0));
    let all = Backend::detect();
    let mixes = [
        // Widest first, the rest in ever narrower ones.
        with_costs(all.kernels(), |lanes| f64::from(lanes).sqrt()),
        // The widest for any number.
        with_costs(all.kernels(), |_| 100.0),
        // Neighbouring segments of four, beside others.
        with_costs(all.kernels(), |lanes| {
            if lanes == 4 {
                4.0
            } else {
                4.0 + f64::from(lanes)
            }
        }),
        // Fewer than four are left out.
        with_costs(&[Kernel::Portable, Kernel::ShaniAvx512X4], |_| 100.0),
        with_costs(&[Kernel::Portable, Kernel::Sse41x4], |_| 100.0),
    ];
    single.into_iter().chain(mixes).flatten().collect()
});

/// Nothing where the CPU lacks one of them.
fn with_costs(kernels: &[Kernel], cost: impl Fn(u8) -> f64) -> Option<Crossover> {
    let backend = Backend::of(kernels)?;
    let lanes = backend.kernels().iter().map(|kernel| kernel.lanes() as u8);
    let costs = lanes.map(cost).collect();
    Some(Crossover::from_costs(backend, costs))
}
