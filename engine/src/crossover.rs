//! Which kernels a step takes for a given number of ready lanes.
//!
//! No constant is right everywhere: sixteen AVX-512 lanes beat four interleaved
//! SHA-extension streams from nine ready lanes on one CPU and from fourteen on
//! the next. So the engine times every kernel once at start-up and derives a
//! plan for each number of ready lanes:
//!
//! ```text
//! cost(k)   nanoseconds of one block step of kernel k, all its lanes   (measured)
//! fill[p]   least cost to cover columns 0..p with full kernels
//! cover[n]  least cost to cover n lanes, the last kernel perhaps in part
//! plan[n]   the cover of m <= n lanes with the most blocks per second, m / cover[m]
//! ```
//!
//! Where `m < n` the lanes left out take their turn in the next step.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    backend::Backend,
    kernel::{self, BLOCK_BYTES, Columns, Input, Kernel, LANES_MAX},
};

/// A step may take this long, so that whoever feeds the engine is not starved.
const STEP_NS_MAX: f64 = 100_000.0;

/// Rates that differ by less are taken as equal.
const LIKE_BEST: f64 = 0.98;

/// How often each kernel is timed at start-up.
const ROUNDS: usize = 24;

/// How often at least, whatever it takes.
const ROUNDS_MIN: usize = 4;

/// No further round begins after so long.
const MEASURE_MAX: Duration = Duration::from_millis(25);

/// One kernel over neighbouring columns, in a call of its own or in one with its
/// neighbours ([`kernel::compress_chain`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) kernel: Kernel,
    /// The first column.
    pub(crate) first: usize,
    /// Lanes in use, at most the kernel's.
    pub(crate) active: usize,
}

/// The segments of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    pub(crate) segments: Vec<Segment>,
    /// Lanes in use: columns `0..lanes`.
    pub(crate) lanes: usize,
    /// The most blocks per lane that keep the step short enough.
    pub(crate) blocks_max: usize,
    /// Nanoseconds per block of every lane.
    pub(crate) cost_ns: f64,
}

impl Plan {
    /// Whether lanes may be left out behind it: its last kernel has all its lanes,
    /// and so leaves no garbage in further columns.
    pub(crate) fn is_whole(&self) -> bool {
        let last = self.segments.last();
        last.is_some_and(|segment| segment.active == segment.kernel.lanes())
    }
}

/// The plan for each number of ready lanes, from measured costs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Crossover {
    table: Arc<Table>,
}

#[derive(Debug)]
struct Table {
    backend: Backend,
    /// Nanoseconds of one block step, in the order of the backend's kernels.
    costs_ns: Vec<f64>,
    /// Indexed by the number of ready lanes; `[0]` is empty.
    plans: Vec<Plan>,
    /// See [`Crossover::lanes_enough`].
    lanes_enough: usize,
}

impl Crossover {
    /// Times the kernels of `backend` on this thread's core and plans with the
    /// result. Takes 5 to 10 ms; on a machine that is busy with something else it
    /// begins no further round after 25 ms, but takes four. Each kernel's cost is the least of many short runs taken
    /// in turn, so a noisy neighbour must disturb all of them to disturb the plan.
    #[must_use]
    pub fn calibrate(backend: &Backend) -> Self {
        Self::from_costs(backend.clone(), measure(backend))
    }

    /// One kernel for everything, or nothing if the CPU lacks it. For tests,
    /// benches and operators who want to decide by hand.
    #[must_use]
    pub fn only(kernel: Kernel) -> Option<Self> {
        let backend = Backend::of(&[kernel])?;
        let costs = measure(&backend);
        Some(Self::from_costs(backend, costs))
    }

    /// Plans from given costs: nanoseconds of one block step of each of the
    /// backend's kernels, in their order.
    ///
    /// # Panics
    /// If the number of costs differs from the number of kernels, or one is not
    /// a positive number.
    #[must_use]
    pub fn from_costs(backend: Backend, costs_ns: Vec<f64>) -> Self {
        assert_eq!(
            backend.kernels().len(),
            costs_ns.len(),
            "one cost per kernel"
        );
        assert!(
            costs_ns.iter().all(|cost| cost.is_finite() && *cost > 0.0),
            "costs are positive"
        );
        let plans = plan_all(backend.kernels(), &costs_ns);
        let rate = |lanes: usize| lane_rate(plans[lanes].lanes, plans[lanes].cost_ns);
        let best = (1..=LANES_MAX).map(rate).fold(0.0, f64::max);
        let lanes_enough = (1..=LANES_MAX).find(|lanes| rate(*lanes) >= best * LIKE_BEST);
        Self {
            table: Arc::new(Table {
                backend,
                costs_ns,
                lanes_enough: lanes_enough.expect("the best itself"),
                plans,
            }),
        }
    }

    /// The kernels it chooses among.
    #[must_use]
    pub fn backend(&self) -> &Backend {
        &self.table.backend
    }

    /// What each kernel reached with all its lanes active, bytes per second.
    pub fn bytes_per_second(&self) -> impl Iterator<Item = (Kernel, f64)> + '_ {
        let kernels = self.table.backend.kernels().iter().copied();
        kernels
            .zip(&self.table.costs_ns)
            .map(|(kernel, cost_ns)| (kernel, lane_rate(kernel.lanes(), *cost_ns)))
    }

    /// What a step reaches with `lanes` ready lanes, bytes per second.
    ///
    /// # Panics
    /// If `lanes` is 0 or above [`LANES_MAX`].
    #[must_use]
    pub fn step_bytes_per_second(&self, lanes: usize) -> f64 {
        assert!((1..=LANES_MAX).contains(&lanes), "1 to {LANES_MAX} lanes");
        let plan = &self.table.plans[lanes];
        lane_rate(plan.lanes, plan.cost_ns)
    }

    /// The fewest ready lanes with which a step is as fast as with any number,
    /// within the measurement: 1 to [`LANES_MAX`].
    #[must_use]
    #[inline]
    pub fn lanes_enough(&self) -> usize {
        self.table.lanes_enough
    }

    /// The kernels a step takes with `lanes` ready lanes, as in
    /// `avx512x16+shani_x2`.
    ///
    /// # Panics
    /// If `lanes` is 0 or above [`LANES_MAX`].
    #[must_use]
    pub fn describe(&self, lanes: usize) -> String {
        assert!((1..=LANES_MAX).contains(&lanes), "1 to {LANES_MAX} lanes");
        let names = self.table.plans[lanes].segments.iter();
        names.map(|s| s.kernel.name()).collect::<Vec<_>>().join("+")
    }

    /// The plan for `ready` lanes, 1 to [`LANES_MAX`].
    #[inline]
    pub(crate) fn plan(&self, ready: usize) -> &Plan {
        &self.table.plans[ready]
    }
}

#[allow(clippy::cast_precision_loss)] // at most 32 lanes of 64 bytes
fn lane_rate(lanes: usize, cost_ns: f64) -> f64 {
    (lanes * BLOCK_BYTES) as f64 / cost_ns * 1e9
}

/// Nanoseconds of one block step of each kernel, all lanes active, data in L1/L2.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
fn measure(backend: &Backend) -> Vec<f64> {
    const BLOCKS: usize = 32;
    const RUN_NS: f64 = 15_000.0;
    // Lanes do not start at the same address modulo 4 KiB, which would make
    // them fight for the same cache sets.
    const STRIDE: usize = BLOCKS * BLOCK_BYTES + 64;
    let data = vec![0x5a_u8; STRIDE * LANES_MAX];
    let inputs: Vec<Input<'_>> = data.chunks_exact(STRIDE).map(Input::whole).collect();
    let mut columns = Columns::new();
    let mut time = |kernel: Kernel, calls: usize| {
        let start = Instant::now();
        for _ in 0..calls {
            let inputs = inputs[..kernel.lanes()].iter().copied();
            kernel::compress(kernel, &mut columns, 0, inputs, BLOCKS);
        }
        start.elapsed().as_nanos() as f64 / (calls * BLOCKS) as f64
    };
    let start = Instant::now();
    let kernels = backend.kernels();
    let mut best: Vec<f64> = kernels.iter().map(|kernel| time(*kernel, 2)).collect();
    let calls: Vec<usize> = best
        .iter()
        .map(|cost| ((RUN_NS / (cost * BLOCKS as f64)) as usize).max(1))
        .collect();
    least_of_rounds(
        &mut best,
        |i| time(kernels[i], calls[i]),
        || start.elapsed() >= MEASURE_MAX,
    );
    // A clock too coarse to see a run would otherwise give a cost of 0.
    best.iter().map(|cost| cost.max(0.01)).collect()
}

/// Lowers each of `best` to the least that `time` gives for it in [`ROUNDS`], or in
/// those that begin before time `is_over` and the first [`ROUNDS_MIN`].
fn least_of_rounds(
    best: &mut [f64],
    mut time: impl FnMut(usize) -> f64,
    is_over: impl Fn() -> bool,
) {
    for round in 0..ROUNDS {
        if round >= ROUNDS_MIN && is_over() {
            return;
        }
        for (i, best) in best.iter_mut().enumerate() {
            *best = best.min(time(i));
        }
    }
}

fn plan_all(kernels: &[Kernel], costs_ns: &[f64]) -> Vec<Plan> {
    let fill = plan_fill(kernels, costs_ns);
    let cover: Vec<Plan> = (0..=LANES_MAX)
        .map(|lanes| plan_cover(lanes, kernels, costs_ns, &fill))
        .collect();
    let rate = |lanes: usize| lane_rate(lanes, cover[lanes].cost_ns);
    let mut plans = vec![Plan::default()];
    let mut best = 0.0_f64;
    for ready in 1..=LANES_MAX {
        best = best.max(rate(ready));
        // What is as good within the measurement goes to more lanes: fewer steps
        // for the same work, and nobody waits.
        let lanes = (1..=ready)
            .rev()
            .find(|lanes| rate(*lanes) >= best * LIKE_BEST);
        plans.push(cover[lanes.expect("the best itself")].clone());
    }
    plans
}

/// The cheapest way to cover columns `0..p` with full kernels, for each `p`.
fn plan_fill(kernels: &[Kernel], costs_ns: &[f64]) -> Vec<Option<Plan>> {
    let mut fill: Vec<Option<Plan>> = vec![None; LANES_MAX + 1];
    fill[0] = Some(Plan::default());
    for end in 1..=LANES_MAX {
        fill[end] = kernels
            .iter()
            .zip(costs_ns)
            .filter(|(kernel, _)| kernel.lanes() <= end)
            .filter_map(|(kernel, cost_ns)| {
                let first = end - kernel.lanes();
                let before = fill[first].as_ref()?;
                extend(before, *kernel, *cost_ns, kernel.lanes())
            })
            .min_by(|a, b| a.cost_ns.total_cmp(&b.cost_ns));
    }
    fill
}

/// The cheapest way to cover `lanes` lanes: full kernels, then at most one in part.
fn plan_cover(lanes: usize, kernels: &[Kernel], costs_ns: &[f64], fill: &[Option<Plan>]) -> Plan {
    let whole = fill[lanes].clone();
    let partial = fill[..lanes].iter().flatten().flat_map(|before| {
        kernels
            .iter()
            .zip(costs_ns)
            .filter_map(move |(kernel, cost_ns)| {
                let active = lanes - before.lanes;
                (active < kernel.lanes()).then(|| extend(before, *kernel, *cost_ns, active))?
            })
    });
    whole
        .into_iter()
        .chain(partial)
        .min_by(|a, b| a.cost_ns.total_cmp(&b.cost_ns))
        // The widest kernel of a backend may be as narrow as one lane; then every
        // count is whole. Otherwise the narrowest kernel covers any rest.
        .expect("some kernel covers any number of lanes")
}

/// `before` and one more kernel call, if the kernel may start at that column.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn extend(before: &Plan, kernel: Kernel, cost_ns: f64, active: usize) -> Option<Plan> {
    let first = before.lanes;
    if !kernel.may_start_at(first) {
        return None;
    }
    let mut segments = before.segments.clone();
    segments.push(Segment {
        kernel,
        first,
        active,
    });
    let cost_ns = before.cost_ns + cost_ns;
    Some(Plan {
        segments,
        lanes: first + active,
        blocks_max: ((STEP_NS_MAX / cost_ns) as usize).max(1),
        cost_ns,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Costs as on a CPU whose SHA extensions do one stream in 35 ns.
    fn costs(kernel: Kernel) -> f64 {
        match kernel {
            Kernel::ShaniX1 => 35.0,
            Kernel::ShaniX2 => 38.0,
            Kernel::ShaniX4 => 76.0,
            Kernel::Avx512x16 => 240.0,
            Kernel::Avx2x8 => 200.0,
            _ => 300.0,
        }
    }

    fn detected() -> Crossover {
        let backend = Backend::detect();
        let costs = backend.kernels().iter().map(|k| costs(*k)).collect();
        Crossover::from_costs(backend, costs)
    }

    #[test]
    fn every_count_has_a_sound_plan() {
        let mut all = vec![detected()];
        all.extend(Kernel::ALL.into_iter().filter_map(Crossover::only));
        for crossover in all {
            for ready in 1..=LANES_MAX {
                let plan = crossover.plan(ready);
                let mut next = 0;
                for segment in &plan.segments {
                    assert_eq!(segment.first, next);
                    assert!(segment.kernel.may_start_at(segment.first));
                    assert!((1..=segment.kernel.lanes()).contains(&segment.active));
                    next += segment.active;
                }
                assert_eq!(next, plan.lanes);
                assert!((1..=ready).contains(&plan.lanes));
                assert!(plan.lanes == ready || plan.is_whole(), "{ready}: {plan:?}");
                assert!(plan.blocks_max >= 1);
            }
        }
    }

    #[test]
    fn more_ready_lanes_are_never_slower() {
        let crossover = detected();
        for ready in 2..=LANES_MAX {
            let (fewer, more) = (
                crossover.step_bytes_per_second(ready - 1),
                crossover.step_bytes_per_second(ready),
            );
            assert!(
                more >= fewer * LIKE_BEST,
                "{ready} lanes: {more} after {fewer}"
            );
        }
    }

    #[test]
    fn enough_lanes_are_those_that_more_do_not_beat() {
        for crossover in Kernel::ALL.into_iter().filter_map(Crossover::only) {
            let [kernel] = *crossover.backend().kernels() else {
                panic!("one kernel");
            };
            assert_eq!(crossover.lanes_enough(), kernel.lanes(), "{kernel}");
        }
        let crossover = detected();
        let enough = crossover.lanes_enough();
        let best = crossover.step_bytes_per_second(LANES_MAX);
        assert!(crossover.step_bytes_per_second(enough) >= best * LIKE_BEST);
        let fewer = (1..enough).map(|lanes| crossover.step_bytes_per_second(lanes));
        assert!(fewer.fold(0.0, f64::max) < best);
    }

    #[test]
    fn one_lane_takes_the_cheapest_single_stream() {
        let crossover = detected();
        let cheapest = crossover.backend().kernels().iter().copied();
        let cheapest = cheapest
            .map(costs)
            .min_by(f64::total_cmp)
            .expect("a kernel");
        let plan = crossover.plan(1);
        assert_eq!(plan.segments.len(), 1);
        assert!((plan.cost_ns - cheapest).abs() < 1e-9);
    }

    #[test]
    fn calibration_is_positive_and_ordered_like_the_backend() {
        let crossover = Crossover::calibrate(&Backend::detect());
        let kernels: Vec<Kernel> = crossover.bytes_per_second().map(|(k, _)| k).collect();
        assert_eq!(kernels, crossover.backend().kernels());
        assert!(crossover.bytes_per_second().all(|(_, rate)| rate > 0.0));
    }

    #[test]
    fn one_quiet_round_in_many_is_enough() {
        const COSTS: [f64; 3] = [35.0, 240.0, 80.0];
        let mut calls = [0; 3];
        let mut best = [f64::MAX; 3];
        let time = |i: usize| {
            calls[i] += 1;
            // Each has its quiet moment in a round of its own.
            let noise = if calls[i] == 5 + i { 1.0 } else { 3.0 };
            COSTS[i] * noise
        };
        least_of_rounds(&mut best, time, || false);
        assert_eq!(calls, [ROUNDS; 3]);
        for (best, cost) in best.iter().zip(COSTS) {
            assert!((best - cost).abs() < 1e-9, "{best} for {cost}");
        }
    }

    #[test]
    fn no_round_begins_when_time_is_over() {
        let rounds = std::cell::Cell::new(0);
        let time = |_| {
            rounds.set(rounds.get() + 1);
            1.0
        };
        least_of_rounds(&mut [9.0], time, || rounds.get() == 7);
        assert_eq!(rounds.get(), 7);
        rounds.set(0);
        least_of_rounds(&mut [9.0], time, || true);
        assert_eq!(rounds.get(), ROUNDS_MIN, "one is never enough");
    }
}
